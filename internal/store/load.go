package store

import (
	"context"
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
		if _, err := tx.exec(`SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return err
		}
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
	if tx.db.dialect.name != "postgres" || id == 0 {
		return nil // the largest counts, and none was written
	}
	_, err := tx.exec(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, id)
	return err
}

// lastID is the largest id of a table, 0 when it is empty.
func (tx *Tx) lastID(table string) (id int64, err error) {
	err = tx.queryRow(`SELECT coalesce(max(id), 0) FROM ` + table).Scan(&id)
	return id, err
}

// chunks gathers what comes into groups of n and makes something of each, while
// the one before is worked on. A panic in prepare is raised again in the caller.
func chunks[T, U any](ctx context.Context, all iter.Seq[T], n int, prepare func([]T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ready := make(chan U, 1)
		var failed error
		go func() {
			defer close(ready)
			defer hospital.Recover(&failed)
			for group := range grouped(all, n) {
				select {
				case ready <- prepare(group):
				case <-ctx.Done():
					return
				}
			}
		}()
		for prepared := range ready {
			if !yield(prepared) {
				return
			}
		}
		if failed != nil {
			panic(failed)
		}
	}
}

func grouped[T any](all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		group := make([]T, 0, n)
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

var loadedAppointment = []string{
	"id", "number", "patient_id", "service_id", "date", "start_time", "end_time", "staff_id", "customer_id", "kind", "channel", "priority", "status", "reason", "note",
	"overbooked", "overbook_reason", "cancel_reason", "queue_no", "checked_in_at", "started_at", "completed_at", "created_by", "created_at", "updated_at",
}

// passNumbers moves the counters of appointment numbers to those given.
func (tx *Tx) passNumbers(counters map[string]int64) error {
	for series, last := range counters {
		if _, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
			"appointment "+series, last); err != nil {
			return fmt.Errorf("load counters: %w", err)
		}
	}
	return nil
}

// loadedAppointments are some as they are written; the ids are still missing.
type loadedAppointments struct {
	list []hospital.Appointment
	rows [][]any
}

// writeAppointments writes all but what the last of them leave behind; each one
// that is written is also given to saw.
func (db *DB) writeAppointments(ctx context.Context, list iter.Seq[hospital.Appointment], saw func(hospital.Appointment), progress func(n int)) (n int, err error) {
	next, stop := iter.Pull(chunks(ctx, list, loaded, prepareAppointments))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := db.load(ctx, func(tx *Tx) error {
			l := appointmentLoad{tx: tx, saw: saw, seats: map[hospital.SlotRow]int{}, queues: map[serviceDay]int{}}
			if l.id, err = tx.lastID("appointments"); err != nil {
				return err
			}
			for ; more && done < loadedTogether; chunk, more = next() {
				if err := l.write(chunk); err != nil {
					return err
				}
				done += len(chunk.list)
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
	return n, ctx.Err()
}

func prepareAppointments(list []hospital.Appointment) loadedAppointments {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{
			int64(0), a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, orNil(a.StaffID), orNil(a.CustomerID), string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
			a.Overbooked, a.OverbookReason, a.CancelReason, orNil(a.QueueNo), msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt), orNil(a.CreatedBy), ms(a.CreatedAt), ms(a.UpdatedAt),
		}
	}
	return loadedAppointments{list, rows}
}

// appointmentLoad writes appointments and adds up what follows from them.
type appointmentLoad struct {
	tx     *Tx
	id     int64
	saw    func(hospital.Appointment)
	seats  map[hospital.SlotRow]int
	queues map[serviceDay]int
}

func (l *appointmentLoad) write(chunk loadedAppointments) error {
	before := l.id
	for i, a := range chunk.list {
		l.id++
		chunk.rows[i][0] = l.id
		l.saw(a)
		l.tx.count(a.ServiceID, a.Date, a.Status, 1)
		if a.Status.HoldsSeat() {
			l.seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}]++
		}
		if a.QueueNo != nil {
			day := serviceDay{a.Date, a.ServiceID}
			l.queues[day] = max(l.queues[day], *a.QueueNo)
		}
	}
	if err := l.tx.copyIn("appointments", loadedAppointment, chunk.rows, ""); err != nil {
		return fmt.Errorf("load appointments: %w", err)
	}
	if err := l.tx.beginHistory(before, l.id); err != nil {
		return fmt.Errorf("load history: %w", err)
	}
	return nil
}

// beginHistory writes the beginning of the history of the appointments after one
// id up to another: how they were made, and what they are now. The database has
// all it takes, so nothing travels.
func (tx *Tx) beginHistory(after, last int64) error {
	columns := strings.Join(historyColumns, ", ")
	made := ` FROM (SELECT *,
		CASE WHEN ` + oneOf("status", hospital.Starting...) + ` THEN status
			ELSE '` + string(hospital.Booked) + `' END AS first
		FROM appointments WHERE id > $2 AND id <= $3) a`
	_, err := tx.exec(`INSERT INTO appointment_history (`+columns+`)
		SELECT id, 'CREATE', '{}', '{"date":"' || date || '","endTime":"' || end_time || '","patientId":' || patient_id || ',"serviceId":' || service_id || ',"startTime":"' || start_time || '","status":"' || first || '"}',
		'', created_by, coalesce((SELECT name FROM users u WHERE u.id = a.created_by), $1), created_at`+made+` ORDER BY id`, tx.actor.Name, after, last)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO appointment_history (`+columns+`)
		SELECT id, 'STATUS', '{"status":"' || first || '"}', '{"status":"' || status || '"}', cancel_reason, NULL, $1, updated_at`+made+` WHERE status <> first ORDER BY id`, tx.actor.Name, after, last)
	return err
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
