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

// ledger is what clients were told: whatever the product acknowledged must be
// there afterwards, once, whatever happened in between.
type ledger struct {
	mu       sync.Mutex
	booked   map[string]int64        // appointment by the key of its request
	open     map[int]product.Booking // requests without an answer yet, by the client
	uploads  map[int64]string        // SHA-256 of the file by the result
	refused  int                     // full slots: a right answer, too
	failures map[string]int
}

func newLedger() *ledger {
	return &ledger{booked: map[string]int64{}, open: map[int]product.Booking{}, uploads: map[int64]string{}, failures: map[string]int{}}
}

// work books with one client until the context ends, each seat until there is
// an answer: a request that was not answered is sent again with its key. Now
// and then a file is added.
func (l *ledger) work(ctx context.Context, c *product.Client, k product.Clinic, client int, r *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		l.mu.Lock()
		b, waiting := l.open[client]
		if !waiting {
			b = k.Seat(r, fmt.Sprintf("fault-%d-%d", client, n), n%3 == 2)
			l.open[client] = b
		}
		l.mu.Unlock()
		var told struct{ ID int64 }
		err := c.Book(ctx, b, &told)
		if !l.note(ctx, client, b, told.ID, err) {
			continue
		}
		if err == nil && n%5 == 0 {
			l.upload(ctx, c, told.ID, r)
		}
	}
}

// note writes down what a client was told; false when it has to ask again.
func (l *ledger) note(ctx context.Context, client int, b product.Booking, id int64, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var refused *product.RefusedError
	switch {
	case err == nil:
		if before, there := l.booked[b.Key]; there && before != id {
			l.failures[fmt.Sprintf("one request was booked as %d and as %d", before, id)]++
		}
		l.booked[b.Key] = id
	case errors.As(err, &refused) && slices.Contains([]string{"SLOT_FULL", "PATIENT_DOUBLE_BOOKED"}, refused.Code):
		l.refused++
	case errors.As(err, &refused) && refused.Status != http.StatusServiceUnavailable:
		l.failures[refused.Error()]++
		return false
	default: // no answer, or not now
		if ctx.Err() == nil {
			pause(ctx, 50*time.Millisecond)
		}
		return false
	}
	delete(l.open, client)
	return true
}

// pause waits without holding anything up that ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (l *ledger) upload(ctx context.Context, c *product.Client, appointment int64, r *rand.Rand) {
	content := []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + strings.Repeat(fmt.Sprintf("%% %d\n", r.Uint64()), 200) +
		"xref\n0 2\n0000000000 65535 f \n0000000015 00000 n \ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n50\n%%EOF\n")
	var told struct{ ID int64 }
	err := c.Upload(ctx, fmt.Sprintf("/admin/api/v1/appointment/result/create/%d", appointment), map[string]string{"type": "LAB", "diagnosis": "ผลเลือด"}, "ผล.pdf", "application/pdf", content, &told)
	var refused *product.RefusedError
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		sum := sha256.Sum256(content)
		l.uploads[told.ID] = hex.EncodeToString(sum[:])
	case errors.As(err, &refused) && refused.Status != http.StatusServiceUnavailable:
		l.failures[refused.Error()]++
	}
}

// check compares the ledger with what is there. The product runs at c.
func (l *ledger) check(ctx context.Context, c *product.Client, place product.Place) (err error) {
	db, err := place.SQL()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT a.reason, a.id, (SELECT count(*) FROM audit_entries e WHERE e.entity = 'appointment' AND e.entity_id = CAST(a.id AS TEXT) AND e.action = 'appointment.create')
		FROM appointments a WHERE a.reason LIKE 'fault-%'`)
	if err != nil {
		return err
	}
	defer rows.Close() // Err below tells what matters
	there := map[string]int64{}
	var wrong []string
	for rows.Next() {
		var key string
		var id, audited int64
		if err := rows.Scan(&key, &id, &audited); err != nil {
			return err
		}
		if there[key] != 0 {
			wrong = append(wrong, fmt.Sprintf("booked twice: %s", key))
		}
		if audited != 1 {
			wrong = append(wrong, fmt.Sprintf("appointment %d has %d audit entries", id, audited))
		}
		there[key] = id
	}
	if err := rows.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, id := range l.booked {
		if there[key] != id {
			wrong = append(wrong, fmt.Sprintf("acknowledged as %d and there as %d: %s", id, there[key], key))
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
	full, err := place.Ints(ctx, `SELECT booked FROM slots WHERE service_id = (SELECT id FROM services WHERE code = 'FAULTS') AND booked > $1`, seats)
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
