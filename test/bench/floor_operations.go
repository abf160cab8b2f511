package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

const floorVisit = `SELECT a.id, a.number, a.patient_id, a.service_id, a.date, a.start_time, a.end_time,
	a.staff_id, a.customer_id, a.kind, a.channel, a.priority, a.status, a.reason, a.note,
	a.overbooked, a.overbook_reason, a.series_id, a.follow_up_of_id, a.cancel_reason, a.queue_no, a.checked_in_at,
	a.started_at, a.completed_at, a.result_count,
	a.version, a.created_by, a.created_at, a.updated_at,
	p.hn, p.prename, p.first_name, p.last_name, p.birth_date, p.birth_precision, p.sex, p.phone, p.right_code,
	s.code, s.name AS service_name, s.color, u.name AS staff_name
	FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN services s ON s.id = a.service_id
	LEFT JOIN users u ON u.id = a.staff_id `

const floorPatient = `SELECT p.id, p.version, p.created_at, p.updated_at, p.last_visit, p.hn, p.id_type,
	p.id_card, p.passport_no, p.prename, p.first_name, p.last_name, p.first_name_en, p.last_name_en,
	p.birth_date, p.birth_precision, p.sex, p.blood_group, p.rh_factor, p.nationality, p.religion, p.marital_status,
	p.occupation, p.phone, p.phone2, p.email, p.line_user_id,
	p.addr_line, p.addr_moo, p.addr_subdistrict, p.addr_district, p.addr_province, p.addr_postal_code, p.right_code,
	p.right_card_no, p.right_hospital, p.right_expires,
	p.allergies, p.no_known_allergy, p.conditions, p.contact_name, p.contact_relation, p.contact_phone, p.consent_at,
	p.note FROM patients p `

var floorQueries = map[string]string{
	"page": floorVisit +
		`WHERE a.deleted_at IS NULL AND a.date >= $1 AND a.date <= $2 ORDER BY a.date, a.start_time, a.id LIMIT $3 OFFSET $4`,
	"total": `SELECT coalesce(sum(waitlisted + pending + booked + confirmed + checked_in + in_service + completed
		+ no_show + cancelled), 0) FROM day_totals WHERE date >= $1 AND date <= $2`,
	"totals": `SELECT date, service_id, waitlisted, pending, booked, confirmed, checked_in, in_service, completed,
		no_show, cancelled FROM day_totals WHERE date >= $1 AND date <= $2 ORDER BY date, service_id`,
	"services": `SELECT id, schedule FROM services WHERE deleted_at IS NULL ORDER BY sort, name_sort, id`,
	"closures": `SELECT date_from, date_to, service_ids FROM closures WHERE date_to >= $1 AND date_from <= $2
		ORDER BY date_from, start_time, id`,
	"changed": `SELECT service_id, date, start_time, capacity FROM slots WHERE date >= $1 AND date <= $2
		AND capacity IS NOT NULL`,
	"fragment": floorPatient +
		`WHERE p.id IN (SELECT rowid FROM patient_search WHERE doc LIKE $1 LIMIT 40) AND p.deleted_at IS NULL LIMIT 20`,
	"whole": floorPatient +
		`WHERE p.id IN (SELECT rowid FROM patient_search WHERE doc LIKE $1) AND p.deleted_at IS NULL
			ORDER BY p.first_name, p.last_name, p.id LIMIT 20`,
	"card":    floorPatient + `WHERE p.id_card <> '' AND p.id_card = $1 AND p.deleted_at IS NULL`,
	"patient": floorPatient + `WHERE p.id = $1 AND p.deleted_at IS NULL`,
	"counts": `SELECT count(*), count(*) FILTER (WHERE status IN ` + oneOf(hospital.Upcoming...) + ` AND date >= $2),
		count(*) FILTER (WHERE status IN ` + oneOf(hospital.NoShow) + `)
		FROM appointments WHERE patient_id = $1 AND deleted_at IS NULL`,
	"service": `SELECT schedule, slot_minutes FROM services WHERE id = $1 AND deleted_at IS NULL`,
	"who":     `SELECT p.hn, p.first_name, p.last_name FROM patients p WHERE p.id = $1 AND p.deleted_at IS NULL`,
	"other": `SELECT a.id FROM appointments a WHERE a.patient_id = $1 AND a.date = $2 AND a.deleted_at IS NULL
		AND a.start_time < $4 AND a.end_time > $3
		AND a.status IN ` + oneOf(hospital.HoldingSeat...) + ` ORDER BY a.id LIMIT 1`,
	"seat": `INSERT INTO slots (service_id, date, start_time, end_time, booked) VALUES ($1, $2, $3, $4, 1)
		ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + 1
		WHERE slots.booked < coalesce(slots.capacity, $5) RETURNING booked`,
	"insert": `INSERT INTO appointments (number, patient_id, service_id, date, start_time, end_time, kind, channel,
		priority, status, reason, note, overbook_reason, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'COUNTER', 'NORMAL', 'BOOKED', $8, '', '', $9, $9) RETURNING id`,
	"count": `INSERT INTO day_totals (date, service_id, booked) VALUES ($1, $2, 1)
		ON CONFLICT (date, service_id) DO UPDATE SET booked = day_totals.booked + 1`,
	"status": `SELECT service_id, date, status FROM appointments WHERE id = $1 AND deleted_at IS NULL`,
	"mark":   `UPDATE appointments SET status = $2, version = version + 1, updated_at = $3 WHERE id = $1`,
	"recount": `UPDATE day_totals SET booked = booked - CASE WHEN $3 = 'BOOKED' THEN 1 ELSE 0 END,
		checked_in = checked_in + CASE WHEN $4 = 'CHECKED_IN' THEN 1 ELSE 0 END
			- CASE WHEN $3 = 'CHECKED_IN' THEN 1 ELSE 0 END,
		in_service = in_service + CASE WHEN $4 = 'IN_SERVICE' THEN 1 ELSE 0 END
			- CASE WHEN $3 = 'IN_SERVICE' THEN 1 ELSE 0 END
		WHERE date = $1 AND service_id = $2`,
}

// oneOf returns a list of statuses for SQL IN.
func oneOf(statuses ...hospital.AppointmentStatus) string {
	quoted := make([]string, len(statuses))
	for i, s := range statuses {
		quoted[i] = "'" + string(s) + "'"
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

func read[T any](r *http.Request) (in T, err error) {
	err = json.NewDecoder(r.Body).Decode(&in)
	return in, err
}

func (f *floor) create(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	in, err := read[struct {
		PatientID, ServiceID          int64
		Date, StartTime, Kind, Reason string
	}](r)
	if err != nil {
		return nil, err
	}
	number := "F" + strconv.FormatInt(f.number.Add(1), 10)
	now := time.Now().UnixMilli()
	var id int64
	var schedule, hn, first, last string
	err = f.change(ctx, func(ctx context.Context, stmt func(string) prepared) error {
		var minutes, booked int
		if err := stmt("service").QueryRowContext(ctx, in.ServiceID).Scan(&schedule, &minutes); err != nil {
			return err
		}
		if err := stmt("who").QueryRowContext(ctx, in.PatientID).Scan(&hn, &first, &last); err != nil {
			return err
		}
		start, err := time.Parse("15:04", in.StartTime)
		if err != nil {
			return err
		}
		end := start.Add(time.Duration(minutes) * time.Minute).Format("15:04")
		var other int64
		if err := stmt("other").QueryRowContext(ctx, in.PatientID, in.Date, in.StartTime, end).Scan(&other); !errors.Is(err,
			sql.ErrNoRows) {
			return errors.Join(errors.New("booked twice"), err)
		}
		if err := stmt("seat").QueryRowContext(ctx, in.ServiceID, in.Date, in.StartTime,
			end, 1000).Scan(&booked); err != nil {
			return err
		}
		if err := stmt("insert").QueryRowContext(ctx, number, in.PatientID, in.ServiceID, in.Date, in.StartTime, end, in.Kind,
			in.Reason, now).Scan(&id); err != nil {
			return err
		}
		_, err = stmt("count").ExecContext(ctx, in.Date, in.ServiceID)
		return err
	})
	out = append(out, `{"success":true,"data":{"id":`...)
	out = strconv.AppendInt(out, id, 10)
	for _, field := range [][2]string{
		{"number", number}, {"date", in.Date}, {"startTime", in.StartTime}, {"status", "BOOKED"}, {"hn", hn},
		{"firstName", first}, {"lastName", last}, {"reason", in.Reason},
	} {
		out = append(append(append(append(out, `,"`...), field[0]...), `":`...), quoted(nil, []byte(field[1]))...)
	}
	return append(out, "}}"...), err
}

func (f *floor) markStatus(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	in, err := read[struct {
		ID     int64
		Status string
	}](r)
	if err != nil {
		return nil, err
	}
	err = f.change(ctx, func(ctx context.Context, stmt func(string) prepared) error {
		var service int64
		var date, before string
		if err := stmt("status").QueryRowContext(ctx, in.ID).Scan(&service, &date, &before); err != nil {
			return err
		}
		if _, err := stmt("mark").ExecContext(ctx, in.ID, in.Status, time.Now().UnixMilli()); err != nil {
			return err
		}
		_, err := stmt("recount").ExecContext(ctx, date, service, before, in.Status)
		return err
	})
	return fmt.Appendf(out, `{"success":true,"data":{"id":%d,"status":%q}}`, in.ID, in.Status), err
}

type floorPeriod struct {
	DateFrom, DateTo string
	Page, PageSize   int
}

func (f *floor) listVisits(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	in, err := read[floorPeriod](r)
	if err != nil {
		return nil, err
	}
	var total int64
	if err := f.s["total"].QueryRowContext(ctx, in.DateFrom, in.DateTo).Scan(&total); err != nil {
		return nil, err
	}
	out = append(out, `{"success":true,"data":{"items":`...)
	rows, err := f.s["page"].QueryContext(ctx, in.DateFrom, in.DateTo, in.PageSize, (in.Page-1)*in.PageSize)
	if out, err = appendRows(out, rows, err); err != nil {
		return nil, err
	}
	return fmt.Appendf(out, `,"total":%d,"page":%d,"pageSize":%d}}`, total, in.Page, in.PageSize), nil
}

// calendar sums up the days. The schedules of the services are read, as in the product, but not evaluated.
func (f *floor) calendar(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	in, err := read[floorPeriod](r)
	if err != nil {
		return nil, err
	}
	var unread []byte
	rows, err := f.s["services"].QueryContext(ctx)
	if unread, err = appendRows(unread, rows, err); err != nil {
		return nil, err
	}
	for _, name := range []string{"closures", "changed"} {
		rows, err := f.s[name].QueryContext(ctx, in.DateFrom, in.DateTo)
		if unread, err = appendRows(unread[:0], rows, err); err != nil {
			return nil, err
		}
	}
	rows, err = f.s["totals"].QueryContext(ctx, in.DateFrom, in.DateTo)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err is checked below
	from, err := time.Parse(time.DateOnly, in.DateFrom)
	if err != nil {
		return nil, err
	}
	to, err := time.Parse(time.DateOnly, in.DateTo)
	if err != nil {
		return nil, err
	}
	days := make([][9]int, int(to.Sub(from).Hours()/24)+1)
	for rows.Next() {
		var date string
		var service int64
		var n [9]int
		if err := rows.Scan(&date, &service, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]); err != nil {
			return nil, err
		}
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return nil, err
		}
		for i := range n {
			days[int(day.Sub(from).Hours()/24)][i] += n[i]
		}
	}
	out = append(out, `{"success":true,"data":{"days":[`...)
	for i, n := range days {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(from.AddDate(0, 0, i).AppendFormat(append(out, `{"date":"`...), time.DateOnly), `","byStatus":[`...)
		for j := range n {
			if j > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendInt(out, int64(n[j]), 10)
		}
		out = append(out, `]}`...)
	}
	return append(out, `]}}`...), rows.Err()
}

func (f *floor) search(statement string) func(context.Context, *http.Request, []byte) ([]byte, error) {
	return func(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
		in, err := read[struct{ Q string }](r)
		if err != nil {
			return nil, err
		}
		rows, err := f.s[statement].QueryContext(ctx, "%"+in.Q+"%")
		return appendRows(out, rows, err)
	}
}

func (f *floor) byCard(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	in, err := read[struct{ IDCard string }](r)
	if err != nil {
		return nil, err
	}
	rows, err := f.s["card"].QueryContext(ctx, in.IDCard)
	return appendRows(out, rows, err)
}

func (f *floor) readPatient(ctx context.Context, r *http.Request, out []byte) ([]byte, error) {
	rows, err := f.s["patient"].QueryContext(ctx, r.PathValue("id"))
	if out, err = appendRows(out, rows, err); err != nil {
		return nil, err
	}
	rows, err = f.s["counts"].QueryContext(ctx, r.PathValue("id"), time.Now().In(bangkok).Format(time.DateOnly))
	return appendRows(out, rows, err)
}

// appendRows writes rows as JSON objects with their column names.
func appendRows(out []byte, rows *sql.Rows, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err is checked below
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]sql.RawBytes, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	out = append(out, '[')
	for n := 0; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, '{')
		for i, v := range values {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, '"'), names[i]...), `":`...)
			switch {
			case v == nil:
				out = append(out, "null"...)
			case names[i] == "id" || strings.HasSuffix(names[i], "_id") || strings.HasSuffix(names[i], "_at"):
				out = append(out, v...)
			default:
				out = quoted(out, v)
			}
		}
		out = append(out, '}')
	}
	return append(out, ']'), rows.Err()
}

// quoted appends a text as JSON.
func quoted(out, text []byte) []byte {
	out = append(out, '"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}
