package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"nadmor/test/product"
)

// ledger records the responses of clients: every acknowledged write must exist once afterwards.
type ledger struct {
	mu       sync.Mutex
	booked   map[string]int64        // idempotency key to appointment
	open     map[int]product.Booking // client to unanswered request
	uploads  map[int64]string        // result to SHA-256 of its file
	rejected int                     // full slots, which are a correct response
	later    int                     // temporary errors
	failures map[string]int

	// Set if the product runs all the time, so that every request gets a response.
	answers  bool
	slowest  time.Duration        // maximum response time
	stretch  map[string]stretches // without a booking, by the URL of the node
	breather time.Duration        // between two requests of a client
}

// stretches are periods without an acknowledged write.
type stretches struct {
	last    time.Time
	longest time.Duration
}

func newLedger() *ledger {
	return &ledger{
		booked: map[string]int64{}, open: map[int]product.Booking{}, uploads: map[int64]string{}, failures: map[string]int{},
		stretch: map[string]stretches{},
	}
}

// begin resets the longest period.
func (l *ledger) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for node := range l.stretch {
		l.stretch[node] = stretches{last: time.Now()}
	}
}

// longest returns the longest period since begin in which any node acknowledged nothing.
func (l *ledger) longest() (most time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.stretch {
		most = max(most, s.longest, time.Since(s.last))
	}
	return most
}

// gap returns the last acknowledgement of a node and the longest period without one.
func (l *ledger) gap(node string) (last time.Time, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stretch[node]
	return s.last, max(s.longest, time.Since(s.last))
}

// fail records an unexpected response.
func (l *ledger) fail(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures[what]++
}

// took records a response time.
func (l *ledger) took(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slowest = max(l.slowest, d)
}

// bookedSince reports whether every node has acknowledged a write after a time.
func (l *ledger) bookedSince(t time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.stretch {
		if !s.last.After(t) {
			return false
		}
	}
	return true
}

// hold runs clients from one number up to another until the returned function is called, which waits for them
// and may be called again.
func (l *ledger) hold(ctx context.Context, from, to, round int, k product.Clinic,
	nodes ...*product.Client) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for client := from; client < to; client++ {
		random := rand.New(rand.NewPCG(uint64(round), uint64(client))) //nolint:gosec // the same requests every time
		wg.Go(func() { l.work(ctx, k, client, random, nodes...) })
	}
	return func() { cancel(); wg.Wait() }
}

// work books with a client until the context ends. A request without a response is repeated with its key on
// any node. Now and then a file is added.
func (l *ledger) work(ctx context.Context, k product.Clinic, client int, r *rand.Rand, nodes ...*product.Client) {
	for n := 0; ctx.Err() == nil; n++ {
		if l.breather > 0 {
			pause(ctx, l.breather)
		}
		c := nodes[r.IntN(len(nodes))]
		l.mu.Lock()
		b, waiting := l.open[client]
		if !waiting {
			b = k.Seat(r, fmt.Sprintf("fault-%d-%d", client, n), n%3 == 2)
			l.open[client] = b
		}
		l.mu.Unlock()
		var created struct{ ID int64 }
		asked := time.Now()
		err := c.Book(ctx, b, &created)
		l.recordResponse(ctx, c, time.Since(asked), err)
		if !l.note(client, b, created.ID, err) {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		if err == nil && n%5 == 0 {
			l.upload(ctx, c, created.ID, r)
		}
	}
}

// recordResponse records a response and its time.
func (l *ledger) recordResponse(ctx context.Context, c *product.Client, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rejected *product.RejectedError
	switch {
	case err == nil:
		s := l.stretch[c.Base]
		if !s.last.IsZero() {
			s.longest = max(s.longest, time.Since(s.last))
		}
		s.last = time.Now()
		l.stretch[c.Base] = s
	case errors.As(err, &rejected):
	case l.answers && ctx.Err() == nil:
		l.failures["no answer: "+err.Error()]++
	}
	if ctx.Err() == nil {
		l.slowest = max(l.slowest, took)
	}
}

// note records the result of a booking. It returns false if the client has to retry.
func (l *ledger) note(client int, b product.Booking, id int64, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rejected *product.RejectedError
	switch {
	case err == nil:
		if before, found := l.booked[b.Key]; found && before != id {
			l.failures[fmt.Sprintf("one request was booked as %d and as %d", before, id)]++
		}
		l.booked[b.Key] = id
	case product.Taken(err):
		l.rejected++
	case errors.As(err, &rejected) && rejected.Status != http.StatusServiceUnavailable:
		l.failures[rejected.Error()]++
		return false
	default: // no response, or a temporary error
		l.later++
		return false
	}
	delete(l.open, client)
	return true
}

// pause waits until d has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (l *ledger) upload(ctx context.Context, c *product.Client, appointment int64, r *rand.Rand) {
	content := []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" +
		strings.Repeat(fmt.Sprintf("%% %d\n", r.Uint64()), 200) +
		"xref\n0 2\n0000000000 65535 f \n0000000015 00000 n \ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n50\n%%EOF\n")
	var created struct{ ID int64 }
	err := c.Upload(ctx, fmt.Sprintf("/admin/api/v1/appointment/result/create/%d", appointment),
		map[string]string{"type": "LAB", "diagnosis": "ผลเลือด"}, "ผล.pdf", "application/pdf", content, &created)
	var rejected *product.RejectedError
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		sum := sha256.Sum256(content)
		l.uploads[created.ID] = hex.EncodeToString(sum[:])
	case errors.As(err, &rejected) && rejected.Status != http.StatusServiceUnavailable:
		l.failures[rejected.Error()]++
	}
}

// check compares the ledger with the database. The product runs at c.
func (l *ledger) check(ctx context.Context, c *product.Client, storage product.Storage) (err error) {
	db, err := storage.SQL()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx,
		`SELECT a.reason, a.id, (SELECT count(*) FROM audit_entries e WHERE e.entity = 'appointment'
			AND e.entity_id = CAST(a.id AS TEXT) AND e.action = 'appointment.create')
		FROM appointments a WHERE a.reason LIKE 'fault-%'`)
	if err != nil {
		return err
	}
	defer rows.Close() // Err is checked below
	stored := map[string]int64{}
	var wrong []string
	for rows.Next() {
		var key string
		var id, audited int64
		if err := rows.Scan(&key, &id, &audited); err != nil {
			return err
		}
		if stored[key] != 0 {
			wrong = append(wrong, fmt.Sprintf("booked twice: %s", key))
		}
		if audited != 1 {
			wrong = append(wrong, fmt.Sprintf("appointment %d has %d audit entries", id, audited))
		}
		stored[key] = id
	}
	if err := rows.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, id := range l.booked {
		if stored[key] != id {
			wrong = append(wrong, fmt.Sprintf("acknowledged as %d and there as %d: %s", id, stored[key], key))
		}
	}
	for id, sum := range l.uploads {
		file, err := c.Send(ctx, http.MethodGet, fmt.Sprintf("/admin/api/v1/appointment-results/file/%d", id), nil)
		if err != nil {
			return err
		}
		if found := sha256.Sum256(file.Body); file.Status != http.StatusOK || hex.EncodeToString(found[:]) != sum {
			wrong = append(wrong, fmt.Sprintf("the file of result %d is not what was sent (%d)", id, file.Status))
		}
	}
	full, err := storage.Ints(ctx,
		`SELECT booked FROM slots WHERE service_id = (SELECT id FROM services WHERE code = 'FAULTS') AND booked > $1`, seats)
	if err != nil {
		return err
	}
	if len(full) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d slots are overbooked", len(full)))
	}
	for failure, n := range l.failures {
		wrong = append(wrong, fmt.Sprintf("%d times: %s", n, failure))
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return errors.New(strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	}
	return nil
}
