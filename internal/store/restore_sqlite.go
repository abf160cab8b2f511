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

// openSQLite creates a database in another folder. It has no journal, which is fast: after an error it
// is deleted anyway. The lock makes a server that is started meanwhile wait.
func (r *Restoration) openSQLite(ctx context.Context, migration int64) error {
	dir := r.options.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	unlock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	r.unlock = unlock
	if err := r.checkNoFiles(); err != nil {
		return err
	}
	r.partial = filepath.Join(dir, partialRestore)
	if err := errors.Join(os.RemoveAll(r.partial), os.Mkdir(r.partial, 0o700)); err != nil {
		return fmt.Errorf("make a folder to restore in: %w", err)
	}
	if err := makePrivate(r.partial); err != nil {
		return err
	}
	r.handle, err = sql.Open("sqlite", sqliteSource(r.partial, url.Values{"_pragma": {
		"journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)", "foreign_keys(0)", "cache_size(-131072)",
	}}))
	if err != nil {
		return fmt.Errorf("open sqlite: %w", err)
	}
	r.handle.SetMaxOpenConns(1)
	if err := migrateHandle(ctx, goose.DialectSQLite3, r.handle, migration); err != nil {
		return err
	}
	return r.begin(ctx)
}

// checkNoFiles returns ErrNotEmpty if there is a database in the data folder. A log without its
// database counts: SQLite would use it for the new one.
func (r *Restoration) checkNoFiles() error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		path := filepath.Join(r.options.DataDir, SQLiteFile+ending)
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", path, ErrNotEmpty), err)
		}
	}
	return nil
}

// setSQLiteSequences sets the last assigned ids. The rows have set them to their largest id at least.
// A table without AUTOINCREMENT has none.
func (r *Restoration) setSQLiteSequences(ctx context.Context, given map[string]int64) error {
	for table, last := range given {
		_, err := r.tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2
			WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1) AND EXISTS (
				SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1 AND sql LIKE '%AUTOINCREMENT%')`, table, last)
		if err == nil {
			_, err = r.tx.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1`, table, last)
		}
		if err != nil {
			return fmt.Errorf("numbers of %s: %w", table, err)
		}
	}
	return nil
}

// checkForeignKeys returns an error if a row refers to one that does not exist.
func (r *Restoration) checkForeignKeys(ctx context.Context) error {
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

// keepSQLite moves the database to its place.
func (r *Restoration) keepSQLite() error {
	defer r.unlock()
	if err := r.checkNoFiles(); err != nil {
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
	r.done = true
	return errors.Join(syncPath(r.options.DataDir), os.RemoveAll(r.partial))
}

// syncPath writes a file, or the entries of a folder, to the disk.
func syncPath(path string) error {
	f, err := os.Open(path) //nolint:gosec // in the data folder
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
