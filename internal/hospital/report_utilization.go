package hospital

import (
	"cmp"
	"slices"
	"strconv"
)

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
		for _, d := range s.Offers(s.offering(dates, of[s.ID]), closures, of[s.ID]) {
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

// offering are the days of a period on which there is, or was, such a service.
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
