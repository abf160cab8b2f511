package store

import (
	"context"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const (
	closureColumns = `id, date_from, date_to, start_time, end_time, service_ids, reason, kind, created_by, created_at`
	closureSelect  = `SELECT ` + closureColumns + ` FROM closures `
)

func scanClosure(scan sqldb.Scan) (hospital.Closure, error) {
	var c hospital.Closure
	var services string
	var created int64
	err := scan(&c.ID, &c.DateFrom, &c.DateTo, &c.StartTime, &c.EndTime, &services, &c.Reason, &c.Kind, &c.CreatedBy,
		&created)
	if err != nil {
		return c, err
	}
	c.CreatedAt = at(created)
	c.ServiceIDs, err = idLists.of(services)
	return c, err
}

// closuresTouch selects the closures that touch a period.
const closuresTouch = `WHERE date_to >= $1 AND date_from <= $2 ORDER BY date_from, start_time, id`

// queryClosures queries the closures that touch a period. The function it returns reads them.
func (tx *Tx) queryClosures(from, to string) func() ([]hospital.Closure, error) {
	rows := tx.All(closureSelect+closuresTouch, from, to)
	return func() ([]hospital.Closure, error) { return sqldb.Collect(rows, scanClosure) }
}

// closuresIn returns the closures that touch a period.
func (tx *Tx) closuresIn(from, to string) ([]hospital.Closure, error) {
	return tx.queryClosures(from, to)()
}

func (tx *Tx) readClosure(id int64) (hospital.Closure, error) {
	c, err := scanClosure(tx.Get(closureSelect+`WHERE id = $1`, id).Scan)
	return c, orNotFound(err)
}

// ListClosures returns the closures that touch a period. With a service, it returns those of the
// service and of the whole hospital.
func (db *DB) ListClosures(
	ctx context.Context, from, to string, serviceID int64,
) (list []hospital.Closure, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		list, err = tx.closuresIn(from, to)
		return err
	})
	if serviceID != 0 {
		list = slices.DeleteFunc(list, func(c hospital.Closure) bool { return !c.Of(serviceID) })
	}
	return list, err
}

// Closed is a new closure with the number of affected appointments.
type Closed struct {
	hospital.Closure
	Affected int `json:"affected" doc:"Number of appointments in the closure; they stay booked"`
}

// CreateClosure closes some days and returns the number of appointments in them, which stay booked.
// It returns VALIDATION_FAILED for invalid fields and for a service that does not exist.
func (db *DB) CreateClosure(
	ctx context.Context, in hospital.ClosureFields,
) (c hospital.Closure, affected int, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return c, 0, err
	}
	err = db.changeOnce(ctx, func() any { return Closed{c, affected} }, func(tx *Tx) error {
		if err := tx.rejectUnknownServices(in.ServiceIDs); err != nil {
			return err
		}
		closure := tx.Get(`INSERT INTO closures
			(date_from, date_to, start_time, end_time, service_ids, reason, kind, created_by, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING `+closureColumns,
			in.DateFrom, in.DateTo, in.StartTime, in.EndTime, toJSON(in.ServiceIDs), in.Reason, string(in.Kind),
			actorID(tx.actor), ms(tx.now))
		where, args := affectedBy(in)
		count := tx.Get(`SELECT count(*) FROM appointments a `+where, args...)
		if c, err = scanClosure(closure.Scan); err != nil {
			return err
		}
		if err := count.Scan(&affected); err != nil {
			return err
		}
		tx.Publish(hospital.Event{Kind: hospital.EventClosure, ID: c.ID, Date: c.DateFrom})
		tx.Note("closure.create", "closure", c.ID, c.Reason, diff(nil, c))
		return nil
	})
	return c, affected, err
}

// rejectUnknownServices returns VALIDATION_FAILED for the first service that does not exist.
func (tx *Tx) rejectUnknownServices(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	known, err := sqldb.Column[int64](tx.All(`SELECT id FROM services WHERE deleted_at IS NULL`))
	if err != nil {
		return err
	}
	for i, id := range ids {
		if !slices.Contains(known, id) {
			return hospital.Reject(hospital.ValidationFailed).
				On(fmt.Sprintf("serviceIds[%d]", i), "ไม่พบบริการนี้", "There is no such service.")
		}
	}
	return nil
}

// affectedBy selects the upcoming appointments in the time of a closure.
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

// AffectedByClosure returns the upcoming appointments in the time of a closure, or of one that does
// not exist yet.
func (db *DB) AffectedByClosure(
	ctx context.Context, in hospital.ClosureFields,
) (list []hospital.Appointment, err error) {
	where, args := affectedBy(in.Clean())
	err = db.Read(ctx, func(tx *Tx) error {
		list, err = tx.appointmentsWhere(where+` ORDER BY a.date, a.start_time, a.id`, args...)
		return err
	})
	return list, err
}

// Closure returns a closure. It returns NOT_FOUND if there is none.
func (db *DB) Closure(ctx context.Context, id int64) (c hospital.Closure, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		c, err = tx.readClosure(id)
		return err
	})
	return c, err
}

// DeleteClosure deletes a closure. It returns NOT_FOUND if there is none.
func (db *DB) DeleteClosure(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		c, err := tx.readClosure(id)
		if err != nil {
			return err
		}
		tx.Exec(`DELETE FROM closures WHERE id = $1`, id)
		tx.Publish(hospital.Event{Kind: hospital.EventClosure, ID: id, Date: c.DateFrom})
		tx.Note("closure.delete", "closure", id, c.Reason, diff(c, nil))
		return nil
	})
}
