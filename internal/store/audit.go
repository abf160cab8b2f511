package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
)

// note adds an audit entry about a record. It is written with the commit, in
// the same transaction as the change it tells of.
func (tx *Tx) note(action, entity string, id any, subject string, changes map[string]hospital.Change) {
	tx.noteEntry(hospital.AuditEntry{Action: action, Entity: entity, EntityID: fmt.Sprint(id), Subject: subject, Changes: changes})
}

func (tx *Tx) noteEntry(e hospital.AuditEntry) {
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

// head is the end of a lane, after which the next entry goes.
type head struct {
	seq  int64
	hash string
}

// takeHead reads the end of a lane and holds the lane until the commit.
func (tx *Tx) takeHead(lane int) (h head, err error) {
	err = tx.queryRow(`SELECT seq, hash FROM audit_lanes WHERE lane = $1`+tx.db.dialect.lock("audit_lanes"), lane).Scan(&h.seq, &h.hash)
	if err != nil {
		return h, fmt.Errorf("audit: take lane %d: %w", lane, err)
	}
	return h, nil
}

// entriesAfter writes the noted entries after the end of a lane, and tells where
// it ends then: each entry's hash covers its content and the hash before it. The
// key is not in the database, so whoever edits the database cannot make the
// hashes fit. One statement writes at most maxEntriesPerInsert entries.
func (tx *Tx) entriesAfter(lane int, h head) (head, []question) {
	var questions []question
	for batch := range slices.Chunk(tx.entries, maxEntriesPerInsert) {
		args := make([]any, 0, len(batch)*auditColumns)
		for _, e := range batch {
			row := auditRow{AuditEntry: e, lane: lane, seq: h.seq + 1, changes: changesText(e.Changes)}
			h = head{row.seq, row.chain(tx.db.auditKey, h.hash)}
			args = append(args, lane, row.seq, ms(e.At), e.ActorID, e.ActorName, e.Addr, e.RequestID,
				e.Action, e.Entity, e.EntityID, e.Subject, string(e.Outcome), row.changes, e.Reason, h.hash)
		}
		query := appendEntry // nearly always
		if len(batch) > 1 {
			query = appendEntries + tx.db.dialect.placeholders(len(batch), auditColumns)
		}
		questions = append(questions, question{what: "audit: append", query: query, args: args})
	}
	return h, questions
}

// maxEntriesPerInsert keeps a statement well below the parameter limits of both engines.
const maxEntriesPerInsert = 200

const appendEntries = `INSERT INTO audit_entries
	(lane, seq, at, actor_id, actor_name, addr, request_id, action, entity, entity_id, subject, outcome, changes, reason, hash) VALUES `

var appendEntry = appendEntries + dialect{}.placeholders(1, auditColumns)

// headKept writes down where a lane ends. The seal covers how far it goes, so
// that cutting its end off shows too.
func (db *DB) headKept(lane int, h head) question {
	return question{
		what: "audit: keep lane", query: `UPDATE audit_lanes SET seq = $2, hash = $3, seal = $4 WHERE lane = $1`,
		args: []any{lane, h.seq, h.hash, seal(db.auditKey, lane, h.seq, h.hash)},
	}
}

const auditColumns = 15

// auditRow is an entry as it stands in its lane. The text of the changes is
// kept as it was written, since the hash is over that text.
type auditRow struct {
	hospital.AuditEntry
	lane    int
	seq     int64
	changes string
	hash    string
	// redacted seals what an erasure has left of the entry; empty for nearly all.
	redacted string
}

// chain is the hash of the row after the hash before it. Every field is written
// with its length, so that no two different rows read the same.
func (r auditRow) chain(key []byte, previous string) string {
	actor := ""
	if r.ActorID != nil {
		actor = strconv.FormatInt(*r.ActorID, 10)
	}
	return keyed(key, previous, strconv.Itoa(r.lane), strconv.FormatInt(r.seq, 10), strconv.FormatInt(ms(r.At), 10), actor, r.ActorName,
		r.Addr, r.RequestID, r.Action, r.Entity, r.EntityID, r.Subject, string(r.Outcome), r.changes, r.Reason)
}

// fault tells what is wrong with a row after the hash before it. One that lost
// personal data has another content than its hash was made of: it is in order if
// what is left is as it was left, and a later entry of the chain says so.
func (r auditRow) fault(key []byte, previous string, named map[string]time.Time) string {
	switch erased, said := named[fmt.Sprintf("%d:%d", r.lane, r.seq)]; {
	case r.redacted == "" && r.chain(key, previous) != r.hash:
		return "was edited or moved"
	case r.redacted != "" && r.redaction(key) != r.redacted:
		return "was edited or moved after personal data was taken out"
	case r.redacted != "" && (!said || erased.Before(r.At)):
		return "was redacted, and no entry says why"
	}
	return ""
}

func seal(key []byte, lane int, seq int64, hash string) string {
	return keyed(key, "lane", strconv.Itoa(lane), strconv.FormatInt(seq, 10), hash)
}

func keyed(key []byte, parts ...string) string {
	var text []byte
	for _, p := range parts {
		text = strconv.AppendInt(text, int64(len(p)), 10)
		text = append(text, ':')
		text = append(text, p...)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

const auditSelect = `SELECT id, lane, seq, at, actor_id, actor_name, addr, request_id, action, entity, entity_id, subject, outcome, changes, reason, hash, redacted FROM audit_entries `

func scanAudit(rows *sql.Rows) (auditRow, error) {
	var r auditRow
	var when int64
	var actor sql.NullInt64
	err := rows.Scan(&r.ID, &r.lane, &r.seq, &when, &actor, &r.ActorName, &r.Addr, &r.RequestID, &r.Action, &r.Entity, &r.EntityID, &r.Subject, &r.Outcome, &r.changes, &r.Reason, &r.hash, &r.redacted)
	if err != nil {
		return r, err
	}
	r.At = at(when)
	if actor.Valid {
		r.ActorID = &actor.Int64
	}
	// An edited text that is no JSON any more still has to be read by verify.
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
	// Entries are numbered in their lanes and never taken away, so nobody has to
	// count all of them.
	const all = `SELECT CAST(coalesce(sum(seq), 0) AS BIGINT) FROM audit_lanes`
	count, args := `SELECT count(*) FROM audit_entries `+f.where(), f.args
	asked := in
	asked.Page = hospital.Page{}
	switch asked {
	case hospital.AuditFilter{}:
		count = all
	case hospital.AuditFilter{Outcome: hospital.OutcomeOK}:
		count, args = `SELECT (`+all+`) - (SELECT count(*) FROM audit_entries WHERE outcome <> 'OK')`, nil
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, count, args...).Scan(&total); err != nil {
		return hospital.Paged[hospital.AuditEntry]{}, mapError(err)
	}
	where, limit := f.where(), f.page(in.Page)
	rows, err := db.read.QueryContext(ctx, auditSelect+where+" "+order+" "+limit, f.args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.AuditEntry, error) {
		r, err := scanAudit(rows)
		if r.Changes == nil {
			r.Changes = map[string]hospital.Change{}
		}
		return r.AuditEntry, err
	})
	return hospital.Of(in.Page, list, total), mapError(err)
}

// AuditFault is one place where the log is not as it was written.
type AuditFault struct {
	Lane  int
	Seq   int64
	Fault string
}

// VerifyAudit walks every lane and tells each entry that was edited, removed,
// moved or cut off. It returns how many entries it read.
func (db *DB) VerifyAudit(ctx context.Context) (read int64, faults []AuditFault, err error) {
	type head struct {
		lane       int
		seq        int64
		hash, seal string
	}
	// Heads first: entries written while this runs lie beyond them.
	rows, err := db.read.QueryContext(ctx, `SELECT lane, seq, hash, seal FROM audit_lanes ORDER BY lane`)
	heads, err := scanAll(rows, err, func(h *head) []any { return []any{&h.lane, &h.seq, &h.hash, &h.seal} })
	if err != nil {
		return 0, nil, mapError(err)
	}
	lanes, err := db.expectedLanes(ctx)
	if err != nil {
		return 0, nil, mapError(err)
	}
	if len(heads) != lanes {
		faults = append(faults, AuditFault{Fault: fmt.Sprintf("%d lanes instead of %d: a lane was removed or added", len(heads), lanes)})
	}
	named, err := db.redactions(ctx)
	if err != nil {
		return 0, nil, mapError(err)
	}
	for _, h := range heads {
		n, found, err := db.verifyLane(ctx, h.lane, h.seq, h.hash, named)
		if err != nil {
			return read, faults, mapError(err)
		}
		read += n
		faults = append(faults, found...)
		if h.seq > 0 && h.seal != seal(db.auditKey, h.lane, h.seq, h.hash) {
			faults = append(faults, AuditFault{h.lane, h.seq, "the end of the lane was edited"})
		}
	}
	return read, faults, nil
}

func (db *DB) verifyLane(ctx context.Context, lane int, end int64, endHash string, named map[string]time.Time) (read int64, faults []AuditFault, err error) {
	rows, err := db.read.QueryContext(ctx, auditSelect+`WHERE lane = $1 AND seq <= $2 ORDER BY seq`, lane, end)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close() // Err below tells what matters
	previous, expect := "", int64(1)
	for rows.Next() {
		r, err := scanAudit(rows)
		if err != nil {
			return read, faults, err
		}
		read++
		for ; expect < r.seq; expect++ {
			faults = append(faults, AuditFault{lane, expect, "the entry was removed"})
		}
		if fault := r.fault(db.auditKey, previous, named); fault != "" {
			faults = append(faults, AuditFault{lane, r.seq, fmt.Sprintf("entry %d (%s %s %s) %s", r.ID, r.Action, r.Entity, r.EntityID, fault)})
		}
		previous, expect = r.hash, r.seq+1
	}
	for ; expect <= end; expect++ {
		faults = append(faults, AuditFault{lane, expect, "the entry was cut off the end"})
	}
	if len(faults) == 0 && previous != endHash {
		faults = append(faults, AuditFault{lane, end, "the last entry is not the one that was written last"})
	}
	return read, faults, rows.Err()
}
