package product

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// Clinic is a service of a test's own, far enough ahead that nobody of the
// sample hospital is booked there.
type Clinic struct {
	ServiceID int64
	First     time.Time
	Days      int
	Patients  int64 // ids run from 1
}

const clinicSlots = 32 // a day: eight to sixteen o'clock, a quarter of an hour each

// OpenClinic adds a clinic with so many seats a slot.
func (c *Client) OpenClinic(ctx context.Context, code string, patients int64, days, seats int) (Clinic, error) {
	week := []map[string]any{}
	for day := range 7 {
		week = append(week, map[string]any{"weekday": day, "startTime": "08:00", "endTime": "16:00"})
	}
	var service struct{ ID int64 }
	err := c.Call(ctx, http.MethodPost, "/admin/api/v1/service-config/create", map[string]any{
		"code": code, "name": "คลินิกทดสอบ", "slotMinutes": 15, "defaultCapacity": seats, "bookingWindowDays": 730,
		"leadMinutes": 0, "color": "#0f766e", "active": true, "schedule": week,
	}, &service)
	return Clinic{service.ID, time.Now().AddDate(0, 0, 200), days, patients}, err
}

// Booking is one request for a seat. Its key is also its reason, so that two
// seats for one request would be seen.
type Booking struct {
	Key                  string
	PatientID, ServiceID int64
	Date, Start          string
}

// Seat is a request for any seat, or for one of a few that many want.
func (k Clinic) Seat(r *rand.Rand, key string, wanted bool) Booking {
	slot, day := r.IntN(clinicSlots), r.IntN(k.Days)
	if wanted {
		slot, day = r.IntN(4), 0
	}
	return Booking{
		Key: fmt.Sprintf("%s-%d", key, r.Uint32()), PatientID: 1 + r.Int64N(k.Patients), ServiceID: k.ServiceID,
		Date: k.First.AddDate(0, 0, day).Format(time.DateOnly), Start: fmt.Sprintf("%02d:%02d", 8+slot/4, slot%4*15),
	}
}

// Book asks for the seat.
func (c *Client) Book(ctx context.Context, b Booking, into any) error {
	return c.Call(ctx, http.MethodPost, "/admin/api/v1/appointment/create", map[string]any{
		"patientId": b.PatientID, "serviceId": b.ServiceID, "date": b.Date, "startTime": b.Start, "reason": b.Key,
		"kind": "FOLLOW_UP",
	}, into, Header{"Idempotency-Key", b.Key})
}

// Taken reports whether a booking was refused because the seat was gone, or the
// patient is somewhere else then: a right answer where many book at once.
func Taken(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && slices.Contains([]string{"SLOT_FULL", "PATIENT_DOUBLE_BOOKED"}, refused.Code)
}
