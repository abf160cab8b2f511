package store

import (
	"slices"

	"nadmor/internal/hospital"
)

// DashboardService is the load of a service on the day.
type DashboardService struct {
	Service hospital.ServiceRef `json:"service"`
	hospital.Load
	Reason    string    `json:"reason" doc:"Why it is closed, that day or a part of it"`
	CheckedIn int       `json:"checkedIn" doc:"How many have come and wait"`
	NextFree  *FreeSeat `json:"nextFree" doc:"The next seat that can be booked from now on; null within 90 days"`
}

// services sets the load of each service on the day, its next free seat, the alerts for full
// services, and the load of the days after.
func (b *board) services(d *Dashboard) error {
	tomorrow := hospital.AddDays(b.now.Date, 1)
	bySlot := b.slotsOf(b.slots)
	checkedIn := map[int64]int{}
	for _, t := range b.totals {
		if t.Date == b.date {
			checkedIn[t.ServiceID] = t.ByStatus[hospital.CheckedIn]
		}
	}
	free, err := b.nextFree(bySlot)
	if err != nil {
		return err
	}
	d.Services, d.Alerts.Full = []DashboardService{}, []FullAlert{}
	for _, s := range b.shown {
		day := b.day(s, b.date, bySlot[serviceDay{b.date, s.ID}])
		load := s.Load(day)
		if s.Active || load.Booked > 0 {
			d.Services = append(d.Services, DashboardService{
				Service: s.Ref(), Load: load, Reason: day.Reason, CheckedIn: checkedIn[s.ID], NextFree: free[s.ID],
			})
		}
		for _, date := range []string{b.now.Date, tomorrow} {
			slots := b.day(s, date, bySlot[serviceDay{date, s.ID}])
			over := !slices.ContainsFunc(slots.Slots, func(slot hospital.Slot) bool { return !slot.Past })
			if !over && s.Load(slots).State == hospital.LoadFull {
				d.Alerts.Full = append(d.Alerts.Full, FullAlert{s.Ref(), date})
			}
		}
	}
	first, last := hospital.AddDays(b.date, 1), hospital.AddDays(b.date, trendDays)
	changed, err := b.tx.changedSlots(first, last)
	if err != nil {
		return err
	}
	d.Ahead = []DayAhead{}
	booked := make(map[serviceDay]int, len(b.totals))
	for _, t := range b.totals {
		booked[serviceDay{t.Date, t.ServiceID}] = t.Seats()
	}
	for _, l := range loads(hospital.DatesBetween(first, last), b.shown, b.closures, changed, booked) {
		d.Ahead = append(d.Ahead, DayAhead{l.Date, l.Closed, l.Reason, l.Booked, l.Capacity})
	}
	return nil
}

func (b *board) slotsOf(rows []hospital.SlotRow) map[serviceDay][]hospital.SlotRow {
	of := map[serviceDay][]hospital.SlotRow{}
	for _, r := range rows {
		day := serviceDay{r.Date, r.ServiceID}
		of[day] = append(of[day], r)
	}
	return of
}

// nextFree returns the next seat of each service that can be booked: in the known slots, or else
// further ahead.
func (b *board) nextFree(known map[serviceDay][]hospital.SlotRow) (map[int64]*FreeSeat, error) {
	free := map[int64]*FreeSeat{}
	wanted := slices.DeleteFunc(slices.Clone(b.shown), func(s hospital.Service) bool { return !s.Active })
	from, to := b.todayAndTomorrow()
	for len(wanted) > 0 {
		wanted = slices.DeleteFunc(wanted, func(s hospital.Service) bool {
			for _, date := range hospital.DatesBetween(from, to) {
				if free[s.ID] = b.freeOn(s, date, known[serviceDay{date, s.ID}]); free[s.ID] != nil {
					return true
				}
			}
			return false
		})
		// The steps grow, because a service that is full for a week is often full for longer.
		last := hospital.AddDays(b.now.Date, freeSeatDays)
		if from = hospital.AddDays(to, 1); from > last {
			break
		}
		if to = min(last, hospital.AddDays(from, 2*hospital.DaysBetween(b.now.Date, from))); len(wanted) == 0 {
			break
		}
		ids := make([]int64, len(wanted))
		for i, s := range wanted {
			ids[i] = s.ID
		}
		rows, err := b.tx.slotRows(from, to, ids...)
		if err != nil {
			return nil, err
		}
		known = b.slotsOf(rows)
	}
	return free, nil
}

// freeOn returns the first seat of a day that can be booked, or nil.
func (b *board) freeOn(s hospital.Service, date string, rows []hospital.SlotRow) *FreeSeat {
	for _, slot := range b.day(s, date, rows).Slots {
		if slot.State == hospital.StateFree {
			return &FreeSeat{date, slot.StartTime, slot.EndTime, slot.Available}
		}
	}
	return nil
}
