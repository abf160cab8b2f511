package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"nadmor/internal/hospital"
)

// appointmentsIn returns every appointment in a response at any depth: each object with a
// number, a patient and a status.
func appointmentsIn(t *testing.T, raw []byte) (found []map[string]any) {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if v["number"] != nil && v["patientId"] != nil && v["status"] != nil {
				found = append(found, v)
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(value)
	return found
}

// Every response that contains an appointment lists the actions the caller may take.
func TestAppointmentResponsesListAllowedActions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		queue := n.signIn("queue").AccessToken // may mark statuses, but not move appointments
		a := decode[hospital.Appointment](t, d.book(d.clinic, monday, "09:00"))
		waiting := d.book(d.clinic, monday, "09:00", "waitlist", true)
		day := obj("dateFrom", monday, "dateTo", monday)
		closure := obj("dateFrom", monday, "dateTo", monday, "reason", "ปิด", "kind", "CLOSED")
		result := decode[hospital.Result](t, func() answer {
			b := decode[hospital.Appointment](t, d.book(d.clinic, monday, "10:00"))
			d.mark(b.ID, hospital.CheckedIn, "").want(t, "")
			return n.post("/admin/api/v1/appointment-results/create", d.token,
				obj("appointmentId", b.ID, "diagnosis", "หวัด"))
		}())
		fresh := func() answer { return d.book(d.clinic, tuesday, "11:00") }
		for name, got := range map[string]answer{
			"create":     fresh(),
			"waitlisted": waiting,
			"create-series": n.post(visitPath+"/create-series", d.token,
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "08:00",
					"everyWeeks", 1, "count", 2)),
			"update": n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", 1, "note", "โทรแล้ว")),
			"stale":  n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", 1, "note", "เก่า")),
			"twice": n.post(visitPath+"/create", d.token,
				obj("patientId", a.PatientID, "serviceId", d.approves.ID, "date", monday, "startTime", "09:00")),
			"details":      n.post(visitPath+"/details", d.token, obj("id", a.ID)),
			"list":         n.post(visitPath+"/list", d.token, day),
			"list-results": n.post(visitPath+"/list-results", d.token, day),
			"search":       n.post(visitPath+"/search", d.token, obj("q", a.Number)),
			"calendar-list": n.post(visitPath+"/calendar-list", d.token,
				with(obj("dateFrom", monday, "dateTo", monday), "includeAppointments", true)),
			"waitlist": n.post(visitPath+"/waitlist", d.token,
				obj("serviceId", d.clinic.ID, "date", monday, "startTime", "09:00")),
			"list-all":     n.get(visitPath+"/list-all?dateFrom="+monday+"&dateTo="+monday, d.token),
			"dashboard":    n.get("/admin/api/v1/dashboard/summary", d.token),
			"affected":     n.post(servicePath+"/closures/affected", d.token, closure),
			"result":       n.get(fmt.Sprintf("/admin/api/v1/appointment-results/read/%d", result.ID), d.token),
			"queue's list": n.post(visitPath+"/list", queue, day),
		} {
			found := appointmentsIn(t, []byte(got.raw))
			if len(found) == 0 {
				t.Errorf("%s: no appointment in %s", name, got.raw)
			}
			for _, v := range found {
				status := hospital.AppointmentStatus(v["status"].(string))
				allowed, isList := v["allowedStatuses"].([]any)
				movable := status != hospital.CheckedIn && name != "queue's list"
				if !isList || len(allowed) == 0 || v["reasonStatuses"] == nil || v["movable"] != movable ||
					v["holdsSeat"] != status.HoldsSeat() {
					t.Errorf("%s: %s has %v, movable %v, holds a seat %v", name, status, v["allowedStatuses"],
						v["movable"], v["holdsSeat"])
				}
			}
		}
		marked := d.mark(a.ID, hospital.NoShow, "")
		undone := n.post(visitPath+"/undo-status", d.token, obj("id", a.ID))
		for name, got := range map[string]answer{"mark-status": marked, "undo-status": undone} {
			if found := appointmentsIn(t, []byte(got.raw)); len(found) != 1 || found[0]["movable"] != true ||
				found[0]["holdsSeat"] != true {
				t.Errorf("%s: %s", name, got.raw)
			}
		}
	})
}

// NO_SHOW is allowed once the slot has started. A no-show can be rebooked on a later date in one step.
func TestNoShowOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := decode[hospital.Appointment](t, d.book(d.clinic, monday, "11:30"))
		early := d.mark(a.ID, hospital.NoShow, "").want(t, hospital.InvalidTransition)
		if early.status != 409 || fmt.Sprint(early.err.Details["allowed"]) != fmt.Sprint(a.AllowedStatuses) {
			t.Errorf("too early: %s; allowedStatuses are %v", early.raw, a.AllowedStatuses)
		}
		n.database.Clock.Advance(2*time.Hour + 30*time.Minute)
		a = decode[hospital.Appointment](t, d.mark(a.ID, hospital.NoShow, ""))
		n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", a.Version, "startTime", "10:00")).
			want(t, hospital.InvalidTransition)
		n.post(visitPath+"/update", n.signIn("queue").AccessToken,
			obj("id", a.ID, "version", a.Version, "date", tuesday)).want(t, hospital.Forbidden)
		b := decode[hospital.Appointment](t, n.post(visitPath+"/update", d.token,
			obj("id", a.ID, "version", a.Version, "date", tuesday)))
		if b.Status != hospital.Booked || b.Date != tuesday || b.StartTime != "11:30" || b.Number != a.Number {
			t.Errorf("rebooked as %+v", b)
		}
	})
}
