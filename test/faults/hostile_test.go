package main

import (
	"errors"
	"testing"
)

// The short forms, in parallel. Without permission to mount, the disk is skipped.
func TestHostileEnvironment(t *testing.T) {
	_, binary := built(t)
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
