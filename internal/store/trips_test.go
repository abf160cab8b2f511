package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// A number is taken before the settings are read; the booking is still
// numbered as the settings say now, also when another node changed them.
func TestNumbersFollowTheFormatOfTheMoment(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, other := p.Open(t), p.Open(t)
		ctx := storetest.SetUp(t, db)
		s := clinic(ctx, t, db, "GP", 10)
		people := patients(ctx, t, db, 4)
		book := func(i int, want string) {
			t.Helper()
			if a := must[hospital.Appointment](t)(db.Book(ctx, visit(people[i], s, monday, "10:00"))); a.Number != want {
				t.Errorf("number %s, want %s", a.Number, want)
			}
		}
		format := func(f string) {
			must[hospital.Setting](t)(other.AmendSetting(ctx,
				func(s *hospital.SettingFields) error { s.AppointmentNumberFormat = f; return nil }))
		}
		book(0, "A6911-00001")
		format("B{SEQ:3}")
		book(1, "B001")
		book(2, "B002")
		format("A{YY}{MM}-{SEQ:5}")
		book(3, "A6911-00006") // the rest of the block was given up with the format
	})
}

// The commit travels together with statements whose answers nobody waits for. A
// statement that does not find its row still lets nothing be committed.
func TestNothingIsCommittedWhenARowIsMissing(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]string{
		"the total of the day": `DELETE FROM day_totals`,
		"the seat":             `UPDATE slots SET booked = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
				db := p.Open(t)
				ctx := storetest.SetUp(t, db)
				s := clinic(ctx, t, db, "GP", 10)
				a := must[hospital.Appointment](t)(db.Book(ctx, visit(patients(ctx, t, db, 1)[0], s, monday, "10:00")))
				if _, err := p.SQL(t).Exec(missing); err != nil {
					t.Fatal(err)
				}
				if _, err := db.MarkStatus(ctx, a.ID, 0, hospital.Cancelled, "ไม่สะดวก"); err == nil || hospital.CodeOf(err) != hospital.Internal {
					t.Errorf("cancelled: %v", err)
				}
				after, history, err := db.AppointmentDetails(ctx, a.ID)
				if err != nil || after.Status != hospital.Booked || after.Version != a.Version || len(history) != 1 {
					t.Errorf("%+v, %+v, %v", after, history, err)
				}
				if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
					t.Errorf("audit: %v, %v", faults, err)
				}
				log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 10}, Entity: "appointment"}))
				if log.Total != 1 {
					t.Errorf("the log tells of %d changes", log.Total)
				}
			})
		})
	}
}
