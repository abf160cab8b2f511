package api_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// named is what names a record in a request: an id, several, a key, a token.
var named = regexp.MustCompile(`^(ids?|key|token|Idempotency-Key|Last-Event-ID)$|[a-z]Ids?$`)

// namesIn finds everything in a request that names a record, from the document:
// "path id", "body patients.patientId".
func namesIn(t *testing.T, doc map[string]any, op map[string]any) (list []string) {
	t.Helper()
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		p := p.(map[string]any)
		if name := p["name"].(string); named.MatchString(name) {
			list = append(list, p["in"].(string)+" "+name)
		}
	}
	var walk func(schema map[string]any, path string, depth int)
	walk = func(schema map[string]any, path string, depth int) {
		if ref, ok := schema["$ref"].(string); ok {
			schema = doc["components"].(map[string]any)["schemas"].(map[string]any)[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
		}
		if depth > 6 {
			t.Fatalf("%s goes on for ever", path)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			walk(items, path, depth+1)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			if named.MatchString(name) {
				list = append(list, strings.TrimSpace("body "+path+name))
			}
			walk(p.(map[string]any), path+name+".", depth+1)
		}
	}
	if body, ok := op["requestBody"].(map[string]any); ok {
		for _, content := range body["content"].(map[string]any) {
			walk(content.(map[string]any)["schema"].(map[string]any), "", 0)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// The kinds of records. Their numbers are far apart, so that the number of one
// is none of another.
var kinds = []string{"users", "roles", "patients", "customers", "services", "appointments", "results", "closures", "displays"}

// archive makes records of each kind.
type archive struct {
	*desk
	sql       *sql.DB
	customers string // the token for customers' calls
	made      int
}

func newArchive(t *testing.T, p storetest.Place) *archive {
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
	a := &archive{desk: openDesk(t, n), sql: raw, customers: n.signIn("admin").SmqAccessToken}
	a.clinic = storetest.AddService(t, n.db, "ROOMY", 1000)
	return a
}

// seat books for somebody new.
func (a *archive) seat() int64 {
	a.t.Helper()
	return idOf(a.t, a.book(a.clinic, tuesday, "10:00"))
}

func idOf(t *testing.T, a answer) int64 {
	t.Helper()
	return decode[struct{ ID int64 }](t, a).ID
}

// make makes a record that nobody has used yet.
func (a *archive) make(kind string) int64 {
	a.t.Helper()
	a.made++
	create := func(path string, body map[string]any) int64 { return idOf(a.t, a.post(path, a.token, body)) }
	switch kind {
	case "users":
		return storetest.AddUser(a.t, a.db, fmt.Sprint("somebody", a.made), "QUEUE").ID
	case "roles":
		return create(rolePath+"/create", obj("name", fmt.Sprint("ROLE_", a.made), "label", "บทบาท", "permissions", []string{"DASHBOARD.SHOW"}))
	case "patients":
		return a.patient()
	case "customers":
		return idOf(a.t, a.post(customerPath+"/create", a.customers, obj("name", "ผู้ใช้บริการ", "phone", fmt.Sprintf("08%08d", a.made))))
	case "services":
		return create(servicePath+"/create", obj("code", fmt.Sprint("S", a.made), "name", "คลินิก", "defaultCapacity", 100, "schedule", []any{obj("weekday", 2, "startTime", "08:00", "endTime", "12:00"), obj("weekday", 2, "startTime", "13:00", "endTime", "16:00")}))
	case "appointments":
		return a.seat()
	case "results":
		return idOf(a.t, a.sendNamed(visitPath+"/result/create/"+itoa(a.seat()), a.token, "ผล.pdf", aPDF(100), map[string]string{"diagnosis": "ความลับ"}))
	case "closures":
		return create(servicePath+"/closures/create", obj("dateFrom", "2027-01-05", "dateTo", "2027-01-05", "reason", "ประชุม", "serviceIds", []int64{a.clinic.ID}))
	case "displays":
		return create(displaysPath+"/create", obj("serviceId", a.clinic.ID, "label", "จอ"))
	}
	a.t.Fatalf("no kind %q", kind)
	return 0
}

// remove deletes a record.
func (a *archive) remove(kind string, id int64) {
	a.t.Helper()
	path, token, body := map[string]string{
		"users": userPath + "/delete", "roles": rolePath + "/delete", "patients": patientPath + "/delete", "customers": customerPath + "/delete", "services": servicePath + "/delete",
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

// expected is what is to happen with one name of a record in one operation.
type expected struct {
	kind string
	// missing is what somebody who may is told of a record that is not there. A
	// filter finds nothing instead: "".
	missing hospital.Code
	// request is the body with the id in it, or the query; nil where the path
	// says it all.
	request func(a *archive, id int64) any
	// keeps is set where deleted ones are still known: the past does not change.
	keeps bool
	// live is what the administrator is told of a record that is there.
	live hospital.Code
	// needs is asked of the caller for this part of the operation.
	needs hospital.Permission
	// none tells why no record is named.
	none string
}

func in(kind string) expected { return expected{kind: kind, missing: hospital.NotFound} }

// with sends a body; field is where the id goes, "ids[]" for a list.
func (e expected) with(field string, more ...any) expected {
	e.request = func(_ *archive, id int64) any {
		body := obj(more...)
		if name, list := strings.CutSuffix(field, "[]"); list {
			body[name] = []int64{id}
		} else {
			body[field] = id
		}
		return body
	}
	return e
}

func (e expected) only(p hospital.Permission) expected    { e.needs = p; return e }
func (e expected) kept() expected                         { e.keeps = true; return e }
func (e expected) answers(missing hospital.Code) expected { e.missing = missing; return e }
func (e expected) livesAs(code hospital.Code) expected    { e.live = code; return e }
func (e expected) made(fn func(a *archive, id int64) any) expected {
	e.request = fn
	return e
}

func filters(kind, field string, more ...any) expected {
	return in(kind).with(field, more...).answers("")
}

func names(kind, field string, more ...any) expected {
	return in(kind).with(field, more...).answers(hospital.ValidationFailed)
}

// booking is a body for a seat of somebody new, with the id somewhere.
func booking(field string, more ...any) func(a *archive, id int64) any {
	return func(a *archive, id int64) any {
		body := with(obj("patientId", int64(0), "serviceId", a.clinic.ID, "date", tuesday, "startTime", "10:30"), more...)
		if field != "patientId" {
			body["patientId"] = a.patient()
		}
		body[field] = id
		return body
	}
}

// changeOf is a body that changes a fresh record of a kind and names another.
func changeOf(kind, field string) func(a *archive, id int64) any {
	return func(a *archive, id int64) any {
		body := obj("id", a.make(kind), "version", 1)
		switch name, list := strings.CutSuffix(field, "[]"); {
		case field == "patients":
			body[field] = []any{obj("patientId", id, "relation", "SELF")}
		case list:
			body[name] = []int64{id}
		default:
			body[field] = id
		}
		return body
	}
}

// expectations is every name of a record in every operation.
var expectations = func() map[string]expected {
	november := []any{"dateFrom", "2026-11-01", "dateTo", "2026-11-30"}
	own := expected{none: "what others hold is TestNobodyUsesWhatIsAnothers"}
	text := expected{none: "an account of another system, kept as a text"}
	m := map[string]expected{
		"POST " + authPath + "/end-sessions body sessionId":                own,
		"POST " + authPath + "/reset-password body token":                  own,
		"GET /admin/api/v1/events header Last-Event-ID":                    {none: "a place in a stream of numbers; each event is filtered by who listens"},
		"GET /media/{key} path key":                                        {none: "public pictures"},
		"POST " + settingPath + "/update body banners.id":                  {none: "names banners within the one configuration that is sent"},
		"POST " + customerPath + "/create body lineUserId":                 text,
		"POST " + customerPath + "/update body lineUserId":                 text,
		"POST " + patientPath + "/create body lineUserId":                  text,
		"POST " + patientPath + "/update body lineUserId":                  text,
		"POST " + visitPath + "/create header Idempotency-Key":             own,
		"POST " + visitPath + "/create-series header Idempotency-Key":      own,
		"POST " + resultPath + "/create header Idempotency-Key":            own,
		"POST " + visitPath + "/result/create/{id} header Idempotency-Key": own,

		"GET " + userPath + "/{id} path id":               in("users"),
		"GET " + userPath + "/{id}/sessions path id":      in("users"),
		"POST " + userPath + "/{id}/end-sessions path id": in("users"),
		"POST " + userPath + "/{id}/reset-link path id":   in("users"),
		"POST " + userPath + "/delete body id":            in("users").with("id"),
		"POST " + userPath + "/update body id":            in("users").with("id", "version", 1, "name", "ชื่อใหม่"),
		"POST " + userPath + "/update body roleId":        names("roles", "").made(changeOf("users", "roleId")),
		"POST " + userPath + "/update body serviceIds":    names("services", "").made(changeOf("users", "serviceIds[]")),
		"POST " + userPath + "/create body roleId": names("roles", "").made(func(a *archive, id int64) any {
			a.made++
			return obj("username", fmt.Sprint("newcomer", a.made), "email", fmt.Sprintf("n%d@hospital.example", a.made), "name", "คนใหม่", "invite", true, "roleId", id)
		}),
		"POST " + userPath + "/create body serviceIds": names("services", "").made(func(a *archive, id int64) any {
			a.made++
			return obj("username", fmt.Sprint("newcomer", a.made), "email", fmt.Sprintf("n%d@hospital.example", a.made), "name", "คนใหม่", "invite", true, "roleId", storetest.RoleID(a.t, a.db, "QUEUE"), "serviceIds", []int64{id})
		}),
		"POST " + userPath + "/list body roleId": filters("roles", "roleId"),

		"GET " + rolePath + "/{id} path id":    in("roles"),
		"POST " + rolePath + "/delete body id": in("roles").with("id"),
		"POST " + rolePath + "/update body id": in("roles").made(func(a *archive, id int64) any {
			a.made++
			return obj("id", id, "version", 1, "name", fmt.Sprint("RENAMED_", a.made), "label", "ใหม่", "permissions", []string{})
		}),

		"GET " + patientPath + "/{id} path id":            in("patients"),
		"POST " + patientPath + "/update body id":         in("patients").with("id", "version", 1, "phone", "0812345678"),
		"POST " + patientPath + "/delete body id":         in("patients").with("id", "reason", "ซ้ำ"),
		"POST " + patientPath + "/reveal-id-card body id": in("patients").with("id", "reason", "ตรวจสิทธิ"),

		"GET " + customerPath + "/{id} path id":    in("customers"),
		"POST " + customerPath + "/delete body id": in("customers").with("id"),
		"POST " + customerPath + "/update body id": in("customers").with("id", "version", 1, "note", "ใหม่"),
		"POST " + customerPath + "/create body patients.patientId": names("patients", "").made(func(a *archive, id int64) any {
			a.made++
			return obj("name", "ใหม่", "phone", fmt.Sprintf("09%08d", a.made), "patients", []any{obj("patientId", id, "relation", "SELF")})
		}),
		"POST " + customerPath + "/update body patients.patientId": names("patients", "").made(changeOf("customers", "patients")),

		"GET " + servicePath + "/{id} path id":    in("services"),
		"POST " + servicePath + "/delete body id": in("services").with("id"),
		"POST " + servicePath + "/update body id": in("services").with("id", "version", 1, "schedule", []any{}),
		"POST " + servicePath + "/create body staffIds": names("users", "").made(func(a *archive, id int64) any {
			a.made++
			return obj("code", fmt.Sprint("N", a.made), "name", "คลินิก", "staffIds", []int64{id})
		}),
		"POST " + servicePath + "/update body staffIds":              names("users", "").made(changeOf("services", "staffIds[]")).only(hospital.ServiceConfigUpdate),
		"POST " + servicePath + "/closures/list body serviceId":      filters("services", "serviceId", november...),
		"POST " + servicePath + "/closures/create body serviceIds":   names("services", "serviceIds[]", "dateFrom", "2027-03-01", "dateTo", "2027-03-01", "reason", "ประชุม"),
		"POST " + servicePath + "/closures/affected body id":         in("closures").with("id"),
		"POST " + servicePath + "/closures/affected body serviceIds": filters("services", "serviceIds[]", november...),
		"POST " + servicePath + "/closures/move body id":             in("closures").with("id", "preview", true),
		"POST " + servicePath + "/closures/move body moves.appointmentId": filters("appointments", "").made(func(a *archive, id int64) any { // one that is not in the closure is not moved
			return obj("id", a.make("closures"), "preview", true, "moves", []any{obj("appointmentId", id, "to", obj("date", tuesday, "startTime", "08:00"))})
		}),
		"POST " + servicePath + "/closures/delete body id": in("closures").with("id"),
		"POST " + displaysPath + "/list body serviceId":    filters("services", "serviceId"),
		"POST " + displaysPath + "/create body serviceId":  in("services").with("serviceId", "label", "จอ"),
		"POST " + displaysPath + "/delete body id":         in("displays").with("id"),

		"POST " + slotPath + "/check-time-slots body serviceId": in("services").with("serviceId", "date", tuesday),
		"POST " + slotPath + "/update-capacity body serviceId":  in("services").with("serviceId", "date", tuesday, "capacity", 3),

		"POST " + visitPath + "/update body id":                in("appointments").with("id", "version", 1, "note", "ใหม่"),
		"POST " + visitPath + "/update body serviceId":         names("services", "").made(changeOf("appointments", "serviceId")),
		"POST " + visitPath + "/update body staffId":           names("users", "").made(changeOf("appointments", "staffId")),
		"POST " + visitPath + "/update body customerId":        names("customers", "").made(changeOf("appointments", "customerId")),
		"POST " + visitPath + "/mark-status body id":           in("appointments").with("id", "status", "CONFIRMED"),
		"POST " + visitPath + "/mark-status body ids":          in("appointments").with("ids[]", "status", "CONFIRMED").answers(""),
		"POST " + visitPath + "/undo-status body id":           in("appointments").with("id").livesAs(hospital.InvalidTransition),
		"DELETE " + visitPath + "/delete/{id} path id":         in("appointments"),
		"POST " + visitPath + "/details body id":               in("appointments").with("id"),
		"GET " + visitPath + "/slip/{id} path id":              in("appointments"),
		"POST " + visitPath + "/waitlist body serviceId":       filters("services", "serviceId", "date", tuesday, "startTime", "08:00"),
		"GET " + visitPath + "/day-list query serviceId":       in("services").made(func(_ *archive, id int64) any { return "date=" + tuesday + "&serviceId=" + itoa(id) }),
		"POST " + visitPath + "/calendar-list body serviceIds": filters("services", "serviceIds[]", append([]any{"includeAppointments", true}, november...)...),
		"POST " + visitPath + "/calendar-list body staffId":    filters("users", "staffId", append([]any{"includeAppointments", true}, november...)...),
		"POST " + visitPath + "/result/create/{id} path id": in("appointments").made(func(*archive, int64) any {
			return form{"diagnosis": "ไข้"}
		}),

		"POST " + resultPath + "/create body appointmentId": in("appointments").with("appointmentId", "diagnosis", "ไข้"),
		"GET " + resultPath + "/read/{id} path id":          in("results"),
		"GET " + resultPath + "/file/{id} path id":          in("results"),
		"DELETE " + resultPath + "/delete/{id} path id":     in("results").made(func(*archive, int64) any { return "reason=test" }),
		"POST " + resultPath + "/list body appointmentId":   filters("appointments", "appointmentId"),
		"POST " + resultPath + "/list body patientId":       filters("patients", "patientId"),
		"POST /admin/api/v1/audit/list body actorId":        filters("users", "actorId"),
		"POST /admin/api/v1/audit/list body entityId": filters("patients", "").made(func(_ *archive, id int64) any {
			return obj("entity", "patient", "entityId", itoa(id))
		}).kept(),
	}
	for _, path := range []string{"/create", "/create-series"} {
		var more []any
		if path == "/create-series" {
			more = []any{"everyWeeks", 1, "count", 2, "preview", true}
		}
		m["POST "+visitPath+path+" body followUpOfId"] = names("appointments", "").made(func(a *archive, id int64) any {
			body := booking("followUpOfId", more...)(a, id).(map[string]any)
			var patient int64 // whose visit it is, if it is one
			if err := a.sql.QueryRowContext(a.t.Context(), `SELECT patient_id FROM appointments WHERE id = $1`, id).Scan(&patient); err == nil {
				body["patientId"] = patient
			}
			return body
		})
		for field, kind := range map[string]string{"patientId": "patients", "serviceId": "services", "staffId": "users", "customerId": "customers"} {
			m["POST "+visitPath+path+" body "+field] = names(kind, "").made(booking(field, more...))
		}
	}
	for _, path := range []string{"/list", "/list-results", "/export"} {
		for field, kind := range map[string]string{"patientId": "patients", "serviceIds[]": "services", "staffId": "users"} {
			m["POST "+visitPath+path+" body "+strings.TrimSuffix(field, "[]")] = filters(kind, field)
		}
	}
	for _, path := range []string{"/utilization", "/no-show", "/waiting-time", "/workload"} {
		m["POST "+reportPath+path+" body serviceIds"] = names("services", "serviceIds[]", november...).kept()
	}
	return m
}()

// form is a body that is a form with a file.
type form map[string]string

// told is an answer without what is its own every time.
func told(a answer) string {
	if a.err.RequestID != "" {
		return strings.ReplaceAll(a.raw, a.err.RequestID, "")
	}
	return a.raw
}

// ask sends any request and takes any answer, a file as well.
func (a *archive) ask(method, path, token string, request any) answer {
	a.t.Helper()
	var body io.Reader
	kind := "application/json"
	switch r := request.(type) {
	case nil:
	case string:
		path += "?" + r
	case form:
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for _, name := range slices.Sorted(maps.Keys(r)) {
			_ = w.WriteField(name, r[name]) // into memory
		}
		part, err := w.CreateFormFile("file", "ผล.pdf")
		if err != nil {
			a.t.Fatal(err)
		}
		_, _ = part.Write(aPDF(100)) // into memory
		_ = w.Close()
		body, kind = &b, w.FormDataContentType()
	default:
		j, err := json.Marshal(request)
		if err != nil {
			a.t.Fatal(err)
		}
		body = bytes.NewReader(j)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, body)
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
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

// state is a short form of everything that is kept.
func (a *archive) state() string {
	a.t.Helper()
	var told []string
	for _, table := range kinds {
		live := ""
		if table != "roles" && table != "closures" && table != "displays" {
			live = " WHERE deleted_at IS NULL"
		}
		version := "0"
		if table != "results" && table != "closures" && table != "displays" {
			version = "coalesce(sum(version), 0)"
		}
		var n, versions int64
		if err := a.sql.QueryRowContext(a.t.Context(), `SELECT count(*), `+version+` FROM `+table+live).Scan(&n, &versions); err != nil {
			a.t.Fatal(err)
		}
		told = append(told, fmt.Sprint(table, " ", n, " ", versions))
	}
	return strings.Join(told, ", ")
}

// Every operation × everything in it that names a record × every role × a record
// that is there, was deleted, is of another kind or never was: whoever may not is
// told the same of all of them, whoever may is told that it is not there, and
// nothing is changed by either. A name of a record in the document that nothing
// is expected of fails the test.
func TestEveryNameOfARecordIsChecked(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		a := newArchive(t, p)
		var doc map[string]any
		if err := json.Unmarshal([]byte(a.get("/openapi.json", "").raw), &doc); err != nil {
			t.Fatal(err)
		}
		tokens, held := map[string]login{}, map[string]hospital.PermissionSet{}
		for _, r := range hospital.SystemRoles {
			held[r.Name], tokens[r.Name] = hospital.NewPermissionSet(r.Permissions...), a.signIn(strings.ToLower(r.Name))
		}
		live, gone := map[string]int64{}, map[string]int64{}
		for _, kind := range kinds {
			live[kind], gone[kind] = a.make(kind), a.make(kind)
			a.remove(kind, gone[kind])
		}
		seen, asked := map[string]bool{}, 0
		for path, methods := range doc["paths"].(map[string]any) {
			for method, op := range methods.(map[string]any) {
				op := op.(map[string]any)
				access, err := hospital.ParseAccess(op["x-permission"].(string))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range namesIn(t, doc, op) {
					key := strings.ToUpper(method) + " " + path + " " + name
					e, known := expectations[key]
					if !known {
						t.Errorf("nothing is expected of %s", key)
					}
					seen[key] = true
					if !known || e.none != "" {
						continue
					}
					asked += a.check(key, strings.ToUpper(method), path, access, e, live, gone, tokens, held)
				}
			}
		}
		for key := range expectations {
			if !seen[key] {
				t.Errorf("%s is expected and not in the document", key)
			}
		}
		t.Logf("%d names of records in the document, %d requests", len(seen), asked)
	})
}

func (a *archive) check(key, method, path string, access hospital.Access, e expected, live, gone map[string]int64, tokens map[string]login, held map[string]hospital.PermissionSet) (asked int) {
	t := a.t
	t.Helper()
	other := kinds[(slices.Index(kinds, e.kind)+1)%len(kinds)]
	tries := []struct {
		what string
		id   int64
	}{{"one that is there", live[e.kind]}, {"a deleted one", gone[e.kind]}, {"one of " + other, live[other]}, {"one that never was", 1 << 40}}
	send := func(token string, id int64) answer {
		var request any
		if e.request != nil {
			request = e.request(a, id)
		}
		asked++
		return a.ask(method, strings.ReplaceAll(path, "{id}", itoa(id)), token, request)
	}
	for role, in := range tokens {
		token := in.AccessToken
		if strings.HasPrefix(path, customerPath) {
			token = in.SmqAccessToken
		}
		first, may := "", access.Allows(held[role]) && (e.needs == "" || held[role][e.needs])
		requests := make([]any, len(tries))
		for i, try := range tries {
			if e.request != nil {
				requests[i] = e.request(a, try.id) // may make what it needs
			}
		}
		before := a.state()
		for i, try := range tries {
			if may && (i == 0 || i == 1 && e.keeps) {
				continue // does what it does
			}
			got := a.ask(method, strings.ReplaceAll(path, "{id}", itoa(try.id)), token, requests[i])
			asked++
			want := e.missing
			if !may {
				want = hospital.Forbidden
			}
			if got.err.Code != string(want) {
				t.Errorf("%s as %s with %s: %d %s, want %s: %.300s", key, role, try.what, got.status, got.err.Code, want, got.raw)
				continue
			}
			if want == "" {
				for _, secret := range []string{"คนที่", "ความลับ"} {
					if strings.Contains(got.raw, secret) {
						t.Errorf("%s as %s with %s shows %.300s", key, role, try.what, got.raw)
					}
				}
				continue
			}
			if first == "" {
				first = told(got)
			} else if told(got) != first {
				t.Errorf("%s as %s tells %s apart: %s and %s", key, role, try.what, first, told(got))
			}
		}
		if now := a.state(); now != before {
			t.Errorf("%s as %s: %s became %s", key, role, before, now)
		}
	}
	token := tokens["ADMIN"].AccessToken
	if strings.HasPrefix(path, customerPath) {
		token = tokens["ADMIN"].SmqAccessToken
	}
	if got := send(token, a.make(e.kind)); got.err.Code != string(e.live) {
		t.Errorf("%s with one that is there: %d %s, want %q: %.300s", key, got.status, got.err.Code, e.live, got.raw)
	}
	return asked
}

// A session, a link, a key of a request and an account with more rights are of
// no use to anybody else, even to who knows them.
func TestNobodyUsesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		a := newArchive(t, p)
		nurse, doctor := a.signIn("nurse"), a.signIn("doctor")

		// Another's session.
		if n := decode[struct{ Ended int64 }](t, a.post(authPath+"/end-sessions", doctor.AccessToken, obj("sessionId", sessionOf(t, nurse.AccessToken)))).Ended; n != 0 {
			t.Errorf("a doctor ended %d sessions of a nurse", n)
		}
		a.get(authPath+"/me", nurse.AccessToken).want(t, "")
		for _, s := range decode[[]hospital.Session](t, a.get(authPath+"/sessions", doctor.AccessToken)) {
			if s.UserID != doctor.User.ID {
				t.Errorf("a doctor sees the session %+v", s)
			}
		}

		// The key of another's request: the request is one of its own.
		seat := func(token, key string, patient int64) answer {
			return a.post(visitPath+"/create", token, obj("patientId", patient, "serviceId", a.clinic.ID, "date", tuesday, "startTime", "11:00", "reason", "ความลับของพยาบาล"), "Idempotency-Key", key)
		}
		patient := a.patient()
		first := idOf(t, seat(nurse.AccessToken, "a key", patient))
		if again := idOf(t, seat(nurse.AccessToken, "a key", patient)); again != first {
			t.Errorf("a repeat is booked as %d, not %d", again, first)
		}
		seat(doctor.AccessToken, "a key", patient).want(t, hospital.PatientDoubleBooked)
		if other := idOf(t, seat(doctor.AccessToken, "a key", a.patient())); other == first {
			t.Error("a doctor is told what a nurse was told")
		}
		series := func(token string, patient int64) answer {
			return a.post(visitPath+"/create-series", token, obj("patientId", patient, "serviceId", a.clinic.ID, "date", tuesday, "startTime", "13:00", "everyDays", 1, "count", 2), "Idempotency-Key", "a series")
		}
		series(nurse.AccessToken, patient).want(t, "")
		if b := series(doctor.AccessToken, patient); b.err.Code == "" && strings.Contains(b.raw, `"startTime":"13:00"`) {
			t.Errorf("a doctor is told what a nurse was told: %s", b.raw)
		}
		result := func(token, path string, body any) answer {
			return a.post(path, token, body, "Idempotency-Key", "a result")
		}
		recorded := idOf(t, result(nurse.AccessToken, resultPath+"/create", obj("appointmentId", first, "diagnosis", "ไข้")))
		if other := idOf(t, result(doctor.AccessToken, resultPath+"/create", obj("appointmentId", first, "diagnosis", "ไข้"))); other == recorded {
			t.Error("a doctor is told of the result that a nurse recorded")
		}
		file := func(token string) int64 {
			return idOf(t, a.sendNamed(visitPath+"/result/create/"+itoa(first), token, "ผล.pdf", aPDF(50), nil, "Idempotency-Key", "a file"))
		}
		if file(nurse.AccessToken) == file(doctor.AccessToken) {
			t.Error("a doctor is told of the file that a nurse sent")
		}

		// A link to choose a password changes one account, once, and no other word is one.
		link := decode[struct{ Link string }](t, a.post(userPath+"/"+itoa(nurse.User.ID)+"/reset-link", a.token, nil)).Link
		_, token, _ := strings.Cut(link, "#token=")
		for _, wrong := range []string{"", " ", token + " ", " " + token, strings.ToLower(token), token[:len(token)-1], "%", "_", nurse.AccessToken[:90], sessionOf(t, doctor.AccessToken)} {
			a.post(authPath+"/reset-password", "", obj("token", wrong, "password", "a long enough password")).want(t, hospital.ValidationFailed)
		}
		a.get(authPath+"/me", nurse.AccessToken).want(t, "")

		// Whoever manages accounts does not manage those with more rights.
		clerk := a.with(a.token, "clerk", hospital.UserShow, hospital.UserUpdate, hospital.UserDelete, hospital.UserCreate, hospital.RoleShow, hospital.RoleUpdate, hospital.RoleDelete, hospital.RoleCreate)
		admin := a.signIn("admin").User.ID
		adminRole := storetest.RoleID(t, a.db, "ADMIN")
		own := decode[struct {
			ID, RoleID, Version int64
		}](t, a.get(authPath+"/me", clerk))
		version := decode[hospital.User](t, a.get(userPath+"/"+itoa(admin), clerk)).Version
		before := a.state()
		for what, got := range map[string]answer{
			"a new password for the administrator":  a.post(userPath+"/update", clerk, obj("id", admin, "version", version, "password", "a long enough password")),
			"another address for the administrator": a.post(userPath+"/update", clerk, obj("id", admin, "version", version, "email", "clerk@hospital.example")),
			"suspending the administrator":          a.post(userPath+"/update", clerk, obj("id", admin, "version", version, "status", "SUSPENDED")),
			"deleting the administrator":            a.post(userPath+"/delete", clerk, obj("id", admin)),
			"ending the administrator's sessions":   a.post(userPath+"/"+itoa(admin)+"/end-sessions", clerk, nil),
			"a link for the administrator":          a.post(userPath+"/"+itoa(admin)+"/reset-link", clerk, nil),
			"becoming an administrator":             a.post(userPath+"/update", clerk, obj("id", own.ID, "version", own.Version, "roleId", adminRole)),
			"making an administrator":               a.post(userPath+"/create", clerk, obj("username", "puppet", "email", "puppet@hospital.example", "name", "หุ่น", "invite", true, "roleId", adminRole)),
			"more rights for one's own role":        a.post(rolePath+"/update", clerk, obj("id", own.RoleID, "version", 1, "name", "CLERK", "label", "x", "permissions", []string{"USER.UPDATE", "PATIENT.SHOW"})),
			"a role with more rights":               a.post(rolePath+"/create", clerk, obj("name", "STRONG", "label", "x", "permissions", []string{"PATIENT.VIEW_CID"})),
			"fewer rights for the administrators":   a.post(rolePath+"/update", clerk, obj("id", adminRole, "version", 1, "name", "ADMIN", "label", "x", "permissions", []string{})),
		} {
			if got.err.Code != string(hospital.Forbidden) {
				t.Errorf("%s: %d %s", what, got.status, got.raw)
			}
		}
		if now := a.state(); now != before {
			t.Errorf("%s became %s", before, now)
		}
	})
}

// shows is what a permission is for: whoever holds only this one sees these
// secrets and no others, whatever they call.
var shows = func() map[hospital.Permission][]string {
	const patient, card, result, account = "patient", "card", "result", "account"
	m := map[hospital.Permission][]string{
		hospital.ResultShow:            {result},                   // without the visit, which is the appointments'
		hospital.ResultCreate:          {result},                   // what was recorded just now
		hospital.PatientViewCID:        {card},                     // that is what it is for
		hospital.PatientExport:         {patient},                  // masked, as on the screen
		hospital.AuditShow:             {patient, result, account}, // what was done, and to whom
		hospital.ServiceScheduleUpdate: {},                         // who is booked in a closure is the appointments'
	}
	for _, p := range []hospital.Permission{hospital.PatientShow, hospital.PatientUpdate, hospital.PatientCreate, hospital.CustomerShow, hospital.CustomerCreate, hospital.CustomerUpdate} {
		m[p] = []string{patient}
	}
	for _, p := range []hospital.Permission{hospital.AppointmentShow, hospital.AppointmentCreate, hospital.AppointmentUpdate, hospital.AppointmentMarkStatus, hospital.AppointmentExport} {
		m[p] = []string{patient}
	}
	for _, p := range []hospital.Permission{hospital.UserShow, hospital.UserCreate, hospital.UserUpdate} {
		m[p] = []string{account}
	}
	return m
}()

// Every permission by itself × every operation, with a record that is there: the
// answer shows a patient's name, an ID card, a result or an account only to whom
// the permission is for it.
func TestAPermissionShowsOnlyWhatItIsFor(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		a := newArchive(t, p)
		var doc map[string]any
		if err := json.Unmarshal([]byte(a.get("/openapi.json", "").raw), &doc); err != nil {
			t.Fatal(err)
		}
		const card = "1101700230708"
		secrets := map[string]string{"patient": "ชื่อลับ", "card": card, "result": "วินิจฉัยลับ", "account": "secret-account@hospital.example"}
		made, closing := map[string]int64{}, storetest.AddService(t, a.db, "CLOSING", 1000)
		made["patients"] = idOf(t, a.post(patientPath+"/create", a.token, obj("prename", "นาย", "firstName", secrets["patient"], "lastName", "ทดสอบ", "sex", "M", "birthDate", "1988-02-09", "idType", "CID", "idCard", card)))
		made["appointments"] = idOf(t, a.post(visitPath+"/create", a.token, obj("patientId", made["patients"], "serviceId", closing.ID, "date", tuesday, "startTime", "09:30")))
		made["results"] = idOf(t, a.sendNamed(visitPath+"/result/create/"+itoa(made["appointments"]), a.token, "ผล.pdf", aPDF(100), map[string]string{"diagnosis": secrets["result"]}))
		made["customers"] = idOf(t, a.post(customerPath+"/create", a.customers, obj("name", "ผู้ใช้บริการ", "phone", "0898765432", "patients", []any{obj("patientId", made["patients"], "relation", "SELF")})))
		made["users"] = idOf(t, a.post(userPath+"/create", a.token, obj("username", "secret-account", "email", secrets["account"], "name", "บัญชี", "invite", true, "roleId", storetest.RoleID(t, a.db, "EXECUTIVE"))))
		made["closures"] = idOf(t, a.post(servicePath+"/closures/create", a.token, obj("dateFrom", tuesday, "dateTo", tuesday, "reason", "ประชุม", "serviceIds", []int64{closing.ID})))
		made["services"], made["roles"], made["displays"] = closing.ID, a.make("roles"), a.make("displays")
		asked := 0
		for _, permission := range hospital.AllPermissions {
			name := strings.ToLower(strings.NewReplacer(".", "-", "_", "-").Replace(string(permission)))
			a.post(rolePath+"/create", a.token, obj("name", strings.ToUpper(strings.ReplaceAll(name, "-", "_")), "label", name, "permissions", []hospital.Permission{permission})).want(t, "")
			storetest.AddUser(t, a.db, name, strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
			in := a.signIn(name)
			for path, methods := range doc["paths"].(map[string]any) {
				for method, op := range methods.(map[string]any) {
					access, err := hospital.ParseAccess(op.(map[string]any)["x-permission"].(string))
					if err != nil {
						t.Fatal(err)
					}
					if !access.Allows(hospital.NewPermissionSet(permission)) {
						continue // TestEveryOperationLetsInWhomItDeclares
					}
					if strings.Contains(path, "/delete") || strings.Contains(path, "sessions") || strings.HasSuffix(path, "/logout") || strings.HasSuffix(path, "/events") {
						continue // would end it, or never end
					}
					for _, request := range a.readingRequests(strings.ToUpper(method), path, op.(map[string]any), made) {
						token := in.AccessToken
						if strings.HasPrefix(path, customerPath) {
							token = in.SmqAccessToken
						}
						got := a.ask(strings.ToUpper(method), request.path, token, request.body)
						asked++
						for secret, text := range secrets {
							if strings.Contains(got.raw, text) && !slices.Contains(shows[permission], secret) {
								t.Errorf("%s %s with %s alone shows the %s: %.200s", method, path, permission, secret, got.raw)
							}
						}
					}
				}
			}
		}
		t.Logf("%d permissions, %d requests", len(hospital.AllPermissions), asked)
	})
}

type readingRequest struct {
	path string
	body any
}

// readingRequests are calls of an operation with records that are there: as the
// expectations make them, or with a body that asks for everything.
func (a *archive) readingRequests(method, path string, op map[string]any, made map[string]int64) (list []readingRequest) {
	for key, e := range expectations {
		if !strings.HasPrefix(key, method+" "+path+" ") || e.none != "" {
			continue
		}
		var body any
		if e.request != nil {
			body = e.request(a, made[e.kind])
		}
		list = append(list, readingRequest{strings.ReplaceAll(path, "{id}", itoa(made[e.kind])), body})
	}
	if op["requestBody"] != nil {
		november := obj("dateFrom", "2026-11-01", "dateTo", "2026-11-30")
		for _, body := range []map[string]any{{}, november, with(obj("q", "ชื่อลับ")), with(obj("idCard", "1101"))} {
			list = append(list, readingRequest{path, body})
		}
	}
	if len(list) == 0 {
		list = append(list, readingRequest{strings.ReplaceAll(path, "{role}", "ADMIN"), nil})
	}
	return list
}
