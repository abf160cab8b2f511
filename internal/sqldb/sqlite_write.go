package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

// commit is shared by the callers that were waiting for the writing connection at the same time.
type commit struct {
	members int           // transactions that succeeded
	done    chan struct{} // closed when err is known
	err     error
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
