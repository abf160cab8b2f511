package hospital

import (
	"fmt"
	"time"
)

// BirthPrecision is how exactly a birth date is known. Older people often know
// only the year.
type BirthPrecision string

// DAY is exact; MONTH and YEAR leave the rest at its first.
const (
	BirthDay   BirthPrecision = "DAY"
	BirthMonth BirthPrecision = "MONTH"
	BirthYear  BirthPrecision = "YEAR"
)

// BirthPrecisions lists them for documents and checks.
var BirthPrecisions = []BirthPrecision{BirthDay, BirthMonth, BirthYear}

// Age is how old somebody is, in whole years, months and days.
type Age struct{ Years, Months, Days int }

// AgeOn counts from the birth date to the day, both as YYYY-MM-DD: full years,
// then full months, then days, as a calendar does. Who was born on 29 February
// is a year older on 1 March of other years; a month that is too short ends on
// its last day.
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
	// The day on which the last full month was complete; a birth day that the
	// month does not have lies on its last day.
	anchor := time.Date(b.Year(), b.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := anchor.AddDate(0, 1, -1).Day()
	anchor = anchor.AddDate(0, 0, min(b.Day(), last)-1)
	return Age{months / 12, months % 12, int(d.Sub(anchor).Hours() / 24)}, nil
}

// Text says an age as a front desk does: years and months and days, the small
// parts only where they matter, and "about" where the birth date is not exact.
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
