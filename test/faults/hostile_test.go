package main

import (
	"errors"
	"testing"

	"nadmor/test/product"
)

// The short forms.
func TestTheWorldAroundIsHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	binary, err := product.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := fault(t.Context(), func(line string) { t.Log(line) }, t.TempDir(), binary, true)
			if errors.Is(err, errNoMount) {
				t.Skip(err)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}
