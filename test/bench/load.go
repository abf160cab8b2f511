package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is a request with a check of its response.
type request struct {
	method, path string
	body         []byte
	key          string // Idempotency-Key
	books        bool   // a success adds an appointment
	check        func(answer []byte) error
}

// operation generates the requests of a row of the table. next is called from many goroutines; client
// identifies them, n counts the requests of all.
type operation struct {
	name    string
	clients int
	next    func(client int, n int64) request
}

// round is the result of a closed loop, in which every client sends its next request after the response to
// the last one.
type round struct {
	Requests int64         `json:"requests"`
	Seconds  float64       `json:"seconds"`
	Rate     float64       `json:"rate"`
	P50      float64       `json:"p50"` // milliseconds
	P95      float64       `json:"p95"`
	P99      float64       `json:"p99"`
	CPU      float64       `json:"cpu"` // microseconds of CPU time per request, of server and database
	cpu      time.Duration // total
}

// target is a server under test.
type target struct {
	base   string
	token  string
	cpu    func() time.Duration // CPU time used so far
	sent   atomic.Int64         // requests of all operations, so that no two bookings are the same
	booked atomic.Int64         // acknowledged bookings
}

func newTarget(base string, cpu func() time.Duration) *target {
	return &target{base: strings.TrimPrefix(base, "http://"), cpu: cpu}
}

// wire is a client's connection. The clients share two cores with the server, so they avoid the cost of
// http.Transport: the request is written in one piece, and the response read where it arrives.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

// requestTimeout is the timeout of a request.
const requestTimeout = 30 * time.Second

// dial returns a connection for each client. They are opened for each round, because a server may close idle
// ones.
func (t *target) dial(ctx context.Context, clients int) (wires []*wire, err error) {
	dialer := net.Dialer{Timeout: requestTimeout}
	for range clients {
		conn, err := dialer.DialContext(ctx, "tcp", t.base)
		if err != nil {
			hangUp(wires)
			return nil, err
		}
		wires = append(wires, &wire{conn: conn, in: bufio.NewReaderSize(conn, 1<<16)})
	}
	return wires, nil
}

func hangUp(wires []*wire) {
	for _, w := range wires {
		_ = w.conn.Close() // everything was read
	}
}

// call sends a request that is not measured.
func (t *target) call(ctx context.Context, r request, buf *bytes.Buffer) error {
	wires, err := t.dial(ctx, 1)
	if err != nil {
		return err
	}
	defer hangUp(wires)
	return t.ask(wires[0], r, buf)
}

// ask sends a request and reads the response into buf. It returns an error unless the response is correct.
func (t *target) ask(w *wire, r request, buf *bytes.Buffer) error {
	if err := w.conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return err
	}
	out := append(append(append(append(append(w.out[:0], r.method...), ' '), r.path...), " HTTP/1.1\r\nHost: "...),
		t.base...)
	if t.token != "" {
		out = append(append(out, "\r\nAuthorization: Bearer "...), t.token...)
	}
	if len(r.body) > 0 {
		out = append(out, "\r\nContent-Type: application/json\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(r.body)), 10)
	}
	if r.key != "" {
		out = append(append(out, "\r\nIdempotency-Key: "...), r.key...)
	}
	w.out = append(append(out, "\r\n\r\n"...), r.body...)
	if _, err := w.conn.Write(w.out); err != nil {
		return err
	}
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return err
	}
	buf.Reset()
	if _, err := io.Copy(buf, resp.Body); err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
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

// run measures a round. The first incorrect response ends it.
func (t *target) run(ctx context.Context, op operation, length time.Duration) (round, error) {
	wires, err := t.dial(ctx, op.clients)
	if err != nil {
		return round{}, err
	}
	defer hangUp(wires)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, op.clients)
	var wg sync.WaitGroup
	cpu, start := t.cpu(), time.Now()
	end := start.Add(length)
	for client := range op.clients {
		wg.Go(func() {
			var buf bytes.Buffer
			// Each client sends at least one request, however late it starts.
			for now := time.Now(); ctx.Err() == nil; {
				if err := t.ask(wires[client], op.next(client, t.sent.Add(1)), &buf); err != nil {
					cancel(err)
					return
				}
				done := time.Now()
				took[client] = append(took[client], done.Sub(now))
				if !done.Before(end) {
					return
				}
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

// median returns the round with the median rate.
func median(rounds []round) round {
	sorted := slices.Clone(rounds)
	slices.SortFunc(sorted, func(a, b round) int { return cmp.Compare(a.Rate, b.Rate) })
	return sorted[len(sorted)/2]
}
