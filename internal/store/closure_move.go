package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
)

// moveHorizon is how many days after a closure a new time is looked for.
const moveHorizon = 60

// MoveClosed finds a new time for everybody who is booked in a closure: on the
// next open days, on each the slot with room nearest to the old time of day,
// never beyond the capacity and never where the patient has another seat.
// chosen replaces single proposals. A preview changes nothing; otherwise all
// moves are made together, and who cannot be placed stays and is returned.
// Refused: NOT_FOUND; a chosen time that is refused as a booking is, with the
// appointment in the details.
func (db *DB) MoveClosed(ctx context.Context, closureID int64, preview bool, chosen map[int64]hospital.Time) (moves []hospital.Move, unplaced []hospital.Appointment, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = db.change(ctx, func(tx *Tx) error {
		moves, unplaced = []hospital.Move{}, []hospital.Appointment{}
		c, err := readClosure(ctx, tx.tx, closureID)
		if err != nil {
			return err
		}
		m, err := tx.planMoves(setting, c, preview)
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
			moves = append(moves, hospital.Move{AppointmentID: a.ID, From: hospital.Time{Date: a.Date, StartTime: a.StartTime}, To: to})
			m.take(a, to)
		}
		if preview {
			return nil
		}
		return tx.applyMoves(m, moves, c.Reason)
	})
	return moves, unplaced, err
}

// movePlan is what a plan is made with: who must move, what each service
// offers, and when each patient is busy.
type movePlan struct {
	now      hospital.Moment
	setting  hospital.Setting
	affected []hospital.Appointment
	desks    map[int64]desk
	days     map[int64][]hospital.DaySlots
	busy     map[int64][]hospital.Appointment
	slots    map[int64]hospital.Slot // where each appointment goes
}

func (tx *Tx) planMoves(setting hospital.Setting, c hospital.Closure, preview bool) (m movePlan, err error) {
	m = movePlan{now: hospital.MomentOf(tx.now, setting.Zone()), setting: setting, desks: map[int64]desk{}, days: map[int64][]hospital.DaySlots{}, busy: map[int64][]hospital.Appointment{}, slots: map[int64]hospital.Slot{}}
	lockA, lockP := tx.db.dialect.lock("a"), tx.db.dialect.lock("p")
	if preview {
		lockA, lockP = "", ""
	}
	where, args := affectedBy(c.ClosureFields)
	if m.affected, err = tx.db.appointmentsWhere(tx.ctx, tx.tx, where+` ORDER BY a.id`+lockA, args...); err != nil || len(m.affected) == 0 {
		return m, err
	}
	from, to := max(c.DateFrom, m.now.Date), hospital.AddDays(max(c.DateTo, m.now.Date), moveHorizon)
	var moving, patients []int64
	for _, a := range m.affected {
		moving = append(moving, a.ID)
		patients = append(patients, a.PatientID)
		if _, known := m.desks[a.ServiceID]; known {
			continue
		}
		d, err := tx.desk(setting, a.ServiceID, from, to)
		if err != nil {
			return m, err
		}
		rows, err := slotRows(tx.ctx, tx.tx, from, to, a.ServiceID)
		if err != nil {
			return m, err
		}
		m.desks[a.ServiceID], m.days[a.ServiceID] = d, d.service.Days(hospital.DatesBetween(from, to), d.closures, rows, m.now)
	}
	patients = slices.Compact(slices.Sorted(slices.Values(patients)))
	var f filter
	f.in("p.id", numbers(patients))
	rows, err := tx.query(`SELECT p.id FROM patients p `+f.where()+` ORDER BY p.id`+lockP, f.args...)
	if _, err = scanAll(rows, err, func(id *int64) []any { return []any{id} }); err != nil {
		return m, fmt.Errorf("lock patients: %w", err)
	}
	f = filter{}
	f.in("a.patient_id", numbers(patients))
	f.in("a.status", texts(seatStatuses))
	f.add("a.deleted_at IS NULL AND a.date >= %s AND a.date <= %s", from, to)
	others, err := tx.db.appointmentsWhere(tx.ctx, tx.tx, f.where(), f.args...)
	for _, o := range others {
		if !slices.Contains(moving, o.ID) {
			m.busy[o.PatientID] = append(m.busy[o.PatientID], o)
		}
	}
	// The urgent choose first, then those whose time comes first.
	slices.SortStableFunc(m.affected, func(a, b hospital.Appointment) int {
		return strings.Compare(turn(a), turn(b))
	})
	return m, err
}

func turn(a hospital.Appointment) string {
	urgent := "1"
	if a.Priority == hospital.Urgent {
		urgent = "0"
	}
	return urgent + a.Date + a.StartTime
}

// propose is the nearest time for an appointment.
func (m *movePlan) propose(a hospital.Appointment) (to hospital.Time, ok bool) {
	for _, day := range m.days[a.ServiceID] {
		if day.Date < a.Date {
			continue
		}
		for _, slot := range day.Nearest(a.StartTime) {
			to = hospital.Time{Date: day.Date, StartTime: slot.StartTime}
			if m.check(a, to) == nil {
				return to, true
			}
		}
	}
	return to, false
}

// check tells whether an appointment can go to a time.
func (m *movePlan) check(a hospital.Appointment, to hospital.Time) error {
	refuse := func(e *hospital.Error) error { return e.With("appointmentId", a.ID) }
	fields := a.AppointmentFields
	fields.Date, fields.StartTime = to.Date, to.StartTime
	slot, err := m.desks[a.ServiceID].open(fields)
	if err != nil {
		if e, ours := err.(*hospital.Error); ours { //nolint:errorlint // straight from Open
			return refuse(e)
		}
		return err
	}
	for _, o := range m.busy[a.PatientID] {
		if o.Date == to.Date && o.StartTime < slot.EndTime && slot.StartTime < o.EndTime {
			return refuse(hospital.Refuse(hospital.PatientDoubleBooked))
		}
	}
	if s := m.slot(a.ServiceID, to); s == nil || s.Available <= 0 {
		return refuse(hospital.Refuse(hospital.SlotFull))
	}
	return nil
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

// take keeps a seat of the plan for an appointment.
func (m *movePlan) take(a hospital.Appointment, to hospital.Time) {
	slot := m.slot(a.ServiceID, to)
	slot.Available--
	m.slots[a.ID] = *slot
	a.Date, a.StartTime, a.EndTime = to.Date, to.StartTime, slot.EndTime
	m.busy[a.PatientID] = append(m.busy[a.PatientID], a)
}

// applyMoves takes the new seats and releases the old ones, in the order of
// their keys, and writes each move down.
func (tx *Tx) applyMoves(m movePlan, moves []hospital.Move, reason string) error {
	type seat struct {
		key  string
		a    hospital.Appointment
		take bool
	}
	var seats []seat
	after := map[int64]hospital.Appointment{}
	before := map[int64]hospital.Appointment{}
	for _, a := range m.affected {
		before[a.ID] = a
	}
	for _, move := range moves {
		a := before[move.AppointmentID]
		seats = append(seats, seat{slotKey(a), a, false})
		a.Date, a.StartTime, a.EndTime = move.To.Date, move.To.StartTime, m.slots[a.ID].EndTime
		a.QueueNo, a.Overbooked, a.OverbookReason = nil, false, ""
		seats = append(seats, seat{slotKey(a), a, true})
		after[a.ID] = a
	}
	slices.SortStableFunc(seats, func(a, b seat) int { return strings.Compare(a.key, b.key) })
	for _, s := range seats {
		if !s.take {
			if err := tx.releaseSeat(s.a.ServiceID, s.a.Date, s.a.StartTime); err != nil {
				return err
			}
			continue
		}
		slot, err := m.desks[s.a.ServiceID].open(s.a.AppointmentFields)
		if err != nil {
			return err
		}
		if ok, err := tx.takeSeat(s.a.ServiceID, s.a.Date, slot, 0); err != nil || !ok {
			if err == nil { // somebody booked it since the plan was made
				err = hospital.Refuse(hospital.SlotFull).With("appointmentId", s.a.ID)
			}
			return err
		}
	}
	for _, move := range moves {
		a := after[move.AppointmentID]
		if err := tx.saveAppointment(&a); err != nil {
			return err
		}
		if err := tx.happened(hospital.HistoryReschedule, before[a.ID], a, reason); err != nil {
			return err
		}
	}
	return nil
}
