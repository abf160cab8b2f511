package store

import (
	"context"
	"errors"
	"fmt"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// PublishSlotEvents publishes n events.
func (db *DB) PublishSlotEvents(n int) {
	events := make([]hospital.Event, n)
	for i := range events {
		events[i] = hospital.Event{Kind: hospital.EventSlot, ServiceID: 1, Date: "2026-11-17"}
	}
	db.publish(events)
}

// ReportEveryStep disables the minimum time between progress events.
func (db *DB) ReportEveryStep() { db.progressInterval = 0 }

// OutdateAuditChains makes the next change on PostgreSQL run twice, as if another node had written to its
// audit chain.
func (db *DB) OutdateAuditChains() {
	for _, c := range db.chains.list {
		c.end.seq--
	}
}

// FailAfterWriting calls fail in a transaction after a change.
func (db *DB) FailAfterWriting(ctx context.Context, fail func()) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE roles SET label = label || ' changed'`)
		fail()
		return nil
	})
}

// CloseAndFail deletes the schedule of a service, checks that the transaction sees that, and fails.
func (db *DB) CloseAndFail(ctx context.Context, serviceID int64, date string) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE services SET schedule = '[]' WHERE id = $1`, serviceID)
		d, err := tx.bookingRules(hospital.DefaultSetting, serviceID, date, date)
		if err == nil && len(d.service.Schedule) > 0 {
			panic("the schedule was not deleted")
		}
		return errors.Join(errors.New("failed"), err)
	})
}

// ChangedRoles counts the roles that FailAfterWriting changed.
func (db *DB) ChangedRoles(ctx context.Context) (n int, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		return tx.Get(`SELECT count(*) FROM roles WHERE label LIKE '% changed'`).Scan(&n)
	})
	return n, err
}

// Fields exports fields.
func Fields(v any) map[string]any { return fields(v) }

// Bare exports bare.
func Bare(a hospital.Appointment) any { return bare(a) }

// ChangesText exports changesText.
func ChangesText(changes map[string]hospital.Change) string { return changesText(changes) }

// SideText exports sideText.
func SideText(changes map[string]hospital.Change, side func(hospital.Change) any) string {
	return sideText(changes, side)
}

// AppointmentIDs returns the ids of the appointments of a service.
func (db *DB) AppointmentIDs(ctx context.Context, serviceID int64) (ids []int64, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		ids, err = sqldb.Column[int64](tx.All(`SELECT id FROM appointments WHERE service_id = $1 ORDER BY id`, serviceID))
		return err
	})
	return ids, err
}

// SetMaxPages limits the size of the SQLite file.
func SetMaxPages(db *DB, n int) error {
	return db.sql.Maintain(context.Background(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n))
}
