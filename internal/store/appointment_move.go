package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// UpdateAppointment lets apply change the fields of an appointment. A new date,
// time or service moves it: the new seat is taken and the old one released
// together, and the number stays. The status is set by hospital.Appointment.MovedTo,
// which also allows a no-show to be booked again on a later date. It returns
// CONFLICT_VERSION with the current record for a stale version, VALIDATION_FAILED for
// invalid fields, INVALID_TRANSITION from MovedTo, and the errors of a booking.
func (db *DB) UpdateAppointment(ctx context.Context, id, version int64, apply func(*hospital.AppointmentFields) error) (a hospital.Appointment, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return a, err
	}
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		old, err := tx.lockAppointment(id, version)
		if err != nil {
			return err
		}
		fields := old.AppointmentFields
		if err := apply(&fields); err != nil {
			return err
		}
		fields = fields.Clean()
		if err := fields.Validate(); err != nil {
			return err
		}
		a, err = tx.updateAppointment(setting, old, fields)
		return err
	})
	return a, err
}

func (tx *Tx) updateAppointment(setting hospital.Setting, old hospital.Appointment, fields hospital.AppointmentFields) (a hospital.Appointment, err error) {
	a = old
	a.AppointmentFields = fields
	moved := old.ServiceID != a.ServiceID || old.Date != a.Date || old.StartTime != a.StartTime
	var d desk
	var v visitor
	if moved || !same(old.StaffID, a.StaffID) {
		questions := tx.deskAsked(a.ServiceID, a.Date, a.Date, &d)
		if a.StaffID != nil {
			questions = append(questions, staffRead(*a.StaffID, &v.staff))
		}
		if err := tx.gather(questions...); err != nil {
			return a, err
		}
		if d, err = d.at(tx.now, setting); err != nil {
			return a, err
		}
		a.Service = d.service.Ref()
		if a.Staff, err = assignable(d.service, a.StaffID, v.staff); err != nil {
			return a, err
		}
	}
	if a.CustomerID != nil && !same(old.CustomerID, a.CustomerID) {
		if err := tx.gather(customerRead(*a.CustomerID, &v.customer)); err != nil {
			return a, err
		}
		if err := refuseUnknownCustomer(a.CustomerID, v.customer); err != nil {
			return a, err
		}
	}
	action := hospital.HistoryUpdate
	if moved {
		action = hospital.HistoryReschedule
		if err := tx.move(d, old, &a); err != nil {
			return a, err
		}
	} else {
		a.OverbookReason = old.OverbookReason // belongs to the seat
	}
	if len(diff(bare(old), bare(a))) == 0 {
		return old, nil
	}
	if err := tx.saveAppointment(&a); err != nil {
		return a, err
	}
	return a, tx.happened(action, old, a, "")
}

func same(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// move takes the new seat and releases the old one, in the order of their keys.
func (tx *Tx) move(d desk, old hospital.Appointment, a *hospital.Appointment) error {
	status, err := old.MovedTo(d.service, a.Date)
	if err != nil {
		return err
	}
	a.Status = status
	var v visitor
	if err := tx.gather(tx.patientLocked(a.PatientID, &v), seatsRead(a.PatientID, a.Date, &v)); err != nil {
		return err
	}
	if !v.found {
		return hospital.Refuse(hospital.NotFound)
	}
	slot, err := d.open(a.AppointmentFields)
	if err != nil {
		return err
	}
	a.EndTime, a.QueueNo = slot.EndTime, nil
	if err := tx.refuseDoubleBooking(*a, v.seats, !a.Status.HoldsSeat()); err != nil {
		return err
	}
	if old.Status == hospital.NoShow { // it becomes an upcoming appointment again
		if err := tx.refuseTooMany(d, a.PatientID); err != nil {
			return err
		}
	}
	if !a.Status.HoldsSeat() {
		return nil
	}
	release := func() error { return tx.releaseSeat(old.ServiceID, old.Date, old.StartTime) }
	if before := slotKey(*a) > slotKey(old); before {
		if err := release(); err != nil {
			return err
		}
		return tx.seat(d, slot, a)
	}
	if err := tx.seat(d, slot, a); err != nil {
		return err
	}
	return release()
}

// slotKey orders slots as everybody locks them.
func slotKey(a hospital.Appointment) string {
	return fmt.Sprintf("%020d %s %s", a.ServiceID, a.Date, a.StartTime)
}
