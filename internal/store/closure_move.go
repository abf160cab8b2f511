package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// moveHorizon is the number of days after a closure in which a new time is searched for.
const moveHorizon = 60

// MaxMoves is the maximum number of appointments that MoveClosed moves at once.
const MaxMoves = 10_000

// Moved is the result of MoveClosed.
type Moved struct {
	Moves    []hospital.Move        `json:"moves"`
	Unplaced []hospital.Appointment `json:"unplaced" doc:"No time found; patient only with APPOINTMENT.SHOW"`
}

// MoveClosed moves every appointment in a closure to the next open day, in the free slot nearest to the
// old time of day at which the patient has no other appointment. chosen overrides single proposals.
// Appointments without a new time stay and are returned as unplaced. A preview changes nothing.
// Listeners receive EventProgress meanwhile, from 0 again if the transaction runs again.
//
// It returns NOT_FOUND for an unknown closure, VALIDATION_FAILED with the count for more than MaxMoves
// appointments, and the errors of a booking for a chosen time, with the appointment in the details.
func (db *DB) MoveClosed(
	ctx context.Context, closureID int64, preview bool, chosen map[int64]hospital.Time,
) (moves []hospital.Move, unplaced []hospital.Appointment, err error) {
	if preview { // it changes nothing, so its idempotency key is ignored
		ctx = WithRequest(ctx, Request{})
	}
	moved := progress{db: db, event: hospital.Event{Kind: hospital.EventProgress, ID: closureID}}
	err = db.changeOnce(ctx, func() any { return Moved{moves, unplaced} }, func(tx *Tx) error {
		moved.restart()
		moves, unplaced = []hospital.Move{}, []hospital.Appointment{}
		setting := tx.querySetting()
		c, err := tx.readClosure(closureID)
		if err != nil {
			return err
		}
		current, err := setting()
		if err != nil {
			return err
		}
		m, err := tx.planMoves(current, c, preview)
		if err != nil {
			return err
		}
		for _, a := range m.affected {
			to, ok := chosen[a.ID]
			if ok {
				if err := m.check(a, to); err != nil {
					return err
				}
			} else if to, ok = m.propose(a); !ok {
				unplaced = append(unplaced, a)
				continue
			}
			from := hospital.Time{Date: a.Date, StartTime: a.StartTime}
			moves = append(moves, hospital.Move{AppointmentID: a.ID, From: from, To: to})
			m.take(a, to)
		}
		if preview {
			return nil
		}
		return tx.applyMoves(m, moves, c.Reason, &moved)
	})
	return moves, unplaced, err
}

// movePlan is the state of planning moves: the appointments to move, the slots of each service, and the
// other appointments of each patient. Seats are never released while planning, so that a day that is
// full stays full.
type movePlan struct {
	affected []hospital.Appointment
	rules    map[int64]bookingRules
	days     map[int64][]hospital.DaySlots
	busy     map[int64][]busyTime
	slots    map[int64]hospital.Slot // the new slot of each appointment
	full     map[openKey]bool        // days without a free slot; the keys have no start
	opened   map[openKey]openSlot
}

// busyTime is the time of another appointment of a patient.
type busyTime struct{ date, start, end string }

// openKey identifies a slot and the kind of its appointment. openSlot is the result of bookingRules.open.
type openKey struct {
	slotAt
	walkIn bool
}

type openSlot struct {
	slot hospital.Slot
	err  error
}

func (tx *Tx) planMoves(setting hospital.Setting, c hospital.Closure, preview bool) (m movePlan, err error) {
	m = movePlan{
		rules: map[int64]bookingRules{}, days: map[int64][]hospital.DaySlots{}, busy: map[int64][]busyTime{},
		slots: map[int64]hospital.Slot{}, full: map[openKey]bool{}, opened: map[openKey]openSlot{},
	}
	lockA, lockP := tx.db.dialect.lock("a"), tx.db.dialect.lock("p")
	if preview {
		lockA, lockP = "", ""
	}
	where, args := affectedBy(c.ClosureFields)
	if err := tx.rejectTooManyMoves(where, args); err != nil {
		return m, err
	}
	m.affected, err = tx.appointmentsWhere(where+` ORDER BY a.id`+lockA, args...)
	if err != nil || len(m.affected) == 0 {
		return m, err
	}
	today := tx.LocalNow().Date
	from, to := max(c.DateFrom, today), hospital.AddDays(max(c.DateTo, today), moveHorizon)
	var patients []int64
	moving := make(map[int64]bool, len(m.affected))
	for _, a := range m.affected {
		moving[a.ID] = true
		patients = append(patients, a.PatientID)
		if _, known := m.rules[a.ServiceID]; known {
			continue
		}
		slots := tx.querySlots(slotFilter(from, to, a.ServiceID))
		rules, err := tx.bookingRules(setting, a.ServiceID, from, to)
		if err != nil {
			return m, err
		}
		rows, err := slots()
		if err != nil {
			return m, err
		}
		m.rules[a.ServiceID] = rules
		m.days[a.ServiceID] = rules.service.ScheduledDays(hospital.DatesBetween(from, to), rules.closures, rows)
	}
	patients = slices.Compact(slices.Sorted(slices.Values(patients)))
	for batch := range slices.Chunk(patients, maxIDsPerStatement) {
		var f filter
		f.in("p.id", numbers(batch))
		tx.Exec(`SELECT p.id FROM patients p `+f.where()+` ORDER BY p.id`+lockP, f.args...)
	}
	for batch := range slices.Chunk(patients, maxIDsPerStatement) {
		var f filter
		f.in("a.patient_id", numbers(batch))
		f.add(oneOf("a.status", hospital.HoldingSeat...))
		f.add("a.deleted_at IS NULL AND a.date >= %s AND a.date <= %s", from, to)
		err := tx.All(`SELECT a.id, a.patient_id, a.date, a.start_time, a.end_time
			FROM appointments a `+f.where(), f.args...).Each(func(scan sqldb.Scan) error {
			var id, patient int64
			var t busyTime
			err := scan(&id, &patient, &t.date, &t.start, &t.end)
			if !moving[id] {
				m.busy[patient] = append(m.busy[patient], t)
			}
			return err
		})
		if err != nil {
			return m, err
		}
	}
	// Urgent appointments first, then by time.
	slices.SortStableFunc(m.affected, func(a, b hospital.Appointment) int {
		return strings.Compare(moveOrder(a), moveOrder(b))
	})
	return m, nil
}

// maxIDsPerStatement keeps statements below the parameter limits of both engines.
const maxIDsPerStatement = 500

// rejectTooManyMoves returns VALIDATION_FAILED for more than MaxMoves appointments. It is called before
// any row is read or locked.
func (tx *Tx) rejectTooManyMoves(where string, args []any) error {
	var n int
	if err := tx.Get(`SELECT count(*) FROM appointments a `+where, args...).Scan(&n); err != nil {
		return err
	}
	if n <= MaxMoves {
		return nil
	}
	th := fmt.Sprintf("มีนัดในวันที่งดให้บริการนี้ %d รายการ เลื่อนพร้อมกันได้ไม่เกิน %d รายการ "+
		"กรุณาแบ่งวันหยุดเป็นช่วงวันที่สั้นลงหรือแยกตามบริการ แล้วเลื่อนทีละส่วน", n, MaxMoves)
	en := fmt.Sprintf("%d appointments are in this closure; at most %d are moved at once. "+
		"Split it into shorter ones, or by service, and move each.", n, MaxMoves)
	return hospital.Reject(hospital.ValidationFailed).Because(th, en).On("id", th, en).
		With("count", n).With("max", MaxMoves)
}

// moveOrder is the sort key of the appointments to move.
func moveOrder(a hospital.Appointment) string {
	urgent := "1"
	if a.Priority == hospital.Urgent {
		urgent = "0"
	}
	return urgent + a.Date + a.StartTime
}

// propose returns the nearest free time for an appointment.
func (m *movePlan) propose(a hospital.Appointment) (to hospital.Time, ok bool) {
	rules := m.rules[a.ServiceID]
	for _, day := range m.days[a.ServiceID] {
		key := openKey{slotAt{serviceID: a.ServiceID, date: day.Date}, a.WalkIn()}
		if day.Date < a.Date || m.full[key] {
			continue
		}
		nearest := rules.service.WithStates(rules.terms(a.AppointmentFields), day).Nearest(a.StartTime)
		m.full[key] = len(nearest) == 0
		for _, slot := range nearest {
			to = hospital.Time{Date: day.Date, StartTime: slot.StartTime}
			if m.moveError(a, to) == nil {
				return to, true
			}
		}
	}
	return to, false
}

// check returns moveError for a chosen time, with the appointment in the details.
func (m *movePlan) check(a hospital.Appointment, to hospital.Time) error {
	err := m.moveError(a, to)
	var e *hospital.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e // a copy, because the result of open is cached
	named.Details = maps.Clone(e.Details)
	return named.With("appointmentId", a.ID)
}

// moveError returns nil if an appointment can move to a time. It returns the errors of
// bookingRules.open, PATIENT_DOUBLE_BOOKED and SLOT_FULL.
func (m *movePlan) moveError(a hospital.Appointment, to hospital.Time) error {
	fields := a.AppointmentFields
	fields.Date, fields.StartTime = to.Date, to.StartTime
	slot, err := m.open(fields)
	if err != nil {
		return err
	}
	for _, o := range m.busy[a.PatientID] {
		if o.date == to.Date && o.start < slot.EndTime && slot.StartTime < o.end {
			return hospital.Reject(hospital.PatientDoubleBooked)
		}
	}
	if s := m.slot(a.ServiceID, to); s == nil || s.Left() == 0 {
		return hospital.Reject(hospital.SlotFull)
	}
	return nil
}

// open returns the slot of bookingRules.open. The result is cached for the plan.
func (m *movePlan) open(f hospital.AppointmentFields) (hospital.Slot, error) {
	key := openKey{slotAt{f.ServiceID, f.Date, f.StartTime}, f.WalkIn()}
	cached, ok := m.opened[key]
	if !ok {
		cached.slot, cached.err = m.rules[f.ServiceID].open(f)
		m.opened[key] = cached
	}
	return cached.slot, cached.err
}

func (m *movePlan) slot(serviceID int64, at hospital.Time) *hospital.Slot {
	for i, day := range m.days[serviceID] {
		if day.Date != at.Date {
			continue
		}
		for j := range day.Slots {
			if day.Slots[j].StartTime == at.StartTime {
				return &m.days[serviceID][i].Slots[j]
			}
		}
	}
	return nil
}

// take takes a seat of the plan for an appointment.
func (m *movePlan) take(a hospital.Appointment, to hospital.Time) {
	slot := m.slot(a.ServiceID, to)
	slot.Booked++
	m.slots[a.ID] = *slot
	m.busy[a.PatientID] = append(m.busy[a.PatientID], busyTime{to.Date, to.StartTime, slot.EndTime})
}

// applyMoves takes the new seats and releases the old ones, slot by slot in key order, and
// records each move. It reports its progress.
func (tx *Tx) applyMoves(m movePlan, moves []hospital.Move, reason string, moved *progress) error {
	moved.report(0, len(moves))
	type slotChange struct {
		hospital.Appointment // any of those that move in or out
		taken, released      int
	}
	changes := map[string]*slotChange{}
	at := func(a hospital.Appointment) *slotChange {
		key := slotKey(a)
		if changes[key] == nil {
			changes[key] = &slotChange{}
		}
		changes[key].Appointment = a
		return changes[key]
	}
	after := map[int64]hospital.Appointment{}
	before := map[int64]hospital.Appointment{}
	for _, a := range m.affected {
		before[a.ID] = a
	}
	for _, move := range moves {
		a := before[move.AppointmentID]
		at(a).released++
		a.Date, a.StartTime, a.EndTime = move.To.Date, move.To.StartTime, m.slots[a.ID].EndTime
		a.QueueNo, a.Overbooked, a.OverbookReason = nil, false, ""
		status, err := before[a.ID].StatusAfterMove(m.rules[a.ServiceID].service, move.To.Date)
		if err != nil {
			return err
		}
		a.Status = status
		at(a).taken++
		after[a.ID] = a
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		c := changes[key]
		if c.released > 0 {
			tx.releaseSeats(c.ServiceID, c.Date, c.StartTime, c.released)
		}
		if c.taken == 0 {
			continue
		}
		slot, err := m.open(c.AppointmentFields)
		if err != nil {
			return err
		}
		if ok, err := tx.takeSeats(c.ServiceID, c.Date, slot, 0, c.taken)(); err != nil || !ok {
			if err == nil { // booked by another transaction since the plan was made
				err = hospital.Reject(hospital.SlotFull).With("appointmentId", c.ID)
			}
			return err
		}
	}
	for i, move := range moves {
		a := after[move.AppointmentID]
		tx.saveAppointment(&a)
		tx.recordChange(hospital.HistoryReschedule, before[a.ID], a, reason)
		moved.report(i+1, len(moves))
	}
	return nil
}
