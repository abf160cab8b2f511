package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgres is a pool of connections to the primary.
type postgres struct {
	pool    *pgxpool.Pool
	config  *pgx.ConnConfig
	primary *primary
}

const (
	// maxWaiting and maxWaitingArgs bound the statements that are sent together, and their arguments. The
	// server ends a transaction that sends nothing for long, see dropLostClients.
	maxWaiting     = 500
	maxWaitingArgs = 10_000
	// rollbackTimeout bounds the rollback for a caller whose ctx may have ended.
	rollbackTimeout = 5 * time.Second
	// pingTimeout bounds the ping of a connection that was idle for a second or more.
	pingTimeout = 2 * time.Second
	// notReplicated marks a connection on which a commit did not wait for the standby.
	notReplicated = "sqldb.notReplicated"
)

func (db postgres) handle() (*sql.DB, error) {
	return stdlib.OpenDB(*db.config, stdlib.OptionBeforeConnect(db.primary.order)), nil
}

func (db postgres) maintain(ctx context.Context, statements []string) error {
	for _, query := range statements {
		if _, err := db.pool.Exec(ctx, query); err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
	}
	return nil
}

func (db postgres) name() string { return "postgres" }

func (db postgres) close() error {
	db.pool.Close()
	return nil
}

func (db postgres) ready(ctx context.Context) error {
	var standby bool
	if err := db.pool.QueryRow(ctx, "select pg_is_in_recovery()").Scan(&standby); err != nil {
		return err
	}
	if standby {
		return errors.New("sqldb: the server is a standby")
	}
	return nil
}

func (db postgres) stats() []PoolStats {
	s := db.pool.Stat()
	return []PoolStats{{"pool", int(s.AcquiredConns()), int(s.IdleConns()), s.AcquireDuration()}}
}

// read ends the transaction in the background: the caller need not wait for that.
func (db postgres) read(ctx context.Context, f func(session) error) error {
	s, err := db.begin(ctx, "begin isolation level repeatable read read only")
	if err != nil {
		return err
	}
	defer func() { go s.end()() }()
	if err := f(s); err != nil {
		return s.explain(err)
	}
	return s.explain(s.flush()) // runs statements whose results were not read
}

func (db postgres) readOne(ctx context.Context, f func(session) error) error {
	s, err := db.session(ctx)
	if err != nil {
		return err
	}
	defer func() { s.end()() }()
	return s.explain(f(&oneStatement{session: s}))
}

func (db postgres) write(ctx context.Context, f func(session) error) error {
	s, err := db.begin(ctx, "begin")
	if err != nil {
		return err
	}
	defer func() { s.end()() }()
	if err := f(s); err != nil {
		return s.explain(err)
	}
	commit := &statement{query: "commit"}
	s.waiting = append(s.waiting, commit)
	err = s.flush()
	switch {
	case err == nil && commit.tag != "COMMIT":
		// The server answers the commit of a failed transaction with ROLLBACK and no error.
		return ErrRolledBack
	case err == nil && s.pg().CustomData()[notReplicated] != nil:
		return fmt.Errorf("%w: the wait for the standby was cancelled", ErrUnknown)
	case err != nil && commit.done && !provesNoCommit(err):
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	case err != nil && !commit.done:
		return s.explain(err)
	}
	return err
}

// provesNoCommit reports whether err proves that a commit that was sent did not happen.
func provesNoCommit(err error) bool {
	if errors.As(err, new(pgx.ErrPreprocessingBatch)) { // it was not sent
		return true
	}
	if pg := postgresError(err); pg != nil {
		return pg.SeverityUnlocalized == "ERROR" // FATAL: the server ended the connection, perhaps after the commit
	}
	return errors.Is(err, ErrNotChanged) || pgconn.SafeToRetry(err)
}

// begin acquires a connection and queues the statement that begins the transaction.
func (db postgres) begin(ctx context.Context, begin string) (*pgSession, error) {
	s, err := db.session(ctx)
	if err == nil {
		delete(s.pg().CustomData(), notReplicated)
		s.waiting = []*statement{{query: begin}}
	}
	return s, err
}

func (db postgres) session(ctx context.Context) (*pgSession, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return &pgSession{ctx: ctx, conn: conn}, nil
}

// pgSession collects statements and sends them in one batch when a result is needed.
type pgSession struct {
	ctx     context.Context
	conn    *pgxpool.Conn
	waiting []*statement
	args    int // of the statements that wait
	failed  error
}

// explain wraps err with errLost if the connection was lost.
func (s *pgSession) explain(err error) error {
	if err != nil && s.failed != nil && s.pg().IsClosed() {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

func (s *pgSession) pg() *pgconn.PgConn { return s.conn.Conn().PgConn() }

// end makes the session unusable. The function it returns rolls back an open transaction and
// releases the connection. The pool closes one that is broken or still in a transaction.
func (s *pgSession) end() (release func()) {
	standby := isReadOnly(s.failed)
	if s.failed == nil {
		s.failed = errEnded
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), rollbackTimeout)
		defer cancel()
		switch {
		case standby: // the server is no longer the primary
			_ = s.pg().Close(ctx)
		case s.pg().TxStatus() != 'I':
			_, _ = s.conn.Exec(ctx, "rollback")
		}
		s.conn.Release()
	}
}

func (s *pgSession) add(st *statement) {
	if s.failed != nil {
		st.done, st.err = true, s.failed
		return
	}
	s.waiting = append(s.waiting, st)
	s.args += len(st.args)
	if len(s.waiting) >= maxWaiting || s.args >= maxWaitingArgs {
		_ = s.flush() // kept in s.failed
	}
}

func (s *pgSession) force(st *statement) error {
	if !st.done {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return st.err
}

// flush sends the waiting statements and reads their results.
func (s *pgSession) flush() error {
	if s.failed != nil || len(s.waiting) == 0 {
		return s.failed
	}
	waiting := s.waiting
	s.waiting, s.args = nil, 0
	batch := &pgx.Batch{}
	for _, st := range waiting {
		args, err := plainArgs(st.args)
		if err != nil {
			s.failed = fmt.Errorf("%s: %w", brief(st.query), err)
			return s.failed
		}
		batch.Queue(st.text(), args...)
	}
	results := s.conn.SendBatch(s.ctx, batch)
	for _, st := range waiting {
		st.done = true
		if st.err = st.read(results); st.err != nil && s.failed == nil {
			query := st.query
			if unprepared := (pgx.ErrPreprocessingBatch{}); errors.As(st.err, &unprepared) {
				query = unprepared.SQL() // pgx reports it for the first statement of the batch
			}
			s.failed = fmt.Errorf("%s: %w", brief(query), st.err)
		}
	}
	if err := results.Close(); s.failed == nil {
		s.failed = err
	}
	return s.failed
}

// text returns the SQL to send. A statement that must change a row fails on the server if it does
// not, because the commit may be sent together with it.
func (st *statement) text() string {
	if !st.mustChange {
		return st.query
	}
	return "with changed as (" + st.query + " returning 1) select 1 / count(*) from changed"
}

// stream reads the rows of a statement as they arrive.
func (s *pgSession) stream(st *statement, row func(Scan) error) error {
	args, err := plainArgs(st.args)
	if err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	rows, err := s.conn.Query(s.ctx, st.query, args...)
	if err == nil {
		err = eachRow(rows, func(values []any) error {
			return row(func(dest ...any) error { return assign(dest, values) })
		})
	}
	if err != nil {
		s.failed = fmt.Errorf("%s: %w", brief(st.query), err)
	}
	return s.failed
}

func (s *pgSession) load(table string, columns []string, rows [][]any) error {
	plainRows := make([][]any, len(rows))
	for i, row := range rows {
		var err error
		if plainRows[i], err = plainArgs(row); err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	_, err := s.conn.CopyFrom(s.ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(plainRows))
	if err != nil {
		s.failed = err
	}
	return err
}

// read reads the result of a statement.
func (st *statement) read(results pgx.BatchResults) error {
	rows, err := results.Query()
	if err == nil {
		err = eachRow(rows, func(values []any) error {
			st.rows = append(st.rows, values)
			return nil
		})
		tag := rows.CommandTag()
		st.affected, st.tag = tag.RowsAffected(), tag.String()
	}
	if pg := postgresError(err); st.mustChange && pg != nil && pg.Code == "22012" { // division by zero, see text
		return ErrNotChanged
	}
	return err
}

// eachRow calls f with the plain values of each row and closes rows.
func eachRow(rows pgx.Rows, f func(values []any) error) error {
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		for i, v := range values {
			if values[i], err = plainResult(v); err != nil {
				return fmt.Errorf("column %s: %w", rows.FieldDescriptions()[i].Name, err)
			}
		}
		if err := f(values); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// plainResult converts a value that pgx has decoded to a plain value.
func plainResult(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, []byte:
		return v, nil
	case int16:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case uint32: // oid
		return int64(v), nil
	case float32:
		return float64(v), nil
	case pgtype.Numeric: // sums of bigint
		if n, err := v.Int64Value(); err == nil {
			return n.Int64, nil
		}
		f, err := v.Float64Value()
		return f.Float64, err
	}
	return nil, fmt.Errorf("sqldb: cannot read %T; cast it to text", v)
}
