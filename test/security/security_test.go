package main

import (
	"path/filepath"
	"testing"

	"nadmor/test/product"
)

// The short form: a few thousand requests made from the document.
func TestRequestsOfEveryShape(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	dir := t.TempDir()
	binary, err := product.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	q := &requests{total: 6000, clients: 4, seed: 2569, say: func(line string) { t.Log(line) }}
	if err := attack(t.Context(), product.Place{Dir: filepath.Join(dir, "data")}, binary, q); err != nil {
		t.Error(err)
	}
}
