package store_test

import (
	"context"
	"database/sql"
	"runtime"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// waitForLocks waits until n sessions of a PostgreSQL database wait for a lock, or done is closed.
func waitForLocks(t *testing.T, raw *sql.DB, n int, done <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-done:
			return
		default:
		}
		var now int
		if err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&now); err != nil {
			t.Fatal(err)
		}
		if now >= n {
			return
		}
		runtime.Gosched()
	}
}

// A service cannot be deleted on one node while another node books a seat in it. The booking has
// read the service and waits for the slot when the deletion begins; the deletion is rejected.
func TestDeleteServiceDuringBooking(t *testing.T) {
	t.Parallel()
	const start = "13:00"
	into := func(s hospital.Service, a hospital.Appointment) hospital.NewAppointment {
		return hospital.NewAppointment{
			PatientID:         a.PatientID,
			AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: tuesday, StartTime: start},
		}
	}
	type takeSeat func(ctx context.Context, db *store.DB, to hospital.Service, a, cancelled hospital.Appointment) error
	for name, take := range map[string]takeSeat{
		"booking": func(ctx context.Context, db *store.DB, to hospital.Service, a, _ hospital.Appointment) error {
			_, err := db.Book(ctx, into(to, a))
			return err
		},
		"series": func(ctx context.Context, db *store.DB, to hospital.Service, a, _ hospital.Appointment) error {
			series := hospital.Series{NewAppointment: into(to, a), EveryWeeks: 1, Count: 2}
			_, _, err := db.BookSeries(ctx, series, false)
			return err
		},
		"move": func(ctx context.Context, db *store.DB, to hospital.Service, a, _ hospital.Appointment) error {
			_, err := db.UpdateAppointment(ctx, a.ID, a.Version, func(f *hospital.AppointmentFields) error {
				f.ServiceID, f.StartTime = to.ID, start
				return nil
			})
			return err
		},
		"status": func(ctx context.Context, db *store.DB, _ hospital.Service, _, cancelled hospital.Appointment) error {
			_, err := db.MarkStatus(ctx, cancelled.ID, 0, hospital.Booked, "มาได้แล้ว")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := storetest.Postgres(t)
			first, second, raw := p.Open(t), p.Open(t), p.SQL(t)
			ctx := storetest.SetUp(t, first)
			from, to := clinic(ctx, t, first, "GP", 5), clinic(ctx, t, first, "EYE", 5)
			people := patients(ctx, t, first, 2)
			a := storetest.Book(t, first, ctx, people[0], from, tuesday, "10:00")
			cancelled := storetest.Book(t, first, ctx, people[1], to, tuesday, start)
			cancelled = must[hospital.Appointment](t)(
				first.MarkStatus(ctx, cancelled.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
			hold, err := raw.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = hold.ExecContext(t.Context(), `SELECT 1 FROM slots
				WHERE service_id = $1 AND date = $2 AND start_time = $3 FOR UPDATE`, to.ID, tuesday, start)
			if err != nil {
				t.Fatal(err)
			}
			taken, deleted, ended := make(chan error, 1), make(chan error, 1), make(chan struct{})
			go func() { taken <- take(ctx, first, to, a, cancelled) }()
			waitForLocks(t, raw, 1, nil)
			go func() {
				defer close(ended)
				deleted <- second.DeleteService(ctx, to.ID)
			}()
			waitForLocks(t, raw, 2, ended)
			if err := hold.Rollback(); err != nil {
				t.Fatal(err)
			}
			if err := <-taken; err != nil {
				t.Errorf("taking the seat: %v", err)
			}
			wantCode(t, <-deleted, hospital.InUse)
			noFaults(ctx, t, first)
		})
	}
}

// A booking during an uncommitted deletion of the service is rejected.
func TestBookDuringServiceDeletion(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	node, raw := p.Open(t), p.SQL(t)
	ctx := storetest.SetUp(t, node)
	s := clinic(ctx, t, node, "GP", 5)
	patient := patients(ctx, t, node, 1)[0]
	other, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`SELECT 1 FROM services FOR UPDATE`, `UPDATE services SET deleted_at = 1, version = version + 1`,
	} {
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	taken := make(chan error, 1)
	go func() {
		_, err := node.Book(ctx, visit(patient, s, tuesday, "10:00"))
		taken <- err
	}()
	waitForLocks(t, raw, 1, nil)
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-taken, hospital.ValidationFailed)
}
