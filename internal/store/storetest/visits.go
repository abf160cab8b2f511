package storetest

import (
	"context"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// AddService adds a clinic that is open every day from 9 to 12 and from 13 to
// 16, in slots of half an hour with so many seats.
func AddService(t testing.TB, db *store.DB, code string, capacity int) hospital.Service {
	t.Helper()
	f := hospital.NewService
	f.Code, f.Name = code, "คลินิก "+code
	for day := range 7 {
		for _, hours := range [][2]string{{"09:00", "12:00"}, {"13:00", "16:00"}} {
			f.Schedule = append(f.Schedule, hospital.ScheduleRow{Weekday: day, StartTime: hours[0], EndTime: hours[1], SlotMinutes: 30, Capacity: capacity})
		}
	}
	s, err := db.CreateService(hospital.WithActor(context.Background(), hospital.System), f)
	if err != nil {
		t.Fatalf("add service %s: %v", code, err)
	}
	return s
}

// AddPatient registers somebody.
func AddPatient(t testing.TB, db *store.DB, firstName string) hospital.Patient {
	t.Helper()
	p, err := db.CreatePatient(hospital.WithActor(context.Background(), hospital.System),
		hospital.PatientFields{Prename: "นาย", FirstName: firstName, LastName: "ทดสอบ", Sex: hospital.Male, BirthDate: "1980-05-17"}, true)
	if err != nil {
		t.Fatalf("add patient %s: %v", firstName, err)
	}
	return p
}

// Book takes a seat.
func Book(t testing.TB, db *store.DB, ctx context.Context, p hospital.Patient, s hospital.Service, date, start string) hospital.Appointment { //nolint:revive // t comes first in tests
	t.Helper()
	a, err := db.Book(ctx, hospital.NewAppointment{PatientID: p.ID, AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: date, StartTime: start}})
	if err != nil {
		t.Fatalf("book %s %s: %v", date, start, err)
	}
	return a
}
