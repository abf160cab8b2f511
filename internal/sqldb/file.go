package sqldb

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// LockFile creates a file if it does not exist and waits until this process holds its exclusive lock.
func LockFile(path string) (unlock func(), err error) {
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

// SQLiteFiles returns the paths of a database file and of its WAL, shared-memory and journal files,
// which may not exist.
func SQLiteFiles(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// MakePrivate creates a file for SQLite if it does not exist, and makes it and its existing WAL,
// shared-memory and journal files accessible to the owner only. SQLite creates new ones with the
// permissions of the database file.
func MakePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return fmt.Errorf("open database file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("open database file: %w", err)
	}
	for _, file := range SQLiteFiles(path) {
		info, err := os.Stat(file)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(file, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("restrict access to the database file: %w", err)
		}
	}
	return nil
}
