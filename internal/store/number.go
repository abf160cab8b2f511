package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// numberBlocks assigns running numbers that are unique but may have gaps. A node reserves a block of
// numbers in a separate transaction, so that bookings do not wait for each other's commit to increment
// one counter. Numbers of rejected bookings are used again.
type numberBlocks struct {
	mu     sync.Mutex
	series string
	next   int64
	end    int64 // last of the block
	size   int64
	unused []int64
}

// Blocks start small, so that a hospital with few bookings has few gaps after a restart, and double in size
// with each block.
const (
	firstBlock = 5
	maxBlock   = 320
)

// reservedNumber is a number for an appointment that is not yet written.
type reservedNumber struct {
	format hospital.NumberFormat
	series string
	n      int64
	text   string
}

// takeNumber takes the next number of a format.
func (db *DB) takeNumber(ctx context.Context, format hospital.NumberFormat) (r reservedNumber, err error) {
	now := db.Now()
	r.format, r.series = format, format.Series(now)
	b := &db.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.series != r.series {
		b.series, b.next, b.end, b.size, b.unused = r.series, 1, 0, firstBlock, nil
	}
	switch last := len(b.unused) - 1; {
	case last >= 0:
		r.n, b.unused = b.unused[last], b.unused[:last]
	default:
		if b.next > b.end {
			if err := db.nextBlock(ctx, b, format, now); err != nil {
				return r, err
			}
		}
		r.n = b.next
		b.next++
	}
	r.text = format.Format(now, r.n)
	return r, nil
}

// nextBlock reserves the next block of numbers. Numbers at its start that are already in use,
// because of an earlier format, are skipped in one query. Those further on in the block are
// skipped when a booking fails (see isNumberTaken).
func (db *DB) nextBlock(ctx context.Context, b *numberBlocks, format hospital.NumberFormat, now time.Time) error {
	var first, end int64 // only valid after the commit
	err := db.Change(ctx, func(tx *Tx) error {
		series := "appointment " + b.series
		err := tx.Get(`INSERT INTO counters (series, value) VALUES ($1, $2)
			ON CONFLICT (series) DO UPDATE SET value = counters.value + $2 RETURNING value`, series, b.size).Scan(&end)
		if err != nil {
			return err
		}
		before, width, after := format.Parts(now)
		next := end - b.size + 1
		err = tx.Get(freeNumberSQL, next, before, strings.Repeat("0", width), after).Scan(&first)
		if err != nil || first == next {
			return err
		}
		end = first + b.size - 1
		tx.Exec(`UPDATE counters SET value = $2 WHERE series = $1`, series, end)
		return nil
	})
	if err != nil {
		return fmt.Errorf("next numbers: %w", err)
	}
	b.next, b.end = first, end
	b.size = min(2*b.size, maxBlock)
	return nil
}

// freeNumberSQL finds the first unused appointment number: index appointments_number.
var freeNumberSQL = firstFree("appointments", "number")

// firstFree returns a query that counts up from $1 to the first number that no row has. A number
// is formatted between $2 and $4 and padded to the length of the zeros in $3. It uses count(*)
// instead of EXISTS, which PostgreSQL may turn into a join that reads the whole table in each step.
func firstFree(table, column string) string {
	return `WITH RECURSIVE number (n, digits) AS (
	SELECT CAST($1 AS BIGINT), CAST($1 AS TEXT)
	UNION ALL
	SELECT n + 1, CAST(n + 1 AS TEXT) FROM number WHERE (
		SELECT count(*) FROM ` + table + ` t WHERE t.` + column + ` = CAST($2 AS TEXT)
			|| CASE WHEN length(digits) < length(CAST($3 AS TEXT))
				THEN substr(CAST($3 AS TEXT), length(digits) + 1) ELSE '' END
			|| digits || CAST($4 AS TEXT)
	) > 0
) SELECT max(n) FROM number`
}

// isNumberTaken reports whether an appointment was rejected because another one has its number,
// assigned in an earlier format. The number cannot be used.
func isNumberTaken(err error) bool {
	index, taken := uniqueViolation(err)
	return taken && index == "appointments_number"
}

// returnNumber makes the number of a failed booking available again, unless it may be in use: the outcome
// of the commit is unknown, or another appointment has it.
func (db *DB) returnNumber(r reservedNumber, err error) {
	if errors.Is(err, sqldb.ErrUnknown) || isNumberTaken(err) {
		return
	}
	db.blocks.mu.Lock()
	defer db.blocks.mu.Unlock()
	if db.blocks.series == r.series {
		db.blocks.unused = append(db.blocks.unused, r.n)
	}
}
