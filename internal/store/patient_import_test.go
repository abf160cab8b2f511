package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// rowsOf returns records as the rows of a file.
func rowsOf(list ...hospital.PatientFields) iter.Seq2[hospital.PatientFields, error] {
	return func(yield func(hospital.PatientFields, error) bool) {
		for _, p := range list {
			if !yield(p.Clean(), nil) {
				return
			}
		}
	}
}

// fileOf returns a file with the records.
func fileOf(list ...hospital.PatientFields) store.PatientImport {
	hns := map[string]bool{}
	for _, p := range list {
		if p.HN != "" {
			hns[hospital.HNKey(p.HN)] = true
		}
	}
	return store.PatientImport{File: "patients.csv", Rows: rowsOf(list...), HNs: maps.Keys(hns)}
}

// person returns a record. The HN and the ID card may be empty.
func person(hn, card, first, last, birth string) hospital.PatientFields {
	return hospital.PatientFields{
		HN: hn, IDCard: hospital.IDCard(card), Prename: "นาย", FirstName: first, LastName: last, BirthDate: birth,
		Sex: hospital.Male,
	}
}

func TestImportPatients(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		full := person("", "1111111111119", "น้ำทิพย์", "ใจดี", "1986-11-16")
		full.FirstNameEn, full.Phone, full.Address.Province, full.NoKnownAllergy = "Namthip", "0812345678", "เชียงใหม่", true
		full.Conditions = []string{"เบาหวาน"}
		written, known, err := db.ImportPatients(ctx, fileOf(full, person("", "", "เอก", "ดี", "1990-01-01")))
		if err != nil || written != 2 || known != 0 {
			t.Fatalf("%d written, %d known, %v", written, known, err)
		}
		byHand := full
		byHand.IDCard, byHand.HN = "1000000000050", "900"
		made, err := db.CreatePatient(ctx, byHand, true)
		if err != nil {
			t.Fatal(err)
		}
		found, err := db.SearchPatients(ctx, "นำทิพย ใจดี", 10)
		if err != nil || len(found) != 2 {
			t.Fatalf("%v %v", found, err)
		}
		imported, err := db.Patient(ctx, min(found[0].ID, found[1].ID))
		if err != nil {
			t.Fatal(err)
		}
		want := made
		want.ID, want.HN, want.IDCard = imported.ID, "0000001", "1111111111119"
		if diff := cmp.Diff(want, imported.Patient); diff != "" {
			t.Error(diff)
		}
		for _, q := range []string{"ทิพย", "Namth", "81234567", "1111111111119"} { // one for each index
			if found, err := db.SearchPatients(ctx, q, 10); err != nil || len(found) == 0 {
				t.Errorf("%s finds no patient: %v", q, err)
			}
		}
		list, err := db.ListPatients(ctx, hospital.PatientFilter{
			Page: hospital.Page{Page: 1, PageSize: 10, Sort: "firstName"},
		})
		if err != nil || list.Total != 3 || list.Items[2].FirstName != "เอก" {
			t.Errorf("%+v %v", list, err)
		}
	})
}

func TestImportAuditEntry(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := fileOf(person("1", "", "เอก", "ดี", "1990-01-01"), person("2", "", "โท", "ดี", "1990-01-01"))
		in.File, in.Known, in.Wrong = "ผู้ป่วย.csv", 5, 7
		if _, _, err := db.ImportPatients(ctx, in); err != nil {
			t.Fatal(err)
		}
		log := listAudit(ctx, t, db, hospital.AuditFilter{Action: "patient."})
		if log.Total != 1 {
			t.Fatalf("%+v", log)
		}
		e := log.Items[0]
		changes := map[string]hospital.Change{"new": {After: 2.0}, "known": {After: 5.0}, "wrong": {After: 7.0}}
		if diff := cmp.Diff(changes, e.Changes); diff != "" || e.Action != "patient.import" || e.Subject != "ผู้ป่วย.csv" ||
			e.ActorName != "ผู้ดูแลระบบ" || e.Addr != "192.0.2.1" {
			t.Errorf("%+v %s", e, diff)
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("%v %v", faults, err)
		}
	})
}

func TestPatientStandings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		for _, p := range []hospital.PatientFields{
			person("0000100", "1111111111119", "เอก", "ดี", "1990-01-01"),
			person("0000200", "", "โท", "งาม", "1980-05-05"),
		} {
			if _, err := db.CreatePatient(ctx, p, false); err != nil {
				t.Fatal(err)
			}
		}
		deleted, err := db.CreatePatient(ctx, person("0000300", "1000000000050", "ตรี", "ลา", "1970-03-03"), false)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.DeletePatient(ctx, deleted.ID, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		const known, other = store.StandingKnown, store.StandingOtherPerson
		cases := []struct {
			name string
			p    hospital.PatientFields
			want store.Standing
		}{
			{"same HN, written differently", person("100", "", "เอก", "ดี", "1990-01-01"), known},
			{"same ID card, another HN", person("555", "1111111111119", "เอก", "ดี", "1990-01-01"), known},
			{"same ID card, another name", person("", "1111111111119", "เอกชัย", "ดีมาก", "1990-01-01"), known},
			{"same HN, another last name", person("200", "", "โท", "แต่งงาน", "1980-05-05"), known},
			{"same HN, a new ID card", person("200", "1000000000131", "โท", "งาม", "1980-05-05"), known},
			{"same name and birth date, no numbers", person("", "", "เอก", "ดี", "1990-01-01"), known},
			{"same name with other tone marks", person("", "", "เอ้ก", "ดี่", "1990-01-01"), known},
			{"same name, another HN", person("777", "", "เอก", "ดี", "1990-01-01"), store.StandingNew},
			{"same name, another birth date", person("", "", "เอก", "ดี", "1991-01-01"), store.StandingNew},
			{"a new patient", person("", "", "สี่", "ใหม่", "1960-01-01"), store.StandingNew},
			{"same HN, another ID card", person("100", "1000000000131", "เอก", "ดี", "1990-01-01"), other},
			{"HN and ID card of two patients", person("200", "1111111111119", "โท", "งาม", "1980-05-05"), other},
			{"same HN, another name and birth date", person("200", "", "ใคร", "อื่น", "2001-01-01"), other},
			{"HN of a deleted patient", person("300", "", "ตรี", "ลา", "1970-03-03"), store.StandingDeleted},
			{"ID card of a deleted patient", person("", "1000000000050", "ตรี", "ลา", "1970-03-03"), store.StandingNew},
		}
		var list []hospital.PatientFields
		for _, c := range cases {
			list = append(list, c.p.Clean())
		}
		got, err := db.PatientStandings(ctx, list)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			if got[i] != c.want {
				t.Errorf("%s: %v, want %v", c.name, got[i], c.want)
			}
		}
	})
}

func TestImportAllOrNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		many := make([]hospital.PatientFields, 600) // more than one batch
		for i := range many {
			many[i] = person("", "", "คนที่"+strconv.Itoa(i), "ดี", "1990-01-01")
		}
		boom := errors.New("the file cannot be read")
		broken := func(last hospital.PatientFields, err error) iter.Seq2[hospital.PatientFields, error] {
			return func(yield func(hospital.PatientFields, error) bool) {
				for _, p := range many {
					if !yield(p.Clean(), nil) {
						return
					}
				}
				yield(last, err)
			}
		}
		cancelled, cancel := context.WithCancel(ctx)
		wrong, twice := person("", "", "", "ดี", "1990-01-01"), person("", "1111111111119", "ก", "ข", "1990-01-01")
		for name, c := range map[string]struct {
			ctx      context.Context
			rows     iter.Seq2[hospital.PatientFields, error]
			progress func(int)
			want     error
		}{
			"a read error":      {ctx, broken(hospital.PatientFields{}, boom), nil, boom},
			"an invalid record": {ctx, broken(wrong.Clean(), nil), nil, hospital.Reject(hospital.ValidationFailed)},
			"a duplicate ID card": {ctx, func(yield func(hospital.PatientFields, error) bool) {
				again := yield(twice.Clean(), nil)
				_ = again && yield(twice.Clean(), nil)
			}, nil, hospital.Reject(hospital.Duplicate)},
			"cancelled": {cancelled, broken(many[0].Clean(), nil), func(int) { cancel() }, context.Canceled},
		} {
			in := store.PatientImport{File: "patients.csv", Rows: c.rows, Progress: c.progress}
			written, known, err := db.ImportPatients(c.ctx, in)
			if !errors.Is(err, c.want) || written != 0 || known != 0 {
				t.Errorf("%s: %d, %d, %v, want %v", name, written, known, err, c.want)
			}
		}
		list, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 10}})
		if err != nil || list.Total != 0 {
			t.Errorf("%d records after failed imports, %v", list.Total, err)
		}
		if found, err := db.SearchPatients(ctx, "คนที่5", 10); err != nil || len(found) != 0 {
			t.Errorf("%v %v", found, err)
		}
		p, err := db.CreatePatient(ctx, person("", "", "ก", "ข", "1990-01-01"), false)
		if err != nil || p.HN != "0000001" {
			t.Errorf("the next HN is %s, %v, want 0000001", p.HN, err)
		}
	})
}

func TestImportAssignsHNs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		for _, hn := range []string{"0000501", "0000503"} { // already in use
			if _, err := db.CreatePatient(ctx, person(hn, "", "ขวาง"+hn, "ทาง", "1990-01-01"), false); err != nil {
				t.Fatal(err)
			}
		}
		list := []hospital.PatientFields{
			person("", "", "เอก", "ดี", "1990-01-01"),
			person("500", "", "โท", "ดี", "1990-01-01"),
			person("12", "", "ตรี", "ดี", "1990-01-01"),
			person("", "", "จัตวา", "ดี", "1990-01-01"),
			person("OLD-7", "", "เบญจ", "ดี", "1990-01-01"),    // another format
			person("99999999999", "", "ฉ", "ดี", "1990-01-01"), // more digits than the format
			person("HN99999", "", "สัตต", "ดี", "1990-01-01"),  // another series
		}
		if written, _, err := db.ImportPatients(ctx, fileOf(list...)); err != nil || written != len(list) {
			t.Fatalf("%d written, %v", written, err)
		}
		got := map[string]string{}
		page, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 20}, Q: "ดี"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Items {
			got[p.FirstName] = p.HN
		}
		if got["เอก"] != "0000502" || got["จัตวา"] != "0000504" || got["โท"] != "500" {
			t.Errorf("numbers %v", got)
		}
		p, err := db.CreatePatient(ctx, person("", "", "ใหม่", "มา", "1990-01-01"), false)
		if err != nil || p.HN != "0000505" {
			t.Errorf("the next HN is %s, %v", p.HN, err)
		}
	})
}

func TestImportSkipsKnownPatients(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := fileOf(person("1", "1111111111119", "เอก", "ดี", "1990-01-01"), person("2", "", "โท", "ดี", "1990-01-01"))
		if _, err := db.CreatePatient(ctx, person("", "1111111111119", "เอก", "ดี", "1990-01-01"), false); err != nil {
			t.Fatal(err)
		}
		if written, known, err := db.ImportPatients(ctx, in); err != nil || written != 1 || known != 1 {
			t.Errorf("%d written, %d known, %v", written, known, err)
		}
		if written, known, err := db.ImportPatients(ctx, in); err != nil || written != 0 || known != 2 {
			t.Errorf("again: %d written, %d known, %v", written, known, err)
		}
	})
}

// BenchmarkImport imports NADMOR_BENCH_PATIENTS (default 100,000) records in one transaction.
func BenchmarkImport(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("NADMOR_BENCH_PATIENTS"))
	if err != nil {
		n = 100_000
	}
	firsts := []string{"สมชาย", "น้ำทิพย์", "เกษม", "ศิริพร", "ปุณณวิชญ์", "แสงหล้า", "ไพโรจน์"}
	for engine, fresh := range engines {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				db := fresh(b).Open(b)
				rows := func(yield func(hospital.PatientFields, error) bool) {
					for i := range n {
						birth := time.Date(1950, 1, 1+i%20000, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
						first, last := firsts[i%len(firsts)]+strconv.Itoa(i%997), fmt.Sprintf("นามสกุล%d", i)
						p := person("", "", first, last, birth)
						p.Phone, p.RightCode = fmt.Sprintf("08%08d", i), "UCS"
						p.Address = hospital.Address{
							Line: fmt.Sprint(i), Subdistrict: "สุเทพ", District: "เมืองเชียงใหม่",
							Province: "เชียงใหม่", PostalCode: "50200",
						}
						if !yield(p.Clean(), nil) {
							return
						}
					}
				}
				in := store.PatientImport{File: "patients.csv", Rows: rows}
				if written, _, err := db.ImportPatients(b.Context(), in); err != nil || written != n {
					b.Fatalf("%d written, %v", written, err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
