package store

import (
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
	read := tx.queryRulesOf([]int64{serviceID}, from, to)
	return func(setting hospital.Setting) (bookingRules, error) { return read(setting, serviceID) }
}

// queryRulesOf is queryBookingRules for several services. The function it returns reads the rules of one.
func (tx *Tx) queryRulesOf(
	serviceIDs []int64, from, to string,
) func(setting hospital.Setting, serviceID int64) (bookingRules, error) {
	slices.Sort(serviceIDs) // every transaction locks services in this order
	services := map[int64]func() (hospital.Service, error){}
	for _, id := range slices.Compact(serviceIDs) {
		row := tx.Get(serviceSelect+`WHERE s.id = $1 AND s.deleted_at IS NULL`+tx.db.dialect.keyShare("s"), id)
		services[id] = sync.OnceValues(func() (hospital.Service, error) { return scanService(row.Scan) })
	}
	closures := sync.OnceValues(tx.queryClosures(from, to))
	return func(setting hospital.Setting, serviceID int64) (r bookingRules, err error) {
		r.setting, r.now = setting, tx.LocalNow()
		r.service, err = services[serviceID]()
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

// terms returns the booking terms for an appointment.
func (r bookingRules) terms(f hospital.AppointmentFields) hospital.BookingTerms {
	return r.setting.Booking(r.now, f.WalkIn())
}

// open returns the slot of an appointment if it can be booked. It returns the errors of
// hospital.Service.Open.
func (r bookingRules) open(f hospital.AppointmentFields) (hospital.Slot, error) {
	return r.service.Open(f.Date, f.StartTime, r.closures, r.terms(f))
}
