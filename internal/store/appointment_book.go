package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

// Book books an appointment and takes a seat. It returns, in this order: VALIDATION_FAILED for
// invalid fields, for a patient, service, staff member or customer that does not exist, and for
// an earlier visit of another patient; SLOT_PAST, OUT_OF_WINDOW, SLOT_CLOSED or OUT_OF_SCHEDULE;
// PATIENT_DOUBLE_BOOKED with the other appointment; TOO_MANY_ACTIVE; and SLOT_FULL with the next
// free seats, unless the patient joins the waiting list or is overbooked with a reason
// (FORBIDDEN without APPOINTMENT.OVERBOOK).
func (db *DB) Book(ctx context.Context, in hospital.NewAppointment) (a hospital.Appointment, err error) {
	in.AppointmentFields = in.Clean()
	if err := in.Validate(); err != nil {
		return a, err
	}
	format := db.numberFormat()
	for {
		number, err := db.takeNumber(ctx, format)
		if err != nil {
			return a, err
		}
		a, err = db.bookAs(ctx, in, number)
		if err != nil {
			db.giveBack(number, err)
		}
		if !errors.Is(err, errOtherFormat) && !isNumberTaken(err) {
			return a, err
		}
		format = db.numberFormat()
	}
}

// errOtherFormat tells that numbers are written in another way by now.
var errOtherFormat = errors.New("another format of numbers")

// bookAs books under a number that was taken beforehand. All it is decided with
// is read in one go, in the transaction.
func (db *DB) bookAs(ctx context.Context, in hospital.NewAppointment, number ticket) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) (err error) {
		var d desk
		var v visitor
		var setting hospital.Setting
		questions := append(tx.deskAsked(in.ServiceID, in.Date, in.Date, &d), settingRead(&setting))
		questions = append(questions, tx.visitorAsked(in, &v)...)
		if err := tx.gather(questions...); err != nil {
			return err
		}
		db.heardSetting(setting)
		if hospital.NumberFormat(setting.AppointmentNumberFormat) != number.format {
			return errOtherFormat
		}
		if !v.found {
			return noSuchPatient()
		}
		if d, err = d.at(tx.now, setting); err != nil {
			return err
		}
		a, err = tx.book(d, v, in, number.number, nil)
		return err
	})
	return a, err
}

// book takes the seat and writes the appointment. The patient is locked.
func (tx *Tx) book(d desk, v visitor, in hospital.NewAppointment, number string, seriesID *int64) (a hospital.Appointment, err error) {
	slot, err := d.open(in.AppointmentFields)
	if err != nil {
		return a, err
	}
	a = hospital.Appointment{
		ID: v.id, Number: number, PatientID: v.ID, AppointmentFields: in.AppointmentFields, EndTime: slot.EndTime,
		Status: d.service.StartsAs(), SeriesID: seriesID, FollowUpOfID: in.FollowUpOfID,
		Version: 1, CreatedAt: tx.now, UpdatedAt: tx.now, Patient: v.PatientRef, Service: d.service.Ref(),
	}
	if tx.actor.UserID != 0 {
		a.CreatedBy = &tx.actor.UserID
	}
	if a.Staff, err = assignable(d.service, a.StaffID, v.staff); err != nil {
		return a, err
	}
	if err := refuseUnknownCustomer(a.CustomerID, v.customer); err != nil {
		return a, err
	}
	if a.FollowUpOfID != nil && !v.follows {
		return a, hospital.Refuse(hospital.ValidationFailed).On("followUpOfId", "ไม่พบนัดหมายเดิมของผู้ป่วยรายนี้", "This patient has no such earlier appointment.")
	}
	if err := tx.refuseDoubleBooking(a, v.seats, in.Waitlist); err != nil {
		return a, err
	}
	if err := tx.refuseTooMany(d, v.ID); err != nil {
		return a, err
	}
	if err := tx.seat(d, slot, &a); err != nil {
		if !in.Waitlist || hospital.CodeOf(err) != hospital.SlotFull {
			return a, err
		}
		a.Status = hospital.Waitlisted
	}
	if err := tx.insertAppointment(&a); err != nil {
		return a, err
	}
	return a, tx.happened(hospital.HistoryCreate, hospital.Appointment{}, a, in.OverbookReason)
}

// seat takes a seat for the appointment, beyond the capacity for a reason given
// by somebody who may.
func (tx *Tx) seat(d desk, slot hospital.Slot, a *hospital.Appointment) error {
	reason := a.OverbookReason
	a.Overbooked, a.OverbookReason = false, ""
	ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, 0)
	if err != nil || ok {
		return err
	}
	full := hospital.Refuse(hospital.SlotFull)
	if reason != "" {
		if !tx.actor.Permissions[hospital.AppointmentOverbook] {
			return hospital.Refuse(hospital.Forbidden).With("permission", hospital.AppointmentOverbook)
		}
		ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, d.service.OverbookLimit)
		if err != nil {
			return err
		}
		if ok {
			a.OverbookReason = reason
			a.Overbooked, err = tx.overfull(a.ServiceID, a.Date, slot)
			return err
		}
		full = full.Because(fmt.Sprintf("ช่วงเวลานี้เต็มและจองเกินจำนวนครบ %d คนแล้ว กรุณาเลือกเวลาอื่น หรือลงชื่อรอคิวว่าง", d.service.OverbookLimit),
			fmt.Sprintf("This slot is full, with all %d extra seats taken. Choose another time, or put the patient on the waiting list.", d.service.OverbookLimit))
	}
	next, err := tx.nextFree(d, *a)
	if err != nil {
		return err
	}
	return full.With("nextFree", next)
}

// FreeSeat is a seat that can be taken.
type FreeSeat struct {
	Date      string `json:"date"`
	StartTime string `json:"startTime"`
	EndTime   string `json:"endTime"`
	Available int    `json:"available"`
}

// nextFree returns the next slots within a month after the requested time in which the same appointment can be
// booked: those that are FREE and do not overlap another appointment of the patient.
func (tx *Tx) nextFree(d desk, a hospital.Appointment) ([]FreeSeat, error) {
	const wanted, horizon = 5, 30
	last := hospital.AddDays(a.Date, horizon)
	days, err := offersOf(tx.ctx, tx.tx, d.service, a.Date, last)
	if err != nil {
		return nil, err
	}
	var v visitor
	if err := tx.gather(seatsBetween(a.PatientID, a.Date, last, &v)); err != nil {
		return nil, err
	}
	seats := []FreeSeat{}
	for _, day := range days {
		for _, slot := range d.service.For(d.terms(a.AppointmentFields), day).Slots {
			at := a
			at.Date, at.StartTime, at.EndTime = day.Date, slot.StartTime, slot.EndTime
			later := day.Date > a.Date || slot.StartTime > a.StartTime
			if later && slot.State == hospital.StateFree && overlapping(at, v.seats, false) < 0 && len(seats) < wanted {
				seats = append(seats, FreeSeat{day.Date, slot.StartTime, slot.EndTime, slot.Available})
			}
		}
	}
	return seats, nil
}

// refuseDoubleBooking finds another seat of the patient at an overlapping time;
// for somebody who waits also a place in the same line.
func (tx *Tx) refuseDoubleBooking(a hospital.Appointment, seats []otherSeat, waiting bool) error {
	i := overlapping(a, seats, waiting)
	if i < 0 {
		return nil
	}
	o, err := tx.db.readAppointment(tx.ctx, tx.tx, seats[i].id)
	if err != nil {
		return err
	}
	return hospital.Refuse(hospital.PatientDoubleBooked).With("appointment", o).Because(
		fmt.Sprintf("ผู้ป่วยมีนัด %s เวลา %s–%s น. อยู่แล้ว (%s) กรุณาเลือกเวลาอื่น หรือเลื่อนนัดเดิมก่อน", o.Service.Name, o.StartTime, o.EndTime, o.Number),
		fmt.Sprintf("The patient is booked for %s at %s–%s already (%s). Choose another time, or move that appointment first.", o.Service.Name, o.StartTime, o.EndTime, o.Number))
}

// overlapping returns the index of the first seat that overlaps an appointment, or -1. If waiting is set, waitlisted
// appointments count as well.
func overlapping(a hospital.Appointment, seats []otherSeat, waiting bool) int {
	return slices.IndexFunc(seats, func(o otherSeat) bool {
		held := o.status.HoldsSeat() || waiting && o.status == hospital.Waitlisted
		return o.id != a.ID && o.date == a.Date && o.start < a.EndTime && o.end > a.StartTime && held
	})
}

// refuseTooMany keeps to how many coming appointments one patient may have.
func (tx *Tx) refuseTooMany(d desk, patientID int64) error {
	most := d.setting.MaxActivePerPatient
	if most <= 0 {
		return nil
	}
	n, err := tx.countUpcoming("patient_id", patientID)
	if err != nil || n < most {
		return err
	}
	return hospital.Refuse(hospital.TooManyActive).With("count", n).With("max", most).Because(
		fmt.Sprintf("ผู้ป่วยมีนัดที่จะถึง %d รายการ ครบจำนวนที่กำหนดแล้ว กรุณายกเลิกนัดเดิมหรือรอให้ผ่านไปก่อน", n),
		fmt.Sprintf("The patient has %d coming appointments, as many as are allowed. Cancel one, or wait until one has passed.", n))
}
