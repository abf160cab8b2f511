package demo

import (
	"slices"
	"time"

	"nadmor/internal/hospital"
)

// noShowAfter is the time after which a patient is a no-show.
const noShowAfter = 75 * time.Minute

// extraWait is the additional waiting time in minutes by hour.
var extraWait = map[int]int{9: 6, 10: 15, 11: 20, 14: 5, 15: 3}

// status sets the current status of a visit and its times.
func (d *visitDay) status(a *hospital.Appointment, c *placed, slot hospital.Slot, start time.Time, missing float64) {
	roll := d.rng.Float64()
	came := start.Add(time.Duration(d.rng.IntN(25)-15) * time.Minute)
	begun := start.Add(time.Duration(10+d.rng.IntN(35)+extraWait[start.Hour()]) * time.Minute)
	length := min(60, int(clock(slot.EndTime)-clock(slot.StartTime)))
	done := begun.Add(time.Duration((8+d.rng.IntN(22))*(10+length)/40) * time.Minute) // longer in longer slots
	if roll < 0.07 {
		a.Status, a.CancelReason = hospital.Cancelled, pick(d.rng, cancellations)
		a.UpdatedAt = a.CreatedAt.Add(time.Hour)
		if a.UpdatedAt.After(d.now) {
			a.UpdatedAt = d.now
		}
		return
	}
	past, today := a.Date < d.wall.Date, a.Date == d.wall.Date
	absent := roll < 0.07+missing
	switch {
	case past && absent:
		evening := time.Date(start.Year(), start.Month(), start.Day(), 23, 30, 0, 0, hospital.Bangkok)
		a.Status, a.UpdatedAt = hospital.NoShow, evening.UTC()
	case today && absent && d.now.After(start.Add(noShowAfter)):
		a.Status, a.UpdatedAt = hospital.NoShow, start.Add(noShowAfter).UTC()
	case past || today && d.now.After(done) && !absent:
		a.Status = hospital.Completed
		a.CheckedInAt, a.StartedAt, a.CompletedAt, a.UpdatedAt = &came, &begun, &done, done
	case today && d.now.After(begun) && !absent:
		a.Status = hospital.InService
		a.CheckedInAt, a.StartedAt, a.UpdatedAt = &came, &begun, begun
	case today && d.now.After(came) && !absent:
		a.Status = hospital.CheckedIn
		a.CheckedInAt, a.UpdatedAt = &came, came
	case c.RequiresApproval && roll > 0.75 && !d.now.After(start):
		a.Status = hospital.Pending
	case roll > 0.55:
		a.Status = hospital.Confirmed
	}
}

// fillStatuses makes sure that today has appointments in every status that is possible at this hour.
func (d *visitDay) fillStatuses(list []visit) {
	ensure := func(status hospital.AppointmentStatus, from []hospital.AppointmentStatus, low, high time.Duration,
		change func(*visit, time.Time)) {
		if slices.ContainsFunc(list, func(v visit) bool { return v.Status == status }) {
			return
		}
		var best *visit // the latest
		var begins time.Time
		for i := range list {
			v := &list[i]
			start, _ := time.ParseInLocation("2006-01-02 15:04", v.Date+" "+v.StartTime, hospital.Bangkok)
			in := start.Sub(d.now)
			if slices.Contains(from, v.Status) && low <= in && in <= high &&
				(status != hospital.Pending || v.RequiresApproval) && (best == nil || start.After(begins)) {
				best, begins = v, start
			}
		}
		if best != nil {
			best.Status, best.CancelReason = status, ""
			change(best, begins)
		}
	}
	expected := []hospital.AppointmentStatus{hospital.Booked, hospital.Confirmed}
	over := []hospital.AppointmentStatus{
		hospital.Booked, hospital.Confirmed, hospital.Completed, hospital.NoShow, hospital.Cancelled,
	}
	ago := func(minutes int) *time.Time {
		return ptr(d.now.Add(-time.Duration(minutes) * time.Minute).Truncate(time.Second))
	}
	ensure(hospital.InService, over, -3*time.Hour, 0, func(v *visit, _ time.Time) {
		v.CheckedInAt, v.StartedAt, v.CompletedAt = ago(25), ago(8), nil
		v.UpdatedAt = *v.StartedAt
	})
	ensure(hospital.CheckedIn, over, -3*time.Hour, 20*time.Minute, func(v *visit, _ time.Time) {
		v.CheckedInAt, v.StartedAt, v.CompletedAt = ago(6), nil, nil
		v.UpdatedAt = *v.CheckedInAt
	})
	ensure(hospital.Pending, expected, time.Hour, 24*time.Hour, func(*visit, time.Time) {})
	if seen := slices.DeleteFunc(slices.Clone(list), func(v visit) bool {
		return v.Status != hospital.Completed
	}); len(seen) < 4 {
		return // too early for a no-show
	}
	ensure(hospital.NoShow, []hospital.AppointmentStatus{hospital.Booked, hospital.Confirmed, hospital.Completed},
		-24*time.Hour, -noShowAfter, func(v *visit, start time.Time) {
			v.CheckedInAt, v.StartedAt, v.CompletedAt, v.UpdatedAt = nil, nil, nil, start.Add(noShowAfter).UTC()
		})
}
