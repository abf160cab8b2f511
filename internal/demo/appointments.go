package demo

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

var (
	complaints    = []string{"ติดตามอาการ", "รับยาต่อเนื่อง", "ปวดศีรษะ", "ไข้ ไอ เจ็บคอ", "ตรวจสุขภาพประจำปี", "ปวดท้อง", "ผื่นคัน", "ปวดเข่า", "ฟังผลเลือด", "นอนไม่หลับ"}
	cancellations = []string{"ผู้ป่วยติดธุระ", "ผู้ป่วยแจ้งย้ายไปรักษาที่อื่น", "แพทย์ติดราชการ", "นัดซ้ำ"}
)

// ahead is how many days to come have bookings already, and back how many past
// days have visits unless a number of appointments is asked for.
const back, ahead = 60, 21

// addPeople fills the calendar around today: today in full swing, three weeks
// ahead, and as far back as wanted, with people who are the same every time.
func addPeople(ctx context.Context, db *store.DB, size Size, services []hospital.Service, progress Progress) error {
	today := db.Today()
	to := hospital.AddDays(today, ahead)
	closures, err := db.ListClosures(ctx, hospital.AddDays(today, -back), to, 0)
	if err != nil {
		return err
	}
	p := planner{services: services, closures: closures, today: today, seed: size.Seed}
	dates, skip := hospital.DatesBetween(hospital.AddDays(today, -back), to), 0
	if size.Appointments > 0 {
		if dates, skip, err = p.daysFor(size.Appointments, to); err != nil {
			return err
		}
	}
	patients := make([]int64, size.Patients)
	for i := range patients {
		patients[i] = int64(i + 1)
	}
	format := hospital.NumberFormat(hospital.DefaultSetting.AppointmentNumberFormat)
	counters := map[string]int64{}
	numbered := func(yield func(hospital.Appointment) bool) {
		for a := range p.visits(dates, patients, db.Now()) {
			if skip > 0 {
				skip--
				continue
			}
			series := format.Series(a.CreatedAt)
			counters[series]++
			a.Number = format.Format(a.CreatedAt, counters[series])
			if !yield(a) {
				return
			}
		}
	}
	wanted := map[string]int{"patients": size.Patients, "appointments": size.Appointments}
	err = db.LoadHospital(ctx, store.Records{Patients: Patients(size.Patients, size.Seed, db.Now()), Appointments: numbered, Counters: counters}, func(kind string, n, of int) {
		progress(kind, n, max(of, wanted[kind]))
	})
	if err != nil {
		return fmt.Errorf("sample patients and appointments: %w", err)
	}
	return nil
}

// planner decides how many come to which slot. Each day has luck of its own, so
// that it is the same whichever days are asked for.
type planner struct {
	services []hospital.Service
	closures []hospital.Closure
	today    string
	seed     uint64
}

// planned is how many have a seat in a slot, and how many wait for one.
type planned struct {
	service      hospital.Service
	slot         hospital.Slot
	seats, waits int
}

func (p planner) luck(date string, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(p.seed, uint64(hospital.DaysBetween("1970-01-01", date))<<1|stream)) //nolint:gosec // sample data
}

// day plans a date: mornings fuller than afternoons, further ahead fewer booked
// yet.
func (p planner) day(date string) (list []planned) {
	rng := p.luck(date, 0)
	for _, s := range p.services {
		for _, slot := range s.Day(date, p.closures, nil, hospital.Moment{}).Slots {
			load := 0.62
			if slot.StartTime < "10:30" {
				load = 0.9
			}
			if days := hospital.DaysBetween(p.today, date); days > 0 {
				load *= max(0.15, 1-float64(days)/22)
			}
			at := planned{service: s, slot: slot}
			for range slot.Capacity {
				if rng.Float64() < load {
					at.seats++
				}
			}
			if at.seats == slot.Capacity && date > p.today && rng.IntN(6) == 0 {
				at.waits = 1
			}
			list = append(list, at)
		}
	}
	return list
}

// daysFor are the days until a date that have so many visits, and how many of
// the first day's are too many.
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
	return nil, 0, fmt.Errorf("these services do not see %d people in sixty years", n)
}

// visits makes believable visits on the days, the same ones for the same seed:
// nobody in two places at once, a tenth of the people come often, about one in
// ten of the past did not show up, more of those who booked long ahead, and the
// wait is longest late in the morning.
func (p planner) visits(dates []string, patients []int64, now time.Time) iter.Seq[hospital.Appointment] {
	return func(yield func(hospital.Appointment) bool) {
		wall := hospital.MomentOf(now, hospital.Bangkok)
		for _, date := range dates {
			day := visitDay{rng: p.luck(date, 1), date: date, wall: wall, now: now, patients: patients, busy: map[int64][]hospital.Slot{}}
			service := int64(0)
			for _, at := range p.day(date) {
				if at.service.ID != service {
					service, day.queue = at.service.ID, 0
				}
				for i := range at.seats + at.waits {
					a := day.visit(at.service, at.slot)
					if i >= at.seats {
						a.Status, a.CancelReason, a.UpdatedAt = hospital.Waitlisted, "", a.CreatedAt
					}
					if !yield(a) {
						return
					}
				}
			}
		}
	}
}

// visitDay makes the visits of one day.
type visitDay struct {
	rng      *rand.Rand
	date     string
	wall     hospital.Moment
	now      time.Time
	patients []int64
	busy     map[int64][]hospital.Slot
	queue    int
}

// somebody is who comes to a slot and is nowhere else at that time. A tenth of
// the people, who have something chronic, make three in ten visits.
func (d *visitDay) somebody(slot hospital.Slot) int64 {
	n := len(d.patients)
	i := d.rng.IntN(n)
	if d.rng.IntN(10) < 3 {
		i -= i % 10
	}
	for range n {
		if !slices.ContainsFunc(d.busy[d.patients[i]], func(o hospital.Slot) bool { return o.StartTime < slot.EndTime && slot.StartTime < o.EndTime }) {
			break
		}
		i = (i + 7) % n
	}
	d.busy[d.patients[i]] = append(d.busy[d.patients[i]], slot)
	return d.patients[i]
}

func (d *visitDay) visit(s hospital.Service, slot hospital.Slot) (a hospital.Appointment) {
	patient := d.somebody(slot)
	start, _ := time.ParseInLocation("2006-01-02 15:04", d.date+" "+slot.StartTime, hospital.Bangkok)
	made, missing := d.booked(start)
	if latest := d.now.Add(-time.Duration(1+d.rng.IntN(72)) * time.Hour); made.After(latest) {
		made = latest
	}
	a = hospital.Appointment{
		PatientID: patient, EndTime: slot.EndTime, Status: hospital.Booked, CreatedAt: made.UTC().Truncate(time.Second),
		AppointmentFields: hospital.AppointmentFields{
			ServiceID: s.ID, Date: d.date, StartTime: slot.StartTime, Kind: hospital.KindFollowUp, Channel: hospital.ChannelStaff, Priority: hospital.Routine, Reason: complaints[d.rng.IntN(len(complaints))],
		},
	}
	a.UpdatedAt = a.CreatedAt
	if d.rng.IntN(3) == 0 {
		a.Kind = hospital.KindNew
	}
	a.Channel = []hospital.Channel{hospital.ChannelStaff, hospital.ChannelStaff, hospital.ChannelPhone, hospital.ChannelLine, hospital.ChannelApp}[d.rng.IntN(5)]
	if d.rng.IntN(25) == 0 {
		a.Priority = hospital.Urgent
	}
	if len(s.StaffIDs) > 0 && d.rng.IntN(4) > 0 {
		a.StaffID = &s.StaffIDs[d.rng.IntN(len(s.StaffIDs))]
	}
	if a.CreatedAt.In(hospital.Bangkok).Format(time.DateOnly) == d.date {
		a.Kind, a.Channel = hospital.KindWalkIn, hospital.ChannelWalkIn
	}
	d.status(&a, s, slot, start, missing)
	return a
}

// booked is when somebody asks for a time, and how likely they then do not come:
// whoever stands at the desk does, whoever booked months ago forgets.
func (d *visitDay) booked(start time.Time) (made time.Time, missing float64) {
	days := func(low, high int) time.Time { // in the hours of the desk
		day := start.AddDate(0, 0, -low-d.rng.IntN(high-low+1))
		return time.Date(day.Year(), day.Month(), day.Day(), 8, d.rng.IntN(8*60), 0, 0, day.Location())
	}
	switch luck := d.rng.IntN(100); {
	case luck < 14:
		return start.Add(-time.Duration(20+d.rng.IntN(40)) * time.Minute), 0.01
	case luck < 44:
		return days(1, 7), 0.05
	case luck < 77:
		return days(8, 30), 0.1
	case luck < 95:
		return days(31, 90), 0.17
	default:
		return days(91, 120), 0.24
	}
}

// rush is how many minutes longer people wait, by the hour.
var rush = map[int]int{9: 6, 10: 15, 11: 20, 14: 5, 15: 3}

// status is how far a visit has come by now.
func (d *visitDay) status(a *hospital.Appointment, s hospital.Service, slot hospital.Slot, start time.Time, missing float64) {
	luck := d.rng.Float64()
	if luck < 0.07 {
		a.Status, a.CancelReason = hospital.Cancelled, cancellations[d.rng.IntN(len(cancellations))]
		a.UpdatedAt = a.CreatedAt.Add(time.Hour)
		if a.UpdatedAt.After(d.now) {
			a.UpdatedAt = d.now
		}
		return
	}
	came := start.Add(time.Duration(d.rng.IntN(25)-15) * time.Minute)
	begun := start.Add(time.Duration(10+d.rng.IntN(35)+rush[start.Hour()]) * time.Minute)
	end, _ := hospital.ParseClock(slot.EndTime)
	length := int(end) - start.Hour()*60 - start.Minute()
	done := begun.Add(time.Duration((8+d.rng.IntN(22))*(10+length)/40) * time.Minute) // longer where there is more time
	past := a.Date < d.wall.Date
	switch {
	case past && luck < 0.07+missing:
		a.Status, a.UpdatedAt = hospital.NoShow, start.Truncate(24*time.Hour).Add(11*time.Hour) // six in the evening in Bangkok
	case past || a.Date == d.wall.Date && d.now.After(done) && luck > 0.13:
		a.Status = hospital.Completed
		a.CheckedInAt, a.StartedAt, a.CompletedAt, a.UpdatedAt = &came, &begun, &done, done
	case a.Date == d.wall.Date && d.now.After(begun) && luck > 0.13:
		a.Status = hospital.InService
		a.CheckedInAt, a.StartedAt, a.UpdatedAt = &came, &begun, begun
	case a.Date == d.wall.Date && d.now.After(came) && luck > 0.13:
		a.Status = hospital.CheckedIn
		a.CheckedInAt, a.UpdatedAt = &came, came
	case s.RequiresApproval && luck < 0.3 && a.Date > d.wall.Date:
		a.Status = hospital.Pending
	case luck > 0.65:
		a.Status = hospital.Confirmed
	}
	if a.Status.Visited() {
		d.queue++
		n := d.queue
		a.QueueNo = &n
	}
}
