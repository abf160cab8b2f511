package store

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"sync"
)

// executor runs statements: a transaction, or the connection it is on.
type executor interface {
	querier
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// Observer is told every statement with its arguments before it runs, for those
// who want to know how the database goes about it.
type Observer func(query string, args []any)

// on makes an executor tell what it runs.
func (o Observer) on(x executor) executor {
	if o == nil {
		return x
	}
	return observed{x, o}
}

type observed struct {
	executor
	tell Observer
}

// ExecContext runs a statement.
func (x observed) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	x.tell(query, args)
	return x.executor.ExecContext(ctx, query, args...)
}

// ask asks a question.
func (x observed) ask(ctx context.Context, q question) error {
	x.tell(q.query, q.args)
	return ask(ctx, x.executor, q)
}

// QueryContext runs a query that returns rows.
func (x observed) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	x.tell(query, args)
	return x.executor.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row.
func (x observed) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	x.tell(query, args)
	return x.executor.QueryRowContext(ctx, query, args...)
}

// preparer makes statements: a pool, or one connection.
type preparer interface {
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}

// maxStatements bounds how many statements are kept: lists of ids make texts of
// every length.
const maxStatements = 500

// statements keeps prepared statements by their text. SQLite would otherwise
// read the text of each one again, which takes longer than running it.
type statements struct {
	on   preparer
	mu   sync.RWMutex
	kept map[string]statement
}

// statement is a prepared statement that stays open as long as its connections.
type statement struct {
	*sql.Stmt
	effect effect
}

// of is the statement of a text; ok is false where it cannot be prepared, and
// running the text itself tells why.
func (s *statements) of(ctx context.Context, query string) (stmt statement, ok bool) {
	s.mu.RLock()
	stmt, ok = s.kept[query]
	s.mu.RUnlock()
	if ok {
		return stmt, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt, ok = s.kept[query]; ok || len(s.kept) >= maxStatements {
		return stmt, ok
	}
	prepared, err := s.on.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return stmt, false
	}
	if s.kept == nil {
		s.kept = map[string]statement{}
	}
	s.kept[query] = statement{prepared, effectOf(query)}
	return s.kept[query], true
}

// close gives the statements up. Those of a single connection would otherwise
// keep it open after its end, and SQLite's log beside the database.
func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.kept {
		errs = append(errs, stmt.Close())
	}
	s.kept = nil
	return errors.Join(errs...)
}

// pool is a pool of connections that keeps the statements it has prepared, where
// the driver does not.
type pool struct {
	*sql.DB
	statements *statements
	readers    *readers // nil with PostgreSQL, and for the writer
	observe    Observer
}

func newPool(db *sql.DB, keep bool, observe Observer) *pool {
	p := &pool{DB: db, observe: observe}
	if keep {
		p.statements = &statements{on: db}
	}
	return p
}

// ask asks a question on a connection for that.
func (p *pool) ask(ctx context.Context, q question) error {
	if p.observe != nil {
		p.observe(q.query, q.args)
	}
	return p.readers.ask(ctx, q)
}

// QueryContext runs a query that returns rows.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if p.observe != nil {
		p.observe(query, args)
	}
	if p.statements != nil {
		if stmt, ok := p.statements.of(ctx, query); ok {
			return stmt.QueryContext(ctx, args...)
		}
	}
	return p.DB.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row.
func (p *pool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if p.observe != nil {
		p.observe(query, args)
	}
	if p.statements != nil {
		if stmt, ok := p.statements.of(ctx, query); ok {
			return stmt.QueryRowContext(ctx, args...)
		}
	}
	return p.DB.QueryRowContext(ctx, query, args...)
}

// effect is what a statement may do besides reading. It is worked out once for a
// text.
type effect struct {
	writes  bool
	counted bool // writes rows, and tells how many
	rules   bool // writes to a table that answers are kept of
}

func effectOf(query string) effect {
	if !writing.MatchString(query) {
		return effect{}
	}
	return effect{writes: true, counted: countedRows.MatchString(query), rules: rules.MatchString(query)}
}

var (
	writing     = regexp.MustCompile(`^\s*(INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE|DROP|ALTER)\b`)
	countedRows = regexp.MustCompile(`^\s*(INSERT|UPDATE|DELETE)\b`)
	rules       = regexp.MustCompile(`\b(services|closures|settings)\b`)
)
