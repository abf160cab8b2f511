package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// years is a hospital with more than a year of random data: services with changed schedules, an inactive and
// a deleted one, closures, overridden capacities, and appointments in every status.
type years struct {
	db        *store.DB
	ctx       context.Context
	rng       *rand.Rand
	services  []hospital.Service
	closures  []hospital.ClosureFields
	overrides map[slotAt]int
	staff     []hospital.StaffRef
}

const yearsFrom, yearsTo = "2025-08-01", "2026-12-15"

// slotAt is a start time of a service on a date.
type slotAt struct {
	service     int64
	date, start string
}

// naiveSlot is a slot with its capacity and the number of seats held in it.
type naiveSlot struct {
	slotAt
	booked, capacity int
}

func newYears(t *testing.T, db *store.DB, seed uint64) *years {
	t.Helper()
	y := &years{db: db, ctx: storetest.SetUp(t, db), rng: rand.New(rand.NewPCG(seed, 9)), overrides: map[slotAt]int{}}
	for i := range 3 {
		u := storetest.AddUser(t, db, fmt.Sprintf("doctor%d", i), "DOCTOR")
		y.staff = append(y.staff, hospital.StaffRef{ID: u.ID, Name: u.Name})
	}
	for i := range 5 {
		f := hospital.NewService
		f.Code, f.Name, f.Sort = fmt.Sprintf("Y%d", i), fmt.Sprintf("คลินิก %d", i), 9-i
		f.Schedule = weekdays(20+10*y.rng.IntN(4), 1+y.rng.IntN(4))
		if i%2 == 0 { // another schedule since April
			until, since := "2026-03-31", "2026-04-01"
			for j := range f.Schedule {
				f.Schedule[j].ValidTo = &until
			}
			f.Schedule = append(f.Schedule, hospital.ScheduleRow{
				Weekday: y.rng.IntN(7), StartTime: "08:00", EndTime: "11:10", SlotMinutes: 30, Capacity: 3,
				ValidFrom: &since,
			})
		}
		s, err := db.CreateService(y.ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		y.services = append(y.services, s)
	}
	y.visits(t)
	y.exceptions(t)
	return y
}

// visits adds appointments, most of them at the start of a slot.
func (y *years) visits(t *testing.T) {
	t.Helper()
	people := patients(y.ctx, t, y.db, 25)
	dates := hospital.DatesBetween(yearsFrom, yearsTo)
	at := func(date string, minutes int) *time.Time {
		d, _ := time.ParseInLocation(time.DateOnly, date, hospital.Bangkok)
		d = d.Add(time.Duration(minutes)*time.Minute + time.Duration(y.rng.IntN(60000))*time.Millisecond)
		return &d
	}
	n, err := load.Appointments(y.ctx, y.db, func(yield func(hospital.Appointment) bool) {
		for i := range 2500 {
			s, date := y.services[y.rng.IntN(len(y.services))], dates[y.rng.IntN(len(dates))]
			start := 8*60 + 10*y.rng.IntN(48)
			if slots := s.ScheduledSlots(date, nil, nil).Slots; len(slots) > 0 && y.rng.IntN(8) > 0 {
				c, _ := hospital.ParseClock(slots[y.rng.IntN(len(slots))].StartTime)
				start = int(c)
			}
			a := hospital.Appointment{
				Number: fmt.Sprintf("Y%05d", i), PatientID: people[y.rng.IntN(len(people))].ID,
				EndTime: hospital.Clock(start + 20).String(),
				Status:  hospital.AppointmentStatuses[y.rng.IntN(len(hospital.AppointmentStatuses))],
				AppointmentFields: hospital.AppointmentFields{
					ServiceID: s.ID, Date: date, StartTime: hospital.Clock(start).String(),
					Kind: hospital.KindNew, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
				},
			}
			longest := []int{60, 24 * 60, 24 * 60 * 9, 24 * 60 * 40, 24 * 60 * 130}[y.rng.IntN(5)]
			a.CreatedAt = *at(date, start-y.rng.IntN(longest))
			a.UpdatedAt = a.CreatedAt
			if y.rng.IntN(5) > 0 {
				a.StaffID = &y.staff[y.rng.IntN(len(y.staff))].ID
			}
			// Some times are missing or out of order, because users change the status too late.
			if y.rng.IntN(10) > 0 {
				a.CheckedInAt = at(date, start-y.rng.IntN(90)+30)
			}
			if y.rng.IntN(10) > 0 {
				a.StartedAt = at(date, start+y.rng.IntN(90))
			}
			if y.rng.IntN(10) > 0 {
				a.CompletedAt = at(date, start+60+y.rng.IntN(90))
			}
			if !yield(a) {
				return
			}
		}
	})
	if err != nil || n != 2500 {
		t.Fatalf("%d visits: %v", n, err)
	}
}

// exceptions adds closures and overridden capacities, and deletes appointments and services.
func (y *years) exceptions(t *testing.T) {
	t.Helper()
	dates := hospital.DatesBetween(yearsFrom, yearsTo)
	for range 40 {
		c := hospital.ClosureFields{DateFrom: dates[y.rng.IntN(len(dates)-5)], Reason: "ปิด", Kind: hospital.ClosureClosed}
		c.DateTo = hospital.AddDays(c.DateFrom, y.rng.IntN(4))
		if y.rng.IntN(2) == 0 {
			c.ServiceIDs = []int64{y.services[y.rng.IntN(5)].ID}
		}
		if y.rng.IntN(2) == 0 {
			start, end := "10:10", "14:30"
			c.StartTime, c.EndTime = &start, &end
		}
		if _, _, err := y.db.CreateClosure(y.ctx, c); err != nil {
			t.Fatal(err)
		}
		y.closures = append(y.closures, c)
	}
	for range 120 {
		s, date, capacity := y.services[y.rng.IntN(5)], dates[y.rng.IntN(len(dates))], y.rng.IntN(7)
		days, err := y.db.CheckSlots(y.ctx, hospital.SlotQuery{ServiceID: s.ID, Date: date})
		if err != nil {
			t.Fatal(err)
		}
		if len(days[0].Slots) == 0 {
			continue
		}
		start := days[0].Slots[y.rng.IntN(len(days[0].Slots))].StartTime
		change := hospital.CapacityChange{
			ServiceID: s.ID, Date: date, StartTime: &start, Capacity: &capacity, Force: true,
		}
		if _, err := y.db.UpdateCapacity(y.ctx, change); err != nil {
			t.Fatal(err)
		}
		y.overrides[slotAt{s.ID, date, start}] = capacity
	}
	for _, a := range y.all(t)[:100] {
		if err := y.db.DeleteAppointment(y.ctx, a.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := y.db.UpdateService(y.ctx, y.services[1].ID, y.services[1].Version, func(f *hospital.ServiceFields) error {
		f.Active = false
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	last := y.services[4]
	for _, a := range y.all(t) { // a service with open appointments cannot be deleted
		if a.ServiceID == last.ID && slices.Contains(hospital.Open, a.Status) {
			if err := y.db.DeleteAppointment(y.ctx, a.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := y.db.DeleteService(y.ctx, last.ID); err != nil {
		t.Fatal(err)
	}
	y.services[1].Active, y.services[4].Active = false, false
}

func (y *years) all(t *testing.T) []hospital.Appointment {
	t.Helper()
	list, err := y.db.AppointmentsIn(y.ctx, hospital.AppointmentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// inReport reports whether a report includes a service on a date.
func inReport(q hospital.ReportQuery, service int64, date string) bool {
	return q.DateFrom <= date && date <= q.DateTo && (len(q.ServiceIDs) == 0 || slices.Contains(q.ServiceIDs, service))
}

// keyOf returns the key of the row of a report.
func keyOf(by hospital.GroupBy, service int64, date, hour string) string {
	d, _ := time.Parse(time.DateOnly, date)
	switch by {
	case hospital.ByService:
		return strconv.FormatInt(service, 10)
	case hospital.ByMonth:
		return d.Format("2006-01")
	case hospital.ByFiscalYear:
		if d.Month() >= time.October {
			return strconv.Itoa(d.Year() + 544)
		}
		return strconv.Itoa(d.Year() + 543)
	case hospital.ByWeekday:
		return strconv.Itoa(int(d.Weekday()))
	case hospital.ByHour:
		return hour
	default:
		return date
	}
}

// naiveSlots returns the slots of every service and day. All slots start at a multiple of ten minutes.
func (y *years) naiveSlots(q hospital.ReportQuery, all []hospital.Appointment) (list []naiveSlot) {
	held := map[slotAt]int{}
	firstHeld, lastHeld := map[int64]string{}, map[int64]string{}
	for _, a := range all {
		if a.Status.HoldsSeat() && inReport(q, a.ServiceID, a.Date) {
			held[slotAt{a.ServiceID, a.Date, a.StartTime}]++
			lastHeld[a.ServiceID] = max(lastHeld[a.ServiceID], a.Date)
			if first, known := firstHeld[a.ServiceID]; !known || a.Date < first {
				firstHeld[a.ServiceID] = a.Date
			}
		}
	}
	for _, s := range y.services {
		for d, _ := time.Parse(time.DateOnly, q.DateFrom); d.Format(time.DateOnly) <= q.DateTo; d = d.AddDate(0, 0, 1) {
			date := d.Format(time.DateOnly)
			first, used := firstHeld[s.ID]
			before := date < s.CreatedAt.In(hospital.Bangkok).Format(time.DateOnly) && (!used || date < first)
			if !inReport(q, s.ID, date) || before || !s.Active && date > lastHeld[s.ID] {
				continue
			}
			for minute := 0; minute < 24*60; minute += 10 {
				at := slotAt{s.ID, date, fmt.Sprintf("%02d:%02d", minute/60, minute%60)}
				slot := naiveSlot{at, held[at], held[at]} // not in the schedule, or closed
				end, seats, ok := naiveWeekly(s, date, d.Weekday(), minute)
				if ok && !y.closed(s.ID, date, at.start, end) {
					slot.capacity = seats
					if own, changed := y.overrides[at]; changed {
						slot.capacity = own
					}
				}
				if slot.booked > 0 || slot.capacity > 0 {
					list = append(list, slot)
				}
			}
		}
	}
	return list
}

// naiveWeekly returns the slot of the weekly schedule that starts at a minute of a day.
func naiveWeekly(
	s hospital.Service, date string, weekday time.Weekday, minute int,
) (end string, seats int, ok bool) {
	minutes := func(clock string) int {
		hour, _ := strconv.Atoi(clock[:2])
		rest, _ := strconv.Atoi(clock[3:])
		return hour*60 + rest
	}
	for _, r := range s.Schedule {
		if r.Weekday != int(weekday) ||
			r.ValidFrom != nil && date < *r.ValidFrom || r.ValidTo != nil && date > *r.ValidTo {
			continue
		}
		from, to := minutes(r.StartTime), minutes(r.EndTime)
		if minute >= from && minute < to && (minute-from)%r.SlotMinutes == 0 {
			stop := min(minute+r.SlotMinutes, to)
			return fmt.Sprintf("%02d:%02d", stop/60, stop%60), r.Capacity, true
		}
	}
	return "", 0, false
}

func (y *years) closed(service int64, date, start, end string) bool {
	for _, c := range y.closures {
		if date < c.DateFrom || date > c.DateTo || len(c.ServiceIDs) > 0 && c.ServiceIDs[0] != service {
			continue
		}
		if c.StartTime == nil || *c.StartTime < end && start < *c.EndTime {
			return true
		}
	}
	return false
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

func (n naiveSlot) addTo(s hospital.Seats) hospital.Seats {
	s.Booked, s.Capacity = s.Booked+n.booked, s.Capacity+n.capacity
	s.Rate = share(s.Booked, s.Capacity)
	return s
}

func utilization(
	by hospital.GroupBy, slots []naiveSlot,
) (rows map[string]hospital.Seats, heat map[[2]int]hospital.Seats, total hospital.Seats) {
	rows, heat = map[string]hospital.Seats{}, map[[2]int]hospital.Seats{}
	for _, slot := range slots {
		d, _ := time.Parse(time.DateOnly, slot.date)
		hour, _ := strconv.Atoi(slot.start[:2])
		key, cell := keyOf(by, slot.service, slot.date, slot.start[:2]), [2]int{int(d.Weekday()), hour}
		rows[key], heat[cell], total = slot.addTo(rows[key]), slot.addTo(heat[cell]), slot.addTo(total)
	}
	return rows, heat, total
}

func (y *years) noShows(
	q hospital.ReportQuery, by hospital.GroupBy, all []hospital.Appointment,
) (rows map[string]hospital.Turnout, total hospital.Turnout) {
	rows = map[string]hospital.Turnout{}
	for _, a := range all {
		came := a.Status == hospital.CheckedIn || a.Status == hospital.InService || a.Status == hospital.Completed
		if !inReport(q, a.ServiceID, a.Date) || !came && a.Status != hospital.NoShow {
			continue
		}
		key := keyOf(by, a.ServiceID, a.Date, "")
		if by == hospital.ByLeadTime {
			visit, _ := time.ParseInLocation(time.DateOnly, a.Date, hospital.Bangkok)
			made := a.CreatedAt.In(hospital.Bangkok)
			days := 0
			for d := made; d.Format(time.DateOnly) < visit.Format(time.DateOnly); d = d.AddDate(0, 0, 1) {
				days++
			}
			switch {
			case days == 0:
				key = "0"
			case days <= 7:
				key = "1-7"
			case days <= 30:
				key = "8-30"
			case days <= 90:
				key = "31-90"
			default:
				key = "91+"
			}
		}
		v := rows[key]
		v.Due++
		total.Due++
		if !came {
			v.NoShow++
			total.NoShow++
		}
		v.Rate = share(v.NoShow, v.Due)
		rows[key] = v
	}
	total.Rate = share(total.NoShow, total.Due)
	return rows, total
}

// percentiles returns the median and the 90th percentile by nearest rank.
func percentiles(lengths []int) (s hospital.Spread) {
	if s.Count = len(lengths); s.Count == 0 {
		return s
	}
	slices.Sort(lengths)
	at := func(p int) *int {
		rank := p * len(lengths) / 100
		if p*len(lengths)%100 > 0 {
			rank++
		}
		return &lengths[rank-1]
	}
	s.Median, s.P90 = at(50), at(90)
	return s
}

func (y *years) waiting(
	q hospital.ReportQuery, by hospital.GroupBy, all []hospital.Appointment,
) (rows map[string]hospital.Waiting, total hospital.Waiting) {
	waits, visits := map[string][]int{}, map[string][]int{}
	var everyWait, everyVisit []int
	for _, a := range all {
		if !inReport(q, a.ServiceID, a.Date) || !a.Status.Visited() || a.CheckedInAt == nil || a.StartedAt == nil {
			continue
		}
		came := a.CheckedInAt.In(hospital.Bangkok)
		key := keyOf(by, a.ServiceID, a.Date, came.Format("15"))
		if by == hospital.ByWeekday {
			key = strconv.Itoa(int(came.Weekday()))
		}
		if d := a.StartedAt.Sub(*a.CheckedInAt); d >= 0 {
			waits[key], everyWait = append(waits[key], int(d/time.Second)), append(everyWait, int(d/time.Second))
		}
		if a.Status == hospital.Completed && a.CompletedAt != nil && !a.CompletedAt.Before(*a.StartedAt) {
			d := int(a.CompletedAt.Sub(*a.StartedAt) / time.Second)
			visits[key], everyVisit = append(visits[key], d), append(everyVisit, d)
		}
	}
	rows = map[string]hospital.Waiting{}
	for _, m := range []map[string][]int{waits, visits} {
		for key := range m {
			rows[key] = hospital.Waiting{Wait: percentiles(waits[key]), Visit: percentiles(visits[key])}
		}
	}
	return rows, hospital.Waiting{Wait: percentiles(everyWait), Visit: percentiles(everyVisit)}
}

func (y *years) workload(q hospital.ReportQuery, all []hospital.Appointment) (rows map[string]hospital.StaffLoad) {
	rows = map[string]hospital.StaffLoad{}
	people, days, spent := map[string]map[int64]bool{}, map[string]map[string]bool{}, map[string]time.Duration{}
	for _, a := range all {
		if !inReport(q, a.ServiceID, a.Date) || a.Status == hospital.Cancelled || a.Status == hospital.Waitlisted {
			continue
		}
		staff := ""
		if a.StaffID != nil {
			staff = strconv.FormatInt(*a.StaffID, 10)
		}
		for _, key := range []string{staff, "total"} {
			l := rows[key]
			if people[key] == nil {
				people[key], days[key] = map[int64]bool{}, map[string]bool{}
			}
			l.Assigned++
			if a.Status.Visited() {
				l.Came++
				people[key][a.PatientID], days[key][a.Date] = true, true
			}
			if a.Status == hospital.Completed {
				l.Completed++
				if a.StartedAt != nil && a.CompletedAt != nil && a.CompletedAt.After(*a.StartedAt) {
					spent[key] += a.CompletedAt.Sub(*a.StartedAt)
				}
			}
			if a.Status == hospital.NoShow {
				l.NoShow++
			}
			l.Patients, l.WorkingDays = len(people[key]), len(days[key])
			l.VisitSeconds, l.PerDay = int(spent[key]/time.Second), share(l.Came, len(days[key]))
			rows[key] = l
		}
	}
	return rows
}

// compare compares every report in every grouping with the naive implementation.
func (y *years) compare(t *testing.T, q hospital.ReportQuery) {
	t.Helper()
	all := y.all(t)
	slots := y.naiveSlots(q, all)
	what := func(report string, by hospital.GroupBy) string {
		return fmt.Sprintf("%s by %s of %s–%s, services %v", report, by, q.DateFrom, q.DateTo, q.ServiceIDs)
	}
	check := func(report string, by hospital.GroupBy, want, got any, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s: %v\n%s", what(report, by), err, diff)
		}
	}
	for _, by := range []hospital.GroupBy{
		hospital.ByService, hospital.ByDay, hospital.ByMonth, hospital.ByFiscalYear, hospital.ByWeekday, hospital.ByHour,
	} {
		r, err := y.db.Utilization(y.ctx, q, by)
		rows, heat, total := utilization(by, slots)
		got, cells := map[string]hospital.Seats{}, map[[2]int]hospital.Seats{}
		for _, row := range r.Rows {
			got[row.Key] = row.Seats
		}
		for _, c := range r.Heat {
			cells[[2]int{c.Weekday, c.Hour}] = c.Seats
		}
		check("utilization", by, rows, got, err)
		check("heat", by, heat, cells, err)
		check("total of utilization", by, total, r.Total, err)
	}
	for _, by := range []hospital.GroupBy{
		hospital.ByService, hospital.ByMonth, hospital.ByFiscalYear, hospital.ByWeekday, hospital.ByLeadTime,
	} {
		r, err := y.db.NoShows(y.ctx, q, by)
		rows, total := y.noShows(q, by, all)
		got := map[string]hospital.Turnout{}
		for _, row := range r.Rows {
			got[row.Key] = row.Turnout
		}
		check("no-shows", by, rows, got, err)
		check("total of no-shows", by, total, r.Total, err)
	}
	for _, by := range []hospital.GroupBy{
		hospital.ByService, hospital.ByMonth, hospital.ByFiscalYear, hospital.ByWeekday, hospital.ByHour,
	} {
		r, err := y.db.WaitingTimes(y.ctx, q, by)
		rows, total := y.waiting(q, by, all)
		got := map[string]hospital.Waiting{}
		for _, row := range r.Rows {
			got[row.Key] = row.Waiting
		}
		check("waiting times", by, rows, got, err)
		check("total of waiting times", by, total, r.Total, err)
	}
	r, err := y.db.Workload(y.ctx, q)
	got := map[string]hospital.StaffLoad{}
	for _, row := range r.Rows {
		got[row.Key] = row.StaffLoad
	}
	if got["total"] = r.Total; r.Total.Assigned == 0 {
		delete(got, "total")
	}
	check("workload", hospital.ByStaff, y.workload(q, all), got, err)
}

func TestReportsMatchNaiveCount(t *testing.T) {
	t.Parallel()
	seed := randomSeed(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		y := newYears(t, db, seed)
		rng := rand.New(rand.NewPCG(seed, 10))
		dates := hospital.DatesBetween(yearsFrom, yearsTo)
		y.compare(t, hospital.ReportQuery{DateFrom: yearsFrom, DateTo: yearsTo})
		for range 3 {
			i, j := rng.IntN(len(dates)), rng.IntN(len(dates))
			q := hospital.ReportQuery{DateFrom: dates[min(i, j)], DateTo: dates[max(i, j)]}
			for _, s := range y.services {
				if rng.IntN(2) == 0 {
					q.ServiceIDs = append(q.ServiceIDs, s.ID)
				}
			}
			y.compare(t, q)
		}
		y.compare(t, hospital.ReportQuery{
			DateFrom: "2030-01-01", DateTo: "2030-01-01", ServiceIDs: []int64{y.services[4].ID},
		})
	})
}

func TestReportRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		doctor := storetest.AddUser(t, db, "somsak", "DOCTOR")
		first, second, third := clinic(ctx, t, db, "A", 2), clinic(ctx, t, db, "B", 2), clinic(ctx, t, db, "C", 2)
		patient := patients(ctx, t, db, 1)[0]
		in := visit(patient, second, monday, "10:00")
		in.StaffID = &doctor.ID
		if _, err := db.Book(ctx, in); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Book(ctx, visit(patient, third, monday, "11:00")); err != nil {
			t.Fatal(err)
		}
		q := hospital.ReportQuery{DateFrom: monday, DateTo: monday, ServiceIDs: []int64{third.ID, first.ID, second.ID}}
		used, err := db.Utilization(ctx, q, hospital.ByService)
		var names []string
		for _, r := range used.Rows {
			names = append(names, r.Name)
		}
		if diff := cmp.Diff([]string{"คลินิก A", "คลินิก B", "คลินิก C"}, names); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		load, err := db.Workload(ctx, q)
		if err != nil || len(load.Rows) != 2 || load.Rows[0].Name != doctor.Name ||
			load.Rows[1].ReportGroup != (hospital.ReportGroup{}) || load.Total.Assigned != 2 || load.Total.PerDay != nil {
			t.Errorf("%+v %v", load, err)
		}
		q.ServiceIDs = []int64{first.ID, 4711}
		_, err = db.NoShows(ctx, q, hospital.ByService)
		wantCode(t, err, hospital.ValidationFailed)
		_, err = db.Workload(ctx, q)
		wantCode(t, err, hospital.ValidationFailed)
	})
}
