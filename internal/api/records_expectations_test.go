package api_test

import (
	"fmt"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// expected describes the response for a record named in a request.
type expected struct {
	kind string
	// missing is the error for a record that does not exist, for a caller with permission. It is "" for a
	// filter, which matches nothing.
	missing hospital.Code
	// request returns the body with the id in it, or the query. nil if the id is in the path.
	request func(a *fixtures, id int64) any
	// findsDeleted is set if deleted records are still found.
	findsDeleted bool
	// live is the error for an existing record, for the administrator.
	live hospital.Code
	// needs is the permission required for this part of the operation.
	needs hospital.Permission
	// none is the reason why the value names no record.
	none string
}

func in(kind string) expected { return expected{kind: kind, missing: hospital.NotFound} }

// with sets the body. field is the place of the id, "ids[]" for a list.
func (e expected) with(field string, more ...any) expected {
	e.request = func(_ *fixtures, id int64) any {
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
func (e expected) findingDeleted() expected               { e.findsDeleted = true; return e }
func (e expected) answers(missing hospital.Code) expected { e.missing = missing; return e }
func (e expected) existingAs(code hospital.Code) expected { e.live = code; return e }
func (e expected) requesting(fn func(a *fixtures, id int64) any) expected {
	e.request = fn
	return e
}

func filters(kind, field string, more ...any) expected {
	return in(kind).with(field, more...).answers("")
}

func names(kind, field string, more ...any) expected {
	return in(kind).with(field, more...).answers(hospital.ValidationFailed)
}

// booking returns a booking of a new patient with the id in a field.
func booking(field string, more ...any) func(a *fixtures, id int64) any {
	return func(a *fixtures, id int64) any {
		body := with(obj("patientId", int64(0), "serviceId", a.clinic.ID, "date", tuesday, "startTime", "10:30"), more...)
		if field != "patientId" {
			body["patientId"] = a.patient()
		}
		body[field] = id
		return body
	}
}

// changeOf returns an update of a new record with the id of another one in a field.
func changeOf(kind, field string) func(a *fixtures, id int64) any {
	return func(a *fixtures, id int64) any {
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

// expectations has an entry for every value that names a record in any operation.
var expectations = func() map[string]expected {
	november := []any{"dateFrom", "2026-11-01", "dateTo", "2026-11-30"}
	own := expected{none: "what others hold is TestNoAccessToResourcesOfOthers"}
	text := expected{none: "an account of another system, kept as a text"}
	m := map[string]expected{
		"POST " + authPath + "/end-sessions body sessionId": own,
		"POST " + authPath + "/reset-password body token":   own,
		"GET /admin/api/v1/events header Last-Event-ID":     {none: "position in a stream filtered per listener"},
		"GET /media/{key} path key":                         {none: "public pictures"},
		"POST " + settingPath + "/update body banners.id":   {none: "names banners within the settings that are sent"},
		"POST " + customerPath + "/create body lineUserId":  text,
		"POST " + customerPath + "/update body lineUserId":  text,
		"POST " + patientPath + "/create body lineUserId":   text,
		"POST " + patientPath + "/update body lineUserId":   text,

		"GET " + userPath + "/{id} path id":               in("users"),
		"GET " + userPath + "/{id}/sessions path id":      in("users"),
		"POST " + userPath + "/{id}/end-sessions path id": in("users"),
		"POST " + userPath + "/{id}/reset-link path id":   in("users"),
		"POST " + userPath + "/delete body id":            in("users").with("id"),
		"POST " + userPath + "/update body id":            in("users").with("id", "version", 1, "name", "ชื่อใหม่"),
		"POST " + userPath + "/update body roleId":        names("roles", "").requesting(changeOf("users", "roleId")),
		"POST " + userPath + "/update body serviceIds": names("services", "").
			requesting(changeOf("users", "serviceIds[]")),
		"POST " + userPath + "/create body roleId": names("roles", "").requesting(func(a *fixtures, id int64) any {
			a.created++
			return obj("username", fmt.Sprint("newcomer", a.created),
				"email", fmt.Sprintf("n%d@hospital.example", a.created), "name", "คนใหม่", "invite", true, "roleId", id)
		}),
		"POST " + userPath + "/create body serviceIds": names("services", "").requesting(func(a *fixtures, id int64) any {
			a.created++
			return obj("username", fmt.Sprint("newcomer", a.created),
				"email", fmt.Sprintf("n%d@hospital.example", a.created), "name", "คนใหม่", "invite", true,
				"roleId", storetest.RoleID(a.t, a.db, "QUEUE"), "serviceIds", []int64{id})
		}),
		"POST " + userPath + "/list body roleId": filters("roles", "roleId"),

		"GET " + rolePath + "/{id} path id":    in("roles"),
		"POST " + rolePath + "/delete body id": in("roles").with("id"),
		"POST " + rolePath + "/update body id": in("roles").requesting(func(a *fixtures, id int64) any {
			a.created++
			return obj("id", id, "version", 1, "name", fmt.Sprint("RENAMED_", a.created), "label", "ใหม่", "permissions",
				[]string{})
		}),

		"GET " + patientPath + "/{id} path id":            in("patients"),
		"POST " + patientPath + "/update body id":         in("patients").with("id", "version", 1, "phone", "0812345678"),
		"POST " + patientPath + "/delete body id":         in("patients").with("id", "reason", "ซ้ำ"),
		"POST " + patientPath + "/reveal-id-card body id": in("patients").with("id", "reason", "ตรวจสิทธิ"),

		"GET " + customerPath + "/{id} path id":    in("customers"),
		"POST " + customerPath + "/delete body id": in("customers").with("id"),
		"POST " + customerPath + "/update body id": in("customers").with("id", "version", 1, "note", "ใหม่"),
		"POST " + customerPath +
			"/create body patients.patientId": names("patients", "").requesting(func(a *fixtures, id int64) any {
			a.created++
			return obj("name", "ใหม่", "phone", fmt.Sprintf("09%08d", a.created), "patients", []any{
				obj("patientId", id, "relation", "SELF"),
			})
		}),
		"POST " + customerPath +
			"/update body patients.patientId": names("patients", "").requesting(changeOf("customers", "patients")),

		"GET " + servicePath + "/{id} path id":    in("services"),
		"POST " + servicePath + "/delete body id": in("services").with("id"),
		"POST " + servicePath + "/update body id": in("services").with("id", "version", 1, "schedule", []any{}),
		"POST " + servicePath + "/create body staffIds": names("users", "").requesting(func(a *fixtures, id int64) any {
			a.created++
			return obj("code", fmt.Sprint("N", a.created), "name", "คลินิก", "staffIds", []int64{id})
		}),
		"POST " + servicePath +
			"/update body staffIds": names("users",
			"").requesting(changeOf("services", "staffIds[]")).only(hospital.ServiceConfigUpdate),
		"POST " + servicePath + "/closures/list body serviceId": filters("services", "serviceId", november...),
		"POST " + servicePath +
			"/closures/create body serviceIds": names("services", "serviceIds[]", "dateFrom", "2027-03-01", "dateTo",
			"2027-03-01", "reason", "ประชุม"),
		"POST " + servicePath + "/closures/affected body id":         in("closures").with("id"),
		"POST " + servicePath + "/closures/affected body serviceIds": filters("services", "serviceIds[]", november...),
		"POST " + servicePath + "/closures/move body id":             in("closures").with("id", "preview", true),
		// an appointment outside the closure is not moved
		"POST " + servicePath +
			"/closures/move body moves.appointmentId": filters("appointments", "").requesting(func(a *fixtures, id int64) any {
			return obj("id", a.make("closures"), "preview", true, "moves", []any{
				obj("appointmentId", id, "to", obj("date", tuesday, "startTime", "08:00")),
			})
		}),
		"POST " + servicePath + "/closures/delete body id": in("closures").with("id"),
		"POST " + displaysPath + "/list body serviceId":    filters("services", "serviceId"),
		"POST " + displaysPath + "/create body serviceId":  in("services").with("serviceId", "label", "จอ"),
		"POST " + displaysPath + "/delete body id":         in("displays").with("id"),

		"POST " + slotPath + "/check-time-slots body serviceId": in("services").with("serviceId", "date", tuesday),
		"POST " + slotPath +
			"/update-capacity body serviceId": in("services").with("serviceId", "date", tuesday, "capacity", 3),

		"POST " + visitPath + "/update body id": in("appointments").with("id", "version", 1, "note", "ใหม่"),
		"POST " + visitPath +
			"/update body serviceId": names("services", "").requesting(changeOf("appointments", "serviceId")),
		"POST " + visitPath + "/update body staffId": names("users", "").requesting(changeOf("appointments", "staffId")),
		"POST " + visitPath +
			"/update body customerId": names("customers", "").requesting(changeOf("appointments", "customerId")),
		"POST " + visitPath + "/mark-status body id": in("appointments").with("id", "status", "CONFIRMED"),
		"POST " + visitPath +
			"/mark-status body ids": in("appointments").with("ids[]", "status", "CONFIRMED").answers(""),
		"POST " + visitPath +
			"/undo-status body id": in("appointments").with("id").existingAs(hospital.InvalidTransition),
		"DELETE " + visitPath + "/delete/{id} path id": in("appointments"),
		"POST " + visitPath + "/details body id":       in("appointments").with("id"),
		"GET " + visitPath + "/slip/{id} path id":      in("appointments"),
		"POST " + visitPath +
			"/waitlist body serviceId": filters("services", "serviceId", "date", tuesday, "startTime", "08:00"),
		"GET " + visitPath +
			"/day-list query serviceId": in("services").requesting(func(_ *fixtures, id int64) any {
			return "date=" + tuesday + "&serviceId=" + itoa(id)
		}),
		"POST " + visitPath +
			"/calendar-list body serviceIds": filters("services", "serviceIds[]",
			append([]any{"includeAppointments", true}, november...)...),
		"POST " + visitPath +
			"/calendar-list body staffId": filters("users", "staffId",
			append([]any{"includeAppointments", true}, november...)...),
		"POST " + visitPath + "/result/create/{id} path id": in("appointments").requesting(func(*fixtures, int64) any {
			return form{"diagnosis": "ไข้"}
		}),

		"POST " + resultPath + "/create body appointmentId": in("appointments").with("appointmentId", "diagnosis", "ไข้"),
		"GET " + resultPath + "/read/{id} path id":          in("results"),
		"GET " + resultPath + "/file/{id} path id":          in("results"),
		"DELETE " + resultPath +
			"/delete/{id} path id": in("results").requesting(func(*fixtures, int64) any { return "reason=test" }),
		"POST " + resultPath + "/list body appointmentId": filters("appointments", "appointmentId"),
		"POST " + resultPath + "/list body patientId":     filters("patients", "patientId"),
		"POST /admin/api/v1/audit/list body actorId":      filters("users", "actorId"),
		"POST /admin/api/v1/audit/list body entityId": filters("patients", "").requesting(func(_ *fixtures, id int64) any {
			return obj("entity", "patient", "entityId", itoa(id))
		}).findingDeleted(),
	}
	for _, path := range []string{"/create", "/create-series"} {
		var more []any
		if path == "/create-series" {
			more = []any{"everyWeeks", 1, "count", 2, "preview", true}
		}
		followUp := names("appointments", "")
		m["POST "+visitPath+path+" body followUpOfId"] = followUp.requesting(func(a *fixtures, id int64) any {
			body := booking("followUpOfId", more...)(a, id).(map[string]any)
			var patient int64 // of the appointment, if it is one
			if err := a.sql.QueryRowContext(a.t.Context(), `SELECT patient_id FROM appointments WHERE id = $1`,
				id).Scan(&patient); err == nil {
				body["patientId"] = patient
			}
			return body
		})
		for field, kind := range map[string]string{
			"patientId": "patients", "serviceId": "services", "staffId": "users", "customerId": "customers",
		} {
			m["POST "+visitPath+path+" body "+field] = names(kind, "").requesting(booking(field, more...))
		}
	}
	for _, path := range []string{"/list", "/list-results", "/export"} {
		for field, kind := range map[string]string{"patientId": "patients", "serviceIds[]": "services", "staffId": "users"} {
			m["POST "+visitPath+path+" body "+strings.TrimSuffix(field, "[]")] = filters(kind, field)
		}
	}
	for _, path := range []string{"/utilization", "/no-show", "/waiting-time", "/workload"} {
		m["POST "+reportPath+path+" body serviceIds"] = names("services", "serviceIds[]", november...).findingDeleted()
	}
	return m
}()
