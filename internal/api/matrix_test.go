package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/hospital/hospitaltest"
	"nadmor/internal/store/storetest"
)

type operation struct {
	Method, Path string
	Permission   string                `json:"x-permission"`
	Security     []map[string][]string `json:"security"`
	RequestBody  map[string]any        `json:"requestBody"`
}

// operations returns all operations of the OpenAPI document.
func operations(t *testing.T, n *node) []operation {
	t.Helper()
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]operation
	}
	if err := json.Unmarshal([]byte(n.get("/openapi.json", "").raw), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("OpenAPI %q, want 3.1", doc.OpenAPI)
	}
	var list []operation
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.Method, op.Path = strings.ToUpper(method), strings.ReplaceAll(path, "{id}", "999999")
			if strings.HasSuffix(path, "/events") {
				op.Path += "?follow=false" // would not end otherwise
			}
			list = append(list, op)
		}
	}
	if len(list) < 25 {
		t.Fatalf("only %d operations in the document", len(list))
	}
	return list
}

// Every operation responds to every kind of caller as declared. An invalid body shows that the caller was
// admitted: the response is then neither 401 nor 403.
func TestPermissionOfEveryOperation(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		held := map[string]hospital.PermissionSet{}
		tokens := map[string]login{}
		for _, r := range hospital.SystemRoles {
			held[r.Name] = hospital.NewPermissionSet(r.Permissions...)
			tokens[r.Name] = n.signIn(strings.ToLower(r.Name))
		}
		clinic := storetest.AddService(t, n.db, "GP", 1)
		_, screen, err := n.db.CreateDisplay(hospital.WithActor(t.Context(), hospital.System), hospital.NewDisplay{
			ServiceID: clinic.ID, Label: "หน้าห้องตรวจ",
		})
		if err != nil {
			t.Fatal(err)
		}
		all := operations(t, n)
		addPartialRoles(t, n, all, held, tokens)
		screens := 0
		for _, op := range all {
			access, err := hospitaltest.Access(op.Permission)
			if err != nil {
				t.Errorf("%s %s: %v", op.Method, op.Path, err)
				continue
			}
			var body any
			if op.RequestBody != nil {
				body = obj("no such field", 1)
			}
			call := func(token string) answer { return n.call(op.Method, op.Path, token, body) }
			if access.IsPublic() {
				if a := call(""); a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
					t.Errorf("%s %s is public and answered %d", op.Method, op.Path, a.status)
				}
				continue
			}
			if access.IsDisplay() {
				screens++
				if a := call(screen); a.status != http.StatusOK {
					t.Errorf("%s %s with a screen's token: %d %s", op.Method, op.Path, a.status, a.err.Code)
				}
				rejected := []string{"", "eyJ.x.y", screen + "A", strings.ToLower(screen)}
				for _, l := range tokens {
					rejected = append(rejected, l.AccessToken, l.SmqAccessToken)
				}
				for _, token := range rejected {
					if a := call(token); a.status != http.StatusUnauthorized || a.err.Code != "UNAUTHENTICATED" {
						t.Errorf("%s %s is for screens and answered %d %s", op.Method, op.Path, a.status, a.err.Code)
					}
				}
				continue
			}
			good, other := auth.AudienceAdmin, auth.AudienceCustomer
			if op.Security[0][auth.AudienceCustomer] != nil {
				good, other = other, good
			}
			claims := auth.Claims{
				UserID: tokens["ADMIN"].User.ID, SessionID: sessionOf(t, tokens["ADMIN"].AccessToken), IssuedAt: n.db.Now(),
				ExpiresAt: n.db.Now().Add(time.Hour),
			}
			sign := func(tokens auth.Tokens, c auth.Claims, audience string) string {
				token, err := tokens.Sign(c, audience)
				if err != nil {
					t.Fatal(err)
				}
				return token
			}
			expired, unknown := claims, claims
			expired.IssuedAt, expired.ExpiresAt = n.db.Now().Add(-2*time.Hour), n.db.Now().Add(-time.Hour)
			unknown.SessionID = "NOSUCHSESSION"
			for name, c := range map[string]struct{ token, code string }{
				"no token":            {"", "UNAUTHENTICATED"},
				"an expired token":    {sign(n.tokens, expired, good), "TOKEN_EXPIRED"},
				"a token without alg": {unsigned(sign(n.tokens, claims, good)), "UNAUTHENTICATED"},
				"another key": {
					sign(auth.NewTokens("not the secret", n.database.Clock.Now), claims, good), "UNAUTHENTICATED",
				},
				"the other audience":    {sign(n.tokens, claims, other), "UNAUTHENTICATED"},
				"a session that is not": {sign(n.tokens, unknown, good), "UNAUTHENTICATED"},
				"garbage":               {"eyJ.x.y", "UNAUTHENTICATED"},
				"a screen's token":      {screen, "UNAUTHENTICATED"},
			} {
				if a := call(c.token); a.status != http.StatusUnauthorized || a.err.Code != c.code {
					t.Errorf("%s %s with %s: %d %s, want 401 %s", op.Method, op.Path, name, a.status, a.err.Code, c.code)
				}
			}
			for role, set := range held {
				if strings.HasSuffix(op.Path, "/auth/logout") || strings.HasSuffix(op.Path, "/auth/end-sessions") && body == nil {
					continue // would end the session
				}
				token := tokens[role].AccessToken
				if good == auth.AudienceCustomer {
					token = tokens[role].SmqAccessToken
				}
				a := call(token)
				rejected := a.status == http.StatusForbidden || a.status == http.StatusUnauthorized
				if rejected == access.Allows(set) {
					t.Errorf("%s %s (%s) as %s: %d %s", op.Method, op.Path, op.Permission, role, a.status, a.err.Code)
				}
				if rejected && (a.err.Code != "FORBIDDEN" ||
					a.err.Details["permission"] != string(access.Missing(set))) {
					t.Errorf("%s %s as %s: %s", op.Method, op.Path, role, a.raw)
				}
				if a.status >= 500 {
					t.Errorf("%s %s as %s: %s", op.Method, op.Path, role, a.raw)
				}
			}
		}
		if screens != 1 {
			t.Errorf("%d operations are for screens", screens)
		}
		rejected := n.post("/admin/api/v1/audit/list", tokens["ADMIN"].AccessToken,
			obj("action", "access.refused", "outcome", "REFUSED"))
		if got := decode[hospital.Paged[hospital.AuditEntry]](t, rejected); got.Total < 50 {
			t.Errorf("%d refusals in the audit log, want all of them", got.Total)
		}
		if _, faults, err := n.db.VerifyAudit(t.Context()); err != nil || len(faults) > 0 {
			t.Errorf("audit after all that: %v %v", faults, err)
		}
	})
}

// addPartialRoles adds roles for every operation that needs several permissions at once: one
// with exactly those, and one for each permission left out.
func addPartialRoles(
	t *testing.T, n *node, ops []operation, held map[string]hospital.PermissionSet, tokens map[string]login,
) {
	t.Helper()
	for _, op := range ops {
		if !strings.Contains(op.Permission, "&") {
			continue
		}
		access, err := hospitaltest.Access(op.Permission)
		if err != nil {
			t.Fatal(err)
		}
		for left := range len(access.Permissions()) + 1 {
			set := hospital.NewPermissionSet(access.Permissions()...)
			if left < len(access.Permissions()) {
				delete(set, access.Permissions()[left])
			}
			name := fmt.Sprintf("PARTIAL_%d", len(held))
			draft := hospital.RoleDraft{Name: name, Label: name, Permissions: set.List()}
			if _, err := n.db.CreateRole(hospital.WithActor(t.Context(), hospital.System), draft); err != nil {
				t.Fatal(err)
			}
			storetest.AddUser(t, n.db, strings.ToLower(name), name)
			held[name], tokens[name] = set, n.signIn(strings.ToLower(name))
		}
	}
}

func sessionOf(t *testing.T, token string) string {
	t.Helper()
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil {
		t.Fatal(err)
	}
	return claims["sid"].(string)
}

// unsigned returns a token that claims to need no signature.
func unsigned(token string) string {
	parts := strings.Split(token, ".")
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
}

func TestTokenClaims(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	storetest.SetUp(t, n.db)
	in := n.signIn("admin")
	for token, audience := range map[string]string{in.AccessToken: "admin", in.SmqAccessToken: "smq"} {
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
		if err != nil {
			t.Fatal(err)
		}
		var claims map[string]any
		if err := json.Unmarshal(payload, &claims); err != nil {
			t.Fatal(err)
		}
		if claims["aud"] != audience || claims["role"] != "ADMIN" || claims["sub"] != "1" ||
			claims["name"] != "ผู้ดูแลระบบ" || claims["sid"] == "" ||
			claims["exp"].(float64)-claims["iat"].(float64) != 12*3600 {
			t.Errorf("claims %v", claims)
		}
	}
}
