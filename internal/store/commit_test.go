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

// Changes at the same moment may share a commit; the failure of one does not affect the others.
func TestSharedCommitIsolation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 60)
		people := patients(ctx, t, db, 60)
		var mu sync.Mutex
		confirmed := map[int64]bool{}
		outcomes := map[string]int{}
		concurrently(len(people), func(i int) error {
			call, fails := ctx, ""
			in := visit(people[i], s, monday, "10:00")
			switch i % 4 {
			case 1: // an unknown patient
				in.PatientID, fails = 999_999, "rejected"
			case 2: // cancelled before the call
				cancelled, cancel := context.WithCancel(ctx)
				cancel()
				call, fails = cancelled, "cancelled"
			case 3: // panics after a change
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
					confirmed[a.PatientID] = true
					mu.Unlock()
					return ""
				case errors.Is(err, context.Canceled) || hospital.CodeOf(err) == hospital.Unavailable:
					return "cancelled"
				case hospital.CodeOf(err) == hospital.ValidationFailed:
					return "rejected"
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
		for _, outcome := range []string{"", "rejected", "cancelled", "panic"} {
			if outcomes[outcome] != 15 {
				t.Errorf("outcomes %v", outcomes)
			}
		}
		list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx,
			hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 200}}))
		if int(list.Total) != len(confirmed) || len(list.Items) != len(confirmed) {
			t.Errorf("%d appointments, want %d", list.Total, len(confirmed))
		}
		if seats := slotOn(ctx, t, db, s, monday, "10:00").Booked; seats != len(confirmed) {
			t.Errorf("%d seats, want %d", seats, len(confirmed))
		}
		if n := must[int](t)(db.ChangedRoles(ctx)); n != 0 {
			t.Errorf("%d roles were changed by a transaction that failed", n)
		}
		noFaults(ctx, t, db)
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("audit: %v, %v", faults, err)
		}
	})
}

// The commit is sent together with statements whose results are not read. If one of them does not
// find its row, nothing is committed.
func TestMissingRowFailsCommit(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]string{
		"the total of the day": `DELETE FROM day_totals`,
		"the seat":             `UPDATE slots SET booked = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
				db := p.Open(t)
				ctx := storetest.SetUp(t, db)
				s := clinic(ctx, t, db, "GP", 10)
				a := must[hospital.Appointment](t)(db.Book(ctx, visit(patients(ctx, t, db, 1)[0], s, monday, "10:00")))
				if _, err := p.SQL(t).Exec(missing); err != nil {
					t.Fatal(err)
				}
				_, err := db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ไม่สะดวก")
				if err == nil || hospital.CodeOf(err) != hospital.Internal {
					t.Errorf("cancelled: %v", err)
				}
				after, history, err := db.AppointmentDetails(ctx, a.ID)
				if err != nil || after.Status != hospital.Booked || after.Version != a.Version || len(history) != 1 {
					t.Errorf("%+v, %+v, %v", after, history, err)
				}
				if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
					t.Errorf("audit: %v, %v", faults, err)
				}
				log := listAudit(ctx, t, db, hospital.AuditFilter{Entity: "appointment"})
				if log.Total != 1 {
					t.Errorf("%d changes in the audit log", log.Total)
				}
			})
		})
	}
}

// A booking uses the current settings, services and closures, also after a change by another process.
func TestRuleChangesApplyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		node1, node2 := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, node1)
		people := patients(ctx, t, node1, 20)
		s := clinic(ctx, t, node1, "GP", 50)
		book := func() error {
			patient := people[0]
			people = people[1:]
			_, err := node1.Book(ctx, visit(patient, s, monday, "10:00"))
			return err
		}
		wants := func(code hospital.Code) {
			t.Helper()
			if err := book(); code == "" && err != nil || code != "" && hospital.CodeOf(err) != code {
				t.Errorf("booked with %v, want %q", err, code)
			}
		}
		wants("")
		for name, other := range map[string]*store.DB{"this node": node1, "another node": node2} {
			closed, _, err := other.CreateClosure(ctx, hospital.ClosureFields{
				DateFrom: monday, DateTo: monday, Reason: name, Kind: hospital.ClosureClosed,
			})
			if err != nil {
				t.Fatal(err)
			}
			wants(hospital.SlotClosed)
			wants(hospital.SlotClosed)
			if err := other.DeleteClosure(ctx, closed.ID); err != nil {
				t.Fatal(err)
			}
			wants("")
			hours := func(rows []hospital.ScheduleRow) {
				t.Helper()
				version := must[hospital.Service](t)(other.Service(ctx, s.ID)).Version
				_, err := other.UpdateService(ctx, s.ID, version, func(f *hospital.ServiceFields) error {
					f.Schedule = rows
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			hours(nil)
			wants(hospital.OutOfSchedule)
			hours(weekdays(30, 50))
			wants("")
			most := func(n int) {
				t.Helper()
				version := must[hospital.Setting](t)(other.Setting(ctx)).Version
				_, err := other.UpdateSetting(ctx, version, func(f *hospital.SettingFields) error {
					f.MaxActivePerPatient = n
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			most(1)
			first := people[0]
			wants("")
			if _, err := node1.Book(ctx, visit(first, s, monday, "11:00")); hospital.CodeOf(err) != hospital.TooManyActive {
				t.Errorf("%s: a second appointment: %v", name, err)
			}
			most(0)
			if _, err := node1.Book(ctx, visit(first, s, monday, "11:00")); err != nil {
				t.Errorf("%s: without a limit again: %v", name, err)
			}
		}
		// A change that is rolled back does not affect bookings with which it shares a commit.
		for _, err := range concurrently(len(people), func(i int) error {
			if i%2 == 0 {
				if err := node1.CloseAndFail(ctx, s.ID, monday); err == nil {
					return errors.New("it did not fail")
				}
				return nil
			}
			_, err := node1.Book(ctx, visit(people[i], s, monday, "10:00"))
			return err
		}) {
			if err != nil {
				t.Errorf("beside a change that is rolled back: %v", err)
			}
		}
	})
}
