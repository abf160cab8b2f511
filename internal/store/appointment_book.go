package store

import (
	"cmp"
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

// checkFormat returns errOtherFormat if the settings have another format than the number. It caches the
// format for the next numbers.
func (db *DB) checkFormat(number reservedNumber, setting hospital.Setting) error {
	db.cacheNumberFormat(setting)
	if hospital.NumberFormat(setting.AppointmentNumberFormat) != number.format {
		return errOtherFormat
	}
	return nil
}

// bookAs books an appointment with a number that was taken before, together with bookings of other callers.
func (db *DB) bookAs(
	ctx context.Context, in hospital.NewAppointment, number reservedNumber,
) (hospital.Appointment, error) {
	b := &booking{ctx: ctx, in: in, number: number}
	alone := func() error {
		return db.changeOnce(ctx, b.answer, func(tx *Tx) error {
			if err := tx.bookAll([]*booking{b}); err != nil {
				return err
			}
			return b.err
		})
	}
	err := db.bookings.do(ctx, b, alone)
	if err == nil {
		err = b.err
	}
	return b.appointment, err
}

// booking is a booking with what bookAll reads and writes for it.
type booking struct {
	ctx    context.Context
	in     hospital.NewAppointment
	number reservedNumber

	tx          *Tx // with the actor of ctx
	state       func() (bookingState, error)
	upcoming    func() (int, error)
	rules       bookingRules
	slot        hospital.Slot
	seated      func() (bool, error)
	appointment hospital.Appointment
	err         error // why it was rejected
}

// batchKey prevents that bookings of one patient share a transaction: the second must see the first.
func (b *booking) batchKey() any { return b.in.PatientID }

func (b *booking) answer() any { return b.appointment }

// bookBatch books in one transaction and stores the responses under their idempotency keys. If another
// transaction holds a lock for long, bookBatch fails and each booking runs alone, so that only those that
// need the locked row wait.
func (db *DB) bookBatch(ctx context.Context, bookings []*booking) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`SET LOCAL lock_timeout = '300ms'`)
		if err := tx.bookAll(bookings); err != nil {
			return err
		}
		for _, b := range bookings {
			if r, keyed := requestFrom(b.ctx); keyed && b.err == nil {
				if err := b.tx.storeAnswer(r, b.answer()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// bookAll books appointments of different patients. It reads everything that the bookings depend on in one
// round trip and takes the seats in another one. A rejected booking changes nothing and has the reason in
// its err. Any other error concerns the whole transaction.
func (tx *Tx) bookAll(bookings []*booking) error {
	if err := tx.checkBookings(bookings); err != nil {
		return err
	}
	slices.SortFunc(bookings, func(a, b *booking) int {
		return cmp.Or(cmp.Compare(a.in.ServiceID, b.in.ServiceID), cmp.Compare(a.in.Date, b.in.Date),
			cmp.Compare(a.in.StartTime, b.in.StartTime))
	})
	for _, b := range bookings {
		if b.err == nil {
			b.seated = tx.takeSeat(b.in.ServiceID, b.in.Date, b.slot, 0)
		}
	}
	var booked []*hospital.Appointment
	for _, b := range bookings {
		if b.err == nil {
			b.err = b.tx.seatOrWait(b.rules, b.slot, &b.appointment, b.in, b.seated)
		}
		if b.err == nil {
			booked = append(booked, &b.appointment)
		} else if !isRejected(b.err) {
			return b.err
		}
	}
	if err := tx.insertAppointments(booked...); err != nil {
		return err
	}
	for _, b := range bookings {
		if b.err == nil {
			b.tx.booked(&b.appointment, b.in)
		}
	}
	return nil
}

// checkBookings locks the patients and checks all bookings.
func (tx *Tx) checkBookings(bookings []*booking) error {
	var serviceIDs []int64
	var dates []string
	for _, b := range bookings {
		serviceIDs, dates = append(serviceIDs, b.in.ServiceID), append(dates, b.in.Date)
	}
	rulesOf := tx.queryRulesOf(serviceIDs, slices.Min(dates), slices.Max(dates))
	settingNow := tx.querySetting()
	slices.SortFunc(bookings, func(a, b *booking) int { return cmp.Compare(a.in.PatientID, b.in.PatientID) })
	for _, b := range bookings {
		b.tx, b.err = tx.withActor(b.ctx), nil
		b.state = tx.queryBookingState(b.in)
	}
	idsNow := tx.queryNextIDs(len(bookings))
	setting, err := settingNow()
	if err != nil {
		return err
	}
	ids, err := idsNow()
	if err != nil {
		return err
	}
	for _, b := range bookings {
		b.upcoming = tx.queryUpcoming(setting, b.in.PatientID)
	}
	for i, b := range bookings {
		b.err = b.check(setting, rulesOf, ids[i])
		if b.err != nil && !isRejected(b.err) {
			return b.err
		}
	}
	return nil
}

// check checks a booking and makes its appointment.
func (b *booking) check(
	setting hospital.Setting, rulesOf func(hospital.Setting, int64) (bookingRules, error), id int64,
) error {
	if err := b.tx.db.checkFormat(b.number, setting); err != nil {
		return err
	}
	state, err := b.state()
	if err != nil {
		return orNoSuchPatient(err)
	}
	state.upcoming = b.upcoming
	if b.rules, err = rulesOf(setting, b.in.ServiceID); err != nil {
		return err
	}
	b.appointment = hospital.Appointment{ID: id, Number: b.number.text}
	b.slot, err = b.tx.checkBooking(b.rules, state, b.in, &b.appointment)
	return err
}

// isRejected reports whether err concerns one booking only, so that the transaction can continue.
func isRejected(err error) bool {
	return errors.As(err, new(*hospital.Error)) || errors.Is(err, errOtherFormat)
}

// book takes a seat and writes the appointment a, which has an id, a number and a series. The patient must be
// locked.
func (tx *Tx) book(rules bookingRules, state bookingState, in hospital.NewAppointment, a *hospital.Appointment) error {
	slot, err := tx.checkBooking(rules, state, in, a)
	if err != nil {
		return err
	}
	if err := tx.seatOrWait(rules, slot, a, in, tx.takeSeat(in.ServiceID, in.Date, slot, 0)); err != nil {
		return err
	}
	if err := tx.insertAppointments(a); err != nil {
		return err
	}
	tx.booked(a, in)
	return nil
}

// checkBooking fills in a new appointment and returns its slot, if it can be booked while a seat is free.
func (tx *Tx) checkBooking(
	rules bookingRules, state bookingState, in hospital.NewAppointment, a *hospital.Appointment,
) (slot hospital.Slot, err error) {
	if slot, err = rules.open(in.AppointmentFields); err != nil {
		return slot, err
	}
	*a = hospital.Appointment{
		ID: a.ID, Number: a.Number, PatientID: state.patient.ID, AppointmentFields: in.AppointmentFields,
		EndTime: slot.EndTime, Status: rules.service.InitialStatus(), SeriesID: a.SeriesID, FollowUpOfID: in.FollowUpOfID,
		Version: 1, CreatedAt: tx.now, UpdatedAt: tx.now, Patient: state.patient, Service: rules.service.Ref(),
	}
	if tx.actor.UserID != 0 {
		a.CreatedBy = &tx.actor.UserID
	}
	if a.Staff, err = assignable(rules.service, a.StaffID, state.staff); err != nil {
		return slot, err
	}
	if err := rejectUnknownCustomer(a.CustomerID, state.customer); err != nil {
		return slot, err
	}
	if a.FollowUpOfID != nil && !state.followUp {
		return slot, hospital.Reject(hospital.ValidationFailed).On("followUpOfId",
			"ไม่พบนัดหมายเดิมของผู้ป่วยรายนี้", "This patient has no such earlier appointment.")
	}
	if err := tx.rejectDoubleBooking(*a, state.booked, in.Waitlist); err != nil {
		return slot, err
	}
	return slot, rejectTooMany(rules.setting, state.upcoming)
}

// seatOrWait gives a new appointment the seat that was taken for it, or puts it on the waiting list.
func (tx *Tx) seatOrWait(
	rules bookingRules, slot hospital.Slot, a *hospital.Appointment, in hospital.NewAppointment,
	seated func() (bool, error),
) error {
	err := tx.seatOrReject(rules, slot, a, seated)
	if in.Waitlist && hospital.CodeOf(err) == hospital.SlotFull {
		a.Status = hospital.Waitlisted
		return nil
	}
	return err
}

// booked records that a new appointment was inserted.
func (tx *Tx) booked(a *hospital.Appointment, in hospital.NewAppointment) {
	tx.show(a)
	tx.recordChange(hospital.HistoryCreate, hospital.Appointment{}, *a, in.OverbookReason)
}

// seat takes a seat for the appointment, see seatOrReject.
func (tx *Tx) seat(rules bookingRules, slot hospital.Slot, a *hospital.Appointment) error {
	return tx.seatOrReject(rules, slot, a, tx.takeSeat(a.ServiceID, a.Date, slot, 0))
}

// seatOrReject reads whether a seat was taken for the appointment. If the slot is full and the appointment has
// an overbook reason, it takes one of the extra seats of the service. It returns SLOT_FULL with the next free
// seats, and FORBIDDEN without APPOINTMENT.OVERBOOK.
func (tx *Tx) seatOrReject(
	rules bookingRules, slot hospital.Slot, a *hospital.Appointment, seated func() (bool, error),
) error {
	reason := a.OverbookReason
	a.Overbooked, a.OverbookReason = false, ""
	ok, err := seated()
	if err != nil || ok {
		return err
	}
	full := hospital.Reject(hospital.SlotFull)
	if reason != "" {
		if !tx.actor.Permissions[hospital.AppointmentOverbook] {
			return hospital.Reject(hospital.Forbidden).With("permission", hospital.AppointmentOverbook)
		}
		extra := rules.service.OverbookLimit
		ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, extra)()
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

// rejectDoubleBooking returns PATIENT_DOUBLE_BOOKED with the first appointment of the patient that overlaps
// a, see overlapping.
func (tx *Tx) rejectDoubleBooking(a hospital.Appointment, booked []bookedTime, waiting bool) error {
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

// queryUpcoming queries how many upcoming appointments a patient has, if the settings limit them.
func (tx *Tx) queryUpcoming(setting hospital.Setting, patientID int64) func() (int, error) {
	if setting.MaxActivePerPatient <= 0 {
		return func() (int, error) { return 0, nil }
	}
	return tx.queryUpcomingOf("patient_id", patientID)
}

// rejectTooMany returns TOO_MANY_ACTIVE if the patient has as many upcoming appointments as the settings allow.
func rejectTooMany(setting hospital.Setting, upcoming func() (int, error)) error {
	most := setting.MaxActivePerPatient
	if most <= 0 {
		return nil
	}
	n, err := upcoming()
	if err != nil || n < most {
		return err
	}
	return hospital.Reject(hospital.TooManyActive).With("count", n).With("max", most).Because(
		fmt.Sprintf("ผู้ป่วยมีนัดที่จะถึง %d รายการ ครบจำนวนที่กำหนดแล้ว กรุณายกเลิกนัดเดิมหรือรอให้ผ่านไปก่อน", n),
		fmt.Sprintf("The patient has %d coming appointments, as many as are allowed. "+
			"Cancel one, or wait until one has passed.", n))
}
