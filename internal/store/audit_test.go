package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestVerifyAuditFindsTampering(t *testing.T) {
	t.Parallel()
	tampering := map[string]struct {
		do   func(exec func(string, ...any), lane int)
		want string
	}{
		"nothing": {func(func(string, ...any), int) {}, ""},
		"an edited reason": {func(exec func(string, ...any), lane int) {
			exec(`UPDATE audit_entries SET reason = 'จริง ๆ แล้ว' WHERE lane = $1 AND seq = 2`, lane)
		}, "was edited"},
		"an edited actor": {func(exec func(string, ...any), lane int) {
			exec(`UPDATE audit_entries SET actor_id = NULL WHERE lane = $1 AND seq = 2`, lane)
		}, "was edited"},
		"an edited time": {func(exec func(string, ...any), lane int) {
			exec(`UPDATE audit_entries SET at = at + 1 WHERE lane = $1 AND seq = 2`, lane)
		}, "was edited"},
		"text moved between fields": {func(exec func(string, ...any), lane int) {
			exec(`UPDATE audit_entries SET entity = entity || entity_id, entity_id = '' WHERE lane = $1 AND seq = 2`, lane)
		}, "was edited"},
		"a removed entry": {func(exec func(string, ...any), lane int) {
			exec(`DELETE FROM audit_entries WHERE lane = $1 AND seq = 2`, lane)
		}, "was removed"},
		"the last one cut": {func(exec func(string, ...any), lane int) {
			exec(`DELETE FROM audit_entries WHERE lane = $1 AND seq = 3`, lane)
		}, "cut off the end"},
		"the end cut and the head set back": {func(exec func(string, ...any), lane int) {
			exec(`DELETE FROM audit_entries WHERE lane = $1 AND seq = 3`, lane)
			exec(`UPDATE audit_lanes SET seq = 2, hash = (SELECT hash FROM audit_entries WHERE lane = $1 AND seq = 2) WHERE lane = $1`, lane)
		}, "end of the lane was edited"},
		"two entries swapped": {func(exec func(string, ...any), lane int) {
			exec(`UPDATE audit_entries SET seq = -seq WHERE lane = $1 AND seq IN (2, 3)`, lane)
			exec(`UPDATE audit_entries SET seq = 5 + seq WHERE lane = $1 AND seq IN (-2, -3)`, lane)
		}, "was edited or moved"},
		"a lane removed": {func(exec func(string, ...any), lane int) { exec(`DELETE FROM audit_lanes WHERE lane = $1`, lane) }, "lane was removed"},
	}
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		// Three entries in some lane, whichever the store takes.
		for range 16 * 3 {
			if err := db.Note(ctx, hospital.AuditEntry{Action: "test.note", Entity: "test", EntityID: "7", Reason: "เหตุผล"}); err != nil {
				t.Fatal(err)
			}
		}
		exec := p.UnlockAudit(t)
		var lane int
		if err := p.SQL(t).QueryRow(`SELECT lane FROM audit_lanes WHERE seq >= 3 ORDER BY lane DESC LIMIT 1`).Scan(&lane); err != nil {
			t.Fatal(err)
		}
		// Keep exactly three in the lane under test where lanes are many.
		exec(`CREATE TABLE saved_entries AS SELECT * FROM audit_entries`)
		exec(`CREATE TABLE saved_lanes AS SELECT * FROM audit_lanes`)
		var last int64
		if err := p.SQL(t).QueryRow(`SELECT max(seq) FROM audit_entries WHERE lane = $1`, lane).Scan(&last); err != nil {
			t.Fatal(err)
		}
		for name, c := range tampering {
			c.do(func(q string, args ...any) {
				// The cases speak of a lane of three; the end is wherever it is.
				q = strings.ReplaceAll(q, "seq = 3", fmt.Sprintf("seq = %d", last))
				q = strings.ReplaceAll(q, "SET seq = 2,", fmt.Sprintf("SET seq = %d,", last-1))
				if name == "the end cut and the head set back" {
					q = strings.ReplaceAll(q, "AND seq = 2)", fmt.Sprintf("AND seq = %d)", last-1))
				}
				exec(q, args...)
			}, lane)
			_, faults, err := db.VerifyAudit(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var found []string
			for _, f := range faults {
				found = append(found, f.Fault)
			}
			all := strings.Join(found, "; ")
			if c.want == "" && len(faults) > 0 || !strings.Contains(all, c.want) {
				t.Errorf("%s: verify says %q, want %q", name, all, c.want)
			}
			exec(`DELETE FROM audit_entries`)
			exec(`DELETE FROM audit_lanes`)
			exec(`INSERT INTO audit_entries SELECT * FROM saved_entries`)
			exec(`INSERT INTO audit_lanes SELECT * FROM saved_lanes`)
		}
		if _, faults, _ := db.VerifyAudit(context.Background()); len(faults) > 0 {
			t.Errorf("put back, verify still says %v", faults)
		}
		other := p
		other.Options.AuditKey = []byte("another key")
		if _, faults, _ := other.Open(t).VerifyAudit(context.Background()); len(faults) == 0 {
			t.Error("another key verifies the chain")
		}
	})
}

func TestAuditChainConcurrentWriters(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		a, b := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, a)
		errs := concurrently(64, func(i int) error {
			db := []*store.DB{a, b}[i%2]
			for range 5 {
				if err := db.Note(ctx, hospital.AuditEntry{Action: "test.note", Entity: "test", EntityID: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if n := countCodes(errs); n[""] != 64 {
			t.Fatalf("%v", n)
		}
		read, faults, err := a.VerifyAudit(context.Background())
		if err != nil || len(faults) > 0 || read < 320 {
			t.Errorf("%d entries, %v, %v", read, faults, err)
		}
	})
}

func TestAuditEntryAtomicWithChange(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		count := func() int64 {
			return must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 1}})).Total
		}
		before := count()
		in := newUser(t, db, "admin")
		_, err := db.CreateUser(ctx, in, "hash")
		wantCode(t, err, hospital.Duplicate)
		if n := count(); n != before {
			t.Errorf("a refused change left %d entries", n-before)
		}
		u := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "audited"), "the secret hash"))
		must[hospital.User](t)(db.UpdateUser(ctx, hospital.UserChange{ID: u.ID, Version: u.Version, Name: new("ชื่อใหม่"), Password: new("a new password")}, "the new hash"))
		log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 10}, Entity: "user", EntityID: fmt.Sprint(u.ID)}))
		if len(log.Items) != 2 {
			t.Fatalf("entries %+v", log.Items)
		}
		e := log.Items[0]
		if e.Action != "user.update" || e.ActorName != "ผู้ดูแลระบบ" || e.Addr != "192.0.2.1" || e.Changes["name"] != (hospital.Change{Before: u.Name, After: "ชื่อใหม่"}) || e.Changes["password"].After != "•••" {
			t.Errorf("entry %+v", e)
		}
		if all := fmt.Sprintf("%+v", log); strings.Contains(all, "hash") || strings.Contains(all, "a new password") || strings.Contains(all, "a good password") {
			t.Error("a password or its hash is in the log")
		}
	})
}

func TestListAudit(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		start := db.Now()
		storetest.AddUser(t, db, "clerk", "QUEUE")
		p.Clock.Advance(1000)
		page := hospital.Page{Page: 1, PageSize: 50}
		for name, c := range map[string]struct {
			f    hospital.AuditFilter
			want int64
		}{
			"by action":              {hospital.AuditFilter{Action: "user.create"}, 2},
			"by beginning of action": {hospital.AuditFilter{Action: "user."}, 2},
			"by entity":              {hospital.AuditFilter{Entity: "operation"}, 0},
			"by actor":               {hospital.AuditFilter{ActorID: hospital.ActorFrom(ctx).UserID}, 1},
			"by outcome":             {hospital.AuditFilter{Outcome: hospital.OutcomeFailed}, 0},
			"before all":             {hospital.AuditFilter{To: start}, 0},
			"from the start":         {hospital.AuditFilter{From: start}, 3},
		} {
			c.f.Page = page
			if got := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, c.f)); got.Total != c.want || int64(len(got.Items)) != c.want {
				t.Errorf("%s: %d entries, want %d", name, got.Total, c.want)
			}
		}
	})
}
