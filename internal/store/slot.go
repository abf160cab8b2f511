package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// slotFilter selects the stored slots of a period, of some services (by the primary key) or all (by
// the index slots_date).
func slotFilter(from, to string, serviceIDs ...int64) (f filter) {
	f.add("date >= %s AND date <= %s", from, to)
	if len(serviceIDs) > 0 {
		f.in("service_id", numbers(serviceIDs))
	}
	return f
}

// querySlots queries stored slots. The function it returns reads them.
func (tx *Tx) querySlots(f filter) func() ([]hospital.SlotRow, error) {
	rows := tx.All(`SELECT service_id, date, start_time, end_time, booked, capacity FROM slots `+f.where(), f.args...)
	return func() ([]hospital.SlotRow, error) {
		return sqldb.Collect(rows, func(scan sqldb.Scan) (r hospital.SlotRow, err error) {
			err = scan(&r.ServiceID, &r.Date, &r.StartTime, &r.EndTime, &r.Booked, &r.Capacity)
			return r, err
		})
	}
}

// slotRows returns the stored slots of a period, of some services or all.
func (tx *Tx) slotRows(from, to string, serviceIDs ...int64) ([]hospital.SlotRow, error) {
	return tx.querySlots(slotFilter(from, to, serviceIDs...))()
}

// changedSlots returns the slots of a period that have a capacity of their own: index
// slots_overridden.
func (tx *Tx) changedSlots(from, to string) ([]hospital.SlotRow, error) {
	f := slotFilter(from, to)
	f.add("capacity IS NOT NULL")
	return tx.querySlots(f)()
}

// closuresAndSlots returns the closures and the stored slots of a service in a period, with two queries however
// long the period is.
func (tx *Tx) closuresAndSlots(serviceID int64, from, to string) ([]hospital.Closure, []hospital.SlotRow, error) {
	closures, slots := tx.queryClosures(from, to), tx.querySlots(slotFilter(from, to, serviceID))
	closed, err := closures()
	if err != nil {
		return nil, nil, err
	}
	rows, err := slots()
	return closed, rows, err
}

// offersOf returns the slots of a service in a period.
func (tx *Tx) offersOf(s hospital.Service, from, to string) ([]hospital.DaySlots, error) {
	closed, rows, err := tx.closuresAndSlots(s.ID, from, to)
	return s.ScheduledDays(hospital.DatesBetween(from, to), closed, rows), err
}

// CheckSlots returns the slots of a service on the requested days, with their state for the kind of
// appointment and the length of their waiting lists. It returns NOT_FOUND for an unknown service.
func (db *DB) CheckSlots(ctx context.Context, in hospital.SlotQuery) (days []hospital.DaySlots, err error) {
	from, to := in.Period()
	err = db.Read(ctx, func(tx *Tx) error {
		setting, counts := tx.querySetting(), tx.queryWaiting(from, to, []int64{in.ServiceID})
		s, err := tx.readService(in.ServiceID)
		if err != nil {
			return err
		}
		current, err := setting()
		if err != nil {
			return err
		}
		waiting, err := counts()
		if err != nil {
			return err
		}
		if days, err = tx.offersOf(s, from, to); err != nil {
			return err
		}
		terms := current.Booking(tx.LocalNow(), in.WalkIn())
		for i := range days {
			days[i] = s.WithStates(terms, days[i])
			waiting.addTo(s.ID, days[i].Date, days[i].Slots)
		}
		return nil
	})
	return days, err
}

// slotAt is a slot by its service, day and start.
type slotAt struct {
	serviceID   int64
	date, start string
}

// waitingFor is the number of waitlisted appointments of each slot.
type waitingFor map[slotAt]int

func (w waitingFor) addTo(serviceID int64, date string, slots []hospital.Slot) {
	for i := range slots {
		slots[i].Waitlisted = w[slotAt{serviceID, date, slots[i].StartTime}]
	}
}

// queryWaiting counts the waitlisted appointments of a period, of some services or all. The function
// it returns reads the counts.
func (tx *Tx) queryWaiting(from, to string, serviceIDs []int64) func() (waitingFor, error) {
	f := appointmentFilter(hospital.AppointmentFilter{
		DateFrom: from, DateTo: to, ServiceIDs: serviceIDs,
		Statuses: []hospital.AppointmentStatus{hospital.Waitlisted},
	})
	rows := tx.All(`SELECT a.service_id, a.date, a.start_time, count(*) FROM appointments a `+f.where()+`
		GROUP BY a.service_id, a.date, a.start_time`, f.args...)
	return func() (waitingFor, error) {
		waiting := waitingFor{}
		return waiting, rows.Each(func(scan sqldb.Scan) error {
			var at slotAt
			var n int
			err := scan(&at.serviceID, &at.date, &at.start, &n)
			waiting[at] = n
			return err
		})
	}
}

// ServiceDay is a day of a service with its slots.
type ServiceDay struct {
	ServiceID int64 `json:"serviceId"`
	hospital.DaySlots
}

// SlotsIn returns the slots of some or all services on each day of a period, with their state for a patient
// who is not a walk-in and the length of their waiting lists. Days without slots are omitted.
func (db *DB) SlotsIn(ctx context.Context, from, to string, serviceIDs []int64) (list []ServiceDay, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		list, err = tx.slotsIn(from, to, serviceIDs)
		return err
	})
	return list, err
}

func (tx *Tx) slotsIn(from, to string, serviceIDs []int64) ([]ServiceDay, error) {
	setting, allServices, allClosures := tx.querySetting(), tx.queryServices(true), tx.queryClosures(from, to)
	slots, counts := tx.querySlots(slotFilter(from, to)), tx.queryWaiting(from, to, serviceIDs)
	current, err := setting()
	if err != nil {
		return nil, err
	}
	services, err := allServices()
	if err != nil {
		return nil, err
	}
	closures, err := allClosures()
	if err != nil {
		return nil, err
	}
	rows, err := slots()
	if err != nil {
		return nil, err
	}
	waiting, err := counts()
	if err != nil {
		return nil, err
	}
	byService := map[int64][]hospital.SlotRow{}
	for _, r := range rows {
		byService[r.ServiceID] = append(byService[r.ServiceID], r)
	}
	list, terms := []ServiceDay{}, current.Booking(tx.LocalNow(), false)
	for _, s := range services {
		if len(serviceIDs) > 0 && !slices.Contains(serviceIDs, s.ID) {
			continue
		}
		for _, d := range s.Days(hospital.DatesBetween(from, to), closures, byService[s.ID], terms) {
			if !s.Active { // only the booked slots are of interest
				d.Slots = slices.DeleteFunc(d.Slots, func(slot hospital.Slot) bool { return slot.Booked == 0 })
			}
			if len(d.Slots) > 0 || d.Closed && s.Active {
				waiting.addTo(s.ID, d.Date, d.Slots)
				list = append(list, ServiceDay{s.ID, d})
			}
		}
	}
	return list, nil
}

// takeSeat takes a seat of a slot unless it is full, see takeSeats.
func (tx *Tx) takeSeat(serviceID int64, date string, slot hospital.Slot, extra int) func() (bool, error) {
	return tx.takeSeats(serviceID, date, slot, extra, 1)
}

// takeSeats takes several seats of a slot, all or none; the function it returns reports whether it did.
// slot.Capacity applies if no capacity was set for the slot; extra seats are allowed beyond it. The caller
// must check the capacity of a slot without a row. One statement checks and takes the seats, so that no two
// transactions take the last one. It has no RETURNING, for which SQLite would create a temporary table
// and copy every page that it writes.
func (tx *Tx) takeSeats(serviceID int64, date string, slot hospital.Slot, extra, seats int) func() (bool, error) {
	result := tx.Exec(`INSERT INTO slots (service_id, date, start_time, end_time, booked)
		VALUES ($1, $2, $3, $4, $7)
		ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + $7
			WHERE slots.booked + $7 <= coalesce(slots.capacity, $5) + $6`,
		serviceID, date, slot.StartTime, slot.EndTime, slot.Capacity, extra, seats)
	return func() (bool, error) {
		n, err := result.Affected()
		return n > 0, err
	}
}

// overfull reports whether more seats of a slot are taken than its capacity.
func (tx *Tx) overfull(serviceID int64, date string, slot hospital.Slot) (over bool, err error) {
	err = tx.Get(`SELECT booked > coalesce(capacity, $4) FROM slots
		WHERE service_id = $1 AND date = $2 AND start_time = $3`,
		serviceID, date, slot.StartTime, slot.Capacity).Scan(&over)
	return over, err
}

// releaseSeat releases a seat of a slot.
func (tx *Tx) releaseSeat(serviceID int64, date, start string) {
	tx.releaseSeats(serviceID, date, start, 1)
}

// releaseSeats releases several seats of a slot. If that many are not taken, the transaction fails:
// nadmor verify reports such a slot.
func (tx *Tx) releaseSeats(serviceID int64, date, start string, seats int) {
	tx.ExecOne(`UPDATE slots SET booked = booked - $4
		WHERE service_id = $1 AND date = $2 AND start_time = $3 AND booked >= $4`,
		serviceID, date, start, seats)
}

// UpdateCapacity sets the capacity of the slots of some days, or resets it to the weekly rows. It returns
// NOT_FOUND, OUT_OF_SCHEDULE if the days have no such slot, and CAPACITY_BELOW_BOOKED with the number of
// bookings and the capacity, unless forced. On an error nothing is changed.
func (db *DB) UpdateCapacity(
	ctx context.Context, in hospital.CapacityChange,
) (done hospital.CapacityChanged, err error) {
	from, to := in.Period()
	err = db.changeOnce(ctx, valueOf(&done), func(tx *Tx) error {
		done = hospital.CapacityChanged{Previous: []hospital.CapacityWas{}}
		s, err := tx.readService(in.ServiceID)
		if err != nil {
			return err
		}
		closed, rows, err := tx.closuresAndSlots(s.ID, from, to)
		if err != nil {
			return err
		}
		days := s.SlotsToChange(in, closed, rows)
		if len(days) == 0 {
			return hospital.Reject(hospital.OutOfSchedule).Because(
				"วันที่เลือกไม่มีช่วงเวลาที่เปิด กรุณาเลือกวันอื่น", "There is no slot on those days. Choose others.")
		}
		tx.Note("slot.capacity", "service", s.ID, s.Name, map[string]hospital.Change{
			"dateFrom": {After: from}, "dateTo": {After: to}, "startTime": {After: in.StartTime},
			"capacity": {Before: before(days, in), After: in.Capacity},
		})
		for _, d := range days {
			slots := d.Slots
			if in.Capacity == nil {
				slots = slices.DeleteFunc(slots, func(slot hospital.Slot) bool { return !slot.Overridden })
			}
			if len(slots) == 0 {
				continue
			}
			if in.Capacity == nil {
				err = tx.resetCapacity(s, d.Date, slots, in.Force)
			} else {
				err = tx.setCapacity(s.ID, d.Date, slots, *in.Capacity, in.Force)
			}
			if err != nil {
				return err
			}
			tx.Publish(hospital.Event{Kind: hospital.EventSlot, ServiceID: s.ID, Date: d.Date})
			for _, slot := range slots {
				was := hospital.CapacityWas{Date: d.Date, StartTime: slot.StartTime}
				if slot.Overridden {
					was.Capacity = &slot.Capacity
				}
				done.Previous = append(done.Previous, was)
			}
			done.Updated += len(slots)
			done.Days++
		}
		return nil
	})
	return done, err
}

// before returns the capacity that a single slot had, for the audit log.
func before(days []hospital.DaySlots, in hospital.CapacityChange) any {
	if from, to := in.Period(); from == to && in.StartTime != nil {
		return days[0].Slots[0].Capacity
	}
	return nil
}

// setCapacity sets the capacity of some slots of a day with one statement.
func (tx *Tx) setCapacity(serviceID int64, date string, slots []hospital.Slot, capacity int, force bool) error {
	args := []any{serviceID, date, capacity, force}
	values := make([]string, len(slots))
	for i, slot := range slots {
		args = append(args, slot.StartTime, slot.EndTime)
		values[i] = fmt.Sprintf("($1, $2, $%d, $%d, 0, $3)", len(args)-1, len(args))
	}
	n, err := tx.Exec(`INSERT INTO slots (service_id, date, start_time, end_time, booked, capacity)
		VALUES `+strings.Join(values, ", ")+`
		ON CONFLICT (service_id, date, start_time) DO UPDATE SET capacity = excluded.capacity
			WHERE slots.booked <= excluded.capacity OR $4`, args...).Affected()
	if err != nil || int(n) == len(slots) {
		return err
	}
	return tx.belowBooked(serviceID, date, slots, capacity)
}

// resetCapacity resets some slots of a day with a capacity of their own to that of the weekly
// rows, with one statement per capacity. A slot that is no longer in the weekly rows is not
// checked, because it cannot be booked anyway.
func (tx *Tx) resetCapacity(s hospital.Service, date string, slots []hospital.Slot, force bool) error {
	byCapacity := map[int][]hospital.Slot{}
	for _, slot := range slots {
		capacity, ok := s.WeeklyCapacity(date, slot.StartTime)
		if !ok {
			capacity = math.MaxInt32
		}
		byCapacity[capacity] = append(byCapacity[capacity], slot)
	}
	for _, capacity := range slices.Sorted(maps.Keys(byCapacity)) {
		same := byCapacity[capacity]
		var f filter
		f.add("service_id = %s AND date = %s", s.ID, date)
		f.in("start_time", startTimes(same))
		f.add("(booked <= %s OR %s)", capacity, force)
		n, err := tx.Exec(`UPDATE slots SET capacity = NULL `+f.where(), f.args...).Affected()
		if err != nil {
			return err
		}
		if int(n) < len(same) {
			return tx.belowBooked(s.ID, date, same, capacity)
		}
	}
	return nil
}

// belowBooked returns CAPACITY_BELOW_BOOKED for some slots of a day.
func (tx *Tx) belowBooked(serviceID int64, date string, slots []hospital.Slot, capacity int) error {
	var f filter
	f.add("service_id = %s AND date = %s", serviceID, date)
	f.in("start_time", startTimes(slots))
	var most int
	if err := tx.Get(`SELECT max(booked) FROM slots `+f.where(), f.args...).Scan(&most); err != nil {
		return err
	}
	return hospital.Reject(hospital.CapacityBelowBooked).
		With("booked", most).With("date", date).With("capacity", capacity).
		Because(fmt.Sprintf("วันที่ %s มีผู้จองแล้ว %d คน มากกว่าจำนวนที่กำหนด "+
			"กรุณายืนยันหากไม่รับเพิ่ม ผู้ที่จองไว้แล้วยังอยู่", hospital.ThaiDate(date), most),
			fmt.Sprintf("%d are booked on %s, more than that. "+
				"Confirm to take no more; those who are booked stay.", most, date))
}

func startTimes(slots []hospital.Slot) []any {
	starts := make([]any, len(slots))
	for i, slot := range slots {
		starts[i] = slot.StartTime
	}
	return starts
}

// SlotFault is a slot whose stored count differs from the number of seats held in it.
type SlotFault struct {
	ServiceID   int64
	Date, Start string
	Booked      int
	Seats       int
}

// VerifySlots compares the count of every slot with the seats held in it. It reads all appointments
// once: index appointments_service.
func (db *DB) VerifySlots(ctx context.Context) (faults []SlotFault, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		faults, err = sqldb.Collect(tx.All(`SELECT service_id, date, start_time, sum(booked), sum(seats) FROM (
			SELECT service_id, date, start_time, booked, 0 AS seats FROM slots
			UNION ALL SELECT service_id, date, start_time, 0, count(*) FROM appointments
				WHERE `+oneOf("status", hospital.HoldingSeat...)+` AND deleted_at IS NULL
				GROUP BY service_id, date, start_time
			) AS pairs GROUP BY service_id, date, start_time HAVING sum(booked) <> sum(seats) ORDER BY 1, 2, 3`),
			func(scan sqldb.Scan) (s SlotFault, err error) {
				err = scan(&s.ServiceID, &s.Date, &s.Start, &s.Booked, &s.Seats)
				return s, err
			})
		return err
	})
	return faults, err
}
