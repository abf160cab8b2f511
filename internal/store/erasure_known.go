package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nadmor/internal/hospital"
)

// hnMark is what is kept of the HN of somebody who was erased.
func (db *DB) hnMark(key string) string { return keyed(db.auditKey, "erased hn", key) }

// ErasedRef is somebody who was erased, without anything personal: what a list
// is made of by which they are erased again after an older backup was restored.
type ErasedRef struct {
	PatientID int64
	At        time.Time
	Mark      string
}

// ErasedRefs lists everybody of whom this database knows, oldest first.
func (db *DB) ErasedRefs(ctx context.Context) ([]ErasedRef, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT patient_id, at, hn_mark FROM erasures ORDER BY at, patient_id`)
	list, err := collect(rows, err, func(rows *sql.Rows) (r ErasedRef, err error) {
		var when int64
		err = rows.Scan(&r.PatientID, &when, &r.Mark)
		r.At = at(when)
		return r, err
	})
	return list, mapError(err)
}

// ComesBack tells whether somebody of the list is here unerased. Where the record
// has another number, the list is another hospital's: IN_USE.
func (db *DB) ComesBack(ctx context.Context, r ErasedRef) (bool, error) {
	list, err := db.patientsWhere(ctx, db.read, `WHERE p.id = $1`, r.PatientID)
	if err != nil || len(list) == 0 {
		return false, mapError(err)
	}
	var erased bool
	if err := db.read.QueryRowContext(ctx, `SELECT count(*) > 0 FROM erasures WHERE patient_id = $1`, r.PatientID).Scan(&erased); err != nil || erased {
		return false, mapError(err)
	}
	if db.hnMark(hospital.HNKey(list[0].HN)) != r.Mark {
		return false, hospital.Refuse(hospital.InUse).Because("รายการนี้เป็นของระบบอื่น หรือ HN ถูกเปลี่ยน", fmt.Sprintf("The list does not fit record id:%d: it is another installation's, or the HN or the key was changed.", r.PatientID))
	}
	return true, nil
}

// erasedHNs tells which of the keys of HNs were of somebody who was erased: index
// erasures_hn.
func (db *DB) erasedHNs(ctx context.Context, q querier, keys []any) (map[string]bool, error) {
	erased := map[string]bool{}
	if len(keys) == 0 {
		return erased, nil
	}
	marks := map[string]string{}
	var wanted []any
	for _, key := range keys {
		mark := db.hnMark(key.(string))
		marks[mark], wanted = key.(string), append(wanted, mark)
	}
	var f filter
	f.in("hn_mark", wanted)
	rows, err := q.QueryContext(ctx, `SELECT hn_mark FROM erasures `+f.where(), f.args...)
	list, err := scanAll(rows, err, func(mark *string) []any { return []any{mark} })
	for _, mark := range list {
		erased[marks[mark]] = true
	}
	return erased, err
}

// refuseErasedHN refuses to give the HN of somebody who was erased to anybody.
func (tx *Tx) refuseErasedHN(hn string) error {
	key := hospital.HNKey(hn)
	erased, err := tx.db.erasedHNs(tx.ctx, tx.tx, []any{key})
	if err == nil && erased[key] {
		err = hospital.Refuse(hospital.Duplicate).On("hn", "HN นี้ถูกใช้แล้ว", "This HN was given before.")
	}
	return err
}
