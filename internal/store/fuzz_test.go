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
	for _, s := range []string{"", "date", "-date", "--date", "date desc", "id; DROP TABLE patients", "-", "DATE", "number,1"} {
		f.Add(s)
	}
	own := regexp.MustCompile(`^ORDER BY [a-z_]+\.[a-z_]+ (ASC|DESC)(, [a-z_]+\.[a-z_]+ (ASC|DESC))*$`)
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
