package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// roundTheClock is the service that is open at any hour.
const roundTheClock = "SUR"

// planner decides how many patients come to each slot, and who. Each day has its own random source, so that
// it does not depend on other days.
type planner struct {
	clinics   []placed
	closures  []hospital.Closure
	people    []sketch // by id; index 0 is unused
	pools     map[patientGroup][]int32
	customers map[int64]int64 // by patient
	clerks    []int64         // who book
	doctors   map[int64]string
	now       time.Time
	today     string
	seed      uint64
}

// placed is a clinic with its service.
type placed struct {
	clinic
	service hospital.Service
	daily   int // visits per day, averaged over a week
}

// newPlanner returns a planner for the patients, clinics and closures.
func newPlanner(ctx context.Context, db *store.DB, size Size, services []hospital.Service,
	users map[string]int64) (p planner, err error) {
	now, today := db.Now(), db.Today()
	closures, err := db.ListClosures(ctx, hospital.AddDays(today, -back), hospital.AddDays(today, ahead), 0)
	if err != nil {
		return p, err
	}
	p = planOf(size, services, closures, now)
	for _, w := range staff {
		switch w.role {
		case "REGISTRAR":
			p.clerks = append(p.clerks, users[w.username])
		case "DOCTOR":
			p.doctors[users[w.username]] = w.name
		}
	}
	return p, nil
}

// planOf returns a planner without staff.
func planOf(size Size, services []hospital.Service, closures []hospital.Closure, now time.Time) planner {
	p := planner{
		closures: closures, customers: map[int64]int64{}, doctors: map[int64]string{}, pools: map[patientGroup][]int32{},
		now: now, today: hospital.MomentOf(now).Date, seed: size.Seed,
	}
	p.people = append([]sketch{{}}, sketches(size.Patients, size.Seed, now)...)
	for i, c := range clinicsOf(size) {
		seats := 0
		for weekday := range 7 {
			seats += services[i].Capacity(hospital.AddDays("2026-11-15", weekday), nil, nil)
		}
		p.clinics = append(p.clinics, placed{c, services[i], max(1, seats*3/4/7)})
		p.pools[c.patientGroup] = nil
	}
	today := dayOf(now.In(hospital.Bangkok))
	for group := range p.pools {
		for id, s := range p.people[1:] {
			if group.sees(s, today) {
				p.pools[group] = append(p.pools[group], int32(id+1))
			}
		}
	}
	for i, c := range customersOf(size.Patients, size.Seed, now) {
		p.customers[c.Patients[0].PatientID] = int64(i + 1)
	}
	return p
}

// planned is the number of booked and waitlisted patients of a slot.
type planned struct {
	*placed
	slot         hospital.Slot
	seats, waits int
}

func (p planner) random(date string, stream uint64) *rand.Rand {
	number := uint64(hospital.DaysBetween("1970-01-01", date))
	return rand.New(rand.NewPCG(p.seed, number<<1|stream)) //nolint:gosec // sample data
}

// day plans a date: mornings are fuller than afternoons, Mondays than Fridays, and the near future than the
// far one. Today has a waiting list.
func (p planner) day(date string) (list []planned) {
	rng := p.random(date, 0)
	wall := hospital.MomentOf(p.now)
	for i := range p.clinics {
		c := &p.clinics[i]
		for _, slot := range c.service.ScheduledSlots(date, p.closures, nil).Slots {
			load := 0.6
			if "07:00" < slot.StartTime && slot.StartTime < "10:30" {
				load = 0.9
			}
			switch hospital.WeekdayOf(date) {
			case 1:
				load *= 1.06
			case 5:
				load *= 0.92
			}
			if days := hospital.DaysBetween(p.today, date); days > 0 {
				load *= max(0.06, 1-float64(days)/24)
			}
			night := c.Code == roundTheClock && (slot.StartTime < "08:00" || slot.StartTime >= "16:00")
			if night {
				load = 0.35
			}
			at := planned{placed: c, slot: slot}
			for range slot.Capacity {
				if rng.Float64() < load {
					at.seats++
				}
			}
			if c.Code == roundTheClock && date <= p.today {
				at.seats = max(1, at.seats)
			}
			if night && date == p.today {
				at.seats = slot.Capacity
			}
			full := at.seats == slot.Capacity
			if roll := rng.IntN(6); full && roll == 0 &&
				(date > p.today || date == p.today && !wall.After(date, clock(slot.StartTime))) {
				at.waits = 1
			}
			list = append(list, at)
		}
	}
	if date == p.today && !slices.ContainsFunc(list, func(at planned) bool { return at.waits > 0 }) {
		for i, at := range slices.Backward(list) {
			if !wall.After(date, clock(at.slot.StartTime)) {
				list[i].seats, list[i].waits = at.slot.Capacity, 1
				break
			}
		}
	}
	return list
}

func clock(s string) hospital.Clock {
	c, _ := hospital.ParseClock(s)
	return c
}

// daysFor returns the dates up to a date that have n visits together, and how many of the first date are too
// many.
func (p planner) daysFor(n int, to string) (dates []string, skip int, err error) {
	const furthest = 60 * 366
	from, total := to, 0
	for range furthest {
		for _, at := range p.day(from) {
			total += at.seats + at.waits
		}
		if total >= n {
			return hospital.DatesBetween(from, to), total - n, nil
		}
		from = hospital.AddDays(from, -1)
	}
	return nil, 0, fmt.Errorf("these services cannot see %d patients in sixty years", n)
}
