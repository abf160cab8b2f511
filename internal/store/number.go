package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"nadmor/internal/hospital"
)

// numberBlocks hands out running numbers that must be unique but may have gaps.
// A node takes a block of them at a time in a transaction of its own, so that
// bookings do not queue for one counter until each other's commit. Numbers of
// bookings that were refused are used by the next ones.
type numberBlocks struct {
	mu     sync.Mutex
	series string
	next   int64
	end    int64 // last of the block
	size   int64
	unused []int64
}

// Blocks start small, so that a hospital that books little has few gaps after a
// restart, and grow while they do not last.
const (
	firstBlock = 5
	maxBlock   = 320
)

// ticket is a number taken for a record that is not yet written.
type ticket struct {
	format hospital.NumberFormat
	series string
	n      int64
	number string
}

// takeNumber takes the next number of a format.
func (db *DB) takeNumber(ctx context.Context, format hospital.NumberFormat) (t ticket, err error) {
	now := db.Now()
	t.format, t.series = format, format.Series(now)
	b := &db.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.series != t.series {
		b.series, b.next, b.end, b.size, b.unused = t.series, 1, 0, firstBlock, nil
	}
	switch last := len(b.unused) - 1; {
	case last >= 0:
		t.n, b.unused = b.unused[last], b.unused[:last]
	default:
		if b.next > b.end {
			if err := db.nextBlock(ctx, b); err != nil {
				return t, err
			}
		}
		t.n = b.next
		b.next++
	}
	t.number = format.Format(now, t.n)
	return t, nil
}

func (db *DB) nextBlock(ctx context.Context, b *numberBlocks) error {
	var end int64 // counts only once it is committed
	err := db.change(ctx, func(tx *Tx) error {
		return tx.queryRow(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = counters.value + $2 RETURNING value`,
			"appointment "+b.series, b.size).Scan(&end)
	})
	if err != nil {
		return fmt.Errorf("next numbers: %w", err)
	}
	b.next, b.end = end-b.size+1, end
	b.size = min(2*b.size, maxBlock)
	return nil
}

// giveBack returns a number that was not used after all; err is what became of
// the booking. Where that is not known the number may stand in the database, and
// is left out.
func (db *DB) giveBack(t ticket, err error) {
	if errors.Is(err, errUnknown) {
		return
	}
	db.blocks.mu.Lock()
	defer db.blocks.mu.Unlock()
	if db.blocks.series == t.series {
		db.blocks.unused = append(db.blocks.unused, t.n)
	}
}
