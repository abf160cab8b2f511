package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nadmor/internal/demo"
	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// BenchmarkSearchPatients searches for a hundred of NADMOR_BENCH_PATIENTS patients (default 20,000) by
// various texts. It reports the 95th percentile and the mean. "floor" is the cheapest query: one row by
// its key.
//
//	NADMOR_BENCH_PATIENTS=1000000 scripts/with-postgres \
//		go test ./internal/store -run '^$' -bench SearchPatients -timeout 60m
func BenchmarkSearchPatients(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("NADMOR_BENCH_PATIENTS"))
	if err != nil {
		n = 20000
	}
	for name, fresh := range engines {
		b.Run(name, func(b *testing.B) {
			p := fresh(b)
			db := p.Open(b)
			ctx := storetest.SetUp(b, db)
			began := time.Now()
			records := load.Records{
				Patients:     demo.Patients(n, 1, p.Clock.Now()),
				Appointments: func(func(hospital.Appointment) bool) {},
			}
			if err := load.Hospital(ctx, db, records, nil); err != nil {
				b.Fatal(err)
			}
			b.Logf("%d patients in %v", n, time.Since(began).Round(time.Second))
			if info, err := os.Stat(filepath.Join(p.Options.DataDir, store.SQLiteFile)); err == nil {
				b.Logf("file %d MB", info.Size()>>20)
			}
			searchBenchmarks(ctx, b, db, samples(n, p.Clock.Now()))
		})
	}
}

func searchBenchmarks(ctx context.Context, b *testing.B, db *store.DB, people []sample) {
	bench := func(name string, call func(sample) (int, error)) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			found := 0
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				n, err := call(people[i%len(people)])
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
	bench("floor", func(sample) (int, error) { _, err := db.User(ctx, 1); return 1, err })
	search := func(name string, typed func(sample) string) {
		bench(name, func(who sample) (int, error) {
			list, err := db.SearchPatients(ctx, typed(who), 20)
			return len(list), err
		})
	}
	search("HN", func(who sample) string { return fmt.Sprintf("%07d", who.hn) })
	search("HN without zeros", func(who sample) string { return strconv.Itoa(who.hn) })
	search("digits of an HN", func(who sample) string { return fmt.Sprint(who.hn)[1:] })
	search("phone", func(who sample) string { return who.Phone })
	search("phone with dashes", func(who sample) string {
		return who.Phone[:3] + "-" + who.Phone[3:6] + "-" + who.Phone[6:]
	})
	search("end of a phone", func(who sample) string { return who.Phone[5:] })
	search("ID card", func(who sample) string { return string(who.IDCard) })
	search("ID card with dashes", func(who sample) string { return dashed(string(who.IDCard)) })
	search("beginning of an ID card", func(who sample) string { return string(who.IDCard[:8]) })
	search("first and last name", func(who sample) string { return who.FirstName + " " + who.LastName })
	search("last and first name", func(who sample) string { return who.LastName + " " + who.FirstName })
	search("family name", func(who sample) string { return who.LastName })
	search("fragment of a family name", func(who sample) string { return part(who.LastName, 2, 9) })
	search("fragments of both", func(who sample) string {
		return part(who.FirstName, 1, 4) + " " + part(who.LastName, 2, 8)
	})
	search("a wrong tone mark", func(who sample) string { return wrongTone(who.FirstName) + " " + who.LastName })
	search("English fragments", func(who sample) string {
		return part(who.FirstNameEn, 1, 9) + " " + part(who.LastNameEn, 1, 6)
	})
	search("no match", func(sample) string { return "กขคงจฉช" })
	for _, broad := range []string{"ส", "สม", "08", "081", "สมชาย", "ชาย", "วงศ์", "วงศ์ ชาย", "somch", "4321"} {
		search("broad "+broad, func(sample) string { return broad })
	}
	list := func(name string, page int, typed func(sample) string) {
		bench("list "+name, func(who sample) (int, error) {
			l, err := db.ListPatients(ctx, hospital.PatientFilter{
				Q: typed(who), Page: hospital.Page{Page: page, PageSize: 50},
			})
			return len(l.Items), err
		})
	}
	list("page by name", 3, func(sample) string { return "" })
	list("of an HN without zeros", 1, func(who sample) string { return strconv.Itoa(who.hn) })
	list("of a phone", 1, func(who sample) string { return who.Phone })
	list("of three digits", 1, func(who sample) string { return strconv.Itoa(100 + who.hn%900) })
	list("of two digits", 1, func(who sample) string { return strconv.Itoa(10 + who.hn%90) })
	list("of a family name", 1, func(who sample) string { return who.LastName })
}

// sample is a patient of the filled table.
type sample struct {
	hospital.PatientFields
	hn int
}

// samples returns a hundred patients, evenly spread over the filled table, who have an English first name.
func samples(n int, now time.Time) (list []sample) {
	hn := 0
	for f := range demo.Patients(n, 1, now) {
		if hn++; hn >= len(list)*n/100 && f.FirstNameEn != "" {
			list = append(list, sample{f, hn})
		}
	}
	return list
}

// dashed returns an ID card number as it is printed.
func dashed(card string) string {
	return card[:1] + "-" + card[1:5] + "-" + card[5:10] + "-" + card[10:12] + "-" + card[12:]
}

// part returns the characters of a text from one index to another, as far as there are any.
func part(s string, from, to int) string {
	r := []rune(s)
	return string(r[min(from, len(r)):min(to, len(r))])
}

// wrongTone returns a name with another or an additional tone mark.
func wrongTone(name string) string {
	if i := strings.IndexAny(name, "่้๊๋"); i >= 0 {
		return name[:i] + "๊" + name[i+len("่"):]
	}
	r := []rune(name)
	return string(slices.Insert(r, min(2, len(r)), '่'))
}
