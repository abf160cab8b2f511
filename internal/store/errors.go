package store

import (
	"errors"
	"fmt"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// duplicateFields are the errors of values that a unique index rejects, by the name of the index.
var duplicateFields = map[string]hospital.FieldError{
	"users_username": {Field: "username", Message: hospital.Text{
		TH: "มีผู้ใช้ชื่อนี้แล้ว", EN: "This username is taken.",
	}},
	"users_email": {Field: "email", Message: hospital.Text{
		TH: "มีผู้ใช้อีเมลนี้แล้ว", EN: "This email address is taken.",
	}},
	"roles_name": {Field: "name", Message: hospital.Text{
		TH: "มีบทบาทรหัสนี้แล้ว", EN: "There is a role with this code already.",
	}},
	"patients_hn": {Field: "hn", Message: hospital.Text{
		TH: "HN นี้ถูกใช้แล้ว", EN: "This HN was given before.",
	}},
	"patients_id_card": {Field: "idCard", Message: hospital.Text{
		TH: "มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว", EN: "A patient with this ID card number is registered already.",
	}},
	"services_code": {Field: "code", Message: hospital.Text{
		TH: "มีบริการที่ใช้รหัสนี้แล้ว", EN: "Another service has this code.",
	}},
	"customers_phone": {Field: "phone", Message: hospital.Text{
		TH: "มีผู้ใช้บริการที่ใช้หมายเลขโทรศัพท์นี้แล้ว", EN: "Another customer has this phone number.",
	}},
}

// indexOfColumn are the names of the unique indexes by their first column, which is what SQLite reports.
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

// MapError converts an error of the database to a hospital.Error: DUPLICATE on the field of a unique
// index, and UNAVAILABLE if the database cannot be reached or written, with its own message if the disk
// is full. Other errors are returned unchanged.
func MapError(err error) error {
	var ours *hospital.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	if errors.Is(err, sqldb.ErrUnknown) {
		return fmt.Errorf("%w: %w", hospital.Reject(hospital.Unavailable).Because(
			"การเชื่อมต่อฐานข้อมูลขาดระหว่างบันทึก จึงยังไม่ทราบว่าบันทึกสำเร็จหรือไม่ กรุณาตรวจสอบข้อมูลล่าสุดก่อนทำรายการซ้ำ",
			"The database was lost while saving, so it is not known whether this was saved. "+
				"Check the current data before doing it again."), err)
	}
	if index, ok := uniqueViolation(err); ok {
		if f, known := duplicateFields[index]; known {
			return hospital.Reject(hospital.Duplicate).On(f.Field, f.Message.TH, f.Message.EN)
		}
	}
	if sqldb.IsFull(err) {
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	if sqldb.IsUnavailable(err) {
		return fmt.Errorf("%w: %w", hospital.Reject(hospital.Unavailable), err)
	}
	return err
}

// orNotFound converts sqldb.ErrNoRows to NOT_FOUND.
func orNotFound(err error) error {
	if errors.Is(err, sqldb.ErrNoRows) {
		return hospital.Reject(hospital.NotFound)
	}
	return err
}

// uniqueViolation returns the name of the index that rejected a value.
func uniqueViolation(err error) (index string, ok bool) {
	index, ok = sqldb.UniqueViolation(err)
	if column, _, _ := strings.Cut(index, ", "); indexOfColumn[column] != "" {
		index = indexOfColumn[column]
	}
	return index, ok
}

// only returns the record of a query by key. It returns NOT_FOUND if there is none.
func only[T any](list []T, err error) (one T, _ error) {
	if err == nil && len(list) == 0 {
		err = hospital.Reject(hospital.NotFound)
	}
	if err != nil {
		return one, err
	}
	return list[0], nil
}
