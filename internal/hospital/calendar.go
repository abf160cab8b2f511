package hospital

import (
	"fmt"
	"time"
)

// Clock is a time of day in minutes after midnight. 24:00 is the end of a day.
type Clock int

const endOfDay Clock = 24 * 60

// ParseClock parses a time of day such as 09:30 or 24:00.
func ParseClock(s string) (Clock, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	for _, i := range [...]int{0, 1, 3, 4} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	hour, minute := int(s[0]-'0')*10+int(s[1]-'0'), int(s[3]-'0')*10+int(s[4]-'0')
	c := Clock(hour*60 + minute)
	return c, minute < 60 && c <= endOfDay
}

// String formats the time as 09:30.
func (c Clock) String() string {
	hour, minute := byte(c/60), byte(c%60)
	return string([]byte{'0' + hour/10, '0' + hour%10, ':', '0' + minute/10, '0' + minute%10})
}

// clockOf parses a valid time.
func clockOf(s string) Clock {
	c, _ := ParseClock(s)
	return c
}

// Dates in requests and imports must have a year from firstYear up to, but not including,
// endYear. This rejects years of the Buddhist Era: 2569 is 2026.
const firstYear, endYear = 1800, 2400

// dateFault returns what is wrong with a date, or nil for an existing day in a plausible
// year, formatted as 2026-11-15.
func dateFault(s string) *Text {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return &Text{dateTH, dateEN}
	}
	return yearFault(t.Year())
}

// yearFault returns what is wrong with a year of the Christian Era, or nil. For a year of the
// Buddhist Era it suggests the year that was probably meant.
func yearFault(year int) *Text {
	if firstYear <= year && year < endYear {
		return nil
	}
	if meant := year - BuddhistEra; firstYear <= meant && meant < endYear {
		return &Text{
			fmt.Sprintf("ปี %d น่าจะหมายถึง ค.ศ. %d กรุณาระบุปีเป็น ค.ศ.", year, meant),
			fmt.Sprintf("The year %d probably means %d. Give the year in the Christian Era.", year, meant),
		}
	}
	return &Text{
		fmt.Sprintf("ปีต้องอยู่ระหว่าง ค.ศ. %d–%d", firstYear, endYear-1),
		fmt.Sprintf("The year must be between %d and %d.", firstYear, endYear-1),
	}
}

// Date validates a required date.
func (c *Checker) Date(date, field string) {
	c.fault(dateFault(date), field)
}

// instant validates the year of an optional time.
func (c *Checker) instant(t *time.Time, field string) {
	if t != nil && !t.IsZero() {
		c.fault(yearFault(t.In(Bangkok).Year()), field)
	}
}

func (c *Checker) fault(fault *Text, field string) {
	if fault != nil {
		c.Require(false, field, fault.TH, fault.EN)
	}
}

// day parses a valid date.
func day(date string) time.Time {
	d, _ := time.Parse(time.DateOnly, date)
	return d
}

// number returns the day number of a valid date, 0 for 1970-01-01. It is called thousands of times per
// screen, so it works on the digits without a time.Time. Years start in March, and 400 years have 146,097
// days.
func number(date string) int {
	if len(date) != len(time.DateOnly) {
		return 0
	}
	digits := func(from, to int) (n int) {
		for _, c := range []byte(date[from:to]) {
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := 400+digits(0, 4), digits(5, 7), digits(8, 10) // +400 keeps it positive
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468 - 146097
}

// WeekdayOf returns the weekday of a date, 0 for Sunday.
func WeekdayOf(date string) int { return ((number(date)+4)%7 + 7) % 7 }

// AddDays returns the date n days later.
func AddDays(date string, n int) string { return day(date).AddDate(0, 0, n).Format(time.DateOnly) }

// DaysBetween returns the number of days from one date to another, 0 for the same date.
func DaysBetween(from, to string) int { return number(to) - number(from) }

// DatesBetween returns the dates from one date to another, both included.
func DatesBetween(from, to string) []string {
	n := DaysBetween(from, to)
	if n < 0 {
		return nil
	}
	dates := make([]string, 0, n+1)
	first := day(from)
	for i := range n + 1 {
		dates = append(dates, first.AddDate(0, 0, i).Format(time.DateOnly))
	}
	return dates
}

// MonthOf returns the first and last date of the month of a date.
func MonthOf(date string) (first, last string) {
	d := day(date)
	begin := d.AddDate(0, 0, 1-d.Day())
	return begin.Format(time.DateOnly), begin.AddDate(0, 1, -1).Format(time.DateOnly)
}

// DateRange is a range of dates, both ends included.
type DateRange struct {
	DateFrom string `json:"dateFrom,omitempty"`
	DateTo   string `json:"dateTo,omitempty"`
}

// Validate requires both dates, in order, spanning at most maxDays days.
func (r DateRange) Validate(maxDays int) error {
	var c Checker
	c.dates(r.DateFrom, r.DateTo, maxDays)
	return c.Err()
}

// dates validates a range of at most maxDays dates.
func (c *Checker) dates(from, to string, maxDays int) {
	c.Date(from, "dateFrom")
	c.Date(to, "dateTo")
	if dateFault(from) == nil && dateFault(to) == nil {
		c.Require(from <= to, "dateTo", "ต้องไม่ก่อนวันเริ่มต้น", "Must not be before the first day.")
		c.Require(from > to || DaysBetween(from, to) < maxDays, "dateTo", fmt.Sprintf("เลือกได้ไม่เกิน %d วัน", maxDays),
			fmt.Sprintf("At most %d days.", maxDays))
	}
}

const (
	dateTH, dateEN   = "วันที่ไม่ถูกต้อง", "This is not a date (YYYY-MM-DD)."
	clockTH, clockEN = "เวลาไม่ถูกต้อง กรุณากรอกเช่น 09:30", "This is not a time; write 09:30."
)

// Moment is a date and time of day in the hospital's time zone.
type Moment struct {
	Date  string
	Clock Clock
}

// MomentOf converts an instant to the hospital's time zone.
func MomentOf(t time.Time) Moment {
	t = t.In(Bangkok)
	return Moment{t.Format(time.DateOnly), Clock(t.Hour()*60 + t.Minute())}
}

// EndOf returns the end of a date.
func EndOf(date string) Moment { return Moment{date, endOfDay} }

// Reached reports whether the moment is not before a time on a date.
func (m Moment) Reached(date string, c Clock) bool {
	return m.Date > date || m.Date == date && m.Clock >= c
}

// After reports whether the moment is later than a time on a date.
func (m Moment) After(date string, c Clock) bool {
	return m.Date > date || m.Date == date && m.Clock > c
}

// Add returns the moment some minutes later.
func (m Moment) Add(minutes int) Moment {
	t := day(m.Date).Add(time.Duration(int(m.Clock)+minutes) * time.Minute)
	return Moment{t.Format(time.DateOnly), Clock(t.Hour()*60 + t.Minute())}
}
