// Package store holds all SQL. An exported method is one transaction; helpers
// take the Tx. The same SQL text runs on SQLite and PostgreSQL; what differs is
// in the migrations, the two open files, errors.go and the dialect below.
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"nadmor/internal/hospital"
)

// DB is the hospital's database. SQLite is written on a single connection, the
// writer's, beside a pool of readers; on PostgreSQL there is one pool for both.
type DB struct {
	read, write *pool
	search      *pool   // as read, for statements that are planned once
	writer      *writer // nil with PostgreSQL
	dialect     dialect
	now         func() time.Time
	observe     Observer
	auditKey    []byte
	lanes       *lanes
	notes       notes
	roles       roleCache
	sessions    sessionCache
	services    atomic.Pointer[keptServices]
	blocks      numberBlocks
	written     tally
	format      atomic.Pointer[hospital.NumberFormat]

	hub    *hub
	listen func(context.Context) (*pgx.Conn, error) // makes the connection on which other nodes are heard; nil with SQLite
}

// dialect names the few places where the engines need different words.
type dialect struct {
	name       string
	ready      string // a row where changes can be made
	lanes      int    // audit lanes, as the migration made them
	skipLocked string // lets a job queue be read by several workers
	rowLocks   bool   // whether rows must be locked: SQLite has one writer at a time
	packs      bool   // whether rows are read as one text, see selection
	steady     string // before what LIKE compares with: SQLite would plan a statement anew for each pattern

	// matchesWhole: an index finds all matches of a fragment before it gives the
	// first away.
	matchesWhole bool

	// nextAppointment takes the id of an appointment before it is written; empty
	// where it costs nothing to ask for it then.
	nextAppointment string
}

// lock keeps others from changing the rows of a table (by its alias) that a
// statement reads, until the end of the transaction. Whoever locks several kinds
// does so in this order: appointments, patients, slots, queues, idempotency keys,
// day totals, audit lanes; of one kind in the order of the key. So no two wait for each other.
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

// Options say where the data is and what the store needs from outside.
type Options struct {
	URL      string           // postgres://…; empty for SQLite
	DataDir  string           // where the SQLite file is
	AuditKey []byte           // key of the audit chain
	Now      func() time.Time // the clock; nil for the real one
	Observe  Observer         // told every statement; nil for nobody

	// Migration is the one the schema is brought to: the newest when 0, another, or
	// AsIs.
	Migration int64

	restoring bool // opens what is being restored
}

// AsIs leaves the schema as it is, so that it can be looked at before an
// upgrade.
const AsIs = -1

// Open connects and brings the schema up to date. It is safe when several
// nodes start at once.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{now: o.Now, observe: o.Observe, auditKey: o.AuditKey, hub: newHub()}
	if db.now == nil {
		db.now = time.Now
	}
	var err error
	if o.URL == "" {
		err = db.openSQLite(ctx, o.DataDir, o.Migration)
	} else {
		err = db.openPostgres(ctx, o.URL, o.Migration)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if !o.restoring {
		if err := db.refuseUnfinished(ctx); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	if _, err := db.Setting(ctx); err != nil { // caches the number format
		return nil, errors.Join(err, db.Close())
	}
	db.lanes = newLanes(db.dialect.lanes)
	return db, nil
}

// Close ends all connections.
func (db *DB) Close() error {
	var errs []error
	if db.search != nil && db.search != db.read {
		errs = append(errs, db.search.Close())
	}
	if db.read != nil && db.read.readers != nil {
		errs = append(errs, db.read.readers.close())
	}
	if db.read != nil && db.read != db.write {
		errs = append(errs, db.read.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.direct.close(), db.writer.statements.close(), db.writer.conn.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	}
	return errors.Join(errs...)
}

// Engine names the database in use, for people: "sqlite" or "postgres".
func (db *DB) Engine() string { return db.dialect.name }

// Ready tells whether the database answers, and takes changes: a standby of
// PostgreSQL does not.
func (db *DB) Ready(ctx context.Context) error {
	var one int
	return mapError(db.read.QueryRowContext(ctx, db.dialect.ready).Scan(&one))
}

// Now is the store's clock, to the millisecond, as instants are stored.
func (db *DB) Now() time.Time { return db.now().UTC().Truncate(time.Millisecond) }

type timeKey struct{}

// WithTime returns a context in which what is written was written then. Only the
// sample hospital has a past; whatever is served happens now.
func WithTime(ctx context.Context, then time.Time) context.Context {
	return context.WithValue(ctx, timeKey{}, then.UTC().Truncate(time.Millisecond))
}

// Tx is a transaction with who acts and when. Everything one store method
// writes has the same time.
type Tx struct {
	tx      executor
	conn    *sql.Conn // of PostgreSQL, only where many rows are loaded
	db      *DB
	ctx     context.Context
	actor   hospital.Actor
	now     time.Time
	entries []hospital.AuditEntry
	events  []hospital.Event

	// What is added to the totals.
	totals   map[serviceDay]map[hospital.AppointmentStatus]int
	patients int
}

// change runs fn in a transaction and commits it together with the audit
// entries it noted. fn may run again after a deadlock or a serialization
// failure, so it must start from its arguments each time.
func (db *DB) change(ctx context.Context, fn func(*Tx) error) error {
	var err error
	for range 5 {
		err = db.changeOn(ctx, nil, fn)
		if !isRetryable(err) {
			break
		}
	}
	return mapError(err)
}

// changeOn does so once, with PostgreSQL on a connection of the caller's or, if
// that is nil, any.
func (db *DB) changeOn(ctx context.Context, on *sql.Conn, fn func(*Tx) error) (err error) {
	var tx *Tx
	if db.writer != nil {
		err = db.writer.change(ctx, func(g *group) error {
			tx = &Tx{db: db, ctx: ctx, actor: hospital.ActorFrom(ctx)}
			if err := tx.run(db.writer, fn); err != nil || len(tx.entries) == 0 {
				return err
			}
			return tx.appendTo(g)
		})
	} else {
		tx = &Tx{db: db, ctx: ctx, actor: hospital.ActorFrom(ctx)}
		err = tx.commit(on, fn)
	}
	if err == nil || errors.Is(err, errUnknown) { // whoever hears of it looks for themselves
		db.sessions.committed(tx.entries)
		db.written.add(tx.entries)
		db.tell(tx.events)
	}
	return err
}

// run does what a method does, and adds up what it counted.
func (tx *Tx) run(x executor, fn func(*Tx) error) error {
	tx.tx, tx.now = tx.db.observe.on(x), tx.db.Now()
	if then, ok := tx.ctx.Value(timeKey{}).(time.Time); ok {
		tx.now = then
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.writeTotals()
}

// appendTo writes the noted entries after those of the others who share the
// commit: one writer has one lane.
func (tx *Tx) appendTo(g *group) error {
	var end head
	var err error
	if g.head != nil {
		end = *g.head
	} else if end, err = tx.takeHead(0); err != nil {
		return err
	}
	end, entries := tx.entriesAfter(0, end)
	if err := tx.gather(entries...); err != nil {
		return err
	}
	g.head = &end
	return nil
}

// commit runs fn in a transaction of its own.
func (tx *Tx) commit(on *sql.Conn, fn func(*Tx) error) (err error) {
	t := &trips{conn: on, direct: on != nil, queue: []question{{what: "begin", query: "BEGIN"}}}
	if on == nil {
		if t.conn, err = tx.db.write.Conn(tx.ctx); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		defer t.conn.Close() // goes back to the pool
	}
	committed := false
	defer func() {
		if !committed { // also when fn panics
			t.rollBack()
		}
	}()
	if t.direct {
		if err := t.send(tx.ctx); err != nil {
			return err
		}
	}
	if err = tx.run(t, fn); err == nil {
		err = tx.end(t)
	}
	committed = err == nil
	switch {
	case t.failed != nil:
		return t.failed // whatever was made of it since
	case errors.Is(err, driver.ErrBadConn) && tx.ctx.Err() != nil:
		return tx.ctx.Err() // broken off with the request
	}
	return err
}

// end commits, with the noted entries in a lane of the audit log. Lanes are taken
// last and given back after the commit, so nobody waits for a record while
// holding one.
func (tx *Tx) end(t *trips) error {
	commit := question{what: "commit", query: commitStatement}
	if len(tx.entries) == 0 {
		if !t.sent && len(t.queue) == 1 {
			return nil // not even begun
		}
		return t.send(tx.ctx, commit)
	}
	l, err := tx.db.lanes.take(tx.ctx)
	if err != nil {
		return fmt.Errorf("audit: wait for a lane: %w", err)
	}
	shared := false
	defer func() { tx.db.lanes.giveBack(l, shared) }()
	if l.known {
		// Usually nobody else has written there since, and all goes in one journey.
		// Otherwise the number of the entry is taken.
		l.known = false
		end, entries := tx.entriesAfter(l.number, l.end)
		first := []question{{what: "audit", query: "SAVEPOINT audit"}, tx.db.headKept(l.number, end)}
		err := t.send(tx.ctx, slices.Concat(first, entries, []question{commit})...)
		if err == nil {
			l.end, l.known = end, true
		}
		if index, taken := uniqueViolation(err); !taken || index != "audit_entries_chain" {
			return err
		}
		shared, t.failed = true, nil
		if err := t.send(tx.ctx, question{what: "audit", query: "ROLLBACK TO audit"}); err != nil {
			return err
		}
	}
	end, err := tx.takeHead(l.number)
	if err != nil {
		return err
	}
	end, entries := tx.entriesAfter(l.number, end)
	last := slices.Concat([]question{tx.db.headKept(l.number, end)}, entries, []question{commit})
	if err := t.send(tx.ctx, last...); err != nil {
		return err
	}
	l.end, l.known = end, true
	return nil
}

func (tx *Tx) exec(query string, args ...any) (n int64, err error) {
	err = tx.gather(question{query: query, args: args, count: &n})
	return n, err
}

func (tx *Tx) queryRow(query string, args ...any) row {
	return row{tx, question{query: query, args: args}}
}

func (tx *Tx) query(query string, args ...any) (*sql.Rows, error) {
	return tx.tx.QueryContext(tx.ctx, query, args...)
}

// collect reads all rows through scan and closes them.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close() // Err below tells what matters
	list := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// scanAll reads all rows whose columns go straight into the fields of a value.
func scanAll[T any](rows *sql.Rows, err error, fields func(*T) []any) ([]T, error) {
	return collect(rows, err, func(rows *sql.Rows) (T, error) {
		var v T
		err := rows.Scan(fields(&v)...)
		return v, err
	})
}

// ms is how an instant is stored; at reads it back.
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

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("value cannot be written as JSON: %v", err)) // our own types always can
	}
	return string(b)
}

// roleCache keeps what roles allow, by the version of the role: a changed role
// has another version, so nothing stale is ever used.
type roleCache struct {
	mu   sync.RWMutex
	sets map[int64]cachedRole
}

type cachedRole struct {
	version int64
	set     hospital.PermissionSet
}

func (c *roleCache) get(id, version int64) (hospital.PermissionSet, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.sets[id]
	return r.set, ok && r.version == version
}

func (c *roleCache) put(id, version int64, set hospital.PermissionSet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sets == nil {
		c.sets = map[int64]cachedRole{}
	}
	c.sets[id] = cachedRole{version, set}
}
