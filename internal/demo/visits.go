package demo

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"nadmor/internal/hospital"
)

// complaints are why people come to a clinic, "" for all others.
var complaints = map[string][]string{
	"": {"ติดตามอาการ", "รับยาต่อเนื่อง", "ฟังผลตรวจ", "ตรวจตามนัด"},
	"MED": {
		"ปวดศีรษะ เวียนศีรษะ", "ไข้ ไอ เจ็บคอ", "ตรวจสุขภาพประจำปี", "ปวดท้อง จุกลิ้นปี่", "ปวดเข่า", "ฟังผลเลือด",
		"นอนไม่หลับ", "ปวดหลัง", "รับยาความดันต่อเนื่อง", "เหนื่อยง่าย ใจสั่น",
	},
	"DM":   {"ติดตามเบาหวาน เจาะเลือด", "รับยาต่อเนื่อง", "ติดตามความดันโลหิต", "ฟังผล HbA1c", "ตรวจเท้าและจอตาประจำปี"},
	"PED":  {"ไข้ ไอ น้ำมูก", "ถ่ายเหลว อาเจียน", "รับวัคซีนตามวัย", "ตรวจพัฒนาการ", "ผื่นคัน", "ติดตามหอบหืด"},
	"DENT": {"ปวดฟัน", "ขูดหินปูน", "อุดฟัน", "ตรวจสุขภาพช่องปาก", "ถอนฟัน", "เหงือกบวม เลือดออกเวลาแปรงฟัน"},
	"ANC":  {"ฝากครรภ์ตามนัด", "ตรวจอัลตราซาวด์", "ฟังผลเลือดคัดกรอง", "ตรวจเบาหวานขณะตั้งครรภ์"},
	"SUR": {
		"ทำแผล", "ล้างแผลต่อเนื่อง", "ตัดไหม", "ฉีดยาปฏิชีวนะต่อเนื่อง", "ฉีดวัคซีนพิษสุนัขบ้าตามนัด", "ตรวจติดตามหลังผ่าตัด",
		"ก้อนที่ผิวหนัง",
	},
}

var cancellations = []string{
	"ผู้ป่วยติดธุระ ขอเลื่อน", "ผู้ป่วยแจ้งย้ายไปรักษาที่อื่น", "แพทย์ติดราชการ", "นัดซ้ำ", "ไม่มีคนพามา",
	"อาการดีขึ้นแล้ว ขอยกเลิก", "ติดต่อผู้ป่วยแล้วขอเปลี่ยนวัน",
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
		wall := hospital.MomentOf(p.now)
		for _, date := range dates {
			noon, _ := time.ParseInLocation("2006-01-02 15", date+" 12", hospital.Bangkok)
			d := visitDay{
				planner: p, rng: p.luck(date, 1), date: date, day: dayOf(noon), number: hospital.DaysBetween("1970-01-01", date),
				wall: wall, busy: map[int32][]hospital.Slot{},
			}
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
		if c.sees(d.people[patient], d.day) &&
			(d.busy[patient] == nil ||
				tries > 200 &&
					!slices.ContainsFunc(d.busy[patient], func(o hospital.Slot) bool {
						return o.StartTime < slot.EndTime && slot.StartTime < o.EndTime
					})) {
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
		PatientID: int64(patient), EndTime: slot.EndTime, Status: hospital.Booked,
		CreatedAt: made.UTC().Truncate(time.Second),
		AppointmentFields: hospital.AppointmentFields{
			ServiceID: c.service.ID, Date: d.date, StartTime: slot.StartTime, Kind: hospital.KindFollowUp,
			Channel: hospital.ChannelStaff, Priority: hospital.Routine, Reason: pick(d.rng, reasons),
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
	a.Channel = pick(d.rng, []hospital.Channel{
		hospital.ChannelStaff, hospital.ChannelStaff, hospital.ChannelStaff, hospital.ChannelPhone, hospital.ChannelPhone,
		hospital.ChannelLine, hospital.ChannelApp,
	})
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
