package privacy

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// entriesOf returns the audit entries about the records of a person in the order they were written:
// index audit_entries_record.
func entriesOf(tx *store.Tx, s subject) (list []hospital.AuditEntry, err error) {
	for entity, ids := range map[string][]int64{
		"patient": {s.patient}, "customer": s.customers, "appointment": s.appointments, "result": s.results,
	} {
		for part := range slices.Chunk(ids, maxIDs) {
			words := make([]string, len(part))
			for i, id := range part {
				words[i] = strconv.FormatInt(id, 10)
			}
			args := []any{entity}
			found, err := tx.AuditEntries(`WHERE entity = $1 AND entity_id IN `+inList(&args, words), args...)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	// The entry about a list of results has no id of a result.
	err = tx.EachAuditEntry(func(e hospital.AuditEntry) error {
		if s.listed(e) {
			list = append(list, e)
		}
		return nil
	}, `WHERE entity = 'result' AND entity_id = '' AND action = 'result.list'`)
	slices.SortFunc(list, func(a, b hospital.AuditEntry) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// listed reports whether an entry about a list of results is about this person.
func (s subject) listed(e hospital.AuditEntry) bool {
	number := func(field string) int64 { n, _ := e.Changes[field].After.(float64); return int64(n) }
	return number("patientId") == s.patient || slices.Contains(s.appointments, number("appointmentId"))
}

// bulkActions are the actions on many people at once.
var bulkActions = []string{
	"patient.export", "appointment.export", "appointment.day-list", "backup.create", "backup.restore",
	"patient.import", "appointment.import", "result.import",
}

// accessLog returns the entries about a person, and those about many people since the patient was
// registered: index audit_entries_action.
func accessLog(tx *store.Tx, s subject) (own, together []hospital.AuditEntry, err error) {
	registered := tx.Get(`SELECT created_at FROM patients WHERE id = $1`, s.patient)
	if own, err = entriesOf(tx, s); err != nil {
		return nil, nil, err
	}
	var since int64
	if err := registered.Scan(&since); err != nil {
		return nil, nil, err
	}
	args := []any{since}
	together, err = tx.AuditEntries(
		`WHERE at >= $1 AND action IN `+inList(&args, bulkActions)+` ORDER BY at, id`, args...)
	return own, together, err
}

// AccessLog returns who read or changed the data of a patient, oldest first, and the exports and
// backups of many people that may contain it. The request is recorded in the audit log. It returns
// NOT_FOUND if there is no such patient.
func AccessLog(ctx context.Context, db *store.DB, id int64) (own, together []hospital.AuditEntry, err error) {
	var p hospital.Patient
	err = db.Read(ctx, func(tx *store.Tx) error {
		if p, err = readPatient(tx, id); err != nil {
			return err
		}
		s, err := subjectOf(tx, id)
		if err != nil {
			return err
		}
		own, together, err = accessLog(tx, s)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return own, together, db.Note(ctx, hospital.AuditEntry{
		Action: actionAccess, Entity: "patient", EntityID: strconv.FormatInt(id, 10), Subject: p.FullName(),
	})
}
