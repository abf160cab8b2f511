package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

// Queries name the sets of hospital instead of listing statuses: a set that is written twice changes in one place only.
func TestNoQuerySpellsAStatus(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*.go", "storetest/*.go", "../demo/*.go", "../command/*.go", "../api/*.go"} {
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
				t.Errorf("%s spells %s in a query; see oneOf", name, status)
			}
		}
	}
}
