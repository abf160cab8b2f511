package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

// Queries must use the status sets of package hospital instead of literals, so that each set is defined once.
func TestNoStatusLiterals(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{
		"*.go", "storetest/*.go", "../demo/*.go", "../command/*.go", "../api/*.go", "../privacy/*.go",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		sources = append(sources, found...)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, status := range hospital.AppointmentStatuses {
			if strings.Contains(string(text), "'"+string(status)+"'") {
				t.Errorf("%s contains the literal %s in a query; use oneOf", name, status)
			}
		}
	}
}
