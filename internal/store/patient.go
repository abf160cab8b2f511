package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// column is a column with the value it is written with.
type column struct {
	name  string
	value any
}

// patientColumns are the columns that users fill in, in one order for reading and writing.
func patientColumns(p hospital.PatientFields) []column {
	return []column{
		{"hn", p.HN}, {"id_type", string(p.IDType)}, {"id_card", string(p.IDCard)}, {"passport_no", p.PassportNo},
		{"prename", p.Prename}, {"first_name", p.FirstName}, {"last_name", p.LastName},
		{"first_name_en", p.FirstNameEn}, {"last_name_en", p.LastNameEn},
		{"birth_date", p.BirthDate}, {"birth_precision", string(p.BirthPrecision)}, {"sex", string(p.Sex)},
		{"blood_group", p.BloodGroup}, {"rh_factor", p.RhFactor},
		{"nationality", p.Nationality}, {"religion", p.Religion}, {"marital_status", p.MaritalStatus},
		{"occupation", p.Occupation},
		{"phone", p.Phone}, {"phone2", p.Phone2}, {"email", p.Email}, {"line_user_id", p.LineUserID},
		{"addr_line", p.Address.Line}, {"addr_moo", p.Address.Moo}, {"addr_subdistrict", p.Address.Subdistrict},
		{"addr_district", p.Address.District}, {"addr_province", p.Address.Province},
		{"addr_postal_code", p.Address.PostalCode},
		{"right_code", p.RightCode}, {"right_card_no", p.RightCardNo}, {"right_hospital", p.RightHospital},
		{"right_expires", p.RightExpires},
		{"allergies", toJSON(p.Allergies)}, {"no_known_allergy", p.NoKnownAllergy},
		{"conditions", toJSON(p.Conditions)},
		{"contact_name", p.ContactName}, {"contact_relation", p.ContactRelation}, {"contact_phone", p.ContactPhone},
		{"consent_at", msOrNil(p.ConsentAt)}, {"note", p.Note},
	}
}

// patientKeys are the columns derived by the store, to search and sort by.
func patientKeys(p hospital.PatientFields) []column {
	return []column{
		{"hn_key", hospital.HNKey(p.HN)},
		{"first_search", hospital.SearchKey(p.FirstName)}, {"last_search", hospital.SearchKey(p.LastName)},
		{"first_search_en", hospital.SearchKey(p.FirstNameEn)}, {"last_search_en", hospital.SearchKey(p.LastNameEn)},
		{"first_sort", sortKey(p.FirstName + " " + p.LastName)},
		{"last_sort", sortKey(p.LastName + " " + p.FirstName)},
	}
}

// PatientColumns are the columns that are written from the fields of a patient.
var PatientColumns = func() (names []string) {
	for _, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		names = append(names, c.name)
	}
	return names
}()

// PatientValues returns the values of PatientColumns.
func PatientValues(p hospital.PatientFields) []any {
	values := make([]any, 0, len(PatientColumns))
	for _, c := range append(patientColumns(p), patientKeys(p)...) {
		values = append(values, c.value)
	}
	return values
}

// SearchText returns the text in which fragments are searched. It must not contain the ID card,
// because any caller can search for fragments of it.
func SearchText(p hospital.PatientFields) string {
	parts := []string{
		hospital.SearchKey(p.FirstName), hospital.SearchKey(p.LastName),
		hospital.SearchKey(p.FirstNameEn), hospital.SearchKey(p.LastNameEn),
		strings.ToLower(p.HN), p.Phone, p.Phone2, strings.ToLower(p.PassportNo),
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

var patientSelect = patientsWith("", "")

// patientsWith returns the start of a query for patients with further columns and a join.
func patientsWith(columns, join string) string {
	names := []string{"id", "version", "created_at", "updated_at", "last_visit"}
	for _, c := range patientColumns(hospital.PatientFields{}) {
		names = append(names, c.name)
	}
	return `SELECT p.` + strings.Join(names, ", p.") + columns + ` FROM patients p ` + join
}

func scanPatient(scan sqldb.Scan) (hospital.Patient, error) {
	var p hospital.Patient
	var created, updated int64
	var consent sql.NullInt64
	var allergies, conditions string
	err := scan(&p.ID, &p.Version, &created, &updated, &p.LastVisit,
		&p.HN, &p.IDType, &p.IDCard, &p.PassportNo,
		&p.Prename, &p.FirstName, &p.LastName, &p.FirstNameEn, &p.LastNameEn,
		&p.BirthDate, &p.BirthPrecision, &p.Sex, &p.BloodGroup, &p.RhFactor,
		&p.Nationality, &p.Religion, &p.MaritalStatus, &p.Occupation,
		&p.Phone, &p.Phone2, &p.Email, &p.LineUserID,
		&p.Address.Line, &p.Address.Moo, &p.Address.Subdistrict, &p.Address.District,
		&p.Address.Province, &p.Address.PostalCode,
		&p.RightCode, &p.RightCardNo, &p.RightHospital, &p.RightExpires,
		&allergies, &p.NoKnownAllergy, &conditions,
		&p.ContactName, &p.ContactRelation, &p.ContactPhone, &consent, &p.Note)
	if err != nil {
		return p, err
	}
	p.CreatedAt, p.UpdatedAt, p.ConsentAt = at(created), at(updated), atOrNil(consent)
	// Most patients have none, so the usual empty list is not decoded.
	if p.Allergies = []hospital.Allergy{}; allergies != "[]" {
		err = json.Unmarshal([]byte(allergies), &p.Allergies)
	}
	if p.Conditions = []string{}; conditions != "[]" {
		err = errors.Join(err, json.Unmarshal([]byte(conditions), &p.Conditions))
	}
	return p, err
}

// readPatient returns a record that is not deleted. It returns NOT_FOUND if there is none.
func (tx *Tx) readPatient(id int64) (hospital.Patient, error) {
	p, err := scanPatient(tx.Get(patientSelect+`WHERE p.id = $1 AND p.deleted_at IS NULL`, id).Scan)
	return p, orNotFound(err)
}

func (tx *Tx) patientsWhere(where string, args ...any) ([]hospital.Patient, error) {
	return sqldb.Collect(tx.All(patientSelect+where, args...), scanPatient)
}

// PatientsByID returns the patients with the ids, deleted ones included.
func (tx *Tx) PatientsByID(ids ...int64) ([]hospital.Patient, error) {
	return byID("p.id", ids, tx.patientsWhere)
}

// PatientCounts is the number of a patient's appointments: all, upcoming and missed.
type PatientCounts struct {
	Total    int64 `json:"total"`
	Upcoming int64 `json:"upcoming"`
	NoShow   int64 `json:"noShow"`
}

// PatientRecord is a record with the number of its appointments.
type PatientRecord struct {
	hospital.Patient
	AppointmentCounts PatientCounts `json:"appointmentCounts"`
}

var recordSelect = patientsWith(`, c.total, c.upcoming, c.no_show`, `JOIN (SELECT count(*) AS total,
		count(*) FILTER (WHERE `+oneOf("status", hospital.Upcoming...)+` AND date >= $2) AS upcoming,
		count(*) FILTER (WHERE `+oneOf("status", hospital.NoShow)+`) AS no_show
		FROM appointments WHERE patient_id = $1 AND deleted_at IS NULL) c ON 1 = 1
	WHERE p.id = $1 AND p.deleted_at IS NULL`)

// Patient returns one record and records the access in the audit log. It returns NOT_FOUND if there is none.
func (db *DB) Patient(ctx context.Context, id int64) (r PatientRecord, err error) {
	err = db.readNoted(ctx, func(tx *Tx) (err error) {
		row, c := tx.Get(recordSelect, id, tx.LocalNow().Date), &r.AppointmentCounts
		r.Patient, err = scanPatient(func(dest ...any) error {
			return row.Scan(append(dest, &c.Total, &c.Upcoming, &c.NoShow)...)
		})
		if err != nil {
			return orNotFound(err)
		}
		tx.Note("patient.read", "patient", id, r.FullName(), nil)
		return nil
	})
	return r, err
}

// CreatePatient registers a patient, with the next HN if there is none. It returns VALIDATION_FAILED
// for invalid fields, DUPLICATE for an HN that was used before and, with the existing record, for an
// ID card that is registered, and POSSIBLE_DUPLICATE with the candidates for a name and birth date
// that are registered, unless confirmed.
func (db *DB) CreatePatient(
	ctx context.Context, in hospital.PatientFields, confirmDuplicate bool,
) (p hospital.Patient, err error) {
	in = in.Clean()
	if err := in.Validate(db.Today()); err != nil {
		return p, err
	}
	err = db.changeOnce(ctx, valueOf(&p), func(tx *Tx) error {
		setting := tx.querySetting()
		if err := tx.rejectSamePatient(0, in, confirmDuplicate); err != nil {
			return err
		}
		fields := in
		if fields.HN == "" {
			s, err := setting()
			if err != nil {
				return err
			}
			if fields.HN, err = tx.nextHN(hospital.NumberFormat(s.HNFormat)); err != nil {
				return err
			}
		} else if err := tx.rejectErasedHN(fields.HN); err != nil {
			return err
		}
		id, err := tx.insertPatient(fields)
		if err != nil {
			return err
		}
		if p, err = tx.readPatient(id); err != nil {
			return err
		}
		tx.Note("patient.create", "patient", id, p.FullName(), diff(nil, p))
		return nil
	})
	// Another transaction may have registered the same card after the check.
	if hospital.CodeOf(err) == hospital.Duplicate {
		err = db.withSamePatient(ctx, err, in)
	}
	return p, err
}

// withSamePatient adds the record that has the ID card to the error.
func (db *DB) withSamePatient(ctx context.Context, duplicate error, in hospital.PatientFields) error {
	var e *hospital.Error
	if !errors.As(duplicate, &e) || e.Details["candidates"] != nil || in.IDCard == "" {
		return duplicate
	}
	var same []hospital.Patient
	err := db.Read(ctx, func(tx *Tx) (err error) {
		same, err = tx.patientsWhere(`WHERE p.id_card <> '' AND p.id_card = $1`+notDeleted, string(in.IDCard))
		return err
	})
	if err != nil || len(same) == 0 {
		return duplicate
	}
	return e.With("candidates", same)
}

// rejectSamePatient returns DUPLICATE if another record that is not deleted has the same ID card
// and, unless confirmed, POSSIBLE_DUPLICATE if one has the same name and birth date. Indexes
// patients_id_card, patients_first.
func (tx *Tx) rejectSamePatient(id int64, in hospital.PatientFields, confirmed bool) error {
	sameCard := tx.All(patientSelect+`WHERE p.id_card <> '' AND p.id_card = $1 AND p.id <> $2`+notDeleted,
		string(in.IDCard), id)
	var sameName sqldb.Rows
	if !confirmed {
		sameName = tx.All(patientSelect+`WHERE p.first_search = $1 AND p.last_search = $2 AND p.birth_date = $3
			AND p.id <> $4 AND p.deleted_at IS NULL ORDER BY p.id LIMIT 20`,
			hospital.SearchKey(in.FirstName), hospital.SearchKey(in.LastName), in.BirthDate, id)
	}
	same, err := sqldb.Collect(sameCard, scanPatient)
	if err != nil {
		return err
	}
	if len(same) > 0 {
		return hospital.Reject(hospital.Duplicate).
			Because("มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว",
				"A patient with this ID card number is registered already.").
			On("idCard", "มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว HN "+same[0].HN,
				"Registered already with HN "+same[0].HN+".").
			With("candidates", same)
	}
	if confirmed {
		return nil
	}
	if same, err = sqldb.Collect(sameName, scanPatient); err != nil || len(same) == 0 {
		return err
	}
	return hospital.Reject(hospital.PossibleDuplicate).With("candidates", same)
}

// nextHN returns the next free hospital number. Numbers that were entered by hand are skipped in one
// query.
func (tx *Tx) nextHN(format hospital.NumberFormat) (string, error) {
	series := "hn " + format.Series(tx.now)
	var next, free int64
	err := tx.Get(`INSERT INTO counters (series, value) VALUES ($1, 1)
		ON CONFLICT (series) DO UPDATE SET value = counters.value + 1 RETURNING value`, series).Scan(&next)
	if err != nil {
		return "", fmt.Errorf("next HN: %w", err)
	}
	before, width, after := format.KeyOf(tx.now)
	if err := tx.Get(freeHNSQL, next, before, strings.Repeat("0", width), after).Scan(&free); err != nil {
		return "", fmt.Errorf("find free HN: %w", err)
	}
	if free != next {
		tx.Exec(`UPDATE counters SET value = $2 WHERE series = $1`, series, free)
	}
	return format.Format(tx.now, free), nil
}

// freeHNSQL finds the first unused hospital number by its key: index patients_hn.
var freeHNSQL = firstFree("patients", "hn_key")

var insertPatientSQL = func() string {
	marks := make([]string, len(PatientColumns))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+2)
	}
	return `INSERT INTO patients (created_at, updated_at, ` + strings.Join(PatientColumns, ", ") + `)
		VALUES ($1, $1, ` + strings.Join(marks, ", ") + `) RETURNING id`
}()

func (tx *Tx) insertPatient(p hospital.PatientFields) (id int64, err error) {
	args := append([]any{ms(tx.now)}, PatientValues(p)...)
	tx.patients++
	if err := tx.Get(insertPatientSQL, args...).Scan(&id); err != nil {
		return 0, fmt.Errorf("insert patient: %w", err)
	}
	tx.Exec(`INSERT INTO patient_search (rowid, doc) VALUES ($1, $2)`, id, SearchText(p))
	return id, nil
}

var updatePatientSQL = func() string {
	var sets []string
	for i, name := range PatientColumns {
		sets = append(sets, fmt.Sprintf("%s = $%d", name, i+4))
	}
	return `UPDATE patients SET version = version + 1, updated_at = $2, ` + strings.Join(sets, ", ") + `
		WHERE id = $1 AND version = $3`
}()

// UpdatePatient lets apply change the fields of a record. An ID card that comes back with its mask
// unchanged stays; any other masked value is VALIDATION_FAILED. It returns CONFLICT_VERSION with
// the current record for a stale version, and the errors of CreatePatient: POSSIBLE_DUPLICATE only
// if the name or birth date changes.
func (db *DB) UpdatePatient(
	ctx context.Context, id, version int64, confirmDuplicate bool, apply func(*hospital.PatientFields) error,
) (p hospital.Patient, err error) {
	var wanted hospital.PatientFields
	err = db.changeOnce(ctx, valueOf(&p), func(tx *Tx) error {
		before, err := tx.readPatient(id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Reject(hospital.ConflictVersion).With("current", before)
		}
		after := before.Clean() // a deep copy
		after.IDType = ""       // set only if apply sets it
		if err := apply(&after); err != nil {
			return err
		}
		after = after.MergedWith(before.PatientFields)
		wanted = after
		if err := after.Validate(db.Today()); err != nil {
			return err
		}
		renamed := hospital.SearchKey(after.FirstName+" "+after.LastName) !=
			hospital.SearchKey(before.FirstName+" "+before.LastName) || after.BirthDate != before.BirthDate
		if err := tx.rejectSamePatient(id, after, confirmDuplicate || !renamed); err != nil {
			return err
		}
		if hospital.HNKey(after.HN) != hospital.HNKey(before.HN) {
			if err := tx.rejectErasedHN(after.HN); err != nil {
				return err
			}
		}
		args := append([]any{id, ms(tx.now), version}, PatientValues(after)...)
		n, err := tx.Exec(updatePatientSQL, args...).Affected()
		if err != nil {
			return fmt.Errorf("update patient: %w", err)
		}
		if n == 0 { // another transaction was committed after the record was read
			if before, err = tx.readPatient(id); err != nil {
				return err
			}
			return hospital.Reject(hospital.ConflictVersion).With("current", before)
		}
		if doc := SearchText(after); doc != SearchText(before.PatientFields) {
			tx.Exec(`UPDATE patient_search SET doc = $2 WHERE rowid = $1`, id, doc)
		}
		if p, err = tx.readPatient(id); err != nil {
			return err
		}
		tx.Note("patient.update", "patient", id, p.FullName(), patientChanges(before, p))
		return nil
	})
	if hospital.CodeOf(err) == hospital.Duplicate {
		err = db.withSamePatient(ctx, err, wanted)
	}
	return p, err
}

// patientChanges is diff for patients. It also reports an ID card in which only masked digits
// changed.
func patientChanges(before, after hospital.Patient) map[string]hospital.Change {
	changes := diff(before, after)
	if before.IDCard != after.IDCard {
		changes["idCard"] = hospital.Change{Before: before.IDCard.Mask(), After: after.IDCard.Mask()}
	}
	return changes
}

// DeletePatient deletes a record for a reason. Its history stays readable and its HN is never used
// again. It returns NOT_FOUND, and IN_USE with the number of upcoming appointments.
func (db *DB) DeletePatient(ctx context.Context, id int64, reason string) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if err := tx.lockPatient(id); err != nil { // against bookings
			return err
		}
		p, err := tx.readPatient(id)
		if err != nil {
			return err
		}
		upcoming, err := tx.countUpcoming("patient_id", id)
		if err != nil {
			return err
		}
		if upcoming > 0 {
			return hospital.Reject(hospital.InUse).With("count", upcoming).
				Because(fmt.Sprintf("ผู้ป่วยยังมีนัดที่จะถึง %d รายการ กรุณายกเลิกนัดก่อนลบข้อมูล", upcoming),
					fmt.Sprintf("The patient has %d coming appointments. Cancel them first.", upcoming))
		}
		tx.Exec(`UPDATE patients SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
			id, ms(tx.now))
		tx.patients--
		tx.Exec(`DELETE FROM patient_search WHERE rowid = $1`, id)
		tx.Exec(`DELETE FROM customer_patients WHERE patient_id = $1`, id)
		tx.NoteEntry(hospital.AuditEntry{
			Action: "patient.delete", Entity: "patient", EntityID: fmt.Sprint(id), Subject: p.FullName(),
			Reason: reason, Changes: diff(p, nil),
		})
		return nil
	})
}
