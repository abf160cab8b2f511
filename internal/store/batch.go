package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nadmor/internal/sqldb"
)

// batcher lets callers share transactions on PostgreSQL: jobs that arrive while another one runs wait,
// and the next transaction takes them all. If no job is running, a job runs alone and at once. On SQLite,
// where sqldb lets all writers share a commit, run is nil and every job runs alone.
type batcher[J batchJob] struct {
	run     func(ctx context.Context, jobs []J) error // in one transaction
	mu      sync.Mutex
	waiting []waitingJob[J]
	running int
}

// batchJob is the work of one caller. Jobs with the same batchKey do not share a transaction.
type batchJob interface{ batchKey() any }

type waitingJob[J batchJob] struct {
	ctx  context.Context
	job  J
	done chan error
}

const (
	// maxBatchJobs bounds the jobs of a transaction.
	maxBatchJobs = 32
	// stuckAfter bounds the wait for the running job, which may wait for a lock or a lost connection.
	stuckAfter = 100 * time.Millisecond
	// batchTimeout bounds a transaction, which does not end with the context of one of its callers.
	batchTimeout = 15 * time.Second
)

// errAlone means that a job has changed nothing and must run in a separate transaction: the shared one
// failed, perhaps because of another job, or another job has the same key.
var errAlone = errors.New("the job must run alone")

// do runs a job together with others, or calls alone to run it in a separate transaction.
func (b *batcher[J]) do(ctx context.Context, j J, alone func() error) error {
	if b.run == nil {
		return alone()
	}
	done := b.enter(ctx, j)
	if done == nil {
		defer b.leave()
		return alone()
	}
	err := b.await(done)
	if errors.Is(err, errAlone) {
		return alone()
	}
	return err
}

// await returns the result of a job that waits for the next batch.
func (b *batcher[J]) await(done <-chan error) error {
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	select {
	case err := <-done:
		return err
	case <-stuck.C:
		b.startNext()
		return <-done
	}
}

// startNext starts the next batch although another one is running.
func (b *batcher[J]) startNext() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 {
		b.running++
		go b.runBatch(b.next())
	}
}

// enter adds a job to the next batch. It returns nil if the job can run alone now; the caller must call
// leave after that.
func (b *batcher[J]) enter(ctx context.Context, j J) (done <-chan error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == 0 {
		b.running++
		return nil
	}
	w := waitingJob[J]{ctx, j, make(chan error, 1)}
	b.waiting = append(b.waiting, w)
	return w.done
}

// leave starts the next batch if a job waits.
func (b *batcher[J]) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.running--
		return
	}
	go b.runBatch(b.next())
}

// next takes the jobs of the next batch.
func (b *batcher[J]) next() (batch []waitingJob[J]) {
	n := min(len(b.waiting), maxBatchJobs)
	keys := map[any]bool{}
	for _, w := range b.waiting[:n] {
		switch key := w.job.batchKey(); {
		case w.ctx.Err() != nil:
			w.done <- w.ctx.Err()
		case keys[key]:
			w.done <- errAlone
		default:
			keys[key] = true
			batch = append(batch, w)
		}
	}
	b.waiting = b.waiting[n:]
	return batch
}

func (b *batcher[J]) runBatch(batch []waitingJob[J]) {
	defer b.leave()
	err := b.runJobs(batch)
	if err != nil && !errors.Is(err, sqldb.ErrUnknown) {
		err = errAlone
	}
	for _, w := range batch {
		w.done <- err
	}
}

func (b *batcher[J]) runJobs(batch []waitingJob[J]) (err error) {
	if len(batch) == 0 { // the contexts of all callers have ended
		return nil
	}
	defer func() { // the job panics again when it runs alone
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	jobs := make([]J, len(batch))
	for i, w := range batch {
		jobs[i] = w.job
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(batch[0].ctx), batchTimeout)
	defer cancel()
	return b.run(ctx, jobs)
}
