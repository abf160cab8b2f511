package store_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Fields returns the fields of a record as decoded from its JSON, without the empty ones.
func TestFieldsMatchJSON(t *testing.T) {
	t.Parallel()
	for _, record := range []any{
		store.Bare(hospital.Appointment{}), hospital.Appointment{}, hospital.Patient{}, hospital.Service{},
		hospital.Setting{}, hospital.User{}, hospital.Role{}, hospital.Closure{}, hospital.Customer{},
		hospital.Result{}, hospital.AppointmentFilter{}, hospital.PatientFilter{}, hospital.ReportQuery{},
		hospital.Display{},
	} {
		filled := reflect.New(reflect.TypeOf(record))
		fill(filled.Elem())
		for _, v := range []any{record, filled.Interface()} {
			want := map[string]any{}
			readBack(t, v, &want)
			for k, x := range want {
				if x == nil || x == "" || x == false || reflect.DeepEqual(x, []any{}) {
					delete(want, k)
				}
			}
			if got := store.Fields(v); !reflect.DeepEqual(got, want) {
				t.Errorf("%T: fields\n%v, its JSON has\n%v", v, got, want)
			}
		}
	}
	if got := store.Fields((*hospital.Patient)(nil)); len(got) != 0 {
		t.Errorf("a nil pointer has %v", got)
	}
	if got := store.Fields(json.RawMessage(`{"a": 1, "b": ""}`)); !reflect.DeepEqual(got, map[string]any{"a": 1.0}) {
		t.Errorf("a json.Marshaler has %v", got)
	}
}

// fill sets every field to a value.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 11, 16, 9, 0, 0, 1e6, time.UTC)))
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
	case v.Kind() == reflect.String:
		v.SetString("ก<b>" + v.Type().Name())
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1<<40 + 7)
	}
}

// readBack encodes a value as JSON and decodes it.
func readBack(t *testing.T, v, into any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
