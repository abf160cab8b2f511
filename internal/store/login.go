package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
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
		last, locked, err = tx.countAttempt(loginKey(login), addr, hospital.MaxLoginAttempts)
		if err != nil || locked != nil {
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
