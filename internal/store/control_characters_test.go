package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Texts with control characters are read as they were written, beside others without.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		service := storetest.AddService(t, db, "GP", 5)
		plain, odd := storetest.AddPatient(t, db, "ธรรมดา"), storetest.AddPatient(t, db, "แปลก")
		booked := storetest.Book(t, db, ctx, plain, service, "2026-11-16", "10:00")
		storetest.Book(t, db, ctx, odd, service, "2026-11-16", "10:00")
		raw := p.SQL(t)
		text := "ก่อน\x1fหลัง\x1f"
		for _, statement := range []string{
			`UPDATE patients SET note = $1 WHERE id = $2`, `UPDATE appointments SET reason = $1 WHERE patient_id = $2`,
		} {
			if _, err := raw.Exec(statement, text, odd.ID); err != nil {
				t.Fatal(err)
			}
		}
		odd.Note = text
		for _, want := range []hospital.Patient{plain, odd} {
			got := must[store.PatientRecord](t)(db.Patient(ctx, want.ID))
			record := store.PatientRecord{
				Patient: want, AppointmentCounts: store.PatientCounts{Total: 1, Upcoming: 1},
			}
			if d := cmp.Diff(record, got); d != "" {
				t.Error(d)
			}
		}
		page := hospital.Page{Page: 1, PageSize: 10}
		list := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, hospital.PatientFilter{Page: page}))
		if d := cmp.Diff([]hospital.Patient{plain, odd}, list.Items); d != "" {
			t.Error(d)
		}
		visits := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx,
			hospital.AppointmentFilter{Page: page}))
		if len(visits.Items) != 2 || visits.Items[1].Reason != text {
			t.Fatalf("got %+v", visits.Items)
		}
		if d := cmp.Diff(booked, visits.Items[0]); d != "" {
			t.Error(d)
		}
	})
}
