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
		told := map[int64]bool{}
		outcomes := map[string]int{}
		concurrently(len(people), func(i int) error {
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
		if seats := slotOn(ctx, t, db, s, monday, "10:00").Booked; seats != len(told) {
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
			storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
				db := p.Open(t)
				ctx := storetest.SetUp(t, db)
				s := clinic(ctx, t, db, "GP", 10)
				a := must[hospital.Appointment](t)(db.Book(ctx, visit(patients(ctx, t, db, 1)[0], s, monday, "10:00")))
				if _, err := p.SQL(t).Exec(missing); err != nil {
					t.Fatal(err)
				}
				if _, err := db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ไม่สะดวก"); err == nil || hospital.CodeOf(err) != hospital.Internal {
					t.Errorf("cancelled: %v", err)
				}
				after, history, err := db.AppointmentDetails(ctx, a.ID)
				if err != nil || after.Status != hospital.Booked || after.Version != a.Version || len(history) != 1 {
					t.Errorf("%+v, %+v, %v", after, history, err)
				}
				if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
					t.Errorf("audit: %v, %v", faults, err)
				}
				log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 10}, Entity: "appointment"}))
				if log.Total != 1 {
					t.Errorf("the log tells of %d changes", log.Total)
				}
			})
		})
	}
}

// A booking uses the current settings, services and closures, also after a change by another process.
func TestRuleChangesApplyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		here, elsewhere := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, here)
		people := patients(ctx, t, here, 20)
		s := clinic(ctx, t, here, "GP", 50)
		book := func() error {
			who := people[0]
			people = people[1:]
			_, err := here.Book(ctx, visit(who, s, monday, "10:00"))
			return err
		}
		wants := func(code hospital.Code) {
			t.Helper()
			if err := book(); code == "" && err != nil || code != "" && hospital.CodeOf(err) != code {
				t.Errorf("booked with %v, want %q", err, code)
			}
		}
		wants("")
		for name, other := range map[string]*store.DB{"here": here, "elsewhere": elsewhere} {
			closed, _, err := other.CreateClosure(ctx, hospital.ClosureFields{DateFrom: monday, DateTo: monday, Reason: name, Kind: hospital.ClosureClosed})
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
				if _, err := other.UpdateService(ctx, s.ID, version, func(f *hospital.ServiceFields) error { f.Schedule = rows; return nil }); err != nil {
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
				if _, err := other.UpdateSetting(ctx, version, func(f *hospital.SettingFields) error { f.MaxActivePerPatient = n; return nil }); err != nil {
					t.Fatal(err)
				}
			}
			most(1)
			first := people[0]
			wants("")
			if _, err := here.Book(ctx, visit(first, s, monday, "11:00")); hospital.CodeOf(err) != hospital.TooManyActive {
				t.Errorf("%s: a second one with %v", name, err)
			}
			most(0)
			if _, err := here.Book(ctx, visit(first, s, monday, "11:00")); err != nil {
				t.Errorf("%s: without a limit again: %v", name, err)
			}
		}
		// A change that is undone never counted, not even for those it shared a commit
		// with.
		for _, err := range concurrently(len(people), func(i int) error {
			if i%2 == 0 {
				if err := here.CloseAndFail(ctx, s.ID, monday); err == nil {
					return errors.New("it did not fail")
				}
				return nil
			}
			_, err := here.Book(ctx, visit(people[i], s, monday, "10:00"))
			return err
		}) {
			if err != nil {
				t.Errorf("beside a change that is undone: %v", err)
			}
		}
	})
}
