package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
			hospital.ScheduleRow{Weekday: day, StartTime: "09:00", EndTime: "12:00", SlotMinutes: slotMinutes, Capacity: capacity},
			hospital.ScheduleRow{Weekday: day, StartTime: "13:00", EndTime: "16:00", SlotMinutes: slotMinutes, Capacity: capacity})
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
		p, err := db.CreatePatient(ctx, somebody(fmt.Sprintf("คนที่%d", i), "ทดสอบ"), true)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func visit(p hospital.Patient, s hospital.Service, date, start string) hospital.NewAppointment {
	return hospital.NewAppointment{PatientID: p.ID, AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: date, StartTime: start}}
}

// refused wants a refusal with the code, and returns its details.
func refused(t testing.TB, err error, code hospital.Code) map[string]any {
	t.Helper()
	var e *hospital.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return e.Details
}

func booked(ctx context.Context, t testing.TB, db *store.DB, s hospital.Service, date, start string) hospital.Slot {
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

func noFaults(ctx context.Context, t testing.TB, db *store.DB) {
	t.Helper()
	faults, err := db.VerifySlots(ctx)
	if err != nil || len(faults) > 0 {
		t.Fatalf("slots that do not fit: %+v, %v", faults, err)
	}
	if counted, there, err := db.VerifyPatientTotal(ctx); err != nil || counted != there {
		t.Fatalf("%d patients, counted as %d, %v", there, counted, err)
	}
	if totals, err := db.VerifyTotals(ctx); err != nil || len(totals) > 0 {
		t.Fatalf("totals that do not fit: %+v, %v", totals, err)
	}
}

func TestTheLifeOfAnAppointment(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 3)

		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, monday, "10:00")))
		if a.Number != "A6911-00001" || a.Status != hospital.Booked || a.EndTime != "10:30" || a.Patient.HN != people[0].HN || a.Service.Code != "GP" || a.Kind != hospital.KindNew || a.Version != 1 {
			t.Errorf("booked %+v", a)
		}
		if slot := booked(ctx, t, db, s, monday, "10:00"); slot.Booked != 1 || slot.Available != 0 {
			t.Errorf("slot %+v", slot)
		}
		_, err := db.Book(ctx, visit(people[1], s, monday, "10:00"))
		full := refused(t, err, hospital.SlotFull)
		if next := full["nextFree"].([]store.FreeSeat); len(next) != 5 || next[0] != (store.FreeSeat{Date: monday, StartTime: "10:30", EndTime: "11:00", Available: 1}) {
			t.Errorf("next free seats %+v", next)
		}
		again := visit(people[0], s, monday, "10:00")
		_, err = db.Book(ctx, again)
		if other := refused(t, err, hospital.PatientDoubleBooked)["appointment"].(hospital.Appointment); other.ID != a.ID {
			t.Errorf("double booking names %+v", other)
		}

		// One who waits, and one seat beyond the capacity.
		waiting := visit(people[1], s, monday, "10:00")
		waiting.Waitlist = true
		w := must[hospital.Appointment](t)(db.Book(ctx, waiting))
		extra := visit(people[2], s, monday, "10:00")
		extra.OverbookReason = "แพทย์สั่ง"
		o := must[hospital.Appointment](t)(db.Book(ctx, extra))
		if w.Status != hospital.Waitlisted || !o.Overbooked || o.OverbookReason != "แพทย์สั่ง" || w.Number != "A6911-00002" {
			t.Errorf("waiting %+v, overbooked %+v", w, o)
		}
		if slot := booked(ctx, t, db, s, monday, "10:00"); slot.Booked != 2 || slot.Capacity != 1 || slot.Waitlisted != 1 {
			t.Errorf("slot %+v", slot)
		}
		_, err = db.MarkStatus(ctx, w.ID, 0, hospital.Booked, "")
		refused(t, err, hospital.SlotFull)

		// Moved, the number stays, the old seat is free.
		m := must[hospital.Appointment](t)(db.UpdateAppointment(ctx, a.ID, a.Version, move(tuesday, "13:00")))
		if m.Number != a.Number || m.Date != tuesday || m.EndTime != "13:30" || m.Version != 2 {
			t.Errorf("moved %+v", m)
		}
		_, err = db.UpdateAppointment(ctx, a.ID, 1, move(tuesday, "13:30"))
		if current := refused(t, err, hospital.ConflictVersion)["current"].(hospital.Appointment); current.Version != 2 {
			t.Errorf("current %+v", current)
		}
		if b, e := booked(ctx, t, db, s, monday, "10:00").Booked, booked(ctx, t, db, s, tuesday, "13:00").Booked; b != 1 || e != 1 {
			t.Errorf("%d on Monday, %d on Tuesday", b, e)
		}

		// Through the visit.
		_, err = db.MarkStatus(ctx, m.ID, 0, hospital.CheckedIn, "")
		refused(t, err, hospital.InvalidTransition) // tomorrow's
		in := must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 1, hospital.CheckedIn, ""))
		if *in.QueueNo != 1 || !in.CheckedInAt.Equal(db.Now()) {
			t.Errorf("checked in %+v", in)
		}
		_, err = db.UpdateAppointment(ctx, o.ID, 2, move(tuesday, "15:00"))
		refused(t, err, hospital.InvalidTransition)
		p.Clock.Advance(5 * time.Minute)
		must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.InService, ""))
		back := must[hospital.Appointment](t)(db.UndoStatus(ctx, o.ID, 0))
		if back.Status != hospital.CheckedIn || back.StartedAt != nil || *back.QueueNo != 1 {
			t.Errorf("taken back %+v", back)
		}
		_, err = db.UndoStatus(ctx, o.ID, 0)
		refused(t, err, hospital.InvalidTransition) // the undo itself
		must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.InService, ""))
		done := must[hospital.Appointment](t)(db.MarkStatus(ctx, o.ID, 0, hospital.Completed, ""))
		if done.StartedAt == nil || done.CompletedAt == nil {
			t.Errorf("completed %+v", done)
		}
		if seen := must[store.PatientRecord](t)(db.Patient(ctx, people[2].ID)); seen.LastVisit == nil || *seen.LastVisit != monday {
			t.Errorf("last visit %v", seen.LastVisit)
		}

		// Cancelled and wanted back.
		_, err = db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "")
		refused(t, err, hospital.ValidationFailed)
		c := must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "ไม่ว่าง"))
		if c.CancelReason != "ไม่ว่าง" || booked(ctx, t, db, s, tuesday, "13:00").Booked != 0 {
			t.Errorf("cancelled %+v", c)
		}
		r := must[hospital.Appointment](t)(db.UndoStatus(ctx, m.ID, c.Version))
		if r.Status != hospital.Booked || r.CancelReason != "" || booked(ctx, t, db, s, tuesday, "13:00").Booked != 1 {
			t.Errorf("wanted back %+v", r)
		}
		must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Cancelled, "ไม่ว่าง"))
		p.Clock.Advance(11 * time.Minute)
		_, err = db.UndoStatus(ctx, m.ID, 0)
		refused(t, err, hospital.InvalidTransition) // too late
		must[hospital.Appointment](t)(db.MarkStatus(ctx, m.ID, 0, hospital.Booked, "เปลี่ยนใจ"))

		// A patient who is still to come stays.
		if e := refused(t, db.DeletePatient(ctx, people[0].ID, "ซ้ำ"), hospital.InUse); e["count"] != 1 {
			t.Errorf("in use %+v", e)
		}
		if err := db.DeleteAppointment(ctx, m.ID); err != nil {
			t.Fatal(err)
		}
		_, _, err = db.AppointmentDetails(ctx, m.ID)
		refused(t, err, hospital.NotFound)
		if err := db.DeletePatient(ctx, people[0].ID, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		_, err = db.Book(ctx, visit(people[0], s, tuesday, "09:00"))
		refused(t, err, hospital.ValidationFailed)

		_, history, err := db.AppointmentDetails(ctx, o.ID)
		var actions []hospital.HistoryAction
		for _, h := range history {
			actions = append(actions, h.Action)
		}
		if want := []hospital.HistoryAction{"CREATE", "STATUS", "STATUS", "UNDO", "STATUS", "STATUS"}; err != nil || !slices.Equal(actions, want) || history[1].From["status"] != "BOOKED" || history[1].To["status"] != "CHECKED_IN" {
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

func TestARepeatBooksNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 5)
		in := visit(patients(ctx, t, db, 1)[0], s, monday, "10:00")
		in.IdempotencyKey = "the same"
		var wg sync.WaitGroup
		answers := make([]hospital.Appointment, 16)
		errs := make([]error, len(answers))
		for i := range answers {
			wg.Go(func() { answers[i], errs[i] = db.Book(ctx, in) })
		}
		wg.Wait()
		for i, a := range answers {
			if errs[i] != nil || a.ID != answers[0].ID || a.Number != answers[0].Number {
				t.Fatalf("answer %d: %+v, %v", i, a, errs[i])
			}
		}
		if slot := booked(ctx, t, db, s, monday, "10:00"); slot.Booked != 1 {
			t.Errorf("%d seats taken", slot.Booked)
		}
		in.StartTime = "11:00"
		_, err := db.Book(ctx, in)
		refused(t, err, hospital.ValidationFailed)

		// A key for several at once is one's.
		people := patients(ctx, t, db, 12)
		n := countCodes(together(len(people), func(i int) error {
			in := visit(people[i], s, tuesday, []string{"10:00", "11:00"}[i%2])
			in.IdempotencyKey = "another"
			_, err := db.Book(ctx, in)
			return err
		}))
		if n[""] != 1 || n[hospital.ValidationFailed] != len(people)-1 {
			t.Errorf("with one key: %v", n)
		}
		if seats := booked(ctx, t, db, s, tuesday, "10:00").Booked + booked(ctx, t, db, s, tuesday, "11:00").Booked; seats != 1 {
			t.Errorf("%d seats taken with one key", seats)
		}
		noFaults(ctx, t, db)
	})
}

func TestQueueNumbersHaveNoGapsAndNoDoubles(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
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

func TestByTurnThoseWhoseVisitIsOverStandLast(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 4)
		var booked []hospital.Appointment
		for i, start := range []string{"09:00", "09:00", "09:30", "10:00"} {
			booked = append(booked, must[hospital.Appointment](t)(db.Book(ctx, visit(people[i], s, monday, start))))
		}
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[0].ID, 0, hospital.CheckedIn, ""))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[0].ID, 0, hospital.Completed, ""))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[2].ID, 0, hospital.Cancelled, "ผู้ป่วยขอยกเลิก"))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[3].ID, 0, hospital.CheckedIn, ""))
		list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, hospital.AppointmentFilter{
			Page: hospital.Page{Page: 1, PageSize: 10, Sort: "turn"}, DateFrom: monday, DateTo: monday,
		}))
		var got []int64
		for _, a := range list.Items {
			got = append(got, a.ID)
		}
		if want := []int64{booked[1].ID, booked[3].ID, booked[0].ID, booked[2].ID}; !slices.Equal(got, want) {
			t.Errorf("by turn %v, want %v", got, want)
		}
	})
}

func TestInTheListOfAppointmentsTooWhoseNumberWasTypedStandsFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		book := func(hn, phone, date, start string) hospital.Appointment {
			in := somebody("สมชาย", hn)
			in.HN, in.Phone = hn, phone
			return must[hospital.Appointment](t)(db.Book(ctx, visit(must[hospital.Patient](t)(db.CreatePatient(ctx, in, true)), s, date, start)))
		}
		early, other := book("9001", "0855064001", monday, "09:00"), book("9002", "0855064002", monday, "10:00")
		own, dashed := book("0855064", "0811111111", tuesday, "11:00"), book("69-00123", "", tuesday, "11:30")
		again := must[hospital.Appointment](t)(db.Book(ctx, visit(hospital.Patient{ID: own.PatientID}, s, tuesday, "13:00")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, own.ID, 0, hospital.Cancelled, "ผู้ป่วยขอยกเลิก"))
		for name, c := range map[string]struct {
			q, sort string
			want    []hospital.Appointment
		}{
			"an HN":                        {"855064", "", []hospital.Appointment{own, again, early, other}},
			"an HN, by turn":               {"855064", "turn", []hospital.Appointment{again, own, early, other}},
			"an HN, in an order asked for": {"855064", "date", []hospital.Appointment{early, other, own, again}},
			"digits of several":            {"55064", "", []hospital.Appointment{early, other, own, again}},
			"an HN without its dash":       {"6900123", "", []hospital.Appointment{dashed}},
			"a phone":                      {"081-111-1111", "", []hospital.Appointment{own, again}},
			"a number":                     {strings.ToLower(other.Number), "", []hospital.Appointment{other}},
			"the beginning of a number":    {other.Number[:len(other.Number)-1], "", []hospital.Appointment{early, other, own, dashed, again}},
		} {
			for size := 1; size <= 5; size += 2 {
				var got, exported []string
				in := hospital.AppointmentFilter{Q: c.q, Page: hospital.Page{Page: 1, PageSize: size, Sort: c.sort}}
				for ; len(got) == (in.Page.Page-1)*size; in.Page.Page++ {
					page := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, in))
					for _, a := range page.Items {
						got = append(got, a.Number)
					}
					if int(page.Total) != len(c.want) {
						t.Errorf("%s: a total of %d, want %d", name, page.Total, len(c.want))
					}
				}
				if err := db.EachAppointment(ctx, in, "csv", func(a hospital.Appointment) error { exported = append(exported, a.Number); return nil }); err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, a := range c.want {
					want = append(want, a.Number)
				}
				if !slices.Equal(got, want) || !slices.Equal(exported, want) {
					t.Errorf("%s, by %d a page: %v, exported %v, want %v", name, size, got, exported, want)
				}
			}
		}
	})
}

func TestWhoDidNotComeIsANoShowOnce(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, other := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 3)
		absent := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, monday, "10:00")))
		came := must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], s, monday, "10:00")))
		later := must[hospital.Appointment](t)(db.Book(ctx, visit(people[2], s, tuesday, "10:00")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, came.ID, 0, hospital.CheckedIn, ""))
		if date, ok, err := db.DayToClose(ctx); err != nil || !ok || date != "2026-11-15" {
			t.Errorf("in the morning %s is to be closed, %v, %v", date, ok, err)
		}
		p.Clock.Advance(9 * time.Hour)
		date, _, err := db.DayToClose(ctx)
		if err != nil || date != monday {
			t.Fatalf("in the evening %s is to be closed, %v", date, err)
		}
		var wg sync.WaitGroup
		for _, node := range []*store.DB{db, other} {
			wg.Go(func() {
				if _, err := node.CloseDays(ctx, date); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for id, want := range map[int64]hospital.AppointmentStatus{absent.ID: hospital.NoShow, came.ID: hospital.CheckedIn, later.ID: hospital.Booked} {
			a, history, err := db.AppointmentDetails(ctx, id)
			if err != nil || a.Status != want {
				t.Errorf("%s is %s, want %s, %v", a.Number, a.Status, want, err)
			}
			if id == absent.ID && len(history) != 2 {
				t.Errorf("history %+v", history)
			}
		}
		noFaults(ctx, t, db)
	})
}

func TestASeriesIsBookedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 2)
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: "2026-11-30", Reason: "วันหยุด", Kind: hospital.ClosureHoliday}); err != nil {
			t.Fatal(err)
		}
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, "2026-11-23", "10:00")))
		series := hospital.Series{NewAppointment: visit(people[1], s, monday, "10:00"), EveryWeeks: 1, Count: 4}
		for _, preview := range []bool{true, false} {
			items, skipped, err := db.BookSeries(ctx, series, preview)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range items {
				got = append(got, a.Date+" "+a.StartTime)
				if preview != (a.ID == 0) || preview != (a.Number == "") || !preview && *a.SeriesID != items[0].ID {
					t.Errorf("preview %v: %+v", preview, a)
				}
			}
			if want := []string{"2026-11-16 10:00", "2026-11-23 09:30", "2026-12-07 10:00"}; !slices.Equal(got, want) || len(skipped) != 1 || skipped[0] != (hospital.Skipped{Date: "2026-11-30", Reason: "วันหยุด"}) {
				t.Errorf("preview %v: booked %v, skipped %v", preview, got, skipped)
			}
		}
		// A repeat with the same key is told the same and books nothing; the key
		// of a preview, or of another request, counts for nothing.
		keyed := hospital.Series{NewAppointment: visit(people[0], s, "2026-11-18", "14:00"), EveryWeeks: 1, Count: 2}
		keyed.IdempotencyKey = "one series"
		if _, _, err := db.BookSeries(ctx, keyed, true); err != nil {
			t.Fatal(err)
		}
		type told struct {
			Items   []hospital.Appointment
			Skipped []hospital.Skipped
		}
		var answers [3]told
		for _, err := range together(len(answers), func(i int) (err error) {
			answers[i].Items, answers[i].Skipped, err = db.BookSeries(ctx, keyed, false)
			return err
		}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range answers {
			if diff := cmp.Diff(answers[0], a); diff != "" || len(a.Items) != 2 || a.Items[0].ID == 0 {
				t.Errorf("a repeat is told something else: %s", diff)
			}
		}
		keyed.Count = 3
		_, _, err := db.BookSeries(ctx, keyed, false)
		refused(t, err, hospital.ValidationFailed)
		// Tuesday next week is full: none of the other series is booked.
		for i, start := range []string{"09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "13:00", "13:30", "14:00", "14:30", "15:00", "15:30"} {
			a := visit(people[0], s, "2026-11-24", start)
			if _, err := db.Book(ctx, a); err != nil {
				t.Fatal(i, err)
			}
		}
		before, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = db.BookSeries(ctx, hospital.Series{NewAppointment: visit(people[1], s, tuesday, "10:00"), EveryWeeks: 1, Count: 3}, false)
		if e := refused(t, err, hospital.SlotFull); e["date"] != "2026-11-24" {
			t.Errorf("refused with %v", e)
		}
		after, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil || after.Total != before.Total {
			t.Errorf("%d appointments before, %d after, %v", before.Total, after.Total, err)
		}
		noFaults(ctx, t, db)
	})
}

func TestEverybodyInAClosureFindsANewTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s, other := clinic(ctx, t, db, "GP", 1), clinic(ctx, t, db, "EYE", 1)
		people := patients(ctx, t, db, 4)
		a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, tuesday, "10:00")))
		b := must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], s, tuesday, "11:00")))
		// Wednesday at ten is taken, and at eleven b's patient has another seat.
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[2], s, "2026-11-18", "10:00")))
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], other, "2026-11-18", "11:00")))
		c, affected, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: tuesday, Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID}})
		if err != nil || affected != 2 {
			t.Fatalf("%d affected, %v", affected, err)
		}
		if _, err := db.Book(ctx, visit(people[3], s, tuesday, "13:00")); hospital.CodeOf(err) != hospital.SlotClosed {
			t.Errorf("booked in a closure: %v", err)
		}
		moves, unplaced, err := db.MoveClosed(ctx, c.ID, true, nil)
		if err != nil || len(unplaced) != 0 || len(moves) != 2 || moves[0].To != (hospital.Time{Date: "2026-11-18", StartTime: "09:30"}) || moves[1].To != (hospital.Time{Date: "2026-11-18", StartTime: "10:30"}) {
			t.Fatalf("proposed %+v, unplaced %+v, %v", moves, unplaced, err)
		}
		if slot := booked(ctx, t, db, s, tuesday, "10:00"); slot.Booked != 1 || !slot.Closed || slot.Available != 0 {
			t.Errorf("a preview moved somebody: %+v", slot)
		}
		_, _, err = db.MoveClosed(ctx, c.ID, false, map[int64]hospital.Time{b.ID: {Date: "2026-11-18", StartTime: "10:00"}})
		if e := refused(t, err, hospital.SlotFull); e["appointmentId"] != b.ID {
			t.Errorf("refused with %v", e)
		}
		moves, _, err = db.MoveClosed(ctx, c.ID, false, map[int64]hospital.Time{b.ID: {Date: "2026-11-19", StartTime: "11:00"}})
		if err != nil || len(moves) != 2 {
			t.Fatalf("moved %+v, %v", moves, err)
		}
		first, _, _ := db.AppointmentDetails(ctx, a.ID)
		second, history, _ := db.AppointmentDetails(ctx, b.ID)
		if first.Date != "2026-11-18" || first.StartTime != "09:30" || second.Date != "2026-11-19" || second.StartTime != "11:00" || second.Number != b.Number || history[1].Reason != "แพทย์ลา" {
			t.Errorf("moved to %+v and %+v (%+v)", first, second, history)
		}
		if err := db.DeleteClosure(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		noFaults(ctx, t, db)
	})
}

func TestCapacityOfManySlots(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 2)
		people := patients(ctx, t, db, 2)
		for _, p := range people {
			must[hospital.Appointment](t)(db.Book(ctx, visit(p, s, tuesday, "10:00")))
		}
		one, none := 1, 0
		week := hospital.DateRange{DateFrom: monday, DateTo: "2026-11-22"}
		_, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week, Capacity: &one})
		if e := refused(t, err, hospital.CapacityBelowBooked); e["booked"] != 2 {
			t.Errorf("refused with %v", e)
		}
		if slot := booked(ctx, t, db, s, monday, "09:00"); slot.Overridden {
			t.Error("half of it was written")
		}
		done, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week, Capacity: &one, Force: true, Weekdays: []int{2, 4}})
		if err != nil || done != (hospital.CapacityChanged{Updated: 24, Days: 2}) {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := booked(ctx, t, db, s, tuesday, "10:00"); slot.Capacity != 1 || slot.Booked != 2 || slot.Available != 0 || !slot.Overridden {
			t.Errorf("slot %+v", slot)
		}
		start := "11:00"
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &start, Capacity: &none}); err != nil {
			t.Fatal(err)
		}
		_, err = db.Book(ctx, visit(people[0], s, tuesday, "11:00"))
		refused(t, err, hospital.SlotFull)
		done, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week})
		if err != nil || done.Updated != 24 {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := booked(ctx, t, db, s, tuesday, "11:00"); slot.Overridden || slot.Capacity != 2 {
			t.Errorf("slot %+v", slot)
		}
		odd := "10:15"
		_, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &odd, Capacity: &one})
		refused(t, err, hospital.OutOfSchedule)
	})
}

func TestTheDayIsTheHospitals(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		if _, err := db.UpdateSetting(ctx, store.AnyVersion, func(s *hospital.SettingFields) error {
			s.Timezone = "Pacific/Auckland" // five hours before Bangkok's midnight it is the next day there
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(12 * time.Hour) // nine in the evening in Bangkok
		other := p.Open(t)
		if db.Today() != tuesday || other.Today() != tuesday {
			t.Errorf("today is %s here and %s on a node that starts now", db.Today(), other.Today())
		}
		s := clinic(ctx, t, db, "GP", 1)
		_, err := db.Book(ctx, visit(patients(ctx, t, db, 1)[0], s, monday, "15:00"))
		refused(t, err, hospital.SlotPast)
	})
}
