package hospital

import (
	"fmt"
	"time"
)

// BirthPrecision is the precision of a birth date. Many older people know only the year.
type BirthPrecision string

// The precisions. With MONTH the day is 1, with YEAR day and month are 1.
const (
	BirthDay   BirthPrecision = "DAY"
	BirthMonth BirthPrecision = "MONTH"
	BirthYear  BirthPrecision = "YEAR"
)

// BirthPrecisions lists the valid values.
var BirthPrecisions = []BirthPrecision{BirthDay, BirthMonth, BirthYear}

// Age is a person's age in whole years, months and days.
type Age struct{ Years, Months, Days int }

// AgeOn returns the age on a day. Both dates are YYYY-MM-DD. A person born on 29 February turns a year older
// on 1 March of a common year; a month without the birth day ends on its last day.
func AgeOn(birth, day string) (Age, error) {
	b, err := time.Parse(time.DateOnly, birth)
	if err != nil {
		return Age{}, fmt.Errorf("birth date: %w", err)
	}
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return Age{}, fmt.Errorf("day: %w", err)
	}
	if d.Before(b) {
		return Age{}, nil
	}
	months := (d.Year()-b.Year())*12 + int(d.Month()) - int(b.Month())
	if d.Day() < b.Day() {
		months--
	}
	// anchor is the last day on which a full month was completed, clamped to the length of the month.
	anchor := time.Date(b.Year(), b.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := anchor.AddDate(0, 1, -1).Day()
	anchor = anchor.AddDate(0, 0, min(b.Day(), last)-1)
	return Age{months / 12, months % 12, int(d.Sub(anchor).Hours() / 24)}, nil
}

// Text formats an age for display without leading zero units, and with "about" if the birth date is not
// exact.
func (a Age) Text(p BirthPrecision) Text {
	switch {
	case p == BirthYear:
		return Text{fmt.Sprintf("ประมาณ %d ปี", a.Years), fmt.Sprintf("about %d years", a.Years)}
	case p == BirthMonth:
		return Text{
			fmt.Sprintf("ประมาณ %d ปี %d เดือน", a.Years, a.Months), fmt.Sprintf("about %d years %d months", a.Years, a.Months),
		}
	case a.Years > 0:
		return Text{
			fmt.Sprintf("%d ปี %d เดือน %d วัน", a.Years, a.Months, a.Days),
			fmt.Sprintf("%d years %d months %d days", a.Years, a.Months, a.Days),
		}
	case a.Months > 0:
		return Text{fmt.Sprintf("%d เดือน %d วัน", a.Months, a.Days), fmt.Sprintf("%d months %d days", a.Months, a.Days)}
	default:
		return Text{fmt.Sprintf("%d วัน", a.Days), fmt.Sprintf("%d days", a.Days)}
	}
}
