package store

import (
	"context"
	"errors"
	"fmt"

	"nadmor/internal/hospital"
)

// PrintSlip returns what an appointment slip shows, and writes down that it was
// printed: NOT_FOUND. A service that is gone has left its name alone.
func (db *DB) PrintSlip(ctx context.Context, id int64, size string) (a hospital.Appointment, s hospital.Service, err error) {
	if a, err = db.readAppointment(ctx, db.read, id); err != nil {
		return a, s, mapError(err)
	}
	s, err = db.Service(ctx, a.ServiceID)
	if err != nil && !errors.Is(err, hospital.Refuse(hospital.NotFound)) {
		return a, s, err
	}
	return a, s, db.Note(ctx, hospital.AuditEntry{Action: "appointment.slip", Entity: "appointment", EntityID: fmt.Sprint(id), Subject: a.Number, Reason: size})
}

// PrintDay returns the services that somebody is booked in on a date, in their
// order, with those appointments, and writes down that the list was printed. Of
// one service, if it is given, though nobody comes: NOT_FOUND.
func (db *DB) PrintDay(ctx context.Context, date string, serviceID int64) (services []hospital.Service, of map[int64][]hospital.Appointment, err error) {
	in, subject := hospital.AppointmentFilter{DateFrom: date, DateTo: date}, date
	all := []hospital.Service{}
	if serviceID != 0 {
		s, err := db.Service(ctx, serviceID)
		if err != nil {
			return nil, nil, err
		}
		in.ServiceIDs, subject = []int64{serviceID}, date+" "+s.Code
		all = append(all, s)
	} else if all, err = db.ListServices(ctx, true); err != nil {
		return nil, nil, err
	}
	list, err := db.AppointmentsIn(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	of = map[int64][]hospital.Appointment{}
	for _, a := range list {
		of[a.ServiceID] = append(of[a.ServiceID], a)
	}
	for _, s := range all {
		if len(of[s.ID]) > 0 || serviceID != 0 {
			services = append(services, s)
		}
	}
	return services, of, db.Note(ctx, hospital.AuditEntry{Action: "appointment.day-list", Entity: "appointment", Subject: subject})
}
