package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// The clock of the tests starts on Monday 2026-11-16 at 09:00.
const monday, tuesday = "2026-11-16", "2026-11-17"

// weekdays opens a service from Monday to Friday with a break at noon.
func weekdays(slotMinutes, capacity int) (rows []hospital.ScheduleRow) {
	for day := 1; day <= 5; day++ {
		rows = append(rows,
			hospital.ScheduleRow{
				Weekday: day, StartTime: "09:00", EndTime: "12:00", SlotMinutes: slotMinutes, Capacity: capacity,
			},
			hospital.ScheduleRow{
				Weekday: day, StartTime: "13:00", EndTime: "16:00", SlotMinutes: slotMinutes, Capacity: capacity,
			})
	}
	return rows
}

func clinic(ctx context.Context, t testing.TB, db *store.DB, code string, capacity int) hospital.Service {
	t.Helper()
	f := hospital.NewService
	f.Code, f.Name, f.OverbookLimit, f.Schedule = code, "คลินิก "+code, 1, weekdays(30, capacity)
	s, err := db.CreateService(ctx, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func patients(ctx context.Context, t testing.TB, db *store.DB, n int) (list []hospital.Patient) {
	t.Helper()
	for i := range n {
		p, err := db.CreatePatient(ctx, newPatient(fmt.Sprintf("คนที่%d", i), "ทดสอบ"), true)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func visit(p hospital.Patient, s hospital.Service, date, start string) hospital.NewAppointment {
	return hospital.NewAppointment{
		PatientID:         p.ID,
		AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: date, StartTime: start},
	}
}

// wantDetails is wantCode for the details of the error.
func wantDetails(t testing.TB, err error, code hospital.Code) map[string]any {
	t.Helper()
	return wantCode(t, err, code).Details
}

// slotOn returns a slot of a service, or an empty one if there is none.
func slotOn(ctx context.Context, t testing.TB, db *store.DB, s hospital.Service, date, start string) hospital.Slot {
	t.Helper()
	days, err := db.CheckSlots(ctx, hospital.SlotQuery{ServiceID: s.ID, Date: date})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(days[0].Slots, func(s hospital.Slot) bool { return s.StartTime == start })
	if i < 0 {
		return hospital.Slot{}
	}
	return days[0].Slots[i]
}

func move(date, start string) func(*hospital.AppointmentFields) error {
	return func(f *hospital.AppointmentFields) error {
		f.Date, f.StartTime = date, start
		return nil
	}
}

// noFaults fails the test if the counts of slots, patients or days are wrong.
func noFaults(ctx context.Context, t testing.TB, db *store.DB) {
	t.Helper()
	faults, err := db.VerifySlots(ctx)
	if err != nil || len(faults) > 0 {
		t.Fatalf("wrong counts of slots: %+v, %v", faults, err)
	}
	if counted, found, err := db.VerifyPatientTotal(ctx); err != nil || counted != found {
		t.Fatalf("%d patients, counted as %d, %v", found, counted, err)
	}
	if totals, err := db.VerifyTotals(ctx); err != nil || len(totals) > 0 {
		t.Fatalf("wrong totals: %+v, %v", totals, err)
	}
}

func TestAppointmentLifecycle(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 3)

		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, monday, "10:00")))
		if a.Number != "A6911-00001" || a.Status != hospital.Booked || a.EndTime != "10:30" ||
			a.Patient.HN != people[0].HN || a.Service.Code != "GP" || a.Kind != hospital.KindNew || a.Version != 1 {
			t.Errorf("booked %+v", a)
		}
		if slot := slotOn(ctx, t, db, s, monday, "10:00"); slot.Booked != 1 || slot.Available != 0 {
			t.Errorf("slot %+v", slot)
		}
		_, err := db.Book(ctx, visit(people[1], s, monday, "10:00"))
		full := wantDetails(t, err, hospital.SlotFull)
		if next := full["nextFree"].([]store.FreeSeat); len(next) != 5 ||
			next[0] != (store.FreeSeat{Date: monday, StartTime: "10:30", EndTime: "11:00", Available: 1}) {
			t.Errorf("next free seats %+v", next)
		}
		again := visit(people[0], s, monday, "10:00")
		_, err = db.Book(ctx, again)
		other := wantDetails(t, err, hospital.PatientDoubleBooked)["appointment"].(hospital.Appointment)
		if other.ID != a.ID {
			t.Errorf("double booking names %+v", other)
		}

		// One on the waiting list, and one beyond the capacity.
		waiting := visit(people[1], s, monday, "10:00")
		waiting.Waitlist = true
		w := must[hospital.Appointment](t)(db.Book(ctx, waiting))
		extra := visit(people[2], s, monday, "10:00")
		extra.OverbookReason = "แพทย์สั่ง"
		o := must[hospital.Appointment](t)(db.Book(ctx, extra))
		if w.Status != hospital.Waitlisted || !o.Overbooked || o.OverbookReason != "แพทย์สั่ง" || w.Number != "A6911-00002" {
			t.Errorf("waiting %+v, overbooked %+v", w, o)
		}
		if slot := slotOn(ctx, t, db, s, monday, "10:00"); slot.Booked != 2 || slot.Capacity != 1 || slot.Waitlisted != 1 {
			t.Errorf("slot %+v", slot)
		}
		_, err = db.MarkStatus(ctx, w.ID, 0, hospital.Booked, "")
		wantCode(t, err, hospital.SlotFull)

		// A move keeps the number and releases the old seat.
		m := must[hospital.Appointment](t)(db.UpdateAppointment(ctx, a.ID, a.Version, move(tuesday, "13:00")))
		if m.Number != a.Number || m.Date != tuesday || m.EndTime != "13:30" || m.Version != 2 {
			t.Errorf("moved %+v", m)
		}
		_, err = db.UpdateAppointment(ctx, a.ID, 1, move(tuesday, "13:30"))
		if current := wantDetails(t, err, hospital.ConflictVersion)["current"].(hospital.Appointment); current.Version != 2 {
			t.Errorf("current %+v", current)
		}
		before, after := slotOn(ctx, t, db, s, monday, "10:00"), slotOn(ctx, t, db, s, tuesday, "13:00")
		if before.Booked != 1 || after.Booked != 1 {
			t.Errorf("%d on Monday, %d on Tuesday", before.Booked, after.Booked)
		}

		// The steps of a visit.
		_, err = db.MarkStatus(ctx, m.ID, 0, hospital.CheckedIn, "")
		wantCode(t, err, hospital.InvalidTransition) // tomorrow's
		in := must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 1, hospital.CheckedIn, ""))
		if *in.QueueNo != 1 || !in.CheckedInAt.Equal(db.Now()) {
			t.Errorf("checked in %+v", in)
		}
		_, err = db.UpdateAppointment(ctx, o.ID, 2, move(tuesday, "15:00"))
		wantCode(t, err, hospital.InvalidTransition)
		p.Clock.Advance(5 * time.Minute)
		must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.InService, ""))
		back := must[hospital.Appointment](t)(db.UndoStatus(ctx, o.ID, 0))
		if back.Status != hospital.CheckedIn || back.StartedAt != nil || *back.QueueNo != 1 {
			t.Errorf("undone %+v", back)
		}
		_, err = db.UndoStatus(ctx, o.ID, 0)
		wantCode(t, err, hospital.InvalidTransition) // the undo itself
		must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.InService, ""))
		done := must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.Completed, ""))
		if done.StartedAt == nil || done.CompletedAt == nil {
			t.Errorf("completed %+v", done)
		}
		if seen := must[store.PatientRecord](t)(db.Patient(ctx, people[2].ID)); seen.LastVisit == nil ||
			*seen.LastVisit != monday {
			t.Errorf("last visit %v", seen.LastVisit)
		}

		// A cancellation can be undone.
		_, err = db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "")
		wantCode(t, err, hospital.ValidationFailed)
		c := must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "ไม่ว่าง"))
		if c.CancelReason != "ไม่ว่าง" || slotOn(ctx, t, db, s, tuesday, "13:00").Booked != 0 {
			t.Errorf("cancelled %+v", c)
		}
		r := must[hospital.Appointment](t)(db.UndoStatus(ctx, m.ID, c.Version))
		if r.Status != hospital.Booked || r.CancelReason != "" || slotOn(ctx, t, db, s, tuesday, "13:00").Booked != 1 {
			t.Errorf("undone %+v", r)
		}
		must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "ไม่ว่าง"))
		p.Clock.Advance(11 * time.Minute)
		_, err = db.UndoStatus(ctx, m.ID, 0)
		wantCode(t, err, hospital.InvalidTransition) // too late
		must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Booked, "เปลี่ยนใจ"))

		// A patient with upcoming appointments cannot be deleted.
		if e := wantDetails(t, db.DeletePatient(ctx, people[0].ID, "ซ้ำ"), hospital.InUse); e["count"] != 1 {
			t.Errorf("in use %+v", e)
		}
		if err := db.DeleteAppointment(ctx, m.ID); err != nil {
			t.Fatal(err)
		}
		_, _, err = db.AppointmentDetails(ctx, m.ID)
		wantCode(t, err, hospital.NotFound)
		if err := db.DeletePatient(ctx, people[0].ID, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		_, err = db.Book(ctx, visit(people[0], s, tuesday, "09:00"))
		wantCode(t, err, hospital.ValidationFailed)

		_, history, err := db.AppointmentDetails(ctx, o.ID)
		var actions []hospital.HistoryAction
		for _, h := range history {
			actions = append(actions, h.Action)
		}
		want := []hospital.HistoryAction{"CREATE", "STATUS", "STATUS", "UNDO", "STATUS", "STATUS"}
		if err != nil || !slices.Equal(actions, want) ||
			history[1].From["status"] != "BOOKED" || history[1].To["status"] != "CHECKED_IN" {
			t.Errorf("history %+v, %v", history, err)
		}
		noFaults(ctx, t, db)
		if _, err := p.SQL(t).Exec(`UPDATE appointment_history SET reason = 'x'`); err == nil {
			t.Error("history can be edited")
		}
		if _, err := p.SQL(t).Exec(`DELETE FROM appointment_history`); err == nil {
			t.Error("history can be deleted")
		}
	})
}

// bookOnce books like the API operation: on an error it returns the stored response of an
// earlier request with the same key, if there is one.
func bookOnce(ctx context.Context, t *testing.T, db *store.DB, key string, in hospital.NewAppointment) (string, error) {
	ctx = storetest.Keyed(ctx, key, fmt.Sprintf("%+v", in))
	a, err := db.Book(ctx, in)
	if err == nil {
		return jsonOf(t, a), nil
	}
	first, found, failed := db.FirstAnswer(ctx)
	if found || failed != nil {
		return first, failed
	}
	return "", err
}

func TestBookIdempotencyKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 5)
		in := visit(patients(ctx, t, db, 1)[0], s, monday, "10:00")
		answers := make([]string, 16)
		for i, err := range concurrently(len(answers), func(i int) (err error) {
			answers[i], err = bookOnce(ctx, t, db, "the same", in)
			return err
		}) {
			if err != nil || answers[i] != answers[0] {
				t.Fatalf("answer %d: %s, %v", i, answers[i], err)
			}
		}
		if slot := slotOn(ctx, t, db, s, monday, "10:00"); slot.Booked != 1 {
			t.Errorf("%d seats taken", slot.Booked)
		}
		in.StartTime = "11:00"
		_, err := bookOnce(ctx, t, db, "the same", in)
		wantCode(t, err, hospital.ValidationFailed)

		// Of several requests with one key only one is booked.
		people := patients(ctx, t, db, 12)
		n := countCodes(concurrently(len(people), func(i int) error {
			in := visit(people[i], s, tuesday, []string{"10:00", "11:00"}[i%2])
			_, err := bookOnce(ctx, t, db, "another", in)
			return err
		}))
		if n[""] != 1 || n[hospital.ValidationFailed] != len(people)-1 {
			t.Errorf("with one key: %v", n)
		}
		seats := slotOn(ctx, t, db, s, tuesday, "10:00").Booked + slotOn(ctx, t, db, s, tuesday, "11:00").Booked
		if seats != 1 {
			t.Errorf("%d seats taken with one key", seats)
		}
		noFaults(ctx, t, db)
	})
}

func TestQueueNumbers(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, other := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 100)
		people := patients(ctx, t, db, 24)
		var wg sync.WaitGroup
		numbers := make([]int, len(people))
		for i, patient := range people {
			node := []*store.DB{db, other}[i%2]
			wg.Go(func() {
				a, err := node.Book(ctx, visit(patient, s, monday, "10:00"))
				if err == nil {
					a, err = node.MarkStatus(ctx, a.ID, 0, hospital.CheckedIn, "")
				}
				if err != nil {
					t.Error(err)
					return
				}
				numbers[i] = *a.QueueNo
			})
		}
		wg.Wait()
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+1 {
				t.Fatalf("queue numbers %v", numbers)
			}
		}
		noFaults(ctx, t, db)
	})
}

func TestTodayInHospitalTimeZone(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		p.Clock.Advance(15 * time.Hour) // midnight in Bangkok, 17:00 on Monday in UTC
		other := p.Open(t)
		if db.Today() != tuesday || other.Today() != tuesday {
			t.Errorf("today is %s, and %s on a node that was started now", db.Today(), other.Today())
		}
		s := clinic(ctx, t, db, "GP", 1)
		_, err := db.Book(ctx, visit(patients(ctx, t, db, 1)[0], s, monday, "15:00"))
		wantCode(t, err, hospital.SlotPast)
	})
}
