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

// exports bounds the downloads that can have any number of rows.
type exports struct {
	most    int           // at once, from the request to the last byte
	ofUser  int           // of them for one user
	wait    time.Duration // for a turn to read
	reading chan struct{} // has an element for each that reads the database

	mu     sync.Mutex
	total  int
	byUser map[int64]int
}

func newExports() *exports {
	return &exports{
		most: 32, ofUser: 4, wait: 30 * time.Second, byUser: map[int64]int{},
		// The others wait, so that an ordinary call always finds a free database connection and processor.
		reading: make(chan struct{}, min(2, max(1, runtime.GOMAXPROCS(0)/2))),
	}
}

const (
	// exportRetry is how many seconds after a refusal there may be room for an export.
	exportRetry   = 30
	tooManyReason = "TOO_MANY_EXPORTS"
)

// tooManyExports refuses an export while others take up what there is for them.
func tooManyExports() *hospital.Error {
	return hospital.Refuse(hospital.Unavailable).Because(
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

// read has write read the rows and write them to w when it is its turn. It returns
// UNAVAILABLE if that takes too long.
func (e *exports) read(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	patience := time.NewTimer(e.wait)
	defer patience.Stop()
	select {
	case e.reading <- struct{}{}:
		defer func() { <-e.reading }()
		return write(&restingWriter{w, time.Now()})
	case <-patience.C:
		return tooManyExports()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restingWriter pauses after each chunk for as long as it took to make. Go looks for new
// requests when a processor is idle, so that those would wait for the chunks otherwise.
type restingWriter struct {
	w     io.Writer
	since time.Time // when the work on this chunk began
}

// mostRest bounds the pause: a chunk can take long because the database does, and that uses
// no processor.
const mostRest = 5 * time.Millisecond

// Write writes a chunk.
func (r *restingWriter) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	time.Sleep(min(time.Since(r.since), mostRest))
	r.since = time.Now()
	return n, err
}
