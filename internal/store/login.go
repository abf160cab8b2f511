package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// maxFailures attempts within attemptWindow lock a name from an address for as long again.
const (
	maxFailures = 5
	// maxRegistrations lets a whole department register behind one address on the first day.
	maxRegistrations = 30
	attemptWindow    = 15 * time.Minute
)

// Credentials are what a sign-in is checked against. For an unknown name UserID is 0 and the hash is
// empty; checking it takes the same time.
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

// BeginLogin counts the attempt before it is checked, so that guesses sent at the same time are
// counted too, and returns what to check it against. The sixth attempt within the window is
// TOO_MANY_ATTEMPTS, whether the account exists or not.
func (db *DB) BeginLogin(ctx context.Context, login, addr string) (c Credentials, err error) {
	var locked error
	err = db.Change(ctx, func(tx *Tx) error {
		c = Credentials{}
		user := tx.Get(`SELECT u.id, u.name, u.username, u.password_hash, u.status, u.must_change_password,
			u.totp_enabled, u.totp_secret, u.totp_used, coalesce(r.name, '')
			FROM users u LEFT JOIN roles r ON r.id = u.role_id
			WHERE u.deleted_at IS NULL AND u.id = coalesce(
				(SELECT id FROM users WHERE username_key = $1 AND deleted_at IS NULL),
				(SELECT id FROM users WHERE email_key = $1 AND deleted_at IS NULL))`, hospital.NameKey(login))
		setting := tx.querySetting()
		var last bool
		var err error
		if last, locked, err = tx.countAttempt(loginKey(login), addr, maxFailures); err != nil || locked != nil {
			return err
		}
		err = user.Scan(&c.UserID, &c.Name, &c.Username, &c.PasswordHash, &c.Status, &c.MustChange,
			&c.TOTPEnabled, &c.TOTPSecret, &c.TOTPUsed, &c.Role)
		if err != nil && !errors.Is(err, sqldb.ErrNoRows) {
			return fmt.Errorf("read credentials: %w", err)
		}
		s, err := setting()
		c.SessionHours, c.last = s.SessionHours, last
		return err
	})
	return c, cmp.Or(err, locked)
}

// loginKey returns a hash, because the name that a user typed may be a password typed into the wrong
// field.
func loginKey(login string) string { return auth.HashSecret(hospital.NameKey(login)) }

// countAttempt counts an attempt under key from the actor's address in a separate transaction, and
// reports whether it is the last one that is allowed. It returns TOO_MANY_ATTEMPTS.
func (db *DB) countAttempt(ctx context.Context, key string, limit int) (last bool, err error) {
	var locked error
	err = db.Change(ctx, func(tx *Tx) (err error) {
		last, locked, err = tx.countAttempt(key, tx.actor.Addr, limit)
		return err
	})
	return last, cmp.Or(err, locked)
}

// countAttempt counts one attempt under key from addr, and reports whether it is the last one that
// is allowed. locked is TOO_MANY_ATTEMPTS, with retryAfter in seconds, if there were too many within
// the window. The transaction must be committed even so.
func (tx *Tx) countAttempt(key, addr string, limit int) (last bool, locked, err error) {
	now, old := ms(tx.now), ms(tx.now.Add(-attemptWindow))
	// If it is locked, i.e. the limit was reached and the last attempt was less than a window ago,
	// nothing is updated and no row is returned.
	var failures int64
	err = tx.Get(`INSERT INTO login_attempts AS a (login_hash, addr, failures, first_at, last_at)
		VALUES ($1, $2, 1, $3, $3)
		ON CONFLICT (login_hash, addr) DO UPDATE SET
			failures = CASE WHEN a.first_at <= $4 THEN 1 ELSE a.failures + 1 END,
			first_at = CASE WHEN a.first_at <= $4 OR a.first_at > $3 THEN $3 ELSE a.first_at END,
			last_at = $3
		WHERE a.failures < $5 OR a.last_at <= $4
		RETURNING failures`, key, addr, now, old, limit).Scan(&failures)
	if err == nil {
		return failures == int64(limit), nil, nil
	}
	if !errors.Is(err, sqldb.ErrNoRows) {
		return false, nil, fmt.Errorf("count attempt: %w", err)
	}
	var lastAt int64
	err = tx.Get(`SELECT last_at FROM login_attempts WHERE login_hash = $1 AND addr = $2`, key, addr).Scan(&lastAt)
	if err != nil {
		return false, nil, fmt.Errorf("read lock: %w", err)
	}
	if at(lastAt).After(tx.now.Add(clockSkew)) { // the clock was set back: a window from now, not from then
		lastAt = now
		tx.Exec(`UPDATE login_attempts SET first_at = $3, last_at = $3 WHERE login_hash = $1 AND addr = $2`,
			key, addr, now)
	}
	wait := at(lastAt).Add(attemptWindow).Sub(tx.now)
	minutes := int(math.Ceil(wait.Minutes()))
	return false, hospital.Reject(hospital.TooManyAttempts).
		Because(fmt.Sprintf("ลองผิดหลายครั้งเกินไป กรุณารอ %d นาทีแล้วลองอีกครั้ง", minutes),
			fmt.Sprintf("Too many attempts. Please wait %d minutes and try again.", minutes)).
		With("retryAfter", int(math.Ceil(wait.Seconds()))), nil
}

// FailAttempt records in the audit log that a password or code was wrong, and also the lock if
// this was the last allowed attempt. The attempt stays counted.
func (db *DB) FailAttempt(ctx context.Context, c Credentials, action string, why hospital.Code) error {
	return db.Change(ctx, func(tx *Tx) error {
		e := hospital.AuditEntry{
			Action: action, Entity: "user", Outcome: hospital.OutcomeFailed, Reason: string(why),
			ActorName: c.Name, Subject: c.Name,
		}
		if c.UserID != 0 {
			e.EntityID = fmt.Sprint(c.UserID)
		}
		tx.NoteEntry(e)
		if c.last {
			e.Outcome, e.Reason = hospital.OutcomeRefused, string(hospital.TooManyAttempts)
			tx.NoteEntry(e)
		}
		return nil
	})
}

// ForgiveAttempt takes back the count of an attempt in which neither password nor code was wrong.
func (db *DB) ForgiveAttempt(ctx context.Context, login string) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE login_attempts SET failures = failures - 1
			WHERE login_hash = $1 AND addr = $2 AND failures > 0`, loginKey(login), tx.actor.Addr)
		return nil
	})
}

// clearAttempts resets the count of failed attempts for a name from the actor's address.
func (tx *Tx) clearAttempts(login string) {
	tx.Exec(`DELETE FROM login_attempts WHERE login_hash = $1 AND addr = $2`, loginKey(login), tx.actor.Addr)
}

// lockCredentials locks the account and compares the checked credentials again, because they
// may have changed before this transaction. It returns INVALID_CREDENTIALS if the password or
// the one-time-code secret changed, the code was used or the account was deleted, and the error
// of MaySignIn if the account is not active. totpPeriod is the period of the checked code, 0
// for none; the code is used up.
func (tx *Tx) lockCredentials(c Credentials, totpPeriod int64) error {
	var now Credentials
	err := tx.Get(`SELECT password_hash, status, totp_enabled, totp_secret, totp_used FROM users
		WHERE id = $1 AND deleted_at IS NULL`+tx.db.dialect.lock("users"), c.UserID).
		Scan(&now.PasswordHash, &now.Status, &now.TOTPEnabled, &now.TOTPSecret, &now.TOTPUsed)
	if err != nil && !errors.Is(err, sqldb.ErrNoRows) {
		return fmt.Errorf("lock user %d: %w", c.UserID, err)
	}
	changed := now.PasswordHash != c.PasswordHash ||
		now.TOTPEnabled != c.TOTPEnabled || now.TOTPSecret != c.TOTPSecret
	if err != nil || changed {
		return hospital.Reject(hospital.InvalidCredentials)
	}
	if err := now.Status.MaySignIn(); err != nil {
		return err
	}
	if totpPeriod == 0 {
		return nil
	}
	if totpPeriod <= now.TOTPUsed {
		return hospital.Reject(hospital.InvalidCredentials)
	}
	tx.Exec(`UPDATE users SET totp_used = $2 WHERE id = $1`, c.UserID, totpPeriod)
	return nil
}

// StartSession opens a session after the credentials were checked, and clears the failed attempts.
// The credentials must still be valid, see lockCredentials. totpPeriod is the period of the one-time
// code that was used, 0 for none.
func (db *DB) StartSession(
	ctx context.Context, c Credentials, login, userAgent string, totpPeriod int64,
) (s hospital.Session, err error) {
	err = db.Change(ctx, func(tx *Tx) error {
		if err := tx.lockCredentials(c, totpPeriod); err != nil {
			return err
		}
		s = hospital.Session{
			ID: auth.NewSecret(), UserID: c.UserID, CreatedAt: tx.now, LastSeenAt: tx.now,
			ExpiresAt: tx.now.Add(time.Duration(c.SessionHours) * time.Hour),
			Addr:      tx.actor.Addr, UserAgent: userAgent, Current: true,
		}
		tx.Exec(`INSERT INTO sessions (id, user_id, created_at, last_seen_at, expires_at, addr, user_agent)
			VALUES ($1, $2, $3, $3, $4, $5, $6)`,
			s.ID, s.UserID, ms(tx.now), ms(s.ExpiresAt), s.Addr, s.UserAgent)
		tx.Exec(`UPDATE users SET last_login_at = $2 WHERE id = $1`, c.UserID, ms(tx.now))
		tx.clearAttempts(login)
		tx.NoteEntry(hospital.AuditEntry{
			Action: "auth.login", Entity: "user", EntityID: fmt.Sprint(c.UserID),
			Subject: c.Name, ActorID: &c.UserID, ActorName: c.Name,
		})
		return nil
	})
	return s, err
}

// OwnCredentials returns the credentials of the actor, to check a password or code against.
func (db *DB) OwnCredentials(ctx context.Context) (c Credentials, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		err := tx.Get(`SELECT id, name, username, password_hash, status,
			totp_enabled, totp_secret, totp_used FROM users WHERE id = $1`, tx.actor.UserID).
			Scan(&c.UserID, &c.Name, &c.Username, &c.PasswordHash, &c.Status,
				&c.TOTPEnabled, &c.TOTPSecret, &c.TOTPUsed)
		return orNotFound(err)
	})
	return c, err
}

// CountOwnCheck counts a check of the actor's own password or code before it is made. It shares the
// counter of sign-ins with their username, so that a stolen session gives no additional guesses. It
// returns TOO_MANY_ATTEMPTS.
func (db *DB) CountOwnCheck(ctx context.Context, c *Credentials) (err error) {
	c.last, err = db.countAttempt(ctx, loginKey(c.Username), maxFailures)
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
		tx.setPassword(a.UserID, hash, false)
		tx.endSessions(a.UserID, a.SessionID)
		tx.Note("auth.change-password", "user", a.UserID, a.Name, nil)
		tx.clearAttempts(c.Username)
		return nil
	})
}
