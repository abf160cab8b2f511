package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
)

// liteSession runs each statement when it is added. After an error it runs nothing more.
type liteSession struct {
	ctx      context.Context
	conn     *liteConn
	failed   error
	executed bool // Exec was called
}

// explain adds the error of ctx to an error, which may be an interruption.
func (s *liteSession) explain(err error) error {
	if err != nil && s.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", s.ctx.Err(), err)
	}
	return err
}

func (s *liteSession) end() {
	if s.failed == nil {
		s.failed = errEnded
	}
}

func (s *liteSession) force(st *statement) error { return st.err }

func (s *liteSession) add(st *statement) {
	st.done = true
	st.err = s.run(st, func(stmt *sqlite.Stmt) error {
		st.rows = append(st.rows, columns(stmt))
		return nil
	})
}

func (s *liteSession) stream(st *statement, row func(Scan) error) error {
	return s.run(st, func(stmt *sqlite.Stmt) error {
		values := columns(stmt)
		return row(func(dest ...any) error { return assign(dest, values) })
	})
}

func (s *liteSession) load(table string, names []string, rows [][]any) error {
	marks := make([]string, len(names))
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	query := "insert into " + table + " (" + strings.Join(names, ", ") + ") values (" + strings.Join(marks, ", ") + ")"
	for _, row := range rows {
		if err := s.run(&statement{query: query, args: row, exec: true}, nil); err != nil {
			return err
		}
	}
	return nil
}

// run runs a statement unless an earlier one has failed.
func (s *liteSession) run(st *statement, row func(*sqlite.Stmt) error) error {
	if s.failed == nil {
		s.failed = s.ctx.Err()
	}
	if s.failed == nil {
		s.executed = s.executed || st.exec
		err := s.conn.run(st, row)
		if err == nil && st.mustChange && st.affected == 0 {
			err = ErrNotChanged
		}
		if err != nil {
			s.failed = fmt.Errorf("%s: %w", brief(st.query), s.explain(err))
		}
	}
	return s.failed
}

// run runs a statement to its end and calls row for every row.
func (c *liteConn) run(st *statement, row func(*sqlite.Stmt) error) (err error) {
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
	if err := stmt.bind(args); err != nil {
		return err
	}
	for {
		found, err := stmt.Step()
		if err != nil {
			return err
		}
		if !found {
			break
		}
		if row == nil {
			continue
		}
		if err := row(stmt.Stmt); err != nil {
			return err
		}
	}
	st.affected = int64(c.Changes())
	return nil
}

// exec runs a statement without parameters and rows.
func (c *liteConn) exec(query string) error { return c.run(&statement{query: query}, nil) }

// totalChanges returns the number of rows changed since the connection was opened.
func (c *liteConn) totalChanges() (n int64, err error) {
	err = c.run(&statement{query: "select total_changes()"}, func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	})
	return n, err
}

// liteStmt is a prepared statement.
type liteStmt struct {
	*sqlite.Stmt
	params []int // number n of the parameter $n at each position
	args   int   // number of arguments
}

// newStmt reads the parameters of a statement. SQLite treats $1, $2, ... as names; ? is numbered by
// its position.
func newStmt(stmt *sqlite.Stmt) (*liteStmt, error) {
	s := &liteStmt{Stmt: stmt, params: make([]int, stmt.BindParamCount())}
	for i := range s.params {
		n := i + 1
		if name := stmt.BindParamName(n); name != "" {
			var err error
			if n, err = strconv.Atoi(strings.TrimPrefix(name, "$")); err != nil || n < 1 {
				return nil, fmt.Errorf("sqldb: parameter %q is not numbered like $1", name)
			}
		}
		s.params[i], s.args = n, max(s.args, n)
	}
	return s, nil
}

// prepare returns a prepared statement. The caller must call done after using it.
func (c *liteConn) prepare(query string) (stmt *liteStmt, done func() error, err error) {
	if stmt, ok := c.cached[query]; ok {
		return stmt, stmt.Reset, nil
	}
	if len(c.cached) >= maxCachedStatements {
		return c.prepareTransient(query)
	}
	prepared, err := c.Prepare(query)
	if err != nil {
		return nil, nil, err
	}
	if stmt, err = newStmt(prepared); err != nil {
		return nil, nil, err
	}
	c.cached[query] = stmt
	return stmt, stmt.Reset, nil
}

// prepareTransient prepares a statement that is used once.
func (c *liteConn) prepareTransient(query string) (stmt *liteStmt, done func() error, err error) {
	prepared, rest, err := c.PrepareTransient(query)
	if err != nil {
		return nil, nil, err
	}
	if rest > 0 {
		return nil, nil, errors.Join(errors.New("sqldb: more than one statement"), prepared.Finalize())
	}
	if stmt, err = newStmt(prepared); err != nil {
		return nil, nil, errors.Join(err, prepared.Finalize())
	}
	return stmt, prepared.Finalize, nil
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

// bind binds the arguments. Like PostgreSQL it requires exactly as many as there are parameters;
// SQLite would use NULL for a missing one.
func (s *liteStmt) bind(args []any) error {
	if s.args != len(args) {
		return fmt.Errorf("sqldb: %d parameters, %d arguments", s.args, len(args))
	}
	for i, n := range s.params {
		switch a := args[n-1].(type) {
		case nil:
			s.BindNull(i + 1)
		case bool:
			s.BindBool(i+1, a)
		case int64:
			s.BindInt64(i+1, a)
		case float64:
			s.BindFloat(i+1, a)
		case string:
			s.BindText(i+1, a)
		case []byte:
			if a == nil {
				s.BindNull(i + 1)
			} else {
				s.BindBytes(i+1, a)
			}
		}
	}
	return nil
}
