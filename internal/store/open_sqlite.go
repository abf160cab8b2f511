package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"nadmor/internal/sqldb"
)

// SQLiteFile is the name of the database in the data folder.
const SQLiteFile = "nadmor.db"

// sqliteLanes is the number of audit chains: there is one writer.
const sqliteLanes = 1

// lockName is the file that is locked while the schema is made or changed.
const lockName = "migrate.lock"

// openSQLite opens the file in the data folder. An acknowledged booking survives a power cut.
func (db *DB) openSQLite(ctx context.Context, o Options) error {
	db.dialect = dialect{name: "sqlite", exclusive: true, steady: "+", lanes: sqliteLanes}
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	unlock, err := lockFile(filepath.Join(o.DataDir, lockName))
	if err != nil {
		return err
	}
	defer unlock()
	if err := makePrivate(o.DataDir); err != nil {
		return err
	}
	db.sql, err = sqldb.OpenSQLite(filepath.Join(o.DataDir, SQLiteFile), sqldb.Options{Observe: o.Observe})
	if err != nil {
		return mapError(err)
	}
	return db.migrate(ctx, o.Migration)
}

// makePrivate creates the database file if it does not exist, and makes it and its existing
// WAL, shared-memory and journal files accessible to the owner only. SQLite creates new ones
// with the permissions of the database file.
func makePrivate(dir string) error {
	path := filepath.Join(dir, SQLiteFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return fmt.Errorf("open database file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("open database file: %w", err)
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(path + ending)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path+ending, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("restrict access to the database file: %w", err)
		}
	}
	return nil
}

// sqliteSource is what the driver is told to open.
func sqliteSource(dir string, q url.Values) string {
	return "file:" + (&url.URL{Path: filepath.Join(dir, SQLiteFile)}).EscapedPath() + "?" + q.Encode()
}

// lockFile waits until this process alone holds the file: two processes that
// start on one data folder migrate one after the other.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
