package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

func TestOperationWithoutPermissionDoesNotStart(t *testing.T) {
	t.Parallel()
	for name, access := range map[string]hospital.Access{
		"nothing":                               {},
		"no permission at all":                  hospital.Needs(),
		"a permission that does not exist":      hospital.Needs("PATIENT.SHWO"),
		"one that exists and one that does not": hospital.Needs(hospital.PatientShow, "ROOT"),
		"none of all":                           hospital.NeedsAll(),
		"all of one that does not exist":        hospital.NeedsAll(hospital.PatientShow, "ROOT"),
	} {
		s, err := New(Options{Log: slog.New(slog.DiscardHandler), App: http.NotFoundHandler()})
		if err != nil {
			t.Fatal(err)
		}
		get(s, "/admin/api/v1/test/new", access, "New", func(context.Context, *struct{}) (null, error) { return null{}, nil })
		if err := s.undeclared(); err == nil || !strings.Contains(err.Error(), "/admin/api/v1/test/new") {
			t.Errorf("%s: start-up says %v", name, err)
		}
	}
}
