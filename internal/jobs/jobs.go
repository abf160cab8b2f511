// Package jobs runs background jobs: mail, closing days, follow-ups of erasures, and clean-up. A job is a row
// written in the same transaction as the change that needs it. Any node may run it, and only one does.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/store"
)

const (
	// lease is how long a job belongs to a node before others may take it over.
	lease = 2 * time.Minute
	// queueTime is the timeout for claiming a job and storing its result.
	queueTime = 15 * time.Second
	// poll is how often an idle node looks for jobs.
	poll = time.Second
	// maxRetryTime is how long a job is retried that may succeed: long enough for a mail server that fails on Friday
	// evening and is repaired on Monday.
	maxRetryTime = 4 * 24 * time.Hour
	// permanentAttempts is how often a job is tried that reports a permanent error: three quarters of an hour, in
	// which a mailbox may be created or a newer node that knows the kind may take over.
	permanentAttempts = 10
)

// Runner runs the jobs of the database, mail and other jobs one at a time each. Any number of nodes may have
// one: a job is leased to the first that claims it.
type Runner struct {
	DB     *store.DB
	Files  files.Store
	Log    *slog.Logger
	Mailer *Mailer                   // nil if mail is not configured
	Link   func(token string) string // URL to set a password
	Count  func(kind, result string) // called with the result of each attempt; may be nil

	jumps *clockJumps // nil if clock jumps are ignored
}

// Run runs jobs until ctx ends. The running job is then finished or released.
func (r *Runner) Run(ctx context.Context) {
	ctx = hospital.WithActor(ctx, hospital.System)
	r.jumps = &clockJumps{}
	var lines sync.WaitGroup
	for _, line := range []store.Queue{store.MailQueue, store.OtherQueue} {
		lines.Go(func() { r.run(ctx, line) })
	}
	lines.Wait()
}

func (r *Runner) run(ctx context.Context, line store.Queue) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		worked, err := r.step(ctx, line)
		if err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "jobs", "error", err.Error())
		}
		if worked && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// daily enqueues the daily jobs, and the closing of slots that have ended since. The key of a
// job makes sure that it is enqueued once, whichever node is first.
func (r *Runner) daily(ctx context.Context) error {
	if err := r.DB.Enqueue(ctx, store.JobCleanUp, struct{}{}, store.JobCleanUp+" "+r.DB.Today()); err != nil {
		return err
	}
	until, closes, err := r.DB.DayToClose(ctx)
	if err != nil || !closes {
		return err
	}
	if r.jumps != nil {
		jumped, distrusted := r.jumps.look(r.DB.Now(), time.Now())
		if jumped != 0 {
			r.Log.WarnContext(ctx, "clock jumped, days are not closed for a while", "by", jumped.String(),
				"for", doubt.String())
		}
		if distrusted {
			return nil
		}
	}
	return r.DB.EnqueueDayClose(ctx, until)
}

const (
	// leap is the largest forward jump of the clock that counts as an adjustment.
	leap = 10 * time.Minute
	// doubt is how long the clock is distrusted after a larger jump, so that it can be corrected before
	// appointments become no-shows.
	doubt = time.Hour
)

// clockJumps detects jumps of the wall clock relative to the monotonic clock.
type clockJumps struct {
	wall, steady time.Time
	until        time.Time // monotonic
}

// look returns by how far the wall clock jumped ahead since the last call, 0 for no jump, and whether the
// clock is distrusted.
func (j *clockJumps) look(wall, steady time.Time) (jumped time.Duration, distrusted bool) {
	if !j.steady.IsZero() {
		ahead := wall.Sub(j.wall) - steady.Sub(j.steady)
		switch {
		case ahead > leap:
			jumped, j.until = ahead, steady.Add(doubt)
		case ahead < -leap: // set back
			j.until = time.Time{}
		}
	}
	j.wall, j.steady = wall, steady
	return jumped, steady.Before(j.until)
}

// step runs one job, if there is one. A panic is handled like any other error: the job is
// retried later, and the process continues.
func (r *Runner) step(ctx context.Context, line store.Queue) (worked bool, err error) {
	defer hospital.Recover(&err)
	job, ok, err := r.claim(ctx, line)
	if err != nil || !ok {
		return false, err
	}
	h, bounded, drop := r.leaseJob(ctx, job)
	defer drop()
	err = r.do(bounded, h, job)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("no progress within %s: %w", progressTimeout, err)
	}
	// The result is stored even while the process stops.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueTime)
	defer cancel()
	err = r.storeResult(after, job, err, ctx.Err() != nil)
	if errors.Is(err, store.ErrJobTaken) { // the other node stores the result
		r.Log.WarnContext(ctx, "job taken over by another node", "kind", job.Kind, "job", job.ID, "attempt", job.Attempts)
		return true, nil
	}
	return true, err
}

// storeResult stores, counts and logs the result of an attempt. It does nothing but return store.ErrJobTaken if
// another node has taken over the job.
func (r *Runner) storeResult(ctx context.Context, job store.Job, failed error, stopping bool) (err error) {
	log := r.Log.With("kind", job.Kind, "job", job.ID, "attempt", job.Attempts)
	result, wait := "", backoff(job.Attempts)
	switch {
	case errors.Is(failed, store.ErrJobTaken):
		return failed
	case failed == nil:
		result, err = "done", r.DB.FinishJob(ctx, job)
	case stopping:
		err = r.DB.ReleaseJob(ctx, job)
	case r.isPermanent(job, failed):
		result, err = "given-up", r.abandon(ctx, job, failed.Error())
	default:
		result, err = "failed", r.DB.RetryJob(ctx, job, wait, failed.Error())
	}
	if errors.Is(err, store.ErrJobTaken) {
		return err
	}
	if result != "" && r.Count != nil {
		r.Count(job.Kind, result)
	}
	switch result {
	case "given-up":
		log.ErrorContext(ctx, "job failed, abandoned", "since", job.Since, "error", failed.Error())
	case "failed":
		log.WarnContext(ctx, "job failed, will be retried", "again_in", wait.String(), "error", failed.Error())
	}
	return err
}

// abandon abandons a job and records that its link was not sent. Renewing the lease first makes sure that the job
// is not recorded while another node runs it.
func (r *Runner) abandon(ctx context.Context, job store.Job, why string) error {
	if err := r.DB.RenewJob(ctx, job, lease); err != nil {
		return err
	}
	return errors.Join(r.recordUnsentLink(ctx, job), r.DB.AbandonJob(ctx, job, why))
}

// claim enqueues the daily jobs and claims a job.
func (r *Runner) claim(ctx context.Context, line store.Queue) (job store.Job, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, queueTime)
	defer cancel()
	if line != store.MailQueue {
		if err := r.daily(ctx); err != nil {
			return job, false, err
		}
	}
	return r.DB.ClaimJob(ctx, lease, line)
}

// errNever marks a permanent error.
var errNever = errors.New("cannot succeed")

// isPermanent reports whether a failed job is not retried.
func (r *Runner) isPermanent(job store.Job, err error) bool {
	if errors.Is(err, errNever) && job.Attempts >= permanentAttempts {
		return true
	}
	return r.DB.Now().Sub(job.Since) >= maxRetryTime
}

// backoff returns the delay after a failed attempt: 5 s, doubled each time, at most an hour.
func backoff(attempts int) time.Duration {
	return min(5*time.Second<<min(max(attempts, 1)-1, 12), store.MaxRetryDelay)
}

func (r *Runner) do(ctx context.Context, h *jobLease, job store.Job) (err error) {
	defer hospital.Recover(&err)
	switch job.Kind {
	case store.JobMailReset, store.JobMailInvite:
		in, err := payload[store.MailLink](job)
		if err != nil {
			return err
		}
		return r.mailLink(ctx, job.Kind, in)
	case store.JobCleanUp:
		return errors.Join(r.DB.CleanUp(ctx), r.cleanUpFiles(ctx, h))
	case store.JobDayClose:
		in, err := payload[store.DayClose](job)
		if err != nil {
			return err
		}
		closed, err := r.DB.CloseDays(ctx, in)
		if closed > 0 {
			r.Log.InfoContext(ctx, "day closed", "date", in.Date, "time", in.Time, "no_shows", closed)
		}
		return err
	case privacy.JobErase:
		in, err := payload[privacy.EraseAgain](job)
		if err != nil {
			return err
		}
		err = privacy.EraseSince(ctx, r.DB, in.PatientID)
		for _, key := range in.Files {
			err = errors.Join(err, r.Files.Delete(ctx, key))
		}
		return err
	default:
		return fmt.Errorf("no such kind of job: %w", errNever)
	}
}

// payload decodes the payload of a job. A decoding error is permanent.
func payload[T any](job store.Job) (in T, err error) {
	if err := json.Unmarshal([]byte(job.Payload), &in); err != nil {
		return in, fmt.Errorf("read payload: %w: %w", errNever, err)
	}
	return in, nil
}

// recipient returns the user a link is for. known is false if there is none.
func (r *Runner) recipient(ctx context.Context, in store.MailLink) (user hospital.User, known bool, err error) {
	if in.UserID != 0 {
		user, err = r.DB.User(ctx, in.UserID)
	} else {
		user, err = r.DB.UserByEmail(ctx, in.Email)
	}
	if errors.Is(err, hospital.Reject(hospital.NotFound)) {
		return user, false, nil
	}
	return user, err == nil, err
}

// recordUnsentLink records for administrators that the user of an abandoned job waits for a link, unless they
// have signed in since.
func (r *Runner) recordUnsentLink(ctx context.Context, job store.Job) error {
	if job.Kind != store.JobMailReset && job.Kind != store.JobMailInvite {
		return nil
	}
	in, err := payload[store.MailLink](job)
	if err != nil {
		return nil //nolint:nilerr // nobody knows for whom it was
	}
	user, known, err := r.recipient(ctx, in)
	if err != nil || !known || user.LastLoginAt != nil && user.LastLoginAt.After(job.Since) {
		return err
	}
	return r.DB.MarkResetRequested(ctx, user.ID)
}

// mailLink creates a link to set a password and mails it. An unknown address is not an error, because the
// response to the request is the same for all addresses.
func (r *Runner) mailLink(ctx context.Context, kind string, in store.MailLink) error {
	user, known, err := r.recipient(ctx, in)
	if err != nil || !known {
		return err
	}
	if r.Mailer == nil {
		r.Log.WarnContext(ctx, "no mail was sent: NADMOR_SMTP_URL is not set; an administrator can create a link",
			"user_id", user.ID)
		return r.DB.MarkResetRequested(ctx, user.ID)
	}
	setting, err := r.DB.Setting(ctx)
	if err != nil {
		return err
	}
	token, expires, err := r.DB.NewResetLink(ctx, user.ID)
	if err != nil {
		return err
	}
	return r.Mailer.Send(ctx, linkMail(kind == store.JobMailInvite, setting.Name, user, r.Link(token), expires))
}
