package api_test

import (
	"os"
	"testing"

	"nadmor/internal/demo"
	"nadmor/internal/store/storetest"
)

// TestMain looks at the plans of every statement that the tests run.
func TestMain(m *testing.M) { os.Exit(storetest.RunAndCheckPlans(m, demo.Patients)) }
