package store

import (
	"context"
	"runtime"
	"sync"
	"time"

	"nadmor/internal/hospital"
)

// notes are entries of those who change nothing: who read a record, or was
// refused. Whoever comes while the entries of others are written waits, and
// shares the next transaction with all who came meanwhile, so that the disk is
// waited for once. Nobody is answered before their entry is kept.
type notes struct {
	mu      sync.Mutex
	waiting []*note
	writing bool
}

type note struct {
	actor hospital.Actor
	entry hospital.AuditEntry
	kept  chan error
}

const (
	maxNotes     = 64              // of one transaction
	notePatience = 5 * time.Second // how long one may take: all others wait for it
)

// Note records something that changed nothing: a refusal, a download, a read
// that must be known.
func (db *DB) Note(ctx context.Context, e hospital.AuditEntry) error {
	if err := ctx.Err(); err != nil {
		return mapError(err)
	}
	n := &note{hospital.ActorFrom(ctx), e, make(chan error, 1)}
	db.notes.mu.Lock()
	db.notes.waiting = append(db.notes.waiting, n)
	first := !db.notes.writing
	db.notes.writing = true
	db.notes.mu.Unlock()
	if first {
		go db.writeNotes()
	}
	select {
	case err := <-n.kept:
		return err
	case <-ctx.Done(): // it is written all the same
		return mapError(ctx.Err())
	}
}

// writeNotes writes all that waits, and ends when nothing does.
func (db *DB) writeNotes() {
	for last := 0; ; {
		if last > 1 { // those whose requests have been read meanwhile come first
			runtime.Gosched()
		}
		db.notes.mu.Lock()
		some := db.notes.waiting[:min(len(db.notes.waiting), maxNotes)]
		db.notes.waiting = db.notes.waiting[len(some):]
		last, db.notes.writing = len(some), len(some) > 0
		db.notes.mu.Unlock()
		if len(some) == 0 {
			return
		}
		err := db.writeTogether(some)
		for _, n := range some {
			if err != nil && len(some) > 1 && hospital.CodeOf(err) != hospital.Unavailable { // one of them may be the reason
				n.kept <- db.writeTogether([]*note{n})
			} else {
				n.kept <- err
			}
		}
	}
}

func (db *DB) writeTogether(some []*note) error {
	ctx, cancel := context.WithTimeout(context.Background(), notePatience)
	defer cancel()
	return db.change(ctx, func(tx *Tx) error {
		for _, n := range some {
			tx.actor = n.actor
			tx.noteEntry(n.entry)
		}
		return nil
	})
}
