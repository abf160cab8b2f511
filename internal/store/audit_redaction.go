package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const (
	// ActionAnonymise is the audit action of an erasure.
	ActionAnonymise = "pdpa.anonymise"
	// RedactedEntries is the field in which the audit entry of an erasure lists the redacted entries as
	// "chain:seq". VerifyAudit reports redacted entries that are in no list.
	RedactedEntries = "entries"
)

// RedactAudit replaces the subject, the reason and the changes of audit entries by those that clean
// returns, in the log and in the entries of this transaction. It returns the positions of the changed
// entries. The caller must note them as RedactedEntries of an entry with ActionAnonymise.
func (tx *Tx) RedactAudit(
	entries []hospital.AuditEntry, clean func(hospital.AuditEntry) hospital.AuditEntry,
) (positions []string, err error) {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	rows, err := tx.auditRows(ids)
	if err != nil {
		return nil, err
	}
	positions = []string{}
	for _, id := range ids {
		r := rows[id]
		left, cleaned := r, clean(r.AuditEntry)
		left.Subject, left.Reason, left.changes = cleaned.Subject, cleaned.Reason, "{}"
		if len(cleaned.Changes) > 0 {
			left.changes = toJSON(cleaned.Changes)
		}
		same := left.Subject == r.Subject && left.Reason == r.Reason && sameJSON(left.changes, r.changes)
		if same || slices.Contains(positions, r.position()) {
			continue
		}
		tx.Exec(`UPDATE audit_entries SET subject = $2, changes = $3, reason = $4, redacted = $5 WHERE id = $1`,
			r.ID, left.Subject, left.changes, left.Reason, left.redaction(tx.db.auditKey))
		positions = append(positions, r.position())
	}
	for i, e := range tx.entries {
		tx.entries[i] = clean(e)
	}
	return positions, nil
}

// auditRows returns audit entries by their ids.
func (tx *Tx) auditRows(ids []int64) (map[int64]auditRow, error) {
	rows := map[int64]auditRow{}
	list, err := byID("id", ids, func(where string, args ...any) ([]auditRow, error) {
		return sqldb.Collect(tx.All(auditSelect+where, args...), scanAudit)
	})
	for _, r := range list {
		rows[r.ID] = r
	}
	return rows, err
}

// position returns the chain of an entry and its number in the chain.
func (r auditRow) position() string { return fmt.Sprintf("%d:%d", r.chain, r.seq) }

// sameJSON reports whether two texts contain the same changes.
func sameJSON(a, b string) bool {
	var x, y map[string]hospital.Change
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil &&
		toJSON(x) == toJSON(y)
}

// redaction returns the hash of the fields that are left of an entry and of its original hash, with which
// the chain continues.
func (r auditRow) redaction(key []byte) string { return r.hashAfter(key, "redacted "+r.hash) }

// redactions returns the positions of the redacted entries with the time of the last erasure.
func (tx *Tx) redactions() (map[string]time.Time, error) {
	erasedAt := map[string]time.Time{}
	err := tx.Stream(func(scan sqldb.Scan) error {
		r, err := scanAudit(scan)
		list, _ := r.Changes[RedactedEntries].After.([]any)
		for _, v := range list {
			if position, ok := v.(string); ok && !r.At.Before(erasedAt[position]) {
				erasedAt[position] = r.At
			}
		}
		return err
	}, auditSelect+`WHERE action = $1`, ActionAnonymise)
	return erasedAt, err
}
