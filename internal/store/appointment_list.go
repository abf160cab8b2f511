package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
)

// "turn" puts those who are seen, did not come or cancelled behind everybody
// else: the order of a day that is under way.
var appointmentSorts = map[string]string{
	"date": "a.date, a.start_time", "turn": overLast + ", a.date, a.start_time",
	"number": "a.number", "patient": "p.first_sort", "service": "s.sort, s.name_sort, a.date, a.start_time",
	"status": "a.status, a.date, a.start_time", "createdAt": "a.created_at",
}

// overLast is 1 for finished visits. It contains no commas, because an order is split at them.
var overLast = func() string {
	last := make([]string, len(hospital.Over))
	for i, status := range hospital.Over {
		last[i] = "WHEN '" + string(status) + "' THEN 1"
	}
	return "CASE a.status " + strings.Join(last, " ") + " ELSE 0 END"
}()

// appointmentFilter turns a filter into conditions on appointments only, so that counting needs
// no other table. The search text is added by foundVisits.
func appointmentFilter(in hospital.AppointmentFilter) (f filter) {
	in = in.Spelled()
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
func (f *filter) foundVisits(q string, t searchTerms) {
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
	number := numberKey(q)
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

// numberKey is an appointment number as it is written, from what somebody types.
func numberKey(q string) string {
	return strings.ToUpper(strings.Join(strings.Fields(withoutWildCards(hospital.ArabicDigits(q))), ""))
}

// orderedAppointments are the conditions and the order of a list.
func (db *DB) orderedAppointments(ctx context.Context, in hospital.AppointmentFilter) (f filter, order string, err error) {
	terms, err := db.searchTerms(ctx, in.Q)
	if err != nil {
		return f, "", err
	}
	f = appointmentFilter(in)
	f.foundVisits(in.Q, terms)
	order, err = f.order(in.Page, appointmentSorts, "a.id", "date", "turn")
	return f, order, err
}

// ListAppointments returns a page of appointments: by default by date and time,
// behind those of the patients whose own number was typed.
func (db *DB) ListAppointments(ctx context.Context, in hospital.AppointmentFilter) (hospital.Paged[hospital.Appointment], error) {
	return db.listAppointments(ctx, in, nil)
}

// listAppointments returns a page of appointments; with hasResult only those
// with, or without, any result.
func (db *DB) listAppointments(ctx context.Context, in hospital.AppointmentFilter, hasResult *bool) (page hospital.Paged[hospital.Appointment], err error) {
	f, order, err := db.orderedAppointments(ctx, in)
	if err != nil {
		return page, err
	}
	total, counted := int64(0), false
	switch {
	case hasResult == nil:
		total, counted, err = countIn(ctx, db.read, in)
	case *hasResult:
		f.add("a.result_count > 0")
	default:
		f.add("a.result_count = 0")
	}
	if !counted {
		err = db.read.QueryRowContext(ctx, `SELECT count(*) FROM appointments a `+f.where(), f.args...).Scan(&total)
	}
	if err != nil {
		return page, mapError(err)
	}
	rest := f.where() + " " + order + " " + f.page(in.Page)
	if !strings.Contains(order, "p.") && !strings.Contains(order, "s.") {
		// First which ones, so that those of the pages before are not looked up.
		rest = `WHERE a.id IN (SELECT a.id FROM appointments a ` + rest + `) ` + order
	}
	list, err := db.appointmentsWhere(ctx, db.read, rest, f.args...)
	return hospital.Of(in.Page, list, total), mapError(err)
}

// AppointmentsIn returns all appointments of a filter, by date and time.
func (db *DB) AppointmentsIn(ctx context.Context, in hospital.AppointmentFilter) ([]hospital.Appointment, error) {
	f := appointmentFilter(in)
	list, err := db.appointmentsWhere(ctx, db.read, f.where()+` ORDER BY a.date, a.start_time, a.id`, f.args...)
	return list, mapError(err)
}

// EachAppointment calls fn for every appointment of the filtered list in its
// order, one at a time, so that an export takes no memory. The export is
// written down first.
func (db *DB) EachAppointment(ctx context.Context, in hospital.AppointmentFilter, format string, fn func(hospital.Appointment) error) error {
	f, order, err := db.orderedAppointments(ctx, in)
	if err != nil {
		return err
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // what was typed may be a person's number
	if err := db.Note(ctx, hospital.AuditEntry{Action: "appointment.export", Entity: "appointment", Subject: format, Changes: diff(nil, criteria)}); err != nil {
		return err
	}
	rows, err := db.read.QueryContext(ctx, appointmentSelect+f.where()+" "+order, f.args...)
	if err != nil {
		return mapError(err)
	}
	defer rows.Close() // Err below tells what matters
	caller := db.viewer(ctx)
	for rows.Next() {
		a, err := caller.scan(rows.Scan)
		if err != nil {
			return mapError(err)
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return mapError(rows.Err())
}

// SearchAppointments finds appointments by number, or by who they are for, as
// patients are found. Best first: the number itself, then of each patient the
// coming ones before the past ones.
func (db *DB) SearchAppointments(ctx context.Context, q string, limit int) ([]hospital.Appointment, error) {
	list := []hospital.Appointment{}
	if number := numberKey(q); len(number) >= 3 {
		found, err := db.appointmentsWhere(ctx, db.read, fmt.Sprintf(`WHERE a.number >= $1 AND a.number < $2 AND a.deleted_at IS NULL ORDER BY a.number LIMIT %d`, limit), number, after(number))
		if err != nil {
			return nil, mapError(err)
		}
		list = found
	}
	patients, err := db.SearchPatients(ctx, q, limit)
	if err != nil || len(patients) == 0 || len(list) >= limit {
		return list, err
	}
	rank := map[int64]int{}
	ids := make([]int64, len(patients))
	for i, p := range patients {
		ids[i], rank[p.ID] = p.ID, i
	}
	today := db.wall().Date
	var f filter
	f.in("a.patient_id", numbers(ids))
	f.add("a.deleted_at IS NULL")
	found, err := db.appointmentsWhere(ctx, db.read, f.where(), f.args...)
	if err != nil {
		return nil, mapError(err)
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

// Waitlist returns who waits for a seat in a slot: the urgent first, then in
// the order they came.
func (db *DB) Waitlist(ctx context.Context, serviceID int64, date, start string) ([]hospital.Appointment, error) {
	list, err := db.appointmentsWhere(ctx, db.read, `WHERE a.service_id = $1 AND a.date = $2 AND a.start_time = $3
		AND `+oneOf("a.status", hospital.Waitlisted)+` AND a.deleted_at IS NULL
		ORDER BY CASE a.priority WHEN 'URGENT' THEN 0 ELSE 1 END, a.created_at, a.id`, serviceID, date, start)
	return list, mapError(err)
}

// DayLoad is how full one day is.
type DayLoad struct {
	Date     string                             `json:"date"`
	Closed   bool                               `json:"closed" doc:"Closed for all of the services"`
	Reason   string                             `json:"reason"`
	Capacity int                                `json:"capacity"`
	Booked   int                                `json:"booked"`
	ByStatus map[hospital.AppointmentStatus]int `json:"byStatus"`
	Services []ServiceLoad                      `json:"services"`
}

// ServiceLoad is how full a service is on a day.
type ServiceLoad struct {
	ServiceID int64 `json:"serviceId"`
	Capacity  int   `json:"capacity"`
	Booked    int   `json:"booked"`
}

// Calendar tells the load of each day of a period, of some services or all, and
// counts the appointments by status, of some statuses or all.
func (db *DB) Calendar(ctx context.Context, from, to string, serviceIDs []int64, statuses []hospital.AppointmentStatus) ([]DayLoad, error) {
	services, err := db.ListServices(ctx, true)
	if err != nil {
		return nil, err
	}
	if len(serviceIDs) > 0 {
		services = slices.DeleteFunc(services, func(s hospital.Service) bool { return !slices.Contains(serviceIDs, s.ID) })
	}
	closures, err := closuresIn(ctx, db.read, from, to)
	if err != nil {
		return nil, mapError(err)
	}
	changed, err := changedSlots(ctx, db.read, from, to)
	if err != nil {
		return nil, mapError(err)
	}
	days, booked, err := db.countDays(ctx, from, to, serviceIDs)
	if err != nil {
		return nil, mapError(err)
	}
	list := loads(hospital.DatesBetween(from, to), services, closures, changed, booked)
	for _, d := range days {
		byStatus := list[hospital.DaysBetween(from, d.date)].ByStatus
		for i, status := range hospital.AppointmentStatuses {
			if d.counts[i] > 0 && (len(statuses) == 0 || slices.Contains(statuses, status)) {
				byStatus[status] = d.counts[i]
			}
		}
	}
	return list, nil
}

// dayCounts are how many appointments a day has, in the order of the statuses.
type dayCounts struct {
	date   string
	counts []int
}

// countDaysSQL adds up the totals of each day, and tells of each service how
// many seats are held: one row a day, since a row costs more than what it says.
var countDaysSQL = func() string {
	var sums, seats []string
	for _, status := range hospital.AppointmentStatuses {
		sums = append(sums, "sum("+totalColumn(status)+")")
		if status.HoldsSeat() {
			seats = append(seats, totalColumn(status))
		}
	}
	return `SELECT date, string_agg(CAST(service_id AS TEXT) || ':' || CAST(` + strings.Join(seats, " + ") + ` AS TEXT), ' '), ` + strings.Join(sums, ", ") + ` FROM day_totals `
}()

// countDays counts the appointments of each day by status, and the seats that
// are held of each service and day.
func (db *DB) countDays(ctx context.Context, from, to string, serviceIDs []int64) ([]dayCounts, map[serviceDay]int, error) {
	f := totalFilter(from, to, serviceIDs)
	// Primary key.
	rows, err := db.read.QueryContext(ctx, countDaysSQL+f.where()+` GROUP BY date`, f.args...)
	booked := map[serviceDay]int{}
	days, err := collect(rows, err, func(rows *sql.Rows) (dayCounts, error) {
		d := dayCounts{counts: make([]int, len(hospital.AppointmentStatuses))}
		var seats string
		into := []any{&d.date, &seats}
		for i := range d.counts {
			into = append(into, &d.counts[i])
		}
		if err := rows.Scan(into...); err != nil {
			return d, err
		}
		for of := range strings.SplitSeq(seats, " ") {
			service, n, _ := strings.Cut(of, ":")
			id, err1 := strconv.ParseInt(service, 10, 64)
			count, err2 := strconv.Atoi(n)
			if err := errors.Join(err1, err2); err != nil {
				return d, err
			}
			booked[serviceDay{d.date, id}] = count
		}
		return d, nil
	})
	return days, booked, err
}

// loads adds up what the services offer on each of the days, and who is booked.
func loads(dates []string, services []hospital.Service, closures []hospital.Closure, changed []hospital.SlotRow, booked map[serviceDay]int) []DayLoad {
	overrides := make(map[serviceDay][]hospital.SlotRow, len(changed))
	for _, r := range changed {
		day := serviceDay{r.Date, r.ServiceID}
		overrides[day] = append(overrides[day], r)
	}
	days := make([]DayLoad, len(dates))
	for i, date := range dates {
		d := DayLoad{Date: date, Closed: len(services) > 0, ByStatus: map[hospital.AppointmentStatus]int{}, Services: make([]ServiceLoad, 0, len(services))}
		on := slices.DeleteFunc(slices.Clone(closures), func(c hospital.Closure) bool { return date < c.DateFrom || c.DateTo < date })
		for _, s := range services {
			load := ServiceLoad{ServiceID: s.ID, Booked: booked[serviceDay{date, s.ID}], Capacity: s.Capacity(date, on, overrides[serviceDay{date, s.ID}])}
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
		if !d.Closed { // a closure of one service is not the day's
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

// StaffWithRole are the active users of a role, by its code, and the
// appointments assigned to them in a period.
func (db *DB) StaffWithRole(ctx context.Context, role, from, to string) ([]hospital.StaffRef, []hospital.Appointment, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT u.id, u.name FROM users u JOIN roles r ON r.id = u.role_id WHERE r.name = $1 AND u.status = 'ACTIVE' AND u.deleted_at IS NULL ORDER BY u.name_key, u.id`, role)
	staff, err := scanAll(rows, err, func(s *hospital.StaffRef) []any { return []any{&s.ID, &s.Name} })
	if err != nil || len(staff) == 0 {
		return staff, []hospital.Appointment{}, mapError(err)
	}
	ids := make([]int64, len(staff))
	for i, s := range staff {
		ids[i] = s.ID
	}
	f := appointmentFilter(hospital.AppointmentFilter{DateFrom: from, DateTo: to})
	f.in("a.staff_id", numbers(ids))
	list, err := db.appointmentsWhere(ctx, db.read, f.where()+` ORDER BY a.date, a.start_time, a.id`, f.args...)
	return staff, list, mapError(err)
}
