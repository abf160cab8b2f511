package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// The load of each day in the calendar, which is read from totals, equals the sum of its slots.
func TestCalendarMatchesSlots(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		random := rand.New(rand.NewPCG(1, 2))
		services := []hospital.Service{clinic(ctx, t, db, "GP", 2), clinic(ctx, t, db, "DM", 3)}
		people := patients(ctx, t, db, 30)
		const from, to = monday, "2026-11-29"
		for _, patient := range people {
			for range 3 {
				s := services[random.IntN(2)]
				date := hospital.AddDays(from, random.IntN(14))
				in := visit(patient, s, date, fmt.Sprintf("%02d:%02d", 9+random.IntN(3), 30*random.IntN(2)))
				in.Waitlist = true
				a, err := db.Book(ctx, in)
				if err == nil && random.IntN(3) == 0 {
					_, err = db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ย้ายไปที่อื่น")
				}
				if code := hospital.CodeOf(err); err != nil && code != hospital.OutOfSchedule &&
					code != hospital.PatientDoubleBooked {
					t.Fatal(err)
				}
			}
		}
		none := 0
		must[hospital.CapacityChanged](t)(db.UpdateCapacity(ctx, hospital.CapacityChange{
			ServiceID: services[0].ID, Date: monday, Capacity: &none, Force: true,
		}))
		if _, _, err := db.CreateClosure(ctx, hospital.ClosureFields{
			DateFrom: "2026-11-18", DateTo: "2026-11-18", Reason: "ประชุม", Kind: hospital.ClosureClosed,
		}); err != nil {
			t.Fatal(err)
		}
		days := must[[]store.DayLoad](t)(db.Calendar(ctx, from, to, nil, nil))
		for _, s := range services {
			slots := must[[]hospital.DaySlots](t)(db.CheckSlots(ctx, hospital.SlotQuery{
				ServiceID: s.ID, DateRange: hospital.DateRange{DateFrom: from, DateTo: to},
			}))
			for i, day := range slots {
				want := store.ServiceLoad{ServiceID: s.ID}
				for _, slot := range day.Slots {
					want.Booked += slot.Booked
					if !slot.Closed {
						want.Capacity += slot.Capacity
					}
				}
				got := store.ServiceLoad{ServiceID: s.ID}
				for _, load := range days[i].Services {
					if load.ServiceID == s.ID {
						got = load
					}
				}
				if got != want {
					t.Errorf("%s %s: %+v, the slots have %+v", day.Date, s.Code, got, want)
				}
			}
		}
		for _, d := range days {
			list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, hospital.AppointmentFilter{
				Page: hospital.Page{Page: 1, PageSize: 200}, DateFrom: d.Date, DateTo: d.Date,
			}))
			byStatus, seats := map[hospital.AppointmentStatus]int{}, 0
			for _, a := range list.Items {
				byStatus[a.Status]++
				if a.Status.HoldsSeat() {
					seats++
				}
			}
			if int64(len(list.Items)) != list.Total || d.Booked != seats || fmt.Sprint(byStatus) != fmt.Sprint(d.ByStatus) {
				t.Errorf("%s: %d booked of %v; the list has %d (total %d) of %v",
					d.Date, d.Booked, d.ByStatus, len(list.Items), list.Total, byStatus)
			}
			if closed := d.Date == "2026-11-18"; d.Closed != closed || closed && (d.Reason != "ประชุม" || d.Capacity != 0) {
				t.Errorf("%s: closed %v %q, capacity %d", d.Date, d.Closed, d.Reason, d.Capacity)
			}
		}
		cancelled := []hospital.AppointmentStatus{hospital.Cancelled}
		only := must[[]store.DayLoad](t)(db.Calendar(ctx, from, to, []int64{services[1].ID}, cancelled))
		all := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, hospital.AppointmentFilter{
			Page: hospital.Page{Page: 1, PageSize: 200}, ServiceIDs: []int64{services[1].ID}, Statuses: cancelled,
		}))
		sum := 0
		for _, d := range only {
			sum += d.ByStatus[hospital.Cancelled]
			if len(d.ByStatus) > 1 {
				t.Errorf("%s counts %v", d.Date, d.ByStatus)
			}
		}
		if sum == 0 || int64(sum) != all.Total || len(all.Items) != sum {
			t.Errorf("the calendar counts %d cancelled, the list %d of %d", sum, len(all.Items), all.Total)
		}
		noFaults(ctx, t, db)
	})
}

// The migration counts the appointments of an existing database.
func TestMigrateTotals(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 2)
		for i, patient := range patients(ctx, t, db, 6) {
			a := must[hospital.Appointment](t)(db.Book(ctx,
				visit(patient, s, hospital.AddDays(monday, i%2), fmt.Sprintf("%02d:00", 9+i/2))))
			switch i {
			case 2:
				must[hospital.Appointment](t)(db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ไม่สะดวก"))
			case 3:
				if err := db.DeleteAppointment(ctx, a.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		script, err := os.ReadFile(filepath.Join("migrations", p.Engine, "0004_totals.sql"))
		if err != nil {
			t.Fatal(err)
		}
		_, fill, _ := strings.Cut(string(script), "\nINSERT")
		fill, _, _ = strings.Cut(fill, ";")
		raw := p.SQL(t)
		if _, err := raw.ExecContext(ctx, `DELETE FROM day_totals`); err != nil {
			t.Fatal(err)
		}
		if faults := must[[]store.TotalFault](t)(db.VerifyTotals(ctx)); len(faults) != 3 {
			t.Errorf("without totals: %+v", faults)
		}
		if _, err := raw.ExecContext(ctx, "INSERT"+fill); err != nil {
			t.Fatal(err)
		}
		noFaults(ctx, t, db)
	})
}
