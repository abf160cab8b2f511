package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Mail is delayed but not lost while the mail server is down, even if another node sends it.
func TestMailIsRetried(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		s.set(func(s *sink) { s.down = true })
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")

		for attempt, wait := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
			drain(t, r)
			job := oneRow(t, p, store.JobMailReset)
			if job.Done || job.Attempts != int64(attempt+1) || job.Leased != 0 || job.RunIn != wait || job.LastError == "" {
				t.Fatalf("after failure %d the job is %+v", attempt+1, job)
			}
			if strings.Count(log.String(), "job failed, will be retried") != attempt+1 {
				t.Errorf("failure %d is not in the log:\n%s", attempt+1, log)
			}
			p.Clock.Advance(wait - time.Millisecond)
			drain(t, r)
			if job := oneRow(t, p, store.JobMailReset); job.Attempts != int64(attempt+1) {
				t.Fatalf("it was tried again before its time: %+v", job)
			}
			p.Clock.Advance(time.Millisecond)
		}
		s.set(func(s *sink) { s.down = false })
		if mails := s.all(); len(mails) != 0 {
			t.Fatalf("%d mails came from a server that is down", len(mails))
		}

		// The server was restarted meanwhile.
		again, _ := newRunner(t, p.Open(t), s.mailer(t, "smtp", "", ""))
		drain(t, again)
		drain(t, r)
		mails := s.all()
		if len(mails) != 1 {
			t.Fatalf("%d mails arrived", len(mails))
		}
		if job := oneRow(t, p, store.JobMailReset); !job.Done || job.Attempts != 4 || job.LastError != "" {
			t.Errorf("the job is left as %+v", job)
		}
		if err := setPassword(t, db, tokenIn(t, mails[0]), "a new password"); err != nil {
			t.Errorf("the link does not work: %v", err)
		}
	})
}

// A panic in a job fails the job, not the process. The job is retried like after any other
// failure.
func TestPanicFailsJob(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		link := r.Link
		r.Link = func(string) string { panic("a test panic") }
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		job := oneRow(t, p, store.JobMailReset)
		if job.Done || job.Attempts != 1 || job.Leased != 0 || !strings.Contains(job.LastError, "a test panic") {
			t.Fatalf("job is %+v", job)
		}
		if text := log.String(); !strings.Contains(text, "a test panic") || !strings.Contains(text, "mailLink") {
			t.Errorf("no stack trace in the log:\n%s", text)
		}
		r.Link = link
		p.Clock.Advance(time.Hour)
		drain(t, r)
		if mails := s.all(); len(mails) != 1 || !oneRow(t, p, store.JobMailReset).Done {
			t.Errorf("%d mails", len(mails))
		}
	})
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]time.Duration{
		-1: 5 * time.Second, 0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second,
		9: 1280 * time.Second, 10: 2560 * time.Second,
		11: time.Hour, 12: time.Hour, 13: time.Hour, 14: time.Hour, 64: time.Hour, 1_000_000: time.Hour,
	} {
		if got := backoff(attempts); got != want {
			t.Errorf("after %d attempts it waits %v, want %v", attempts, got, want)
		}
	}
}

func TestTwoNodesSendEachMailOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		const n = 20
		nodes, s := []*store.DB{p.Open(t), p.Open(t)}, newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, nodes[0])
		for i := range n {
			u := storetest.AddUser(t, nodes[0], fmt.Sprintf("user%02d", i), "NURSE")
			if _, err := nodes[i%2].SendLink(admin, u.ID, store.JobMailReset, true); err != nil {
				t.Fatal(err)
			}
		}
		// Not stopped meanwhile: a node that stops while it waits for the mail server disconnects after a few
		// seconds and has to send again.
		var running sync.WaitGroup
		for _, db := range nodes {
			r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
			running.Go(func() {
				if err := r.drain(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		got := map[string]int{}
		for _, m := range s.all() {
			got[m.To]++
		}
		want := map[string]int{}
		for i := range n {
			want[fmt.Sprintf("user%02d@hospital.example", i)] = 1
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("mails (-want +got):\n%s", d)
		}
		for _, job := range rows(t, p, store.JobMailReset) {
			if !job.Done || job.Attempts != 1 {
				t.Errorf("a job is left as %+v", job)
			}
		}
	})
}

// stuckServer speaks SMTP up to a command and then stops answering. stuck receives a value then.
func stuckServer(t *testing.T, at string) (addr string, stuck <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	signal := make(chan struct{}, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				lines := bufio.NewScanner(conn)
				answer := func(text string) { _, _ = conn.Write([]byte(text + "\r\n")) }
				if at == "" {
					signal <- struct{}{}
				} else {
					answer("220 ready")
				}
				for data := false; lines.Scan(); {
					command, _, _ := strings.Cut(lines.Text(), " ")
					switch {
					case at == "":
					case data && lines.Text() != ".":
					case command == at:
						signal <- struct{}{}
					case command == "DATA":
						data = true
						answer("354 go on")
					default:
						answer("250 ok")
					}
				}
			}()
		}
	}()
	return listener.Addr().String(), signal
}

// A node that stops releases its unfinished jobs at once: the next node need not wait for the lease, and the
// attempt does not count.
func TestStopReleasesJob(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{
		"before the greeting": "", "at the hello": "EHLO", "at the recipient": "RCPT", "at the end of the mail": ".",
	} {
		t.Run("a server that hangs "+name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
				db := p.Open(t)
				storetest.SetUp(t, db)
				storetest.AddUser(t, db, "somchai", "NURSE")
				addr, stuck := stuckServer(t, at)
				m, err := NewMailer("smtp://" + addr)
				if err != nil {
					t.Fatal(err)
				}
				m.grace = time.Millisecond
				r, log := newRunner(t, db, m)
				requestReset(t, db, "somchai@hospital.example")
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					r.Run(ctx)
				}()
				<-stuck
				if job := oneRow(t, p, store.JobMailReset); job.Attempts != 1 ||
					job.Leased != p.Clock.Now().Add(lease).UnixMilli() {
					t.Errorf("while it is worked on the job is %+v", job)
				}
				stop()
				select {
				case <-ended:
				case <-time.After(15 * time.Second): // less than the timeout of the connection
					t.Error("it does not stop while the mail server hangs")
					<-ended
				}
				if job := oneRow(t, p, store.JobMailReset); job.Done || job.Attempts != 0 || job.Leased != 0 || job.RunIn > 0 ||
					job.LastError != "" {
					t.Errorf("the job is left as %+v", job)
				}
				if strings.Contains(log.String(), "failed") {
					t.Errorf("stopping is called a failure:\n%s", log)
				}
				s := newSink(t, sinkOptions{})
				next, _ := newRunner(t, p.Open(t), s.mailer(t, "smtp", "", ""))
				drain(t, next)
				if mails := s.all(); len(mails) != 1 {
					t.Errorf("the next node sent %d mails", len(mails))
				}
			})
		})
	}
}

// A mail that is being sent when the node stops is finished, neither lost nor sent twice.
func TestStopFinishesMail(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		stopped := make(chan struct{})
		s.set(func(s *sink) {
			s.onData = func() error {
				<-stopped
				return nil
			}
		})
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(ctx)
		}()
		s.next(t)
		stop()
		close(stopped)
		<-ended
		if job := oneRow(t, p, store.JobMailReset); !job.Done || job.Attempts != 1 {
			t.Errorf("the job is left as %+v\n%s", job, log)
		}
	})
}

// The job of a crashed node is taken over when the lease ends.
func TestJobOfCrashedNodeIsTakenOver(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		requestReset(t, db, "somchai@hospital.example")
		if _, ok, err := db.ClaimJob(t.Context(), lease, store.MailQueue); !ok || err != nil {
			t.Fatalf("no job to die with: %v", err)
		}
		r, _ := newRunner(t, p.Open(t), s.mailer(t, "smtp", "", ""))
		p.Clock.Advance(lease - time.Millisecond)
		drain(t, r)
		if mails := s.all(); len(mails) != 0 {
			t.Fatal("the job was taken from a node that may be alive")
		}
		p.Clock.Advance(time.Millisecond)
		drain(t, r)
		if mails := s.all(); len(mails) != 1 {
			t.Errorf("%d mails arrived", len(mails))
		}
	})
}

// A mail is delivered if the server accepted it and then closed the connection.
func TestAcceptedMailIsNotSentAgain(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		s.set(func(s *sink) { s.hangUp = true })
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		p.Clock.Advance(time.Hour)
		drain(t, r)
		if mails := s.all(); len(mails) != 1 {
			t.Errorf("%d mails arrived\n%s", len(mails), log)
		}
		if job := oneRow(t, p, store.JobMailReset); !job.Done {
			t.Errorf("the job is left as %+v", job)
		}
	})
}

// A failing job does not block the others.
func TestFailingJobDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		if err := errors.Join(db.Enqueue(t.Context(), "no.such.kind", struct{}{}, ""),
			db.Enqueue(t.Context(), store.JobMailInvite, []int{1}, "")); err != nil {
			t.Fatal(err)
		}
		requestReset(t, db, "somchai@hospital.example")
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		drain(t, r)
		if mails := s.all(); len(mails) != 1 {
			t.Errorf("%d mails arrived\n%s", len(mails), log)
		}
		for _, kind := range []string{"no.such.kind", store.JobMailInvite} {
			if job := oneRow(t, p, kind); job.Done || job.Attempts != 1 || job.LastError == "" {
				t.Errorf("the bad job is left as %+v", job)
			}
		}
	})
}

// Jobs with permanent errors are abandoned after some attempts, others after some days. The row and the log
// contain the reason.
func TestFailingJobsAreAbandoned(t *testing.T) {
	t.Parallel()
	permanent, later := &smtpError{550, "no such user"}, &smtpError{451, "come back later"}
	for _, c := range []struct {
		name, kind string
		answer     *smtpError
		attempts   int64
		after      time.Duration
	}{
		{"a kind nobody knows", "no.such.kind", nil, permanentAttempts, 2555 * time.Second},
		{"an address that the mail server refuses", store.JobMailReset, permanent, permanentAttempts, 2555 * time.Second},
		// Ten attempts in the first 2555 s, then one after 2560 s and one every hour.
		{"a mail server that always says later", store.JobMailReset, later, 106, 5115*time.Second + 95*time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
				db, s := p.Open(t), newSink(t, sinkOptions{})
				storetest.SetUp(t, db)
				u := storetest.AddUser(t, db, "somchai", "NURSE")
				if c.answer != nil {
					s.set(func(s *sink) { s.onRcpt = func() error { return c.answer } })
				}
				r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
				if err := db.Enqueue(t.Context(), c.kind, store.MailLink{UserID: u.ID}, ""); err != nil {
					t.Fatal(err)
				}
				began := p.Clock.Now()
				for range 1000 {
					drain(t, r)
					job := oneRow(t, p, c.kind)
					if job.Done {
						break
					}
					p.Clock.Advance(job.RunIn)
				}
				job := oneRow(t, p, c.kind)
				if took := p.Clock.Now().Sub(began); !job.Done || job.Attempts != c.attempts || took != c.after {
					t.Errorf("after %v the job is %+v, want it abandoned at attempt %d after %v", took, job, c.attempts, c.after)
				}
				if c.answer != nil && !strings.Contains(job.LastError, c.answer.message) || job.LastError == "" {
					t.Errorf("the row says %q", job.LastError)
				}
				if job.Payload != "{}" {
					t.Errorf("what it was about is kept though nobody tries it again: %s", job.Payload)
				}
				waits, err := db.User(t.Context(), u.ID)
				if err != nil || (waits.ResetRequestedAt != nil) != (c.answer != nil) {
					t.Errorf("the administrator sees a user waiting for a link: %v, %v", waits.ResetRequestedAt, err)
				}
				if strings.Contains(log.String()+job.LastError, u.Email) {
					t.Errorf("the address is shown: %q", job.LastError)
				}
				if n := strings.Count(log.String(), "job failed, abandoned"); n != 1 ||
					!strings.Contains(log.String(), "level=ERROR") {
					t.Errorf("it is logged %d times", n)
				}
				p.Clock.Advance(time.Hour)
				drain(t, r)
				if again := oneRow(t, p, c.kind); again.Attempts != c.attempts {
					t.Errorf("it was tried again: %+v", again)
				}
			})
		})
	}
}

// A user who has signed in since does not wait for the link any more.
func TestUnsentLinkIgnoredAfterSignIn(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		s.set(func(s *sink) { s.down = true })
		r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")
		p.Clock.Advance(time.Hour)
		storetest.ActAs(t, db, "somchai")
		p.Clock.Advance(maxRetryTime)
		drain(t, r)
		if job := oneRow(t, p, store.JobMailReset); !job.Done || job.Payload != "{}" {
			t.Fatalf("the job is left as %+v", job)
		}
		if u, err := db.UserByEmail(t.Context(), "somchai@hospital.example"); err != nil || u.ResetRequestedAt != nil {
			t.Errorf("the administrator sees a user who has signed in: %v, %v", u.ResetRequestedAt, err)
		}
	})
}

func TestCleanUpRunsOnceADayOnOneNode(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		storetest.SetUp(t, nodes[0])
		runAll := func() { t.Helper(); drainTogether(t, nodes, 8) }
		var days int
		for range 3 {
			days++
			runAll()
			p.Clock.Advance(time.Hour)
			runAll()
			jobs := rows(t, p, store.JobCleanUp)
			if len(jobs) != days {
				t.Fatalf("on day %d there are %d jobs", days, len(jobs))
			}
			for _, job := range jobs {
				if !job.Done || job.Attempts != 1 {
					t.Errorf("on day %d a job is left as %+v", days, job)
				}
			}
			p.Clock.Advance(23 * time.Hour)
		}
		// The clean-up deletes the expired session of the set-up.
		p.Clock.Advance(10 * 24 * time.Hour)
		runAll()
		var sessions int
		if err := p.SQL(t).QueryRowContext(t.Context(), `SELECT count(*) FROM sessions`).Scan(&sessions); err != nil ||
			sessions != 0 {
			t.Errorf("%d old sessions are left, %v", sessions, err)
		}
	})
}

// An idle node finds new jobs by itself.
func TestRunnerFindsLaterJobs(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, _ storetest.Database, db *store.DB, s *sink) {
		storetest.AddUser(t, db, "malee", "NURSE")
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(ctx)
		}()
		for _, username := range []string{"somchai", "malee"} {
			requestReset(t, db, username+"@hospital.example")
			if m := s.next(t); m.To != username+"@hospital.example" {
				t.Errorf("the mail is for %s", m.To)
			}
		}
		stop()
		<-ended
		if log.String() != "" {
			t.Errorf("the log says\n%s", log)
		}
	})
}
