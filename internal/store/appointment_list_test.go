package store_test

import (
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestListAppointmentsByTurn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 4)
		var booked []hospital.Appointment
		for i, start := range []string{"09:00", "09:00", "09:30", "10:00"} {
			booked = append(booked, must[hospital.Appointment](t)(db.Book(ctx, visit(people[i], s, monday, start))))
		}
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[0].ID, 0, hospital.CheckedIn, ""))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[0].ID, 0, hospital.Completed, ""))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[2].ID, 0, hospital.Cancelled, "ผู้ป่วยขอยกเลิก"))
		must[hospital.Appointment](t)(db.MarkStatus(ctx, booked[3].ID, 0, hospital.CheckedIn, ""))
		list := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, hospital.AppointmentFilter{
			Page: hospital.Page{Page: 1, PageSize: 10, Sort: "turn"}, DateFrom: monday, DateTo: monday,
		}))
		var got []int64
		for _, a := range list.Items {
			got = append(got, a.ID)
		}
		if want := []int64{booked[1].ID, booked[3].ID, booked[0].ID, booked[2].ID}; !slices.Equal(got, want) {
			t.Errorf("by turn %v, want %v", got, want)
		}
	})
}

func TestListAppointmentsNumberOwnersFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		book := func(hn, phone, date, start string) hospital.Appointment {
			in := newPatient("สมชาย", hn)
			in.HN, in.Phone = hn, phone
			p := must[hospital.Patient](t)(db.CreatePatient(ctx, in, true))
			return must[hospital.Appointment](t)(db.Book(ctx, visit(p, s, date, start)))
		}
		early, other := book("9001", "0855064001", monday, "09:00"), book("9002", "0855064002", monday, "10:00")
		own, dashed := book("0855064", "0811111111", tuesday, "11:00"), book("69-00123", "", tuesday, "11:30")
		owner := hospital.Patient{ID: own.PatientID}
		again := must[hospital.Appointment](t)(db.Book(ctx, visit(owner, s, tuesday, "13:00")))
		all := []hospital.Appointment{early, other, own, dashed, again}
		must[hospital.Appointment](t)(db.MarkStatus(ctx, own.ID, 0, hospital.Cancelled, "ผู้ป่วยขอยกเลิก"))
		for name, c := range map[string]struct {
			q, sort string
			want    []hospital.Appointment
		}{
			"an HN":                     {"855064", "", []hospital.Appointment{own, again, early, other}},
			"an HN, by turn":            {"855064", "turn", []hospital.Appointment{again, own, early, other}},
			"an HN, sorted by date":     {"855064", "date", []hospital.Appointment{early, other, own, again}},
			"digits of several":         {"55064", "", []hospital.Appointment{early, other, own, again}},
			"an HN without its dash":    {"6900123", "", []hospital.Appointment{dashed}},
			"a phone":                   {"081-111-1111", "", []hospital.Appointment{own, again}},
			"a number":                  {strings.ToLower(other.Number), "", []hospital.Appointment{other}},
			"the beginning of a number": {other.Number[:len(other.Number)-1], "", all},
		} {
			for size := 1; size <= 5; size += 2 {
				var got, exported []string
				in := hospital.AppointmentFilter{Q: c.q, Page: hospital.Page{Page: 1, PageSize: size, Sort: c.sort}}
				for ; len(got) == (in.Page.Page-1)*size; in.Page.Page++ {
					page := must[hospital.Paged[hospital.Appointment]](t)(db.ListAppointments(ctx, in))
					for _, a := range page.Items {
						got = append(got, a.Number)
					}
					if int(page.Total) != len(c.want) {
						t.Errorf("%s: a total of %d, want %d", name, page.Total, len(c.want))
					}
				}
				err := db.EachAppointment(ctx, in, "csv", func(a hospital.Appointment) error {
					exported = append(exported, a.Number)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, a := range c.want {
					want = append(want, a.Number)
				}
				if !slices.Equal(got, want) || !slices.Equal(exported, want) {
					t.Errorf("%s, page size %d: %v, exported %v, want %v", name, size, got, exported, want)
				}
			}
		}
	})
}
