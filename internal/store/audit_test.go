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
	// $1 is the chain. The statements are written for a chain of three entries.
	tampering := map[string]struct {
		want       string
		statements []string
	}{
		"nothing": {"", nil},
		"an edited reason": {"was edited", []string{
			`UPDATE audit_entries SET reason = 'จริง ๆ แล้ว' WHERE lane = $1 AND seq = 2`,
		}},
		"an edited actor": {"was edited", []string{
			`UPDATE audit_entries SET actor_id = NULL WHERE lane = $1 AND seq = 2`,
		}},
		"an edited time": {"was edited", []string{
			`UPDATE audit_entries SET at = at + 1 WHERE lane = $1 AND seq = 2`,
		}},
		"text moved between fields": {"was edited", []string{
			`UPDATE audit_entries SET entity = entity || entity_id, entity_id = '' WHERE lane = $1 AND seq = 2`,
		}},
		"a removed entry": {"was removed", []string{
			`DELETE FROM audit_entries WHERE lane = $1 AND seq = 2`,
		}},
		"the last entry removed": {"cut off the end", []string{
			`DELETE FROM audit_entries WHERE lane = $1 AND seq = 3`,
		}},
		"the last entry removed and the head changed": {"end of the chain was edited", []string{
			`DELETE FROM audit_entries WHERE lane = $1 AND seq = 3`,
			`UPDATE audit_lanes SET seq = 2, hash = (SELECT hash FROM audit_entries WHERE lane = $1 AND seq = 2)
				WHERE lane = $1`,
		}},
		"two entries swapped": {"was edited or moved", []string{
			`UPDATE audit_entries SET seq = -seq WHERE lane = $1 AND seq IN (2, 3)`,
			`UPDATE audit_entries SET seq = 5 + seq WHERE lane = $1 AND seq IN (-2, -3)`,
		}},
		"a chain removed": {"chain was removed", []string{`DELETE FROM audit_lanes WHERE lane = $1`}},
	}
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		// Enough entries for one chain to have three, whichever chains the store uses.
		for range 16 * 3 {
			e := hospital.AuditEntry{Action: "test.note", Entity: "test", EntityID: "7", Reason: "เหตุผล"}
			if err := db.Note(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		exec := p.UnlockAudit(t)
		var chain int
		err := p.SQL(t).QueryRow(
			`SELECT lane FROM audit_lanes WHERE seq >= 3 ORDER BY lane DESC LIMIT 1`).Scan(&chain)
		if err != nil {
			t.Fatal(err)
		}
		exec(`CREATE TABLE saved_entries AS SELECT * FROM audit_entries`)
		exec(`CREATE TABLE saved_lanes AS SELECT * FROM audit_lanes`)
		var last int64
		err = p.SQL(t).QueryRow(`SELECT max(seq) FROM audit_entries WHERE lane = $1`, chain).Scan(&last)
		if err != nil {
			t.Fatal(err)
		}
		atEnd := strings.NewReplacer("seq = 3", fmt.Sprintf("seq = %d", last),
			"SET seq = 2,", fmt.Sprintf("SET seq = %d,", last-1), "AND seq = 2)", fmt.Sprintf("AND seq = %d)", last-1))
		for name, c := range tampering {
			for _, q := range c.statements {
				exec(atEnd.Replace(q), chain)
			}
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
				t.Errorf("%s: VerifyAudit returned %q, want %q", name, all, c.want)
			}
			exec(`DELETE FROM audit_entries`)
			exec(`DELETE FROM audit_lanes`)
			exec(`INSERT INTO audit_entries SELECT * FROM saved_entries`)
			exec(`INSERT INTO audit_lanes SELECT * FROM saved_lanes`)
		}
		if _, faults, _ := db.VerifyAudit(context.Background()); len(faults) > 0 {
			t.Errorf("after restoring the log: %v", faults)
		}
		other := p
		other.Options.AuditKey = []byte("another key")
		if _, faults, _ := other.Open(t).VerifyAudit(context.Background()); len(faults) == 0 {
			t.Error("no faults with another key")
		}
	})
}

func TestAuditChainConcurrentWriters(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a, b := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, a)
		errs := concurrently(64, func(i int) error {
			db := []*store.DB{a, b}[i%2]
			for range 5 {
				e := hospital.AuditEntry{Action: "test.note", Entity: "test", EntityID: fmt.Sprint(i)}
				if err := db.Note(ctx, e); err != nil {
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
			return listAudit(ctx, t, db, hospital.AuditFilter{}).Total
		}
		before := count()
		in := newUser(t, db, "admin")
		_, err := db.CreateUser(ctx, in, "hash")
		wantCode(t, err, hospital.Duplicate)
		if n := count(); n != before {
			t.Errorf("a rejected change left %d entries", n-before)
		}
		u := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "audited"), "the secret hash"))
		change := hospital.UserChange{
			ID: u.ID, Version: u.Version, Name: new("ชื่อใหม่"), Password: new("a new password"),
		}
		must[hospital.User](t)(db.UpdateUser(ctx, change, "the new hash"))
		log := listAudit(ctx, t, db, hospital.AuditFilter{Entity: "user", EntityID: fmt.Sprint(u.ID)})
		if len(log.Items) != 2 {
			t.Fatalf("entries %+v", log.Items)
		}
		e := log.Items[0]
		if e.Action != "user.update" || e.ActorName != "ผู้ดูแลระบบ" || e.Addr != "192.0.2.1" ||
			e.Changes["name"] != (hospital.Change{Before: u.Name, After: "ชื่อใหม่"}) || e.Changes["password"].After != "•••" {
			t.Errorf("entry %+v", e)
		}
		for _, secret := range []string{"hash", "a new password", "a good password"} {
			if strings.Contains(fmt.Sprintf("%+v", log), secret) {
				t.Errorf("the log contains %q", secret)
			}
		}
	})
}

func TestListAudit(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		start := db.Now()
		storetest.AddUser(t, db, "clerk", "QUEUE")
		p.Clock.Advance(1000)
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
			if got := listAudit(ctx, t, db, c.f); got.Total != c.want || int64(len(got.Items)) != c.want {
				t.Errorf("%s: %d entries, want %d", name, got.Total, c.want)
			}
		}
	})
}
