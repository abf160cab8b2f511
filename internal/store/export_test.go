package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"nadmor/internal/hospital"
)

// Tell tells of so many changes of slots.
func (db *DB) Tell(n int) {
	events := make([]hospital.Event, n)
	for i := range events {
		events[i] = hospital.Event{Kind: hospital.EventSlot, ServiceID: 1, Date: "2026-11-17"}
	}
	db.tell(events)
}

// SearchPlans runs a search and returns how the database goes about each of its
// statements, by statement.
func (db *DB) SearchPlans(ctx context.Context, q string, limit int) (map[string]string, error) {
	plans := map[string]string{}
	explain := "EXPLAIN "
	if db.dialect.name == "sqlite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	_, err := db.searchPatients(ctx, &explainer{db.read.DB, explain, plans}, q, limit)
	return plans, err
}

// explainer has every query explained before it is answered.
type explainer struct {
	*sql.DB
	explain string
	plans   map[string]string
}

func (e *explainer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := e.DB.QueryContext(ctx, e.explain+query, args...)
	if err != nil {
		return nil, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	// The last column is the text in both engines.
	lines, err := collect(rows, nil, func(rows *sql.Rows) (line string, err error) {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		values[len(values)-1] = &line
		return line, rows.Scan(values...)
	})
	if err != nil {
		return nil, err
	}
	_, where, _ := strings.Cut(query, "WHERE")
	e.plans["WHERE"+where] = strings.Join(lines, "\n")
	return e.DB.QueryContext(ctx, query, args...)
}

// FailAfterWriting changes something and then fails, as a mistake of ours would.
func (db *DB) FailAfterWriting(ctx context.Context, fail func()) error {
	return db.change(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`UPDATE roles SET label = label || ' changed'`); err != nil {
			return err
		}
		fail()
		return nil
	})
}

// NoteAndPanic panics while an audit entry is written.
func (db *DB) NoteAndPanic(ctx context.Context) error {
	return db.note(ctx, func(tx *Tx) (hospital.AuditEntry, error) {
		if _, err := tx.exec(`UPDATE roles SET label = label || ' changed'`); err != nil {
			return hospital.AuditEntry{}, err
		}
		panic("a test panic")
	})
}

// ChunksPanic panics in the goroutine in which chunks prepares groups.
func ChunksPanic(ctx context.Context, all iter.Seq[int]) {
	for range chunks(ctx, all, 1, func([]int) int { panic("a test panic") }) {
		continue
	}
}

// CloseAndFail takes a service's hours away, finds them gone, and fails.
func (db *DB) CloseAndFail(ctx context.Context, serviceID int64, date string) error {
	return db.change(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`UPDATE services SET schedule = '[]' WHERE id = $1`, serviceID); err != nil {
			return err
		}
		d, err := tx.desk(hospital.DefaultSetting, serviceID, date, date)
		if err == nil && len(d.service.Schedule) > 0 {
			panic("the hours are there still")
		}
		return errors.Join(errors.New("undone"), err)
	})
}

// ChangedRoles counts what FailAfterWriting changed.
func (db *DB) ChangedRoles(ctx context.Context) (n int, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT count(*) FROM roles WHERE label LIKE '% changed'`).Scan(&n)
	return n, err
}

// Fields are what the log compares of a record; Bare is what it keeps of an
// appointment.
func Fields(v any) map[string]any     { return fields(v) }
func Bare(a hospital.Appointment) any { return bare(a) }

// ChangesText and SideText are how it is written down.
func ChangesText(changes map[string]hospital.Change) string { return changesText(changes) }
func SideText(changes map[string]hospital.Change, side func(hospital.Change) any) string {
	return sideText(changes, side)
}

// AppointmentIDs are the appointments of a service.
func (db *DB) AppointmentIDs(ctx context.Context, serviceID int64) ([]int64, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT id FROM appointments WHERE service_id = $1 ORDER BY id`, serviceID)
	return scanAll(rows, err, func(id *int64) []any { return []any{id} })
}

// MostPages bounds the file of SQLite, as a disk does.
func MostPages(db *DB, n int) error {
	var now int
	return db.writer.conn.QueryRowContext(context.Background(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n)).Scan(&now)
}

// ImportAppointments writes appointments that were made elsewhere or before, as
// they are, with their seats, queues, totals and the beginning of their history.
// Their numbers are theirs.
// Tests and benchmarks fill a hospital that is there already; an empty one is
// filled by LoadHospital.
func (db *DB) ImportAppointments(ctx context.Context, list iter.Seq[hospital.Appointment]) (n int, err error) {
	if n, err = db.writeAppointments(ctx, list, func(hospital.Appointment) {}, nil); err != nil {
		return n, err
	}
	return n, db.load(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE patients SET last_visit = v.date FROM
			(SELECT patient_id, max(date) AS date FROM appointments
				WHERE ` + oneOf("status", hospital.Came...) + ` AND deleted_at IS NULL GROUP BY patient_id) v
			WHERE v.patient_id = patients.id`)
		return err
	})
}

// Row is the answer to a query for one row.
type Row interface{ Scan(into ...any) error }

// Ask lets fn ask in a transaction.
func (db *DB) Ask(ctx context.Context, fn func(ask func(query string, args ...any) Row) error) error {
	return db.change(ctx, func(tx *Tx) error {
		return fn(func(query string, args ...any) Row { return tx.queryRow(query, args...) })
	})
}

// Read asks for numbers on a connection that only reads.
func (db *DB) Read(ctx context.Context, query string, row func(int64)) error {
	return ask(ctx, db.read, question{query: query, row: func(scan func(...any) error) error {
		var n int64
		err := scan(&n)
		row(n)
		return err
	}})
}
