package jobs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestResetMailAndLinkWorkOnce(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
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
			// 9:00 in Bangkok, valid for half an hour.
			Text: "เรียน คุณคุณsomchai\n\nมีผู้ขอตั้งรหัสผ่านใหม่สำหรับบัญชี somchai ในระบบนัดหมอ\n\n" + link +
				"\n\nลิงก์นี้ใช้ได้ครั้งเดียว จนถึงวันที่ 16 พ.ย. 2569 09:30 น.\nหากท่านไม่ได้เป็นผู้ขอ ไม่ต้องทำสิ่งใด " +
				"รหัสผ่านเดิมยังใช้ได้ตามปกติ\n\nนัดหมอ\n",
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

		if !passwordWorks(t, db, "somchai", storetest.Password) {
			t.Error("the old password does not work any more though nobody used the link")
		}
		if err := setPassword(t, db, token, "a new password"); err != nil {
			t.Fatalf("the link does not work: %v", err)
		}
		if !passwordWorks(t, db, "somchai", "a new password") || passwordWorks(t, db, "somchai", storetest.Password) {
			t.Error("the password was not changed")
		}
		if err := setPassword(t, db, token, "another password"); hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("the link works twice: %v", err)
		}
	})
}

func TestResetLinkExpires(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		requestReset(t, db, "somchai@hospital.example")
		drain(t, r)
		token := tokenIn(t, s.next(t))
		p.Clock.Advance(30*time.Minute - time.Millisecond)
		if _, username, err := db.ResetTarget(t.Context(), token); err != nil || username != "somchai" {
			t.Errorf("a moment before its end it is for %q, %v", username, err)
		}
		p.Clock.Advance(time.Millisecond)
		if err := setPassword(t, db, token, "a new password"); hospital.CodeOf(err) != hospital.ValidationFailed {
			t.Errorf("at its end it still works: %v", err)
		}
	})
}

// The response is the same for all addresses, and so is what follows.
func TestNoMailForUnknownAddress(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "somchai", "NURSE")
		deleted, suspended := storetest.AddUser(t, db, "gone", "NURSE"), storetest.AddUser(t, db, "suspended", "NURSE")
		if err := db.DeleteUser(admin, deleted.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := db.UpdateUser(admin,
			hospital.UserChange{ID: suspended.ID, Version: suspended.Version, Status: new(hospital.UserSuspended)},
			""); err != nil {
			t.Fatal(err)
		}
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		addresses := []string{
			"nobody@hospital.example", "gone@hospital.example", "suspended@hospital.example", "", "not an address", "somchai",
		}
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
				t.Errorf("a job is pending: %+v", job)
			}
		}
		if log.String() != "" {
			t.Errorf("the log reveals who has an account:\n%s", log)
		}
	})
}

func TestInvitationMail(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, s := p.Open(t), newSink(t, sinkOptions{})
		admin := storetest.SetUp(t, db)
		u, err := db.CreateUser(admin, hospital.NewUser{
			Username: "malee", Email: "malee@hospital.example", Name: "มาลี ใจงาม", RoleID: storetest.RoleID(t, db, "QUEUE"),
			Invite: true,
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.SendLink(admin, u.ID, store.JobMailInvite, true); err != nil {
			t.Fatal(err)
		}
		r, _ := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		drain(t, r)
		m := s.next(t)
		if m.To != "malee@hospital.example" || m.Subject != "คำเชิญเข้าใช้ระบบนัดหมอ – นัดหมอ" {
			t.Errorf("to %s: %s", m.To, m.Subject)
		}
		for _, part := range []string{
			"เรียน คุณมาลี ใจงาม", "ผู้ดูแลระบบได้เปิดบัญชี malee ให้ท่าน", "19 พ.ย. 2569 09:00 น.",
		} {
			if !strings.Contains(m.Text, part) || !strings.Contains(m.HTML, part) {
				t.Errorf("a part lacks %q:\n%s", part, m.Text)
			}
		}
		p.Clock.Advance(71 * time.Hour)
		if err := setPassword(t, db, tokenIn(t, m), "a first password"); err != nil ||
			!passwordWorks(t, db, "malee", "a first password") {
			t.Errorf("the invitation does not work: %v", err)
		}
	})
}

// Reading the database does not help to take over accounts: the token is only in the mail.
func TestLinkTokenIsNotStored(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, p storetest.Database, db *store.DB, s *sink) {
		r, log := newRunner(t, db, s.mailer(t, "smtp", "", ""))
		// The worst case: the server rejects the mail after reading it.
		s.set(func(s *sink) {
			s.onData = func() error { return &smtpError{451, "greylisted, come back later"} }
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
		var stored string
		if err := p.SQL(t).QueryRowContext(t.Context(), `SELECT token_hash FROM password_resets`).Scan(&stored); err != nil ||
			stored != auth.HashSecret(token) {
			t.Errorf("the link is kept as %q, %v", stored, err)
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
		if err := setPassword(t, db, token, "a new password"); err == nil {
			t.Error("the link of the mail that was refused works beside the new one")
		}
		if err := setPassword(t, db, second, "a new password"); err != nil {
			t.Errorf("the link does not work: %v", err)
		}
	})
}

// Without a mail server the administrator must see who requested a link.
func TestResetRequestWithoutMailServer(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		storetest.SetUp(t, db)
		asked, other := storetest.AddUser(t, db, "somchai", "NURSE"), storetest.AddUser(t, db, "malee", "NURSE")
		r, log := newRunner(t, db, nil)
		requestReset(t, db, "nobody@hospital.example")
		drain(t, r)
		if log.String() != "" {
			t.Errorf("the log contains an unknown address:\n%s", log)
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
		if want := fmt.Sprintf("user_id=%d", asked.ID); strings.Count(log.String(), "no mail was sent") != 1 ||
			!strings.Contains(log.String(), want) {
			t.Errorf("the log says\n%s", log)
		}
		if strings.Contains(log.String(), "hospital.example") {
			t.Errorf("the log shows the address:\n%s", log)
		}
		for _, job := range rows(t, p, store.JobMailReset) {
			if !job.Done {
				t.Errorf("a job is pending: %+v", job)
			}
		}
	})
}
