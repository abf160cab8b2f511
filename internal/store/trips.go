package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// question is a statement, with what becomes of its answer.
type question struct {
	what  string // says in an error what was tried
	query string
	args  []any
	row   func(scan func(...any) error) error // called with each row; nil where none matters
	count *int64                              // how many rows were written, or read; nil where it does not matter
	id    *int64                              // the id SQLite gave to the row that was written; nil where it does not matter
	one   bool                                // the first row is enough

	// Where the answer may be remembered, see keeping.
	keep func() any
	use  func(any)
}

// gather asks several questions, one after the other, and has all the answers
// when it returns. On PostgreSQL they are one journey to the server.
func (tx *Tx) gather(questions ...question) error {
	if t, ok := tx.tx.(*trips); ok {
		return t.send(tx.ctx, questions...)
	}
	var kept *keptAnswers
	if tx.db.writer != nil {
		kept = &tx.db.writer.kept
	}
	for _, q := range questions {
		if kept.answer(q) {
			continue
		}
		if err := tx.askOne(q); err != nil {
			return q.failed(err)
		}
		kept.remember(q)
	}
	return nil
}

// askOne asks where there is nowhere to travel to.
func (tx *Tx) askOne(q question) error {
	if w := tx.db.writer; w != nil {
		if tx.db.observe != nil {
			tx.db.observe(q.query, q.args)
		}
		return w.ask(tx.ctx, q)
	}
	if q.row == nil {
		res, err := tx.tx.ExecContext(tx.ctx, q.query, q.args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		q.counted(n)
		return err
	}
	return ask(tx.ctx, tx.tx, q)
}

// later writes something whose answer nobody waits for. On PostgreSQL it travels
// with the next statement that is waited for, at last with the commit. It keeps
// its place among the statements: what is read afterwards is read after it.
func (tx *Tx) later(what, query string, args ...any) error {
	q := question{what: what, query: query, args: args}
	if t, ok := tx.tx.(*trips); ok {
		return t.later(tx.ctx, q)
	}
	return tx.gather(q)
}

// laterOne does the same with a statement that must find its row.
func (tx *Tx) laterOne(what, query string, args ...any) error {
	if _, ok := tx.tx.(*trips); ok {
		// The commit may travel with it, so the statement itself has to fail.
		return tx.later(what+": there is no such row", `WITH found AS (`+query+` RETURNING 1) SELECT 1 / count(*) FROM found`, args...)
	}
	var n int64
	err := tx.gather(question{what: what, query: query, args: args, count: &n})
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: there is no such row", what)
	}
	return err
}

func (q question) failed(err error) error {
	if err == nil || q.what == "" {
		return err
	}
	return fmt.Errorf("%s: %w", q.what, err)
}

func (q question) counted(n int64) {
	if q.count != nil {
		*q.count = n
	}
}

// trips is a transaction of PostgreSQL. To wait for an answer costs more than
// most statements, so those that nobody waits for travel together with the next
// one; the beginning with the first, the commit with the last.
type trips struct {
	conn   *sql.Conn
	queue  []question
	direct bool  // every statement travels alone: the connection is used otherwise, too
	sent   bool  // the transaction has begun
	failed error // a statement did, so the transaction cannot go on
}

// maxQueue bounds how many statements travel together.
const maxQueue = 500

func (t *trips) later(ctx context.Context, q question) error {
	t.queue = append(t.queue, q)
	if t.direct || len(t.queue) >= maxQueue {
		return t.send(ctx)
	}
	return nil
}

// send makes one journey with all that waits and with some questions, and hands
// the answers out in their order.
func (t *trips) send(ctx context.Context, questions ...question) error {
	all := slices.Concat(t.queue, questions)
	t.queue = nil
	if len(all) == 0 {
		return nil
	}
	t.sent = true
	err := t.conn.Raw(func(conn any) (err error) {
		server := conn.(*stdlib.Conn).Conn()
		delete(server.PgConn().CustomData(), notReplicated)
		var batch pgx.Batch
		for _, q := range all {
			batch.Queue(q.query, q.args...)
		}
		answers := server.SendBatch(ctx, &batch)
		defer func() {
			if ended := answers.Close(); err == nil {
				err = ended
			}
		}()
		for _, q := range all {
			if err := q.read(answers); err != nil {
				if isReadOnly(err) {
					_ = server.Close(ctx) // it is the primary no more; the next connection looks for the one that is
				}
				return q.failed(err)
			}
		}
		return replicated(server)
	})
	if err != nil && all[len(all)-1].query == commitStatement && !surelyNotCommitted(err) {
		err = fmt.Errorf("%w: %w", errUnknown, err)
	}
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

func (q question) read(answers pgx.BatchResults) error {
	rows, err := answers.Query()
	if err != nil {
		return err
	}
	defer rows.Close() // Err below tells what matters
	for rows.Next() {
		if q.row == nil {
			continue
		}
		if err := q.row(rows.Scan); err != nil {
			return err
		}
	}
	rows.Close()
	q.counted(rows.CommandTag().RowsAffected())
	if err := rows.Err(); err != nil {
		return err
	}
	if q.query == commitStatement && rows.CommandTag().String() != commitStatement {
		return errRolledBack // a statement failed, and somebody went on
	}
	return nil
}

const (
	commitStatement = "COMMIT"
	// notReplicated marks a connection on which a commit did not wait for the
	// standby.
	notReplicated = "nadmor.notReplicated"
)

// heedNotice sees when PostgreSQL breaks off the wait for a synchronous standby,
// because somebody cancelled the statement or its time was over: then it says
// that it has committed, and only this notice that the standby may not have it. A
// failover would lose what somebody was told. The routine is named in every
// language of the server's messages.
func heedNotice(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[notReplicated] = true
	}
}

// replicated fails where the last statements did not wait for the standby.
func replicated(conn *pgx.Conn) error {
	if conn.PgConn().CustomData()[notReplicated] != nil {
		return errors.New("the wait for the standby was broken off")
	}
	return nil
}

// errUnknown tells that a commit was sent and that nobody knows what became of
// it: the connection or the server was lost, or the standby may not have it.
var errUnknown = errors.New("not known whether it was committed")

// errRolledBack tells that the server did not commit what it was asked to.
var errRolledBack = errors.New("rolled back instead of committed")

// surelyNotCommitted tells whether an error of the journey with the commit says
// that nothing of the transaction stays: the server refused a statement, or heard
// of none. One that is shutting down may have committed before.
func surelyNotCommitted(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.SeverityUnlocalized == "ERROR"
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, errRolledBack) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn)
}

// isReadOnly tells whether a standby was asked to write.
func isReadOnly(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "25006"
}

// rollBack ends the transaction; nothing of it stays.
func (t *trips) rollBack() {
	if !t.sent {
		return
	}
	// Also for somebody who has left. A connection on which it fails is not used
	// again.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	t.queue = nil
	_ = t.send(ctx, question{query: "ROLLBACK"})
}

// ExecContext runs a statement.
func (t *trips) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	var n int64
	err := t.send(ctx, question{query: query, args: args, count: &n})
	return driver.RowsAffected(n), err
}

// QueryContext runs a query that returns rows.
func (t *trips) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.send(ctx); err != nil {
		return nil, err
	}
	return t.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row. What fails on the way
// there is told at the end: the transaction cannot go on.
func (t *trips) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = t.send(ctx)
	return t.conn.QueryRowContext(ctx, query, args...)
}

// row is the answer to a query for one row; it is asked when it is read.
type row struct {
	tx *Tx
	q  question
}

// Scan reads the row: sql.ErrNoRows where there is none.
func (r row) Scan(into ...any) error {
	found := false
	r.q.one = true
	r.q.row = func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(into...)
	}
	if err := r.tx.gather(r.q); err != nil {
		return err
	}
	if !found {
		return sql.ErrNoRows
	}
	return nil
}
