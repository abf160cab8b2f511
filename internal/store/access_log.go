package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"nadmor/internal/hospital"
)

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
	p, err := oneSubject(db.patientsWhere(ctx, db.read, `WHERE p.id = $1`, id))
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
