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

// sqliteDB has one writing connection, which callers use in turn, and a pool of readers.
type sqliteDB struct {
	path    string
	readers chan *liteConn
	turn    chan *liteConn // holds the idle writing connection; receivers are served in order of arrival
	shared  *commit        // commit of the open transaction, or nil; guarded by turn
	careful int            // number of turns with a savepoint; guarded by turn
	pace    pace           // guarded by turn
	closed  chan struct{}
	stop    func() error

	reading, waitedToRead, waitedToWrite atomic.Int64 // connections in use; nanoseconds
	writing                              atomic.Int64
}

// commit is shared by the callers that were waiting for the writing connection at the same time.
type commit struct {
	members int           // transactions that succeeded
	done    chan struct{} // closed when err is known
	err     error
}

// liteConn is a connection with a bounded cache of prepared statements.
type liteConn struct {
	*sqlite.Conn
	cached map[string]*liteStmt
}

// maxCachedStatements bounds the prepared statements of a connection. Statements with lists of
// parameters have texts of many lengths.
const maxCachedStatements = 500

const (
	// mmapBytes of the file are read without copying.
	mmapBytes = 256 << 20
	// writerCacheKB is small while the file is below 1 GiB: SQLite looks through the whole cache
	// at some commits. A large file needs the upper pages of a dozen indexes in it.
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
		readers: make(chan *liteConn, conns), turn: make(chan *liteConn, 1), closed: make(chan struct{}),
	}
	writer, err := openConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL,
		"synchronous=full", "foreign_keys=on", "secure_delete=fast", cacheSize(writerCache(path)))
	if err != nil {
		return nil, err
	}
	writer.SetBusyTimeout(0) // see beginLater
	all := []*liteConn{writer}
	for range conns {
		// Not OpenReadOnly: the last connection that is closed must be able to remove the log.
		reader, err := openConn(path, sqlite.OpenReadWrite, "query_only=on", cacheSize(readerCacheKB))
		if err != nil {
			return nil, errors.Join(err, closeConns(all))
		}
		all = append(all, reader)
		db.readers <- reader
	}
	db.turn <- writer
	db.stop = sync.OnceValue(func() error {
		close(db.closed) // waiting callers return ErrClosed
		writer := <-db.turn
		if db.shared != nil {
			db.commit(writer)
		}
		for range conns {
			<-db.readers
		}
		return closeConns(all)
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

// handle opens the file with the driver for database/sql of the same SQLite.
func (db *sqliteDB) handle() (*sql.DB, error) {
	return OpenSQLiteHandle(db.path, "busy_timeout(10000)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(FAST)")
}

// OpenSQLiteHandle opens a database file with the driver for database/sql of the same SQLite. The handle
// has one connection; pragmas are those of the driver: "synchronous(FULL)".
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
	return s.failed // of a statement whose result was not read
}

func (db *sqliteDB) readOne(ctx context.Context, f func(session) error) error {
	return db.read(ctx, func(s session) error { return f(&oneStatement{session: s}) })
}

// write runs f on the caller's goroutine in the open transaction, and then waits for a second turn
// behind the callers who already wait. The first to get its second turn commits for all.
func (db *sqliteDB) write(ctx context.Context, f func(session) error) error {
	conn, err := db.take(ctx, db.turn, &db.waitedToWrite)
	if err != nil {
		return err
	}
	shared, err := db.join(ctx, conn, f)
	if err != nil {
		return err
	}
	select { // not on ctx.Done: f has succeeded, and the caller must know whether it was committed
	case conn := <-db.turn:
		if db.shared == shared {
			db.commit(conn)
		}
		db.turn <- conn
	case <-shared.done:
	}
	<-shared.done
	return shared.err
}

// join runs f as a member of the open transaction and passes the turn on, also if f panics.
func (db *sqliteDB) join(ctx context.Context, conn *liteConn, f func(session) error) (shared *commit, err error) {
	db.writing.Store(1)
	defer func() {
		db.writing.Store(0)
		db.turn <- conn
	}()
	s := &liteSession{ctx: ctx, conn: conn}
	if db.shared == nil {
		if err := db.begin(s); err != nil {
			return nil, err
		}
	}
	shared = db.shared
	m, err := db.newMember(s)
	if err != nil {
		return nil, errors.Join(err, db.leave(m, err))
	}
	err = errEnded // remains if f panics
	defer func() { err = db.leave(m, err) }()
	if err = f(s); err == nil {
		err = s.failed // of a statement whose result was not read
	}
	return shared, err
}

// member is a caller whose function runs in the open transaction. A savepoint for each would copy
// every page that it changes, but most functions that fail have changed nothing yet. So if one
// fails after a change, the whole transaction is rolled back and its other members run again;
// the next ones get a savepoint, so that this does not happen to them twice.
type member struct {
	*liteSession
	savepoint bool
	changes   int64 // total number of changed rows before
}

// carefulTurns is the number of members with a savepoint after one has failed after a change.
const carefulTurns = 256

func (db *sqliteDB) newMember(s *liteSession) (m member, err error) {
	m = member{liteSession: s}
	if db.careful > 0 {
		db.careful--
		if m.savepoint = db.shared.members > 0; m.savepoint {
			return m, s.conn.exec("savepoint one")
		}
	}
	m.changes, err = s.conn.totalChanges()
	return m, err
}

// changed reports whether the member may have changed something.
func (m member) changed() bool {
	changes, err := m.conn.totalChanges()
	return m.executed || err != nil || changes != m.changes
}

// maintain runs statements on the writing connection outside of any transaction.
func (db *sqliteDB) maintain(ctx context.Context, statements []string) error {
	conn, err := db.take(ctx, db.turn, &db.waitedToWrite)
	if err != nil {
		return err
	}
	defer func() { db.turn <- conn }()
	if db.shared != nil {
		db.commit(conn)
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

// lockTimeout is how long the lock of another process is waited for.
const lockTimeout = 10 * time.Second

func (db *sqliteDB) begin(s *liteSession) error {
	db.pace.pause()
	err := s.conn.exec("begin immediate")
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = s.conn.beginLater(s.ctx)
	}
	if err != nil {
		return err
	}
	db.shared = &commit{done: make(chan struct{})}
	return nil
}

// beginLater waits for the lock of another process until ctx ends. Otherwise the writing connection
// does not wait for locks, and is not interrupted: SQLite would roll back an interrupted change with
// all members of the transaction.
func (c *liteConn) beginLater(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	c.SetBlockOnBusy()
	c.SetInterrupt(ctx.Done())
	err := c.exec("begin immediate")
	c.SetInterrupt(nil)
	c.SetBusyTimeout(0)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

// leave ends the turn of a member whose function has returned err.
func (db *sqliteDB) leave(m member, err error) error {
	m.end()
	if m.savepoint {
		if err != nil {
			_ = m.conn.exec("rollback to one")
		}
		if release := m.conn.exec("release one"); err == nil {
			err = release
		}
	}
	switch {
	case m.conn.AutocommitEnabled(): // SQLite has rolled back everything: disk full, I/O error, "or rollback"
		db.finish(rolledBackWith(err))
	case err == nil:
		db.shared.members++
	case db.shared.members == 0: // no member remains to commit and release the lock
		_ = m.conn.exec("rollback")
		db.finish(nil)
	case !m.savepoint && m.changed():
		_ = m.conn.exec("rollback")
		db.careful = carefulTurns
		db.finish(rolledBackWith(err))
	}
	return err
}

// rolledBackWith is the error of the other members of a transaction that was rolled back because of
// err. It does not wrap err, which is not theirs.
func rolledBackWith(err error) error {
	return fmt.Errorf("%w with the transaction of another caller: %s", ErrRolledBack, fmt.Sprint(err))
}

// commit ends the open transaction. The caller has the turn.
func (db *sqliteDB) commit(conn *liteConn) {
	err := conn.exec("commit")
	if err != nil {
		err = fmt.Errorf("commit: %w", err)
		_ = conn.exec("rollback")
	}
	db.finish(err)
}

// finish tells the members of the open transaction its outcome.
func (db *sqliteDB) finish(err error) {
	db.pace.ended()
	db.shared.err = err
	close(db.shared.done)
	db.shared = nil
}

// pace lets other processes write, a backup for example. They look for the lock ten times a
// second and would never get it from a writer that is always busy.
type pace struct {
	busySince, idleSince time.Time
}

const (
	busyPeriod  = 500 * time.Millisecond
	pausePeriod = 10 * time.Millisecond
)

// pause waits before a transaction if the writer was busy for busyPeriod without a pause.
func (p *pace) pause() {
	now := time.Now()
	switch {
	case now.Sub(p.idleSince) > pausePeriod:
		p.busySince = now
	case now.Sub(p.busySince) > busyPeriod:
		time.Sleep(pausePeriod)
		p.busySince = now.Add(pausePeriod)
	}
}

func (p *pace) ended() { p.idleSince = time.Now() }
