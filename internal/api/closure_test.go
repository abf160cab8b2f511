package api_test

import (
	"net/http"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

type movedAnswer struct {
	Moves    []hospital.Move
	Unplaced []hospital.Appointment
}

// signInWith signs in a new user who holds exactly the given permissions.
func (n *node) signInWith(name string, permissions ...hospital.Permission) login {
	n.t.Helper()
	ctx := hospital.WithActor(n.t.Context(), hospital.System)
	if _, err := n.db.CreateRole(ctx, hospital.RoleDraft{
		Name: strings.ToUpper(name), Label: name, Permissions: permissions,
	}); err != nil {
		n.t.Fatal(err)
	}
	storetest.AddUser(n.t, n.db, name, strings.ToUpper(name))
	return n.signIn(name)
}

// Moving a closure's appointments, also as a preview, needs SERVICE_SCHEDULE.UPDATE and
// APPOINTMENT.UPDATE. Patients are named only to callers with APPOINTMENT.SHOW.
func TestMoveClosedNeedsBothPermissions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		ctx := storetest.ActAs(t, n.db, "admin")
		s := storetest.AddService(t, n.db, "GP", 1)
		a := storetest.Book(t, n.db, ctx, storetest.AddPatient(t, n.db, "ชื่อลับ"), s, tuesday, "10:00")
		c, _, err := n.db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: tuesday, DateTo: "2027-11-16", Reason: "ปิดปรับปรุง", ServiceIDs: []int64{s.ID},
		})
		if err != nil {
			t.Fatal(err)
		}
		schedule := n.signInWith("schedule", hospital.ServiceScheduleUpdate)
		moves := n.signInWith("moves", hospital.AppointmentUpdate, hospital.AppointmentShow)
		both := n.signInWith("both", hospital.ServiceScheduleUpdate, hospital.AppointmentUpdate)
		sees := n.signInWith("sees", hospital.ServiceScheduleUpdate, hospital.AppointmentUpdate,
			hospital.AppointmentShow)
		for _, preview := range []bool{true, false} {
			body := obj("id", c.ID, "preview", preview)
			for token, missing := range map[string]hospital.Permission{
				schedule.AccessToken: hospital.AppointmentUpdate, moves.AccessToken: hospital.ServiceScheduleUpdate,
			} {
				got := n.post(servicePath+"/closures/move", token, body).want(t, hospital.Forbidden)
				if got.status != http.StatusForbidden || got.err.Details["permission"] != string(missing) {
					t.Errorf("preview %v: %s", preview, got.raw)
				}
			}
			for token, named := range map[string]bool{both.AccessToken: false, sees.AccessToken: true} {
				got := n.post(servicePath+"/closures/move", token, body)
				plan := decode[movedAnswer](t, got)
				if len(plan.Unplaced) != 1 || plan.Unplaced[0].ID != a.ID ||
					strings.Contains(got.raw, "ชื่อลับ") != named {
					t.Errorf("preview %v, named %v: %s", preview, named, got.raw)
				}
			}
		}
		for _, l := range []login{schedule, both} {
			got := n.post(servicePath+"/closures/affected", l.AccessToken, obj("id", c.ID)).want(t, hospital.Forbidden)
			if got.err.Details["permission"] != string(hospital.AppointmentShow) {
				t.Errorf("affected: %s", got.raw)
			}
		}
	})
}

// A request accepts up to store.MaxMoves moves in the form in which they are proposed.
// Moves of appointments that are not in the closure are ignored.
func TestMoveTenThousandAppointments(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		ctx := storetest.ActAs(t, n.db, "admin")
		s := storetest.AddService(t, n.db, "GP", 1)
		a := storetest.Book(t, n.db, ctx, storetest.AddPatient(t, n.db, "สมชาย"), s, tuesday, "10:00")
		c, _, err := n.db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: tuesday, Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID},
		})
		if err != nil {
			t.Fatal(err)
		}
		move := hospital.Move{
			From: hospital.Time{Date: tuesday, StartTime: "10:00"},
			To:   hospital.Time{Date: "2026-11-20", StartTime: "15:30"},
		}
		moves := make([]hospital.Move, store.MaxMoves+1)
		for i := range moves {
			moves[i] = move
			moves[i].AppointmentID = a.ID + int64(i)
		}
		token := n.signIn("admin").AccessToken
		rejected := n.post(servicePath+"/closures/move", token, obj("id", c.ID, "moves", moves)).
			want(t, hospital.ValidationFailed)
		if rejected.status != http.StatusUnprocessableEntity || rejected.field("moves") == "" {
			t.Errorf("one move too many: %s", rejected.raw)
		}
		done := decode[movedAnswer](t, n.post(servicePath+"/closures/move", token,
			obj("id", c.ID, "moves", moves[:store.MaxMoves])))
		if len(done.Moves) != 1 || done.Moves[0] != moves[0] || len(done.Unplaced) != 0 {
			t.Errorf("moved %+v, unplaced %+v", done.Moves, done.Unplaced)
		}
	})
}
