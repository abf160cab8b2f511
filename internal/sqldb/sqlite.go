package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteDB has one writing connection, which callers use in turn, and a pool of readers.
type sqliteDB struct {
	readers chan *liteConn
	turn    chan *liteConn // holds the idle writing connection; receivers are served in order of arrival
	shared  *commit        // commit of the open transaction, or nil; guarded by turn
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
	cached map[string]bool // in the cache of Conn
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
		readers: make(chan *liteConn, conns), turn: make(chan *liteConn, 1), closed: make(chan struct{}),
	}
	writer, err := openConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL,
		"synchronous=full", "foreign_keys=on", "secure_delete=fast", cacheSize(writerCache(path)))
	if err != nil {
		return nil, err
	}
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
	return &liteConn{conn, map[string]bool{}}, nil
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
		st := &statement{query: "select 1", reads: true}
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
		s.end() // before the rollback, which an interrupt would stop
		_ = conn.exec("rollback")
		db.reading.Add(-1)
		db.readers <- conn
	}()
	s.interrupt(true)
	if err := conn.exec("begin"); err != nil {
		return s.explain(err)
	}
	if err := f(s); err != nil {
		return err
	}
	return s.failed // of a statement whose result was not read
}

// write runs f on the caller's goroutine in a savepoint, and then waits for a second turn
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
	err = errEnded // remains if f panics
	defer func() { err = db.leave(s, shared, err) }()
	if err := conn.exec("savepoint one"); err != nil {
		return nil, err
	}
	if err = f(s); err == nil {
		err = s.failed // of a statement whose result was not read
	}
	return shared, err
}

// begin waits for the lock of another process until ctx ends.
func (db *sqliteDB) begin(s *liteSession) error {
	db.pace.pause()
	s.interrupt(true)
	err := s.conn.exec("begin immediate")
	s.interrupt(false)
	if err != nil {
		return s.explain(err)
	}
	db.shared = &commit{done: make(chan struct{})}
	return nil
}

// leave ends the savepoint of a member that has returned err.
func (db *sqliteDB) leave(s *liteSession, shared *commit, err error) error {
	s.end()
	if err != nil {
		_ = s.conn.exec("rollback to one")
	}
	if release := s.conn.exec("release one"); err == nil {
		err = release
	}
	switch {
	case s.conn.AutocommitEnabled(): // SQLite has rolled back everything: disk full, I/O error, "or rollback"
		// Not wrapped: the error is not theirs.
		db.finish(fmt.Errorf("%w with the transaction of another caller: %s", ErrRolledBack, fmt.Sprint(err)))
	case err == nil:
		shared.members++
	case shared.members == 0: // no member remains to commit and release the lock
		_ = s.conn.exec("rollback")
		db.finish(nil)
	}
	return err
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

// liteSession runs each statement when it is added. After an error it runs nothing more.
type liteSession struct {
	ctx           context.Context
	conn          *liteConn
	interruptible bool
	failed        error
}

// interrupt sets whether the end of ctx stops a running statement. Only reads are stopped: SQLite
// would roll back the whole transaction of an interrupted change, with its other members.
func (s *liteSession) interrupt(on bool) {
	if on == s.interruptible {
		return
	}
	s.interruptible = on
	if on {
		s.conn.SetInterrupt(s.ctx.Done())
	} else {
		s.conn.SetInterrupt(nil)
	}
}

// explain adds the reason of an interruption to its error.
func (s *liteSession) explain(err error) error {
	if err != nil && s.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", s.ctx.Err(), err)
	}
	return err
}

func (s *liteSession) end() {
	s.interrupt(false)
	if s.failed == nil {
		s.failed = errEnded
	}
}

func (s *liteSession) force(st *statement) error { return st.err }

func (s *liteSession) add(st *statement) {
	st.done = true
	if s.failed == nil {
		s.failed = s.ctx.Err()
	}
	if s.failed == nil {
		s.interrupt(st.reads)
		if err := s.conn.run(st); err != nil {
			s.failed = fmt.Errorf("%s: %w", st.query, s.explain(err))
		}
	}
	st.err = s.failed
}

// run runs a statement to its end.
func (c *liteConn) run(st *statement) (err error) {
	args, err := plainArgs(st.args)
	if err != nil {
		return err
	}
	stmt, done, err := c.prepare(st.query)
	if err != nil {
		return err
	}
	defer func() {
		if ended := done(); err == nil {
			err = ended
		}
	}()
	if err := bind(stmt, args); err != nil {
		return err
	}
	for {
		row, err := stmt.Step()
		if err != nil {
			return err
		}
		if !row {
			break
		}
		st.rows = append(st.rows, columns(stmt))
	}
	st.affected = int64(c.Changes())
	return nil
}

// exec runs a statement without parameters and rows.
func (c *liteConn) exec(query string) error { return c.run(&statement{query: query}) }

// prepare returns a statement and the function that ends its use.
func (c *liteConn) prepare(query string) (stmt *sqlite.Stmt, done func() error, err error) {
	if !c.cached[query] && len(c.cached) >= maxCachedStatements {
		stmt, rest, err := c.PrepareTransient(query)
		if err == nil && rest > 0 {
			err = errors.Join(errors.New("sqldb: more than one statement"), stmt.Finalize())
		}
		if err != nil {
			return nil, nil, err
		}
		return stmt, stmt.Finalize, nil
	}
	stmt, err = c.Prepare(query)
	if err != nil {
		return nil, nil, err
	}
	c.cached[query] = true
	return stmt, stmt.Reset, nil
}

// columns returns the current row as plain values.
func columns(stmt *sqlite.Stmt) []any {
	values := make([]any, stmt.ColumnCount())
	for i := range values {
		switch stmt.ColumnType(i) {
		case sqlite.TypeInteger:
			values[i] = stmt.ColumnInt64(i)
		case sqlite.TypeFloat:
			values[i] = stmt.ColumnFloat(i)
		case sqlite.TypeText:
			values[i] = stmt.ColumnText(i)
		case sqlite.TypeBlob:
			b := make([]byte, stmt.ColumnLen(i))
			stmt.ColumnBytes(i, b)
			values[i] = b
		case sqlite.TypeNull:
		}
	}
	return values
}

// bind binds $1, $2, ..., which are names to SQLite. Like PostgreSQL it requires exactly as many
// arguments as there are parameters; SQLite would use NULL for a missing one.
func bind(stmt *sqlite.Stmt, args []any) error {
	count := 0
	for i := 1; i <= stmt.BindParamCount(); i++ {
		name := stmt.BindParamName(i)
		n, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil || n < 1 {
			return fmt.Errorf("sqldb: parameter %q is not numbered like $1", name)
		}
		count = max(count, n)
		if n > len(args) {
			continue
		}
		switch a := args[n-1].(type) {
		case nil:
			stmt.BindNull(i)
		case bool:
			stmt.BindBool(i, a)
		case int64:
			stmt.BindInt64(i, a)
		case float64:
			stmt.BindFloat(i, a)
		case string:
			stmt.BindText(i, a)
		case []byte:
			if a == nil {
				stmt.BindNull(i)
			} else {
				stmt.BindBytes(i, a)
			}
		}
	}
	if count != len(args) {
		return fmt.Errorf("sqldb: %d parameters, %d arguments", count, len(args))
	}
	return nil
}
