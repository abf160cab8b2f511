package store

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// direct runs statements on SQLite's writing connection without database/sql and
// the driver's layer in between, which look every parameter up by its name, copy
// each text into memory of its own and ask for the name and type of every column
// anew: a fifth of the turn in which everybody else waits. Only whoever has the
// turn may use it; what it does and what goes through database/sql is one
// connection, in one transaction.
type direct struct {
	tls    *libc.TLS
	handle uintptr // sqlite3*
	kept   map[string]*prepared
	values []any  // of the statement that is about to run
	memory []byte // the operating system's, outside of Go's heap: there lie its texts meanwhile
}

// prepared is a statement as SQLite keeps it.
type prepared struct {
	handle uintptr // sqlite3_stmt*
	order  []int   // which argument each parameter is: SQLite numbers $2 before $1 where it comes first
	effect effect
}

// A memory of directRoom is kept; a statement that needs more gets it for itself.
const directRoom = 256 << 10

// newDirect finds the connection below database/sql. The driver does not hand it
// out, so it is looked for by name; a driver that calls it otherwise is refused
// here, at the start.
func newDirect(conn *sql.Conn) (*direct, error) {
	d := &direct{kept: map[string]*prepared{}}
	err := conn.Raw(func(conn any) error {
		c := reflect.Indirect(reflect.ValueOf(conn))
		if c.Kind() != reflect.Struct {
			return fmt.Errorf("a connection of SQLite is a %T", conn)
		}
		db, tls := c.FieldByName("db"), c.FieldByName("tls")
		if db.Kind() != reflect.Uintptr || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() {
			return fmt.Errorf("a connection of SQLite, %T, has no db or tls", conn)
		}
		d.handle, d.tls = uintptr(db.Uint()), (*libc.TLS)(tls.UnsafePointer())
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.memory, err = offHeap(directRoom)
	return d, err
}

func offHeap(size int) ([]byte, error) {
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		err = fmt.Errorf("get memory for SQLite: %w", err)
	}
	return memory, err
}

// address is where SQLite finds memory that Go never moves.
func address(memory []byte) uintptr {
	return uintptr(unsafe.Pointer(&memory[0])) //nolint:gosec // from offHeap
}

func (d *direct) close() error {
	for _, p := range d.kept {
		d.finalize(p)
	}
	d.kept = nil
	return syscall.Munmap(d.memory)
}

func (d *direct) finalize(p *prepared) { sqlite3.Xsqlite3_finalize(d.tls, p.handle) }

// prepare is the statement of a text. passing is one that is not kept.
func (d *direct) prepare(query string) (p *prepared, passing bool, err error) {
	if p := d.kept[query]; p != nil {
		return p, false, nil
	}
	const head = 16 // here the statement is told, and where its text ends
	memory := d.memory
	if head+len(query)+1 > len(memory) {
		if memory, err = offHeap(head + len(query) + 1); err != nil {
			return nil, false, err
		}
		defer func() { err = errors.Join(err, syscall.Munmap(memory)) }()
	}
	memory[head+copy(memory[head:], query)] = 0
	at := address(memory)
	if rc := sqlite3.Xsqlite3_prepare_v3(d.tls, d.handle, at+head, int32(len(query)+1), sqlite3.SQLITE_PREPARE_PERSISTENT, at, at+8); rc != sqlite3.SQLITE_OK {
		return nil, false, d.failure(rc)
	}
	p = &prepared{handle: uintptr(binary.NativeEndian.Uint64(memory)), effect: effectOf(query)}
	rest := query[min(len(query), int(uintptr(binary.NativeEndian.Uint64(memory[8:]))-at-head)):]
	if p.handle == 0 || strings.TrimSpace(rest) != "" {
		d.finalize(p)
		return nil, false, fmt.Errorf("not one statement: %q", query)
	}
	p.order = make([]int, sqlite3.Xsqlite3_bind_parameter_count(d.tls, p.handle))
	for i := range p.order {
		p.order[i] = i
		if name := libc.GoString(sqlite3.Xsqlite3_bind_parameter_name(d.tls, p.handle, int32(i+1))); name != "" {
			n, err := strconv.Atoi(name[1:])
			if err != nil {
				d.finalize(p)
				return nil, false, fmt.Errorf("a parameter is called %s", name)
			}
			p.order[i] = n - 1
		}
	}
	if len(d.kept) >= maxStatements {
		return p, true, nil
	}
	d.kept[strings.Clone(query)] = p
	return p, false, nil
}

// bind gives a statement its arguments. Their texts stay where they are put until
// it has run; room is what they need more of than is kept.
func (d *direct) bind(p *prepared, args []any) (room []byte, err error) {
	d.values = d.values[:0]
	need := 0
	for _, n := range p.order {
		if n >= len(args) {
			return nil, fmt.Errorf("argument %d is missing", n+1)
		}
		v := args[n]
		switch v := v.(type) {
		case nil, int64, int, bool:
		case string:
			need += len(v) + 1
		case *int64:
			if v == nil {
				d.values = append(d.values, nil)
				continue
			}
		default:
			if v, err = driver.DefaultParameterConverter.ConvertValue(v); err != nil {
				return nil, err
			}
			switch v := v.(type) {
			case string:
				need += len(v) + 1
			case []byte:
				need += len(v) + 1
			}
			d.values = append(d.values, v)
			continue
		}
		d.values = append(d.values, v)
	}
	memory := d.memory
	if need > len(memory) {
		if memory, err = offHeap(need); err != nil {
			return nil, err
		}
		room = memory
	}
	for i, v := range d.values {
		var rc int32
		n := int32(i + 1)
		switch v := v.(type) {
		case nil:
			rc = sqlite3.Xsqlite3_bind_null(d.tls, p.handle, n)
		case int64:
			rc = sqlite3.Xsqlite3_bind_int64(d.tls, p.handle, n, v)
		case int:
			rc = sqlite3.Xsqlite3_bind_int64(d.tls, p.handle, n, int64(v))
		case *int64:
			rc = sqlite3.Xsqlite3_bind_int64(d.tls, p.handle, n, *v)
		case bool:
			one := int64(0)
			if v {
				one = 1
			}
			rc = sqlite3.Xsqlite3_bind_int64(d.tls, p.handle, n, one)
		case float64:
			rc = sqlite3.Xsqlite3_bind_double(d.tls, p.handle, n, v)
		case string:
			used := copy(memory, v)
			memory[used] = 0
			rc = sqlite3.Xsqlite3_bind_text(d.tls, p.handle, n, address(memory), int32(len(v)), sqlite3.SQLITE_STATIC)
			memory = memory[used+1:]
		case []byte:
			if v == nil {
				rc = sqlite3.Xsqlite3_bind_null(d.tls, p.handle, n)
				break
			}
			used := copy(memory, v)
			rc = sqlite3.Xsqlite3_bind_blob(d.tls, p.handle, n, address(memory), int32(len(v)), sqlite3.SQLITE_STATIC)
			memory = memory[used+1:]
		default:
			return room, fmt.Errorf("argument %d is a %T", i+1, v)
		}
		if rc != sqlite3.SQLITE_OK {
			return room, d.failure(rc)
		}
	}
	return room, nil
}

// run runs a statement, calls row with each row, and tells how many rows were
// changed and which id the last new one got.
func (d *direct) run(p *prepared, q question) (changed, id int64, err error) {
	room, err := d.bind(p, q.args)
	if room != nil {
		defer func() { err = errors.Join(err, syscall.Munmap(room)) }()
	}
	if err != nil {
		return 0, 0, err
	}
	defer sqlite3.Xsqlite3_reset(d.tls, p.handle) // tells again what step has told
	for rows := int64(0); ; rows++ {
		switch rc := sqlite3.Xsqlite3_step(d.tls, p.handle); rc {
		case sqlite3.SQLITE_ROW:
			if q.row == nil {
				continue
			}
			if err := q.row(func(into ...any) error { return d.scan(p, into) }); err != nil {
				return 0, 0, err
			}
			if !q.one {
				continue
			}
		case sqlite3.SQLITE_DONE:
		default:
			return 0, 0, d.failure(rc)
		}
		if !p.effect.writes {
			return rows, 0, nil
		}
		return sqlite3.Xsqlite3_changes64(d.tls, d.handle), sqlite3.Xsqlite3_last_insert_rowid(d.tls, d.handle), nil
	}
}

// scan reads the columns of the current row as database/sql would.
func (d *direct) scan(p *prepared, into []any) error {
	if n := int(sqlite3.Xsqlite3_column_count(d.tls, p.handle)); n != len(into) {
		return fmt.Errorf("%d columns for %d values", n, len(into))
	}
	for i, v := range into {
		column := sqlite3.Xsqlite3_column_value(d.tls, p.handle, int32(i))
		kind := sqlite3.Xsqlite3_value_type(d.tls, column)
		if !d.assign(v, column, kind) {
			return fmt.Errorf("column %d of SQLite's type %d does not fit into a %T", i+1, kind, v)
		}
	}
	return nil
}

func (d *direct) assign(into any, column uintptr, kind int32) bool {
	null, number := kind == sqlite3.SQLITE_NULL, kind == sqlite3.SQLITE_INTEGER
	switch v := into.(type) {
	case *string:
		if !null {
			*v = d.text(column)
		}
		return !null
	case *int64:
		if number {
			*v = sqlite3.Xsqlite3_value_int64(d.tls, column)
		}
		return number
	case *int:
		if number {
			*v = int(sqlite3.Xsqlite3_value_int64(d.tls, column))
		}
		return number
	case *bool:
		if number {
			*v = sqlite3.Xsqlite3_value_int64(d.tls, column) != 0
		}
		return number
	case *sql.NullInt64:
		if *v = (sql.NullInt64{}); number {
			*v = sql.NullInt64{Int64: sqlite3.Xsqlite3_value_int64(d.tls, column), Valid: true}
		}
		return number || null
	case *sql.NullString:
		if *v = (sql.NullString{}); !null {
			*v = sql.NullString{String: d.text(column), Valid: true}
		}
		return true
	case **int64:
		if *v = nil; number {
			n := sqlite3.Xsqlite3_value_int64(d.tls, column)
			*v = &n
		}
		return number || null
	case **int:
		if *v = nil; number {
			n := int(sqlite3.Xsqlite3_value_int64(d.tls, column))
			*v = &n
		}
		return number || null
	case **string:
		if *v = nil; !null {
			text := d.text(column)
			*v = &text
		}
		return true
	case *[]byte:
		if *v = nil; !null {
			*v = []byte(d.text(column))
		}
		return true
	}
	r := reflect.ValueOf(into)
	if r.Kind() != reflect.Pointer || r.Elem().Kind() != reflect.String || null {
		return false
	}
	r.Elem().SetString(d.text(column)) // a text with a name of its own
	return true
}

func (d *direct) text(column uintptr) string {
	at := sqlite3.Xsqlite3_value_blob(d.tls, column) // a text as it is
	if at == 0 {
		return ""
	}
	return string(libc.GoBytes(at, int(sqlite3.Xsqlite3_value_bytes(d.tls, column))))
}

// failure is what SQLite says of the statement that failed last.
func (d *direct) failure(rc int32) error {
	return &directError{fmt.Sprintf("%s: %s (%d)", libc.GoString(sqlite3.Xsqlite3_errstr(d.tls, rc)), libc.GoString(sqlite3.Xsqlite3_errmsg(d.tls, d.handle)), rc), int(rc)}
}

// directError is an error of SQLite, as the driver's.
type directError struct {
	text string
	code int
}

// Error is what SQLite says.
func (e *directError) Error() string { return e.text }

// Code is SQLite's number of it.
func (e *directError) Code() int { return e.code }
