package store_test

import (
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestBookSeries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 2)
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: "2026-11-30", Reason: "วันหยุด", Kind: hospital.ClosureHoliday,
		}); err != nil {
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
			if want := []string{"2026-11-16 10:00", "2026-11-23 09:30", "2026-12-07 10:00"}; !slices.Equal(got, want) ||
				len(skipped) != 1 || skipped[0] != (hospital.Skipped{Date: "2026-11-30", Reason: "วันหยุด"}) {
				t.Errorf("preview %v: booked %v, skipped %v", preview, got, skipped)
			}
		}
		// Only one of several requests with one key is booked. The key of a preview is ignored.
		keyed := hospital.Series{NewAppointment: visit(people[0], s, "2026-11-18", "14:00"), EveryWeeks: 1, Count: 2}
		once := storetest.Keyed(ctx, "one series", "")
		if _, _, err := db.BookSeries(once, keyed, true); err != nil {
			t.Fatal(err)
		}
		errs := concurrently(3, func(int) error { _, _, err := db.BookSeries(once, keyed, false); return err })
		if n := countCodes(errs); n[""] != 1 {
			t.Errorf("three requests with one key: %v", n)
		}
		if first, found, err := db.FirstAnswer(once); !found || err != nil || strings.Count(first, `"number":`) != 2 {
			t.Errorf("stored response: %v %q %v", found, first, err)
		}
		// Tuesday next week is full: nothing of the series is booked.
		for _, slot := range s.ScheduledSlots("2026-11-24", nil, nil).Slots {
			if _, err := db.Book(ctx, visit(people[0], s, "2026-11-24", slot.StartTime)); err != nil {
				t.Fatal(err)
			}
		}
		before, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = db.BookSeries(ctx, hospital.Series{
			NewAppointment: visit(people[1], s, tuesday, "10:00"), EveryWeeks: 1, Count: 3,
		}, false)
		if e := wantDetails(t, err, hospital.SlotFull); e["date"] != "2026-11-24" {
			t.Errorf("details %v", e)
		}
		after, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil || after.Total != before.Total {
			t.Errorf("%d appointments before, %d after, %v", before.Total, after.Total, err)
		}
		noFaults(ctx, t, db)
	})
}
