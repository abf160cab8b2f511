package api_test

import (
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

const dashboardPath = "/admin/api/v1/dashboard/summary"

func TestDashboardOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		a := decode[hospital.Appointment](t, d.book(d.clinic, monday, "09:30"))
		d.book(d.approves, tuesday, "09:30").want(t, "")
		queue := decode[store.Dashboard](t, n.get(dashboardPath, n.signIn("queue").AccessToken))
		if queue.Date != monday || queue.Total != 1 || queue.ByStatus[hospital.Booked] != 1 || queue.Alerts.Pending != 1 ||
			queue.Arrivals == nil || len(queue.Arrivals.Next) != 1 || queue.Arrivals.Next[0].ID != a.ID {
			t.Errorf("the queue desk sees %+v", queue)
		}
		// Without APPOINTMENT.SHOW the response contains no names.
		executive := n.get(dashboardPath+"?date="+monday, n.signIn("executive").AccessToken)
		if shown := decode[store.Dashboard](t, executive); shown.Arrivals != nil || shown.Total != 1 ||
			strings.Contains(executive.raw, "คนที่") || strings.Contains(executive.raw, a.Patient.HN) {
			t.Errorf("the executive sees %s", executive.raw)
		}
		d.mark(a.ID, hospital.CheckedIn, "").want(t, "")
		after := decode[store.Dashboard](t, n.get(dashboardPath+"?date="+monday, d.token))
		if after.ByStatus[hospital.CheckedIn] != 1 || after.ByStatus[hospital.Booked] != 0 || len(after.Arrivals.Next) != 0 ||
			after.Services[0].CheckedIn != 1 {
			t.Errorf("after checking in %+v", after)
		}
		tomorrow := decode[store.Dashboard](t, n.get(dashboardPath+"?date="+tuesday, d.token))
		if tomorrow.Date != tuesday || tomorrow.Today != monday || tomorrow.ByStatus[hospital.Pending] != 1 ||
			tomorrow.Services[1].Booked != 1 {
			t.Errorf("tomorrow %+v", tomorrow)
		}
		if wrong := n.get(dashboardPath+"?date=16/11/2569", d.token).want(t,
			hospital.ValidationFailed); wrong.field("date") == "" {
			t.Errorf("a date that is none: %s", wrong.raw)
		}
	})
}
