package hospital

import "time"

// Outcome is how something that was tried ended.
type Outcome string

// OK was done; REFUSED was tried without the right to; FAILED was tried and
// did not succeed (a wrong password).
const (
	OutcomeOK      Outcome = "OK"
	OutcomeRefused Outcome = "REFUSED"
	OutcomeFailed  Outcome = "FAILED"
)

// Outcomes lists them for documents and checks.
var Outcomes = []Outcome{OutcomeOK, OutcomeRefused, OutcomeFailed}

// Change is one field before and after.
type Change struct {
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
}

// AuditEntry is one line of the log nobody can edit: who, when, from where, did
// what to which record, and what changed. Its place in the hash chain is the
// store's business.
type AuditEntry struct {
	ID        int64             `json:"id"`
	At        time.Time         `json:"at"`
	ActorID   *int64            `json:"actorId" nullable:"true"`
	ActorName string            `json:"actorName"`
	Addr      string            `json:"addr"`
	RequestID string            `json:"requestId"`
	Action    string            `json:"action" doc:"What was done, for example user.update"`
	Entity    string            `json:"entity" doc:"Kind of record, for example user"`
	EntityID  string            `json:"entityId"`
	Subject   string            `json:"subject" doc:"What people call the record, for example the person's name"`
	Outcome   Outcome           `json:"outcome"`
	Changes   map[string]Change `json:"changes"`
	Reason    string            `json:"reason"`
}

// AuditFilter narrows the log: an entry has to meet all that is given.
type AuditFilter struct {
	Page
	ActorID  int64     `json:"actorId,omitempty"`
	Entity   string    `json:"entity,omitempty" maxLength:"40"`
	EntityID string    `json:"entityId,omitempty" maxLength:"80"`
	Action   string    `json:"action,omitempty" maxLength:"80" doc:"An action, or the beginning of one"`
	Outcome  Outcome   `json:"outcome,omitempty"`
	From     time.Time `json:"from,omitzero"`
	To       time.Time `json:"to,omitzero"`
}

// Validate requires plausible years.
func (f AuditFilter) Validate() error {
	var c Checker
	c.instant(&f.From, "from")
	c.instant(&f.To, "to")
	return c.Err()
}
