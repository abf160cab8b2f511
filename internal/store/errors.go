package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"nadmor/internal/hospital"
)

// taken is what to tell when a unique index refuses a value, by the index
// (PostgreSQL) and by the column (SQLite).
var taken = map[string]hospital.FieldError{
	"users_username":   {Field: "username", Message: hospital.Text{TH: "มีผู้ใช้ชื่อนี้แล้ว", EN: "This username is taken."}},
	"users_email":      {Field: "email", Message: hospital.Text{TH: "มีผู้ใช้อีเมลนี้แล้ว", EN: "This email address is taken."}},
	"roles_name":       {Field: "name", Message: hospital.Text{TH: "มีบทบาทรหัสนี้แล้ว", EN: "There is a role with this code already."}},
	"patients_hn":      {Field: "hn", Message: hospital.Text{TH: "HN นี้ถูกใช้แล้ว", EN: "This HN was given before."}},
	"patients_id_card": {Field: "idCard", Message: hospital.Text{TH: "มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว", EN: "A patient with this ID card number is registered already."}},
	"services_code":    {Field: "code", Message: hospital.Text{TH: "มีบริการที่ใช้รหัสนี้แล้ว", EN: "Another service has this code."}},
	"customers_phone":  {Field: "phone", Message: hospital.Text{TH: "มีผู้ใช้บริการที่ใช้หมายเลขโทรศัพท์นี้แล้ว", EN: "Another customer has this phone number."}},
}

var indexOfColumn = map[string]string{
	"users.username_key":  "users_username",
	"users.email_key":     "users_email",
	"roles.name":          "roles_name",
	"patients.hn_key":     "patients_hn",
	"patients.id_card":    "patients_id_card",
	"customers.phone":     "customers_phone",
	"services.code":       "services_code",
	"appointments.number": "appointments_number",

	"idempotency.actor_id": "idempotency_pkey",
}

// mapError turns what a driver says into what the product says: a unique index
// is DUPLICATE on its field, a database that cannot be reached or written is
// UNAVAILABLE, with its own sentence where the disk is full. Our own errors and unknown ones pass through.
func mapError(err error) error {
	var ours *hospital.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	if errors.Is(err, errUnknown) {
		return fmt.Errorf("%w: %w", hospital.Refuse(hospital.Unavailable).Because(
			"การเชื่อมต่อฐานข้อมูลขาดระหว่างบันทึก จึงยังไม่ทราบว่าบันทึกสำเร็จหรือไม่ กรุณาตรวจสอบข้อมูลล่าสุดก่อนทำรายการซ้ำ",
			"The database was lost while saving, so it is not known whether this was saved. Check the current data before doing it again."), err)
	}
	if index, ok := uniqueViolation(err); ok {
		if f, known := taken[index]; known {
			return hospital.Refuse(hospital.Duplicate).On(f.Field, f.Message.TH, f.Message.EN)
		}
	}
	if isFull(err) {
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	if isUnavailable(err) {
		return fmt.Errorf("%w: %w", hospital.Refuse(hospital.Unavailable), err)
	}
	return err
}

// orNotFound turns "no row" into NOT_FOUND.
func orNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return hospital.Refuse(hospital.NotFound)
	}
	return err
}

func uniqueViolation(err error) (index string, ok bool) {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.ConstraintName, pg.Code == "23505"
	}
	var lite sqliteError
	if errors.As(err, &lite) &&
		(lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY) {
		_, column, _ := strings.Cut(lite.Error(), "UNIQUE constraint failed: ")
		column, _, _ = strings.Cut(column, " ")
		return indexOfColumn[strings.TrimSuffix(column, ",")], true
	}
	return "", false
}

// isRetryable reports whether the transaction was rolled back because of a conflict with
// another one and can be run again.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01"
	}
	var lite sqliteError
	return errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_BUSY // another process wrote all the time
}

// only is the one record that was asked for by its key: NOT_FOUND where there is
// none.
func only[T any](list []T, err error) (one T, _ error) {
	if err == nil && len(list) == 0 {
		err = hospital.Refuse(hospital.NotFound)
	}
	if err != nil {
		return one, err
	}
	return list[0], nil
}

// isFull tells whether there is no room left on the database's disk.
func isFull(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "53100"
	}
	var lite sqliteError
	return errors.As(err, &lite) && (lite.Code() == sqlite3.SQLITE_FULL || lite.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// sqliteError is an error of SQLite, the driver's or direct's.
type sqliteError interface {
	error
	Code() int
}

// isSQLite tells whether SQLite itself failed.
func isSQLite(err error) bool {
	var lite sqliteError
	return errors.As(err, &lite)
}

// isUnavailable tells whether the database, not the request, is the trouble.
func isUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return true // whatever the server said when it did not let us in
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case strings.HasPrefix(pg.Code, "08"), // connection
			strings.HasPrefix(pg.Code, "53"), // out of connections, disk or memory
			strings.HasPrefix(pg.Code, "57"), // shutting down, cancelled
			strings.HasPrefix(pg.Code, "58"), // input/output
			isReadOnly(err),                  // a standby, not the primary
			pg.Code == "25P03":               // we were away for too long
			return true
		}
		return isRetryable(err)
	}
	var lite sqliteError
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
			return true
		}
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) || pgconn.SafeToRetry(err) || // nothing was even sent
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
