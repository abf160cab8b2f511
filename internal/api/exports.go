package api

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// exports limits downloads with an unlimited number of rows.
type exports struct {
	most    int           // concurrent exports, until the last byte is sent
	ofUser  int           // concurrent exports of one user
	wait    time.Duration // for reading the database
	reading chan struct{} // one element for each export that is reading the database

	mu     sync.Mutex
	total  int
	byUser map[int64]int
}

func newExports() *exports {
	return &exports{
		most: 32, ofUser: 4, wait: 30 * time.Second, byUser: map[int64]int{},
		// The others wait, so that ordinary requests find a free database connection and CPU.
		reading: make(chan struct{}, min(2, max(1, runtime.GOMAXPROCS(0)/2))),
	}
}

const (
	// exportRetry is the Retry-After header of a rejected export in seconds.
	exportRetry   = 30
	tooManyReason = "TOO_MANY_EXPORTS"
)

// tooManyExports returns the error of an export that exceeds the limits.
func tooManyExports() *hospital.Error {
	return hospital.Reject(hospital.Unavailable).Because(
		"กำลังส่งออกข้อมูลหลายรายการพร้อมกัน กรุณารอให้รายการก่อนหน้าเสร็จ หรือรอประมาณ "+strconv.Itoa(exportRetry)+
			" วินาที แล้วลองอีกครั้ง",
		"Too many exports are running. Wait until an earlier one has finished, or about "+strconv.Itoa(exportRetry)+
			" seconds, and try again.",
	).With("reason", tooManyReason).With("retryAfter", exportRetry)
}

// begin counts one more export of a user until end is called. It returns UNAVAILABLE if
// there are too many.
func (e *exports) begin(user int64) (end func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.total >= e.most || e.byUser[user] >= e.ofUser {
		return nil, tooManyExports()
	}
	e.total++
	e.byUser[user]++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.total--
		if e.byUser[user]--; e.byUser[user] == 0 {
			delete(e.byUser, user)
		}
	}, nil
}

// read calls write when it may read the database. It returns UNAVAILABLE if the wait takes too long.
func (e *exports) read(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	timeout := time.NewTimer(e.wait)
	defer timeout.Stop()
	select {
	case e.reading <- struct{}{}:
		defer func() { <-e.reading }()
		return write(&throttledWriter{w, time.Now()})
	case <-timeout.C:
		return tooManyExports()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// throttledWriter pauses after each chunk for as long as it took to produce, so that other requests are not
// delayed by the scheduler.
type throttledWriter struct {
	w     io.Writer
	since time.Time // when work on the chunk started
}

// maxRest limits the pause. A chunk that waited for the database did not use the CPU.
const maxRest = 5 * time.Millisecond

// Write writes a chunk.
func (r *throttledWriter) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	time.Sleep(min(time.Since(r.since), maxRest))
	r.since = time.Now()
	return n, err
}
