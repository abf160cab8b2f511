package store

import (
	"slices"

	"nadmor/internal/hospital"
)

// visitor is what a seat is given by, besides the desk: the patient, who is locked,
// where they have to be that day, and who sees them or pays.
type visitor struct {
	hospital.PatientRef
	found    bool
	seats    []otherSeat
	staff    *hospital.StaffRef
	customer bool  // the customer who was named exists
	follows  bool  // the earlier appointment that was named is this patient's
	id       int64 // of the appointment to be written, where ids can be had beforehand
}

// otherSeat is a seat of a patient, or their place in a line for one.
type otherSeat struct {
	id               int64
	date, start, end string
	status           hospital.AppointmentStatus
}

// patientLocked reads a patient and keeps their seats as they are until the end of
// the transaction, so that no two bookings of one patient overlap.
func (tx *Tx) patientLocked(id int64, v *visitor) question {
	v.ID = id
	return question{
		what: "lock patient", query: `SELECT p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex, p.phone, p.right_code
		FROM patients p WHERE p.id = $1 AND p.deleted_at IS NULL` + tx.db.dialect.lock("p"), args: []any{id},
		row: func(scan func(...any) error) error {
			v.found = true
			return scan(&v.HN, &v.Prename, &v.FirstName, &v.LastName, &v.BirthDate, &v.BirthPrecision, &v.Sex, &v.Phone, &v.RightCode)
		},
	}
}

// seatsRead reads the appointments of a patient on a day. The patient must be locked before.
func seatsRead(patientID int64, date string, v *visitor) question {
	return seatsBetween(patientID, date, date, v)
}

// seatsBetween reads the appointments of a patient in a period: index appointments_patient.
func seatsBetween(patientID int64, from, to string, v *visitor) question {
	return question{
		what: "look for other seats", query: `SELECT id, date, start_time, end_time, status FROM appointments
		WHERE patient_id = $1 AND date >= $2 AND date <= $3 AND deleted_at IS NULL ORDER BY date, start_time`,
		args: []any{patientID, from, to},
		row: func(scan func(...any) error) error {
			var o otherSeat
			err := scan(&o.id, &o.date, &o.start, &o.end, &o.status)
			v.seats = append(v.seats, o)
			return err
		},
	}
}

// visitorAsked are the questions about a visitor: the lock comes first.
func (tx *Tx) visitorAsked(in hospital.NewAppointment, v *visitor) []question {
	questions := []question{tx.patientLocked(in.PatientID, v), seatsRead(in.PatientID, in.Date, v)}
	if in.StaffID != nil {
		questions = append(questions, staffRead(*in.StaffID, &v.staff))
	}
	if in.CustomerID != nil {
		questions = append(questions, customerRead(*in.CustomerID, &v.customer))
	}
	if in.FollowUpOfID != nil {
		questions = append(questions, question{
			what: "look for the earlier visit", query: `SELECT 1 FROM appointments WHERE id = $1 AND patient_id = $2 AND deleted_at IS NULL`, args: []any{*in.FollowUpOfID, in.PatientID},
			row: func(func(...any) error) error { v.follows = true; return nil },
		})
	}
	if next := tx.db.dialect.nextAppointment; next != "" {
		questions = append(questions, question{what: "take an id", query: next, row: func(scan func(...any) error) error { return scan(&v.id) }})
	}
	return questions
}

// lockPatient does nothing but that: NOT_FOUND.
func (tx *Tx) lockPatient(id int64) error {
	var v visitor
	if err := tx.gather(tx.patientLocked(id, &v)); err != nil {
		return err
	}
	if !v.found {
		return hospital.Refuse(hospital.NotFound)
	}
	return nil
}

func noSuchPatient() error {
	return hospital.Refuse(hospital.ValidationFailed).On("patientId", "ไม่พบผู้ป่วยรายนี้", "There is no such patient.")
}

func staffRead(id int64, staff **hospital.StaffRef) question {
	return question{
		what: "look for staff", query: `SELECT name FROM users WHERE id = $1 AND status = 'ACTIVE' AND deleted_at IS NULL`, args: []any{id},
		row: func(scan func(...any) error) error {
			*staff = &hospital.StaffRef{ID: id}
			return scan(&(*staff).Name)
		},
	}
}

// assignable is who will see the patient: somebody who works here and, where
// the service names its staff, is one of them.
func assignable(s hospital.Service, staffID *int64, staff *hospital.StaffRef) (*hospital.StaffRef, error) {
	if staffID == nil {
		return nil, nil
	}
	if staff == nil {
		return nil, hospital.Refuse(hospital.ValidationFailed).On("staffId", "ไม่พบเจ้าหน้าที่คนนี้", "There is no such member of staff.")
	}
	if len(s.StaffIDs) > 0 && !slices.Contains(s.StaffIDs, staff.ID) {
		return nil, hospital.Refuse(hospital.ValidationFailed).On("staffId", "เจ้าหน้าที่คนนี้ไม่ได้อยู่ในบริการนี้ กรุณาเลือกคนอื่น", "This person does not work for the service.")
	}
	return staff, nil
}

func customerRead(id int64, found *bool) question {
	return question{
		what: "look for customer", query: `SELECT 1 FROM customers WHERE id = $1 AND deleted_at IS NULL`, args: []any{id},
		row: func(func(...any) error) error { *found = true; return nil },
	}
}

func refuseUnknownCustomer(id *int64, found bool) error {
	if id == nil || found {
		return nil
	}
	return hospital.Refuse(hospital.ValidationFailed).On("customerId", "ไม่พบผู้ใช้บริการรายนี้", "There is no such customer.")
}
