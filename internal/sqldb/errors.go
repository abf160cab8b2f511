package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	modernc "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

var (
	// ErrNoRows is returned by Row.Scan if the query found nothing.
	ErrNoRows = errors.New("sqldb: no rows")
	// ErrNotChanged means that a statement of ExecOne changed no row.
	ErrNotChanged = errors.New("sqldb: no row was changed")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("sqldb: closed")
	// ErrRolledBack means that the function succeeded but none of its changes were stored.
	ErrRolledBack = errors.New("sqldb: rolled back")
	// ErrUnknown means that the changes may or may not have been stored: the connection was lost
	// or ctx ended during the commit, or the commit may not have reached the standby. Only a
	// caller that can recognize its own changes may try again.
	ErrUnknown = errors.New("sqldb: outcome of the commit unknown")

	errEnded           = errors.New("sqldb: the transaction has ended")
	errSecondStatement = errors.New("sqldb: more than one statement in ReadOne")
	errLost            = errors.New("sqldb: connection lost before the commit")
)

// UniqueViolation reports whether err means that a row with the same key exists. constraint is the
// name of the constraint or index on PostgreSQL, and its columns on SQLite: "users.name, users.org".
func UniqueViolation(err error) (constraint string, ok bool) {
	if pg := postgresError(err); pg != nil {
		return pg.ConstraintName, pg.Code == "23505"
	}
	switch sqliteCode(err) {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey:
		_, columns, _ := strings.Cut(err.Error(), "UNIQUE constraint failed: ")
		columns, _, _ = strings.Cut(columns, " (")
		return columns, true
	}
	return "", false
}

// IsForeignKeyViolation reports whether err means that a referenced row does not exist, or that a
// row is still referenced.
func IsForeignKeyViolation(err error) bool {
	if pg := postgresError(err); pg != nil {
		return pg.Code == "23503"
	}
	code := sqliteCode(err)
	return code == sqlite.ResultConstraintForeignKey || code == sqlite.ResultConstraintTrigger
}

// IsFull reports whether err means that the disk of the database is full.
func IsFull(err error) bool {
	if pg := postgresError(err); pg != nil {
		return pg.Code == "53100"
	}
	code := sqliteCode(err)
	return code == sqlite.ResultFull || code == sqlite.ResultIOErrSHMSize
}

// IsUnavailable reports whether the database, not the request, caused err: it cannot be reached, is
// shutting down, full, locked or read-only, or did not answer in time.
func IsUnavailable(err error) bool {
	if errors.As(err, new(*pgconn.ConnectError)) {
		return true
	}
	if pg := postgresError(err); pg != nil {
		switch pg.Code[:min(2, len(pg.Code))] {
		case "08", "53", "57", "58": // connection, resources, shutdown or cancellation, input/output
			return true
		}
		return isTransient(err) || isReadOnly(err) || pg.Code == "25P03" // idle in transaction for too long
	}
	switch sqliteCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultCantOpen,
		sqlite.ResultReadOnly:
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(net.Error)) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrClosed) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
}

// sqliteCode returns the SQLite code of an error from a transaction or from a database/sql handle.
func sqliteCode(err error) sqlite.ResultCode {
	var handle *modernc.Error
	if errors.As(err, &handle) {
		return sqlite.ResultCode(handle.Code())
	}
	return sqlite.ErrCode(err)
}

// isTransient reports whether nothing was stored and the transaction may succeed if it runs again.
func isTransient(err error) bool {
	switch {
	case errors.Is(err, ErrUnknown):
		return false
	case errors.Is(err, ErrRolledBack), errors.Is(err, errLost):
		return true
	}
	pg := postgresError(err)
	return pg != nil && (pg.Code == "40001" || pg.Code == "40P01") // serialization failure, deadlock
}

// isReadOnly reports whether a write was sent to a standby.
func isReadOnly(err error) bool {
	pg := postgresError(err)
	return pg != nil && pg.Code == "25006"
}

func postgresError(err error) *pgconn.PgError {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg
	}
	return nil
}
