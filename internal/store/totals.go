package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// serviceDay is the key of day_totals.
type serviceDay struct {
	date      string
	serviceID int64
}

// DayTotals are the numbers of appointments of a service on a day by status.
type DayTotals struct {
	Date      string
	ServiceID int64
	ByStatus  map[hospital.AppointmentStatus]int
}

// Seats returns how many of them hold a seat.
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

// count adds n appointments of a status to a day. The sums of a transaction are written before its
// commit, see writeTotals.
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

// writeTotals writes the sums of count. It locks the rows in the order of their key and shortly before
// the commit, so that transactions wait only briefly and never for each other.
func (tx *Tx) writeTotals() {
	days := slices.SortedFunc(maps.Keys(tx.totals), func(a, b serviceDay) int {
		return cmp.Or(cmp.Compare(a.date, b.date), cmp.Compare(a.serviceID, b.serviceID))
	})
	var increases [][]any
	for _, day := range days {
		row := []any{day.date, day.serviceID}
		lowest, highest := 0, 0
		for _, status := range hospital.AppointmentStatuses {
			n := tx.totals[day][status]
			row = append(row, n)
			lowest, highest = min(lowest, n), max(highest, n)
		}
		switch {
		case lowest < 0: // the row must exist
			tx.insertRows(totalsInsert, increases, totalsAdd)
			increases = nil
			tx.ExecOne(totalsUpdate, row...)
		case highest > 0: // the first appointment of a day inserts the row
			increases = append(increases, row)
		}
	}
	tx.insertRows(totalsInsert, increases, totalsAdd)
	if tx.patients != 0 {
		tx.Exec(`UPDATE patient_total SET n = n + $1`, tx.patients)
	}
}

// totalColumns are the columns of the statuses, in the order of hospital.AppointmentStatuses.
var totalColumns = func() (columns []string) {
	for _, s := range hospital.AppointmentStatuses {
		columns = append(columns, totalColumn(s))
	}
	return columns
}()

var (
	totalsInsert = `INSERT INTO day_totals (date, service_id, ` + strings.Join(totalColumns, ", ") + `) VALUES `
	totalsAdd    = ` ON CONFLICT (date, service_id) DO UPDATE SET ` + setTotals(func(column string, _ int) string {
		return "excluded." + column
	})
	totalsUpdate = `UPDATE day_totals SET ` + setTotals(func(_ string, i int) string {
		return fmt.Sprintf("$%d", i+3)
	}) + ` WHERE date = $1 AND service_id = $2`
)

// setTotals returns assignments that add to every column what added returns for it and its index.
func setTotals(added func(column string, i int) string) string {
	sets := make([]string, len(totalColumns))
	for i, column := range totalColumns {
		sets[i] = column + " = day_totals." + column + " + " + added(column, i)
	}
	return strings.Join(sets, ", ")
}

// queryTotals queries the totals of a period, of some services or all, by date and service. The
// function it returns reads them.
func (tx *Tx) queryTotals(from, to string, serviceIDs []int64) func() ([]DayTotals, error) {
	f := totalFilter(from, to, serviceIDs)
	// Primary key.
	rows := tx.All(`SELECT date, service_id, `+strings.Join(totalColumns, ", ")+` FROM day_totals `+f.where()+`
		ORDER BY date, service_id`, f.args...)
	return func() ([]DayTotals, error) { return sqldb.Collect(rows, scanTotals) }
}

func scanTotals(scan sqldb.Scan) (DayTotals, error) {
	t := DayTotals{ByStatus: make(map[hospital.AppointmentStatus]int, 4)}
	counts := make([]int, len(hospital.AppointmentStatuses))
	dest := []any{&t.Date, &t.ServiceID}
	for i := range counts {
		dest = append(dest, &counts[i])
	}
	err := scan(dest...)
	for i, status := range hospital.AppointmentStatuses {
		if counts[i] > 0 {
			t.ByStatus[status] = counts[i]
		}
	}
	return t, err
}

// dayCounts are the numbers of all services on a day.
type dayCounts struct {
	date     string
	byStatus []int         // in the order of hospital.AppointmentStatuses
	seats    map[int64]int // held, by service
}

// queryDayCounts queries the totals of each day of a period, of some services or all. They come as one
// row per day, because a row costs more than its content. The function it returns reads them.
func (tx *Tx) queryDayCounts(from, to string, serviceIDs []int64) func() ([]dayCounts, error) {
	f := totalFilter(from, to, serviceIDs)
	var sums, seats []string
	for _, status := range hospital.AppointmentStatuses {
		sums = append(sums, sumOf(status))
		if status.HoldsSeat() {
			seats = append(seats, totalColumn(status))
		}
	}
	// Primary key.
	rows := tx.All(`SELECT date, CAST(`+tx.db.dialect.jsonObject+`(service_id, `+strings.Join(seats, " + ")+`) AS TEXT), `+
		strings.Join(sums, ", ")+` FROM day_totals `+f.where()+` GROUP BY date`, f.args...)
	return func() ([]dayCounts, error) { return sqldb.Collect(rows, scanDayCounts) }
}

func scanDayCounts(scan sqldb.Scan) (dayCounts, error) {
	d := dayCounts{byStatus: make([]int, len(hospital.AppointmentStatuses))}
	var seats string
	dest := []any{&d.date, &seats}
	for i := range d.byStatus {
		dest = append(dest, &d.byStatus[i])
	}
	if err := scan(dest...); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(seats), &d.seats)
}

// totalsIn returns the totals of a period, of some services or all, by date and service.
func (tx *Tx) totalsIn(from, to string, serviceIDs []int64) ([]DayTotals, error) {
	return tx.queryTotals(from, to, serviceIDs)()
}

// totalFilter selects the totals of a period; an empty date is no bound.
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

// queryCount counts appointments by the totals of their days. The function it returns reads the
// number. ok is false if the filter has conditions that the totals do not have.
func (tx *Tx) queryCount(in hospital.AppointmentFilter) (count func() (int64, error), ok bool) {
	in = in.ExpandGroup()
	supported := hospital.AppointmentFilter{
		Page: in.Page, DateFrom: in.DateFrom, DateTo: in.DateTo, ServiceIDs: in.ServiceIDs, Statuses: in.Statuses,
	}
	if !reflect.DeepEqual(in, supported) {
		return nil, false
	}
	statuses := in.Statuses
	if len(statuses) == 0 {
		statuses = hospital.AppointmentStatuses
	}
	statuses = slices.Compact(slices.Sorted(slices.Values(statuses)))
	f := totalFilter(in.DateFrom, in.DateTo, in.ServiceIDs)
	row := tx.Get(`SELECT coalesce(`+sumOf(statuses...)+`, 0) FROM day_totals `+f.where(), f.args...)
	return func() (n int64, err error) {
		err = row.Scan(&n)
		return n, err
	}, true
}

// TotalFault is a stored total of a day that differs from the number of its appointments.
type TotalFault struct {
	ServiceID int64
	Date      string
	Status    hospital.AppointmentStatus
	Counted   int
	Found     int
}

// VerifyPatientTotal returns the stored total of patients and their number, which should be equal.
func (db *DB) VerifyPatientTotal(ctx context.Context) (counted, found int, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		return tx.Get(`SELECT (SELECT sum(n) FROM patient_total),
			(SELECT count(*) FROM patients WHERE deleted_at IS NULL)`).Scan(&counted, &found)
	})
	return counted, found, err
}

// VerifyTotals compares the totals of every day with its appointments. It reads all appointments
// once: index appointments_service.
func (db *DB) VerifyTotals(ctx context.Context) (faults []TotalFault, err error) {
	var counted, found, sums, wrong []string
	for i, status := range hospital.AppointmentStatuses {
		counted = append(counted, fmt.Sprintf(`%s AS c%d, 0 AS t%d`, totalColumn(status), i, i))
		found = append(found, fmt.Sprintf(`0, count(*) FILTER (WHERE status = '%s')`, status))
		sums = append(sums, fmt.Sprintf(`sum(c%d), sum(t%d)`, i, i))
		wrong = append(wrong, fmt.Sprintf(`sum(c%d) <> sum(t%d)`, i, i))
	}
	query := `SELECT service_id, date, ` + strings.Join(sums, ", ") + ` FROM (
		SELECT service_id, date, ` + strings.Join(counted, ", ") + ` FROM day_totals
		UNION ALL SELECT service_id, date, ` + strings.Join(found, ", ") + ` FROM appointments
			WHERE deleted_at IS NULL GROUP BY service_id, date
		) AS pairs GROUP BY service_id, date HAVING ` + strings.Join(wrong, " OR ") + ` ORDER BY 1, 2`
	err = db.Read(ctx, func(tx *Tx) error {
		faults = nil
		return tx.All(query).Each(func(scan sqldb.Scan) error {
			day := make([]TotalFault, len(hospital.AppointmentStatuses))
			var f TotalFault
			dest := []any{&f.ServiceID, &f.Date}
			for i := range day {
				dest = append(dest, &day[i].Counted, &day[i].Found)
			}
			err := scan(dest...)
			for i, status := range hospital.AppointmentStatuses {
				if day[i].Counted != day[i].Found {
					faults = append(faults, TotalFault{f.ServiceID, f.Date, status, day[i].Counted, day[i].Found})
				}
			}
			return err
		})
	})
	return faults, err
}
