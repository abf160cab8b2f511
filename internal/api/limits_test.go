package api_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// enforced has, for limits of requests that are also enforced behind the API, the validation of a record with a value
// of n, or with a list of n items. The keys are the ends of route and path.
var enforced = map[string]func(n int) error{
	"/closures/move moves": func(n int) error {
		var c hospital.Checker
		c.Require(n <= store.MaxMoves, "moves", "", "")
		return c.Err()
	},
	"/closures/create serviceIds":   closureOf,
	"/closures/affected serviceIds": closureOf,
	"/create-series count":          func(n int) error { return hospital.Series{Count: n}.Validate() },
	"/create-series everyDays":      func(n int) error { return hospital.Series{EveryDays: n}.Validate() },
	"/create-series everyWeeks":     func(n int) error { return hospital.Series{EveryWeeks: n}.Validate() },
	"/update-capacity capacity":     func(n int) error { return hospital.CapacityChange{Capacity: &n}.Validate() },
	"/appointment-results/create icd10": func(n int) error {
		return hospital.ResultFields{ICD10: make([]string, n)}.Validate(false)
	},
	"/service-config/create schedule": scheduleOf,
	"/service-config/update schedule": scheduleOf,
	"/service-config/create staffIds": staffOf,
	"/service-config/update staffIds": staffOf,
	"/patients/create allergies":      allergiesOf,
	"/patients/update allergies":      allergiesOf,
	"/patients/create conditions":     conditionsOf,
	"/patients/update conditions":     conditionsOf,
	"/customers/create patients":      customerOf,
	"/customers/update patients":      customerOf,
	"/global-setting/update reminders": func(n int) error {
		return hospital.SettingFields{Reminders: make([]hospital.Reminder, n)}.Validate()
	},
	"/global-setting/update banners": func(n int) error {
		return hospital.SettingFields{Banners: make([]hospital.Banner, n)}.Validate()
	},
}

func closureOf(n int) error {
	f := hospital.ClosureFields{}
	for i := range n {
		f.ServiceIDs = append(f.ServiceIDs, int64(i+1))
	}
	return f.Validate()
}

func scheduleOf(n int) error {
	return hospital.ServiceFields{Schedule: make([]hospital.ScheduleRow, n)}.Validate()
}

func staffOf(n int) error { return hospital.ServiceFields{StaffIDs: make([]int64, n)}.Validate() }

func allergiesOf(n int) error {
	return hospital.PatientFields{Allergies: make([]hospital.Allergy, n)}.Validate(tuesday)
}

func conditionsOf(n int) error {
	return hospital.PatientFields{Conditions: make([]string, n)}.Validate(tuesday)
}

func customerOf(n int) error {
	return hospital.CustomerFields{Patients: make([]hospital.CustomerPatient, n)}.Validate()
}

// rejects reports whether a validation error is about the field itself.
func rejects(err error, field string) bool {
	var e *hospital.Error
	return errors.As(err, &e) &&
		slices.ContainsFunc(e.Fields, func(f hospital.FieldError) bool { return f.Field == field })
}

// Every list in a request has a maximum in the OpenAPI document, as have page sizes and the numbers in enforced. Where
// the limit is enforced elsewhere as well, both are the same.
func TestDeclaredLimitsAreEnforced(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		compared := map[string]bool{}
		for _, i := range inputs(t, n) {
			name := i.Route + " " + i.Path
			limit, declared := i.Schema["maxItems"].(float64)
			if i.Schema["type"] != "array" {
				limit, declared = i.Schema["maximum"].(float64)
			}
			for key, validate := range enforced {
				if !strings.HasSuffix(name, key) {
					continue
				}
				compared[key] = true
				if most := int(limit); !declared || rejects(validate(most), i.Path) || !rejects(validate(most+1), i.Path) {
					t.Errorf("%s: the maximum in the OpenAPI document (%v) is not the enforced one", name, limit)
				}
			}
			bounded := i.Schema["type"] == "array" || i.name() == "pageSize" || i.name() == "limit"
			if bounded && !declared && i.name() != "permissions" { // the items are of an enum
				t.Errorf("%s has no maximum in the OpenAPI document", name)
			}
			if i.name() == "pageSize" && limit != 200 {
				t.Errorf("%s: maximum %v", name, limit)
			}
		}
		for key := range enforced {
			if !compared[key] {
				t.Errorf("%s is not in the OpenAPI document", key)
			}
		}
	})
}

// The longest period that is accepted is in the description of the field for a single day.
func TestDeclaredPeriodsAreEnforced(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		period := func(days int) hospital.DateRange {
			return hospital.DateRange{DateFrom: tuesday, DateTo: hospital.AddDays(tuesday, days-1)}
		}
		found := 0
		for _, i := range inputs(t, n) {
			var validate func(days int) error
			switch {
			case strings.HasSuffix(i.Route+" "+i.Path, "/update-capacity date"):
				validate = func(days int) error { return hospital.CapacityChange{DateRange: period(days)}.Validate() }
			case strings.HasSuffix(i.Route+" "+i.Path, "/check-time-slots date"):
				validate = func(days int) error { return hospital.SlotQuery{DateRange: period(days)}.Validate() }
			default:
				continue
			}
			found++
			var most int
			text, _ := i.Schema["description"].(string)
			_, err := fmt.Sscanf(text, "A single date; or dateFrom and dateTo, at most %d days", &most)
			if err != nil || rejects(validate(most), "dateTo") || !rejects(validate(most+1), "dateTo") {
				t.Errorf("%s: %q is not the enforced maximum", i.Route, text)
			}
		}
		if found < 2 {
			t.Errorf("%d of the operations are in the OpenAPI document", found)
		}
	})
}
