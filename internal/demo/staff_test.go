package demo

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// holdComings checks that last logins, audit log and sessions agree.
func holdComings(t *testing.T, db *store.DB, users []hospital.User) {
	t.Helper()
	ctx := hospital.WithActor(t.Context(), hospital.System)
	now := db.Now()
	today, never := 0, 0
	for _, u := range users {
		logged, err := db.ListAudit(ctx, hospital.AuditFilter{
			Page: hospital.Page{Page: 1, PageSize: 10}, Action: "auth.login", Entity: "user", EntityID: fmt.Sprint(u.ID),
		})
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := db.Sessions(ctx, u.ID)
		if err != nil {
			t.Fatal(err)
		}
		if u.LastLoginAt == nil {
			if u.Status == hospital.UserActive {
				never++
			}
			if u.Status == hospital.UserSuspended || logged.Total > 0 || len(sessions) > 0 {
				t.Errorf("%s, %s, never came, and the log has %d sign-ins and %d sessions", u.Username, u.Status, logged.Total,
					len(sessions))
			}
			continue
		}
		came := *u.LastLoginAt
		if !came.Before(now) || came.Before(u.CreatedAt) || u.Status == hospital.UserPending {
			t.Errorf("%s, %s, has an account since %v and came %v", u.Username, u.Status, u.CreatedAt, came)
		}
		if logged.Total != 1 || !logged.Items[0].At.Equal(came) || *logged.Items[0].ActorID != u.ID ||
			logged.Items[0].Addr == "" {
			t.Errorf("%s came %v, the log says %+v", u.Username, came, logged.Items)
		}
		live := u.Status == hospital.UserActive && now.Sub(came) < 12*time.Hour
		if live != (len(sessions) == 1) {
			t.Errorf("%s came %v and has %d sessions", u.Username, came, len(sessions))
		}
		if hospital.MomentOf(came).Date == db.Today() {
			today++
		}
		if u.Status == hospital.UserSuspended && now.Sub(came) < 90*24*time.Hour {
			t.Errorf("%s is suspended and came %v", u.Username, came)
		}
	}
	if never != 1 || today < 10 || today > 14 {
		t.Errorf("%d came today, %d never", today, never)
	}
}

func TestStaffStartDates(t *testing.T) {
	t.Parallel()
	at := func(day, hour, minute int) time.Time {
		return time.Date(2026, 11, day, hour, minute, 0, 0, hospital.Bangkok)
	}
	for _, c := range []struct {
		now  time.Time
		days int
		came string
		want time.Time
	}{
		{at(16, 9, 40), 0, "07:12", at(16, 7, 12)},
		{at(16, 7, 12), 0, "07:12", at(15, 7, 12)},
		{at(16, 0, 5), 0, "07:12", at(15, 7, 12)},
		{at(16, 0, 5), 1, "18:07", at(15, 18, 7)},
		{at(16, 23, 59).UTC(), 6, "08:24", at(10, 8, 24)},
	} {
		if got := daysAgo(c.now, c.days, c.came); !got.Equal(c.want) {
			t.Errorf("at %v, %d days ago at %s is %v, want %v", c.now, c.days, c.came, got, c.want)
		}
	}
}

func holdSignIns(t *testing.T, db *store.DB) {
	t.Helper()
	var want, roles []string
	for _, r := range hospital.SystemRoles {
		want = append(want, r.Name)
	}
	for _, s := range Accounts {
		roles = append(roles, s.Role)
		if !passwordWorks(t, db, s.Username, Password) {
			t.Errorf("%s cannot sign in at once with the demo password", s.Username)
		}
		if a := hospital.ActorFrom(storetest.ActAs(t, db, s.Username)); a.Role != s.Role || a.Name != s.Name {
			t.Errorf("%s is %s %s, the list says %s %s", s.Username, a.Role, a.Name, s.Role, s.Name)
		}
	}
	if d := cmp.Diff(want, roles); d != "" {
		t.Errorf("system roles (-) and sign-ins (+) differ:\n%s", d)
	}
	for _, username := range []string{"benjawan.p", "thida.b"} {
		if passwordWorks(t, db, username, Password) {
			t.Errorf("%s, suspended or pending, can sign in", username)
		}
	}
}

// The staff accounts pass validation.
func TestStaffAreValid(t *testing.T) {
	t.Parallel()
	var c hospital.Checker
	for _, p := range staff {
		c.Password(Password, "password", p.username)
		if !hospital.IsUsername(p.username) || !hospital.IsPhone(p.phone) {
			t.Errorf("%s has a wrong username or phone number", p.username)
		}
	}
	if err := c.Err(); err != nil {
		t.Errorf("the demo password is refused: %v", err)
	}
}
