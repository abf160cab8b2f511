package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"nadmor/internal/hospital"
)

// MarkStatus takes an appointment to another status. Refused as by
// Appointment.CheckTransition; a step that takes a seat is rejected as a booking
// is. A version of 0 stands for the current one.
func (db *DB) MarkStatus(ctx context.Context, id, version int64, to hospital.AppointmentStatus, reason string) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		var setting hospital.Setting
		old, err := tx.lockAppointment(id, version, settingRead(&setting))
		if err != nil {
			return err
		}
		if err := old.CheckTransition(to, reason, tx.actor.Permissions, tx.viewer().now); err != nil {
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
		return tx.happened(hospital.HistoryStatus, old, a, reason)
	})
	return a, err
}

// step writes a new status with what follows from it: seats, queue numbers, the
// patient's last visit.
func (tx *Tx) step(setting hospital.Setting, old hospital.Appointment, a *hospital.Appointment) error {
	takes, visits := !old.Status.HoldsSeat() && a.Status.HoldsSeat(), old.Status.Visited() != a.Status.Visited()
	switch { // the patient before the slot, whichever is written first
	case takes:
		var d desk
		var v visitor
		questions := append(tx.deskAsked(a.ServiceID, a.Date, a.Date, &d),
			tx.patientLocked(a.PatientID, &v), seatsRead(a.PatientID, a.Date, &v))
		err := tx.gather(questions...)
		if err != nil {
			return err
		}
		if !v.found {
			return hospital.Refuse(hospital.NotFound)
		}
		if d, err = d.at(tx.now, setting); err != nil {
			return err
		}
		slot, err := d.open(a.AppointmentFields)
		if err != nil {
			return err
		}
		a.EndTime = slot.EndTime
		if err := tx.refuseDoubleBooking(*a, v.seats, false); err != nil {
			return err
		}
		a.OverbookReason = ""
		if err := tx.seat(d, slot, a); err != nil {
			return err
		}
	case visits:
		var v visitor
		lock := tx.patientLocked(a.PatientID, &v) // one who was deleted since needs none
		if err := tx.later(lock.what, lock.query, lock.args...); err != nil {
			return err
		}
	}
	if old.Status.HoldsSeat() && !a.Status.HoldsSeat() {
		if err := tx.releaseSeat(a.ServiceID, a.Date, a.StartTime); err != nil {
			return err
		}
		a.Overbooked, a.OverbookReason = false, ""
	}
	if a.Status == hospital.CheckedIn && a.QueueNo == nil {
		n, err := tx.nextQueueNo(a.ServiceID, a.Date)
		if err != nil {
			return err
		}
		a.QueueNo = &n
	}
	if err := tx.saveStep(a); err != nil {
		return err
	}
	if visits {
		return tx.noteVisit(a.PatientID)
	}
	return nil
}

// nextQueueNo is the next number of a service's queue on a day. The row is held
// until the commit, so there are neither gaps nor doubles.
func (tx *Tx) nextQueueNo(serviceID int64, date string) (n int, err error) {
	err = tx.queryRow(`INSERT INTO queues (service_id, date, last) VALUES ($1, $2, 1) ON CONFLICT (service_id, date) DO UPDATE SET last = queues.last + 1 RETURNING last`, serviceID, date).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("next queue number: %w", err)
	}
	return n, nil
}

// noteVisit keeps when a patient came last.
func (tx *Tx) noteVisit(patientID int64) error {
	return tx.later("note visit", `UPDATE patients SET last_visit = (SELECT max(date) FROM appointments
		WHERE patient_id = $1 AND `+oneOf("status", hospital.Came...)+` AND deleted_at IS NULL)
		WHERE id = $1`, patientID)
}

// UndoStatus takes back the last status somebody marked, within ten minutes,
// for whoever marked it. Refused: INVALID_TRANSITION for anybody else, later,
// or when something happened since; a seat that was given up is taken again
// only while there is one.
func (db *DB) UndoStatus(ctx context.Context, id, version int64) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		var setting hospital.Setting
		old, err := tx.lockAppointment(id, version, settingRead(&setting))
		if err != nil {
			return err
		}
		history, err := historyOf(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		last := hospital.LastChange(history)
		if _, ok := hospital.UndoableUntil(last, tx.actor, tx.now); !ok {
			return hospital.Refuse(hospital.InvalidTransition).
				With("allowed", old.AllowedStatuses).
				Because("เลิกทำได้เฉพาะสถานะที่ท่านเปลี่ยนเองภายใน 10 นาที และยังไม่มีใครแก้ไขหลังจากนั้น", "Only a status you changed yourself within ten minutes, with nothing changed since, can be undone.")
		}
		a = old
		if err := takeBack(&a, last); err != nil {
			return err
		}
		if err := tx.step(setting, old, &a); err != nil {
			return err
		}
		return tx.happened(hospital.HistoryUndo, old, a, "")
	})
	return a, err
}

// takeBack sets the fields that a change changed to what they were. A queue
// number stays: it was called out, and nobody else gets it.
func takeBack(a *hospital.Appointment, last hospital.HistoryEntry) error {
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
