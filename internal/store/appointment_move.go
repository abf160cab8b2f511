package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// UpdateAppointment lets apply change the fields of an appointment. A new date,
// time or service moves it: the new seat is taken and the old one released
// together, and the number stays. The status is set by hospital.Appointment.StatusAfterMove,
// which also allows a no-show to be booked again on a later date. It returns
// CONFLICT_VERSION with the current record for a stale version, VALIDATION_FAILED for
// invalid fields, INVALID_TRANSITION from StatusAfterMove, and the errors of a booking.
func (db *DB) UpdateAppointment(
	ctx context.Context, id, version int64, apply func(*hospital.AppointmentFields) error,
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

// updateAppointment writes the fields of a locked appointment. Everything that the change depends on is read
// in one round trip.
func (tx *Tx) updateAppointment(
	setting hospital.Setting, old hospital.Appointment, fields hospital.AppointmentFields,
) (a hospital.Appointment, err error) {
	a = old
	a.AppointmentFields = fields
	moved := old.ServiceID != a.ServiceID || old.Date != a.Date || old.StartTime != a.StartTime
	var newCustomer *int64
	if !same(old.CustomerID, a.CustomerID) {
		newCustomer = a.CustomerID
	}
	customerNow := tx.queryCustomer(newCustomer)
	var rules bookingRules
	var bookedNow func() ([]bookedTime, error)
	if moved || !same(old.StaffID, a.StaffID) {
		rulesOf := tx.queryBookingRules(a.ServiceID, a.Date, a.Date)
		staffNow := tx.queryStaff(a.StaffID)
		if moved {
			bookedNow = tx.queryPatientDay(a.PatientID, a.Date)
		}
		if rules, err = rulesOf(setting); err != nil {
			return a, err
		}
		a.Service = rules.service.Ref()
		staff, err := staffNow()
		if err != nil {
			return a, err
		}
		if a.Staff, err = assignable(rules.service, a.StaffID, staff); err != nil {
			return a, err
		}
	}
	found, err := customerNow()
	if err != nil {
		return a, err
	}
	if err := rejectUnknownCustomer(newCustomer, found); err != nil {
		return a, err
	}
	action := hospital.HistoryUpdate
	if moved {
		action = hospital.HistoryReschedule
		if err := tx.move(rules, old, &a, bookedNow); err != nil {
			return a, err
		}
	} else {
		a.OverbookReason = old.OverbookReason // belongs to the seat
	}
	if len(diff(bare(old), bare(a))) == 0 {
		return old, nil
	}
	tx.saveAppointment(&a)
	tx.recordChange(action, old, a, "")
	return a, nil
}

func same(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// move takes the new seat and releases the old one, in the order of slotKey. bookedNow is the result of
// queryPatientDay for the new date.
func (tx *Tx) move(
	rules bookingRules, old hospital.Appointment, a *hospital.Appointment, bookedNow func() ([]bookedTime, error),
) error {
	status, err := old.StatusAfterMove(rules.service, a.Date)
	if err != nil {
		return err
	}
	a.Status = status
	booked, err := bookedNow()
	if err != nil {
		return err
	}
	slot, err := rules.open(a.AppointmentFields)
	if err != nil {
		return err
	}
	a.EndTime, a.QueueNo = slot.EndTime, nil
	if err := tx.rejectDoubleBooking(*a, booked, !a.Status.HoldsSeat()); err != nil {
		return err
	}
	if old.Status == hospital.NoShow { // it becomes an upcoming appointment again
		if err := rejectTooMany(rules.setting, tx.queryUpcoming(rules.setting, a.PatientID)); err != nil {
			return err
		}
	}
	if !a.Status.HoldsSeat() {
		return nil
	}
	if slotKey(*a) > slotKey(old) {
		tx.releaseSeat(old.ServiceID, old.Date, old.StartTime)
		return tx.seat(rules, slot, a)
	}
	if err := tx.seat(rules, slot, a); err != nil {
		return err
	}
	tx.releaseSeat(old.ServiceID, old.Date, old.StartTime)
	return nil
}

// slotKey is the order in which all transactions lock slots.
func slotKey(a hospital.Appointment) string {
	return fmt.Sprintf("%020d %s %s", a.ServiceID, a.Date, a.StartTime)
}
