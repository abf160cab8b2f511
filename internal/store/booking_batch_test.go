package store_test

import (
	"fmt"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Bookings that share a transaction are checked one by one: each caller gets the result of its own
// booking, recorded with its own name, and a rejected booking does not affect the others.
func TestBookBatch(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s, full := clinic(ctx, t, db, "GP", 100), clinic(ctx, t, db, "EYE", 3)
		people := patients(ctx, t, db, 40)
		errs := concurrently(len(people), func(i int) error {
			in := visit(people[i], s, tuesday, "10:00")
			switch i % 4 {
			case 1:
				in.ServiceID = full.ID
			case 2:
				in.PatientID += 1_000_000
			case 3: // the same patient as another booking
				in.PatientID = people[i-3].ID
			}
			actor := hospital.ActorFrom(ctx)
			actor.Name = fmt.Sprint("เจ้าหน้าที่ ", i)
			a, err := db.Book(hospital.WithActor(ctx, actor), in)
			if err == nil && (a.PatientID != in.PatientID || a.ServiceID != in.ServiceID) {
				t.Errorf("%d: booked %+v", i, a)
			}
			if err == nil {
				_, history, err := db.AppointmentDetails(ctx, a.ID)
				if err != nil || len(history) != 1 || history[0].Actor != actor.Name {
					t.Errorf("%d: history %+v, %v", i, history, err)
				}
			}
			return err
		})
		codes := countCodes(errs)
		want := map[hospital.Code]int{
			"": 10 + 3, hospital.SlotFull: 7, hospital.ValidationFailed: 10, hospital.PatientDoubleBooked: 10,
		}
		for code, n := range want {
			if codes[code] != n {
				t.Errorf("%d of %q, want %d; all: %v", codes[code], code, n, codes)
			}
		}
		noFaults(ctx, t, db)
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("audit log: %v, %v", faults, err)
		}
	})
}

// A booking that waits for a locked patient does not block other bookings.
func TestBookBatchLockedPatient(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	db, raw := p.Open(t), p.SQL(t)
	ctx := storetest.SetUp(t, db)
	s := clinic(ctx, t, db, "GP", 100)
	people := patients(ctx, t, db, 8)
	hold, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = hold.ExecContext(t.Context(), `SELECT 1 FROM patients WHERE id = $1 FOR UPDATE`, people[3].ID)
	if err != nil {
		t.Fatal(err)
	}
	done := make([]chan error, len(people))
	for i, patient := range people {
		done[i] = make(chan error, 1)
		go func() {
			_, err := db.Book(ctx, visit(patient, s, tuesday, "10:00"))
			done[i] <- err
		}()
	}
	for _, i := range []int{0, 1, 2, 4, 5, 6, 7} {
		if err := <-done[i]; err != nil {
			t.Errorf("booking %d: %v", i, err)
		}
	}
	select {
	case err := <-done[3]:
		t.Errorf("the locked patient was booked: %v", err)
	default:
	}
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done[3]; err != nil {
		t.Errorf("after the lock: %v", err)
	}
	noFaults(ctx, t, db)
}
