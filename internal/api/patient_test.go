package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

const (
	patientPath  = "/admin/api/v1/patients"
	customerPath = "/admin/api/v1.0/customers"
)

func TestPatientsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		registrar, doctor := n.signIn("registrar").AccessToken, n.signIn("doctor").AccessToken
		in := obj("prename", "นาย", "firstName", "สมชาย", "lastName", "ใจดี", "sex", "M", "birthDate", "1988-02-09", "idCard", "1-1111-11111-11-9", "phone", "081-234-5678",
			"address", obj("province", "เชียงใหม่", "postalCode", "50200"), "allergies", []any{obj("substance", "เพนิซิลลิน", "severity", "SEVERE", "reaction", "ผื่น"), obj("substance", "ไข่")})
		p := decode[hospital.Patient](t, n.post(patientPath+"/create", registrar, in))
		if p.HN == "" || p.Version != 1 || p.IDCard != "1111111111119" || p.IDType != "CID" || p.Phone != "0812345678" || len(p.Allergies) != 2 {
			t.Fatalf("created %+v", p)
		}
		for name, c := range map[string]struct {
			change map[string]any
			code   hospital.Code
			fields string
		}{
			"the same card":                     {obj("firstName", "คนอื่น"), hospital.Duplicate, "idCard"},
			"the same name and birth":           {obj("idCard", ""), hospital.PossibleDuplicate, ""},
			"a wrong card and phone":            {obj("idCard", "1111111111110", "phone", "5"), hospital.ValidationFailed, "idCard phone"},
			"a Buddhist birth year":             {obj("birthDate", "2531-02-09"), hospital.ValidationFailed, "birthDate"},
			"a wrong type beside a wrong value": {obj("phone", 5, "sex", "X"), hospital.ValidationFailed, "phone sex"},
		} {
			body := maps.Clone(in)
			maps.Copy(body, c.change)
			a := n.post(patientPath+"/create", registrar, body).want(t, c.code)
			var fields []string
			for _, f := range a.err.Fields {
				fields = append(fields, f.Field)
			}
			if strings.Join(fields, " ") != c.fields {
				t.Errorf("%s: fields %v, want %s", name, fields, c.fields)
			}
			if strings.HasSuffix(string(c.code), "DUPLICATE") {
				if list, _ := a.err.Details["candidates"].([]any); len(list) != 1 || list[0].(map[string]any)["hn"] != p.HN || strings.Contains(a.raw, "1111111111119") {
					t.Errorf("%s: %s", name, a.raw)
				}
			}
		}
		if a := n.post(patientPath+"/create", registrar, obj()).want(t, hospital.ValidationFailed); len(a.err.Fields) != 5 {
			t.Errorf("nothing sent: %s", a.raw)
		}

		record := decode[map[string]any](t, n.get(fmt.Sprintf("%s/%d", patientPath, p.ID), doctor))
		if record["idCard"] != "1-1111-xxxxx-11-9" || record["lastVisit"] != nil || record["appointmentCounts"].(map[string]any)["total"] != 0.0 || record["phone2"] != "" {
			t.Errorf("the doctor reads %v", record)
		}
		if whole := decode[hospital.Patient](t, n.get(fmt.Sprintf("%s/%d", patientPath, p.ID), registrar)); whole.IDCard != "1111111111119" {
			t.Errorf("the registrar reads %s", whole.IDCard)
		}

		// Only what is sent changes; a list that is sent replaces the whole list.
		u := decode[hospital.Patient](t, n.post(patientPath+"/update", registrar, obj("id", p.ID, "version", 1, "allergies", []any{obj("substance", "ซัลฟา")}, "address", obj("moo", "5"))))
		if u.Version != 2 || u.FirstName != "สมชาย" || len(u.Allergies) != 1 || u.Allergies[0] != (hospital.Allergy{Substance: "ซัลฟา"}) || u.Address.Province != "เชียงใหม่" || u.Address.Moo != "5" {
			t.Errorf("updated %+v", u)
		}
		if a := n.post(patientPath+"/update", registrar, obj("id", p.ID, "version", 1, "note", "x")).want(t, hospital.ConflictVersion); a.err.Details["current"].(map[string]any)["version"] != 2.0 {
			t.Errorf("stale: %s", a.raw)
		}
		n.post(patientPath+"/update", registrar, obj("id", p.ID, "version", 2, "deletedAt", 1)).want(t, hospital.ValidationFailed)
		n.post(patientPath+"/update", doctor, obj("id", p.ID, "version", 2, "note", "x")).want(t, hospital.Forbidden)

		if found := decode[[]hospital.Patient](t, n.post(patientPath+"/search", doctor, obj("q", "สมช"))); len(found) != 1 {
			t.Errorf("found %+v", found)
		}
		n.post(patientPath+"/search", doctor, obj("q", "ส", "limit", 51)).want(t, hospital.ValidationFailed)
		if found := decode[[]hospital.Patient](t, n.post(patientPath+"/list-id-card", doctor, obj("idCard", "1-1111"))); len(found) != 1 || found[0].IDCard != "1-1111-xxxxx-11-9" {
			t.Errorf("by card %+v", found)
		}
		n.post(patientPath+"/list-id-card", doctor, obj("idCard", "111")).want(t, hospital.ValidationFailed)
		list := decode[hospital.Paged[hospital.Patient]](t, n.post(patientPath+"/list", doctor, obj("sex", "M", "ageFrom", 30, "ageTo", 40, "province", "เชียงใหม่", "sort", "-createdAt")))
		if list.Total != 1 || list.Page != 1 || list.PageSize != 20 {
			t.Errorf("list %+v", list)
		}
		n.post(patientPath+"/reveal-id-card", doctor, obj("id", p.ID, "reason", "ดู")).want(t, hospital.Forbidden)
		n.post(patientPath+"/reveal-id-card", registrar, obj("id", p.ID, "reason", " ")).want(t, hospital.ValidationFailed)
		if a := n.post(patientPath+"/reveal-id-card", registrar, obj("id", p.ID, "reason", "ตรวจสอบสิทธิ")).want(t, ""); !strings.Contains(a.raw, `"idCard":"1111111111119"`) {
			t.Errorf("revealed %s", a.raw)
		}
		n.post(patientPath+"/delete", registrar, obj("id", p.ID)).want(t, hospital.ValidationFailed)
		n.post(patientPath+"/delete", registrar, obj("id", p.ID, "reason", "ซ้ำ")).want(t, "")
		n.get(fmt.Sprintf("%s/%d", patientPath, p.ID), registrar).want(t, hospital.NotFound)
		for _, private := range []string{"1111111111119", "สมชาย", "0812345678"} {
			if strings.Contains(n.log.String(), private) {
				t.Errorf("%s is in the log", private)
			}
		}
	})
}

func TestCustomersTakeTheSecondToken(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		in := n.signIn("registrar")
		p := decode[hospital.Patient](t, n.post(patientPath+"/create", in.AccessToken, obj("prename", "นาง", "firstName", "มานี", "lastName", "มีนา", "sex", "F", "birthDate", "1990-01-01")))
		body := obj("name", "มานี มีนา", "phone", "081-111-2233", "patients", []any{obj("patientId", p.ID, "relation", "SELF")})
		n.post(customerPath+"/create", in.AccessToken, body).want(t, hospital.Unauthenticated)
		n.post(patientPath+"/list", in.SmqAccessToken, obj()).want(t, hospital.Unauthenticated)
		c := decode[hospital.Customer](t, n.post(customerPath+"/create", in.SmqAccessToken, body))
		if c.Phone != "0811112233" || c.Status != "ACTIVE" || len(c.Patients) != 1 || c.Patients[0].Name != "นางมานี มีนา" {
			t.Errorf("created %+v", c)
		}
		if a := n.post(customerPath+"/create", in.SmqAccessToken, body).want(t, hospital.Duplicate); a.field("phone") == "" {
			t.Errorf("again %s", a.raw)
		}
		if a := n.post(customerPath+"/create", in.SmqAccessToken, obj("patients", []any{obj("patientId", 1, "relation", "COUSIN")})).want(t, hospital.ValidationFailed); len(a.err.Fields) != 3 {
			t.Errorf("wrong %s", a.raw)
		}
		u := decode[hospital.Customer](t, n.post(customerPath+"/update", in.SmqAccessToken, obj("id", c.ID, "version", 1, "status", "SUSPENDED")))
		if u.Status != "SUSPENDED" || len(u.Patients) != 1 || u.Version != 2 {
			t.Errorf("updated %+v", u)
		}
		n.post(customerPath+"/update", in.SmqAccessToken, obj("id", c.ID, "version", 1, "status", "ACTIVE")).want(t, hospital.ConflictVersion)
		if got := decode[hospital.Customer](t, n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), in.SmqAccessToken)); got.ID != c.ID {
			t.Errorf("read %+v", got)
		}
		if list := decode[hospital.Paged[hospital.Customer]](t, n.post(customerPath+"/list", in.SmqAccessToken, obj("q", "มานี", "status", "SUSPENDED"))); list.Total != 1 {
			t.Errorf("list %+v", list)
		}
		n.post(customerPath+"/delete", n.signIn("nurse").SmqAccessToken, obj("id", c.ID)).want(t, hospital.Forbidden)
		n.post(customerPath+"/delete", in.SmqAccessToken, obj("id", c.ID)).want(t, "")
		n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), in.SmqAccessToken).want(t, hospital.NotFound)
	})
}
