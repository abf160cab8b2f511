package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
)

// customerEntries are the entries about accounts that tell of a patient.
func (e eraser) customerEntries(patient int64) ([]auditRow, error) {
	rows, err := e.query(auditSelect+`WHERE entity = 'customer' AND changes LIKE $1`, fmt.Sprintf(`%%"patientId":%d,%%`, patient))
	return collect(rows, err, scanAudit)
}

// linksSelf tells whether an entry says that an account is the patient's own.
func (r auditRow) linksSelf(patient int64) bool {
	for _, side := range []any{r.Changes["patients"].Before, r.Changes["patients"].After} {
		list, _ := side.([]any)
		for _, x := range list {
			link, _ := x.(map[string]any)
			if id, _ := link["patientId"].(float64); int64(id) == patient && link["relation"] == string(hospital.RelationSelf) {
				return true
			}
		}
	}
	return false
}

// redactedEntries is the change in which the entry of an erasure names those
// that lost something, as "lane:seq".
const redactedEntries = "entries"

// log takes personal values out of the audit log, and out of what this
// transaction is about to add to it, and returns where.
func (e eraser) log(s subject) (named []string, err error) {
	rows, err := e.db.entriesOf(e.ctx, e.tx, s)
	if err != nil {
		return nil, err
	}
	accounts, err := e.customerEntries(s.patient)
	if err != nil {
		return nil, err
	}
	named = []string{}
	for _, r := range append(rows, accounts...) {
		clean := s.clean(r.AuditEntry)
		left := r
		left.Subject, left.Reason, left.changes = clean.Subject, clean.Reason, "{}"
		if len(clean.Changes) > 0 {
			left.changes = toJSON(clean.Changes)
		}
		place := fmt.Sprintf("%d:%d", r.lane, r.seq)
		if left.Subject == r.Subject && left.Reason == r.Reason && sameJSON(left.changes, r.changes) || slices.Contains(named, place) {
			continue
		}
		if _, err := e.exec(`UPDATE audit_entries SET subject = $2, changes = $3, reason = $4, redacted = $5 WHERE id = $1`, r.ID, left.Subject, left.changes, left.Reason, left.redaction(e.db.auditKey)); err != nil {
			return nil, fmt.Errorf("redact entry: %w", err)
		}
		named = append(named, place)
	}
	for i, entry := range e.entries {
		e.entries[i] = s.clean(entry)
	}
	e.done.Entries = len(named)
	return named, nil
}

// sameJSON tells whether two texts hold the same: an entry that has nothing to
// lose stays as it was written.
func sameJSON(a, b string) bool {
	var x, y map[string]hospital.Change
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && toJSON(x) == toJSON(y)
}

// clean is an entry without what it says of the person: which fields changed
// stays, not what to.
func (s subject) clean(e hospital.AuditEntry) hospital.AuditEntry {
	id, _ := strconv.ParseInt(e.EntityID, 10, 64)
	blank := func(keep func(field string) bool) {
		kept := map[string]hospital.Change{}
		for field, c := range e.Changes {
			if kept[field] = (hospital.Change{}); keep(field) {
				kept[field] = c
			}
		}
		e.Changes = kept
	}
	nothing := func(string) bool { return false }
	switch {
	case e.Action == pdpaAnonymise:
	case e.Entity == "patient" && id == s.patient:
		e.Subject, e.Reason = hospital.ErasedPatient, ""
		blank(nothing)
	case e.Entity == "customer" && slices.Contains(s.customers, id):
		e.Subject, e.Reason = hospital.ErasedCustomer, ""
		blank(nothing)
	case e.Entity == "customer": // somebody else's account, that told of the patient
		blank(func(field string) bool { return field != "patients" })
	case e.Action == "result.list", e.Action == "appointment.slip":
	case e.Entity == "appointment", e.Entity == "result":
		e.Reason = ""
		blank(func(field string) bool { return hospital.ErasedKeeps(e.Entity, field) })
	}
	return e
}

// redaction seals what is left of an entry, under the hash that it was written
// with: the chain goes on through that hash, and nothing of what is left can be
// changed without the key.
func (r auditRow) redaction(key []byte) string { return r.chain(key, "redacted "+r.hash) }

// redactions are the places that erasures name, and when.
func (db *DB) redactions(ctx context.Context) (map[string]time.Time, error) {
	rows, err := db.read.QueryContext(ctx, auditSelect+`WHERE action = $1`, pdpaAnonymise)
	list, err := collect(rows, err, scanAudit)
	named := map[string]time.Time{}
	for _, r := range list {
		places, _ := r.Changes[redactedEntries].After.([]any)
		for _, p := range places {
			if place, ok := p.(string); ok && !r.At.Before(named[place]) {
				named[place] = r.At
			}
		}
	}
	return named, err
}
