package api_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

func raw64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forge signs any header and claims with any key.
func forge(algorithm func() hash.Hash, key []byte, header, claims string) string {
	text := raw64(header) + "." + raw64(claims)
	mac := hmac.New(algorithm, key)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Every token that was not issued by a sign-in gives the same error, even if it is signed with the right key,
// so that the response helps no attacker. auth.TestForgedTokensAreRejected covers more cases.
func TestForgedTokensAreAlike(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		in, other := n.signIn("nurse"), n.signIn("admin")
		good := in.AccessToken
		parts := strings.Split(good, ".")
		key := auth.DeriveKey(secret, "tokens")
		const header = `{"alg":"HS256","typ":"JWT"}`
		payload, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		with := func(change ...any) string {
			var claims map[string]any
			if err := json.Unmarshal(payload, &claims); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(change); i += 2 {
				if change[i+1] == nil {
					delete(claims, change[i].(string))
				} else {
					claims[change[i].(string)] = change[i+1]
				}
			}
			b, err := json.Marshal(claims)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		signed := func(claims string) string { return forge(sha256.New, key, header, claims) }
		if a := n.get(authPath+"/me", signed(with())); a.status != http.StatusOK {
			t.Fatalf("the forger's own token is not one: %s", a.raw)
		}
		now := n.db.Now()
		link := decode[struct{ Link string }](t,
			n.post(userPath+"/"+itoa(in.User.ID)+"/reset-link", other.AccessToken, nil)).Link
		_, reset, _ := strings.Cut(link, "#token=")
		clinic := storetest.AddService(t, n.db, "GP", 1)
		_, screen, err := n.db.CreateDisplay(hospital.WithActor(t.Context(), hospital.System), hospital.NewDisplay{
			ServiceID: clinic.ID, Label: "จอ",
		})
		if err != nil {
			t.Fatal(err)
		}
		forgeries := map[string]string{
			"alg none":                    raw64(`{"alg":"none","typ":"JWT"}`) + "." + parts[1] + ".",
			"alg None":                    raw64(`{"alg":"None"}`) + "." + parts[1] + ".",
			"alg NONE with the signature": raw64(`{"alg":"NONE"}`) + "." + parts[1] + "." + parts[2],
			"alg empty":                   raw64(`{"alg":""}`) + "." + parts[1] + ".",
			"alg null":                    raw64(`{"alg":null}`) + "." + parts[1] + ".",
			"no header":                   "." + parts[1] + "." + parts[2],
			"HS384 with the right key":    forge(sha512.New384, key, `{"alg":"HS384","typ":"JWT"}`, with()),
			"HS512 with the right key":    forge(sha512.New, key, `{"alg":"HS512","typ":"JWT"}`, with()),
			"RS256 in the header":         forge(sha256.New, key, `{"alg":"RS256","typ":"JWT"}`, with()),
			"ES256 in the header":         forge(sha256.New, key, `{"alg":"ES256","typ":"JWT"}`, with()),
			"alg twice":                   forge(sha256.New, key, `{"alg":"HS256","alg":"none"}`, with()),
			"a key id that is a path":     forge(sha256.New, nil, `{"alg":"HS256","kid":"../../../../dev/null"}`, with()),
			"a key id that is SQL": forge(sha256.New, []byte("x"), `{"alg":"HS256","kid":"x' UNION SELECT 'x"}`,
				with()),
			"a key at an address": forge(sha256.New, []byte("x"),
				`{"alg":"HS256","jku":"https://evil.example/jwks.json"}`, with()),
			"a key of its own": forge(sha256.New, []byte("x"), `{"alg":"HS256","jwk":{"kty":"oct","k":"eA"}}`,
				with()),
			"an empty key":                       forge(sha256.New, nil, header, with()),
			"the secret itself as the key":       forge(sha256.New, []byte(secret), header, with()),
			"the key of another purpose":         forge(sha256.New, auth.DeriveKey(secret, "box"), header, with()),
			"another installation's key":         forge(sha256.New, auth.DeriveKey("another", "tokens"), header, with()),
			"another's name under the signature": parts[0] + "." + raw64(with("sub", itoa(other.User.ID))) + "." + parts[2],
			"another role under the signature":   parts[0] + "." + raw64(with("role", "ADMIN")) + "." + parts[2],
			"another's session":                  signed(with("sid", sessionOf(t, other.AccessToken))),
			"another person with this session":   signed(with("sub", itoa(other.User.ID))),
			"nobody's session":                   signed(with("sid", auth.NewSecret())),
			"a session that is SQL":              signed(with("sid", "' OR '1'='1")),
			"a session with a wild card":         signed(with("sid", "%")),
			"a session in small letters":         signed(with("sid", strings.ToLower(sessionOf(t, good)))),
			"a session with a space":             signed(with("sid", sessionOf(t, good)+" ")),
			"no session":                         signed(with("sid", nil)),
			"the other audience":                 in.SmqAccessToken,
			"an audience that is a list":         signed(with("aud", []string{"admin"})),
			"an audience in capitals":            signed(with("aud", "ADMIN")),
			"no audience":                        signed(with("aud", nil)),
			"no end":                             signed(with("exp", nil)),
			"an end that is a text":              signed(with("exp", fmt.Sprint(now.Add(time.Hour).Unix()))),
			"an end beyond numbers":              signed(strings.Replace(with("exp", 1), `"exp":1`, `"exp":1e400`, 1)),
			"an end that is negative":            signed(with("exp", -1)),
			"made tomorrow":                      signed(with("iat", now.Add(24*time.Hour).Unix())),
			"made at no time":                    signed(with("iat", nil)),
			"a subject that is a number":         signed(with("sub", in.User.ID)),
			"a subject in Thai digits":           signed(with("sub", "๑")),
			"a subject of zero":                  signed(with("sub", "0")),
			"claims twice, the second another's": signed(strings.TrimSuffix(with(), "}") + `,"sub":"` + itoa(other.User.ID) +
				`"}`),
			"something behind the claims": signed(with() + "{}"),
			"claims that are a list":      signed("[]"),
			"claims that are nothing":     signed(""),
			"the signature cut short":     good[:len(good)-2],
			"a letter more":               good + "A",
			"padding":                     good + "=",
			"a segment more":              good + ".AAAA",
			"a full stop more":            good + ".",
			"the signature in front":      parts[2] + "." + parts[1] + "." + parts[0],
			"a zero-width space in it":    good[:20] + "\u200b" + good[20:],
			"full-width letters":          strings.Replace(good, "e", "ｅ", 1),
			"a space behind it":           good + " x",
			"Bearer twice":                "Bearer " + good,
			"two of them":                 good + "," + good,
			"the id of the session":       sessionOf(t, good),
			"a link to choose a password": reset,
			"a screen's token":            screen,
			"a word":                      "null",
			"eight thousand letters":      strings.Repeat("A", 8000),
		}
		if len(forgeries) < 40 {
			t.Errorf("only %d forgeries", len(forgeries))
		}
		want := ""
		for name, token := range forgeries {
			a := n.get(authPath+"/me", token)
			if a.status != http.StatusUnauthorized || a.err.Code != string(hospital.Unauthenticated) || len(a.err.Details) > 0 {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
			if got := withoutRequestID(a); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s gets another response: %s and %s", name, want, got)
			}
		}
		// Other places in which a token could be sent.
		for name, headers := range map[string][]string{
			"in a cookie": {"Cookie", "access_token=" + good},
			"as basic authorization": {
				"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("nurse:"+storetest.Password)),
			},
			"in small letters":       {"Authorization", "bearer " + good},
			"without its word":       {"Authorization", good},
			"in a header of a proxy": {"X-Forwarded-User", "admin"},
		} {
			if a := n.call(http.MethodGet, authPath+"/me", "", nil, headers...); a.status != http.StatusUnauthorized ||
				withoutRequestID(a) != want {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		if a := n.get(authPath+"/me?access_token="+good, ""); a.status != http.StatusUnauthorized {
			t.Errorf("in the address: %d", a.status)
		}
		n.get(authPath+"/me", good).want(t, "")
		t.Logf("%d forgeries", len(forgeries))
	})
}

// The password alone gives access to nothing if the account needs a one-time code.
func TestPasswordWithoutCodeIsRejected(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		token := n.signIn("doctor").AccessToken
		setup := decode[struct{ Secret string }](t,
			n.post(authPath+"/totp/setup", token, obj("password", storetest.Password)))
		code, err := totp.GenerateCode(setup.Secret, n.database.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		n.post(authPath+"/totp/enable", token, obj("otp", code)).want(t, "")
		a := n.post(authPath+"/login", "", obj("username", "doctor", "password", storetest.Password)).want(t,
			hospital.OTPRequired)
		if a.data != nil && string(a.data) != "null" || strings.Contains(a.raw, "oken") ||
			len(a.header.Values("Set-Cookie")) > 0 {
			t.Errorf("the answer hands something out: %s", a.raw)
		}
	})
}

// Every sign-in creates a session with a new id. An ended session is invalid, and an id cannot be chosen in
// advance.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		first := n.signIn("nurse")
		n.post(authPath+"/logout", first.AccessToken, nil).want(t, "")
		chosen := sessionOf(t, first.AccessToken)
		again := decode[login](t,
			n.post(authPath+"/login", first.AccessToken, obj("username", "nurse", "password", storetest.Password),
				"Cookie", "access_token="+first.AccessToken+"; sid="+chosen, "X-Session-Id", chosen))
		if sessionOf(t, again.AccessToken) == chosen {
			t.Error("an old session lives again")
		}
		n.get(authPath+"/me", first.AccessToken).want(t, hospital.Unauthenticated)
		n.post(authPath+"/login", "", obj("username", "nurse", "password", storetest.Password, "sessionId", chosen)).want(t,
			hospital.ValidationFailed)
		ids := map[string]bool{}
		for range 20 {
			ids[sessionOf(t, n.signIn("nurse").AccessToken)] = true
		}
		if len(ids) != 20 {
			t.Errorf("20 sign-ins are %d sessions", len(ids))
		}
	})
}

// Revoked access is effective on all nodes with the next request, and ends event streams.
func TestRevokedAccessOnAllNodes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		first, second := start(t, p), start(t, p)
		storetest.SetUp(t, first.db)
		run, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		defer wg.Wait()
		defer stop()
		if p.Engine == "postgres" { // nodes notify each other
			for _, n := range []*node{first, second} {
				wg.Go(func() { n.db.RunEvents(run, slog.New(slog.DiscardHandler)) })
			}
			raw := p.SQL(t)
			for n := 0; n < 2; {
				const listening = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'
					AND state = 'idle'`
				if err := raw.QueryRowContext(t.Context(), listening).Scan(&n); err != nil {
					t.Fatal(err)
				}
			}
		}
		admin := first.signIn("admin").AccessToken
		role := func(name string) int64 { return storetest.RoleID(t, first.db, name) }
		ways := map[string]struct {
			how  func(u hospital.User, own login)
			code []hospital.Code
		}{
			"a new password by the administrator": {func(u hospital.User, _ login) {
				first.post(userPath+"/update", admin,
					obj("id", u.ID, "version", u.Version, "password", "a second password")).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"another role": {func(u hospital.User, _ login) {
				first.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "roleId", role("QUEUE"))).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"being suspended": {func(u hospital.User, _ login) {
				first.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "status", "SUSPENDED")).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated, hospital.AccountSuspended}},
			"being deleted": {func(u hospital.User, _ login) {
				first.post(userPath+"/delete", admin, obj("id", u.ID)).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"all sessions ended by the administrator": {func(u hospital.User, _ login) {
				first.post(userPath+"/"+itoa(u.ID)+"/end-sessions", admin, nil).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"signing out everywhere": {func(_ hospital.User, own login) {
				first.post(authPath+"/end-sessions", own.AccessToken, obj()).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"signing out": {func(_ hospital.User, own login) {
				first.post(authPath+"/logout", own.AccessToken, nil).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"a new password set in another session": {func(u hospital.User, _ login) {
				other := first.signIn(u.Username)
				first.post(authPath+"/change-password", other.AccessToken,
					obj("currentPassword", storetest.Password, "newPassword", "a second password")).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
			"a link to choose a password": {func(u hospital.User, _ login) {
				link := decode[struct{ Link string }](t, first.post(userPath+"/"+itoa(u.ID)+"/reset-link", admin, nil)).Link
				_, token, _ := strings.Cut(link, "#token=")
				first.post(authPath+"/reset-password", "", obj("token", token, "password", "a second password")).want(t, "")
			}, []hospital.Code{hospital.Unauthenticated}},
		}
		i := 0
		for name, way := range ways {
			i++
			u := storetest.AddUser(t, first.db, fmt.Sprint("person", i), "NURSE")
			own := second.signIn(u.Username)
			u = decode[hospital.User](t, first.get(userPath+"/"+itoa(u.ID), admin))
			second.get(patientPath+"/1", own.AccessToken).want(t, hospital.NotFound) // may read
			listening, leave := context.WithTimeout(t.Context(), 10*time.Second)
			stream := second.stream(listening, own.AccessToken, "")
			way.how(u, own)
			p.ExpireSessionCache()
			if a := second.get(patientPath+"/1", own.AccessToken); !slices.Contains(way.code, hospital.Code(a.err.Code)) {
				t.Errorf("%s: the other node still says %d %s", name, a.status, a.raw)
			}
			if a := second.post(customerPath+"/list", own.SmqAccessToken, obj()); !slices.Contains(way.code,
				hospital.Code(a.err.Code)) {
				t.Errorf("%s: the other token still opens on the other node: %d %s", name, a.status, a.raw)
			}
			if p.Engine == "postgres" { // SQLite has a single node
				began := time.Now()
				for id, data := stream.next(); data != ""; id, data = stream.next() {
					t.Logf("%s: told %s %s", name, id, data)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("%s: the other node went on telling for %s", name, took)
				}
			}
			leave()
		}
		// A permission removed from a role is gone with the next request.
		token := second.with(admin, "reader", hospital.PatientShow)
		second.get(patientPath+"/1", token).want(t, hospital.NotFound)
		r := decode[hospital.Role](t, first.get(rolePath+"/"+itoa(role("READER")), admin))
		first.post(rolePath+"/update", admin,
			obj("id", r.ID, "version", r.Version, "name", r.Name, "label", r.Label, "permissions", []string{})).want(t, "")
		p.ExpireSessionCache()
		second.get(patientPath+"/1", token).want(t, hospital.Forbidden)
	})
}
