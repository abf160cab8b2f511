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
	for {
		number, err := db.takeNumber(ctx, db.numberFormat())
		if err != nil {
			return a, err
		}
		a, err = db.bookAs(ctx, in, number)
		if err != nil {
			db.returnNumber(number, err)
		}
		if !errors.Is(err, errOtherFormat) && !isNumberTaken(err) {
			return a, err
		}
	}
}

// errOtherFormat means that the format of appointment numbers has changed since a number was taken.
var errOtherFormat = errors.New("the format of appointment numbers has changed")

// checkFormat returns errOtherFormat for a number in another format than that of the settings, which it
// makes the format of the next numbers.
func (db *DB) checkFormat(number reservedNumber, setting hospital.Setting) error {
	db.heardSetting(setting)
	if hospital.NumberFormat(setting.AppointmentNumberFormat) != number.format {
		return errOtherFormat
	}
	return nil
}

// bookAs books an appointment with a number that was taken before. Everything that the booking depends on
// is read in one round trip.
func (db *DB) bookAs(
	ctx context.Context, in hospital.NewAppointment, number reservedNumber,
) (a hospital.Appointment, err error) {
	err = db.changeOnce(ctx, valueOf(&a), func(tx *Tx) error {
		rulesOf := tx.queryBookingRules(in.ServiceID, in.Date, in.Date)
		settingNow := tx.querySetting()
		stateNow := tx.queryBookingState(in)
		setting, err := settingNow()
		if err != nil {
			return err
		}
		if err := db.checkFormat(number, setting); err != nil {
			return err
		}
		state, err := stateNow()
		if err != nil {
			return orNoSuchPatient(err)
		}
		rules, err := rulesOf(setting)
		if err != nil {
			return err
		}
		a, err = tx.book(rules, state, in, number.text, nil)
		return err
	})
	return a, err
}

// book takes a seat and writes the appointment. The patient must be locked.
func (tx *Tx) book(
	rules bookingRules, state bookingState, in hospital.NewAppointment, number string, seriesID *int64,
) (a hospital.Appointment, err error) {
	slot, err := rules.open(in.AppointmentFields)
	if err != nil {
		return a, err
	}
	a = hospital.Appointment{
		ID: state.nextID, Number: number, PatientID: state.patient.ID, AppointmentFields: in.AppointmentFields,
		EndTime: slot.EndTime, Status: rules.service.InitialStatus(), SeriesID: seriesID, FollowUpOfID: in.FollowUpOfID,
		Version: 1, CreatedAt: tx.now, UpdatedAt: tx.now, Patient: state.patient, Service: rules.service.Ref(),
	}
	if tx.actor.UserID != 0 {
		a.CreatedBy = &tx.actor.UserID
	}
	if a.Staff, err = assignable(rules.service, a.StaffID, state.staff); err != nil {
		return a, err
	}
	if err := refuseUnknownCustomer(a.CustomerID, state.customer); err != nil {
		return a, err
	}
	if a.FollowUpOfID != nil && !state.followUp {
		return a, hospital.Reject(hospital.ValidationFailed).On("followUpOfId",
			"ไม่พบนัดหมายเดิมของผู้ป่วยรายนี้", "This patient has no such earlier appointment.")
	}
	if err := tx.refuseDoubleBooking(a, state.booked, in.Waitlist); err != nil {
		return a, err
	}
	if err := tx.refuseTooMany(rules, a.PatientID); err != nil {
		return a, err
	}
	if err := tx.seat(rules, slot, &a); err != nil {
		if !in.Waitlist || hospital.CodeOf(err) != hospital.SlotFull {
			return a, err
		}
		a.Status = hospital.Waitlisted
	}
	if err := tx.insertAppointment(&a); err != nil {
		return a, err
	}
	tx.happened(hospital.HistoryCreate, hospital.Appointment{}, a, in.OverbookReason)
	return a, nil
}

// seat takes a seat for the appointment. If the slot is full and the appointment has an overbook reason,
// it takes one of the extra seats of the service. It returns SLOT_FULL with the next free seats, and
// FORBIDDEN without APPOINTMENT.OVERBOOK.
func (tx *Tx) seat(rules bookingRules, slot hospital.Slot, a *hospital.Appointment) error {
	reason := a.OverbookReason
	a.Overbooked, a.OverbookReason = false, ""
	ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, 0)
	if err != nil || ok {
		return err
	}
	full := hospital.Reject(hospital.SlotFull)
	if reason != "" {
		if !tx.actor.Permissions[hospital.AppointmentOverbook] {
			return hospital.Reject(hospital.Forbidden).With("permission", hospital.AppointmentOverbook)
		}
		extra := rules.service.OverbookLimit
		ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, extra)
		if err != nil {
			return err
		}
		if ok {
			a.OverbookReason = reason
			a.Overbooked, err = tx.overfull(a.ServiceID, a.Date, slot)
			return err
		}
		full = full.Because(
			fmt.Sprintf("ช่วงเวลานี้เต็มและจองเกินจำนวนครบ %d คนแล้ว กรุณาเลือกเวลาอื่น หรือลงชื่อรอคิวว่าง", extra),
			fmt.Sprintf("This slot is full, with all %d extra seats taken. "+
				"Choose another time, or put the patient on the waiting list.", extra))
	}
	next, err := tx.nextFree(rules, *a)
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
func (tx *Tx) nextFree(rules bookingRules, a hospital.Appointment) ([]FreeSeat, error) {
	const wanted, horizon = 5, 30
	last := hospital.AddDays(a.Date, horizon)
	queried := tx.queryBooked(a.PatientID, a.Date, last)
	days, err := tx.offersOf(rules.service, a.Date, last)
	if err != nil {
		return nil, err
	}
	booked, err := queried()
	if err != nil {
		return nil, err
	}
	seats := []FreeSeat{}
	for _, day := range days {
		for _, slot := range rules.service.WithStates(rules.terms(a.AppointmentFields), day).Slots {
			at := a
			at.Date, at.StartTime, at.EndTime = day.Date, slot.StartTime, slot.EndTime
			later := day.Date > a.Date || slot.StartTime > a.StartTime
			free := slot.State == hospital.StateFree && overlapping(at, booked, false) < 0
			if later && free && len(seats) < wanted {
				seats = append(seats, FreeSeat{day.Date, slot.StartTime, slot.EndTime, slot.Available})
			}
		}
	}
	return seats, nil
}

// refuseDoubleBooking returns PATIENT_DOUBLE_BOOKED with the first appointment of the patient that overlaps
// a, see overlapping.
func (tx *Tx) refuseDoubleBooking(a hospital.Appointment, booked []bookedTime, waiting bool) error {
	i := overlapping(a, booked, waiting)
	if i < 0 {
		return nil
	}
	o, err := tx.readAppointment(booked[i].id)
	if err != nil {
		return err
	}
	return hospital.Reject(hospital.PatientDoubleBooked).With("appointment", o).Because(
		fmt.Sprintf("ผู้ป่วยมีนัด %s เวลา %s–%s น. อยู่แล้ว (%s) กรุณาเลือกเวลาอื่น หรือเลื่อนนัดเดิมก่อน",
			o.Service.Name, o.StartTime, o.EndTime, o.Number),
		fmt.Sprintf("The patient is booked for %s at %s–%s already (%s). "+
			"Choose another time, or move that appointment first.", o.Service.Name, o.StartTime, o.EndTime, o.Number))
}

// overlapping returns the index of the first time at which the patient has another appointment that overlaps
// a, or -1. If waiting is set, waitlisted appointments count as well.
func overlapping(a hospital.Appointment, booked []bookedTime, waiting bool) int {
	return slices.IndexFunc(booked, func(o bookedTime) bool {
		held := o.status.HoldsSeat() || waiting && o.status == hospital.Waitlisted
		return o.id != a.ID && o.date == a.Date && o.start < a.EndTime && o.end > a.StartTime && held
	})
}

// refuseTooMany returns TOO_MANY_ACTIVE if the patient has as many upcoming appointments as the settings allow.
func (tx *Tx) refuseTooMany(rules bookingRules, patientID int64) error {
	most := rules.setting.MaxActivePerPatient
	if most <= 0 {
		return nil
	}
	n, err := tx.countUpcoming("patient_id", patientID)
	if err != nil || n < most {
		return err
	}
	return hospital.Reject(hospital.TooManyActive).With("count", n).With("max", most).Because(
		fmt.Sprintf("ผู้ป่วยมีนัดที่จะถึง %d รายการ ครบจำนวนที่กำหนดแล้ว กรุณายกเลิกนัดเดิมหรือรอให้ผ่านไปก่อน", n),
		fmt.Sprintf("The patient has %d coming appointments, as many as are allowed. "+
			"Cancel one, or wait until one has passed.", n))
}
