package api_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

const (
	servicePath = "/admin/api/v1/service-config"
	slotPath    = "/admin/api/v1/appointment-time-slots"
	// The test clock starts on Monday 2026-11-16 at 09:00.
	monday  = "2026-11-16"
	tuesday = "2026-11-17"
)

// bookingClient is a server with a clinic, a clinic that approves its bookings, and patients.
type bookingClient struct {
	*node
	t        *testing.T
	token    string
	clinic   hospital.Service
	approves hospital.Service
	people   int
}

func newBookingClient(t *testing.T, n *node) *bookingClient {
	t.Helper()
	d := &bookingClient{node: n, t: t, token: n.signIn("admin").AccessToken}
	var rows []any
	for day := 1; day <= 5; day++ {
		rows = append(rows, obj("weekday", day, "startTime", "08:00", "endTime", "12:00", "slotMinutes", 30, "capacity", 1))
	}
	d.clinic = decode[hospital.Service](t,
		n.post(servicePath+"/create", d.token,
			obj("code", "gp", "name", "คลินิกทั่วไป", "overbookLimit", 1, "schedule", rows)))
	d.approves = decode[hospital.Service](t,
		n.post(servicePath+"/create", d.token, obj("code", "EYE", "name", "ตา", "requiresApproval", true, "schedule", rows)))
	return d
}

func (d *bookingClient) patient() int64 {
	d.t.Helper()
	d.people++
	p := decode[hospital.Patient](d.t,
		d.post(patientPath+"/create", d.token,
			obj("prename", "นาย", "firstName", fmt.Sprintf("คนที่%d", d.people), "lastName", "ทดสอบ", "sex", "M", "birthDate",
				"1988-02-09", "confirmDuplicate", true)))
	return p.ID
}

func (d *bookingClient) book(service hospital.Service, date, start string, more ...any) answer {
	d.t.Helper()
	return d.post(visitPath+"/create", d.token,
		with(obj("patientId", d.patient(), "serviceId", service.ID, "date", date, "startTime", start), more...))
}

func with(body map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

func (d *bookingClient) mark(id int64, status hospital.AppointmentStatus, reason string) answer {
	d.t.Helper()
	return d.post(visitPath+"/mark-status", d.token, obj("id", id, "status", status, "reason", reason))
}

func TestServicesOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		nurse, registrar := n.signIn("nurse").AccessToken, n.signIn("registrar").AccessToken
		s := d.clinic
		if s.Code != "GP" || !s.Active || s.SlotMinutes != 30 || len(s.Schedule) != 5 || s.Version != 1 {
			t.Fatalf("created %+v", s)
		}
		n.post(servicePath+"/create", d.token, obj("code", "GP", "name", "ซ้ำ")).want(t, hospital.Duplicate)
		wrong := n.post(servicePath+"/create", d.token,
			obj("code", "ก", "color", "red", "slotMinutes", 1, "schedule",
				[]any{obj("weekday", 1, "startTime", "12:00", "endTime", "09:00")})).want(t, hospital.ValidationFailed)
		for _, field := range []string{"code", "name", "color", "slotMinutes", "schedule[0].endTime"} {
			if wrong.field(field) == "" {
				t.Errorf("%s is not named: %s", field, wrong.raw)
			}
		}
		// The nurse may change the schedule but nothing else.
		rows := []any{obj("weekday", 1, "startTime", "08:00", "endTime", "12:00")}
		n.post(servicePath+"/update", nurse, obj("id", s.ID, "version", 1, "schedule", rows, "name", "อื่น")).want(t,
			hospital.Forbidden)
		n.post(servicePath+"/update", registrar, obj("id", s.ID, "version", 1, "schedule", rows)).want(t, hospital.Forbidden)
		s = decode[hospital.Service](t, n.post(servicePath+"/update", nurse, obj("id", s.ID, "version", 1, "schedule", rows)))
		if len(s.Schedule) != 1 || s.Schedule[0].Capacity != 10 || s.Name != "คลินิกทั่วไป" || s.Version != 2 {
			t.Errorf("changed %+v", s)
		}
		stale := n.post(servicePath+"/update", d.token, obj("id", s.ID, "version", 1, "name", "เก่า")).want(t,
			hospital.ConflictVersion)
		if stale.err.Details["current"].(map[string]any)["version"] != 2.0 {
			t.Errorf("conflict %s", stale.raw)
		}
		d.book(s, "2026-11-23", "09:00").want(t, "")
		if a := n.post(servicePath+"/delete", d.token, obj("id", s.ID)).want(t,
			hospital.InUse); a.err.Details["count"] != 1.0 {
			t.Errorf("in use %s", a.raw)
		}
		decode[hospital.Service](t, n.post(servicePath+"/update", d.token, obj("id", s.ID, "version", 2, "active", false)))
		if list := decode[[]hospital.Service](t, n.get(servicePath+"/list", registrar)); len(list) != 1 ||
			list[0].Code != "EYE" {
			t.Errorf("active services %+v", list)
		}
		if list := decode[[]hospital.Service](t, n.get(servicePath+"/list?all=true", registrar)); len(list) != 2 {
			t.Errorf("all services %+v", list)
		}
		n.post(servicePath+"/delete", d.token, obj("id", d.approves.ID)).want(t, "")
		n.get(fmt.Sprintf("%s/%d", servicePath, d.approves.ID), d.token).want(t, hospital.NotFound)
	})
}

func TestClosuresAndCapacityOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := decode[hospital.Appointment](t, d.book(d.clinic, tuesday, "09:00"))
		days := decode[struct{ Days []hospital.DaySlots }](t,
			n.post(slotPath+"/check-time-slots", d.token,
				obj("serviceId", d.clinic.ID, "dateFrom", monday, "dateTo", "2027-01-16"))).Days
		if len(days) != 62 || len(days[1].Slots) != 8 || days[1].Slots[2].Booked != 1 || days[1].Slots[2].Available != 0 ||
			!days[0].Slots[0].Past {
			t.Fatalf("days %+v", days[:2])
		}
		n.post(slotPath+"/check-time-slots", d.token,
			obj("serviceId", d.clinic.ID, "dateFrom", monday, "dateTo", "2027-01-17")).want(t, hospital.ValidationFailed)
		n.post(slotPath+"/check-time-slots", d.token, obj("serviceId", d.clinic.ID)).want(t, hospital.ValidationFailed)
		n.post(slotPath+"/check-time-slots", d.token, obj("serviceId", 999, "date", monday)).want(t, hospital.NotFound)
		n.post(slotPath+"/check-time-slots", d.token,
			obj("serviceId", d.clinic.ID, "date", monday, "kind", "OTHER")).want(t, hospital.ValidationFailed)
		// The hospital's lead time applies, except to walk-ins.
		lead := func(minutes int) {
			n.post(settingPath+"/update", d.token,
				obj("version", n.setting(d.token).Version, "leadMinutes", minutes)).want(t, "")
		}
		lead(36 * 60)
		for kind, want := range map[string]hospital.SlotState{
			"NEW": hospital.StateTooSoon, "WALK_IN": hospital.StateFree,
		} {
			day := decode[struct{ Days []hospital.DaySlots }](t,
				n.post(slotPath+"/check-time-slots", d.token,
					obj("serviceId", d.clinic.ID, "date", tuesday, "kind", kind))).Days[0]
			if slot := day.Slots[3]; slot.State != want || (slot.Available > 0) != (want == hospital.StateFree) {
				t.Errorf("%s: %+v", kind, slot)
			}
		}
		lead(0)

		low := n.post(slotPath+"/update-capacity", d.token,
			obj("serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:00", "capacity", 0)).want(t,
			hospital.CapacityBelowBooked)
		if low.status != 409 || low.err.Details["booked"] != 1.0 {
			t.Errorf("below booked %s", low.raw)
		}
		done := decode[hospital.CapacityChanged](t,
			n.post(slotPath+"/update-capacity", d.token, obj("serviceId", d.clinic.ID, "date", tuesday, "capacity", 3)))
		if done.Updated != 8 || done.Days != 1 || len(done.Previous) != 8 || done.Previous[0].Capacity != nil {
			t.Errorf("changed %+v", done)
		}
		back := decode[hospital.CapacityChanged](t,
			n.post(slotPath+"/update-capacity", d.token,
				obj("serviceId", d.clinic.ID, "date", tuesday, "capacity", nil)))
		if len(back.Previous) != 8 || *back.Previous[0].Capacity != 3 || back.Previous[0].Date != tuesday ||
			back.Previous[0].StartTime != "08:00" {
			t.Errorf("reset %+v", back)
		}
		n.post(slotPath+"/update-capacity", n.signIn("doctor").AccessToken,
			obj("serviceId", d.clinic.ID, "date", tuesday, "capacity", 3)).want(t, hospital.Forbidden)

		if list := decode[[]hospital.Appointment](t,
			n.post(servicePath+"/closures/affected", d.token, obj("dateFrom", tuesday, "dateTo", tuesday))); len(list) != 1 ||
			list[0].ID != a.ID {
			t.Errorf("would be affected: %+v", list)
		}
		closed := decode[struct {
			hospital.Closure
			Affected int
		}](t,
			n.post(servicePath+"/closures/create", d.token,
				obj("dateFrom", tuesday, "dateTo", tuesday, "reason", "แพทย์ลา", "kind", "CLOSED", "serviceIds",
					[]any{d.clinic.ID})))
		if closed.Affected != 1 || closed.ID == 0 {
			t.Errorf("closed %+v", closed)
		}
		n.post(servicePath+"/closures/create", d.token, obj("dateFrom", tuesday, "dateTo", monday, "reason", "")).want(t,
			hospital.ValidationFailed)
		if r := d.book(d.clinic, tuesday, "10:00").want(t, hospital.SlotClosed); r.err.Details["reason"] != "แพทย์ลา" ||
			!strings.Contains(r.err.Message, "แพทย์ลา") {
			t.Errorf("closed: %s", r.raw)
		}
		type moved struct {
			Moves    []hospital.Move
			Unplaced []hospital.Appointment
		}
		plan := decode[moved](t, n.post(servicePath+"/closures/move", d.token, obj("id", closed.ID, "preview", true)))
		if len(plan.Moves) != 1 || plan.Moves[0].To != (hospital.Time{Date: "2026-11-18", StartTime: "09:00"}) ||
			len(plan.Unplaced) != 0 {
			t.Errorf("plan %+v", plan)
		}
		// The proposed moves can be sent back unchanged.
		decode[moved](t,
			n.post(servicePath+"/closures/move", d.token, obj("id", closed.ID, "preview", false, "moves", plan.Moves)))
		if now := decode[hospital.Appointment](t,
			n.post(visitPath+"/details", d.token, obj("id", a.ID))); now.Date != "2026-11-18" || now.Number != a.Number {
			t.Errorf("moved %+v", now)
		}
		if list := decode[[]hospital.Closure](t,
			n.post(servicePath+"/closures/list", d.token,
				obj("dateFrom", monday, "dateTo", "2026-11-30", "serviceId", d.approves.ID))); len(list) != 0 {
			t.Errorf("another service is closed: %+v", list)
		}
		n.post(servicePath+"/closures/delete", d.token, obj("id", closed.ID)).want(t, "")
		n.post(servicePath+"/closures/delete", d.token, obj("id", closed.ID)).want(t, hospital.NotFound)
	})
}

func TestBookingOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := decode[hospital.Appointment](t, d.book(d.clinic, tuesday, "09:00", "reason", "ติดตามอาการ"))
		for name, c := range map[string]struct {
			body map[string]any
			code hospital.Code
		}{
			"nothing":       {obj(), hospital.ValidationFailed},
			"no such field": {obj("room", 5), hospital.ValidationFailed},
			"a past day": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", "2026-11-13", "startTime", "09:00"),
				hospital.SlotPast,
			},
			"next year": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", "2027-11-16", "startTime", "09:00"),
				hospital.OutOfWindow,
			},
			"on Saturday": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", "2026-11-21", "startTime", "09:00"),
				hospital.OutOfSchedule,
			},
			"between slots": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:10"),
				hospital.OutOfSchedule,
			},
			"the patient's": {
				obj("patientId", a.PatientID, "serviceId", d.approves.ID, "date", tuesday, "startTime", "09:00"),
				hospital.PatientDoubleBooked,
			},
			"a full slot": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:00"), hospital.SlotFull,
			},
			"no such patient": {
				obj("patientId", 9999, "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:30"), hospital.ValidationFailed,
			},
			"no such service": {
				obj("patientId", d.patient(), "serviceId", 9999, "date", tuesday, "startTime", "09:30"), hospital.ValidationFailed,
			},
			"no such staff": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:30", "staffId", 9999),
				hospital.ValidationFailed,
			},
			"no such customer": {
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:30", "customerId", 9999),
				hospital.ValidationFailed,
			},
			"a Buddhist year": {obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", "2569-11-17",
				"startTime", "09:30"), hospital.ValidationFailed},
		} {
			got := n.post(visitPath+"/create", d.token, c.body)
			if got.err.Code != string(c.code) {
				t.Errorf("%s: %s, want %s", name, got.raw, c.code)
			}
			switch c.code {
			case hospital.SlotFull:
				next, _ := got.err.Details["nextFree"].([]any)
				if len(next) != 5 || next[0].(map[string]any)["startTime"] != "09:30" {
					t.Errorf("next free seats: %s", got.raw)
				}
			case hospital.PatientDoubleBooked:
				if got.err.Details["appointment"].(map[string]any)["number"] != a.Number {
					t.Errorf("the other appointment: %s", got.raw)
				}
			}
		}

		// Permission to overbook, and its limit.
		body := obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:00",
			"overbookReason", "แพทย์สั่ง")
		if rejected := n.post(visitPath+"/create", n.signIn("registrar").AccessToken, body).want(t,
			hospital.Forbidden); rejected.err.Details["permission"] != "APPOINTMENT.OVERBOOK" {
			t.Errorf("refused %s", rejected.raw)
		}
		if over := decode[hospital.Appointment](t,
			n.post(visitPath+"/create", n.signIn("doctor").AccessToken, body)); !over.Overbooked {
			t.Errorf("overbooked %+v", over)
		}
		d.book(d.clinic, tuesday, "09:00", "overbookReason", "อีกคน").want(t, hospital.SlotFull)

		// A retry returns the first response.
		body = obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "10:00")
		first := n.post(visitPath+"/create", d.token, body, "Idempotency-Key", "k1")
		second := n.post(visitPath+"/create", d.token, body, "Idempotency-Key", "k1")
		if first.want(t, "").raw != second.want(t, "").raw {
			t.Errorf("a repeat is answered %s, the first was %s", second.raw, first.raw)
		}
		// The same key of another user is a different key.
		n.post(visitPath+"/create", n.signIn("nurse").AccessToken, body, "Idempotency-Key", "k1").want(t,
			hospital.PatientDoubleBooked)

		if w := decode[hospital.Appointment](t,
			d.book(d.clinic, tuesday, "09:00", "waitlist", true)); w.Status != hospital.Waitlisted {
			t.Errorf("waiting %+v", w)
		}
		if list := decode[[]hospital.Appointment](t,
			n.post(visitPath+"/waitlist", d.token,
				obj("serviceId", d.clinic.ID, "date", tuesday, "startTime", "09:00"))); len(list) != 1 {
			t.Errorf("waiting %+v", list)
		}

		moved := decode[hospital.Appointment](t,
			n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", 1, "startTime", "11:30", "note", "ย้าย")))
		if moved.StartTime != "11:30" || moved.EndTime != "12:00" || moved.Date != tuesday || moved.Reason != "ติดตามอาการ" ||
			moved.Note != "ย้าย" || moved.Version != 2 {
			t.Errorf("moved %+v", moved)
		}
		n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", 2, "patientId", 5)).want(t, hospital.ValidationFailed)
		if stale := n.post(visitPath+"/update", d.token, obj("id", a.ID, "version", 1, "note", "เก่า")).want(t,
			hospital.ConflictVersion); stale.err.Details["current"].(map[string]any)["note"] != "ย้าย" {
			t.Errorf("conflict %s", stale.raw)
		}
		n.call("DELETE", fmt.Sprintf("%s/delete/%d", visitPath, a.ID), d.token, nil).want(t, "")
		n.post(visitPath+"/details", d.token, obj("id", a.ID)).want(t, hospital.NotFound)
	})
}

// ways are the transitions that lead to each status.
var ways = map[hospital.AppointmentStatus][]hospital.AppointmentStatus{
	hospital.Booked: nil, hospital.Pending: nil, hospital.Waitlisted: nil,
	hospital.Confirmed: {hospital.Confirmed}, hospital.CheckedIn: {hospital.CheckedIn}, hospital.InService: {
		hospital.CheckedIn, hospital.InService,
	},
	hospital.Completed: {hospital.CheckedIn, hospital.Completed}, hospital.NoShow: {hospital.NoShow},
	hospital.Cancelled: {hospital.Cancelled},
}

// Tests every pair of statuses over HTTP, on the day itself, in a slot that starts now.
func TestStatusTransitionsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		for _, from := range hospital.AppointmentStatuses {
			for _, to := range hospital.AppointmentStatuses {
				service, more := d.clinic, []any{}
				var blocker hospital.Appointment
				switch from {
				case hospital.Pending:
					service = d.approves
				case hospital.Waitlisted:
					blocker = decode[hospital.Appointment](t, d.book(service, monday, "09:00"))
					more = []any{"waitlist", true}
				}
				a := decode[hospital.Appointment](t, d.book(service, monday, "09:00", more...))
				if blocker.ID != 0 { // the seat is free again
					d.mark(blocker.ID, hospital.Cancelled, "ว่าง").want(t, "")
				}
				for _, step := range ways[from] {
					a = decode[hospital.Appointment](t, d.mark(a.ID, step, "ลอง"))
				}
				if a.Status != from {
					t.Fatalf("on the way to %s it is %s", from, a.Status)
				}
				details := decode[struct{ AllowedStatuses []hospital.AppointmentStatus }](t,
					n.post(visitPath+"/details", d.token, obj("id", a.ID)))
				may := slices.Contains(details.AllowedStatuses, to)
				got := d.mark(a.ID, to, "ลอง")
				switch {
				case may && got.err.Code != "":
					t.Errorf("%s → %s is offered and refused: %s", from, to, got.raw)
				case !may &&
					(got.err.Code != string(hospital.InvalidTransition) || got.status != 409 || got.err.Details["allowed"] == nil):
					t.Errorf("%s → %s is not offered: %s", from, to, got.raw)
				case may:
					if after := decode[hospital.Appointment](t, got); after.Status != to {
						t.Errorf("%s → %s became %s", from, to, after.Status)
					}
				}
				if !slices.Equal(a.AllowedStatuses, details.AllowedStatuses) {
					t.Errorf("%s: allowedStatuses are %v in the response and %v in the details", from,
						a.AllowedStatuses, details.AllowedStatuses)
				}
				n.call("DELETE", fmt.Sprintf("%s/delete/%d", visitPath, a.ID), d.token, nil).want(t, "")
			}
		}
		faults, err := n.db.VerifySlots(t.Context())
		if err != nil || len(faults) > 0 {
			t.Errorf("seats that do not add up: %v, %v", faults, err)
		}
		if totals, err := n.db.VerifyTotals(t.Context()); err != nil || len(totals) > 0 {
			t.Errorf("totals that do not add up: %v, %v", totals, err)
		}
	})
}

func TestBulkMarkAndUndoOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		one := decode[hospital.Appointment](t, d.book(d.clinic, monday, "10:00"))
		two := decode[hospital.Appointment](t, d.book(d.clinic, tuesday, "10:00"))
		var bulk struct {
			Updated int
			Failed  []struct {
				ID            int64
				Code, Message string
			}
		}
		raw := n.post(visitPath+"/mark-status", d.token, obj("ids", []any{one.ID, two.ID, 9999}, "status", "CHECKED_IN"))
		if err := json.Unmarshal(raw.want(t, "").data, &bulk); err != nil || bulk.Updated != 1 || len(bulk.Failed) != 2 {
			t.Fatalf("%v in %s", err, raw.raw)
		}
		if f := bulk.Failed[0]; f.ID != two.ID || f.Code != "INVALID_TRANSITION" ||
			!strings.Contains(f.Message, "17 พ.ย. 2569") {
			t.Errorf("failed %+v", f)
		}
		if f := bulk.Failed[1]; f.ID != 9999 || f.Code != "NOT_FOUND" {
			t.Errorf("failed %+v", f)
		}
		n.post(visitPath+"/mark-status", d.token, obj("ids", []any{one.ID}, "id", one.ID, "status", "CHECKED_IN")).want(t,
			hospital.ValidationFailed)
		n.post(visitPath+"/mark-status", d.token, obj("status", "CHECKED_IN")).want(t, hospital.ValidationFailed)
		n.post(visitPath+"/mark-status", d.token, obj("id", one.ID, "status", "GONE")).want(t, hospital.ValidationFailed)
		n.post(visitPath+"/mark-status", d.token, obj("id", one.ID, "status", "IN_SERVICE", "version", 1)).want(t,
			hospital.ConflictVersion)

		// A step back without REVERT_STATUS, and an undo by the user who set the status.
		d.mark(one.ID, hospital.Completed, "").want(t, "")
		registrar := n.signIn("registrar").AccessToken
		if rejected := n.post(visitPath+"/mark-status", registrar,
			obj("id", one.ID, "status", "IN_SERVICE", "reason", "ผิด")).want(t,
			hospital.Forbidden); rejected.err.Details["permission"] != "APPOINTMENT.REVERT_STATUS" {
			t.Errorf("refused %s", rejected.raw)
		}
		n.post(visitPath+"/undo-status", registrar, obj("id", one.ID)).want(t, hospital.InvalidTransition)
		if back := decode[hospital.Appointment](t,
			n.post(visitPath+"/undo-status", d.token, obj("id", one.ID))); back.Status != hospital.CheckedIn ||
			back.CompletedAt != nil {
			t.Errorf("taken back %+v", back)
		}
		for body, want := range map[string]int{
			`{"dateFrom":"2026-11-16","dateTo":"2026-11-16"}`: 1, `{"q":"` + two.Number + `"}`: 1, `{"q":"คนที่"}`: 2,
			`{"statuses":["BOOKED"]}`: 1, `{"serviceIds":[` + fmt.Sprint(d.approves.ID) + `]}`: 0,
		} {
			if list := decode[hospital.Paged[hospital.Appointment]](t,
				n.post(visitPath+"/list", d.token, body)); int(list.Total) != want || len(list.Items) != want {
				t.Errorf("%s lists %d, want %d", body, list.Total, want)
			}
		}
		for _, sort := range []string{"date", "-date", "number", "patient", "service", "status", "createdAt"} {
			decode[hospital.Paged[hospital.Appointment]](t, n.post(visitPath+"/list", d.token, obj("sort", sort)))
		}
		n.post(visitPath+"/list", d.token, obj("sort", "note")).want(t, hospital.ValidationFailed)
		if found := decode[[]hospital.Appointment](t,
			n.post(visitPath+"/search", d.token, obj("q", strings.ToLower(two.Number)))); len(found) != 1 ||
			found[0].ID != two.ID {
			t.Errorf("found %+v", found)
		}
		type load struct {
			Days []struct {
				Date             string
				Capacity, Booked int
				ByStatus         map[string]int
			}
			Appointments []hospital.Appointment
			Slots        []store.ServiceDay
		}
		month := decode[load](t,
			n.post(visitPath+"/calendar-list", d.token,
				obj("dateFrom", "2026-11-01", "dateTo", "2026-11-30", "includeAppointments", true)))
		if day := month.Days[15]; len(month.Days) != 30 || day.Booked != 1 || day.Capacity != 16 ||
			day.ByStatus["CHECKED_IN"] != 1 || len(month.Appointments) != 2 || len(month.Slots) != 0 {
			t.Errorf("month %+v", month)
		}
		// A day with its slots: staffId filters appointments, not seats.
		day := decode[load](t,
			n.post(visitPath+"/calendar-list", d.token,
				obj("dateFrom", monday, "dateTo", monday, "includeAppointments", true, "includeSlots", true, "serviceIds",
					[]any{d.clinic.ID}, "staffId", 9999)))
		if len(day.Slots) != 1 || day.Slots[0].ServiceID != d.clinic.ID || len(day.Slots[0].Slots) != 8 ||
			len(day.Appointments) != 0 || day.Days[0].Booked != 1 {
			t.Errorf("day %+v", day)
		}
		// Counts need DASHBOARD.SHOW; names need APPOINTMENT.SHOW.
		executive := n.signIn("executive").AccessToken
		got := decode[load](t, n.post(visitPath+"/calendar-list", executive,
			obj("dateFrom", "2026-11-01", "dateTo", "2026-11-30", "includeAppointments", true, "includeSlots", true)))
		if !reflect.DeepEqual(got.Days, month.Days) || len(got.Appointments) != 0 || len(got.Slots) == 0 {
			t.Errorf("executive got %+v", got)
		}
		staff := decode[struct{ Staff []hospital.StaffRef }](t, n.get(visitPath+"/listAllByRole/DOCTOR", d.token))
		if len(staff.Staff) != 1 {
			t.Errorf("staff %+v", staff)
		}
		series := decode[struct {
			Items   []hospital.Appointment
			Skipped []hospital.Skipped
		}](t,
			n.post(visitPath+"/create-series", d.token,
				obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "11:00", "everyWeeks", 4,
					"count", 6)))
		if len(series.Items) != 6 || series.Items[5].Date != "2027-04-06" {
			t.Errorf("series %+v", series)
		}
		n.post(visitPath+"/create-series", d.token,
			obj("patientId", d.patient(), "serviceId", d.clinic.ID, "date", tuesday, "startTime", "11:00", "everyWeeks", 4,
				"everyDays", 2, "count", 25)).want(t, hospital.ValidationFailed)
	})
}
