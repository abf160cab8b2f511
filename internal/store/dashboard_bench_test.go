package store_test

import (
	"context"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// BenchmarkDashboard reads the dashboard with NADMOR_BENCH_APPOINTMENTS appointments (default 20,000) of
// twenty services in three years: of today, with waiting lists, closures and a service that is full for
// weeks, and of days in the year before.
//
//	NADMOR_BENCH_APPOINTMENTS=1000000 scripts/with-postgres \
//		go test ./internal/store -run '^$' -bench Dashboard -timeout 60m
func BenchmarkDashboard(b *testing.B) {
	eachFilled(b, func(ctx context.Context, b *testing.B, db *store.DB, services []hospital.Service) {
		none := 0
		full := services[0]
		_, err := db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: full.ID, Capacity: &none, Force: true,
			DateRange: hospital.DateRange{DateFrom: monday, DateTo: hospital.AddDays(monday, 60)},
		})
		if err != nil {
			b.Fatal(err)
		}
		for i, patient := range patients(ctx, b, db, 200) {
			in := visit(patient, full, hospital.AddDays(tuesday, i%3), "10:00")
			in.Waitlist = true
			must[hospital.Appointment](b)(db.Book(ctx, in))
		}
		noon, evening := "12:00", "16:00"
		for i := range 40 {
			date := hospital.AddDays(monday, 1+i)
			c := hospital.ClosureFields{DateFrom: date, Reason: "แพทย์ประชุม", ServiceIDs: []int64{services[i%20].ID}}
			if i%2 == 0 {
				c.StartTime, c.EndTime = &noon, &evening
			}
			if _, _, err := db.CreateClosure(ctx, c); err != nil {
				b.Fatal(err)
			}
		}
		reportP95(b, "floor", func(int) error { _, err := db.User(ctx, 1); return err })
		reportP95(b, "today", func(int) error { _, err := db.Dashboard(ctx, monday); return err })
		reportP95(b, "other days", func(i int) error {
			_, err := db.Dashboard(ctx, hospital.AddDays(monday, -i%365))
			return err
		})
	})
}
