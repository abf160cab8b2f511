package store

import (
	"encoding/json"
	"errors"

	"nadmor/internal/hospital"
)

// errRepeat tells that a request was answered before.
var errRepeat = errors.New("a repeated request")

// answered is what was told to a request with an idempotency key, if one came
// before.
type answered struct {
	key, request string
	found        bool
	asked, told  string
}

// answerRead looks for it. After the patient was locked, a repeat that comes at
// the same time has waited for the first and finds it.
func (tx *Tx) answerRead(a *answered) question {
	return question{
		what: "read idempotency key", query: `SELECT request, answer FROM idempotency WHERE actor_id = $1 AND key = $2`, args: []any{tx.actor.UserID, a.key},
		row: func(scan func(...any) error) error { a.found = true; return scan(&a.asked, &a.told) },
	}
}

// repeat tells the same again. A key that comes with another request is
// VALIDATION_FAILED.
func (a answered) repeat(answer any) error {
	if a.asked != a.request {
		return hospital.Refuse(hospital.ValidationFailed).On("Idempotency-Key", "รหัสนี้ถูกใช้กับคำขออื่นแล้ว", "This key came with another request before.")
	}
	return json.Unmarshal([]byte(a.told), answer)
}

// answer keeps what a request with a key is told. If another one with the key was
// faster, the transaction is run again and finds it (isRetryable).
func (tx *Tx) answer(a answered, answer any) error {
	if a.key == "" {
		return nil
	}
	return tx.later("keep answer", `INSERT INTO idempotency (actor_id, key, request, answer, created_at) VALUES ($1, $2, $3, $4, $5)`, tx.actor.UserID, a.key, a.request, toJSON(answer), ms(tx.now))
}
