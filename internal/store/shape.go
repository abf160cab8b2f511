package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Shape is a table and its columns.
type Shape struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	kinds   []kind   // of the columns
}

// kind is what a column holds, as far as rows are written for both engines.
type kind byte

const (
	numberKind kind = iota
	textKind
	bytesKind
	truthKind // PostgreSQL's own; written as 1 and 0, as SQLite has it
)

// quoted is a list of columns or tables for SQL.
func quoted(names ...string) string { return `"` + strings.Join(names, `", "`) + `"` }

var (
	madeTable  = regexp.MustCompile(`(?m)^CREATE (?:VIRTUAL )?TABLE (\w+)`)
	fileNumber = regexp.MustCompile(`^\d+`)
)

// ownTables are the tables that the migrations of an engine make, and
// newestMigration is the number of the last one.
func ownTables(engine string) (tables []string, newestMigration int64, err error) {
	dir := path.Join("migrations", engine)
	files, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return nil, 0, fmt.Errorf("migrations: %w", err)
	}
	for _, f := range files {
		text, err := migrations.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			return nil, 0, fmt.Errorf("migrations: %w", err)
		}
		for _, m := range madeTable.FindAllSubmatch(text, -1) {
			tables = append(tables, string(m[1]))
		}
		n, err := strconv.ParseInt(fileNumber.FindString(f.Name()), 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("migrations: %w", err)
		}
		newestMigration = max(newestMigration, n)
	}
	return tables, newestMigration, nil
}

// NewestMigration is the last one this program knows.
func NewestMigration() (int64, error) {
	_, newest, err := ownTables("sqlite")
	return newest, err
}

// shapes are the tables of ours that are there, by name.
func shapes(ctx context.Context, q querier, engine string) ([]Shape, error) {
	own, _, err := ownTables(engine)
	if err != nil {
		return nil, err
	}
	// The search index of SQLite has its key as a column that is not listed.
	query := `SELECT l.name, i.name, i.type FROM pragma_table_list l JOIN (
			SELECT t.name AS tbl, c.cid, c.name, c.type FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.schema = 'main'
			UNION ALL SELECT name, -1, 'rowid', 'INTEGER' FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'
		) i ON i.tbl = l.name WHERE l.schema = 'main' ORDER BY l.name, i.cid`
	if engine == "postgres" {
		query = `SELECT c.relname, a.attname, t.typname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
			WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname COLLATE "C", a.attnum`
	}
	rows, err := q.QueryContext(ctx, query)
	list, err := scanAll(rows, err, func(r *[3]string) []any { return []any{&r[0], &r[1], &r[2]} })
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var all []Shape
	for _, r := range list {
		if !slices.Contains(own, r[0]) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Name != r[0] {
			all = append(all, Shape{Name: r[0]})
		}
		s := &all[len(all)-1]
		s.Columns, s.kinds = append(s.Columns, r[1]), append(s.kinds, kindOf(r[2]))
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

// Rows are written in the text format of PostgreSQL's COPY: a line per row,
// fields apart by tabs, \N for nothing, bytes as \x and hexadecimal digits.
// PostgreSQL writes and reads it by itself; these two do it for SQLite.

// escapes are the letters that stand for what would be mistaken, and unescapes
// the way back.
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
		plain := 0 // from here on nothing was special
		for i := range len(v) {
			if letter := escapes[v[i]]; letter != 0 {
				line = append(append(line, v[plain:i]...), '\\', letter)
				plain = i + 1
			}
		}
		return append(line, v[plain:]...), nil
	default:
		return line, fmt.Errorf("a field holds a %T", v)
	}
}

var errNotARow = errors.New("a line is not a row of its table")

// readRow reads a line into one value for each kind.
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
			return errNotARow // the reason would repeat what is in it
		}
	}
	return nil
}

func unescape(field []byte) (string, error) {
	if bytes.IndexByte(field, '\\') < 0 {
		return string(field), nil
	}
	plain := make([]byte, 0, len(field))
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c == '\\' {
			if i++; i == len(field) || unescapes[field[i]] == 0 {
				return "", errNotARow
			}
			c = unescapes[field[i]]
		}
		plain = append(plain, c)
	}
	return string(plain), nil
}
