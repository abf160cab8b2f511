package hospital

import (
	"cmp"
	"fmt"
	"slices"
)

// SlotRow is the stored part of a slot. Only slots with bookings or a changed capacity have one.
type SlotRow struct {
	ServiceID int64
	Date      string
	StartTime string
	EndTime   string
	Booked    int
	Capacity  *int // overrides the weekly row's
}

// SlotState is whether a caller can book a slot, and if not why.
type SlotState string

// The states of a slot. Only FREE slots can be booked; a FULL slot has a waiting list and may be overbooked.
const (
	StateFree    SlotState = "FREE"
	StateFull    SlotState = "FULL"
	StateTooSoon SlotState = "TOO_SOON" // within the lead time
	StateTooLate SlotState = "TOO_LATE" // beyond the booking window
	StatePast    SlotState = "PAST"
	StateClosed  SlotState = "CLOSED"
)

// SlotStates lists all states for the OpenAPI document.
var SlotStates = []SlotState{StateFree, StateFull, StateTooSoon, StateTooLate, StatePast, StateClosed}

// Slot is one start time of a service on a date. Available, State and Past are set by Service.WithStates.
type Slot struct {
	StartTime  string    `json:"startTime"`
	EndTime    string    `json:"endTime"`
	Capacity   int       `json:"capacity"`
	Booked     int       `json:"booked"`
	Available  int       `json:"available" doc:"Seats the caller can book; 0 unless the state is FREE"`
	State      SlotState `json:"state" doc:"State for this caller; only FREE can be booked"`
	Overridden bool      `json:"overridden" doc:"The capacity is not the weekly row's"`
	Past       bool      `json:"past" doc:"The slot has started; walk-ins may book it until it ends"`
	Closed     bool      `json:"closed" doc:"Closed, but listed because it has bookings"`
	Waitlisted int       `json:"waitlisted" doc:"Number of patients on the waiting list"`
}

// Left returns the number of free seats.
func (s Slot) Left() int { return max(0, s.Capacity-s.Booked) }

// DaySlots holds the slots of a service on a date.
type DaySlots struct {
	Date   string `json:"date"`
	Closed bool   `json:"closed" doc:"Closed all day"`
	Reason string `json:"reason" doc:"Reason of the closure, also of a part of the day"`
	Slots  []Slot `json:"slots"`
}

// weekly returns the slots of the weekly rows on a date, ignoring closures. The last slot of a row may be
// shorter than the others.
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
			slots = append(slots, Slot{
				StartTime: start.String(), EndTime: min(start+Clock(r.SlotMinutes), end).String(), Capacity: r.Capacity,
			})
		}
	}
	slices.SortFunc(slots, func(a, b Slot) int { return cmp.Compare(a.StartTime, b.StartTime) })
	return slots
}

// WeeklyCapacity returns the capacity of a slot according to the weekly rows. ok is false if
// they have no such slot.
func (s Service) WeeklyCapacity(date, start string) (capacity int, ok bool) {
	weekly := s.weekly(date)
	i := slices.IndexFunc(weekly, func(w Slot) bool { return w.StartTime == start })
	if i < 0 {
		return 0, false
	}
	return weekly[i].Capacity, true
}

// ScheduledSlots returns the slots of a date independent of the caller: the weekly rows minus closures,
// merged with the stored slot rows. A slot that is closed or no longer in the weekly rows is included as long
// as it has bookings.
func (s Service) ScheduledSlots(date string, closures []Closure, rows []SlotRow) DaySlots {
	d := DaySlots{Date: date, Slots: []Slot{}}
	d.Closed, d.Reason = s.ClosedOn(date, closures)
	stored := map[string]SlotRow{}
	for _, r := range rows {
		if r.ServiceID == s.ID && r.Date == date {
			stored[r.StartTime] = r
		}
	}
	for _, slot := range s.weekly(date) {
		if r, ok := stored[slot.StartTime]; ok {
			slot.Booked = r.Booked
			if r.Capacity != nil {
				slot.Capacity, slot.Overridden = *r.Capacity, true
			}
			delete(stored, slot.StartTime)
		}
		_, slot.Closed = s.closedBy(closures, date, slot)
		if !slot.Closed || slot.Booked > 0 {
			d.Slots = append(d.Slots, slot)
		}
	}
	for _, r := range stored {
		if r.Booked > 0 {
			slot := Slot{StartTime: r.StartTime, EndTime: r.EndTime, Booked: r.Booked, Capacity: r.Booked, Closed: true}
			if r.Capacity != nil {
				slot.Capacity, slot.Overridden = *r.Capacity, true
			}
			d.Slots = append(d.Slots, slot)
		}
	}
	slices.SortFunc(d.Slots, func(a, b Slot) int { return cmp.Compare(a.StartTime, b.StartTime) })
	return d
}

// closedBy returns the first closure that overlaps a slot.
func (s Service) closedBy(closures []Closure, date string, slot Slot) (c Closure, closed bool) {
	i := slices.IndexFunc(closures, func(c Closure) bool { return c.Covers(s.ID, date, slot.StartTime, slot.EndTime) })
	if i < 0 {
		return c, false
	}
	return closures[i], true
}

// Day returns the slots of a date with their state for a caller.
func (s Service) Day(date string, closures []Closure, rows []SlotRow, t BookingTerms) DaySlots {
	return s.WithStates(t, s.ScheduledSlots(date, closures, rows))
}

// WithStates returns a result of ScheduledSlots with the state of each slot for a caller.
func (s Service) WithStates(t BookingTerms, d DaySlots) DaySlots {
	t = s.terms(t)
	d.Slots = slices.Clone(d.Slots)
	for i := range d.Slots {
		slot := &d.Slots[i]
		slot.Past = t.Now.After(d.Date, clockOf(slot.StartTime))
		slot.State, slot.Available = s.state(t, d.Date, *slot), 0
		if slot.State == StateFree {
			slot.Available = slot.Left()
		}
	}
	return d
}

// state returns whether a caller can book a slot; the first matching rule wins. Walk-ins ignore the lead time and may
// book a slot that has started. t must come from terms.
func (s Service) state(t BookingTerms, date string, slot Slot) SlotState {
	last := clockOf(slot.StartTime) // last minute in which it can be booked
	if t.WalkIn {
		last = clockOf(slot.EndTime) - 1
	}
	switch {
	case t.Now.After(date, last):
		return StatePast
	case date > t.lastDate:
		return StateTooLate
	case !t.WalkIn && t.earliest.After(date, clockOf(slot.StartTime)):
		return StateTooSoon
	case slot.Closed || !s.Active:
		return StateClosed
	case slot.Left() == 0:
		return StateFull
	}
	return StateFree
}

// ClosedOn reports whether a service is closed all day. reason is that of the closure, also if it covers only
// a part of the day.
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

// Capacity returns the capacity of a date: the sum over the slots of ScheduledSlots that are not
// closed. Only rows with a capacity of their own matter.
func (s Service) Capacity(date string, closures []Closure, rows []SlotRow) (n int) {
	plain := !slices.ContainsFunc(rows,
		func(r SlotRow) bool { return r.ServiceID == s.ID && r.Date == date && r.Capacity != nil }) &&
		!slices.ContainsFunc(closures, func(c Closure) bool { return c.On(s.ID, date) })
	if !plain {
		for _, slot := range s.ScheduledSlots(date, closures, rows).Slots {
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

// ScheduledDays returns ScheduledSlots of each of the dates.
func (s Service) ScheduledDays(dates []string, closures []Closure, rows []SlotRow) []DaySlots {
	byDate := map[string][]SlotRow{}
	for _, r := range rows {
		byDate[r.Date] = append(byDate[r.Date], r)
	}
	days := make([]DaySlots, len(dates))
	for i, date := range dates {
		days[i] = s.ScheduledSlots(date, closures, byDate[date])
	}
	return days
}

// Days returns Day of each of the dates.
func (s Service) Days(dates []string, closures []Closure, rows []SlotRow, t BookingTerms) []DaySlots {
	days := s.ScheduledDays(dates, closures, rows)
	for i := range days {
		days[i] = s.WithStates(t, days[i])
	}
	return days
}

// BookingTerms decide together with the slot whether a caller can book it: the current time, the limits of the
// hospital, which a service may override, and whether the patient is a walk-in.
type BookingTerms struct {
	Now         Moment
	WindowDays  int
	LeadMinutes int
	WalkIn      bool

	lastDate string // last date that can be booked; set by Service.terms
	earliest Moment // first moment that can be booked; set by Service.terms
}

// terms returns the terms with the overrides of the service.
func (s Service) terms(t BookingTerms) BookingTerms {
	if s.BookingWindowDays != nil {
		t.WindowDays = *s.BookingWindowDays
	}
	if s.LeadMinutes != nil {
		t.LeadMinutes = *s.LeadMinutes
	}
	t.lastDate, t.earliest = AddDays(t.Now.Date, t.WindowDays), t.Now.Add(t.LeadMinutes)
	return t
}

// Open returns the slot at a time, with the capacity of the weekly row, if a caller may book it. Whether it is full is
// checked when the seat is taken. Depending on its state it returns SLOT_PAST, OUT_OF_WINDOW or SLOT_CLOSED, and
// OUT_OF_SCHEDULE at a time without a slot.
func (s Service) Open(date, start string, closures []Closure, t BookingTerms) (Slot, error) {
	t = s.terms(t)
	weekly := s.weekly(date)
	i := slices.IndexFunc(weekly, func(w Slot) bool { return w.StartTime == start })
	// Outside the schedule, SLOT_PAST, OUT_OF_WINDOW and SLOT_CLOSED take precedence over OUT_OF_SCHEDULE.
	slot := Slot{StartTime: start, EndTime: (clockOf(start) + 1).String()}
	if i >= 0 {
		slot = weekly[i]
	}
	var c Closure
	c, slot.Closed = s.closedBy(closures, date, slot)
	switch s.state(t, date, slot) {
	case StatePast:
		return slot, Reject(SlotPast)
	case StateTooLate:
		return slot, Reject(OutOfWindow).With("lastDate", t.lastDate).Because(
			fmt.Sprintf("จองล่วงหน้าได้ไม่เกิน %d วัน (ถึง %s) กรุณาเลือกวันที่ใกล้กว่านี้",
				t.WindowDays, ThaiDate(t.lastDate)),
			fmt.Sprintf("Booking is open for %d days ahead (until %s). Choose an earlier day.",
				t.WindowDays, t.lastDate))
	case StateTooSoon:
		return slot, Reject(OutOfWindow).With("leadMinutes", t.LeadMinutes).Because(
			fmt.Sprintf("ต้องจองล่วงหน้าอย่างน้อย %s กรุณาเลือกเวลาอื่น หรือลงเป็น Walk-in", minutesTH(t.LeadMinutes)),
			fmt.Sprintf("Book at least %d minutes ahead. Choose a later time, or book as a walk-in.", t.LeadMinutes))
	case StateClosed:
		if !s.Active {
			return slot, Reject(SlotClosed).Because("บริการนี้ปิดรับนัดแล้ว กรุณาเลือกบริการอื่น",
				"This service takes no bookings any more. Choose another.")
		}
		return slot, Reject(SlotClosed).With("reason", c.Reason).Because(
			fmt.Sprintf("งดให้บริการในเวลานี้ (%s) กรุณาเลือกวันหรือเวลาอื่น", c.Reason),
			fmt.Sprintf("Closed at this time (%s). Choose another day or time.", c.Reason))
	}
	if i < 0 {
		return slot, Reject(OutOfSchedule)
	}
	return slot, nil
}

// minutesTH formats a duration in Thai: 90 นาที, 3 ชั่วโมง, 2 วัน.
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

// SlotQuery selects the slots of a service on one or several dates.
type SlotQuery struct {
	ServiceID int64           `json:"serviceId" minimum:"1"`
	Date      string          `json:"date,omitempty" doc:"A single date; or dateFrom and dateTo, at most 62 days"`
	Channel   Channel         `json:"channel,omitempty" doc:"Channel to book by; WALK_IN as for kind"`
	Kind      AppointmentKind `json:"kind,omitempty" doc:"Kind to book; WALK_IN ignores the lead time"`
	DateRange
}

// WalkIn reports whether the slots are for a walk-in.
func (q SlotQuery) WalkIn() bool { return AppointmentFields{Kind: q.Kind, Channel: q.Channel}.WalkIn() }

// Period returns the requested dates.
func (q SlotQuery) Period() (from, to string) { return onDay(q.Date, q.DateRange) }

// onDay returns the range, or that of a single date if one is given.
func onDay(date string, r DateRange) (from, to string) {
	if date != "" {
		return date, date
	}
	return r.DateFrom, r.DateTo
}

// maxSlotDays is the maximum number of days of a slot query.
const maxSlotDays = 62

// Validate requires one date or a range of at most 62 days, and a known kind and channel if any.
func (q SlotQuery) Validate() error {
	var c Checker
	c.dayOr(q.Date, q.DateRange, maxSlotDays)
	c.Require(q.Channel == "" || slices.Contains(Channels, q.Channel), "channel",
		"ช่องทางไม่ถูกต้อง", "This is not a channel.")
	c.Require(q.Kind == "" || slices.Contains(AppointmentKinds, q.Kind), "kind",
		"ประเภทนัดไม่ถูกต้อง", "This is not a kind.")
	return c.Err()
}

// dayOr validates a date or, if it is empty, a range of at most maxDays days.
func (c *Checker) dayOr(date string, r DateRange, maxDays int) {
	if date == "" {
		c.dates(r.DateFrom, r.DateTo, maxDays)
		return
	}
	c.Date(date, "date")
	c.Require(r == DateRange{}, "dateFrom", "กรุณาระบุวันเดียวหรือช่วงวันอย่างใดอย่างหนึ่ง",
		"Give one date or a range, not both.")
}

// CapacityChange sets the capacity of a slot, or of all slots of some days.
type CapacityChange struct {
	ServiceID int64   `json:"serviceId" minimum:"1"`
	Date      string  `json:"date,omitempty" doc:"A single date; or dateFrom and dateTo, at most 366 days"`
	StartTime *string `json:"startTime,omitempty" doc:"All slots of the days if absent"`
	Weekdays  []int   `json:"weekdays,omitempty" maxItems:"7" doc:"Only these weekdays; 0 is Sunday"`
	Capacity  *int    `json:"capacity" minimum:"0" maximum:"1000" doc:"null restores the weekly capacity"`
	Force     bool    `json:"force,omitempty" doc:"Allow less than the number of bookings, which are kept"`
	DateRange
}

// Period returns the dates to change.
func (ch CapacityChange) Period() (from, to string) { return onDay(ch.Date, ch.DateRange) }

// Validate returns VALIDATION_FAILED with every invalid field.
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

// SlotsToChange returns the slots that a change of capacity selects, without days that have none. A reset also
// selects overridden slots that are hidden because they are closed or no longer in the weekly rows, so that an
// override never reappears when the day opens again.
func (s Service) SlotsToChange(ch CapacityChange, closures []Closure, rows []SlotRow) []DaySlots {
	overrides := map[string][]SlotRow{}
	for _, r := range rows {
		if ch.Capacity == nil && r.Capacity != nil && r.ServiceID == s.ID {
			overrides[r.Date] = append(overrides[r.Date], r)
		}
	}
	from, to := ch.Period()
	days := s.ScheduledDays(DatesBetween(from, to), closures, rows)
	for i := range days {
		d := &days[i]
		for _, r := range overrides[d.Date] {
			if !slices.ContainsFunc(d.Slots, func(slot Slot) bool { return slot.StartTime == r.StartTime }) {
				d.Slots = append(d.Slots, Slot{
					StartTime: r.StartTime, EndTime: r.EndTime, Booked: r.Booked, Capacity: *r.Capacity,
					Overridden: true, Closed: true,
				})
			}
		}
		d.Slots = slices.DeleteFunc(d.Slots, func(slot Slot) bool { return !ch.selects(d.Date, slot.StartTime) })
	}
	return slices.DeleteFunc(days, func(d DaySlots) bool { return len(d.Slots) == 0 })
}

// selects reports whether a slot of the period is to be changed.
func (ch CapacityChange) selects(date, start string) bool {
	return (ch.StartTime == nil || *ch.StartTime == start) &&
		(len(ch.Weekdays) == 0 || slices.Contains(ch.Weekdays, WeekdayOf(date)))
}

// CapacityChanged counts the changed slots and days.
type CapacityChanged struct {
	Updated  int           `json:"updated"`
	Days     int           `json:"days"`
	Previous []CapacityWas `json:"previous" doc:"Previous capacity of each slot, to undo the change"`
}

// CapacityWas is the previous capacity of a slot; nil if it was that of the weekly row.
type CapacityWas struct {
	Date      string `json:"date"`
	StartTime string `json:"startTime"`
	Capacity  *int   `json:"capacity" doc:"null for the weekly capacity"`
}
