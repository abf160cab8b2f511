package main

import (
	"os"
	"path/filepath"
	"testing"

	"nadmor/test/product"
)

// The short forms of the faults.

func TestNothingIsLostWhenTheProductIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	binary, err := product.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := printer(func(line string) { t.Log(line) })
	t.Run("sqlite", func(t *testing.T) {
		if err := crash(t.Context(), out, product.Place{Dir: filepath.Join(t.TempDir(), "data")}, binary, 10); err != nil {
			t.Error(err)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		server := os.Getenv("NADMOR_TEST_POSTGRES")
		if server == "" {
			t.Skip("no PostgreSQL: run through scripts/with-postgres")
		}
		url, err := product.NewDatabase(t.Context(), server, "nadmor_faults_test")
		if err != nil {
			t.Fatal(err)
		}
		if err := crash(t.Context(), out, product.Place{Dir: filepath.Join(t.TempDir(), "data"), URL: url}, binary, 10); err != nil {
			t.Error(err)
		}
	})
}
