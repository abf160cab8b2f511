package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"nadmor/internal/api"
	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

func TestSignInErrorsAreAlike(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		storetest.AddUser(t, n.db, "suspended", "QUEUE")
		u := decode[hospital.Paged[hospital.User]](t,
			n.post(userPath+"/list", n.signIn("admin").AccessToken, obj("q", "suspended"))).Items[0]
		n.post(userPath+"/update", n.signIn("admin").AccessToken,
			obj("id", u.ID, "version", u.Version, "status", "SUSPENDED")).want(t, "")
		n.post(authPath+"/register", "",
			obj("username", "waiting", "email", "waiting@hospital.example", "name", "ผู้รอ", "password",
				storetest.Password)).want(t, "")

		try := func(username, password string) answer {
			return n.post(authPath+"/login", "", obj("username", username, "password", password))
		}
		wrong := try("nurse", "not the password").want(t, hospital.InvalidCredentials)
		for name, username := range map[string]string{
			"an unknown name": "nobody", "an unknown address": "nobody@hospital.example", "a suspended account": "suspended",
			"a pending account": "waiting", "an odd name": "'; --",
		} {
			a := try(username, "not the password")
			if a.status != wrong.status || a.err.Code != wrong.err.Code || a.err.Message != wrong.err.Message ||
				len(a.err.Details) > 0 {
				t.Errorf("%s with a wrong password gets another response: %s", name, a.raw)
			}
		}
		// The status is returned with a correct password.
		try("suspended", storetest.Password).want(t, hospital.AccountSuspended)
		try("waiting", storetest.Password).want(t, hospital.AccountPending)
		if in := decode[login](t, try("NURSE@Hospital.example", storetest.Password)); in.User.Username != "nurse" ||
			in.User.Role != "NURSE" {
			t.Errorf("signing in by email: %+v", in)
		}
	})
}

// The response time does not reveal whether a username exists: both cases take exactly one key derivation.
func TestUnknownUsernameHashesPassword(t *testing.T) {
	t.Parallel()
	hasher := auth.NewCheapHasher()
	n := start(t, storetest.SQLite(t), func(o *api.Options) { o.Hasher = hasher })
	storetest.SetUp(t, n.db)
	cost := func(username string) uint64 {
		before := hasher.Derivations()
		n.post(authPath+"/login", "", obj("username", username, "password", "not the password")).want(t,
			hospital.InvalidCredentials)
		return hasher.Derivations() - before
	}
	if known, unknown := cost("admin"), cost("nobody"); known != 1 || unknown != 1 {
		t.Errorf("a known name costs %d derivations, an unknown one %d", known, unknown)
	}
}

func TestLockedUsernamesAreAlike(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		for _, username := range []string{"admin", "nobody"} {
			for range 5 {
				n.post(authPath+"/login", "", obj("username", username, "password", "wrong")).want(t, hospital.InvalidCredentials)
			}
			for _, password := range []string{"wrong", storetest.Password} {
				a := n.post(authPath+"/login", "", obj("username", username, "password", password)).want(t,
					hospital.TooManyAttempts)
				if a.status != 429 || a.header.Get("Retry-After") != "900" ||
					a.err.Message != "ลองผิดหลายครั้งเกินไป กรุณารอ 15 นาทีแล้วลองอีกครั้ง" {
					t.Errorf("%s: %d %q %s", username, a.status, a.header.Get("Retry-After"), a.raw)
				}
			}
		}
		n.database.Clock.Advance(15 * time.Minute)
		n.signIn("admin")
	})
}

func TestSessionLifecycle(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a, b := start(t, p), start(t, p)
		storetest.SetUp(t, a.db)
		storetest.AddUser(t, a.db, "nurse", "NURSE")
		in := a.signIn("nurse")
		me := decode[struct {
			Username    string
			Permissions []string
			Services    []any
			Role        struct{ Name, Label string }
		}](t, b.get(authPath+"/me", in.AccessToken))
		if me.Username != "nurse" || me.Role.Name != "NURSE" || me.Role.Label != "พยาบาล" || me.Services == nil ||
			len(me.Permissions) == 0 {
			t.Errorf("me %+v", me)
		}
		if ps := decode[[]string](t, a.get(authPath+"/permissions", in.AccessToken)); strings.Join(ps,
			" ") != strings.Join(me.Permissions, " ") {
			t.Errorf("permissions %v", ps)
		}
		a.get(authPath+"/me", in.SmqAccessToken).want(t, hospital.Unauthenticated)
		if body := a.post(authPath+"/logout", in.AccessToken, nil).want(t, "").raw; !strings.Contains(body, `"data":null`) {
			t.Errorf("logout answers %s", body)
		}
		a.get(authPath+"/me", in.AccessToken).want(t, hospital.Unauthenticated)
		p.ExpireSessionCache()
		b.get(authPath+"/me", in.AccessToken).want(t, hospital.Unauthenticated)
		in = a.signIn("nurse")
		p.Clock.Advance(12 * time.Hour)
		b.get(authPath+"/me", in.AccessToken).want(t, hospital.TokenExpired)
	})
}

func TestInitialPasswordMustBeChanged(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		n.post(userPath+"/create", admin,
			obj("username", "newcomer", "email", "new@hospital.example", "name", "คนใหม่", "roleId",
				storetest.RoleID(t, n.db, "ADMIN"), "password", "the first password")).want(t, "")
		in := decode[login](t, n.post(authPath+"/login", "", obj("username", "newcomer", "password", "the first password")))
		if !in.MustChangePassword {
			t.Error("login does not say that the password must be changed")
		}
		n.post(userPath+"/list", in.AccessToken, obj()).want(t, hospital.PasswordChangeRequired)
		n.get(authPath+"/permissions", in.AccessToken).want(t, "")
		n.get(authPath+"/me", in.AccessToken).want(t, "")
		change := func(current, next string) answer {
			return n.post(authPath+"/change-password", in.AccessToken, obj("currentPassword", current, "newPassword", next))
		}
		for name, c := range map[string]struct{ current, next, field string }{
			"a wrong current one": {"not it", "a second password", "currentPassword"},
			"too short":           {"the first password", "short", "newPassword"},
			"the same again":      {"the first password", "the first password", "newPassword"},
			"a common one":        {"the first password", "password123", "newPassword"},
		} {
			if a := change(c.current, c.next).want(t, hospital.ValidationFailed); a.field(c.field) == "" {
				t.Errorf("%s: %s", name, a.raw)
			}
		}
		other := decode[login](t,
			n.post(authPath+"/login", "", obj("username", "newcomer", "password", "the first password")))
		change("the first password", "a second password").want(t, "")
		n.post(userPath+"/list", in.AccessToken, obj()).want(t, "")
		n.get(authPath+"/me", other.AccessToken).want(t, hospital.Unauthenticated)
		n.post(authPath+"/login", "", obj("username", "newcomer", "password", "the first password")).want(t,
			hospital.InvalidCredentials)
	})
}

// Wrong passwords and codes of a signed-in user are counted, locked and logged like
// sign-in attempts and share their counter: five guesses over all operations.
func TestPasswordConfirmationIsLimited(t *testing.T) {
	t.Parallel()
	guess := func(call string, right bool, code string) map[string]any {
		password := "a guess"
		if right {
			password = storetest.Password
		}
		switch call {
		case "login":
			return obj("username", "nurse", "password", password, "otp", code)
		case "change-password":
			return obj("currentPassword", password, "newPassword", "a second password")
		case "totp/enable":
			return obj("otp", code)
		}
		return obj("password", password, "otp", code)
	}
	actions := map[string]string{
		"login": "auth.login", "change-password": "auth.change-password",
		"totp/setup": "auth.totp-setup", "totp/enable": "auth.totp-enable", "totp/disable": "auth.totp-disable",
	}
	for name, c := range map[string]struct {
		tries []string // operations of the five guesses, used in rotation
		right bool     // the password is right and only the code is wrong
		on    bool     // one-time codes are enabled
	}{
		"passwords":                   {[]string{"change-password"}, false, false},
		"passwords, to set codes up":  {[]string{"totp/setup"}, false, false},
		"codes, to switch them on":    {[]string{"totp/enable"}, true, false},
		"codes, to switch them off":   {[]string{"totp/disable"}, true, true},
		"passwords, here and there":   {[]string{"change-password", "login"}, false, false},
		"anything, one after another": {[]string{"totp/disable", "login", "change-password"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachNode(t, func(t *testing.T, n *node) {
				token, admin := n.signIn("nurse").AccessToken, n.signIn("admin").AccessToken
				code := n.authenticator(t, token)
				if c.on {
					n.post(authPath+"/totp/enable", token, obj("otp", code())).want(t, "")
					n.database.Clock.Advance(time.Minute)
				}
				failed := map[string]int{}
				for i := range 5 {
					call := c.tries[i%len(c.tries)]
					a := n.post(authPath+"/"+call, token, guess(call, c.right, "000000"))
					if want := hospital.ValidationFailed; call != "login" && a.err.Code != string(want) ||
						call == "login" && a.err.Code != "INVALID_CREDENTIALS" {
						t.Fatalf("guess %d, %s: %s", i+1, call, a.raw)
					}
					failed[actions[call]]++
				}
				// Correct credentials are rejected everywhere while the account is locked.
				for _, call := range []string{"change-password", "totp/disable", "login"} {
					a := n.post(authPath+"/"+call, token, guess(call, true, code())).want(t, hospital.TooManyAttempts)
					if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "900" {
						t.Errorf("%s: %d, retry after %q", call, a.status, a.header.Get("Retry-After"))
					}
				}
				locked := 0
				for _, e := range decode[hospital.Paged[hospital.AuditEntry]](t,
					n.post("/admin/api/v1/audit/list", admin, obj("pageSize", 50))).Items {
					switch {
					case e.Outcome == hospital.OutcomeFailed && e.Reason == "INVALID_CREDENTIALS":
						failed[e.Action]--
					case e.Outcome == hospital.OutcomeRefused && e.Reason == "TOO_MANY_ATTEMPTS":
						locked++
					}
				}
				for action, n := range failed {
					if n != 0 {
						t.Errorf("%d audit entries of %s are missing", n, action)
					}
				}
				if locked != 1 {
					t.Errorf("%d audit entries of the lock, want 1", locked)
				}
				n.database.Clock.Advance(15 * time.Minute)
				n.post(authPath+"/login", "", guess("login", true, code())).want(t, "")
			})
		})
	}
}

// authenticator enables one-time codes for the account of a session. code returns the current code.
func (n *node) authenticator(t *testing.T, token string) (code func() string) {
	t.Helper()
	setup := decode[struct{ Secret string }](t,
		n.post(authPath+"/totp/setup", token, obj("password", storetest.Password)))
	return func() string {
		t.Helper()
		code, err := totp.GenerateCode(setup.Secret, n.database.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
}

// A code that was used to sign in cannot be used again to disable one-time codes.
func TestOneTimeCodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		token := n.signIn("nurse").AccessToken
		code := n.authenticator(t, token)
		n.post(authPath+"/totp/enable", token, obj("otp", code())).want(t, "")
		n.database.Clock.Advance(30 * time.Second)
		n.post(authPath+"/login", "", obj("username", "nurse", "password", storetest.Password, "otp", code())).
			want(t, "")
		n.post(authPath+"/totp/disable", token, obj("password", storetest.Password, "otp", code())).
			want(t, hospital.ValidationFailed)
		n.database.Clock.Advance(30 * time.Second)
		n.post(authPath+"/totp/disable", token, obj("password", storetest.Password, "otp", code())).want(t, "")
	})
}

func TestChangePasswordNeedsCurrentPassword(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin")
		me := decode[hospital.User](t, n.get(authPath+"/me", admin.AccessToken))
		for name, a := range map[string]answer{
			"update": n.post(userPath+"/update", admin.AccessToken,
				obj("id", me.ID, "version", me.Version, "password", "a second password")),
			"reset-link": n.post(userPath+"/"+itoa(me.ID)+"/reset-link", admin.AccessToken, nil),
		} {
			if a.want(t, hospital.Forbidden); a.status != http.StatusForbidden ||
				!strings.Contains(a.err.Message, "รหัสผ่านปัจจุบัน") || strings.Contains(a.raw, "token=") {
				t.Errorf("%s: %s", name, a.raw)
			}
		}
		n.signIn("admin")
		n.get(authPath+"/me", admin.AccessToken).want(t, "") // the session is still valid
	})
}

func TestOneTimeCodes(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		token := n.signIn("doctor").AccessToken
		n.post(authPath+"/totp/enable", token, obj("otp", "000000")).want(t, hospital.ValidationFailed)
		n.post(authPath+"/totp/setup", token, obj("password", "wrong")).want(t, hospital.ValidationFailed)
		setup := decode[struct{ Secret, URI string }](t,
			n.post(authPath+"/totp/setup", token, obj("password", storetest.Password)))
		if !strings.HasPrefix(setup.URI, "otpauth://totp/") || !strings.Contains(setup.URI, setup.Secret) {
			t.Errorf("uri %s", setup.URI)
		}
		code := func() string {
			t.Helper()
			c, err := totp.GenerateCode(setup.Secret, n.database.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		sign := func(otp string) answer {
			body := obj("username", "doctor", "password", storetest.Password)
			if otp != "" {
				body["otp"] = otp
			}
			return n.post(authPath+"/login", "", body)
		}
		sign("").want(t, "") // not enabled yet
		n.post(authPath+"/totp/enable", token, obj("otp", "123")).want(t, hospital.ValidationFailed)
		n.post(authPath+"/totp/enable", token, obj("otp", code())).want(t, "")

		sign(code()).want(t, hospital.InvalidCredentials) // the code that enabled it is used up
		n.database.Clock.Advance(30 * time.Second)
		for range 20 { // a missing code is not a failed attempt
			sign("").want(t, hospital.OTPRequired)
		}
		sign("000000").want(t, hospital.InvalidCredentials)
		sign(code()).want(t, "")
		sign(code()).want(t, hospital.InvalidCredentials)

		// The secret is encrypted in the database.
		var stored string
		if err := n.database.SQL(t).QueryRow(`SELECT totp_secret FROM users
			WHERE username = 'doctor'`).Scan(&stored); err != nil || stored == "" || strings.Contains(stored, setup.Secret) {
			t.Errorf("stored %q, %v", stored, err)
		}
		n.database.Clock.Advance(time.Minute)
		n.post(authPath+"/totp/disable", token, obj("password", storetest.Password, "otp", "000000")).want(t,
			hospital.ValidationFailed)
		n.post(authPath+"/totp/disable", token, obj("password", "wrong", "otp", code())).want(t, hospital.ValidationFailed)
		n.post(authPath+"/totp/disable", token, obj("password", storetest.Password, "otp", code())).want(t, "")
		sign("").want(t, "")
		for range 4 {
			sign("000000").want(t, "")
		}
	})
}

func TestWrongCodesLockUsername(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	storetest.SetUp(t, n.db)
	token := n.signIn("admin").AccessToken
	setup := decode[struct{ Secret string }](t, n.post(authPath+"/totp/setup", token, obj("password", storetest.Password)))
	code, err := totp.GenerateCode(setup.Secret, n.database.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	n.post(authPath+"/totp/enable", token, obj("otp", code)).want(t, "")
	for range 5 {
		n.post(authPath+"/login", "", obj("username", "admin", "password", storetest.Password, "otp", "999999")).want(t,
			hospital.InvalidCredentials)
		n.post(authPath+"/login", "", obj("username", "admin", "password", storetest.Password))
	}
	n.post(authPath+"/login", "", obj("username", "admin", "password", storetest.Password, "otp", code)).want(t,
		hospital.TooManyAttempts)
}

func TestRegistrationNeedsApproval(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		reg := obj("username", "applicant", "email", "app@hospital.example", "name", "ผู้สมัคร", "phone", "0812345678",
			"password", "a good password")
		n.post(authPath+"/register", "", reg).want(t, "")
		if a := n.post(authPath+"/register", "", reg).want(t, hospital.Duplicate); a.status != 409 ||
			a.field("username") == "" {
			t.Errorf("again: %s", a.raw)
		}
		if a := n.post(authPath+"/register", "", obj("username", "x", "email", "x", "name", " ", "password", "short")).want(t,
			hospital.ValidationFailed); len(a.err.Fields) != 4 {
			t.Errorf("wrong fields: %s", a.raw)
		}
		sign := func() answer {
			return n.post(authPath+"/login", "", obj("username", "applicant", "password", "a good password"))
		}
		sign().want(t, hospital.AccountPending)
		admin := n.signIn("admin").AccessToken
		pending := decode[hospital.Paged[hospital.User]](t, n.post(userPath+"/list", admin, obj("status", "PENDING")))
		if pending.Total != 1 || pending.Items[0].Role != nil || pending.Items[0].RoleID != nil {
			t.Fatalf("pending %+v", pending)
		}
		u := pending.Items[0]
		n.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "status", "ACTIVE")).want(t,
			hospital.ValidationFailed)
		approved := decode[hospital.User](t,
			n.post(userPath+"/update", admin,
				obj("id", u.ID, "version", u.Version, "roleId", storetest.RoleID(t, n.db, "QUEUE"))))
		if approved.Status != hospital.UserActive {
			t.Errorf("approved: %+v", approved)
		}
		if in := decode[login](t, sign()); in.MustChangePassword || in.User.Role != "QUEUE" {
			t.Errorf("signed in: %+v", in)
		}
	})
}

func TestForgotPassword(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		known := n.post(authPath+"/forgot-password", "", obj("email", "nurse@hospital.example")).want(t, "")
		unknown := n.post(authPath+"/forgot-password", "", obj("email", "nobody@hospital.example")).want(t, "")
		if known.raw != unknown.raw {
			t.Errorf("responses differ: %s and %s", known.raw, unknown.raw)
		}
		for range 4 {
			n.post(authPath+"/forgot-password", "", obj("email", "nurse@hospital.example")).want(t, "")
		}
		n.post(authPath+"/forgot-password", "", obj("email", "nurse@hospital.example")).want(t, hospital.TooManyAttempts)

		// Without mail the administrator gets the link.
		admin := n.signIn("admin").AccessToken
		u := decode[hospital.Paged[hospital.User]](t, n.post(userPath+"/list", admin, obj("q", "nurse"))).Items[0]
		link := decode[struct {
			Mailed    bool
			Link      string
			ExpiresAt time.Time
		}](t, n.post(userPath+"/"+itoa(u.ID)+"/reset-link", admin, nil))
		_, token, ok := strings.Cut(link.Link, "http://nadmor.example/reset-password#token=")
		if link.Mailed || !ok || !link.ExpiresAt.Equal(n.db.Now().Add(30*time.Minute)) {
			t.Fatalf("link %+v", link)
		}
		if strings.Contains(n.log.String(), token) {
			t.Error("the link is in the log")
		}
		old := n.signIn("nurse").AccessToken
		if a := n.post(authPath+"/reset-password", "", obj("token", token, "password", "nurse")).want(t,
			hospital.ValidationFailed); a.field("password") == "" {
			t.Errorf("a weak password: %s", a.raw)
		}
		n.post(authPath+"/reset-password", "", obj("token", token, "password", "a new password")).want(t, "")
		if a := n.post(authPath+"/reset-password", "", obj("token", token, "password", "another password")).want(t,
			hospital.ValidationFailed); a.field("token") == "" {
			t.Errorf("used twice: %s", a.raw)
		}
		n.get(authPath+"/me", old).want(t, hospital.Unauthenticated)
		n.post(authPath+"/login", "", obj("username", "nurse", "password", "a new password")).want(t, "")
	})
}

// BenchmarkSignInRejected measures sign-ins with an unknown username and with a wrong password at the real
// cost. Both should take the same time.
func BenchmarkSignInRejected(b *testing.B) {
	hasher := auth.NewHasher()
	hash, err := hasher.Hash(context.Background(), storetest.Password)
	if err != nil {
		b.Fatal(err)
	}
	for name, stored := range map[string]string{"unknown name": "", "wrong password": hash} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if ok, err := hasher.Verify(context.Background(), stored, "not the password"); ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func TestOwnSessions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		first, second, third := n.signIn("nurse").AccessToken, n.signIn("nurse").AccessToken, n.signIn("nurse").AccessToken
		type session struct {
			ID, UserAgent, Addr string
			Current             bool
		}
		list := decode[[]session](t, n.get(authPath+"/sessions", first))
		if len(list) != 3 || list[0].Addr != "127.0.0.1" || !strings.Contains(list[0].UserAgent, "Go-http-client") {
			t.Fatalf("sessions %+v", list)
		}
		for _, s := range list {
			if s.Current != (s.ID == sessionOf(t, first)) {
				t.Errorf("current: %+v", s)
			}
		}
		n.post(authPath+"/end-sessions", first, obj("sessionId", sessionOf(t, second))).want(t, "")
		n.get(authPath+"/me", second).want(t, hospital.Unauthenticated)
		n.get(authPath+"/me", third).want(t, "")
		// The session of another user cannot be ended by its id.
		doctor := n.signIn("doctor").AccessToken
		n.post(authPath+"/end-sessions", doctor, obj("sessionId", sessionOf(t, third))).want(t, "")
		n.get(authPath+"/me", third).want(t, "")
		// An administrator sees the number of sessions but not their ids.
		u := decode[hospital.Paged[hospital.User]](t,
			n.post(userPath+"/list", n.signIn("admin").AccessToken, obj("q", "nurse"))).Items[0]
		if seen := decode[[]session](t,
			n.get(userPath+"/"+itoa(u.ID)+"/sessions", n.signIn("admin").AccessToken)); len(seen) != 2 || seen[0].ID != "" {
			t.Errorf("the administrator sees %+v", seen)
		}
		n.post(userPath+"/"+itoa(u.ID)+"/end-sessions", n.signIn("admin").AccessToken, nil).want(t, "")
		if a := n.get(authPath+"/me", first); a.status != http.StatusUnauthorized {
			t.Errorf("ended by the administrator: %s", a.raw)
		}
	})
}
