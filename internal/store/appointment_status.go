package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"nadmor/internal/hospital"
)

// MarkStatus changes the status of an appointment. It returns the errors of Appointment.CheckTransition, and
// those of a booking if the new status takes a seat. A version of 0 stands for the current one.
func (db *DB) MarkStatus(
	ctx context.Context, id, version int64, to hospital.AppointmentStatus, reason string,
) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		settingNow := tx.querySetting()
		old, err := tx.lockAppointment(id, version)
		if err != nil {
			return err
		}
		setting, err := settingNow()
		if err != nil {
			return err
		}
		if err := old.CheckTransition(to, reason, tx.actor.Permissions, tx.LocalNow()); err != nil {
			return err
		}
		a = old
		a.Status = to
		switch to {
		case hospital.CheckedIn:
			a.StartedAt = nil
			if a.CheckedInAt == nil || old.Status != hospital.InService {
				a.CheckedInAt = &tx.now
			}
		case hospital.InService:
			if a.StartedAt == nil || old.Status != hospital.Completed {
				a.StartedAt = &tx.now
			}
			a.CompletedAt = nil
		case hospital.Completed:
			a.CompletedAt = &tx.now
		case hospital.Cancelled:
			a.CancelReason = reason
		default:
			a.CancelReason = ""
		}
		if err := tx.step(setting, old, &a); err != nil {
			return err
		}
		tx.recordChange(hospital.HistoryStatus, old, a, reason)
		return nil
	})
	return a, err
}

// CancelAppointment cancels an open appointment whose patient is erased, without checking the permissions of the
// actor, and writes its history at once, so that it can be erased as well. It returns NOT_FOUND, and
// INVALID_TRANSITION if the appointment is over.
func (tx *Tx) CancelAppointment(id int64, reason string) error {
	settingNow := tx.querySetting()
	old, err := tx.lockAppointment(id, 0)
	if err != nil {
		return err
	}
	setting, err := settingNow()
	if err != nil {
		return err
	}
	if slices.Contains(hospital.Finished, old.Status) {
		return hospital.Reject(hospital.InvalidTransition)
	}
	a := old
	a.Status, a.CancelReason = hospital.Cancelled, reason
	if err := tx.step(setting, old, &a); err != nil {
		return err
	}
	tx.recordChange(hospital.HistoryStatus, old, a, reason)
	tx.writeHistory()
	return nil
}

// step writes a new status with everything that depends on it: the seat, the queue number and the patient's
// last visit.
func (tx *Tx) step(setting hospital.Setting, old hospital.Appointment, a *hospital.Appointment) error {
	visits := old.Status.Visited() != a.Status.Visited()
	switch { // both lock the patient before the slot
	case !old.Status.HoldsSeat() && a.Status.HoldsSeat():
		if err := tx.seatAgain(setting, a); err != nil {
			return err
		}
	case visits:
		tx.queryPatientLock(a.PatientID) // a deleted patient needs no lock
	}
	if old.Status.HoldsSeat() && !a.Status.HoldsSeat() {
		tx.releaseSeat(a.ServiceID, a.Date, a.StartTime)
		a.Overbooked, a.OverbookReason = false, ""
	}
	if a.Status == hospital.CheckedIn && a.QueueNo == nil {
		n, err := tx.nextQueueNo(a.ServiceID, a.Date)
		if err != nil {
			return err
		}
		a.QueueNo = &n
	}
	tx.saveStep(a)
	if visits {
		tx.updateLastVisit(a.PatientID)
	}
	return nil
}

// seatAgain takes a seat for an appointment that holds none. It returns NOT_FOUND if the patient does not
// exist, and the errors of a booking.
func (tx *Tx) seatAgain(setting hospital.Setting, a *hospital.Appointment) error {
	rulesOf := tx.queryBookingRules(a.ServiceID, a.Date, a.Date)
	bookedNow := tx.queryPatientDay(a.PatientID, a.Date)
	booked, err := bookedNow()
	if err != nil {
		return err
	}
	rules, err := rulesOf(setting)
	if err != nil {
		return err
	}
	slot, err := rules.open(a.AppointmentFields)
	if err != nil {
		return err
	}
	a.EndTime = slot.EndTime
	if err := tx.rejectDoubleBooking(*a, booked, false); err != nil {
		return err
	}
	a.OverbookReason = ""
	return tx.seat(rules, slot, a)
}

// nextQueueNo takes the next queue number of a service on a day. The row is locked until the commit, so that
// there are no gaps and no duplicates.
func (tx *Tx) nextQueueNo(serviceID int64, date string) (n int, err error) {
	err = tx.Get(`INSERT INTO queues (service_id, date, last) VALUES ($1, $2, 1)
		ON CONFLICT (service_id, date) DO UPDATE SET last = queues.last + 1 RETURNING last`, serviceID, date).Scan(&n)
	return n, err
}

// updateLastVisit sets the date of the patient's last visit.
func (tx *Tx) updateLastVisit(patientID int64) {
	tx.Exec(`UPDATE patients SET last_visit = (SELECT max(date) FROM appointments
		WHERE patient_id = $1 AND `+oneOf("status", hospital.Arrived...)+` AND deleted_at IS NULL)
		WHERE id = $1`, patientID)
}

// UndoStatus reverts the last change of the status, within ten minutes and for the user who made it. It
// returns INVALID_TRANSITION for other users, later, or if the appointment was changed since; and the errors
// of a booking if a seat that was released cannot be taken again.
func (db *DB) UndoStatus(ctx context.Context, id, version int64) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		settingNow := tx.querySetting()
		old, err := tx.lockAppointment(id, version)
		if err != nil {
			return err
		}
		setting, err := settingNow()
		if err != nil {
			return err
		}
		history, err := tx.HistoryOf(id)
		if err != nil {
			return err
		}
		last := hospital.LastChange(history)
		if _, ok := hospital.UndoableUntil(last, tx.actor, tx.now); !ok {
			return hospital.Reject(hospital.InvalidTransition).
				With("allowed", old.AllowedStatuses).
				Because("เลิกทำได้เฉพาะสถานะที่ท่านเปลี่ยนเองภายใน 10 นาที และยังไม่มีใครแก้ไขหลังจากนั้น",
					"Only a status you changed yourself within ten minutes, with nothing changed since, can be undone.")
		}
		a = old
		if err := revert(&a, last); err != nil {
			return err
		}
		if err := tx.step(setting, old, &a); err != nil {
			return err
		}
		tx.recordChange(hospital.HistoryUndo, old, a, "")
		return nil
	})
	return a, err
}

// revert sets the fields of a change to their values before it. The queue number stays, because it was
// already called.
func revert(a *hospital.Appointment, last hospital.HistoryEntry) error {
	back := map[string]any{}
	for field := range last.To {
		back[field] = nil // it was empty
	}
	maps.Copy(back, last.From)
	for _, text := range []string{"cancelReason", "overbookReason"} {
		if v, changed := back[text]; changed && v == nil {
			back[text] = ""
		}
	}
	delete(back, "queueNo")
	return json.Unmarshal([]byte(toJSON(back)), a)
}
