package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const (
	patientPath  = "/admin/api/v1/patients"
	customerPath = "/admin/api/v1.0/customers"
)

func TestPatientsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		registrar, doctor := n.signIn("registrar").AccessToken, n.signIn("doctor").AccessToken
		const masked = "1-1111-xxxxx-11-9" // as shown to all callers
		in := obj("prename", "นาย", "firstName", "สมชาย", "lastName", "ใจดี", "sex", "M", "birthDate", "1988-02-09", "idCard",
			"1-1111-11111-11-9", "phone", "081-234-5678",
			"address", obj("province", "เชียงใหม่", "postalCode", "50200"), "allergies", []any{
				obj("substance", "เพนิซิลลิน", "severity", "SEVERE", "reaction", "ผื่น"), obj("substance", "ไข่"),
			})
		p := decode[hospital.Patient](t, n.post(patientPath+"/create", registrar, in))
		if p.HN == "" || p.Version != 1 || p.IDCard != masked || p.IDType != "CID" || p.Phone != "0812345678" ||
			len(p.Allergies) != 2 {
			t.Fatalf("created %+v", p)
		}
		for name, c := range map[string]struct {
			change map[string]any
			code   hospital.Code
			fields string
		}{
			"the same card":           {obj("firstName", "คนอื่น"), hospital.Duplicate, "idCard"},
			"the same name and birth": {obj("idCard", ""), hospital.PossibleDuplicate, ""},
			"a wrong card and phone": {
				obj("idCard", "1111111111110", "phone", "5"), hospital.ValidationFailed, "idCard phone",
			},
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
				if list, _ := a.err.Details["candidates"].([]any); len(list) != 1 || list[0].(map[string]any)["hn"] != p.HN ||
					strings.Contains(a.raw, "1111111111119") {
					t.Errorf("%s: %s", name, a.raw)
				}
			}
		}
		if a := n.post(patientPath+"/create", registrar, obj()).want(t, hospital.ValidationFailed); len(a.err.Fields) != 5 {
			t.Errorf("nothing sent: %s", a.raw)
		}

		record := decode[map[string]any](t, n.get(fmt.Sprintf("%s/%d", patientPath, p.ID), doctor))
		if record["idCard"] != masked || record["lastVisit"] != nil ||
			record["appointmentCounts"].(map[string]any)["total"] != 0.0 || record["phone2"] != "" {
			t.Errorf("the doctor reads %v", record)
		}
		read := decode[hospital.Patient](t, n.get(fmt.Sprintf("%s/%d", patientPath, p.ID), registrar))
		if read.IDCard != masked {
			t.Errorf("the registrar reads %s", string(read.IDCard))
		}

		// An update changes only the sent fields; a list is replaced as a whole.
		u := decode[hospital.Patient](t,
			n.post(patientPath+"/update", registrar,
				obj("id", p.ID, "version", 1, "allergies", []any{obj("substance", "ซัลฟา")}, "address", obj("moo", "5"))))
		if u.Version != 2 || u.FirstName != "สมชาย" || len(u.Allergies) != 1 ||
			u.Allergies[0] != (hospital.Allergy{Substance: "ซัลฟา"}) || u.Address.Province != "เชียงใหม่" ||
			u.Address.Moo != "5" {
			t.Errorf("updated %+v", u)
		}
		stale := n.post(patientPath+"/update", registrar, obj("id", p.ID, "version", 1, "note", "x")).
			want(t, hospital.ConflictVersion)
		current := stale.err.Details["current"].(map[string]any)
		if current["version"] != 2.0 || current["idCard"] != masked {
			t.Errorf("stale: %s", stale.raw)
		}
		n.post(patientPath+"/update", registrar, obj("id", p.ID, "version", 2, "deletedAt", 1)).want(t,
			hospital.ValidationFailed)
		n.post(patientPath+"/update", doctor, obj("id", p.ID, "version", 2, "note", "x")).want(t, hospital.Forbidden)

		if found := decode[[]hospital.Patient](t, n.post(patientPath+"/search", doctor, obj("q", "สมช"))); len(found) != 1 {
			t.Errorf("found %+v", found)
		}
		n.post(patientPath+"/search", doctor, obj("q", "ส", "limit", 51)).want(t, hospital.ValidationFailed)
		for _, c := range []struct {
			token, card string
			finds       int
		}{
			{doctor, "1-1111", 0}, {doctor, "111111111111", 0}, {doctor, "1-1111-11111-11-9", 1},
			{registrar, "1-1111", 1}, {registrar, "1112", 0},
		} {
			found := decode[[]hospital.Patient](t, n.post(patientPath+"/list-id-card", c.token, obj("idCard", c.card)))
			if len(found) != c.finds || c.finds > 0 && found[0].IDCard != masked {
				t.Errorf("search for %s returned %+v", c.card, found)
			}
		}
		n.post(patientPath+"/list-id-card", doctor, obj("idCard", "111")).want(t, hospital.ValidationFailed)
		list := decode[hospital.Paged[hospital.Patient]](t,
			n.post(patientPath+"/list", doctor,
				obj("sex", "M", "ageFrom", 30, "ageTo", 40, "province", "เชียงใหม่", "sort", "-createdAt")))
		if list.Total != 1 || list.Page != 1 || list.PageSize != 20 {
			t.Errorf("list %+v", list)
		}
		n.post(patientPath+"/reveal-id-card", doctor, obj("id", p.ID, "reason", "ดู")).want(t, hospital.Forbidden)
		n.post(patientPath+"/reveal-id-card", registrar, obj("id", p.ID, "reason", " ")).want(t, hospital.ValidationFailed)
		if a := n.post(patientPath+"/reveal-id-card", registrar, obj("id", p.ID, "reason", "ตรวจสอบสิทธิ")).want(t,
			""); !strings.Contains(a.raw, `"idCard":"1111111111119"`) {
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

// The full ID card number is returned only by reveal-id-card and by an export that requests
// it. Both require a reason.
func TestRevealIDCardNeedsReason(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		const full, masked, other = "1111111111119", "1-1111-xxxxx-11-9", "1000000000050"
		admin, nurse := n.signIn("admin").AccessToken, n.signIn("nurse").AccessToken
		in := obj("prename", "นาย", "firstName", "สมชาย", "lastName", "ใจดี", "sex", "M", "birthDate", "1988-02-09",
			"idCard", full)
		path := patientPath
		ask := func(path string, body map[string]any, code hospital.Code) answer {
			t.Helper()
			a := n.post(path, admin, body).want(t, code)
			if strings.Contains(a.raw, full) || strings.Contains(a.raw, other) {
				t.Errorf("%s returns the full number: %s", path, a.raw)
			}
			return a
		}
		p := decode[hospital.Patient](t, ask(path+"/create", in, ""))
		update := func(version int64, change ...any) map[string]any {
			return with(obj("id", p.ID, "version", version), change...)
		}
		ask(path+"/create", in, hospital.Duplicate)
		ask(path+"/create", with(maps.Clone(in), "idCard", ""), hospital.PossibleDuplicate)
		ask(path+"/create", with(maps.Clone(in), "idCard", masked), hospital.ValidationFailed)
		ask(path+"/update", update(1, "idCard", masked, "phone", "0812345678"), "")
		ask(path+"/update", update(2, "idCard", "1-1112-xxxxx-11-9"), hospital.ValidationFailed)
		ask(path+"/update", update(1, "idCard", other), hospital.ConflictVersion)
		ask(path+"/update", update(2, "idCard", other), "")
		ask(path+"/update", update(3, "idCard", ""), "")
		ask(path+"/update", update(4, "idCard", full, "idType", "CID"), "")
		ask(path+"/search", obj("q", full), "")
		ask(path+"/list", obj("q", full), "")
		ask(path+"/list-id-card", obj("idCard", full), "")
		ask("/admin/api/v1/audit/list", obj("pageSize", 200), "")
		if a := n.get(fmt.Sprintf("%s/%d", path, p.ID), admin); strings.Contains(a.raw, full) ||
			!strings.Contains(a.raw, masked) {
			t.Errorf("record is not masked: %s", a.raw)
		}

		_, file := n.download(admin, obj("format", "csv", "reason", "รายงานประจำปี"))
		if !strings.Contains(string(file), masked) || strings.Contains(string(file), full) {
			t.Errorf("export without includeIdCard: %s", file)
		}
		rejected := n.post(path+"/export", admin, obj("format", "csv", "includeIdCard", true)).
			want(t, hospital.ValidationFailed)
		if rejected.field("reason") == "" {
			t.Errorf("includeIdCard without a reason: %s", rejected.raw)
		}
		_, file = n.download(admin, obj("format", "csv", "includeIdCard", true, "reason", "ส่งเบิก สปสช."))
		if !strings.Contains(string(file), full) {
			t.Errorf("export with includeIdCard and a reason: %s", file)
		}
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			ask("/admin/api/v1/audit/list", obj("action", "patient.export"), ""))
		if e := log.Items[0]; log.Total != 2 || e.Reason != "ส่งเบิก สปสช." ||
			e.Changes["includeIdCard"].After != true {
			t.Errorf("audit log: %+v", log.Items)
		}
		if e := log.Items[1]; e.Changes["includeIdCard"].After != nil {
			t.Errorf("audit entry: %+v", e)
		}
		n.post(path+"/export", nurse, obj("includeIdCard", true, "reason", "ดู")).want(t, hospital.Forbidden)
	})
}

// The patients of a customer are named only to callers with PATIENT.SHOW. No response reveals
// to other callers whether a patient id exists.
func TestCustomersHidePatientNames(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		in := n.signIn("registrar")
		p := decode[hospital.Patient](t, n.post(patientPath+"/create", in.AccessToken,
			obj("prename", "นาง", "firstName", "มานี", "lastName", "มีนา", "sex", "F", "birthDate", "1990-01-01")))
		c := decode[hospital.Customer](t, n.post(customerPath+"/create", in.SmqAccessToken,
			obj("name", "ผู้นัด", "phone", "0811112233", "patients",
				[]any{obj("patientId", p.ID, "relation", "CHILD")})))
		_, err := n.db.CreateRole(storetest.ActAs(t, n.db, "admin"),
			hospital.RoleDraft{Name: "CALLS", Label: "รับสาย", Permissions: []hospital.Permission{
				hospital.CustomerShow, hospital.CustomerCreate, hospital.CustomerUpdate,
			}})
		if err != nil {
			t.Fatal(err)
		}
		storetest.AddUser(t, n.db, "calls", "CALLS")
		token := n.signIn("calls").SmqAccessToken
		link := func(id int64, relation string) []any { return []any{obj("patientId", id, "relation", relation)} }
		unnamed := func(a answer) answer {
			t.Helper()
			for _, name := range []string{"มานี", p.HN, `"hn"`} {
				if strings.Contains(a.raw, name) {
					t.Errorf("response contains %s: %s", name, a.raw)
				}
			}
			return a
		}
		unnamed(n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), token).want(t, ""))
		unnamed(n.post(customerPath+"/list", token, obj()).want(t, ""))
		unnamed(n.post(customerPath+"/update", token, obj("id", c.ID, "version", 9, "note", "x")).
			want(t, hospital.ConflictVersion))
		// Existing links stay, and their relation may be changed.
		u := decode[hospital.Customer](t, unnamed(n.post(customerPath+"/update", token,
			obj("id", c.ID, "version", 1, "note", "โทรแล้ว"))))
		if len(u.Patients) != 1 || u.Patients[0] != (hospital.CustomerPatient{
			PatientID: p.ID, Relation: hospital.RelationChild,
		}) {
			t.Errorf("updated %+v", u)
		}
		unnamed(n.post(customerPath+"/update", token,
			obj("id", c.ID, "version", 2, "patients", link(p.ID, "OTHER"))).want(t, ""))
		own := decode[hospital.Customer](t, unnamed(n.post(customerPath+"/create", token,
			obj("name", "ใหม่", "phone", "0899999999"))))
		// The response is the same for a patient that exists and for one that does not.
		for _, id := range []int64{p.ID, p.ID + 999} {
			for _, a := range []answer{
				n.post(customerPath+"/create", token,
					obj("name", "ใหม่", "phone", "0898888888", "patients", link(id, "SELF"))),
				n.post(customerPath+"/update", token, obj("id", own.ID, "version", 1, "patients", link(id, "SELF"))),
			} {
				if unnamed(a.want(t, hospital.Forbidden)).err.Details["permission"] != string(hospital.PatientShow) {
					t.Errorf("%d: %s", id, a.raw)
				}
			}
		}
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "access.refused")))
		if log.Total != 4 || log.Items[0].Reason != string(hospital.PatientShow) {
			t.Errorf("audit log: %+v", log)
		}
		// A caller with PATIENT.SHOW sees the names.
		got := decode[hospital.Customer](t, n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), in.SmqAccessToken))
		if got.Patients[0].HN != p.HN || got.Patients[0].Name != "นางมานี มีนา" {
			t.Errorf("the registrar reads %+v", got)
		}
	})
}

func TestCustomersNeedCustomerToken(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		in := n.signIn("registrar")
		p := decode[hospital.Patient](t,
			n.post(patientPath+"/create", in.AccessToken,
				obj("prename", "นาง", "firstName", "มานี", "lastName", "มีนา", "sex", "F", "birthDate", "1990-01-01")))
		body := obj("name", "มานี มีนา", "phone", "081-111-2233", "patients", []any{
			obj("patientId", p.ID, "relation", "SELF"),
		})
		n.post(customerPath+"/create", in.AccessToken, body).want(t, hospital.Unauthenticated)
		n.post(patientPath+"/list", in.SmqAccessToken, obj()).want(t, hospital.Unauthenticated)
		c := decode[hospital.Customer](t, n.post(customerPath+"/create", in.SmqAccessToken, body))
		if c.Phone != "0811112233" || c.Status != "ACTIVE" || len(c.Patients) != 1 || c.Patients[0].Name != "นางมานี มีนา" {
			t.Errorf("created %+v", c)
		}
		if a := n.post(customerPath+"/create", in.SmqAccessToken, body).want(t, hospital.Duplicate); a.field("phone") == "" {
			t.Errorf("again %s", a.raw)
		}
		if a := n.post(customerPath+"/create", in.SmqAccessToken,
			obj("patients", []any{obj("patientId", 1, "relation", "COUSIN")})).want(t,
			hospital.ValidationFailed); len(a.err.Fields) != 3 {
			t.Errorf("wrong %s", a.raw)
		}
		u := decode[hospital.Customer](t,
			n.post(customerPath+"/update", in.SmqAccessToken, obj("id", c.ID, "version", 1, "status", "SUSPENDED")))
		if u.Status != "SUSPENDED" || len(u.Patients) != 1 || u.Version != 2 {
			t.Errorf("updated %+v", u)
		}
		n.post(customerPath+"/update", in.SmqAccessToken, obj("id", c.ID, "version", 1, "status", "ACTIVE")).want(t,
			hospital.ConflictVersion)
		if got := decode[hospital.Customer](t,
			n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), in.SmqAccessToken)); got.ID != c.ID {
			t.Errorf("read %+v", got)
		}
		if list := decode[hospital.Paged[hospital.Customer]](t,
			n.post(customerPath+"/list", in.SmqAccessToken, obj("q", "มานี", "status", "SUSPENDED"))); list.Total != 1 {
			t.Errorf("list %+v", list)
		}
		n.post(customerPath+"/delete", n.signIn("nurse").SmqAccessToken, obj("id", c.ID)).want(t, hospital.Forbidden)
		n.post(customerPath+"/delete", in.SmqAccessToken, obj("id", c.ID)).want(t, "")
		n.get(fmt.Sprintf("%s/%d", customerPath, c.ID), in.SmqAccessToken).want(t, hospital.NotFound)
	})
}
