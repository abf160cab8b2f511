package hospital

import (
	"fmt"
	"testing"
	"time"
)

// TestDateArithmetic compares every day of four centuries with package time.
func TestDateArithmetic(t *testing.T) {
	first := time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC)
	from := first.Format(time.DateOnly)
	for i := range 400*365 + 97 {
		d := first.AddDate(0, 0, i)
		date := d.Format(time.DateOnly)
		if got, want := WeekdayOf(date), int(d.Weekday()); got != want {
			t.Fatalf("%s is weekday %d, want %d", date, got, want)
		}
		if got := DaysBetween(from, date); got != i {
			t.Fatalf("%d days from %s to %s, want %d", got, from, date, i)
		}
		if got := DaysBetween(date, from); got != -i {
			t.Fatalf("%d days from %s to %s, want %d", got, date, from, -i)
		}
	}
}

func TestClockFormat(t *testing.T) {
	for c := range endOfDay + 1 {
		if got, want := c.String(), fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60); got != want {
			t.Fatalf("%d is written %s, want %s", int(c), got, want)
		}
		if back, ok := ParseClock(c.String()); !ok || back != c {
			t.Fatalf("%s is read as %d", c, int(back))
		}
	}
}

// A Buddhist Era year is rejected with a suggestion of the year that was probably meant. Years
// out of range are rejected, too.
func TestDateYears(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"2026-11-15": "", "1800-01-01": "", "2399-12-31": "",
		"2569-11-15": "The year 2569 probably means 2026. Give the year in the Christian Era.",
		"2400-01-01": "The year 2400 probably means 1857. Give the year in the Christian Era.",
		"1799-12-31": "The year must be between 1800 and 2399.",
		"9999-12-31": "The year must be between 1800 and 2399.",
		"2569-02-30": dateEN, "": dateEN, "15/11/2569": dateEN,
	} {
		got := ""
		if fault := dateFault(date); fault != nil {
			got = fault.EN
		}
		if got != want {
			t.Errorf("%q: %q, want %q", date, got, want)
		}
	}
	if got, want := dateFault("2569-11-15").TH, "ปี 2569 น่าจะหมายถึง ค.ศ. 2026 กรุณาระบุปีเป็น ค.ศ."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// It is 1 January 2400 in Bangkok, but not in UTC.
	var c Checker
	late := time.Date(2399, 12, 31, 18, 0, 0, 0, time.UTC)
	c.instant(&late, "at")
	if c.Err() == nil {
		t.Error("a time in 2400 in Bangkok is accepted")
	}
}
