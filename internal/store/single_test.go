package store_test

import (
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
				}
			})
		}
		all.Wait()
		if _, err := db.Patient(ctx, 1<<40); hospital.CodeOf(err) != hospital.NotFound {
			t.Errorf("nobody: %v", err)
		}
	})
}
