package store

import (
	"context"
	"time"

	"nadmor/internal/hospital"
)

var patientSorts = map[string]string{
	"hn": "p.hn", "firstName": "p.first_sort", "lastName": "p.last_sort", "birthDate": "p.birth_date", "createdAt": "p.created_at", "lastVisit": "p.last_visit",
}

// patientFilter turns what is asked for into conditions.
func (db *DB) patientFilter(in hospital.PatientFilter) (f filter) {
	f.add("p.deleted_at IS NULL")
	if in.Sex != "" {
		f.add("p.sex = %s", string(in.Sex))
	}
	if in.RightCode != "" {
		f.add("p.right_code = %s", in.RightCode)
	}
	if in.Province != "" {
		f.add("p.addr_province = %s", hospital.CleanText(in.Province))
	}
	today := db.Now().In(db.Zone())
	if in.AgeFrom != nil {
		f.add("p.birth_date <= %s", today.AddDate(-*in.AgeFrom, 0, 0).Format(time.DateOnly))
	}
	if in.AgeTo != nil {
		f.add("p.birth_date > %s", today.AddDate(-*in.AgeTo-1, 0, 0).Format(time.DateOnly))
	}
	for _, word := range queryWords(in.Q) {
		f.add("p.id IN (SELECT rowid FROM patient_search WHERE doc LIKE %s)", "%"+word+"%")
	}
	return f
}

// ListPatients returns a page of living records, in Thai order by default.
func (db *DB) ListPatients(ctx context.Context, in hospital.PatientFilter) (page hospital.Paged[hospital.Patient], err error) {
	order, err := orderBy(in.Page, patientSorts, "p.id", "firstName")
	if err != nil {
		return page, err
	}
	f := db.patientFilter(in)
	count := `SELECT count(*) FROM patients p ` + f.where()
	if len(f.args) == 0 { // everybody
		count = `SELECT n FROM patient_total`
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, count, f.args...).Scan(&total); err != nil {
		return page, mapError(err)
	}
	// First which ones, so that those of the pages before are not looked up.
	list, err := db.patientsWhere(ctx, db.read, `WHERE p.id IN (SELECT p.id FROM patients p `+f.where()+" "+order+" "+f.page(in.Page)+`) `+order, f.args...)
	return hospital.Of(in.Page, list, total), mapError(err)
}

// EachPatient calls fn for every record of the filtered list in its order, one
// at a time, so that an export takes no memory. The export is written down
// first.
func (db *DB) EachPatient(ctx context.Context, in hospital.PatientFilter, format string, fn func(hospital.Patient) error) error {
	order, err := orderBy(in.Page, patientSorts, "p.id", "firstName")
	if err != nil {
		return err
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // what was typed may be a person's number
	if err := db.Note(ctx, hospital.AuditEntry{Action: "patient.export", Entity: "patient", Subject: format, Changes: diff(nil, criteria)}); err != nil {
		return err
	}
	f := db.patientFilter(in)
	rows, err := db.read.QueryContext(ctx, patientSelection.plain+f.where()+" "+order, f.args...)
	if err != nil {
		return mapError(err)
	}
	defer rows.Close() // Err below tells what matters
	for rows.Next() {
		p, err := scanPatient(rows.Scan)
		if err != nil {
			return mapError(err)
		}
		if err := fn(mask(ctx, p)); err != nil {
			return err
		}
	}
	return mapError(rows.Err())
}
