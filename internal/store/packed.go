package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// selection is what is read of each row. SQLite is asked for all columns as one
// text, which is cut up here: it hands out every single value through several
// locks and copies, so that fifty rows of forty columns took three times as long
// to hand over as to find. PostgreSQL sends rows whole, and is asked plainly.
type selection struct {
	names  []string
	plain  string // SELECT … FROM …
	packed string
}

// unit stands between the columns of a packed row.
const unit = "\x1f"

// selecting makes the selection of columns, which are separated by commas and
// are text or numbers. Those that can be NULL are named; of a text, NULL and
// empty are the same to who reads it.
func selecting(columns, from string, nullable ...string) selection {
	names := strings.Split(columns, ",")
	packed := make([]string, len(names))
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		packed[i] = names[i]
	}
	for _, n := range nullable {
		found := false
		for i, name := range names {
			if name == n {
				packed[i], found = "coalesce("+name+", '')", true
			}
		}
		if !found {
			panic("no column " + n) // a programming mistake
		}
	}
	return selection{
		names:  names,
		plain:  `SELECT ` + strings.Join(names, ", ") + ` ` + from + ` `,
		packed: `SELECT concat_ws(char(31), ` + strings.Join(packed, ", ") + `) ` + from + ` `,
	}
}

// selected reads all rows of a selection through scan; rest is what follows FROM.
func selected[T any](ctx context.Context, db *DB, q querier, s selection, rest string, args []any, scan func(scan func(...any) error) (T, error)) ([]T, error) {
	if db.dialect.packs {
		list, parts := []T{}, make([]string, 0, len(s.names))
		err := ask(ctx, q, question{query: s.packed + rest, args: args, row: func(row func(...any) error) error {
			var packed string
			if err := row(&packed); err != nil {
				return err
			}
			v, err := unpacked(s, packed, parts, scan)
			list = append(list, v)
			return err
		}})
		if err == nil {
			return list, nil
		}
		if !errors.Is(err, errUnit) {
			return nil, err
		}
	}
	rows, err := q.QueryContext(ctx, s.plain+rest, args...)
	return collect(rows, err, func(rows *sql.Rows) (T, error) { return scan(rows.Scan) })
}

// unpacked reads a packed row through scan; parts is room for its columns.
func unpacked[T any](s selection, row string, parts []string, scan func(scan func(...any) error) (T, error)) (v T, err error) {
	parts = parts[:0]
	for part := range strings.SplitSeq(row, unit) {
		parts = append(parts, part)
	}
	if len(parts) != len(s.names) {
		return v, errUnit
	}
	return scan(func(into ...any) error { return unpack(parts, into) })
}

// errUnit is found in a row in which somebody typed what stands between columns.
var errUnit = errors.New("a text holds what separates columns")

// unpack writes the parts of a row where Scan would write its columns.
func unpack(parts []string, into []any) (err error) {
	if len(parts) != len(into) {
		return fmt.Errorf("%d columns for %d values", len(parts), len(into))
	}
	for i, part := range parts {
		switch v := into[i].(type) {
		case *string:
			*v = part
		case *int64:
			*v, err = strconv.ParseInt(part, 10, 64)
		case *int:
			*v, err = strconv.Atoi(part)
		case *bool:
			*v = part == "1"
		case *sql.NullInt64:
			if v.Valid = part != ""; v.Valid {
				v.Int64, err = strconv.ParseInt(part, 10, 64)
			}
		case *sql.NullString:
			v.String, v.Valid = part, part != ""
		case **int64:
			if *v = nil; part != "" {
				*v = new(int64)
				**v, err = strconv.ParseInt(part, 10, 64)
			}
		case **int:
			if *v = nil; part != "" {
				*v = new(int)
				**v, err = strconv.Atoi(part)
			}
		default: // a text with a name of its own
			reflect.ValueOf(v).Elem().SetString(part)
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}
