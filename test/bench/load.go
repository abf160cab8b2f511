package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// request is one call, and what a right answer has in it.
type request struct {
	method, path string
	body         []byte
	key          string // Idempotency-Key
	books        bool   // an appointment more if it is answered
	check        func(answer []byte) error
}

// operation makes the calls of one line of the table. next is called from many
// goroutines; client tells which of them, n counts the calls of all.
type operation struct {
	name    string
	clients int
	next    func(client int, n int64) request
}

// round is what one closed loop measured: every client sends its next request
// when it has the answer to the last one.
type round struct {
	Requests int64         `json:"requests"`
	Seconds  float64       `json:"seconds"`
	Rate     float64       `json:"rate"`
	P50      float64       `json:"p50"` // milliseconds
	P95      float64       `json:"p95"`
	P99      float64       `json:"p99"`
	CPU      float64       `json:"cpu"` // microseconds of processor time a request, of the server and its database
	cpu      time.Duration // all of it
}

// target is a server under test.
type target struct {
	base   string
	token  string
	client *http.Client
	cpu    func() time.Duration // processor time used so far
	sent   atomic.Int64         // requests made of all operations, so that no two bookings are the same
	booked atomic.Int64         // bookings that were acknowledged
}

func newTarget(base string, cpu func() time.Duration) *target {
	return &target{base: base, cpu: cpu, client: &http.Client{
		Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true},
		Timeout:   30 * time.Second,
	}}
}

// call sends a request and reads the answer into buf. Anything but a right
// answer is an error.
func (t *target) call(ctx context.Context, r request, buf *bytes.Buffer) error {
	req, err := http.NewRequestWithContext(ctx, r.method, t.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	if t.token != "" {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	if len(r.body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // the copy below tells what matters
	buf.Reset()
	if _, err := io.Copy(buf, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.300s", r.method, r.path, resp.Status, buf.Bytes())
	}
	if r.check != nil {
		if err := r.check(buf.Bytes()); err != nil {
			return fmt.Errorf("%s %s: %w: %.300s", r.method, r.path, err, buf.Bytes())
		}
	}
	if r.books {
		t.booked.Add(1)
	}
	return nil
}

// run measures one round. The first wrong answer ends it.
func (t *target) run(ctx context.Context, op operation, length time.Duration) (round, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, op.clients)
	var wg sync.WaitGroup
	cpu, start := t.cpu(), time.Now()
	end := start.Add(length)
	for client := range op.clients {
		wg.Go(func() {
			var buf bytes.Buffer
			for now := time.Now(); now.Before(end); {
				if err := t.call(ctx, op.next(client, t.sent.Add(1)), &buf); err != nil {
					cancel(err)
					return
				}
				done := time.Now()
				took[client] = append(took[client], done.Sub(now))
				now = done
			}
		})
	}
	wg.Wait()
	seconds := time.Since(start).Seconds()
	used := t.cpu() - cpu
	if err := context.Cause(ctx); err != nil {
		return round{}, fmt.Errorf("%s: %w", op.name, err)
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) / 1000 }
	n := int64(len(all))
	return round{
		Requests: n, Seconds: seconds, Rate: float64(n) / seconds, P50: at(0.5), P95: at(0.95), P99: at(0.99),
		CPU: float64(used.Microseconds()) / float64(n), cpu: used,
	}, nil
}

// median is the round in the middle by its rate.
func median(rounds []round) round {
	sorted := slices.Clone(rounds)
	slices.SortFunc(sorted, func(a, b round) int { return int(a.Rate - b.Rate) })
	return sorted[len(sorted)/2]
}
