package store_test

import (
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestMoveClosed(t *testing.T) {
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
		c, affected, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: tuesday, Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID},
		})
		if err != nil || affected != 2 {
			t.Fatalf("%d affected, %v", affected, err)
		}
		if _, err := db.Book(ctx, visit(people[3], s, tuesday, "13:00")); hospital.CodeOf(err) != hospital.SlotClosed {
			t.Errorf("booked in a closure: %v", err)
		}
		moves, unplaced, err := db.MoveClosed(ctx, c.ID, true, nil)
		if err != nil || len(unplaced) != 0 || len(moves) != 2 ||
			moves[0].To != (hospital.Time{Date: "2026-11-18", StartTime: "09:30"}) ||
			moves[1].To != (hospital.Time{Date: "2026-11-18", StartTime: "10:30"}) {
			t.Fatalf("proposed %+v, unplaced %+v, %v", moves, unplaced, err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, "10:00"); slot.Booked != 1 || !slot.Closed || slot.Available != 0 {
			t.Errorf("a preview moved an appointment: %+v", slot)
		}
		chosen := map[int64]hospital.Time{b.ID: {Date: "2026-11-18", StartTime: "10:00"}}
		_, _, err = db.MoveClosed(ctx, c.ID, false, chosen)
		if e := wantDetails(t, err, hospital.SlotFull); e["appointmentId"] != b.ID {
			t.Errorf("details %v", e)
		}
		chosen[b.ID] = hospital.Time{Date: "2026-11-19", StartTime: "11:00"}
		moves, _, err = db.MoveClosed(ctx, c.ID, false, chosen)
		if err != nil || len(moves) != 2 {
			t.Fatalf("moved %+v, %v", moves, err)
		}
		first, _, _ := db.AppointmentDetails(ctx, a.ID)
		second, history, _ := db.AppointmentDetails(ctx, b.ID)
		if first.Date != "2026-11-18" || first.StartTime != "09:30" ||
			second.Date != "2026-11-19" || second.StartTime != "11:00" || second.Number != b.Number ||
			history[1].Reason != "แพทย์ลา" {
			t.Errorf("moved to %+v and %+v (%+v)", first, second, history)
		}
		if err := db.DeleteClosure(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		noFaults(ctx, t, db)
	})
}

// store.MaxMoves appointments on ten days are moved to the following days in one transaction,
// and the proposed times can be sent back unchanged. One appointment more is rejected.
func TestMoveClosedMaximum(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("moves ten thousand appointments, with make test-long")
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := storetest.FillDays(ctx, t, db, store.MaxMoves+1, tuesday)
		closing := hospital.ClosureFields{
			DateFrom: tuesday, DateTo: hospital.AddDays(tuesday, 10), Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID},
		}
		c, affected, err := db.CreateClosure(ctx, closing)
		if err != nil || affected != store.MaxMoves+1 {
			t.Fatalf("%d affected, %v", affected, err)
		}
		for _, preview := range []bool{true, false} {
			_, _, err := db.MoveClosed(ctx, c.ID, preview, nil)
			if details := wantDetails(t, err, hospital.ValidationFailed); details["count"] != store.MaxMoves+1 ||
				details["max"] != store.MaxMoves {
				t.Errorf("details %v", details)
			}
		}
		if err := db.DeleteClosure(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		closing.DateTo = hospital.AddDays(tuesday, 9)
		if c, affected, err = db.CreateClosure(ctx, closing); err != nil || affected != store.MaxMoves {
			t.Fatalf("%d affected, %v", affected, err)
		}
		began := time.Now()
		proposed, unplaced, err := db.MoveClosed(ctx, c.ID, true, nil)
		if err != nil || len(proposed) != store.MaxMoves || len(unplaced) != 0 {
			t.Fatalf("%d proposed, %d unplaced, %v", len(proposed), len(unplaced), err)
		}
		t.Logf("preview of %d: %s", len(proposed), time.Since(began))
		chosen := map[int64]hospital.Time{}
		for _, m := range proposed {
			chosen[m.AppointmentID] = m.To
		}
		began = time.Now()
		moves, unplaced, err := db.MoveClosed(ctx, c.ID, false, chosen)
		if err != nil || len(moves) != store.MaxMoves || len(unplaced) != 0 {
			t.Fatalf("%d moved, %d unplaced, %v", len(moves), len(unplaced), err)
		}
		t.Logf("moving %d: %s", len(moves), time.Since(began))
		if left, err := db.AffectedByClosure(ctx, closing); err != nil || len(left) != 0 {
			t.Errorf("%d appointments are left in the closure, %v", len(left), err)
		}
		noFaults(ctx, t, db)
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("audit: %v, %v", faults, err)
		}
	})
}

// Appointments without a free slot within the booking window stay where they are.
func TestMoveClosedUnplaced(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := storetest.FillDays(ctx, t, db, 3000, tuesday)
		window := 4 // the last day of the closure, and two after it
		if _, err := db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
			f.BookingWindowDays = &window
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		c, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: tuesday, DateTo: "2026-11-18", Reason: "แพทย์ลา",
		})
		if err != nil {
			t.Fatal(err)
		}
		moves, unplaced, err := db.MoveClosed(ctx, c.ID, false, nil)
		// 200 seats are free on the 19th, 1,200 on the 20th.
		if err != nil || len(moves) != 1400 || len(unplaced) != 600 {
			t.Fatalf("%d moved, %d unplaced, %v", len(moves), len(unplaced), err)
		}
		noFaults(ctx, t, db)
	})
}

// progressOf returns the progress events since the last call. It fails if one is about another closure, or
// follows an event of the commit.
func progressOf(t *testing.T, l *eventReader, closureID int64) (list []hospital.Event) {
	t.Helper()
	events, _ := l.Receive()
	committed := false
	for _, e := range events {
		switch {
		case e.Kind != hospital.EventProgress:
			committed = true
		case committed || e.Event.ID != closureID:
			t.Fatalf("%+v while closure %d is moved, after the commit: %v", e.Event, closureID, committed)
		default:
			list = append(list, e.Event)
		}
	}
	return list
}

func TestMoveClosedProgress(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		const count = 300
		s := storetest.FillDays(ctx, t, db, count, tuesday)
		db.ReportEveryStep()
		closed := func(date string) hospital.Closure {
			c, affected, err := db.CreateClosure(ctx, hospital.ClosureFields{
				DateFrom: date, Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID},
			})
			if err != nil || affected != count {
				t.Fatalf("%d affected, %v", affected, err)
			}
			return c
		}
		c := closed(tuesday)
		l := listen(db, "")
		if _, _, err := db.MoveClosed(ctx, c.ID, true, nil); err != nil {
			t.Fatal(err)
		}
		if events, _ := l.Receive(); len(events) > 0 {
			t.Errorf("a preview published %+v", events)
		}
		move := func(c hospital.Closure, attempts int) {
			t.Helper()
			if moves, _, err := db.MoveClosed(ctx, c.ID, false, nil); err != nil || len(moves) != count {
				t.Fatalf("%d moved, %v", len(moves), err)
			}
			// Each attempt starts at 0. A repeated one also reports 0 before it plans.
			list := progressOf(t, l, c.ID)
			starts, highest := 0, 0
			for i, e := range list {
				if e.Total != count || e.Done < 0 || e.Done > count {
					t.Fatalf("published %+v", e)
				}
				if e.Done == 0 && (i == 0 || list[i-1].Done > 0) {
					starts++
				} else if e.Done < list[i-1].Done {
					t.Errorf("%d after %d", e.Done, list[i-1].Done)
				}
				highest = max(highest, e.Done)
			}
			if starts != attempts || highest != count || list[len(list)-1].Done != count {
				t.Errorf("%d starts, highest %d, last %+v", starts, highest, list[len(list)-1])
			}
		}
		move(c, 1)
		if p.Engine == "postgres" {
			c = closed("2026-11-18")
			progressOf(t, l, 0)
			db.OutdateAuditChains()
			move(c, 2)
		}
	})
}

// A move that takes less time than the interval reports only its start and its end.
func TestProgressInterval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		const count = 1000
		s := storetest.FillDays(ctx, t, db, count, tuesday)
		c, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: tuesday, Reason: "แพทย์ลา", ServiceIDs: []int64{s.ID},
		})
		if err != nil {
			t.Fatal(err)
		}
		l := listen(db, "")
		began := time.Now()
		if _, _, err := db.MoveClosed(ctx, c.ID, false, nil); err != nil {
			t.Fatal(err)
		}
		most := 2 + int(time.Since(began)/(250*time.Millisecond))
		if list := progressOf(t, l, c.ID); len(list) < 2 || len(list) > most ||
			list[0].Done != 0 || list[len(list)-1].Done != count {
			t.Errorf("published %+v", list)
		}
	})
}
