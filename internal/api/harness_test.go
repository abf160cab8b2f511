package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"nadmor/internal/api"
	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

const secret = "the secret of the tests"

// node is a server under test.
type node struct {
	t        testing.TB
	database storetest.Database
	db       *store.DB
	url      string
	files    string // the folder of uploads
	log      *logBuffer
	tokens   auth.Tokens
}

// logBuffer collects log output, to check what must not be logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t testing.TB, p storetest.Database, change ...func(*api.Options)) *node {
	t.Helper()
	n := &node{t: t, database: p, db: p.Open(t), log: &logBuffer{}, tokens: auth.NewTokens(secret, p.Clock.Now)}
	n.files = filepath.Join(t.TempDir(), "files")
	uploads, err := files.OpenDisk(n.files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = uploads.Close() })
	o := api.Options{
		DB: n.db, Files: uploads, Hasher: storetest.Hasher, Tokens: n.tokens, Box: auth.NewBox(secret), Version: "test",
		PublicURL: "http://nadmor.example",
		Log:       slog.New(slog.NewTextHandler(n.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		App:       http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the app") }),
	}
	for _, c := range change {
		c(&o)
	}
	server, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.Handler())
	t.Cleanup(s.Close)
	n.url = s.URL
	return n
}

// eachNode runs fn on each engine, with a server that has the system roles, an administrator and an account
// per role.
func eachNode(t *testing.T, fn func(t *testing.T, n *node)) {
	t.Helper()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		n := start(t, p)
		storetest.SetUp(t, n.db)
		for _, r := range hospital.SystemRoles[1:] {
			storetest.AddUser(t, n.db, strings.ToLower(r.Name), r.Name)
		}
		fn(t, n)
	})
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	raw    string
	data   json.RawMessage
	err    struct {
		Code      string
		Message   string
		Fields    []struct{ Field, Message string }
		Details   map[string]any
		RequestID string
	}
}

func (a answer) field(name string) string {
	for _, f := range a.err.Fields {
		if f.Field == name {
			return f.Message
		}
	}
	return ""
}

func decode[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.raw)
	}
	if err := json.Unmarshal(a.data, &v); err != nil {
		t.Fatalf("%v in %s", err, a.raw)
	}
	return v
}

// raw sends a request, with a string body as it is and other bodies as JSON, and reads the response to its
// end.
func (n *node) raw(method, path, token string, body any, headers ...string) (*http.Response, []byte) {
	n.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			n.t.Fatal(err)
		}
		reader = bytes.NewReader(j)
	}
	req, err := http.NewRequestWithContext(n.t.Context(), method, n.url+path, reader)
	if err != nil {
		n.t.Fatal(err)
	}
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if i == 0 || headers[i] != headers[i-2] {
			req.Header.Del(headers[i]) // a repeated name adds another header
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close() // read to its end below
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return res, raw
}

// call sends a request and requires the envelope below /admin.
func (n *node) call(method, path, token string, body any, headers ...string) answer {
	n.t.Helper()
	res, raw := n.raw(method, path, token, body, headers...)
	a := answer{status: res.StatusCode, header: res.Header, raw: string(raw)}
	var env struct {
		Success *bool
		Data    json.RawMessage
		Error   json.RawMessage
	}
	if strings.HasPrefix(path, "/admin/") && res.Header.Get("Content-Type") != "text/event-stream" {
		if err := json.Unmarshal(raw, &env); err != nil || env.Success == nil {
			n.t.Fatalf("%s %s answered outside the envelope: %d %s", method, path, res.StatusCode, raw)
		}
		if *env.Success != (res.StatusCode == http.StatusOK) {
			n.t.Errorf("%s %s: success %v with status %d", method, path, *env.Success, res.StatusCode)
		}
		a.data = env.Data
		if !*env.Success {
			if err := json.Unmarshal(env.Error, &a.err); err != nil {
				n.t.Fatal(err)
			}
			if a.err.RequestID == "" || a.err.RequestID != res.Header.Get("X-Request-Id") {
				n.t.Errorf("%s %s: request id %q in the body, %q in the header", method, path, a.err.RequestID,
					res.Header.Get("X-Request-Id"))
			}
		}
	}
	return a
}

func (n *node) post(path, token string, body any, headers ...string) answer {
	n.t.Helper()
	return n.call(http.MethodPost, path, token, body, headers...)
}

func (n *node) get(path, token string) answer {
	n.t.Helper()
	return n.call(http.MethodGet, path, token, nil)
}

// want fails unless the response has the error code, "" for success.
func (a answer) want(t testing.TB, code hospital.Code) answer {
	t.Helper()
	if a.err.Code != string(code) {
		t.Fatalf("got %d %s, want %s: %s", a.status, a.err.Code, code, a.raw)
	}
	return a
}

type login struct {
	AccessToken, SmqAccessToken string
	MustChangePassword          bool
	User                        struct {
		ID                   int64
		Name, Username, Role string
	}
}

// signIn signs in with the password of all test accounts.
func (n *node) signIn(username string) login {
	n.t.Helper()
	return decode[login](n.t,
		n.post("/admin/api/v1.0/auth/login", "", map[string]string{"username": username, "password": storetest.Password}))
}

const (
	authPath = "/admin/api/v1.0/auth"
	userPath = "/admin/api/v1.0/user-admin"
	rolePath = "/admin/api/v1/role"
)

func obj(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[fmt.Sprint(kv[i])] = kv[i+1]
	}
	return m
}

func itoa(id int64) string { return strconv.FormatInt(id, 10) }
