package api_test

import (
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

const (
	displaysPath = servicePath + "/displays"
	boardPath    = "/admin/api/v1/display/board"
)

func TestDisplayOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		n.post(displaysPath+"/create", n.signIn("nurse").AccessToken, obj("serviceId", d.clinic.ID, "label", "x")).want(t,
			hospital.Forbidden)
		if wrong := n.post(displaysPath+"/create", d.token, obj("serviceId", d.clinic.ID, "label", "")).want(t,
			hospital.ValidationFailed); wrong.field("label") == "" {
			t.Errorf("no label: %s", wrong.raw)
		}
		created := decode[struct {
			hospital.Display
			Token string
		}](t, n.post(displaysPath+"/create", d.token, obj("serviceId", d.clinic.ID, "label", "หน้าห้อง 3")))
		if created.Token == "" || created.ServiceID != d.clinic.ID {
			t.Fatalf("made %+v", created)
		}
		listed := n.post(displaysPath+"/list", d.token, obj("serviceId", d.clinic.ID))
		if list := decode[[]hospital.Display](t, listed); len(list) != 1 || list[0].Label != "หน้าห้อง 3" ||
			strings.Contains(listed.raw, created.Token) {
			t.Errorf("listed %s", listed.raw)
		}
		a := decode[hospital.Appointment](t, d.book(d.clinic, monday, "09:30"))
		d.mark(a.ID, hospital.CheckedIn, "").want(t, "")
		shown := n.get(boardPath, created.Token)
		if b := decode[hospital.QueueBoard](t, shown); len(b.Waiting) != 1 || b.Waiting[0] != 1 || len(b.Serving) != 0 ||
			b.Service.Code != "GP" {
			t.Errorf("the board %s", shown.raw)
		}
		d.mark(a.ID, hospital.InService, "").want(t, "")
		shown = n.get(boardPath, created.Token)
		if b := decode[hospital.QueueBoard](t, shown); len(b.Serving) != 1 || b.Serving[0] != 1 || b.Total != 0 {
			t.Errorf("the board %s", shown.raw)
		}
		// The board has numbers but no names, and its token is not logged.
		if strings.Contains(shown.raw, "คนที่") || strings.Contains(shown.raw, a.Patient.HN) ||
			strings.Contains(n.log.String(), created.Token) {
			t.Errorf("told too much: %s", shown.raw)
		}
		n.post(displaysPath+"/delete", d.token, obj("id", created.ID)).want(t, "")
		n.get(boardPath, created.Token).want(t, hospital.Unauthenticated)
		n.post(displaysPath+"/delete", d.token, obj("id", created.ID)).want(t, hospital.NotFound)
	})
}
