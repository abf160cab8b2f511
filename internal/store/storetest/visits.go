package storetest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// AddService adds a service that is open every day from 9 to 12 and from 13 to 16, in slots of half an hour.
func AddService(t testing.TB, db *store.DB, code string, capacity int) hospital.Service {
	t.Helper()
	f := hospital.NewService
	f.Code, f.Name = code, "คลินิก "+code
	for day := range 7 {
		for _, hours := range [][2]string{{"09:00", "12:00"}, {"13:00", "16:00"}} {
			f.Schedule = append(f.Schedule, hospital.ScheduleRow{
				Weekday: day, StartTime: hours[0], EndTime: hours[1], SlotMinutes: 30, Capacity: capacity,
			})
		}
	}
	s, err := db.CreateService(hospital.WithActor(context.Background(), hospital.System), f)
	if err != nil {
		t.Fatalf("add service %s: %v", code, err)
	}
	return s
}

// AddPatient registers a patient.
func AddPatient(t testing.TB, db *store.DB, firstName string) hospital.Patient {
	t.Helper()
	p, err := db.CreatePatient(hospital.WithActor(context.Background(), hospital.System), hospital.PatientFields{
		Prename: "นาย", FirstName: firstName, LastName: "ทดสอบ", Sex: hospital.Male, BirthDate: "1980-05-17",
	}, true)
	if err != nil {
		t.Fatalf("add patient %s: %v", firstName, err)
	}
	return p
}

// Book books an appointment.
//
//nolint:revive // t comes first in tests
func Book(
	t testing.TB, db *store.DB, ctx context.Context,
	p hospital.Patient, s hospital.Service, date, start string,
) hospital.Appointment {
	t.Helper()
	a, err := db.Book(ctx, hospital.NewAppointment{
		PatientID:         p.ID,
		AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: date, StartTime: start},
	})
	if err != nil {
		t.Fatalf("book %s %s: %v", date, start, err)
	}
	return a
}

// Visit returns the i-th appointment of a filled database, half an hour from the minute start of a day on.
// One in ten is cancelled, and of the others before today one in eight is a no-show.
func Visit(
	random *rand.Rand, i int, patientID, serviceID int64, date string, start int, today string,
) hospital.Appointment {
	a := hospital.Appointment{
		Number: fmt.Sprintf("A%08d", i), PatientID: patientID, Status: hospital.Booked,
		EndTime: hospital.Clock(start + 30).String(), Version: 1,
		AppointmentFields: hospital.AppointmentFields{
			ServiceID: serviceID, Date: date, StartTime: hospital.Clock(start).String(),
			Kind: hospital.KindFollowUp, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
			Reason: "ติดตามอาการ",
		},
	}
	a.CreatedAt, _ = time.Parse(time.DateOnly, date)
	a.UpdatedAt = a.CreatedAt
	switch {
	case random.IntN(10) == 0:
		a.Status, a.CancelReason = hospital.Cancelled, "ไม่สะดวก"
	case date < today && random.IntN(8) == 0:
		a.Status = hospital.NoShow
	case date < today:
		a.Status = hospital.Completed
	}
	return a
}

// Fill adds patients, of whom there are people, and appointments of twenty services in the year around today.
func Fill(
	ctx context.Context, t testing.TB, db *store.DB, people, appointments int,
	patients iter.Seq[hospital.PatientFields],
) {
	t.Helper()
	today := db.Today()
	var services []hospital.Service
	for i := range 20 {
		services = append(services, AddService(t, db, fmt.Sprintf("C%02d", i), 10))
	}
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same every time
	booked := func(yield func(hospital.Appointment) bool) {
		for i := range appointments {
			s, date := services[random.IntN(len(services))], hospital.AddDays(today, -330+i*365/appointments)
			patientID := 1 + random.Int64N(int64(people))
			if !yield(Visit(random, i, patientID, s.ID, date, 9*60+30*(i%6), today)) {
				return
			}
		}
	}
	if err := load.Hospital(ctx, db, load.Records{Patients: patients, Appointments: booked}, nil); err != nil {
		t.Fatalf("fill: %v", err)
	}
}

// FillDays adds a service with a hundred seats per slot, and n patients with one appointment
// each, a thousand per day starting at a date. The database must have no patients or
// appointments.
func FillDays(ctx context.Context, t testing.TB, db *store.DB, n int, from string) hospital.Service {
	t.Helper()
	s := AddService(t, db, "CROWD", 100)
	const starts = 12 // slots per day of AddService
	records := load.Records{
		Patients: func(yield func(hospital.PatientFields) bool) {
			for i := range n {
				f := hospital.PatientFields{
					HN: fmt.Sprintf("P%06d", i), Prename: "นาย", FirstName: fmt.Sprintf("คนที่%d", i),
					LastName: "ทดสอบ", Sex: hospital.Male, BirthDate: "1980-05-17",
				}
				if !yield(f) {
					return
				}
			}
		},
		Appointments: func(yield func(hospital.Appointment) bool) {
			for i := range n {
				start := hospital.Clock(9*60 + 30*(i%starts))
				if i%starts >= starts/2 {
					start += 60 // after lunch
				}
				a := hospital.Appointment{
					Number: fmt.Sprintf("A%08d", i), PatientID: int64(i + 1), Status: hospital.Booked,
					EndTime: (start + 30).String(), Version: 1, CreatedAt: db.Now(), UpdatedAt: db.Now(),
					AppointmentFields: hospital.AppointmentFields{
						ServiceID: s.ID, Date: hospital.AddDays(from, i/1000), StartTime: start.String(),
						Kind: hospital.KindNew, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
					},
				}
				if !yield(a) {
					return
				}
			}
		},
	}
	if err := load.Hospital(ctx, db, records, nil); err != nil {
		t.Fatalf("fill days: %v", err)
	}
	return s
}
