package privacy

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// ErasedRef is a patient who was erased, without personal data. A list of them is used to erase them
// again after an older backup was restored.
type ErasedRef struct {
	PatientID int64
	At        time.Time
	Mark      string // store.Tx.HNMark of the HN
}

// ErasedRefs returns all patients who were erased, oldest erasure first.
func ErasedRefs(ctx context.Context, db *store.DB) (list []ErasedRef, err error) {
	err = db.Read(ctx, func(tx *store.Tx) error {
		list = []ErasedRef{}
		return tx.Stream(func(scan sqldb.Scan) error {
			var r ErasedRef
			var when int64
			err := scan(&r.PatientID, &when, &r.Mark)
			r.At = time.UnixMilli(when).UTC()
			list = append(list, r)
			return err
		}, `SELECT patient_id, at, hn_mark FROM erasures ORDER BY at, patient_id`)
	})
	return list, err
}

// IsRestored reports whether a patient who was erased exists here and is not erased. It returns IN_USE
// if the record has another HN: the list is of another hospital.
func IsRestored(ctx context.Context, db *store.DB, r ErasedRef) (back bool, err error) {
	err = db.Read(ctx, func(tx *store.Tx) error {
		back = false
		erasures := tx.Get(isErased, r.PatientID)
		list, err := tx.PatientsByID(r.PatientID)
		if err != nil || len(list) == 0 {
			return err
		}
		var erased bool
		if err := erasures.Scan(&erased); err != nil || erased {
			return err
		}
		if tx.HNMark(list[0].HN) != r.Mark {
			return hospital.Reject(hospital.InUse).Because(
				"รายการนี้เป็นของระบบอื่น หรือ HN ถูกเปลี่ยน",
				fmt.Sprintf("The list does not fit record id:%d: it is another installation's, "+
					"or the HN or the key was changed.", r.PatientID))
		}
		back = true
		return nil
	})
	return back, err
}

const isErased = `SELECT count(*) > 0 FROM erasures WHERE patient_id = $1`
