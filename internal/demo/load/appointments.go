package load

import (
	"context"
	"iter"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Appointments adds appointments to a hospital that has patients, as they are, with their numbers, seats,
// queue numbers, totals and history. It returns how many were written.
func Appointments(ctx context.Context, db *store.DB, list iter.Seq[hospital.Appointment]) (n int, err error) {
	if n, err = writeAppointments(ctx, db, list, func(hospital.Appointment) {}, func(int) {}); err != nil {
		return n, err
	}
	return n, change(ctx, db, func(tx *store.Tx) error {
		tx.Exec(`UPDATE patients SET last_visit = v.date FROM
			(SELECT patient_id, max(date) AS date FROM appointments
				WHERE ` + in("status", hospital.Arrived) + ` AND deleted_at IS NULL GROUP BY patient_id) v
			WHERE v.patient_id = patients.id`)
		return nil
	})
}

// appointmentColumns are the columns of a loaded appointment.
var appointmentColumns = []string{
	"id", "number", "patient_id", "service_id", "date", "start_time", "end_time", "staff_id", "customer_id", "kind",
	"channel", "priority", "status", "reason", "note", "overbooked", "overbook_reason", "cancel_reason", "queue_no",
	"checked_in_at", "started_at", "completed_at", "created_by", "created_at", "updated_at",
}

// appointmentRows are appointments with the values of appointmentColumns; the ids are 0.
type appointmentRows struct {
	list []hospital.Appointment
	rows [][]any
}

// writeAppointments writes appointments and calls saw with each of them. It does not change patients.
// progress is called with the number of appointments.
func writeAppointments(
	ctx context.Context, db *store.DB, list iter.Seq[hospital.Appointment],
	observe func(hospital.Appointment), progress func(n int),
) (n int, err error) {
	next, stop := iter.Pull(chunks(ctx, list, batchSize, prepareAppointments))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := changeOnce(ctx, db, func(tx *store.Tx) error {
			first, err := lastID(tx, "appointments")
			if err != nil {
				return err
			}
			last := first
			for ; more && done < transactionSize; chunk, more = next() {
				before := last
				for i, a := range chunk.list {
					last++
					chunk.rows[i][0] = last
					observe(a)
				}
				if err := tx.Load("appointments", appointmentColumns, chunk.rows); err != nil {
					return err
				}
				writeHistory(tx, before, last)
				done += len(chunk.list)
				progress(n + done)
			}
			setLastID(db, tx, "appointments", last)
			writeSums(tx, first, last)
			tx.Publish(hospital.Event{Kind: hospital.EventRefetch})
			noteImport(tx, "appointment", done)
			return nil
		})
		if err != nil {
			return n, err
		}
		n += done
	}
	return n, ctx.Err()
}

func prepareAppointments(list []hospital.Appointment) appointmentRows {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{
			int64(0), a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID,
			string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
			a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo,
			millis(a.CheckedInAt), millis(a.StartedAt), millis(a.CompletedAt),
			a.CreatedBy, a.CreatedAt.UnixMilli(), a.UpdatedAt.UnixMilli(),
		}
	}
	return appointmentRows{list, rows}
}

func millis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

// writeHistory writes the history of the appointments with ids from after+1 to last: how they were
// created, and their current status.
func writeHistory(tx *store.Tx, after, last int64) {
	insert := `INSERT INTO appointment_history (` + strings.Join(store.HistoryColumns, ", ") + `) `
	from := ` FROM (SELECT *,
		CASE WHEN ` + in("status", hospital.Starting) + ` THEN status
			ELSE '` + string(hospital.Booked) + `' END AS first
		FROM appointments WHERE id > $2 AND id <= $3) a`
	tx.Exec(insert+`SELECT id, 'CREATE', '{}',
			'{"date":"' || date || '","endTime":"' || end_time || '","patientId":' || patient_id ||
			',"serviceId":' || service_id || ',"startTime":"' || start_time || '","status":"' || first || '"}',
		'', created_by, coalesce((SELECT name FROM users u WHERE u.id = a.created_by), $1), created_at`+from+
		` ORDER BY id`, tx.Actor().Name, after, last)
	tx.Exec(insert+`SELECT id, 'STATUS', '{"status":"' || first || '"}', '{"status":"' || status || '"}',
		cancel_reason, NULL, $1, updated_at`+from+` WHERE status <> first ORDER BY id`,
		tx.Actor().Name, after, last)
}

// writeSums adds the appointments with ids from after+1 to last to the seats of their slots, the totals of
// their days and the last queue numbers.
func writeSums(tx *store.Tx, after, last int64) {
	var holding []hospital.AppointmentStatus
	var columns, counts, sums []string
	for _, status := range hospital.AppointmentStatuses {
		if status.HoldsSeat() {
			holding = append(holding, status)
		}
		column := strings.ToLower(string(status))
		columns = append(columns, column)
		counts = append(counts, `count(*) FILTER (WHERE status = '`+string(status)+`')`)
		sums = append(sums, column+` = day_totals.`+column+` + excluded.`+column)
	}
	const from = ` FROM appointments WHERE id > $1 AND id <= $2`
	tx.Exec(`INSERT INTO slots (service_id, date, start_time, end_time, booked)
		SELECT service_id, date, start_time, min(end_time), count(*)`+from+` AND `+in("status", holding)+`
		GROUP BY service_id, date, start_time
		ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + excluded.booked`, after, last)
	tx.Exec(`INSERT INTO day_totals (date, service_id, `+strings.Join(columns, ", ")+`)
		SELECT date, service_id, `+strings.Join(counts, ", ")+from+` GROUP BY date, service_id
		ON CONFLICT (date, service_id) DO UPDATE SET `+strings.Join(sums, ", "), after, last)
	tx.Exec(`INSERT INTO queues (service_id, date, last)
		SELECT service_id, date, max(queue_no)`+from+` AND queue_no IS NOT NULL GROUP BY service_id, date
		ON CONFLICT (service_id, date) DO UPDATE
		SET last = CASE WHEN queues.last < excluded.last THEN excluded.last ELSE queues.last END`, after, last)
}
