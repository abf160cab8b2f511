package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Those who write at the same moment may share a commit; what becomes of one of
// them is nothing to the others.
func TestWhoeverSharesACommitSucceedsOrFailsAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 60)
		people := patients(ctx, t, db, 60)
		var mu sync.Mutex
		told := map[int64]bool{}
		outcomes := map[string]int{}
		together(len(people), func(i int) error {
			call, fails := ctx, ""
			in := visit(people[i], s, monday, "10:00")
			switch i % 4 {
			case 1: // nobody has this number
				in.PatientID, fails = 999_999, "refused"
			case 2: // left before it began
				gone, leave := context.WithCancel(ctx)
				leave()
				call, fails = gone, "gone"
			case 3: // a fault of ours, in the middle of a change
				fails = "panic"
			}
			outcome := func() (outcome string) {
				defer func() {
					if recover() != nil {
						outcome = "panic"
					}
				}()
				if fails == "panic" {
					return fmt.Sprint(db.FailAfterWriting(call, func() { panic("a programming mistake") }))
				}
				a, err := db.Book(call, in)
				switch {
				case err == nil:
					mu.Lock()
					told[a.PatientID] = true
					mu.Unlock()
					return ""
				case errors.Is(err, context.Canceled) || hospital.CodeOf(err) == hospital.Unavailable:
					return "gone"
				case hospital.CodeOf(err) == hospital.ValidationFailed:
					return "refused"
				}
				return err.Error()
			}()
			mu.Lock()
			outcomes[outcome]++
			mu.Unlock()
			if outcome != fails {
				t.Errorf("%d ended with %q, want %q", i, outcome, fails)
			}
			return nil
		})
		if outcomes[""] != 15 || outcomes["refused"] != 15 || outcomes["gone"] != 15 || outcomes["panic"] != 15 {
			t.Errorf("outcomes %v", outcomes)
		}
		list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 200}}))
		if int(list.Total) != len(told) || len(list.Items) != len(told) {
			t.Errorf("%d of %d told are booked", list.Total, len(told))
		}
		if seats := booked(ctx, t, db, s, monday, "10:00").Booked; seats != len(told) {
			t.Errorf("%d seats, %d told", seats, len(told))
		}
		if n := must[int](t)(db.ChangedRoles(ctx)); n != 0 {
			t.Errorf("%d roles are changed: what failed half-way was kept", n)
		}
		noFaults(ctx, t, db)
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("audit: %v, %v", faults, err)
		}
	})
}
