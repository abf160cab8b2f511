package main

import (
	"testing"
	"time"
)

// The short form: a few users for a few seconds. Every action is answered, nothing fails, and events arrive.
func TestStaffWork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	if err := run(t.Context(), load{
		staff: 20, length: 8 * time.Second, think: 100 * time.Millisecond, patients: 500, appointments: 3000,
		say: func(line string) { t.Log(line) },
	}); err != nil {
		t.Error(err)
	}
}
