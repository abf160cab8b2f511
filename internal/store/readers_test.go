package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// TestWhoReadsARecordSeesWhatWasToldBefore: many more read at once than there are
// connections for it, and each sees the change that it was told of.
func TestWhoReadsARecordSeesWhatWasToldBefore(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		var all sync.WaitGroup
		for n := range 16 {
			patient := storetest.AddPatient(t, db, fmt.Sprint("คนที่ ", n))
			all.Go(func() {
				for turn := range 10 {
					note := fmt.Sprint("ครั้งที่ ", turn)
					changed, err := db.UpdatePatient(ctx, patient.ID, patient.Version, true, func(f *hospital.PatientFields) error { f.Note = note; return nil })
					if err != nil {
						t.Error(err)
						return
					}
					patient = changed
					read, err := db.Patient(ctx, patient.ID)
					if err != nil || read.ID != patient.ID || read.Note != note || read.Version != patient.Version {
						t.Errorf("patient %d, turn %d: read %d, version %d, %q, %v", patient.ID, turn, read.ID, read.Version, read.Note, err)
					}
					found, err := db.SearchPatients(ctx, patient.HN, 20)
					if err != nil || len(found) == 0 || found[0].ID != patient.ID || found[0].Version != patient.Version { // the number itself comes first
						t.Errorf("patient %d, turn %d: found %d, %v", patient.ID, turn, len(found), err)
					}
				}
			})
		}
		all.Wait()
		if _, err := db.Patient(ctx, 1<<40); hospital.CodeOf(err) != hospital.NotFound {
			t.Errorf("nobody: %v", err)
		}
	})
}

// Who leaves does not keep a connection busy, and nobody who asks next is broken
// off in their place.
func TestWhoLeavesIsReadForNoLonger(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t).Open(t)
	ctx := storetest.SetUp(t, db)
	for range 20 { // more than there are connections
		leaving, leave := context.WithCancel(ctx)
		err := db.Read(leaving, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`, func(int64) { leave() })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("somebody who left is told: %v", err)
		}
		var rows int64
		err = db.Read(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n`, func(i int64) { rows = i })
		if err != nil || rows != 1000 {
			t.Fatalf("who came next read %d rows: %v", rows, err)
		}
	}
}
