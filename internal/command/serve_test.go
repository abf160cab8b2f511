package command_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/demo"
	"nadmor/internal/store/storetest"
)

func TestServeUntilStopped(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword))
	for path, want := range map[string]struct {
		status int
		part   string
	}{
		"/healthz":                      {200, "ok\n"},
		"/readyz":                       {200, "ok\n"},
		"/openapi.json":                 {200, `"openapi": "3.1`},
		"/admin/api/v1/hospital":        {200, `"success":true`},
		"/admin/api/v1/no-such-thing":   {404, `"NOT_FOUND"`},
		"/admin/api/v1.0/auth/me":       {401, `"UNAUTHENTICATED"`},
		"/admin/api/v1.0/auth/login":    {404, ""}, // POST only
		"/admin/api/v1/role/list":       {401, `"UNAUTHENTICATED"`},
		"/admin/api/v1.0/auth/sessions": {401, `"UNAUTHENTICATED"`},
	} {
		a := n.call(t, http.MethodGet, path, "", "")
		if a.status != want.status || !strings.Contains(a.body, want.part) {
			t.Errorf("%s: status %d: %.200s", path, a.status, a.body)
		}
	}
	if code := n.stop(); code != 0 {
		t.Errorf("it exits with %d\n%s", code, n.log)
	}
	if conn, err := net.Dial("tcp", n.addr); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
	for _, line := range []string{
		"msg=serving", "address=http://" + n.addr, "database=sqlite", "version=v1-test",
		`msg="stopping: finishing running requests"`,
	} {
		if !strings.Contains(n.log.String(), line) {
			t.Errorf("the log lacks %s:\n%s", line, n.log)
		}
	}
}

// A request that is running when the server stops is completed. New connections are refused.
func TestShutdownFinishesRequests(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword))
	conn, err := net.Dial("tcp", n.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	body := fmt.Sprintf(`{"username":"admin","password":%q}`, adminPassword)
	if _, err := fmt.Fprintf(conn,
		"POST /admin/api/v1.0/auth/login HTTP/1.1\r\nHost: nadmor\r\nContent-Type: application/json\r\nContent-Length: "+
			"%d\r\nExpect: 100-continue\r\n\r\n", len(body)); err != nil {
		t.Fatal(err)
	}
	// The server requests the body once the request is being handled.
	answers := bufio.NewReader(conn)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server says %q, %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	n.cancel()
	for { // until connections are refused
		other, err := net.Dial("tcp", n.addr)
		if err != nil {
			break
		}
		_ = other.Close()
	}
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("the request was cut off: %v\n%s", err, n.log)
	}
	defer res.Body.Close() // read to its end below
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(got), "accessToken") {
		t.Errorf("the answer is %d %s, %v", res.StatusCode, got, err)
	}
	if code := n.stop(); code != 0 {
		t.Errorf("it exits with %d\n%s", code, n.log)
	}
	if strings.Contains(n.log.String(), "did not finish") {
		t.Errorf("the log says\n%s", n.log)
	}
}

func TestInitialAdministratorPassword(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	n := serve(t, inFolder(folder, "NADMOR_ADMIN_PASSWORD="+adminPassword))
	s := n.login(t, "admin", adminPassword)
	if s.MustChangePassword || s.User.Role != "ADMIN" {
		t.Errorf("signed in as %+v", s)
	}
	if a := n.call(t, http.MethodGet, "/admin/api/v1/role/list", s.AccessToken, ""); a.status != http.StatusOK {
		t.Errorf("the administrator cannot work at once: %s", a.body)
	}
	if strings.Contains(n.out.String()+n.log.String(), adminPassword) {
		t.Error("the password is shown")
	}
	n.stop()

	// NADMOR_ADMIN_PASSWORD does not change an existing account.
	n = serve(t, inFolder(folder, "NADMOR_ADMIN_PASSWORD=quite another password"))
	if a := n.tryLogin(t, "admin", "quite another password"); a.code != "INVALID_CREDENTIALS" {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	n.login(t, "admin", adminPassword)
}

var firstSignIn = regexp.MustCompile(`(?m)^First sign-in \(shown once\): username admin, password ([A-Z2-7]{26})$`)

func TestInitialAdministratorRandomPassword(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	n := serve(t, inFolder(folder))
	shown := firstSignIn.FindAllStringSubmatch(n.out.String(), -1)
	if len(shown) != 1 {
		t.Fatalf("it prints\n%s", n.out)
	}
	password := shown[0][1]
	if strings.Contains(n.log.String(), password) {
		t.Error("the password is in the log")
	}
	s := n.login(t, "admin", password)
	if !s.MustChangePassword {
		t.Error("it need not be changed")
	}
	if a := n.call(t, http.MethodGet, "/admin/api/v1/role/list", s.AccessToken, ""); a.code != "PASSWORD_CHANGE_REQUIRED" {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	change := fmt.Sprintf(`{"currentPassword":%q,"newPassword":%q}`, password, adminPassword)
	if a := n.call(t, http.MethodPost, "/admin/api/v1.0/auth/change-password", s.AccessToken,
		change); a.status != http.StatusOK {
		t.Fatalf("it cannot be changed: %s", a.body)
	}
	if a := n.call(t, http.MethodGet, "/admin/api/v1/role/list", s.AccessToken, ""); a.status != http.StatusOK {
		t.Errorf("the administrator cannot work after that: %s", a.body)
	}
	n.stop()

	n = serve(t, inFolder(folder))
	if n.out.String() != "" {
		t.Errorf("the second start prints\n%s", n.out)
	}
	if s := n.login(t, "admin", adminPassword); s.MustChangePassword {
		t.Error("after a restart it must be changed again")
	}
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "data")
	n := serve(t, inFolder(folder, "NADMOR_ADMIN_PASSWORD="+adminPassword))
	path := filepath.Join(folder, "secret")
	made, err := os.ReadFile(path)
	if err != nil || len(strings.TrimSpace(string(made))) < 32 {
		t.Fatalf("the key is %q, %v", made, err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, folder: 0o700 | os.ModeDir} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
	if strings.Contains(n.out.String()+n.log.String(), strings.TrimSpace(string(made))) {
		t.Error("the key is shown")
	}
	token := n.login(t, "admin", adminPassword).AccessToken
	n.stop()

	n = serve(t, inFolder(folder))
	if a := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", token, ""); a.status != http.StatusOK {
		t.Errorf("a restart ends sessions: %s", a.body)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, made) {
		t.Errorf("the key was generated again, %v", err)
	}
	n.stop()

	// A configured key takes precedence, and the file is not changed.
	n = serve(t, inFolder(folder, "NADMOR_SECRET="+secret))
	if a := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", token, ""); a.code != "UNAUTHENTICATED" {
		t.Errorf("a token of another key is answered with %s", a.body)
	}
}

func TestConfiguredSecretIsNotStored(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	serve(t, inFolder(folder, "NADMOR_SECRET="+secret))
	if _, err := os.Stat(filepath.Join(folder, "secret")); !os.IsNotExist(err) {
		t.Errorf("there is a key file: %v", err)
	}
}

// All parts of a command use the same clock.
func TestSessionExpiresByServerClock(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	n := serveAt(t, clock.Now, inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword))
	token := n.login(t, "admin", adminPassword).AccessToken
	clock.Advance(12*time.Hour - time.Second)
	if a := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", token, ""); a.status != http.StatusOK {
		t.Errorf("a second before its end: %s", a.body)
	}
	clock.Advance(time.Second)
	if a := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", token, ""); a.code != "TOKEN_EXPIRED" {
		t.Errorf("at its end: %s", a.body)
	}
}

func TestDemoPrintsAccounts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	n := serve(t, inFolder(folder), "--demo")
	people := count(t, sqliteIn(folder), `SELECT count(*) FROM users`)
	if people < 10 {
		t.Errorf("only %d people", people)
	}
	check := func(n *node) {
		t.Helper()
		if !strings.Contains(n.out.String(), "http://"+n.addr+"\n") {
			t.Errorf("the address is not shown:\n%s", n.out)
		}
		permissions := map[string]string{}
		for _, s := range demo.Accounts {
			line := regexp.MustCompile(`(?m)^ +` + s.Username + ` +` + demo.Password + ` +` + s.Role + ` +` + s.Name + `$`)
			if len(line.FindAllString(n.out.String(), -1)) != 1 {
				t.Errorf("%s is not shown, or more than once:\n%s", s.Username, n.out)
			}
			in := n.login(t, s.Username, demo.Password)
			if in.MustChangePassword || in.User.Role != s.Role || in.User.Name != s.Name {
				t.Errorf("%s signs in as %+v", s.Username, in)
			}
			list := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/permissions", in.AccessToken, "")
			if list.status != http.StatusOK {
				t.Fatalf("%s: %s", s.Username, list.body)
			}
			if other := permissions[string(list.data)]; other != "" {
				t.Errorf("%s and %s may do the same", s.Username, other)
			}
			permissions[string(list.data)] = s.Username
		}
		if len(permissions) != 6 {
			t.Errorf("%d sign-ins", len(permissions))
		}
	}
	check(n)
	n.stop()
	n = serve(t, inFolder(folder), "--demo")
	check(n)
	if again := count(t, sqliteIn(folder), `SELECT count(*) FROM users`); again != people {
		t.Errorf("the second start makes %d people of %d", again, people)
	}
}

func TestDemoHidesConfiguredPassword(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword, "NADMOR_DEMO=true"))
	if strings.Contains(n.out.String()+n.log.String(), adminPassword) {
		t.Errorf("it is shown:\n%s", n.out)
	}
	n.login(t, "admin", adminPassword)
	n.login(t, "nurse", demo.Password)
	if a := n.tryLogin(t, "admin", demo.Password); a.code != "INVALID_CREDENTIALS" {
		t.Errorf("the demo password opens the administrator's account: %s", a.body)
	}
}

// Links start with the public URL.
func TestLinksUsePublicURL(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]string{
		"its own, where none is given": "", "the given one": "https://nadmor.hospital.go.th",
		"the given one without its slash": "https://nadmor.hospital.go.th/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := serve(t, inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword, "NADMOR_PUBLIC_URL="+given))
			want := strings.TrimSuffix(given, "/")
			if given == "" {
				want = "http://" + n.addr
			}
			token := n.login(t, "admin", adminPassword).AccessToken
			var created struct{ Invitation struct{ Link string } }
			n.call(t, http.MethodPost, "/admin/api/v1.0/user-admin/create", token,
				`{"username":"malee","email":"malee@hospital.example","name":"มาลี","roleId":1,"invite":true}`).into(t, &created)
			if link := created.Invitation.Link; !strings.HasPrefix(link, want+"/reset-password#token=") {
				t.Errorf("the link is %q", link)
			}
			if strings.Contains(n.log.String(), "token=") {
				t.Errorf("the link is in the log:\n%s", n.log)
			}
		})
	}
}

var metricsAddress = regexp.MustCompile(`msg="serving metrics" address=http://([0-9.:]+)/metrics`)

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir(), "NADMOR_METRICS_ADDR=127.0.0.1:0"))
	found := metricsAddress.FindStringSubmatch(n.log.String())
	if found == nil {
		t.Fatalf("the log does not say where:\n%s", n.log)
	}
	n.call(t, http.MethodGet, "/readyz", "", "")
	metrics := &node{addr: found[1]}
	a := metrics.call(t, http.MethodGet, "/metrics", "", "")
	if a.status != http.StatusOK ||
		!strings.Contains(a.body, `nadmor_http_request_seconds_count{method="GET",route="GET /readyz",status="200"} 1`) ||
		!strings.Contains(a.body, "go_goroutines") {
		t.Errorf("status %d:\n%.2000s", a.status, a.body)
	}
	if a := metrics.call(t, http.MethodGet, "/healthz", "", ""); a.status != http.StatusNotFound {
		t.Errorf("the app is served beside the metrics: %d", a.status)
	}
	// Metrics are not served on the public address.
	if a := n.call(t, http.MethodGet, "/metrics", "", ""); strings.Contains(a.body, "nadmor_http") {
		t.Errorf("the metrics are served beside the app: %.200s", a.body)
	}
	if code := n.stop(); code != 0 {
		t.Errorf("it exits with %d", code)
	}
	if conn, err := net.Dial("tcp", metrics.addr); err == nil {
		_ = conn.Close()
		t.Error("the metrics are still served")
	}
}

func TestNoMetricsWithoutAddress(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir()))
	if strings.Contains(n.log.String(), "serving metrics") {
		t.Errorf("the log says\n%s", n.log)
	}
}

// Several nodes that start at once on an empty database agree on one schema, one key and one administrator.
func TestConcurrentStartOnEmptyDatabase(t *testing.T) {
	t.Parallel()
	t.Run("one data folder", func(t *testing.T) {
		t.Parallel()
		folder := filepath.Join(t.TempDir(), "data")
		startEight(t, sqliteIn(folder), func(int) []string { return inFolder(folder) })
	})
	t.Run("one PostgreSQL", func(t *testing.T) {
		t.Parallel()
		p, folders := storetest.EmptyPostgres(t), t.TempDir()
		startEight(t, p, func(i int) []string {
			return inFolder(filepath.Join(folders, fmt.Sprint(i)), "NADMOR_DATABASE_URL="+p.Options.URL, "NADMOR_SECRET="+secret)
		})
	})
}

func startEight(t *testing.T, p storetest.Database, environ func(i int) []string) {
	t.Helper()
	nodes := make([]*node, 8)
	var starting sync.WaitGroup
	for i := range nodes {
		starting.Go(func() { nodes[i] = start(t, nil, environ(i)) })
	}
	starting.Wait()
	var passwords []string
	for i, n := range nodes {
		if n.addr == "" {
			t.Fatalf("node %d ended with %d\n%s", i, n.code, n.log)
		}
		for _, shown := range firstSignIn.FindAllStringSubmatch(n.out.String(), -1) {
			passwords = append(passwords, shown[1])
		}
		if a := n.call(t, http.MethodGet, "/readyz", "", ""); a.status != http.StatusOK {
			t.Errorf("node %d is not ready: %s", i, a.body)
		}
		for _, level := range []string{"level=WARN", "level=ERROR"} {
			if strings.Contains(n.log.String(), level) {
				t.Errorf("node %d logs\n%s", i, n.log)
			}
		}
	}
	if len(passwords) != 1 {
		t.Fatalf("%d passwords were shown", len(passwords))
	}
	if d := cmp.Diff([]int{1, 6}, []int{
		count(t, p, `SELECT count(*) FROM users`), count(t, p, `SELECT count(*) FROM roles`),
	}); d != "" {
		t.Errorf("people and roles (-want +got):\n%s", d)
	}
	// A session is valid on all nodes.
	for i, n := range nodes {
		token, next := n.login(t, "admin", passwords[0]).AccessToken, nodes[(i+1)%len(nodes)]
		if a := next.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", token, ""); a.status != http.StatusOK {
			t.Errorf("the token of node %d at the next one: %s", i, a.body)
		}
	}
	for i, n := range nodes {
		if code := n.stop(); code != 0 {
			t.Errorf("node %d exits with %d\n%s", i, code, n.log)
		}
	}
}
