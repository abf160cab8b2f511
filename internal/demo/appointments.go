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

// complaints are why people come to a clinic, "" for all others.
var complaints = map[string][]string{
	"":     {"ติดตามอาการ", "รับยาต่อเนื่อง", "ฟังผลตรวจ", "ตรวจตามนัด"},
	"MED":  {"ปวดศีรษะ เวียนศีรษะ", "ไข้ ไอ เจ็บคอ", "ตรวจสุขภาพประจำปี", "ปวดท้อง จุกลิ้นปี่", "ปวดเข่า", "ฟังผลเลือด", "นอนไม่หลับ", "ปวดหลัง", "รับยาความดันต่อเนื่อง", "เหนื่อยง่าย ใจสั่น"},
	"DM":   {"ติดตามเบาหวาน เจาะเลือด", "รับยาต่อเนื่อง", "ติดตามความดันโลหิต", "ฟังผล HbA1c", "ตรวจเท้าและจอตาประจำปี"},
	"PED":  {"ไข้ ไอ น้ำมูก", "ถ่ายเหลว อาเจียน", "รับวัคซีนตามวัย", "ตรวจพัฒนาการ", "ผื่นคัน", "ติดตามหอบหืด"},
	"DENT": {"ปวดฟัน", "ขูดหินปูน", "อุดฟัน", "ตรวจสุขภาพช่องปาก", "ถอนฟัน", "เหงือกบวม เลือดออกเวลาแปรงฟัน"},
	"ANC":  {"ฝากครรภ์ตามนัด", "ตรวจอัลตราซาวด์", "ฟังผลเลือดคัดกรอง", "ตรวจเบาหวานขณะตั้งครรภ์"},
	"SUR":  {"ทำแผล", "ล้างแผลต่อเนื่อง", "ตัดไหม", "ฉีดยาปฏิชีวนะต่อเนื่อง", "ฉีดวัคซีนพิษสุนัขบ้าตามนัด", "ตรวจติดตามหลังผ่าตัด", "ก้อนที่ผิวหนัง"},
}

var cancellations = []string{"ผู้ป่วยติดธุระ ขอเลื่อน", "ผู้ป่วยแจ้งย้ายไปรักษาที่อื่น", "แพทย์ติดราชการ", "นัดซ้ำ", "ไม่มีคนพามา", "อาการดีขึ้นแล้ว ขอยกเลิก", "ติดต่อผู้ป่วยแล้วขอเปลี่ยนวัน"}

// roundTheClock is where there is somebody at any hour.
const roundTheClock = "SUR"

// back is how many past days have visits unless a number of appointments is
// asked for, and ahead how many to come have bookings already.
const back, ahead = 365, 42

// addPeople fills the calendar around today: today in full swing, six weeks
// ahead, and as far back as wanted, with people who are the same every time. It
// tells what was found at the visits.
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
	err := db.LoadHospital(ctx, store.Records{Patients: Patients(size.Patients, size.Seed, p.now), Appointments: numbered, Counters: counters}, func(kind string, n, of int) {
		progress(kind, n, max(of, wanted[kind]))
	})
	if err != nil {
		return nil, fmt.Errorf("sample patients and appointments: %w", err)
	}
	return found, nil
}

// planner decides how many come to which slot, and who. Each day has luck of its
// own, so that it is the same whichever days are asked for.
type planner struct {
	clinics   []placed
	closures  []hospital.Closure
	people    []sketch // by id; the first is nobody
	pools     map[who][]int32
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
	daily   int // visits, over a whole week
}

// newPlanner knows the people, the clinics and when they are closed.
func newPlanner(ctx context.Context, db *store.DB, size Size, services []hospital.Service, users map[string]int64) (p planner, err error) {
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

// planOf is a planner without staff.
func planOf(size Size, services []hospital.Service, closures []hospital.Closure, now time.Time) planner {
	p := planner{closures: closures, customers: map[int64]int64{}, doctors: map[int64]string{}, pools: map[who][]int32{}, now: now, today: hospital.MomentOf(now, hospital.Bangkok).Date, seed: size.Seed}
	p.people = append([]sketch{{}}, sketches(size.Patients, size.Seed, now)...)
	for i, c := range clinicsOf(size) {
		seats := 0
		for weekday := range 7 {
			seats += services[i].Capacity(hospital.AddDays("2026-11-15", weekday), nil, nil)
		}
		p.clinics = append(p.clinics, placed{c, services[i], max(1, seats*3/4/7)})
		p.pools[c.who] = nil
	}
	today := dayOf(now.In(hospital.Bangkok))
	for who := range p.pools {
		for id, s := range p.people[1:] {
			if who.sees(s, today) {
				p.pools[who] = append(p.pools[who], int32(id+1))
			}
		}
	}
	for i, c := range customersOf(size.Patients, size.Seed, now) {
		p.customers[c.Patients[0].PatientID] = int64(i + 1)
	}
	return p
}

// planned is how many have a seat in a slot, and how many wait for one.
type planned struct {
	*placed
	slot         hospital.Slot
	seats, waits int
}

func (p planner) luck(date string, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(p.seed, uint64(hospital.DaysBetween("1970-01-01", date))<<1|stream)) //nolint:gosec // sample data
}

// day plans a date: mornings fuller than afternoons, Mondays than Fridays,
// further ahead fewer booked yet. Today somebody waits for a seat.
func (p planner) day(date string) (list []planned) {
	rng := p.luck(date, 0)
	wall := hospital.MomentOf(p.now, hospital.Bangkok)
	for i := range p.clinics {
		c := &p.clinics[i]
		for _, slot := range c.service.Day(date, p.closures, nil, hospital.Moment{}).Slots {
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
			if luck := rng.IntN(6); full && luck == 0 && (date > p.today || date == p.today && !wall.After(date, clock(slot.StartTime))) {
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

// visit is an appointment with what the findings depend on.
type visit struct {
	hospital.Appointment
	*placed
	weeks int // of a pregnancy
}

// visits makes believable visits on the days, the same ones for the same seed:
// nobody in two places at once or where they do not belong, a tenth of the
// people come often, about one in ten of the past did not show up, more of those
// who booked long ahead, of young people, on Mondays and in the rains, and the
// wait is longest late in the morning.
func (p planner) visits(dates []string) iter.Seq[visit] {
	return func(yield func(visit) bool) {
		wall := hospital.MomentOf(p.now, hospital.Bangkok)
		for _, date := range dates {
			noon, _ := time.ParseInLocation("2006-01-02 15", date+" 12", hospital.Bangkok)
			d := visitDay{planner: p, rng: p.luck(date, 1), date: date, day: dayOf(noon), number: hospital.DaysBetween("1970-01-01", date), wall: wall, busy: map[int32][]hospital.Slot{}}
			list := d.visits(p.day(date))
			if date == wall.Date {
				d.liven(list)
			}
			giveNumbers(list)
			for _, v := range list {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// visitDay makes the visits of one day.
type visitDay struct {
	planner
	rng    *rand.Rand
	date   string
	day    day
	number int // of days since 1970
	wall   hospital.Moment
	busy   map[int32][]hospital.Slot
}

func (d *visitDay) visits(plan []planned) (list []visit) {
	var last *placed
	seen := 0 // in the clinic
	for _, at := range plan {
		if at.placed != last {
			last, seen = at.placed, 0
		}
		for i := range at.seats + at.waits {
			patient, weeks := d.somebody(at.placed, at.slot, seen)
			seen++
			v := visit{d.visit(at.placed, patient, at.slot), at.placed, weeks}
			if i >= at.seats {
				v.Status, v.CancelReason, v.UpdatedAt = hospital.Waitlisted, "", v.CreatedAt
			}
			list = append(list, v)
		}
	}
	return list
}

// giveNumbers gives queue numbers as people come.
func giveNumbers(list []visit) {
	came := []*visit{}
	for i := range list {
		if list[i].Status.Visited() {
			came = append(came, &list[i])
		}
	}
	slices.SortStableFunc(came, func(a, b *visit) int { return a.CheckedInAt.Compare(*b.CheckedInAt) })
	queues := map[int64]int{}
	for _, v := range came {
		queues[v.ServiceID]++
		v.QueueNo = ptr(queues[v.ServiceID])
	}
}

// somebody is who comes to a slot of a clinic, belongs there and is nowhere else
// at that time, and how long a woman is with child. Who has something chronic
// comes back in turn; a tenth of the others make three in ten visits.
func (d *visitDay) somebody(c *placed, slot hospital.Slot, seen int) (patient int32, weeks int) {
	pool := d.pools[c.who]
	n := len(pool)
	i, offset := d.rng.IntN(n), 0
	window := max(1, min(c.daily*28, n/3)) // women with child at one time, who come every four weeks
	switch {
	case c.who == diabetics:
		i = d.number*c.daily + seen + d.rng.IntN(1+n/25)
	case c.who == expectant:
		offset = d.rng.IntN(window)
	case d.rng.IntN(10) < 3:
		i -= i % 10
	}
	for tries := range n {
		if c.who == expectant {
			const days = 224 // from the eighth week to the fortieth
			i, weeks = d.number*window/days+offset, 40-offset*32/window
		}
		patient = pool[i%n]
		// Once a day, unless there are few to choose from.
		if c.sees(d.people[patient], d.day) && (d.busy[patient] == nil || tries > 200 && !slices.ContainsFunc(d.busy[patient], func(o hospital.Slot) bool { return o.StartTime < slot.EndTime && slot.StartTime < o.EndTime })) {
			break
		}
		i, offset = i+7, (offset+1)%window
	}
	d.busy[patient] = append(d.busy[patient], slot)
	return patient, weeks
}

func (d *visitDay) visit(c *placed, patient int32, slot hospital.Slot) (a hospital.Appointment) {
	start, _ := time.ParseInLocation("2006-01-02 15:04", d.date+" "+slot.StartTime, hospital.Bangkok)
	made, missing := d.booked(start)
	if latest := d.now.Add(-time.Duration(1+d.rng.IntN(72)) * time.Hour); made.After(latest) {
		made = latest
	}
	reasons := complaints[c.Code]
	if reasons == nil {
		reasons = complaints[""]
	}
	a = hospital.Appointment{
		PatientID: int64(patient), EndTime: slot.EndTime, Status: hospital.Booked, CreatedAt: made.UTC().Truncate(time.Second),
		AppointmentFields: hospital.AppointmentFields{
			ServiceID: c.service.ID, Date: d.date, StartTime: slot.StartTime, Kind: hospital.KindFollowUp, Channel: hospital.ChannelStaff, Priority: hospital.Routine, Reason: pick(d.rng, reasons),
		},
	}
	a.UpdatedAt = a.CreatedAt
	switch luck := d.rng.IntN(100); {
	case luck < 30 && c.who != diabetics:
		a.Kind = hospital.KindNew
	case luck < 34:
		a.Kind = hospital.KindRefer
	case luck < 37 && c.who == diabetics:
		a.Kind = hospital.KindTele
	}
	a.Channel = pick(d.rng, []hospital.Channel{hospital.ChannelStaff, hospital.ChannelStaff, hospital.ChannelStaff, hospital.ChannelPhone, hospital.ChannelPhone, hospital.ChannelLine, hospital.ChannelApp})
	if d.rng.IntN(25) == 0 {
		a.Priority = hospital.Urgent
	}
	if staff := c.service.StaffIDs; len(staff) > 0 && d.rng.IntN(4) > 0 {
		a.StaffID = &staff[d.rng.IntN(len(staff))]
	}
	if a.CreatedAt.In(hospital.Bangkok).Format(time.DateOnly) == d.date {
		a.Kind, a.Channel = hospital.KindWalkIn, hospital.ChannelWalkIn
	}
	switch customer, known := d.customers[a.PatientID]; {
	case known && a.Channel != hospital.ChannelWalkIn: // who has the app uses it
		a.Channel, a.CustomerID = pick(d.rng, []hospital.Channel{hospital.ChannelApp, hospital.ChannelLine}), &customer
	case len(d.clerks) > 0 && a.Channel != hospital.ChannelLine && a.Channel != hospital.ChannelApp:
		a.CreatedBy = &d.clerks[d.rng.IntN(len(d.clerks))]
	}
	d.status(&a, c, slot, start, missing*d.forgetful(d.people[patient]))
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

// forgetful is how much more often than others somebody does not come on the
// day.
func (d *visitDay) forgetful(s sketch) float64 {
	times := 1.0
	switch age := s.on(d.day); {
	case age >= 15 && age < 30:
		times = 1.6
	case age >= 65:
		times = 0.7
	}
	if hospital.WeekdayOf(d.date) == 1 {
		times *= 1.25
	}
	if d.day.month >= 7 && d.day.month <= 10 {
		times *= 1.15
	}
	return times
}

// patience is how long somebody is waited for.
const patience = 75 * time.Minute

// rush is how many minutes longer people wait, by the hour.
var rush = map[int]int{9: 6, 10: 15, 11: 20, 14: 5, 15: 3}

// status is how far a visit has come by now.
func (d *visitDay) status(a *hospital.Appointment, c *placed, slot hospital.Slot, start time.Time, missing float64) {
	luck := d.rng.Float64()
	came := start.Add(time.Duration(d.rng.IntN(25)-15) * time.Minute)
	begun := start.Add(time.Duration(10+d.rng.IntN(35)+rush[start.Hour()]) * time.Minute)
	length := min(60, int(clock(slot.EndTime)-clock(slot.StartTime)))
	done := begun.Add(time.Duration((8+d.rng.IntN(22))*(10+length)/40) * time.Minute) // longer where there is more time
	if luck < 0.07 {
		a.Status, a.CancelReason = hospital.Cancelled, pick(d.rng, cancellations)
		a.UpdatedAt = a.CreatedAt.Add(time.Hour)
		if a.UpdatedAt.After(d.now) {
			a.UpdatedAt = d.now
		}
		return
	}
	past, today := a.Date < d.wall.Date, a.Date == d.wall.Date
	absent := luck < 0.07+missing
	switch {
	case past && absent:
		evening := time.Date(start.Year(), start.Month(), start.Day(), 23, 30, 0, 0, hospital.Bangkok)
		a.Status, a.UpdatedAt = hospital.NoShow, evening.UTC()
	case today && absent && d.now.After(start.Add(patience)):
		a.Status, a.UpdatedAt = hospital.NoShow, start.Add(patience).UTC()
	case past || today && d.now.After(done) && !absent:
		a.Status = hospital.Completed
		a.CheckedInAt, a.StartedAt, a.CompletedAt, a.UpdatedAt = &came, &begun, &done, done
	case today && d.now.After(begun) && !absent:
		a.Status = hospital.InService
		a.CheckedInAt, a.StartedAt, a.UpdatedAt = &came, &begun, begun
	case today && d.now.After(came) && !absent:
		a.Status = hospital.CheckedIn
		a.CheckedInAt, a.UpdatedAt = &came, came
	case c.RequiresApproval && luck > 0.75 && !d.now.After(start):
		a.Status = hospital.Pending
	case luck > 0.55:
		a.Status = hospital.Confirmed
	}
}

// liven sees to it that there is something of everything on the day itself,
// whatever the luck and the hour: somebody is seen, somebody waits for the doctor
// and for approval, and somebody did not come.
func (d *visitDay) liven(list []visit) {
	ensure := func(status hospital.AppointmentStatus, from []hospital.AppointmentStatus, low, high time.Duration, change func(*visit, time.Time)) {
		if slices.ContainsFunc(list, func(v visit) bool { return v.Status == status }) {
			return
		}
		var best *visit // the latest
		var begins time.Time
		for i := range list {
			v := &list[i]
			start, _ := time.ParseInLocation("2006-01-02 15:04", v.Date+" "+v.StartTime, hospital.Bangkok)
			in := start.Sub(d.now)
			if slices.Contains(from, v.Status) && low <= in && in <= high && (status != hospital.Pending || v.RequiresApproval) && (best == nil || start.After(begins)) {
				best, begins = v, start
			}
		}
		if best != nil {
			best.Status, best.CancelReason = status, ""
			change(best, begins)
		}
	}
	expected := []hospital.AppointmentStatus{hospital.Booked, hospital.Confirmed}
	over := []hospital.AppointmentStatus{hospital.Booked, hospital.Confirmed, hospital.Completed, hospital.NoShow, hospital.Cancelled}
	ago := func(minutes int) *time.Time {
		return ptr(d.now.Add(-time.Duration(minutes) * time.Minute).Truncate(time.Second))
	}
	ensure(hospital.InService, over, -3*time.Hour, 0, func(v *visit, _ time.Time) {
		v.CheckedInAt, v.StartedAt, v.CompletedAt = ago(25), ago(8), nil
		v.UpdatedAt = *v.StartedAt
	})
	ensure(hospital.CheckedIn, over, -3*time.Hour, 20*time.Minute, func(v *visit, _ time.Time) {
		v.CheckedInAt, v.StartedAt, v.CompletedAt = ago(6), nil, nil
		v.UpdatedAt = *v.CheckedInAt
	})
	ensure(hospital.Pending, expected, time.Hour, 24*time.Hour, func(*visit, time.Time) {})
	if seen := slices.DeleteFunc(slices.Clone(list), func(v visit) bool { return v.Status != hospital.Completed }); len(seen) < 4 {
		return // too early for somebody to be missed
	}
	ensure(hospital.NoShow, []hospital.AppointmentStatus{hospital.Booked, hospital.Confirmed, hospital.Completed}, -24*time.Hour, -patience, func(v *visit, start time.Time) {
		v.CheckedInAt, v.StartedAt, v.CompletedAt, v.UpdatedAt = nil, nil, nil, start.Add(patience).UTC()
	})
}
