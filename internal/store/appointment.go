package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

const appointmentColumns = `a.id, a.number, a.patient_id, a.service_id, a.date, a.start_time, a.end_time, a.staff_id, a.customer_id, a.kind, a.channel, a.priority, a.status, a.reason, a.note,
	a.overbooked, a.overbook_reason, a.series_id, a.follow_up_of_id, a.cancel_reason, a.queue_no, a.checked_in_at, a.started_at, a.completed_at, a.result_count,
	a.version, a.created_by, a.created_at, a.updated_at,
	p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex, p.phone, p.right_code, s.code, s.name, s.color, u.name`

const appointmentFrom = `FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN services s ON s.id = a.service_id LEFT JOIN users u ON u.id = a.staff_id `

const appointmentSelect = `SELECT ` + appointmentColumns + ` ` + appointmentFrom

var appointmentSelection = selecting(appointmentColumns, appointmentFrom,
	"a.staff_id", "a.customer_id", "a.series_id", "a.follow_up_of_id", "a.queue_no", "a.checked_in_at", "a.started_at", "a.completed_at", "a.created_by", "u.name")

// scanAppointment reads an appointment as whoever acts may see it: how many
// results there are is for those who may see results.
func scanAppointment(ctx context.Context, scan func(...any) error) (hospital.Appointment, error) {
	var a hospital.Appointment
	var checkedIn, started, completed sql.NullInt64
	var created, updated int64
	var staff sql.NullString
	err := scan(&a.ID, &a.Number, &a.PatientID, &a.ServiceID, &a.Date, &a.StartTime, &a.EndTime, &a.StaffID, &a.CustomerID, &a.Kind, &a.Channel, &a.Priority, &a.Status, &a.Reason, &a.Note,
		&a.Overbooked, &a.OverbookReason, &a.SeriesID, &a.FollowUpOfID, &a.CancelReason, &a.QueueNo, &checkedIn, &started, &completed, &a.ResultCount,
		&a.Version, &a.CreatedBy, &created, &updated,
		&a.Patient.HN, &a.Patient.Prename, &a.Patient.FirstName, &a.Patient.LastName, &a.Patient.BirthDate, &a.Patient.BirthPrecision, &a.Patient.Sex, &a.Patient.Phone, &a.Patient.RightCode,
		&a.Service.Code, &a.Service.Name, &a.Service.Color, &staff)
	a.Patient.ID, a.Service.ID = a.PatientID, a.ServiceID
	a.CheckedInAt, a.StartedAt, a.CompletedAt = atOrNil(checkedIn), atOrNil(started), atOrNil(completed)
	a.CreatedAt, a.UpdatedAt = at(created), at(updated)
	if a.StaffID != nil && staff.Valid {
		a.Staff = &hospital.StaffRef{ID: *a.StaffID, Name: staff.String}
	}
	if !maySeeResults(ctx) {
		a.ResultCount = 0
	}
	return a, err
}

func (db *DB) appointmentsWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Appointment, error) {
	return selected(ctx, db, q, appointmentSelection, where, args, func(scan func(...any) error) (hospital.Appointment, error) { return scanAppointment(ctx, scan) })
}

func readAppointment(ctx context.Context, q querier, id int64) (hospital.Appointment, error) {
	a, err := scanAppointment(ctx, q.QueryRowContext(ctx, appointmentSelect+`WHERE a.id = $1 AND a.deleted_at IS NULL`, id).Scan)
	return a, orNotFound(err)
}

// lockAppointment reads an appointment that nobody else can change until the
// end of the transaction. Refused: NOT_FOUND; CONFLICT_VERSION with the current
// one unless it is the version that was read (0 for any). What else is asked is
// asked on the way.
func (tx *Tx) lockAppointment(id, version int64, also ...question) (a hospital.Appointment, err error) {
	err = tx.gather(append(also, question{
		what: "lock appointment", query: appointmentSelect + `WHERE a.id = $1 AND a.deleted_at IS NULL` + tx.db.dialect.lock("a"), args: []any{id},
		row: func(scan func(...any) error) (err error) { a, err = scanAppointment(tx.ctx, scan); return err },
	})...)
	switch {
	case err != nil:
		return a, err
	case a.ID == 0:
		return a, hospital.Refuse(hospital.NotFound)
	case version != 0 && a.Version != version:
		return a, hospital.Refuse(hospital.ConflictVersion).With("current", a)
	}
	return a, nil
}

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
	id         int64
	start, end string
	status     hospital.AppointmentStatus
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

// seatsRead reads what a patient has on a day, by the index appointments_patient,
// after the patient was locked.
func seatsRead(patientID int64, date string, v *visitor) question {
	return question{
		what: "look for other seats", query: `SELECT id, start_time, end_time, status FROM appointments WHERE patient_id = $1 AND date = $2 AND deleted_at IS NULL ORDER BY start_time`,
		args: []any{patientID, date},
		row: func(scan func(...any) error) error {
			var o otherSeat
			err := scan(&o.id, &o.start, &o.end, &o.status)
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

// countUpcoming is how many seats are still held for somebody to come or to be
// seen, of a service or a patient.
func (tx *Tx) countUpcoming(column string, id int64) (n int, err error) {
	var f filter
	f.add(column+" = %s", id)
	f.add("deleted_at IS NULL")
	f.add("date >= %s", tx.db.wall().Date)
	f.in("status", texts([]hospital.AppointmentStatus{hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Confirmed, hospital.CheckedIn, hospital.InService}))
	if err := tx.queryRow(`SELECT count(*) FROM appointments `+f.where(), f.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count appointments: %w", err)
	}
	return n, nil
}

// desk is what a booking is decided with: the rules of the hospital, the hours
// of the service, the days it is closed, and the time.
type desk struct {
	setting  hospital.Setting
	service  hospital.Service
	closures []hospital.Closure
	now      hospital.Moment
}

// deskAsked are the questions about a service and a period.
func deskAsked(serviceID int64, from, to string, d *desk) []question {
	return []question{
		keeping(question{
			what: "read service", query: serviceSelect + `WHERE s.id = $1 AND s.deleted_at IS NULL`, args: []any{serviceID},
			row: func(scan func(...any) error) (err error) { d.service, err = scanService(scan); return err },
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
	d.setting, d.now = setting, hospital.MomentOf(now, setting.Zone())
	return d, nil
}

func (tx *Tx) desk(setting hospital.Setting, serviceID int64, from, to string) (d desk, err error) {
	if err := tx.gather(deskAsked(serviceID, from, to, &d)...); err != nil {
		return d, err
	}
	return d.at(tx.now, setting)
}

// open is the slot in which a new seat may be taken at the time asked for.
func (d desk) open(f hospital.AppointmentFields) (hospital.Slot, error) {
	return d.service.Open(f.Date, f.StartTime, f.WalkIn(), d.closures, d.now, d.setting.Booking())
}

// Book takes a seat for a patient, exactly while there is one. Refused, in this
// order: wrong fields; a patient, service, member of staff or customer that
// does not exist, or an earlier visit that is not this patient's; SLOT_PAST, OUT_OF_WINDOW, SLOT_CLOSED, OUT_OF_SCHEDULE;
// PATIENT_DOUBLE_BOOKED with the other appointment; TOO_MANY_ACTIVE; SLOT_FULL
// with the next free seats, unless the patient waits or somebody who may
// overbook gives a reason (FORBIDDEN for who may not). A repeat with the same
// idempotency key returns the first answer and books nothing.
func (db *DB) Book(ctx context.Context, in hospital.NewAppointment) (a hospital.Appointment, err error) {
	in.AppointmentFields = in.Clean()
	if err := in.Validate(); err != nil {
		return a, err
	}
	format := db.numberFormat()
	for {
		number, err := db.takeNumber(ctx, format)
		if err != nil {
			return a, err
		}
		a, err = db.bookAs(ctx, in, number)
		if err != nil || a.Number != number.number {
			db.giveBack(number, err)
		}
		if err != errOtherFormat { //nolint:errorlint // our own value, never wrapped
			return a, err
		}
		format = db.numberFormat()
	}
}

// errOtherFormat tells that numbers are written in another way by now.
var errOtherFormat = errors.New("another format of numbers")

// bookAs books under a number that was taken beforehand. All it is decided with
// is read in one go, in the transaction.
func (db *DB) bookAs(ctx context.Context, in hospital.NewAppointment, number ticket) (a hospital.Appointment, err error) {
	before := answered{key: in.IdempotencyKey, request: toJSON(in)}
	// On PostgreSQL it is looked for on the way. With SQLite a repeat is found when
	// it is refused, at last because its key is taken.
	look := before.key != "" && db.dialect.rowLocks
	err = db.change(ctx, func(tx *Tx) (err error) {
		var d desk
		var v visitor
		var setting hospital.Setting
		questions := append(append(deskAsked(in.ServiceID, in.Date, in.Date, &d), settingRead(&setting)), tx.visitorAsked(in, &v)...)
		if look {
			questions = append(questions, tx.answerRead(&before))
		}
		if err := tx.gather(questions...); err != nil {
			return err
		}
		if before.found {
			return nil // committed, with the lock on the patient: so it waits until the standby has what was done before, too
		}
		if before.key != "" && !look {
			defer func() {
				if err != nil && tx.gather(tx.answerRead(&before)) == nil && before.found {
					err = errRepeat
				}
			}()
		}
		db.heardSetting(setting)
		if hospital.NumberFormat(setting.AppointmentNumberFormat) != number.format {
			return errOtherFormat
		}
		if !v.found {
			return noSuchPatient()
		}
		if d, err = d.at(tx.now, setting); err != nil {
			return err
		}
		if a, err = tx.book(d, v, in, number.number, nil); err != nil {
			return err
		}
		return tx.answer(before, a)
	})
	if err == errRepeat || err == nil && before.found { //nolint:errorlint // our own value, never wrapped
		err = before.repeat(&a)
	}
	return a, err
}

// errRepeat tells that a request was answered before.
var errRepeat = errors.New("a repeated request")

func noSuchPatient() error {
	return hospital.Refuse(hospital.ValidationFailed).On("patientId", "ไม่พบผู้ป่วยรายนี้", "There is no such patient.")
}

// answered is what was told to a request with an idempotency key, if one came
// before.
type answered struct {
	key, request string
	found        bool
	asked, told  string
}

// answerRead looks for it. After the patient was locked, a repeat that comes at
// the same time has waited for the first and finds it.
func (tx *Tx) answerRead(a *answered) question {
	return question{
		what: "read idempotency key", query: `SELECT request, answer FROM idempotency WHERE actor_id = $1 AND key = $2`, args: []any{tx.actor.UserID, a.key},
		row: func(scan func(...any) error) error { a.found = true; return scan(&a.asked, &a.told) },
	}
}

// repeat tells the same again. A key that comes with another request is
// VALIDATION_FAILED.
func (a answered) repeat(answer any) error {
	if a.asked != a.request {
		return hospital.Refuse(hospital.ValidationFailed).On("Idempotency-Key", "รหัสนี้ถูกใช้กับคำขออื่นแล้ว", "This key came with another request before.")
	}
	return json.Unmarshal([]byte(a.told), answer)
}

// answer keeps what a request with a key is told. If another one with the key was
// faster, the transaction is run again and finds it (isRetryable).
func (tx *Tx) answer(a answered, answer any) error {
	if a.key == "" {
		return nil
	}
	return tx.later("keep answer", `INSERT INTO idempotency (actor_id, key, request, answer, created_at) VALUES ($1, $2, $3, $4, $5)`, tx.actor.UserID, a.key, a.request, toJSON(answer), ms(tx.now))
}

// book takes the seat and writes the appointment. The patient is locked.
func (tx *Tx) book(d desk, v visitor, in hospital.NewAppointment, number string, seriesID *int64) (a hospital.Appointment, err error) {
	slot, err := d.open(in.AppointmentFields)
	if err != nil {
		return a, err
	}
	a = hospital.Appointment{
		ID: v.id, Number: number, PatientID: v.ID, AppointmentFields: in.AppointmentFields, EndTime: slot.EndTime, Status: hospital.Booked, SeriesID: seriesID, FollowUpOfID: in.FollowUpOfID,
		Version: 1, CreatedAt: tx.now, UpdatedAt: tx.now, Patient: v.PatientRef, Service: d.service.Ref(),
	}
	if tx.actor.UserID != 0 {
		a.CreatedBy = &tx.actor.UserID
	}
	if d.service.RequiresApproval {
		a.Status = hospital.Pending
	}
	if a.Staff, err = assignable(d.service, a.StaffID, v.staff); err != nil {
		return a, err
	}
	if err := refuseUnknownCustomer(a.CustomerID, v.customer); err != nil {
		return a, err
	}
	if a.FollowUpOfID != nil && !v.follows {
		return a, hospital.Refuse(hospital.ValidationFailed).On("followUpOfId", "ไม่พบนัดหมายเดิมของผู้ป่วยรายนี้", "This patient has no such earlier appointment.")
	}
	if err := tx.refuseDoubleBooking(a, v.seats, in.Waitlist); err != nil {
		return a, err
	}
	if err := tx.refuseTooMany(d, v.ID); err != nil {
		return a, err
	}
	if err := tx.seat(d, slot, &a); err != nil {
		if !in.Waitlist || hospital.CodeOf(err) != hospital.SlotFull {
			return a, err
		}
		a.Status = hospital.Waitlisted
	}
	if err := tx.insertAppointment(&a); err != nil {
		return a, err
	}
	return a, tx.happened(hospital.HistoryCreate, hospital.Appointment{}, a, in.OverbookReason)
}

// seat takes a seat for the appointment, beyond the capacity for a reason given
// by somebody who may.
func (tx *Tx) seat(d desk, slot hospital.Slot, a *hospital.Appointment) error {
	reason := a.OverbookReason
	a.Overbooked, a.OverbookReason = false, ""
	ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, 0)
	if err != nil || ok {
		return err
	}
	full := hospital.Refuse(hospital.SlotFull)
	if reason != "" {
		if !tx.actor.Permissions[hospital.AppointmentOverbook] {
			return hospital.Refuse(hospital.Forbidden).With("permission", hospital.AppointmentOverbook)
		}
		ok, err := tx.takeSeat(a.ServiceID, a.Date, slot, d.service.OverbookLimit)
		if err != nil {
			return err
		}
		if ok {
			a.OverbookReason = reason
			a.Overbooked, err = tx.overfull(a.ServiceID, a.Date, slot)
			return err
		}
		full = full.Because(fmt.Sprintf("ช่วงเวลานี้เต็มและจองเกินจำนวนครบ %d คนแล้ว กรุณาเลือกเวลาอื่น หรือลงชื่อรอคิวว่าง", d.service.OverbookLimit),
			fmt.Sprintf("This slot is full, with all %d extra seats taken. Choose another time, or put the patient on the waiting list.", d.service.OverbookLimit))
	}
	next, err := tx.nextFree(d, a.Date, a.StartTime)
	if err != nil {
		return err
	}
	return full.With("nextFree", next)
}

// FreeSeat is a seat that can be taken.
type FreeSeat struct {
	Date      string `json:"date"`
	StartTime string `json:"startTime"`
	EndTime   string `json:"endTime"`
	Available int    `json:"available"`
}

// nextFree are the next free seats of a service after a time, within a month.
func (tx *Tx) nextFree(d desk, date, start string) ([]FreeSeat, error) {
	const wanted, horizon = 5, 30
	days, err := daysOf(tx.ctx, tx.tx, d.service, date, hospital.AddDays(date, horizon), d.now)
	seats := []FreeSeat{}
	for _, day := range days {
		for _, slot := range day.Slots {
			if slot.Available > 0 && (day.Date > date || slot.StartTime > start) && len(seats) < wanted {
				seats = append(seats, FreeSeat{day.Date, slot.StartTime, slot.EndTime, slot.Available})
			}
		}
	}
	return seats, err
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

var seatStatuses = slices.DeleteFunc(slices.Clone(hospital.AppointmentStatuses), func(s hospital.AppointmentStatus) bool { return !s.HoldsSeat() })

// refuseDoubleBooking finds another seat of the patient at an overlapping time;
// for somebody who waits also a place in the same line.
func (tx *Tx) refuseDoubleBooking(a hospital.Appointment, seats []otherSeat, waiting bool) error {
	i := slices.IndexFunc(seats, func(o otherSeat) bool {
		return o.id != a.ID && o.start < a.EndTime && o.end > a.StartTime && (o.status.HoldsSeat() || waiting && o.status == hospital.Waitlisted)
	})
	if i < 0 {
		return nil
	}
	o, err := readAppointment(tx.ctx, tx.tx, seats[i].id)
	if err != nil {
		return err
	}
	return hospital.Refuse(hospital.PatientDoubleBooked).With("appointment", o).Because(
		fmt.Sprintf("ผู้ป่วยมีนัด %s เวลา %s–%s น. อยู่แล้ว (%s) กรุณาเลือกเวลาอื่น หรือเลื่อนนัดเดิมก่อน", o.Service.Name, o.StartTime, o.EndTime, o.Number),
		fmt.Sprintf("The patient is booked for %s at %s–%s already (%s). Choose another time, or move that appointment first.", o.Service.Name, o.StartTime, o.EndTime, o.Number))
}

// refuseTooMany keeps to how many coming appointments one patient may have.
func (tx *Tx) refuseTooMany(d desk, patientID int64) error {
	most := d.setting.MaxActivePerPatient
	if most <= 0 {
		return nil
	}
	n, err := tx.countUpcoming("patient_id", patientID)
	if err != nil || n < most {
		return err
	}
	return hospital.Refuse(hospital.TooManyActive).With("count", n).With("max", most).Because(
		fmt.Sprintf("ผู้ป่วยมีนัดที่จะถึง %d รายการ ครบจำนวนที่กำหนดแล้ว กรุณายกเลิกนัดเดิมหรือรอให้ผ่านไปก่อน", n),
		fmt.Sprintf("The patient has %d coming appointments, as many as are allowed. Cancel one, or wait until one has passed.", n))
}

// insertAppointment writes a new appointment, under the id it has or the next.
func (tx *Tx) insertAppointment(a *hospital.Appointment) error {
	const query = `INSERT INTO appointments (number, patient_id, service_id, date, start_time, end_time, staff_id, customer_id, kind, channel, priority, status, reason, note,
		overbooked, overbook_reason, series_id, follow_up_of_id, created_by, created_at, updated_at, id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20, $21)`
	args := []any{a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID, string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
		a.Overbooked, a.OverbookReason, a.SeriesID, a.FollowUpOfID, a.CreatedBy, ms(a.CreatedAt), nil}
	if a.ID != 0 {
		args[len(args)-1] = a.ID
		return tx.later("insert appointment", query, args...)
	}
	return tx.gather(question{what: "insert appointment", query: query, args: args, id: &a.ID})
}

// saveAppointment writes a locked appointment back as its next version.
func (tx *Tx) saveAppointment(a *hospital.Appointment) error {
	a.Version++
	a.UpdatedAt = tx.now
	return tx.laterOne("save appointment", `UPDATE appointments SET service_id = $2, date = $3, start_time = $4, end_time = $5, staff_id = $6, customer_id = $7, kind = $8, channel = $9, priority = $10, status = $11,
		reason = $12, note = $13, overbooked = $14, overbook_reason = $15, cancel_reason = $16, queue_no = $17, checked_in_at = $18, started_at = $19, completed_at = $20,
		version = $21, updated_at = $22 WHERE id = $1`,
		a.ID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID, string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status),
		a.Reason, a.Note, a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt),
		a.Version, ms(a.UpdatedAt))
}

// saveStep does the same after a step that leaves the visit where and when it is:
// the indexes by day, which are most of the work, stay as they are.
func (tx *Tx) saveStep(a *hospital.Appointment) error {
	a.Version++
	a.UpdatedAt = tx.now
	return tx.laterOne("save step", `UPDATE appointments SET end_time = $2, status = $3, overbooked = $4, overbook_reason = $5, cancel_reason = $6, queue_no = $7, checked_in_at = $8, started_at = $9, completed_at = $10,
		version = $11, updated_at = $12 WHERE id = $1`,
		a.ID, a.EndTime, string(a.Status), a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo, msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), a.Version, ms(a.UpdatedAt))
}

// happened writes a change of an appointment into its history and the audit
// log, and counts it in the totals of its day.
func (tx *Tx) happened(action hospital.HistoryAction, before, after hospital.Appointment, reason string) error {
	var was, is any
	if action != hospital.HistoryCreate {
		was = bare(before)
		tx.count(before.ServiceID, before.Date, before.Status, -1)
	}
	if action != hospital.HistoryDelete {
		is = bare(after)
		tx.count(after.ServiceID, after.Date, after.Status, 1)
	}
	changes := diff(was, is)
	from := sideText(changes, func(c hospital.Change) any { return c.Before })
	to := sideText(changes, func(c hospital.Change) any { return c.After })
	if err := tx.insertHistory([]any{after.ID, string(action), from, to, reason, actorID(tx.actor), tx.actor.Name, ms(tx.now)}); err != nil {
		return err
	}
	if was != nil && (before.ServiceID != after.ServiceID || before.Date != after.Date) {
		tx.publish(hospital.Event{Kind: hospital.EventAppointment, ID: after.ID, ServiceID: before.ServiceID, Date: before.Date, Version: after.Version})
	}
	tx.publish(hospital.Event{Kind: hospital.EventAppointment, ID: after.ID, ServiceID: after.ServiceID, Date: after.Date, Version: after.Version})
	tx.noteEntry(hospital.AuditEntry{Action: historyActions[action], Entity: "appointment", EntityID: strconv.FormatInt(after.ID, 10), Subject: after.Number, Reason: reason, Changes: changes})
	return nil
}

var historyColumns = []string{"appointment_id", "action", "before", "after", "reason", "actor_id", "actor_name", "at"}

// insertHistory adds an entry to the history of an appointment.
func (tx *Tx) insertHistory(values []any) error {
	return tx.later("write history", historyInsert, values...)
}

var historyInsert = `INSERT INTO appointment_history (` + strings.Join(historyColumns, ", ") + `) VALUES ` + dialect{}.placeholders(1, len(historyColumns))

// historyActions are the names of the changes in the audit log.
var historyActions = map[hospital.HistoryAction]string{
	hospital.HistoryCreate: "appointment.create", hospital.HistoryUpdate: "appointment.update", hospital.HistoryReschedule: "appointment.reschedule",
	hospital.HistoryStatus: "appointment.status", hospital.HistoryUndo: "appointment.undo", hospital.HistoryDelete: "appointment.delete",
}

// bare is an appointment without what belongs to other records.
func bare(a hospital.Appointment) any {
	return struct {
		hospital.Appointment
		Patient     any `json:"patient,omitempty"`
		Service     any `json:"service,omitempty"`
		Staff       any `json:"staff,omitempty"`
		ResultCount any `json:"resultCount,omitempty"`
		CreatedBy   any `json:"createdBy,omitempty"`
		Number      any `json:"number,omitempty"`
	}{Appointment: a}
}

func actorID(a hospital.Actor) any {
	if a.UserID == 0 {
		return nil
	}
	return a.UserID
}

// UpdateAppointment lets apply change the fields of an appointment. A new date,
// time or service moves it: the new seat is taken and the old one released
// together, and the number stays. Refused: a stale version (CONFLICT_VERSION
// with the current one), wrong fields, a move of somebody who has come
// (INVALID_TRANSITION), and whatever refuses a booking.
func (db *DB) UpdateAppointment(ctx context.Context, id, version int64, apply func(*hospital.AppointmentFields) error) (a hospital.Appointment, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return a, err
	}
	err = db.change(ctx, func(tx *Tx) error {
		old, err := tx.lockAppointment(id, version)
		if err != nil {
			return err
		}
		fields := old.AppointmentFields
		if err := apply(&fields); err != nil {
			return err
		}
		fields = fields.Clean()
		if err := fields.Validate(); err != nil {
			return err
		}
		a, err = tx.updateAppointment(setting, old, fields)
		return err
	})
	return a, err
}

func (tx *Tx) updateAppointment(setting hospital.Setting, old hospital.Appointment, fields hospital.AppointmentFields) (a hospital.Appointment, err error) {
	a = old
	a.AppointmentFields = fields
	moved := old.ServiceID != a.ServiceID || old.Date != a.Date || old.StartTime != a.StartTime
	var d desk
	var v visitor
	if moved || !same(old.StaffID, a.StaffID) {
		questions := deskAsked(a.ServiceID, a.Date, a.Date, &d)
		if a.StaffID != nil {
			questions = append(questions, staffRead(*a.StaffID, &v.staff))
		}
		if err := tx.gather(questions...); err != nil {
			return a, err
		}
		if d, err = d.at(tx.now, setting); err != nil {
			return a, err
		}
		a.Service = d.service.Ref()
		if a.Staff, err = assignable(d.service, a.StaffID, v.staff); err != nil {
			return a, err
		}
	}
	if a.CustomerID != nil && !same(old.CustomerID, a.CustomerID) {
		if err := tx.gather(customerRead(*a.CustomerID, &v.customer)); err != nil {
			return a, err
		}
		if err := refuseUnknownCustomer(a.CustomerID, v.customer); err != nil {
			return a, err
		}
	}
	action := hospital.HistoryUpdate
	if moved {
		action = hospital.HistoryReschedule
		if err := tx.move(d, old, &a); err != nil {
			return a, err
		}
	} else {
		a.OverbookReason = old.OverbookReason // belongs to the seat
	}
	if len(diff(bare(old), bare(a))) == 0 {
		return old, nil
	}
	if err := tx.saveAppointment(&a); err != nil {
		return a, err
	}
	return a, tx.happened(action, old, a, "")
}

func same(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// move takes the new seat and releases the old one, in the order of their keys.
func (tx *Tx) move(d desk, old hospital.Appointment, a *hospital.Appointment) error {
	if !old.Status.Movable() {
		return hospital.Refuse(hospital.InvalidTransition).
			With("allowed", hospital.AllowedStatuses(old.Status, old.Date, d.now.Date, tx.actor.Permissions)).
			Because(fmt.Sprintf("เลื่อนนัดที่ “%s” ไม่ได้ เลื่อนได้เฉพาะนัดที่ผู้ป่วยยังไม่มาถึง", old.Status.Name().TH), "Only appointments of patients who have not come yet can be moved.")
	}
	var v visitor
	if err := tx.gather(tx.patientLocked(a.PatientID, &v), seatsRead(a.PatientID, a.Date, &v)); err != nil {
		return err
	}
	if !v.found {
		return hospital.Refuse(hospital.NotFound)
	}
	slot, err := d.open(a.AppointmentFields)
	if err != nil {
		return err
	}
	a.EndTime, a.QueueNo = slot.EndTime, nil
	if err := tx.refuseDoubleBooking(*a, v.seats, !a.Status.HoldsSeat()); err != nil {
		return err
	}
	if !a.Status.HoldsSeat() {
		return nil
	}
	release := func() error { return tx.releaseSeat(old.ServiceID, old.Date, old.StartTime) }
	if before := slotKey(*a) > slotKey(old); before {
		if err := release(); err != nil {
			return err
		}
		return tx.seat(d, slot, a)
	}
	if err := tx.seat(d, slot, a); err != nil {
		return err
	}
	return release()
}

// slotKey orders slots as everybody locks them.
func slotKey(a hospital.Appointment) string {
	return fmt.Sprintf("%020d %s %s", a.ServiceID, a.Date, a.StartTime)
}

// DeleteAppointment takes an appointment out of the lists and frees its seat;
// its history stays: NOT_FOUND, IN_USE while results are kept with it.
func (db *DB) DeleteAppointment(ctx context.Context, id int64) error {
	return db.change(ctx, func(tx *Tx) error {
		a, err := tx.lockAppointment(id, 0)
		if err != nil {
			return err
		}
		var results int // whether or not the caller may know
		if err := tx.queryRow(`SELECT result_count FROM appointments WHERE id = $1`, id).Scan(&results); err != nil {
			return fmt.Errorf("count results: %w", err)
		}
		if results > 0 {
			refusal := hospital.Refuse(hospital.InUse)
			if !maySeeResults(tx.ctx) {
				return refusal
			}
			return refusal.With("count", results).
				Because("นัดนี้มีผลการตรวจแล้ว จึงลบไม่ได้ หากไม่ใช้แล้ว ให้ยกเลิกนัดแทน", "Results are kept with this appointment, so it cannot be deleted. Cancel it instead.")
		}
		if a.Status.Visited() {
			if err := tx.lockPatient(a.PatientID); err != nil && hospital.CodeOf(err) != hospital.NotFound {
				return err
			}
		}
		if a.Status.HoldsSeat() {
			if err := tx.releaseSeat(a.ServiceID, a.Date, a.StartTime); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`UPDATE appointments SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete appointment: %w", err)
		}
		if a.Status.Visited() {
			if err := tx.noteVisit(a.PatientID); err != nil {
				return err
			}
		}
		return tx.happened(hospital.HistoryDelete, a, a, "")
	})
}

func historyOf(ctx context.Context, q querier, id int64) ([]hospital.HistoryEntry, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, action, before, after, reason, actor_id, actor_name, at FROM appointment_history WHERE appointment_id = $1 ORDER BY id`, id)
	return collect(rows, err, func(rows *sql.Rows) (h hospital.HistoryEntry, err error) {
		var before, after string
		var when int64
		if err := rows.Scan(&h.ID, &h.Action, &before, &after, &h.Reason, &h.ActorID, &h.Actor, &when); err != nil {
			return h, err
		}
		h.At = at(when)
		if err = json.Unmarshal([]byte(before), &h.From); err == nil {
			err = json.Unmarshal([]byte(after), &h.To)
		}
		return h, err
	})
}

// AppointmentDetails returns an appointment with all that happened to it, its
// results only for those who may see results: NOT_FOUND.
func (db *DB) AppointmentDetails(ctx context.Context, id int64) (a hospital.Appointment, history []hospital.HistoryEntry, err error) {
	if a, err = readAppointment(ctx, db.read, id); err == nil {
		history, err = historyOf(ctx, db.read, id)
	}
	if !maySeeResults(ctx) {
		history = slices.DeleteFunc(history, func(h hospital.HistoryEntry) bool { return h.Action.AboutResult() })
	}
	return a, history, mapError(err)
}
