package store

import (
	"context"
	"database/sql"
	"fmt"

	"nadmor/internal/hospital"
)

const appointmentColumns = `a.id, a.number, a.patient_id, a.service_id, a.date, a.start_time, a.end_time, a.staff_id, a.customer_id, a.kind, a.channel, a.priority, a.status, a.reason, a.note,
	a.overbooked, a.overbook_reason, a.series_id, a.follow_up_of_id, a.cancel_reason, a.queue_no, a.checked_in_at, a.started_at, a.completed_at, a.result_count,
	a.version, a.created_by, a.created_at, a.updated_at,
	p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex, p.phone, p.right_code, s.code, s.name, s.color, u.name`

const appointmentFrom = `FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN services s ON s.id = a.service_id LEFT JOIN users u ON u.id = a.staff_id `

const appointmentSelect = `SELECT ` + appointmentColumns + ` ` + appointmentFrom

var appointmentSelection = selecting(appointmentColumns, appointmentFrom,
	"a.staff_id", "a.customer_id", "a.series_id", "a.follow_up_of_id", "a.queue_no", "a.checked_in_at", "a.started_at", "a.completed_at", "a.created_by", "u.name")

// viewer holds the permissions and the time with which appointments are read.
type viewer struct {
	may hospital.PermissionSet
	now hospital.Moment
}

func (db *DB) viewer(ctx context.Context) viewer {
	return viewer{hospital.ActorFrom(ctx).Permissions, db.wall()}
}

// scan reads an appointment with the actions of the caller. The number of results is 0 without RESULT.SHOW.
func (v viewer) scan(scan func(...any) error) (hospital.Appointment, error) {
	var a hospital.Appointment
	var checkedIn, started, completed sql.NullInt64
	var created, updated int64
	var staff sql.NullString
	err := scan(&a.ID, &a.Number, &a.PatientID, &a.ServiceID, &a.Date, &a.StartTime, &a.EndTime, &a.StaffID, &a.CustomerID, &a.Kind, &a.Channel, &a.Priority, &a.Status, &a.Reason, &a.Note,
		&a.Overbooked, &a.OverbookReason, &a.SeriesID, &a.FollowUpOfID, &a.CancelReason, &a.QueueNo, &checkedIn, &started, &completed, &a.ResultCount,
		&a.Version, &a.CreatedBy, &created, &updated,
		&a.Patient.HN, &a.Patient.Prename, &a.Patient.FirstName, &a.Patient.LastName, &a.Patient.BirthDate, &a.Patient.BirthPrecision, &a.Patient.Sex, &a.Patient.Phone, &a.Patient.RightCode,
		&a.Service.Code, &a.Service.Name, &a.Service.Color, &staff)
	a.Patient.ID, a.Service.ID = a.PatientID, a.ServiceID
	a.CheckedInAt, a.StartedAt, a.CompletedAt = atOrNil(checkedIn), atOrNil(started), atOrNil(completed)
	a.CreatedAt, a.UpdatedAt = at(created), at(updated)
	if a.StaffID != nil && staff.Valid {
		a.Staff = &hospital.StaffRef{ID: *a.StaffID, Name: staff.String}
	}
	if !v.may[hospital.ResultShow] {
		a.ResultCount = 0
	}
	a.ShowTo(v.may, v.now)
	return a, err
}

func (db *DB) appointmentsWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Appointment, error) {
	return selected(ctx, db, q, appointmentSelection, where, args, db.viewer(ctx).scan)
}

func (db *DB) readAppointment(ctx context.Context, q querier, id int64) (hospital.Appointment, error) {
	row := q.QueryRowContext(ctx, appointmentSelect+`WHERE a.id = $1 AND a.deleted_at IS NULL`, id)
	a, err := db.viewer(ctx).scan(row.Scan)
	return a, orNotFound(err)
}

// lockAppointment reads an appointment that nobody else can change until the
// end of the transaction. Refused: NOT_FOUND; CONFLICT_VERSION with the current
// one unless it is the version that was read (0 for any). What else is asked is
// asked on the way.
func (tx *Tx) lockAppointment(id, version int64, also ...question) (a hospital.Appointment, err error) {
	err = tx.gather(append(also, question{
		what: "lock appointment", query: appointmentSelect + `WHERE a.id = $1 AND a.deleted_at IS NULL` + tx.db.dialect.lock("a"), args: []any{id},
		row: func(scan func(...any) error) (err error) { a, err = tx.viewer().scan(scan); return err },
	})...)
	switch {
	case err != nil:
		return a, err
	case a.ID == 0:
		return a, hospital.Refuse(hospital.NotFound)
	case version != 0 && a.Version != version:
		return a, hospital.Refuse(hospital.ConflictVersion).With("current", a)
	}
	return a, nil
}

// countUpcoming is how many seats are still held for somebody to come or to be
// seen, of a service or a patient.
func (tx *Tx) countUpcoming(column string, id int64) (n int, err error) {
	var f filter
	f.add(column+" = %s", id)
	f.add("deleted_at IS NULL")
	f.add("date >= %s", tx.db.wall().Date)
	f.add(oneOf("status", hospital.Open...))
	if err := tx.queryRow(`SELECT count(*) FROM appointments `+f.where(), f.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count appointments: %w", err)
	}
	return n, nil
}

// viewer returns the viewer for the actor and the time of the transaction.
func (tx *Tx) viewer() viewer {
	return viewer{tx.actor.Permissions, hospital.MomentOf(tx.now)}
}

// show updates the actions of an appointment after a change.
func (tx *Tx) show(a *hospital.Appointment) {
	v := tx.viewer()
	a.ShowTo(v.may, v.now)
}

// insertAppointment writes a new appointment, under the id it has or the next.
func (tx *Tx) insertAppointment(a *hospital.Appointment) error {
	tx.show(a)
	const query = `INSERT INTO appointments (number, patient_id, service_id, date, start_time, end_time, staff_id, customer_id, kind, channel, priority, status, reason, note,
		overbooked, overbook_reason, series_id, follow_up_of_id, created_by, created_at, updated_at, id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20, $21)`
	args := []any{a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID, string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
		a.Overbooked, a.OverbookReason, a.SeriesID, a.FollowUpOfID, a.CreatedBy, ms(a.CreatedAt), nil}
	if a.ID != 0 {
		args[len(args)-1] = a.ID
		return tx.later("insert appointment", query, args...)
	}
	return tx.gather(question{what: "insert appointment", query: query, args: args, id: &a.ID})
}

// saveAppointment writes a locked appointment back as its next version.
func (tx *Tx) saveAppointment(a *hospital.Appointment) error {
	a.Version++
	a.UpdatedAt = tx.now
	tx.show(a)
	return tx.laterOne("save appointment", `UPDATE appointments SET service_id = $2, date = $3, start_time = $4, end_time = $5, staff_id = $6, customer_id = $7, kind = $8, channel = $9, priority = $10, status = $11,
		reason = $12, note = $13, overbooked = $14, overbook_reason = $15, cancel_reason = $16, queue_no = $17, checked_in_at = $18, started_at = $19, completed_at = $20,
		version = $21, updated_at = $22 WHERE id = $1`,
		a.ID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID, string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status),
		a.Reason, a.Note, a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt),
		a.Version, ms(a.UpdatedAt))
}

// saveStep does the same after a step that leaves the visit where and when it is:
// the indexes by day, which are most of the work, stay as they are.
func (tx *Tx) saveStep(a *hospital.Appointment) error {
	a.Version++
	a.UpdatedAt = tx.now
	tx.show(a)
	return tx.laterOne("save step", `UPDATE appointments SET end_time = $2, status = $3, overbooked = $4, overbook_reason = $5, cancel_reason = $6, queue_no = $7, checked_in_at = $8, started_at = $9, completed_at = $10,
		version = $11, updated_at = $12 WHERE id = $1`,
		a.ID, a.EndTime, string(a.Status), a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), a.Version, ms(a.UpdatedAt))
}

// DeleteAppointment takes an appointment out of the lists and frees its seat;
// its history stays: NOT_FOUND, IN_USE while results are kept with it.
func (db *DB) DeleteAppointment(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		a, err := tx.lockAppointment(id, 0)
		if err != nil {
			return err
		}
		var results int // whether or not the caller may know
		if err := tx.queryRow(`SELECT result_count FROM appointments WHERE id = $1`, id).Scan(&results); err != nil {
			return fmt.Errorf("count results: %w", err)
		}
		if results > 0 {
			refusal := hospital.Refuse(hospital.InUse)
			if !maySeeResults(tx.ctx) {
				return refusal
			}
			return refusal.With("count", results).
				Because("นัดนี้มีผลการตรวจแล้ว จึงลบไม่ได้ หากไม่ใช้แล้ว ให้ยกเลิกนัดแทน", "Results are kept with this appointment, so it cannot be deleted. Cancel it instead.")
		}
		if a.Status.Visited() {
			if err := tx.lockPatient(a.PatientID); err != nil && hospital.CodeOf(err) != hospital.NotFound {
				return err
			}
		}
		if a.Status.HoldsSeat() {
			if err := tx.releaseSeat(a.ServiceID, a.Date, a.StartTime); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`UPDATE appointments SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete appointment: %w", err)
		}
		if a.Status.Visited() {
			if err := tx.noteVisit(a.PatientID); err != nil {
				return err
			}
		}
		return tx.happened(hospital.HistoryDelete, a, a, "")
	})
}
