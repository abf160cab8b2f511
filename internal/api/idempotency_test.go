package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"nadmor/internal/hospital"
	"nadmor/internal/hospital/hospitaltest"
	"nadmor/internal/store/storetest"
)

// write is a request that changes something, and a different one that must not reuse its key.
type write struct {
	token       string // the administrator's if empty
	path        string // of a record; the operation's if empty
	body        any
	other       any
	otherPath   string
	entries     int  // expected audit entries: 0 for one, -1 for any number
	secret      bool // the stored response is encrypted
	endsSession bool // the caller is signed out, so a retry is UNAUTHENTICATED
}

// reads lists the POST operations that change nothing.
var reads = []string{
	"user-admin/list", "role/list", "patients/list", "patients/search", "patients/list-id-card",
	"patients/reveal-id-card", "patients/export", "customers/list",
	"service-config/closures/list", "service-config/closures/affected", "service-config/displays/list",
	"appointment-time-slots/check-time-slots",
	"appointment/details", "appointment/list", "appointment/search", "appointment/calendar-list",
	"appointment/waitlist", "appointment/list-results", "appointment/export",
	"appointment-results/list", "report/utilization", "report/no-show", "report/waiting-time", "report/workload",
	"audit/list",
}

// writes returns all other operations by method and path after the API version.
func writes() map[string]func(*fixtures) write {
	changed := func(kind, field string, value, other any) func(*fixtures) write {
		return func(a *fixtures) write {
			id := a.make(kind)
			return write{
				body: obj("id", id, "version", 1, field, value), other: obj("id", id, "version", 1, field, other),
			}
		}
	}
	deleted := func(kind string) func(*fixtures) write {
		return func(a *fixtures) write { return write{body: obj("id", a.make(kind)), other: obj("id", a.make(kind))} }
	}
	customers := func(of func(*fixtures) write) func(*fixtures) write {
		return func(a *fixtures) write {
			w := of(a)
			w.token = a.customers
			return w
		}
	}
	ofUser := func(of func(a *fixtures, token string) write) func(*fixtures) write {
		return func(a *fixtures) write {
			a.created++
			name := fmt.Sprint("owner", a.created)
			storetest.AddUser(a.t, a.db, name, "QUEUE")
			token, another := a.signIn(name).AccessToken, a.signIn(name).AccessToken
			w := of(a, another)
			w.token = token
			return w
		}
	}
	return map[string]func(*fixtures) write{
		"POST auth/logout": ofUser(func(*fixtures, string) write { return write{endsSession: true} }),
		"POST auth/change-password": ofUser(func(*fixtures, string) write {
			return write{
				body:  obj("currentPassword", storetest.Password, "newPassword", "another long password"),
				other: obj("currentPassword", storetest.Password, "newPassword", "a third long password"),
			}
		}),
		"POST auth/end-sessions": ofUser(func(a *fixtures, token string) write {
			return write{body: obj("sessionId", sessionOf(a.t, token)), other: obj("sessionId", "none")}
		}),
		"POST auth/totp/setup": ofUser(func(*fixtures, string) write {
			return write{
				body: obj("password", storetest.Password), other: obj("password", storetest.Password, "otp", "1"),
				secret: true,
			}
		}),
		"POST auth/totp/enable": ofUser(func(a *fixtures, token string) write {
			return write{body: obj("otp", a.code(token)), other: obj("otp", "000000")}
		}),
		"POST auth/totp/disable": ofUser(func(a *fixtures, token string) write {
			code := a.code(token)
			a.post(authPath+"/totp/enable", token, obj("otp", code)).want(a.t, "")
			a.database.Clock.Advance(time.Minute) // a code is valid once
			return write{
				body:  obj("password", storetest.Password, "otp", a.nextCode()),
				other: obj("password", storetest.Password, "otp", "000000"),
			}
		}),

		"POST user-admin/create": func(a *fixtures) write {
			a.created++
			body := obj("username", fmt.Sprint("new", a.created), "email", fmt.Sprintf("new%d@hospital.example", a.created),
				"name", "คนใหม่ <&>", "invite", true, "roleId", storetest.RoleID(a.t, a.db, "QUEUE"))
			other := obj("username", fmt.Sprint("other", a.created), "email", fmt.Sprintf("o%d@hospital.example", a.created),
				"name", "อีกคน", "invite", true, "roleId", storetest.RoleID(a.t, a.db, "QUEUE"))
			return write{body: body, other: other, entries: 2, secret: true}
		},
		"POST user-admin/update": changed("users", "name", "ชื่อใหม่", "ชื่ออื่น"),
		"POST user-admin/delete": deleted("users"),
		"POST user-admin/{id}/end-sessions": func(a *fixtures) write {
			return write{
				path:      userPath + "/" + itoa(a.make("users")) + "/end-sessions",
				otherPath: userPath + "/" + itoa(a.make("users")) + "/end-sessions",
			}
		},
		"POST user-admin/{id}/reset-link": func(a *fixtures) write {
			return write{
				path:      userPath + "/" + itoa(a.make("users")) + "/reset-link",
				otherPath: userPath + "/" + itoa(a.make("users")) + "/reset-link", secret: true,
			}
		},

		"POST role/create": func(*fixtures) write {
			return write{
				body:  obj("name", "ONCE", "label", "ครั้งเดียว", "permissions", []string{"DASHBOARD.SHOW"}),
				other: obj("name", "TWICE", "label", "สองครั้ง", "permissions", []string{}),
			}
		},
		"POST role/update": func(a *fixtures) write {
			id, name := a.make("roles"), fmt.Sprint("ROLE_", a.created)
			return write{
				body:  obj("id", id, "version", 1, "name", name, "label", "ใหม่", "permissions", []string{}),
				other: obj("id", id, "version", 1, "name", name, "label", "อื่น", "permissions", []string{}),
			}
		},
		"POST role/delete": deleted("roles"),

		"POST patients/create": func(*fixtures) write {
			body := obj("prename", "นาง", "firstName", "ครั้งเดียว", "lastName", "เท่านั้น", "sex", "F",
				"birthDate", "1990-01-02", "idType", "CID", "idCard", "1101700230708", "confirmDuplicate", true)
			other := obj("prename", "นาง", "firstName", "อีกคน", "lastName", "เท่านั้น", "sex", "F",
				"birthDate", "1990-01-02")
			return write{body: body, other: other}
		},
		"POST patients/update": changed("patients", "note", "แพ้ฝุ่น", "แพ้แมว"),
		"POST patients/delete": func(a *fixtures) write {
			id := a.make("patients")
			return write{body: obj("id", id, "reason", "ซ้ำ"), other: obj("id", id, "reason", "อื่น")}
		},

		"POST customers/create": customers(func(*fixtures) write {
			return write{
				body:  obj("name", "ครั้งเดียว", "phone", "0999999999"),
				other: obj("name", "อื่น", "phone", "0999999998"),
			}
		}),
		"POST customers/update": customers(changed("customers", "note", "ใหม่", "อื่น")),
		"POST customers/delete": customers(deleted("customers")),

		"POST service-config/create": func(*fixtures) write {
			return write{body: obj("code", "ONCE", "name", "ครั้งเดียว"), other: obj("code", "TWICE", "name", "อื่น")}
		},
		"POST service-config/update": changed("services", "name", "ใหม่", "อื่น"),
		"POST service-config/delete": deleted("services"),
		"POST service-config/closures/create": func(*fixtures) write {
			return write{
				body:  obj("dateFrom", "2027-02-02", "dateTo", "2027-02-02", "reason", "ประชุม"),
				other: obj("dateFrom", "2027-02-03", "dateTo", "2027-02-03", "reason", "ประชุม"),
			}
		},
		"POST service-config/closures/move": func(a *fixtures) write {
			service := hospital.Service{ID: a.make("services")}
			a.book(service, tuesday, "10:00").want(a.t, "")
			id := idOf(a.t, a.post(servicePath+"/closures/create", a.token,
				obj("dateFrom", tuesday, "dateTo", tuesday, "reason", "ซ่อม", "serviceIds", []int64{service.ID})))
			return write{body: obj("id", id), other: obj("id", id, "moves", []any{}), entries: -1}
		},
		"POST service-config/closures/delete": deleted("closures"),
		"POST service-config/displays/create": func(a *fixtures) write {
			return write{
				body:  obj("serviceId", a.clinic.ID, "label", "จอเดียว"),
				other: obj("serviceId", a.clinic.ID, "label", "อีกจอ"), secret: true,
			}
		},
		"POST service-config/displays/delete": deleted("displays"),

		"POST appointment-time-slots/update-capacity": func(a *fixtures) write {
			return write{
				body:  obj("serviceId", a.clinic.ID, "date", "2026-11-24", "capacity", 7),
				other: obj("serviceId", a.clinic.ID, "date", "2026-11-24", "capacity", 8),
			}
		},

		"POST appointment/create": func(a *fixtures) write {
			patient := a.patient()
			body := func(start string) any {
				return obj("patientId", patient, "serviceId", a.clinic.ID, "date", "2026-11-24", "startTime", start)
			}
			return write{body: body("10:00"), other: body("11:00")}
		},
		"POST appointment/create-series": func(a *fixtures) write {
			patient := a.patient()
			body := func(count int) any {
				return obj("patientId", patient, "serviceId", a.clinic.ID, "date", "2026-11-24", "startTime", "10:00",
					"everyWeeks", 1, "count", count)
			}
			return write{body: body(2), other: body(3), entries: 2}
		},
		"POST appointment/update": changed("appointments", "note", "ใหม่", "อื่น"),
		"POST appointment/mark-status": func(a *fixtures) write {
			id := a.make("appointments")
			return write{
				body:  obj("id", id, "version", 1, "status", "CONFIRMED"),
				other: obj("id", id, "version", 1, "status", "CANCELLED", "reason", "x"),
			}
		},
		"POST appointment/undo-status": func(a *fixtures) write {
			id := a.make("appointments")
			a.post(visitPath+"/mark-status", a.token, obj("id", id, "status", "CONFIRMED")).want(a.t, "")
			return write{body: obj("id", id), other: obj("id", id, "version", 2)}
		},
		"DELETE appointment/delete/{id}": func(a *fixtures) write {
			return write{
				path:      visitPath + "/delete/" + itoa(a.make("appointments")),
				otherPath: visitPath + "/delete/" + itoa(a.make("appointments")),
			}
		},
		"POST appointment/result/create/{id}": func(a *fixtures) write {
			path := visitPath + "/result/create/" + itoa(a.make("appointments"))
			return write{path: path, otherPath: path, body: form{"diagnosis": "หวัด"}, other: form{"diagnosis": "ไข้"}}
		},
		"POST appointment-results/create": func(a *fixtures) write {
			id := a.make("appointments")
			return write{
				body:  obj("appointmentId", id, "diagnosis", "หวัด"),
				other: obj("appointmentId", id, "diagnosis", "ไข้"),
			}
		},
		"DELETE appointment-results/delete/{id}": func(a *fixtures) write {
			path := resultPath + "/delete/" + itoa(a.make("results"))
			return write{path: path + "?reason=a", otherPath: path + "?reason=b"}
		},

		"POST global-setting/update": func(a *fixtures) write {
			v := decode[hospital.Setting](a.t, a.get(settingPath+"/read", a.token)).Version
			return write{
				body: obj("version", v, "name", "โรงพยาบาลใหม่"), other: obj("version", v, "name", "โรงพยาบาลอื่น"),
			}
		},
		"POST media-file/upload/banner": func(*fixtures) write {
			return write{body: pictureForm{"alt": "ครั้งเดียว"}, other: pictureForm{"alt": "อื่น"}}
		},
		"POST media-file/upload/logo": func(*fixtures) write {
			return write{body: pictureForm{}, other: pictureForm{"": "another"}}
		},
	}
}

// pictureForm is a multipart body with an image.
type pictureForm map[string]string

// code sets up one-time codes for a user and returns the current code.
func (a *fixtures) code(token string) string {
	a.t.Helper()
	a.secret = decode[struct{ Secret string }](a.t,
		a.post(authPath+"/totp/setup", token, obj("password", storetest.Password))).Secret
	return a.nextCode()
}

func (a *fixtures) nextCode() string {
	a.t.Helper()
	code, err := totp.GenerateCode(a.secret, a.database.Clock.Now())
	if err != nil {
		a.t.Fatal(err)
	}
	return code
}

// keyed sends a write with an idempotency key.
func (a *fixtures) keyed(method, path, token, key string, body any) answer {
	a.t.Helper()
	headers := []string{"Idempotency-Key", key}
	switch b := body.(type) {
	case form:
		text, kind := formWith(a.t, "ผล.pdf", aPDF(100), b)
		body, headers = text, append(headers, "Content-Type", kind)
	case pictureForm:
		size := 20 + len(b[""])
		delete(b, "")
		text, kind := formWith(a.t, "รูป.png", picture(a.t, size, size), b)
		body, headers = text, append(headers, "Content-Type", kind)
	}
	return a.call(method, path, token, body, headers...)
}

func (a *fixtures) count(query string, args ...any) (n int) {
	a.t.Helper()
	if err := a.sql.QueryRowContext(a.t.Context(), query, args...).Scan(&n); err != nil {
		a.t.Fatal(err)
	}
	return n
}

// Every POST and DELETE operation of the OpenAPI document is either listed in reads or tested
// here: concurrently with one key, once more, and with another body.
func TestWritesAreIdempotent(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		var doc struct {
			Paths map[string]map[string]struct {
				OperationID string `json:"operationId"`
				Permission  string `json:"x-permission"`
				Parameters  []struct{ Name, In string }
			}
		}
		if err := json.Unmarshal([]byte(a.get("/openapi.json", "").raw), &doc); err != nil {
			t.Fatal(err)
		}
		unseen := writes()
		for path, methods := range doc.Paths {
			for method, op := range methods {
				method = strings.ToUpper(method)
				short := path[strings.LastIndex(path, "/v1")+1:]
				_, short, _ = strings.Cut(short, "/")
				documented := slices.ContainsFunc(op.Parameters,
					func(p struct{ Name, In string }) bool { return p.Name == "Idempotency-Key" && p.In == "header" })
				access, err := hospitaltest.Access(op.Permission)
				if err != nil {
					t.Fatal(err)
				}
				isRead := method == http.MethodGet || access.IsPublic() || slices.Contains(reads, short)
				if documented == isRead {
					t.Errorf("%s %s: Idempotency-Key documented: %v", method, path, documented)
				}
				if isRead {
					continue
				}
				of, known := unseen[method+" "+short]
				if !known {
					t.Errorf("%s %s is neither in reads nor in writes", method, short)
					continue
				}
				delete(unseen, method+" "+short)
				a.once(method, path, op.OperationID, of(a))
			}
		}
		for name := range unseen {
			t.Errorf("%s is not in the OpenAPI document", name)
		}
	})
}

// once sends a write several times with one key.
func (a *fixtures) once(method, path, operation string, w write) {
	t := a.t
	t.Helper()
	path, token := cmp.Or(w.path, path), cmp.Or(w.token, a.token)
	const log = `SELECT count(*) FROM audit_entries`
	before := a.count(log)
	files := len(a.storedResults()) + len(a.storedMedia())
	answers := make([]answer, 3)
	if w.endsSession {
		a.keyed(method, path, token, "once", w.body).want(t, "")
		a.keyed(method, path, token, "once", w.body).want(t, hospital.Unauthenticated)
		return
	}
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = a.keyed(method, path, token, "once", w.body) })
	}
	wg.Wait()
	entries := a.count(log) - before
	answers = append(answers, a.keyed(method, path, token, "once", w.body))
	for _, got := range answers {
		if got.status != http.StatusOK || got.raw != answers[0].raw {
			t.Errorf("%s %s returned\n%s and\n%s", method, path, answers[0].raw, got.raw)
		}
	}
	if want := max(w.entries, 1); entries != want && w.entries >= 0 {
		t.Errorf("%s %s: %d audit entries, want %d", method, path, entries, want)
	}
	other := a.keyed(method, cmp.Or(w.otherPath, path), token, "once", w.other)
	if other.status != http.StatusUnprocessableEntity || other.field("Idempotency-Key") == "" {
		t.Errorf("%s %s with another body: %d %s", method, path, other.status, other.raw)
	}
	if now := a.count(log) - before; now != entries {
		t.Errorf("%s %s: %d audit entries after a retry, %d before", method, path, now, entries)
	}
	if now := len(a.storedResults()) + len(a.storedMedia()); now > files+1 {
		t.Errorf("%s %s: %d files, %d before", method, path, now, files)
	}
	var stored string
	err := a.sql.QueryRowContext(t.Context(), `SELECT answer FROM idempotency WHERE operation = $1 AND key = 'once'`,
		operation).Scan(&stored)
	if err != nil || (stored == string(answers[0].data)) == w.secret {
		t.Errorf("%s %s: stored %q, %v", method, path, stored, err)
	}
}

// Tests which keys are valid and when they expire.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		create := func(token, key string) answer {
			body := obj("dateFrom", "2027-02-02", "dateTo", "2027-02-02", "reason", "ประชุม")
			return a.keyed(http.MethodPost, servicePath+"/closures/create", token, key, body)
		}
		remove := func(key string, id int64) answer {
			return a.keyed(http.MethodPost, servicePath+"/closures/delete", a.token, key, obj("id", id))
		}
		for _, key := range []string{"", strings.Repeat("k", 201), "กุญแจ", "\xff\xfe"} {
			got := create(a.token, key).want(t, hospital.ValidationFailed)
			if got.field("Idempotency-Key") == "" {
				t.Errorf("%q: %s", key, got.raw)
			}
		}
		longest := strings.Repeat("k", 200)
		first := create(a.token, longest).want(t, "")
		// Keys belong to the user, not the session, and to the operation.
		if again := create(a.signIn("admin").AccessToken, longest); again.raw != first.raw {
			t.Errorf("in another session: %s", again.raw)
		}
		remove(longest, idOf(t, first)).want(t, "")
		// Errors are not stored.
		if got := remove("rejected", 1<<40).want(t, hospital.NotFound); got.status != http.StatusNotFound {
			t.Error(got.raw)
		}
		remove("rejected", a.make("closures")).want(t, "")
		// The key expires after a day, whether it was cleaned up or not.
		p.Clock.Advance(24 * time.Hour)
		a.token = a.signIn("admin").AccessToken
		if later := create(a.token, longest).want(t, ""); idOf(t, later) == idOf(t, first) {
			t.Error("the key did not expire after a day")
		}
	})
}

// A retry of an interrupted bulk request counts what was already done and does nothing twice.
func TestRetryOfBulkMark(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		var ids []int64
		for range 3 {
			ids = append(ids, a.make("appointments"))
		}
		body := obj("ids", append(ids, ids[0], 1<<40), "status", "CONFIRMED")
		send := func() answer { return a.keyed(http.MethodPost, visitPath+"/mark-status", a.token, "several", body) }
		answers := make([]answer, 3)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = send() })
		}
		wg.Wait()
		for _, got := range append(answers, send()) {
			if got.raw != answers[0].raw || !strings.Contains(got.raw, `"updated":3`) {
				t.Errorf("%s and %s", answers[0].raw, got.raw)
			}
		}
		if n := a.count(`SELECT count(*) FROM appointment_history WHERE action = 'STATUS'`); n != 3 {
			t.Errorf("%d status changes, want 3", n)
		}
		// Simulate a server that stopped before it stored the response.
		if _, err := a.sql.ExecContext(t.Context(), `DELETE FROM idempotency WHERE step = 0`); err != nil {
			t.Fatal(err)
		}
		other := obj("ids", ids, "status", "NO_SHOW")
		a.keyed(http.MethodPost, visitPath+"/mark-status", a.token, "several", other).want(t, hospital.ValidationFailed)
		if got := send(); got.raw != answers[0].raw {
			t.Errorf("%s and %s", answers[0].raw, got.raw)
		}
	})
}

// A preview stores nothing, so its key neither counts nor conflicts.
func TestPreviewIgnoresIdempotencyKey(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		patient := a.patient()
		send := func(preview bool) answer {
			return a.keyed(http.MethodPost, visitPath+"/create-series", a.token, "series",
				obj("patientId", patient, "serviceId", a.clinic.ID, "date", "2026-11-24", "startTime", "10:00",
					"everyWeeks", 1, "count", 2, "preview", preview))
		}
		send(true).want(t, "")
		booked := send(false).want(t, "")
		if again := send(false); again.raw != booked.raw {
			t.Errorf("%s and %s", booked.raw, again.raw)
		}
		patient = a.patient()
		send(true).want(t, "")
	})
}
