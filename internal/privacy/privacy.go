// Package privacy serves requests under the Personal Data Protection Act: the dossier of a patient, the
// log of accesses to it, the erasure of a patient, and the report after a breach.
package privacy

import (
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// The audit actions, beside store.ActionAnonymise.
const (
	actionExport = "pdpa.export"
	actionAccess = "pdpa.access"
	actionBreach = "pdpa.breach"
)

// readPatient returns a patient, deleted or not. It returns NOT_FOUND if there is none.
func readPatient(tx *store.Tx, id int64) (hospital.Patient, error) {
	list, err := tx.PatientsByID(id)
	if err == nil && len(list) == 0 {
		err = hospital.Reject(hospital.NotFound)
	}
	if err != nil {
		return hospital.Patient{}, err
	}
	return list[0], nil
}

// subject holds the ids of the records of one person, with which the audit log refers to them.
type subject struct {
	patient                          int64
	customers, appointments, results []int64
}

// subjectOf reads the ids of the records of a patient. The patient and the records may be deleted.
func subjectOf(tx *store.Tx, patient int64) (s subject, err error) {
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

// customersOf returns the app accounts that book for a patient: index customer_patients_patient.
func customersOf(tx *store.Tx, patient int64) ([]int64, error) {
	return sqldb.Column[int64](tx.All(`SELECT customer_id FROM customer_patients WHERE patient_id = $1`, patient))
}

// maxIDs bounds the ids in a statement.
const maxIDs = 250

// arg appends a value to the arguments of a statement and returns its placeholder.
func arg(args *[]any, value any) string {
	*args = append(*args, value)
	return fmt.Sprintf("$%d", len(*args))
}

// inList appends values to the arguments of a statement and returns the list of their placeholders, for IN.
func inList[T any](args *[]any, values []T) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = arg(args, v)
	}
	return "(" + strings.Join(marks, ", ") + ")"
}

// selectByID calls f for the rows of a query that ends before the list of ids.
func selectByID(tx *store.Tx, query string, ids []int64, f func(sqldb.Scan) error) error {
	for part := range slices.Chunk(ids, maxIDs) {
		var args []any
		if err := tx.All(query+inList(&args, part), args...).Each(f); err != nil {
			return err
		}
	}
	return nil
}
