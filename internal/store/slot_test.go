package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestCapacityOfManySlots(t *testing.T) {
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
		if e := refused(t, err, hospital.CapacityBelowBooked); e["booked"] != 2 {
			t.Errorf("refused with %v", e)
		}
		if slot := booked(ctx, t, db, s, monday, "09:00"); slot.Overridden {
			t.Error("half of it was written")
		}
		done, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week, Capacity: &one, Force: true, Weekdays: []int{2, 4}})
		if err != nil || done != (hospital.CapacityChanged{Updated: 24, Days: 2}) {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := booked(ctx, t, db, s, tuesday, "10:00"); slot.Capacity != 1 || slot.Booked != 2 || slot.Available != 0 || !slot.Overridden {
			t.Errorf("slot %+v", slot)
		}
		start := "11:00"
		if _, err := db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &start, Capacity: &none}); err != nil {
			t.Fatal(err)
		}
		_, err = db.Book(ctx, visit(people[0], s, tuesday, "11:00"))
		refused(t, err, hospital.SlotFull)
		done, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, DateRange: week})
		if err != nil || done.Updated != 24 {
			t.Errorf("%+v, %v", done, err)
		}
		if slot := booked(ctx, t, db, s, tuesday, "11:00"); slot.Overridden || slot.Capacity != 2 {
			t.Errorf("slot %+v", slot)
		}
		odd := "10:15"
		_, err = db.UpdateCapacity(ctx, hospital.CapacityChange{ServiceID: s.ID, Date: tuesday, StartTime: &odd, Capacity: &one})
		refused(t, err, hospital.OutOfSchedule)
	})
}
