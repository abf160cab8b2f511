package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

// BookSeries books an appointment on each day of a series, at the same time of day or in the nearest free slot,
// all or none. Days on which the service is closed are skipped and returned. It returns the errors of a
// booking; SLOT_FULL contains the day without a free slot. A preview books nothing: its appointments have no
// id and no number.
func (db *DB) BookSeries(
	ctx context.Context, in hospital.Series, preview bool,
) (items []hospital.Appointment, skipped []hospital.Skipped, err error) {
	in.AppointmentFields = in.Clean()
	if err := in.Validate(); err != nil {
		return nil, nil, err
	}
	if preview { // it changes nothing, so its idempotency key is ignored
		ctx = WithRequest(ctx, Request{})
	}
	for {
		items, skipped, err = db.bookSeries(ctx, in, preview)
		if !errors.Is(err, errOtherFormat) && !isNumberTaken(err) {
			return items, skipped, err
		}
	}
}

// bookSeries books a series with the next numbers.
func (db *DB) bookSeries(
	ctx context.Context, in hospital.Series, preview bool,
) (items []hospital.Appointment, skipped []hospital.Skipped, err error) {
	var numbers []reservedNumber
	defer func() {
		for _, n := range numbers {
			if err != nil || preview || !usedNumber(items, n.text) {
				db.returnNumber(n, err)
			}
		}
	}()
	format := db.numberFormat()
	for range in.Count {
		n, err := db.takeNumber(ctx, format)
		if err != nil {
			return nil, nil, err
		}
		numbers = append(numbers, n)
	}
	err = db.changeOnce(ctx, func() any { return SeriesBooked{items, skipped} }, func(tx *Tx) (err error) {
		if items, skipped, err = tx.bookSeries(in, numbers); err == nil && preview {
			err = errPreview
		}
		return err
	})
	if preview && errors.Is(err, errPreview) {
		err = nil
		for i := range items {
			items[i].ID, items[i].Number, items[i].SeriesID = 0, "", nil
		}
	}
	return items, skipped, err
}

// bookSeries books a series with numbers that were taken before, one for each day.
func (tx *Tx) bookSeries(
	in hospital.Series, numbers []reservedNumber,
) (items []hospital.Appointment, skipped []hospital.Skipped, err error) {
	items, skipped = []hospital.Appointment{}, []hospital.Skipped{}
	dates := in.Dates()
	last := dates[len(dates)-1]
	rulesOf := tx.queryBookingRules(in.ServiceID, in.Date, last)
	settingNow := tx.querySetting()
	patientNow := tx.queryPatientLock(in.PatientID)
	slotsNow := tx.querySlots(slotFilter(in.Date, last, in.ServiceID))
	setting, err := settingNow()
	if err != nil {
		return items, skipped, err
	}
	if err := tx.db.checkFormat(numbers[0], setting); err != nil {
		return items, skipped, err
	}
	if _, err := patientNow(); err != nil {
		return items, skipped, orNoSuchPatient(err)
	}
	rules, err := rulesOf(setting)
	if err != nil {
		return items, skipped, err
	}
	slots, err := slotsNow()
	if err != nil {
		return items, skipped, err
	}
	for i, day := range rules.service.Days(dates, rules.closures, slots, rules.terms(in.AppointmentFields)) {
		if reason, closed := noService(day); closed {
			skipped = append(skipped, hospital.Skipped{Date: day.Date, Reason: reason})
			continue
		}
		a, err := tx.bookNear(rules, in.NewAppointment, day, numbers[i].text, items)
		if err != nil {
			return items, skipped, err
		}
		items = append(items, a)
	}
	if len(items) == 0 {
		return items, skipped, hospital.Reject(hospital.SlotClosed).Because(
			"บริการนี้ไม่เปิดในวันใดของชุดนัดเลย กรุณาเลือกวันเริ่มหรือระยะห่างใหม่",
			"The service is open on none of these days. Choose another first day or distance.").With("skipped", skipped)
	}
	return items, skipped, nil
}

// SeriesBooked is the result of BookSeries.
type SeriesBooked struct {
	Items   []hospital.Appointment `json:"items"`
	Skipped []hospital.Skipped     `json:"skipped" doc:"Days on which the service is closed"`
}

// errPreview rolls back the transaction of a preview.
var errPreview = errors.New("only a preview")

func usedNumber(items []hospital.Appointment, number string) bool {
	return slices.ContainsFunc(items, func(a hospital.Appointment) bool { return a.Number == number })
}

// noService reports whether all slots of a day are closed, and why.
func noService(day hospital.DaySlots) (reason string, closed bool) {
	for _, slot := range day.Slots {
		if !slot.Closed {
			return "", false
		}
	}
	if day.Reason == "" {
		return "ไม่ใช่วันที่เปิดให้บริการ", true
	}
	return day.Reason, true
}

// bookNear books the requested time, or the nearest free slot of the day at which the patient has no other
// appointment. The patient is locked already.
func (tx *Tx) bookNear(
	rules bookingRules, in hospital.NewAppointment, day hospital.DaySlots, number string, booked []hospital.Appointment,
) (hospital.Appointment, error) {
	var series *int64
	if len(booked) > 0 {
		series = &booked[0].ID
	}
	in.Date, in.Waitlist = day.Date, false
	// The requested time is checked first, so that the error is about that: a day too far ahead, or past.
	_, openErr := rules.open(in.AppointmentFields)
	code := hospital.CodeOf(openErr)
	if openErr != nil && code != hospital.SlotClosed && code != hospital.OutOfSchedule {
		return hospital.Appointment{}, openErr
	}
	stateNow, idsNow := tx.queryBookingState(in), tx.queryNextIDs(1)
	upcoming := tx.queryUpcoming(rules.setting, in.PatientID)
	state, err := stateNow()
	if err != nil {
		return hospital.Appointment{}, err
	}
	state.upcoming = upcoming
	ids, err := idsNow()
	if err != nil {
		return hospital.Appointment{}, err
	}
	var rejected error
	for _, slot := range day.Nearest(in.StartTime) {
		at := in
		at.StartTime = slot.StartTime
		a := hospital.Appointment{ID: ids[0], Number: number, SeriesID: series}
		err := tx.book(rules, state, at, &a)
		switch hospital.CodeOf(err) {
		case hospital.SlotFull, hospital.PatientDoubleBooked:
			rejected = err
			continue // neither wrote anything
		}
		if err == nil && len(booked) == 0 {
			a.SeriesID = &a.ID
			tx.Exec(`UPDATE appointments SET series_id = id WHERE id = $1`, a.ID)
		}
		return a, err
	}
	full := func(s hospital.Slot) bool { return s.State == hospital.StateFull }
	if rejected == nil && openErr != nil && !slices.ContainsFunc(day.Slots, full) {
		return hospital.Appointment{}, openErr // no slot is full: for example an inactive service
	}
	if rejected == nil || hospital.CodeOf(rejected) == hospital.SlotFull {
		rejected = hospital.Reject(hospital.SlotFull).With("date", day.Date).Because(
			fmt.Sprintf("วันที่ %s เต็มทุกช่วงเวลา จึงยังไม่ได้จองนัดใดในชุดนี้ กรุณาเลือกวันเริ่มหรือระยะห่างใหม่",
				hospital.ThaiDate(day.Date)),
			fmt.Sprintf("%s is full, so none of the series was booked. "+
				"Choose another first day or distance.", day.Date))
	}
	return hospital.Appointment{}, rejected
}
