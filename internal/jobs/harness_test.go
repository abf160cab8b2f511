package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// logBuffer collects log output of all goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newRunner(t *testing.T, db *store.DB, m *Mailer) (*Runner, *logBuffer) {
	t.Helper()
	uploads, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = uploads.Close() })
	log := new(logBuffer)
	return &Runner{
		DB: db, Files: uploads, Mailer: m, Log: slog.New(slog.NewTextHandler(log, nil)),
		Link: func(token string) string { return "https://nadmor.example/reset-password#token=" + token },
	}, log
}

func drain(t *testing.T, r *Runner) {
	t.Helper()
	if err := r.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var linkToken = regexp.MustCompile(`https://nadmor\.example/reset-password#token=([A-Z2-7]{26})`)

// tokenIn returns the token of the link in a mail, which is the same in both parts.
func tokenIn(t *testing.T, m received) string {
	t.Helper()
	text, html := linkToken.FindStringSubmatch(m.Text), linkToken.FindStringSubmatch(m.HTML)
	if text == nil || html == nil || text[1] != html[1] {
		t.Fatalf("no link, or two, in\n%s\n%s", m.Text, m.HTML)
	}
	if n := strings.Count(m.HTML, html[1]); n != 2 {
		t.Errorf("the HTML part should have the link to press and to copy, it has it %d times", n)
	}
	return text[1]
}

// row is a row of the jobs table.
type row struct {
	Kind, Payload, LastError string
	Attempts, Leased         int64
	RunIn                    time.Duration // relative to now
	Done                     bool
}

// rows returns the jobs of a kind.
func rows(t *testing.T, p storetest.Database, kind string) []row {
	t.Helper()
	now := p.Clock.Now().UnixMilli()
	found, err := p.SQL(t).QueryContext(t.Context(), `SELECT kind, payload, last_error, attempts, leased_until,
		run_at, done_at IS NOT NULL FROM jobs WHERE kind = $1 ORDER BY id`, kind)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close() // Err is checked below
	var list []row
	for found.Next() {
		var r row
		var runAt int64
		if err := found.Scan(&r.Kind, &r.Payload, &r.LastError, &r.Attempts, &r.Leased, &runAt, &r.Done); err != nil {
			t.Fatal(err)
		}
		r.RunIn = time.Duration(runAt-now) * time.Millisecond
		list = append(list, r)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func oneRow(t *testing.T, p storetest.Database, kind string) row {
	t.Helper()
	list := rows(t, p, kind)
	if len(list) != 1 {
		t.Fatalf("%d jobs of kind %s", len(list), kind)
	}
	return list[0]
}

// passwordWorks reports whether a password is accepted.
func passwordWorks(t *testing.T, db *store.DB, username, password string) bool {
	t.Helper()
	c, err := db.BeginLogin(t.Context(), username, "192.0.2.9")
	if err != nil {
		t.Fatal(err)
	}
	ok, err := storetest.Hasher.Verify(t.Context(), c.PasswordHash, password)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// setPassword sets a password with a link token.
func setPassword(t *testing.T, db *store.DB, token, password string) error {
	t.Helper()
	hash, err := storetest.Hasher.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	return db.ResetPassword(t.Context(), token, hash)
}

func requestReset(t *testing.T, db *store.DB, email string) {
	t.Helper()
	if err := db.RequestReset(hospital.WithActor(t.Context(), hospital.Actor{Addr: "192.0.2.1"}), email); err != nil {
		t.Fatal(err)
	}
}

// eachWithMail runs fn on each engine with a mail server and the account somchai.
func eachWithMail(t *testing.T, fn func(t *testing.T, p storetest.Database, db *store.DB, s *sink)) {
	t.Helper()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		fn(t, p, db, s)
	})
}

// drainTogether runs several runners at once, distributed over the nodes.
func drainTogether(t *testing.T, nodes []*store.DB, runners int) {
	t.Helper()
	errs := make([]error, runners)
	var running sync.WaitGroup
	for i := range errs {
		r, _ := newRunner(t, nodes[i%len(nodes)], nil)
		running.Go(func() { errs[i] = r.drain(t.Context()) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// drain runs all due jobs.
func (r *Runner) drain(ctx context.Context) error {
	ctx = hospital.WithActor(ctx, hospital.System)
	for _, line := range []store.Queue{store.OtherQueue, store.MailQueue} {
		for {
			worked, err := r.step(ctx, line)
			if err != nil {
				return err
			}
			if !worked {
				break
			}
		}
	}
	return nil
}
