package hospital

import (
	"cmp"
	"fmt"
	"slices"
)

// SlotRow is what is written down of a slot: only slots that somebody booked or
// whose capacity was changed have one.
type SlotRow struct {
	ServiceID int64
	Date      string
	StartTime string
	EndTime   string
	Booked    int
	Capacity  *int // instead of the weekly row's
}

// Slot is one start time of a service on a date.
type Slot struct {
	StartTime  string `json:"startTime"`
	EndTime    string `json:"endTime"`
	Capacity   int    `json:"capacity"`
	Booked     int    `json:"booked"`
	Available  int    `json:"available" doc:"Seats that can still be taken without overbooking; none in a past or closed slot"`
	Overridden bool   `json:"overridden" doc:"The capacity is not the weekly row's"`
	Past       bool   `json:"past"`
	Closed     bool   `json:"closed" doc:"Kept only because somebody is booked in it"`
	Waitlisted int    `json:"waitlisted" doc:"How many wait for a seat"`
}

// DaySlots is what one day of a service offers.
type DaySlots struct {
	Date   string `json:"date"`
	Closed bool   `json:"closed" doc:"Closed all day"`
	Reason string `json:"reason" doc:"Why the day, or a part of it, is closed"`
	Slots  []Slot `json:"slots"`
}

// weekly are the slots that the weekly rows give a date, before closures. The
// last slot of a row ends with the row, so it may be shorter than the others.
func (s Service) weekly(date string) []Slot {
	var slots []Slot
	weekday := WeekdayOf(date)
	for i := range s.Schedule {
		r := &s.Schedule[i]
		if !r.on(date, weekday) {
			continue
		}
		end := clockOf(r.EndTime)
		for start := clockOf(r.StartTime); start < end; start += Clock(r.SlotMinutes) {
			slots = append(slots, Slot{StartTime: start.String(), EndTime: min(start+Clock(r.SlotMinutes), end).String(), Capacity: r.Capacity})
		}
	}
	slices.SortFunc(slots, func(a, b Slot) int { return cmp.Compare(a.StartTime, b.StartTime) })
	return slots
}

// Day is what a date offers: the weekly rows minus closures, with what is
// written down of its slots. A slot that is closed, or that the weekly hours no
// longer have, is kept while somebody is booked in it; nobody can be added.
func (s Service) Day(date string, closures []Closure, rows []SlotRow, now Moment) DaySlots {
	d := DaySlots{Date: date, Slots: []Slot{}}
	d.Closed, d.Reason = s.ClosedOn(date, closures)
	kept := map[string]SlotRow{}
	for _, r := range rows {
		if r.ServiceID == s.ID && r.Date == date {
			kept[r.StartTime] = r
		}
	}
	for _, slot := range s.weekly(date) {
		if r, ok := kept[slot.StartTime]; ok {
			slot.Booked = r.Booked
			if r.Capacity != nil {
				slot.Capacity, slot.Overridden = *r.Capacity, true
			}
			delete(kept, slot.StartTime)
		}
		slot.Closed = slices.ContainsFunc(closures, func(c Closure) bool { return c.Covers(s.ID, date, slot.StartTime, slot.EndTime) })
		if !slot.Closed || slot.Booked > 0 {
			d.Slots = append(d.Slots, slot)
		}
	}
	for _, r := range kept {
		if r.Booked > 0 {
			slot := Slot{StartTime: r.StartTime, EndTime: r.EndTime, Booked: r.Booked, Capacity: r.Booked, Closed: true}
			if r.Capacity != nil {
				slot.Capacity, slot.Overridden = *r.Capacity, true
			}
			d.Slots = append(d.Slots, slot)
		}
	}
	for i := range d.Slots {
		slot := &d.Slots[i]
		slot.Past = now.After(date, clockOf(slot.StartTime))
		if !slot.Past && !slot.Closed && s.Active {
			slot.Available = max(0, slot.Capacity-slot.Booked)
		}
	}
	slices.SortFunc(d.Slots, func(a, b Slot) int { return cmp.Compare(a.StartTime, b.StartTime) })
	return d
}

// ClosedOn tells whether a service is closed all day, and why it is closed then
// or for a part of the day.
func (s Service) ClosedOn(date string, closures []Closure) (closed bool, reason string) {
	for _, c := range closures {
		if !c.On(s.ID, date) {
			continue
		}
		if reason == "" || c.AllDay() && !closed {
			reason = c.Reason
		}
		closed = closed || c.AllDay()
	}
	return closed, reason
}

// Capacity is how many a date takes: the sum over the slots of Day that are not
// closed. Of the rows only those with a capacity of their own matter.
func (s Service) Capacity(date string, closures []Closure, rows []SlotRow) (n int) {
	plain := !slices.ContainsFunc(rows, func(r SlotRow) bool { return r.ServiceID == s.ID && r.Date == date && r.Capacity != nil }) &&
		!slices.ContainsFunc(closures, func(c Closure) bool { return c.On(s.ID, date) })
	if !plain {
		for _, slot := range s.Day(date, closures, rows, Moment{}).Slots {
			if !slot.Closed {
				n += slot.Capacity
			}
		}
		return n
	}
	weekday := WeekdayOf(date)
	for i := range s.Schedule {
		if r := &s.Schedule[i]; r.on(date, weekday) && r.SlotMinutes > 0 {
			length := int(clockOf(r.EndTime) - clockOf(r.StartTime))
			n += max(0, length+r.SlotMinutes-1) / r.SlotMinutes * r.Capacity
		}
	}
	return n
}

// Days is what each of the dates offers.
func (s Service) Days(dates []string, closures []Closure, rows []SlotRow, now Moment) []DaySlots {
	byDate := map[string][]SlotRow{}
	for _, r := range rows {
		byDate[r.Date] = append(byDate[r.Date], r)
	}
	days := make([]DaySlots, len(dates))
	for i, date := range dates {
		days[i] = s.Day(date, closures, byDate[date], now)
	}
	return days
}

// BookingRules are the hospital's bounds for booking, where a service has none
// of its own.
type BookingRules struct {
	WindowDays int
	Lead       int // minutes
}

// Open tells whether a new seat may be taken at a time, and returns the slot
// with the capacity of the weekly row. Refused, in this order: SLOT_PAST,
// OUT_OF_WINDOW (too far ahead, or too close for anybody who does not walk in),
// SLOT_CLOSED, OUT_OF_SCHEDULE. Somebody who walks in may take a seat in the
// slot that runs.
func (s Service) Open(date, start string, walkIn bool, closures []Closure, now Moment, rules BookingRules) (Slot, error) {
	var slot Slot
	weekly := s.weekly(date)
	i := slices.IndexFunc(weekly, func(w Slot) bool { return w.StartTime == start })
	if i >= 0 {
		slot = weekly[i]
	}
	// The last moment at which the seat can be taken.
	last := clockOf(start)
	if walkIn && i >= 0 {
		last = clockOf(slot.EndTime) - 1
	}
	if now.After(date, last) {
		return slot, Refuse(SlotPast)
	}
	window, lead := rules.WindowDays, rules.Lead
	if s.BookingWindowDays != nil {
		window = *s.BookingWindowDays
	}
	if s.LeadMinutes != nil {
		lead = *s.LeadMinutes
	}
	if furthest := AddDays(now.Date, window); date > furthest {
		return slot, Refuse(OutOfWindow).With("lastDate", furthest).
			Because(fmt.Sprintf("จองล่วงหน้าได้ไม่เกิน %d วัน (ถึง %s) กรุณาเลือกวันที่ใกล้กว่านี้", window, ThaiDate(furthest)), fmt.Sprintf("Booking is open for %d days ahead (until %s). Choose an earlier day.", window, furthest))
	}
	if !walkIn && lead > 0 && now.Add(lead).After(date, clockOf(start)) {
		return slot, Refuse(OutOfWindow).With("leadMinutes", lead).
			Because(fmt.Sprintf("ต้องจองล่วงหน้าอย่างน้อย %s กรุณาเลือกเวลาอื่น หรือลงเป็น Walk-in", minutesTH(lead)), fmt.Sprintf("Book at least %d minutes ahead. Choose a later time, or book as a walk-in.", lead))
	}
	if !s.Active {
		return slot, Refuse(SlotClosed).Because("บริการนี้ปิดรับนัดแล้ว กรุณาเลือกบริการอื่น", "This service takes no bookings any more. Choose another.")
	}
	end := slot.EndTime
	if i < 0 { // off the hours; a closed day is still the better reason
		end = (clockOf(start) + 1).String()
	}
	for _, c := range closures {
		if c.Covers(s.ID, date, start, end) {
			return slot, Refuse(SlotClosed).With("reason", c.Reason).
				Because(fmt.Sprintf("งดให้บริการในเวลานี้ (%s) กรุณาเลือกวันหรือเวลาอื่น", c.Reason), fmt.Sprintf("Closed at this time (%s). Choose another day or time.", c.Reason))
		}
	}
	if i < 0 {
		return slot, Refuse(OutOfSchedule)
	}
	return slot, nil
}

// minutesTH says a length of time as people do: 90 นาที, 3 ชั่วโมง, 2 วัน.
func minutesTH(n int) string {
	switch {
	case n > 0 && n%(24*60) == 0:
		return fmt.Sprintf("%d วัน", n/(24*60))
	case n > 0 && n%60 == 0:
		return fmt.Sprintf("%d ชั่วโมง", n/60)
	default:
		return fmt.Sprintf("%d นาที", n)
	}
}

// SlotQuery asks what a service offers, on a date or on several.
type SlotQuery struct {
	ServiceID int64  `json:"serviceId" minimum:"1"`
	Date      string `json:"date,omitempty"`
	DateRange
}

// Period is the asked days: one date, or a range.
func (q SlotQuery) Period() (from, to string) { return onDay(q.Date, q.DateRange) }

// onDay is a range of one day when a date is given.
func onDay(date string, r DateRange) (from, to string) {
	if date != "" {
		return date, date
	}
	return r.DateFrom, r.DateTo
}

// maxSlotDays is how many days are told at once: two months.
const maxSlotDays = 62

// Validate wants one date or a range of at most 62 days.
func (q SlotQuery) Validate() error {
	var c Checker
	c.dayOr(q.Date, q.DateRange, maxSlotDays)
	return c.Err()
}

// dayOr checks a date, or a range of at most so many days where there is none.
func (c *Checker) dayOr(date string, r DateRange, maxDays int) {
	if date == "" {
		c.dates(r.DateFrom, r.DateTo, maxDays)
		return
	}
	c.Require(isDate(date), "date", dateTH, dateEN)
	c.Require(r == DateRange{}, "dateFrom", "กรุณาระบุวันเดียวหรือช่วงวันอย่างใดอย่างหนึ่ง", "Give one date or a range, not both.")
}

// CapacityChange sets how many a slot, or all slots of some days, take.
type CapacityChange struct {
	ServiceID int64   `json:"serviceId" minimum:"1"`
	Date      string  `json:"date,omitempty"`
	StartTime *string `json:"startTime,omitempty" doc:"All slots of the days when absent"`
	Weekdays  []int   `json:"weekdays,omitempty" doc:"Only these days of the week; 0 is Sunday"`
	Capacity  *int    `json:"capacity" doc:"null goes back to the weekly row"`
	Force     bool    `json:"force,omitempty" doc:"Also below what is booked; that only stops new bookings"`
	DateRange
}

// Period is the days to change.
func (ch CapacityChange) Period() (from, to string) { return onDay(ch.Date, ch.DateRange) }

// Validate tells every field that is wrong.
func (ch CapacityChange) Validate() error {
	var c Checker
	c.dayOr(ch.Date, ch.DateRange, 366)
	if ch.StartTime != nil {
		_, ok := ParseClock(*ch.StartTime)
		c.Require(ok, "startTime", clockTH, clockEN)
	}
	for _, w := range ch.Weekdays {
		c.between(w, "weekdays", 0, 6)
	}
	c.betweenOrNil(ch.Capacity, "capacity", 0, maxCapacity)
	return c.Err()
}

// CapacityChanged tells how many slots were changed on how many days.
type CapacityChanged struct {
	Updated int `json:"updated"`
	Days    int `json:"days"`
}
