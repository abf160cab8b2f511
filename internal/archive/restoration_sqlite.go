package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// partialRestore is the folder of a restoration in progress, in the data folder.
const partialRestore = "restore.partial"

// openSQLite creates a database in another folder. It has no journal, which is fast: after an error it
// is deleted anyway. The lock makes a server that is started meanwhile wait.
func (r *restoration) openSQLite(ctx context.Context, migration int64) error {
	dir := r.options.DataDir
	unlock, err := store.LockDataDir(dir)
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
	path := filepath.Join(r.partial, store.SQLiteFile)
	if err := sqldb.MakePrivate(path); err != nil {
		return err
	}
	r.handle, err = sqldb.OpenSQLiteHandle(path,
		"journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)", "foreign_keys(0)", "cache_size(-131072)")
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx, r.engine, r.handle, migration); err != nil {
		return err
	}
	return r.begin(ctx)
}

// checkNoFiles returns ErrNotEmpty if there is a database in the data folder. A log without its
// database counts: SQLite would use it for the new one.
func (r *restoration) checkNoFiles() error {
	for _, path := range sqldb.SQLiteFiles(filepath.Join(r.options.DataDir, store.SQLiteFile)) {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", path, ErrNotEmpty), err)
		}
	}
	return nil
}

// setSQLiteSequences sets the last assigned ids. The rows have set them to their largest id at least.
// A table without AUTOINCREMENT has none.
func (r *restoration) setSQLiteSequences(ctx context.Context, lastIDs map[string]int64) error {
	for table, last := range lastIDs {
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
func (r *restoration) checkForeignKeys(ctx context.Context) error {
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
func (r *restoration) keepSQLite() error {
	defer r.unlock()
	if err := r.checkNoFiles(); err != nil {
		return err
	}
	restored := filepath.Join(r.partial, store.SQLiteFile)
	if _, err := os.Lstat(restored + "-wal"); err == nil {
		return errors.New("keep the database: it is still open")
	}
	if err := syncPath(restored); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	if err := os.Rename(restored, filepath.Join(r.options.DataDir, store.SQLiteFile)); err != nil {
		return fmt.Errorf("keep the database: %w", err)
	}
	r.inPlace = true
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
