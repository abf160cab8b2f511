package hospital

import (
	"cmp"
	"slices"
)

// maxSeries is the maximum number of visits of a series.
const maxSeries = 24

// Series is a booking repeated every EveryDays days or EveryWeeks weeks.
type Series struct {
	NewAppointment
	EveryDays  int
	EveryWeeks int
	Count      int
}

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (s Series) Validate() error {
	var c Checker
	c.Require(s.PatientID > 0, "patientId", "กรุณาเลือกผู้ป่วย", "Choose a patient.")
	c.appointment(s.AppointmentFields)
	c.between(s.Count, "count", 1, maxSeries)
	c.Require((s.EveryDays > 0) != (s.EveryWeeks > 0), "everyWeeks",
		"กรุณาระบุทุกกี่วันหรือทุกกี่สัปดาห์อย่างใดอย่างหนึ่ง", "Say every how many days or weeks, one of them.")
	c.between(s.EveryDays, "everyDays", 0, 366)
	c.between(s.EveryWeeks, "everyWeeks", 0, 52)
	return c.Err()
}

// Dates returns the dates of the visits.
func (s Series) Dates() []string {
	step := s.EveryDays + 7*s.EveryWeeks
	dates := make([]string, s.Count)
	for i := range dates {
		dates[i] = AddDays(s.Date, i*step)
	}
	return dates
}

// Nearest returns the FREE slots, the closest to a time of day first; of two equally close
// ones, the earlier.
func (d DaySlots) Nearest(start string) []Slot {
	wanted := clockOf(start)
	free := slices.DeleteFunc(slices.Clone(d.Slots), func(s Slot) bool { return s.State != StateFree })
	away := func(s Slot) Clock { return max(clockOf(s.StartTime)-wanted, wanted-clockOf(s.StartTime)) }
	slices.SortStableFunc(free, func(a, b Slot) int { return cmp.Compare(away(a), away(b)) })
	return free
}

// Time is a time on a date.
type Time struct {
	Date      string `json:"date"`
	StartTime string `json:"startTime"`
}

// Skipped is a date of a series on which no slot was free.
type Skipped struct {
	Date   string `json:"date"`
	Reason string `json:"reason"`
}

// Move is the move of an appointment from one time to another.
type Move struct {
	AppointmentID int64 `json:"appointmentId"`
	From          Time  `json:"from"`
	To            Time  `json:"to"`
}
