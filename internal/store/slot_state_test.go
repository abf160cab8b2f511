package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// setBooking sets the booking window and lead time of the hospital.
func setBooking(ctx context.Context, t testing.TB, db *store.DB, window, lead int) {
	t.Helper()
	must[hospital.Setting](t)(db.AmendSetting(ctx, func(f *hospital.SettingFields) error {
		f.BookingWindowDays, f.LeadMinutes = window, lead
		return nil
	}))
}

// slotsOf returns the slots of some days with their state for a kind of appointment.
func slotsOf(
	ctx context.Context, t testing.TB, db *store.DB,
	s hospital.Service, kind hospital.AppointmentKind, from, to string,
) []hospital.DaySlots {
	t.Helper()
	q := hospital.SlotQuery{ServiceID: s.ID, Kind: kind, DateRange: hospital.DateRange{DateFrom: from, DateTo: to}}
	return must[[]hospital.DaySlots](t)(db.CheckSlots(ctx, q))
}

// nextFreeOf returns the free seats suggested by an error.
func nextFreeOf(err error) []store.FreeSeat {
	var e *hospital.Error
	if !errors.As(err, &e) {
		return nil
	}
	seats, _ := e.Details["nextFree"].([]store.FreeSeat)
	return seats
}

// A slot is FREE if and only if it can be booked, with random services, closures, capacities and times.
func TestSlotStateMatchesBooking(t *testing.T) {
	t.Parallel()
	seed := randomSeed(t)
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		rng := rand.New(rand.NewPCG(seed, 2))
		people := patients(ctx, t, db, 2)
		patient, other := people[0], clinic(ctx, t, db, "OTHER", 5)
		seen, suggested := map[hospital.SlotState]int{}, 0
		try := func(in hospital.NewAppointment) error {
			a, err := db.Book(ctx, in)
			if err == nil {
				err = db.DeleteAppointment(ctx, a.ID)
			}
			return err
		}
		for round := range 12 {
			p.Clock.Advance(time.Duration(rng.IntN(9*60)) * time.Minute)
			setBooking(ctx, t, db, 5+rng.IntN(7), rng.IntN(4)*rng.IntN(16*60))
			s, today := randomService(ctx, t, db, rng, round), db.Today()
			for range 12 { // book seats for another patient and for this one
				date, start := hospital.AddDays(today, rng.IntN(6)), fmt.Sprintf("%02d:00", 6+rng.IntN(12))
				in := visit(people[1], s, date, start)
				if rng.IntN(3) == 0 {
					in = visit(patient, other, date, start)
				}
				_, _ = db.Book(ctx, in)
				capacity := rng.IntN(2)
				_, _ = db.UpdateCapacity(ctx, hospital.CapacityChange{
					ServiceID: s.ID, Date: date, StartTime: &start, Capacity: &capacity, Force: true,
				})
			}
			if rng.IntN(2) == 0 {
				from, to := fmt.Sprintf("%02d:00", 6+rng.IntN(6)), fmt.Sprintf("%02d:30", 12+rng.IntN(6))
				_, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
					DateFrom: hospital.AddDays(today, rng.IntN(4)), StartTime: &from, EndTime: &to,
					Reason: "ประชุม", ServiceIDs: []int64{s.ID},
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if rng.IntN(6) == 0 {
				s = must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version,
					func(f *hospital.ServiceFields) error { f.Active = false; return nil }))
			}
			kind := hospital.AppointmentKinds[rng.IntN(3)]
			for _, day := range slotsOf(ctx, t, db, s, kind, hospital.AddDays(today, -1), hospital.AddDays(today, 11)) {
				for _, slot := range day.Slots {
					if rng.IntN(3) > 0 {
						continue
					}
					seen[slot.State]++
					in := visit(patient, s, day.Date, slot.StartTime)
					in.Kind = kind
					err := try(in)
					if hospital.CodeOf(err) == hospital.PatientDoubleBooked {
						continue // not a property of the slot
					}
					if (err == nil) != (slot.State == hospital.StateFree) {
						t.Fatalf("round %d: %s %s is %+v for %s at %s: %v", round, s.Code, day.Date, slot, kind,
							p.Clock.Now(), err)
					}
					for _, next := range nextFreeOf(err) {
						suggested++
						in.Date, in.StartTime = next.Date, next.StartTime
						if err := try(in); err != nil {
							t.Fatalf("round %d: suggested %+v for %s after %s %s: %v", round, next, kind, day.Date,
								slot.StartTime, err)
						}
					}
				}
			}
		}
		t.Logf("%v, %d suggestions", seen, suggested)
		noFaults(ctx, t, db)
	})
}

// randomService adds a service that is open on all days and, in half of the cases, has its own booking rules.
func randomService(ctx context.Context, t testing.TB, db *store.DB, rng *rand.Rand, n int) hospital.Service {
	t.Helper()
	f := hospital.NewService
	f.Code, f.Name = fmt.Sprintf("R%d", n), "บริการ"
	minutes, capacity := 30+30*rng.IntN(3), 1+rng.IntN(2)
	for day := range 7 {
		f.Schedule = append(f.Schedule, hospital.ScheduleRow{
			Weekday: day, StartTime: "06:00", EndTime: "18:20", SlotMinutes: minutes, Capacity: capacity,
		})
	}
	if rng.IntN(2) == 0 {
		window, lead := 4+rng.IntN(8), rng.IntN(3)*rng.IntN(12*60)
		f.BookingWindowDays, f.LeadMinutes = &window, &lead
	}
	return must[hospital.Service](t)(db.CreateService(ctx, f))
}

// The hospital's lead time and booking window apply to every list of seats.
func TestLeadTimeAndBookingWindow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s, other := clinic(ctx, t, db, "GP", 1), clinic(ctx, t, db, "EYE", 1)
		people := patients(ctx, t, db, 6)
		const wednesday = "2026-11-18"
		setBooking(ctx, t, db, 2, 120)
		state := func(kind hospital.AppointmentKind, date, start string) hospital.SlotState {
			for _, slot := range slotsOf(ctx, t, db, s, kind, date, date)[0].Slots {
				if slot.StartTime == start {
					if (slot.Available > 0) != (slot.State == hospital.StateFree) {
						t.Errorf("%+v", slot)
					}
					return slot.State
				}
			}
			return ""
		}
		for _, c := range []struct {
			kind        hospital.AppointmentKind
			date, start string
			want        hospital.SlotState
		}{
			{"", monday, "10:30", hospital.StateTooSoon},
			{hospital.KindWalkIn, monday, "10:30", hospital.StateFree},
			{hospital.KindFollowUp, monday, "11:00", hospital.StateFree},
			{"", wednesday, "09:00", hospital.StateFree},
			{hospital.KindWalkIn, "2026-11-19", "09:00", hospital.StateTooLate},
		} {
			if got := state(c.kind, c.date, c.start); got != c.want {
				t.Errorf("%s %s %s is %s, want %s", c.kind, c.date, c.start, got, c.want)
			}
		}
		for _, d := range must[[]store.ServiceDay](t)(db.SlotsIn(ctx, monday, monday, []int64{s.ID})) {
			if d.Slots[3].StartTime != "10:30" || d.Slots[3].State != hospital.StateTooSoon {
				t.Errorf("calendar: %+v", d.Slots[3])
			}
		}
		d := must[store.Dashboard](t)(db.Dashboard(ctx, monday))
		if next := d.Services[0].NextFree; next == nil || next.Date != monday || next.StartTime != "11:00" ||
			d.Services[0].Available != 8 || d.Services[0].State != hospital.LoadOpen {
			t.Errorf("dashboard: %+v, next free %+v", d.Services[0].Load, next)
		}

		// Suggested seats are within the booking window and do not overlap other appointments of the patient.
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, wednesday, "14:30")))
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[1], other, wednesday, "15:00")))
		_, err := db.Book(ctx, visit(people[1], s, wednesday, "14:30"))
		wantCode(t, err, hospital.SlotFull)
		if got := nextFreeOf(err); len(got) != 1 || got[0].Date != wednesday || got[0].StartTime != "15:30" {
			t.Errorf("suggested %+v", got)
		}
		// Walk-ins are offered slots within the lead time.
		in := visit(people[0], s, monday, "10:00")
		in.Kind = hospital.KindWalkIn
		first := must[hospital.Appointment](t)(db.Book(ctx, in))
		in.PatientID = people[2].ID
		_, err = db.Book(ctx, in)
		if got := nextFreeOf(err); len(got) != 5 || got[0].StartTime != "10:30" {
			t.Errorf("suggested to a walk-in: %+v (%v)", got, err)
		}

		// Two patients wait for slots within the lead time; only the walk-in can be given a seat.
		in.Waitlist = true
		walkIn := must[hospital.Appointment](t)(db.Book(ctx, in))
		booking := visit(people[3], s, monday, "11:30")
		must[hospital.Appointment](t)(db.Book(ctx, visit(people[4], s, monday, "11:30")))
		booking.Waitlist = true
		waiting := must[hospital.Appointment](t)(db.Book(ctx, booking))
		setBooking(ctx, t, db, 2, 180)
		must[hospital.Appointment](t)(db.MarkStatus(ctx, first.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
		ten := 10
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx,
			hospital.CapacityChange{ServiceID: s.ID, Date: monday, Capacity: &ten}))
		d = must[store.Dashboard](t)(db.Dashboard(ctx, monday))
		if got := d.Alerts.Waitlist; len(got) != 1 ||
			got[0] != (store.WaitlistAlert{Service: s.Ref(), Date: monday, Waiting: 2, Free: 1}) {
			t.Errorf("waiting lists of the dashboard: %+v", got)
		}
		_, err = db.MarkStatus(ctx, waiting.ID, 0, hospital.Booked, "")
		wantCode(t, err, hospital.OutOfWindow)
		must[hospital.Appointment](t)(db.MarkStatus(ctx, walkIn.ID, 0, hospital.Booked, ""))
		noFaults(ctx, t, db)
	})
}

// The lead time applies to proposed moves, except to those of walk-ins.
func TestMoveClosedLeadTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		people := patients(ctx, t, db, 2)
		booking := must[hospital.Appointment](t)(db.Book(ctx, visit(people[0], s, monday, "10:00")))
		in := visit(people[1], s, monday, "10:30")
		in.Kind = hospital.KindWalkIn
		walkIn := must[hospital.Appointment](t)(db.Book(ctx, in))
		setBooking(ctx, t, db, 30, 5*60)
		from, to := "10:00", "11:00"
		c, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: monday, StartTime: &from, EndTime: &to, Reason: "ประชุม",
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int64]hospital.Time{
			booking.ID: {Date: monday, StartTime: "14:00"}, walkIn.ID: {Date: monday, StartTime: "11:00"},
		}
		for _, preview := range []bool{true, false} {
			moves, unplaced, err := db.MoveClosed(ctx, c.ID, preview, nil)
			if err != nil || len(moves) != 2 || len(unplaced) != 0 {
				t.Fatalf("%+v, %+v, %v", moves, unplaced, err)
			}
			for _, m := range moves {
				if m.To != want[m.AppointmentID] {
					t.Errorf("appointment %d moves to %+v, want %+v", m.AppointmentID, m.To, want[m.AppointmentID])
				}
			}
		}
		noFaults(ctx, t, db)
	})
}

// The error for a series in an inactive service is SLOT_CLOSED, not SLOT_FULL.
func TestSeriesInactiveService(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 1)
		must[hospital.Service](t)(db.UpdateService(ctx, s.ID, s.Version,
			func(f *hospital.ServiceFields) error { f.Active = false; return nil }))
		in := hospital.Series{
			NewAppointment: visit(patients(ctx, t, db, 1)[0], s, tuesday, "10:00"), EveryDays: 1, Count: 2,
		}
		_, _, err := db.BookSeries(ctx, in, false)
		wantCode(t, err, hospital.SlotClosed)
	})
}
