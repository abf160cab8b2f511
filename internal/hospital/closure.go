package hospital

import (
	"slices"
	"time"
)

// ClosureKind is the reason of a closure.
type ClosureKind string

// The kinds of closures.
const (
	ClosureHoliday ClosureKind = "HOLIDAY"
	ClosureClosed  ClosureKind = "CLOSED"
)

// ClosureKinds lists the valid values.
var ClosureKinds = []ClosureKind{ClosureHoliday, ClosureClosed}

// ClosureFields is a range of dates on which some services, or all of them, are closed: all day, or between
// two times of each day.
type ClosureFields struct {
	DateFrom   string      `json:"dateFrom"`
	DateTo     string      `json:"dateTo"`
	StartTime  *string     `json:"startTime,omitempty" doc:"All day if absent"`
	EndTime    *string     `json:"endTime,omitempty"`
	ServiceIDs []int64     `json:"serviceIds,omitempty" maxItems:"500" doc:"All services if empty"`
	Reason     string      `json:"reason"`
	Kind       ClosureKind `json:"kind,omitempty"`
}

// Closure is a stored closure.
type Closure struct {
	ID int64 `json:"id"`
	ClosureFields
	CreatedBy *int64    `json:"createdBy"`
	CreatedAt time.Time `json:"createdAt"`
}

// Clean returns the fields normalized for storage.
func (f ClosureFields) Clean() ClosureFields {
	f.Reason = CleanText(f.Reason)
	f.StartTime, f.EndTime = present(f.StartTime), present(f.EndTime)
	if f.DateTo == "" {
		f.DateTo = f.DateFrom
	}
	if f.Kind == "" {
		f.Kind = ClosureClosed
	}
	f.ServiceIDs = slices.Compact(slices.Sorted(slices.Values(f.ServiceIDs)))
	if f.ServiceIDs == nil {
		f.ServiceIDs = []int64{}
	}
	return f
}

// Validate returns VALIDATION_FAILED with every invalid field. It cleans the fields first.
func (f ClosureFields) Validate() error {
	f = f.Clean()
	var c Checker
	c.dates(f.DateFrom, f.DateTo, 731)
	c.Text(f.Reason, "reason", true, 200)
	c.Require(slices.Contains(ClosureKinds, f.Kind), "kind", "ประเภทไม่ถูกต้อง", "This is not a kind.")
	c.Require(len(f.ServiceIDs) <= 500, "serviceIds", "มีได้ไม่เกิน 500 บริการ", "At most 500 services.")
	start, startOK := ParseClock(text(f.StartTime))
	end, endOK := ParseClock(text(f.EndTime))
	if f.StartTime != nil || f.EndTime != nil {
		c.Require(startOK, "startTime", clockTH, clockEN)
		c.Require(endOK, "endTime", clockTH, clockEN)
		c.Require(!startOK || !endOK || start < end, "endTime", "เวลาสิ้นสุดต้องหลังเวลาเริ่ม",
			"The end must be after the start.")
	}
	return c.Err()
}

// AllDay reports whether the closure covers whole days.
func (f ClosureFields) AllDay() bool { return f.StartTime == nil }

// Of reports whether the closure applies to a service.
func (f ClosureFields) Of(serviceID int64) bool {
	return len(f.ServiceIDs) == 0 || slices.Contains(f.ServiceIDs, serviceID)
}

// On reports whether the closure applies to a service on a date.
func (f ClosureFields) On(serviceID int64, date string) bool {
	return f.Of(serviceID) && f.DateFrom <= date && date <= f.DateTo
}

// Covers reports whether the closure overlaps the time from start to end of a service on a date.
func (f ClosureFields) Covers(serviceID int64, date, start, end string) bool {
	return f.On(serviceID, date) && (f.AllDay() || *f.StartTime < end && start < *f.EndTime)
}
