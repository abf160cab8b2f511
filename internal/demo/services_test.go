package demo

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
)

// services returns the services of a hospital without a database.
func services(size Size) (list []hospital.Service) {
	for i, c := range clinicsOf(size) {
		c.Active, c.ServiceFields = true, c.Clean()
		list = append(list, hospital.Service{ID: int64(i + 1), ServiceFields: c.ServiceFields})
	}
	return list
}

func TestLargeHospitalServices(t *testing.T) {
	t.Parallel()
	size := Size{Patients: 20_000, Appointments: 60_000, Seed: 1}
	list := services(size)
	if len(list) != 20 {
		t.Errorf("%d clinics", len(list))
	}
	p := planOf(size, list, nil, time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC))
	dates, skip, err := p.daysFor(size.Appointments, "2026-12-07")
	if err != nil {
		t.Fatal(err)
	}
	made, seats, visits := 0, map[hospital.SlotRow]int{}, map[int64]int{}
	for a := range p.visits(dates) {
		made++
		if a.Status.HoldsSeat() {
			seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime}]++
		}
		visits[a.PatientID]++
		if date, _ := time.Parse(time.DateOnly, a.Date); !a.sees(p.people[a.PatientID], dayOf(date)) {
			t.Fatalf("%+v is seen in %s on %s", p.people[a.PatientID], a.Name, a.Date)
		}
	}
	if made-skip != size.Appointments {
		t.Errorf("%d visits, %d too many, want %d", made, skip, size.Appointments)
	}
	often := slices.Sorted(maps.Values(visits))
	tenth := 0
	for _, n := range often[len(often)*9/10:] {
		tenth += n
	}
	if share := float64(tenth) / float64(made); share < 0.24 || share > 0.5 {
		t.Errorf("a tenth of the people make %.2f of the visits", share)
	}
	for slot, booked := range seats {
		capacity := 0
		for _, w := range list[slot.ServiceID-1].ScheduledSlots(slot.Date, nil, nil).Slots {
			if w.StartTime == slot.StartTime {
				capacity = w.Capacity
			}
		}
		if booked > capacity {
			t.Fatalf("%+v has %d of %d", slot, booked, capacity)
		}
	}
}

func TestHolidays(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range holidays("2026-04-01", "2026-08-01", "2026-05-04") {
		got = append(got, c.DateFrom+" "+c.Reason)
	}
	want := []string{
		"2026-04-06 วันจักรี", "2026-04-13 วันสงกรานต์", "2026-04-14 วันสงกรานต์", "2026-04-15 วันสงกรานต์",
		"2026-05-31 วันวิสาขบูชา", "2026-06-01 วันหยุดชดเชยวันวิสาขบูชา",
		"2026-06-03 วันเฉลิมพระชนมพรรษาสมเด็จพระนางเจ้าฯ พระบรมราชินี",
		"2026-07-28 วันเฉลิมพระชนมพรรษาพระบาทสมเด็จพระเจ้าอยู่หัว", "2026-07-29 วันอาสาฬหบูชา", "2026-07-30 วันเข้าพรรษา",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
