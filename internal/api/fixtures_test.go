package api_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// The kinds of records. Their ids are far apart, so that no id exists for two kinds.
var kinds = []string{
	"users", "roles", "patients", "customers", "services", "appointments", "results", "closures", "displays",
}

// fixtures creates records of each kind.
type fixtures struct {
	*bookingClient
	sql       *sql.DB
	customers string // token for customer operations
	created   int
	secret    string // one-time-code secret of the user that code set up
}

func newArchive(t *testing.T, p storetest.Database) *fixtures {
	t.Helper()
	n, raw := start(t, p), p.SQL(t)
	for i, table := range kinds {
		query := fmt.Sprintf(`INSERT INTO sqlite_sequence (name, seq) VALUES ('%s', %d)`, table, (i+1)*1000)
		if p.Engine == "postgres" {
			query = fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN id RESTART WITH %d`, table, (i+1)*1000)
		}
		if _, err := raw.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	storetest.SetUp(t, n.db)
	for _, r := range hospital.SystemRoles[1:] {
		storetest.AddUser(t, n.db, strings.ToLower(r.Name), r.Name)
	}
	a := &fixtures{bookingClient: newBookingClient(t, n), sql: raw, customers: n.signIn("admin").SmqAccessToken}
	a.clinic = storetest.AddService(t, n.db, "ROOMY", 1000)
	return a
}

// seat books an appointment for a new patient.
func (a *fixtures) seat() int64 {
	a.t.Helper()
	return idOf(a.t, a.book(a.clinic, tuesday, "10:00"))
}

func idOf(t *testing.T, a answer) int64 {
	t.Helper()
	return decode[struct{ ID int64 }](t, a).ID
}

// make creates an unused record.
func (a *fixtures) make(kind string) int64 {
	a.t.Helper()
	a.created++
	create := func(path string, body map[string]any) int64 { return idOf(a.t, a.post(path, a.token, body)) }
	switch kind {
	case "users":
		return storetest.AddUser(a.t, a.db, fmt.Sprint("user", a.created), "QUEUE").ID
	case "roles":
		return create(rolePath+"/create",
			obj("name", fmt.Sprint("ROLE_", a.created), "label", "บทบาท", "permissions", []string{"DASHBOARD.SHOW"}))
	case "patients":
		return a.patient()
	case "customers":
		return idOf(a.t,
			a.post(customerPath+"/create", a.customers, obj("name", "ผู้ใช้บริการ", "phone", fmt.Sprintf("08%08d", a.created))))
	case "services":
		return create(servicePath+"/create",
			obj("code", fmt.Sprint("S", a.created), "name", "คลินิก", "defaultCapacity", 100, "schedule", []any{
				obj("weekday", 2, "startTime", "08:00", "endTime", "12:00"),
				obj("weekday", 2, "startTime", "13:00", "endTime", "16:00"),
			}))
	case "appointments":
		return a.seat()
	case "results":
		return idOf(a.t,
			a.sendNamed(visitPath+"/result/create/"+itoa(a.seat()), a.token, "ผล.pdf", aPDF(100), map[string]string{
				"diagnosis": "ความลับ",
			}))
	case "closures":
		return create(servicePath+"/closures/create",
			obj("dateFrom", "2027-01-05", "dateTo", "2027-01-05", "reason", "ประชุม", "serviceIds", []int64{a.clinic.ID}))
	case "displays":
		return create(displaysPath+"/create", obj("serviceId", a.clinic.ID, "label", "จอ"))
	}
	a.t.Fatalf("no kind %q", kind)
	return 0
}

// remove deletes a record.
func (a *fixtures) remove(kind string, id int64) {
	a.t.Helper()
	path, token, body := map[string]string{
		"users": userPath + "/delete", "roles": rolePath + "/delete", "patients": patientPath + "/delete",
		"customers": customerPath + "/delete", "services": servicePath + "/delete",
		"closures": servicePath + "/closures/delete", "displays": displaysPath + "/delete",
	}[kind], a.token, obj("id", id)
	switch kind {
	case "appointments":
		a.call(http.MethodDelete, visitPath+"/delete/"+itoa(id), a.token, nil).want(a.t, "")
		return
	case "results":
		a.call(http.MethodDelete, resultPath+"/delete/"+itoa(id)+"?reason=test", a.token, nil).want(a.t, "")
		return
	case "patients":
		body["reason"] = "ลงทะเบียนซ้ำ"
	case "customers":
		token = a.customers
	}
	a.post(path, token, body).want(a.t, "")
}

// form is a multipart body with a file.
type form map[string]string

// withoutRequestID returns a response without its variable parts.
func withoutRequestID(a answer) string {
	if a.err.RequestID != "" {
		return strings.ReplaceAll(a.raw, a.err.RequestID, "")
	}
	return a.raw
}

// ask sends a request and accepts any response, including files.
func (a *fixtures) ask(method, path, token string, request any) answer {
	a.t.Helper()
	var headers []string
	switch r := request.(type) {
	case string:
		path, request = path+"?"+r, nil
	case form:
		body, kind := formWith(a.t, "ผล.pdf", aPDF(100), r)
		request, headers = body, []string{"Content-Type", kind}
	}
	res, raw := a.raw(method, path, token, request, headers...)
	got := answer{status: res.StatusCode, header: res.Header, raw: string(raw)}
	var env struct{ Error json.RawMessage }
	if json.Unmarshal(raw, &env) == nil && env.Error != nil {
		if err := json.Unmarshal(env.Error, &got.err); err != nil {
			a.t.Fatal(err)
		}
	}
	if (got.status == http.StatusOK) != (got.err.Code == "") {
		a.t.Errorf("%s %s: %d without saying why: %.200s", method, path, got.status, raw)
	}
	return got
}

// state returns a digest of all stored data.
func (a *fixtures) state() string {
	a.t.Helper()
	var counts []string
	for _, table := range kinds {
		live := ""
		if table != "roles" && table != "closures" && table != "displays" {
			live = " WHERE deleted_at IS NULL"
		}
		version := "0"
		if table != "results" && table != "closures" && table != "displays" {
			version = "coalesce(sum(version), 0)"
		}
		counts = append(counts, `(SELECT '`+table+` ' || count(*) || ' ' || `+version+` FROM `+table+live+`)`)
	}
	var state string
	if err := a.sql.QueryRowContext(a.t.Context(),
		`SELECT `+strings.Join(counts, ` || ', ' || `)).Scan(&state); err != nil {
		a.t.Fatal(err)
	}
	return state
}
