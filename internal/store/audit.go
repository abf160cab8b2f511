package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// Note adds an audit entry about a record. It is written in the same transaction as the change.
func (tx *Tx) Note(action, entity string, id any, subject string, changes map[string]hospital.Change) {
	tx.NoteEntry(hospital.AuditEntry{
		Action: action, Entity: entity, EntityID: fmt.Sprint(id), Subject: subject, Changes: changes,
	})
}

// NoteEntry adds an audit entry with the time and actor of the transaction.
func (tx *Tx) NoteEntry(e hospital.AuditEntry) {
	e.At = tx.now
	if e.Outcome == "" {
		e.Outcome = hospital.OutcomeOK
	}
	if e.ActorID == nil && tx.actor.UserID != 0 {
		e.ActorID = &tx.actor.UserID
	}
	if e.ActorName == "" {
		e.ActorName = tx.actor.Name
	}
	e.Addr, e.RequestID = tx.actor.Addr, tx.actor.RequestID
	tx.entries = append(tx.entries, e)
}

// head is the last entry of a chain. The database calls a chain a lane: its head is a row of audit_lanes.
type head struct {
	seq  int64
	hash string
}

// appendEntries writes the entries of the transaction after the end of a chain.
func (tx *Tx) appendEntries(held *heldChain) error {
	held.used = false
	if len(tx.entries) == 0 {
		return nil
	}
	if tx.db.dialect.exclusive {
		end, err := tx.lockHead(0)
		if err != nil {
			return err
		}
		tx.insertEntries(0, end)
		return nil
	}
	c, err := held.take(tx.ctx)
	if err != nil {
		return err
	}
	if !c.known {
		if c.end, err = tx.lockHead(c.number); err != nil {
			return err
		}
	}
	held.end, held.used = tx.insertEntries(c.number, c.end), true
	return nil
}

// lockHead reads the end of a chain and locks the chain until the commit.
func (tx *Tx) lockHead(chain int) (h head, err error) {
	query := `SELECT seq, hash FROM audit_lanes WHERE lane = $1` + tx.db.dialect.lock("audit_lanes")
	err = tx.Get(query, chain).Scan(&h.seq, &h.hash)
	if err != nil {
		return h, fmt.Errorf("audit: lock chain %d: %w", chain, err)
	}
	return h, nil
}

// insertEntries inserts the entries after the end of a chain and returns the new end. The hash of an
// entry covers its content and the hash of the previous entry. The hashes of edited entries cannot be
// computed without the key, which is not in the database. The seal covers the length of the chain, so
// that entries removed from its end are detected too.
func (tx *Tx) insertEntries(chain int, h head) head {
	for entries := range slices.Chunk(tx.entries, maxRowsPerInsert) {
		rows := make([][]any, len(entries))
		for i, e := range entries {
			row := auditRow{AuditEntry: e, chain: chain, seq: h.seq + 1, changes: changesText(e.Changes)}
			h = head{row.seq, row.hashAfter(tx.db.auditKey, h.hash)}
			rows[i] = []any{
				chain, row.seq, ms(e.At), e.ActorID, e.ActorName, e.Addr, e.RequestID,
				e.Action, e.Entity, e.EntityID, e.Subject, string(e.Outcome), row.changes, e.Reason, h.hash,
			}
		}
		// The chain is updated first: on PostgreSQL this waits for another node that writes to it.
		tx.Exec(`UPDATE audit_lanes SET seq = $2, hash = $3, seal = $4 WHERE lane = $1`,
			chain, h.seq, h.hash, seal(tx.db.auditKey, chain, h.seq, h.hash))
		tx.insertRows(insertEntriesSQL, rows, "")
	}
	return h
}

const insertEntriesSQL = `INSERT INTO audit_entries (lane, seq, at, actor_id, actor_name, addr, request_id,
	action, entity, entity_id, subject, outcome, changes, reason, hash) VALUES `

// noteTimeout bounds the writing of entries that belong to no change.
const noteTimeout = 5 * time.Second

// Note writes audit entries that belong to no change: of a rejected request, a download, a read. They
// are written even if ctx ends meanwhile.
func (db *DB) Note(ctx context.Context, entries ...hospital.AuditEntry) error {
	tx := db.newTx(ctx, nil)
	for _, e := range entries {
		tx.NoteEntry(e)
	}
	return db.writeNotes(ctx, tx.entries)
}

// readNoted runs fn like Read and writes the audit entries that fn adds. On SQLite, where a second
// transaction costs more, fn runs in the transaction that writes them.
func (db *DB) readNoted(ctx context.Context, fn func(*Tx) error) error {
	if db.dialect.exclusive {
		return db.Change(ctx, fn)
	}
	var entries []hospital.AuditEntry
	err := db.Read(ctx, func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		entries, tx.entries = tx.entries, nil
		return nil
	})
	if err != nil || len(entries) == 0 {
		return err
	}
	return db.writeNotes(ctx, entries)
}

// writeNotes writes entries together with those of other callers.
func (db *DB) writeNotes(ctx context.Context, entries []hospital.AuditEntry) error {
	if err := ctx.Err(); err != nil {
		return MapError(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	n := &notes{entries}
	return db.notes.do(ctx, n, func() error { return db.noteBatch(ctx, []*notes{n}) })
}

// notes are the entries of one caller.
type notes struct{ entries []hospital.AuditEntry }

func (n *notes) batchKey() any { return n }

func (db *DB) noteBatch(ctx context.Context, batch []*notes) error {
	return db.Change(ctx, func(tx *Tx) error {
		for _, n := range batch {
			tx.entries = append(tx.entries, n.entries...)
		}
		return nil
	})
}

const auditSelect = `SELECT id, lane, seq, at, actor_id, actor_name, addr, request_id, action, entity, entity_id,
	subject, outcome, changes, reason, hash, redacted FROM audit_entries `

func scanAudit(scan sqldb.Scan) (r auditRow, err error) {
	var when int64
	err = scan(&r.ID, &r.chain, &r.seq, &when, &r.ActorID, &r.ActorName, &r.Addr, &r.RequestID, &r.Action, &r.Entity,
		&r.EntityID, &r.Subject, &r.Outcome, &r.changes, &r.Reason, &r.hash, &r.redacted)
	if err != nil {
		return r, err
	}
	r.At = at(when)
	// VerifyAudit must be able to read a text that was edited and is no longer JSON.
	_ = json.Unmarshal([]byte(r.changes), &r.Changes)
	return r, nil
}

// ListAudit returns a page of the log, newest first unless sorted otherwise.
func (db *DB) ListAudit(ctx context.Context, in hospital.AuditFilter) (hospital.Paged[hospital.AuditEntry], error) {
	var f filter
	if in.ActorID != 0 {
		f.add("actor_id = %s", in.ActorID)
	}
	if in.Entity != "" {
		f.add("entity = %s", in.Entity)
	}
	if in.EntityID != "" {
		f.add("entity_id = %s", in.EntityID)
	}
	if in.Action != "" {
		// A range instead of LIKE, so that the index on action serves it.
		f.add("action >= %s AND action < %s", in.Action, in.Action+"\U0010FFFF")
	}
	switch {
	case in.Outcome == hospital.OutcomeOK:
		f.add("outcome = %s", string(in.Outcome))
	case in.Outcome != "": // index audit_entries_not_ok
		f.add("outcome = %s AND outcome <> 'OK'", string(in.Outcome))
	}
	if !in.From.IsZero() {
		f.add("at >= %s", ms(in.From))
	}
	if !in.To.IsZero() {
		f.add("at < %s", ms(in.To))
	}
	order, err := orderBy(in.Page, map[string]string{"at": "at"}, "id", "-at")
	if err != nil {
		return hospital.Paged[hospital.AuditEntry]{}, err
	}
	// Entries are numbered in their chain and never deleted, so all of them need not be counted.
	const all = `SELECT CAST(coalesce(sum(seq), 0) AS BIGINT) FROM audit_lanes`
	count, args := `SELECT count(*) FROM audit_entries `+f.where(), f.args
	criteria := in
	criteria.Page = hospital.Page{}
	switch criteria {
	case hospital.AuditFilter{}:
		count = all
	case hospital.AuditFilter{Outcome: hospital.OutcomeOK}:
		count, args = `SELECT (`+all+`) - (SELECT count(*) FROM audit_entries WHERE outcome <> 'OK')`, nil
	}
	var total int64
	var list []hospital.AuditEntry
	page := auditSelect + f.where() + " " + order + " " + f.page(in.Page)
	err = db.Read(ctx, func(tx *Tx) error {
		counted := tx.Get(count, args...)
		entries := tx.All(page, f.args...)
		if err := counted.Scan(&total); err != nil {
			return err
		}
		list, err = sqldb.Collect(entries, scanEntry)
		return err
	})
	return hospital.NewPaged(in.Page, list, total), err
}

// AuditEntries returns the audit entries that a WHERE clause selects.
func (tx *Tx) AuditEntries(where string, args ...any) ([]hospital.AuditEntry, error) {
	return sqldb.Collect(tx.All(auditSelect+where, args...), scanEntry)
}

// EachAuditEntry calls f for every entry that a WHERE clause selects, without holding all of them in
// memory. f must not use tx.
func (tx *Tx) EachAuditEntry(f func(hospital.AuditEntry) error, where string, args ...any) error {
	return tx.Stream(func(scan sqldb.Scan) error {
		e, err := scanEntry(scan)
		if err != nil {
			return err
		}
		return f(e)
	}, auditSelect+where, args...)
}

func scanEntry(scan sqldb.Scan) (hospital.AuditEntry, error) {
	r, err := scanAudit(scan)
	if r.Changes == nil {
		r.Changes = map[string]hospital.Change{}
	}
	return r.AuditEntry, err
}
