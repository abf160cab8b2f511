package store_test

import (
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestCustomers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := must[hospital.Patient](t)(db.CreatePatient(ctx, newPatient("สมชาย", "ใจดี"), false))
		b := must[hospital.Patient](t)(db.CreatePatient(ctx, newPatient("เด็กชายเก่ง", "ใจดี"), false))
		in := hospital.CustomerFields{
			Name: "สมชาย ใจดี", Phone: "081-234-5678", Email: "Somchai@x.example",
			Patients: []hospital.CustomerPatient{
				{PatientID: a.ID, Relation: hospital.RelationSelf}, {PatientID: b.ID, Relation: hospital.RelationChild},
			},
		}
		c := must[hospital.Customer](t)(db.CreateCustomer(ctx, in))
		if c.Status != hospital.CustomerActive || len(c.Patients) != 2 || c.Patients[1].Relation != hospital.RelationChild ||
			c.Patients[0].HN != a.HN || c.Patients[0].Name != "นายสมชาย ใจดี" {
			t.Errorf("created %+v", c)
		}
		_, err := db.CreateCustomer(ctx, hospital.CustomerFields{Name: "คนอื่น", Phone: "0812345678"})
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "phone" {
			t.Errorf("%+v", e)
		}
		_, err = db.CreateCustomer(ctx, hospital.CustomerFields{
			Name: "คนอื่น", Phone: "0899999999",
			Patients: []hospital.CustomerPatient{{PatientID: 999, Relation: hospital.RelationSelf}},
		})
		if e := wantCode(t, err, hospital.ValidationFailed); e.Fields[0].Field != "patients[0].patientId" {
			t.Errorf("%+v", e)
		}
		changed := must[hospital.Customer](t)(db.UpdateCustomer(ctx, c.ID, 1, func(f *hospital.CustomerFields) error {
			f.Status, f.Patients = hospital.CustomerSuspended, f.Patients[:1]
			return nil
		}))
		if changed.Version != 2 || changed.Status != hospital.CustomerSuspended || len(changed.Patients) != 1 ||
			changed.Phone != "0812345678" {
			t.Errorf("changed %+v", changed)
		}
		list := func(f hospital.CustomerFilter) hospital.Paged[hospital.Customer] {
			f.Page = hospital.Page{Page: 1, PageSize: 5}
			return must[hospital.Paged[hospital.Customer]](t)(db.ListCustomers(ctx, f))
		}
		for q, want := range map[string]int64{"ใจดี": 1, "081-234": 1, "somchai@x": 1, "ไม่มี": 0, "": 1} {
			got := list(hospital.CustomerFilter{Q: q})
			if got.Total != want || int64(len(got.Items)) != want {
				t.Errorf("search %q: %d, want %d", q, got.Total, want)
			}
		}
		if got := list(hospital.CustomerFilter{Status: hospital.CustomerActive}); got.Total != 0 {
			t.Errorf("active: %+v", got)
		}
		// Deleting a patient removes the link.
		if err := db.DeletePatient(ctx, a.ID, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		if got := must[hospital.Customer](t)(db.Customer(ctx, c.ID)); len(got.Patients) != 0 {
			t.Errorf("patients %+v", got.Patients)
		}
		if err := db.DeleteCustomer(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		_, err = db.Customer(ctx, c.ID)
		wantCode(t, err, hospital.NotFound)
		must[hospital.Customer](t)(db.CreateCustomer(ctx, hospital.CustomerFields{Name: "เบอร์เดิม", Phone: "0812345678"}))
	})
}
