package store

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// hnMark returns a keyed hash of the key of an HN. It is stored of a patient who was erased.
func (db *DB) hnMark(key string) string { return keyed(db.auditKey, "erased hn", key) }

// ErasedRef is a patient who was erased, without personal data. A list of them is used to erase them
// again after an older backup was restored.
type ErasedRef struct {
	PatientID int64
	At        time.Time
	Mark      string
}

// ErasedRefs returns all patients who were erased, oldest erasure first.
func (db *DB) ErasedRefs(ctx context.Context) (list []ErasedRef, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		list = []ErasedRef{}
		return tx.Stream(func(scan sqldb.Scan) error {
			var r ErasedRef
			var when int64
			err := scan(&r.PatientID, &when, &r.Mark)
			r.At = at(when)
			list = append(list, r)
			return err
		}, `SELECT patient_id, at, hn_mark FROM erasures ORDER BY at, patient_id`)
	})
	return list, err
}

// ComesBack reports whether a patient who was erased exists here and is not erased. It returns IN_USE
// if the record has another HN: the list is of another hospital.
func (db *DB) ComesBack(ctx context.Context, r ErasedRef) (back bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		back = false
		erasures := tx.Get(`SELECT count(*) > 0 FROM erasures WHERE patient_id = $1`, r.PatientID)
		list, err := tx.patientsWhere(`WHERE p.id = $1`, r.PatientID)
		if err != nil || len(list) == 0 {
			return err
		}
		var erased bool
		if err := erasures.Scan(&erased); err != nil || erased {
			return err
		}
		if db.hnMark(hospital.HNKey(list[0].HN)) != r.Mark {
			return hospital.Refuse(hospital.InUse).Because(
				"รายการนี้เป็นของระบบอื่น หรือ HN ถูกเปลี่ยน",
				fmt.Sprintf("The list does not fit record id:%d: it is another installation's, "+
					"or the HN or the key was changed.", r.PatientID))
		}
		back = true
		return nil
	})
	return back, err
}

// erasedHNs returns which of the keys of HNs belonged to patients who were erased: index erasures_hn.
func (tx *Tx) erasedHNs(keys []any) (map[string]bool, error) {
	erased := map[string]bool{}
	if len(keys) == 0 {
		return erased, nil
	}
	marks := map[string]string{}
	var wanted []any
	for _, key := range keys {
		mark := tx.db.hnMark(key.(string))
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

// refuseErasedHN returns DUPLICATE if the HN belonged to a patient who was erased.
func (tx *Tx) refuseErasedHN(hn string) error {
	key := hospital.HNKey(hn)
	erased, err := tx.erasedHNs([]any{key})
	if err == nil && erased[key] {
		err = hospital.Refuse(hospital.Duplicate).On("hn", "HN นี้ถูกใช้แล้ว", "This HN was given before.")
	}
	return err
}
