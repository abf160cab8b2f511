package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"nadmor/internal/hospital"
)

// loaded is how many records are written at once, and loadedTogether how many in
// one transaction: enough that neither costs, few enough that the log of the
// database stays small.
const (
	loaded         = 5_000
	loadedTogether = 200_000
)

// load runs fn in a transaction that can take many rows at once.
func (db *DB) load(ctx context.Context, fn func(*Tx) error) error {
	if db.writer != nil {
		return mapError(db.changeOn(ctx, nil, fn))
	}
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return mapError(fmt.Errorf("connect: %w", err))
	}
	defer conn.Close() // goes back to the pool
	return mapError(db.changeOn(ctx, conn, func(tx *Tx) error {
		tx.conn = conn
		return fn(tx)
	}))
}

// copyIn writes rows into a table, in the fastest way the engine has. merge is
// what becomes of a row that is there already, empty where none can be.
func (tx *Tx) copyIn(table string, columns []string, rows [][]any, merge string) error {
	names := strings.Join(columns, ", ")
	if tx.db.dialect.name == "postgres" && merge != "" { // COPY itself cannot
		if _, err := tx.exec(`CREATE TEMPORARY TABLE loaded ON COMMIT DROP AS SELECT ` + names + ` FROM ` + table + ` LIMIT 0`); err != nil {
			return err
		}
		if err := tx.copyIn("loaded", columns, rows, ""); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO ` + table + ` (` + names + `) SELECT ` + names + ` FROM loaded ` + merge)
		return err
	}
	if tx.db.dialect.name == "postgres" {
		return tx.conn.Raw(func(conn any) error {
			_, err := conn.(*stdlib.Conn).Conn().CopyFrom(tx.ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
			return err
		})
	}
	// A statement with one row: numbered placeholders of many take SQLite
	// quadratic time, and it has nowhere to travel to.
	query := `INSERT INTO ` + table + ` (` + names + `) VALUES ` + tx.db.dialect.placeholders(1, len(columns)) + ` ` + merge
	for _, row := range rows {
		if _, err := tx.exec(query, row...); err != nil {
			return err
		}
	}
	return nil
}

// givenUpTo moves what gives a table its ids past those that were written with
// theirs.
func (tx *Tx) givenUpTo(table string, id int64) error {
	if tx.db.dialect.name != "postgres" {
		return nil // the largest counts
	}
	_, err := tx.exec(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, id)
	return err
}

// lastID is the largest id of a table, 0 when it is empty.
func (tx *Tx) lastID(table string) (id int64, err error) {
	err = tx.queryRow(`SELECT coalesce(max(id), 0) FROM ` + table).Scan(&id)
	return id, err
}

// chunks gathers what comes into groups of n, while the last group is worked on.
func chunks[T any](ctx context.Context, all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ready := make(chan []T, 1)
		go func() {
			defer close(ready)
			for group := range grouped(all, n) {
				select {
				case ready <- group:
				case <-ctx.Done():
					return
				}
			}
		}()
		for group := range ready {
			if !yield(group) {
				return
			}
		}
	}
}

func grouped[T any](all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var group []T
		for v := range all {
			if group = append(group, v); len(group) == n {
				if !yield(group) {
					return
				}
				group = make([]T, 0, n)
			}
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}

// patientRow is a record as it is written, with what is searched in it.
type patientRow struct {
	id     int64
	values []any
	doc    string
}

// LoadPatients registers people who are known to be different, with numbers
// that follow each other, and returns the ids, first and last. It is meant for a
// hospital that begins: IN_USE where there are patients already. progress may be
// nil.
func (db *DB) LoadPatients(ctx context.Context, people iter.Seq[hospital.PatientFields], progress func(n int)) (first, last int64, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return 0, 0, err
	}
	format := hospital.NumberFormat(setting.HNFormat)
	now := db.Now()
	columns := []string{"id", "created_at", "updated_at"}
	for _, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		columns = append(columns, c.name)
	}
	rows := func(yield func(patientRow) bool) {
		id := int64(0)
		for p := range people {
			id++
			p = p.Clean()
			p.HN = format.Format(now, id)
			row := patientRow{id: id, values: make([]any, 0, len(columns)), doc: searchDoc(p)}
			row.values = append(row.values, id, ms(now), ms(now))
			for _, c := range append(patientColumns(p), patientKeys(p)...) {
				row.values = append(row.values, c.value)
			}
			if !yield(row) {
				return
			}
		}
	}
	err = db.load(ctx, func(tx *Tx) error {
		if there, err := tx.lastID("patients"); err != nil || there > 0 {
			return errors.Join(err, hospital.Refuse(hospital.InUse).With("count", there))
		}
		rebuild, err := tx.withoutSearchIndex()
		if err != nil {
			return err
		}
		for chunk := range chunks(ctx, rows, loaded) {
			values, docs := make([][]any, len(chunk)), make([][]any, len(chunk))
			for i, row := range chunk {
				values[i], docs[i] = row.values, []any{row.id, row.doc}
			}
			if err := tx.copyIn("patients", columns, values, ""); err != nil {
				return fmt.Errorf("load patients: %w", err)
			}
			if err := tx.copyIn("patient_search", []string{"rowid", "doc"}, docs, ""); err != nil {
				return fmt.Errorf("index patients: %w", err)
			}
			first, last = 1, chunk[len(chunk)-1].id
			if progress != nil {
				progress(int(last))
			}
		}
		if last == 0 {
			return nil
		}
		tx.patients += int(last)
		if err := rebuild(); err != nil {
			return err
		}
		if err := tx.givenUpTo("patients", last); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = $2`, "hn "+format.Series(now), last); err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: "patient.import", Entity: "patient", Changes: map[string]hospital.Change{"new": {After: last}}})
		return nil
	})
	return first, last, err
}

// withoutSearchIndex takes the trigram index of PostgreSQL away until rebuild:
// it is made of many at once far quicker than of one after the other.
func (tx *Tx) withoutSearchIndex() (rebuild func() error, err error) {
	if tx.db.dialect.name != "postgres" {
		return func() error { return nil }, nil
	}
	const name = "patient_search_trigrams"
	var made string
	if err := tx.queryRow(`SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = $1`, name).Scan(&made); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if _, err := tx.exec(`DROP INDEX ` + name); err != nil {
		return nil, err
	}
	return func() error {
		if _, err := tx.exec(`SET LOCAL maintenance_work_mem = '512MB'`); err != nil {
			return err
		}
		if _, err := tx.exec(made); err != nil {
			return fmt.Errorf("make index: %w", err)
		}
		return nil
	}, nil
}

var loadedAppointment = []string{
	"id", "number", "patient_id", "service_id", "date", "start_time", "end_time", "staff_id", "kind", "channel", "priority", "status", "reason", "note",
	"overbooked", "overbook_reason", "cancel_reason", "queue_no", "checked_in_at", "started_at", "completed_at", "created_by", "created_at", "updated_at",
}

// ImportAppointments writes appointments that were made elsewhere or before, as
// they are, with their seats, queues, totals and the beginning of their history.
// Their numbers are theirs; the counters of the series are moved to those given.
// Each two hundred thousand are one transaction with one entry in the audit log.
// progress may be nil.
func (db *DB) ImportAppointments(ctx context.Context, list iter.Seq[hospital.Appointment], counters map[string]int64, progress func(n int)) (n int, err error) {
	next, stop := iter.Pull(chunks(ctx, list, loaded))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := db.load(ctx, func(tx *Tx) error {
			l := appointmentLoad{tx: tx, seats: map[hospital.SlotRow]int{}, queues: map[serviceDay]int{}}
			if l.id, err = tx.lastID("appointments"); err != nil {
				return err
			}
			for ; more && done < loadedTogether; chunk, more = next() {
				if err := l.write(chunk); err != nil {
					return err
				}
				done += len(chunk)
				if progress != nil {
					progress(n + done)
				}
			}
			if err := tx.givenUpTo("appointments", l.id); err != nil {
				return err
			}
			return l.finish(done)
		})
		if err != nil {
			return n, err
		}
		n += done
	}
	return n, db.load(ctx, func(tx *Tx) error {
		for series, last := range counters {
			if _, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
				"appointment "+series, last); err != nil {
				return fmt.Errorf("load counters: %w", err)
			}
		}
		_, err := tx.exec(`UPDATE patients SET last_visit = v.date FROM
			(SELECT patient_id, max(date) AS date FROM appointments WHERE status IN ('CHECKED_IN', 'IN_SERVICE', 'COMPLETED') AND deleted_at IS NULL GROUP BY patient_id) v
			WHERE v.patient_id = patients.id`)
		return err
	})
}

// appointmentLoad writes appointments and adds up what follows from them.
type appointmentLoad struct {
	tx     *Tx
	id     int64
	seats  map[hospital.SlotRow]int
	queues map[serviceDay]int
}

func (l *appointmentLoad) write(list []hospital.Appointment) error {
	rows, history := make([][]any, len(list)), make([][]any, 0, 2*len(list))
	for i, a := range list {
		l.id++
		rows[i] = []any{
			l.id, a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, orNil(a.StaffID), string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
			a.Overbooked, a.OverbookReason, a.CancelReason, orNil(a.QueueNo), msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), orNil(a.CreatedBy), ms(a.CreatedAt), ms(a.UpdatedAt),
		}
		history = l.begin(history, a)
		l.tx.count(a.ServiceID, a.Date, a.Status, 1)
		if a.Status.HoldsSeat() {
			l.seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}]++
		}
		if a.QueueNo != nil {
			day := serviceDay{a.Date, a.ServiceID}
			l.queues[day] = max(l.queues[day], *a.QueueNo)
		}
	}
	if err := l.tx.copyIn("appointments", loadedAppointment, rows, ""); err != nil {
		return fmt.Errorf("load appointments: %w", err)
	}
	if err := l.tx.copyIn("appointment_history", historyColumns, history, ""); err != nil {
		return fmt.Errorf("load history: %w", err)
	}
	return nil
}

// begin adds the beginning of an appointment's history: how it was made, and
// what it is now.
func (l *appointmentLoad) begin(history [][]any, a hospital.Appointment) [][]any {
	first := hospital.Booked
	if a.Status == hospital.Pending || a.Status == hospital.Waitlisted {
		first = a.Status
	}
	made := toJSON(map[string]any{"status": first, "date": a.Date, "startTime": a.StartTime, "endTime": a.EndTime, "serviceId": a.ServiceID, "patientId": a.PatientID})
	history = append(history, []any{l.id, string(hospital.HistoryCreate), "{}", made, "", orNil(a.CreatedBy), l.tx.actor.Name, ms(a.CreatedAt)})
	if a.Status != first {
		history = append(history, []any{l.id, string(hospital.HistoryStatus), `{"status":"` + string(first) + `"}`, `{"status":"` + string(a.Status) + `"}`, a.CancelReason, nil, l.tx.actor.Name, ms(a.UpdatedAt)})
	}
	return history
}

// finish writes what the appointments add up to.
func (l *appointmentLoad) finish(n int) error {
	slots := make([][]any, 0, len(l.seats))
	for slot, booked := range l.seats {
		slots = append(slots, []any{slot.ServiceID, slot.Date, slot.StartTime, slot.EndTime, booked})
	}
	if err := l.tx.copyIn("slots", []string{"service_id", "date", "start_time", "end_time", "booked"}, slots,
		`ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + excluded.booked`); err != nil {
		return fmt.Errorf("load seats: %w", err)
	}
	for day, last := range l.queues {
		if _, err := l.tx.exec(`INSERT INTO queues (service_id, date, last) VALUES ($1, $2, $3)
			ON CONFLICT (service_id, date) DO UPDATE SET last = CASE WHEN queues.last < $3 THEN $3 ELSE queues.last END`, day.serviceID, day.date, last); err != nil {
			return fmt.Errorf("load queues: %w", err)
		}
	}
	l.tx.publish(hospital.Event{Kind: hospital.EventRefetch})
	l.tx.noteEntry(hospital.AuditEntry{Action: "appointment.import", Entity: "appointment", Changes: map[string]hospital.Change{"new": {After: n}}})
	return nil
}

func orNil[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}
