package store_test

import (
	"context"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// moveTo moves the current version of an appointment.
func moveTo(
	ctx context.Context, db *store.DB, id int64, service hospital.Service, date, start string,
) (hospital.Appointment, error) {
	return db.UpdateAppointment(ctx, id, 0, func(f *hospital.AppointmentFields) error {
		f.ServiceID, f.Date, f.StartTime = service.ID, date, start
		return nil
	})
}

// approving adds a clinic that requires approval.
func approving(ctx context.Context, t testing.TB, db *store.DB, code string) hospital.Service {
	t.Helper()
	s := clinic(ctx, t, db, code, 5)
	return must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
		f.RequiresApproval = true
		return nil
	}))
}

func TestMoveSetsStatus(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		gp, eye := clinic(ctx, t, db, "GP", 5), approving(ctx, t, db, "EYE")
		people := patients(ctx, t, db, 3)
		check := func(what string, a hospital.Appointment, err error, want hospital.AppointmentStatus) {
			t.Helper()
			if err != nil || a.Status != want {
				t.Errorf("%s: %s, %v; want %s", what, a.Status, err, want)
			}
			read, _, err := db.AppointmentDetails(ctx, a.ID)
			if err != nil || read.Status != want || read.HoldsSeat != want.HoldsSeat() {
				t.Errorf("%s: read back as %s, %v", what, read.Status, err)
			}
		}
		// Approval cannot be bypassed by booking in another service and moving.
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], gp, tuesday, "10:00")))
		a, err := moveTo(ctx, db, a.ID, eye, tuesday, "10:00")
		check("booked, to a service that approves", a, err, hospital.Pending)
		a = must[hospital.Appointment](t)(db.MarkStatus(ctx, a.ID, 0, hospital.Booked, ""))
		a, err = moveTo(ctx, db, a.ID, eye, tuesday, "11:00")
		check("approved, to another time", a, err, hospital.Booked)
		a, err = moveTo(ctx, db, a.ID, gp, tuesday, "11:00")
		check("approved, to another service", a, err, hospital.Booked)
		a, err = moveTo(ctx, db, a.ID, eye, tuesday, "11:00")
		check("back again", a, err, hospital.Pending)

		// A confirmation does not apply to a new time.
		b := must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], gp, tuesday, "10:00")))
		b = must[hospital.Appointment](t)(db.MarkStatus(ctx, b.ID, 0, hospital.Confirmed, ""))
		b = must[hospital.Appointment](t)(db.UpdateAppointment(ctx, b.ID, 0, func(f *hospital.AppointmentFields) error {
			f.Note = "โทรแล้ว"
			return nil
		}))
		check("confirmed, with a note", b, nil, hospital.Confirmed)
		b, err = moveTo(ctx, db, b.ID, gp, tuesday, "10:30")
		check("confirmed, to another time", b, err, hospital.Booked)
		_, history, err := db.AppointmentDetails(ctx, b.ID)
		if last := history[len(history)-1]; err != nil || last.Action != hospital.HistoryReschedule ||
			last.From["status"] != "CONFIRMED" || last.To["status"] != "BOOKED" {
			t.Errorf("history %+v, %v", last, err)
		}

		// The same rule applies to the moves of a closure.
		c := must[hospital.Appointment](t)(db.Book(ctx, visit(people[2], gp, "2026-11-18", "10:00")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, c.ID, 0, hospital.Confirmed, ""))
		closure, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: "2026-11-18", Reason: "แพทย์ลา"})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := db.MoveClosed(ctx, closure.ID, false, nil); err != nil {
			t.Fatal(err)
		}
		c, _, err = db.AppointmentDetails(ctx, c.ID)
		check("confirmed, in a closure", c, err, hospital.Booked)
		if c.Date == "2026-11-18" {
			t.Error("the appointment was not moved")
		}
		noFaults(ctx, t, db)
	})
}

func TestRebookNoShow(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		gp, eye := clinic(ctx, t, db, "GP", 1), approving(ctx, t, db, "EYE")
		people := patients(ctx, t, db, 3)
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], gp, monday, "10:00")))
		_, err := db.MarkStatus(ctx, a.ID, 0, hospital.NoShow, "")
		wantCode(t, err, hospital.InvalidTransition) // before the slot has started
		p.Clock.Advance(time.Hour)
		a = must[hospital.Appointment](t)(db.MarkStatus(ctx, a.ID, 0, hospital.NoShow, ""))
		if !a.Movable || !a.HoldsSeat {
			t.Errorf("actions of a no-show: %+v", a.AppointmentActions)
		}
		// It cannot be moved on the same day or to an earlier one, and its status cannot be set to BOOKED.
		for _, to := range []struct {
			service     hospital.Service
			date, start string
		}{{gp, monday, "15:00"}, {eye, monday, "10:00"}, {gp, "2026-11-13", "10:00"}} {
			_, err := moveTo(ctx, db, a.ID, to.service, to.date, to.start)
			wantCode(t, err, hospital.InvalidTransition)
		}
		_, err = db.MarkStatus(ctx, a.ID, 0, hospital.Booked, "ขอใหม่")
		wantCode(t, err, hospital.InvalidTransition)
		addNote := func(f *hospital.AppointmentFields) error { f.Note = "โทรไม่รับ"; return nil }
		noted := must[hospital.Appointment](t)(db.UpdateAppointment(ctx, a.ID, 0, addNote))
		if noted.Status != hospital.NoShow {
			t.Errorf("status after adding a note: %s", noted.Status)
		}
		// A full slot is rejected.
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], gp, tuesday, "10:00")))
		_, err = moveTo(ctx, db, a.ID, gp, tuesday, "10:00")
		wantCode(t, err, hospital.SlotFull)

		again := must[hospital.Appointment](t)(moveTo(ctx, db, a.ID, gp, tuesday, "10:30"))
		if again.Status != hospital.Booked || again.Number != a.Number || again.Date != tuesday {
			t.Errorf("booked again: %+v", again)
		}
		old, taken := slotOn(ctx, t, db, gp, monday, "10:00"), slotOn(ctx, t, db, gp, tuesday, "10:30")
		if old.Booked != 0 || taken.Booked != 1 {
			t.Errorf("%d seats on the old day, %d on the new", old.Booked, taken.Booked)
		}
		_, history, err := db.AppointmentDetails(ctx, a.ID)
		if last := history[len(history)-1]; err != nil || last.Action != hospital.HistoryReschedule ||
			last.From["status"] != "NO_SHOW" || last.To["status"] != "BOOKED" {
			t.Errorf("history %+v, %v", last, err)
		}
		record := must[store.PatientRecord](t)(db.Patient(ctx, people[0].ID))
		if record.AppointmentCounts != (store.PatientCounts{Total: 1, Upcoming: 1}) || record.LastVisit != nil {
			t.Errorf("the patient has %+v, last visit %v", record.AppointmentCounts, record.LastVisit)
		}
		// In a service with approval the new booking needs approval again.
		b := must[hospital.Appointment](t)(db.Book(ctx, visit(people[2], eye, monday, "10:30")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, b.ID, 0, hospital.Booked, ""))
		p.Clock.Advance(time.Hour)
		must[hospital.Appointment](t)(db.MarkStatus(ctx, b.ID, 0, hospital.NoShow, ""))
		b = must[hospital.Appointment](t)(moveTo(ctx, db, b.ID, eye, tuesday, "10:00"))
		if b.Status != hospital.Pending {
			t.Errorf("rebooked in a service with approval: %s", b.Status)
		}
		noFaults(ctx, t, db)
	})
}

// A rebooked no-show counts toward the limit of upcoming appointments.
func TestRebookNoShowLimit(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s, person := clinic(ctx, t, db, "GP", 5), patients(ctx, t, db, 1)[0]
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(person, s, monday, "09:00")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, a.ID, 0, hospital.NoShow, ""))
		setting := must[hospital.Setting](t)(db.Setting(ctx))
		setting.MaxActivePerPatient = 1
		must[hospital.Setting](t)(db.SaveSetting(ctx, setting))
		must[hospital.Appointment](t)(db.Book(ctx, visit(person, s, tuesday, "13:00")))
		_, err := moveTo(ctx, db, a.ID, s, tuesday, "10:00")
		wantCode(t, err, hospital.TooManyActive)
		noFaults(ctx, t, db)
	})
}
