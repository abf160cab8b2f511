package demo

import (
	"context"
	"fmt"
	"math/rand/v2"

	"nadmor/internal/demo/load"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// back is the number of past days with visits, unless a number of appointments is given. ahead is the number
// of future days with bookings.
const back, ahead = 365, 42

// addPeople writes patients and their appointments: today, six weeks ahead, and the past. The result is the
// same for the same seed. It returns the results of the visits.
func addPeople(ctx context.Context, db *store.DB, size Size, p planner, progress Progress) (*findingsOf, error) {
	to := hospital.AddDays(p.today, ahead)
	dates, skip := hospital.DatesBetween(hospital.AddDays(p.today, -back), to), 0
	if size.Appointments > 0 {
		var err error
		if dates, skip, err = p.daysFor(size.Appointments, to); err != nil {
			return nil, err
		}
	}
	found := &findingsOf{planner: p, rng: rand.New(rand.NewPCG(size.Seed, 2))} //nolint:gosec // sample data
	format := hospital.NumberFormat(hospital.DefaultSetting.AppointmentNumberFormat)
	counters := map[string]int64{}
	numbered := func(yield func(hospital.Appointment) bool) {
		id := int64(0)
		for v := range p.visits(dates) {
			if skip > 0 {
				skip--
				continue
			}
			id++
			series := format.Series(v.CreatedAt)
			counters[series]++
			v.ID, v.Number = id, format.Format(v.CreatedAt, counters[series])
			found.write(v)
			if !yield(v.Appointment) {
				return
			}
		}
	}
	wanted := map[string]int{"patients": size.Patients, "appointments": size.Appointments}
	err := load.Hospital(ctx, db,
		load.Records{Patients: Patients(size.Patients, size.Seed, p.now), Appointments: numbered, Counters: counters},
		func(kind string, n, of int) {
			progress(kind, n, max(of, wanted[kind]))
		})
	if err != nil {
		return nil, fmt.Errorf("sample patients and appointments: %w", err)
	}
	return found, nil
}
