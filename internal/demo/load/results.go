package load

import (
	"context"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Results writes results with the keys of their files (empty for none) in one transaction, with one entry
// in the audit log.
func Results(ctx context.Context, db *store.DB, list []hospital.Result, keys []string) error {
	return change(ctx, db, func(tx *store.Tx) error {
		last, err := lastID(tx, "results")
		if err != nil {
			return err
		}
		rows, history := make([][]any, len(list)), make([][]any, len(list))
		for i, r := range list {
			last++
			rows[i], history[i] = append([]any{last}, store.ResultValues(r, keys[i])...), store.ResultHistory(r)
		}
		if err := tx.Load("results", append([]string{"id"}, store.ResultColumns...), rows); err != nil {
			return err
		}
		if err := tx.Load("appointment_history", store.HistoryColumns, history); err != nil {
			return err
		}
		setLastID(db, tx, "results", last)
		tx.Exec(`UPDATE appointments SET result_count = (
				SELECT count(*) FROM results r WHERE r.appointment_id = appointments.id AND r.deleted_at IS NULL)
			WHERE id IN (SELECT appointment_id FROM results)`)
		tx.Publish(hospital.Event{Kind: hospital.EventRefetch})
		noteImport(tx, "result", len(list))
		return nil
	})
}
