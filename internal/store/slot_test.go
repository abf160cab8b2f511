package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestUpdateCapacity(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 2)
		people := patients(ctx, t, db, 2)
		for _, p := range people {
			must[hospital.Appointment](t)(db.Book(ctx, visit(p, s, tuesday, "10:00")))
		}
		one, none := 1, 0
		week := hospital.DateRange{DateFrom: monday, DateTo: "2026-11-22"}
		_, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week, Capacity: &one})
		if e := wantDetails(t, err, hospital.CapacityBelowBooked); e["booked"] != 2 {
			t.Errorf("details %v", e)
		}
		if slot := slotOn(ctx, t, db, s, monday, "09:00"); slot.Overridden {
			t.Error("a rejected change was applied to a part of the slots")
		}
		done, err := db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: s.ID, DateRange: week, Capacity: &one, Force: true, Weekdays: []int{2, 4},
		})
		if err != nil || done.Updated != 24 || done.Days != 2 {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, "10:00"); slot.Capacity != 1 || slot.Booked != 2 || slot.Available != 0 ||
			!slot.Overridden {
			t.Errorf("slot %+v", slot)
		}
		start := "11:00"
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: s.ID, Date: tuesday, StartTime: &start, Capacity: &none,
		}); err != nil {
			t.Fatal(err)
		}
		_, err = db.Book(ctx, visit(people[0], s, tuesday, "11:00"))
		wantCode(t, err, hospital.SlotFull)
		done, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week})
		if err != nil || done.Updated != 24 {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, "11:00"); slot.Overridden || slot.Capacity != 2 {
			t.Errorf("slot %+v", slot)
		}
		odd := "10:15"
		_, err = db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: s.ID, Date: tuesday, StartTime: &odd, Capacity: &one,
		})
		wantCode(t, err, hospital.OutOfSchedule)
	})
}

// Resetting to the weekly capacity is checked like any other capacity: it must not be below the
// number of bookings, unless forced.
func TestResetCapacity(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		ten, three := "10:00", 3
		day := hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, Capacity: &three}
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx, day))
		for _, p := range patients(ctx, t, db, 2) {
			must[hospital.Appointment](t)(db.Book(ctx, visit(p, s, tuesday, ten)))
		}
		for _, back := range []hospital.CapacityChange{
			{ServiceID: s.ID, Date: tuesday, StartTime: &ten}, {ServiceID: s.ID, Date: tuesday},
			{ServiceID: s.ID, DateRange: hospital.DateRange{DateFrom: monday, DateTo: "2026-11-20"}},
		} {
			_, err := db.UpdateCapacity(ctx, back)
			if e := wantDetails(t, err, hospital.CapacityBelowBooked); e["booked"] != 2 || e["capacity"] != 1 ||
				e["date"] != tuesday {
				t.Errorf("details %v", e)
			}
		}
		for _, start := range []string{"09:00", ten} {
			if slot := slotOn(ctx, t, db, s, tuesday, start); slot.Capacity != 3 || !slot.Overridden {
				t.Errorf("%s was changed: %+v", start, slot)
			}
		}
		done, err := db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: s.ID, Date: tuesday, StartTime: &ten, Force: true,
		})
		if err != nil || done.Updated != 1 || done.Days != 1 {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, ten); slot.Capacity != 1 || slot.Booked != 2 || slot.Available != 0 ||
			slot.Overridden {
			t.Errorf("slot %+v", slot)
		}
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday}); err != nil {
			t.Errorf("resetting slots without bookings: %v", err)
		}
		noFaults(ctx, t, db)
	})
}

// The capacity of a slot that is no longer in the weekly rows can be reset without force, because
// the slot cannot be booked anyway.
func TestResetCapacityOutsideSchedule(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		ten, three := "10:00", 3
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx,
			hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, Capacity: &three}))
		people := patients(ctx, t, db, 3)
		for _, p := range people[:2] {
			must[hospital.Appointment](t)(db.Book(ctx, visit(p, s, tuesday, ten)))
		}
		must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
			f.Schedule = nil
			return nil
		}))
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: s.ID, Date: tuesday, StartTime: &ten,
		}); err != nil {
			t.Fatal(err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, ten); slot.Booked != 2 || slot.Overridden || slot.Available != 0 ||
			!slot.Closed {
			t.Errorf("slot %+v", slot)
		}
		_, err := db.Book(ctx, visit(people[2], s, tuesday, ten))
		wantCode(t, err, hospital.OutOfSchedule)
	})
}

// A closed day shows no slots without bookings, but a capacity set before it was closed can be reset, so that
// it does not return with the day. A reset that selects no slot at all is an error.
func TestResetCapacityOfHiddenSlots(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 2)
		ten, eleven, five := "10:00", "11:00", 5
		reset := hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &ten}
		set := reset
		set.Capacity = &five
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx, set))
		closure, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: tuesday, Reason: "ปิด"})
		if err != nil {
			t.Fatal(err)
		}
		done, err := db.UpdateCapacity(ctx, reset)
		if err != nil || done.Updated != 1 || done.Days != 1 || len(done.Previous) != 1 ||
			done.Previous[0].Capacity == nil || *done.Previous[0].Capacity != five {
			t.Errorf("reset on a closed day: %+v, %v", done, err)
		}
		_, err = db.UpdateCapacity(ctx, reset)
		wantCode(t, err, hospital.OutOfSchedule)
		_, err = db.UpdateCapacity(ctx, set)
		wantCode(t, err, hospital.OutOfSchedule)
		if err := db.DeleteClosure(ctx, closure.ID); err != nil {
			t.Fatal(err)
		}
		if slot := slotOn(ctx, t, db, s, tuesday, ten); slot.Overridden || slot.Capacity != 2 {
			t.Errorf("after the day was opened: %+v", slot)
		}
		if done, err := db.UpdateCapacity(ctx, reset); err != nil || done.Updated != 0 {
			t.Errorf("resetting a slot with the weekly capacity: %+v, %v", done, err)
		}

		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx, set))
		must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
			f.Schedule = nil
			return nil
		}))
		_, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &eleven})
		wantCode(t, err, hospital.OutOfSchedule)
		week := hospital.DateRange{DateFrom: monday, DateTo: "2026-11-22"}
		done, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week})
		if err != nil || done.Updated != 1 {
			t.Errorf("reset outside the schedule: %+v, %v", done, err)
		}
		must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version+1, func(f *hospital.ServiceFields) error {
			f.Schedule = s.Schedule
			return nil
		}))
		if slot := slotOn(ctx, t, db, s, tuesday, ten); slot.Overridden || slot.Capacity != 2 {
			t.Errorf("after the schedule was restored: %+v", slot)
		}
	})
}
