package api_test

import (
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Session ids, links, idempotency keys and privileged accounts are useless to other users, even if they know
// them.
func TestNoAccessToResourcesOfOthers(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		nurse, doctor := a.signIn("nurse"), a.signIn("doctor")

		// The session of another user.
		if n := decode[struct{ Ended int64 }](t,
			a.post(authPath+"/end-sessions", doctor.AccessToken,
				obj("sessionId", sessionOf(t, nurse.AccessToken)))).Ended; n != 0 {
			t.Errorf("a doctor ended %d sessions of a nurse", n)
		}
		a.get(authPath+"/me", nurse.AccessToken).want(t, "")
		for _, s := range decode[[]hospital.Session](t, a.get(authPath+"/sessions", doctor.AccessToken)) {
			if s.UserID != doctor.User.ID {
				t.Errorf("a doctor sees the session %+v", s)
			}
		}

		// The idempotency key of another user: the request is an independent one.
		seat := func(token, key string, patient int64) answer {
			return a.post(visitPath+"/create", token,
				obj("patientId", patient, "serviceId", a.clinic.ID, "date", tuesday, "startTime", "11:00", "reason",
					"ความลับของพยาบาล"), "Idempotency-Key", key)
		}
		patient := a.patient()
		first := idOf(t, seat(nurse.AccessToken, "a key", patient))
		if again := idOf(t, seat(nurse.AccessToken, "a key", patient)); again != first {
			t.Errorf("a repeat is booked as %d, not %d", again, first)
		}
		seat(doctor.AccessToken, "a key", patient).want(t, hospital.PatientDoubleBooked)
		if other := idOf(t, seat(doctor.AccessToken, "a key", a.patient())); other == first {
			t.Error("a doctor gets a nurse's response")
		}
		series := func(token string, patient int64) answer {
			return a.post(visitPath+"/create-series", token,
				obj("patientId", patient, "serviceId", a.clinic.ID, "date", tuesday, "startTime", "13:00", "everyDays", 1, "count",
					2), "Idempotency-Key", "a series")
		}
		series(nurse.AccessToken, patient).want(t, "")
		if b := series(doctor.AccessToken, patient); b.err.Code == "" && strings.Contains(b.raw, `"startTime":"13:00"`) {
			t.Errorf("a doctor gets a nurse's response: %s", b.raw)
		}
		result := func(token, path string, body any) answer {
			return a.post(path, token, body, "Idempotency-Key", "a result")
		}
		recorded := idOf(t, result(nurse.AccessToken, resultPath+"/create", obj("appointmentId", first, "diagnosis", "ไข้")))
		if other := idOf(t,
			result(doctor.AccessToken, resultPath+"/create",
				obj("appointmentId", first, "diagnosis", "ไข้"))); other == recorded {
			t.Error("a doctor gets a nurse's result")
		}
		file := func(token string) int64 {
			return idOf(t,
				a.sendNamed(visitPath+"/result/create/"+itoa(first), token, "ผล.pdf", aPDF(50), nil, "Idempotency-Key", "a file"))
		}
		if file(nurse.AccessToken) == file(doctor.AccessToken) {
			t.Error("a doctor gets a nurse's file")
		}

		// A link changes the password of one account, once.
		link := decode[struct{ Link string }](t, a.post(userPath+"/"+itoa(nurse.User.ID)+"/reset-link", a.token, nil)).Link
		_, token, _ := strings.Cut(link, "#token=")
		for _, wrong := range []string{
			"", " ", token + " ", " " + token, strings.ToLower(token), token[:len(token)-1], "%", "_", nurse.AccessToken[:90],
			sessionOf(t, doctor.AccessToken),
		} {
			a.post(authPath+"/reset-password", "", obj("token", wrong, "password", "a long enough password")).want(t,
				hospital.ValidationFailed)
		}
		a.get(authPath+"/me", nurse.AccessToken).want(t, "")

		// A user manager cannot manage accounts with more permissions.
		clerk := a.with(a.token, "clerk", hospital.UserShow, hospital.UserUpdate, hospital.UserDelete, hospital.UserCreate,
			hospital.RoleShow, hospital.RoleUpdate, hospital.RoleDelete, hospital.RoleCreate)
		admin := a.signIn("admin").User.ID
		adminRole := storetest.RoleID(t, a.db, "ADMIN")
		own := decode[struct {
			ID, RoleID, Version int64
		}](t, a.get(authPath+"/me", clerk))
		version := decode[hospital.User](t, a.get(userPath+"/"+itoa(admin), clerk)).Version
		before := a.state()
		for what, got := range map[string]answer{
			"a new password for the administrator": a.post(userPath+"/update", clerk,
				obj("id", admin, "version", version, "password", "a long enough password")),
			"another address for the administrator": a.post(userPath+"/update", clerk,
				obj("id", admin, "version", version, "email", "clerk@hospital.example")),
			"suspending the administrator": a.post(userPath+"/update", clerk,
				obj("id", admin, "version", version, "status", "SUSPENDED")),
			"deleting the administrator":          a.post(userPath+"/delete", clerk, obj("id", admin)),
			"ending the administrator's sessions": a.post(userPath+"/"+itoa(admin)+"/end-sessions", clerk, nil),
			"a link for the administrator":        a.post(userPath+"/"+itoa(admin)+"/reset-link", clerk, nil),
			"becoming an administrator": a.post(userPath+"/update", clerk,
				obj("id", own.ID, "version", own.Version, "roleId", adminRole)),
			"making an administrator": a.post(userPath+"/create", clerk,
				obj("username", "puppet", "email", "puppet@hospital.example", "name", "หุ่น", "invite", true, "roleId", adminRole)),
			"more permissions for the caller's own role": a.post(rolePath+"/update", clerk,
				obj("id", own.RoleID, "version", 1, "name", "CLERK", "label", "x", "permissions", []string{
					"USER.UPDATE", "PATIENT.SHOW",
				})),
			"a role with more rights": a.post(rolePath+"/create", clerk,
				obj("name", "STRONG", "label", "x", "permissions", []string{"PATIENT.VIEW_CID"})),
			"fewer rights for the administrators": a.post(rolePath+"/update", clerk,
				obj("id", adminRole, "version", 1, "name", "ADMIN", "label", "x", "permissions", []string{})),
		} {
			if got.err.Code != string(hospital.Forbidden) {
				t.Errorf("%s: %d %s", what, got.status, got.raw)
			}
		}
		if now := a.state(); now != before {
			t.Errorf("%s became %s", before, now)
		}
	})
}
