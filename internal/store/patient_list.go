package store

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/hospital"
)

var patientSorts = map[string]string{
	"hn": "p.hn", "firstName": "p.first_sort", "lastName": "p.last_sort", "birthDate": "p.birth_date", "createdAt": "p.created_at", "lastVisit": "p.last_visit",
}

// patientFilter turns what is asked for into conditions, but for what was typed.
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
	today := db.Now().In(hospital.Bangkok)
	if in.AgeFrom != nil {
		f.add("p.birth_date <= %s", today.AddDate(-*in.AgeFrom, 0, 0).Format(time.DateOnly))
	}
	if in.AgeTo != nil {
		f.add("p.birth_date > %s", today.AddDate(-*in.AgeTo-1, 0, 0).Format(time.DateOnly))
	}
	return f
}

// found matches records that contain every word, whose ID card begins with the digits, or whose
// patient is an owner of the number. Owners come first.
func (f *filter) found(t searchTerms) {
	for _, word := range t.words {
		ids := "SELECT rowid FROM patient_search WHERE doc LIKE " + f.mark("%"+word+"%")
		if t.card != "" { // the text is a single word
			ids += " UNION ALL " + f.cards(t.card)
		}
		found := "p.id IN (" + ids + ")"
		if len(t.owners) > 0 {
			f.first = "p.id IN " + f.list(numbers(t.owners))
			found = "(" + found + " OR " + f.first + ")"
		}
		f.add(found)
	}
}

// cards selects the patients whose ID card begins with the digits: index patients_id_card.
func (f *filter) cards(digits string) string {
	return fmt.Sprintf(`SELECT id FROM patients
		WHERE id_card <> '' AND id_card >= %s AND id_card < %s AND deleted_at IS NULL`,
		f.mark(digits), f.mark(after(digits)))
}

// ListPatients returns a page of living records: by default in Thai order, behind
// the owners of a number that was typed.
func (db *DB) ListPatients(ctx context.Context, in hospital.PatientFilter) (page hospital.Paged[hospital.Patient], err error) {
	order, err := orderBy(in.Page, patientSorts, "p.id", "firstName")
	if err != nil {
		return page, err
	}
	terms, err := db.searchTerms(ctx, in.Q)
	if err != nil {
		return page, err
	}
	f, first := db.patientFilter(in), []hospital.Patient{}
	if in.Sort != "" || len(terms.owners) == 0 {
		f.found(terms)
	} else {
		// They are asked for apart: an order that puts them first has no index, and all
		// the others would be read for a page of them.
		own := db.patientFilter(in)
		owners := numbers(terms.owners)
		own.in("p.id", owners)
		if first, err = db.patientsWhere(ctx, db.read, own.where()+" "+order, own.args...); err != nil {
			return page, mapError(err)
		}
		terms.owners = nil
		f.found(terms)
		f.add("p.id NOT IN " + f.list(owners))
	}
	count := `SELECT count(*) FROM patients p ` + f.where()
	if len(f.args) == 0 { // everybody
		count = `SELECT n FROM patient_total`
	}
	var others int64
	if err := db.read.QueryRowContext(ctx, count, f.args...).Scan(&others); err != nil {
		return page, mapError(err)
	}
	total, from := others+int64(len(first)), min(in.Offset(), len(first))
	list := first[from:min(from+in.PageSize, len(first))]
	if room := in.PageSize - len(list); room > 0 {
		// First which ones, so that those of the pages before are not looked up.
		ids := `SELECT p.id FROM patients p ` + f.where() + " " + order + " " + f.limit(room, in.Offset()-from)
		rest, err := db.patientsWhere(ctx, db.read, `WHERE p.id IN (`+ids+`) `+order, f.args...)
		if err != nil {
			return page, mapError(err)
		}
		list = append(list, rest...)
	}
	return hospital.Of(in.Page, list, total), nil
}

// EachPatient calls fn for every record of the filtered list in its order, one
// at a time, so that an export takes no memory. The export is recorded in the audit
// log first, with its reason.
func (db *DB) EachPatient(
	ctx context.Context, in hospital.PatientExportQuery, format string, fn func(hospital.Patient) error,
) error {
	f := db.patientFilter(in.PatientFilter)
	terms, err := db.searchTerms(ctx, in.Q)
	if err != nil {
		return err
	}
	f.found(terms)
	order, err := f.order(in.Page, patientSorts, "p.id", "firstName")
	if err != nil {
		return err
	}
	criteria := in
	criteria.Page, criteria.Q, criteria.Reason = hospital.Page{}, "", "" // the search text may be a personal number
	entry := hospital.AuditEntry{
		Action: "patient.export", Entity: "patient", Subject: format, Reason: in.Reason, Changes: diff(nil, criteria),
	}
	if err := db.Note(ctx, entry); err != nil {
		return err
	}
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
		if err := fn(p); err != nil {
			return err
		}
	}
	return mapError(rows.Err())
}
