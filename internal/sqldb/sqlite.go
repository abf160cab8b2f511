package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteDB has one writing connection, which callers share, and a pool of reading connections.
type sqliteDB struct {
	path    string
	readers chan *liteConn
	writer  chan *liteConn // holds the idle writing connection; receivers are served in order of arrival
	sync    func() error   // makes what was written to the WAL durable
	syncing sync.WaitGroup // commits that are not yet durable
	closed  chan struct{}
	stop    func() error

	// Guarded by possession of the writing connection.
	shared     *commit         // commit of the open transaction, or nil
	last       <-chan struct{} // done of the last transaction
	savepoints int             // number of further members that get a savepoint
	pace       pace

	reading, waitedToRead, waitedToWrite atomic.Int64 // connections in use; nanoseconds
	writing                              atomic.Int64
}

// liteConn is a connection with a bounded cache of prepared statements.
type liteConn struct {
	*sqlite.Conn
	cached map[string]*liteStmt
}

// maxCachedStatements bounds the prepared statements of a connection: the text of a statement
// with a list of parameters depends on the length of the list.
const maxCachedStatements = 500

const (
	// mmapBytes of the file are read without copying.
	mmapBytes = 256 << 20
	// writerCacheKB is small while the file is below 1 GiB: SQLite scans the whole cache at some
	// commits. For a large file the cache must hold the upper pages of a dozen indexes.
	writerCacheKB, largeWriterCacheKB = 8_000, 32_000
	readerCacheKB                     = 8_000
)

// OpenSQLite opens or creates a database file. Commits survive a power cut. Foreign keys must
// not be deferred: a violation would fail the shared commit for all of its members.
func OpenSQLite(path string, o Options) (*DB, error) {
	conns := o.Conns
	if conns == 0 {
		conns = max(4, 2*runtime.NumCPU())
	}
	db := &sqliteDB{
		path:    path,
		readers: make(chan *liteConn, conns), writer: make(chan *liteConn, 1), closed: make(chan struct{}),
	}
	// With synchronous=normal a commit is written to the WAL without waiting for the disk; see commit.
	writer, err := openConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL,
		"synchronous=normal", "foreign_keys=on", "secure_delete=fast", cacheSize(writerCache(path)))
	if err != nil {
		return nil, err
	}
	writer.SetBusyTimeout(0) // see beginWaiting
	all := []*liteConn{writer}
	for range conns {
		// Not OpenReadOnly: the last connection to close must be able to remove the WAL.
		reader, err := openConn(path, sqlite.OpenReadWrite, "query_only=on", cacheSize(readerCacheKB))
		if err != nil {
			return nil, errors.Join(err, closeConns(all))
		}
		all = append(all, reader)
		db.readers <- reader
	}
	db.writer <- writer
	wal, err := os.OpenFile(path+"-wal", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // next to the database
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open WAL: %w", err), closeConns(all))
	}
	db.sync = wal.Sync
	none := make(chan struct{})
	close(none)
	db.last = none
	db.stop = sync.OnceValue(func() error {
		close(db.closed) // waiting callers return ErrClosed
		writer := <-db.writer
		if db.shared != nil {
			db.commit(writer)()
		}
		db.syncing.Wait()
		for range conns {
			<-db.readers
		}
		return errors.Join(closeConns(all), wal.Close())
	})
	return &DB{db, o.Observe}, nil
}

func openConn(path string, flags sqlite.OpenFlags, pragmas ...string) (*liteConn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	for _, p := range append(pragmas, "temp_store=memory", "mmap_size="+strconv.Itoa(mmapBytes)) {
		if err := sqlitex.ExecuteTransient(conn, "pragma "+p, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", p, err), conn.Close())
		}
	}
	return &liteConn{conn, map[string]*liteStmt{}}, nil
}

func (db *sqliteDB) handle() (*sql.DB, error) {
	return OpenSQLiteHandle(db.path,
		"busy_timeout(10000)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(FAST)")
}

// OpenSQLiteHandle opens a database file with the database/sql driver of the same SQLite build.
// The handle has one connection. Pragmas are written as the driver expects: "synchronous(FULL)".
func OpenSQLiteHandle(path string, pragmas ...string) (*sql.DB, error) {
	options := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	handle, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	handle.SetMaxOpenConns(1)
	return handle, nil
}

func cacheSize(kb int) string { return fmt.Sprintf("cache_size=-%d", kb) }

func writerCache(path string) int {
	if file, err := os.Stat(path); err == nil && file.Size() > 1<<30 {
		return largeWriterCacheKB
	}
	return writerCacheKB
}

func closeConns(conns []*liteConn) error {
	var errs []error
	for _, c := range conns {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (db *sqliteDB) name() string { return "sqlite" }

func (db *sqliteDB) close() error { return db.stop() }

func (db *sqliteDB) ready(ctx context.Context) error {
	return db.read(ctx, func(s session) error {
		st := &statement{query: "select 1"}
		s.add(st)
		return s.force(st)
	})
}

func (db *sqliteDB) stats() []PoolStats {
	reading, writing := int(db.reading.Load()), int(db.writing.Load())
	return []PoolStats{
		{"read", reading, cap(db.readers) - reading, time.Duration(db.waitedToRead.Load())},
		{"write", writing, 1 - writing, time.Duration(db.waitedToWrite.Load())},
	}
}

// take receives a connection. The time it waits is added to waited.
func (db *sqliteDB) take(ctx context.Context, from chan *liteConn, waited *atomic.Int64) (*liteConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-db.closed:
		return nil, ErrClosed
	case conn := <-from:
		return conn, nil
	default:
	}
	start := time.Now()
	defer func() { waited.Add(int64(time.Since(start))) }()
	select {
	case conn := <-from:
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-db.closed:
		return nil, ErrClosed
	}
}

func (db *sqliteDB) read(ctx context.Context, f func(session) error) error {
	conn, err := db.take(ctx, db.readers, &db.waitedToRead)
	if err != nil {
		return err
	}
	db.reading.Add(1)
	s := &liteSession{ctx: ctx, conn: conn}
	defer func() {
		s.end()
		conn.SetInterrupt(nil) // before the rollback, which an interrupt would stop
		_ = conn.exec("rollback")
		db.reading.Add(-1)
		db.readers <- conn
	}()
	conn.SetInterrupt(ctx.Done())
	if err := conn.exec("begin"); err != nil {
		return s.explain(err)
	}
	if err := f(s); err != nil {
		return err
	}
	return s.failed // error of a statement whose result was not read
}

func (db *sqliteDB) readOne(ctx context.Context, f func(session) error) error {
	return db.read(ctx, func(s session) error { return f(&oneStatement{session: s}) })
}

// maintain runs statements on the writing connection outside of any transaction.
func (db *sqliteDB) maintain(ctx context.Context, statements []string) error {
	conn, err := db.take(ctx, db.writer, &db.waitedToWrite)
	if err != nil {
		return err
	}
	defer func() { db.writer <- conn }()
	if db.shared != nil {
		db.commit(conn)()
	}
	conn.SetBusyTimeout(lockTimeout)
	defer conn.SetBusyTimeout(0)
	for _, query := range statements {
		if err := conn.exec(query); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	return nil
}
