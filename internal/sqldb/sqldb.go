// Package sqldb runs transactions on SQLite or PostgreSQL. It knows nothing about hospitals.
//
// The methods Get, All and Exec of a transaction return at once. On PostgreSQL the statements are
// sent together when the first of their results is read, or with the commit: a statement whose
// result is never read costs no round trip of its own. On SQLite they run immediately.
package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// DB is a database of either engine.
//
// The function passed to Read or Write must not call Read or Write: it could wait for a connection
// that it holds itself. It must not begin, commit or roll back with Exec. In a Write it must not
// wait for anything but the database, and read little: on SQLite it blocks all other writers, and
// its statements are not interrupted at the end of ctx.
type DB struct {
	engine  engine
	observe func(query string, args []any)
}

// engine is implemented by SQLite and PostgreSQL.
type engine interface {
	name() string
	read(ctx context.Context, f func(session) error) error
	readOne(ctx context.Context, f func(session) error) error
	write(ctx context.Context, f func(session) error) error
	maintain(ctx context.Context, statements []string) error
	handle() (*sql.DB, error)
	ready(ctx context.Context) error
	stats() []PoolStats
	close() error
}

// Options configure a database. The zero value is valid.
type Options struct {
	// Observe is called with every statement before it runs.
	Observe func(query string, args []any)
	// Name is the application_name on PostgreSQL, unless the URL sets one.
	Name string
	// Conns is the number of reading connections on SQLite and of all connections on PostgreSQL.
	// The default depends on the number of processors.
	Conns int
}

// PoolStats describes one pool of connections.
type PoolStats struct {
	Name        string
	InUse, Idle int
	Waited      time.Duration // sum over all waits for a connection
}

// maxAttempts bounds how often a transaction runs.
const maxAttempts = 5

// Read runs f in a read-only transaction on one snapshot. f may run again as in Write, unless it has
// received rows from Stream.
func (db *DB) Read(ctx context.Context, f func(*Tx) error) error {
	return db.run(ctx, db.engine.read, f, true)
}

// ReadOne is Read for a function that runs only one statement, which is a snapshot by itself: on
// PostgreSQL it is sent without a transaction around it. A second statement fails.
func (db *DB) ReadOne(ctx context.Context, f func(*Tx) error) error {
	return db.run(ctx, db.engine.readOne, f, true)
}

// Write runs f in a transaction and returns after the commit is durable. If f returns an error or
// panics, none of its changes are stored and other callers are not affected.
//
// f runs again if the transaction was rolled back because of a conflict with another one, or if
// the connection was lost before the commit. So it must not depend on the results of an earlier run.
func (db *DB) Write(ctx context.Context, f func(*Tx) error) error {
	return db.run(ctx, db.engine.write, f, false)
}

func (db *DB) run(
	ctx context.Context, transact func(context.Context, func(session) error) error, f func(*Tx) error, reads bool,
) (err error) {
	for range maxAttempts {
		var tx *Tx
		err = transact(ctx, func(s session) error {
			tx = &Tx{session: s, observe: db.observe}
			return f(tx)
		})
		if !isTransient(err) || ctx.Err() != nil || reads && tx != nil && tx.streamed {
			break
		}
	}
	return err
}

// Maintain runs statements outside of any transaction: PRAGMA, VACUUM and the like. On SQLite they
// run on the writing connection and block other writers.
func (db *DB) Maintain(ctx context.Context, statements ...string) error {
	return db.engine.maintain(ctx, statements)
}

// Handle opens a database/sql handle for migrations and backups. The caller must close it.
func (db *DB) Handle() (*sql.DB, error) { return db.engine.handle() }

// Engine returns "sqlite" or "postgres".
func (db *DB) Engine() string { return db.engine.name() }

// Ready reports whether the database answers and accepts changes.
func (db *DB) Ready(ctx context.Context) error { return db.engine.ready(ctx) }

// Stats returns the usage of each connection pool.
func (db *DB) Stats() []PoolStats { return db.engine.stats() }

// Close waits for running transactions and closes all connections.
func (db *DB) Close() error { return db.engine.close() }
