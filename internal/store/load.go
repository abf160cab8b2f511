package store

import (
	"context"
	"errors"
	"iter"
	"strings"

	"nadmor/internal/hospital"
)

// A load reads loadBatch records at a time and writes loadTransaction records in one transaction, which
// limits the size of the write-ahead log.
const (
	loadBatch       = 5_000
	loadTransaction = 200_000
)

// load is change for long transactions.
func (db *DB) load(ctx context.Context, fn func(*Tx) error) error {
	return db.Change(ctx, func(tx *Tx) error {
		if !db.dialect.exclusive {
			tx.Exec(`SET LOCAL idle_in_transaction_session_timeout = 0`)
		}
		return fn(tx)
	})
}

// loadOnce is load for a function that consumes its input, so that it cannot run again.
func (db *DB) loadOnce(ctx context.Context, fn func(*Tx) error) error {
	ran := false
	var failed error
	return db.load(ctx, func(tx *Tx) error {
		if ran {
			return errors.Join(errors.New("load: the transaction was rolled back"), failed)
		}
		ran = true
		failed = fn(tx)
		return failed
	})
}

// loadMerging loads rows of which some may exist. merge is the ON CONFLICT clause for those.
func (tx *Tx) loadMerging(table string, columns []string, rows [][]any, merge string) error {
	names := strings.Join(columns, ", ")
	if tx.db.dialect.exclusive {
		// One row per statement: SQLite needs quadratic time for many numbered parameters.
		query := `INSERT INTO ` + table + ` (` + names + `) VALUES ` +
			tx.db.dialect.placeholders(1, len(columns)) + ` ` + merge
		for _, row := range rows {
			tx.Exec(query, row...)
		}
		return nil
	}
	tx.Exec(`CREATE TEMPORARY TABLE loaded ON COMMIT DROP AS SELECT ` + names + ` FROM ` + table + ` LIMIT 0`)
	if err := tx.Load("loaded", columns, rows); err != nil {
		return err
	}
	tx.Exec(`INSERT INTO ` + table + ` (` + names + `) SELECT ` + names + ` FROM loaded ` + merge)
	return nil
}

// setLastID makes new ids of a table start after those of loaded rows. SQLite does it by itself.
func (tx *Tx) setLastID(table string, id int64) {
	if !tx.db.dialect.exclusive && id > 0 {
		tx.Exec(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, id)
	}
}

// lastID returns the largest id of a table, 0 if it is empty.
func (tx *Tx) lastID(table string) (id int64, err error) {
	err = tx.Get(`SELECT coalesce(max(id), 0) FROM ` + table).Scan(&id)
	return id, err
}

// chunks collects values into groups of n and prepares each group while the caller uses the previous
// one. A panic in prepare is raised again in the caller.
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

// appointmentColumnNames are the columns of a loaded appointment.
var appointmentColumnNames = []string{
	"id", "number", "patient_id", "service_id", "date", "start_time", "end_time", "staff_id", "customer_id", "kind",
	"channel", "priority", "status", "reason", "note", "overbooked", "overbook_reason", "cancel_reason", "queue_no",
	"checked_in_at", "started_at", "completed_at", "created_by", "created_at", "updated_at",
}

// raiseNumbers raises the counters of appointment numbers to those given.
func (tx *Tx) raiseNumbers(counters map[string]int64) {
	for series, last := range counters {
		tx.Exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series)
			DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
			"appointment "+series, last)
	}
}

// appointmentRows are appointments with the values of appointmentColumnNames; the ids are 0.
type appointmentRows struct {
	list []hospital.Appointment
	rows [][]any
}

// writeAppointments writes appointments and calls saw with each of them. It does not change patients.
// progress, which may be nil, is called with the number of appointments.
func (db *DB) writeAppointments(
	ctx context.Context, list iter.Seq[hospital.Appointment], saw func(hospital.Appointment), progress func(n int),
) (n int, err error) {
	next, stop := iter.Pull(chunks(ctx, list, loadBatch, prepareAppointments))
	defer stop()
	chunk, more := next()
	for more {
		done := 0
		err := db.loadOnce(ctx, func(tx *Tx) error {
			last, err := tx.lastID("appointments")
			if err != nil {
				return err
			}
			l := appointmentLoad{
				tx: tx, id: last, saw: saw, seats: map[hospital.SlotRow]int{}, queues: map[serviceDay]int{},
			}
			for ; more && done < loadTransaction; chunk, more = next() {
				if err := l.write(chunk); err != nil {
					return err
				}
				done += len(chunk.list)
				if progress != nil {
					progress(n + done)
				}
			}
			tx.setLastID("appointments", l.id)
			return l.finish(done)
		})
		if err != nil {
			return n, err
		}
		n += done
	}
	return n, ctx.Err()
}

func prepareAppointments(list []hospital.Appointment) appointmentRows {
	rows := make([][]any, len(list))
	for i, a := range list {
		rows[i] = []any{
			int64(0), a.Number, a.PatientID, a.ServiceID, a.Date, a.StartTime, a.EndTime, a.StaffID, a.CustomerID,
			string(a.Kind), string(a.Channel), string(a.Priority), string(a.Status), a.Reason, a.Note,
			a.Overbooked, a.OverbookReason, a.CancelReason, a.QueueNo,
			msOrNil(a.CheckedInAt), msOrNil(a.StartedAt), msOrNil(a.CompletedAt),
			a.CreatedBy, ms(a.CreatedAt), ms(a.UpdatedAt),
		}
	}
	return appointmentRows{list, rows}
}

// appointmentLoad writes appointments and sums up their seats and queue numbers.
type appointmentLoad struct {
	tx     *Tx
	id     int64 // the last one
	saw    func(hospital.Appointment)
	seats  map[hospital.SlotRow]int
	queues map[serviceDay]int
}

func (l *appointmentLoad) write(chunk appointmentRows) error {
	before := l.id
	for i, a := range chunk.list {
		l.id++
		chunk.rows[i][0] = l.id
		l.saw(a)
		l.tx.count(a.ServiceID, a.Date, a.Status, 1)
		if a.Status.HoldsSeat() {
			slot := hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}
			l.seats[slot]++
		}
		if a.QueueNo != nil {
			day := serviceDay{a.Date, a.ServiceID}
			l.queues[day] = max(l.queues[day], *a.QueueNo)
		}
	}
	if err := l.tx.Load("appointments", appointmentColumnNames, chunk.rows); err != nil {
		return err
	}
	l.tx.loadHistory(before, l.id)
	return nil
}

// loadHistory writes the history of the appointments with ids from after+1 to last: how they were
// created, and their current status.
func (tx *Tx) loadHistory(after, last int64) {
	columns := strings.Join(historyColumns, ", ")
	from := ` FROM (SELECT *,
		CASE WHEN ` + oneOf("status", hospital.Starting...) + ` THEN status
			ELSE '` + string(hospital.Booked) + `' END AS first
		FROM appointments WHERE id > $2 AND id <= $3) a`
	tx.Exec(`INSERT INTO appointment_history (`+columns+`)
		SELECT id, 'CREATE', '{}', '{"date":"' || date || '","endTime":"' || end_time || '","patientId":' || patient_id ||
			',"serviceId":' || service_id || ',"startTime":"' || start_time || '","status":"' || first || '"}',
		'', created_by, coalesce((SELECT name FROM users u WHERE u.id = a.created_by), $1), created_at`+from+
		` ORDER BY id`, tx.actor.Name, after, last)
	tx.Exec(`INSERT INTO appointment_history (`+columns+`)
		SELECT id, 'STATUS', '{"status":"' || first || '"}', '{"status":"' || status || '"}',
		cancel_reason, NULL, $1, updated_at`+from+` WHERE status <> first ORDER BY id`,
		tx.actor.Name, after, last)
}

// finish writes the seats and queue numbers of n appointments.
func (l *appointmentLoad) finish(n int) error {
	slots := make([][]any, 0, len(l.seats))
	for slot, booked := range l.seats {
		slots = append(slots, []any{slot.ServiceID, slot.Date, slot.StartTime, slot.EndTime, booked})
	}
	err := l.tx.loadMerging("slots", []string{"service_id", "date", "start_time", "end_time", "booked"}, slots,
		`ON CONFLICT (service_id, date, start_time) DO UPDATE SET booked = slots.booked + excluded.booked`)
	if err != nil {
		return err
	}
	for day, last := range l.queues {
		l.tx.Exec(`INSERT INTO queues (service_id, date, last) VALUES ($1, $2, $3) ON CONFLICT (service_id, date)
			DO UPDATE SET last = CASE WHEN queues.last < $3 THEN $3 ELSE queues.last END`, day.serviceID, day.date, last)
	}
	l.tx.Publish(hospital.Event{Kind: hospital.EventRefetch})
	l.tx.NoteEntry(hospital.AuditEntry{
		Action: "appointment.import", Entity: "appointment", Changes: map[string]hospital.Change{"new": {After: n}},
	})
	return nil
}
