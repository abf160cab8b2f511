package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
)

// plain converts an argument to nil, bool, int64, float64, string or []byte. A named type is
// converted to its underlying type, a nil pointer to NULL.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, []byte:
		return v, nil
	case int:
		return int64(v), nil
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("sqldb: value of %T: %w", v, err)
		}
		if _, again := value.(driver.Valuer); again {
			return nil, fmt.Errorf("sqldb: value of %T is a driver.Valuer", v)
		}
		return plain(value)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return nil, nil
		}
		return plain(r.Elem().Interface())
	case reflect.Bool:
		return r.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int(), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(r.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return r.Float(), nil
	case reflect.String:
		return r.String(), nil
	case reflect.Slice:
		if r.Type().Elem().Kind() == reflect.Uint8 {
			return r.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("sqldb: cannot use %T as an argument", v)
}

// plainArgs returns the arguments of a statement as plain values.
func plainArgs(args []any) ([]any, error) {
	list := make([]any, len(args))
	for i, a := range args {
		v, err := plain(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		list[i] = v
	}
	return list, nil
}

// assign copies a row of plain values. A destination is a pointer to a bool, an integer, a
// float, a string or bytes, or to a named type with one of these as its underlying type; or a
// sql.Scanner; or *any. Only a pointer to a pointer, a sql.Scanner and *any accept NULL.
func assign(dest, row []any) error {
	if len(dest) != len(row) {
		return fmt.Errorf("sqldb: %d columns, %d destinations", len(row), len(dest))
	}
	for i, v := range row {
		if err := assignOne(dest[i], v); err != nil {
			return fmt.Errorf("sqldb: column %d: %w", i+1, err)
		}
	}
	return nil
}

func assignOne(dest, v any) error {
	switch d := dest.(type) { // the common ones without reflection
	case *int64:
		if n, ok := v.(int64); ok {
			*d = n
			return nil
		}
	case *int:
		if n, ok := v.(int64); ok {
			*d = int(n)
			return nil
		}
	case *string:
		if s, ok := v.(string); ok {
			*d = s
			return nil
		}
	case *any:
		*d = v
		return nil
	case sql.Scanner:
		return d.Scan(v)
	}
	r := reflect.ValueOf(dest)
	if r.Kind() != reflect.Pointer || r.IsNil() {
		return fmt.Errorf("%T is not a pointer to scan into", dest)
	}
	return assignTo(r.Elem(), v)
}

// assignTo sets a value of one of the kinds that assign documents.
func assignTo(to reflect.Value, v any) error {
	if to.Kind() == reflect.Pointer {
		if v == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assignOne(to.Interface(), v)
	}
	switch v := v.(type) {
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(v)
			return nil
		}
	case int64:
		return assignInt(to, v)
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
		if to.CanInt() && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return assignInt(to, int64(v))
		}
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
	case []byte:
		if to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8 {
			to.SetBytes(v)
			return nil
		}
	}
	if v == nil {
		return fmt.Errorf("NULL does not fit into %s", to.Type())
	}
	return fmt.Errorf("%T does not fit into %s", v, to.Type())
}

// assignInt also sets bools, which SQLite stores as 0 and 1, and floats.
func assignInt(to reflect.Value, v int64) error {
	switch {
	case to.CanInt() && !to.OverflowInt(v):
		to.SetInt(v)
	case to.CanUint() && v >= 0 && !to.OverflowUint(uint64(v)):
		to.SetUint(uint64(v))
	case to.Kind() == reflect.Bool && (v == 0 || v == 1):
		to.SetBool(v == 1)
	case to.CanFloat():
		to.SetFloat(float64(v))
	default:
		return fmt.Errorf("%d does not fit into %s", v, to.Type())
	}
	return nil
}
