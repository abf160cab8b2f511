package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// Alerts are the parts of the dashboard that need attention, whatever its day.
type Alerts struct {
	Pending  int             `json:"pending" doc:"Bookings from today on that wait for approval"`
	Closures []ClosureAlert  `json:"closures" doc:"Closures from today on with people booked in them"`
	Full     []FullAlert     `json:"full" doc:"Services with no seat left today or tomorrow"`
	Waitlist []WaitlistAlert `json:"waitlist" doc:"Days on which people wait though there is a seat"`
}

// ClosureAlert is a closure with appointments in it.
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

// WaitlistAlert is a day of a service with waitlisted patients and a free seat.
type WaitlistAlert struct {
	Service hospital.ServiceRef `json:"service"`
	Date    string              `json:"date"`
	Waiting int                 `json:"waiting" doc:"All who wait that day"`
	Free    int                 `json:"free" doc:"How many of them can be given a seat"`
}

// closed sets the alerts for closures from today on with appointments in them. For closures of whole
// days it adds the totals of the days, for others it counts the appointments of each closed service.
func (b *board) closed(d *Dashboard) error {
	type count struct {
		closure, service int64
		n                int
	}
	counts := func(query string, args ...any) ([]count, error) {
		return sqldb.Collect(b.tx.All(query, args...), func(scan sqldb.Scan) (c count, err error) {
			err = scan(&c.closure, &c.service, &c.n)
			return c, err
		})
	}
	// CROSS JOIN makes SQLite read the few closures first (index closures_end), then their days.
	list, err := counts(`SELECT c.id, t.service_id, sum(t.pending + t.booked + t.confirmed)
		FROM closures c CROSS JOIN day_totals t
		WHERE c.date_to >= $1 AND c.start_time IS NULL
		AND t.date >= CASE WHEN c.date_from > $1 THEN c.date_from ELSE $1 END AND t.date <= c.date_to
		GROUP BY c.id, t.service_id`, b.now.Date)
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
	for some := range slices.Chunk(pairs, maxIDsPerStatement) {
		var f filter
		// One lower bound: of two, SQLite may use the wider one for the index.
		f.add("a.date >= CASE WHEN c.date_from > %s THEN c.date_from ELSE %s END", b.now.Date, b.now.Date)
		f.add(oneOf("a.status", hospital.Upcoming...))
		// One count per pair, each with the index appointments_service.
		parts, err := counts(`WITH pairs (closure_id, service_id) AS (VALUES `+strings.Join(some, ", ")+`)
			SELECT c.id, p.service_id, (SELECT count(*) FROM appointments a `+f.where()+`
				AND a.service_id = p.service_id AND a.date <= c.date_to
				AND a.start_time < c.end_time AND a.end_time > c.start_time AND a.deleted_at IS NULL)
			FROM pairs p JOIN closures c ON c.id = p.closure_id`, f.args...)
		if err != nil {
			return err
		}
		list = append(list, parts...)
	}
	affected := map[int64]int{}
	for _, n := range list {
		i := slices.IndexFunc(b.closures, func(c hospital.Closure) bool { return c.ID == n.closure })
		if i >= 0 && b.closures[i].Of(n.service) {
			affected[n.closure] += n.n
		}
	}
	d.Alerts.Closures = []ClosureAlert{}
	for _, c := range b.closures {
		if n := affected[c.ID]; n > 0 {
			d.Alerts.Closures = append(d.Alerts.Closures,
				ClosureAlert{c.ID, c.DateFrom, c.DateTo, c.StartTime, c.EndTime, c.Reason, n})
		}
	}
	return nil
}

// waitlist sets the alerts for days on which waitlisted patients can be given a seat. As in MarkStatus,
// the state of a slot depends on whether the patient is a walk-in.
func (b *board) waitlist(d *Dashboard) error {
	type line struct {
		hospital.SlotRow
		waiting int
		walkIns int  // waiting patients who are walk-ins
		stored  bool // the slot has a row
		of      hospital.AppointmentFields
	}
	// Index appointments_status.
	rows := b.tx.All(`SELECT a.service_id, a.date, a.start_time, max(a.end_time), count(*), a.kind, a.channel,
		coalesce(s.booked, 0), s.capacity, s.date IS NOT NULL
		FROM appointments a
		LEFT JOIN slots s ON s.service_id = a.service_id AND s.date = a.date AND s.start_time = a.start_time
		WHERE `+oneOf("a.status", hospital.Waitlisted)+` AND a.date >= $1 AND a.deleted_at IS NULL
		GROUP BY a.service_id, a.date, a.start_time, a.kind, a.channel, s.booked, s.capacity, s.date`, b.now.Date)
	byDay := map[serviceDay][]line{}
	err := rows.Each(func(scan sqldb.Scan) error {
		var l line
		err := scan(&l.ServiceID, &l.Date, &l.StartTime, &l.EndTime, &l.waiting, &l.of.Kind, &l.of.Channel,
			&l.Booked, &l.Capacity, &l.stored)
		if l.of.WalkIn() {
			l.walkIns = l.waiting
		}
		day := serviceDay{l.Date, l.ServiceID}
		i := slices.IndexFunc(byDay[day], func(o line) bool { return o.StartTime == l.StartTime })
		if i < 0 {
			byDay[day] = append(byDay[day], l)
			return err
		}
		byDay[day][i].waiting += l.waiting
		byDay[day][i].walkIns += l.walkIns
		return err
	})
	if err != nil {
		return err
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
				if l.stored {
					known = append(known, l.SlotRow)
				}
			}
			offer := s.ScheduledSlots(day.date, b.closedOn(day.date), known)
			booking := s.WithStates(b.setting.Booking(b.now, false), offer)
			walkingIn := s.WithStates(b.setting.Booking(b.now, true), offer)
			for i, slot := range booking.Slots {
				for _, l := range waiting {
					if l.StartTime != slot.StartTime {
						continue
					}
					bookable := l.walkIns
					if slot.State == hospital.StateFree {
						bookable = l.waiting
					}
					alert.Free += min(bookable, walkingIn.Slots[i].Available)
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
