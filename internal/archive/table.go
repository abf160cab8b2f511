package archive

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// Table is a table and its columns.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	kinds   []kind   // of the columns
}

// kind is the type of a column, as far as the format of the rows depends on it.
type kind byte

const (
	numberKind kind = iota
	textKind
	bytesKind
	truthKind // only on PostgreSQL; written as 1 and 0, as SQLite stores it
)

// quoted returns a list of names for SQL.
func quoted(names ...string) string { return `"` + strings.Join(names, `", "`) + `"` }

// ownTables returns the tables that the migrations of an engine create, and the number of the newest
// migration.
func ownTables(engine string) (names []string, newestMigration int64, err error) {
	dir := store.Migrations(engine)
	files, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, 0, fmt.Errorf("migrations: %w", err)
	}
	for _, f := range files {
		text, err := fs.ReadFile(dir, f.Name())
		if err != nil {
			return nil, 0, fmt.Errorf("migrations: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(strings.Replace(line, "CREATE VIRTUAL TABLE", "CREATE TABLE", 1))
			if len(words) > 2 && words[0] == "CREATE" && words[1] == "TABLE" {
				names = append(names, words[2])
			}
		}
		number, _, _ := strings.Cut(f.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("migrations: %w", err)
		}
		newestMigration = max(newestMigration, n)
	}
	return names, newestMigration, nil
}

// NewestMigration returns the number of the newest migration that this program knows.
func NewestMigration() (int64, error) {
	_, newest, err := ownTables("sqlite")
	return newest, err
}

// tables returns the existing tables of this program, by name.
func tables(ctx context.Context, q querier, engine string) ([]Table, error) {
	own, _, err := ownTables(engine)
	if err != nil {
		return nil, err
	}
	// The key of the search index of SQLite is a column that is not listed.
	query := `SELECT l.name, i.name, i.type FROM pragma_table_list l JOIN (
			SELECT t.name AS tbl, c.cid, c.name, c.type FROM pragma_table_list t, pragma_table_info(t.name) c
			WHERE t.schema = 'main'
			UNION ALL
			SELECT name, -1, 'rowid', 'INTEGER' FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'
		) i ON i.tbl = l.name WHERE l.schema = 'main' ORDER BY l.name, i.cid`
	if engine == "postgres" {
		query = `SELECT c.relname, a.attname, t.typname
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
			WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
				AND NOT a.attisdropped ORDER BY c.relname COLLATE "C", a.attnum`
	}
	type column struct{ table, name, declared string }
	list, err := collect(ctx, q, func(scan sqldb.Scan) (c column, err error) {
		err = scan(&c.table, &c.name, &c.declared)
		return c, err
	}, query)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var all []Table
	for _, c := range list {
		if !slices.Contains(own, c.table) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Name != c.table {
			all = append(all, Table{Name: c.table})
		}
		s := &all[len(all)-1]
		s.Columns, s.kinds = append(s.Columns, c.name), append(s.kinds, kindOf(c.declared))
	}
	return all, nil
}

func kindOf(declared string) kind {
	switch strings.ToLower(declared) {
	case "integer", "int4", "int8":
		return numberKind
	case "blob", "bytea":
		return bytesKind
	case "bool":
		return truthKind
	default:
		return textKind
	}
}

// Rows are written in the text format of PostgreSQL's COPY: one line per row, fields separated by
// tabs, \N for NULL, bytes as \x and hexadecimal digits. PostgreSQL reads and writes it by itself; the
// functions below do it for SQLite.

// escapes are the letters that are written after a backslash instead of special characters; unescapes
// is the reverse.
var (
	escapes   = [256]byte{'\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v'}
	unescapes = [256]byte{'\\': '\\', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}
)

func appendField(line []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(line, `\N`...), nil
	case int64:
		return strconv.AppendInt(line, v, 10), nil
	case []byte:
		return hex.AppendEncode(append(line, `\\x`...), v), nil
	case string:
		start := 0 // of what is not yet written
		for i := range len(v) {
			if letter := escapes[v[i]]; letter != 0 {
				line = append(append(line, v[start:i]...), '\\', letter)
				start = i + 1
			}
		}
		return append(line, v[start:]...), nil
	default:
		return line, fmt.Errorf("a field holds a %T", v)
	}
}

var errNotARow = errors.New("a line is not a row of its table")

// readRow reads the fields of a line into values.
func readRow(line []byte, kinds []kind, values []any) error {
	for i, k := range kinds {
		field, rest, more := bytes.Cut(line, []byte{'\t'})
		if more != (i < len(kinds)-1) {
			return errNotARow
		}
		line = rest
		if string(field) == `\N` {
			values[i] = nil
			continue
		}
		var err error
		switch k {
		case numberKind, truthKind:
			values[i], err = strconv.ParseInt(string(field), 10, 64)
		case bytesKind:
			digits, ok := bytes.CutPrefix(field, []byte(`\\x`))
			if !ok {
				return errNotARow
			}
			raw := make([]byte, hex.DecodedLen(len(digits)))
			_, err = hex.Decode(raw, digits)
			values[i] = raw
		case textKind:
			values[i], err = unescape(field)
		}
		if err != nil {
			return errNotARow // err contains values of the row
		}
	}
	return nil
}

func unescape(field []byte) (string, error) {
	if bytes.IndexByte(field, '\\') < 0 {
		return string(field), nil
	}
	text := make([]byte, 0, len(field))
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c == '\\' {
			if i++; i == len(field) || unescapes[field[i]] == 0 {
				return "", errNotARow
			}
			c = unescapes[field[i]]
		}
		text = append(text, c)
	}
	return string(text), nil
}
