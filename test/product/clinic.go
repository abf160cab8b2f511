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

// Clinic is a service for tests, without bookings of the sample hospital.
type Clinic struct {
	ServiceID int64
	First     time.Time
	Days      int
	Patients  int64 // ids start at 1
}

const clinicSlots = 32 // a day: 8 to 16 in quarters of an hour

// OpenClinic adds a clinic with the given capacity per slot.
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

// Booking is a booking request. Its key is also its reason, so that duplicates are detected.
type Booking struct {
	Key                  string
	PatientID, ServiceID int64
	Date, Start          string
}

// Seat returns a booking of a random seat, or of one of a few contended ones if wanted.
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

// Book books the seat.
func (c *Client) Book(ctx context.Context, b Booking, into any) error {
	return c.Call(ctx, http.MethodPost, "/admin/api/v1/appointment/create", map[string]any{
		"patientId": b.PatientID, "serviceId": b.ServiceID, "date": b.Date, "startTime": b.Start, "reason": b.Key,
		"kind": "FOLLOW_UP",
	}, into, Header{"Idempotency-Key", b.Key})
}

// Taken reports whether a booking failed because the slot is full or the patient double-booked, which is
// correct with concurrent bookings.
func Taken(err error) bool {
	var rejected *RejectedError
	return errors.As(err, &rejected) && slices.Contains([]string{"SLOT_FULL", "PATIENT_DOUBLE_BOOKED"}, rejected.Code)
}
