package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// The tests run the commands in this process, with arguments and an environment, and check their output,
// their exit code, and the HTTP responses of the server.

var hasher = auth.NewCheapHasher()

const (
	adminPassword = "a password for tests"
	secret        = "a secret of the tests, long enough"
)

// result is the result of a command.
type result struct {
	code        int
	out, errors string
}

// run runs a command to its end.
func run(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	var out, errs commandtest.Output
	code := command.Run(t.Context(), command.Env{
		Args: args, Environ: environ, Stdout: &out, Stderr: &errs, Version: "v1-test", Hasher: hasher,
	})
	return result{code, out.String(), errs.String()}
}

// mustRun runs a command that must succeed and returns its output.
func mustRun(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	r := run(t, environ, args...)
	if r.code != 0 {
		t.Fatalf("nadmor %s exits with %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.errors)
	}
	return r.out
}

// node is a running server.
type node struct {
	addr     string
	out, log *commandtest.Output
	cancel   context.CancelFunc
	done     chan struct{}
	code     int
}

// serve starts a server and waits until it listens.
func serve(t *testing.T, environ []string, args ...string) *node {
	t.Helper()
	return serveAt(t, nil, environ, args...)
}

// serveAt starts a server with another clock.
func serveAt(t *testing.T, now func() time.Time, environ []string, args ...string) *node {
	t.Helper()
	n := start(t, now, environ, args...)
	if n.addr == "" {
		t.Fatalf("the server ended with %d before it listened\n%s%s", n.code, n.out, n.log)
	}
	return n
}

// start is serve for tests in which the start may fail: addr is empty then.
func start(t *testing.T, now func() time.Time, environ []string, args ...string) *node {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n := &node{out: new(commandtest.Output), log: new(commandtest.Output), cancel: cancel, done: make(chan struct{})}
	ready := make(chan string, 1)
	go func() {
		defer close(n.done)
		n.code = command.Run(ctx, command.Env{
			Args: append([]string{"serve"}, args...), Environ: append([]string{"NADMOR_ADDR=127.0.0.1:0"}, environ...),
			Stdout: n.out, Stderr: n.log, Version: "v1-test", Now: now, Hasher: hasher,
			Ready: func(addr string) { ready <- addr },
		})
	}()
	t.Cleanup(func() { n.stop() })
	select {
	case n.addr = <-ready:
	case <-n.done:
	}
	return n
}

// stop stops the server as a signal does and returns its exit code.
func (n *node) stop() int {
	n.cancel()
	<-n.done
	return n.code
}

// answer is a response of the server.
type answer struct {
	status int
	header http.Header
	body   string
	data   json.RawMessage
	code   string // error code
}

func (n *node) call(t *testing.T, method, path, token, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+n.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	// A new connection each time, so that none is open when the server stops.
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() // read to its end below
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(b)}
	var envelope struct {
		Data  json.RawMessage
		Error struct{ Code string }
	}
	if json.Unmarshal(b, &envelope) == nil {
		a.data, a.code = envelope.Data, envelope.Error.Code
	}
	return a
}

// into decodes the data of a successful response.
func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	if err := json.Unmarshal(a.data, v); err != nil {
		t.Fatal(err)
	}
}

// signedIn is the response of a sign-in.
type signedIn struct {
	AccessToken        string
	MustChangePassword bool
	User               struct{ Name, Username, Role string }
}

func (n *node) tryLogin(t *testing.T, username, password string) answer {
	t.Helper()
	return n.call(t, http.MethodPost, "/admin/api/v1.0/auth/login", "",
		fmt.Sprintf(`{"username":%q,"password":%q}`, username, password))
}

func (n *node) login(t *testing.T, username, password string) signedIn {
	t.Helper()
	var s signedIn
	n.tryLogin(t, username, password).into(t, &s)
	return s
}

// inFolder returns the environment of an installation in a folder.
func inFolder(folder string, more ...string) []string {
	return append([]string{"NADMOR_DATA=" + folder}, more...)
}

// sqliteIn returns the database in a data folder.
func sqliteIn(folder string) storetest.Database {
	return storetest.Database{Engine: "sqlite", Options: store.Options{DataDir: folder}, Clock: storetest.NewClock()}
}

// count runs a query that returns one number.
func count(t *testing.T, p storetest.Database, query string) int {
	t.Helper()
	var n int
	if err := p.SQL(t).QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// emptyPlace returns the environment of an empty installation.
func emptyPlace(t *testing.T, engine string, more ...string) []string {
	t.Helper()
	environ := inFolder(filepath.Join(t.TempDir(), "data"), more...)
	if engine == "postgres" {
		environ = append(environ, "NADMOR_DATABASE_URL="+storetest.EmptyPostgres(t).Options.URL)
	}
	return environ
}

// valueOf returns a variable of an environment.
func valueOf(environ []string, name string) string {
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// openPlace opens the database of an installation while its server runs.
func openPlace(t *testing.T, environ []string) *store.DB {
	t.Helper()
	key := valueOf(environ, "NADMOR_SECRET")
	if key == "" {
		b, err := os.ReadFile(filepath.Join(valueOf(environ, "NADMOR_DATA"), "secret"))
		if err != nil {
			t.Fatal(err)
		}
		key = strings.TrimSpace(string(b))
	}
	db, err := store.Open(t.Context(), store.Options{
		URL: valueOf(environ, "NADMOR_DATABASE_URL"), DataDir: valueOf(environ, "NADMOR_DATA"),
		AuditKey: auth.DeriveKey(key, "audit"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// leftFiles returns the files of a data folder, except locks.
func leftFiles(t *testing.T, environ []string) (list []string) {
	t.Helper()
	root := valueOf(environ, "NADMOR_DATA")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && d.Name() != "migrate.lock" {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
