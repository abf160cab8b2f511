package store

import (
	"context"
	"fmt"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

var patientSorts = map[string]string{
	"hn": "p.hn", "firstName": "p.first_sort", "lastName": "p.last_sort", "birthDate": "p.birth_date",
	"createdAt": "p.created_at", "lastVisit": "p.last_visit",
}

// patientFilter returns the conditions of a list at a time, except for its search text.
func patientFilter(in hospital.PatientFilter, now time.Time) (f filter) {
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
	today := now.In(hospital.Bangkok)
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

// ListPatients returns a page of the records that are not deleted: by default in Thai order, after
// the owners of the number that is searched for. A search by ID card is recorded in the audit log.
func (db *DB) ListPatients(
	ctx context.Context, in hospital.PatientFilter,
) (page hospital.Paged[hospital.Patient], err error) {
	order, err := orderBy(in.Page, patientSorts, "p.id", "firstName")
	if err != nil {
		return page, err
	}
	err = db.readSearch(ctx, in.Q, func(tx *Tx, terms searchTerms) (err error) {
		page, err = tx.listPatients(in, terms, order)
		return err
	})
	return page, err
}

func (tx *Tx) listPatients(
	in hospital.PatientFilter, terms searchTerms, order string,
) (page hospital.Paged[hospital.Patient], err error) {
	f, first := patientFilter(in, tx.now), []hospital.Patient{}
	if in.Sort != "" || len(terms.owners) == 0 {
		f.found(terms)
	} else {
		// Owners are read by a separate query: no index has an order with them first, so that all
		// other records would be read for one page.
		own, owners := patientFilter(in, tx.now), numbers(terms.owners)
		own.in("p.id", owners)
		if first, err = tx.patientsWhere(own.where()+" "+order, own.args...); err != nil {
			return page, err
		}
		terms.owners = nil
		f.found(terms)
		f.add("p.id NOT IN " + f.list(owners))
	}
	count := `SELECT count(*) FROM patients p ` + f.where()
	if len(f.args) == 0 { // all patients
		count = `SELECT n FROM patient_total`
	}
	counted := tx.Get(count, f.args...)
	from := min(in.Offset(), len(first))
	list := first[from:min(from+in.PageSize, len(first))]
	if missing := in.PageSize - len(list); missing > 0 {
		// The ids are selected first, so that the records of the pages before are not read.
		ids := `SELECT p.id FROM patients p ` + f.where() + " " + order + " " + f.limit(missing, in.Offset()-from)
		rest, err := tx.patientsWhere(`WHERE p.id IN (`+ids+`) `+order, f.args...)
		if err != nil {
			return page, err
		}
		list = append(list, rest...)
	}
	var others int64
	if err := counted.Scan(&others); err != nil {
		return page, err
	}
	return hospital.NewPaged(in.Page, list, others+int64(len(first))), nil
}

// EachPatient calls fn for every record of the filtered list in its order, without holding all of them
// in memory. The export is recorded in the audit log first, with its reason.
func (db *DB) EachPatient(
	ctx context.Context, in hospital.PatientExportQuery, format string, fn func(hospital.Patient) error,
) error {
	if _, err := orderBy(in.Page, patientSorts, "p.id", "firstName"); err != nil {
		return err
	}
	criteria := in
	criteria.Page, criteria.Q, criteria.Reason = hospital.Page{}, "", "" // the search text may be a personal number
	var failed error                                                     // error of fn, which MapError must not convert
	err := db.readSearch(ctx, in.Q, func(tx *Tx, terms searchTerms) error {
		f := patientFilter(in.PatientFilter, tx.now)
		f.found(terms)
		order, err := f.order(in.Page, patientSorts, "p.id", "firstName")
		if err != nil {
			return err
		}
		return tx.Stream(func(scan sqldb.Scan) error {
			p, err := scanPatient(scan)
			if err != nil {
				return err
			}
			failed = fn(p)
			return failed
		}, patientSelect+f.where()+" "+order, f.args...)
	}, hospital.AuditEntry{
		Action: "patient.export", Entity: "patient", Subject: format, Reason: in.Reason, Changes: diff(nil, criteria),
	})
	if failed != nil {
		return failed
	}
	return err
}
