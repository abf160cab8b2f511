package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/hospital/hospitaltest"
	"nadmor/internal/store/storetest"
)

// shows lists the kinds of data that a caller with only this permission may see in any response.
var shows = func() map[hospital.Permission][]string {
	const patient, card, result, account = "patient", "card", "result", "account"
	m := map[hospital.Permission][]string{
		hospital.ResultShow:            {result},                   // without the appointment
		hospital.ResultCreate:          {result},                   // the one just recorded
		hospital.PatientViewCID:        {card},                     // its purpose
		hospital.PatientExport:         {patient},                  // masked, as in the app
		hospital.AuditShow:             {patient, result, account}, // who did what to whom
		hospital.ServiceScheduleUpdate: {},                         // the affected patients need APPOINTMENT.SHOW
	}
	for _, p := range []hospital.Permission{hospital.PatientShow, hospital.PatientUpdate, hospital.PatientCreate} {
		m[p] = []string{patient}
	}
	for _, p := range []hospital.Permission{hospital.CustomerShow, hospital.CustomerCreate, hospital.CustomerUpdate} {
		m[p] = []string{} // the customer's patients need PATIENT.SHOW
	}
	for _, p := range []hospital.Permission{
		hospital.AppointmentShow, hospital.AppointmentCreate, hospital.AppointmentUpdate, hospital.AppointmentMarkStatus,
		hospital.AppointmentExport,
	} {
		m[p] = []string{patient}
	}
	for _, p := range []hospital.Permission{hospital.UserShow, hospital.UserCreate, hospital.UserUpdate} {
		m[p] = []string{account}
	}
	return m
}()

// Tests each permission alone with each operation and existing records: the response contains a patient's
// name, ID card number, result or account only if the permission allows it.
func TestPermissionShowsOnlyItsData(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		var doc map[string]any
		if err := json.Unmarshal([]byte(a.get("/openapi.json", "").raw), &doc); err != nil {
			t.Fatal(err)
		}
		const card = "1101700230708"
		secrets := map[string]string{
			"patient": "ชื่อลับ", "card": card, "result": "วินิจฉัยลับ", "account": "secret-account@hospital.example",
		}
		created, closing := map[string]int64{}, storetest.AddService(t, a.db, "CLOSING", 1000)
		created["patients"] = idOf(t,
			a.post(patientPath+"/create", a.token,
				obj("prename", "นาย", "firstName", secrets["patient"], "lastName", "ทดสอบ", "sex", "M", "birthDate", "1988-02-09",
					"idType", "CID", "idCard", card)))
		created["appointments"] = idOf(t,
			a.post(visitPath+"/create", a.token,
				obj("patientId", created["patients"], "serviceId", closing.ID, "date", tuesday, "startTime", "09:30")))
		created["results"] = idOf(t,
			a.sendNamed(visitPath+"/result/create/"+itoa(created["appointments"]), a.token, "ผล.pdf", aPDF(100),
				map[string]string{"diagnosis": secrets["result"]}))
		created["customers"] = idOf(t,
			a.post(customerPath+"/create", a.customers,
				obj("name", "ผู้ใช้บริการ", "phone", "0898765432", "patients", []any{
					obj("patientId", created["patients"], "relation", "SELF"),
				})))
		created["users"] = idOf(t,
			a.post(userPath+"/create", a.token,
				obj("username", "secret-account", "email", secrets["account"], "name", "บัญชี", "invite", true, "roleId",
					storetest.RoleID(t, a.db, "EXECUTIVE"))))
		created["closures"] = idOf(t,
			a.post(servicePath+"/closures/create", a.token,
				obj("dateFrom", tuesday, "dateTo", tuesday, "reason", "ประชุม", "serviceIds", []int64{closing.ID})))
		created["services"], created["roles"], created["displays"] = closing.ID, a.make("roles"), a.make("displays")
		asked := 0
		// ask calls every operation the caller may call; its responses may contain only the secrets in shown.
		ask := func(caller string, held hospital.PermissionSet, in login, shown func(path string) []string) {
			for path, methods := range doc["paths"].(map[string]any) {
				for method, op := range methods.(map[string]any) {
					access, err := hospitaltest.Access(op.(map[string]any)["x-permission"].(string))
					if err != nil {
						t.Fatal(err)
					}
					if !access.Allows(held) {
						continue // covered by TestPermissionOfEveryOperation
					}
					if strings.Contains(path, "/delete") || strings.Contains(path, "sessions") || strings.HasSuffix(path, "/logout") ||
						strings.HasSuffix(path, "/events") {
						continue // would end the session, or never end
					}
					for _, request := range a.readingRequests(strings.ToUpper(method), path, op.(map[string]any), created) {
						token := in.AccessToken
						if strings.HasPrefix(path, customerPath) {
							token = in.SmqAccessToken
						}
						got := a.ask(strings.ToUpper(method), request.path, token, request.body)
						asked++
						for secret, text := range secrets {
							if strings.Contains(got.raw, text) && !slices.Contains(shown(path), secret) {
								t.Errorf("%s %s with %s shows the %s: %.200s", method, path, caller, secret, got.raw)
							}
						}
					}
				}
			}
		}
		for _, permission := range hospital.AllPermissions {
			name := strings.ToLower(strings.NewReplacer(".", "-", "_", "-").Replace(string(permission)))
			a.post(rolePath+"/create", a.token,
				obj("name", strings.ToUpper(strings.ReplaceAll(name, "-", "_")), "label", name,
					"permissions", []hospital.Permission{permission})).want(t, "")
			storetest.AddUser(t, a.db, name, strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
			ask(string(permission)+" alone", hospital.NewPermissionSet(permission), a.signIn(name),
				func(string) []string { return shows[permission] })
		}
		// Even with all permissions, a full ID card number is returned only where a reason is given.
		ask("all permissions", hospital.NewPermissionSet(hospital.AllPermissions...), a.signIn("admin"),
			func(path string) []string {
				if path == patientPath+"/reveal-id-card" {
					return slices.Collect(maps.Keys(secrets))
				}
				return []string{"patient", "result", "account"}
			})
		t.Logf("%d permissions, %d requests", len(hospital.AllPermissions), asked)
	})
}

type readingRequest struct {
	path string
	body any
}

// readingRequests returns requests of an operation for existing records: those of expectations, or a body
// that matches everything.
func (a *fixtures) readingRequests(method, path string, op map[string]any,
	created map[string]int64) (list []readingRequest) {
	for key, e := range expectations {
		if !strings.HasPrefix(key, method+" "+path+" ") || e.none != "" {
			continue
		}
		var body any
		if e.request != nil {
			body = e.request(a, created[e.kind])
		}
		list = append(list, readingRequest{strings.ReplaceAll(path, "{id}", itoa(created[e.kind])), body})
	}
	if op["requestBody"] != nil {
		november := obj("dateFrom", "2026-11-01", "dateTo", "2026-11-30")
		for _, body := range []map[string]any{
			{}, november, with(obj("q", "ชื่อลับ")), with(obj("idCard", "1101")), with(obj("idCard", "1101700230708")),
			with(obj("q", "1101700230708")),
		} {
			list = append(list, readingRequest{path, body})
		}
	}
	if len(list) == 0 {
		list = append(list, readingRequest{strings.ReplaceAll(path, "{role}", "ADMIN"), nil})
	}
	return list
}
