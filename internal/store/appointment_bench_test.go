package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// BenchmarkAppointments runs the queries of the screens with NADMOR_BENCH_APPOINTMENTS appointments
// (default 20,000) of twenty services in three years. It reports the 95th percentile and the mean. "floor"
// is the cheapest query: one row by its key.
//
//	NADMOR_BENCH_APPOINTMENTS=1000000 scripts/with-postgres \
//		go test ./internal/store -run '^$' -bench Appointments -timeout 60m
func BenchmarkAppointments(b *testing.B) { eachFilled(b, appointmentBenchmarks) }

// eachFilled runs fn on a database of each engine with NADMOR_BENCH_APPOINTMENTS appointments.
func eachFilled(b *testing.B, fn func(ctx context.Context, b *testing.B, db *store.DB, services []hospital.Service)) {
	n, err := strconv.Atoi(os.Getenv("NADMOR_BENCH_APPOINTMENTS"))
	if err != nil {
		n = 20000
	}
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) {
			p := fresh(b)
			db := p.Open(b)
			ctx := storetest.SetUp(b, db)
			began := time.Now()
			services := fillAppointments(ctx, b, db, n)
			b.Logf("%d appointments in %v", n, time.Since(began).Round(time.Second))
			if p.Engine == "postgres" {
				if _, err := p.SQL(b).Exec(`VACUUM ANALYZE`); err != nil {
					b.Fatal(err)
				}
			}
			fn(ctx, b, db, services)
		})
	}
}

// reportP95 benchmarks call, whose argument counts up, and reports the 95th percentile.
func reportP95(b *testing.B, name string, call func(i int) error) {
	b.Run(name, func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			began := time.Now()
			if err := call(i); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	})
}

func appointmentBenchmarks(ctx context.Context, b *testing.B, db *store.DB, services []hospital.Service) {
	reportP95(b, "floor", func(int) error { _, err := db.User(ctx, 1); return err })
	month := func(i int) (from, to string) {
		from = fmt.Sprintf("%d-%02d-01", 2025+i/12%2, 1+i%12)
		return from, hospital.AddDays(from, 41) // a month view has six weeks
	}
	reportP95(b, "calendar of a month", func(i int) error {
		from, to := month(i)
		_, err := db.Calendar(ctx, from, to, nil, nil)
		return err
	})
	reportP95(b, "calendar of a month, one service and status", func(i int) error {
		from, to := month(i)
		ids, statuses := []int64{services[i%len(services)].ID}, []hospital.AppointmentStatus{hospital.Booked}
		_, err := db.Calendar(ctx, from, to, ids, statuses)
		return err
	})
	list := func(name string, in hospital.AppointmentFilter) {
		reportP95(b, name, func(i int) error {
			in.Page = hospital.Page{Page: 1 + i%5, PageSize: 50}
			_, err := db.ListAppointments(ctx, in)
			return err
		})
	}
	list("list of a day", hospital.AppointmentFilter{DateFrom: monday, DateTo: monday})
	list("list of a month", hospital.AppointmentFilter{DateFrom: "2026-11-01", DateTo: "2026-11-30"})
	list("list of all appointments", hospital.AppointmentFilter{})
	list("list of a service's no-shows", hospital.AppointmentFilter{
		ServiceIDs: []int64{services[3].ID}, Statuses: []hospital.AppointmentStatus{hospital.NoShow},
	})
	year := hospital.ReportQuery{DateFrom: "2025-10-01", DateTo: "2026-09-30"}
	for name, report := range map[string]func() error{
		"utilization":           func() error { _, err := db.Utilization(ctx, year, hospital.ByService); return err },
		"no-shows":              func() error { _, err := db.NoShows(ctx, year, hospital.ByService); return err },
		"no-shows by lead time": func() error { _, err := db.NoShows(ctx, year, hospital.ByLeadTime); return err },
		"waiting times":         func() error { _, err := db.WaitingTimes(ctx, year, hospital.ByHour); return err },
		"workload":              func() error { _, err := db.Workload(ctx, year); return err },
	} {
		reportP95(b, name+" of a fiscal year", func(int) error { return report() })
	}
}

// fillAppointments adds n appointments of twenty services from 2024 to 2026, most of them in the morning.
func fillAppointments(ctx context.Context, b *testing.B, db *store.DB, n int) (services []hospital.Service) {
	for i := range 20 {
		services = append(services, clinic(ctx, b, db, fmt.Sprintf("C%02d", i), 10+n/150000*10))
	}
	people := patients(ctx, b, db, 500)
	dates := slices.DeleteFunc(hospital.DatesBetween("2024-01-01", "2026-12-31"), func(date string) bool {
		return hospital.WeekdayOf(date) == 0 || hospital.WeekdayOf(date) == 6
	})
	random := rand.New(rand.NewPCG(3, 4))
	made, err := load.Appointments(ctx, db, func(yield func(hospital.Appointment) bool) {
		for i := range n {
			patient, s := people[random.IntN(len(people))], services[random.IntN(len(services))]
			date := dates[i*len(dates)/n]
			start := 8*60 + 30*min(random.IntN(14), random.IntN(14))
			if !yield(storetest.Visit(random, i, patient.ID, s.ID, date, start, monday)) {
				return
			}
		}
	})
	if err != nil || made != n {
		b.Fatalf("%d appointments were written: %v", made, err)
	}
	return services
}

// BenchmarkBook books with one and with several clients, each time for another patient, in slots that are
// not full.
func BenchmarkBook(b *testing.B) {
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) {
			db := fresh(b).Open(b)
			ctx := storetest.SetUp(b, db)
			var services []hospital.Service
			for i := range 20 {
				services = append(services, clinic(ctx, b, db, fmt.Sprintf("C%02d", i), 500))
			}
			people := patients(ctx, b, db, 2000)
			var next atomic.Int64
			for _, clerks := range []int{1, 16, 64} {
				b.Run(fmt.Sprint(clerks, " at once"), func(b *testing.B) {
					b.SetParallelism((clerks + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
					book := func() {
						i := int(next.Add(1))
						date := hospital.AddDays(monday, i/len(people)%4)
						start := fmt.Sprintf("%02d:%02d", 9+i/(4*len(people))%3, 30*(i/(12*len(people))%2))
						in := visit(people[i%len(people)], services[i%len(services)], date, start)
						if _, err := db.Book(ctx, in); err != nil && hospital.CodeOf(err) != hospital.PatientDoubleBooked {
							b.Error(err)
						}
					}
					if clerks == 1 {
						for b.Loop() {
							book()
						}
						return
					}
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							book()
						}
					})
				})
			}
		})
	}
}

// BenchmarkMark changes the status of the appointments of one service and day, whose totals are in one row.
func BenchmarkMark(b *testing.B) {
	steps := []hospital.AppointmentStatus{hospital.CheckedIn, hospital.InService, hospital.Completed}
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) {
			db := fresh(b).Open(b)
			ctx := storetest.SetUp(b, db)
			people := patients(ctx, b, db, 500)
			for _, clerks := range []int{1, 16, 64} {
				b.Run(fmt.Sprint(clerks, " at once"), func(b *testing.B) {
					s := clinic(ctx, b, db, fmt.Sprintf("C%d-%d", clerks, b.N), 1000)
					come := max(200, b.N/len(steps)+1)
					made, err := load.Appointments(ctx, db, func(yield func(hospital.Appointment) bool) {
						for i := range come {
							a := hospital.Appointment{
								Number: fmt.Sprintf("R%d-%d", s.ID, i), PatientID: people[i%len(people)].ID,
								Status: hospital.Booked, EndTime: "10:00", Version: 1,
								CreatedAt: db.Now(), UpdatedAt: db.Now(),
								AppointmentFields: hospital.AppointmentFields{
									ServiceID: s.ID, Date: monday, StartTime: "09:30",
									Kind: hospital.KindFollowUp, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
								},
							}
							if !yield(a) {
								return
							}
						}
					})
					if err != nil || made != come {
						b.Fatalf("%d appointments were written: %v", made, err)
					}
					list, err := db.AppointmentIDs(ctx, s.ID)
					if err != nil {
						b.Fatal(err)
					}
					b.ResetTimer()
					var next atomic.Int64
					var wg sync.WaitGroup
					for range clerks {
						wg.Go(func() {
							for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
								if _, err := db.MarkStatus(ctx, list[i%come], 0, steps[i/come], ""); err != nil {
									b.Error(err)
								}
							}
						})
					}
					wg.Wait()
				})
			}
		})
	}
}
