package store

import (
	"time"

	"nadmor/internal/hospital"
)

// desk is what a booking is decided with: the rules of the hospital, the hours
// of the service, the days it is closed, and the time.
type desk struct {
	setting  hospital.Setting
	service  hospital.Service
	closures []hospital.Closure
	now      hospital.Moment
}

// deskAsked returns the queries for a service and a period. They lock the service against
// deletion until the end of the transaction.
func (tx *Tx) deskAsked(serviceID int64, from, to string, d *desk) []question {
	return []question{
		keeping(question{
			what:  "read service",
			query: serviceSelect + `WHERE s.id = $1 AND s.deleted_at IS NULL` + tx.db.dialect.keyShare("s"),
			args:  []any{serviceID},
			row:   func(scan func(...any) error) (err error) { d.service, err = scanService(scan); return err },
		}, &d.service),
		keeping(question{
			what: "read closures", query: closureSelect + closuresTouch, args: []any{from, to},
			row: func(scan func(...any) error) error {
				c, err := scanClosure(scan)
				d.closures = append(d.closures, c)
				return err
			},
		}, &d.closures),
	}
}

// at is the desk with the rules of the hospital, at a time: VALIDATION_FAILED when
// the service does not exist.
func (d desk) at(now time.Time, setting hospital.Setting) (desk, error) {
	if d.service.ID == 0 {
		return d, hospital.Refuse(hospital.ValidationFailed).On("serviceId", "ไม่พบบริการนี้", "There is no such service.")
	}
	d.setting, d.now = setting, hospital.MomentOf(now)
	return d, nil
}

func (tx *Tx) desk(setting hospital.Setting, serviceID int64, from, to string) (d desk, err error) {
	if err := tx.gather(tx.deskAsked(serviceID, from, to, &d)...); err != nil {
		return d, err
	}
	return d.at(tx.now, setting)
}

// terms returns the booking terms for an appointment.
func (d desk) terms(f hospital.AppointmentFields) hospital.BookingTerms {
	return d.setting.Booking(d.now, f.WalkIn())
}

// open is the slot in which a new seat may be taken at the time asked for.
func (d desk) open(f hospital.AppointmentFields) (hospital.Slot, error) {
	return d.service.Open(f.Date, f.StartTime, d.closures, d.terms(f))
}
