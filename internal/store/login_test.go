package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestLoginLock(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		storetest.SetUp(t, db)
		ctx := context.Background()
		for _, name := range []string{"admin", "unknown-name"} {
			for i := range 5 {
				if _, err := db.BeginLogin(ctx, name, "203.0.113.1"); err != nil {
					t.Fatalf("%s, attempt %d: %v", name, i+1, err)
				}
				p.Clock.Advance(time.Minute)
			}
			_, err := db.BeginLogin(ctx, strings.ToUpper(name), "203.0.113.1")
			if e := wantCode(t, err, hospital.TooManyAttempts); e.Details["retryAfter"] != 14*60 {
				t.Errorf("%s: retry after %v s, want 14 minutes", name, e.Details["retryAfter"])
			}
			if _, err := db.BeginLogin(ctx, name, "203.0.113.2"); err != nil {
				t.Errorf("%s from another address: %v", name, err)
			}
			// Trying while locked does not prolong the lock.
			p.Clock.Advance(13 * time.Minute)
			_, err = db.BeginLogin(ctx, name, "203.0.113.1")
			wantCode(t, err, hospital.TooManyAttempts)
			p.Clock.Advance(time.Minute)
			if _, err := db.BeginLogin(ctx, name, "203.0.113.1"); err != nil {
				t.Errorf("%s after fifteen minutes: %v", name, err)
			}
		}
	})
}

func TestLoginFailuresOutsideWindow(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		for i := range 20 {
			if _, err := db.BeginLogin(context.Background(), "slow", "203.0.113.1"); err != nil {
				t.Fatalf("attempt %d, four minutes after the previous one: %v", i+1, err)
			}
			p.Clock.Advance(4 * time.Minute)
		}
	})
}

func TestLoginConcurrentAttempts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		errs := concurrently(64, func(int) error {
			_, err := db.BeginLogin(context.Background(), "admin", "203.0.113.1")
			return err
		})
		if n := countCodes(errs); n[""] != 5 || n[hospital.TooManyAttempts] != 59 {
			t.Errorf("of 64 attempts at once %v, want five to be allowed", n)
		}
	})
}

func TestLoginClearsFailures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		for range 4 {
			for range 4 {
				must[store.Credentials](t)(db.BeginLogin(context.Background(), "admin", "192.0.2.1"))
			}
			storetest.ActAs(t, db, "admin")
		}
	})
}

func TestSessionEndsOnAllNodes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a, b := p.Open(t), p.Open(t)
		admin := storetest.SetUp(t, a)
		nurse := storetest.RoleID(t, a, "NURSE")
		for name, end := range map[string]func(t *testing.T, u hospital.User, as context.Context) error{
			"signing out": func(_ *testing.T, _ hospital.User, as context.Context) error { return a.Logout(as) },
			"suspension": func(_ *testing.T, u hospital.User, _ context.Context) error {
				_, err := a.UpdateUser(admin, hospital.UserChange{
					ID: u.ID, Version: u.Version, Status: new(hospital.UserSuspended),
				}, "")
				return err
			},
			"another role": func(_ *testing.T, u hospital.User, _ context.Context) error {
				_, err := a.UpdateUser(admin, hospital.UserChange{ID: u.ID, Version: u.Version, RoleID: &nurse}, "")
				return err
			},
			"a password set by an administrator": func(_ *testing.T, u hospital.User, _ context.Context) error {
				_, err := a.UpdateUser(admin, hospital.UserChange{
					ID: u.ID, Version: u.Version, Password: new("another password"),
				}, "hash")
				return err
			},
			"deletion": func(_ *testing.T, u hospital.User, _ context.Context) error { return a.DeleteUser(admin, u.ID) },
			"ending all sessions": func(_ *testing.T, u hospital.User, _ context.Context) error {
				_, err := a.EndSessions(admin, u.ID, "")
				return err
			},
			"a reset link that was used": func(t *testing.T, u hospital.User, _ context.Context) error {
				token, _, err := a.NewResetLink(admin, u.ID)
				if err != nil {
					t.Fatal(err)
				}
				return a.ResetPassword(context.Background(), token, "hash")
			},
		} {
			username := strings.ReplaceAll(name, " ", "-")
			u := storetest.AddUser(t, a, username, "QUEUE")
			as := storetest.ActAs(t, a, username)
			sid := hospital.ActorFrom(as).SessionID
			if _, err := b.SignedIn(context.Background(), sid); err != nil {
				t.Fatalf("%s: the session on the other node: %v", name, err)
			}
			if err := end(t, u, as); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := a.SignedIn(context.Background(), sid); hospital.CodeOf(err) != hospital.Unauthenticated {
				t.Errorf("after %s: %v", name, err)
			}
			p.ExpireSessionCache()
			if _, err := b.SignedIn(context.Background(), sid); hospital.CodeOf(err) != hospital.Unauthenticated {
				t.Errorf("after %s, on the other node: %v", name, err)
			}
		}
	})
}

// A session that is ended while other goroutines read it must not be cached.
func TestEndedSessionNotCached(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		u := storetest.AddUser(t, db, "clerk", "QUEUE")
		for range 50 {
			sid := hospital.ActorFrom(storetest.ActAs(t, db, "clerk")).SessionID
			var over atomic.Bool
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for ended := false; !ended; {
						ended = over.Load()
						if _, err := db.SignedIn(context.Background(), sid); ended && hospital.CodeOf(err) != hospital.Unauthenticated {
							t.Errorf("after the end: %v", err)
						}
					}
				})
			}
			if _, err := db.EndSessions(admin, u.ID, sid); err != nil {
				t.Error(err)
			}
			over.Store(true)
			wg.Wait()
		}
	})
}

func TestChangeOwnPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		first, second := storetest.ActAs(t, db, "admin"), storetest.ActAs(t, db, "admin")
		if err := db.ChangeOwnPassword(first, must[store.Credentials](t)(db.OwnCredentials(first)), "hash"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SignedIn(first, hospital.ActorFrom(first).SessionID); err != nil {
			t.Errorf("this session: %v", err)
		}
		_, err := db.SignedIn(second, hospital.ActorFrom(second).SessionID)
		wantCode(t, err, hospital.Unauthenticated)
	})
}

func TestRoleChangeAppliesOnAllNodes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a, b := p.Open(t), p.Open(t)
		admin := storetest.SetUp(t, a)
		storetest.AddUser(t, a, "queuer", "QUEUE")
		sid := hospital.ActorFrom(storetest.ActAs(t, a, "queuer")).SessionID
		for i, ps := range [][]hospital.Permission{{hospital.AuditShow}, {}, {hospital.DashboardShow, hospital.AuditShow}} {
			must[store.SignedIn](t)(b.SignedIn(context.Background(), sid)) // fills the other node's cache
			role := must[hospital.Role](t)(a.Role(admin, storetest.RoleID(t, a, "QUEUE")))
			must[hospital.Role](t)(a.UpdateRole(admin, role.ID, role.Version, hospital.RoleDraft{
				Name: role.Name, Label: role.Label, Permissions: ps,
			}))
			check := func(node string, db *store.DB) {
				got := must[store.SignedIn](t)(db.SignedIn(context.Background(), sid)).Actor.Permissions
				if len(got) != len(ps) || len(got.Missing(ps)) > 0 {
					t.Errorf("change %d on %s: %v, want %v", i, node, got.List(), ps)
				}
			}
			check("this node", a)
			p.ExpireSessionCache()
			check("the other node", b)
		}
	})
}

func TestSessionExpiry(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		sid := hospital.ActorFrom(ctx).SessionID
		p.Clock.Advance(12*time.Hour - time.Millisecond)
		must[store.SignedIn](t)(db.SignedIn(ctx, sid))
		s := must[[]hospital.Session](t)(db.Sessions(ctx, hospital.ActorFrom(ctx).UserID))
		if len(s) != 1 || !s[0].Current || !s[0].LastSeenAt.After(s[0].CreatedAt) {
			t.Errorf("sessions %+v, want the current one with a new LastSeenAt", s)
		}
		p.Clock.Advance(time.Millisecond)
		_, err := db.SignedIn(ctx, sid)
		wantCode(t, err, hospital.TokenExpired)
		if s := must[[]hospital.Session](t)(db.Sessions(ctx, hospital.ActorFrom(ctx).UserID)); len(s) != 0 {
			t.Errorf("an expired session is listed: %+v", s)
		}
	})
}

func TestResetLink(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		u := storetest.AddUser(t, db, "forgetful", "NURSE")
		link := func() string {
			t.Helper()
			token, _, err := db.NewResetLink(ctx, u.ID)
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		once := link()
		errs := concurrently(16, func(int) error {
			return db.ResetPassword(context.Background(), once, "new hash")
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ValidationFailed] != 15 {
			t.Errorf("one link used sixteen times: %v", n)
		}
		old, newer := link(), link()
		wantCode(t, db.ResetPassword(ctx, old, "hash"), hospital.ValidationFailed)
		p.Clock.Advance(30 * time.Minute)
		_, _, err := db.ResetTarget(ctx, newer)
		wantCode(t, err, hospital.ValidationFailed)
		wantCode(t, db.ResetPassword(ctx, newer, "hash"), hospital.ValidationFailed)

		dead := link()
		as := storetest.ActAs(t, db, "forgetful")
		if err := db.ChangeOwnPassword(as, must[store.Credentials](t)(db.OwnCredentials(as)), "hash"); err != nil {
			t.Fatal(err)
		}
		wantCode(t, db.ResetPassword(ctx, dead, "hash"), hospital.ValidationFailed)

		// Only the hash is stored.
		token := link()
		var stored string
		err = p.SQL(t).QueryRow(`SELECT token_hash FROM password_resets`).Scan(&stored)
		if err != nil || strings.Contains(stored, token) {
			t.Errorf("stored %q, %v", stored, err)
		}
		p.Clock.Advance(30*time.Minute - time.Millisecond)
		if id, username, err := db.ResetTarget(ctx, token); err != nil || id != u.ID || username != "forgetful" {
			t.Errorf("a millisecond before it expires: %d %s %v", id, username, err)
		}
		if err := db.ResetPassword(ctx, token, "hash"); err != nil {
			t.Error(err)
		}
	})
}

func TestTOTPCodeUsedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		ctx := hospital.WithActor(context.Background(), hospital.Actor{Addr: "192.0.2.1"})
		c := must[store.Credentials](t)(db.BeginLogin(ctx, "admin", "192.0.2.1"))
		errs := concurrently(8, func(i int) error {
			_, err := db.StartSession(ctx, c, "admin", fmt.Sprint(i), 777)
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.InvalidCredentials] != 7 {
			t.Errorf("one code used eight times: %v", n)
		}
	})
}

// Callers whose sessions are read together get their own session.
func TestSessionReadBatch(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		names := []string{"admin", "doctor1", "nurse1", "queue1"}
		sessions := []string{hospital.ActorFrom(ctx).SessionID}
		for i, role := range []string{"DOCTOR", "NURSE", "QUEUE"} {
			storetest.AddUser(t, db, names[i+1], role)
			sessions = append(sessions, hospital.ActorFrom(storetest.ActAs(t, db, names[i+1])).SessionID)
		}
		ended := hospital.ActorFrom(storetest.ActAs(t, db, "queue1"))
		must[int64](t)(db.EndSessions(ctx, ended.UserID, ended.SessionID))
		others := []string{ended.SessionID, "unknown", "", sessions[0] + "," + sessions[1]}
		for i, err := range concurrently(64, func(i int) error {
			if i%8 >= len(sessions) {
				_, err := db.SignedIn(context.Background(), others[i%len(others)])
				return err
			}
			s, err := db.SignedIn(context.Background(), sessions[i%8])
			if err == nil && (s.Actor.Username != names[i%8] || s.Actor.SessionID != sessions[i%8]) {
				t.Errorf("%d: signed in as %s", i, s.Actor.Username)
			}
			return err
		}) {
			if code := hospital.CodeOf(err); (code == hospital.Unauthenticated) != (i%8 >= len(sessions)) {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}
