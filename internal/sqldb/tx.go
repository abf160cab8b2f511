package sqldb

import (
	"fmt"
	"strings"
)

// Tx is a transaction. It must not be used after the function it was given to has returned.
type Tx struct {
	session  session
	observe  func(query string, args []any)
	streamed bool // Stream has called its function
}

// session is a transaction of an engine.
type session interface {
	add(s *statement)         // queue or run s
	force(s *statement) error // make the result of s available
	stream(s *statement, row func(Scan) error) error
	load(table string, columns []string, rows [][]any) error
}

// oneStatement is the session of ReadOne.
type oneStatement struct {
	session
	used bool
}

func (o *oneStatement) add(s *statement) {
	if o.used {
		s.done, s.err = true, errSecondStatement
		return
	}
	o.used = true
	o.session.add(s)
}

// Scan copies the columns of a row into dest, see assign.
type Scan = func(dest ...any) error

// statement is a statement with its result.
type statement struct {
	query      string
	args       []any
	rows       [][]any // plain values, see plain
	affected   int64
	tag        string
	err        error
	done       bool
	exec       bool // from Exec
	mustChange bool // fails if it changes no row
}

// brief returns the beginning of a statement for an error: that of many rows may be long.
func brief(query string) string {
	const most = 300
	if len(query) <= most {
		return query
	}
	return strings.ToValidUTF8(query[:most], "") + "…"
}

func (tx *Tx) run(s *statement) *statement {
	if tx.observe != nil {
		tx.observe(s.query, s.args)
	}
	tx.session.add(s)
	return s
}

// Get runs a query for one row.
func (tx *Tx) Get(query string, args ...any) Row {
	return Row{tx, tx.run(&statement{query: query, args: args})}
}

// All runs a query for any number of rows. It holds all of them in memory; Stream does not.
func (tx *Tx) All(query string, args ...any) Rows {
	return Rows{tx, tx.run(&statement{query: query, args: args})}
}

// Exec runs a statement that changes rows. The error of a statement whose result is not read
// is returned by Write.
//
// After a change of the schema, read the result before using the new schema: PostgreSQL prepares
// all waiting statements before it runs the first one.
func (tx *Tx) Exec(query string, args ...any) Result {
	return Result{tx, tx.run(&statement{query: query, args: args, exec: true})}
}

// ExecOne is Exec for a statement that must change at least one row. If it changes none, the
// transaction fails with ErrNotChanged.
func (tx *Tx) ExecOne(query string, args ...any) Result {
	return Result{tx, tx.run(&statement{query: query, args: args, exec: true, mustChange: true})}
}

// Stream runs a query whose result may not fit into memory, and calls f for every row as it
// arrives. f must not use tx.
func (tx *Tx) Stream(f func(Scan) error, query string, args ...any) error {
	if tx.observe != nil {
		tx.observe(query, args)
	}
	return tx.session.stream(&statement{query: query, args: args}, func(scan Scan) error {
		tx.streamed = true
		return f(scan)
	})
}

// Load inserts many rows into a table in the fastest way of the engine. The names of the table and
// of its columns are not quoted.
func (tx *Tx) Load(table string, columns []string, rows [][]any) error {
	if err := tx.session.load(table, columns, rows); err != nil {
		return fmt.Errorf("load %s: %w", table, err)
	}
	return nil
}

// Row is the result of Get.
type Row struct {
	tx *Tx
	s  *statement
}

// Scan copies the columns of the row into dest, see assign. It returns ErrNoRows if there is
// no row.
func (r Row) Scan(dest ...any) error {
	if err := r.tx.session.force(r.s); err != nil {
		return err
	}
	if len(r.s.rows) == 0 {
		return ErrNoRows
	}
	return assign(dest, r.s.rows[0])
}

// Rows is the result of All.
type Rows struct {
	tx *Tx
	s  *statement
}

// Each calls f for every row in order. It stops at the first error of f and returns it.
func (r Rows) Each(f func(Scan) error) error {
	if err := r.tx.session.force(r.s); err != nil {
		return err
	}
	for _, row := range r.s.rows {
		if err := f(func(dest ...any) error { return assign(dest, row) }); err != nil {
			return err
		}
	}
	return nil
}

// Collect returns the value that scan returns for each row. The list is empty, not nil, if there
// are no rows.
func Collect[T any](r Rows, scan func(Scan) (T, error)) ([]T, error) {
	list := []T{}
	err := r.Each(func(row Scan) error {
		v, err := scan(row)
		list = append(list, v)
		return err
	})
	return list, err
}

// Column returns the values of the only column of the rows.
func Column[T any](r Rows) ([]T, error) {
	return Collect(r, func(scan Scan) (v T, err error) {
		err = scan(&v)
		return v, err
	})
}

// Result is the result of Exec.
type Result struct {
	tx *Tx
	s  *statement
}

// Affected returns the number of changed rows.
func (r Result) Affected() (int64, error) {
	err := r.tx.session.force(r.s)
	return r.s.affected, err
}
