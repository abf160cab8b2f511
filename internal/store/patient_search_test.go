package store_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Every search and list finds a patient by what is printed and typed: numbers with their label, a phone with the
// country code, Thai digits, a name with its prename, and keys typed on the other keyboard.
func TestSearchAsTyped(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := newPatient("ชนัญชิดา", "แสงทอง")
		in.HN, in.Phone = "0004609", "0812345678"
		p := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		other := newPatient("จอห์น", "สมิธ")
		other.FirstNameEn, other.LastNameEn = "Qwerty", "Smith"
		latin := must[hospital.Patient](t)(db.CreatePatient(ctx, other, false))
		s := storetest.AddService(t, db, "GP", 5)
		booked := storetest.Book(t, db, ctx, p, s, "2026-11-16", "10:00")
		storetest.Book(t, db, ctx, latin, s, "2026-11-16", "11:00")
		page := hospital.Page{Page: 1, PageSize: 10}
		for q, want := range map[string]int64{
			"HN 0004609": p.ID, "HN0004609": p.ID, "hn-4609": p.ID, "HN ๐๐๐๔๖๐๙": p.ID, "4609": p.ID,
			"+66 81 234 5678": p.ID, "66812345678": p.ID, "โทร 081-234-5678": p.ID, "๐๘๑ ๒๓๔ ๕๖๗๘": p.ID,
			"นางสาวชนัญชิดา": p.ID, "น.ส.ชนัญชิดา แสงทอง": p.ID, "=oyP=bfk": p.ID, "cl'mv'": p.ID, "ๆไำพะั": latin.ID,
		} {
			found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, q, 10))
			if len(found) != 1 || found[0].ID != want {
				t.Errorf("search %q found %d patients", q, len(found))
			}
			list := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, hospital.PatientFilter{Page: page, Q: q}))
			if list.Total != 1 || list.Items[0].ID != want {
				t.Errorf("list %q found %d patients", q, list.Total)
			}
			visits := must[hospital.Paged[hospital.Appointment]](t)(
				db.ListAppointments(ctx, hospital.AppointmentFilter{Page: page, Q: q}))
			if visits.Total != 1 || visits.Items[0].PatientID != want {
				t.Errorf("list %q found %d appointments", q, visits.Total)
			}
		}
		for _, q := range []string{"เลขที่นัด " + booked.Number, "นัดที่: " + booked.Number, strings.ToLower(booked.Number)} {
			visits := must[hospital.Paged[hospital.Appointment]](t)(
				db.ListAppointments(ctx, hospital.AppointmentFilter{Page: page, Q: q}))
			found := must[[]hospital.Appointment](t)(db.SearchAppointments(ctx, q, 10))
			if visits.Total != 1 || visits.Items[0].ID != booked.ID || len(found) != 1 || found[0].ID != booked.ID {
				t.Errorf("%q found %d and %d appointments", q, visits.Total, len(found))
			}
		}
		if n := len(must[[]hospital.Patient](t)(db.SearchPatients(ctx, "HN 9999", 10))); n != 0 {
			t.Errorf("found %d patients of another HN", n)
		}
	})
}

// Without PATIENT.VIEW_CID no search reveals a digit of an ID card to a caller who does not know
// all of them. With it, prefixes find patients, and the search is audited.
func TestSearchIDCardDigits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "nurse", "NURSE")
		storetest.AddUser(t, db, "queue", "QUEUE")
		const card = "1629504387198"
		in := newPatient("สมชาย", "ใจดี")
		in.HN, in.IDCard = "HN-77", card
		p := must[hospital.Patient](t)(db.CreatePatient(admin, in, false))
		storetest.Book(t, db, admin, p, storetest.AddService(t, db, "GP", 5), "2026-11-16", "10:00")
		page := hospital.Page{Page: 1, PageSize: 10}
		visits := func(q string) hospital.AppointmentFilter {
			return hospital.AppointmentFilter{Page: page, PatientID: p.ID, Q: q}
		}
		searches := map[string]func(ctx context.Context, q string) (int, error){
			"patients/search": func(ctx context.Context, q string) (int, error) {
				return lengthOf(db.SearchPatients(ctx, q, 10))
			},
			"patients/list": func(ctx context.Context, q string) (int, error) {
				return pageOf(db.ListPatients(ctx, hospital.PatientFilter{Page: page, Q: q}))
			},
			"patients/list, sort": func(ctx context.Context, q string) (int, error) {
				return pageOf(db.ListPatients(ctx, hospital.PatientFilter{Page: sorted(page), Q: q}))
			},
			"patients/export": func(ctx context.Context, q string) (n int, err error) {
				export := hospital.PatientExportQuery{PatientFilter: hospital.PatientFilter{Q: q}}
				return n, db.EachPatient(ctx, export, "csv", func(hospital.Patient) error { n++; return nil })
			},
			"list-id-card": func(ctx context.Context, q string) (int, error) {
				return lengthOf(db.PatientsByIDCard(ctx, hospital.DigitsOf(q)))
			},
			"appointment/search": func(ctx context.Context, q string) (int, error) {
				return lengthOf(db.SearchAppointments(ctx, q, 10))
			},
			"appointment/list": func(ctx context.Context, q string) (int, error) {
				return pageOf(db.ListAppointments(ctx, visits(q)))
			},
			"list-results": func(ctx context.Context, q string) (int, error) {
				return pageOf(db.ListAppointmentResults(ctx, visits(q), nil))
			},
			"appointment/export": func(ctx context.Context, q string) (n int, err error) {
				return n, db.EachAppointment(ctx, visits(q), "csv",
					func(hospital.Appointment) error { n++; return nil })
			},
		}
		logged := func() int64 {
			filter := hospital.AuditFilter{
				Page: hospital.Page{Page: 1, PageSize: 200}, Action: "patient.search-id-card",
			}
			log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(admin, filter))
			for _, e := range log.Items {
				if text := jsonOf(t, e); strings.Contains(text, card[:5]) { // without the addresses of pointers
					t.Errorf("the audit log contains the digits: %s", text)
				}
			}
			return log.Total
		}
		for name, search := range searches {
			for _, who := range []string{"nurse", "queue", "admin"} {
				ctx := storetest.ActAs(t, db, who)
				for n := 3; n <= 13; n++ {
					for part, q := range map[string]string{
						"beginning": card[:n], "end": card[13-n:], "dashed": card[:1] + "-" + card[1:n],
					} {
						before := logged()
						found, err := search(ctx, q)
						if err != nil {
							t.Fatal(err)
						}
						finds := n == 13 || who == "admin" && n >= 4 && part != "end"
						if (found > 0) != finds {
							t.Errorf("%s: %s of %d digits finds %d for %s", name, part, n, found, who)
						}
						if audited := logged() > before; finds && !audited {
							t.Errorf("%s: %s of %d digits by %s is not audited", name, part, n, who)
						}
					}
				}
				for _, q := range []string{
					card[:12] + "9", "ใจดี " + card, "ใจดี " + card[:6], card[:8] + "x", "'" + card[2:9],
				} {
					if found, err := search(ctx, q); err != nil || found > 0 && name != "list-id-card" {
						t.Errorf("%s: %q finds %d for %s, %v", name, q, found, who, err)
					}
				}
			}
		}
	})
}

func sorted(p hospital.Page) hospital.Page { p.Sort = "-hn"; return p }

func lengthOf[T any](list []T, err error) (int, error) { return len(list), err }

func pageOf[T any](page hospital.Paged[T], err error) (int, error) {
	if int64(len(page.Items)) != page.Total {
		err = fmt.Errorf("%d items, total %d", len(page.Items), page.Total)
	}
	return len(page.Items), err
}

// A phone number is searched as a phone number, not as the beginning of an ID card.
func TestSearchPhoneIsNotIDCard(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := newPatient("สมชาย", "ใจดี")
		in.Phone = "0812345678"
		must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "081-234-5678", 10)); len(found) != 1 {
			t.Errorf("found %d patients, want 1", len(found))
		}
		filter := hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 10}, Action: "patient.search-id-card"}
		if log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, filter)); log.Total != 0 {
			t.Errorf("audit log: %+v", log.Items)
		}
	})
}

// The migration rebuilds the search documents as the store writes them today.
func TestMigrateSearchWithoutIDCards(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		for i, in := range []hospital.PatientFields{
			newPatient("สมชาย", "ใจดี"), newPatient("น้ำทิพย์", "แก้วใส"), newPatient("ลบแล้ว", "หายไป"),
		} {
			in.IDCard = idCardNumber(110_000_000_000 + i)
			if i == 1 {
				in.FirstNameEn, in.LastNameEn = "Namthip", "Kaew Sai"
				in.Phone, in.Phone2, in.PassportNo = "0812345678", "053123456", "AA123456"
				in.HN = string(in.IDCard) // some hospitals use it as the HN
			}
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		}
		if err := db.DeletePatient(ctx, 3, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		raw := p.SQL(t)
		docs := func() (list []string) {
			rows, err := raw.QueryContext(ctx, `SELECT doc FROM patient_search ORDER BY rowid`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var doc string
				if err := rows.Scan(&doc); err != nil {
					t.Fatal(err)
				}
				list = append(list, doc)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			return list
		}
		want := docs()
		_, err := raw.ExecContext(ctx, `UPDATE patient_search
			SET doc = doc || ' ' || (SELECT id_card FROM patients WHERE id = patient_search.rowid)`)
		if err != nil {
			t.Fatal(err)
		}
		up, err := fs.ReadFile(store.Migrations(p.Engine), "0012_search_without_cards.sql")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.ExecContext(ctx, string(up)); err != nil {
			t.Fatal(err)
		}
		if got := docs(); !slices.Equal(got, want) || len(got) != 2 {
			t.Errorf("got %q, want %q", got, want)
		}
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "ทิพย", 10)); len(found) != 1 {
			t.Errorf("a fragment found %d patients, want 1", len(found))
		}
	})
}
