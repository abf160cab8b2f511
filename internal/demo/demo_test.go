package demo

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// everything is what a visitor of the demo hospital can see.
type everything struct {
	Setting hospital.Setting
	Users   hospital.Paged[hospital.User]
	Roles   hospital.Paged[hospital.Role]
	Audit   hospital.Paged[hospital.AuditEntry]
}

func look(t *testing.T, db *store.DB) everything {
	t.Helper()
	ctx, all := t.Context(), hospital.Page{Page: 1, PageSize: 200}
	setting, err1 := db.Setting(ctx)
	users, err2 := db.ListUsers(ctx, store.UserFilter{Page: all})
	roles, err3 := db.ListRoles(ctx, all, "")
	audit, err4 := db.ListAudit(ctx, hospital.AuditFilter{Page: all})
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return everything{setting, users, roles, audit}
}

func fill(t *testing.T, db *store.DB, adminPassword string) {
	t.Helper()
	if err := Fill(t.Context(), db, storetest.Hasher, adminPassword); err != nil {
		t.Fatal(err)
	}
}

// Screenshots, browser tests and people who compare notes rely on it.
func TestFillWritesTheSameHospitalEveryTime(t *testing.T) {
	t.Parallel()
	for engine, fresh := range map[string]func(testing.TB) storetest.Place{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			one, other := fresh(t).Open(t), fresh(t).Open(t)
			fill(t, one, "")
			fill(t, other, "")
			if d := cmp.Diff(look(t, one), look(t, other)); d != "" {
				t.Errorf("two fresh hospitals differ:\n%s", d)
			}
		})
	}
}

func TestFillTwiceDoesNothing(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		fill(t, db, "")
		before := look(t, db)
		p.Clock.Advance(24 * time.Hour)
		fill(t, db, "another password")
		if d := cmp.Diff(before, look(t, db)); d != "" {
			t.Errorf("the second time something changed:\n%s", d)
		}
		if !opens(t, db, "admin", Password) {
			t.Error("the administrator's password was changed")
		}
	})
}

// A hospital with real people in it is left alone.
func TestFillLeavesARealHospitalAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		before := look(t, db)
		fill(t, db, "")
		if d := cmp.Diff(before, look(t, db)); d != "" {
			t.Errorf("the demo was written into it:\n%s", d)
		}
	})
}

// opens tells whether somebody signs in with the password.
func opens(t *testing.T, db *store.DB, username, password string) bool {
	t.Helper()
	c, err := db.BeginLogin(t.Context(), username, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	ok, err := storetest.Hasher.Verify(t.Context(), c.PasswordHash, password)
	if err != nil {
		t.Fatal(err)
	}
	return ok && c.Status == hospital.UserActive && !c.MustChange
}

func TestEverySystemRoleHasASignIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		fill(t, db, "")
		var roles []string
		for _, s := range SignIns {
			roles = append(roles, s.Role)
			if !opens(t, db, s.Username, Password) {
				t.Errorf("%s cannot sign in at once with the demo password", s.Username)
			}
			ctx := storetest.ActAs(t, db, s.Username)
			if a := hospital.ActorFrom(ctx); a.Role != s.Role || a.Name != s.Name {
				t.Errorf("%s is %s %s, the list says %s %s", s.Username, a.Role, a.Name, s.Role, s.Name)
			}
		}
		var want []string
		for _, r := range hospital.SystemRoles {
			want = append(want, r.Name)
		}
		if d := cmp.Diff(want, roles); d != "" {
			t.Errorf("system roles (-) and sign-ins (+) differ:\n%s", d)
		}
	})
}

func TestEveryFilterHasSomebodyToShow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		fill(t, db, "")
		seen := look(t, db)
		count := map[hospital.UserStatus]int{}
		for _, u := range seen.Users.Items {
			count[u.Status]++
			if !strings.ContainsFunc(u.Name, func(r rune) bool { return unicode.Is(unicode.Thai, r) }) {
				t.Errorf("%s is called %q", u.Username, u.Name)
			}
			if (u.Status == hospital.UserPending) != (u.Role == nil) {
				t.Errorf("%s is %s and has the role %v", u.Username, u.Status, u.Role)
			}
		}
		for _, status := range hospital.UserStatuses {
			if count[status] == 0 {
				t.Errorf("nobody is %s, so that filter has nothing to show", status)
			}
		}
		if int(seen.Users.Total) != len(staff)+1 {
			t.Errorf("%d people, want %d and the administrator", seen.Users.Total, len(staff))
		}
		if seen.Setting.Name != "โรงพยาบาลศรีนคร" {
			t.Errorf("the hospital is called %q", seen.Setting.Name)
		}
		if opens(t, db, "benjawan.p", Password) || opens(t, db, "thida.b", Password) {
			t.Error("somebody suspended or pending can sign in")
		}
		// The sample hospital's history is as whole as a real one's.
		if n, faults, err := db.VerifyAudit(t.Context()); err != nil || n < int64(len(staff)) || len(faults) > 0 {
			t.Errorf("%d audit entries, %v, %v", n, faults, err)
		}
	})
}

// The people are held to the rules that real people are held to.
func TestStaffPassTheRules(t *testing.T) {
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

func TestAdministratorGetsThePasswordThatWasAskedFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		fill(t, db, "a password of my own")
		if !opens(t, db, "admin", "a password of my own") || opens(t, db, "admin", Password) {
			t.Error("the administrator has another password")
		}
		if !opens(t, db, "nurse", Password) {
			t.Error("the others do not have the demo password")
		}
	})
}

func TestFillStopsWhenAskedTo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Fill(ctx, db, storetest.Hasher, ""); err == nil {
			t.Error("it went on")
		}
		if empty, err := db.NeedsSetup(t.Context()); err != nil || !empty {
			t.Errorf("somebody was written: %v, %v", empty, err)
		}
	})
}
