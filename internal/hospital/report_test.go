package hospital

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFiscalYear(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]int{
		"2026-09-30": 2569, "2026-10-01": 2570, "2026-10-31": 2570, "2026-11-15": 2570, "2026-12-31": 2570,
		"2027-01-01": 2570, "2027-02-28": 2570, "2027-09-30": 2570, "2027-10-01": 2571, "2024-02-29": 2567,
	} {
		if got := FiscalYear(date); got != want {
			t.Errorf("%s lies in %d, want %d", date, got, want)
		}
	}
}

func TestLeadTimeGroups(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]string{
		-3: "0", 0: "0", 1: "1-7", 7: "1-7", 8: "8-30", 30: "8-30", 31: "31-90", 90: "31-90", 91: "91+", 4000: "91+",
	} {
		if got := LeadTime(days); got != want {
			t.Errorf("%d days are %q, want %q", days, got, want)
		}
		if name := LeadTimeName(want); name.TH == "" || name.EN == "" {
			t.Errorf("%s has no name", want)
		}
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times Times
		want  string
	}{
		"nothing":                      {Times{}, "0 – –"},
		"one":                          {Times{70: 1}, "1 70 70"},
		"two: the median is the lower": {Times{10: 1, 20: 1}, "2 10 20"},
		"three":                        {Times{10: 1, 20: 1, 30: 1}, "3 20 30"},
		"ten: nine are within":         {Times{1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 100: 1}, "10 5 9"},
		"eleven: ten are within": {
			Times{1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 100: 1}, "11 6 10",
		},
		"many of one length":            {Times{60: 99, 3600: 1}, "100 60 60"},
		"nobody waited":                 {Times{0: 5}, "5 0 0"},
		"one in ten is beyond the last": {Times{5: 89, 500: 11}, "100 5 500"},
	} {
		if got := spread(c.times.Spread()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func spread(s Spread) string {
	text := func(v *int) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprint(*v)
	}
	return fmt.Sprintf("%d %s %s", s.Count, text(s.Median), text(s.P90))
}

// At least the given share of the values is within a percentile, and less within any smaller value.
func TestPercentilesOfRandomTimes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var all []int
		times := Times{}
		for range 1 + rng.IntN(60) {
			l := rng.IntN(1 + rng.IntN(500))
			all = append(all, l)
			times[l]++
		}
		got := times.Spread()
		for percent, v := range map[int]int{50: *got.Median, 90: *got.P90} {
			within, shorter := 0, 0
			for _, l := range all {
				if l <= v {
					within++
				}
				if l < v {
					shorter++
				}
			}
			if !slices.Contains(all, v) || within*100 < percent*len(all) || shorter*100 >= percent*len(all) {
				t.Fatalf("%d%% of %v is %d", percent, all, v)
			}
		}
	}
}

func TestRateOfZero(t *testing.T) {
	t.Parallel()
	if r := Rate(0, 0); r != nil {
		t.Errorf("0 of 0 is %v", *r)
	}
	if r := Rate(3, 12); r == nil || *r != 0.25 {
		t.Errorf("3 of 12 is %v", r)
	}
	if r := Rate(0, 5); r == nil || *r != 0 {
		t.Errorf("0 of 5 is %v", r)
	}
}

// used formats a report in short form: rows, total and heat map.
func used(r UtilizationReport) string {
	var parts []string
	for _, row := range r.Rows {
		parts = append(parts, fmt.Sprintf("%s%s %d/%d", row.Key, row.Name, row.Booked, row.Capacity))
	}
	parts = append(parts, fmt.Sprintf("all %d/%d", r.Total.Booked, r.Total.Capacity))
	for _, c := range r.Heat {
		parts = append(parts, fmt.Sprintf("%d@%d %d/%d", c.Weekday, c.Hour, c.Booked, c.Capacity))
	}
	return strings.Join(parts, ", ")
}

func TestUtilization(t *testing.T) {
	t.Parallel()
	// Monday and Sunday from nine to ten, two slots of two seats.
	week := func() Service {
		return rowsOf(ScheduleRow{Weekday: 1, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2},
			ScheduleRow{Weekday: 0, StartTime: "09:00", EndTime: "10:00", SlotMinutes: 30, Capacity: 2})
	}
	deleted, young := week(), week()
	deleted.Active = false
	young.CreatedAt = time.Date(2026, 11, 16, 17, 0, 0, 0, time.UTC) // 00:00 on Tuesday in Bangkok
	row := func(date, start string, booked int, capacity *int) SlotRow {
		return SlotRow{ServiceID: 1, Date: date, StartTime: start, EndTime: "23:00", Booked: booked, Capacity: capacity}
	}
	closed := func(date string, start, end *string) Closure {
		return Closure{ClosureFields: ClosureFields{DateFrom: date, DateTo: date, StartTime: start, EndTime: end}}
	}
	const monday, sunday = "2026-11-16", "2026-11-22"
	for name, c := range map[string]struct {
		service  Service
		by       GroupBy
		closures []Closure
		rows     []SlotRow
		want     string
	}{
		"nobody came": {week(), ByService, nil, nil, "1 0/8, all 0/8, 1@9 0/4, 0@9 0/4"},
		"some came": {
			week(), ByDay, nil, []SlotRow{row(monday, "09:00", 1, nil), row(sunday, "09:30", 2, nil)},
			"2026-11-16 1/4, 2026-11-22 2/4, all 3/8, 1@9 1/4, 0@9 2/4",
		},
		"a week begins on Monday": {
			week(), ByWeekday, nil, []SlotRow{row(sunday, "09:30", 2, nil)}, "1 0/4, 0 2/4, all 2/8, 1@9 0/4, 0@9 2/4",
		},
		"by month and by fiscal year": {week(), ByMonth, nil, nil, "2026-11 0/8, all 0/8, 1@9 0/4, 0@9 0/4"},
		"a capacity of its own": {
			week(), ByFiscalYear, nil, []SlotRow{row(monday, "09:00", 1, new(5))}, "2570 1/11, all 1/11, 1@9 1/7, 0@9 0/4",
		},
		"a slot that takes nobody any more": {
			week(), ByHour, nil, []SlotRow{row(monday, "09:00", 0, new(0))}, "09 0/6, all 0/6, 1@9 0/2, 0@9 0/4",
		},
		"overbooked is above one": {
			week(), ByHour, nil, []SlotRow{row(monday, "09:00", 3, nil)}, "09 3/8, all 3/8, 1@9 3/4, 0@9 0/4",
		},
		"a closed day offers nothing": {
			week(), ByDay, []Closure{closed(monday, nil, nil)}, nil, "2026-11-22 0/4, all 0/4, 0@9 0/4",
		},
		"but the seats that are still held in it": {
			week(), ByDay, []Closure{closed(monday, nil, nil)}, []SlotRow{row(monday, "09:00", 1, nil)},
			"2026-11-16 1/1, 2026-11-22 0/4, all 1/5, 1@9 1/1, 0@9 0/4",
		},
		"a closed half hour": {
			week(), ByDay, []Closure{closed(monday, new("09:30"), new("12:00"))}, nil,
			"2026-11-16 0/2, 2026-11-22 0/4, all 0/6, 1@9 0/2, 0@9 0/4",
		},
		"seats in hours that there are no more": {
			week(), ByHour, nil, []SlotRow{row(monday, "17:15", 2, nil)}, "09 0/8, 17 2/2, all 2/10, 1@9 0/4, 1@17 2/2, 0@9 0/4",
		},
		"an inactive service without bookings": {deleted, ByService, nil, nil, "all 0/0"},
		"a service that stopped, until its last": {
			deleted, ByService, nil, []SlotRow{row(monday, "09:00", 1, nil), row(sunday, "09:00", 0, nil)},
			"1 1/4, all 1/4, 1@9 1/4",
		},
		"a service that was added since": {young, ByDay, nil, nil, "2026-11-22 0/4, all 0/4, 0@9 0/4"},
		"and whose seats were held before": {
			young, ByDay, nil, []SlotRow{row(monday, "09:00", 1, nil)},
			"2026-11-16 1/4, 2026-11-22 0/4, all 1/8, 1@9 1/4, 0@9 0/4",
		},
		"rows of another service are ignored": {
			week(), ByService, nil, []SlotRow{{ServiceID: 2, Date: monday, StartTime: "09:00", EndTime: "09:30", Booked: 2}},
			"1 0/8, all 0/8, 1@9 0/4, 0@9 0/4",
		},
	} {
		q := ReportQuery{DateFrom: monday, DateTo: sunday}
		got := used(Utilization(q, c.by, []Service{c.service}, c.closures, c.rows))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestNoShowReport(t *testing.T) {
	t.Parallel()
	services := []Service{
		{ID: 7, ServiceFields: ServiceFields{Name: "ตา"}}, {ID: 3, ServiceFields: ServiceFields{Name: "ฟัน"}},
	}
	var counts []VisitCount
	for i, s := range AppointmentStatuses { // 1, 2, 4, ... of each status
		counts = append(counts, VisitCount{
			ServiceID: []int64{3, 7}[i%2], Date: "2026-11-16", BookedOn: "2026-11-09", Status: s, Count: 1 << i,
		})
	}
	r := NoShows(ReportQuery{DateFrom: "2026-11-01", DateTo: "2026-11-30"}, ByService, services, counts)
	// CHECKED_IN 16, IN_SERVICE 32, COMPLETED 64, NO_SHOW 128.
	if r.Total.Due != 240 || r.Total.NoShow != 128 || *r.Total.Rate != 128.0/240 {
		t.Errorf("%+v", r.Total)
	}
	if len(r.Rows) != 2 || r.Rows[0].Name != "ตา" || r.Rows[0].Due != 32+128 || r.Rows[1].Key != "3" ||
		r.Rows[1].Due != 16+64 || *r.Rows[1].Rate != 0 {
		t.Errorf("%+v", r.Rows)
	}
	if r := NoShows(ReportQuery{}, ByLeadTime, services, counts); len(r.Rows) != 1 || r.Rows[0].Key != "1-7" ||
		r.Rows[0].Due != 240 {
		t.Errorf("%+v", r.Rows)
	}
	if r := NoShows(ReportQuery{}, ByMonth, services, nil); r.Rows == nil || r.Total.Rate != nil {
		t.Errorf("%+v", r)
	}
}

func TestReportPeriodLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, field string }{
		"a day":                {"2026-11-15", "2026-11-15", ""},
		"five years":           {"2021-10-01", "2026-09-30", ""},
		"more than five years": {"2021-10-01", "2026-10-10", "dateTo"},
		"the wrong way round":  {"2026-11-15", "2026-11-14", "dateTo"},
		"no first day":         {"", "2026-11-14", "dateFrom"},
		"no such day":          {"2026-11-01", "2026-11-31", "dateTo"},
		"a Buddhist year":      {"2569-11-01", "2026-11-30", "dateFrom"},
	} {
		err := ReportQuery{DateFrom: c.from, DateTo: c.to}.Validate()
		var e *Error
		if errors.As(err, &e) != (c.field != "") || e != nil && e.Fields[0].Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}
