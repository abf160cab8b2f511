package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// customerEntries returns the audit entries about app accounts that mention a patient.
func (e eraser) customerEntries(patient int64) ([]auditRow, error) {
	return sqldb.Collect(e.All(auditSelect+`WHERE entity = 'customer' AND changes LIKE $1`,
		fmt.Sprintf(`%%"patientId":%d,%%`, patient)), scanAudit)
}

// linksSelf reports whether an entry links an account to the patient as the patient's own.
func (r auditRow) linksSelf(patient int64) bool {
	for _, side := range []any{r.Changes["patients"].Before, r.Changes["patients"].After} {
		list, _ := side.([]any)
		for _, x := range list {
			link, _ := x.(map[string]any)
			id, _ := link["patientId"].(float64)
			if int64(id) == patient && link["relation"] == string(hospital.RelationSelf) {
				return true
			}
		}
	}
	return false
}

// redactedEntries is the field in which the entry of an erasure lists the entries that were redacted,
// as "lane:seq".
const redactedEntries = "entries"

// log removes personal data from the audit log and from the entries of this transaction. It returns
// the entries that were changed.
func (e eraser) log(s subject) (named []string, err error) {
	rows, err := e.entriesOf(s)
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
		same := left.Subject == r.Subject && left.Reason == r.Reason && sameJSON(left.changes, r.changes)
		if same || slices.Contains(named, place) {
			continue
		}
		e.Exec(`UPDATE audit_entries SET subject = $2, changes = $3, reason = $4, redacted = $5 WHERE id = $1`,
			r.ID, left.Subject, left.changes, left.Reason, left.redaction(e.db.auditKey))
		named = append(named, place)
	}
	for i, entry := range e.entries {
		e.entries[i] = s.clean(entry)
	}
	e.done.Entries = len(named)
	return named, nil
}

// sameJSON reports whether two texts contain the same changes: an entry without personal data is not
// rewritten.
func sameJSON(a, b string) bool {
	var x, y map[string]hospital.Change
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil &&
		toJSON(x) == toJSON(y)
}

// clean returns an entry without personal data of the subject: the names of the changed fields stay,
// their values do not.
func (s subject) clean(e hospital.AuditEntry) hospital.AuditEntry {
	id, _ := strconv.ParseInt(e.EntityID, 10, 64)
	blank := func(keep func(field string) bool) {
		left := map[string]hospital.Change{}
		for field, c := range e.Changes {
			if left[field] = (hospital.Change{}); keep(field) {
				left[field] = c
			}
		}
		e.Changes = left
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
	case e.Entity == "customer": // another person's account that mentions the patient
		blank(func(field string) bool { return field != "patients" })
	case e.Action == "result.list", e.Action == "appointment.slip":
	case e.Entity == "appointment", e.Entity == "result":
		e.Reason = ""
		blank(func(field string) bool { return hospital.ErasedKeeps(e.Entity, field) })
	}
	return e
}

// redaction returns the seal of what is left of an entry and of its original hash, with which the
// chain continues. Nothing of it can be changed without the key.
func (r auditRow) redaction(key []byte) string { return r.chain(key, "redacted "+r.hash) }

// redactions returns the entries that erasures have redacted, with the time of the last erasure.
func (tx *Tx) redactions() (map[string]time.Time, error) {
	named := map[string]time.Time{}
	err := tx.Stream(func(scan sqldb.Scan) error {
		r, err := scanAudit(scan)
		places, _ := r.Changes[redactedEntries].After.([]any)
		for _, p := range places {
			if place, ok := p.(string); ok && !r.At.Before(named[place]) {
				named[place] = r.At
			}
		}
		return err
	}, auditSelect+`WHERE action = $1`, pdpaAnonymise)
	return named, err
}
