package hospital

import (
	"fmt"
	"testing"
	"time"
)

// TestDaysAreReckonedAsTheCalendarDoes compares every day of four centuries with
// the standard library's.
func TestDaysAreReckonedAsTheCalendarDoes(t *testing.T) {
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

func TestClocksAreWrittenWithTwoDigits(t *testing.T) {
	for c := range endOfDay + 1 {
		if got, want := c.String(), fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60); got != want {
			t.Fatalf("%d is written %s, want %s", int(c), got, want)
		}
		if back, ok := ParseClock(c.String()); !ok || back != c {
			t.Fatalf("%s is read as %d", c, int(back))
		}
	}
}
