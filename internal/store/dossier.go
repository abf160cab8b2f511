package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// The audit actions of what people ask for under the Personal Data Protection
// Act, and of what has to be told after a breach.
const (
	pdpaExport = "pdpa.export"
	pdpaAccess = "pdpa.access"
	pdpaBreach = "pdpa.breach"
)

// FindSubject finds whose data is meant: by HN, ID card, passport, or the id of
// the record ("id:17"). Records that were deleted are found, too. Refused:
// NOT_FOUND; POSSIBLE_DUPLICATE where a number is on several records, which only
// their ids tell apart.
func (db *DB) FindSubject(ctx context.Context, whom string) (hospital.Patient, error) {
	whom = strings.TrimSpace(hospital.ArabicDigits(whom))
	ways := []way{{`p.hn_key = $1`, hospital.HNKey(whom)}}
	if id, ok := strings.CutPrefix(whom, "id:"); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
		}
		list, err := db.subjectsWhere(ctx, db.read, `WHERE p.id = $1`, n)
		return oneSubject(list, err)
	}
	if digits := numberOf(whom); len(digits) == 13 {
		ways = append(ways, way{`p.id_card <> '' AND p.id_card = $1`, digits})
	} else if looksLikeHN(whom) {
		ways = append(ways, way{`p.passport_no <> '' AND p.passport_no = $1`, strings.ToUpper(whom)})
	}
	for _, w := range ways {
		if w.by == "" {
			continue
		}
		// The living by their indexes; those who were deleted are looked for in all.
		for _, state := range []string{living, ` AND p.deleted_at IS NOT NULL`} {
			list, err := db.subjectsWhere(ctx, db.read, `WHERE `+w.where+state+` ORDER BY p.id LIMIT 20`, w.by)
			if err != nil || len(list) > 0 {
				return oneSubject(list, err)
			}
		}
	}
	return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
}

func oneSubject(list []hospital.Patient, err error) (hospital.Patient, error) {
	switch {
	case err != nil:
		return hospital.Patient{}, mapError(err)
	case len(list) == 0:
		return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
	case len(list) > 1:
		ids := make([]string, len(list))
		for i, p := range list {
			ids[i] = fmt.Sprintf("id:%d", p.ID)
		}
		return hospital.Patient{}, hospital.Refuse(hospital.PossibleDuplicate).
			Because("เลขนี้อยู่ในหลายระเบียน ระบุด้วย "+strings.Join(ids, ", "), "This number is on several records, say which: "+strings.Join(ids, ", "))
	}
	return list[0], nil
}

// subjectsWhere reads records whole, with the ID card.
func (db *DB) subjectsWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Patient, error) {
	return selected(ctx, db, q, patientSelection, where, args, scanPatient)
}

// Dossier collects everything that is kept about a patient, deleted or not, and
// writes down that it was handed out: NOT_FOUND.
func (db *DB) Dossier(ctx context.Context, id int64) (d hospital.Dossier, err error) {
	p, err := oneSubject(db.subjectsWhere(ctx, db.read, `WHERE p.id = $1`, id))
	if err != nil {
		return d, err
	}
	if err := db.Note(ctx, hospital.AuditEntry{Action: pdpaExport, Entity: "patient", EntityID: fmt.Sprint(id), Subject: p.FullName()}); err != nil {
		return d, err
	}
	d = hospital.Dossier{Patient: p, Consents: []hospital.DossierConsent{}}
	var deleted sql.NullInt64
	if err := db.read.QueryRowContext(ctx, `SELECT deleted_at FROM patients WHERE id = $1`, id).Scan(&deleted); err != nil {
		return d, mapError(err)
	}
	d.DeletedAt = atOrNil(deleted)
	if p.ConsentAt != nil {
		d.Consents = append(d.Consents, hospital.DossierConsent{Of: "patient", At: *p.ConsentAt})
	}
	if err := db.dossierCustomers(ctx, &d); err != nil {
		return d, mapError(err)
	}
	if err := db.dossierVisits(ctx, &d); err != nil {
		return d, mapError(err)
	}
	own := subject{patient: id}
	for _, c := range d.Customers {
		if c.Relation == hospital.RelationSelf {
			own.customers = append(own.customers, c.ID)
		}
	}
	for _, v := range d.Appointments {
		own.appointments = append(own.appointments, v.ID)
		for _, r := range v.Results {
			own.results = append(own.results, r.ID)
		}
	}
	d.Access, d.Together, err = db.accessLog(ctx, own)
	return d, mapError(err)
}

func (db *DB) dossierCustomers(ctx context.Context, d *hospital.Dossier) error {
	d.Customers = []hospital.DossierCustomer{}
	ids, err := customersOf(ctx, db.read, d.Patient.ID)
	if err != nil || len(ids) == 0 {
		return err
	}
	var f filter
	f.in("c.id", numbers(ids))
	list, err := customersWhere(ctx, db.read, f.where()+` ORDER BY c.id`, f.args...)
	for _, c := range list {
		i := slices.IndexFunc(c.Patients, func(p hospital.CustomerPatient) bool { return p.PatientID == d.Patient.ID })
		of := hospital.DossierCustomer{ID: c.ID, Relation: c.Patients[i].Relation, Name: c.Name}
		if of.Relation == hospital.RelationSelf {
			of.Phone, of.Email, of.LineUserID, of.Status, of.ConsentAt, of.Note = c.Phone, c.Email, c.LineUserID, c.Status, c.ConsentAt, c.Note
			of.CreatedAt, of.UpdatedAt = &c.CreatedAt, &c.UpdatedAt
			if c.ConsentAt != nil {
				d.Consents = append(d.Consents, hospital.DossierConsent{Of: "customer", At: *c.ConsentAt})
			}
		}
		d.Customers = append(d.Customers, of)
	}
	return err
}

// customersOf are the app accounts that book for a patient: index
// customer_patients_patient.
func customersOf(ctx context.Context, q querier, patient int64) ([]int64, error) {
	rows, err := q.QueryContext(ctx, `SELECT customer_id FROM customer_patients WHERE patient_id = $1`, patient)
	return scanAll(rows, err, func(id *int64) []any { return []any{id} })
}

// dossierVisits reads the appointments with their history and results, those
// that were deleted as well: indexes appointments_patient and
// appointments_deleted, results_patient and results_deleted.
func (db *DB) dossierVisits(ctx context.Context, d *hospital.Dossier) error {
	results := map[int64][]hospital.DossierResult{}
	d.Appointments = []hospital.DossierVisit{}
	for _, state := range []string{"NULL", "NOT NULL"} {
		gone := map[int64]sql.NullInt64{}
		for _, table := range []string{"results", "appointments"} {
			rows, err := db.read.QueryContext(ctx, `SELECT id, deleted_at FROM `+table+` WHERE patient_id = $1 AND deleted_at IS `+state, d.Patient.ID)
			type when struct {
				id int64
				at sql.NullInt64
			}
			list, err := scanAll(rows, err, func(w *when) []any { return []any{&w.id, &w.at} })
			if err != nil {
				return err
			}
			clear(gone)
			for _, w := range list {
				gone[w.id] = w.at
			}
			if table == "appointments" {
				break
			}
			rows, err = db.read.QueryContext(ctx, resultSelect+`WHERE r.patient_id = $1 AND r.deleted_at IS `+state+` ORDER BY r.id`, d.Patient.ID)
			if _, err = collect(rows, err, func(rows *sql.Rows) (struct{}, error) {
				r, key, err := scanResult(rows.Scan)
				of := hospital.DossierResult{ID: r.ID, ResultFields: r.ResultFields, CreatedByName: r.CreatedByName, CreatedAt: r.CreatedAt, DeletedAt: atOrNil(gone[r.ID])}
				if r.File != nil {
					of.File = &hospital.DossierFile{ResultFile: *r.File, Key: key}
				}
				results[r.AppointmentID] = append(results[r.AppointmentID], of)
				return struct{}{}, err
			}); err != nil {
				return err
			}
		}
		visits, err := db.appointmentsWhere(ctx, db.read, `WHERE a.patient_id = $1 AND a.deleted_at IS `+state, d.Patient.ID)
		if err != nil {
			return err
		}
		for _, a := range visits {
			history, err := historyOf(ctx, db.read, a.ID)
			if err != nil {
				return err
			}
			d.Appointments = append(d.Appointments, hospital.DossierVisit{Appointment: a, DeletedAt: atOrNil(gone[a.ID]), History: history})
		}
	}
	for i, v := range d.Appointments { // a deleted appointment has no results, a living one may have deleted ones
		found := results[v.ID]
		slices.SortFunc(found, func(a, b hospital.DossierResult) int { return cmp.Compare(a.ID, b.ID) })
		d.Appointments[i].Results = append([]hospital.DossierResult{}, found...)
	}
	slices.SortFunc(d.Appointments, func(a, b hospital.DossierVisit) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.StartTime, b.StartTime), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// subject is what the audit log calls things of one person.
type subject struct {
	patient                          int64
	customers, appointments, results []int64
}

// subjectOf reads it, of a patient who may be deleted.
func (db *DB) subjectOf(ctx context.Context, q querier, patient int64) (s subject, err error) {
	s = subject{patient: patient}
	ids := func(query string) (list []int64) {
		if err == nil {
			rows, failed := q.QueryContext(ctx, query, patient)
			list, err = scanAll(rows, failed, func(id *int64) []any { return []any{id} })
		}
		return list
	}
	for _, state := range []string{"NULL", "NOT NULL"} {
		s.appointments = append(s.appointments, ids(`SELECT id FROM appointments WHERE patient_id = $1 AND deleted_at IS `+state)...)
		s.results = append(s.results, ids(`SELECT id FROM results WHERE patient_id = $1 AND deleted_at IS `+state)...)
	}
	s.customers = ids(`SELECT customer_id FROM customer_patients WHERE patient_id = $1 AND relation = 'SELF'`)
	return s, err
}

// entriesOf reads the entries of the audit log about somebody's records, in the
// order they were written: index audit_entries_record.
func (db *DB) entriesOf(ctx context.Context, q querier, s subject) ([]auditRow, error) {
	var list []auditRow
	read := func(where string, args ...any) error {
		rows, err := q.QueryContext(ctx, auditSelect+where, args...)
		part, err := collect(rows, err, scanAudit)
		list = append(list, part...)
		return err
	}
	for entity, ids := range map[string][]int64{"patient": {s.patient}, "customer": s.customers, "appointment": s.appointments, "result": s.results} {
		for part := range slices.Chunk(ids, importBatch) {
			var f filter
			f.add("entity = %s", entity)
			words := make([]any, len(part))
			for i, id := range part {
				words[i] = strconv.FormatInt(id, 10)
			}
			f.in("entity_id", words)
			if err := read(f.where(), f.args...); err != nil {
				return nil, err
			}
		}
	}
	// Results that were read in a list have no id of their own.
	before := len(list)
	if err := read(`WHERE entity = 'result' AND entity_id = '' AND action = 'result.list'`); err != nil {
		return nil, err
	}
	lists := list[before:]
	list = append(list[:before], slices.DeleteFunc(lists, func(r auditRow) bool { return !s.listed(r) })...)
	slices.SortFunc(list, func(a, b auditRow) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// listed tells whether a list of results was of this person.
func (s subject) listed(r auditRow) bool {
	number := func(field string) int64 { n, _ := r.Changes[field].After.(float64); return int64(n) }
	return number("patientId") == s.patient || slices.Contains(s.appointments, number("appointmentId"))
}

// bulkActions are those that go through very many people at once.
var bulkActions = []any{"patient.export", "appointment.export", "appointment.day-list", "backup.create", "backup.restore", "patient.import", "appointment.import", "result.import"}

// accessLog are the entries about somebody, and those about many since they are
// known: index audit_entries_action.
func (db *DB) accessLog(ctx context.Context, s subject) (own, together []hospital.AuditEntry, err error) {
	rows, err := db.entriesOf(ctx, db.read, s)
	if err != nil {
		return nil, nil, err
	}
	var since int64
	if err := db.read.QueryRowContext(ctx, `SELECT created_at FROM patients WHERE id = $1`, s.patient).Scan(&since); err != nil {
		return nil, nil, err
	}
	var f filter
	f.in("action", bulkActions)
	f.add("at >= %s", since)
	many, err := db.read.QueryContext(ctx, auditSelect+f.where()+` ORDER BY at, id`, f.args...)
	bulk, err := collect(many, err, scanAudit)
	plain := func(rows []auditRow) []hospital.AuditEntry {
		list := make([]hospital.AuditEntry, len(rows))
		for i, r := range rows {
			if list[i] = r.AuditEntry; r.Changes == nil {
				list[i].Changes = map[string]hospital.Change{}
			}
		}
		return list
	}
	return plain(rows), plain(bulk), err
}

// AccessLog tells who read or changed what is kept about a patient, oldest
// first, and in which exports and backups of many they may have been. That it
// was asked for is written down: NOT_FOUND.
func (db *DB) AccessLog(ctx context.Context, id int64) (own, together []hospital.AuditEntry, err error) {
	p, err := oneSubject(db.subjectsWhere(ctx, db.read, `WHERE p.id = $1`, id))
	if err != nil {
		return nil, nil, err
	}
	s, err := db.subjectOf(ctx, db.read, id)
	if err != nil {
		return nil, nil, mapError(err)
	}
	if own, together, err = db.accessLog(ctx, s); err != nil {
		return nil, nil, mapError(err)
	}
	return own, together, db.Note(ctx, hospital.AuditEntry{Action: pdpaAccess, Entity: "patient", EntityID: fmt.Sprint(id), Subject: p.FullName()})
}

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
		list, err := db.subjectsWhere(ctx, db.read, f.where(), f.args...)
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
