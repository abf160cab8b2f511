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
	// entry is what is written down, worked out in the transaction. Where it fails
	// there is nothing to write for this one.
	entry  func(*Tx) (hospital.AuditEntry, error)
	failed error
	kept   chan error
}

// Half of those who wait share a transaction, some at least and many at most:
// while it is written, the others are read and answered.
const (
	minNotes     = 8
	maxNotes     = 64
	notePatience = 5 * time.Second // how long one may take: all others wait for it
)

// Note records something that changed nothing: a refusal, a download, a read
// that must be known.
func (db *DB) Note(ctx context.Context, e hospital.AuditEntry) error {
	return db.note(ctx, func(*Tx) (hospital.AuditEntry, error) { return e, nil })
}

// readNoted reads something of which it must be known who did. On SQLite it is
// read in the transaction of the entry, which finds the pages in its memory: a
// reader of its own has to look anew at the file after each commit, and every
// such read is one.
func readNoted[T any](ctx context.Context, db *DB, read func(querier) (T, error), entry func(T) hospital.AuditEntry) (v T, err error) {
	if db.writer == nil {
		if v, err = read(db.read); err != nil {
			return v, mapError(err)
		}
		return v, db.Note(ctx, entry(v))
	}
	found := new(T) // still written to when somebody has left
	err = db.note(ctx, func(tx *Tx) (e hospital.AuditEntry, err error) {
		if *found, err = read(tx.tx); err == nil {
			e = entry(*found)
		}
		return e, err
	})
	if err != nil {
		return v, err
	}
	return *found, nil
}

func (db *DB) note(ctx context.Context, entry func(*Tx) (hospital.AuditEntry, error)) error {
	if err := ctx.Err(); err != nil {
		return mapError(err)
	}
	n := &note{actor: hospital.ActorFrom(ctx), entry: entry, kept: make(chan error, 1)}
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
		some := db.notes.waiting[:min(len(db.notes.waiting), max(minNotes, min(maxNotes, len(db.notes.waiting)/2)))]
		db.notes.waiting = db.notes.waiting[len(some):]
		last, db.notes.writing = len(some), len(some) > 0
		db.notes.mu.Unlock()
		if len(some) == 0 {
			return
		}
		err := db.writeTogether(some)
		for _, n := range some {
			if err != nil && len(some) > 1 && hospital.CodeOf(err) != hospital.Unavailable { // one of them may be the reason
				n.end(db.writeTogether([]*note{n}))
			} else {
				n.end(err)
			}
		}
	}
}

// end tells whoever waits what became of the entry.
func (n *note) end(err error) {
	if err == nil {
		err = n.failed
	}
	n.kept <- err
}

// writeTogether writes several entries in one transaction. A panic in one of them becomes an
// error of all, and nothing is written.
func (db *DB) writeTogether(some []*note) (err error) {
	defer hospital.Recover(&err)
	ctx, cancel := context.WithTimeout(context.Background(), notePatience)
	defer cancel()
	return db.change(ctx, func(tx *Tx) error {
		for _, n := range some {
			tx.actor = n.actor
			var e hospital.AuditEntry
			if e, n.failed = n.entry(tx); n.failed == nil {
				tx.noteEntry(e)
			} else if n.failed = mapError(n.failed); isSQLite(n.failed) {
				return n.failed // the transaction may be lost for all
			}
		}
		return nil
	})
}
