package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const (
	// importBatch is how many records are looked up and written at a time.
	importBatch = 250
	// insertBatch is how many records of some fifty columns are inserted by one statement.
	insertBatch = 20
)

// Standing is the state of a record that is to be imported.
type Standing int

// The standings. Records of the last two cannot be imported.
const (
	StandingNew         Standing = iota
	StandingKnown                // the patient is registered
	StandingOtherPerson          // another patient has the HN
	StandingDeleted              // a deleted patient had the HN
)

// PatientImport is a file to import.
type PatientImport struct {
	File string // base name
	// Rows are the records to write, clean, valid and without duplicates. They are read again
	// from the beginning if the transaction runs again.
	Rows iter.Seq2[hospital.PatientFields, error]
	// HNs are the keys (hospital.HNKey) of the numbers in the file. New numbers follow the highest.
	HNs iter.Seq[string]
	// Known and Wrong count the rows that are left out, for the audit log.
	Known, Wrong int
	Progress     func(written int) // may be nil
}

// PatientStandings returns the standing of each record. The fields must be clean. A record is known
// by its HN or its ID card, and one that has neither by its name and birth date.
func (db *DB) PatientStandings(ctx context.Context, list []hospital.PatientFields) (standings []Standing, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		standings = make([]Standing, 0, len(list))
		for batch := range slices.Chunk(list, importBatch) {
			part, err := tx.standingsOf(batch)
			if err != nil {
				return err
			}
			standings = append(standings, part...)
		}
		return nil
	})
	return standings, err
}

// identity is the part of a record by which the same person is recognized.
type identity struct {
	id                 int64
	hnKey, idCard      string
	first, last, birth string
	deleted            bool
}

func identityOf(p hospital.PatientFields) identity {
	return identity{
		hnKey: hospital.HNKey(p.HN), idCard: string(p.IDCard),
		first: hospital.SearchKey(p.FirstName), last: hospital.SearchKey(p.LastName), birth: p.BirthDate,
	}
}

func (i identity) name() [3]string { return [3]string{i.first, i.last, i.birth} }

// agrees reports whether two records with the same HN can be of one person: by the ID card if both
// have one, otherwise by the name or the birth date, because either may have been corrected.
func (i identity) agrees(o identity) bool {
	if i.idCard != "" && o.idCard != "" {
		return i.idCard == o.idCard
	}
	return i.birth == o.birth || i.first == o.first && i.last == o.last
}

// standingsOf returns the standings of at most importBatch records. Indexes patients_hn,
// patients_id_card, patients_first.
func (tx *Tx) standingsOf(list []hospital.PatientFields) ([]Standing, error) {
	wanted := make([]identity, len(list))
	var hns, cards, names []any
	for i, p := range list {
		w := identityOf(p)
		wanted[i] = w
		if p.HN != "" {
			hns = append(hns, w.hnKey)
		}
		if w.idCard != "" {
			cards = append(cards, w.idCard)
		}
		if p.HN == "" && w.idCard == "" {
			names = append(names, w.first, w.last, w.birth)
		}
	}
	hnIDs := tx.queryPatientIDs(`p.hn_key = v.column1`, 1, hns)
	cardIDs := tx.queryPatientIDs(`p.id_card <> '' AND p.id_card = v.column1`+notDeleted, 1, cards)
	nameIDs := tx.queryPatientIDs(`p.first_search = v.column1 AND p.last_search = v.column2
		AND p.birth_date = v.column3`+notDeleted, 3, names)
	erased, err := tx.erasedHNs(hns)
	if err != nil {
		return nil, err
	}
	byHN, byCard, byName := map[string]identity{}, map[string]identity{}, map[[3]string]bool{}
	for _, found := range []struct {
		ids func() ([]any, error)
		add func(identity)
	}{
		{hnIDs, func(i identity) { byHN[i.hnKey] = i }},
		{cardIDs, func(i identity) { byCard[i.idCard] = i }},
		{nameIDs, func(i identity) { byName[i.name()] = true }},
	} {
		ids, err := found.ids()
		if err != nil {
			return nil, err
		}
		if err := tx.eachIdentity(ids, found.add); err != nil {
			return nil, err
		}
	}
	standings := make([]Standing, len(list))
	for i, w := range wanted {
		holder, hnTaken := byHN[w.hnKey]
		owner, cardTaken := byCard[w.idCard]
		switch {
		case list[i].HN != "" && (hnTaken && holder.deleted || erased[w.hnKey]):
			standings[i] = StandingDeleted
		case list[i].HN != "" && hnTaken &&
			(!holder.agrees(w) || cardTaken && w.idCard != "" && owner.id != holder.id):
			standings[i] = StandingOtherPerson
		case list[i].HN != "" && hnTaken, w.idCard != "" && cardTaken,
			list[i].HN == "" && w.idCard == "" && byName[w.name()]:
			standings[i] = StandingKnown
		}
	}
	return standings, nil
}

// queryPatientIDs queries the id of a patient that meets the condition with v, for every v of the
// values, which consist of width columns. It uses subqueries instead of a join: without statistics of a
// table that is being filled, PostgreSQL would read all of it for every batch.
func (tx *Tx) queryPatientIDs(condition string, width int, values []any) func() ([]any, error) {
	if len(values) == 0 {
		return func() ([]any, error) { return nil, nil }
	}
	rows := tx.All(`SELECT (SELECT p.id FROM patients p WHERE `+condition+` LIMIT 1)
		FROM (VALUES `+tx.db.dialect.placeholders(len(values)/width, width)+`) AS v`, values...)
	return func() ([]any, error) {
		ids, err := sqldb.Column[any](rows)
		return slices.DeleteFunc(ids, func(id any) bool { return id == nil }), err
	}
}

// eachIdentity calls fn with the identity of each of the patients.
func (tx *Tx) eachIdentity(ids []any, fn func(identity)) error {
	if len(ids) == 0 {
		return nil
	}
	return tx.All(`SELECT p.id, p.hn_key, p.id_card, p.first_search, p.last_search, p.birth_date,
		p.deleted_at IS NOT NULL
		FROM patients p WHERE p.id IN (`+tx.db.dialect.placeholders(len(ids), 1)+`)`, ids...).
		Each(func(scan sqldb.Scan) error {
			var i identity
			err := scan(&i.id, &i.hnKey, &i.idCard, &i.first, &i.last, &i.birth, &i.deleted)
			fn(i)
			return err
		})
}

// placeholders returns "($1, $2), ($3, $4), …". For SQLite it returns ? instead of $1, which would be a
// name that SQLite compares with all the others.
func (d dialect) placeholders(groups, width int) string {
	var b strings.Builder
	for i := range groups {
		for j := range width {
			switch {
			case j > 0:
				b.WriteString(", ")
			case i > 0:
				b.WriteString("), (")
			default:
				b.WriteByte('(')
			}
			if d.name == "sqlite" {
				b.WriteByte('?')
			} else {
				b.WriteString("$" + strconv.Itoa(i*width+j+1))
			}
		}
	}
	b.WriteByte(')')
	return b.String()
}

// ImportPatients writes every record of the file, or none: one transaction with one entry in the
// audit log. Records that are known by now are left out and counted. It returns how many were
// written and how many were known; VALIDATION_FAILED for a record that is invalid, and DUPLICATE
// for one that another user registers at the same time.
func (db *DB) ImportPatients(ctx context.Context, in PatientImport) (written, known int, err error) {
	err = db.Change(ctx, func(tx *Tx) error {
		written, known = 0, in.Known
		setting, err := tx.setting()
		if err != nil {
			return err
		}
		format := hospital.NumberFormat(setting.HNFormat)
		tx.passHNs(format, in.HNs)
		batch := make([]hospital.PatientFields, 0, importBatch)
		flush := func() error {
			n, err := tx.importBatch(format, batch)
			if err != nil {
				return err
			}
			written, known, batch = written+n, known+len(batch)-n, batch[:0]
			if in.Progress != nil {
				in.Progress(written)
			}
			return nil
		}
		for p, err := range in.Rows {
			if err != nil {
				return err
			}
			if err := p.Validate(db.Today()); err != nil {
				return err
			}
			if batch = append(batch, p); len(batch) == importBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{
			Action: "patient.import", Entity: "patient", Subject: in.File,
			Changes: map[string]hospital.Change{
				"new": {After: written}, "known": {After: known}, "wrong": {After: in.Wrong},
			},
		})
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return written, known, nil
}

// importBatch writes the records that are not known and returns how many.
func (tx *Tx) importBatch(format hospital.NumberFormat, batch []hospital.PatientFields) (int, error) {
	if len(batch) == 0 {
		return 0, nil
	}
	standings, err := tx.standingsOf(batch)
	if err != nil {
		return 0, fmt.Errorf("look up patients: %w", err)
	}
	var fresh []hospital.PatientFields
	without := 0
	for i, p := range batch {
		switch standings[i] {
		case StandingNew:
			fresh = append(fresh, p)
			if p.HN == "" {
				without++
			}
		case StandingKnown:
		default: // it was new when the file was checked
			return 0, hospital.Reject(hospital.Duplicate).On("hn", "HN นี้ถูกใช้แล้ว", "This HN was given before.")
		}
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	hns, err := tx.nextHNs(format, without)
	if err != nil {
		return 0, err
	}
	for i := range fresh {
		if fresh[i].HN == "" {
			fresh[i].HN, hns = hns[0], hns[1:]
		}
	}
	return len(fresh), tx.insertPatients(fresh)
}

// insertPatients writes records and their search texts.
func (tx *Tx) insertPatients(list []hospital.PatientFields) error {
	docs := make(map[string]string, len(list))
	var inserted []sqldb.Rows
	for batch := range slices.Chunk(list, insertBatch) {
		var args []any
		for _, p := range batch {
			args = append(append(args, ms(tx.now), ms(tx.now)), PatientValues(p)...)
			docs[hospital.HNKey(p.HN)] = SearchText(p)
		}
		values := tx.db.dialect.placeholders(len(batch), len(args)/len(batch))
		inserted = append(inserted, tx.All(importPatientsSQL+values+` RETURNING id, hn_key`, args...))
	}
	tx.patients += len(list)
	var args []any
	for _, rows := range inserted {
		err := rows.Each(func(scan sqldb.Scan) error {
			var id int64
			var hnKey string
			err := scan(&id, &hnKey)
			args = append(args, id, docs[hnKey])
			return err
		})
		if err != nil {
			return fmt.Errorf("insert patients: %w", err)
		}
	}
	tx.Exec(`INSERT INTO patient_search (rowid, doc) VALUES `+tx.db.dialect.placeholders(len(list), 2), args...)
	return nil
}

var importPatientsSQL = `INSERT INTO patients (created_at, updated_at, ` +
	strings.Join(PatientColumns, ", ") + `) VALUES `

// nextHNs returns the next n hospital numbers that are free.
func (tx *Tx) nextHNs(format hospital.NumberFormat, n int) (hns []string, err error) {
	series := "hn " + format.Series(tx.now)
	for len(hns) < n {
		missing := int64(n - len(hns))
		var last int64
		err := tx.Get(`INSERT INTO counters (series, value) VALUES ($1, $2)
			ON CONFLICT (series) DO UPDATE SET value = counters.value + $2 RETURNING value`, series, missing).
			Scan(&last)
		if err != nil {
			return nil, fmt.Errorf("next HNs: %w", err)
		}
		var keys []any
		for i := last - missing + 1; i <= last; i++ {
			keys = append(keys, hospital.HNKey(format.Format(tx.now, i)))
		}
		taken, err := sqldb.Column[string](tx.All(`SELECT hn_key FROM patients
			WHERE hn_key IN (`+tx.db.dialect.placeholders(len(keys), 1)+`)`, keys...))
		if err != nil {
			return nil, fmt.Errorf("find free HNs: %w", err)
		}
		for i := last - missing + 1; i <= last; i++ {
			if hn := format.Format(tx.now, i); !slices.Contains(taken, hospital.HNKey(hn)) {
				hns = append(hns, hn)
			}
		}
	}
	return hns, nil
}

// passHNs sets the counter to the highest of the numbers that have its format. Otherwise new patients
// would get numbers from the gaps, which may belong to patients who are not in the file.
func (tx *Tx) passHNs(format hospital.NumberFormat, keys iter.Seq[string]) {
	if keys == nil {
		return
	}
	before, after, _ := strings.Cut(format.Series(tx.now), "#")
	before, after = hospital.HNKey(before), hospital.HNKey(after)
	width, highest := len(format.Format(tx.now, 1)), int64(0)
	for key := range keys {
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(key, before), after), 10, 64)
		if err != nil || n <= highest {
			continue
		}
		if hn := format.Format(tx.now, n); len(hn) == width && hospital.HNKey(hn) == key {
			highest = n
		}
	}
	if highest > 0 {
		tx.Exec(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series)
			DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`,
			"hn "+format.Series(tx.now), highest)
	}
}
