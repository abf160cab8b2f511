package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

// commit is the result of a transaction that several callers share: those that were waiting for
// the writing connection at the same time.
type commit struct {
	before  <-chan struct{} // closed when the commit before this one has ended
	members int             // transactions that succeeded
	done    chan struct{}   // closed when err is known
	err     error
}

// write runs f on the caller's goroutine in the open transaction. It then waits until the commit
// before is durable, and for the writing connection, behind the callers that are already waiting.
// Meanwhile these join the transaction. The first member that gets the connection a second time
// commits for all.
func (db *sqliteDB) write(ctx context.Context, f func(session) error) error {
	conn, err := db.take(ctx, db.writer, &db.waitedToWrite)
	if err != nil {
		return err
	}
	shared, err := db.join(ctx, conn, f)
	if err != nil {
		return err
	}
	// Not until ctx.Done: f has succeeded, and the caller must know whether it was committed.
	<-shared.before
	select {
	case conn := <-db.writer:
		finish := func() {}
		if db.shared == shared {
			finish = db.commit(conn)
		}
		db.writer <- conn
		finish()
	case <-shared.done:
	}
	<-shared.done
	return shared.err
}

// join runs f as a member of the open transaction and releases the writing connection, also if f
// panics.
func (db *sqliteDB) join(ctx context.Context, conn *liteConn, f func(session) error) (shared *commit, err error) {
	db.writing.Store(1)
	defer func() {
		db.writing.Store(0)
		db.writer <- conn
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
		err = s.failed // error of a statement whose result was not read
	}
	return shared, err
}

// member is a caller whose function runs in the open transaction. A savepoint for each member
// would copy every changed page, although most functions that fail have changed nothing. So
// members have none; if one fails after a change, the whole transaction is rolled back and the
// others run again. The members after that get a savepoint, so that it does not happen twice.
type member struct {
	*liteSession
	savepoint bool
	changes   int64 // total number of changed rows before f ran
}

// savepointsAfterFailure is the number of members that get a savepoint after one without a savepoint
// has failed after a change.
const savepointsAfterFailure = 256

func (db *sqliteDB) newMember(s *liteSession) (m member, err error) {
	m = member{liteSession: s}
	if db.savepoints > 0 {
		db.savepoints--
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

// lockTimeout bounds the wait for the lock of another process.
const lockTimeout = 10 * time.Second

func (db *sqliteDB) begin(s *liteSession) error {
	db.pace.pause()
	err := s.conn.exec("begin immediate")
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = s.conn.beginWaiting(s.ctx)
	}
	if err != nil {
		return err
	}
	db.shared = &commit{before: db.last, done: make(chan struct{})}
	db.last = db.shared.done
	return nil
}

// beginWaiting begins a transaction while another process holds the lock. It waits until ctx ends.
// Only here can the writing connection be interrupted: SQLite rolls back the whole transaction, with
// all of its members, if a change is interrupted.
func (c *liteConn) beginWaiting(ctx context.Context) error {
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

// leave removes a member from the open transaction after its function has returned err. It rolls
// back the changes of a member that failed.
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
		db.savepoints = savepointsAfterFailure
		db.finish(rolledBackWith(err))
	}
	return err
}

// rolledBackWith returns the error for the other members of a transaction that was rolled back
// because of err. It does not wrap err: that belongs to the member that failed.
func rolledBackWith(err error) error {
	return fmt.Errorf("%w with the transaction of another caller: %s", ErrRolledBack, fmt.Sprint(err))
}

// commit commits the open transaction. The caller holds the writing connection. The function that
// commit returns makes the commit durable and reports the outcome to the members. It needs no
// connection, so that the next transaction can run in the meantime.
func (db *sqliteDB) commit(conn *liteConn) (finish func()) {
	shared := db.shared
	db.endShared()
	if err := conn.exec("commit"); err != nil {
		_ = conn.exec("rollback")
		return func() { shared.finish(fmt.Errorf("commit: %w", err)) }
	}
	db.syncing.Add(1)
	return func() {
		defer db.syncing.Done()
		err := db.sync()
		if err != nil {
			err = fmt.Errorf("%w: sync the WAL: %w", ErrUnknown, err)
		}
		shared.finish(err)
	}
}

// finish reports the outcome of the open transaction, which was rolled back, to its members.
func (db *sqliteDB) finish(err error) {
	shared := db.shared
	db.endShared()
	shared.finish(err)
}

func (db *sqliteDB) endShared() {
	db.shared = nil
	db.pace.ended()
}

// finish reports the outcome of a transaction to its members.
func (c *commit) finish(err error) {
	c.err = err
	close(c.done)
}

// pace leaves gaps in which other processes can write. They poll for the lock ten times a second
// and would never get it from a writer that is always busy.
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
