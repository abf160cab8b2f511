package jobs

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/store"
)

const (
	// progressTimeout is how long a job may run without reporting progress. It is half of the lease, which leaves time
	// to store the result.
	progressTimeout = lease / 2
	// renewAfter is the age at which a lease is renewed, so that frequent progress reports do not write to the
	// database each time.
	renewAfter = lease / 12
)

// jobLease is the lease of a running job.
type jobLease struct {
	renew   func(context.Context) error
	now     func() time.Time
	renewed time.Time
	timer   *time.Timer
}

// leaseJob returns the context of a job. It is cancelled if the job reports no progress for progressTimeout, so that
// long jobs can finish and hanging ones are stopped. drop releases it.
func (r *Runner) leaseJob(ctx context.Context, job store.Job) (h *jobLease, bounded context.Context, drop func()) {
	bounded, cancel := context.WithCancel(ctx)
	h = &jobLease{
		renew:   func(ctx context.Context) error { return r.DB.RenewJob(ctx, job, lease) },
		now:     r.DB.Now,
		renewed: r.DB.Now(),
		timer:   time.AfterFunc(progressTimeout, cancel),
	}
	return h, bounded, func() {
		h.timer.Stop()
		cancel()
	}
}

// renewLease reports progress and renews the lease. It must not be called within a transaction. It returns
// store.ErrJobTaken if another node has taken over the job.
func (h *jobLease) renewLease(ctx context.Context) error {
	now := h.now()
	if age := now.Sub(h.renewed); age >= 0 && age < renewAfter { // negative if the clock was set back
		return nil
	}
	if err := h.renew(ctx); err != nil {
		return fmt.Errorf("renew lease: %w", err)
	}
	h.renewed = now
	h.timer.Reset(progressTimeout)
	return nil
}
