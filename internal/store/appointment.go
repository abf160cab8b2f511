package store

import (
	"context"
	"database/sql"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const appointmentSelect = `SELECT
	a.id, a.number, a.patient_id, a.service_id, a.date, a.start_time, a.end_time, a.staff_id,
	a.customer_id, a.kind, a.channel, a.priority, a.status, a.reason, a.note, a.overbooked, a.overbook_reason,
	a.series_id, a.follow_up_of_id, a.cancel_reason, a.queue_no, a.checked_in_at, a.started_at, a.completed_at,
	a.result_count, a.version, a.created_by, a.created_at, a.updated_at,
	p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex, p.phone, p.right_code,
	s.code, s.name, s.color, u.name
	FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN services s ON s.id = a.service_id
	LEFT JOIN users u ON u.id = a.staff_id `

// viewer holds the permissions and the time with which appointments are read.
type viewer struct {
	may hospital.PermissionSet
	now hospital.Moment
}

// viewer returns the viewer for the actor and the time of the transaction.
func (tx *Tx) viewer() viewer { return viewer{tx.actor.Permissions, tx.LocalNow()} }

// scan reads an appointment with the actions of the caller. The number of results is 0 without RESULT.SHOW.
func (v viewer) scan(scan sqldb.Scan) (hospital.Appointment, error) {
	var a hospital.Appointment
	var checkedIn, started, completed sql.NullInt64
	var created, updated int64
	var staff *string
	p := &a.Patient
	err := scan(&a.ID, &a.Number, &a.PatientID, &a.ServiceID, &a.Date, &a.StartTime, &a.EndTime, &a.StaffID,
		&a.CustomerID, &a.Kind, &a.Channel, &a.Priority, &a.Status, &a.Reason, &a.Note,
		&a.Overbooked, &a.OverbookReason,
		&a.SeriesID, &a.FollowUpOfID, &a.CancelReason, &a.QueueNo, &checkedIn, &started, &completed,
		&a.ResultCount, &a.Version, &a.CreatedBy, &created, &updated,
		&p.HN, &p.Prename, &p.FirstName, &p.LastName, &p.BirthDate, &p.BirthPrecision, &p.Sex, &p.Phone, &p.RightCode,
		&a.Service.Code, &a.Service.Name, &a.Service.Color, &staff)
	a.Patient.ID, a.Service.ID = a.PatientID, a.ServiceID
	a.CheckedInAt, a.StartedAt, a.CompletedAt = atOrNil(checkedIn), atOrNil(started), atOrNil(completed)
	a.CreatedAt, a.UpdatedAt = at(created), at(updated)
	if a.StaffID != nil && staff != nil {
		a.Staff = &hospital.StaffRef{ID: *a.StaffID, Name: *staff}
	}
	if !v.may[hospital.ResultShow] {
		a.ResultCount = 0
	}
	a.SetActions(v.may, v.now)
	return a, err
}

// appointmentsWhere returns the appointments that the rest of a query, after FROM, selects.
func (tx *Tx) appointmentsWhere(where string, args ...any) ([]hospital.Appointment, error) {
	return sqldb.Collect(tx.All(appointmentSelect+where, args...), tx.viewer().scan)
}

// AppointmentsByID returns the appointments with the ids, deleted ones included.
func (tx *Tx) AppointmentsByID(ids ...int64) ([]hospital.Appointment, error) {
	return byID("a.id", ids, tx.appointmentsWhere)
}

// readAppointment reads an appointment that is not deleted. It returns NOT_FOUND if there is none.
func (tx *Tx) readAppointment(id int64) (hospital.Appointment, error) {
	a, err := tx.viewer().scan(tx.Get(appointmentSelect+`WHERE a.id = $1 AND a.deleted_at IS NULL`, id).Scan)
	return a, orNotFound(err)
}

// lockAppointment reads an appointment and locks it until the end of the transaction. It returns NOT_FOUND,
// and CONFLICT_VERSION with the current appointment if it has another version. 0 stands for any version.
func (tx *Tx) lockAppointment(id, version int64) (hospital.Appointment, error) {
	a, err := tx.viewer().scan(tx.Get(
		appointmentSelect+`WHERE a.id = $1 AND a.deleted_at IS NULL`+tx.db.dialect.lock("a"), id).Scan)
	if err != nil {
		return a, orNotFound(err)
	}
	if version != 0 && a.Version != version {
		return a, hospital.Reject(hospital.ConflictVersion).With("current", a)
	}
	return a, nil
}

// countUpcoming counts the appointments from today on that are not over. column is service_id or patient_id.
func (tx *Tx) countUpcoming(column string, id int64) (int, error) {
	return tx.queryUpcomingOf(column, id)()
}

// queryUpcomingOf queries what countUpcoming returns.
func (tx *Tx) queryUpcomingOf(column string, id int64) func() (int, error) {
	var f filter
	f.add(column+" = %s", id)
	f.add("deleted_at IS NULL")
	f.add("date >= %s", tx.db.localNow().Date)
	f.add(oneOf("status", hospital.Open...))
	row := tx.Get(`SELECT count(*) FROM appointments `+f.where(), f.args...)
	return func() (n int, err error) {
		err = row.Scan(&n)
		return n, err
	}
}

// show updates the actions of an appointment after a change.
func (tx *Tx) show(a *hospital.Appointment) {
	v := tx.viewer()
	a.SetActions(v.may, v.now)
}

const appointmentInsert = `INSERT INTO appointments (
	number, patient_id, service_id, date, start_time, end_time, staff_id, customer_id,
	kind, channel, priority, status, reason, note, overbooked, overbook_reason, series_id, follow_up_of_id,
	created_by, created_at, updated_at, id) VALUES `

// insertAppointments inserts appointments with their ids, or with the next one if the only one has none.
func (tx *Tx) insertAppointments(list ...*hospital.Appointment) error {
	rows := make([][]any, len(list))
	for i, a := range list {
		var id any
		if a.ID != 0 {
			id = a.ID
		}
		rows[i] = []any{
			a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID,
			a.Kind, a.Channel, a.Priority, a.Status, a.Reason, a.Note, a.Overbooked, a.OverbookReason,
			a.SeriesID, a.FollowUpOfID, a.CreatedBy, ms(a.CreatedAt), ms(a.UpdatedAt), id,
		}
	}
	tx.insertRows(appointmentInsert, rows, "")
	if len(list) == 1 && list[0].ID == 0 {
		return tx.Get(`SELECT last_insert_rowid()`).Scan(&list[0].ID) // faster than RETURNING on SQLite
	}
	return nil
}

// saveAppointment writes a locked appointment as its next version.
func (tx *Tx) saveAppointment(a *hospital.Appointment) {
	tx.nextVersion(a)
	tx.ExecOne(`UPDATE appointments SET service_id = $2, date = $3, start_time = $4, end_time = $5, staff_id = $6,
		customer_id = $7, kind = $8, channel = $9, priority = $10, status = $11, reason = $12, note = $13,
		overbooked = $14, overbook_reason = $15, cancel_reason = $16, queue_no = $17,
		checked_in_at = $18, started_at = $19, completed_at = $20, version = $21, updated_at = $22 WHERE id = $1`,
		a.ID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID,
		a.CustomerID, a.Kind, a.Channel, a.Priority, a.Status, a.Reason, a.Note,
		a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo,
		msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), a.Version, ms(a.UpdatedAt))
}

// saveStep is saveAppointment for a change that does not move the appointment. It omits the columns whose
// indexes are expensive to update.
func (tx *Tx) saveStep(a *hospital.Appointment) {
	tx.nextVersion(a)
	tx.ExecOne(`UPDATE appointments SET end_time = $2, status = $3, overbooked = $4, overbook_reason = $5,
		cancel_reason = $6, queue_no = $7, checked_in_at = $8, started_at = $9, completed_at = $10,
		version = $11, updated_at = $12 WHERE id = $1`,
		a.ID, a.EndTime, a.Status, a.Overbooked, a.OverbookReason,
		a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt),
		a.Version, ms(a.UpdatedAt))
}

// nextVersion increments the version of an appointment and updates what depends on it.
func (tx *Tx) nextVersion(a *hospital.Appointment) {
	a.Version++
	a.UpdatedAt = tx.now
	tx.show(a)
}

// DeleteAppointment marks an appointment as deleted and releases its seat. Its history stays. It returns
// NOT_FOUND, and IN_USE if the appointment has results.
func (db *DB) DeleteAppointment(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		a, err := tx.lockAppointment(id, 0)
		if err != nil {
			return err
		}
		var results int // also if the caller may not see them
		if err := tx.Get(`SELECT result_count FROM appointments WHERE id = $1`, id).Scan(&results); err != nil {
			return err
		}
		if results > 0 {
			rejected := hospital.Reject(hospital.InUse)
			if !maySeeResults(tx.ctx) {
				return rejected
			}
			return rejected.With("count", results).
				Because("นัดนี้มีผลการตรวจแล้ว จึงลบไม่ได้ หากไม่ใช้แล้ว ให้ยกเลิกนัดแทน",
					"Results are kept with this appointment, so it cannot be deleted. Cancel it instead.")
		}
		if a.Status.Visited() {
			tx.queryPatientLock(a.PatientID) // a deleted patient needs no lock
		}
		if a.Status.HoldsSeat() {
			tx.releaseSeat(a.ServiceID, a.Date, a.StartTime)
		}
		tx.Exec(`UPDATE appointments SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
			id, ms(tx.now))
		if a.Status.Visited() {
			tx.updateLastVisit(a.PatientID)
		}
		tx.recordChange(hospital.HistoryDelete, a, a, "")
		return nil
	})
}
