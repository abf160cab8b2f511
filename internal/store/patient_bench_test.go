package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"nadmor/internal/demo"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// BenchmarkSearchPatients searches among NADMOR_BENCH_PATIENTS people (20,000
// without it) and reports the 95th percentile beside the mean. "floor" is the
// cheapest question the database can be asked: one row by its key.
//
//	NADMOR_BENCH_PATIENTS=1000000 scripts/with-postgres go test ./internal/store -run '^$' -bench SearchPatients -timeout 60m
func BenchmarkSearchPatients(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("NADMOR_BENCH_PATIENTS"))
	if err != nil {
		n = 20000
	}
	for name, fresh := range map[string]func(testing.TB) storetest.Place{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		b.Run(name, func(b *testing.B) {
			p := fresh(b)
			db := p.Open(b)
			ctx := storetest.SetUp(b, db)
			began := time.Now()
			fillPatients(ctx, b, db, n, p.Clock.Now())
			b.Logf("%d patients in %v", n, time.Since(began).Round(time.Second))
			if p.Engine == "postgres" {
				if _, err := p.SQL(b).Exec(`VACUUM ANALYZE patients, patient_search`); err != nil {
					b.Fatal(err)
				}
			}
			if info, err := os.Stat(filepath.Join(p.Options.DataDir, store.SQLiteFile)); err == nil {
				b.Logf("file %d MB", info.Size()>>20)
			}
			card := ""
			for f := range demo.Patients(n/2, 1, p.Clock.Now()) {
				card = f.IDCard
			}
			bench := func(name string, call func() (int, error)) {
				b.Run(name, func(b *testing.B) {
					var took []time.Duration
					found := 0
					for b.Loop() {
						began := time.Now()
						n, err := call()
						if err != nil {
							b.Fatal(err)
						}
						found = n
						took = append(took, time.Since(began))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
					b.ReportMetric(float64(found), "found")
				})
			}
			bench("floor", func() (int, error) { _, err := db.User(ctx, 1); return 1, err })
			for _, q := range []struct{ name, q string }{
				{"ID card", card}, {"HN", strconv.Itoa(n / 3)}, {"first and last name", "สมชาย วงศ์ไพศาล"}, {"rare fragment", "เวชสุขวัฒนา"}, {"fragment of a family name", "ไพศาลเวช"},
				{"broad beginning", "สม"}, {"broad name", "สมชาย"}, {"broad fragment", "ชาย"}, {"very broad fragment", "วงศ์"}, {"end of a phone", "4321"}, {"nobody", "กขคงจฉช"},
			} {
				bench(q.name, func() (int, error) {
					list, err := db.SearchPatients(ctx, q.q, 20)
					return len(list), err
				})
			}
			bench("list page by name", func() (int, error) {
				l, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 3, PageSize: 50}})
				return len(l.Items), err
			})
		})
	}
}

func fillPatients(ctx context.Context, b *testing.B, db *store.DB, n int, now time.Time) {
	b.Helper()
	_, _, err := db.ImportPatients(ctx, store.PatientImport{File: "benchmark", HNs: func(func(string) bool) {}, Rows: func(yield func(hospital.PatientFields, error) bool) {
		for f := range demo.Patients(n, 1, now) {
			if !yield(f.Clean(), nil) {
				return
			}
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
}
