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

// addAppointments fills the calendar around today: two months back, today in
// full swing, three weeks ahead.
func addAppointments(ctx context.Context, db *store.DB, services []hospital.Service, patients []int64) error {
	const back, ahead = 60, 21
	today := db.Today()
	from, to := hospital.AddDays(today, -back), hospital.AddDays(today, ahead)
	closures, err := db.ListClosures(ctx, from, to, 0)
	if err != nil {
		return err
	}
	format := hospital.NumberFormat(hospital.DefaultSetting.AppointmentNumberFormat)
	counters := map[string]int64{}
	list := Appointments(hospital.DatesBetween(from, to), services, closures, patients, db.Now(), 2569)
	number := func(yield func(hospital.Appointment) bool) {
		for a := range list {
			series := format.Series(a.CreatedAt)
			counters[series]++
			a.Number = format.Format(a.CreatedAt, counters[series])
			if !yield(a) {
				return
			}
		}
	}
	if _, err := db.ImportAppointments(ctx, number, counters); err != nil {
		return fmt.Errorf("sample appointments: %w", err)
	}
	return nil
}

// Appointments makes believable visits on the days, the same ones for the same
// seed: mornings fuller than afternoons, nobody in two places at once, about
// one in ten of the past not shown up.
func Appointments(dates []string, services []hospital.Service, closures []hospital.Closure, patients []int64, now time.Time, seed uint64) iter.Seq[hospital.Appointment] {
	return func(yield func(hospital.Appointment) bool) {
		rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // sample data
		wall := hospital.MomentOf(now, hospital.Bangkok)
		for _, date := range dates {
			day := visitDay{rng: rng, date: date, wall: wall, now: now, patients: patients, busy: map[int64][]hospital.Slot{}}
			for _, s := range services {
				day.queue = 0
				for _, slot := range s.Day(date, closures, nil, hospital.Moment{}).Slots {
					n := day.wanted(slot)
					for range n {
						if a, ok := day.visit(s, slot); ok && !yield(a) {
							return
						}
					}
					if n == slot.Capacity && date > wall.Date && rng.IntN(6) == 0 { // somebody waits for a seat
						if a, ok := day.visit(s, slot); ok && a.Status != hospital.Cancelled {
							a.Status = hospital.Waitlisted
							if !yield(a) {
								return
							}
						}
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

// wanted is how many come at a time: further ahead fewer are booked yet.
func (d *visitDay) wanted(slot hospital.Slot) int {
	load := 0.62
	if slot.StartTime < "10:30" {
		load = 0.9
	}
	if ahead := hospital.DaysBetween(d.wall.Date, d.date); ahead > 0 {
		load *= max(0.15, 1-float64(ahead)/22)
	}
	n := 0
	for range slot.Capacity {
		if d.rng.Float64() < load {
			n++
		}
	}
	return n
}

func (d *visitDay) visit(s hospital.Service, slot hospital.Slot) (a hospital.Appointment, ok bool) {
	patient := d.patients[d.rng.IntN(len(d.patients))]
	if slices.ContainsFunc(d.busy[patient], func(o hospital.Slot) bool { return o.StartTime < slot.EndTime && slot.StartTime < o.EndTime }) {
		return a, false
	}
	d.busy[patient] = append(d.busy[patient], slot)
	start, _ := time.ParseInLocation("2006-01-02 15:04", d.date+" "+slot.StartTime, hospital.Bangkok)
	made := start.Add(-time.Duration(1+d.rng.IntN(30*24)) * time.Hour)
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
	d.status(&a, s, start)
	return a, true
}

// status is how far a visit has come by now.
func (d *visitDay) status(a *hospital.Appointment, s hospital.Service, start time.Time) {
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
	begun := start.Add(time.Duration(10+d.rng.IntN(35)) * time.Minute)
	done := begun.Add(time.Duration(8+d.rng.IntN(22)) * time.Minute)
	past := a.Date < d.wall.Date
	switch {
	case past && luck < 0.16:
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
