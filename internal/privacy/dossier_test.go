package privacy_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// scan returns the stored file of a result.
func scan(name string) *hospital.StoredFile {
	return &hospital.StoredFile{
		Key:        "results/abcdefghijklmnopqrstuvwx.pdf",
		ResultFile: hospital.ResultFile{Name: name, ContentType: "application/pdf", Size: 9, SHA256: "00"},
	}
}

// eachPerson runs fn on each engine as the administrator of a hospital with one patient, whose result has the
// file.
func eachPerson(
	t *testing.T, file *hospital.StoredFile,
	fn func(t *testing.T, p storetest.Database, db *store.DB, ctx context.Context, person storetest.Person),
) {
	t.Helper()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		fn(t, p, db, ctx, storetest.AddPerson(t, db, ctx, file))
	})
}

func TestDossier(t *testing.T) {
	t.Parallel()
	eachPerson(t, scan("ผลเลือดของกัญญาวีร์.pdf"), func(
		t *testing.T, _ storetest.Database, db *store.DB, ctx context.Context, person storetest.Person,
	) {
		ignore := func(hospital.Patient) error { return nil }
		if err := db.EachPatient(ctx, hospital.PatientExportQuery{}, "csv", ignore); err != nil {
			t.Fatal(err)
		}
		for _, whom := range []string{
			"88-004217", "88004217", "1-1111-11111-11-9", "ZQ7741852", "zq7741852", fmt.Sprintf("id:%d", person.ID),
		} {
			if p, err := privacy.FindSubject(ctx, db, whom); err != nil || p.ID != person.ID ||
				p.IDCard != "1111111111119" {
				t.Errorf("%s finds %d, %v", whom, p.ID, err)
			}
		}
		for _, nobody := range []string{"", "99-999999", "id:999", "id:x", "กัญญาวีร์", "3333333333333"} {
			_, err := privacy.FindSubject(ctx, db, nobody)
			wantCode(t, err, hospital.NotFound)
		}
		d, err := privacy.Dossier(ctx, db, person.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d.Patient.IDCard != "1111111111119" || d.DeletedAt != nil || len(d.Consents) != 1 ||
			len(d.Appointments) != 4 {
			t.Errorf("the dossier has %d consents, %d appointments, card %q",
				len(d.Consents), len(d.Appointments), d.Patient.IDCard)
		}
		for i, want := range []struct {
			visit            hospital.Appointment
			results, history int
			deleted          bool
		}{
			{person.Visits[1], 0, 2, false}, {person.Visits[0], 2, 7, false}, {person.Visits[2], 0, 2, false},
			{person.Visits[3], 0, 2, true},
		} {
			got := d.Appointments[i]
			if got.ID != want.visit.ID || len(got.Results) != want.results || len(got.History) != want.history ||
				(got.DeletedAt != nil) != want.deleted {
				t.Errorf("visit %d is %d with %d results, %d entries of history, deleted %v",
					i, got.ID, len(got.Results), len(got.History), got.DeletedAt)
			}
		}
		if results := d.Appointments[1].Results; results[0].DeletedAt != nil || results[1].DeletedAt == nil ||
			results[0].File.Key == "" || len(d.Files()) != 1 {
			t.Errorf("the results are %+v", results)
		}
		// The patient's own account is included whole, the mother's with its name only.
		if len(d.Customers) != 2 || d.Customers[0].Phone != "0829911882" || d.Customers[1].Name != "แม่สายพิณ" ||
			d.Customers[1].Phone != "" {
			t.Errorf("the accounts are %+v", d.Customers)
		}
		var actions []string
		for _, e := range d.Access {
			actions = append(actions, e.Action)
		}
		for _, want := range []string{
			"patient.create", "patient.update", "patient.read", "patient.reveal-id-card", "customer.create",
			"appointment.create", "appointment.status", "appointment.delete",
			"result.create", "result.delete", "result.read", "result.download", "result.list", "pdpa.export",
		} {
			if !slices.Contains(actions, want) {
				t.Errorf("the access log does not contain %s: %v", want, actions)
			}
		}
		if len(d.Together) != 1 || d.Together[0].Action != "patient.export" {
			t.Errorf("exports of many are %+v", d.Together)
		}
		for _, e := range append(d.Access, d.Together...) {
			if e.Subject == person.Sibling.FullName() {
				t.Errorf("entry of another patient %+v", e)
			}
		}

		// A deleted record can still be exported.
		if err := db.DeletePatient(ctx, person.ID, "ย้ายออก"); err != nil {
			t.Fatal(err)
		}
		for _, whom := range []string{"88-004217", "1111111111119"} {
			if p, err := privacy.FindSubject(ctx, db, whom); err != nil || p.ID != person.ID {
				t.Errorf("deleted, %s finds %d, %v", whom, p.ID, err)
			}
		}
		if d, err = privacy.Dossier(ctx, db, person.ID); err != nil || d.DeletedAt == nil {
			t.Errorf("deleted: %v, %v", d.DeletedAt, err)
		}
		own, together, err := privacy.AccessLog(ctx, db, person.ID)
		if err != nil || own[len(own)-1].Action != "pdpa.export" || len(together) != 1 {
			t.Errorf("the access log ends with %+v; %d; %v", own[len(own)-1], len(together), err)
		}
		_, err = privacy.Dossier(ctx, db, 999)
		wantCode(t, err, hospital.NotFound)
		_, _, err = privacy.AccessLog(ctx, db, 999)
		wantCode(t, err, hospital.NotFound)
	})
}

func TestBreach(t *testing.T) {
	t.Parallel()
	eachPerson(t, nil, func(
		t *testing.T, p storetest.Database, db *store.DB, admin context.Context, person storetest.Person,
	) {
		other := storetest.AddPatient(t, db, "คนนอก")
		p.Clock.Advance(time.Hour)
		storetest.AddUser(t, db, "thief", "REGISTRAR")
		thief := storetest.ActAs(t, db, "thief")
		start := db.Now()
		for range 2 {
			if _, err := db.Patient(thief, person.ID); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := db.PrintSlip(thief, person.Visits[0].ID, "a5"); err != nil {
			t.Fatal(err)
		}
		women := hospital.PatientExportQuery{PatientFilter: hospital.PatientFilter{Sex: hospital.Female}}
		if err := db.EachPatient(thief, women, "xlsx", func(hospital.Patient) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Patient(admin, other.ID); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(time.Hour)
		in := privacy.Breach{From: start, To: db.Now(), Username: "Thief"}
		got, err := privacy.FindAccessed(admin, db, in)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 {
			t.Fatalf("touched %+v", got)
		}
		if one := got[0]; one.Entity != "patient" || one.ID != person.ID || one.HN != person.HN ||
			one.Phone != "0617788990" || one.Times != 3 ||
			!slices.Equal(one.Actions, []string{"patient.read", "appointment.slip"}) ||
			!slices.Equal(one.By, []string{"คุณthief"}) || !slices.Equal(one.Addrs, []string{"192.0.2.1"}) {
			t.Errorf("the person is %+v", one)
		}
		if many := got[1]; many.Entity != "" || many.Together == nil || many.Together.Changes["sex"].After != "F" {
			t.Errorf("the export is %+v", many)
		}
		in.Username = ""
		if got, err = privacy.FindAccessed(admin, db, in); err != nil || len(got) != 3 {
			t.Errorf("by all users: %d, %v", len(got), err)
		}
		in.Addr = "203.0.113.9"
		if got, err = privacy.FindAccessed(admin, db, in); err != nil || len(got) != 0 {
			t.Errorf("from elsewhere: %d, %v", len(got), err)
		}
		// An earlier period includes customers.
		mother := func(t privacy.AccessedPerson) bool { return t.Entity == "customer" && t.Phone == "0850000111" }
		got, err = privacy.FindAccessed(admin, db, privacy.Breach{From: start.AddDate(0, 0, -1), To: start})
		if err != nil || !slices.ContainsFunc(got, mother) {
			t.Errorf("before: %+v, %v", got, err)
		}
		_, err = privacy.FindAccessed(admin, db, privacy.Breach{From: start, To: db.Now(), Username: "nobody"})
		wantCode(t, err, hospital.NotFound)
	})
}
