package store_test

import (
	"os"
	"testing"

	"nadmor/internal/demo"
	"nadmor/internal/store/storetest"
)

// TestMain runs the tests and checks the query plans of their statements.
func TestMain(m *testing.M) { os.Exit(storetest.RunAndCheckPlans(m, demo.Patients)) }
