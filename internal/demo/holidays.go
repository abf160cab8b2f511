package demo

import (
	"slices"
	"strings"

	"nadmor/internal/hospital"
)

// fixedHolidays have the same date every year.
var fixedHolidays = [][2]string{
	{"01-01", "วันขึ้นปีใหม่"}, {"04-06", "วันจักรี"}, {"04-13", "วันสงกรานต์"}, {"04-14", "วันสงกรานต์"},
	{"04-15", "วันสงกรานต์"}, {"05-04", "วันฉัตรมงคล"},
	{"06-03", "วันเฉลิมพระชนมพรรษาสมเด็จพระนางเจ้าฯ พระบรมราชินี"},
	{"07-28", "วันเฉลิมพระชนมพรรษาพระบาทสมเด็จพระเจ้าอยู่หัว"}, {"08-12", "วันแม่แห่งชาติ"},
	{"10-13", "วันนวมินทรมหาราช"}, {"10-23", "วันปิยมหาราช"}, {"12-05", "วันพ่อแห่งชาติ"}, {"12-10", "วันรัฐธรรมนูญ"}, {
		"12-31", "วันสิ้นปี",
	},
}

// moonHolidays are Makha, Visakha and Asalha Bucha, which follow the lunar calendar.
var moonHolidays = map[string][3]string{
	"2024": {"02-24", "05-22", "07-20"}, "2025": {"02-12", "05-11", "07-10"}, "2026": {"03-03", "05-31", "07-29"},
	"2027": {"02-21", "05-20", "07-18"},
	"2028": {"02-10", "05-08", "07-06"}, "2029": {"02-27", "05-27", "07-25"}, "2030": {"02-17", "05-16", "07-15"},
	"2031": {"03-08", "06-05", "08-03"},
	"2032": {"02-26", "05-24", "07-22"}, "2033": {"02-14", "05-13", "07-11"}, "2034": {"03-04", "06-01", "07-30"},
	"2035": {"02-22", "05-21", "07-19"},
}

// holidays returns the public holidays between two dates, with the substitution days of those at a weekend.
// today is never one, so that there is something to see.
func holidays(from, to, today string) (list []hospital.ClosureFields) {
	names := map[string]string{}
	for year := from[:4]; year <= to[:4]; year = hospital.AddDays(year+"-12-31", 1)[:4] {
		for _, h := range fixedHolidays {
			names[year+"-"+h[0]] = h[1]
		}
		if moon, known := moonHolidays[year]; known {
			names[year+"-"+moon[0]], names[year+"-"+moon[1]], names[year+"-"+moon[2]] = "วันมาฆบูชา", "วันวิสาขบูชา",
				"วันอาสาฬหบูชา"
			names[hospital.AddDays(year+"-"+moon[2], 1)] = "วันเข้าพรรษา"
		}
	}
	weekend := func(date string) bool { return hospital.WeekdayOf(date)%6 == 0 }
	instead := map[string]string{}
	for date, name := range names {
		if !weekend(date) {
			continue
		}
		next := hospital.AddDays(date, 1)
		for ; weekend(next) || names[next] != ""; next = hospital.AddDays(next, 1) {
		}
		if known, taken := instead[next]; !taken || name < known {
			instead[next] = name
		}
	}
	for date, name := range instead {
		names[date] = "วันหยุดชดเชย" + name
	}
	for date, name := range names {
		if from <= date && date <= to && date != today {
			list = append(list, hospital.ClosureFields{DateFrom: date, Reason: name, Kind: hospital.ClosureHoliday})
		}
	}
	slices.SortFunc(list, func(a, b hospital.ClosureFields) int { return strings.Compare(a.DateFrom, b.DateFrom) })
	return list
}
