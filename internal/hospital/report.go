package hospital

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

// ReportQuery is the days and the services that a report is about.
type ReportQuery struct {
	DateFrom   string  `json:"dateFrom"`
	DateTo     string  `json:"dateTo"`
	ServiceIDs []int64 `json:"serviceIds,omitempty" maxItems:"500" doc:"All services when absent, also those that were deleted since"`
}

// maxReportDays bounds a report: five years show every trend a hospital looks
// for, and cannot keep a server busy for long.
const maxReportDays = 5 * 366

// Validate wants both ends, in order, at most five years apart.
func (q ReportQuery) Validate() error {
	var c Checker
	c.dates(q.DateFrom, q.DateTo, maxReportDays)
	return c.Err()
}

// GroupBy is what the rows of a report are about.
type GroupBy string

// What rows can be about.
const (
	ByService    GroupBy = "service"
	ByDay        GroupBy = "day"
	ByMonth      GroupBy = "month"
	ByFiscalYear GroupBy = "fiscalYear"
	ByWeekday    GroupBy = "weekday"
	ByHour       GroupBy = "hour"
	ByLeadTime   GroupBy = "leadTime"
	ByStaff      GroupBy = "staff"
)

// ofDate is the row a date belongs to, where rows are about dates.
func (g GroupBy) ofDate(date string) string {
	switch g {
	case ByMonth:
		return date[:len("2026-11")]
	case ByFiscalYear:
		return strconv.Itoa(FiscalYear(date))
	case ByWeekday:
		return strconv.Itoa(WeekdayOf(date))
	default:
		return date
	}
}

// FiscalYear is the year of the state's budget, in the Buddhist Era: it begins
// in October and is named after the year in which it ends.
func FiscalYear(date string) int {
	d := day(date)
	return d.AddDate(0, 3, 1-d.Day()).Year() + 543
}

// WeekdayName is the name of a day of the week, 0 for Sunday.
func WeekdayName(weekday int) Text {
	return Text{thaiWeekdays[weekday], time.Weekday(weekday).String()}
}

// leadTimes are how long before a visit it was booked, from the shortest: each
// up to so many days.
var leadTimes = []struct {
	key  string
	upTo int
	name Text
}{
	{"0", 0, Text{"วันเดียวกัน", "Same day"}},
	{"1-7", 7, Text{"1–7 วัน", "1–7 days"}},
	{"8-30", 30, Text{"8–30 วัน", "8–30 days"}},
	{"31-90", 90, Text{"31–90 วัน", "31–90 days"}},
	{"91+", 1 << 30, Text{"มากกว่า 90 วัน", "More than 90 days"}},
}

// LeadTime is the row of a visit that was booked so many days before. What was
// written down only afterwards belongs to the same day.
func LeadTime(days int) string {
	for _, l := range leadTimes {
		if days <= l.upTo {
			return l.key
		}
	}
	return ""
}

// LeadTimeName is what people call a row of lead times.
func LeadTimeName(key string) Text {
	for _, l := range leadTimes {
		if l.key == key {
			return l.name
		}
	}
	return Text{}
}

// ReportGroup is what one row of a report is about.
type ReportGroup struct {
	Key  string `json:"key" doc:"Id of the service or person (empty for nobody), 2026-11-15, 2026-11, the fiscal year in the Buddhist Era (2570), the weekday (0 is Sunday), the hour (09), or the lead time in days (0, 1-7, 8-30, 31-90, 91+)"`
	Name string `json:"name" doc:"Of the service or person; empty for other rows"`
}

// ReportFrame is what every report says of itself.
type ReportFrame struct {
	DateFrom string  `json:"dateFrom"`
	DateTo   string  `json:"dateTo"`
	GroupBy  GroupBy `json:"groupBy"`
}

// Frame is the frame of a report that answers the query.
func (q ReportQuery) Frame(by GroupBy) ReportFrame { return ReportFrame{q.DateFrom, q.DateTo, by} }

// inOrder makes a row of each thing that was found, in the order in which people
// read them: those with a name as they are listed, a week from Monday, time as
// it passes. Where nothing was found there is no row.
func inOrder[V, R any](by GroupBy, found map[string]V, names []ReportGroup, row func(ReportGroup, V) R) []R {
	place, nameOf := map[string]int{}, map[string]string{}
	switch by {
	case ByService, ByStaff:
		for i, n := range names {
			place[n.Key], nameOf[n.Key] = i, n.Name
		}
	case ByWeekday:
		for weekday := range 7 {
			place[strconv.Itoa(weekday)] = (weekday + 6) % 7
		}
	case ByLeadTime:
		for i, l := range leadTimes {
			place[l.key] = i
		}
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
	rows := make([]R, 0, len(keys))
	for _, k := range keys {
		rows = append(rows, row(ReportGroup{k, nameOf[k]}, found[k]))
	}
	return rows
}

func serviceGroups(services []Service) []ReportGroup {
	names := make([]ReportGroup, len(services))
	for i, s := range services {
		names[i] = ReportGroup{strconv.FormatInt(s.ID, 10), s.Name}
	}
	return names
}

// Rate is a part of a whole; nothing of nothing is no rate.
func Rate(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

// Seats is how many seats were offered and how many of them are held.
type Seats struct {
	Booked   int      `json:"booked"`
	Capacity int      `json:"capacity"`
	Rate     *float64 `json:"rate" doc:"booked / capacity, above 1 where overbooked; null without capacity"`
}

func (s Seats) plus(o Seats) Seats {
	return Seats{Booked: s.Booked + o.Booked, Capacity: s.Capacity + o.Capacity}
}

func (s Seats) rated() Seats {
	s.Rate = Rate(s.Booked, s.Capacity)
	return s
}

// UtilizationRow is how full the seats of a group are.
type UtilizationRow struct {
	ReportGroup
	Seats
}

// HeatCell is how full the slots are that begin in one hour of one weekday.
type HeatCell struct {
	Weekday int `json:"weekday" doc:"0 is Sunday"`
	Hour    int `json:"hour"`
	Seats
}

// UtilizationReport tells how much of what was offered is used.
type UtilizationReport struct {
	ReportFrame
	Rows  []UtilizationRow `json:"rows"`
	Total Seats            `json:"total"`
	Heat  []HeatCell       `json:"heat" doc:"By weekday and hour, of the whole period"`
}

// Utilization adds up the seats of some services, slot by slot. Held is every
// seat that is not free, also of those who did not come: it could not be given
// to anybody else.
//
// What was offered is what the weekly hours say of a day, with the capacity of
// the slot where it was changed. It is not written down day by day, so rows
// count while they are valid, and hours that were overwritten count as they are
// now. A slot that is closed, or that the hours do not have any more, offers
// nothing but the seats that are held in it: who kept their seat had one. So
// only overbooking takes a rate above one. A service offers from the day it was
// added, or the first on which somebody holds a seat if that was before; one
// that takes no bookings any more until the last such day.
func Utilization(q ReportQuery, by GroupBy, services []Service, closures []Closure, rows []SlotRow, zone *time.Location) UtilizationReport {
	of := map[int64][]SlotRow{}
	for _, r := range rows {
		of[r.ServiceID] = append(of[r.ServiceID], r)
	}
	dates := DatesBetween(q.DateFrom, q.DateTo)
	var total Seats
	found := map[string]Seats{}
	heat := map[[2]int]Seats{}
	for _, s := range services {
		for _, d := range s.Days(s.offering(dates, of[s.ID], zone), closures, of[s.ID], Moment{}) {
			weekday, key := WeekdayOf(d.Date), by.ofDate(d.Date)
			if by == ByService {
				key = strconv.FormatInt(s.ID, 10)
			}
			for _, slot := range d.Slots {
				seats := Seats{Booked: slot.Booked, Capacity: slot.Capacity}
				if slot.Closed {
					seats.Capacity = slot.Booked
				}
				if seats == (Seats{}) {
					continue
				}
				if by == ByHour {
					key = slot.StartTime[:2]
				}
				cell := [2]int{weekday, int(clockOf(slot.StartTime)) / 60}
				found[key], heat[cell], total = found[key].plus(seats), heat[cell].plus(seats), total.plus(seats)
			}
		}
	}
	r := UtilizationReport{ReportFrame: q.Frame(by), Total: total.rated(), Heat: []HeatCell{}}
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, s Seats) UtilizationRow { return UtilizationRow{g, s.rated()} })
	for cell, seats := range heat {
		r.Heat = append(r.Heat, HeatCell{cell[0], cell[1], seats.rated()})
	}
	slices.SortFunc(r.Heat, func(a, b HeatCell) int {
		return cmp.Or(cmp.Compare((a.Weekday+6)%7, (b.Weekday+6)%7), cmp.Compare(a.Hour, b.Hour))
	})
	return r
}

// offering are the days of a period on which there is, or was, such a service.
func (s Service) offering(dates []string, rows []SlotRow, zone *time.Location) []string {
	first, last := s.CreatedAt.In(zone).Format(time.DateOnly), ""
	if s.Active {
		last = dates[len(dates)-1]
	}
	for _, r := range rows {
		if r.Booked > 0 {
			first, last = min(first, r.Date), max(last, r.Date)
		}
	}
	return slices.DeleteFunc(slices.Clone(dates), func(date string) bool { return date < first || last < date })
}

// Due are the statuses of those of whom it is known whether they came.
// Cancelled visits were due nobody, and of those who wait, or whose day has not
// been closed, nothing is known yet. People who walk in count: they are in the
// clinic's day like the others.
var Due = append(slices.Clone(Came), NoShow)

// VisitCount is how many appointments of one kind there are.
type VisitCount struct {
	ServiceID int64
	Date      string
	BookedOn  string // the day in the hospital on which it was booked; only where rows are lead times
	Status    AppointmentStatus
	Count     int
}

// Turnout is how many were due and how many of them did not come.
type Turnout struct {
	Due    int      `json:"due" doc:"Those who came and those who did not; without cancelled ones and those still to come"`
	NoShow int      `json:"noShow"`
	Rate   *float64 `json:"rate" doc:"noShow / due; null when nobody was due"`
}

func (a Turnout) plus(o Turnout) Turnout {
	return Turnout{Due: a.Due + o.Due, NoShow: a.NoShow + o.NoShow}
}

func (a Turnout) rated() Turnout {
	a.Rate = Rate(a.NoShow, a.Due)
	return a
}

// NoShowRow is how many of a group did not come.
type NoShowRow struct {
	ReportGroup
	Turnout
}

// NoShowReport tells who did not come.
type NoShowReport struct {
	ReportFrame
	Rows  []NoShowRow `json:"rows"`
	Total Turnout     `json:"total"`
}

// NoShows adds up who was due; counts of other statuses are left out.
func NoShows(q ReportQuery, by GroupBy, services []Service, counts []VisitCount) NoShowReport {
	var total Turnout
	found := map[string]Turnout{}
	for _, c := range counts {
		if !slices.Contains(Due, c.Status) {
			continue
		}
		a := Turnout{Due: c.Count}
		if c.Status == NoShow {
			a.NoShow = c.Count
		}
		var key string
		switch by {
		case ByService:
			key = strconv.FormatInt(c.ServiceID, 10)
		case ByLeadTime:
			key = LeadTime(DaysBetween(c.BookedOn, c.Date))
		default:
			key = by.ofDate(c.Date)
		}
		found[key], total = found[key].plus(a), total.plus(a)
	}
	r := NoShowReport{ReportFrame: q.Frame(by), Total: total.rated()}
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, a Turnout) NoShowRow { return NoShowRow{g, a.rated()} })
	return r
}

// Times is how often each length of time occurred, in whole seconds.
type Times map[int]int

// Spread is how long something took: how often it was measured, and the lengths
// that half, and nine in ten, did not exceed.
type Spread struct {
	Count  int  `json:"count"`
	Median *int `json:"median" doc:"Seconds; null when nothing was measured"`
	P90    *int `json:"p90" doc:"Seconds; null when nothing was measured"`
}

// Spread finds the percentiles by nearest rank: each is a length that occurred.
func (t Times) Spread() Spread {
	var s Spread
	for _, n := range t {
		s.Count += n
	}
	if s.Count == 0 {
		return s
	}
	lengths := slices.Sorted(maps.Keys(t))
	at := func(percent int) *int {
		rank, passed := (percent*s.Count+99)/100, 0
		for _, l := range lengths {
			if passed += t[l]; passed >= rank {
				return &l
			}
		}
		return nil
	}
	s.Median, s.P90 = at(50), at(90)
	return s
}

// TimeCount is how often a length of time occurred in a group. Of months the
// fiscal year is made, where rows are about that.
type TimeCount struct {
	Key     string
	Seconds int
	Count   int
}

// Waiting is how long people waited and how long they were seen.
type Waiting struct {
	Wait  Spread `json:"wait" doc:"From check-in to the start"`
	Visit Spread `json:"visit" doc:"From the start to the end"`
}

// WaitingRow is how long a group waited.
type WaitingRow struct {
	ReportGroup
	Waiting
}

// WaitingReport tells how long people wait.
type WaitingReport struct {
	ReportFrame
	Rows  []WaitingRow `json:"rows"`
	Total Waiting      `json:"total"`
}

// WaitingTimes finds how long people waited, and were seen, of those who came
// and whose times were marked. A visit that was completed without a start has
// no waiting time.
func WaitingTimes(q ReportQuery, by GroupBy, services []Service, waits, visits []TimeCount) WaitingReport {
	type both struct{ waits, visits Times }
	total := both{Times{}, Times{}}
	found := map[string]both{}
	collect := func(counts []TimeCount, of func(both) Times) {
		for _, c := range counts {
			key := c.Key
			if by == ByFiscalYear {
				key = by.ofDate(c.Key + "-01")
			}
			if found[key].waits == nil {
				found[key] = both{Times{}, Times{}}
			}
			of(found[key])[c.Seconds] += c.Count
			of(total)[c.Seconds] += c.Count
		}
	}
	collect(waits, func(b both) Times { return b.waits })
	collect(visits, func(b both) Times { return b.visits })
	spread := func(b both) Waiting { return Waiting{b.waits.Spread(), b.visits.Spread()} }
	r := WaitingReport{ReportFrame: q.Frame(by), Total: spread(total)}
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, b both) WaitingRow { return WaitingRow{g, spread(b)} })
	return r
}

// StaffLoad is what somebody had to do. Assigned are the appointments that hold a
// seat; those who came, and the days on which anybody came, make the average.
type StaffLoad struct {
	Assigned     int      `json:"assigned" doc:"Without cancelled ones and those who wait for a seat"`
	Came         int      `json:"came"`
	Completed    int      `json:"completed"`
	NoShow       int      `json:"noShow"`
	Patients     int      `json:"patients" doc:"Different people who came"`
	VisitSeconds int      `json:"visitSeconds" doc:"From start to end of those completed, added up"`
	WorkingDays  int      `json:"workingDays" doc:"Days on which somebody came"`
	PerDay       *float64 `json:"perDay" doc:"came / workingDays; null without a working day"`
}

// WorkloadRow is the load of one member of staff; that of visits which are
// nobody's has no key.
type WorkloadRow struct {
	ReportGroup
	StaffLoad
}

// WorkloadReport tells who has how much to do.
type WorkloadReport struct {
	ReportFrame
	Rows  []WorkloadRow `json:"rows"`
	Total StaffLoad     `json:"total" doc:"People and days counted once, so less than the sum of the rows"`
}

// Workload puts the loads of people in the order of their names, those without
// anybody last.
func Workload(q ReportQuery, staff []StaffRef, loads map[int64]StaffLoad, total StaffLoad) WorkloadReport {
	names := make([]ReportGroup, 0, len(staff)+1)
	for _, s := range staff {
		names = append(names, ReportGroup{strconv.FormatInt(s.ID, 10), s.Name})
	}
	names = append(names, ReportGroup{})
	found := map[string]StaffLoad{}
	for id, load := range loads {
		key := ""
		if id != 0 {
			key = strconv.FormatInt(id, 10)
		}
		load.PerDay = Rate(load.Came, load.WorkingDays)
		found[key] = load
	}
	total.PerDay = Rate(total.Came, total.WorkingDays)
	r := WorkloadReport{ReportFrame: q.Frame(ByStaff), Total: total}
	r.Rows = inOrder(ByStaff, found, names, func(g ReportGroup, l StaffLoad) WorkloadRow { return WorkloadRow{g, l} })
	return r
}
