package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// The kinds of background work, beside JobDayClose and JobErase.
const (
	JobMailReset  = "mail.reset"
	JobMailInvite = "mail.invite"
	JobCleanUp    = "clean-up"
)

// MailLink asks to mail a link to choose a password to an account, or to
// whoever has the address. The link itself is made when the mail is sent, so
// that it never lies in the database.
type MailLink struct {
	UserID int64  `json:"userId,omitempty"`
	Email  string `json:"email,omitempty"`
}

// Job is one piece of background work, claimed by one worker for a while.
type Job struct {
	ID       int64
	Kind     string
	Payload  string
	Attempts int
	Since    time.Time // when it was wanted
}

// enqueue adds a job to the caller's transaction: it exists if and only if that
// commits. A unique key that exists already adds nothing.
func (tx *Tx) enqueue(kind string, payload any, uniqueKey string) error {
	key := sql.NullString{String: uniqueKey, Valid: uniqueKey != ""}
	_, err := tx.exec(`INSERT INTO jobs (kind, payload, unique_key, run_at, created_at) VALUES ($1, $2, $3, $4, $4) ON CONFLICT (unique_key) DO NOTHING`,
		kind, toJSON(payload), key, ms(tx.now))
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", kind, err)
	}
	return nil
}

// Enqueue adds a job on its own.
func (db *DB) Enqueue(ctx context.Context, kind string, payload any, uniqueKey string) error {
	return db.change(ctx, func(tx *Tx) error { return tx.enqueue(kind, payload, uniqueKey) })
}

// Line is which jobs a worker takes, as a condition. Mail stands in a line of its
// own: a mail server that takes its time keeps nothing else from being done.
type Line string

// The lines. Every kind of job stands in one of them.
const (
	MailLine  Line = " AND kind LIKE 'mail.%'"
	OtherLine Line = " AND kind NOT LIKE 'mail.%'"
)

// LongestWait is the most that a job is put off.
const LongestWait = time.Hour

// ClaimJob gives the caller one job that is due, for the length of the lease:
// should the caller die, somebody else takes it over then. ok is false when
// there is nothing to do. Two callers never hold the same job. One that is put
// off, or held, for longer than anybody would was so before the clock was put
// back: it is due.
func (db *DB) ClaimJob(ctx context.Context, lease time.Duration, line Line) (j Job, ok bool, err error) {
	err = db.change(ctx, func(tx *Tx) error {
		var since int64
		// Index jobs_due.
		err := tx.queryRow(`UPDATE jobs SET attempts = attempts + 1, leased_until = $2
			WHERE id = (SELECT id FROM jobs WHERE done_at IS NULL AND (run_at <= $1 OR run_at > $3) AND (leased_until <= $1 OR leased_until > $4)`+string(line)+` ORDER BY run_at, id LIMIT 1`+db.dialect.skipLocked+`)
			RETURNING id, kind, payload, attempts, created_at`, ms(tx.now), ms(tx.now.Add(lease)), ms(tx.now.Add(2*LongestWait)), ms(tx.now.Add(2*lease))).Scan(&j.ID, &j.Kind, &j.Payload, &j.Attempts, &since)
		ok, j.Since = err == nil, at(since)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return j, ok, err
}

// RenewJob gives whoever holds a job the lease anew, from now. ok is false when
// somebody else has taken the job over: then it is theirs.
func (db *DB) RenewJob(ctx context.Context, j Job, lease time.Duration) (ok bool, err error) {
	err = db.change(ctx, func(tx *Tx) error {
		// Taking a job counts as an attempt, so the count tells whose it is.
		n, err := tx.exec(`UPDATE jobs SET leased_until = $3 WHERE id = $1 AND attempts = $2 AND done_at IS NULL`, j.ID, j.Attempts, ms(tx.now.Add(lease)))
		ok = n == 1
		return err
	})
	return ok, err
}

// FinishJob marks a job as done. Its row stays for a while, so that its unique
// key keeps holding.
func (db *DB) FinishJob(ctx context.Context, id int64) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE jobs SET done_at = $2, payload = '{}', last_error = '' WHERE id = $1`, id, ms(tx.now))
		return err
	})
}

// RetryJob puts a failed job back for later with what went wrong.
func (db *DB) RetryJob(ctx context.Context, id int64, after time.Duration, why string) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE jobs SET run_at = $2, leased_until = 0, last_error = $3 WHERE id = $1`, id, ms(tx.now.Add(after)), why)
		return err
	})
}

// GiveUpJob ends a job that failed for good. Its row stays for a while with
// what went wrong: a job that is done and has an error has failed. Nobody tries
// it again, so what it was about (an address, somebody's number) is not kept.
func (db *DB) GiveUpJob(ctx context.Context, id int64, why string) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE jobs SET done_at = $2, payload = '{}', last_error = $3 WHERE id = $1`, id, ms(tx.now), why)
		return err
	})
}

// HandBackJob returns a job that was not worked on, for another node to take at
// once.
func (db *DB) HandBackJob(ctx context.Context, id int64) error {
	return db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE jobs SET attempts = attempts - 1, leased_until = 0 WHERE id = $1 AND done_at IS NULL`, id)
		return err
	})
}

// CleanUp removes what is over: sessions and links past their time, attempts
// past their window, jobs done long ago, answers nobody repeats a request for.
func (db *DB) CleanUp(ctx context.Context) error {
	return db.change(ctx, func(tx *Tx) error {
		week, day := ms(tx.now.AddDate(0, 0, -7)), ms(tx.now.AddDate(0, 0, -1))
		for _, del := range []struct {
			query  string
			before int64
		}{
			{`DELETE FROM sessions WHERE expires_at < $1`, week},
			{`DELETE FROM password_resets WHERE expires_at < $1`, day},
			{`DELETE FROM login_attempts WHERE last_at < $1`, day},
			{`DELETE FROM jobs WHERE done_at < $1`, week},
			{`DELETE FROM idempotency WHERE created_at < $1`, ms(tx.now.Add(-idempotencyPeriod))},
		} {
			if _, err := tx.exec(del.query, del.before); err != nil {
				return fmt.Errorf("clean up: %w", err)
			}
		}
		return nil
	})
}
