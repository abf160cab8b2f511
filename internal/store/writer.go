package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// writer is SQLite's one writing connection. Those who wait for it while
// somebody writes share one commit: each runs in a savepoint of the open
// transaction, and whoever finds nobody waiting commits for all. So the disk is
// waited for once, and still nobody is told of success before the commit.
type writer struct {
	conn       *sql.Conn
	statements statements
	waiting    atomic.Int32

	mu    sync.Mutex // whose turn it is
	group *group     // the open transaction; nil for none
}

// group are the changes of one commit.
type group struct {
	members int
	done    chan struct{} // closed when err is known
	err     error
}

// maxGroup bounds how many share a commit, so that the first does not wait long.
const maxGroup = 64

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	return &writer{conn: conn, statements: statements{on: conn}}, nil
}

// change runs fn so that all it writes is committed, or nothing.
func (w *writer) change(ctx context.Context, fn func(executor) error) error {
	g, err := w.turn(ctx, fn)
	if err != nil {
		return err
	}
	<-g.done
	return g.err
}

// turn waits until nobody else writes, runs fn in the open transaction, and ends
// it unless somebody waits. An error is fn's, which is rolled back alone.
func (w *writer) turn(ctx context.Context, fn func(executor) error) (*group, error) {
	w.waiting.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting.Add(-1)
	if w.group == nil {
		if err := w.exec("BEGIN IMMEDIATE"); err != nil {
			return nil, fmt.Errorf("begin: %w", err)
		}
		w.group = &group{done: make(chan struct{})}
	}
	g := w.group
	defer w.endUnlessWaited()
	err := ctx.Err() // whoever has left in the meantime
	if err == nil {
		err = w.alone(fn)
	}
	if err == nil {
		g.members++
	}
	return g, err
}

// alone runs fn in a savepoint, which is rolled back when it fails or panics.
func (w *writer) alone(fn func(executor) error) (err error) {
	if err := w.exec("SAVEPOINT change"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	done := false
	defer func() {
		if done && err == nil {
			return
		}
		if failed := errors.Join(w.exec("ROLLBACK TO change"), w.exec("RELEASE change")); failed != nil {
			// The database gave the whole transaction up (the disk is full), with
			// what the others of the group had written.
			w.end(fmt.Errorf("the transaction was given up: %w", errors.Join(err, failed)))
		}
	}()
	if err = fn(w); err == nil {
		err = w.exec("RELEASE change")
	}
	done = true
	return err
}

// endUnlessWaited commits for the group, unless somebody waits who will.
func (w *writer) endUnlessWaited() {
	g := w.group
	if g == nil || w.waiting.Load() > 0 && g.members < maxGroup {
		return
	}
	if g.members == 0 {
		w.end(w.exec("ROLLBACK"))
		return
	}
	if err := w.exec("COMMIT"); err != nil {
		w.end(fmt.Errorf("commit: %w", err))
		return
	}
	w.end(nil)
}

// end tells the group what became of it. After a failure nothing stays open.
func (w *writer) end(err error) {
	if err != nil {
		_ = w.exec("ROLLBACK") // there may be nothing left to roll back
	}
	w.group.err = err
	close(w.group.done)
	w.group = nil
}

// exec runs a statement that belongs to nobody's request.
func (w *writer) exec(query string) error {
	_, err := w.ExecContext(context.Background(), query)
	return err
}

// A statement of one member is never broken off: SQLite would roll back the
// others, too. Whoever has left is told so before the next one.

// ExecContext runs a statement.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if stmt, ok := w.statements.of(ctx, query); ok {
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
	if stmt, ok := w.statements.of(ctx, query); ok {
		return stmt.QueryContext(ctx, args...)
	}
	return w.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row.
func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	if stmt, ok := w.statements.of(ctx, query); ok {
		return stmt.QueryRowContext(ctx, args...)
	}
	return w.conn.QueryRowContext(ctx, query, args...)
}
