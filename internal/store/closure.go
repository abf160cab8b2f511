package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

const closureSelect = `SELECT id, date_from, date_to, start_time, end_time, service_ids, reason, kind, created_by, created_at FROM closures `

func scanClosure(scan func(...any) error) (hospital.Closure, error) {
	var c hospital.Closure
	var services string
	var created int64
	err := scan(&c.ID, &c.DateFrom, &c.DateTo, &c.StartTime, &c.EndTime, &services, &c.Reason, &c.Kind, &c.CreatedBy, &created)
	if err != nil {
		return c, err
	}
	c.CreatedAt = at(created)
	return c, json.Unmarshal([]byte(services), &c.ServiceIDs)
}

// closuresTouch selects the closures that touch a period.
const closuresTouch = `WHERE date_to >= $1 AND date_from <= $2 ORDER BY date_from, start_time, id`

// closuresIn reads the closures that touch a period.
func closuresIn(ctx context.Context, q querier, from, to string) ([]hospital.Closure, error) {
	rows, err := q.QueryContext(ctx, closureSelect+closuresTouch, from, to)
	return collect(rows, err, func(rows *sql.Rows) (hospital.Closure, error) { return scanClosure(rows.Scan) })
}

func readClosure(ctx context.Context, q querier, id int64) (hospital.Closure, error) {
	rows, err := q.QueryContext(ctx, closureSelect+`WHERE id = $1`, id)
	return only(collect(rows, err, func(rows *sql.Rows) (hospital.Closure, error) { return scanClosure(rows.Scan) }))
}

// ListClosures returns the closures that touch a period, of one service and the
// whole hospital when a service is given.
func (db *DB) ListClosures(ctx context.Context, from, to string, serviceID int64) ([]hospital.Closure, error) {
	list, err := closuresIn(ctx, db.read, from, to)
	if serviceID != 0 {
		list = slices.DeleteFunc(list, func(c hospital.Closure) bool { return !c.Of(serviceID) })
	}
	return list, mapError(err)
}

// Closed is a new closure with the number of affected appointments.
type Closed struct {
	hospital.Closure
	Affected int `json:"affected" doc:"Number of appointments in the closure; they stay booked"`
}

// CreateClosure closes some days, and tells how many seats are booked in them;
// they stay booked. Refused: a service that does not exist.
func (db *DB) CreateClosure(ctx context.Context, in hospital.ClosureFields) (c hospital.Closure, affected int, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return c, 0, err
	}
	err = db.changeOnce(ctx, func() any { return Closed{c, affected} }, func(tx *Tx) error {
		if err := tx.refuseUnknownServices(in.ServiceIDs); err != nil {
			return err
		}
		var actor any
		if tx.actor.UserID != 0 {
			actor = tx.actor.UserID
		}
		var id int64
		err := tx.queryRow(`INSERT INTO closures (date_from, date_to, start_time, end_time, service_ids, reason, kind, created_by, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
			in.DateFrom, in.DateTo, in.StartTime, in.EndTime, toJSON(in.ServiceIDs), in.Reason, string(in.Kind), actor, ms(tx.now)).Scan(&id)
		if err != nil {
			return fmt.Errorf("insert closure: %w", err)
		}
		if c, err = readClosure(ctx, tx.tx, id); err != nil {
			return err
		}
		where, args := affectedBy(in)
		if err := tx.queryRow(`SELECT count(*) FROM appointments a `+where, args...).Scan(&affected); err != nil {
			return fmt.Errorf("count affected: %w", err)
		}
		tx.publish(hospital.Event{Kind: hospital.EventClosure, ID: id, Date: c.DateFrom})
		tx.note("closure.create", "closure", id, c.Reason, diff(nil, c))
		return nil
	})
	return c, affected, err
}

func (tx *Tx) refuseUnknownServices(ids []int64) error {
	for i, id := range ids {
		if _, err := readService(tx.ctx, tx.tx, id); err != nil {
			if hospital.CodeOf(err) != hospital.NotFound {
				return err
			}
			return hospital.Refuse(hospital.ValidationFailed).On(fmt.Sprintf("serviceIds[%d]", i), "ไม่พบบริการนี้", "There is no such service.")
		}
	}
	return nil
}

// affectedBy selects the appointments still to come that a closure takes the
// time of.
func affectedBy(c hospital.ClosureFields) (where string, args []any) {
	var f filter
	f.add("a.deleted_at IS NULL")
	f.add("a.date >= %s AND a.date <= %s", c.DateFrom, c.DateTo)
	f.add(oneOf("a.status", hospital.Upcoming...))
	if !c.AllDay() {
		f.add("a.start_time < %s AND a.end_time > %s", *c.EndTime, *c.StartTime)
	}
	if len(c.ServiceIDs) > 0 {
		f.in("a.service_id", numbers(c.ServiceIDs))
	}
	return f.where(), f.args
}

// AffectedByClosure returns who is booked in days that are closed, or would be.
func (db *DB) AffectedByClosure(ctx context.Context, in hospital.ClosureFields) ([]hospital.Appointment, error) {
	where, args := affectedBy(in.Clean())
	list, err := db.appointmentsWhere(ctx, db.read, where+` ORDER BY a.date, a.start_time, a.id`, args...)
	return list, mapError(err)
}

// Closure returns one closure: NOT_FOUND.
func (db *DB) Closure(ctx context.Context, id int64) (hospital.Closure, error) {
	c, err := readClosure(ctx, db.read, id)
	return c, mapError(err)
}

// DeleteClosure opens the days again: NOT_FOUND.
func (db *DB) DeleteClosure(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		c, err := readClosure(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM closures WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete closure: %w", err)
		}
		tx.publish(hospital.Event{Kind: hospital.EventClosure, ID: id, Date: c.DateFrom})
		tx.note("closure.delete", "closure", id, c.Reason, diff(c, nil))
		return nil
	})
}
