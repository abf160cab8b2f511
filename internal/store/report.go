package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"nadmor/internal/hospital"
)

// reportServices are the services of a report in the hospital's order: those
// asked for, or all; those that were deleted come last and take no bookings. One
// that never was is VALIDATION_FAILED.
func (db *DB) reportServices(ctx context.Context, ids []int64) ([]hospital.Service, error) {
	list, err := db.ListServices(ctx, true)
	if err != nil {
		return nil, err
	}
	rows, err := db.read.QueryContext(ctx, serviceSelect+`WHERE s.deleted_at IS NOT NULL ORDER BY s.sort, s.name_sort, s.id`)
	deleted, err := collect(rows, err, func(rows *sql.Rows) (hospital.Service, error) { return scanService(rows.Scan) })
	if err != nil {
		return nil, mapError(err)
	}
	for _, s := range deleted {
		s.Active = false
		list = append(list, s)
	}
	if len(ids) == 0 {
		return list, nil
	}
	for i, id := range ids {
		if !slices.ContainsFunc(list, func(s hospital.Service) bool { return s.ID == id }) {
			return nil, hospital.Refuse(hospital.ValidationFailed).On(fmt.Sprintf("serviceIds[%d]", i), "ไม่พบบริการนี้", "There is no such service.")
		}
	}
	return slices.DeleteFunc(list, func(s hospital.Service) bool { return !slices.Contains(ids, s.ID) }), nil
}

// reportFilter selects the appointments of a report with some statuses.
func reportFilter(q hospital.ReportQuery, statuses []hospital.AppointmentStatus) filter {
	return appointmentFilter(hospital.AppointmentFilter{DateFrom: q.DateFrom, DateTo: q.DateTo, ServiceIDs: q.ServiceIDs, Statuses: statuses})
}

// Utilization tells how full the services are: three statements and the
// arithmetic of slots, however long the period. Refused: services that never
// were.
func (db *DB) Utilization(ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy) (r hospital.UtilizationReport, err error) {
	services, err := db.reportServices(ctx, q.ServiceIDs)
	if err != nil {
		return r, err
	}
	closures, err := closuresIn(ctx, db.read, q.DateFrom, q.DateTo)
	if err != nil {
		return r, mapError(err)
	}
	slots, err := slotRows(ctx, db.read, q.DateFrom, q.DateTo, q.ServiceIDs...)
	if err != nil {
		return r, mapError(err)
	}
	return hospital.Utilization(q, by, services, closures, slots), nil
}

// NoShows tells how many of those who were due did not come. Refused: services
// that never were.
func (db *DB) NoShows(ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy) (r hospital.NoShowReport, err error) {
	services, err := db.reportServices(ctx, q.ServiceIDs)
	if err != nil {
		return r, err
	}
	counts, err := db.dueIn(ctx, q, by == hospital.ByLeadTime)
	if err != nil {
		return r, mapError(err)
	}
	return hospital.NoShows(q, by, services, counts), nil
}

// dueIn counts who was due: the totals of the days tell it, but not when people
// booked.
func (db *DB) dueIn(ctx context.Context, q hospital.ReportQuery, byBooking bool) (counts []hospital.VisitCount, err error) {
	if !byBooking {
		totals, err := totalsIn(ctx, db.read, q.DateFrom, q.DateTo, q.ServiceIDs)
		for _, t := range totals {
			for status, n := range t.ByStatus {
				counts = append(counts, hospital.VisitCount{ServiceID: t.ServiceID, Date: t.Date, Status: status, Count: n})
			}
		}
		return counts, err
	}
	f := reportFilter(q, hospital.Due)
	// Index appointments_by_date.
	rows, err := db.read.QueryContext(ctx, `SELECT a.date, `+localTime("a.created_at")+` / 86400000, a.status, count(*)
		FROM appointments a `+f.where()+` GROUP BY 1, 2, 3`, f.args...)
	return collect(rows, err, func(rows *sql.Rows) (c hospital.VisitCount, err error) {
		var booked int64
		err = rows.Scan(&c.Date, &booked, &c.Status, &c.Count)
		c.BookedOn = time.Unix(booked*86400, 0).UTC().Format(time.DateOnly)
		return c, err
	})
}

// WaitingTimes tells how long people wait and are seen: the database counts the
// seconds, the percentiles are found in the counts. Refused: services that never
// were.
func (db *DB) WaitingTimes(ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy) (r hospital.WaitingReport, err error) {
	services, err := db.reportServices(ctx, q.ServiceIDs)
	if err != nil {
		return r, err
	}
	came := localTime("a.checked_in_at")
	key := map[hospital.GroupBy]string{
		hospital.ByService:    `a.service_id`,
		hospital.ByMonth:      `substr(a.date, 1, 7)`,
		hospital.ByFiscalYear: `substr(a.date, 1, 7)`,
		hospital.ByWeekday:    `(` + came + ` / 86400000 + 4) % 7`, // the first day of all was a Thursday
		hospital.ByHour:       came + ` / 3600000 % 24`,
	}[by]
	if key == "" {
		return r, fmt.Errorf("waiting times by %q", by)
	}
	count := func(from, to string, statuses []hospital.AppointmentStatus) ([]hospital.TimeCount, error) {
		f := reportFilter(q, statuses)
		f.add("a.checked_in_at IS NOT NULL")
		f.add(to + " >= " + from)
		seconds := `(` + to + ` - ` + from + `) / 1000`
		rows, err := db.read.QueryContext(ctx, `SELECT CAST(`+key+` AS TEXT), `+seconds+`, count(*) FROM appointments a `+f.where()+` GROUP BY 1, 2`, f.args...)
		return collect(rows, err, func(rows *sql.Rows) (c hospital.TimeCount, err error) {
			err = rows.Scan(&c.Key, &c.Seconds, &c.Count)
			if by == hospital.ByHour && len(c.Key) == 1 {
				c.Key = "0" + c.Key
			}
			return c, err
		})
	}
	waits, err := count("a.checked_in_at", "a.started_at", hospital.Came)
	if err != nil {
		return r, mapError(err)
	}
	visits, err := count("a.started_at", "a.completed_at", []hospital.AppointmentStatus{hospital.Completed})
	if err != nil {
		return r, mapError(err)
	}
	return hospital.WaitingTimes(q, by, services, waits, visits), nil
}

// Workload tells what each member of staff had to do. Refused: services that
// never were.
func (db *DB) Workload(ctx context.Context, q hospital.ReportQuery) (r hospital.WorkloadReport, err error) {
	if _, err := db.reportServices(ctx, q.ServiceIDs); err != nil {
		return r, err
	}
	came, completed := oneOf("a.status", hospital.Came...), oneOf("a.status", hospital.Completed)
	counts := `count(*), count(*) FILTER (WHERE ` + came + `), count(*) FILTER (WHERE ` + completed + `),
		count(*) FILTER (WHERE ` + oneOf("a.status", hospital.NoShow) + `),
		count(DISTINCT a.patient_id) FILTER (WHERE ` + came + `),
		CAST(coalesce(sum(a.completed_at - a.started_at)
			FILTER (WHERE ` + completed + ` AND a.completed_at >= a.started_at), 0) AS BIGINT),
		count(DISTINCT a.date) FILTER (WHERE ` + came + `) FROM appointments a `
	scan := func(rows interface{ Scan(...any) error }) (id int64, l hospital.StaffLoad, err error) {
		var ms int64
		err = rows.Scan(&id, &l.Assigned, &l.Came, &l.Completed, &l.NoShow, &l.Patients, &ms, &l.WorkingDays)
		l.VisitSeconds = int(ms / 1000)
		return id, l, err
	}
	f := reportFilter(q, hospital.HoldingSeat)
	_, total, err := scan(db.read.QueryRowContext(ctx, `SELECT 0, `+counts+f.where(), f.args...))
	if err != nil {
		return r, mapError(err)
	}
	rows, err := db.read.QueryContext(ctx, `SELECT coalesce(a.staff_id, 0), `+counts+f.where()+` GROUP BY 1`, f.args...)
	loads := map[int64]hospital.StaffLoad{}
	_, err = collect(rows, err, func(rows *sql.Rows) (struct{}, error) {
		id, load, err := scan(rows)
		loads[id] = load
		return struct{}{}, err
	})
	if err != nil {
		return r, mapError(err)
	}
	rows, err = db.read.QueryContext(ctx, `SELECT id, name FROM users ORDER BY name_key, id`) // also those who left
	staff, err := scanAll(rows, err, func(s *hospital.StaffRef) []any { return []any{&s.ID, &s.Name} })
	if err != nil {
		return r, mapError(err)
	}
	return hospital.Workload(q, staff, loads, total), nil
}

// NoteReport writes down that a report was taken along as a file.
func (db *DB) NoteReport(ctx context.Context, report string, q hospital.ReportQuery, by hospital.GroupBy, format string) error {
	changes := diff(nil, q)
	changes["groupBy"] = hospital.Change{After: by}
	return db.Note(ctx, hospital.AuditEntry{Action: "report.export", Entity: "report", EntityID: report, Subject: format, Changes: changes})
}

// localTime returns an SQL expression that shifts a column of milliseconds since the epoch to
// the hospital's local time. It works on both engines.
func localTime(column string) string {
	_, offset := time.Time{}.In(hospital.Bangkok).Zone()
	return fmt.Sprintf("(%s + %d)", column, offset*1000)
}
