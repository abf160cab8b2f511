package hospital

import "time"

// Outcome is the result of an audited action.
type Outcome string

// The outcomes. REFUSED means that a permission was missing; FAILED that the action did not succeed, such as
// a wrong password.
const (
	OutcomeOK      Outcome = "OK"
	OutcomeRefused Outcome = "REFUSED"
	OutcomeFailed  Outcome = "FAILED"
)

// Outcomes lists the valid values.
var Outcomes = []Outcome{OutcomeOK, OutcomeRefused, OutcomeFailed}

// Change holds the values of one field before and after a change.
type Change struct {
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
}

// AuditEntry is an entry of the append-only audit log. The store computes its place in the hash chain.
type AuditEntry struct {
	ID        int64             `json:"id"`
	At        time.Time         `json:"at"`
	ActorID   *int64            `json:"actorId" nullable:"true"`
	ActorName string            `json:"actorName"`
	Addr      string            `json:"addr"`
	RequestID string            `json:"requestId"`
	Action    string            `json:"action" doc:"Action, for example user.update"`
	Entity    string            `json:"entity" doc:"Kind of record, for example user"`
	EntityID  string            `json:"entityId"`
	Subject   string            `json:"subject" doc:"Display name of the record, for example the user's name"`
	Outcome   Outcome           `json:"outcome"`
	Changes   map[string]Change `json:"changes"`
	Reason    string            `json:"reason"`
}

// AuditFilter selects audit entries. All given conditions must match.
type AuditFilter struct {
	Page
	ActorID  int64     `json:"actorId,omitempty"`
	Entity   string    `json:"entity,omitempty" maxLength:"40"`
	EntityID string    `json:"entityId,omitempty" maxLength:"80"`
	Action   string    `json:"action,omitempty" maxLength:"80" doc:"An action or a prefix of one"`
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
