// Package load writes many records at once: those of the sample hospital, and of hospitals for tests and
// benchmarks. It knows the tables of the store and does not check the records.
package load

import (
	"context"
	"errors"
	"iter"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// A load reads batchSize records at a time and writes transactionSize records in one transaction, which
// limits the size of the write-ahead log.
const (
	batchSize       = 5_000
	transactionSize = 200_000
)

func isSQLite(db *store.DB) bool { return db.Engine() == "sqlite" }

// change is store.DB.Change for long transactions.
func change(ctx context.Context, db *store.DB, fn func(*store.Tx) error) error {
	return db.Change(ctx, func(tx *store.Tx) error {
		if !isSQLite(db) {
			tx.Exec(`SET LOCAL idle_in_transaction_session_timeout = 0`)
		}
		return fn(tx)
	})
}

// changeOnce is change for a function that consumes its input, so that it cannot run again.
func changeOnce(ctx context.Context, db *store.DB, fn func(*store.Tx) error) error {
	ran := false
	var failed error
	return change(ctx, db, func(tx *store.Tx) error {
		if ran {
			return errors.Join(errors.New("load: the transaction was rolled back"), failed)
		}
		ran = true
		failed = fn(tx)
		return failed
	})
}

// lastID returns the largest id of a table, 0 if it is empty.
func lastID(tx *store.Tx, table string) (id int64, err error) {
	err = tx.Get(`SELECT coalesce(max(id), 0) FROM ` + table).Scan(&id)
	return id, err
}

// setLastID makes new ids of a table start after those of loaded rows. SQLite does it by itself.
func setLastID(db *store.DB, tx *store.Tx, table string, id int64) {
	if !isSQLite(db) && id > 0 {
		tx.Exec(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`, table, id)
	}
}

// noteImport records in the audit log that n records were written.
func noteImport(tx *store.Tx, entity string, n int) {
	tx.NoteEntry(hospital.AuditEntry{
		Action: entity + ".import", Entity: entity, Changes: map[string]hospital.Change{"new": {After: n}},
	})
}

// in returns the condition that a column has one of some values, which contain no quotes.
func in[T ~string](column string, values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return column + ` IN ('` + strings.Join(texts, `', '`) + `')`
}

// chunks collects values into groups of n and prepares each group while the caller uses the previous
// one. A panic in prepare is raised again in the caller.
func chunks[T, U any](ctx context.Context, all iter.Seq[T], n int, prepare func([]T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ready := make(chan U, 1)
		var failed error
		go func() {
			defer close(ready)
			defer hospital.Recover(&failed)
			for group := range grouped(all, n) {
				select {
				case ready <- prepare(group):
				case <-ctx.Done():
					return
				}
			}
		}()
		for prepared := range ready {
			if !yield(prepared) {
				return
			}
		}
		if failed != nil {
			panic(failed)
		}
	}
}

func grouped[T any](all iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		group := make([]T, 0, n)
		for v := range all {
			if group = append(group, v); len(group) == n {
				if !yield(group) {
					return
				}
				group = make([]T, 0, n)
			}
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}
