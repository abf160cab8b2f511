package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"nadmor/internal/hospital"
)

// PoolStats is how many connections to the database there are.
type PoolStats struct {
	Name        string
	InUse, Idle int
	Waited      time.Duration // by all who ever waited for one
}

// Pools tells of the connections to the database.
func (db *DB) Pools() []PoolStats {
	pools, told := []PoolStats(nil), map[*pool]bool{nil: true}
	for _, p := range []struct {
		name string
		*pool
	}{{"write", db.write}, {"read", db.read}, {"search", db.search}} {
		if !told[p.pool] {
			told[p.pool] = true
			s := p.Stats()
			pools = append(pools, PoolStats{p.name, s.InUse, s.Idle, s.WaitDuration})
		}
	}
	return pools
}

// JobsDue counts the jobs that could be done now and are not, and tells since when
// the first of them waits.
func (db *DB) JobsDue(ctx context.Context) (count int, since time.Time, err error) {
	var first int64
	now := ms(db.Now())
	// Index jobs_due.
	err = db.read.QueryRowContext(ctx, `SELECT count(*), coalesce(min(run_at), $1) FROM jobs WHERE done_at IS NULL AND run_at <= $1`, now).Scan(&count, &first)
	return count, at(first), mapError(err)
}

// EntryKind is what audit entries are counted by.
type EntryKind struct {
	Action  string
	Outcome hospital.Outcome
}

// tally counts the audit entries that this node has committed.
type tally struct{ kinds sync.Map } // of EntryKind to *atomic.Int64

func (t *tally) add(entries []hospital.AuditEntry) {
	for i := range entries {
		kind := EntryKind{entries[i].Action, entries[i].Outcome}
		n, known := t.kinds.Load(kind)
		if !known {
			n, _ = t.kinds.LoadOrStore(kind, new(atomic.Int64))
		}
		n.(*atomic.Int64).Add(1)
	}
}

// EntriesWritten counts what this node has written into the audit log since it was
// started: everything that was done, by kind.
func (db *DB) EntriesWritten() map[EntryKind]int64 {
	counts := map[EntryKind]int64{}
	db.written.kinds.Range(func(kind, n any) bool {
		counts[kind.(EntryKind)] = n.(*atomic.Int64).Load()
		return true
	})
	return counts
}
