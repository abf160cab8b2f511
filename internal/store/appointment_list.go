package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// appointmentSorts are the sorts of the list. "turn" is for the current day: finished visits come last.
var appointmentSorts = map[string]string{
	"date":      "a.date, a.start_time",
	"turn":      overLast + ", a.date, a.start_time",
	"number":    "a.number",
	"patient":   "p.first_sort",
	"service":   "s.sort, s.name_sort, a.date, a.start_time",
	"status":    "a.status, a.date, a.start_time",
	"createdAt": "a.created_at",
}

// overLast is 1 for finished visits. It contains no commas, because an order is split at them.
var overLast = func() string {
	last := make([]string, len(hospital.Finished))
	for i, status := range hospital.Finished {
		last[i] = "WHEN '" + string(status) + "' THEN 1"
	}
	return "CASE a.status " + strings.Join(last, " ") + " ELSE 0 END"
}()

// appointmentFilter returns conditions on appointments only, so that counting needs no other table. The
// search text is added by foundVisits.
func appointmentFilter(in hospital.AppointmentFilter) (f filter) {
	in = in.ExpandGroup()
	f.add("a.deleted_at IS NULL")
	if in.DateFrom != "" {
		f.add("a.date >= %s", in.DateFrom)
	}
	if in.DateTo != "" {
		f.add("a.date <= %s", in.DateTo)
	}
	if len(in.ServiceIDs) > 0 {
		f.in("a.service_id", numbers(in.ServiceIDs))
	}
	if len(in.Statuses) > 0 {
		f.in("a.status", texts(in.Statuses))
	}
	if in.StaffID != 0 {
		f.add("a.staff_id = %s", in.StaffID)
	}
	if in.PatientID != 0 {
		f.add("a.patient_id = %s", in.PatientID)
	}
	if in.Channel != "" {
		f.add("a.channel = %s", string(in.Channel))
	}
	if in.Kind != "" {
		f.add("a.kind = %s", string(in.Kind))
	}
	return f
}

// foundVisits matches appointments of patients found by the search text and appointments whose
// number begins with it. Those of the owners come first.
func (f *filter) foundVisits(t searchTerms) {
	if len(t.words) == 0 {
		return
	}
	var people []string
	for _, w := range t.words {
		people = append(people, "doc LIKE "+f.mark("%"+w+"%"))
	}
	of := func(patients string) string {
		return "SELECT o.id FROM appointments o WHERE o.deleted_at IS NULL AND o.patient_id IN " + patients
	}
	number := numberKey(t.text)
	// Each part uses an index; one condition with OR would not.
	ways := []string{
		of("(SELECT rowid FROM patient_search WHERE " + strings.Join(people, " AND ") + ")"),
		"SELECT n.id FROM appointments n WHERE n.number >= " + f.mark(number) +
			" AND n.number < " + f.mark(after(number)),
	}
	if t.card != "" {
		ways = append(ways, of("("+f.cards(t.card)+")"))
	}
	if len(t.owners) > 0 {
		own := f.list(numbers(t.owners))
		ways = append(ways, of(own))
		f.first = "a.patient_id IN " + own
	}
	f.add("a.id IN (" + strings.Join(ways, " UNION ALL ") + ")")
}

// numberKey returns a search text in the form in which appointment numbers are stored.
func numberKey(q string) string {
	return strings.ToUpper(strings.Join(strings.Fields(withoutWildCards(hospital.ArabicDigits(q))), ""))
}

// ListAppointments returns a page of appointments, by default by date and time. If the search text is a
// number of patients, their appointments come first. A search by ID card is recorded in the audit log.
func (db *DB) ListAppointments(
	ctx context.Context, in hospital.AppointmentFilter,
) (page hospital.Paged[hospital.Appointment], err error) {
	err = db.readSearch(ctx, in.Q, func(tx *Tx, terms searchTerms) (err error) {
		page, err = tx.listAppointments(in, terms, nil)
		return err
	})
	return page, err
}

// listAppointments returns a page of appointments. If hasResult is not nil, only those with or without
// results are returned.
func (tx *Tx) listAppointments(
	in hospital.AppointmentFilter, terms searchTerms, hasResult *bool,
) (page hospital.Paged[hospital.Appointment], err error) {
	f, order, err := orderedAppointments(in, terms)
	if err != nil {
		return page, err
	}
	var count func() (int64, error)
	counted := false
	switch {
	case hasResult == nil:
		count, counted = tx.queryCount(in)
	case *hasResult:
		f.add("a.result_count > 0")
	default:
		f.add("a.result_count = 0")
	}
	if !counted {
		row := tx.Get(`SELECT count(*) FROM appointments a `+f.where(), f.args...)
		count = func() (n int64, err error) { err = row.Scan(&n); return n, err }
	}
	rest := f.where() + " " + order + " " + f.page(in.Page)
	if !strings.Contains(order, "p.") && !strings.Contains(order, "s.") {
		// The ids are selected first, so that the records of the pages before are not read.
		rest = `WHERE a.id IN (SELECT a.id FROM appointments a ` + rest + `) ` + order
	}
	list, err := tx.appointmentsWhere(rest, f.args...)
	if err != nil {
		return page, err
	}
	total, err := count()
	return hospital.NewPaged(in.Page, list, total), err
}

// orderedAppointments returns the conditions and the order of a list.
func orderedAppointments(in hospital.AppointmentFilter, terms searchTerms) (f filter, order string, err error) {
	f = appointmentFilter(in)
	f.foundVisits(terms)
	order, err = f.order(in.Page, appointmentSorts, "a.id", "date", "turn")
	return f, order, err
}

// AppointmentsIn returns all appointments of a filter, by date and time. The search text is ignored.
func (db *DB) AppointmentsIn(
	ctx context.Context, in hospital.AppointmentFilter,
) (list []hospital.Appointment, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		list, err = tx.appointmentsIn(in)
		return err
	})
	return list, err
}

func (tx *Tx) appointmentsIn(in hospital.AppointmentFilter) ([]hospital.Appointment, error) {
	f := appointmentFilter(in)
	return tx.appointmentsWhere(f.where()+` ORDER BY a.date, a.start_time, a.id`, f.args...)
}

// EachAppointment calls fn for every appointment of a list in its order, without holding all of them in
// memory. The export is recorded in the audit log first.
func (db *DB) EachAppointment(
	ctx context.Context, in hospital.AppointmentFilter, format string, fn func(hospital.Appointment) error,
) error {
	if _, err := orderBy(in.Page, appointmentSorts, "a.id", "date"); err != nil {
		return err
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // the search text may be a personal number
	var failed error                                // error of fn, which MapError must not convert
	err := db.readSearch(ctx, in.Q, func(tx *Tx, terms searchTerms) error {
		f, order, err := orderedAppointments(in, terms)
		if err != nil {
			return err
		}
		v := tx.viewer()
		return tx.Stream(func(scan sqldb.Scan) error {
			a, err := v.scan(scan)
			if err != nil {
				return err
			}
			failed = fn(a)
			return failed
		}, appointmentSelect+f.where()+" "+order, f.args...)
	}, hospital.AuditEntry{
		Action: "appointment.export", Entity: "appointment", Subject: format, Changes: diff(nil, criteria),
	})
	if failed != nil {
		return failed
	}
	return err
}

// SearchAppointments finds appointments by their number, or by their patient like SearchPatients. The number
// comes first, then for each patient the upcoming appointments before the past ones.
func (db *DB) SearchAppointments(ctx context.Context, q string, limit int) (list []hospital.Appointment, err error) {
	err = db.searchText(ctx, q, func(tx *Tx) (err error) {
		list, err = tx.searchAppointments(q, limit)
		return err
	})
	return list, err
}

func (tx *Tx) searchAppointments(q string, limit int) (list []hospital.Appointment, err error) {
	list = []hospital.Appointment{}
	for _, text := range hospital.SearchTexts(q) {
		number := numberKey(text)
		if len(list) > 0 || len(number) < 3 {
			continue
		}
		list, err = tx.appointmentsWhere(fmt.Sprintf(`WHERE a.number >= $1 AND a.number < $2 AND a.deleted_at IS NULL
			ORDER BY a.number LIMIT %d`, limit), number, after(number))
		if err != nil {
			return nil, err
		}
	}
	patients, err := tx.searchPatients(q, limit)
	if err != nil || len(patients) == 0 || len(list) >= limit {
		return list, err
	}
	rank := map[int64]int{}
	ids := make([]int64, len(patients))
	for i, p := range patients {
		ids[i], rank[p.ID] = p.ID, i
	}
	today := tx.LocalNow().Date
	var f filter
	f.in("a.patient_id", numbers(ids))
	f.add("a.deleted_at IS NULL")
	found, err := tx.appointmentsWhere(f.where(), f.args...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b hospital.Appointment) int {
		if d := rank[a.PatientID] - rank[b.PatientID]; d != 0 {
			return d
		}
		past, pastB := a.Date < today, b.Date < today
		switch {
		case past != pastB && past:
			return 1
		case past != pastB:
			return -1
		case past:
			return strings.Compare(b.Date+b.StartTime, a.Date+a.StartTime)
		default:
			return strings.Compare(a.Date+a.StartTime, b.Date+b.StartTime)
		}
	})
	for _, a := range found {
		if len(list) < limit && !slices.ContainsFunc(list, func(o hospital.Appointment) bool { return o.ID == a.ID }) {
			list = append(list, a)
		}
	}
	return list, nil
}

// Waitlist returns the appointments that wait for a seat in a slot: urgent ones first, then in the order in
// which they were created.
func (db *DB) Waitlist(
	ctx context.Context, serviceID int64, date, start string,
) (list []hospital.Appointment, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		list, err = tx.appointmentsWhere(`WHERE a.service_id = $1 AND a.date = $2 AND a.start_time = $3
			AND `+oneOf("a.status", hospital.Waitlisted)+` AND a.deleted_at IS NULL
			ORDER BY CASE a.priority WHEN 'URGENT' THEN 0 ELSE 1 END, a.created_at, a.id`, serviceID, date, start)
		return err
	})
	return list, err
}

// DayLoad is the load of a day.
type DayLoad struct {
	Date     string                             `json:"date"`
	Closed   bool                               `json:"closed" doc:"Closed for all of the services"`
	Reason   string                             `json:"reason"`
	Capacity int                                `json:"capacity"`
	Booked   int                                `json:"booked"`
	ByStatus map[hospital.AppointmentStatus]int `json:"byStatus"`
	Services []ServiceLoad                      `json:"services"`
}

// ServiceLoad is the load of a service on a day.
type ServiceLoad struct {
	ServiceID int64 `json:"serviceId"`
	Capacity  int   `json:"capacity"`
	Booked    int   `json:"booked"`
}

// Calendar returns the load of each day of a period, of some services or all, with the number of appointments
// by status, of some statuses or all.
func (db *DB) Calendar(
	ctx context.Context, from, to string, serviceIDs []int64, statuses []hospital.AppointmentStatus,
) (days []DayLoad, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		servicesNow := tx.queryServices(true)
		closuresNow := tx.queryClosures(from, to)
		countsNow := tx.queryDayCounts(from, to, serviceIDs)
		changed, err := tx.changedSlots(from, to)
		if err != nil {
			return err
		}
		services, err := servicesNow()
		if err != nil {
			return err
		}
		closures, err := closuresNow()
		if err != nil {
			return err
		}
		counts, err := countsNow()
		if err != nil {
			return err
		}
		if len(serviceIDs) > 0 {
			services = slices.DeleteFunc(services, func(s hospital.Service) bool {
				return !slices.Contains(serviceIDs, s.ID)
			})
		}
		booked := make(map[serviceDay]int, len(counts)*len(services))
		for _, c := range counts {
			for service, seats := range c.seats {
				booked[serviceDay{c.date, service}] = seats
			}
		}
		days = loads(hospital.DatesBetween(from, to), services, closures, changed, booked)
		for _, c := range counts {
			byStatus := days[hospital.DaysBetween(from, c.date)].ByStatus
			for i, status := range hospital.AppointmentStatuses {
				if c.byStatus[i] > 0 && (len(statuses) == 0 || slices.Contains(statuses, status)) {
					byStatus[status] = c.byStatus[i]
				}
			}
		}
		return nil
	})
	return days, err
}

// loads returns the load of each date: the capacity of the services and the seats that are booked.
func loads(
	dates []string, services []hospital.Service, closures []hospital.Closure, changed []hospital.SlotRow,
	booked map[serviceDay]int,
) []DayLoad {
	overrides := make(map[serviceDay][]hospital.SlotRow, len(changed))
	for _, r := range changed {
		day := serviceDay{r.Date, r.ServiceID}
		overrides[day] = append(overrides[day], r)
	}
	days := make([]DayLoad, len(dates))
	for i, date := range dates {
		d := DayLoad{
			Date: date, Closed: len(services) > 0,
			ByStatus: map[hospital.AppointmentStatus]int{}, Services: make([]ServiceLoad, 0, len(services)),
		}
		on := slices.DeleteFunc(slices.Clone(closures), func(c hospital.Closure) bool {
			return date < c.DateFrom || c.DateTo < date
		})
		for _, s := range services {
			day := serviceDay{date, s.ID}
			load := ServiceLoad{
				ServiceID: s.ID, Booked: booked[day], Capacity: s.Capacity(date, on, overrides[day]),
			}
			if load.Booked > 0 || load.Capacity > 0 {
				d.Services = append(d.Services, load)
			}
			d.Capacity += load.Capacity
			d.Booked += load.Booked
			closed, reason := s.ClosedOn(date, on)
			d.Closed = d.Closed && closed
			if d.Reason == "" {
				d.Reason = reason
			}
		}
		if !d.Closed { // only the closures of all services are shown
			d.Reason = ""
			for _, c := range on {
				if len(c.ServiceIDs) == 0 {
					d.Reason = c.Reason
				}
			}
		}
		days[i] = d
	}
	return days
}

// StaffWithRole returns the active users of a role, by its code, and their appointments in a period.
func (db *DB) StaffWithRole(
	ctx context.Context, role, from, to string,
) (staff []hospital.StaffRef, list []hospital.Appointment, err error) {
	const active = `FROM users u JOIN roles r ON r.id = u.role_id
		WHERE r.name = %s AND u.status = 'ACTIVE' AND u.deleted_at IS NULL`
	err = db.Read(ctx, func(tx *Tx) (err error) {
		rows := tx.All(`SELECT u.id, u.name `+fmt.Sprintf(active, "$1")+` ORDER BY u.name_key, u.id`, role)
		f := appointmentFilter(hospital.AppointmentFilter{DateFrom: from, DateTo: to})
		f.add(`a.staff_id IN (SELECT u.id `+active+`)`, role)
		list, err = tx.appointmentsWhere(f.where()+` ORDER BY a.date, a.start_time, a.id`, f.args...)
		if err != nil {
			return err
		}
		staff, err = sqldb.Collect(rows, func(scan sqldb.Scan) (s hospital.StaffRef, err error) {
			err = scan(&s.ID, &s.Name)
			return s, err
		})
		return err
	})
	return staff, list, err
}
