package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// Breach selects the accesses that may be part of a breach: by a user, from an address, or both, in
// a period.
type Breach struct {
	From, To time.Time
	Username string // empty for all users; deleted users are included
	Addr     string // empty for all addresses
}

// Touched is a person whose data was accessed, with contact data.
type Touched struct {
	Entity             string // patient or customer; empty for an access to many people at once
	ID                 int64
	Subject            string
	HN, Phone, Email   string
	First, Last        time.Time
	Times              int
	Actions, By, Addrs []string
	Together           *hospital.AuditEntry // the access to many people
}

// TouchedIn returns the people whose data was accessed, in the order of the first access, and the
// accesses to many people at once. The request is recorded in the audit log. It returns NOT_FOUND if
// no user ever had the username.
func (db *DB) TouchedIn(ctx context.Context, b Breach) (found []Touched, err error) {
	people := 0
	err = db.Read(ctx, func(tx *Tx) error {
		entries, err := tx.entriesIn(b)
		if err != nil {
			return err
		}
		patients := map[string]map[int64]int64{} // of records, by entity and id
		for entity, table := range map[string]string{"appointment": "appointments", "result": "results"} {
			if patients[entity], err = tx.patientsOf(entity, table, entries); err != nil {
				return err
			}
		}
		t := touchedList{people: map[string]map[int64]*Touched{"patient": {}, "customer": {}}}
		for _, r := range entries {
			t.add(r, patients)
		}
		if err := tx.addContacts(t.people); err != nil {
			return err
		}
		found = make([]Touched, len(t.list))
		for i, touched := range t.list {
			found[i] = *touched
		}
		people = len(t.people["patient"]) + len(t.people["customer"])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, db.Note(ctx, hospital.AuditEntry{
		Action: pdpaBreach, Entity: "patient", Changes: map[string]hospital.Change{
			"dateFrom": {After: b.From.UTC().Format(time.RFC3339)}, "dateTo": {After: b.To.UTC().Format(time.RFC3339)},
			"people": {After: people},
		},
	})
}

// entriesIn returns the audit entries that a breach selects: index audit_entries_at.
func (tx *Tx) entriesIn(b Breach) (entries []auditRow, err error) {
	var f filter
	f.add("at >= %s", ms(b.From))
	f.add("at < %s", ms(b.To))
	if b.Username != "" {
		key := hospital.NameKey(b.Username)
		var exists bool
		if err := tx.Get(`SELECT EXISTS (SELECT 1 FROM users WHERE username_key = $1)`, key).Scan(&exists); err != nil {
			return nil, err
		}
		if !exists {
			return nil, hospital.Refuse(hospital.NotFound)
		}
		f.add("actor_id IN (SELECT id FROM users WHERE username_key = %s)", key)
	}
	if b.Addr != "" {
		f.add("addr = %s", b.Addr)
	}
	f.add("outcome = 'OK'")
	err = tx.Stream(func(scan sqldb.Scan) error {
		r, err := scanAudit(scan)
		entries = append(entries, r)
		return err
	}, auditSelect+f.where()+` ORDER BY at, id`, f.args...)
	return entries, err
}

// touchedList collects people in the order of the first access.
type touchedList struct {
	people map[string]map[int64]*Touched // by entity and id
	list   []*Touched
}

// add adds the people that an entry is about. patients holds the patients of records, by entity and
// id.
func (l *touchedList) add(r auditRow, patients map[string]map[int64]int64) {
	id, _ := strconv.ParseInt(r.EntityID, 10, 64)
	patient, _ := r.Changes["patientId"].After.(float64)
	appointment, _ := r.Changes["appointmentId"].After.(float64)
	switch {
	case l.people[r.Entity] != nil && id != 0:
		l.touch(r.Entity, id, r)
	case patients[r.Entity][id] != 0:
		l.touch("patient", patients[r.Entity][id], r)
	case r.Action == "result.list" && patient != 0:
		l.touch("patient", int64(patient), r)
	case r.Action == "result.list" && patients["appointment"][int64(appointment)] != 0:
		l.touch("patient", patients["appointment"][int64(appointment)], r)
	case r.Action == "result.list", slices.Contains(bulkActions, any(r.Action)):
		e := r.AuditEntry
		l.list = append(l.list, &Touched{
			First: r.At, Last: r.At, Times: 1, Actions: []string{r.Action}, By: []string{r.ActorName}, Addrs: []string{r.Addr},
			Together: &e,
		})
	}
}

func (l *touchedList) touch(entity string, id int64, r auditRow) {
	t := l.people[entity][id]
	if t == nil {
		t = &Touched{Entity: entity, ID: id, First: r.At}
		l.people[entity][id], l.list = t, append(l.list, t)
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

// patientsOf returns the patients of the records of an entity that occur in entries.
func (tx *Tx) patientsOf(entity, table string, entries []auditRow) (map[int64]int64, error) {
	seen := map[int64]bool{}
	for _, r := range entries {
		if id, err := strconv.ParseInt(r.EntityID, 10, 64); err == nil && r.Entity == entity {
			seen[id] = true
		}
		if n, ok := r.Changes["appointmentId"].After.(float64); ok && entity == "appointment" {
			seen[int64(n)] = true
		}
	}
	patients := map[int64]int64{}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(seen)), importBatch) {
		var f filter
		f.in("id", numbers(part))
		err := tx.All(`SELECT id, patient_id FROM `+table+` `+f.where(), f.args...).Each(func(scan sqldb.Scan) error {
			var id, patient int64
			err := scan(&id, &patient)
			patients[id] = patient
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return patients, nil
}

// addContacts adds the names and the contact data of people.
func (tx *Tx) addContacts(people map[string]map[int64]*Touched) error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(people["patient"])), importBatch) {
		var f filter
		f.in("p.id", numbers(part))
		list, err := tx.patientsWhere(f.where(), f.args...)
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
		list, err := tx.customersWhere(f.where(), f.args...)
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
