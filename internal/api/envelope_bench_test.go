package api

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// BenchmarkEnvelope encodes the most frequent responses: a page of fifty appointments, and the load of six
// weeks of twenty services.
func BenchmarkEnvelope(b *testing.B) {
	now := time.Date(2026, 11, 16, 3, 0, 0, 0, time.UTC)
	var visits []hospital.Appointment
	for i := range int64(50) {
		visits = append(visits, hospital.Appointment{
			ID: i, Number: fmt.Sprintf("A69-%06d", i), PatientID: i, Status: hospital.Booked, EndTime: "09:30", Version: 1,
			CreatedAt: now, UpdatedAt: now,
			AppointmentFields: hospital.AppointmentFields{
				ServiceID: 3, Date: "2026-11-16", StartTime: "09:00", Reason: "ติดตามอาการความดันโลหิต",
			},
			Patient: hospital.PatientRef{
				ID: i, HN: "0000123", Prename: "นาย", FirstName: "สมชาย", LastName: "ใจดี", BirthDate: "1980-05-17",
				Sex: hospital.Male, Phone: "0812345678",
			},
			Service: hospital.ServiceRef{ID: 3, Code: "MED", Name: "อายุรกรรม", Color: "#0f766e"},
		})
	}
	var days []store.DayLoad
	for _, date := range hospital.DatesBetween("2026-11-01", "2026-12-12") {
		d := store.DayLoad{
			Date: date, Capacity: 800, Booked: 420,
			ByStatus: map[hospital.AppointmentStatus]int{hospital.Booked: 400, hospital.Confirmed: 20, hospital.Cancelled: 9},
		}
		for id := range int64(20) {
			d.Services = append(d.Services, store.ServiceLoad{ServiceID: id, Capacity: 40, Booked: 21})
		}
		days = append(days, d)
	}
	for name, answer := range map[string]any{
		"appointments": envelope[hospital.Paged[hospital.Appointment]]{
			Success: true, Data: hospital.NewPaged(hospital.Page{Page: 1, PageSize: 50}, visits, 1234),
		},
		"month": envelope[calendar]{
			Success: true,
			Data:    calendar{Days: days, Appointments: []hospital.Appointment{}, Slots: []store.ServiceDay{}},
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			to := json.NewEncoder(io.Discard)
			for b.Loop() {
				if err := to.Encode(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
