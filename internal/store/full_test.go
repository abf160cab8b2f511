package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestReadWithFullDisk(t *testing.T) {
	t.Parallel()
	p := storetest.SQLite(t)
	db := p.Open(t)
	ctx := storetest.SetUp(t, db)
	session := hospital.ActorFrom(ctx).SessionID
	// What SQLite calls full, without a disk that is: not one page more.
	if err := store.MostPages(db, 1); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 2000 { // what is left on the pages that are there
		if err = db.Note(ctx, hospital.AuditEntry{Action: "test", Entity: "test", Subject: "somebody with a name that takes some room on a page"}); err != nil {
			break
		}
	}
	var told *hospital.Error
	if !hospital.IsStorageFull(err) || !errors.As(err, &told) || told.Code != hospital.Unavailable || told.Message == hospital.Refuse(hospital.Unavailable).Message {
		t.Fatalf("a note on a full disk: %v", err)
	}
	p.Clock.Advance(10 * time.Minute) // the next call would write down that there was one
	if _, err := db.SignedIn(context.Background(), session); err != nil {
		t.Errorf("a session on a full disk: %v", err)
	}
	if _, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 20}}); err != nil {
		t.Errorf("a list on a full disk: %v", err)
	}
	if err := store.MostPages(db, 1_000_000); err != nil {
		t.Fatal(err)
	}
	if err := db.Note(ctx, hospital.AuditEntry{Action: "test", Entity: "test"}); err != nil {
		t.Errorf("there is room again: %v", err)
	}
}
