package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

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
