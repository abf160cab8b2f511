package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nadmor/internal/store"
)

const (
	// holdTime is how long a job may take, or how long one may that says in between
	// that it gets on: half of the lease, so that the other half is left to write
	// down what became of it.
	holdTime = lease / 2
	// renewAfter is how old a lease is before it is renewed: a long job says often
	// that it gets on, and does not write to the database each time.
	renewAfter = lease / 12
)

// errTaken says that somebody else has taken over a job that we took too long for.
var errTaken = errors.New("taken over by another node")

// hold is a job in hand.
type hold struct {
	renew   func(context.Context) (ok bool, err error)
	now     func() time.Time
	renewed time.Time
	timer   *time.Timer
}

// holdJob returns the context that a job is worked on in. It ends after holdTime,
// anew each time that the work gets on: so any amount of it can be finished, and
// work that hangs is not waited for. drop ends it.
func (r *Runner) holdJob(ctx context.Context, job store.Job) (h *hold, bounded context.Context, drop func()) {
	bounded, cancel := context.WithCancel(ctx)
	h = &hold{
		renew:   func(ctx context.Context) (bool, error) { return r.DB.RenewJob(ctx, job, lease) },
		now:     r.DB.Now,
		renewed: r.DB.Now(),
		timer:   time.AfterFunc(holdTime, cancel),
	}
	return h, bounded, func() {
		h.timer.Stop()
		cancel()
	}
}

// goOn tells that a job gets on, which keeps it ours. It is not to be called
// within a transaction.
func (h *hold) goOn(ctx context.Context) error {
	now := h.now()
	if age := now.Sub(h.renewed); age >= 0 && age < renewAfter { // below 0 the clock was put back
		return nil
	}
	ok, err := h.renew(ctx)
	if err != nil {
		return fmt.Errorf("renew lease: %w", err)
	}
	if !ok {
		return errTaken
	}
	h.renewed = now
	h.timer.Reset(holdTime)
	return nil
}
