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
	"nadmor/internal/sqldb"
)

// idempotencyPeriod is how long the response of a write is stored under its idempotency key.
// After that the key can be used again.
const idempotencyPeriod = 24 * time.Hour

// Request identifies a write with an Idempotency-Key. The key belongs to the actor of the
// context and to the operation.
type Request struct {
	Operation, Key string
	Step           int64                     // number of a transaction of a bulk request; 0 for the request itself
	Digest         func() []byte             // hash of the request
	Encode         func(any) (string, error) // encodes the response for storage
}

type requestKey struct{}

// WithRequest returns a context for a request whose write is executed once: changeOnce stores
// the response in the same transaction.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// WithStep returns a context for one transaction of a bulk request. The step must not be 0.
func WithStep(ctx context.Context, step int64) context.Context {
	r, ok := ctx.Value(requestKey{}).(Request)
	if !ok {
		return ctx
	}
	// The response is stored with the whole request, not with its steps.
	r.Step, r.Encode = step, func(any) (string, error) { return "null", nil }
	return WithRequest(ctx, r)
}

// WithAnswer returns a context in which answer converts the result of the store to the response that is
// stored.
func WithAnswer(ctx context.Context, answer func(any) any) context.Context {
	r, ok := ctx.Value(requestKey{}).(Request)
	if !ok {
		return ctx
	}
	encode := r.Encode
	r.Encode = func(v any) (string, error) { return encode(answer(v)) }
	return WithRequest(ctx, r)
}

// requestFrom returns the request of a signed-in user, if it has an idempotency key.
func requestFrom(ctx context.Context) (Request, bool) {
	r, ok := ctx.Value(requestKey{}).(Request)
	return r, ok && r.Key != "" && hospital.ActorFrom(ctx).UserID != 0
}

// changeOnce runs fn like Change. If the request has an idempotency key, it stores the value that
// answer returns after fn under the key, in the same transaction. If a response is already stored for
// the key, it changes nothing and returns CONFLICT_VERSION; FirstAnswer returns the stored response.
func (db *DB) changeOnce(ctx context.Context, answer func() any, fn func(*Tx) error) error {
	r, keyed := requestFrom(ctx)
	if !keyed {
		return db.Change(ctx, fn)
	}
	once := func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.storeAnswer(r, answer())
	}
	// The key is not looked up first, which would cost every write a statement, and a round trip on
	// PostgreSQL. A retry fails on the primary key, or in fn.
	for range maxAttempts {
		err := db.Change(ctx, once)
		if err == nil || !isKeyTaken(err) && !db.sharesCommit(ctx, r) {
			return err
		}
		if free, err := db.deleteExpiredKey(ctx, r); err != nil {
			return err
		} else if !free {
			break
		}
		// The stored key had expired, or the transaction that wrote it was rolled back.
	}
	return hospital.Reject(hospital.ConflictVersion)
}

// sharesCommit reports whether the key of a failed change is taken on SQLite: the change may have failed
// because of the first request with the key, which is in the same shared commit and not yet committed.
func (db *DB) sharesCommit(ctx context.Context, r Request) bool {
	if !db.dialect.exclusive {
		return false
	}
	taken := false
	err := db.Change(ctx, func(tx *Tx) (err error) {
		taken, err = tx.keyTaken(r)
		return err
	})
	return err == nil && taken
}

// valueOf returns a function that returns the current value of v.
func valueOf[T any](v *T) func() any { return func() any { return *v } }

// noAnswer is the response of a write that returns no data.
func noAnswer() any { return nil }

func isKeyTaken(err error) bool {
	index, taken := uniqueViolation(err)
	return taken && index == "idempotency_pkey"
}

// keyTaken reports whether the key exists. On SQLite it may be that of a transaction that shares the
// commit of this one.
func (tx *Tx) keyTaken(r Request) (taken bool, err error) {
	err = tx.Get(`SELECT count(*) > 0 FROM idempotency
		WHERE actor_id = $1 AND operation = $2 AND key = $3 AND step = $4`,
		tx.actor.UserID, r.Operation, r.Key, r.Step).Scan(&taken)
	return taken, err
}

const answerInsert = `INSERT INTO idempotency (actor_id, operation, key, step, request, answer, created_at) VALUES `

// storeAnswer adds the response to those that are written before the commit.
func (tx *Tx) storeAnswer(r Request, answer any) error {
	text, err := r.Encode(answer)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	tx.answers = append(tx.answers, []any{
		tx.actor.UserID, r.Operation, r.Key, r.Step, tx.db.fingerprint(r), text, ms(tx.now),
	})
	return nil
}

// fingerprint distinguishes a retry from another request with the same key. It is a keyed hash,
// because the request may contain a password or an ID card that could be guessed from a plain one.
func (db *DB) fingerprint(r Request) string {
	h := hmac.New(sha256.New, db.auditKey)
	h.Write(r.Digest())
	return hex.EncodeToString(h.Sum(nil))
}

// deleteExpiredKey deletes the key if it has expired and reports whether it is free.
func (db *DB) deleteExpiredKey(ctx context.Context, r Request) (free bool, err error) {
	err = db.Change(ctx, func(tx *Tx) error {
		tx.Exec(`DELETE FROM idempotency
			WHERE actor_id = $1 AND operation = $2 AND key = $3 AND step = $4 AND created_at <= $5`,
			tx.actor.UserID, r.Operation, r.Key, r.Step, ms(tx.now.Add(-idempotencyPeriod)))
		taken, err := tx.keyTaken(r)
		free = !taken
		return err
	})
	return free, err
}

// FirstAnswer returns the committed response stored for the key of the request. found is false
// if there is none. It returns VALIDATION_FAILED if the key was used with another request.
func (db *DB) FirstAnswer(ctx context.Context) (answer string, found bool, err error) {
	r, keyed := requestFrom(ctx)
	if !keyed {
		return "", false, nil
	}
	var request string
	err = db.Change(ctx, func(tx *Tx) error {
		// The lock makes the commit wait until a standby has the first write as well.
		err := tx.Get(`SELECT i.request, i.answer FROM idempotency i
			WHERE i.actor_id = $1 AND i.operation = $2 AND i.key = $3 AND i.step = $4
			AND i.created_at > $5`+db.dialect.lock("i"),
			tx.actor.UserID, r.Operation, r.Key, r.Step, ms(tx.now.Add(-idempotencyPeriod))).Scan(&request, &answer)
		if found = err == nil; errors.Is(err, sqldb.ErrNoRows) {
			err = nil
		}
		return err
	})
	if err == nil && found && request != db.fingerprint(r) {
		err = hospital.Reject(hospital.ValidationFailed).
			On("Idempotency-Key", "รหัสนี้ถูกใช้กับคำขออื่นแล้ว", "This key came with another request before.")
	}
	return answer, found, err
}

// StoreAnswer stores the response of a bulk request, see WithStep.
func (db *DB) StoreAnswer(ctx context.Context, answer any) error {
	if _, keyed := requestFrom(ctx); !keyed {
		return nil
	}
	return db.changeOnce(ctx, func() any { return answer }, func(*Tx) error { return nil })
}
