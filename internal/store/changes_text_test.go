package store_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Changes are read as they were written.
func TestChangesRoundTrip(t *testing.T) {
	t.Parallel()
	changes := map[string]hospital.Change{}
	for name, v := range map[string]any{
		"text": "นัดติดตาม <b>&amp;</b>", "quotes": `"\"`, "lines": "ก\nข\tค\x00", "separators": "\u2028\u2029",
		"number": 1.0, "minus": -3.0, "half": 0.5, "large": 1e300,
		"edge": math.Exp2(53), "beyond": math.Exp2(60), "yes": true, "list": []any{1.0, "ก"},
		"object": map[string]any{"ข": nil}, "ชื่อ \"": "",
	} {
		changes[name] = hospital.Change{Before: v, After: v}
		changes["no longer "+name], changes["new "+name] = hospital.Change{Before: v}, hospital.Change{After: v}
	}
	var read map[string]hospital.Change
	err := json.Unmarshal([]byte(store.ChangesText(changes)), &read)
	if err != nil || !reflect.DeepEqual(read, changes) {
		t.Errorf("%v: %v reads as %v", err, changes, read)
	}
	var after map[string]any
	text := store.SideText(changes, func(c hospital.Change) any { return c.After })
	if err := json.Unmarshal([]byte(text), &after); err != nil {
		t.Fatal(err)
	}
	for name, c := range changes {
		if v, found := after[name]; found != (c.After != nil) || !reflect.DeepEqual(v, c.After) {
			t.Errorf("%s: read %v, want %v", name, v, c.After)
		}
	}
	for _, c := range []struct{ changes, want string }{
		{store.ChangesText(nil), "{}"},
		{store.ChangesText(map[string]hospital.Change{"a": {After: "\xff"}}), `{"a":{"after":"\ufffd"}}`},
	} {
		if c.changes != c.want {
			t.Errorf("written as %s, want %s", c.changes, c.want)
		}
	}
}
