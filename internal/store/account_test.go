package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// wrongPassword is the error code if the checked credentials are no longer valid.
const wrongPassword = hospital.InvalidCredentials

// A sign-in does not get a session if another node changed the account between the password
// check and the start of the session.
func TestStartSessionChangedCredentials(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		first, second := p.Open(t), p.Open(t)
		admin := storetest.SetUp(t, first)
		for name, c := range map[string]struct {
			change func(t *testing.T, u hospital.User) error
			code   hospital.Code
		}{
			"suspension": {func(_ *testing.T, u hospital.User) error {
				_, err := second.UpdateUser(admin,
					hospital.UserChange{ID: u.ID, Version: u.Version, Status: new(hospital.UserSuspended)}, "")
				return err
			}, hospital.AccountSuspended},
			"a password set by an administrator": {func(_ *testing.T, u hospital.User) error {
				_, err := second.UpdateUser(admin,
					hospital.UserChange{ID: u.ID, Version: u.Version, Password: new("another password")}, "hash")
				return err
			}, wrongPassword},
			"a password set by the user": {func(t *testing.T, u hospital.User) error {
				as := storetest.ActAs(t, second, u.Username)
				return second.ChangeOwnPassword(as, must[store.Credentials](t)(second.OwnCredentials(as)), "hash")
			}, wrongPassword},
			"a reset link that was used": {func(t *testing.T, u hospital.User) error {
				token, _, err := second.NewResetLink(admin, u.ID)
				if err != nil {
					t.Fatal(err)
				}
				return second.ResetPassword(context.Background(), token, "hash")
			}, wrongPassword},
			"a password set on the command line": {func(_ *testing.T, u hospital.User) error {
				return second.SetPasswordByCommand(context.Background(), u.Username, "hash", false)
			}, wrongPassword},
			"one-time codes switched on": {func(t *testing.T, u hospital.User) error {
				as := storetest.ActAs(t, second, u.Username)
				return errors.Join(
					second.SetUpTOTP(as, must[store.Credentials](t)(second.OwnCredentials(as)), "sealed"),
					second.EnableTOTP(as, must[store.Credentials](t)(second.OwnCredentials(as)), 7))
			}, wrongPassword},
			"deletion": {
				func(_ *testing.T, u hospital.User) error { return second.DeleteUser(admin, u.ID) }, wrongPassword,
			},
		} {
			u := storetest.AddUser(t, first, strings.ReplaceAll(name, " ", "-"), "QUEUE")
			ctx := hospital.WithActor(context.Background(), hospital.Actor{Addr: "192.0.2.7"})
			proven := must[store.Credentials](t)(first.BeginLogin(ctx, u.Username, "192.0.2.7"))
			if err := c.change(t, u); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, err := first.StartSession(ctx, proven, u.Username, "overtaken", 0)
			if hospital.CodeOf(err) != c.code {
				t.Errorf("%s: %v, want %s", name, err, c.code)
			}
			var n int
			err = p.SQL(t).QueryRow(`SELECT count(*) FROM sessions
				WHERE user_id = $1 AND user_agent = 'overtaken'`, u.ID).Scan(&n)
			if err != nil || n != 0 {
				t.Errorf("%s: %d sessions, %v", name, n, err)
			}
		}
	})
}

// On PostgreSQL, starting a session waits for an uncommitted change of the account and then
// sees it.
func TestStartSessionWaitsForChange(t *testing.T) {
	t.Parallel()
	p := storetest.Postgres(t)
	db, raw := p.Open(t), p.SQL(t)
	storetest.SetUp(t, db)
	u := storetest.AddUser(t, db, "clerk", "QUEUE")
	ctx := hospital.WithActor(context.Background(), hospital.Actor{Addr: "192.0.2.7"})
	proven := must[store.Credentials](t)(db.BeginLogin(ctx, u.Username, "192.0.2.7"))
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // no-op after the commit below
	if _, err := tx.Exec(`UPDATE users SET status = 'SUSPENDED' WHERE id = $1`, u.ID); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := db.StartSession(ctx, proven, u.Username, "test", 0)
		ended <- err
	}()
	for waiting := 0; waiting == 0; {
		select {
		case err := <-ended:
			t.Fatalf("StartSession did not wait: %v", err)
		default:
		}
		if err := raw.QueryRow(`SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-ended, hospital.AccountSuspended)
}

// Credentials that were changed after they were checked are rejected: knowing the old password
// is not enough to choose the next one.
func TestChangedCredentialsRejected(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		u := storetest.AddUser(t, db, "clerk", "QUEUE")
		as := storetest.ActAs(t, db, "clerk")
		proven := must[store.Credentials](t)(db.OwnCredentials(as))
		must[hospital.User](t)(db.UpdateUser(admin,
			hospital.UserChange{ID: u.ID, Version: u.Version, Password: new("another password")}, "the new hash"))
		for name, err := range map[string]error{
			"a password":                  db.ChangeOwnPassword(as, proven, "hash"),
			"a secret":                    db.SetUpTOTP(as, proven, "sealed"),
			"one-time codes switched off": db.DisableTOTP(as, proven, 0),
		} {
			if hospital.CodeOf(err) != wrongPassword {
				t.Errorf("%s: %v", name, err)
			}
		}
		if now := must[store.Credentials](t)(db.OwnCredentials(as)); now.PasswordHash != "the new hash" ||
			now.TOTPSecret != "" {
			t.Errorf("%+v", now)
		}
	})
}

// The password hash is expensive, so it is computed only after the attempt was counted and allowed.
func TestRegisterCountsBeforeHashing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := hospital.WithActor(context.Background(), hospital.Actor{Addr: "203.0.113.5"})
		hashed := 0
		hash := func(context.Context, string) (string, error) { hashed++; return "hash", nil }
		in := hospital.Registration{
			Username: "applicant", Email: "a@hospital.example", Name: "ผู้สมัคร", Password: "a good password",
		}
		weak := in
		weak.Password = "short"
		wantCode(t, db.Register(ctx, weak, hash), hospital.ValidationFailed)
		if err := db.Register(ctx, in, hash); err != nil || hashed != 1 {
			t.Fatalf("%v, %d hashes", err, hashed)
		}
		for range 29 {
			wantCode(t, db.Register(ctx, in, hash), hospital.Duplicate)
		}
		for range 5 {
			wantCode(t, db.Register(ctx, in, hash), hospital.TooManyAttempts)
		}
		if hashed != 30 {
			t.Errorf("%d passwords were hashed, want 30", hashed)
		}
	})
}

// At least one active user always holds every permission. Another user with USER.UPDATE and
// ROLE.UPDATE is not enough, because users cannot grant permissions they do not hold.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		must[hospital.Role](t)(db.CreateRole(ctx, hospital.RoleDraft{
			Name: "OFFICER", Label: "ธุรการ",
			Permissions: []hospital.Permission{hospital.UserUpdate, hospital.RoleUpdate},
		}))
		storetest.AddUser(t, db, "officer", "OFFICER")
		admin, nurse := storetest.RoleID(t, db, "ADMIN"), storetest.RoleID(t, db, "NURSE")
		me := findUser(t, db, "admin")
		all := must[hospital.Role](t)(db.Role(ctx, admin))
		ways := map[string]func() error{
			"another role": func() error {
				_, err := db.UpdateUser(ctx, hospital.UserChange{ID: me.ID, Version: me.Version, RoleID: &nurse}, "")
				return err
			},
			"suspension": func() error {
				_, err := db.UpdateUser(ctx, hospital.UserChange{
					ID: me.ID, Version: me.Version, Status: new(hospital.UserSuspended),
				}, "")
				return err
			},
			"waiting for approval": func() error {
				_, err := db.UpdateUser(ctx, hospital.UserChange{
					ID: me.ID, Version: me.Version, Status: new(hospital.UserPending),
				}, "")
				return err
			},
			"deletion": func() error { return db.DeleteUser(ctx, me.ID) },
			"a role without one permission": func() error {
				less := slices.DeleteFunc(slices.Clone(all.Permissions),
					func(p hospital.Permission) bool { return p == hospital.BannerShow })
				_, err := db.UpdateRole(ctx, admin, all.Version,
					hospital.RoleDraft{Name: all.Name, Label: all.Label, Permissions: less})
				return err
			},
		}
		check := func(others string) {
			t.Helper()
			for name, try := range ways {
				if err := try(); hospital.CodeOf(err) != hospital.LastAdmin {
					t.Errorf("%s, with %s: %v", name, others, err)
				}
			}
		}
		check("an officer of users and roles")
		invited := newUser(t, db, "invited")
		invited.RoleID, invited.Password, invited.Invite = admin, "", true
		must[hospital.User](t)(db.CreateUser(ctx, invited, ""))
		waiting := newUser(t, db, "waiting")
		waiting.RoleID, waiting.Status = admin, hospital.UserSuspended
		second := must[hospital.User](t)(db.CreateUser(ctx, waiting, "hash"))
		check("an invited and a suspended administrator")

		// A user who must change the initial password counts, because they can sign in.
		second = must[hospital.User](t)(db.UpdateUser(ctx,
			hospital.UserChange{ID: second.ID, Version: second.Version, Status: new(hospital.UserActive)}, ""))
		if err := ways["another role"](); err != nil || !second.MustChangePassword {
			t.Errorf("with a second administrator: %v", err)
		}
	})
}

// If two administrators suspend each other at once on two nodes, one stays active.
func TestMutualSuspension(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		storetest.SetUp(t, nodes[0])
		second := storetest.AddUser(t, nodes[0], "second", "ADMIN")
		as := []context.Context{storetest.ActAs(t, nodes[0], "admin"), storetest.ActAs(t, nodes[1], "second")}
		for range 10 {
			targets := []hospital.User{
				must[hospital.User](t)(nodes[0].User(as[0], second.ID)), findUser(t, nodes[0], "admin"),
			}
			errs := concurrently(2, func(i int) error {
				_, err := nodes[i].UpdateUser(as[i], hospital.UserChange{
					ID: targets[i].ID, Version: targets[i].Version, Status: new(hospital.UserSuspended),
				}, "")
				return err
			})
			if n := countCodes(errs); n[""] != 1 || n[hospital.LastAdmin] != 1 {
				t.Fatalf("%v", n)
			}
			for _, u := range targets { // reactivate the suspended one
				u = must[hospital.User](t)(nodes[0].User(as[0], u.ID))
				if u.Status != hospital.UserActive {
					must[hospital.User](t)(nodes[0].UpdateUser(as[0],
						hospital.UserChange{ID: u.ID, Version: u.Version, Status: new(hospital.UserActive)}, ""))
				}
			}
		}
	})
}

// Users cannot bypass their current password, neither with USER.UPDATE nor with a reset link.
func TestOwnPasswordNotSettable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		me := findUser(t, db, "admin")
		before := must[store.Credentials](t)(db.OwnCredentials(ctx))
		_, byUpdate := db.UpdateUser(ctx, hospital.UserChange{
			ID: me.ID, Version: me.Version, Password: new("another password"),
		}, "hash")
		_, _, byLink := db.NewResetLink(ctx, me.ID)
		_, byMail := db.SendLink(ctx, me.ID, store.JobMailReset, true)
		for name, err := range map[string]error{"update": byUpdate, "a link": byLink, "a mailed link": byMail} {
			if e := wantCode(t, err, hospital.Forbidden); !strings.Contains(e.Message.EN, "current one") {
				t.Errorf("%s: %v", name, e)
			}
		}
		if after := must[store.Credentials](t)(db.OwnCredentials(ctx)); after.PasswordHash != before.PasswordHash {
			t.Error("the password was changed")
		}
		must[hospital.User](t)(db.UpdateUser(ctx,
			hospital.UserChange{ID: me.ID, Version: me.Version, Position: new("หัวหน้า")}, ""))
	})
}
