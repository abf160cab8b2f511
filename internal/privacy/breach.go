package privacy

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// Breach selects the accesses that may be part of a breach: by a user, from an address, or both, in
// a period.
type Breach struct {
	From, To time.Time
	Username string // empty for all users; deleted users are included
	Addr     string // empty for all addresses
}

// AccessedPerson is a person whose data was accessed, with contact data.
type AccessedPerson struct {
	Entity             string // patient or customer; empty for an access to many people at once
	ID                 int64
	Subject            string
	HN, Phone, Email   string
	First, Last        time.Time
	Times              int
	Actions, By, Addrs []string
	Together           *hospital.AuditEntry // the access to many people
}

// FindAccessed returns the people whose data was accessed, in the order of the first access, and the
// accesses to many people at once. The request is recorded in the audit log. It returns NOT_FOUND if
// no user ever had the username.
func FindAccessed(ctx context.Context, db *store.DB, b Breach) (found []AccessedPerson, err error) {
	people := 0
	err = db.Read(ctx, func(tx *store.Tx) error {
		entries, err := entriesIn(tx, b)
		if err != nil {
			return err
		}
		patients := map[string]map[int64]int64{} // of records, by entity and id
		for entity, table := range map[string]string{"appointment": "appointments", "result": "results"} {
			if patients[entity], err = patientsOf(tx, entity, table, entries); err != nil {
				return err
			}
		}
		t := touchedList{people: map[string]map[int64]*AccessedPerson{"patient": {}, "customer": {}}}
		for _, r := range entries {
			t.add(r, patients)
		}
		if err := addContacts(tx, t.people); err != nil {
			return err
		}
		found = make([]AccessedPerson, len(t.list))
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
		Action: actionBreach, Entity: "patient", Changes: map[string]hospital.Change{
			"dateFrom": {After: b.From.UTC().Format(time.RFC3339)}, "dateTo": {After: b.To.UTC().Format(time.RFC3339)},
			"people": {After: people},
		},
	})
}

// entriesIn returns the audit entries that a breach selects: index audit_entries_at.
func entriesIn(tx *store.Tx, b Breach) (entries []hospital.AuditEntry, err error) {
	where, args := `WHERE at >= $1 AND at < $2 AND outcome = 'OK'`, []any{b.From.UnixMilli(), b.To.UnixMilli()}
	if b.Username != "" {
		key := hospital.NameKey(b.Username)
		var exists bool
		if err := tx.Get(`SELECT EXISTS (SELECT 1 FROM users WHERE username_key = $1)`, key).Scan(&exists); err != nil {
			return nil, err
		}
		if !exists {
			return nil, hospital.Reject(hospital.NotFound)
		}
		where += ` AND actor_id IN (SELECT id FROM users WHERE username_key = ` + arg(&args, key) + `)`
	}
	if b.Addr != "" {
		where += ` AND addr = ` + arg(&args, b.Addr)
	}
	err = tx.EachAuditEntry(func(e hospital.AuditEntry) error {
		entries = append(entries, e)
		return nil
	}, where+` ORDER BY at, id`, args...)
	return entries, err
}

// touchedList collects people in the order of the first access.
type touchedList struct {
	people map[string]map[int64]*AccessedPerson // by entity and id
	list   []*AccessedPerson
}

// add adds the people that an entry is about. patients holds the patients of records, by entity and
// id.
func (l *touchedList) add(e hospital.AuditEntry, patients map[string]map[int64]int64) {
	id, _ := strconv.ParseInt(e.EntityID, 10, 64)
	patient, _ := e.Changes["patientId"].After.(float64)
	appointment, _ := e.Changes["appointmentId"].After.(float64)
	switch {
	case l.people[e.Entity] != nil && id != 0:
		l.touch(e.Entity, id, e)
	case patients[e.Entity][id] != 0:
		l.touch("patient", patients[e.Entity][id], e)
	case e.Action == "result.list" && patient != 0:
		l.touch("patient", int64(patient), e)
	case e.Action == "result.list" && patients["appointment"][int64(appointment)] != 0:
		l.touch("patient", patients["appointment"][int64(appointment)], e)
	case e.Action == "result.list", slices.Contains(bulkActions, e.Action):
		l.list = append(l.list, &AccessedPerson{
			First: e.At, Last: e.At, Times: 1, Together: &e,
			Actions: []string{e.Action}, By: []string{e.ActorName}, Addrs: []string{e.Addr},
		})
	}
}

func (l *touchedList) touch(entity string, id int64, e hospital.AuditEntry) {
	t := l.people[entity][id]
	if t == nil {
		t = &AccessedPerson{Entity: entity, ID: id, First: e.At}
		l.people[entity][id], l.list = t, append(l.list, t)
	}
	t.Last, t.Times = e.At, t.Times+1
	for _, x := range []struct {
		to   *[]string
		word string
	}{{&t.Actions, e.Action}, {&t.By, e.ActorName}, {&t.Addrs, e.Addr}} {
		if x.word != "" && !slices.Contains(*x.to, x.word) {
			*x.to = append(*x.to, x.word)
		}
	}
}

// patientsOf returns the patients of the records of an entity that occur in entries.
func patientsOf(tx *store.Tx, entity, table string, entries []hospital.AuditEntry) (map[int64]int64, error) {
	seen := map[int64]bool{}
	for _, e := range entries {
		if id, err := strconv.ParseInt(e.EntityID, 10, 64); err == nil && e.Entity == entity {
			seen[id] = true
		}
		if n, ok := e.Changes["appointmentId"].After.(float64); ok && entity == "appointment" {
			seen[int64(n)] = true
		}
	}
	patients := map[int64]int64{}
	err := selectByID(tx, `SELECT id, patient_id FROM `+table+` WHERE id IN `, slices.Sorted(maps.Keys(seen)),
		func(scan sqldb.Scan) error {
			var id, patient int64
			err := scan(&id, &patient)
			patients[id] = patient
			return err
		})
	return patients, err
}

// addContacts adds the names and the contact data of people.
func addContacts(tx *store.Tx, people map[string]map[int64]*AccessedPerson) error {
	patients, err := tx.PatientsByID(slices.Sorted(maps.Keys(people["patient"]))...)
	if err != nil {
		return err
	}
	for _, p := range patients {
		t := people["patient"][p.ID]
		t.Subject, t.HN, t.Phone, t.Email = p.FullName(), p.HN, p.Phone, p.Email
	}
	customers, err := tx.CustomersByID(slices.Sorted(maps.Keys(people["customer"]))...)
	if err != nil {
		return err
	}
	for _, c := range customers {
		t := people["customer"][c.ID]
		t.Subject, t.Phone, t.Email = c.Name, c.Phone, c.Email
	}
	return nil
}
