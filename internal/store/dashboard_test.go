package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// fillDays adds appointments with random statuses that fit their day.
func fillDays(
	ctx context.Context, t testing.TB, db *store.DB, from, to string,
	services []hospital.Service, people []hospital.Patient,
) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	coming := []hospital.AppointmentStatus{
		hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Booked, hospital.Confirmed, hospital.Cancelled,
	}
	over := []hospital.AppointmentStatus{
		hospital.Completed, hospital.Completed, hospital.Completed, hospital.NoShow, hospital.Cancelled,
		hospital.CheckedIn,
	}
	n := 0
	made := must[int](t)(load.Appointments(ctx, db, func(yield func(hospital.Appointment) bool) {
		for _, date := range hospital.DatesBetween(from, to) {
			for _, s := range services {
				for _, slot := range s.ScheduledSlots(date, nil, nil).Slots {
					if random.IntN(3) == 0 {
						continue
					}
					n++
					status := coming[random.IntN(len(coming))]
					if date < db.Today() || date == db.Today() && random.IntN(2) == 0 {
						status = over[random.IntN(len(over))]
					}
					a := hospital.Appointment{
						Number: fmt.Sprintf("X%06d", n), PatientID: people[random.IntN(len(people))].ID,
						Status: status, EndTime: slot.EndTime, CreatedAt: db.Now(), UpdatedAt: db.Now(),
						AppointmentFields: hospital.AppointmentFields{
							ServiceID: s.ID, Date: date, StartTime: slot.StartTime,
							Kind: hospital.KindNew, Channel: hospital.ChannelStaff, Priority: hospital.Routine,
						},
					}
					if !yield(a) {
						return
					}
				}
			}
		}
	}))
	if made < 500 {
		t.Fatalf("only %d appointments", made)
	}
}

// Every number of the dashboard equals the length of the corresponding list, and agrees with the slots and
// the calendar.
func TestDashboardMatchesLists(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		p.Clock.Advance(90 * time.Minute)
		services := []hospital.Service{clinic(ctx, t, db, "GP", 2), clinic(ctx, t, db, "DM", 1)}
		f := hospital.NewService
		f.Code, f.Name, f.RequiresApproval, f.Schedule = "EYE", "ตา", true, weekdays(60, 2)
		services = append(services, must[hospital.Service](t)(db.CreateService(ctx, f)))
		fillDays(ctx, t, db, hospital.AddDays(monday, -70), hospital.AddDays(monday, 14), services, patients(ctx, t, db, 60))
		none := 0
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: services[0].ID, Date: "2026-11-18", Capacity: &none, Force: true,
		}))
		must[hospital.Service](t)(db.UpdateService(ctx, services[1].ID, services[1].Version,
			func(f *hospital.ServiceFields) error { f.Active = false; return nil }))

		count := func(f hospital.AppointmentFilter) int {
			t.Helper()
			f.Page = hospital.Page{Page: 1, PageSize: 200}
			list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, f))
			if list.Total <= 200 && int(list.Total) != len(list.Items) {
				t.Errorf("the list has %d items and a total of %d", len(list.Items), list.Total)
			}
			return int(list.Total)
		}
		on := func(date string, statuses ...hospital.AppointmentStatus) hospital.AppointmentFilter {
			return hospital.AppointmentFilter{DateFrom: date, DateTo: date, Statuses: statuses}
		}
		seats := hospital.HoldingSeat
		for _, date := range []string{monday, "2026-11-13", "2026-11-18", "2026-11-27"} {
			d := must[store.Dashboard](t)(db.Dashboard(ctx, date))
			if d.Date != date || d.Today != monday || len(d.Trend) != 7 || len(d.Ahead) != 7 ||
				d.Trend[0].Date != hospital.AddDays(date, -7) || d.Ahead[6].Date != hospital.AddDays(date, 7) {
				t.Fatalf("%s: %+v", date, d)
			}
			if want := count(on(date)); d.Total != want || want == 0 {
				t.Errorf("%s: %d, the list has %d", date, d.Total, want)
			}
			for _, status := range hospital.AppointmentStatuses {
				got, found := d.ByStatus[status]
				if want := count(on(date, status)); got != want || !found {
					t.Errorf("%s %s: %d, the list has %d", date, status, got, want)
				}
			}
			for _, day := range d.Trend {
				got := []int{day.Booked, day.Completed, day.NoShow, day.Cancelled}
				want := []int{
					count(on(day.Date, seats...)), count(on(day.Date, hospital.Completed)),
					count(on(day.Date, hospital.NoShow)), count(on(day.Date, hospital.Cancelled)),
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %v, the lists have %v", day.Date, got, want)
				}
			}
			calendar := must[[]store.DayLoad](t)(db.Calendar(ctx, d.Ahead[0].Date, d.Ahead[6].Date, nil, nil))
			for i, load := range calendar {
				if day := d.Ahead[i]; day.Date != load.Date || day.Booked != load.Booked ||
					day.Booked != count(on(day.Date, seats...)) || day.Capacity > load.Capacity {
					t.Errorf("%+v, the calendar has %+v", day, load)
				}
			}
			for _, s := range d.Services {
				query := hospital.SlotQuery{ServiceID: s.Service.ID, Date: date}
				slots := must[[]hospital.DaySlots](t)(db.CheckSlots(ctx, query))
				load := must[hospital.Service](t)(db.Service(ctx, s.Service.ID)).Load(slots[0])
				held := on(date, seats...)
				held.ServiceIDs = []int64{s.Service.ID}
				waiting := on(date, hospital.CheckedIn)
				waiting.ServiceIDs = held.ServiceIDs
				if s.Load != load || s.Booked != count(held) || s.CheckedIn != count(waiting) {
					t.Errorf("%s %s: %+v, the slots have %+v, the lists %d and %d",
						date, s.Service.Code, s, load, count(held), count(waiting))
				}
			}
			for name, a := range map[string]hospital.Attendance{"rate": d.NoShow, "rate before": d.NoShowBefore} {
				f := hospital.AppointmentFilter{DateFrom: a.DateFrom, DateTo: a.DateTo}
				f.Statuses = []hospital.AppointmentStatus{hospital.NoShow}
				missed := count(f)
				f.Statuses = append(f.Statuses, hospital.CheckedIn, hospital.InService, hospital.Completed)
				if hospital.DaysBetween(a.DateFrom, a.DateTo) != 29 || a.DateTo >= monday ||
					a.NoShow != missed || a.Expected != count(f) || missed == 0 {
					t.Errorf("%s, %s: %+v, the lists have %d of %d", date, name, a, missed, count(f))
				}
			}
			pending := hospital.AppointmentFilter{
				DateFrom: monday, Statuses: []hospital.AppointmentStatus{hospital.Pending},
			}
			if want := count(pending); d.Alerts.Pending != want || want == 0 {
				t.Errorf("%d pending, the list has %d", d.Alerts.Pending, want)
			}
		}
	})
}

func TestDashboardClosureAlerts(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		gp, dm := clinic(ctx, t, db, "GP", 1), clinic(ctx, t, db, "DM", 1)
		people := patients(ctx, t, db, 20)
		next := 0
		book := func(s hospital.Service, date, start string) hospital.Appointment {
			next++
			return must[hospital.Appointment](t)(db.Book(ctx, visit(people[next-1], s, date, start)))
		}
		summary := func() store.Dashboard { return must[store.Dashboard](t)(db.Dashboard(ctx, monday)) }

		empty := summary()
		if empty.Total != 0 || len(empty.Services) != 2 || empty.Services[0].State != hospital.LoadOpen ||
			empty.Services[0].Capacity != 12 {
			t.Errorf("an empty day %+v", empty)
		}
		if a := empty.Alerts; a.Pending != 0 || len(a.Closures)+len(a.Full)+len(a.Waitlist) != 0 ||
			a.Closures == nil || a.Full == nil || a.Waitlist == nil {
			t.Errorf("alerts of an empty day: %+v", a)
		}

		// Closures of a day, of a part of a day, without appointments, and in the past.
		const wednesday, thursday = "2026-11-18", "2026-11-19"
		for _, at := range []string{"09:00", "09:30", "14:00"} {
			book(gp, wednesday, at)
		}
		book(dm, wednesday, "09:00")
		cancelled := book(gp, wednesday, "10:00")
		must[hospital.Appointment](t)(db.MarkStatus(ctx, cancelled.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
		book(gp, thursday, "11:30")
		book(gp, thursday, "13:00")
		noon, evening := "12:00", "16:00"
		closing := func(f hospital.ClosureFields) int64 {
			c, _, err := db.CreateClosure(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			return c.ID
		}
		all := closing(hospital.ClosureFields{DateFrom: wednesday, Reason: "แพทย์ลา", ServiceIDs: []int64{gp.ID}})
		part := closing(hospital.ClosureFields{DateFrom: thursday, StartTime: &noon, EndTime: &evening, Reason: "ไฟดับ"})
		closing(hospital.ClosureFields{DateFrom: thursday, Reason: "ไม่มีใครนัด", ServiceIDs: []int64{dm.ID}})
		closing(hospital.ClosureFields{DateFrom: "2026-11-02", DateTo: "2026-11-03", Reason: "ผ่านไปแล้ว"})
		var got []string
		for _, c := range summary().Alerts.Closures {
			got = append(got, fmt.Sprint(c.ID, c.DateFrom, c.Reason, c.Affected))
			closure := must[hospital.Closure](t)(db.Closure(ctx, c.ID))
			list := must[[]hospital.Appointment](t)(db.AffectedByClosure(ctx, closure.ClosureFields))
			if len(list) != c.Affected {
				t.Errorf("%s: %d affected, the list has %d", c.Reason, c.Affected, len(list))
			}
		}
		want := []string{fmt.Sprint(all, wednesday, "แพทย์ลา", 3), fmt.Sprint(part, thursday, "ไฟดับ", 1)}
		if !slices.Equal(got, want) {
			t.Errorf("closures %v, want %v", got, want)
		}
	})
}

func TestDashboardFullAndWaitlist(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		f := hospital.NewService
		f.Code, f.Name = "DENT", "ทันตกรรม"
		for day := 1; day <= 5; day++ {
			f.Schedule = append(f.Schedule, hospital.ScheduleRow{
				Weekday: day, StartTime: "10:00", EndTime: "11:00", SlotMinutes: 30, Capacity: 1,
			})
		}
		s := must[hospital.Service](t)(db.CreateService(ctx, f))
		people := patients(ctx, t, db, 8)
		book := func(who int, date, start string, waitlist bool) hospital.Appointment {
			in := visit(people[who], s, date, start)
			in.Waitlist = waitlist
			return must[hospital.Appointment](t)(db.Book(ctx, in))
		}
		summary := func() (store.DashboardService, store.Alerts) {
			d := must[store.Dashboard](t)(db.Dashboard(ctx, monday))
			return d.Services[0], d.Alerts
		}
		const wednesday, friday = "2026-11-18", "2026-11-20"
		seat := func(date, start, end string) store.FreeSeat {
			return store.FreeSeat{Date: date, StartTime: start, EndTime: end, Available: 1}
		}

		if got, _ := summary(); got.NextFree == nil || *got.NextFree != seat(monday, "10:00", "10:30") {
			t.Errorf("the first free seat is %+v", got.NextFree)
		}
		book(0, monday, "10:30", false)
		first := book(1, tuesday, "10:00", false)
		book(2, tuesday, "10:30", false)
		book(3, tuesday, "10:00", true)
		book(4, tuesday, "10:30", true)
		if got, alerts := summary(); got.State != hospital.LoadOpen || got.Available != 1 || len(alerts.Full) != 1 ||
			alerts.Full[0] != (store.FullAlert{Service: s.Ref(), Date: tuesday}) || len(alerts.Waitlist) != 0 {
			t.Errorf("full tomorrow: %+v %+v", got, alerts)
		}

		// At 10:10 today has no seat left, and the next two days are closed or full.
		p.Clock.Advance(70 * time.Minute)
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{DateFrom: wednesday, Reason: "หยุด"}); err != nil {
			t.Fatal(err)
		}
		none := 0
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx,
			hospital.CapacityChange{ServiceID: s.ID, Date: "2026-11-19", Capacity: &none}))
		got, alerts := summary()
		if got.State != hospital.LoadFull || len(alerts.Full) != 2 || got.NextFree == nil ||
			*got.NextFree != seat(friday, "10:00", "10:30") {
			t.Errorf("full today: %+v, next %+v, %+v", got.Load, got.NextFree, alerts.Full)
		}

		// Closed for weeks: the next seat is beyond the days that the dashboard shows.
		_, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: wednesday, DateTo: "2026-12-20", Reason: "ปรับปรุงอาคาร", ServiceIDs: []int64{s.ID},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := summary(); got.NextFree == nil || got.NextFree.Date != "2026-12-21" {
			t.Errorf("the next seat after weeks is %+v", got.NextFree)
		}
		must[hospital.Setting](t)(db.AmendSetting(ctx,
			func(f *hospital.SettingFields) error { f.BookingWindowDays = 14; return nil }))
		if got, _ := summary(); got.NextFree != nil {
			t.Errorf("next seat beyond the booking window: %+v", got.NextFree)
		}

		// A seat becomes free: two patients wait on that day, one of them for that slot.
		must[hospital.Appointment](t)(db.MarkStatus(ctx, first.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
		_, alerts = summary()
		if len(alerts.Waitlist) != 1 || len(alerts.Full) != 1 ||
			alerts.Waitlist[0] != (store.WaitlistAlert{Service: s.Ref(), Date: tuesday, Waiting: 2, Free: 1}) {
			t.Errorf("waiting lists %+v, full %+v", alerts.Waitlist, alerts.Full)
		}
		// In the evening today is over, not full.
		p.Clock.Advance(8 * time.Hour)
		if _, alerts := summary(); len(alerts.Full) != 0 {
			t.Errorf("full in the evening: %+v", alerts.Full)
		}
	})
}

func TestDashboardArrivals(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "boss", "EXECUTIVE")
		s := clinic(ctx, t, db, "GP", 3)
		people := patients(ctx, t, db, 30)
		next := 0
		book := func(date, start string) hospital.Appointment {
			next++
			return must[hospital.Appointment](t)(db.Book(ctx, visit(people[next-1], s, date, start)))
		}
		times := func(list []hospital.Appointment) (starts []string) {
			for _, a := range list {
				starts = append(starts, a.StartTime)
			}
			return starts
		}
		arrivals := func(ctx context.Context, date string) *store.Arrivals {
			return must[store.Dashboard](t)(db.Dashboard(ctx, date)).Arrivals
		}
		for _, start := range []string{"09:00", "09:00", "09:00", "09:30", "09:30", "09:30", "10:00", "13:00"} {
			book(monday, start)
		}
		arrived := book(monday, "10:00")
		must[hospital.Appointment](t)(db.MarkStatus(ctx, arrived.ID, 0, hospital.CheckedIn, ""))
		cancelled := book(monday, "10:30")
		must[hospital.Appointment](t)(db.MarkStatus(ctx, cancelled.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
		confirmed := book(monday, "11:00")
		must[hospital.Appointment](t)(db.MarkStatus(ctx, confirmed.ID, 0, hospital.Confirmed, ""))
		book(tuesday, "09:00")

		// At 09:31 only the slots that have ended are late.
		p.Clock.Advance(31 * time.Minute)
		got := arrivals(ctx, monday)
		if next := times(got.Next); !slices.Equal(next, []string{"09:30", "09:30", "09:30", "10:00", "11:00", "13:00"}) {
			t.Errorf("next %v", next)
		}
		if late := times(got.Late); !slices.Equal(late, []string{"09:00", "09:00", "09:00"}) || got.LateTotal != 3 {
			t.Errorf("late %v of %d", late, got.LateTotal)
		}
		// At 12:31 the latest five of the late ones are listed, and all are counted.
		p.Clock.Advance(3 * time.Hour)
		got = arrivals(ctx, monday)
		if late := times(got.Late); !slices.Equal(late, []string{"11:00", "10:00", "09:30", "09:30", "09:30"}) ||
			got.LateTotal != 8 || len(got.Next) != 1 {
			t.Errorf("late %v of %d, next %v", late, got.LateTotal, times(got.Next))
		}
		if got := arrivals(ctx, tuesday); len(got.Next) != 1 || got.LateTotal != 0 {
			t.Errorf("tomorrow %+v", got)
		}
		p.Clock.Advance(24 * time.Hour)
		if got := arrivals(ctx, monday); len(got.Next) != 0 || got.LateTotal != 9 || got.Late[0].StartTime != "13:00" {
			t.Errorf("yesterday %v, late %v of %d", times(got.Next), times(got.Late), got.LateTotal)
		}
		// Without APPOINTMENT.SHOW the dashboard has numbers, but no names.
		executive := must[store.Dashboard](t)(db.Dashboard(storetest.ActAs(t, db, "boss"), monday))
		if executive.Arrivals != nil || executive.Total != 11 {
			t.Errorf("without APPOINTMENT.SHOW: %+v of %d", executive.Arrivals, executive.Total)
		}
	})
}
