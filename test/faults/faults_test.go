package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/test/product"
)

// The short forms of the faults.

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nadmor-faults-")
	if err != nil {
		panic(err)
	}
	build = sync.OnceValues(func() (string, error) { return product.Build(context.Background(), dir) })
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var build func() (string, error)

// built returns the product, built once.
func built(t *testing.T) (out printer, binary string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the whole product")
	}
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return func(line string) { t.Log(line) }, binary
}

func TestKilledServerLosesNothing(t *testing.T) {
	out, binary := built(t)
	t.Run("sqlite", func(t *testing.T) {
		if err := crash(t.Context(), out, product.Storage{Dir: filepath.Join(t.TempDir(), "data")}, binary, 10); err != nil {
			t.Error(err)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		server := os.Getenv("NADMOR_TEST_POSTGRES")
		if server == "" {
			t.Skip("no PostgreSQL: run through scripts/with-postgres")
		}
		url, err := product.NewDatabase(t.Context(), server, "nadmor_faults_test")
		if err != nil {
			t.Fatal(err)
		}
		if err := crash(t.Context(), out, product.Storage{Dir: filepath.Join(t.TempDir(), "data"), URL: url}, binary,
			10); err != nil {
			t.Error(err)
		}
	})
}

func TestKilledPostgresLosesNothing(t *testing.T) {
	out, binary := built(t)
	if err := restart(t.Context(), out, t.TempDir(), binary, 1); err != nil {
		t.Error(err)
	}
}

func TestDisturbedNetwork(t *testing.T) {
	out, binary := built(t)
	if err := network(t.Context(), out, t.TempDir(), binary, true); err != nil {
		t.Error(err)
	}
}

// lonely is a node on a PostgreSQL whose standby does not exist: commits wait forever.
type lonely struct {
	*nodes
	t      *testing.T
	server *postgres
	db     *sql.DB
}

func newLonely(t *testing.T) *lonely {
	t.Helper()
	_, binary := built(t)
	p, err := newPostgres(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.end(nil); err != nil {
			t.Error(err)
		}
	})
	url, err := product.NewDatabase(t.Context(), p.url(), "nadmor")
	if err != nil {
		t.Fatal(err)
	}
	n, err := startNodes(context.WithoutCancel(t.Context()), binary,
		product.Storage{Dir: filepath.Join(t.TempDir(), "data"), URL: url}, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.stop(nil); err != nil {
			t.Error(err)
		}
	})
	db, err := n.storage.SQL()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l := &lonely{n, t, p, db}
	l.book("first").want(http.StatusOK) // reserves numbers for the next bookings
	l.standby("nobody")
	return l
}

// standby sets the name of the synchronous standby, empty for none.
func (l *lonely) standby(name string) {
	l.t.Helper()
	if err := l.server.exec(l.t.Context(), fmt.Sprintf(`ALTER SYSTEM SET synchronous_standby_names = '%s'`, name),
		`SELECT pg_reload_conf()`); err != nil {
		l.t.Fatal(err)
	}
	if err := eventually(l.t.Context(), "settings are read", 10*time.Second, func() bool {
		var now string
		return l.db.QueryRowContext(l.t.Context(), `SHOW synchronous_standby_names`).Scan(&now) == nil && now == name
	}); err != nil {
		l.t.Fatal(err)
	}
	// The checkpointer reads its settings before it runs the checkpoint, and decides whether commits wait.
	if err := l.server.exec(l.t.Context(), `CHECKPOINT`); err != nil {
		l.t.Fatal(err)
	}
}

// whenWaiting calls a function of PostgreSQL on the process that waits for the standby.
func (l *lonely) whenWaiting(function string) {
	l.t.Helper()
	if err := eventually(l.t.Context(), "a commit waits", 10*time.Second, func() bool {
		var done bool
		err := l.db.QueryRowContext(l.t.Context(),
			`SELECT `+function+`(pid) IS NOT NULL FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).Scan(&done)
		return err == nil && done
	}); err != nil {
		l.t.Fatal(err)
	}
}

type bookAnswer struct {
	product.Answer
	t   *testing.T
	err error
}

// book books a seat. The key determines seat and patient.
func (l *lonely) book(key string) bookAnswer {
	patient, start := 1+len(key), fmt.Sprintf("%02d:00", 8+len(key)%8)
	body := fmt.Sprintf(`{"patientId":%d,"serviceId":%d,"date":%q,"startTime":%q,"reason":"fault-%s","kind":"FOLLOW_UP"}`,
		patient, l.clinic.ServiceID, l.clinic.First.Format(time.DateOnly), start, key)
	answer, err := l.clients[0].Send(l.t.Context(), http.MethodPost, "/admin/api/v1/appointment/create",
		strings.NewReader(body),
		product.Header{Name: "Content-Type", Value: "application/json"}, product.Header{Name: "Idempotency-Key", Value: key})
	return bookAnswer{answer, l.t, err}
}

func (a bookAnswer) want(status int) {
	a.t.Helper()
	if a.err != nil || a.Status != status ||
		(status == http.StatusServiceUnavailable) != (a.Header.Get("Retry-After") != "") {
		a.t.Errorf("%v, %d, Retry-After %q, want %d: %s", a.err, a.Status, a.Header.Get("Retry-After"), status, a.Body)
	}
}

// PostgreSQL reports success with a warning for a commit whose wait for the standby was cancelled. The
// product must not report a success that a failover may undo, not even to a retry that finds the row.
func TestCancelledStandbyWaitIsAnError(t *testing.T) {
	l := newLonely(t)
	for key, function := range map[string]string{"cancelled": "pg_cancel_backend", "terminated": "pg_terminate_backend"} {
		for range 2 {
			done := make(chan bookAnswer, 1)
			go func() { done <- l.book(key) }()
			l.whenWaiting(function)
			(<-done).want(http.StatusServiceUnavailable)
			if found, err := l.storage.Ints(t.Context(),
				`SELECT id FROM appointments WHERE reason = 'fault-`+key+`'`); err != nil || len(found) != 1 {
				t.Fatalf("%s: %v, %v: nothing was tried", key, found, err)
			}
		}
	}
	l.leave()
	l.standby("")
	for _, key := range []string{"cancelled", "terminated"} {
		first := l.book(key)
		first.want(http.StatusOK)
		again := l.book(key)
		again.want(http.StatusOK)
		found, err := l.storage.Ints(t.Context(), `SELECT id FROM appointments WHERE reason = 'fault-`+key+`'`)
		if err != nil || len(found) != 1 || !bytes.Equal(first.Body, again.Body) {
			t.Errorf("%s: %v, %v; %s and then %s", key, found, err, first.Body, again.Body)
		}
	}
	l.book("another one").want(http.StatusOK) // with an unused number
	if err := l.check(t.Context()); err != nil {
		t.Error(err)
	}
}

// leave checks that a client that disconnects or times out during the wait gets no success either.
func (l *lonely) leave() {
	l.t.Helper()
	db, err := store.Open(l.t.Context(), store.Options{URL: l.storage.URL, AuditKey: []byte("a key")})
	if err != nil {
		l.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // everything was looked at
	short, cancel := context.WithTimeout(l.t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := db.Enqueue(short, store.JobCleanUp, struct{}{},
		"out of time"); hospital.CodeOf(err) != hospital.Unavailable {
		l.t.Errorf("out of time: %v", err)
	}
	leaving, leave := context.WithCancel(l.t.Context())
	done := make(chan error, 1)
	go func() { done <- db.Enqueue(leaving, store.JobCleanUp, struct{}{}, "left") }()
	l.whenWaiting("abs") // which has no effect
	leave()
	if err := <-done; hospital.CodeOf(err) != hospital.Unavailable && !errors.Is(err, context.Canceled) {
		l.t.Errorf("left: %v", err)
	}
}
