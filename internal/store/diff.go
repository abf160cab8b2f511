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

// diff returns the fields that differ between two records, with their values in JSON. Nil stands for
// a record that does not exist. Fields that only count changes are left out.
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

// changesText returns changes as the audit log stores them.
func changesText(changes map[string]hospital.Change) string {
	if changes == nil {
		return "{}"
	}
	return toJSON(changes)
}

// sideText returns the fields that have a value on one side of the changes, with that value.
func sideText(changes map[string]hospital.Change, side func(hospital.Change) any) string {
	values := make(map[string]any, len(changes))
	for field, c := range changes {
		if v := side(c); v != nil {
			values[field] = v
		}
	}
	return toJSON(values)
}

// fields returns the fields of a record as decoded from its JSON, without empty ones: a reader of
// the log makes no difference between an empty field and an absent one.
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
				if v := f.value(x); !empty(v) {
					m[f.name] = v
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

// jsonField is a field of a struct in JSON.
type jsonField struct {
	name     string
	index    []int
	omitZero bool
	value    func(reflect.Value) any // returns the value as decoded from its JSON
}

// fieldsOf returns the fields of a struct in JSON.
func fieldsOf(t reflect.Type) []jsonField {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]jsonField)
	}
	list := embeddedFields(t, nil)
	fieldCache.Store(t, list)
	return list
}

// fieldCache holds the fields by reflect.Type. They never change.
var fieldCache sync.Map

// embeddedFields returns the fields of a struct and of those embedded in it, except for those that
// a field with the same name hides.
func embeddedFields(t reflect.Type, index []int) (list []jsonField) {
	var deeper []jsonField
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			deeper = append(deeper, embeddedFields(f.Type, at)...)
		case f.IsExported() && name != "-":
			omit := strings.HasPrefix(options, "omit")
			list = append(list, jsonField{cmp.Or(name, f.Name), at, omit, decoded(f.Type)})
		}
	}
	for _, f := range deeper {
		if !slices.ContainsFunc(list, func(own jsonField) bool { return own.name == f.name }) {
			list = append(list, f)
		}
	}
	return list
}

// decoded returns a function that returns values of a type as decoded from their JSON, for most
// types without encoding them.
func decoded(t reflect.Type) func(reflect.Value) any {
	switch {
	case t.Kind() == reflect.Pointer:
		of := decoded(t.Elem())
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

// throughJSON encodes a value as JSON and decodes it.
func throughJSON(v, into any) {
	if err := json.Unmarshal([]byte(toJSON(v)), into); err != nil {
		panic(fmt.Sprintf("audited value is not an object: %v", err)) // a programming mistake
	}
}

var jsonMarshaler, textMarshaler = reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()

func marshalsItself(t reflect.Type) bool {
	return t.Implements(jsonMarshaler) || t.Implements(textMarshaler)
}
