package hospital

import "testing"

func TestServiceLoad(t *testing.T) {
	t.Parallel()
	slot := func(booked, capacity int) Slot {
		return Slot{Booked: booked, Capacity: capacity, Available: max(0, capacity-booked)}
	}
	tooSoon := func(booked, capacity int) Slot { return Slot{Booked: booked, Capacity: capacity} }
	past := func(booked, capacity int) Slot { return Slot{Booked: booked, Capacity: capacity, Past: true} }
	closed := func(booked int) Slot { return Slot{Booked: booked, Capacity: booked, Closed: true} }
	active := Service{ServiceFields: ServiceFields{Active: true}}
	for name, c := range map[string]struct {
		service Service
		slots   []Slot
		want    Load
	}{
		"no hours":                            {active, nil, Load{0, 0, 0, LoadNone}},
		"closed with people in it":            {active, []Slot{closed(3)}, Load{3, 0, 0, LoadNone}},
		"takes no bookings":                   {Service{}, []Slot{{Booked: 1, Capacity: 4}}, Load{1, 4, 0, LoadNone}},
		"empty":                               {active, []Slot{slot(0, 5), slot(0, 5)}, Load{0, 10, 10, LoadOpen}},
		"below four of five":                  {active, []Slot{slot(5, 5), slot(2, 5)}, Load{7, 10, 3, LoadOpen}},
		"four of five":                        {active, []Slot{slot(5, 5), slot(3, 5)}, Load{8, 10, 2, LoadBusy}},
		"the last seat is taken":              {active, []Slot{slot(5, 5), slot(5, 5)}, Load{10, 10, 0, LoadFull}},
		"overbooked in one slot, free in one": {active, []Slot{slot(7, 5), slot(4, 5)}, Load{11, 10, 1, LoadBusy}},
		"free only in hours that are over":    {active, []Slot{past(0, 5), slot(5, 5)}, Load{5, 10, 0, LoadFull}},
		"too soon to book":                    {active, []Slot{past(2, 5), tooSoon(1, 5)}, Load{3, 10, 0, LoadOpen}},
		"too soon to book, and full":          {active, []Slot{past(2, 5), tooSoon(5, 5)}, Load{7, 10, 0, LoadFull}},
		"over, and was not full":              {active, []Slot{past(1, 5), past(2, 5)}, Load{3, 10, 0, LoadOpen}},
		"over, and was full":                  {active, []Slot{past(5, 5), past(5, 5)}, Load{10, 10, 0, LoadFull}},
		"a closed slot takes nobody":          {active, []Slot{closed(2), slot(1, 5)}, Load{3, 5, 4, LoadOpen}},
	} {
		if got := c.service.Load(DaySlots{Slots: c.slots}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
