package api_test

import (
	"os"
	"testing"

	"nadmor/internal/demo"
	"nadmor/internal/store/storetest"
)

// TestMain also checks the query plans of all statements that the tests run.
func TestMain(m *testing.M) { os.Exit(storetest.RunAndCheckPlans(m, demo.Patients)) }
