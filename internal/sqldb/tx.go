package sqldb

// Tx is a transaction. It must not be used after the function it was given to has returned.
type Tx struct {
	session session
	observe func(query string, args []any)
}

// session is a transaction of an engine.
type session interface {
	add(s *statement)         // queue or run s
	force(s *statement) error // make the result of s available
}

// statement is a statement with its result.
type statement struct {
	query    string
	args     []any
	rows     [][]any // of values as plain returns them
	affected int64
	tag      string
	err      error
	done     bool
	reads    bool
}

func (tx *Tx) run(reads bool, query string, args []any) *statement {
	if tx.observe != nil {
		tx.observe(query, args)
	}
	s := &statement{query: query, args: args, reads: reads}
	tx.session.add(s)
	return s
}

// Get runs a query for one row.
func (tx *Tx) Get(query string, args ...any) Row { return Row{tx, tx.run(true, query, args)} }

// All runs a query for any number of rows. They are all held in memory: long results are read
// in pages.
func (tx *Tx) All(query string, args ...any) Rows { return Rows{tx, tx.run(true, query, args)} }

// Exec runs a statement that changes rows. The error of a statement whose result is not read
// is returned by Write.
//
// After a change of the schema read the result before using what it created: PostgreSQL
// prepares all waiting statements before it runs the first one.
func (tx *Tx) Exec(query string, args ...any) Result { return Result{tx, tx.run(false, query, args)} }

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

// Each calls f with a function that scans the row, for every row in order. It stops at the
// first error of f and returns it.
func (r Rows) Each(f func(scan func(dest ...any) error) error) error {
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

// Collect reads all rows, each into the fields of a new value.
func Collect[T any](r Rows, fields func(*T) []any) ([]T, error) {
	list := []T{}
	err := r.Each(func(scan func(dest ...any) error) error {
		var v T
		if err := scan(fields(&v)...); err != nil {
			return err
		}
		list = append(list, v)
		return nil
	})
	return list, err
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
