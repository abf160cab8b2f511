package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

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

// countAttempt counts one attempt under key from addr, and reports whether it is the last one that is
// allowed. locked is the error of hospital.LockedOut if there were too many within the lockout period. The
// transaction must be committed even so.
func (tx *Tx) countAttempt(key, addr string, limit int) (last bool, locked, err error) {
	now, old := ms(tx.now), ms(tx.now.Add(-hospital.LockoutPeriod))
	// If it is locked, i.e. the limit was reached and the last attempt was less than a lockout period ago,
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
	if at(lastAt).After(tx.now.Add(clockSkew)) { // the clock was set back: a period from now, not from then
		lastAt = now
		tx.Exec(`UPDATE login_attempts SET first_at = $3, last_at = $3 WHERE login_hash = $1 AND addr = $2`,
			key, addr, now)
	}
	return false, hospital.LockedOut(at(lastAt), tx.now), nil
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

// UncountAttempt takes back the count of an attempt in which neither password nor code was wrong.
func (db *DB) UncountAttempt(ctx context.Context, login string) error {
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

// CountOwnCheck counts a check of the actor's own password or code before it is made. It shares the
// counter of sign-ins with their username, so that a stolen session gives no additional guesses. It
// returns TOO_MANY_ATTEMPTS.
func (db *DB) CountOwnCheck(ctx context.Context, c *Credentials) (err error) {
	c.last, err = db.countAttempt(ctx, loginKey(c.Username), hospital.MaxLoginAttempts)
	return err
}
