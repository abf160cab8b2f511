package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver
)

// SQLiteFile is the name of the database in the data folder.
const SQLiteFile = "nadmor.db"

// sqliteLanes is one: there is one writer.
const sqliteLanes = 1

// lockName is the file that is locked while the schema is made or changed.
const lockName = "migrate.lock"

// writerCache is how much of the file the writer remembers. While the file is
// below the page that SQLite never uses, at 1 GB, little: whenever a page was
// split, SQLite looks through all of it at the commit. Above, more than a
// reader's: a booking adds to a dozen indexes, whose upper pages have to be there
// when a hospital is ten years old.
func writerCache(dir string) string {
	if file, err := os.Stat(filepath.Join(dir, SQLiteFile)); err == nil && file.Size() > 1<<30 {
		return "cache_size(-32000)"
	}
	return "cache_size(-8000)"
}

// overwrites has SQLite write zeros over what is deleted or changed, where the
// page is written anyway: whoever is erased is not to be found between the rows.
const overwrites = "secure_delete(FAST)"

// openSQLite opens one writer and a pool of readers on the file in dir.
// synchronous=FULL: an acknowledged booking survives a power cut. The writer
// begins with BEGIN IMMEDIATE, so a transaction never fails half-way for want
// of the lock.
func (db *DB) openSQLite(ctx context.Context, dir string, migration int64) error {
	db.dialect = dialect{name: "sqlite", ready: `SELECT 1`, packs: true, steady: "+", lanes: sqliteLanes}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	dsn := func(extra ...string) string {
		q := url.Values{"_pragma": append([]string{
			"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
			"temp_store(MEMORY)", "mmap_size(268435456)",
		}, extra...)}
		return sqliteSource(dir, q)
	}
	if err := framesKnown(); err != nil {
		return err
	}
	write, err := sql.Open("sqlite", dsn(writerCache(dir), overwrites)+"&_txlock=immediate&vfs="+framesVFS)
	if err != nil {
		return fmt.Errorf("open sqlite: %w", err)
	}
	write.SetMaxOpenConns(1)
	db.write = newPool(write, false, db.observe) // the writer keeps the statements
	read, err := sql.Open("sqlite", dsn("cache_size(-8000)", "query_only(1)"))
	if err != nil {
		return fmt.Errorf("open sqlite readers: %w", err)
	}
	db.read = newPool(read, true, db.observe)
	readers := max(4, 2*runtime.NumCPU())
	db.read.SetMaxOpenConns(2 * readers)
	db.read.SetMaxIdleConns(readers)
	db.search = db.read
	db.read.readers = newReaders(read, readers)

	unlock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	defer unlock()
	if err := makePrivate(dir); err != nil {
		return err
	}
	if err := migrate(ctx, goose.DialectSQLite3, write, "migrations/sqlite", migration); err != nil {
		return err
	}
	db.writer, err = newWriter(ctx, write, func(h head) question { return db.headKept(0, h) })
	return err
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
