package store

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// bookingRules decide whether a slot can be booked: the settings, the service with its schedule, the
// closures of a period, and the time.
type bookingRules struct {
	setting  hospital.Setting
	service  hospital.Service
	closures []hospital.Closure
	now      hospital.Moment
}

// bookingRules reads the rules of a service for a period, see queryBookingRules.
func (tx *Tx) bookingRules(setting hospital.Setting, serviceID int64, from, to string) (bookingRules, error) {
	return tx.queryBookingRules(serviceID, from, to)(setting)
}

// queryBookingRules queries the rules of a service for a period and protects the service from deletion
// until the end of the transaction. The result is VALIDATION_FAILED if the service does not exist.
func (tx *Tx) queryBookingRules(serviceID int64, from, to string) func(hospital.Setting) (bookingRules, error) {
	service := tx.Get(serviceSelect+`WHERE s.id = $1 AND s.deleted_at IS NULL`+tx.db.dialect.keyShare("s"), serviceID)
	closures := tx.queryClosures(from, to)
	return func(setting hospital.Setting) (r bookingRules, err error) {
		r.setting, r.now = setting, tx.LocalNow()
		r.service, err = scanService(service.Scan)
		if errors.Is(err, sqldb.ErrNoRows) {
			return r, hospital.Reject(hospital.ValidationFailed).
				On("serviceId", "ไม่พบบริการนี้", "There is no such service.")
		}
		if err != nil {
			return r, err
		}
		r.closures, err = closures()
		return r, err
	}
}

// queryRulesOf queries the rules of each service and day of some bookings once. Given the settings, the
// function it returns returns another one that reads the rules of a booking.
func (tx *Tx) queryRulesOf(bookings []*booking) func(hospital.Setting) func(*booking) (bookingRules, error) {
	keyOf := func(b *booking) serviceDay { return serviceDay{b.in.Date, b.in.ServiceID} }
	slices.SortFunc(bookings, func(a, b *booking) int { return cmp.Compare(a.in.ServiceID, b.in.ServiceID) })
	queried := map[serviceDay]func(hospital.Setting) (bookingRules, error){}
	for _, b := range bookings {
		if key := keyOf(b); queried[key] == nil {
			queried[key] = tx.queryBookingRules(key.serviceID, key.date, key.date)
		}
	}
	return func(setting hospital.Setting) func(*booking) (bookingRules, error) {
		rules := map[serviceDay]func() (bookingRules, error){}
		for key, read := range queried {
			rules[key] = sync.OnceValues(func() (bookingRules, error) { return read(setting) })
		}
		return func(b *booking) (bookingRules, error) { return rules[keyOf(b)]() }
	}
}

// terms returns the booking terms for an appointment.
func (r bookingRules) terms(f hospital.AppointmentFields) hospital.BookingTerms {
	return r.setting.Booking(r.now, f.WalkIn())
}

// open returns the slot of an appointment if it can be booked. It returns the errors of
// hospital.Service.Open.
func (r bookingRules) open(f hospital.AppointmentFields) (hospital.Slot, error) {
	return r.service.Open(f.Date, f.StartTime, r.closures, r.terms(f))
}
