package store_test

import (
	"context"
	"fmt"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Those who only read share transactions, and each is in the log with their name
// before they are answered.
func TestManyReadersAreAllWrittenDown(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		const readers = 100
		errs := together(readers, func(i int) error {
			actor := hospital.Actor{Name: fmt.Sprintf("ผู้อ่าน %d", i), RequestID: fmt.Sprintf("R%d", i)}
			return db.Note(hospital.WithActor(ctx, actor), hospital.AuditEntry{Action: "patient.read", Entity: "patient", EntityID: fmt.Sprint(i), Subject: "ผู้ป่วย"})
		})
		for i, err := range errs {
			if err != nil {
				t.Fatalf("reader %d: %v", i, err)
			}
		}
		seen := map[string]bool{}
		list := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 200}, Action: "patient.read"}))
		for _, e := range list.Items {
			if e.ActorName != "ผู้อ่าน "+e.EntityID || e.RequestID != "R"+e.EntityID {
				t.Errorf("%s was read by %s (%s)", e.EntityID, e.ActorName, e.RequestID)
			}
			seen[e.EntityID] = true
		}
		if len(seen) != readers {
			t.Errorf("%d of %d are in the log", len(seen), readers)
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("the log: %v, %v", faults, err)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := db.Note(gone, hospital.AuditEntry{Action: "patient.read"}); err == nil {
			t.Error("somebody who left is told of success")
		}
	})
}
