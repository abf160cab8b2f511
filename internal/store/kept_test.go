package store_test

import (
	"errors"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Bookings are decided with the rules as they are, whoever changed them last: this
// process, or another one on the same data.
func TestARuleCountsForTheNextBookingWhoeverChangedIt(t *testing.T) {
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
		for _, err := range together(len(people), func(i int) error {
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
