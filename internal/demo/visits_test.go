package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// holdVisits checks that there are appointments in every status that does not depend on the time of day, and
// that the seats add up.
func holdVisits(t *testing.T, db *store.DB) {
	ctx := t.Context()
	for _, status := range []hospital.AppointmentStatus{
		hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Confirmed, hospital.Completed, hospital.NoShow,
		hospital.Cancelled,
	} {
		page, err := db.ListAppointments(ctx, hospital.AppointmentFilter{
			Page: hospital.Page{Page: 1, PageSize: 1}, Statuses: []hospital.AppointmentStatus{status},
		})
		if err != nil || page.Total == 0 {
			t.Errorf("%d appointments are %s, %v", page.Total, status, err)
		}
	}
	if faults, err := db.VerifySlots(ctx); err != nil || len(faults) > 0 {
		t.Errorf("seats that do not add up: %v, %v", faults, err)
	}
	if faults, err := db.VerifyTotals(ctx); err != nil || len(faults) > 0 {
		t.Errorf("totals that do not add up: %v, %v", faults, err)
	}
	services, err := db.ListServices(ctx, false)
	if err != nil || len(services) != len(clinics) {
		t.Fatalf("%d services, %v", len(services), err)
	}
	for _, s := range services {
		for _, f := range []hospital.AppointmentFilter{
			{DateTo: hospital.AddDays(db.Today(), -1)}, {DateFrom: hospital.AddDays(db.Today(), 1)},
		} {
			f.Page, f.ServiceIDs = hospital.Page{Page: 1, PageSize: 1}, []int64{s.ID}
			if page, err := db.ListAppointments(ctx, f); err != nil || page.Total == 0 {
				t.Errorf("%s has nothing %s–%s, %v", s.Name, f.DateFrom, f.DateTo, err)
			}
		}
	}
}

// holdReports checks the patterns in the reports: full mornings, more no-shows after long lead times, longest
// waits before noon, busy doctors.
func holdReports(t *testing.T, db *store.DB) {
	ctx := t.Context()
	q := hospital.ReportQuery{DateFrom: hospital.AddDays(db.Today(), -364), DateTo: hospital.AddDays(db.Today(), -1)}
	used, err := db.Utilization(ctx, q, hospital.ByService)
	if err != nil || len(used.Rows) != len(clinics) || *used.Total.Rate < 0.5 || *used.Total.Rate > 0.9 {
		t.Errorf("%+v %v", used, err)
	}
	missed, err := db.NoShows(ctx, q, hospital.ByLeadTime)
	if err != nil || len(missed.Rows) != 5 || *missed.Rows[0].Rate > 0.05 || *missed.Rows[4].Rate < *missed.Rows[1].Rate ||
		*missed.Total.Rate < 0.05 || *missed.Total.Rate > 0.15 {
		t.Errorf("%+v %v", missed, err)
	}
	waited, err := db.WaitingTimes(ctx, q, hospital.ByService)
	if err != nil || len(waited.Rows) != len(clinics) || *waited.Total.Wait.Median < 15*60 ||
		*waited.Total.Wait.P90 > 80*60 || *waited.Total.Visit.Median < 8*60 {
		t.Errorf("%+v %v", waited, err)
	}
	workload, err := db.Workload(ctx, q)
	if err != nil || len(workload.Rows) < 6 || workload.Rows[0].Patients == 0 || workload.Rows[0].VisitSeconds < 3600 ||
		*workload.Rows[0].PerDay < 2 {
		t.Errorf("%+v %v", workload, err)
	}
}

// bookNext checks that the next appointment number follows those of the sample.
func bookNext(t *testing.T, db *store.DB) {
	ctx := hospital.WithActor(t.Context(), hospital.System)
	services, err := db.ListServices(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := db.CreatePatient(ctx,
		hospital.PatientFields{
			Prename: "นาย", FirstName: "ใหม่", LastName: "มาก", Sex: hospital.Male, BirthDate: "1990-01-01",
		}, true)
	if err != nil {
		t.Fatal(err)
	}
	days, err := db.CheckSlots(ctx, hospital.SlotQuery{
		ServiceID: services[0].ID,
		DateRange: hospital.DateRange{DateFrom: db.Today(), DateTo: hospital.AddDays(db.Today(), 20)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range days {
		for _, slot := range day.Slots {
			if slot.Available > 0 {
				_, err := db.Book(ctx, hospital.NewAppointment{
					PatientID: p.ID,
					AppointmentFields: hospital.AppointmentFields{
						ServiceID: services[0].ID, Date: day.Date, StartTime: slot.StartTime,
					},
				})
				if err != nil {
					t.Errorf("booking after the sample: %v", err)
				}
				return
			}
		}
	}
	t.Error("no seat is free in three weeks")
}

// holdBelonging checks every visit with its patient: the clinic is for the patient, open, and within its
// schedule and capacity.
func holdBelonging(t *testing.T, db *store.DB) {
	t.Helper()
	ctx := hospital.WithActor(t.Context(), hospital.System)
	all, err := db.AppointmentsIn(ctx, hospital.AppointmentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := db.ListServices(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	closures, err := db.ListClosures(ctx, "2000-01-01", "2100-01-01", 0)
	if err != nil {
		t.Fatal(err)
	}
	// The day that was closed after it was booked.
	closures = slices.DeleteFunc(closures, func(c hospital.Closure) bool {
		return c.Reason == "เจ้าหน้าที่อบรมนอกสถานที่"
	})
	if len(closures) < 20 {
		t.Errorf("%d closures", len(closures))
	}
	ofAge := map[string][2]int{
		"PED": {0, 14}, "ANC": {15, 45}, "MED": {15, 130}, "DM": {20, 130}, "DENT": {0, 130}, "SUR": {0, 130},
	}
	seats, missed, came := map[hospital.SlotRow]int{}, 0, 0
	mornings, afternoons := 0, 0
	twice, daily := 0, map[string]bool{}
	for _, a := range all {
		age, err := hospital.AgeOn(a.Patient.BirthDate, a.Date)
		if err != nil || a.Patient.BirthDate > a.Date {
			t.Fatalf("%s, born %s, has a visit on %s", a.Patient.FullName(), a.Patient.BirthDate, a.Date)
		}
		if bound := ofAge[a.Service.Code]; age.Years < bound[0] || age.Years > bound[1] {
			t.Errorf("%s is %d years old and seen in %s", a.Patient.FullName(), age.Years, a.Service.Name)
		}
		if a.Service.Code == "ANC" && a.Patient.Sex != hospital.Female {
			t.Errorf("%s is seen in %s", a.Patient.FullName(), a.Service.Name)
		}
		switch {
		case a.Status == hospital.NoShow:
			missed++
		case a.Status.Visited():
			came++
		}
		switch {
		case a.StartTime >= "08:00" && a.StartTime < "12:00":
			mornings++
		case a.StartTime >= "12:00" && a.StartTime < "16:00":
			afternoons++
		}
		if once := fmt.Sprint(a.PatientID, a.Date); daily[once] {
			twice++
		} else {
			daily[once] = true
		}
		if a.Status.HoldsSeat() {
			seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}]++
		}
	}
	if share := float64(missed) / float64(missed+came); share < 0.05 || share > 0.15 {
		t.Errorf("%.3f did not come", share)
	}
	if twice > 0 {
		t.Errorf("%d patients have two appointments on a day", twice)
	}
	if mornings < 2*afternoons {
		t.Errorf("%d come in the morning, %d in the afternoon", mornings, afternoons)
	}
	for row, booked := range seats {
		s := list[slices.IndexFunc(list, func(s hospital.Service) bool { return s.ID == row.ServiceID })]
		day := s.ScheduledSlots(row.Date, closures, nil)
		i := slices.IndexFunc(day.Slots, func(slot hospital.Slot) bool {
			return slot.StartTime == row.StartTime && slot.EndTime == row.EndTime
		})
		if i < 0 || booked > day.Slots[i].Capacity {
			t.Errorf("%s on %s at %s has %d, slots are %v", s.Name, row.Date, row.StartTime, booked, day.Slots)
		}
	}
	diagnoses := 0
	people := map[int64]hospital.PatientRef{}
	for _, a := range all {
		people[a.PatientID] = a.Patient
	}
	for page := 1; ; page++ {
		results, err := db.ListResults(ctx, hospital.ResultFilter{Page: hospital.Page{Page: page, PageSize: 200}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results.Items {
			diagnoses++
			p := people[r.PatientID]
			for _, code := range r.ICD10 {
				if slices.Contains([]string{"Z34.9", "O24.4", "D24", "N10"}, code) && p.Sex != hospital.Female ||
					slices.Contains([]string{"N40", "K40.9"}, code) && p.Sex != hospital.Male {
					t.Errorf("%s, %s, has %s", p.FullName(), p.Sex, r.Diagnosis)
				}
				if age, _ := hospital.AgeOn(p.BirthDate, r.Date); strings.HasPrefix(code, "E11") && age.Years < 20 ||
					code == "N40" && age.Years < 55 || code == "Z00.1" && age.Years > 5 {
					t.Errorf("%s, %d years old, has %s", p.FullName(), age.Years, r.Diagnosis)
				}
			}
		}
		if len(results.Items) < 200 || page == 20 { // newest first; a sample is enough
			break
		}
	}
	if diagnoses < 2000 {
		t.Errorf("%d results", diagnoses)
	}
}

// At ten on a weekday there is an appointment in every status. At any hour of any day some patient is
// present.
func TestVisitsOfToday(t *testing.T) {
	t.Parallel()
	size := Size{Patients: 1000, Seed: DefaultSize.Seed}
	list := services(size)
	for hour := range 7 * 24 {
		now := time.Date(2026, 11, 15, hour, 5, 0, 0, hospital.Bangkok)
		p := planOf(size, list, nil, now)
		count := map[hospital.AppointmentStatus]int{}
		for v := range p.visits([]string{p.today}) {
			count[v.Status]++
			for _, at := range []*time.Time{v.CheckedInAt, v.StartedAt, v.CompletedAt, &v.CreatedAt} {
				if at != nil && at.After(now) {
					t.Errorf("at %s something happened at %s", now, at)
				}
			}
		}
		if count[hospital.CheckedIn]+count[hospital.InService] == 0 {
			t.Errorf("at %s nobody is there: %v", now, count)
		}
		if weekday := now.Weekday(); now.Hour() != 10 || weekday == 0 || weekday == 6 {
			continue
		}
		for _, status := range hospital.AppointmentStatuses {
			if count[status] == 0 {
				t.Errorf("at %s nobody is %s: %v", now, status, count)
			}
		}
		if count[hospital.Completed] < 10 || count[hospital.Booked]+count[hospital.Confirmed] < 20 {
			t.Errorf("at %s: %v", now, count)
		}
	}
}
