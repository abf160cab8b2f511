package store

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"nadmor/internal/hospital"
)

// FuzzOrderBy checks that a list is only sorted by its own columns.
func FuzzOrderBy(f *testing.F) {
	for _, s := range []string{
		"", "date", "-date", "--date", "date desc", "id; DROP TABLE patients", "-", "DATE", "number,1", "turn", "-turn",
	} {
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

// FuzzQueryWords checks that a search text never passes wild cards to LIKE.
func FuzzQueryWords(f *testing.F) {
	for _, s := range []string{
		"สมชาย ใจดี", "%", "_", "08-1234-5678", "๐๘๑", `\`, "HN 0001", "'; --", "\x00", "\xff", "1-1017-00230-70-8", "ก็็็็",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range queryWords(s) {
			if w == "" || strings.ContainsAny(w, "%_\\ ") || !utf8.ValidString(w) {
				t.Errorf("%q is searched as %q", s, w)
			}
		}
		if digits := numberOf(s); strings.Trim(digits, "0123456789") != "" {
			t.Errorf("%q is the number %q", s, digits)
		}
		if key := numberKey(s); strings.ContainsAny(key, "%_") {
			t.Errorf("%q is searched as the number %q", s, key)
		}
	})
}

// FuzzFilter checks that the values of a filter are arguments of the statement and never part of its text,
// and that the number of arguments is right.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"สมชาย", "%", "_", `\`, "' OR 1=1 --", "$1", "%s", "%d%%", "a$2b", "\x00", "\xff", "ก็็็็", "); DROP TABLE patients",
		"",
	} {
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
		// An empty text adds no condition. Otherwise the statement does not depend on the text.
		if where != other.where() && len(own.args) == len(other.args) {
			t.Errorf("%q makes %s", text, where)
		}
		if n := len(mark.FindAllString(where, -1)); n != len(own.args) {
			t.Errorf("%q: %d marks and %d arguments in %s", text, n, len(own.args), where)
		}
		for _, a := range own.args[4:] {
			if s, ok := a.(string); ok && strings.ContainsAny(strings.Trim(s, "%"), `%_\`) {
				t.Errorf("%q is searched as %q", text, s)
			}
		}
	})
}
