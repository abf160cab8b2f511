package store

import (
	"context"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

// BookSeries books a visit on each day of a series, at the same time of day or
// in the nearest slot with room, all or none. Days on which the service is
// closed are skipped and told. Refused as a booking is; SLOT_FULL names the day
// that has no seat at all. A preview books nothing: its appointments have no id
// and no number.
func (db *DB) BookSeries(ctx context.Context, in hospital.Series, preview bool) (items []hospital.Appointment, skipped []hospital.Skipped, err error) {
	in.AppointmentFields = in.Clean()
	if err := in.Validate(); err != nil {
		return nil, nil, err
	}
	for {
		items, skipped, err = db.bookSeries(ctx, in, preview)
		if !isNumberTaken(err) {
			return items, skipped, err
		}
	}
}

// bookSeries books a series under the next numbers.
func (db *DB) bookSeries(
	ctx context.Context, in hospital.Series, preview bool,
) (items []hospital.Appointment, skipped []hospital.Skipped, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return nil, nil, err
	}
	if preview { // it stores nothing, so it stores no answer for its idempotency key either
		ctx = WithRequest(ctx, Request{})
	}
	var tickets []ticket
	defer func() {
		for i := range tickets {
			if err != nil || preview || !usedNumber(items, tickets[i].number) {
				db.giveBack(tickets[i], err)
			}
		}
	}()
	for range in.Count {
		t, err := db.takeNumber(ctx, hospital.NumberFormat(setting.AppointmentNumberFormat))
		if err != nil {
			return nil, nil, err
		}
		tickets = append(tickets, t)
	}
	err = db.changeOnce(ctx, func() any { return SeriesBooked{items, skipped} }, func(tx *Tx) error {
		items, skipped = []hospital.Appointment{}, []hospital.Skipped{}
		var v visitor
		if err := tx.gather(tx.patientLocked(in.PatientID, &v)); err != nil {
			return err
		}
		if !v.found {
			return noSuchPatient()
		}
		dates := in.Dates()
		last := dates[len(dates)-1]
		d, err := tx.desk(setting, in.ServiceID, in.Date, last)
		if err != nil {
			return err
		}
		rows, err := slotRows(ctx, tx.tx, in.Date, last, in.ServiceID)
		if err != nil {
			return err
		}
		for i, day := range d.service.Days(dates, d.closures, rows, d.terms(in.AppointmentFields)) {
			if reason, closed := noService(day); closed {
				skipped = append(skipped, hospital.Skipped{Date: day.Date, Reason: reason})
				continue
			}
			a, err := tx.bookNear(d, in.NewAppointment, day, tickets[i].number, items)
			if err != nil {
				return err
			}
			items = append(items, a)
		}
		if len(items) == 0 {
			return hospital.Refuse(hospital.SlotClosed).Because("บริการนี้ไม่เปิดในวันใดของชุดนัดเลย กรุณาเลือกวันเริ่มหรือระยะห่างใหม่", "The service is open on none of these days. Choose another first day or distance.").With("skipped", skipped)
		}
		if preview {
			return errPreview
		}
		return nil
	})
	if preview && err == errPreview { //nolint:errorlint // our own value, never wrapped
		err = nil
		for i := range items {
			items[i].ID, items[i].Number, items[i].SeriesID = 0, "", nil
		}
	}
	return items, skipped, err
}

// SeriesBooked is the result of BookSeries.
type SeriesBooked struct {
	Items   []hospital.Appointment `json:"items"`
	Skipped []hospital.Skipped     `json:"skipped" doc:"Days on which the service is closed"`
}

// errPreview rolls a transaction back that was only made to see what it would do.
var errPreview = fmt.Errorf("only a preview")

func usedNumber(items []hospital.Appointment, number string) bool {
	for _, a := range items {
		if a.Number == number {
			return true
		}
	}
	return false
}

// noService tells why a day offers nothing at all.
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

// bookNear books the time asked for, or the nearest slot of the day in which
// the patient has time.
func (tx *Tx) bookNear(d desk, in hospital.NewAppointment, day hospital.DaySlots, number string, booked []hospital.Appointment) (hospital.Appointment, error) {
	var series *int64
	if len(booked) > 0 {
		series = &booked[0].ID
	}
	in.Date, in.Waitlist = day.Date, false
	// Judged at the time asked for, so that a refusal is about that: a day too far ahead, or past.
	_, openErr := d.open(in.AppointmentFields)
	code := hospital.CodeOf(openErr)
	if openErr != nil && code != hospital.SlotClosed && code != hospital.OutOfSchedule {
		return hospital.Appointment{}, openErr
	}
	var v visitor
	if err := tx.gather(tx.visitorAsked(in, &v)...); err != nil {
		return hospital.Appointment{}, err
	}
	var refusal error
	for _, slot := range day.Nearest(in.StartTime) {
		at := in
		at.StartTime = slot.StartTime
		a, err := tx.book(d, v, at, number, series)
		switch hospital.CodeOf(err) {
		case hospital.SlotFull, hospital.PatientDoubleBooked:
			refusal = err
			continue // neither wrote anything
		}
		if err == nil && len(booked) == 0 {
			a.SeriesID = &a.ID
			_, err = tx.exec(`UPDATE appointments SET series_id = id WHERE id = $1`, a.ID)
		}
		return a, err
	}
	full := func(s hospital.Slot) bool { return s.State == hospital.StateFull }
	if refusal == nil && openErr != nil && !slices.ContainsFunc(day.Slots, full) {
		return hospital.Appointment{}, openErr // no slot is full: for example an inactive service
	}
	if refusal == nil || hospital.CodeOf(refusal) == hospital.SlotFull {
		refusal = hospital.Refuse(hospital.SlotFull).With("date", day.Date).Because(
			fmt.Sprintf("วันที่ %s เต็มทุกช่วงเวลา จึงยังไม่ได้จองนัดใดในชุดนี้ กรุณาเลือกวันเริ่มหรือระยะห่างใหม่", hospital.ThaiDate(day.Date)),
			fmt.Sprintf("%s is full, so none of the series was booked. Choose another first day or distance.", day.Date))
	}
	return hospital.Appointment{}, refusal
}
