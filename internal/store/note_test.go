package store_test

import (
	"context"
	"fmt"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Notes that share a transaction are recorded with the names of their own callers before the callers
// return.
func TestConcurrentNotes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		const readers = 100
		errs := concurrently(readers, func(i int) error {
			actor := hospital.Actor{Name: fmt.Sprintf("ผู้อ่าน %d", i), RequestID: fmt.Sprintf("R%d", i)}
			return db.Note(hospital.WithActor(ctx, actor), hospital.AuditEntry{
				Action: "patient.read", Entity: "patient", EntityID: fmt.Sprint(i), Subject: "ผู้ป่วย",
			})
		})
		for i, err := range errs {
			if err != nil {
				t.Fatalf("reader %d: %v", i, err)
			}
		}
		seen := map[string]bool{}
		list := listAudit(ctx, t, db, hospital.AuditFilter{Action: "patient.read"})
		for _, e := range list.Items {
			if e.ActorName != "ผู้อ่าน "+e.EntityID || e.RequestID != "R"+e.EntityID {
				t.Errorf("%s was read by %s (%s)", e.EntityID, e.ActorName, e.RequestID)
			}
			seen[e.EntityID] = true
		}
		if len(seen) != readers {
			t.Errorf("%d of %d are in the audit log", len(seen), readers)
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("the log: %v, %v", faults, err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if err := db.Note(cancelled, hospital.AuditEntry{Action: "patient.read"}); err == nil {
			t.Error("no error for a cancelled context")
		}
	})
}

// A reader that finds no record gets NOT_FOUND and no audit entry, and does not affect others that share
// its transaction.
func TestReadNoteOnlyIfFound(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		var patients []hospital.Patient
		for n := range 10 {
			patients = append(patients, storetest.AddPatient(t, db, fmt.Sprint("คนที่ ", n)))
		}
		const readers = 60
		errs := concurrently(readers, func(i int) error {
			id := int64(1)<<40 + int64(i)
			if i%3 > 0 {
				id = patients[i%len(patients)].ID
			}
			actor := hospital.Actor{Name: fmt.Sprintf("ผู้อ่าน %d", i), RequestID: fmt.Sprintf("R%d", i)}
			read, err := db.Patient(hospital.WithActor(ctx, actor), id)
			if err == nil && read.ID != id {
				err = fmt.Errorf("read patient %d, want %d", read.ID, id)
			}
			return err
		})
		for i, err := range errs {
			if missing := i%3 == 0; missing && hospital.CodeOf(err) != hospital.NotFound || !missing && err != nil {
				t.Errorf("reader %d: %v", i, err)
			}
		}
		list := listAudit(ctx, t, db, hospital.AuditFilter{Action: "patient.read"})
		by := map[string]string{}
		for _, e := range list.Items {
			by[e.RequestID] = e.EntityID
		}
		for i := range readers {
			want := ""
			if i%3 > 0 {
				want = fmt.Sprint(patients[i%len(patients)].ID)
			}
			if by[fmt.Sprintf("R%d", i)] != want {
				t.Errorf("audit entry of reader %d: %q, want %q", i, by[fmt.Sprintf("R%d", i)], want)
			}
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("the log: %v, %v", faults, err)
		}
	})
}
