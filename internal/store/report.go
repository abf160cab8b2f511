package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// reportServices returns the services of a report in the order of the hospital: some, or all. Deleted
// ones are last and inactive. It returns VALIDATION_FAILED for a service that never existed.
func (tx *Tx) reportServices(ids []int64) ([]hospital.Service, error) {
	existing := tx.queryServices(true)
	rows := tx.All(serviceSelect + `WHERE s.deleted_at IS NOT NULL ORDER BY s.sort, s.name_sort, s.id`)
	list, err := existing()
	if err != nil {
		return nil, err
	}
	deleted, err := sqldb.Collect(rows, scanService)
	if err != nil {
		return nil, err
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
			return nil, hospital.Reject(hospital.ValidationFailed).
				On(fmt.Sprintf("serviceIds[%d]", i), "ไม่พบบริการนี้", "There is no such service.")
		}
	}
	return slices.DeleteFunc(list, func(s hospital.Service) bool { return !slices.Contains(ids, s.ID) }), nil
}

// reportFilter selects the appointments of a report with some statuses.
func reportFilter(q hospital.ReportQuery, statuses []hospital.AppointmentStatus) filter {
	return appointmentFilter(hospital.AppointmentFilter{
		DateFrom: q.DateFrom, DateTo: q.DateTo, ServiceIDs: q.ServiceIDs, Statuses: statuses,
	})
}

// Utilization returns the load of the services in a period. It returns VALIDATION_FAILED for a service
// that never existed.
func (db *DB) Utilization(
	ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy,
) (r hospital.UtilizationReport, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		services, err := tx.reportServices(q.ServiceIDs)
		if err != nil {
			return err
		}
		closures := tx.queryClosures(q.DateFrom, q.DateTo)
		slots := tx.querySlots(slotFilter(q.DateFrom, q.DateTo, q.ServiceIDs...))
		closed, err := closures()
		if err != nil {
			return err
		}
		rows, err := slots()
		if err != nil {
			return err
		}
		r = hospital.Utilization(q, by, services, closed, rows)
		return nil
	})
	return r, err
}

// NoShows returns how many of the expected patients did not come. It returns VALIDATION_FAILED for a
// service that never existed.
func (db *DB) NoShows(
	ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy,
) (r hospital.NoShowReport, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		services, err := tx.reportServices(q.ServiceIDs)
		if err != nil {
			return err
		}
		count := tx.dueByDay
		if by == hospital.ByLeadTime {
			count = tx.dueByBooking
		}
		counts, err := count(q)
		if err != nil {
			return err
		}
		r = hospital.NoShows(q, by, services, counts)
		return nil
	})
	return r, err
}

// dueByDay counts appointments by service, day and status with the totals of the days.
func (tx *Tx) dueByDay(q hospital.ReportQuery) (counts []hospital.VisitCount, err error) {
	totals, err := tx.totalsIn(q.DateFrom, q.DateTo, q.ServiceIDs)
	for _, t := range totals {
		for status, n := range t.ByStatus {
			counts = append(counts, hospital.VisitCount{ServiceID: t.ServiceID, Date: t.Date, Status: status, Count: n})
		}
	}
	return counts, err
}

// dueByBooking counts the due appointments by day, date of booking and status: index
// appointments_by_date.
func (tx *Tx) dueByBooking(q hospital.ReportQuery) ([]hospital.VisitCount, error) {
	f := reportFilter(q, hospital.Due)
	rows := tx.All(`SELECT a.date, `+localTime("a.created_at")+` / 86400000, a.status, count(*)
		FROM appointments a `+f.where()+` GROUP BY 1, 2, 3`, f.args...)
	return sqldb.Collect(rows, func(scan sqldb.Scan) (c hospital.VisitCount, err error) {
		var booked int64
		err = scan(&c.Date, &booked, &c.Status, &c.Count)
		c.BookedOn = time.Unix(booked*86400, 0).UTC().Format(time.DateOnly)
		return c, err
	})
}

// WaitingTimes returns how long patients wait and how long visits take. The database counts
// appointments by seconds, and the percentiles are computed from the counts. It returns
// VALIDATION_FAILED for a service that never existed.
func (db *DB) WaitingTimes(
	ctx context.Context, q hospital.ReportQuery, by hospital.GroupBy,
) (r hospital.WaitingReport, err error) {
	checkedIn := localTime("a.checked_in_at")
	key := map[hospital.GroupBy]string{
		hospital.ByService:    `a.service_id`,
		hospital.ByMonth:      `substr(a.date, 1, 7)`,
		hospital.ByFiscalYear: `substr(a.date, 1, 7)`,
		hospital.ByWeekday:    `(` + checkedIn + ` / 86400000 + 4) % 7`, // 1970-01-01 was a Thursday
		hospital.ByHour:       checkedIn + ` / 3600000 % 24`,
	}[by]
	if key == "" {
		return r, fmt.Errorf("waiting times by %q", by)
	}
	scanCount := func(scan sqldb.Scan) (c hospital.TimeCount, err error) {
		err = scan(&c.Key, &c.Seconds, &c.Count)
		if by == hospital.ByHour && len(c.Key) == 1 {
			c.Key = "0" + c.Key
		}
		return c, err
	}
	err = db.Read(ctx, func(tx *Tx) error {
		count := func(from, to string, statuses ...hospital.AppointmentStatus) sqldb.Rows {
			f := reportFilter(q, statuses)
			f.add("a.checked_in_at IS NOT NULL")
			f.add(to + " >= " + from)
			return tx.All(`SELECT CAST(`+key+` AS TEXT), (`+to+` - `+from+`) / 1000, count(*)
				FROM appointments a `+f.where()+` GROUP BY 1, 2`, f.args...)
		}
		services, err := tx.reportServices(q.ServiceIDs)
		if err != nil {
			return err
		}
		waitCounts := count("a.checked_in_at", "a.started_at", hospital.Arrived...)
		visitCounts := count("a.started_at", "a.completed_at", hospital.Completed)
		waits, err := sqldb.Collect(waitCounts, scanCount)
		if err != nil {
			return err
		}
		visits, err := sqldb.Collect(visitCounts, scanCount)
		if err != nil {
			return err
		}
		r = hospital.WaitingTimes(q, by, services, waits, visits)
		return nil
	})
	return r, err
}

// Workload returns the appointments of each member of staff. It returns VALIDATION_FAILED for a service
// that never existed.
func (db *DB) Workload(ctx context.Context, q hospital.ReportQuery) (r hospital.WorkloadReport, err error) {
	came, completed := oneOf("a.status", hospital.Arrived...), oneOf("a.status", hospital.Completed)
	counts := `count(*), count(*) FILTER (WHERE ` + came + `), count(*) FILTER (WHERE ` + completed + `),
		count(*) FILTER (WHERE ` + oneOf("a.status", hospital.NoShow) + `),
		count(DISTINCT a.patient_id) FILTER (WHERE ` + came + `),
		CAST(coalesce(sum(a.completed_at - a.started_at)
			FILTER (WHERE ` + completed + ` AND a.completed_at >= a.started_at), 0) AS BIGINT),
		count(DISTINCT a.date) FILTER (WHERE ` + came + `) FROM appointments a `
	scanLoad := func(scan sqldb.Scan) (id int64, l hospital.StaffLoad, err error) {
		var ms int64
		err = scan(&id, &l.Assigned, &l.Came, &l.Completed, &l.NoShow, &l.Patients, &ms, &l.WorkingDays)
		l.VisitSeconds = int(ms / 1000)
		return id, l, err
	}
	f := reportFilter(q, hospital.HoldingSeat)
	err = db.Read(ctx, func(tx *Tx) error {
		if _, err := tx.reportServices(q.ServiceIDs); err != nil {
			return err
		}
		sum := tx.Get(`SELECT 0, `+counts+f.where(), f.args...)
		byStaff := tx.All(`SELECT coalesce(a.staff_id, 0), `+counts+f.where()+` GROUP BY 1`, f.args...)
		users := tx.All(`SELECT id, name FROM users ORDER BY name_key, id`) // deleted ones too
		_, total, err := scanLoad(sum.Scan)
		if err != nil {
			return err
		}
		loads := map[int64]hospital.StaffLoad{}
		err = byStaff.Each(func(scan sqldb.Scan) error {
			id, load, err := scanLoad(scan)
			loads[id] = load
			return err
		})
		if err != nil {
			return err
		}
		staff, err := sqldb.Collect(users, func(scan sqldb.Scan) (s hospital.StaffRef, err error) {
			err = scan(&s.ID, &s.Name)
			return s, err
		})
		if err != nil {
			return err
		}
		r = hospital.Workload(q, staff, loads, total)
		return nil
	})
	return r, err
}

// NoteReport records in the audit log that a report was exported as a file.
func (db *DB) NoteReport(
	ctx context.Context, report string, q hospital.ReportQuery, by hospital.GroupBy, format string,
) error {
	changes := diff(nil, q)
	changes["groupBy"] = hospital.Change{After: by}
	return db.Note(ctx, hospital.AuditEntry{
		Action: "report.export", Entity: "report", EntityID: report, Subject: format, Changes: changes,
	})
}

// localTime returns an SQL expression that shifts a column of milliseconds since the epoch to
// the hospital's local time. It works on both engines.
func localTime(column string) string {
	_, offset := time.Time{}.In(hospital.Bangkok).Zone()
	return fmt.Sprintf("(%s + %d)", column, offset*1000)
}
