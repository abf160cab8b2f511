package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// writer is SQLite's one writing connection. Those who wait for it while
// somebody writes share one commit: the first begins a transaction, each other
// writes in it, and whoever finds nobody waiting commits for all. So the disk is
// waited for once, and still nobody is told of success before the commit.
//
// Whoever is refused has usually written nothing yet. When somebody has, all is
// undone and the others do theirs again; for a while each is then kept apart by a
// savepoint, which costs a copy of every page that is written.
type writer struct {
	conn       *sql.Conn
	statements statements // for who reads rows through database/sql
	direct     *direct    // for all others
	waiting    atomic.Int32

	mu    sync.Mutex          // whose turn it is
	group *group              // the open transaction; nil for none
	seal  func(head) question // writes down where the audit log ends
	kept  keptAnswers
	wrote bool // whoever has the turn has
	apart int  // how many turns each still has a savepoint

	shared bool // the last commit was of several

	busySince, freeSince time.Time // without a pause, and since the last transaction
}

// group are the changes of one commit.
type group struct {
	members int
	head    *head         // where the audit log ends with them; nil while they noted nothing
	done    chan struct{} // closed when err is known
	err     error
}

// maxGroup bounds how many share a commit, so that the first does not wait long.
const maxGroup = 64

// apartFor is for how many turns everybody has a savepoint, once one of a group
// has undone what it wrote.
const apartFor = 256

// errUndone is what those are told who shared a commit with somebody who failed.
var errUndone = errors.New("undone with somebody else's change")

func newWriter(ctx context.Context, db *sql.DB, seal func(head) question) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	d, err := newDirect(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &writer{conn: conn, statements: statements{on: conn}, direct: d, seal: seal}, nil
}

// change runs fn so that all it writes is committed, or nothing. It is run again
// when it was undone with somebody else's.
func (w *writer) change(ctx context.Context, fn func(*group) error) error {
	for {
		g, err := w.turn(ctx, fn)
		if err != nil {
			return err
		}
		if <-g.done; !errors.Is(g.err, errUndone) {
			return g.err
		}
	}
}

// turn waits until nobody else writes, runs fn in the open transaction, and ends
// it unless somebody waits. An error is fn's, which is rolled back alone.
func (w *writer) turn(ctx context.Context, fn func(*group) error) (*group, error) {
	w.waiting.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting.Add(-1)
	defer w.endUnlessWaited()
	if err := ctx.Err(); err != nil { // left in the meantime
		return nil, err
	}
	if w.group == nil {
		if err := w.begin(); err != nil {
			return nil, fmt.Errorf("begin: %w", err)
		}
	}
	g := w.group
	return g, w.join(g, fn)
}

func (w *writer) begin() error {
	w.leaveAlone()
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	version, err := w.version()
	if err != nil {
		return errors.Join(err, w.exec("ROLLBACK"))
	}
	w.kept.begun(version)
	w.group = &group{done: make(chan struct{})}
	return nil
}

// version changes whenever somebody else has written to the database.
func (w *writer) version() (version int64, err error) {
	err = w.ask(context.Background(), question{query: "PRAGMA data_version", row: func(scan func(...any) error) error { return scan(&version) }})
	if err != nil {
		err = fmt.Errorf("read the version of the data: %w", err)
	}
	return version, err
}

// Another process (a backup, an import) gets in only while nobody holds the
// file, and looks ten times a second. So a writer that is always busy leaves the
// file alone now and then.
const busyFor, alone = 500 * time.Millisecond, 10 * time.Millisecond

func (w *writer) leaveAlone() {
	now := time.Now()
	switch {
	case now.Sub(w.freeSince) > alone:
		w.busySince = now
	case now.Sub(w.busySince) > busyFor:
		time.Sleep(alone)
		w.busySince = now.Add(alone)
	}
}

// join runs fn as the next of a group. When it fails or panics, it is undone.
func (w *writer) join(g *group, fn func(*group) error) (err error) {
	before, apart, accepted := g.head, false, false
	if w.apart > 0 {
		w.apart--
		if apart = g.members > 0; apart { // the first has nobody to take care of
			if err := w.exec("SAVEPOINT change"); err != nil {
				return err
			}
		}
	}
	w.wrote = false
	defer func() {
		if !accepted {
			g.head = before
			w.undo(g, apart, err)
		}
	}()
	if err = fn(g); err == nil && apart {
		err = w.exec("RELEASE change")
	}
	if err == nil {
		g.members++
		accepted = true
	}
	return err
}

// undo takes back what the last of a group wrote, who failed with err.
func (w *writer) undo(g *group, apart bool, err error) {
	switch {
	case apart:
		failed := w.exec("ROLLBACK TO change")
		if failed == nil {
			failed = w.exec("RELEASE change")
		}
		if failed != nil {
			// The database gave the whole transaction up (the disk is full), with what
			// the others of the group had written.
			w.end(fmt.Errorf("the transaction was given up: %w", errors.Join(err, failed)))
		}
	case g.members == 0 || w.wrote || isSQLite(err): // after a fault of its own the database may have undone all
		w.end(errUndone)
		if g.members > 0 {
			w.apart = apartFor
		}
	}
}

// endUnlessWaited commits for the group, unless somebody waits who will. Where
// the last commit was shared, those whose requests have been read meanwhile are
// let come as far as to wait: the processor is theirs first.
func (w *writer) endUnlessWaited() {
	if w.group != nil && w.shared && w.waiting.Load() == 0 {
		runtime.Gosched()
	}
	if w.group != nil && (w.waiting.Load() == 0 || w.group.members >= maxGroup) {
		w.end(w.commit(w.group))
	}
}

func (w *writer) commit(g *group) error {
	if g.head != nil { // once for all
		q := w.seal(*g.head)
		if err := w.ask(context.Background(), q); err != nil {
			return q.failed(err)
		}
	}
	if err := w.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// end tells the group what became of it. After a failure nothing stays open.
func (w *writer) end(err error) {
	if err != nil {
		_ = w.exec("ROLLBACK") // there may be nothing left to roll back
	}
	w.kept.touched = false
	w.freeSince = time.Now()
	w.shared = w.group.members > 1
	w.group.err = err
	close(w.group.done)
	w.group = nil
}

// alone runs a statement while nobody writes, outside of any transaction.
func (w *writer) alone(query string) error {
	w.waiting.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting.Add(-1)
	if w.group != nil { // it was left open for us
		w.end(w.commit(w.group))
	}
	return w.exec(query)
}

// exec runs a statement that belongs to nobody's request.
func (w *writer) exec(query string) error {
	return w.ask(context.Background(), question{query: query})
}

// A statement of one member is never broken off: SQLite would roll back the
// others, too. Whoever has left is told so before the next one.

// ask asks a question.
func (w *writer) ask(ctx context.Context, q question) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, passing, err := w.direct.prepare(q.query)
	if err != nil {
		return err
	}
	if passing {
		defer w.direct.finalize(p)
	}
	before := w.wrote
	w.about(p.effect)
	changed, id, err := w.direct.run(p, q)
	if err != nil {
		w.wrote = true // nobody knows what is still there
		return err
	}
	if p.effect.counted && changed == 0 {
		w.wrote = before
	}
	q.counted(changed)
	if q.id != nil {
		*q.id = id
	}
	return nil
}

// about is told what a statement that is about to run may change: it is not
// remembered any more.
func (w *writer) about(e effect) {
	w.wrote = w.wrote || e.writes
	if e.rules {
		w.kept.known, w.kept.touched = nil, true
	}
}

// ExecContext runs a statement.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if stmt, ok := w.statement(ctx, query); ok {
		return stmt.ExecContext(ctx, args...)
	}
	return w.conn.ExecContext(ctx, query, args...)
}

// QueryContext runs a query that returns rows.
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if stmt, ok := w.statement(ctx, query); ok {
		return stmt.QueryContext(ctx, args...)
	}
	return w.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row.
func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	if stmt, ok := w.statement(ctx, query); ok {
		return stmt.QueryRowContext(ctx, args...)
	}
	return w.conn.QueryRowContext(ctx, query, args...)
}

// statement is the prepared statement of a text, if it can be prepared. It is
// about to run.
func (w *writer) statement(ctx context.Context, query string) (statement, bool) {
	stmt, ok := w.statements.of(ctx, query)
	if ok {
		w.about(stmt.effect)
	} else {
		w.about(effectOf(query))
	}
	return stmt, ok
}
