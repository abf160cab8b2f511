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

const (
	resetLifetime = 30 * time.Minute
	// inviteLifetime is longer, because an invitation may wait in a mailbox over a weekend.
	inviteLifetime = 72 * time.Hour
)

// RequestReset enqueues a mail with a link to choose a new password. The job looks up the account, so that
// the response and its time are the same for an email without one. It returns TOO_MANY_ATTEMPTS for too many
// requests for one email from one client address.
func (db *DB) RequestReset(ctx context.Context, email string) error {
	key := auth.HashSecret("reset " + hospital.NameKey(email))
	var locked error
	err := db.Change(ctx, func(tx *Tx) (err error) {
		if _, locked, err = tx.countAttempt(key, tx.actor.Addr, hospital.MaxLoginAttempts); err == nil && locked == nil {
			tx.enqueue(JobMailReset, MailLink{Email: hospital.NameKey(email)}, "")
		}
		return err
	})
	return cmp.Or(err, locked)
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
		user, err := tx.readUser(userID)
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
	tx.Note("user.reset-link", "user", user.ID, user.Name, nil)
	tx.enqueue(kind, MailLink{UserID: user.ID}, "")
	return Link{Mailed: true}, nil
}

// NewResetLink returns the token of a new link for the account and deletes the earlier ones. Only
// the hash is stored. An invitation lives longer than a reset. It returns FORBIDDEN for the actor's
// own account and for one with more permissions.
func (db *DB) NewResetLink(ctx context.Context, userID int64) (token string, expires time.Time, err error) {
	var link Link
	err = db.Change(ctx, func(tx *Tx) error {
		user, err := tx.readUser(userID)
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
	if err := tx.Get(`SELECT password_hash FROM users WHERE id = $1`, user.ID).Scan(&hash); err != nil {
		return link, fmt.Errorf("read user %d: %w", user.ID, err)
	}
	if hash == "" {
		lifetime = inviteLifetime
	}
	link = Link{Token: auth.NewSecret(), ExpiresAt: tx.now.Add(lifetime)}
	tx.Exec(`DELETE FROM password_resets WHERE user_id = $1`, user.ID)
	tx.Exec(`INSERT INTO password_resets (token_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		auth.HashSecret(link.Token), user.ID, ms(tx.now), ms(link.ExpiresAt))
	tx.Note("user.reset-link", "user", user.ID, user.Name, nil)
	return link, nil
}

// ResetTarget returns the user whose password a link token changes. It returns VALIDATION_FAILED on
// token if it was used, has expired or never existed.
func (db *DB) ResetTarget(ctx context.Context, token string) (userID int64, username string, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		err := tx.Get(`SELECT u.id, u.username FROM password_resets p
			JOIN users u ON u.id = p.user_id AND u.deleted_at IS NULL
			WHERE p.token_hash = $1 AND p.expires_at > $2 AND p.created_at <= $3`,
			auth.HashSecret(token), ms(tx.now), ms(tx.now.Add(clockSkew))).Scan(&userID, &username)
		return orDeadLink(err)
	})
	return userID, username, err
}

// orDeadLink turns "no row" into VALIDATION_FAILED on token.
func orDeadLink(err error) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return hospital.Reject(hospital.ValidationFailed).
			On("token", "ลิงก์นี้หมดอายุหรือถูกใช้ไปแล้ว กรุณาขอลิงก์ใหม่",
				"This link has expired or was used. Please ask for a new one.")
	}
	return err
}

// ResetPassword uses up a link token, stores the new password and ends all sessions of the user. The
// token works once, even if it is used several times at the same moment.
func (db *DB) ResetPassword(ctx context.Context, token, hash string) error {
	return db.Change(ctx, func(tx *Tx) error {
		var userID int64
		err := tx.Get(`DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 AND created_at <= $3
			RETURNING user_id`, auth.HashSecret(token), ms(tx.now), ms(tx.now.Add(clockSkew))).Scan(&userID)
		if err != nil {
			return orDeadLink(err)
		}
		user, err := tx.readUser(userID)
		if err != nil {
			return err
		}
		tx.setPassword(userID, hash, false)
		tx.endSessions(userID, "")
		tx.NoteEntry(hospital.AuditEntry{
			Action: "auth.reset-password", Entity: "user", EntityID: fmt.Sprint(userID),
			Subject: user.Name, ActorID: &userID, ActorName: user.Name,
		})
		return nil
	})
}

// UserByEmail returns the active or pending account of an address. It returns NOT_FOUND if there is none.
func (db *DB) UserByEmail(ctx context.Context, email string) (u hospital.User, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		u, err = scanUser(tx.Get(userSelect+`WHERE u.email_key = $1 AND u.deleted_at IS NULL
			AND u.status <> 'SUSPENDED'`, hospital.NameKey(email)).Scan)
		return orNotFound(err)
	})
	return u, err
}

// MarkResetRequested stores that a user asked for a link that could not be mailed, so that an
// administrator sees it and can pass one on.
func (db *DB) MarkResetRequested(ctx context.Context, userID int64) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`UPDATE users SET reset_requested_at = $2 WHERE id = $1`, userID, ms(tx.now))
		return nil
	})
}
