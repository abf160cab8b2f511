package privacy

import (
	"fmt"
	"slices"
	"strconv"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// customerEntries returns the audit entries about app accounts that mention a patient.
func (e eraser) customerEntries(patient int64) ([]hospital.AuditEntry, error) {
	return e.AuditEntries(`WHERE entity = 'customer' AND changes LIKE $1`, fmt.Sprintf(`%%"patientId":%d,%%`, patient))
}

// linksSelf reports whether an entry links an account to the patient as the patient's own.
func linksSelf(e hospital.AuditEntry, patient int64) bool {
	for _, side := range []any{e.Changes["patients"].Before, e.Changes["patients"].After} {
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

// log removes personal data from the audit log and from the entries of this transaction. It returns
// the entries that were changed.
func (e eraser) log(s subject) (named []string, err error) {
	entries, err := entriesOf(e.Tx, s)
	if err != nil {
		return nil, err
	}
	accounts, err := e.customerEntries(s.patient)
	if err != nil {
		return nil, err
	}
	named, err = e.RedactAudit(append(entries, accounts...), s.clean)
	e.done.Entries = len(named)
	return named, err
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
	case e.Action == store.ActionAnonymise:
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
		blank(func(field string) bool { return hospital.KeptAfterErasure(e.Entity, field) })
	}
	return e
}
