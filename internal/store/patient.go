package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
)

// column is a column with the value it is written with.
type column struct {
	name  string
	value any
}

// patientColumns are the columns people fill, in one order for reading and
// writing.
func patientColumns(p hospital.PatientFields) []column {
	return []column{
		{"hn", p.HN}, {"id_type", string(p.IDType)}, {"id_card", string(p.IDCard)}, {"passport_no", p.PassportNo},
		{"prename", p.Prename}, {"first_name", p.FirstName}, {"last_name", p.LastName}, {"first_name_en", p.FirstNameEn}, {"last_name_en", p.LastNameEn},
		{"birth_date", p.BirthDate}, {"birth_precision", string(p.BirthPrecision)}, {"sex", string(p.Sex)}, {"blood_group", p.BloodGroup}, {"rh_factor", p.RhFactor},
		{"nationality", p.Nationality}, {"religion", p.Religion}, {"marital_status", p.MaritalStatus}, {"occupation", p.Occupation},
		{"phone", p.Phone}, {"phone2", p.Phone2}, {"email", p.Email}, {"line_user_id", p.LineUserID},
		{"addr_line", p.Address.Line}, {"addr_moo", p.Address.Moo}, {"addr_subdistrict", p.Address.Subdistrict}, {"addr_district", p.Address.District},
		{"addr_province", p.Address.Province}, {"addr_postal_code", p.Address.PostalCode},
		{"right_code", p.RightCode}, {"right_card_no", p.RightCardNo}, {"right_hospital", p.RightHospital}, {"right_expires", p.RightExpires},
		{"allergies", toJSON(p.Allergies)}, {"no_known_allergy", p.NoKnownAllergy}, {"conditions", toJSON(p.Conditions)},
		{"contact_name", p.ContactName}, {"contact_relation", p.ContactRelation}, {"contact_phone", p.ContactPhone},
		{"consent_at", msOrNil(p.ConsentAt)}, {"note", p.Note},
	}
}

// patientKeys are the columns the store derives: what is searched and sorted by.
func patientKeys(p hospital.PatientFields) []column {
	return []column{
		{"hn_key", hospital.HNKey(p.HN)},
		{"first_search", hospital.SearchKey(p.FirstName)}, {"last_search", hospital.SearchKey(p.LastName)},
		{"first_search_en", hospital.SearchKey(p.FirstNameEn)}, {"last_search_en", hospital.SearchKey(p.LastNameEn)},
		{"first_sort", sortKey(p.FirstName + " " + p.LastName)}, {"last_sort", sortKey(p.LastName + " " + p.FirstName)},
	}
}

// searchDoc returns the text in which fragments are searched. It must not contain the ID card,
// because any caller can search for fragments of it.
func searchDoc(p hospital.PatientFields) string {
	parts := []string{
		hospital.SearchKey(p.FirstName), hospital.SearchKey(p.LastName), hospital.SearchKey(p.FirstNameEn), hospital.SearchKey(p.LastNameEn),
		strings.ToLower(p.HN), p.Phone, p.Phone2, strings.ToLower(p.PassportNo),
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

var patientNames = func() string {
	var names []string
	for _, c := range patientColumns(hospital.PatientFields{}) {
		names = append(names, "p."+c.name)
	}
	return strings.Join(names, ", ")
}()

var patientSelection = selecting(`p.id, p.version, p.created_at, p.updated_at, p.last_visit, `+patientNames, `FROM patients p`, "p.last_visit", "p.consent_at")

func scanPatient(scan func(...any) error) (hospital.Patient, error) {
	var p hospital.Patient
	var created, updated int64
	var visit sql.NullString
	var consent sql.NullInt64
	var allergies, conditions string
	err := scan(&p.ID, &p.Version, &created, &updated, &visit,
		&p.HN, &p.IDType, &p.IDCard, &p.PassportNo, &p.Prename, &p.FirstName, &p.LastName, &p.FirstNameEn, &p.LastNameEn,
		&p.BirthDate, &p.BirthPrecision, &p.Sex, &p.BloodGroup, &p.RhFactor, &p.Nationality, &p.Religion, &p.MaritalStatus, &p.Occupation,
		&p.Phone, &p.Phone2, &p.Email, &p.LineUserID,
		&p.Address.Line, &p.Address.Moo, &p.Address.Subdistrict, &p.Address.District, &p.Address.Province, &p.Address.PostalCode,
		&p.RightCode, &p.RightCardNo, &p.RightHospital, &p.RightExpires, &allergies, &p.NoKnownAllergy, &conditions,
		&p.ContactName, &p.ContactRelation, &p.ContactPhone, &consent, &p.Note)
	if err != nil {
		return p, err
	}
	p.CreatedAt, p.UpdatedAt, p.ConsentAt = at(created), at(updated), atOrNil(consent)
	if visit.Valid {
		p.LastVisit = &visit.String
	}
	// Most people have none, and an empty list is quickly read.
	if p.Allergies = []hospital.Allergy{}; allergies != "[]" {
		err = json.Unmarshal([]byte(allergies), &p.Allergies)
	}
	if p.Conditions = []string{}; conditions != "[]" {
		err = errors.Join(err, json.Unmarshal([]byte(conditions), &p.Conditions))
	}
	return p, err
}

func (db *DB) readPatient(ctx context.Context, q querier, id int64) (hospital.Patient, error) {
	return only(selected(ctx, db, q, patientSelection, `WHERE p.id = $1 AND p.deleted_at IS NULL`, []any{id}, scanPatient))
}

// PatientCounts is how often a patient was booked, will come, and did not come.
type PatientCounts struct {
	Total    int64 `json:"total"`
	Upcoming int64 `json:"upcoming"`
	NoShow   int64 `json:"noShow"`
}

var recordSelection = selecting(strings.Join(patientSelection.names, ", ")+`, c.total, c.upcoming, c.no_show`, `FROM patients p
	JOIN (SELECT count(*) AS total,
		count(*) FILTER (WHERE `+oneOf("status", hospital.Upcoming...)+` AND date >= $2) AS upcoming,
		count(*) FILTER (WHERE `+oneOf("status", hospital.NoShow)+`) AS no_show
		FROM appointments WHERE patient_id = $1 AND deleted_at IS NULL) c ON 1 = 1`, "p.last_visit", "p.consent_at")

// PatientRecord is a whole record with what it led to.
type PatientRecord struct {
	hospital.Patient
	AppointmentCounts PatientCounts `json:"appointmentCounts"`
}

// Patient returns one record and records the access in the audit log: NOT_FOUND.
func (db *DB) Patient(ctx context.Context, id int64) (PatientRecord, error) {
	return readNoted(ctx, db, func(q querier) (PatientRecord, error) {
		return only(selected(ctx, db, q, recordSelection, `WHERE p.id = $1 AND p.deleted_at IS NULL`, []any{id, db.wall().Date}, func(scan func(...any) error) (r PatientRecord, err error) {
			c := &r.AppointmentCounts
			r.Patient, err = scanPatient(func(into ...any) error { return scan(append(into, &c.Total, &c.Upcoming, &c.NoShow)...) })
			return r, err
		}))
	}, func(r PatientRecord) hospital.AuditEntry {
		return hospital.AuditEntry{Action: "patient.read", Entity: "patient", EntityID: strconv.FormatInt(id, 10), Subject: r.FullName()}
	})
}

// RevealIDCard returns the full ID card number of a patient and records the reason in the audit
// log: NOT_FOUND. Only an export with a reason returns it as well.
func (db *DB) RevealIDCard(ctx context.Context, id int64, reason string) (string, error) {
	p, err := db.readPatient(ctx, db.read, id)
	if err != nil {
		return "", mapError(err)
	}
	return string(p.IDCard), db.Note(ctx, hospital.AuditEntry{
		Action: "patient.reveal-id-card", Entity: "patient", EntityID: fmt.Sprint(id),
		Subject: p.FullName(), Reason: reason,
	})
}

// CreatePatient registers somebody. Refused: wrong fields; an ID card that a
// living record has (DUPLICATE with that record); a name and birth date that
// somebody has (POSSIBLE_DUPLICATE with the candidates) unless confirmed; an HN
// that was given before (DUPLICATE). Without an HN the next one is given.
func (db *DB) CreatePatient(ctx context.Context, in hospital.PatientFields, confirmDuplicate bool) (p hospital.Patient, err error) {
	in = in.Clean()
	if err := in.Validate(db.Today()); err != nil {
		return p, err
	}
	setting, err := db.Setting(ctx)
	if err != nil {
		return p, err
	}
	err = db.changeOnce(ctx, valueOf(&p), func(tx *Tx) error {
		if err := tx.refuseSamePatient(0, in, confirmDuplicate); err != nil {
			return err
		}
		fields := in
		if fields.HN == "" {
			hn, err := tx.nextHN(hospital.NumberFormat(setting.HNFormat))
			if err != nil {
				return err
			}
			fields.HN = hn
		} else if err := tx.refuseErasedHN(fields.HN); err != nil {
			return err
		}
		id, err := tx.insertPatient(fields)
		if err != nil {
			return err
		}
		if p, err = db.readPatient(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.note("patient.create", "patient", id, p.FullName(), diff(nil, p))
		return nil
	})
	// Somebody else registered the same card between our look and our write.
	if hospital.CodeOf(err) == hospital.Duplicate {
		err = db.withSamePatient(ctx, err, in)
	}
	return p, err
}

// withSamePatient adds the record that has the ID card to the refusal.
func (db *DB) withSamePatient(ctx context.Context, refusal error, in hospital.PatientFields) error {
	var e *hospital.Error
	if !errors.As(refusal, &e) || e.Details["candidates"] != nil || in.IDCard == "" {
		return refusal
	}
	same, err := db.patientsWhere(ctx, db.read, `WHERE p.id_card <> '' AND p.id_card = $1`+living, string(in.IDCard))
	if err != nil || len(same) == 0 {
		return refusal
	}
	return e.With("candidates", same)
}

// refuseSamePatient looks for living records of the same person: the same ID
// card, or the same name and birth date.
func (tx *Tx) refuseSamePatient(id int64, in hospital.PatientFields, confirmed bool) error {
	if in.IDCard != "" {
		// Index patients_id_card.
		same, err := tx.db.patientsWhere(tx.ctx, tx.tx,
			`WHERE p.id_card <> '' AND p.id_card = $1 AND p.id <> $2`+living, string(in.IDCard), id)
		if err != nil {
			return err
		}
		if len(same) > 0 {
			return hospital.Refuse(hospital.Duplicate).
				Because("มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว", "A patient with this ID card number is registered already.").
				On("idCard", "มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว HN "+same[0].HN, "Registered already with HN "+same[0].HN+".").
				With("candidates", same)
		}
	}
	if confirmed {
		return nil
	}
	// Index patients_first.
	same, err := tx.db.patientsWhere(tx.ctx, tx.tx, `WHERE p.first_search = $1 AND p.last_search = $2 AND p.birth_date = $3 AND p.id <> $4 AND p.deleted_at IS NULL ORDER BY p.id LIMIT 20`,
		hospital.SearchKey(in.FirstName), hospital.SearchKey(in.LastName), in.BirthDate, id)
	if err != nil || len(same) == 0 {
		return err
	}
	return hospital.Refuse(hospital.PossibleDuplicate).With("candidates", same)
}

func (db *DB) patientsWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Patient, error) {
	return selected(ctx, db, q, patientSelection, where, args, scanPatient)
}

// nextHN gives the next hospital number that nobody has. Numbers that were
// typed are passed in one go, however many they are.
func (tx *Tx) nextHN(format hospital.NumberFormat) (string, error) {
	series := "hn " + format.Series(tx.now)
	var next, free int64
	err := tx.queryRow(`INSERT INTO counters (series, value) VALUES ($1, 1) ON CONFLICT (series) DO UPDATE SET value = counters.value + 1 RETURNING value`, series).Scan(&next)
	if err != nil {
		return "", fmt.Errorf("next HN: %w", err)
	}
	before, width, after := format.KeyOf(tx.now)
	if err := tx.queryRow(freeHNSQL, next, before, strings.Repeat("0", width), after).Scan(&free); err != nil {
		return "", fmt.Errorf("look for HN: %w", err)
	}
	if free != next {
		if _, err := tx.exec(`UPDATE counters SET value = $2 WHERE series = $1`, series, free); err != nil {
			return "", fmt.Errorf("pass HNs: %w", err)
		}
	}
	return format.Format(tx.now, free), nil
}

// freeHNSQL finds the first unused hospital number by its key: index patients_hn.
var freeHNSQL = firstFree("patients", "hn_key")

var insertPatientSQL = func() string {
	var names, marks []string
	for i, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		names, marks = append(names, c.name), append(marks, fmt.Sprintf("$%d", i+2))
	}
	return `INSERT INTO patients (created_at, updated_at, ` + strings.Join(names, ", ") + `) VALUES ($1, $1, ` + strings.Join(marks, ", ") + `) RETURNING id`
}()

func (tx *Tx) insertPatient(p hospital.PatientFields) (id int64, err error) {
	args := []any{ms(tx.now)}
	for _, c := range append(patientColumns(p), patientKeys(p)...) {
		args = append(args, c.value)
	}
	tx.patients++
	if err := tx.queryRow(insertPatientSQL, args...).Scan(&id); err != nil {
		return 0, fmt.Errorf("insert patient: %w", err)
	}
	if _, err := tx.exec(`INSERT INTO patient_search (rowid, doc) VALUES ($1, $2)`, id, searchDoc(p)); err != nil {
		return 0, fmt.Errorf("index patient: %w", err)
	}
	return id, nil
}

var updatePatientSQL = func() string {
	var sets []string
	for i, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		sets = append(sets, fmt.Sprintf("%s = $%d", c.name, i+4))
	}
	return `UPDATE patients SET version = version + 1, updated_at = $2, ` + strings.Join(sets, ", ") + ` WHERE id = $1 AND version = $3`
}()

// UpdatePatient lets apply change the fields of a record. Refused: a stale
// version (CONFLICT_VERSION with the current record), wrong fields, an ID card
// or HN that another record has, a name and birth date that become somebody
// else's (POSSIBLE_DUPLICATE) unless confirmed. An ID card that comes back
// with its mask unchanged stays; any other masked value is VALIDATION_FAILED.
func (db *DB) UpdatePatient(ctx context.Context, id, version int64, confirmDuplicate bool, apply func(*hospital.PatientFields) error) (p hospital.Patient, err error) {
	var wanted hospital.PatientFields
	err = db.changeOnce(ctx, valueOf(&p), func(tx *Tx) error {
		before, err := db.readPatient(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		after := before.Clean() // a deep copy
		after.IDType = ""       // set only if apply sets it
		if err := apply(&after); err != nil {
			return err
		}
		after = after.Over(before.PatientFields)
		wanted = after
		if err := after.Validate(db.Today()); err != nil {
			return err
		}
		// Only a change of name or birth date can make somebody else of them.
		renamed := hospital.SearchKey(after.FirstName+" "+after.LastName) != hospital.SearchKey(before.FirstName+" "+before.LastName) || after.BirthDate != before.BirthDate
		if err := tx.refuseSamePatient(id, after, confirmDuplicate || !renamed); err != nil {
			return err
		}
		if hospital.HNKey(after.HN) != hospital.HNKey(before.HN) {
			if err := tx.refuseErasedHN(after.HN); err != nil {
				return err
			}
		}
		args := []any{id, ms(tx.now), version}
		for _, c := range append(patientColumns(after), patientKeys(after)...) {
			args = append(args, c.value)
		}
		n, err := tx.exec(updatePatientSQL, args...)
		if err != nil {
			return fmt.Errorf("update patient: %w", err)
		}
		if n == 0 { // somebody was faster between our look and our write
			if before, err = db.readPatient(ctx, tx.tx, id); err != nil {
				return err
			}
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		if doc := searchDoc(after); doc != searchDoc(before.PatientFields) {
			if _, err := tx.exec(`UPDATE patient_search SET doc = $2 WHERE rowid = $1`, id, doc); err != nil {
				return fmt.Errorf("index patient: %w", err)
			}
		}
		if p, err = db.readPatient(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.note("patient.update", "patient", id, p.FullName(), patientChanges(before, p))
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

// DeletePatient takes a record out of use for a reason; its history stays
// readable and its HN is never given again: NOT_FOUND, IN_USE with how many
// while appointments are still to come.
func (db *DB) DeletePatient(ctx context.Context, id int64, reason string) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if err := tx.lockPatient(id); err != nil { // nobody books meanwhile
			return err
		}
		p, err := db.readPatient(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		coming, err := tx.countUpcoming("patient_id", id)
		if err != nil {
			return err
		}
		if coming > 0 {
			return hospital.Refuse(hospital.InUse).With("count", coming).
				Because(fmt.Sprintf("ผู้ป่วยยังมีนัดที่จะถึง %d รายการ กรุณายกเลิกนัดก่อนลบข้อมูล", coming), fmt.Sprintf("The patient has %d coming appointments. Cancel them first.", coming))
		}
		if _, err := tx.exec(`UPDATE patients SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete patient: %w", err)
		}
		tx.patients--
		if _, err := tx.exec(`DELETE FROM patient_search WHERE rowid = $1`, id); err != nil {
			return fmt.Errorf("unindex patient: %w", err)
		}
		if _, err := tx.exec(`DELETE FROM customer_patients WHERE patient_id = $1`, id); err != nil {
			return fmt.Errorf("unlink patient: %w", err)
		}
		tx.noteEntry(hospital.AuditEntry{
			Action: "patient.delete", Entity: "patient", EntityID: fmt.Sprint(id), Subject: p.FullName(),
			Reason: reason, Changes: diff(p, nil),
		})
		return nil
	})
}
