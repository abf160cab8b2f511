package store

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// diff tells which fields differ between two records, as JSON shows them. Nil
// stands for a record that does not exist (yet, or any more). Fields that only
// count changes are left out.
func diff(before, after any) map[string]hospital.Change {
	b, a := fields(before), fields(after)
	changes := make(map[string]hospital.Change, len(a))
	for k, v := range a {
		if was, had := b[k]; !had || !reflect.DeepEqual(v, was) {
			changes[k] = hospital.Change{Before: was, After: v}
		}
	}
	for k, v := range b {
		if _, still := a[k]; !still {
			changes[k] = hospital.Change{Before: v}
		}
	}
	for _, k := range []string{"id", "version", "createdAt", "updatedAt", "userCount"} {
		delete(changes, k)
	}
	return changes
}

// fields are the fields of a record as its JSON would be read. An empty field
// and an absent one are the same to a reader of the log.
func fields(v any) map[string]any {
	m := map[string]any{}
	if v == nil {
		return m
	}
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch {
	case r.Kind() == reflect.Pointer:
		return m
	case r.Kind() == reflect.Struct && !marshalsItself(r.Type()):
		for _, f := range fieldsOf(r.Type()) {
			if x := r.FieldByIndex(f.index); !f.omitZero || !x.IsZero() {
				if p := f.plain(x); !empty(p) {
					m[f.name] = p
				}
			}
		}
	default:
		throughJSON(v, &m)
		maps.DeleteFunc(m, func(_ string, x any) bool { return empty(x) })
	}
	return m
}

func empty(x any) bool {
	switch x := x.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case bool:
		return !x
	case []any:
		return len(x) == 0
	}
	return false
}

// jsonField is a field of a struct as JSON shows it.
type jsonField struct {
	name     string
	index    []int
	omitZero bool
	plain    func(reflect.Value) any // the value as reading its JSON gives it
}

// fieldsOf are the fields of a struct that JSON shows. They are looked up once
// for each type: every change of a record is told by them.
func fieldsOf(t reflect.Type) []jsonField {
	if known, ok := knownFields.Load(t); ok {
		return known.([]jsonField)
	}
	list := embeddedFields(t, nil)
	knownFields.Store(t, list)
	return list
}

var knownFields sync.Map // reflect.Type → []jsonField

// embeddedFields are the fields of a struct and of those embedded in it, of which
// it covers what has the same name.
func embeddedFields(t reflect.Type, index []int) (list []jsonField) {
	var deeper []jsonField
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			deeper = append(deeper, embeddedFields(f.Type, at)...)
		case f.IsExported() && name != "-":
			list = append(list, jsonField{cmp.Or(name, f.Name), at, strings.HasPrefix(options, "omit"), plainOf(f.Type)})
		}
	}
	for _, f := range deeper {
		if !slices.ContainsFunc(list, func(own jsonField) bool { return own.name == f.name }) {
			list = append(list, f)
		}
	}
	return list
}

// plainOf tells how values of a type are read from their JSON; most without
// writing it first.
func plainOf(t reflect.Type) func(reflect.Value) any {
	switch {
	case t.Kind() == reflect.Pointer:
		of := plainOf(t.Elem())
		return func(v reflect.Value) any {
			if v.IsNil() {
				return nil
			}
			return of(v.Elem())
		}
	case t == reflect.TypeFor[time.Time]():
		return func(v reflect.Value) any { return v.Interface().(time.Time).Format(time.RFC3339Nano) }
	case marshalsItself(t):
	case t.Kind() == reflect.String:
		return func(v reflect.Value) any { return v.String() }
	case t.Kind() == reflect.Bool:
		return func(v reflect.Value) any { return v.Bool() }
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return func(v reflect.Value) any { return float64(v.Int()) }
	}
	return func(v reflect.Value) (read any) {
		throughJSON(v.Interface(), &read)
		return read
	}
}

// throughJSON writes a value as JSON and reads it back.
func throughJSON(v, into any) {
	if err := json.Unmarshal([]byte(toJSON(v)), into); err != nil {
		panic(fmt.Sprintf("audited value is not an object: %v", err)) // a programming mistake
	}
}

var jsonMarshaler, textMarshaler = reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()

func marshalsItself(t reflect.Type) bool {
	return t.Implements(jsonMarshaler) || t.Implements(textMarshaler)
}
