// Package store holds the hospital's SQL. An exported method is one transaction; helpers are methods
// of Tx. The same SQL runs on SQLite and PostgreSQL; what differs is in the migrations, the two open
// files and the dialect below.
package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// DB is the hospital's database.
type DB struct {
	sql      *sqldb.DB
	dialect  dialect
	now      func() time.Time
	auditKey []byte
	chains   *auditChains // nil with SQLite
	roles    roleCache
	sessions sessionCache
	services atomic.Pointer[serviceCache]
	blocks   numberBlocks
	written  entryCounter
	format   atomic.Pointer[hospital.NumberFormat]
	hub      *hub

	bookings     batcher[*booking]
	notes        batcher[*notes]
	sessionReads batcher[*sessionRow]

	progressInterval time.Duration // the constant, except in tests
}

// dialect holds the few differences between the engines.
type dialect struct {
	name        string
	auditChains int    // number of chains of the audit log, as created by the migration
	skipLocked  string // lets several workers read a job queue
	rowLocks    bool   // whether rows must be locked: SQLite has one writer at a time
	exclusive   bool   // no other node changes the data
	jsonObject  string // aggregate function that makes a JSON object of names and values

	// likePrefix is written before the pattern of LIKE. On SQLite it prevents that the statement is
	// planned again for each pattern.
	likePrefix string

	// findsAllMatches means that the trigram index finds all matches before it returns the first one.
	findsAllMatches bool

	// nextAppointments reserves the ids of $1 appointments before they are written. It is empty if
	// the insert assigns the id.
	nextAppointments string
}

// lock locks the rows of a table (by its alias) that a statement reads until the end of the
// transaction. To avoid deadlocks, all transactions lock rows in this order: appointments, patients,
// slots, queues, idempotency keys, audit chains, day totals; rows of one table by their key.
func (d dialect) lock(alias string) string {
	if !d.rowLocks {
		return ""
	}
	return " FOR NO KEY UPDATE OF " + alias
}

// keyShare protects the rows of a table (by its alias) that a statement reads from deletion until
// the end of the transaction; other changes are allowed. A transaction that deletes a row must
// lock it with forUpdate first.
func (d dialect) keyShare(alias string) string {
	if !d.rowLocks {
		return ""
	}
	return " FOR KEY SHARE OF " + alias
}

// forUpdate locks the rows that a statement reads exclusively. It waits for the keyShare locks of
// other transactions.
func (d dialect) forUpdate(alias string) string {
	if !d.rowLocks {
		return ""
	}
	return " FOR UPDATE OF " + alias
}

// Options configure Open.
type Options struct {
	URL      string                         // postgres://…; empty for SQLite
	DataDir  string                         // folder of the SQLite file
	AuditKey []byte                         // key of the audit chain
	Now      func() time.Time               // the clock; nil for the real one
	Observe  func(query string, args []any) // called with every statement; nil for none

	// Migration is the number of the last migration to apply: 0 for all, NoMigration for none.
	Migration int64

	Restoring bool // opens a database that is being restored, which Open otherwise rejects
}

// NoMigration leaves the schema as it is, so that it can be inspected before an upgrade.
const NoMigration = sqldb.NoMigration

// Open connects and brings the schema up to date. Several nodes may start at once.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{now: o.Now, auditKey: o.AuditKey, hub: newHub(), progressInterval: progressInterval}
	if db.now == nil {
		db.now = time.Now
	}
	var err error
	if o.URL == "" {
		err = db.openSQLite(ctx, o)
	} else {
		err = db.openPostgres(ctx, o)
	}
	if err == nil && !o.Restoring {
		err = db.rejectUnfinished(ctx)
	}
	if err == nil {
		_, err = db.Setting(ctx) // caches the number format
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close ends all connections.
func (db *DB) Close() error {
	if db.sql == nil {
		return nil
	}
	return db.sql.Close()
}

// Engine returns "sqlite" or "postgres".
func (db *DB) Engine() string { return db.dialect.name }

// Ready returns an error if the database does not answer or, like a standby, does not accept changes.
func (db *DB) Ready(ctx context.Context) error { return MapError(db.sql.Ready(ctx)) }

// Handle opens a database/sql handle for a backup, which copies whole tables. The caller closes it.
func (db *DB) Handle() (*sql.DB, error) {
	handle, err := db.sql.Handle()
	return handle, MapError(err)
}

// Maintain runs statements outside of any transaction: PRAGMA, VACUUM and the like.
func (db *DB) Maintain(ctx context.Context, statements ...string) error {
	return MapError(db.sql.Maintain(ctx, statements...))
}

// Now returns the current time, truncated to milliseconds like the stored times.
func (db *DB) Now() time.Time { return db.now().UTC().Truncate(time.Millisecond) }

// Tx is a transaction with its actor and its time. Everything that it writes has the same time.
type Tx struct {
	*sqldb.Tx
	db       *DB
	ctx      context.Context
	actor    hospital.Actor
	now      time.Time
	readOnly bool
	*changes
}

// changes are collected by a transaction and written, or published, at its end.
type changes struct {
	entries []hospital.AuditEntry
	events  []hospital.Event
	history [][]any // rows of appointment_history
	answers [][]any // rows of idempotency

	// To be added to the totals.
	totals   map[serviceDay]map[hospital.AppointmentStatus]int
	patients int
}

func (db *DB) newTx(ctx context.Context, s *sqldb.Tx) *Tx {
	return &Tx{Tx: s, db: db, ctx: ctx, actor: hospital.ActorFrom(ctx), now: db.Now(), changes: &changes{}}
}

// withActor returns the same transaction for the actor of another context.
func (tx *Tx) withActor(ctx context.Context) *Tx {
	other := *tx
	other.ctx, other.actor = ctx, hospital.ActorFrom(ctx)
	return &other
}

// Now returns the time of the transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// Actor returns who acts in the transaction.
func (tx *Tx) Actor() hospital.Actor { return tx.actor }

// LocalNow returns the time of the transaction in the hospital's time zone.
func (tx *Tx) LocalNow() hospital.Moment { return hospital.MomentOf(tx.now) }

// Read runs fn in a read-only transaction on one snapshot. fn may run again after a lost connection,
// so it must not depend on the results of an earlier run.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return db.read(ctx, db.sql.Read, fn)
}

// readOne is Read for a function that runs only one statement.
func (db *DB) readOne(ctx context.Context, fn func(*Tx) error) error {
	return db.read(ctx, db.sql.ReadOne, fn)
}

func (db *DB) read(
	ctx context.Context, transact func(context.Context, func(*sqldb.Tx) error) error, fn func(*Tx) error,
) error {
	return MapError(transact(ctx, func(s *sqldb.Tx) error {
		tx := db.newTx(ctx, s)
		tx.readOnly = true
		if err := fn(tx); err != nil {
			return err
		}
		if len(tx.entries) > 0 || len(tx.events) > 0 {
			return errors.New("an audit entry or event in a read-only transaction")
		}
		return nil
	}))
}

// search is Read with plans that PostgreSQL makes once for all arguments.
func (db *DB) search(ctx context.Context, fn func(*Tx) error) error {
	return db.Read(ctx, func(tx *Tx) error {
		tx.genericPlans()
		return fn(tx)
	})
}

// genericPlans makes PostgreSQL use one plan for all arguments of a statement: a search uses the
// same indexes whatever is searched for, but planning each one takes longer than running it.
func (tx *Tx) genericPlans() {
	if !tx.db.dialect.exclusive {
		tx.Exec(`SET LOCAL plan_cache_mode = force_generic_plan`)
	}
}

// Change runs fn in a transaction and commits it together with its audit entries. fn may run again
// after a conflict or a lost connection, so it must not depend on the results of an earlier run.
func (db *DB) Change(ctx context.Context, fn func(*Tx) error) (err error) {
	var tx *Tx
	for attempt := range maxAttempts {
		held := &heldChain{chains: db.chains, lock: attempt > 0}
		err = db.sql.Write(ctx, func(s *sqldb.Tx) error {
			tx = db.newTx(ctx, s)
			if err := fn(tx); err != nil {
				return err
			}
			tx.writeHistory()
			tx.insertRows(answerInsert, tx.answers, "")
			if err := tx.appendEntries(held); err != nil {
				return err
			}
			tx.writeTotals() // last, because many wait for these rows until the commit
			return nil
		})
		if !held.release(err) {
			break
		}
	}
	if err == nil || errors.Is(err, sqldb.ErrUnknown) { // listeners read the current state
		db.sessions.committed(tx.entries)
		db.written.add(tx.entries)
		db.publish(tx.events)
	}
	return MapError(err)
}

// maxRowsPerInsert keeps statements well below the parameter limits of both engines.
const maxRowsPerInsert = 200

// insertRows inserts rows of the same length. insert is the statement up to VALUES, onConflict what follows
// the rows, if anything.
func (tx *Tx) insertRows(insert string, rows [][]any, onConflict string) {
	for chunk := range slices.Chunk(rows, maxRowsPerInsert) {
		tx.Exec(insert+tx.db.dialect.placeholders(len(chunk), len(chunk[0]))+onConflict, slices.Concat(chunk...)...)
	}
}

// maxAttempts bounds how often a change is run because other nodes write to the same audit chain.
const maxAttempts = 5

// ms converts a time to its stored form; at converts it back.
func ms(t time.Time) int64 { return t.UnixMilli() }
func at(v int64) time.Time { return time.UnixMilli(v).UTC() }

func msOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return ms(*t)
}

func atOrNil(v sql.NullInt64) *time.Time {
	if !v.Valid {
		return nil
	}
	t := at(v.Int64)
	return &t
}

// toJSON encodes a value of a type that can always be encoded.
func toJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("value cannot be encoded as JSON: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
