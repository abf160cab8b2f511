package demo

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"nadmor/internal/hospital"
)

// complaints are the reasons for visits by clinic, "" for all others.
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

// visit is an appointment with the data that its result depends on.
type visit struct {
	hospital.Appointment
	*placed
	weeks int // of a pregnancy
}

// visits yields realistic visits on the dates, the same for the same seed. No patient is in two places at
// once or in a clinic for others. A tenth of the patients come often. About one in ten past visits is a
// no-show, more for those booked long ahead, of young patients, on Mondays and in the rainy season. Waiting
// times are longest late in the morning.
func (p planner) visits(dates []string) iter.Seq[visit] {
	return func(yield func(visit) bool) {
		wall := hospital.MomentOf(p.now)
		for _, date := range dates {
			noon, _ := time.ParseInLocation("2006-01-02 15", date+" 12", hospital.Bangkok)
			d := visitDay{
				planner: p, rng: p.random(date, 1), date: date, day: dayOf(noon), number: hospital.DaysBetween("1970-01-01", date),
				wall: wall, busy: map[int32][]hospital.Slot{},
			}
			list := d.visits(p.day(date))
			if date == wall.Date {
				d.fillStatuses(list)
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

// visitDay generates the visits of a day.
type visitDay struct {
	planner
	rng    *rand.Rand
	date   string
	day    day
	number int // days since 1970
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
			patient, weeks := d.choosePatient(at.placed, at.slot, seen)
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

// giveNumbers assigns queue numbers in the order of arrival.
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

// choosePatient chooses a patient for a slot of a clinic who belongs there and has no other visit at that time,
// and the week of a pregnancy. Chronic patients come back in turn; a tenth of the others make three in ten
// visits.
func (d *visitDay) choosePatient(c *placed, slot hospital.Slot, seen int) (patient int32, weeks int) {
	pool := d.pools[c.patientGroup]
	n := len(pool)
	i, offset := d.rng.IntN(n), 0
	window := max(1, min(c.daily*28, n/3)) // pregnant women at one time, who come every four weeks
	switch {
	case c.patientGroup == diabetics:
		i = d.number*c.daily + seen + d.rng.IntN(1+n/25)
	case c.patientGroup == expectant:
		offset = d.rng.IntN(window)
	case d.rng.IntN(10) < 3:
		i -= i % 10
	}
	for tries := range n {
		if c.patientGroup == expectant {
			const days = 224 // from the 8th to the 40th week
			i, weeks = d.number*window/days+offset, 40-offset*32/window
		}
		patient = pool[i%n]
		// Once a day, unless there are few candidates.
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
	switch roll := d.rng.IntN(100); {
	case roll < 30 && c.patientGroup != diabetics:
		a.Kind = hospital.KindNew
	case roll < 34:
		a.Kind = hospital.KindRefer
	case roll < 37 && c.patientGroup == diabetics:
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
	case known && a.Channel != hospital.ChannelWalkIn: // customers book with the app
		a.Channel, a.CustomerID = pick(d.rng, []hospital.Channel{hospital.ChannelApp, hospital.ChannelLine}), &customer
	case len(d.clerks) > 0 && a.Channel != hospital.ChannelLine && a.Channel != hospital.ChannelApp:
		a.CreatedBy = &d.clerks[d.rng.IntN(len(d.clerks))]
	}
	d.status(&a, c, slot, start, missing*d.noShowFactor(d.people[patient]))
	return a
}

// booked returns when a visit was booked and the probability of a no-show, which is 0 for walk-ins and
// increases with the lead time.
func (d *visitDay) booked(start time.Time) (made time.Time, missing float64) {
	days := func(low, high int) time.Time { // during office hours
		day := start.AddDate(0, 0, -low-d.rng.IntN(high-low+1))
		return time.Date(day.Year(), day.Month(), day.Day(), 8, d.rng.IntN(8*60), 0, 0, day.Location())
	}
	switch roll := d.rng.IntN(100); {
	case roll < 14:
		return start.Add(-time.Duration(20+d.rng.IntN(40)) * time.Minute), 0.01
	case roll < 44:
		return days(1, 7), 0.05
	case roll < 77:
		return days(8, 30), 0.1
	case roll < 95:
		return days(31, 90), 0.17
	default:
		return days(91, 120), 0.24
	}
}

// noShowFactor returns the factor of a patient's no-show probability on the day.
func (d *visitDay) noShowFactor(s sketch) float64 {
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
