package store

import (
	"context"
	"strconv"

	"nadmor/internal/hospital"
)

// PrintSlip returns the appointment and the service of a slip and writes the printing to the audit log. It
// returns NOT_FOUND for an unknown appointment. The service is empty if it was deleted.
func (db *DB) PrintSlip(
	ctx context.Context, id int64, size string,
) (a hospital.Appointment, s hospital.Service, err error) {
	err = db.Change(ctx, func(tx *Tx) (err error) {
		if a, err = tx.readAppointment(id); err != nil {
			return err
		}
		s, err = tx.readService(a.ServiceID)
		if err != nil && hospital.CodeOf(err) != hospital.NotFound {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{
			Action: "appointment.slip", Entity: "appointment", EntityID: strconv.FormatInt(id, 10),
			Subject: a.Number, Reason: size,
		})
		return nil
	})
	return a, s, err
}

// PrintDay returns the appointments of a date by service, with the services that have any in their order, and
// writes the printing to the audit log. If a service is given, only that one is returned, also without
// appointments. It returns NOT_FOUND if it does not exist.
func (db *DB) PrintDay(
	ctx context.Context, date string, serviceID int64,
) (services []hospital.Service, of map[int64][]hospital.Appointment, err error) {
	err = db.Change(ctx, func(tx *Tx) (err error) {
		services, of = nil, map[int64][]hospital.Appointment{}
		in, subject := hospital.AppointmentFilter{DateFrom: date, DateTo: date}, date
		var all []hospital.Service
		if serviceID != 0 {
			s, err := tx.readService(serviceID)
			if err != nil {
				return err
			}
			in.ServiceIDs, subject = []int64{serviceID}, date+" "+s.Code
			all = []hospital.Service{s}
		} else if all, err = tx.listServices(true); err != nil {
			return err
		}
		list, err := tx.appointmentsIn(in)
		if err != nil {
			return err
		}
		for _, a := range list {
			of[a.ServiceID] = append(of[a.ServiceID], a)
		}
		for _, s := range all {
			if len(of[s.ID]) > 0 || serviceID != 0 {
				services = append(services, s)
			}
		}
		tx.NoteEntry(hospital.AuditEntry{Action: "appointment.day-list", Entity: "appointment", Subject: subject})
		return nil
	})
	return services, of, err
}
