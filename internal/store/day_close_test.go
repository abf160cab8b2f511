package store_test

import (
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestCloseDays(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, other := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 3)
		absent := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, monday, "10:00")))
		came := must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], s, monday, "10:00")))
		later := must[hospital.Appointment](t)(db.Book(ctx, visit(people[2], s, tuesday, "10:00")))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, came.ID, 0, hospital.CheckedIn, ""))
		if until, ok, err := db.DayToClose(ctx); err != nil || !ok ||
			until != (store.DayClose{Date: "2026-11-15", Time: "24:00"}) {
			t.Errorf("in the morning DayToClose returned %v, %v, %v", until, ok, err)
		}
		p.Clock.Advance(9 * time.Hour)
		until, _, err := db.DayToClose(ctx)
		if err != nil || until != (store.DayClose{Date: monday, Time: "18:00"}) {
			t.Fatalf("in the evening DayToClose returned %v, %v", until, err)
		}
		var wg sync.WaitGroup
		for _, node := range []*store.DB{db, other} {
			wg.Go(func() {
				if _, err := node.CloseDays(ctx, until); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for id, want := range map[int64]hospital.AppointmentStatus{
			absent.ID: hospital.NoShow, came.ID: hospital.CheckedIn, later.ID: hospital.Booked,
		} {
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

// Slots that have not ended are not closed: NoShowTime is 18:00, the clinic is open until 20:00.
func TestCloseDaysOpenSlots(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		f := hospital.NewService
		f.Code, f.Name = "EVE", "คลินิกนอกเวลา"
		f.Schedule = []hospital.ScheduleRow{{
			Weekday: 1, StartTime: "16:00", EndTime: "20:00", SlotMinutes: 60, Capacity: 5,
		}}
		s := must[hospital.Service](t)(db.CreateService(ctx, f))
		var visits []hospital.Appointment
		for i, start := range []string{"16:00", "17:00", "18:00", "19:00"} {
			visits = append(visits, must[hospital.Appointment](t)(db.Book(ctx,
				visit(patients(ctx, t, db, i+1)[i], s, monday, start))))
		}
		for _, step := range []struct {
			after  time.Duration
			absent int
		}{
			{8*time.Hour + 59*time.Minute, 0}, // 17:59: before NoShowTime
			{time.Minute, 2},                  // 18:00
			{59 * time.Minute, 2},             // 18:59
			{time.Minute, 3},                  // 19:00
			{time.Hour, 4},                    // 20:00
		} {
			p.Clock.Advance(step.after)
			until, _, err := db.DayToClose(ctx)
			if err == nil {
				_, err = db.CloseDays(ctx, until)
			}
			if err != nil {
				t.Fatal(err)
			}
			absent := 0
			for _, v := range visits {
				if a, _, err := db.AppointmentDetails(ctx, v.ID); err != nil {
					t.Fatal(err)
				} else if a.Status == hospital.NoShow {
					absent++
				}
			}
			if absent != step.absent {
				t.Errorf("until %s %s: %d no-shows, want %d", until.Date, until.Time, absent, step.absent)
			}
		}
		noFaults(ctx, t, db)
	})
}
