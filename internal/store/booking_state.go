package store

import (
	"errors"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// bookingState is the stored data that a booking is checked against in addition to the bookingRules.
type bookingState struct {
	patient  hospital.PatientRef // locked
	booked   []bookedTime        // of the patient on the day
	staff    *hospital.StaffRef  // nil if there is no such active user
	customer bool                // whether the customer exists
	followUp bool                // whether the earlier appointment is one of the patient's
	upcoming func() (int, error) // of queryUpcoming
}

// bookedTime is the time of an appointment of a patient.
type bookedTime struct {
	id               int64
	date, start, end string
	status           hospital.AppointmentStatus
}

// queryBookingState locks the patient and queries everything else that a booking refers to. The result is
// NOT_FOUND if the patient does not exist.
func (tx *Tx) queryBookingState(in hospital.NewAppointment) func() (bookingState, error) {
	patient := tx.queryPatientLock(in.PatientID)
	booked := tx.queryBooked(in.PatientID, in.Date, in.Date)
	staff := tx.queryStaff(in.StaffID)
	customer := tx.queryCustomer(in.CustomerID)
	followUp := tx.queryFollowUp(in.FollowUpOfID, in.PatientID)
	return func() (s bookingState, err error) {
		if s.patient, err = patient(); err != nil {
			return s, err
		}
		if s.booked, err = booked(); err != nil {
			return s, err
		}
		if s.staff, err = staff(); err != nil {
			return s, err
		}
		if s.customer, err = customer(); err != nil {
			return s, err
		}
		s.followUp, err = followUp()
		return s, err
	}
}

// queryPatientLock reads a patient and locks the row until the end of the transaction, so that no two
// appointments of a patient can overlap. The result is NOT_FOUND if the patient does not exist.
func (tx *Tx) queryPatientLock(id int64) func() (hospital.PatientRef, error) {
	row := tx.Get(`SELECT p.id, p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex,
		p.phone, p.right_code FROM patients p WHERE p.id = $1 AND p.deleted_at IS NULL`+tx.db.dialect.lock("p"), id)
	return func() (p hospital.PatientRef, err error) {
		err = row.Scan(&p.ID, &p.HN, &p.Prename, &p.FirstName, &p.LastName, &p.BirthDate, &p.BirthPrecision, &p.Sex,
			&p.Phone, &p.RightCode)
		return p, orNotFound(err)
	}
}

// lockPatient locks a patient until the end of the transaction. It returns NOT_FOUND if the patient does
// not exist.
func (tx *Tx) lockPatient(id int64) error {
	_, err := tx.queryPatientLock(id)()
	return err
}

// orNoSuchPatient turns the NOT_FOUND of a patient into VALIDATION_FAILED.
func orNoSuchPatient(err error) error {
	if hospital.CodeOf(err) != hospital.NotFound {
		return err
	}
	return hospital.Reject(hospital.ValidationFailed).On("patientId", "ไม่พบผู้ป่วยรายนี้", "There is no such patient.")
}

// queryBooked queries the appointments of a patient in a period: index appointments_patient. The patient
// must have been locked before.
func (tx *Tx) queryBooked(patientID int64, from, to string) func() ([]bookedTime, error) {
	rows := tx.All(`SELECT id, date, start_time, end_time, status FROM appointments
		WHERE patient_id = $1 AND date >= $2 AND date <= $3 AND deleted_at IS NULL ORDER BY date, start_time`,
		patientID, from, to)
	return func() ([]bookedTime, error) {
		return sqldb.Collect(rows, func(scan sqldb.Scan) (b bookedTime, err error) {
			err = scan(&b.id, &b.date, &b.start, &b.end, &b.status)
			return b, err
		})
	}
}

// queryPatientDay locks a patient and queries the patient's appointments on a day. The result is NOT_FOUND
// if the patient does not exist.
func (tx *Tx) queryPatientDay(id int64, date string) func() ([]bookedTime, error) {
	patient := tx.queryPatientLock(id)
	booked := tx.queryBooked(id, date, date)
	return func() ([]bookedTime, error) {
		if _, err := patient(); err != nil {
			return nil, err
		}
		return booked()
	}
}

// queryStaff queries an active user. The result is nil if there is none, or if id is nil.
func (tx *Tx) queryStaff(id *int64) func() (*hospital.StaffRef, error) {
	if id == nil {
		return func() (*hospital.StaffRef, error) { return nil, nil }
	}
	row := tx.Get(`SELECT id, name FROM users WHERE id = $1 AND status = 'ACTIVE' AND deleted_at IS NULL`, *id)
	return func() (*hospital.StaffRef, error) {
		var s hospital.StaffRef
		err := row.Scan(&s.ID, &s.Name)
		if errors.Is(err, sqldb.ErrNoRows) {
			return nil, nil
		}
		return &s, err
	}
}

// assignable returns the staff member of an appointment. It returns VALIDATION_FAILED if there is none
// with this id, or if the service has a list of staff without them.
func assignable(s hospital.Service, staffID *int64, staff *hospital.StaffRef) (*hospital.StaffRef, error) {
	if staffID == nil {
		return nil, nil
	}
	if staff == nil {
		return nil, hospital.Reject(hospital.ValidationFailed).
			On("staffId", "ไม่พบเจ้าหน้าที่คนนี้", "There is no such member of staff.")
	}
	if len(s.StaffIDs) > 0 && !slices.Contains(s.StaffIDs, staff.ID) {
		return nil, hospital.Reject(hospital.ValidationFailed).On("staffId",
			"เจ้าหน้าที่คนนี้ไม่ได้อยู่ในบริการนี้ กรุณาเลือกคนอื่น", "This person does not work for the service.")
	}
	return staff, nil
}

// queryCustomer queries whether a customer exists. The result is false if id is nil.
func (tx *Tx) queryCustomer(id *int64) func() (bool, error) {
	if id == nil {
		return func() (bool, error) { return false, nil }
	}
	return tx.queryExists(`SELECT 1 FROM customers WHERE id = $1 AND deleted_at IS NULL`, *id)
}

// rejectUnknownCustomer returns VALIDATION_FAILED for a customer that was not found.
func rejectUnknownCustomer(id *int64, found bool) error {
	if id == nil || found {
		return nil
	}
	return hospital.Reject(hospital.ValidationFailed).
		On("customerId", "ไม่พบผู้ใช้บริการรายนี้", "There is no such customer.")
}

// queryFollowUp queries whether an appointment is one of the patient's. The result is false if id is nil.
func (tx *Tx) queryFollowUp(id *int64, patientID int64) func() (bool, error) {
	if id == nil {
		return func() (bool, error) { return false, nil }
	}
	return tx.queryExists(`SELECT 1 FROM appointments WHERE id = $1 AND patient_id = $2 AND deleted_at IS NULL`,
		*id, patientID)
}

// queryExists queries whether a query finds a row.
func (tx *Tx) queryExists(query string, args ...any) func() (bool, error) {
	row := tx.Get(query, args...)
	return func() (bool, error) {
		err := row.Scan(new(any))
		if errors.Is(err, sqldb.ErrNoRows) {
			return false, nil
		}
		return err == nil, err
	}
}

// queryNextIDs takes the ids of new appointments, or returns 0 where they are assigned by the inserts.
func (tx *Tx) queryNextIDs(n int) func() ([]int64, error) {
	next := tx.db.dialect.nextAppointments
	if next == "" {
		return func() ([]int64, error) { return make([]int64, n), nil }
	}
	rows := tx.All(next, n)
	return func() ([]int64, error) { return sqldb.Column[int64](rows) }
}
