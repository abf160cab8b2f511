package jobs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// logbook keeps what is logged, for all goroutines.
type logbook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newRunner(t *testing.T, db *store.DB, m *Mailer) (*Runner, *logbook) {
	t.Helper()
	uploads, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = uploads.Close() })
	log := new(logbook)
	return &Runner{
		DB: db, Files: uploads, Mailer: m, Log: slog.New(slog.NewTextHandler(log, nil)),
		Link: func(token string) string { return "https://nadmor.example/reset-password#token=" + token },
	}, log
}

func drain(t *testing.T, r *Runner) {
	t.Helper()
	if err := r.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var linkToken = regexp.MustCompile(`https://nadmor\.example/reset-password#token=([A-Z2-7]{26})`)

// tokenIn returns the link token of a mail, the same in both its parts.
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

// row is a job as it lies in the table.
type row struct {
	Kind, Payload, LastError string
	Attempts, Leased         int64
	RunIn                    time.Duration // from now
	Done                     bool
}

// rows reads the jobs of one kind.
func rows(t *testing.T, p storetest.Place, kind string) []row {
	t.Helper()
	now := p.Clock.Now().UnixMilli()
	found, err := p.SQL(t).QueryContext(t.Context(), `SELECT kind, payload, last_error, attempts, leased_until, run_at, done_at IS NOT NULL FROM jobs WHERE kind = $1 ORDER BY id`, kind)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close() // Err tells what matters
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

func oneRow(t *testing.T, p storetest.Place, kind string) row {
	t.Helper()
	list := rows(t, p, kind)
	if len(list) != 1 {
		t.Fatalf("%d jobs of kind %s", len(list), kind)
	}
	return list[0]
}

// opens tells whether the password opens the account.
func opens(t *testing.T, db *store.DB, username, password string) bool {
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

// choose uses a link token.
func choose(t *testing.T, db *store.DB, token, password string) error {
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

func TestForgottenPasswordIsMailedOnceWithALinkThatWorksOnce(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))

		requestReset(t, db, " SomChai@Hospital.Example")
		drain(t, r)
		drain(t, r)
		mails := s.all()
		if len(mails) != 1 {
			t.Fatalf("%d mails arrived\n%s", len(mails), log)
		}
		m := mails[0]
		token := tokenIn(t, m)
		link := "https://nadmor.example/reset-password#token=" + token
		want := received{
			To: "somchai@hospital.example", From: "นัดหมอ <nadmor@hospital.example>", Subject: "ตั้งรหัสผ่านใหม่ – นัดหมอ",
			// 9:00 in Bangkok, and half an hour to use it.
			Text: "เรียน คุณคุณsomchai\n\nมีผู้ขอตั้งรหัสผ่านใหม่สำหรับบัญชี somchai ในระบบนัดหมอ\n\n" + link +
				"\n\nลิงก์นี้ใช้ได้ครั้งเดียว ภายในวันที่ 16 พ.ย. 2569 09:30 น.\nหากคุณไม่ได้เป็นผู้ขอ ไม่ต้องดำเนินการใด ๆ รหัสผ่านเดิมยังใช้ได้ตามปกติ\n\nนัดหมอ\n",
		}
		html := m.HTML
		m.HTML = ""
		if d := cmp.Diff(want, m); d != "" {
			t.Errorf("the mail (-want +got):\n%s", d)
		}
		for _, part := range []string{"เรียน คุณคุณsomchai", `href="` + link + `"`, "16 พ.ย. 2569 09:30 น.", `lang="th"`} {
			if !strings.Contains(html, part) {
				t.Errorf("the HTML part lacks %q:\n%s", part, html)
			}
		}
		if job := oneRow(t, p, store.JobMailReset); !job.Done || job.Attempts != 1 || job.Payload != "{}" {
			t.Errorf("the job is left as %+v", job)
		}

		if !opens(t, db, "somchai", storetest.Password) {
			t.Error("the old password does not work any more though nobody used the link")
		}
		if err := choose(t, db, token, "a new password"); err != nil {
			t.Fatalf("the link does not work: %v", err)
		}
		if !opens(t, db, "somchai", "a new password") || opens(t, db, "somchai", storetest.Password) {
			t.Error("the password was not changed")
		}
		if err := choose(t, db, token, "another password"); hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("the link works twice: %v", err)
		}
	})
}

func TestLinkInAMailWorksForHalfAnHour(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		token := tokenIn(t, s.next(t))
		p.Clock.Advance(30*time.Minute - time.Millisecond)
		if _, username, err := db.ResetTarget(t.Context(), token); err != nil || username != "somchai" {
			t.Errorf("a moment before its end it is for %q, %v", username, err)
		}
		p.Clock.Advance(time.Millisecond)
		if err := choose(t, db, token, "a new password"); hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("at its end it still works: %v", err)
		}
	})
}

// The page says the same to everybody; so does what comes after it.
func TestAddressesThatGetNoMail(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		gone, suspended := storetest.AddUser(t, db, "gone", "NURSE"), storetest.AddUser(t, db, "suspended", "NURSE")
		if err := db.DeleteUser(admin, gone.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := db.UpdateUser(admin, hospital.UserChange{ID: suspended.ID, Version: suspended.Version, Status: new(hospital.UserSuspended)}, ""); err != nil {
			t.Fatal(err)
		}
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		addresses := []string{"nobody@hospital.example", "gone@hospital.example", "suspended@hospital.example", "", "not an address", "somchai"}
		for _, address := range addresses {
			requestReset(t, db, address)
		}
		drain(t, r)
		if mails := s.all(); len(mails) != 0 {
			t.Errorf("mail was sent: %+v", mails)
		}
		jobs := rows(t, p, store.JobMailReset)
		if len(jobs) != len(addresses) {
			t.Errorf("%d jobs for %d requests", len(jobs), len(addresses))
		}
		for _, job := range jobs {
			if !job.Done {
				t.Errorf("a job goes on: %+v", job)
			}
		}
		if log.String() != "" {
			t.Errorf("the log tells who has an account:\n%s", log)
		}
	})
}

func TestInvitationIsMailedAndLivesOverTheWeekend(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, db)
		u, err := db.CreateUser(admin, hospital.NewUser{
			Username: "malee", Email: "malee@hospital.example", Name: "มาลี ใจงาม", RoleID: storetest.RoleID(t, db, "QUEUE"), Invite: true,
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := db.MailLink(admin, u.ID, store.JobMailInvite); err != nil {
			t.Fatal(err)
		}
		r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		drain(t, r)
		m := s.next(t)
		if m.To != "malee@hospital.example" || m.Subject != "คำเชิญเข้าใช้ระบบนัดหมอ – นัดหมอ" {
			t.Errorf("to %s: %s", m.To, m.Subject)
		}
		for _, part := range []string{"เรียน คุณมาลี ใจงาม", "ผู้ดูแลระบบได้สร้างบัญชี malee ให้คุณ", "19 พ.ย. 2569 09:00 น."} {
			if !strings.Contains(m.Text, part) || !strings.Contains(m.HTML, part) {
				t.Errorf("a part lacks %q:\n%s", part, m.Text)
			}
		}
		p.Clock.Advance(71 * time.Hour)
		if err := choose(t, db, tokenIn(t, m), "a first password"); err != nil || !opens(t, db, "malee", "a first password") {
			t.Errorf("the invitation does not work: %v", err)
		}
	})
}

// A mail server that is down for a while delays mail and loses none, whoever
// works on it when the server is back.
func TestMailWaitsForTheServerToComeBack(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		s.set(func(s *sink) { s.down = true })
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")

		for attempt, wait := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
			drain(t, r)
			job := oneRow(t, p, store.JobMailReset)
			if job.Done || job.Attempts != int64(attempt+1) || job.Leased != 0 || job.RunIn != wait || job.LastError == "" {
				t.Fatalf("after failure %d the job is %+v", attempt+1, job)
			}
			if strings.Count(log.String(), "job failed, will be tried again") != attempt+1 {
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

		// Somebody restarted us meanwhile.
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
		if err := choose(t, db, tokenIn(t, mails[0]), "a new password"); err != nil {
			t.Errorf("the link does not work: %v", err)
		}
	})
}

func TestBackoffDoublesUpToAnHour(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]time.Duration{
		-1: 5 * time.Second, 0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 9: 1280 * time.Second, 10: 2560 * time.Second,
		11: time.Hour, 12: time.Hour, 13: time.Hour, 14: time.Hour, 64: time.Hour, 1_000_000: time.Hour,
	} {
		if got := backoff(attempts); got != want {
			t.Errorf("after %d attempts it waits %v, want %v", attempts, got, want)
		}
	}
}

// Who reads the database must not be able to take accounts over: the token is
// in the mail and nowhere else.
func TestLinkTokenIsOnlyInTheMail(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		// The worst moment: the server has read the mail and refuses it.
		s.set(func(s *sink) {
			s.onData = func() error { return &smtp.SMTPError{Code: 451, Message: "greylisted, come back later"} }
		})
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		token := tokenIn(t, s.next(t))
		job := oneRow(t, p, store.JobMailReset)
		if job.Done || !strings.Contains(job.LastError, "greylisted") {
			t.Fatalf("the job is %+v", job)
		}
		for where, text := range map[string]string{"the jobs table": fmt.Sprintf("%+v", job), "the log": log.String()} {
			if strings.Contains(text, token) || strings.Contains(text, auth.HashSecret(token)) {
				t.Errorf("the token lies in %s:\n%s", where, text)
			}
		}
		var kept string
		if err := p.SQL(t).QueryRowContext(t.Context(), `SELECT token_hash FROM password_resets`).Scan(&kept); err != nil || kept != auth.HashSecret(token) {
			t.Errorf("the link is kept as %q, %v", kept, err)
		}
		page, err := db.ListAudit(t.Context(), hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 100}})
		if err != nil || strings.Contains(fmt.Sprintf("%+v", page), token) {
			t.Errorf("the token lies in the audit log: %v", err)
		}

		s.set(func(s *sink) { s.onData = nil })
		p.Clock.Advance(time.Minute)
		drain(t, r)
		second := tokenIn(t, s.next(t))
		if second == token {
			t.Error("the second mail has the token of the first")
		}
		if err := choose(t, db, token, "a new password"); err == nil {
			t.Error("the link of the mail that was refused works beside the new one")
		}
		if err := choose(t, db, second, "a new password"); err != nil {
			t.Errorf("the link does not work: %v", err)
		}
	})
}

func TestTwoNodesSendEachMailOnce(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		const n = 20
		nodes, s := []*store.DB{p.Open(t), p.Open(t)}, newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, nodes[0])
		for i := range n {
			u := storetest.AddUser(t, nodes[0], fmt.Sprintf("user%02d", i), "NURSE")
			if err := nodes[i%2].MailLink(admin, u.ID, store.JobMailReset); err != nil {
				t.Fatal(err)
			}
		}
		// Not stopped while they work: a node that is stopped while it waits for
		// the server's answer hangs up after a few seconds, and has to send again.
		var running sync.WaitGroup
		for _, db := range nodes {
			r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
			running.Go(func() {
				if err := r.Drain(t.Context()); err != nil {
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

// Without a mail server an administrator has to hand a link over, and must see
// that somebody waits for one.
func TestWithoutAMailServerTheAdministratorSeesWhoAsked(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		storetest.SetUp(t, db)
		asked, other := storetest.AddUser(t, db, "somchai", "NURSE"), storetest.AddUser(t, db, "malee", "NURSE")
		r, log := newRunner(t, db, nil)
		requestReset(t, db, "nobody@hospital.example")
		drain(t, r)
		if log.String() != "" {
			t.Errorf("the log tells of somebody who has no account:\n%s", log)
		}
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		for id, want := range map[int64]*time.Time{asked.ID: new(p.Clock.Now().UTC()), other.ID: nil} {
			u, err := db.User(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, u.ResetRequestedAt); d != "" {
				t.Errorf("%s asked at (-want +got):\n%s", u.Username, d)
			}
		}
		if want := fmt.Sprintf("user_id=%d", asked.ID); strings.Count(log.String(), "no mail was sent") != 1 || !strings.Contains(log.String(), want) {
			t.Errorf("the log says\n%s", log)
		}
		if strings.Contains(log.String(), "hospital.example") {
			t.Errorf("the log shows the address:\n%s", log)
		}
		for _, job := range rows(t, p, store.JobMailReset) {
			if !job.Done {
				t.Errorf("a job goes on: %+v", job)
			}
		}
	})
}

// stuckServer speaks SMTP up to a command and then says nothing more. It tells
// when somebody is stuck.
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

// Told to stop, a node hands back what it could not finish, at once: the next
// one need not wait for the lease, and the failed try does not count.
func TestJobInHandIsHandedBackWhenStopping(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"before the greeting": "", "at the hello": "EHLO", "at the recipient": "RCPT", "at the end of the mail": "."} {
		t.Run("a server that hangs "+name, func(t *testing.T) {
			t.Parallel()
			storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
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
				if job := oneRow(t, p, store.JobMailReset); job.Attempts != 1 || job.Leased != p.Clock.Now().Add(lease).UnixMilli() {
					t.Errorf("while it is worked on the job is %+v", job)
				}
				stop()
				select {
				case <-ended:
				case <-time.After(15 * time.Second): // less than the conversation may take
					t.Error("it does not stop while the mail server hangs")
					<-ended
				}
				if job := oneRow(t, p, store.JobMailReset); job.Done || job.Attempts != 0 || job.Leased != 0 || job.RunIn > 0 || job.LastError != "" {
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

// A mail that is on its way when we are told to stop is finished: it is neither
// lost nor sent twice.
func TestMailOnItsWayIsFinishedWhenStopping(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
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

// Should a node die without a word, its job is taken over when the lease ends.
func TestJobOfADeadNodeIsTakenOver(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		requestReset(t, db, "somchai@hospital.example")
		if _, ok, err := db.ClaimJob(t.Context(), lease, store.AnyLine); !ok || err != nil {
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

// A server that took the mail and broke the connection has the mail.
func TestMailThatWasTakenIsNotSentAgain(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
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

// One job that cannot be done does not keep the others from being done.
func TestOneBadJobDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		if err := errors.Join(db.Enqueue(t.Context(), "no.such.kind", struct{}{}, ""), db.Enqueue(t.Context(), store.JobMailInvite, []int{1}, "")); err != nil {
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

// What can never succeed ends after some attempts, what might after some days;
// the row and the log say why.
func TestJobsThatDoNotSucceedAreGivenUp(t *testing.T) {
	t.Parallel()
	refused, later := &smtp.SMTPError{Code: 550, Message: "no such user"}, &smtp.SMTPError{Code: 451, Message: "come back later"}
	for _, c := range []struct {
		name, kind string
		answer     *smtp.SMTPError
		attempts   int64
		after      time.Duration
	}{
		{"a kind nobody knows", "no.such.kind", nil, hopelessAttempts, 2555 * time.Second},
		{"an address that the mail server refuses", store.JobMailReset, refused, hopelessAttempts, 2555 * time.Second},
		// Ten attempts in the first 2555 s, then one after 2560 s and one every hour.
		{"a mail server that always says later", store.JobMailReset, later, 106, 5115*time.Second + 95*time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
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
					t.Errorf("after %v the job is %+v, want it given up at attempt %d after %v", took, job, c.attempts, c.after)
				}
				if c.answer != nil && !strings.Contains(job.LastError, c.answer.Message) || job.LastError == "" {
					t.Errorf("the row says %q", job.LastError)
				}
				if n := strings.Count(log.String(), "job failed, given up"); n != 1 || !strings.Contains(log.String(), "level=ERROR") {
					t.Errorf("the log tells of it %d times", n)
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

func TestCleanUpIsDoneOnceADayByWhoeverComesFirst(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		storetest.SetUp(t, nodes[0])
		everybody := func() {
			t.Helper()
			errs := make([]error, 8)
			var running sync.WaitGroup
			for i := range errs {
				r, _ := newRunner(t, nodes[i%2], nil)
				running.Go(func() { errs[i] = r.Drain(t.Context()) })
			}
			running.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
		}
		var days int
		for range 3 {
			days++
			everybody()
			p.Clock.Advance(time.Hour)
			everybody()
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
		// And it cleans up: the session of the set-up is long over by now.
		p.Clock.Advance(10 * 24 * time.Hour)
		everybody()
		var sessions int
		if err := p.SQL(t).QueryRowContext(t.Context(), `SELECT count(*) FROM sessions`).Scan(&sessions); err != nil || sessions != 0 {
			t.Errorf("%d old sessions are left, %v", sessions, err)
		}
	})
}

// An idle node finds new work by itself.
func TestRunnerPicksUpWhatComesLater(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		storetest.AddUser(t, db, "malee", "NURSE")
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.Run(ctx)
		}()
		for _, who := range []string{"somchai", "malee"} {
			requestReset(t, db, who+"@hospital.example")
			if m := s.next(t); m.To != who+"@hospital.example" {
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
