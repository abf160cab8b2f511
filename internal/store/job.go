package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"nadmor/internal/sqldb"
)

// The kinds of jobs, in addition to JobDayClose and privacy.JobErase.
const (
	JobMailReset  = "mail.reset"
	JobMailInvite = "mail.invite"
	JobCleanUp    = "clean-up"
)

// MailLink is the payload of the mail jobs: the account or the address that gets a link to choose a
// password. The link is created when the mail is sent, so that it is never stored.
type MailLink struct {
	UserID int64  `json:"userId,omitempty"`
	Email  string `json:"email,omitempty"`
}

// Job is a piece of background work. One worker at a time claims it.
type Job struct {
	ID       int64
	Kind     string
	Payload  string
	Attempts int
	Since    time.Time // when it was enqueued
}

// enqueue adds a job in the transaction. It adds nothing if there is a job with the same unique key.
func (tx *Tx) enqueue(kind string, payload any, uniqueKey string) {
	key := sql.NullString{String: uniqueKey, Valid: uniqueKey != ""}
	tx.Exec(`INSERT INTO jobs (kind, payload, unique_key, run_at, created_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (unique_key) DO NOTHING`, kind, toJSON(payload), key, ms(tx.now))
}

// EnqueueAfter adds a job in the transaction that is due after a delay.
func (tx *Tx) EnqueueAfter(delay time.Duration, kind string, payload any) {
	tx.Exec(`INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ($1, $2, $3, $4)`,
		kind, toJSON(payload), ms(tx.now.Add(delay)), ms(tx.now))
}

// Enqueue adds a job in a separate transaction, see Tx.enqueue.
func (db *DB) Enqueue(ctx context.Context, kind string, payload any, uniqueKey string) error {
	return db.Change(ctx, func(tx *Tx) error {
		tx.enqueue(kind, payload, uniqueKey)
		return nil
	})
}

// Queue is a queue of jobs, as an SQL condition. Mail has its own, so that a slow mail server does not
// delay other jobs.
type Queue string

// The queues. Every kind of job belongs to one of them.
const (
	MailQueue  Queue = " AND kind LIKE 'mail.%'"
	OtherQueue Queue = " AND kind NOT LIKE 'mail.%'"
)

// MaxRetryDelay is the maximum delay of RetryJob.
const MaxRetryDelay = time.Hour

// ClaimJob claims a due job for the duration of the lease; after that another worker can claim it. ok
// is false if no job is due. A job whose delay or lease ends later than is possible is due as well: it
// was set before the clock was set back.
func (db *DB) ClaimJob(ctx context.Context, lease time.Duration, queue Queue) (j Job, ok bool, err error) {
	err = db.Change(ctx, func(tx *Tx) error {
		j, ok = Job{}, false
		var since int64
		// Index jobs_due.
		err := tx.Get(`UPDATE jobs SET attempts = attempts + 1, leased_until = $2
			WHERE id = (SELECT id FROM jobs WHERE done_at IS NULL AND (run_at <= $1 OR run_at > $3)
				AND (leased_until <= $1 OR leased_until > $4)`+string(queue)+`
				ORDER BY run_at, id LIMIT 1`+db.dialect.skipLocked+`)
			RETURNING id, kind, payload, attempts, created_at`,
			ms(tx.now), ms(tx.now.Add(lease)), ms(tx.now.Add(2*MaxRetryDelay)), ms(tx.now.Add(2*lease))).
			Scan(&j.ID, &j.Kind, &j.Payload, &j.Attempts, &since)
		if errors.Is(err, sqldb.ErrNoRows) {
			return nil
		}
		ok, j.Since = err == nil, at(since)
		return err
	})
	return j, ok, err
}

// ErrJobTaken means that the lease of a job expired and another worker has claimed or finished the job since.
var ErrJobTaken = errors.New("job taken over by another worker")

// RenewJob extends the lease of a claimed job from now. It returns ErrJobTaken.
func (db *DB) RenewJob(ctx context.Context, j Job, lease time.Duration) error {
	return db.updateJob(ctx, j, func(now time.Time) (string, []any) {
		return `leased_until = $3`, []any{ms(now.Add(lease))}
	})
}

// FinishJob marks a claimed job as done. CleanUp deletes its row later, so that its unique key stays in use. It
// returns ErrJobTaken.
func (db *DB) FinishJob(ctx context.Context, j Job) error {
	return db.updateJob(ctx, j, func(now time.Time) (string, []any) {
		return `done_at = $3, payload = '{}', last_error = ''`, []any{ms(now)}
	})
}

// RetryJob releases a failed job with its error. It is due again after the delay. It returns ErrJobTaken.
func (db *DB) RetryJob(ctx context.Context, j Job, after time.Duration, why string) error {
	return db.updateJob(ctx, j, func(now time.Time) (string, []any) {
		return `run_at = $3, leased_until = 0, last_error = $4`, []any{ms(now.Add(after)), why}
	})
}

// AbandonJob marks a job as failed: it is done and has an error. The payload, which may contain personal
// data, is deleted. It returns ErrJobTaken.
func (db *DB) AbandonJob(ctx context.Context, j Job, why string) error {
	return db.updateJob(ctx, j, func(now time.Time) (string, []any) {
		return `done_at = $3, payload = '{}', last_error = $4`, []any{ms(now), why}
	})
}

// ReleaseJob releases a job that was claimed but not started, so that another node can claim it at once. It
// returns ErrJobTaken.
func (db *DB) ReleaseJob(ctx context.Context, j Job) error {
	return db.updateJob(ctx, j, func(time.Time) (string, []any) {
		return `attempts = attempts - 1, leased_until = 0`, nil
	})
}

// updateJob updates a claimed job with the assignments that set returns; its arguments start at $3. It returns
// ErrJobTaken if another worker has claimed or finished the job since: each claim is an attempt, so the number
// of attempts identifies the claim.
func (db *DB) updateJob(ctx context.Context, j Job, set func(now time.Time) (string, []any)) error {
	return db.Change(ctx, func(tx *Tx) error {
		assignments, args := set(tx.now)
		n, err := tx.Exec(`UPDATE jobs SET `+assignments+` WHERE id = $1 AND attempts = $2 AND done_at IS NULL`,
			append([]any{j.ID, j.Attempts}, args...)...).Affected()
		if err == nil && n == 0 {
			return ErrJobTaken
		}
		return err
	})
}

// CleanUp deletes expired sessions, links, login attempts and idempotency keys, and jobs that were done
// a week ago.
func (db *DB) CleanUp(ctx context.Context) error {
	return db.Change(ctx, func(tx *Tx) error {
		week, day := ms(tx.now.AddDate(0, 0, -7)), ms(tx.now.AddDate(0, 0, -1))
		tx.Exec(`DELETE FROM sessions WHERE expires_at < $1`, week)
		tx.Exec(`DELETE FROM password_resets WHERE expires_at < $1`, day)
		tx.Exec(`DELETE FROM login_attempts WHERE last_at < $1`, day)
		tx.Exec(`DELETE FROM jobs WHERE done_at < $1`, week)
		tx.Exec(`DELETE FROM idempotency WHERE created_at < $1`, ms(tx.now.Add(-idempotencyPeriod)))
		return nil
	})
}
