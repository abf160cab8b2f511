package store

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"nadmor/internal/hospital"
)

// What is sorted by is one of the list's own columns, whatever is asked for.
func FuzzOrderBy(f *testing.F) {
	for _, s := range []string{"", "date", "-date", "--date", "date desc", "id; DROP TABLE patients", "-", "DATE", "number,1", "turn", "-turn"} {
		f.Add(s)
	}
	column := `(CASE a\.status( WHEN '[A-Z_]+' THEN 1)+ ELSE 0 END|[a-z_]+\.[a-z_]+) (ASC|DESC)`
	own := regexp.MustCompile(`^ORDER BY ` + column + `(, ` + column + `)*$`)
	f.Fuzz(func(t *testing.T, s string) {
		order, err := orderBy(hospital.Page{Sort: s}, appointmentSorts, "a.id", "date")
		if err == nil && !own.MatchString(order) {
			t.Errorf("%q becomes %q", s, order)
		}
		if err != nil && hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// What somebody types never reaches LIKE with a wild card of its own.
func FuzzQueryWords(f *testing.F) {
	for _, s := range []string{"สมชาย ใจดี", "%", "_", "08-1234-5678", "๐๘๑", `\`, "HN 0001", "'; --", "\x00", "\xff", "1-1017-00230-70-8", "ก็็็็"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range queryWords(s) {
			if w == "" || strings.ContainsAny(w, "%_\\ ") || !utf8.ValidString(w) {
				t.Errorf("%q is looked for as %q", s, w)
			}
		}
		if digits := numberOf(s); strings.Trim(digits, "0123456789") != "" {
			t.Errorf("%q is the number %q", s, digits)
		}
		if key := numberKey(s); strings.ContainsAny(key, "%_") {
			t.Errorf("%q is looked for as the number %q", s, key)
		}
	})
}

// What somebody filters by is an argument of the statement and never a part of
// it, and as many arguments are given as it asks for.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"สมชาย", "%", "_", `\`, "' OR 1=1 --", "$1", "%s", "%d%%", "a$2b", "\x00", "\xff", "ก็็็็", "); DROP TABLE patients", ""} {
		f.Add(s, int64(7))
	}
	mark := regexp.MustCompile(`\$[0-9]+`)
	f.Fuzz(func(t *testing.T, text string, number int64) {
		var own, other filter
		for _, one := range []struct {
			f    *filter
			text string
			n    int64
		}{{&own, text, number}, {&other, "x", 1}} {
			one.f.add("a.status = %s", one.text)
			one.f.add("a.id = %s", one.n)
			one.f.in("a.kind", []any{one.text, one.n})
			one.f.contains(one.text, "u.name_key", "lower(u.email)")
		}
		where := own.where()
		// Nothing to look for is no condition; all else is the same text whatever is typed.
		if where != other.where() && len(own.args) == len(other.args) {
			t.Errorf("%q makes %s", text, where)
		}
		if n := len(mark.FindAllString(where, -1)); n != len(own.args) {
			t.Errorf("%q: %d marks and %d arguments in %s", text, n, len(own.args), where)
		}
		for _, a := range own.args[4:] {
			if s, ok := a.(string); ok && strings.ContainsAny(strings.Trim(s, "%"), `%_\`) {
				t.Errorf("%q is looked for as %q", text, s)
			}
		}
	})
}
