package store

import (
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// LockPatientForErasure returns a patient, deleted or not, and locks the row until the end of the
// transaction, against bookings and changes of the record. It returns NOT_FOUND.
func (tx *Tx) LockPatientForErasure(id int64) (hospital.Patient, error) {
	p, err := scanPatient(tx.Get(patientSelect+`WHERE p.id = $1`+tx.db.dialect.lock("p"), id).Scan)
	return p, orNotFound(err)
}

// ErasePatient erases and deletes a record, except for the fields that statistics need. The patient must
// be locked with LockPatientForErasure.
func (tx *Tx) ErasePatient(p hospital.Patient) error {
	deletion := tx.Get(`SELECT deleted_at IS NOT NULL FROM patients WHERE id = $1`, p.ID)
	setting, err := tx.setting()
	if err != nil {
		return err
	}
	var deleted bool
	if err := deletion.Scan(&deleted); err != nil {
		return err
	}
	tx.Exec(`INSERT INTO erasures (patient_id, at, hn_mark) VALUES ($1, $2, $3)`, p.ID, ms(tx.now), tx.HNMark(p.HN))
	// The counter must not assign the HN again.
	tx.passHNs(hospital.NumberFormat(setting.HNFormat), slices.Values([]string{hospital.HNKey(p.HN)}))
	args := []any{p.ID, ms(tx.now)}
	var sets []string
	for _, c := range append(patientColumns(p.Erased()), patientKeys(p.Erased())...) {
		args = append(args, c.value)
		sets = append(sets, fmt.Sprintf("%s = $%d", c.name, len(args)))
	}
	tx.Exec(`UPDATE patients SET version = version + 1, updated_at = $2, deleted_at = coalesce(deleted_at, $2), `+
		strings.Join(sets, ", ")+` WHERE id = $1`, args...)
	if !deleted {
		tx.patients--
	}
	tx.Exec(`DELETE FROM patient_search WHERE rowid = $1`, p.ID)
	return nil
}

// HNMark returns a keyed hash of an HN. It is all that is stored of the HN of an erased patient.
func (tx *Tx) HNMark(hn string) string { return tx.hnMark(hospital.HNKey(hn)) }

// hnMark is HNMark for the key of an HN.
func (tx *Tx) hnMark(key string) string { return keyedHash(tx.db.auditKey, "erased hn", key) }

// erasedHNs returns which of the keys of HNs belonged to patients who were erased: index erasures_hn.
func (tx *Tx) erasedHNs(keys []any) (map[string]bool, error) {
	erased := map[string]bool{}
	if len(keys) == 0 {
		return erased, nil
	}
	marks := map[string]string{}
	var wanted []any
	for _, key := range keys {
		mark := tx.hnMark(key.(string))
		marks[mark], wanted = key.(string), append(wanted, mark)
	}
	var f filter
	f.in("hn_mark", wanted)
	found, err := sqldb.Column[string](tx.All(`SELECT hn_mark FROM erasures `+f.where(), f.args...))
	for _, mark := range found {
		erased[marks[mark]] = true
	}
	return erased, err
}

// rejectErasedHN returns DUPLICATE if the HN belonged to a patient who was erased.
func (tx *Tx) rejectErasedHN(hn string) error {
	key := hospital.HNKey(hn)
	erased, err := tx.erasedHNs([]any{key})
	if err == nil && erased[key] {
		err = hospital.Reject(hospital.Duplicate).On("hn", "HN นี้ถูกใช้แล้ว", "This HN was given before.")
	}
	return err
}
