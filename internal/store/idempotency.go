package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"nadmor/internal/hospital"
)

// idempotencyPeriod is how long the answer of a write is stored with its
// idempotency key. After that the key is as new.
const idempotencyPeriod = 24 * time.Hour

// Request identifies a write that came with an Idempotency-Key. The key belongs
// to the actor of the context and to the operation.
type Request struct {
	Operation, Key string
	Step           int64                     // one of several transactions of the request; 0 for the whole
	Digest         func() []byte             // hash of everything that was sent
	Encode         func(any) (string, error) // writes the answer as it is stored
}

type requestKey struct{}

// WithRequest returns a context in which the write of the request is done once:
// changeOnce stores its answer in the same transaction.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// WithStep returns a context for one of several transactions of the request of
// ctx, which are told apart by a number other than 0.
func WithStep(ctx context.Context, step int64) context.Context {
	r, ok := ctx.Value(requestKey{}).(Request)
	if !ok {
		return ctx
	}
	r.Step, r.Encode = step, func(any) (string, error) { return "null", nil } // the whole has the answer
	return WithRequest(ctx, r)
}

// WithAnswer returns a context in which the answer that is stored for the
// request of ctx is made of what the store returns.
func WithAnswer(ctx context.Context, answer func(any) any) context.Context {
	r, ok := ctx.Value(requestKey{}).(Request)
	if !ok {
		return ctx
	}
	encode := r.Encode
	r.Encode = func(v any) (string, error) { return encode(answer(v)) }
	return WithRequest(ctx, r)
}

// requestFrom returns the request of a signed-in user, if it came with a key.
func requestFrom(ctx context.Context) (Request, bool) {
	r, ok := ctx.Value(requestKey{}).(Request)
	return r, ok && r.Key != "" && hospital.ActorFrom(ctx).UserID != 0
}

// changeOnce runs fn as change does. Where the request came with an idempotency
// key, the answer (what answer returns after fn) is stored with the key in the
// same transaction. CONFLICT_VERSION where the key has an answer already, and
// nothing is changed: FirstAnswer returns that.
func (db *DB) changeOnce(ctx context.Context, answer func() any, fn func(*Tx) error) error {
	r, keyed := requestFrom(ctx)
	if !keyed {
		return db.change(ctx, fn)
	}
	once := func(tx *Tx) error {
		if err := fn(tx); err != nil {
			if db.writer != nil && tx.keyTaken(r) {
				return errKeyTaken
			}
			return err
		}
		return tx.storeAnswer(r, answer())
	}
	// The key is not looked for beforehand: that would cost every write a journey
	// to the database. A repeat fails here, or is refused by fn before.
	for range 5 {
		err := db.change(ctx, once)
		if !isKeyTaken(err) {
			return err
		}
		if free, err := db.freeKey(ctx, r); err != nil {
			return err
		} else if !free {
			break
		}
		// It was expired, or the first was undone with the commit it shared.
	}
	return hospital.Refuse(hospital.ConflictVersion)
}

// valueOf returns the value of v at the time it is called.
func valueOf[T any](v *T) func() any { return func() any { return *v } }

// nothing is the answer of a write that returns no data.
func nothing() any { return nil }

// errKeyTaken tells that another request with the key came before.
var errKeyTaken = errors.New("the idempotency key is taken")

func isKeyTaken(err error) bool {
	index, taken := uniqueViolation(err)
	return taken && index == "idempotency_pkey" || errors.Is(err, errKeyTaken)
}

// keyTaken looks where nothing is committed yet: on SQLite a repeat may be refused
// for what the first wrote in the commit that they share.
func (tx *Tx) keyTaken(r Request) bool {
	var n int
	err := tx.queryRow(`SELECT count(*) FROM idempotency WHERE actor_id = $1 AND operation = $2 AND key = $3 AND step = $4`,
		tx.actor.UserID, r.Operation, r.Key, r.Step).Scan(&n)
	return err == nil && n > 0
}

// storeAnswer travels with the commit.
func (tx *Tx) storeAnswer(r Request, answer any) error {
	text, err := r.Encode(answer)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return tx.later("store answer", `INSERT INTO idempotency (actor_id, operation, key, step, request, answer, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		tx.actor.UserID, r.Operation, r.Key, r.Step, tx.db.fingerprint(r), text, ms(tx.now))
}

// fingerprint is what tells a repeat from another request. What was sent may hold
// a password or an ID card, which nobody can guess from it without the key.
func (db *DB) fingerprint(r Request) string {
	h := hmac.New(sha256.New, db.auditKey)
	h.Write(r.Digest())
	return hex.EncodeToString(h.Sum(nil))
}

// freeKey deletes an expired key and tells whether it is free.
func (db *DB) freeKey(ctx context.Context, r Request) (free bool, err error) {
	err = db.change(ctx, func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM idempotency
			WHERE actor_id = $1 AND operation = $2 AND key = $3 AND step = $4 AND created_at <= $5`,
			tx.actor.UserID, r.Operation, r.Key, r.Step, ms(tx.now.Add(-idempotencyPeriod)))
		free = !tx.keyTaken(r)
		return err
	})
	return free, err
}

// FirstAnswer returns the answer that is stored for the key of the request, once
// it is committed. found is false where there is none. A key that came with
// another request is VALIDATION_FAILED.
func (db *DB) FirstAnswer(ctx context.Context) (answer string, found bool, err error) {
	r, keyed := requestFrom(ctx)
	if !keyed {
		return "", false, nil
	}
	var request string
	err = db.change(ctx, func(tx *Tx) error {
		found = false
		// The lock makes the commit wait until a standby has the first one, too.
		return tx.gather(question{
			what: "read idempotency key",
			query: `SELECT i.request, i.answer FROM idempotency i
				WHERE i.actor_id = $1 AND i.operation = $2 AND i.key = $3 AND i.step = $4 AND i.created_at > $5` + db.dialect.lock("i"),
			args: []any{tx.actor.UserID, r.Operation, r.Key, r.Step, ms(tx.now.Add(-idempotencyPeriod))},
			row:  func(scan func(...any) error) error { found = true; return scan(&request, &answer) },
		})
	})
	if err == nil && found && request != db.fingerprint(r) {
		err = hospital.Refuse(hospital.ValidationFailed).
			On("Idempotency-Key", "รหัสนี้ถูกใช้กับคำขออื่นแล้ว", "This key came with another request before.")
	}
	return answer, found, err
}

// KeepAnswer stores the answer of a request that is done in several
// transactions.
func (db *DB) KeepAnswer(ctx context.Context, answer any) error {
	if _, keyed := requestFrom(ctx); !keyed {
		return nil
	}
	return db.changeOnce(ctx, func() any { return answer }, func(*Tx) error { return nil })
}
