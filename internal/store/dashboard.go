package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
)

// Limits of the dashboard.
const (
	trendDays    = 7  // before the day, and after it
	rateDays     = 30 // of the no-show rate, and of the rate it is compared with
	arrivalsMax  = 10 // next arrivals
	lateMax      = 5  // late arrivals
	freeSeatDays = 90 // how far ahead a free seat is searched for
)

// Dashboard summarizes a day: its appointments by status, the load of each service, the days before and
// after, and alerts. Only Arrivals contains names.
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

	Alerts Alerts `json:"alerts" doc:"What needs attention now, whatever day is shown"`
}

// Arrivals are the appointments of the day whose patients have not arrived, by time: the next ones, and
// the latest of those whose slot has ended.
type Arrivals struct {
	Next      []hospital.Appointment `json:"next"`
	Late      []hospital.Appointment `json:"late"`
	LateTotal int                    `json:"lateTotal"`
}

// DayOutcome is the result of a past day.
type DayOutcome struct {
	Date      string `json:"date"`
	Booked    int    `json:"booked" doc:"Seats that were held"`
	Completed int    `json:"completed"`
	NoShow    int    `json:"noShow"`
	Cancelled int    `json:"cancelled"`
}

// DayAhead is the load of a coming day.
type DayAhead struct {
	Date     string `json:"date"`
	Closed   bool   `json:"closed"`
	Reason   string `json:"reason"`
	Booked   int    `json:"booked"`
	Capacity int    `json:"capacity"`
}

// Dashboard returns the dashboard of a day. Arrivals are included only for callers with
// APPOINTMENT.SHOW. It reads totals of days, the slots of a few days and a handful of appointments, so
// its duration does not depend on the number of appointments.
func (db *DB) Dashboard(ctx context.Context, date string) (d Dashboard, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		b := board{tx: tx, date: date, now: tx.LocalNow(), closedDays: map[string][]hospital.Closure{}}
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

// board holds the data that several parts of a dashboard use.
type board struct {
	tx      *Tx
	date    string
	now     hospital.Moment
	setting hospital.Setting

	all        []hospital.Service // inactive ones too
	shown      []hospital.Service // active ones, and those with bookings from the day on
	closures   []hospital.Closure // from the earlier of the day and today on
	closedDays map[string][]hospital.Closure
	totals     []DayTotals        // of the days before and after
	slots      []hospital.SlotRow // of today, tomorrow and the day
}

// todayAndTomorrow returns today and tomorrow, in which most services have their next free seat.
func (b *board) todayAndTomorrow() (from, to string) {
	return b.now.Date, hospital.AddDays(b.now.Date, 1)
}

// day returns the slots of a service on a date with their state for a caller who is not a walk-in.
func (b *board) day(s hospital.Service, date string, rows []hospital.SlotRow) hospital.DaySlots {
	return s.Day(date, b.closedOn(date), rows, b.setting.Booking(b.now, false))
}

func (b *board) closedOn(date string) []hospital.Closure {
	if on, known := b.closedDays[date]; known {
		return on
	}
	on := slices.DeleteFunc(slices.Clone(b.closures), func(c hospital.Closure) bool {
		return date < c.DateFrom || c.DateTo < date
	})
	b.closedDays[date] = on
	return on
}

func (b *board) read() (err error) {
	from, to := b.todayAndTomorrow()
	setting, services := b.tx.querySetting(), b.tx.queryServices(true)
	closures := b.tx.queryClosures(min(b.date, b.now.Date), "9999-12-31")
	totals := b.tx.queryTotals(hospital.AddDays(b.date, -trendDays), hospital.AddDays(b.date, trendDays), nil)
	slots := b.tx.querySlots(slotFilter(from, to))
	if b.setting, err = setting(); err != nil {
		return err
	}
	if b.all, err = services(); err != nil {
		return err
	}
	if b.closures, err = closures(); err != nil {
		return err
	}
	if b.totals, err = totals(); err != nil {
		return err
	}
	if b.slots, err = slots(); err != nil {
		return err
	}
	if b.date < from || b.date > to {
		more, err := b.tx.slotRows(b.date, b.date)
		if err != nil {
			return err
		}
		b.slots = append(b.slots, more...)
	}
	b.shown = slices.DeleteFunc(slices.Clone(b.all), func(s hospital.Service) bool {
		return !s.Active && !slices.ContainsFunc(b.totals, func(t DayTotals) bool {
			return t.ServiceID == s.ID && t.Date >= b.date && t.Seats() > 0
		})
	})
	return nil
}

// days sets the numbers of the day and of the days before it from the totals.
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

// sums sets the no-show rates of past days and the number of bookings that need approval.
func (b *board) sums(d *Dashboard) error {
	last := hospital.AddDays(min(b.date, b.now.Date), -1)
	first := hospital.AddDays(last, 1-rateDays)
	d.NoShow.DateFrom, d.NoShow.DateTo = first, last
	d.NoShowBefore.DateFrom, d.NoShowBefore.DateTo = hospital.AddDays(first, -rateDays), hospital.AddDays(first, -1)
	due, absent, pending := sumOf(hospital.Due...), sumOf(hospital.NoShow), sumOf(hospital.Pending)
	// Primary key.
	return b.tx.Get(`SELECT
		coalesce(`+due+` FILTER (WHERE date >= $2 AND date <= $3), 0),
		coalesce(`+absent+` FILTER (WHERE date >= $2 AND date <= $3), 0),
		coalesce(`+due+` FILTER (WHERE date < $2), 0), coalesce(`+absent+` FILTER (WHERE date < $2), 0),
		coalesce(`+pending+` FILTER (WHERE date >= $4), 0)
		FROM day_totals WHERE date >= $1`, d.NoShowBefore.DateFrom, first, last, b.now.Date).
		Scan(&d.NoShow.Expected, &d.NoShow.NoShow, &d.NoShowBefore.Expected, &d.NoShowBefore.NoShow,
			&d.Alerts.Pending)
}

// arrivals sets the patients who have not arrived. On a coming day none of them is late, on a past day
// all of them are.
func (b *board) arrivals(d *Dashboard) error {
	if !b.tx.actor.Permissions[hospital.AppointmentShow] {
		return nil
	}
	at := "00:00"
	switch {
	case b.date < b.now.Date:
		at = "24:00"
	case b.date == b.now.Date:
		at = b.now.Clock.String()
	}
	// The first few of each status: the index appointments_status returns them in order.
	first := func(condition, direction string, limit int) ([]hospital.Appointment, error) {
		parts := make([]string, len(hospital.Expected))
		for i, status := range hospital.Expected {
			parts[i] = fmt.Sprintf(`SELECT id FROM (SELECT id FROM appointments
				WHERE status = '%s' AND date = $1 AND deleted_at IS NULL AND %s
				ORDER BY start_time %s, id %s LIMIT %d) first`, status, condition, direction, direction, limit)
		}
		where := fmt.Sprintf(`WHERE a.id IN (%s) ORDER BY a.start_time %s, a.id %s LIMIT %d`,
			strings.Join(parts, " UNION ALL "), direction, direction, limit)
		return b.tx.appointmentsWhere(where, b.date, at)
	}
	const late = `start_time < $2 AND end_time <= $2` // start_time is in the index
	var err error
	d.Arrivals = &Arrivals{}
	if d.Arrivals.Next, err = first(`end_time > $2`, "ASC", arrivalsMax); err != nil {
		return err
	}
	if d.Arrivals.Late, err = first(late, "DESC", lateMax); err != nil {
		return err
	}
	if d.Arrivals.LateTotal = len(d.Arrivals.Late); d.Arrivals.LateTotal == lateMax {
		return b.tx.Get(`SELECT count(*) FROM appointments
			WHERE `+oneOf("status", hospital.Expected...)+` AND date = $1 AND deleted_at IS NULL
			AND `+late, b.date, at).Scan(&d.Arrivals.LateTotal)
	}
	return nil
}
