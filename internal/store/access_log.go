package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// subject holds the ids of the records of one person, with which the audit log refers to them.
type subject struct {
	patient                          int64
	customers, appointments, results []int64
}

// subjectOf reads the ids of the records of a patient. The patient and the records may be deleted.
func (tx *Tx) subjectOf(patient int64) (s subject, err error) {
	s = subject{patient: patient}
	queries := []struct {
		ids  *[]int64
		rows sqldb.Rows
	}{
		// Separate queries, because the indexes contain either deleted records or the others.
		{&s.appointments, tx.All(`SELECT id FROM appointments WHERE patient_id = $1 AND deleted_at IS NULL`, patient)},
		{&s.appointments, tx.All(`SELECT id FROM appointments WHERE patient_id = $1 AND deleted_at IS NOT NULL`, patient)},
		{&s.results, tx.All(`SELECT id FROM results WHERE patient_id = $1 AND deleted_at IS NULL`, patient)},
		{&s.results, tx.All(`SELECT id FROM results WHERE patient_id = $1 AND deleted_at IS NOT NULL`, patient)},
		{&s.customers, tx.All(
			`SELECT customer_id FROM customer_patients WHERE patient_id = $1 AND relation = 'SELF'`, patient)},
	}
	for _, q := range queries {
		list, err := sqldb.Column[int64](q.rows)
		if err != nil {
			return s, err
		}
		*q.ids = append(*q.ids, list...)
	}
	return s, nil
}

// entriesOf returns the audit entries about the records of a person in the order they were written:
// index audit_entries_record.
func (tx *Tx) entriesOf(s subject) (list []auditRow, err error) {
	for entity, ids := range map[string][]int64{
		"patient": {s.patient}, "customer": s.customers, "appointment": s.appointments, "result": s.results,
	} {
		for part := range slices.Chunk(ids, importBatch) {
			var f filter
			f.add("entity = %s", entity)
			words := make([]any, len(part))
			for i, id := range part {
				words[i] = strconv.FormatInt(id, 10)
			}
			f.in("entity_id", words)
			found, err := sqldb.Collect(tx.All(auditSelect+f.where(), f.args...), scanAudit)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	// The entry about a list of results has no id of a result.
	err = tx.Stream(func(scan sqldb.Scan) error {
		r, err := scanAudit(scan)
		if err == nil && s.listed(r) {
			list = append(list, r)
		}
		return err
	}, auditSelect+`WHERE entity = 'result' AND entity_id = '' AND action = 'result.list'`)
	slices.SortFunc(list, func(a, b auditRow) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return list, err
}

// listed reports whether an entry about a list of results is about this person.
func (s subject) listed(r auditRow) bool {
	number := func(field string) int64 { n, _ := r.Changes[field].After.(float64); return int64(n) }
	return number("patientId") == s.patient || slices.Contains(s.appointments, number("appointmentId"))
}

// bulkActions are the actions on many people at once.
var bulkActions = []any{
	"patient.export", "appointment.export", "appointment.day-list", "backup.create", "backup.restore",
	"patient.import", "appointment.import", "result.import",
}

// accessLog returns the entries about a person, and those about many people since the patient was
// registered: index audit_entries_action.
func (tx *Tx) accessLog(s subject) (own, together []hospital.AuditEntry, err error) {
	registered := tx.Get(`SELECT created_at FROM patients WHERE id = $1`, s.patient)
	rows, err := tx.entriesOf(s)
	if err != nil {
		return nil, nil, err
	}
	var since int64
	if err := registered.Scan(&since); err != nil {
		return nil, nil, err
	}
	own = make([]hospital.AuditEntry, len(rows))
	for i, r := range rows {
		if own[i] = r.AuditEntry; r.Changes == nil {
			own[i].Changes = map[string]hospital.Change{}
		}
	}
	var f filter
	f.in("action", bulkActions)
	f.add("at >= %s", since)
	together, err = sqldb.Collect(tx.All(auditSelect+f.where()+` ORDER BY at, id`, f.args...), scanEntry)
	return own, together, err
}

// AccessLog returns who read or changed the data of a patient, oldest first, and the exports and
// backups of many people that may contain it. The request is recorded in the audit log. It returns
// NOT_FOUND if there is no such patient.
func (db *DB) AccessLog(ctx context.Context, id int64) (own, together []hospital.AuditEntry, err error) {
	var p hospital.Patient
	err = db.Read(ctx, func(tx *Tx) error {
		if p, err = tx.subjectPatient(id); err != nil {
			return err
		}
		s, err := tx.subjectOf(id)
		if err != nil {
			return err
		}
		own, together, err = tx.accessLog(s)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return own, together, db.Note(ctx, hospital.AuditEntry{
		Action: pdpaAccess, Entity: "patient", EntityID: strconv.FormatInt(id, 10), Subject: p.FullName(),
	})
}
