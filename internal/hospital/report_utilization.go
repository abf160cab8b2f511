package hospital

import (
	"cmp"
	"slices"
	"strconv"
)

// Seats counts offered and held seats.
type Seats struct {
	Booked   int      `json:"booked"`
	Capacity int      `json:"capacity"`
	Rate     *float64 `json:"rate" doc:"booked / capacity, above 1 if overbooked; null without capacity"`
}

func (s Seats) plus(o Seats) Seats {
	return Seats{Booked: s.Booked + o.Booked, Capacity: s.Capacity + o.Capacity}
}

func (s Seats) rated() Seats {
	s.Rate = Rate(s.Booked, s.Capacity)
	return s
}

// UtilizationRow is a row of the utilization report.
type UtilizationRow struct {
	ReportGroup
	Seats
}

// HeatCell is the utilization of the slots that start in one hour of one weekday.
type HeatCell struct {
	Weekday int `json:"weekday" doc:"0 is Sunday"`
	Hour    int `json:"hour"`
	Seats
}

// UtilizationReport is the utilization report.
type UtilizationReport struct {
	ReportFrame
	Rows  []UtilizationRow `json:"rows"`
	Total Seats            `json:"total"`
	Heat  []HeatCell       `json:"heat" doc:"By weekday and hour over the whole period"`
}

// Utilization computes the utilization report slot by slot. Held counts all taken seats, including those of
// no-shows, because nobody else could book them.
//
// Offered seats are derived from the weekly schedule as it is now, with the capacity of slots where it was
// changed; there is no daily record of them. A slot that is closed or no longer in the schedule offers only
// the seats that are held in it, so the rate exceeds 1 only through overbooking. A service counts from the
// day it was added, or its first held seat if that is earlier; an inactive one until its last held seat.
func Utilization(q ReportQuery, by GroupBy, services []Service, closures []Closure, rows []SlotRow) UtilizationReport {
	of := map[int64][]SlotRow{}
	for _, r := range rows {
		of[r.ServiceID] = append(of[r.ServiceID], r)
	}
	dates := DatesBetween(q.DateFrom, q.DateTo)
	var total Seats
	found := map[string]Seats{}
	heat := map[[2]int]Seats{}
	for _, s := range services {
		for _, d := range s.ScheduledDays(s.offering(dates, of[s.ID]), closures, of[s.ID]) {
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
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, s Seats) UtilizationRow {
		return UtilizationRow{g, s.rated()}
	})
	for cell, seats := range heat {
		r.Heat = append(r.Heat, HeatCell{cell[0], cell[1], seats.rated()})
	}
	slices.SortFunc(r.Heat, func(a, b HeatCell) int {
		return cmp.Or(cmp.Compare((a.Weekday+6)%7, (b.Weekday+6)%7), cmp.Compare(a.Hour, b.Hour))
	})
	return r
}

// offering returns the dates on which the service was offered.
func (s Service) offering(dates []string, rows []SlotRow) []string {
	first, last := MomentOf(s.CreatedAt).Date, ""
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
