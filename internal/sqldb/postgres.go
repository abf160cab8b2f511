package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

type postgres struct{ pool *pgxpool.Pool }

// maxWaiting bounds the statements that are sent together.
const maxWaiting = 500

// rollbackTimeout bounds the rollback for a caller whose ctx may have ended.
const rollbackTimeout = 5 * time.Second

// notReplicated marks a connection on which a commit did not wait for the standby.
const notReplicated = "sqldb.notReplicated"

// OpenPostgres connects to a PostgreSQL server. Behind a pooler in transaction mode that does not
// support prepared statements (PgBouncer before 1.21), add default_query_exec_mode=exec to the URL.
func OpenPostgres(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the URL: %w", err)
	}
	conns := o.Conns
	if conns == 0 {
		conns = max(16, 8*runtime.NumCPU())
	}
	cfg.MaxConns = int32(min(conns, 10_000))
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.ConnConfig.OnNotice = noteReplication
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &DB{postgres{pool}, o.Observe}, nil
}

// noteReplication handles the notice that the wait for a synchronous standby was cancelled. The
// server has committed then and reports success, but a failover would lose the commit. The routine
// has the same name in all languages of the server.
func noteReplication(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[notReplicated] = true
	}
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

// read does not make the caller wait for the end of the transaction: nothing depends on it.
func (db postgres) read(ctx context.Context, f func(session) error) error {
	s, err := db.begin(ctx, "begin isolation level repeatable read read only")
	if err != nil {
		return err
	}
	defer func() { go s.end()() }()
	if err := f(s); err != nil {
		return s.explain(err)
	}
	return s.explain(s.flush()) // statements whose results were not read
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
		// The commit of a failed transaction is answered with ROLLBACK and no error.
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
	if pg := postgresError(err); pg != nil {
		return pg.SeverityUnlocalized == "ERROR" // FATAL: the server ended the connection, perhaps after the commit
	}
	return errors.As(err, new(pgx.ErrPreprocessingBatch)) || pgconn.SafeToRetry(err)
}

// begin takes a connection. The statement that begins the transaction is sent with the first others.
func (db postgres) begin(ctx context.Context, begin string) (*pgSession, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	delete(conn.Conn().PgConn().CustomData(), notReplicated)
	return &pgSession{ctx: ctx, conn: conn, waiting: []*statement{{query: begin}}}, nil
}

// pgSession collects statements and sends them in one batch when a result is needed.
type pgSession struct {
	ctx     context.Context
	conn    *pgxpool.Conn
	waiting []*statement
	failed  error
}

// explain marks the error of a function whose connection was lost.
func (s *pgSession) explain(err error) error {
	if err != nil && s.failed != nil && s.pg().IsClosed() {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

func (s *pgSession) pg() *pgconn.PgConn { return s.conn.Conn().PgConn() }

// end makes the session unusable. The function it returns rolls back what was not committed and
// gives the connection back. The pool closes one that is broken or still in a transaction.
func (s *pgSession) end() (release func()) {
	standby := isReadOnly(s.failed)
	if s.failed == nil {
		s.failed = errEnded
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), rollbackTimeout)
		defer cancel()
		switch {
		case standby: // it is the primary no more
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
	if len(s.waiting) >= maxWaiting {
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

// flush sends what waits and reads all results.
func (s *pgSession) flush() error {
	if s.failed != nil || len(s.waiting) == 0 {
		return s.failed
	}
	waiting := s.waiting
	s.waiting = nil
	batch := &pgx.Batch{}
	for _, st := range waiting {
		args, err := plainArgs(st.args)
		if err != nil {
			s.failed = fmt.Errorf("%s: %w", st.query, err)
			return s.failed
		}
		batch.Queue(st.query, args...)
	}
	results := s.conn.SendBatch(s.ctx, batch)
	for _, st := range waiting {
		st.done = true
		if st.err = st.read(results); st.err != nil && s.failed == nil {
			query := st.query
			if unprepared := (pgx.ErrPreprocessingBatch{}); errors.As(st.err, &unprepared) {
				query = unprepared.SQL() // pgx reports it for the first statement of the batch
			}
			s.failed = fmt.Errorf("%s: %w", query, st.err)
		}
	}
	if err := results.Close(); s.failed == nil {
		s.failed = err
	}
	return s.failed
}

// read reads the result of a statement.
func (st *statement) read(results pgx.BatchResults) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
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
		st.rows = append(st.rows, values)
	}
	rows.Close()
	tag := rows.CommandTag()
	st.affected, st.tag = tag.RowsAffected(), tag.String()
	return rows.Err()
}

// plainResult turns what pgx decodes a column into into a plain value.
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
