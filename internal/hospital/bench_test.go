package hospital

import "testing"

// The computations behind every calendar and booking: the slots of a day, the capacity of a month of twenty
// services, and status transitions.

func busyService() Service {
	s := Service{ID: 1, ServiceFields: NewService}
	for weekday := range 7 {
		for _, hours := range [][2]string{{"08:00", "12:00"}, {"13:00", "16:00"}} {
			s.Schedule = append(s.Schedule, ScheduleRow{
				Weekday: weekday, StartTime: hours[0], EndTime: hours[1], SlotMinutes: 15, Capacity: 3,
			})
		}
	}
	return s
}

func BenchmarkSlotsOfADay(b *testing.B) {
	s, taken := busyService(), []SlotRow{}
	for _, slot := range s.weekly("2026-11-16") {
		taken = append(taken, SlotRow{
			ServiceID: 1, Date: "2026-11-16", StartTime: slot.StartTime, EndTime: slot.EndTime, Booked: 2,
		})
	}
	terms := BookingTerms{Now: Moment{"2026-11-16", 10 * 60}, WindowDays: 30}
	b.ReportAllocs()
	for b.Loop() {
		if d := s.Day("2026-11-16", nil, taken, terms); len(d.Slots) != len(taken) {
			b.Fatal(len(d.Slots))
		}
	}
}

func BenchmarkCapacityOfAMonth(b *testing.B) {
	s, dates := busyService(), DatesBetween("2026-11-01", "2026-11-30")
	b.ReportAllocs()
	for b.Loop() {
		for range 20 {
			for _, date := range dates {
				if s.Capacity(date, nil, nil) != 84 {
					b.Fatal("wrong")
				}
			}
		}
	}
}

func BenchmarkShowTo(b *testing.B) {
	a := Appointment{Status: Booked, AppointmentFields: AppointmentFields{Date: "2026-11-16", StartTime: "10:00"}}
	all := NewPermissionSet(AllPermissions...)
	b.ReportAllocs()
	for b.Loop() {
		if a.SetActions(all, Moment{"2026-11-16", 600}); len(a.AllowedStatuses) == 0 {
			b.Fatal("no allowed statuses")
		}
	}
}
