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

// ReportEveryStep publishes every progress event, however soon it follows the last one.
func (db *DB) ReportEveryStep() { db.progressInterval = 0 }

// OutdateAuditChains makes the next change on PostgreSQL run twice, as if another node had written to its audit
// chain.
func (db *DB) OutdateAuditChains() {
	for _, c := range db.chains.list {
		c.end.seq--
	}
}

// FailAfterWriting changes something and then fails, as a mistake of ours would.
func (db *DB) FailAfterWriting(ctx context.Context, fail func()) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE roles SET label = label || ' changed'`)
		fail()
		return nil
	})
}

// CloseAndFail takes a service's hours away, finds them gone, and fails.
func (db *DB) CloseAndFail(ctx context.Context, serviceID int64, date string) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE services SET schedule = '[]' WHERE id = $1`, serviceID)
		d, err := tx.bookingRules(hospital.DefaultSetting, serviceID, date, date)
		if err == nil && len(d.service.Schedule) > 0 {
			panic("the hours are there still")
		}
		return errors.Join(errors.New("undone"), err)
	})
}

// ChangedRoles counts what FailAfterWriting changed.
func (db *DB) ChangedRoles(ctx context.Context) (n int, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		return tx.Get(`SELECT count(*) FROM roles WHERE label LIKE '% changed'`).Scan(&n)
	})
	return n, err
}

// Fields are what the log compares of a record; Bare is what it keeps of an
// appointment.
func Fields(v any) map[string]any     { return fields(v) }
func Bare(a hospital.Appointment) any { return bare(a) }

// ChangesText and SideText are how it is written down.
func ChangesText(changes map[string]hospital.Change) string { return changesText(changes) }
func SideText(changes map[string]hospital.Change, side func(hospital.Change) any) string {
	return sideText(changes, side)
}

// AppointmentIDs are the appointments of a service.
func (db *DB) AppointmentIDs(ctx context.Context, serviceID int64) (ids []int64, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		ids, err = sqldb.Column[int64](tx.All(`SELECT id FROM appointments WHERE service_id = $1 ORDER BY id`, serviceID))
		return err
	})
	return ids, err
}

// MostPages limits the size of the SQLite file, like a disk.
func MostPages(db *DB, n int) error {
	return db.sql.Maintain(context.Background(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n))
}
