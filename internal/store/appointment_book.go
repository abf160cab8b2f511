package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

// Book takes a seat for a patient, exactly while there is one. Refused, in this
// order: wrong fields; a patient, service, member of staff or customer that
// does not exist, or an earlier visit that is not this patient's; SLOT_PAST, OUT_OF_WINDOW, SLOT_CLOSED, OUT_OF_SCHEDULE;
// PATIENT_DOUBLE_BOOKED with the other appointment; TOO_MANY_ACTIVE; SLOT_FULL
// with the next free seats, unless the patient waits or somebody who may
// overbook gives a reason (FORBIDDEN for who may not). A repeat with the same
// idempotency key returns the first answer and books nothing.
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
		if err != nil || a.Number != number.number {
			db.giveBack(number, err)
		}
		if err != errOtherFormat { //nolint:errorlint // our own value, never wrapped
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
	before := answered{key: in.IdempotencyKey, request: toJSON(in)}
	// On PostgreSQL it is looked for on the way. With SQLite a repeat is found when
	// it is refused, at last because its key is taken.
	look := before.key != "" && db.dialect.rowLocks
	err = db.change(ctx, func(tx *Tx) (err error) {
		var d desk
		var v visitor
		var setting hospital.Setting
		questions := append(append(deskAsked(in.ServiceID, in.Date, in.Date, &d), settingRead(&setting)), tx.visitorAsked(in, &v)...)
		if look {
			questions = append(questions, tx.answerRead(&before))
		}
		if err := tx.gather(questions...); err != nil {
			return err
		}
		if before.found {
			return nil // committed, with the lock on the patient: so it waits until the standby has what was done before, too
		}
		if before.key != "" && !look {
			defer func() {
				if err != nil && tx.gather(tx.answerRead(&before)) == nil && before.found {
					err = errRepeat
				}
			}()
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
		if a, err = tx.book(d, v, in, number.number, nil); err != nil {
			return err
		}
		return tx.answer(before, a)
	})
	if err == errRepeat || err == nil && before.found { //nolint:errorlint // our own value, never wrapped
		err = before.repeat(&a)
	}
	return a, err
}

// book takes the seat and writes the appointment. The patient is locked.
func (tx *Tx) book(d desk, v visitor, in hospital.NewAppointment, number string, seriesID *int64) (a hospital.Appointment, err error) {
	slot, err := d.open(in.AppointmentFields)
	if err != nil {
		return a, err
	}
	a = hospital.Appointment{
		ID: v.id, Number: number, PatientID: v.ID, AppointmentFields: in.AppointmentFields, EndTime: slot.EndTime, Status: hospital.Booked, SeriesID: seriesID, FollowUpOfID: in.FollowUpOfID,
		Version: 1, CreatedAt: tx.now, UpdatedAt: tx.now, Patient: v.PatientRef, Service: d.service.Ref(),
	}
	if tx.actor.UserID != 0 {
		a.CreatedBy = &tx.actor.UserID
	}
	if d.service.RequiresApproval {
		a.Status = hospital.Pending
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
	next, err := tx.nextFree(d, a.Date, a.StartTime)
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

// nextFree are the next free seats of a service after a time, within a month.
func (tx *Tx) nextFree(d desk, date, start string) ([]FreeSeat, error) {
	const wanted, horizon = 5, 30
	days, err := daysOf(tx.ctx, tx.tx, d.service, date, hospital.AddDays(date, horizon), d.now)
	seats := []FreeSeat{}
	for _, day := range days {
		for _, slot := range day.Slots {
			if slot.Available > 0 && (day.Date > date || slot.StartTime > start) && len(seats) < wanted {
				seats = append(seats, FreeSeat{day.Date, slot.StartTime, slot.EndTime, slot.Available})
			}
		}
	}
	return seats, err
}

var seatStatuses = slices.DeleteFunc(slices.Clone(hospital.AppointmentStatuses), func(s hospital.AppointmentStatus) bool { return !s.HoldsSeat() })

// refuseDoubleBooking finds another seat of the patient at an overlapping time;
// for somebody who waits also a place in the same line.
func (tx *Tx) refuseDoubleBooking(a hospital.Appointment, seats []otherSeat, waiting bool) error {
	i := slices.IndexFunc(seats, func(o otherSeat) bool {
		return o.id != a.ID && o.start < a.EndTime && o.end > a.StartTime && (o.status.HoldsSeat() || waiting && o.status == hospital.Waitlisted)
	})
	if i < 0 {
		return nil
	}
	o, err := readAppointment(tx.ctx, tx.tx, seats[i].id)
	if err != nil {
		return err
	}
	return hospital.Refuse(hospital.PatientDoubleBooked).With("appointment", o).Because(
		fmt.Sprintf("ผู้ป่วยมีนัด %s เวลา %s–%s น. อยู่แล้ว (%s) กรุณาเลือกเวลาอื่น หรือเลื่อนนัดเดิมก่อน", o.Service.Name, o.StartTime, o.EndTime, o.Number),
		fmt.Sprintf("The patient is booked for %s at %s–%s already (%s). Choose another time, or move that appointment first.", o.Service.Name, o.StartTime, o.EndTime, o.Number))
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
