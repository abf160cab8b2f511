package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// PoolStats describes a connection pool.
type PoolStats = sqldb.PoolStats

// Pools returns the usage of each connection pool.
func (db *DB) Pools() []PoolStats { return db.sql.Stats() }

// JobsDue returns the number of due jobs and when the first of them became due; now if there is none.
func (db *DB) JobsDue(ctx context.Context) (count int, since time.Time, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		var first int64
		// Index jobs_due.
		err := tx.Get(`SELECT count(*), coalesce(min(run_at), $1) FROM jobs WHERE done_at IS NULL AND run_at <= $1`,
			ms(tx.now)).Scan(&count, &first)
		since = at(first)
		return err
	})
	return count, since, err
}

// EntryKind is the key by which audit entries are counted.
type EntryKind struct {
	Action  string
	Outcome hospital.Outcome
}

// entryCounter counts the audit entries that this node has committed.
type entryCounter struct{ kinds sync.Map } // from EntryKind to *atomic.Int64

func (c *entryCounter) add(entries []hospital.AuditEntry) {
	for i := range entries {
		kind := EntryKind{entries[i].Action, entries[i].Outcome}
		n, known := c.kinds.Load(kind)
		if !known {
			n, _ = c.kinds.LoadOrStore(kind, new(atomic.Int64))
		}
		n.(*atomic.Int64).Add(1)
	}
}

// EntriesWritten returns the number of audit entries that this node has committed since it was started,
// by kind.
func (db *DB) EntriesWritten() map[EntryKind]int64 {
	counts := map[EntryKind]int64{}
	db.written.kinds.Range(func(kind, n any) bool {
		counts[kind.(EntryKind)] = n.(*atomic.Int64).Load()
		return true
	})
	return counts
}
