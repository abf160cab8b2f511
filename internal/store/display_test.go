package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

func TestQueueBoard(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s, other := clinic(ctx, t, db, "GP", 30), clinic(ctx, t, db, "DM", 30)
		_, token, err := db.CreateDisplay(ctx, hospital.NewDisplay{ServiceID: s.ID, Label: "  หน้าห้อง  3 "})
		if err != nil {
			t.Fatal(err)
		}
		board := func() hospital.QueueBoard {
			t.Helper()
			return must[hospital.QueueBoard](t)(db.QueueBoard(ctx, must[hospital.Display](t)(db.DisplayByToken(ctx, token))))
		}
		if b := board(); b.Service.Name != "คลินิก GP" || !b.Service.Active || b.Date != monday || b.Serving == nil ||
			b.Waiting == nil || b.Total != 0 || b.Hospital.Name != "นัดหมอ" {
			t.Errorf("an empty board %+v", b)
		}
		mark := func(a hospital.Appointment, to hospital.AppointmentStatus) {
			t.Helper()
			p.Clock.Advance(time.Second)
			must[hospital.Appointment](t)(db.MarkStatus(ctx, a.ID, 0, to, "จำเป็น"))
		}
		var list []hospital.Appointment
		for _, patient := range patients(ctx, t, db, 16) {
			a := must[hospital.Appointment](t)(db.Book(ctx, visit(patient, s, monday, "10:00")))
			mark(a, hospital.CheckedIn)
			list = append(list, a)
		}
		patient := storetest.AddPatient(t, db, "อื่น")
		ofOther := must[hospital.Appointment](t)(db.Book(ctx, visit(patient, other, monday, "10:00")))
		mark(ofOther, hospital.CheckedIn)
		// The third is called, then the first. The second is completed without having been called.
		mark(list[2], hospital.InService)
		mark(list[0], hospital.InService)
		mark(list[1], hospital.Completed)
		waiting := []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
		if b := board(); !slices.Equal(b.Serving, []int{1, 3}) || !slices.Equal(b.Waiting, waiting) || b.Total != 13 {
			t.Errorf("board %+v", b)
		}
		// A number that is sent back to wait has its old position.
		mark(list[2], hospital.CheckedIn)
		if b := board(); !slices.Equal(b.Serving, []int{1}) || b.Waiting[0] != 3 || b.Total != 14 {
			t.Errorf("after sending a patient back: %+v", b)
		}
		p.Clock.Advance(24 * time.Hour)
		if b := board(); len(b.Serving)+len(b.Waiting) != 0 || b.Date != tuesday {
			t.Errorf("on the next day: %+v", b)
		}
		p.Clock.Advance(-24 * time.Hour)
		must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
			f.Active = false
			return nil
		}))
		if b := board(); b.Service.Active || len(b.Serving)+len(b.Waiting)+b.Total != 0 {
			t.Errorf("of an inactive service: %+v", b)
		}
	})
}

func TestDisplayToken(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		d, token, err := db.CreateDisplay(ctx, hospital.NewDisplay{ServiceID: s.ID, Label: "  หน้าห้อง  3 "})
		if err != nil || d.Label != "หน้าห้อง 3" || d.SeenAt != nil || len(token) < 20 {
			t.Fatalf("%+v %q %v", d, token, err)
		}
		var stored string
		err = p.SQL(t).QueryRow(`SELECT token_hash FROM displays`).Scan(&stored)
		if err != nil || strings.Contains(stored, token) {
			t.Errorf("stored %q, %v", stored, err)
		}
		_, _, err = db.CreateDisplay(ctx, hospital.NewDisplay{ServiceID: s.ID, Label: " "})
		wantCode(t, err, hospital.ValidationFailed)
		_, _, err = db.CreateDisplay(ctx, hospital.NewDisplay{ServiceID: 999, Label: "ไม่มี"})
		wantCode(t, err, hospital.NotFound)

		// SeenAt is stored at most once a minute.
		seen := func() *time.Time {
			list := must[[]hospital.Display](t)(db.ListDisplays(ctx, s.ID))
			if len(list) != 1 {
				t.Fatalf("%d screens", len(list))
			}
			return list[0].SeenAt
		}
		request := func() {
			must[hospital.QueueBoard](t)(db.QueueBoard(ctx, must[hospital.Display](t)(db.DisplayByToken(ctx, token))))
		}
		request()
		first := seen()
		p.Clock.Advance(30 * time.Second)
		request()
		if first == nil || !seen().Equal(*first) {
			t.Errorf("seen %v, then %v", first, seen())
		}
		p.Clock.Advance(31 * time.Second)
		request()
		if got := seen().Sub(*first); got != 61*time.Second {
			t.Errorf("seen again after %v", got)
		}

		if err := db.DeleteDisplay(ctx, d.ID); err != nil {
			t.Fatal(err)
		}
		_, err = db.DisplayByToken(ctx, token)
		wantCode(t, err, hospital.Unauthenticated)
		wantCode(t, db.DeleteDisplay(ctx, d.ID), hospital.NotFound)
		log := listAudit(ctx, t, db, hospital.AuditFilter{Entity: "display"})
		if log.Total != 2 || log.Items[0].Action != "display.delete" || log.Items[1].Action != "display.create" ||
			log.Items[1].Subject != "คลินิก GP · หน้าห้อง 3" {
			t.Errorf("audit log: %+v", log.Items)
		}
		for _, e := range log.Items {
			for field, change := range e.Changes {
				if strings.Contains(field, "oken") || change.After == token {
					t.Errorf("the audit log contains the token: %s %+v", field, change)
				}
			}
		}
	})
}
