package store

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"nadmor/internal/hospital"
)

// serviceDay is a service on a day: what one row of day_totals counts.
type serviceDay struct {
	date      string
	serviceID int64
}

// DayTotals are how many appointments a service has on a day, by status.
type DayTotals struct {
	Date      string
	ServiceID int64
	ByStatus  map[hospital.AppointmentStatus]int
}

// Seats are how many of them hold a seat.
func (t DayTotals) Seats() (n int) {
	for status, count := range t.ByStatus {
		if status.HoldsSeat() {
			n += count
		}
	}
	return n
}

// totalColumn is the column that counts a status.
func totalColumn(s hospital.AppointmentStatus) string { return strings.ToLower(string(s)) }

// sumOf returns an SQL expression for the sum of the totals of some statuses.
func sumOf(statuses ...hospital.AppointmentStatus) string {
	columns := make([]string, len(statuses))
	for i, s := range statuses {
		columns[i] = totalColumn(s)
	}
	return "sum(" + strings.Join(columns, " + ") + ")"
}

// count adds n appointments of a status to a day. It is written down before the
// commit, when all that a transaction changes of a day has been added up.
func (tx *Tx) count(serviceID int64, date string, status hospital.AppointmentStatus, n int) {
	if tx.totals == nil {
		tx.totals = map[serviceDay]map[hospital.AppointmentStatus]int{}
	}
	day := serviceDay{date, serviceID}
	if tx.totals[day] == nil {
		tx.totals[day] = map[hospital.AppointmentStatus]int{}
	}
	tx.totals[day][status] += n
}

// writeTotals writes down what was counted. The rows are taken in one order, and
// shortly before the commit, so nobody waits long and no two for each other.
func (tx *Tx) writeTotals() error {
	days := make([]serviceDay, 0, len(tx.totals))
	for day := range tx.totals {
		days = append(days, day)
	}
	slices.SortFunc(days, func(a, b serviceDay) int {
		return cmp.Or(cmp.Compare(a.date, b.date), cmp.Compare(a.serviceID, b.serviceID))
	})
	for _, day := range days {
		if err := tx.writeTotal(day, tx.totals[day]); err != nil {
			return err
		}
	}
	if tx.patients != 0 {
		return tx.later("total of patients", `UPDATE patient_total SET n = n + $1`, tx.patients)
	}
	return nil
}

func (tx *Tx) writeTotal(day serviceDay, counts map[hospital.AppointmentStatus]int) error {
	args, counted, less := []any{day.date, day.serviceID}, uint16(0), false
	for i, status := range hospital.AppointmentStatuses {
		if n := counts[status]; n != 0 {
			args, counted, less = append(args, n), counted|1<<i, less || n < 0
		}
	}
	if counted == 0 {
		return nil
	}
	return tx.laterOne(fmt.Sprintf("total of service %d on %s", day.serviceID, day.date), totalText(counted, less), args...)
}

// totalText is the statement that adds to the totals of some statuses (bits in
// their order): the first of a day has no row yet, but nothing is less then.
func totalText(counted uint16, less bool) string {
	type which struct {
		counted uint16
		less    bool
	}
	if text, ok := totalTexts.Load(which{counted, less}); ok {
		return text.(string)
	}
	var columns, marks, sets []string
	for i, status := range hospital.AppointmentStatuses {
		if counted&(1<<i) != 0 {
			column, mark := totalColumn(status), fmt.Sprintf("$%d", len(marks)+3)
			columns, marks, sets = append(columns, column), append(marks, mark), append(sets, fmt.Sprintf("%s = day_totals.%s + %s", column, column, mark))
		}
	}
	text := `UPDATE day_totals SET ` + strings.Join(sets, ", ") + ` WHERE date = $1 AND service_id = $2`
	if !less {
		text = `INSERT INTO day_totals (date, service_id, ` + strings.Join(columns, ", ") + `) VALUES ($1, $2, ` + strings.Join(marks, ", ") + `)
			ON CONFLICT (date, service_id) DO UPDATE SET ` + strings.Join(sets, ", ")
	}
	totalTexts.Store(which{counted, less}, text)
	return text
}

var totalTexts sync.Map

// totalsIn are the totals of a period, of some services or all, by date.
func totalsIn(ctx context.Context, q querier, from, to string, serviceIDs []int64) ([]DayTotals, error) {
	f := totalFilter(from, to, serviceIDs)
	columns := make([]string, len(hospital.AppointmentStatuses))
	for i, status := range hospital.AppointmentStatuses {
		columns[i] = totalColumn(status)
	}
	// Primary key.
	rows, err := q.QueryContext(ctx, `SELECT date, service_id, `+strings.Join(columns, ", ")+` FROM day_totals `+f.where()+` ORDER BY date, service_id`, f.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err below tells what matters
	list := []DayTotals{}
	counts := make([]int, len(columns))
	for rows.Next() {
		t := DayTotals{ByStatus: make(map[hospital.AppointmentStatus]int, 4)}
		into := []any{&t.Date, &t.ServiceID}
		for i := range counts {
			into = append(into, &counts[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, status := range hospital.AppointmentStatuses {
			if counts[i] > 0 {
				t.ByStatus[status] = counts[i]
			}
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// totalFilter asks for the totals of a period; an empty date is no bound.
func totalFilter(from, to string, serviceIDs []int64) (f filter) {
	if from != "" {
		f.add("date >= %s", from)
	}
	if to != "" {
		f.add("date <= %s", to)
	}
	if len(serviceIDs) > 0 {
		f.in("service_id", numbers(serviceIDs))
	}
	return f
}

// countIn counts appointments by the totals of their days. ok is false where
// more is asked for than totals tell.
func countIn(ctx context.Context, q querier, in hospital.AppointmentFilter) (n int64, ok bool, err error) {
	in = in.Spelled()
	told := hospital.AppointmentFilter{Page: in.Page, DateFrom: in.DateFrom, DateTo: in.DateTo, ServiceIDs: in.ServiceIDs, Statuses: in.Statuses}
	if !reflect.DeepEqual(in, told) {
		return 0, false, nil
	}
	statuses := in.Statuses
	if len(statuses) == 0 {
		statuses = hospital.AppointmentStatuses
	}
	statuses = slices.Compact(slices.Sorted(slices.Values(statuses)))
	f := totalFilter(in.DateFrom, in.DateTo, in.ServiceIDs)
	query := `SELECT coalesce(` + sumOf(statuses...) + `, 0) FROM day_totals ` + f.where()
	err = q.QueryRowContext(ctx, query, f.args...).Scan(&n)
	return n, true, err
}

// TotalFault is a count of a day that is not the number of its appointments.
type TotalFault struct {
	ServiceID int64
	Date      string
	Status    hospital.AppointmentStatus
	Counted   int
	There     int
}

// VerifyPatientTotal compares how many patients are counted with how many there
// are.
func (db *DB) VerifyPatientTotal(ctx context.Context) (counted, there int, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT (SELECT sum(n) FROM patient_total), (SELECT count(*) FROM patients WHERE deleted_at IS NULL)`).Scan(&counted, &there)
	return counted, there, mapError(err)
}

// VerifyTotals compares the totals of every day with its appointments, which it
// reads once: index appointments_service.
func (db *DB) VerifyTotals(ctx context.Context) ([]TotalFault, error) {
	var counted, there, sums, wrong []string
	for i, status := range hospital.AppointmentStatuses {
		counted = append(counted, fmt.Sprintf(`%s AS c%d, 0 AS t%d`, totalColumn(status), i, i))
		there = append(there, fmt.Sprintf(`0, count(*) FILTER (WHERE status = '%s')`, status))
		sums = append(sums, fmt.Sprintf(`sum(c%d), sum(t%d)`, i, i))
		wrong = append(wrong, fmt.Sprintf(`sum(c%d) <> sum(t%d)`, i, i))
	}
	rows, err := db.read.QueryContext(ctx, `SELECT service_id, date, `+strings.Join(sums, ", ")+` FROM (
		SELECT service_id, date, `+strings.Join(counted, ", ")+` FROM day_totals
		UNION ALL SELECT service_id, date, `+strings.Join(there, ", ")+` FROM appointments WHERE deleted_at IS NULL GROUP BY service_id, date
		) AS pairs GROUP BY service_id, date HAVING `+strings.Join(wrong, " OR ")+` ORDER BY 1, 2`)
	type day struct {
		TotalFault
		counts [][2]int
	}
	days, err := scanAll(rows, err, func(d *day) []any {
		d.counts = make([][2]int, len(hospital.AppointmentStatuses))
		into := []any{&d.ServiceID, &d.Date}
		for i := range d.counts {
			into = append(into, &d.counts[i][0], &d.counts[i][1])
		}
		return into
	})
	var faults []TotalFault
	for _, d := range days {
		for i, n := range d.counts {
			if n[0] != n[1] {
				faults = append(faults, TotalFault{d.ServiceID, d.Date, hospital.AppointmentStatuses[i], n[0], n[1]})
			}
		}
	}
	return faults, mapError(err)
}
