package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"nadmor/internal/hospital"
)

// ImportAppointments writes appointments that were made elsewhere or before, as
// they are, with their seats, queues, totals and the beginning of their history. Their
// numbers are theirs; the series' counter is moved past them. It is one
// transaction and one entry in the audit log.
func (db *DB) ImportAppointments(ctx context.Context, list iter.Seq[hospital.Appointment], counters map[string]int64) (n int, err error) {
	const batch = 40 // numbered placeholders take SQLite quadratic time
	err = db.change(ctx, func(tx *Tx) error {
		n = 0
		seats := map[hospital.SlotRow]int{}
		queues := map[hospital.SlotRow]int{}
		var rows []hospital.Appointment
		flush := func() error {
			if len(rows) == 0 {
				return nil
			}
			if err := tx.importAppointments(rows); err != nil {
				return err
			}
			n += len(rows)
			rows = rows[:0]
			return nil
		}
		for a := range list {
			if a.Status.HoldsSeat() {
				seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}]++
			}
			tx.count(a.ServiceID, a.Date, a.Status, 1)
			if a.QueueNo != nil {
				day := hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date}
				queues[day] = max(queues[day], *a.QueueNo)
			}
			if rows = append(rows, a); len(rows) == batch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
		if err := tx.importCounts(seats, queues, counters); err != nil {
			return err
		}
		tx.publish(hospital.Event{Kind: hospital.EventRefetch})
		tx.noteEntry(hospital.AuditEntry{Action: "appointment.import", Entity: "appointment", Changes: map[string]hospital.Change{"new": {After: n}}})
		return nil
	})
	return n, err
}

// valuesOf is a list of rows for INSERT … VALUES.
func valuesOf(rows [][]any) (values string, args []any) {
	marks := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, v := range row {
			args = append(args, v)
			cells[j] = fmt.Sprintf("$%d", len(args))
		}
		marks[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	return strings.Join(marks, ", "), args
}

func (tx *Tx) importAppointments(list []hospital.Appointment) error {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{
			a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
			a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), a.CreatedBy, ms(a.CreatedAt), ms(a.UpdatedAt),
		}
	}
	values, args := valuesOf(rows)
	found, err := tx.query(`INSERT INTO appointments (number, patient_id, service_id, date, start_time, end_time, staff_id, kind, channel, priority, status, reason, note,
		overbooked, overbook_reason, cancel_reason, queue_no, checked_in_at, started_at, completed_at, created_by, created_at, updated_at) VALUES `+values+` RETURNING id, number`, args...)
	type made struct {
		id     int64
		number string
	}
	ids, err := scanAll(found, err, func(m *made) []any { return []any{&m.id, &m.number} })
	if err != nil {
		return fmt.Errorf("import appointments: %w", err)
	}
	idOf := make(map[string]int64, len(ids))
	for _, m := range ids {
		idOf[m.number] = m.id
	}
	var history [][]any
	for _, a := range list {
		first := hospital.Booked
		if a.Status == hospital.Pending || a.Status == hospital.Waitlisted {
			first = a.Status
		}
		history = append(history, []any{idOf[a.Number], string(hospital.HistoryCreate), "{}",
			toJSON(map[string]any{"status": first, "date": a.Date, "startTime": a.StartTime, "endTime": a.EndTime, "serviceId": a.ServiceID, "patientId": a.PatientID}), "", a.CreatedBy, tx.actor.Name, ms(a.CreatedAt)})
		if a.Status != first {
			history = append(history, []any{idOf[a.Number], string(hospital.HistoryStatus), toJSON(map[string]any{"status": first}), toJSON(map[string]any{"status": a.Status}), a.CancelReason, nil, tx.actor.Name, ms(a.UpdatedAt)})
		}
	}
	values, args = valuesOf(history)
	if _, err := tx.exec(`INSERT INTO appointment_history (appointment_id, action, before, after, reason, actor_id, actor_name, at) VALUES `+values, args...); err != nil {
		return fmt.Errorf("import history: %w", err)
	}
	return nil
}

// importCounts writes what the imported appointments add up to.
func (tx *Tx) importCounts(seats, queues map[hospital.SlotRow]int, counters map[string]int64) error {
	for slot, n := range seats {
		if _, err := tx.exec(`INSERT INTO slots (service_id, date, start_time, end_time, booked) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + $5`, slot.ServiceID, slot.Date, slot.StartTime, slot.EndTime, n); err != nil {
			return fmt.Errorf("import seats: %w", err)
		}
	}
	for day, last := range queues {
		if _, err := tx.exec(`INSERT INTO queues (service_id, date, last) VALUES ($1, $2, $3)
			ON CONFLICT (service_id, date) DO UPDATE SET last = CASE WHEN queues.last < $3 THEN $3 ELSE queues.last END`, day.ServiceID, day.Date, last); err != nil {
			return fmt.Errorf("import queues: %w", err)
		}
	}
	for series, last := range counters {
		if _, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
			"appointment "+series, last); err != nil {
			return fmt.Errorf("import counters: %w", err)
		}
	}
	_, err := tx.exec(`UPDATE patients SET last_visit = (SELECT max(a.date) FROM appointments a WHERE a.patient_id = patients.id AND a.status IN ('CHECKED_IN', 'IN_SERVICE', 'COMPLETED') AND a.deleted_at IS NULL)
		WHERE EXISTS (SELECT 1 FROM appointments a WHERE a.patient_id = patients.id)`)
	return err
}
