package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
)

// partialRestore is the folder of a restoration in progress, in the data folder.
const partialRestore = "restore.partial"

// openSQLite makes a database beside. Without a journal it is of no use when
// anything goes wrong, and quick. The lock keeps a server that is started
// meanwhile waiting.
func (r *Restoration) openSQLite(ctx context.Context, migration int64) error {
	dir := r.options.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	var err error
	if r.unlock, err = lockFile(filepath.Join(dir, lockName)); err != nil {
		r.unlock = func() {}
		return err
	}
	if err := r.nothingThere(); err != nil {
		return err
	}
	r.partial = filepath.Join(dir, partialRestore)
	if err := errors.Join(os.RemoveAll(r.partial), os.Mkdir(r.partial, 0o700)); err != nil {
		return fmt.Errorf("make a folder to restore in: %w", err)
	}
	if err := makePrivate(r.partial); err != nil {
		return err
	}
	r.pool, err = sql.Open("sqlite", sqliteSource(r.partial, url.Values{"_pragma": {
		"journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)", "foreign_keys(0)", "cache_size(-131072)",
	}}))
	if err != nil {
		return fmt.Errorf("open sqlite: %w", err)
	}
	r.pool.SetMaxOpenConns(1)
	if err := migrate(ctx, goose.DialectSQLite3, r.pool, "migrations/sqlite", migration); err != nil {
		return err
	}
	return r.begin(ctx)
}

// nothingThere is ErrNotEmpty where a database is in the data folder. A log
// without its database is one, too: it would be taken for the new one's.
func (r *Restoration) nothingThere() error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		path := filepath.Join(r.options.DataDir, SQLiteFile+ending)
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", path, ErrNotEmpty), err)
		}
	}
	return nil
}

func (r *Restoration) numberOnSQLite(ctx context.Context, given map[string]int64) error {
	for table, last := range given {
		// The rows themselves have moved it as far as the largest; a table without
		// AUTOINCREMENT has none.
		if _, err := r.tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)
			AND EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1 AND sql LIKE '%AUTOINCREMENT%')`, table, last); err != nil {
			return fmt.Errorf("numbers of %s: %w", table, err)
		}
		if _, err := r.tx.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1`, table, last); err != nil {
			return fmt.Errorf("numbers of %s: %w", table, err)
		}
	}
	var table sql.NullString
	err := r.tx.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("a row of %s refers to one that is not there", table.String)
	}
	return err
}

// keepSQLite moves what was written beside the place of the database to it.
func (r *Restoration) keepSQLite() error {
	defer r.unlock()
	if err := r.nothingThere(); err != nil {
		return err
	}
	made := filepath.Join(r.partial, SQLiteFile)
	if _, err := os.Lstat(made + "-wal"); err == nil {
		return errors.New("keep the database: it is still open")
	}
	if err := syncPath(made); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	if err := os.Rename(made, filepath.Join(r.options.DataDir, SQLiteFile)); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	r.kept = true
	return errors.Join(syncPath(r.options.DataDir), os.RemoveAll(r.partial))
}

// syncPath has a file, or a folder's entries, written to the disk.
func syncPath(path string) error {
	f, err := os.Open(path) //nolint:gosec // in the data folder
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
