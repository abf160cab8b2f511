package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
)

// Breach says whose data somebody may have seen: everything from an account, an
// address, or both, in a period.
type Breach struct {
	From, To time.Time
	Username string // empty for everybody; accounts that were deleted count
	Addr     string // empty for any
}

// Touched is a person whose data was touched, with how to reach them.
type Touched struct {
	Entity             string // patient or customer; empty for what went through many at once
	ID                 int64
	Subject            string
	HN, Phone, Email   string
	First, Last        time.Time
	Times              int
	Actions, By, Addrs []string
	Together           *hospital.AuditEntry // what went through many
}

// TouchedIn tells whose data was touched, in the order of the first time, and
// what went through many at once. That it was asked for is written down. Index
// audit_entries_at. NOT_FOUND where nobody ever had the username.
func (db *DB) TouchedIn(ctx context.Context, b Breach) ([]Touched, error) {
	var f filter
	f.add("at >= %s", ms(b.From))
	f.add("at < %s", ms(b.To))
	if b.Username != "" {
		var known bool
		if err := db.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE username_key = $1)`, hospital.NameKey(b.Username)).Scan(&known); err != nil || !known {
			return nil, mapError(cmp.Or(err, error(hospital.Refuse(hospital.NotFound))))
		}
		f.add("actor_id IN (SELECT id FROM users WHERE username_key = %s)", hospital.NameKey(b.Username))
	}
	if b.Addr != "" {
		f.add("addr = %s", b.Addr)
	}
	f.add("outcome = 'OK'")
	rows, err := db.read.QueryContext(ctx, auditSelect+f.where()+` ORDER BY at, id`, f.args...)
	entries, err := collect(rows, err, scanAudit)
	if err != nil {
		return nil, mapError(err)
	}
	of := map[string]map[int64]int64{} // which patient a record is of
	for entity, column := range map[string]string{"appointment": "appointments", "result": "results"} {
		if of[entity], err = db.patientsOf(ctx, entity, column, entries); err != nil {
			return nil, mapError(err)
		}
	}
	people, list := map[string]map[int64]*Touched{"patient": {}, "customer": {}}, []*Touched{}
	touch := func(entity string, id int64, r auditRow) {
		t := people[entity][id]
		if t == nil {
			t = &Touched{Entity: entity, ID: id, First: r.At}
			people[entity][id], list = t, append(list, t)
		}
		t.Last, t.Times = r.At, t.Times+1
		for _, x := range []struct {
			to   *[]string
			word string
		}{{&t.Actions, r.Action}, {&t.By, r.ActorName}, {&t.Addrs, r.Addr}} {
			if x.word != "" && !slices.Contains(*x.to, x.word) {
				*x.to = append(*x.to, x.word)
			}
		}
	}
	for _, r := range entries {
		id, _ := strconv.ParseInt(r.EntityID, 10, 64)
		listed, _ := r.Changes["patientId"].After.(float64)
		within, _ := r.Changes["appointmentId"].After.(float64)
		switch {
		case people[r.Entity] != nil && id != 0:
			touch(r.Entity, id, r)
		case of[r.Entity][id] != 0:
			touch("patient", of[r.Entity][id], r)
		case r.Action == "result.list" && listed != 0:
			touch("patient", int64(listed), r)
		case r.Action == "result.list" && of["appointment"][int64(within)] != 0:
			touch("patient", of["appointment"][int64(within)], r)
		case r.Action == "result.list", slices.Contains(bulkActions, any(r.Action)):
			e := r.AuditEntry
			list = append(list, &Touched{First: r.At, Last: r.At, Times: 1, Actions: []string{r.Action}, By: []string{r.ActorName}, Addrs: []string{r.Addr}, Together: &e})
		}
	}
	if err := db.reachable(ctx, people); err != nil {
		return nil, mapError(err)
	}
	found := make([]Touched, len(list))
	for i, t := range list {
		found[i] = *t
	}
	return found, db.Note(ctx, hospital.AuditEntry{Action: pdpaBreach, Entity: "patient", Changes: map[string]hospital.Change{
		"dateFrom": {After: b.From.UTC().Format(time.RFC3339)}, "dateTo": {After: b.To.UTC().Format(time.RFC3339)}, "people": {After: len(people["patient"]) + len(people["customer"])},
	}})
}

// patientsOf tells the patients of the records of a kind that entries are about.
func (db *DB) patientsOf(ctx context.Context, entity, table string, entries []auditRow) (map[int64]int64, error) {
	seen := map[int64]bool{}
	for _, r := range entries {
		if id, err := strconv.ParseInt(r.EntityID, 10, 64); err == nil && r.Entity == entity {
			seen[id] = true
		}
		if n, ok := r.Changes["appointmentId"].After.(float64); ok && entity == "appointment" {
			seen[int64(n)] = true
		}
	}
	of := map[int64]int64{}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(seen)), importBatch) {
		var f filter
		f.in("id", numbers(part))
		rows, err := db.read.QueryContext(ctx, `SELECT id, patient_id FROM `+table+` `+f.where(), f.args...)
		list, err := scanAll(rows, err, func(p *[2]int64) []any { return []any{&p[0], &p[1]} })
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			of[p[0]] = p[1]
		}
	}
	return of, nil
}

// reachable fills in who people are and how they are reached.
func (db *DB) reachable(ctx context.Context, people map[string]map[int64]*Touched) error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(people["patient"])), importBatch) {
		var f filter
		f.in("p.id", numbers(part))
		list, err := db.patientsWhere(ctx, db.read, f.where(), f.args...)
		if err != nil {
			return err
		}
		for _, p := range list {
			t := people["patient"][p.ID]
			t.Subject, t.HN, t.Phone, t.Email = p.FullName(), p.HN, p.Phone, p.Email
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(people["customer"])), importBatch) {
		var f filter
		f.in("c.id", numbers(part))
		list, err := customersWhere(ctx, db.read, f.where(), f.args...)
		if err != nil {
			return err
		}
		for _, c := range list {
			t := people["customer"][c.ID]
			t.Subject, t.Phone, t.Email = c.Name, c.Phone, c.Email
		}
	}
	return nil
}
