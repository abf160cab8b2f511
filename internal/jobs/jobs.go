// Package jobs does what need not be done before a person gets an answer: mail,
// the day's closing, what is left of an erasure, and tidying up. A job is a row
// written with the change that wants it; any node may work on it, and only one
// does.
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
	// lease is how long a node keeps a job before others believe it dead.
	lease = 2 * time.Minute
	// queueTime is how long it may take to take a job, or to say what became of it.
	queueTime = 15 * time.Second
	// poll is how often an idle node looks for work.
	poll = time.Second
	// patience is how long a job is tried that may yet succeed: a mail server
	// that broke on Friday evening is mended on Monday.
	patience = 4 * 24 * time.Hour
	// hopelessAttempts is how often one is tried that says it never will: three
	// quarters of an hour, in which a mailbox is made, or a newer node that knows
	// the kind takes over.
	hopelessAttempts = 10
)

// Runner works on the jobs of the database, mails and others each one at a time.
// Any number of nodes may have one: a job is leased to whoever takes it first.
type Runner struct {
	DB     *store.DB
	Files  files.Store
	Log    *slog.Logger
	Mailer *Mailer                   // nil where mail is not configured
	Link   func(token string) string // the page to choose a password on
	Count  func(kind, result string) // told how each attempt ended; nil for nobody

	jumps *jumps // nil where nobody waits
}

// Run works until ctx ends. The job in hand then is finished or handed back.
func (r *Runner) Run(ctx context.Context) {
	ctx = hospital.WithActor(ctx, hospital.System)
	r.jumps = &jumps{}
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
		jumped, hold := r.jumps.look(r.DB.Now(), time.Now())
		if jumped != 0 {
			r.Log.WarnContext(ctx, "the clock jumped: no day is closed for a while", "by", jumped.String(), "for", doubt.String())
		}
		if hold {
			return nil
		}
	}
	return r.DB.EnqueueDayClose(ctx, until)
}

const (
	// leap is how far a clock jumps ahead that is put right and no more.
	leap = 10 * time.Minute
	// doubt is how long a clock is not believed that jumped further. Somebody who
	// notices puts it back meanwhile, and nobody was made a no-show.
	doubt = time.Hour
)

// jumps notices when the clock is put forward, by one that cannot be.
type jumps struct {
	wall, steady time.Time
	until        time.Time // by the steady clock
}

// look tells by how far the clock jumped ahead since the last look, 0 for not,
// and whether to wait and see.
func (j *jumps) look(wall, steady time.Time) (jumped time.Duration, hold bool) {
	if !j.steady.IsZero() {
		ahead := wall.Sub(j.wall) - steady.Sub(j.steady)
		switch {
		case ahead > leap:
			jumped, j.until = ahead, steady.Add(doubt)
		case ahead < -leap: // put back
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
	h, bounded, drop := r.holdJob(ctx, job)
	defer drop()
	err = r.do(bounded, h, job)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("nothing came of it within %s: %w", holdTime, err)
	}
	// Whatever happened is written down even while the process is stopping.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueTime)
	defer cancel()
	count := func(result string) {
		if r.Count != nil {
			r.Count(job.Kind, result)
		}
	}
	switch {
	case err == nil:
		count("done")
		return true, r.DB.FinishJob(after, job.ID)
	case ctx.Err() != nil:
		return true, r.DB.ReleaseJob(after, job.ID)
	case errors.Is(err, errTaken): // what becomes of it is for the other to say
		r.Log.WarnContext(ctx, "job left to another node", "kind", job.Kind, "job", job.ID, "attempt", job.Attempts)
		return true, nil
	case r.hopeless(job, err):
		count("given-up")
		r.Log.ErrorContext(ctx, "job failed, given up", "kind", job.Kind, "job", job.ID, "attempt", job.Attempts, "since", job.Since, "error", err.Error())
		return true, errors.Join(r.tellWhoWaits(after, job), r.DB.AbandonJob(after, job.ID, err.Error()))
	default:
		count("failed")
		wait := backoff(job.Attempts)
		r.Log.WarnContext(ctx, "job failed, will be tried again", "kind", job.Kind, "job", job.ID, "attempt", job.Attempts, "again_in", wait.String(), "error", err.Error())
		return true, r.DB.RetryJob(after, job.ID, wait, err.Error())
	}
}

// claim takes a job, after what is due today has been added.
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

// errNever marks what does not mend itself.
var errNever = errors.New("cannot succeed")

// hopeless tells whether a failed job is not worth another attempt.
func (r *Runner) hopeless(job store.Job, err error) bool {
	if errors.Is(err, errNever) && job.Attempts >= hopelessAttempts {
		return true
	}
	return r.DB.Now().Sub(job.Since) >= patience
}

// backoff waits 5 s after the first failure, twice as long after each further
// one, at most an hour.
func backoff(attempts int) time.Duration {
	return min(5*time.Second<<min(max(attempts, 1)-1, 12), store.MaxRetryDelay)
}

func (r *Runner) do(ctx context.Context, h *hold, job store.Job) (err error) {
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

// payload reads what a job is about. What cannot be read does not mend itself.
func payload[T any](job store.Job) (in T, err error) {
	if err := json.Unmarshal([]byte(job.Payload), &in); err != nil {
		return in, fmt.Errorf("read payload: %w: %w", errNever, err)
	}
	return in, nil
}

// recipient is whose account a link is for; known is false when there is none.
func (r *Runner) recipient(ctx context.Context, in store.MailLink) (user hospital.User, known bool, err error) {
	if in.UserID != 0 {
		user, err = r.DB.User(ctx, in.UserID)
	} else {
		user, err = r.DB.UserByEmail(ctx, in.Email)
	}
	if errors.Is(err, hospital.Refuse(hospital.NotFound)) {
		return user, false, nil
	}
	return user, err == nil, err
}

// tellWhoWaits has administrators see who waits for a link that could not be
// mailed, and has not signed in since: the job that is given up forgets it.
func (r *Runner) tellWhoWaits(ctx context.Context, job store.Job) error {
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

// mailLink makes a link to choose a password and mails it. Nobody having the
// address is not a failure: the page said the same to everybody.
func (r *Runner) mailLink(ctx context.Context, kind string, in store.MailLink) error {
	user, known, err := r.recipient(ctx, in)
	if err != nil || !known {
		return err
	}
	if r.Mailer == nil {
		r.Log.WarnContext(ctx, "no mail was sent: NADMOR_SMTP_URL is not set; an administrator can hand the link over", "user_id", user.ID)
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
