package hospital

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

// ReportQuery selects the dates and services of a report.
type ReportQuery struct {
	DateFrom   string  `json:"dateFrom"`
	DateTo     string  `json:"dateTo"`
	ServiceIDs []int64 `json:"serviceIds,omitempty" maxItems:"500" doc:"All services if absent, including deleted ones"`
}

// maxReportDays limits the size of a report to five years.
const maxReportDays = 5 * 366

// Validate requires both dates, in order, at most five years apart.
func (q ReportQuery) Validate() error {
	var c Checker
	c.dates(q.DateFrom, q.DateTo, maxReportDays)
	return c.Err()
}

// GroupBy is what the rows of a report are grouped by.
type GroupBy string

// The groupings.
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

// ofDate returns the row key of a date.
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

// FiscalYear returns the Thai fiscal year of a date in the Buddhist Era. It starts in October and is named
// after the year in which it ends.
func FiscalYear(date string) int {
	d := day(date)
	return d.AddDate(0, 3, 1-d.Day()).Year() + BuddhistEra
}

// WeekdayName returns the name of a weekday, 0 for Sunday.
func WeekdayName(weekday int) Text {
	return Text{thaiWeekdays[weekday], time.Weekday(weekday).String()}
}

// leadTimes are the ranges of lead times in ascending order, each up to a number of days.
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

// LeadTime returns the row key of a lead time in days. Negative lead times, of visits recorded afterwards,
// count as 0.
func LeadTime(days int) string {
	for _, l := range leadTimes {
		if days <= l.upTo {
			return l.key
		}
	}
	return ""
}

// LeadTimeName returns the display name of a lead time key.
func LeadTimeName(key string) Text {
	for _, l := range leadTimes {
		if l.key == key {
			return l.name
		}
	}
	return Text{}
}

// ReportGroup identifies a row of a report.
type ReportGroup struct {
	Key  string `json:"key" doc:"Id of the service or staff member (empty if unassigned), date (2026-11-15), month (2026-11), fiscal year in the Buddhist Era (2570), weekday (0 is Sunday), hour (09), or lead time in days (0, 1-7, 8-30, 31-90, 91+)"`
	Name string `json:"name" doc:"Of the service or staff member; empty for other rows"`
}

// ReportFrame holds the fields that all reports share.
type ReportFrame struct {
	DateFrom string  `json:"dateFrom"`
	DateTo   string  `json:"dateTo"`
	GroupBy  GroupBy `json:"groupBy"`
}

// Frame returns the common fields of a report for the query.
func (q ReportQuery) Frame(by GroupBy) ReportFrame { return ReportFrame{q.DateFrom, q.DateTo, by} }

// inOrder returns a row for each key of found: named groups in the order of names, weekdays from Monday,
// dates and times ascending.
func inOrder[V, R any](by GroupBy, found map[string]V, names []ReportGroup, row func(ReportGroup, V) R) []R {
	index, nameOf := map[string]int{}, map[string]string{}
	switch by {
	case ByService, ByStaff:
		for i, n := range names {
			index[n.Key], nameOf[n.Key] = i, n.Name
		}
	case ByWeekday:
		for weekday := range 7 {
			index[strconv.Itoa(weekday)] = (weekday + 6) % 7
		}
	case ByLeadTime:
		for i, l := range leadTimes {
			index[l.key] = i
		}
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(index[a], index[b]), cmp.Compare(a, b))
	})
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

// Rate returns part/whole, or nil if whole is 0.
func Rate(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}
