package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nadmor/internal/sqldb"
)

type testJob struct {
	name string
	key  int
}

func (j testJob) batchKey() any { return j.key }

// testBatches runs jobs and records which ran together. The jobs "first" and "stuck" run until they are
// released.
type testBatches struct {
	batcher[testJob]
	mu      sync.Mutex
	ran     []string // names of the jobs of each run
	fail    map[string]error
	release map[string]chan struct{}
	wait    sync.WaitGroup
	errs    map[string]error
}

func newTestBatches() *testBatches {
	b := &testBatches{
		fail: map[string]error{}, errs: map[string]error{},
		release: map[string]chan struct{}{"first": make(chan struct{}), "stuck": make(chan struct{})},
	}
	b.run = func(_ context.Context, jobs []testJob) error { return b.runAll("together", jobs...) }
	return b
}

func (b *testBatches) runAll(how string, jobs ...testJob) (err error) {
	slices.SortFunc(jobs, func(a, b testJob) int { return a.key - b.key })
	for _, j := range jobs {
		how += " " + j.name
		if j.name == "panic" {
			panic("a job that panics")
		}
		err = errors.Join(err, b.fail[j.name])
	}
	b.mu.Lock()
	b.ran = append(b.ran, how)
	b.mu.Unlock()
	for _, j := range jobs {
		if wait := b.release[j.name]; wait != nil {
			<-wait
		}
	}
	return err
}

// start calls do for each job, one after the other, without waiting for the results.
func (b *testBatches) start(ctx context.Context, jobs ...testJob) {
	for _, j := range jobs {
		b.wait.Go(func() {
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("%v", r)
					}
				}()
				return b.do(ctx, j, func() error { return b.runAll("alone", j) })
			}()
			b.mu.Lock()
			b.errs[j.name] = err
			b.mu.Unlock()
		})
		synctest.Wait()
	}
}

func (b *testBatches) expect(t *testing.T, ran ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.ran, ran) {
		t.Errorf("ran %q, want %q", b.ran, ran)
	}
}

func TestBatchTakesWaitingJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestBatches()
		cancelled, cancel := context.WithCancel(t.Context())
		b.start(t.Context(), testJob{"first", 0}, testJob{"a", 1}, testJob{"b", 2}, testJob{"same key as b", 2})
		b.start(cancelled, testJob{"cancelled", 3})
		cancel()
		b.expect(t, "alone first")
		close(b.release["first"])
		b.wait.Wait()
		slices.Sort(b.ran)
		b.expect(t, "alone first", "alone same key as b", "together a b")
		if !errors.Is(b.errs["cancelled"], context.Canceled) {
			t.Errorf("a cancelled caller: %v", b.errs["cancelled"])
		}
		b.start(t.Context(), testJob{"next", 1})
		b.wait.Wait()
		if b.ran[len(b.ran)-1] != "alone next" || b.running != 0 {
			t.Errorf("ran %q, running %d", b.ran, b.running)
		}
	})
}

func TestBatchLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestBatches()
		b.start(t.Context(), testJob{"first", 0})
		for i := range maxBatchJobs + 1 {
			b.start(t.Context(), testJob{"j", i})
		}
		close(b.release["first"])
		b.wait.Wait()
		if n := len(b.ran); n != 3 {
			t.Errorf("%d runs, want 3", n)
		}
	})
}

func TestFailedBatchRunsEachJobAlone(t *testing.T) {
	failed := errors.New("constraint")
	for name, fail := range map[string]error{"bad": failed, "panic": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestBatches()
				b.fail[name] = fail
				b.start(t.Context(), testJob{"first", 0}, testJob{"good", 1}, testJob{name, 2})
				close(b.release["first"])
				b.wait.Wait()
				if b.errs["good"] != nil || b.errs[name] == nil {
					t.Errorf("errors %v", b.errs)
				}
				if !slices.Contains(b.ran, "alone good") {
					t.Errorf("ran %q", b.ran)
				}
			})
		})
	}
}

func TestBatchOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestBatches()
		b.fail["lost"] = sqldb.ErrUnknown
		b.start(t.Context(), testJob{"first", 0}, testJob{"other", 1}, testJob{"lost", 2})
		close(b.release["first"])
		b.wait.Wait()
		b.expect(t, "alone first", "together other lost")
		for _, name := range []string{"other", "lost"} {
			if !errors.Is(b.errs[name], sqldb.ErrUnknown) {
				t.Errorf("%s: %v", name, b.errs[name])
			}
		}
	})
}

func TestStuckJobDoesNotBlockBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestBatches()
		b.start(t.Context(), testJob{"stuck", 0}, testJob{"a", 1}, testJob{"b", 2})
		b.expect(t, "alone stuck")
		time.Sleep(stuckAfter)
		synctest.Wait()
		b.expect(t, "alone stuck", "together a b")
		close(b.release["stuck"])
		b.wait.Wait()
		if b.running != 0 {
			t.Errorf("running %d", b.running)
		}
	})
}
