package hospital

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func rowsOf(rows ...ScheduleRow) Service {
	return Service{ID: 1, ServiceFields: ServiceFields{Active: true, Schedule: rows}}
}

// shown formats a day in short form, such as 09:00–09:30 1/2, with flags.
func shown(d DaySlots) string {
	var parts []string
	if d.Closed {
		parts = append(parts, "closed")
	}
	if d.Reason != "" {
		parts = append(parts, d.Reason)
	}
	for _, s := range d.Slots {
		text := fmt.Sprintf("%s–%s %d/%d:%d", s.StartTime, s.EndTime, s.Booked, s.Capacity, s.Available)
		for _, mark := range []struct {
			sign string
			is   bool
		}{{"*", s.Overridden}, {"<", s.Past}, {"x", s.Closed}} {
			if mark.is {
				text += mark.sign
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " | ")
}

func TestScheduledSlots(t *testing.T) {
	t.Parallel()
	const monday = "2026-11-16"
	early := Moment{"2026-11-01", 0}
	morning := ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2}
	for name, c := range map[string]struct {
		service  Service
		date     string
		closures []Closure
		rows     []SlotRow
		now      Moment
		want     string
	}{
		"a closed weekday": {rowsOf(morning), "2026-11-17", nil, nil, early, ""},
		"one row":          {rowsOf(morning), monday, nil, nil, early, "09:00–09:30 0/2:2 | 09:30–10:00 0/2:2"},
		"a break at noon": {
			rowsOf(ScheduleRow{Weekday: 1, StartTime: "11:00", EndTime: "12:00", SlotMinutes: 60, Capacity: 1}, ScheduleRow{
				Weekday: 1, StartTime: "13:00", EndTime: "14:00", SlotMinutes: 30, Capacity: 3,
			}),
			monday, nil, nil, early, "11:00–12:00 0/1:1 | 13:00–13:30 0/3:3 | 13:30–14:00 0/3:3",
		},
		"the last slot is shorter": {
			rowsOf(ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:10", SlotMinutes: 30, Capacity: 1}), monday, nil,
			nil, early, "09:00–09:30 0/1:1 | 09:30–10:00 0/1:1 | 10:00–10:10 0/1:1",
		},
		"until midnight": {
			rowsOf(ScheduleRow{Weekday: 1, StartTime: "23:00", EndTime: "24:00", SlotMinutes: 30, Capacity: 1}), monday, nil,
			nil, early, "23:00–23:30 0/1:1 | 23:30–24:00 0/1:1",
		},
		"before hours change":     {changing(), monday, nil, nil, early, "09:00–10:00 0/1:1"},
		"on the day hours change": {changing(), "2026-11-23", nil, nil, early, "13:00–14:00 0/5:5"},
		"29 February": {
			rowsOf(ScheduleRow{Weekday: 2, StartTime: "09:00", EndTime: "09:30", SlotMinutes: 30, Capacity: 1}), "2028-02-29",
			nil, nil, early, "09:00–09:30 0/1:1",
		},
		"booked and overridden": {
			rowsOf(morning), monday, nil,
			[]SlotRow{{1, monday, "09:00", "09:30", 1, nil}, {1, monday, "09:30", "10:00", 1, new(5)}}, early,
			"09:00–09:30 1/2:1 | 09:30–10:00 1/5:4*",
		},
		"below what is booked": {
			rowsOf(morning), monday, nil, []SlotRow{{1, monday, "09:00", "09:30", 2, new(1)}}, early,
			"09:00–09:30 2/1:0* | 09:30–10:00 0/2:2",
		},
		"another service's rows": {
			rowsOf(morning), monday, nil, []SlotRow{{2, monday, "09:00", "09:30", 2, nil}}, early,
			"09:00–09:30 0/2:2 | 09:30–10:00 0/2:2",
		},
		"a holiday": {
			rowsOf(morning), monday, []Closure{closedOn(monday, "", "", "หยุด")}, nil, early, "closed | หยุด",
		},
		"a holiday with a booking": {
			rowsOf(morning), monday, []Closure{closedOn(monday, "", "", "หยุด")},
			[]SlotRow{{1, monday, "09:00", "09:30", 1, nil}}, early, "closed | หยุด | 09:00–09:30 1/2:0x",
		},
		"a part of the day": {
			rowsOf(morning), monday, []Closure{closedOn(monday, "09:15", "09:30", "ประชุม")}, nil, early,
			"ประชุม | 09:30–10:00 0/2:2",
		},
		"a closure that touches only": {
			rowsOf(morning), monday, []Closure{closedOn(monday, "10:00", "12:00", "ประชุม")}, nil, early,
			"ประชุม | 09:00–09:30 0/2:2 | 09:30–10:00 0/2:2",
		},
		"another service's closure": {
			rowsOf(morning), monday,
			[]Closure{{ClosureFields: ClosureFields{DateFrom: monday, DateTo: monday, Reason: "อื่น", ServiceIDs: []int64{7}}}},
			nil, early, "09:00–09:30 0/2:2 | 09:30–10:00 0/2:2",
		},
		"hours that are gone, booked": {
			rowsOf(morning), monday, nil, []SlotRow{{1, monday, "14:00", "14:30", 1, new(4)}}, early,
			"09:00–09:30 0/2:2 | 09:30–10:00 0/2:2 | 14:00–14:30 1/4:0*x",
		},
		"hours that are gone, unbooked": {
			rowsOf(morning), monday, nil, []SlotRow{{1, monday, "14:00", "14:30", 0, new(4)}}, early,
			"09:00–09:30 0/2:2 | 09:30–10:00 0/2:2",
		},
		"while it is half past nine": {
			rowsOf(morning), monday, nil, nil, Moment{monday, 9*60 + 30}, "09:00–09:30 0/2:0< | 09:30–10:00 0/2:2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terms := BookingTerms{Now: c.now, WindowDays: 730}
			if got := shown(c.service.Day(c.date, c.closures, c.rows, terms)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	inactive := rowsOf(morning)
	inactive.Active = false
	terms := BookingTerms{Now: early, WindowDays: 30}
	if got := shown(inactive.Day(monday, nil, nil, terms)); got != "09:00–09:30 0/2:0 | 09:30–10:00 0/2:0" {
		t.Errorf("a service that takes no bookings offers %s", got)
	}
}

// changing is open on Monday mornings until the 22nd, and on Monday afternoons from the 23rd.
func changing() Service {
	return rowsOf(
		ScheduleRow{
			Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 60, Capacity: 1, ValidTo: new("2026-11-22"),
		},
		ScheduleRow{
			Weekday: 1, StartTime: "13:00", EndTime: "14:00", SlotMinutes: 60, Capacity: 5, ValidFrom: new("2026-11-23"),
		})
}

func closedOn(date, start, end, reason string) Closure {
	f := ClosureFields{DateFrom: date, DateTo: date, Reason: reason}
	if start != "" {
		f.StartTime, f.EndTime = &start, &end
	}
	return Closure{ClosureFields: f}
}

func TestCapacityMatchesOpenSlots(t *testing.T) {
	t.Parallel()
	s := rowsOf(
		ScheduleRow{Weekday: 1, StartTime: "08:00", EndTime: "10:15", SlotMinutes: 30, Capacity: 3},
		ScheduleRow{Weekday: 1, StartTime: "13:00", EndTime: "16:00", SlotMinutes: 20, Capacity: 2},
		ScheduleRow{
			Weekday: 1, StartTime: "18:00", EndTime: "20:00", SlotMinutes: 60, Capacity: 5, ValidFrom: new("2026-11-20"),
		},
	)
	const early, late = "2026-11-16", "2026-11-23"
	allDay := Closure{ClosureFields: ClosureFields{DateFrom: early, DateTo: early, Reason: "หยุด"}}
	part := Closure{
		ClosureFields: ClosureFields{
			DateFrom: early, DateTo: early, StartTime: new("13:30"), EndTime: new("14:10"), Reason: "ประชุม",
		},
	}
	other := Closure{ClosureFields: ClosureFields{DateFrom: early, DateTo: early, ServiceIDs: []int64{2}, Reason: "อื่น"}}
	override := func(date, start string, booked, capacity int) SlotRow {
		return SlotRow{ServiceID: 1, Date: date, StartTime: start, EndTime: start, Booked: booked, Capacity: &capacity}
	}
	for name, c := range map[string]struct {
		date     string
		closures []Closure
		rows     []SlotRow
		want     int
	}{
		"the weekly rows, with a short last slot": {early, nil, nil, 5*3 + 9*2},
		"a row that counts from a date":           {late, nil, nil, 5*3 + 9*2 + 2*5},
		"a day without hours":                     {"2026-11-17", nil, nil, 0},
		"closed all day":                          {early, []Closure{allDay}, nil, 0},
		"closed for a part of the day":            {early, []Closure{part}, nil, 5*3 + 6*2},
		"another service is closed":               {early, []Closure{other}, nil, 5*3 + 9*2},
		"a slot with more": {
			early, nil, []SlotRow{override(early, "08:30", 1, 10)}, 5*3 + 9*2 + 7,
		},
		"a slot with none":          {early, nil, []SlotRow{override(early, "08:30", 1, 0)}, 5*3 + 9*2 - 3},
		"an override off the hours": {early, nil, []SlotRow{override(early, "11:00", 1, 9)}, 5*3 + 9*2},
		"an override in a closed slot with a booking": {
			early, []Closure{part}, []SlotRow{override(early, "13:40", 1, 9)}, 5*3 + 6*2,
		},
		"an override of another day": {early, nil, []SlotRow{override(late, "08:30", 1, 10)}, 5*3 + 9*2},
	} {
		if got := s.Capacity(c.date, c.closures, c.rows); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		sum := 0
		for _, slot := range s.ScheduledSlots(c.date, c.closures, c.rows).Slots {
			if !slot.Closed {
				sum += slot.Capacity
			}
		}
		if sum != c.want {
			t.Errorf("%s: the slots take %d, want %d", name, sum, c.want)
		}
	}
}

func TestSlotsToChange(t *testing.T) {
	t.Parallel()
	const monday, tuesday = "2026-11-16", "2026-11-17"
	s := rowsOf(ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2})
	closed := []Closure{closedOn(monday, "", "", "ปิด")}
	override := []SlotRow{{1, monday, "09:30", "10:00", 0, new(5)}}
	booked := []SlotRow{{1, monday, "09:00", "09:30", 1, nil}}
	outside := []SlotRow{{1, tuesday, "13:00", "13:30", 0, new(5)}} // not in the weekly rows
	week := CapacityChange{DateRange: DateRange{DateFrom: monday, DateTo: "2026-11-20"}}
	with := func(edit func(*CapacityChange)) CapacityChange {
		ch := week
		edit(&ch)
		return ch
	}
	set := with(func(ch *CapacityChange) { ch.Capacity = new(1) })
	for name, c := range map[string]struct {
		change   CapacityChange
		closures []Closure
		rows     []SlotRow
		want     string
	}{
		"set on an open day":            {set, nil, nil, "09:00–09:30 0/2:0 | 09:30–10:00 0/2:0"},
		"set on a closed day":           {set, closed, override, ""},
		"set on a closed, booked day":   {set, closed, booked, "closed | ปิด | 09:00–09:30 1/2:0x"},
		"set outside the weekly rows":   {set, closed, outside, ""},
		"reset on an open day":          {week, nil, override, "09:00–09:30 0/2:0 | 09:30–10:00 0/5:0*"},
		"reset on a closed day":         {week, closed, override, "closed | ปิด | 09:30–10:00 0/5:0*x"},
		"nothing to reset":              {week, closed, nil, ""},
		"reset outside the weekly rows": {week, closed, outside, "13:00–13:30 0/5:0*x"},
		"one start": {
			with(func(ch *CapacityChange) { ch.StartTime = new("09:30") }), nil, nil, "09:30–10:00 0/2:0",
		},
		"another start": {
			with(func(ch *CapacityChange) { ch.StartTime = new("09:15") }), closed, override, "",
		},
		"another weekday": {with(func(ch *CapacityChange) { ch.Weekdays = []int{3} }), closed, override, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range s.SlotsToChange(c.change, c.closures, c.rows) {
				got = append(got, shown(d))
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestDayStartsAtMidnightInBangkok(t *testing.T) {
	t.Parallel()
	for utc, want := range map[string]Moment{
		"2026-11-15T16:59:00Z": {"2026-11-15", 23*60 + 59},
		"2026-11-15T17:00:00Z": {"2026-11-16", 0},
		"2028-02-28T17:00:00Z": {"2028-02-29", 0},
		"2026-12-31T17:30:00Z": {"2027-01-01", 30},
	} {
		at, err := time.Parse(time.RFC3339, utc)
		if err != nil {
			t.Fatal(err)
		}
		if got := MomentOf(at); got != want {
			t.Errorf("%s is %+v, want %+v", utc, got, want)
		}
	}
	if got := (Moment{"2026-12-31", 23*60 + 50}).Add(15); got != (Moment{"2027-01-01", 5}) {
		t.Errorf("a quarter of an hour later it is %+v", got)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	const monday = "2026-11-16"
	s := rowsOf(ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2})
	now := Moment{monday, 9*60 + 10}
	rules := BookingTerms{Now: now, WindowDays: 30, LeadMinutes: 60}
	for name, c := range map[string]struct {
		date, start string
		walkIn      bool
		service     Service
		closures    []Closure
		want        Code
	}{
		"next Monday":                {"2026-11-23", "09:00", false, s, nil, ""},
		"yesterday":                  {"2026-11-15", "09:00", false, s, nil, SlotPast},
		"a moment ago":               {monday, "09:00", false, s, nil, SlotPast},
		"a moment ago, walking in":   {monday, "09:00", true, s, nil, ""},
		"too soon":                   {monday, "09:30", false, s, nil, OutOfWindow},
		"too soon, walking in":       {monday, "09:30", true, s, nil, ""},
		"the last day of the window": {"2026-12-14", "09:00", false, s, nil, ""},
		"beyond the window":          {"2026-12-21", "09:00", false, s, nil, OutOfWindow},
		"between two slots":          {"2026-11-23", "09:15", false, s, nil, OutOfSchedule},
		"a day off":                  {"2026-11-24", "09:00", false, s, nil, OutOfSchedule},
		"a holiday": {
			"2026-11-23", "09:00", false, s, []Closure{closedOn("2026-11-23", "", "", "หยุด")}, SlotClosed,
		},
		"a day off that is a holiday": {
			"2026-11-24", "09:00", false, s, []Closure{closedOn("2026-11-24", "", "", "หยุด")}, SlotClosed,
		},
		"beside a closed hour": {
			"2026-11-23", "09:00", false, s, []Closure{closedOn("2026-11-23", "09:30", "10:00", "ประชุม")}, "",
		},
		"a service that takes no more": {
			"2026-11-23", "09:00", false, Service{ID: 1, ServiceFields: ServiceFields{Schedule: s.Schedule}}, nil, SlotClosed,
		},
		"a service with its own window": {"2026-12-14", "09:00", false, withRules(s, 7, 0), nil, OutOfWindow},
		"a service without a lead time": {monday, "09:30", false, withRules(s, 7, 0), nil, ""},
		"a past day comes before others": {
			"2026-11-15", "03:00", false, s, []Closure{closedOn("2026-11-15", "", "", "หยุด")}, SlotPast,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terms := rules
			terms.WalkIn = c.walkIn
			slot, err := c.service.Open(c.date, c.start, c.closures, terms)
			if err == nil {
				if c.want != "" || slot.Capacity != 2 || slot.EndTime == "" {
					t.Errorf("got %+v, want %s", slot, c.want)
				}
				return
			}
			if CodeOf(err) != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestSlotState checks the order of the rules. If several match, the first of PAST, TOO_LATE, TOO_SOON,
// CLOSED, FULL, FREE wins.
func TestSlotState(t *testing.T) {
	t.Parallel()
	const monday, next, far = "2026-11-16", "2026-11-23", "2026-12-21"
	s := rowsOf(ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2})
	inactive := s
	inactive.Active = false
	booked := func(date string, n int) []SlotRow { return []SlotRow{{1, date, "09:30", "10:00", n, nil}} }
	terms := BookingTerms{Now: Moment{monday, 9*60 + 10}, WindowDays: 30, LeadMinutes: 60}
	walkIn := terms
	walkIn.WalkIn = true
	running := walkIn
	running.Now.Clock = 9*60 + 59
	over := walkIn
	over.Now.Clock = 10 * 60
	for name, c := range map[string]struct {
		service Service
		date    string
		closed  bool
		rows    []SlotRow
		terms   BookingTerms
		want    SlotState
		left    int
	}{
		"free":                             {s, next, false, booked(next, 1), terms, StateFree, 1},
		"full":                             {s, next, false, booked(next, 2), terms, StateFull, 0},
		"more than full":                   {s, next, false, booked(next, 3), terms, StateFull, 0},
		"closed, and full":                 {s, next, true, booked(next, 2), terms, StateClosed, 0},
		"a service that takes no bookings": {inactive, next, false, nil, terms, StateClosed, 0},
		"too soon, closed and full":        {s, monday, true, booked(monday, 2), terms, StateTooSoon, 0},
		"too soon":                         {s, monday, false, nil, terms, StateTooSoon, 0},
		"too soon, walking in":             {s, monday, false, nil, walkIn, StateFree, 2},
		"too soon and full, walking in":    {s, monday, false, booked(monday, 2), walkIn, StateFull, 0},
		"the service needs no lead time":   {withRules(s, 30, 0), monday, false, nil, terms, StateFree, 2},
		"the service needs more": {
			withRules(s, 30, 8*24*60), next, false, nil, terms, StateTooSoon, 0,
		},
		"the last day of the window": {s, "2026-12-14", false, nil, terms, StateFree, 2},
		"too late, closed and full":  {s, far, true, booked(far, 2), terms, StateTooLate, 0},
		"too late, walking in":       {s, far, false, nil, walkIn, StateTooLate, 0},
		"too late for the service":   {withRules(s, 6, 0), next, false, nil, terms, StateTooLate, 0},
		"past, closed and full": {
			s, "2026-11-09", true, booked("2026-11-09", 2), terms, StatePast, 0,
		},
		"past in a service that takes no bookings": {inactive, "2026-11-09", false, nil, terms, StatePast, 0},
		"running": {
			s, monday, false, nil, BookingTerms{Now: running.Now}, StatePast, 0,
		},
		"running, walking in": {s, monday, false, nil, running, StateFree, 2},
		"over, walking in":    {s, monday, false, nil, over, StatePast, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var closures []Closure
			if c.closed {
				closures = []Closure{closedOn(c.date, "09:30", "10:00", "ประชุม")}
			}
			slots := c.service.Day(c.date, closures, c.rows, c.terms).Slots
			slot := slots[len(slots)-1]
			if slot.StartTime != "09:30" || slot.State != c.want || slot.Available != c.left {
				t.Errorf("got %+v, want %s with %d", slot, c.want, c.left)
			}
		})
	}
}

// TestOpenMatchesState compares Open with the state of every slot of random days: Open succeeds exactly if
// the state is FREE or FULL, and otherwise returns the error of the state.
func TestOpenMatchesState(t *testing.T) {
	t.Parallel()
	codes := map[SlotState]Code{
		StateFree: "", StateFull: "", StatePast: SlotPast, StateTooSoon: OutOfWindow, StateTooLate: OutOfWindow,
		StateClosed: SlotClosed,
	}
	seen := map[SlotState]int{}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		now := Moment{AddDays("2026-11-16", rng.IntN(7)), Clock(rng.IntN(24 * 60))}
		date := AddDays(now.Date, rng.IntN(12)-1)
		start := 6 + rng.IntN(12)
		s := rowsOf(ScheduleRow{
			Weekday: WeekdayOf(date), StartTime: fmt.Sprintf("%02d:00", start),
			EndTime:     fmt.Sprintf("%02d:%02d", start+1+rng.IntN(4), rng.IntN(60)),
			SlotMinutes: 10 + rng.IntN(50), Capacity: 1 + rng.IntN(2),
		})
		s.Active = rng.IntN(6) > 0
		if rng.IntN(3) == 0 {
			s = withRules(s, rng.IntN(12), rng.IntN(3)*rng.IntN(24*60))
		}
		var closures []Closure
		if rng.IntN(3) == 0 {
			at := start + rng.IntN(4)
			closures = append(closures,
				closedOn(date, fmt.Sprintf("%02d:00", at), fmt.Sprintf("%02d:30", at), "ประชุม"))
		}
		var rows []SlotRow
		for _, slot := range s.weekly(date) {
			if rng.IntN(2) == 0 {
				rows = append(rows, SlotRow{
					ServiceID: 1, Date: date, StartTime: slot.StartTime, EndTime: slot.EndTime, Booked: rng.IntN(3),
				})
			}
		}
		terms := BookingTerms{
			Now: now, WindowDays: rng.IntN(14), LeadMinutes: rng.IntN(2) * rng.IntN(48*60), WalkIn: rng.IntN(2) == 0,
		}
		for _, slot := range s.Day(date, closures, rows, terms).Slots {
			seen[slot.State]++
			if _, err := s.Open(date, slot.StartTime, closures, terms); err == nil && codes[slot.State] != "" ||
				err != nil && CodeOf(err) != codes[slot.State] {
				t.Fatalf("seed %d: %s %+v is %s, Open returns %v", seed, date, terms, slot.State, err)
			}
			if left := max(0, slot.Capacity-slot.Booked); (slot.State == StateFree) != (slot.Available > 0) ||
				slot.Available > 0 && slot.Available != left {
				t.Fatalf("seed %d: %+v", seed, slot)
			}
		}
	}
	for _, state := range SlotStates {
		if seen[state] < 100 {
			t.Errorf("only %d slots were %s", seen[state], state)
		}
	}
}

func withRules(s Service, window, lead int) Service {
	s.BookingWindowDays, s.LeadMinutes = &window, &lead
	return s
}

func TestScheduleRowsMustNotOverlap(t *testing.T) {
	t.Parallel()
	row := func(day int, start, end, from, to string) ScheduleRow {
		r := ScheduleRow{Weekday: day, StartTime: start, EndTime: end, SlotMinutes: 30, Capacity: 1}
		if from != "" {
			r.ValidFrom = &from
		}
		if to != "" {
			r.ValidTo = &to
		}
		return r
	}
	for name, c := range map[string]struct {
		rows []ScheduleRow
		want string
	}{
		"after each other": {
			[]ScheduleRow{row(1, "09:00", "12:00", "", ""), row(1, "12:00", "16:00", "", "")}, "",
		},
		"overlapping": {
			[]ScheduleRow{row(1, "09:00", "12:00", "", ""), row(1, "11:30", "16:00", "", "")}, "schedule[1].startTime",
		},
		"on other days": {
			[]ScheduleRow{row(1, "09:00", "12:00", "", ""), row(2, "09:00", "12:00", "", "")}, "",
		},
		"one after the other is over": {
			[]ScheduleRow{row(1, "09:00", "12:00", "", "2026-11-30"), row(1, "09:00", "12:00", "2026-12-01", "")}, "",
		},
		"valid together for one day": {
			[]ScheduleRow{row(1, "09:00", "12:00", "", "2026-12-01"), row(1, "09:00", "12:00", "2026-12-01", "")},
			"schedule[1].startTime",
		},
		"backwards":       {[]ScheduleRow{row(1, "12:00", "09:00", "", "")}, "schedule[0].endTime"},
		"no time":         {[]ScheduleRow{row(1, "9:00", "12:00", "", "")}, "schedule[0].startTime"},
		"25 o'clock":      {[]ScheduleRow{row(1, "09:00", "25:00", "", "")}, "schedule[0].endTime"},
		"beyond midnight": {[]ScheduleRow{row(1, "09:00", "24:01", "", "")}, "schedule[0].endTime"},
		"no day":          {[]ScheduleRow{row(7, "09:00", "12:00", "", "")}, "schedule[0].weekday"},
		"no date":         {[]ScheduleRow{row(1, "09:00", "12:00", "2026-02-29", "")}, "schedule[0].validFrom"},
		"dates backwards": {[]ScheduleRow{row(1, "09:00", "12:00", "2026-12-02", "2026-12-01")}, "schedule[0].validTo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := NewService
			f.Code, f.Name, f.Schedule = "GP", "คลินิก", c.rows
			err := f.Clean().Validate()
			var got []string
			if e, ok := err.(*Error); ok { //nolint:errorlint // straight from Validate
				for _, field := range e.Fields {
					got = append(got, field.Field)
				}
			}
			if c.want == "" && err != nil || c.want != "" && !slices.Contains(got, c.want) {
				t.Errorf("wrong fields %v, want %q", got, c.want)
			}
		})
	}
}
