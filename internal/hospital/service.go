package hospital

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ScheduleRow is a range of opening hours on a weekday, divided into slots.
type ScheduleRow struct {
	Weekday     int     `json:"weekday" minimum:"0" maximum:"6" doc:"0 is Sunday"`
	StartTime   string  `json:"startTime"`
	EndTime     string  `json:"endTime"`
	SlotMinutes int     `json:"slotMinutes,omitempty" doc:"Length of a slot; the service's if absent"`
	Capacity    int     `json:"capacity,omitempty" doc:"Capacity of a slot; the service's if absent"`
	ValidFrom   *string `json:"validFrom,omitempty" doc:"First valid date; unlimited if absent"`
	ValidTo     *string `json:"validTo,omitempty" doc:"Last valid date; unlimited if absent"`
}

// On reports whether the row applies to a date.
func (r ScheduleRow) On(date string) bool { return r.on(date, WeekdayOf(date)) }

// on is On with a known weekday.
func (r *ScheduleRow) on(date string, weekday int) bool {
	return r.Weekday == weekday && (r.ValidFrom == nil || *r.ValidFrom <= date) && (r.ValidTo == nil || date <= *r.ValidTo)
}

// CopySchedule returns a deep copy of the rows.
func CopySchedule(rows []ScheduleRow) []ScheduleRow {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].ValidFrom, rows[i].ValidTo = copied(rows[i].ValidFrom), copied(rows[i].ValidTo)
	}
	return rows
}

// copied returns a pointer to a copy of *p.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// ServiceFields holds the editable fields of a service.
type ServiceFields struct {
	Code                string        `json:"code"`
	Name                string        `json:"name"`
	NameEn              string        `json:"nameEn"`
	Department          string        `json:"department"`
	Location            string        `json:"location"`
	Color               string        `json:"color"`
	Description         string        `json:"description"`
	Instructions        string        `json:"instructions"`
	SlotMinutes         int           `json:"slotMinutes"`
	DefaultCapacity     int           `json:"defaultCapacity"`
	OverbookLimit       int           `json:"overbookLimit"`
	BookingWindowDays   *int          `json:"bookingWindowDays" doc:"How many days ahead can be booked; the hospital's if null"`
	LeadMinutes         *int          `json:"leadMinutes" doc:"How long before a slot bookings are accepted; the hospital's if null"`
	CancelCutoffMinutes *int          `json:"cancelCutoffMinutes" doc:"For the customers' app; the hospital's if null"`
	RequiresApproval    bool          `json:"requiresApproval"`
	StaffIDs            []int64       `json:"staffIds"`
	Active              bool          `json:"active"`
	Sort                int           `json:"sort"`
	Schedule            []ScheduleRow `json:"schedule"`
}

// Service is a bookable service: a clinic, a check-up, a vaccination.
type Service struct {
	ID int64 `json:"id"`
	ServiceFields
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// ServiceRef is a service as embedded in an appointment.
type ServiceRef struct {
	ID    int64  `json:"id"`
	Code  string `json:"code"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// Ref returns the reference of the service.
func (s Service) Ref() ServiceRef { return ServiceRef{s.ID, s.Code, s.Name, s.Color} }

// NewService holds the defaults of a new service.
var NewService = ServiceFields{SlotMinutes: 30, DefaultCapacity: 10, Color: "#0f766e", Active: true}

// Limits of a service, so that a typing error cannot create a hundred thousand slots a day.
const (
	maxSlotMinutes  = 12 * 60
	minSlotMinutes  = 5
	maxCapacity     = 1000
	maxScheduleRows = 200
)

var (
	serviceCode = regexp.MustCompile(`^[A-Z0-9][A-Z0-9_-]{0,19}$`)
	hexColor    = regexp.MustCompile(`^#[0-9a-f]{6}$`)
)

// Clean returns the fields normalized for storage, with schedule rows in the order of the week.
func (f ServiceFields) Clean() ServiceFields {
	f.Code, f.Color = strings.ToUpper(CleanText(f.Code)), strings.ToLower(strings.TrimSpace(f.Color))
	for _, s := range []*string{&f.Name, &f.NameEn, &f.Department, &f.Location} {
		*s = CleanText(*s)
	}
	f.Description, f.Instructions = strings.TrimSpace(f.Description), strings.TrimSpace(f.Instructions)
	f.StaffIDs = slices.Compact(slices.Sorted(slices.Values(f.StaffIDs)))
	if f.StaffIDs == nil {
		f.StaffIDs = []int64{}
	}
	rows := make([]ScheduleRow, len(f.Schedule))
	for i, r := range f.Schedule {
		if r.SlotMinutes == 0 {
			r.SlotMinutes = f.SlotMinutes
		}
		if r.Capacity == 0 {
			r.Capacity = f.DefaultCapacity
		}
		r.ValidFrom, r.ValidTo = present(r.ValidFrom), present(r.ValidTo)
		rows[i] = r
	}
	slices.SortStableFunc(rows, func(a, b ScheduleRow) int {
		return strings.Compare(fmt.Sprint(a.Weekday, a.StartTime, text(a.ValidFrom)),
			fmt.Sprint(b.Weekday, b.StartTime, text(b.ValidFrom)))
	})
	f.Schedule = rows
	return f
}

// present replaces an empty string with nil.
func present(s *string) *string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return nil
	}
	return s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (f ServiceFields) Validate() error {
	var c Checker
	c.Require(serviceCode.MatchString(f.Code), "code", "รหัสใช้ A–Z ตัวเลข - และ _ ยาวไม่เกิน 20 ตัว",
		"A code has capital letters, digits, - and _, at most 20.")
	c.Text(f.Name, "name", true, 120)
	c.Text(f.NameEn, "nameEn", false, 120)
	c.Text(f.Department, "department", false, 120)
	c.Text(f.Location, "location", false, 200)
	c.Lines(f.Description, "description", false, 2000)
	c.Lines(f.Instructions, "instructions", false, 2000)
	c.Require(hexColor.MatchString(f.Color), "color", "สีต้องอยู่ในรูป #0f766e", "A colour is written #0f766e.")
	c.between(f.SlotMinutes, "slotMinutes", minSlotMinutes, maxSlotMinutes)
	c.between(f.DefaultCapacity, "defaultCapacity", 1, maxCapacity)
	c.between(f.OverbookLimit, "overbookLimit", 0, maxCapacity)
	c.betweenOrNil(f.BookingWindowDays, "bookingWindowDays", 1, 730)
	c.betweenOrNil(f.LeadMinutes, "leadMinutes", 0, 60*24*60)
	c.betweenOrNil(f.CancelCutoffMinutes, "cancelCutoffMinutes", 0, 60*24*60)
	c.between(f.Sort, "sort", -10000, 10000)
	c.Require(len(f.StaffIDs) <= 500, "staffIds", "มีได้ไม่เกิน 500 คน", "At most 500 people.")
	c.schedule(f.Schedule)
	return c.Err()
}

func (c *Checker) between(n int, field string, low, high int) {
	c.Require(n >= low && n <= high, field, fmt.Sprintf("ต้องอยู่ระหว่าง %d ถึง %d", low, high),
		fmt.Sprintf("Must be between %d and %d.", low, high))
}

func (c *Checker) betweenOrNil(n *int, field string, low, high int) {
	if n != nil {
		c.between(*n, field, low, high)
	}
}

// schedule validates the rows and that rows of the same weekday do not overlap while both are valid.
func (c *Checker) schedule(rows []ScheduleRow) {
	c.Require(len(rows) <= maxScheduleRows, "schedule", "มีช่วงเวลาได้ไม่เกิน 200 ช่วง", "At most 200 rows.")
	for i, r := range rows {
		field := func(name string) string { return fmt.Sprintf("schedule[%d].%s", i, name) }
		start, startOK := ParseClock(r.StartTime)
		end, endOK := ParseClock(r.EndTime)
		c.Require(startOK && start < endOfDay, field("startTime"), clockTH, clockEN)
		c.Require(endOK, field("endTime"), clockTH, clockEN)
		c.Require(!startOK || !endOK || start < end, field("endTime"), "เวลาสิ้นสุดต้องหลังเวลาเริ่ม",
			"The end must be after the start.")
		c.between(r.Weekday, field("weekday"), 0, 6)
		c.between(r.SlotMinutes, field("slotMinutes"), minSlotMinutes, maxSlotMinutes)
		c.between(r.Capacity, field("capacity"), 1, maxCapacity)
		if r.ValidFrom != nil {
			c.Date(*r.ValidFrom, field("validFrom"))
		}
		if r.ValidTo != nil {
			c.Date(*r.ValidTo, field("validTo"))
		}
		c.Require(r.ValidFrom == nil || r.ValidTo == nil || *r.ValidFrom <= *r.ValidTo, field("validTo"),
			"ต้องไม่ก่อนวันเริ่มใช้", "Must not be before the first day.")
		for j, other := range rows[:i] {
			if r.overlaps(other) {
				c.Require(false, field("startTime"), fmt.Sprintf("เวลาซ้อนกับช่วงที่ %d ของวันเดียวกัน", j+1),
					fmt.Sprintf("Overlaps row %d of the same day.", j+1))
				break
			}
		}
	}
}

func (r ScheduleRow) overlaps(o ScheduleRow) bool {
	return r.Weekday == o.Weekday && r.StartTime < o.EndTime && o.StartTime < r.EndTime &&
		(r.ValidTo == nil || o.ValidFrom == nil || *o.ValidFrom <= *r.ValidTo) &&
		(o.ValidTo == nil || r.ValidFrom == nil || *r.ValidFrom <= *o.ValidTo)
}
