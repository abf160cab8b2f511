package privacy_test

import (
	"errors"
	"os"
	"testing"

	"nadmor/internal/demo"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// TestMain checks the plans of every statement that the tests run.
func TestMain(m *testing.M) { os.Exit(storetest.RunAndCheckPlans(m, demo.Patients)) }

// wantCode fails the test unless err has the code.
func wantCode(t *testing.T, err error, want hospital.Code) *hospital.Error {
	t.Helper()
	var e *hospital.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got error %v, want %s", err, want)
	}
	return e
}
