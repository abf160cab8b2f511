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
	// A limit on the number of pages has the same effect as a full disk.
	if err := store.SetMaxPages(db, 1); err != nil {
		t.Fatal(err)
	}
	entry := hospital.AuditEntry{Action: "test", Entity: "test", Subject: "a subject that takes some space on a page"}
	var err error
	for range 2000 { // until the existing pages are full
		if err = db.Note(ctx, entry); err != nil {
			break
		}
	}
	var e *hospital.Error
	if !hospital.IsStorageFull(err) || !errors.As(err, &e) || e.Code != hospital.Unavailable ||
		e.Message == hospital.Reject(hospital.Unavailable).Message {
		t.Fatalf("a note on a full disk: %v", err)
	}
	p.Clock.Advance(10 * time.Minute) // the next request would store that the session is used
	if _, err := db.SignedIn(context.Background(), session); err != nil {
		t.Errorf("a session on a full disk: %v", err)
	}
	if _, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 20}}); err != nil {
		t.Errorf("a list on a full disk: %v", err)
	}
	if err := store.SetMaxPages(db, 1_000_000); err != nil {
		t.Fatal(err)
	}
	if err := db.Note(ctx, hospital.AuditEntry{Action: "test", Entity: "test"}); err != nil {
		t.Errorf("with free space again: %v", err)
	}
}
