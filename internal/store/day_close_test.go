package store_test

import (
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

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
