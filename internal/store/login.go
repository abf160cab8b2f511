package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
)

// Five failures in the window lock a name from an address for as long again.
const (
	maxFailures = 5
	// A whole ward may register behind one address on the first day.
	maxRegistrations = 30
	attemptWindow    = 15 * time.Minute
	resetLifetime    = 30 * time.Minute
	// An invitation waits in somebody's mail box over a weekend.
	inviteLifetime = 72 * time.Hour
)

// Credentials is what a sign-in is checked against. For a name that nobody has
// UserID is 0 and the hash empty; checking it takes as long.
type Credentials struct {
	UserID       int64
	Name         string
	Username     string
	PasswordHash string
	Status       hospital.UserStatus
	Role         string
	TOTPEnabled  bool
	TOTPSecret   string // sealed
	TOTPUsed     int64
	SessionHours int
	MustChange   bool

	last bool // the account is locked if this attempt fails
}

// BeginLogin counts the attempt before it is checked, so that guesses sent at
// once are counted too, and returns what to check it against. The sixth attempt
// within the window is TOO_MANY_ATTEMPTS, whether the account exists or not.
func (db *DB) BeginLogin(ctx context.Context, login, addr string) (c Credentials, err error) {
	if c.last, err = db.countAttempt(ctx, loginKey(login), addr, maxFailures); err != nil {
		return c, err
	}
	var role sql.NullString
	key := hospital.NameKey(login)
	err = db.read.QueryRowContext(ctx, `SELECT u.id, u.name, u.username, u.password_hash, u.status, u.must_change_password, u.totp_enabled, u.totp_secret, u.totp_used, r.name
		FROM users u LEFT JOIN roles r ON r.id = u.role_id
		WHERE u.deleted_at IS NULL AND u.id = coalesce(
			(SELECT id FROM users WHERE username_key = $1 AND deleted_at IS NULL),
			(SELECT id FROM users WHERE email_key = $1 AND deleted_at IS NULL))`, key).
		Scan(&c.UserID, &c.Name, &c.Username, &c.PasswordHash, &c.Status, &c.MustChange, &c.TOTPEnabled, &c.TOTPSecret, &c.TOTPUsed, &role)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return c, mapError(fmt.Errorf("read credentials: %w", err))
	}
	c.Role = role.String
	setting, err := db.Setting(ctx)
	c.SessionHours = setting.SessionHours
	return c, err
}

// loginKey keeps what people typed as a name out of the database: it may be a
// password typed into the wrong field.
func loginKey(login string) string { return auth.HashSecret(hospital.NameKey(login)) }

// countAttempt counts one attempt under key from addr: TOO_MANY_ATTEMPTS (with
// retryAfter in seconds) once the window has seen too many. It reports whether
// this is the last attempt that is allowed.
func (db *DB) countAttempt(ctx context.Context, key, addr string, limit int) (last bool, err error) {
	var locked error
	err = db.change(ctx, func(tx *Tx) error {
		locked = nil
		now, old := ms(tx.now), ms(tx.now.Add(-attemptWindow))
		// Locked: as many as the limit, the last of them less than a window ago. Then
		// nothing is updated and no row comes back.
		var failures int64
		err := tx.queryRow(`INSERT INTO login_attempts AS a (login_hash, addr, failures, first_at, last_at) VALUES ($1, $2, 1, $3, $3)
			ON CONFLICT (login_hash, addr) DO UPDATE SET
				failures = CASE WHEN a.first_at <= $4 THEN 1 ELSE a.failures + 1 END,
				first_at = CASE WHEN a.first_at <= $4 OR a.first_at > $3 THEN $3 ELSE a.first_at END,
				last_at = $3
			WHERE a.failures < $5 OR a.last_at <= $4
			RETURNING failures`, key, addr, now, old, limit).Scan(&failures)
		if err == nil {
			last = failures == int64(limit)
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("count attempt: %w", err)
		}
		var lastAt int64
		err = tx.queryRow(`SELECT last_at FROM login_attempts WHERE login_hash = $1 AND addr = $2`, key, addr).
			Scan(&lastAt)
		if err != nil {
			return fmt.Errorf("read lock: %w", err)
		}
		if at(lastAt).After(tx.now.Add(clockSkew)) { // the clock was set back: a window from now, not from then
			lastAt = now
			if _, err := tx.exec(`UPDATE login_attempts SET first_at = $3, last_at = $3 WHERE login_hash = $1 AND addr = $2`, key, addr, now); err != nil {
				return fmt.Errorf("move lock: %w", err)
			}
		}
		wait := at(lastAt).Add(attemptWindow).Sub(tx.now)
		minutes := int(math.Ceil(wait.Minutes()))
		locked = hospital.Refuse(hospital.TooManyAttempts).
			Because(fmt.Sprintf("ลองผิดหลายครั้งเกินไป กรุณารอ %d นาทีแล้วลองอีกครั้ง", minutes), fmt.Sprintf("Too many attempts. Please wait %d minutes and try again.", minutes)).
			With("retryAfter", int(math.Ceil(wait.Seconds())))
		return nil
	})
	return last, cmp.Or(err, locked)
}

// FailAttempt records in the audit log that a password or code was wrong, and also the lock if
// this was the last allowed attempt. The attempt stays counted.
func (db *DB) FailAttempt(ctx context.Context, c Credentials, action string, why hospital.Code) error {
	return db.change(ctx, func(tx *Tx) error {
		e := hospital.AuditEntry{
			Action: action, Entity: "user", Outcome: hospital.OutcomeFailed, Reason: string(why),
			ActorName: c.Name, Subject: c.Name,
		}
		if c.UserID != 0 {
			e.EntityID = fmt.Sprint(c.UserID)
		}
		tx.noteEntry(e)
		if c.last {
			e.Outcome, e.Reason = hospital.OutcomeRefused, string(hospital.TooManyAttempts)
			tx.noteEntry(e)
		}
		return nil
	})
}

// ForgiveAttempt takes back the count of an attempt in which neither password nor code was wrong.
func (db *DB) ForgiveAttempt(ctx context.Context, login string) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE login_attempts SET failures = failures - 1
			WHERE login_hash = $1 AND addr = $2 AND failures > 0`, loginKey(login), tx.actor.Addr)
		return err
	})
}

// lockCredentials locks the account and compares the checked credentials again, because they
// may have changed before this transaction. It returns INVALID_CREDENTIALS if the password or
// the one-time-code secret changed, the code was used or the account was deleted, and the error
// of MaySignIn if the account is not active. totpPeriod is the period of the checked code, 0
// for none; the code is used up.
func (tx *Tx) lockCredentials(c Credentials, totpPeriod int64) error {
	var now Credentials
	err := tx.queryRow(`SELECT password_hash, status, totp_enabled, totp_secret, totp_used FROM users
		WHERE id = $1 AND deleted_at IS NULL`+tx.db.dialect.lock("users"), c.UserID).
		Scan(&now.PasswordHash, &now.Status, &now.TOTPEnabled, &now.TOTPSecret, &now.TOTPUsed)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("lock user %d: %w", c.UserID, err)
	}
	changed := now.PasswordHash != c.PasswordHash ||
		now.TOTPEnabled != c.TOTPEnabled || now.TOTPSecret != c.TOTPSecret
	if err != nil || changed {
		return hospital.Refuse(hospital.InvalidCredentials)
	}
	if err := now.Status.MaySignIn(); err != nil {
		return err
	}
	if totpPeriod == 0 {
		return nil
	}
	if totpPeriod <= now.TOTPUsed {
		return hospital.Refuse(hospital.InvalidCredentials)
	}
	if _, err := tx.exec(`UPDATE users SET totp_used = $2 WHERE id = $1`, c.UserID, totpPeriod); err != nil {
		return fmt.Errorf("use code: %w", err)
	}
	return nil
}

// clearAttempts resets the count of failed attempts for a name from the actor's address.
func (tx *Tx) clearAttempts(login string) error {
	_, err := tx.exec(`DELETE FROM login_attempts WHERE login_hash = $1 AND addr = $2`, loginKey(login), tx.actor.Addr)
	if err != nil {
		return fmt.Errorf("clear attempts: %w", err)
	}
	return nil
}

// StartSession opens a session for somebody who proved who they are, and
// clears the failed attempts. The credentials must still be valid, see lockCredentials.
// totpPeriod is the period of the one-time code that was used, 0 for none.
func (db *DB) StartSession(ctx context.Context, c Credentials, login, userAgent string, totpPeriod int64) (s hospital.Session, err error) {
	err = db.change(ctx, func(tx *Tx) error {
		if err := tx.lockCredentials(c, totpPeriod); err != nil {
			return err
		}
		s = hospital.Session{
			ID: auth.NewSecret(), UserID: c.UserID, CreatedAt: tx.now, LastSeenAt: tx.now,
			ExpiresAt: tx.now.Add(time.Duration(c.SessionHours) * time.Hour), Addr: tx.actor.Addr, UserAgent: userAgent, Current: true,
		}
		if _, err := tx.exec(`INSERT INTO sessions (id, user_id, created_at, last_seen_at, expires_at, addr, user_agent) VALUES ($1, $2, $3, $3, $4, $5, $6)`,
			s.ID, s.UserID, ms(tx.now), ms(s.ExpiresAt), s.Addr, s.UserAgent); err != nil {
			return fmt.Errorf("insert session: %w", err)
		}
		if _, err := tx.exec(`UPDATE users SET last_login_at = $2 WHERE id = $1`, c.UserID, ms(tx.now)); err != nil {
			return fmt.Errorf("note sign-in: %w", err)
		}
		if err := tx.clearAttempts(login); err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: "auth.login", Entity: "user", EntityID: fmt.Sprint(c.UserID), Subject: c.Name, ActorID: &c.UserID, ActorName: c.Name})
		return nil
	})
	return s, err
}

// OwnCredentials returns the credentials of the actor, to check a password or code against.
func (db *DB) OwnCredentials(ctx context.Context) (c Credentials, err error) {
	a := hospital.ActorFrom(ctx)
	err = db.read.QueryRowContext(ctx, `SELECT id, name, username, password_hash, status,
		totp_enabled, totp_secret, totp_used FROM users WHERE id = $1`, a.UserID).
		Scan(&c.UserID, &c.Name, &c.Username, &c.PasswordHash, &c.Status, &c.TOTPEnabled, &c.TOTPSecret, &c.TOTPUsed)
	return c, mapError(orNotFound(err))
}

// CountOwnCheck counts a check of the actor's own password or code before it is made. It shares
// the counter of sign-ins with their username, so that a stolen session gives no additional
// guesses: TOO_MANY_ATTEMPTS.
func (db *DB) CountOwnCheck(ctx context.Context, c *Credentials) (err error) {
	c.last, err = db.countAttempt(ctx, loginKey(c.Username), hospital.ActorFrom(ctx).Addr, maxFailures)
	return err
}

// ChangeOwnPassword stores the actor's new password, ends their other sessions and clears the
// failed attempts. c are the credentials the current password was checked against; see
// lockCredentials.
func (db *DB) ChangeOwnPassword(ctx context.Context, c Credentials, hash string) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if err := tx.lockCredentials(c, 0); err != nil {
			return err
		}
		a := tx.actor
		if err := tx.setPassword(a.UserID, hash, false); err != nil {
			return err
		}
		if _, err := tx.endSessions(a.UserID, a.SessionID); err != nil {
			return err
		}
		tx.note("auth.change-password", "user", a.UserID, a.Name, nil)
		return tx.clearAttempts(c.Username)
	})
}

// SetUpTOTP stores an encrypted one-time-code secret to be activated by EnableTOTP. c are the
// credentials the password was checked against; see lockCredentials.
func (db *DB) SetUpTOTP(ctx context.Context, c Credentials, sealed string) error {
	return db.setTOTP(ctx, c, 0, "auth.totp-setup", sealed, false, 0)
}

// EnableTOTP enables one-time codes. c has the secret against which the code of the period was
// checked; see lockCredentials.
func (db *DB) EnableTOTP(ctx context.Context, c Credentials, period int64) error {
	return db.setTOTP(ctx, c, period, "auth.totp-enable", c.TOTPSecret, true, period)
}

// DisableTOTP disables one-time codes. c are the credentials the password and code were checked
// against. period is that of the code, 0 if one-time codes were not enabled; see lockCredentials.
func (db *DB) DisableTOTP(ctx context.Context, c Credentials, period int64) error {
	return db.setTOTP(ctx, c, period, "auth.totp-disable", "", false, 0)
}

func (db *DB) setTOTP(
	ctx context.Context, c Credentials, period int64, action, sealed string, enabled bool, used int64,
) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if err := tx.lockCredentials(c, period); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE users SET totp_secret = $2, totp_enabled = $3, totp_used = $4, version = version + 1, updated_at = $5 WHERE id = $1`,
			c.UserID, sealed, enabled, used, ms(tx.now)); err != nil {
			return fmt.Errorf("set one-time codes: %w", err)
		}
		tx.note(action, "user", c.UserID, c.Name, nil)
		return tx.clearAttempts(c.Username)
	})
}

// RequestReset queues a mail with a link to choose a new password, for whatever
// address was given: whether somebody has it is found out by the job, so the
// answer and its time are the same. Too many from one address are
// TOO_MANY_ATTEMPTS.
func (db *DB) RequestReset(ctx context.Context, email string) error {
	addr := hospital.ActorFrom(ctx).Addr
	key := auth.HashSecret("reset " + hospital.NameKey(email))
	if _, err := db.countAttempt(ctx, key, addr, maxFailures); err != nil {
		return err
	}
	return db.change(ctx, func(tx *Tx) error {
		return tx.enqueue(JobMailReset, MailLink{Email: hospital.NameKey(email)}, "")
	})
}

// Link is a password link: either one that a job mails, or the token of one to pass on.
type Link struct {
	Mailed    bool
	Token     string
	ExpiresAt time.Time
}

// SendLink enqueues a job of the kind that mails a password link, or returns a link to pass on
// if mail is false. It returns NOT_FOUND, and FORBIDDEN for the actor's own account and for an
// account with more permissions than the actor's.
func (db *DB) SendLink(ctx context.Context, userID int64, kind string, mail bool) (link Link, err error) {
	err = db.changeOnce(ctx, valueOf(&link), func(tx *Tx) error {
		user, err := readUser(ctx, tx.tx, userID)
		if err != nil {
			return err
		}
		link, err = tx.sendLink(user, kind, mail)
		return err
	})
	return link, err
}

func (tx *Tx) sendLink(user hospital.User, kind string, mail bool) (Link, error) {
	if !mail {
		return tx.newLink(user)
	}
	if err := tx.mayGivePassword(user); err != nil {
		return Link{}, err
	}
	tx.note("user.reset-link", "user", user.ID, user.Name, nil)
	return Link{Mailed: true}, tx.enqueue(kind, MailLink{UserID: user.ID}, "")
}

// NewResetLink makes a link token for the account and drops the earlier ones.
// Only the hash is stored. An invitation lives longer than a reset. It returns
// FORBIDDEN for the actor's own account and for one with more permissions.
func (db *DB) NewResetLink(ctx context.Context, userID int64) (token string, expires time.Time, err error) {
	var link Link
	err = db.change(ctx, func(tx *Tx) error {
		user, err := readUser(ctx, tx.tx, userID)
		if err != nil {
			return err
		}
		link, err = tx.newLink(user)
		return err
	})
	return link.Token, link.ExpiresAt, err
}

func (tx *Tx) newLink(user hospital.User) (link Link, err error) {
	if err := tx.mayGivePassword(user); err != nil {
		return link, err
	}
	lifetime := resetLifetime
	var hash string
	if err := tx.queryRow(`SELECT password_hash FROM users WHERE id = $1`, user.ID).Scan(&hash); err != nil {
		return link, fmt.Errorf("read user %d: %w", user.ID, err)
	}
	if hash == "" {
		lifetime = inviteLifetime
	}
	link = Link{Token: auth.NewSecret(), ExpiresAt: tx.now.Add(lifetime)}
	if _, err := tx.exec(`DELETE FROM password_resets WHERE user_id = $1`, user.ID); err != nil {
		return link, fmt.Errorf("drop old links: %w", err)
	}
	if _, err := tx.exec(`INSERT INTO password_resets (token_hash, user_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4)`,
		auth.HashSecret(link.Token), user.ID, ms(tx.now), ms(link.ExpiresAt)); err != nil {
		return link, fmt.Errorf("insert link: %w", err)
	}
	tx.note("user.reset-link", "user", user.ID, user.Name, nil)
	return link, nil
}

// ResetTarget tells whose password a link token changes: VALIDATION_FAILED on
// token when it was used, is too old or never was.
func (db *DB) ResetTarget(ctx context.Context, token string) (userID int64, username string, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT u.id, u.username FROM password_resets p JOIN users u ON u.id = p.user_id AND u.deleted_at IS NULL
		WHERE p.token_hash = $1 AND p.expires_at > $2 AND p.created_at <= $3`, auth.HashSecret(token), ms(db.Now()), ms(db.Now().Add(clockSkew))).Scan(&userID, &username)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", deadLink()
	}
	return userID, username, mapError(err)
}

func deadLink() error {
	return hospital.Refuse(hospital.ValidationFailed).
		On("token", "ลิงก์นี้หมดอายุหรือถูกใช้ไปแล้ว กรุณาขอลิงก์ใหม่", "This link has expired or was used. Please ask for a new one.")
}

// ResetPassword uses a link token up and stores the new password: every session
// of the person ends. The token works once, however many use it at a time.
func (db *DB) ResetPassword(ctx context.Context, token, hash string) error {
	return db.change(ctx, func(tx *Tx) error {
		var userID int64
		err := tx.queryRow(`DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 AND created_at <= $3 RETURNING user_id`, auth.HashSecret(token), ms(tx.now), ms(tx.now.Add(clockSkew))).Scan(&userID)
		if errors.Is(err, sql.ErrNoRows) {
			return deadLink()
		}
		if err != nil {
			return fmt.Errorf("use link: %w", err)
		}
		user, err := readUser(ctx, tx.tx, userID)
		if err != nil {
			return err
		}
		if err := tx.setPassword(userID, hash, false); err != nil {
			return err
		}
		if _, err := tx.endSessions(userID, ""); err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: "auth.reset-password", Entity: "user", EntityID: fmt.Sprint(userID), Subject: user.Name, ActorID: &userID, ActorName: user.Name})
		return nil
	})
}

// UserByEmail finds the active or pending account of an address: NOT_FOUND.
func (db *DB) UserByEmail(ctx context.Context, email string) (hospital.User, error) {
	u, err := scanUser(db.read.QueryRowContext(ctx, userSelect+`WHERE u.email_key = $1 AND u.deleted_at IS NULL AND u.status <> 'SUSPENDED'`, hospital.NameKey(email)).Scan)
	return u, mapError(orNotFound(err))
}

// MarkResetRequested notes that somebody asked for a link that could not be
// mailed, so that an administrator sees it and can hand one over.
func (db *DB) MarkResetRequested(ctx context.Context, userID int64) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE users SET reset_requested_at = $2 WHERE id = $1`, userID, ms(tx.now))
		return err
	})
}
