package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
)

// How far the dashboard looks.
const (
	trendDays    = 7  // before the day, and after it
	rateDays     = 30 // of the no-show rate, and of the one it is compared with
	arrivalsMax  = 10 // who comes next
	lateMax      = 5  // who is late
	freeSeatDays = 90 // how far ahead a free seat is looked for
)

// Dashboard is a day at a glance: what came of its appointments so far, how full
// each service is, how the days around it look, and what needs somebody now.
// It tells numbers; names only in Arrivals.
type Dashboard struct {
	Date         string                             `json:"date"`
	Today        string                             `json:"today"`
	Total        int                                `json:"total" doc:"All appointments of the day, whatever their status"`
	ByStatus     map[hospital.AppointmentStatus]int `json:"byStatus" doc:"Every status, those with none too"`
	Services     []DashboardService                 `json:"services"`
	Arrivals     *Arrivals                          `json:"arrivals" doc:"null where the caller may not see appointments"`
	Trend        []DayOutcome                       `json:"trend" doc:"The seven days before"`
	Ahead        []DayAhead                         `json:"ahead" doc:"The seven days after"`
	NoShow       hospital.Attendance                `json:"noShow" doc:"The last 30 days that are over"`
	NoShowBefore hospital.Attendance                `json:"noShowBefore" doc:"The 30 days before those"`
	Alerts       Alerts                             `json:"alerts" doc:"What needs somebody now, whatever day is looked at"`
}

// DashboardService is a service on the day.
type DashboardService struct {
	Service hospital.ServiceRef `json:"service"`
	hospital.Load
	Reason    string    `json:"reason" doc:"Why it is closed, that day or a part of it"`
	CheckedIn int       `json:"checkedIn" doc:"How many have come and wait"`
	NextFree  *FreeSeat `json:"nextFree" doc:"The next seat that can be booked from now on; null within 90 days"`
}

// Arrivals are those of the day who have not come yet, by time: who is expected,
// and the last of those whose time is over.
type Arrivals struct {
	Next      []hospital.Appointment `json:"next"`
	Late      []hospital.Appointment `json:"late"`
	LateTotal int                    `json:"lateTotal"`
}

// DayOutcome is what came of a day.
type DayOutcome struct {
	Date      string `json:"date"`
	Booked    int    `json:"booked" doc:"Seats that were held"`
	Completed int    `json:"completed"`
	NoShow    int    `json:"noShow"`
	Cancelled int    `json:"cancelled"`
}

// DayAhead is how full a coming day is.
type DayAhead struct {
	Date     string `json:"date"`
	Closed   bool   `json:"closed"`
	Reason   string `json:"reason"`
	Booked   int    `json:"booked"`
	Capacity int    `json:"capacity"`
}

// Alerts are what needs somebody.
type Alerts struct {
	Pending  int             `json:"pending" doc:"Bookings from today on that wait for approval"`
	Closures []ClosureAlert  `json:"closures" doc:"Closures from today on with people booked in them"`
	Full     []FullAlert     `json:"full" doc:"Services with no seat left today or tomorrow"`
	Waitlist []WaitlistAlert `json:"waitlist" doc:"Days on which people wait though there is a seat"`
}

// ClosureAlert is a closure with people booked in it.
type ClosureAlert struct {
	ID        int64   `json:"id"`
	DateFrom  string  `json:"dateFrom"`
	DateTo    string  `json:"dateTo"`
	StartTime *string `json:"startTime"`
	EndTime   *string `json:"endTime"`
	Reason    string  `json:"reason"`
	Affected  int     `json:"affected"`
}

// FullAlert is a service with no seat left on a day.
type FullAlert struct {
	Service hospital.ServiceRef `json:"service"`
	Date    string              `json:"date"`
}

// WaitlistAlert is a service's day on which people wait though there is a seat.
type WaitlistAlert struct {
	Service hospital.ServiceRef `json:"service"`
	Date    string              `json:"date"`
	Waiting int                 `json:"waiting" doc:"All who wait that day"`
	Free    int                 `json:"free" doc:"How many of them can be given a seat"`
}

// view runs fn on one state of the database, so that numbers that are read one
// after the other fit together.
func (db *DB) view(ctx context.Context, fn func(q querier) error) error {
	tx, err := db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return mapError(fmt.Errorf("begin: %w", err))
	}
	defer tx.Rollback() // there is nothing to commit
	return mapError(fn(db.observe.on(tx)))
}

// Dashboard tells how a day stands. Who comes next is told only to those who
// hold APPOINTMENT.SHOW. What it reads is days, slots of a week, and a handful
// of appointments: it takes as long with a million appointments as with a
// thousand.
func (db *DB) Dashboard(ctx context.Context, date string) (d Dashboard, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return d, err
	}
	err = db.view(ctx, func(q querier) error {
		b := board{ctx: ctx, db: db, q: q, date: date, now: db.wall(), closedDays: map[string][]hospital.Closure{}, rules: hospital.BookingRules{WindowDays: setting.BookingWindowDays, Lead: setting.LeadMinutes}}
		if err := b.read(); err != nil {
			return err
		}
		d = Dashboard{Date: date, Today: b.now.Date, ByStatus: map[hospital.AppointmentStatus]int{}}
		b.days(&d)
		for _, part := range []func(*Dashboard) error{b.services, b.sums, b.arrivals, b.closed, b.waitlist} {
			if err := part(&d); err != nil {
				return err
			}
		}
		return nil
	})
	return d, err
}

// board is what the parts of a dashboard are made from.
type board struct {
	ctx   context.Context
	db    *DB
	q     querier
	date  string
	now   hospital.Moment
	rules hospital.BookingRules

	all        []hospital.Service // inactive ones too
	shown      []hospital.Service // those that are active, or booked in the days around
	closures   []hospital.Closure // from the day on, or from today
	closedDays map[string][]hospital.Closure
	totals     []DayTotals        // of the days around
	slots      []hospital.SlotRow // of today, tomorrow and the day
}

// soon is today and tomorrow: what may be full, and where most services have
// their next seat.
func (b *board) soon() (from, to string) { return b.now.Date, hospital.AddDays(b.now.Date, 1) }

// day is what a service offers on a date.
func (b *board) day(s hospital.Service, date string, rows []hospital.SlotRow) hospital.DaySlots {
	return s.Day(date, b.closedOn(date), rows, b.now)
}

func (b *board) closedOn(date string) []hospital.Closure {
	if on, known := b.closedDays[date]; known {
		return on
	}
	on := slices.DeleteFunc(slices.Clone(b.closures), func(c hospital.Closure) bool { return date < c.DateFrom || c.DateTo < date })
	b.closedDays[date] = on
	return on
}

func (b *board) read() (err error) {
	first, last := hospital.AddDays(b.date, -trendDays), hospital.AddDays(b.date, trendDays)
	if b.all, err = b.db.listServices(b.ctx, b.q, true); err != nil {
		return err
	}
	if b.closures, err = closuresIn(b.ctx, b.q, min(b.date, b.now.Date), "9999-12-31"); err != nil {
		return err
	}
	if b.totals, err = totalsIn(b.ctx, b.q, first, last, nil); err != nil {
		return err
	}
	from, to := b.soon()
	if b.slots, err = slotRows(b.ctx, b.q, from, to); err != nil {
		return err
	}
	if b.date < from || b.date > to {
		more, err := slotRows(b.ctx, b.q, b.date, b.date)
		if err != nil {
			return err
		}
		b.slots = append(b.slots, more...)
	}
	b.shown = slices.DeleteFunc(slices.Clone(b.all), func(s hospital.Service) bool {
		return !s.Active && !slices.ContainsFunc(b.totals, func(t DayTotals) bool { return t.ServiceID == s.ID && t.Date >= b.date && t.Seats() > 0 })
	})
	return nil
}

// days tells the day itself, those before and those after, from the totals.
func (b *board) days(d *Dashboard) {
	for _, status := range hospital.AppointmentStatuses {
		d.ByStatus[status] = 0
	}
	before := map[string]*DayOutcome{}
	d.Trend = make([]DayOutcome, trendDays)
	for i := range d.Trend {
		d.Trend[i].Date = hospital.AddDays(b.date, i-trendDays)
		before[d.Trend[i].Date] = &d.Trend[i]
	}
	for _, t := range b.totals {
		if o := before[t.Date]; o != nil {
			o.Booked += t.Seats()
			o.Completed += t.ByStatus[hospital.Completed]
			o.NoShow += t.ByStatus[hospital.NoShow]
			o.Cancelled += t.ByStatus[hospital.Cancelled]
		}
		if t.Date == b.date {
			for status, n := range t.ByStatus {
				d.ByStatus[status] += n
				d.Total += n
			}
		}
	}
}

// services tells how full each is on the day, when it has the next seat, and
// which are full; and how full the days after are.
func (b *board) services(d *Dashboard) error {
	tomorrow := hospital.AddDays(b.now.Date, 1)
	bySlot := b.slotsOf(b.slots)
	checkedIn := map[int64]int{}
	for _, t := range b.totals {
		if t.Date == b.date {
			checkedIn[t.ServiceID] = t.ByStatus[hospital.CheckedIn]
		}
	}
	free, err := b.nextFree(bySlot)
	if err != nil {
		return err
	}
	d.Services, d.Alerts.Full = []DashboardService{}, []FullAlert{}
	for _, s := range b.shown {
		day := b.day(s, b.date, bySlot[serviceDay{b.date, s.ID}])
		load := s.Load(day)
		if s.Active || load.Booked > 0 {
			d.Services = append(d.Services, DashboardService{Service: s.Ref(), Load: load, Reason: day.Reason, CheckedIn: checkedIn[s.ID], NextFree: free[s.ID]})
		}
		for _, date := range []string{b.now.Date, tomorrow} {
			slots := b.day(s, date, bySlot[serviceDay{date, s.ID}])
			over := !slices.ContainsFunc(slots.Slots, func(slot hospital.Slot) bool { return !slot.Past })
			if !over && s.Load(slots).State == hospital.LoadFull {
				d.Alerts.Full = append(d.Alerts.Full, FullAlert{s.Ref(), date})
			}
		}
	}
	first, last := hospital.AddDays(b.date, 1), hospital.AddDays(b.date, trendDays)
	changed, err := changedSlots(b.ctx, b.q, first, last)
	if err != nil {
		return err
	}
	d.Ahead = []DayAhead{}
	booked := make(map[serviceDay]int, len(b.totals))
	for _, t := range b.totals {
		booked[serviceDay{t.Date, t.ServiceID}] = t.Seats()
	}
	for _, l := range loads(hospital.DatesBetween(first, last), b.shown, b.closures, changed, booked) {
		d.Ahead = append(d.Ahead, DayAhead{l.Date, l.Closed, l.Reason, l.Booked, l.Capacity})
	}
	return nil
}

func (b *board) slotsOf(rows []hospital.SlotRow) map[serviceDay][]hospital.SlotRow {
	of := map[serviceDay][]hospital.SlotRow{}
	for _, r := range rows {
		day := serviceDay{r.Date, r.ServiceID}
		of[day] = append(of[day], r)
	}
	return of
}

// nextFree finds the next seat of each service that can be booked: in the slots
// that were read, then further ahead for those that have none there.
func (b *board) nextFree(known map[serviceDay][]hospital.SlotRow) (map[int64]*FreeSeat, error) {
	free := map[int64]*FreeSeat{}
	wanted := slices.DeleteFunc(slices.Clone(b.shown), func(s hospital.Service) bool { return !s.Active })
	from, to := b.soon()
	for len(wanted) > 0 {
		wanted = slices.DeleteFunc(wanted, func(s hospital.Service) bool {
			for _, date := range hospital.DatesBetween(from, to) {
				if free[s.ID] = b.freeOn(s, date, known[serviceDay{date, s.ID}]); free[s.ID] != nil {
					return true
				}
			}
			return false
		})
		// Longer and longer steps: who is full for a week is full for more than the next day.
		last := hospital.AddDays(b.now.Date, freeSeatDays)
		if from = hospital.AddDays(to, 1); from > last {
			break
		}
		if to = min(last, hospital.AddDays(from, 2*hospital.DaysBetween(b.now.Date, from))); len(wanted) == 0 {
			break
		}
		ids := make([]int64, len(wanted))
		for i, s := range wanted {
			ids[i] = s.ID
		}
		rows, err := slotRows(b.ctx, b.q, from, to, ids...)
		if err != nil {
			return nil, err
		}
		known = b.slotsOf(rows)
	}
	return free, nil
}

// freeOn is the first seat of a day that can be booked; nil without one.
func (b *board) freeOn(s hospital.Service, date string, rows []hospital.SlotRow) *FreeSeat {
	for _, slot := range b.day(s, date, rows).Slots {
		if slot.Available == 0 {
			continue
		}
		if _, err := s.Open(date, slot.StartTime, false, b.closedOn(date), b.now, b.rules); err == nil {
			return &FreeSeat{date, slot.StartTime, slot.EndTime, slot.Available}
		}
	}
	return nil
}

// sums tells the no-show rates, of days that are over, and what waits for
// approval.
func (b *board) sums(d *Dashboard) error {
	last := hospital.AddDays(min(b.date, b.now.Date), -1)
	first := hospital.AddDays(last, 1-rateDays)
	d.NoShow.DateFrom, d.NoShow.DateTo = first, last
	d.NoShowBefore.DateFrom, d.NoShowBefore.DateTo = hospital.AddDays(first, -rateDays), hospital.AddDays(first, -1)
	// Primary key.
	return b.q.QueryRowContext(b.ctx, `SELECT
		coalesce(sum(no_show + completed + in_service + checked_in) FILTER (WHERE date >= $2 AND date <= $3), 0), coalesce(sum(no_show) FILTER (WHERE date >= $2 AND date <= $3), 0),
		coalesce(sum(no_show + completed + in_service + checked_in) FILTER (WHERE date < $2), 0), coalesce(sum(no_show) FILTER (WHERE date < $2), 0),
		coalesce(sum(pending) FILTER (WHERE date >= $4), 0)
		FROM day_totals WHERE date >= $1`, d.NoShowBefore.DateFrom, first, last, b.now.Date).
		Scan(&d.NoShow.Expected, &d.NoShow.NoShow, &d.NoShowBefore.Expected, &d.NoShowBefore.NoShow, &d.Alerts.Pending)
}

// arrivals tells who has not come yet. A day to come has nobody who is late, and
// on a day that is over everybody is.
func (b *board) arrivals(d *Dashboard) error {
	if !hospital.ActorFrom(b.ctx).Permissions[hospital.AppointmentShow] {
		return nil
	}
	at := "00:00"
	switch {
	case b.date < b.now.Date:
		at = "24:00"
	case b.date == b.now.Date:
		at = b.now.Clock.String()
	}
	// Of each status the first few, so that the index appointments_status gives them in order and no more are read.
	first := func(condition, direction string, limit int) ([]hospital.Appointment, error) {
		part := func(status string) string {
			return fmt.Sprintf(`SELECT id FROM (SELECT id FROM appointments WHERE status = '%s' AND date = $1 AND deleted_at IS NULL AND %s ORDER BY start_time %s, id %s LIMIT %d) first`, status, condition, direction, direction, limit)
		}
		return b.db.appointmentsWhere(b.ctx, b.q, `WHERE a.id IN (`+part("BOOKED")+` UNION ALL `+part("CONFIRMED")+fmt.Sprintf(`) ORDER BY a.start_time %s, a.id %s LIMIT %d`, direction, direction, limit), b.date, at)
	}
	const late = `start_time < $2 AND end_time <= $2` // the first follows from the second, and is in the index
	var err error
	d.Arrivals = &Arrivals{}
	if d.Arrivals.Next, err = first(`end_time > $2`, "ASC", arrivalsMax); err != nil {
		return err
	}
	if d.Arrivals.Late, err = first(late, "DESC", lateMax); err != nil {
		return err
	}
	if d.Arrivals.LateTotal = len(d.Arrivals.Late); d.Arrivals.LateTotal == lateMax {
		return b.q.QueryRowContext(b.ctx, `SELECT count(*) FROM appointments WHERE status IN ('BOOKED', 'CONFIRMED') AND date = $1 AND deleted_at IS NULL AND `+late, b.date, at).Scan(&d.Arrivals.LateTotal)
	}
	return nil
}

// closed tells the closures from today on in which people are booked: those of
// whole days by the totals of their days, the others by the appointments of each
// service they close.
func (b *board) closed(d *Dashboard) error {
	type count struct {
		closure, service int64
		n                int
	}
	counts := func(query string, args ...any) ([]count, error) {
		rows, err := b.q.QueryContext(b.ctx, query, args...)
		return scanAll(rows, err, func(c *count) []any { return []any{&c.closure, &c.service, &c.n} })
	}
	// CROSS JOIN: first the few closures (index closures_end), then their days.
	list, err := counts(`SELECT c.id, t.service_id, sum(t.pending + t.booked + t.confirmed) FROM closures c CROSS JOIN day_totals t
		WHERE c.date_to >= $1 AND c.start_time IS NULL AND t.date >= CASE WHEN c.date_from > $1 THEN c.date_from ELSE $1 END AND t.date <= c.date_to GROUP BY c.id, t.service_id`, b.now.Date)
	if err != nil {
		return err
	}
	var pairs []string
	for _, c := range b.closures {
		for _, s := range b.all {
			if !c.AllDay() && c.DateTo >= b.now.Date && c.Of(s.ID) {
				pairs = append(pairs, fmt.Sprintf("(%d, %d)", c.ID, s.ID))
			}
		}
	}
	if len(pairs) > 0 {
		var f filter
		// One bound for the first day: of two, SQLite may take the wider one to the index.
		f.add("a.date >= CASE WHEN c.date_from > %s THEN c.date_from ELSE %s END", b.now.Date, b.now.Date)
		f.in("a.status", texts(hospital.Upcoming))
		// A count for each pair, so that each is one look into the index appointments_service.
		parts, err := counts(`WITH pairs (closure_id, service_id) AS (VALUES `+strings.Join(pairs, ", ")+`)
			SELECT c.id, p.service_id, (SELECT count(*) FROM appointments a `+f.where()+` AND a.service_id = p.service_id AND a.date <= c.date_to
				AND a.start_time < c.end_time AND a.end_time > c.start_time AND a.deleted_at IS NULL)
			FROM pairs p JOIN closures c ON c.id = p.closure_id`, f.args...)
		if err != nil {
			return err
		}
		list = append(list, parts...)
	}
	affected := map[int64]int{}
	for _, n := range list {
		if i := slices.IndexFunc(b.closures, func(c hospital.Closure) bool { return c.ID == n.closure }); i >= 0 && b.closures[i].Of(n.service) {
			affected[n.closure] += n.n
		}
	}
	d.Alerts.Closures = []ClosureAlert{}
	for _, c := range b.closures {
		if n := affected[c.ID]; n > 0 {
			d.Alerts.Closures = append(d.Alerts.Closures, ClosureAlert{c.ID, c.DateFrom, c.DateTo, c.StartTime, c.EndTime, c.Reason, n})
		}
	}
	return nil
}

// waitlist tells the days on which people wait for a seat that is there.
func (b *board) waitlist(d *Dashboard) error {
	type line struct {
		hospital.SlotRow
		waiting int
		there   bool // the slot has a row
	}
	// Index appointments_status.
	rows, err := b.q.QueryContext(b.ctx, `SELECT a.service_id, a.date, a.start_time, max(a.end_time), count(*), coalesce(s.booked, 0), s.capacity, s.date IS NOT NULL
		FROM appointments a LEFT JOIN slots s ON s.service_id = a.service_id AND s.date = a.date AND s.start_time = a.start_time
		WHERE a.status = 'WAITLISTED' AND a.date >= $1 AND a.deleted_at IS NULL GROUP BY a.service_id, a.date, a.start_time, s.booked, s.capacity, s.date`, b.now.Date)
	lines, err := scanAll(rows, err, func(l *line) []any {
		return []any{&l.ServiceID, &l.Date, &l.StartTime, &l.EndTime, &l.waiting, &l.Booked, &l.Capacity, &l.there}
	})
	if err != nil {
		return err
	}
	byDay := map[serviceDay][]line{}
	for _, l := range lines {
		day := serviceDay{l.Date, l.ServiceID}
		byDay[day] = append(byDay[day], l)
	}
	d.Alerts.Waitlist = []WaitlistAlert{}
	for _, s := range b.all {
		for day, waiting := range byDay {
			if day.serviceID != s.ID {
				continue
			}
			alert := WaitlistAlert{Service: s.Ref(), Date: day.date}
			var known []hospital.SlotRow
			for _, l := range waiting {
				if l.there {
					known = append(known, l.SlotRow)
				}
			}
			for _, slot := range b.day(s, day.date, known).Slots {
				for _, l := range waiting {
					if l.StartTime == slot.StartTime {
						alert.Free += min(l.waiting, slot.Available)
					}
				}
			}
			for _, l := range waiting {
				alert.Waiting += l.waiting
			}
			if alert.Free > 0 {
				d.Alerts.Waitlist = append(d.Alerts.Waitlist, alert)
			}
		}
	}
	slices.SortFunc(d.Alerts.Waitlist, func(a, b WaitlistAlert) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Service.ID, b.Service.ID))
	})
	return nil
}
