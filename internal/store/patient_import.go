package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
)

// importBatch is how many records are looked for and written at a time. A
// statement of SQLite has at most 32,766 arguments.
const importBatch = 250

// Standing is what the database says to a record that is to be imported.
type Standing int

// NEW is not there yet; KNOWN is there already; the others cannot be: the HN
// belongs to somebody else, or belonged to somebody who was deleted.
const (
	StandingNew Standing = iota
	StandingKnown
	StandingOtherPerson
	StandingDeleted
)

// PatientImport is a file that is to be written.
type PatientImport struct {
	File string // base name
	// Rows are the records to write, clean and correct, none twice. They may be
	// asked for again, from the beginning, when the transaction has to be.
	Rows iter.Seq2[hospital.PatientFields, error]
	// HNs are the numbers in the file, as HNKey writes them: numbers that are
	// given from now on begin after them.
	HNs iter.Seq[string]
	// Known and Wrong count the rows that are left out, for the audit log.
	Known, Wrong int
	Progress     func(written int) // may be nil
}

// PatientStandings tells how the database stands to each record. The fields
// are expected clean. A record is known by its HN or its ID card, and one that
// has neither by its name and birth date.
func (db *DB) PatientStandings(ctx context.Context, list []hospital.PatientFields) ([]Standing, error) {
	standings := make([]Standing, 0, len(list))
	for start := 0; start < len(list); start += importBatch {
		part, err := db.standingsOf(ctx, db.read, list[start:min(start+importBatch, len(list))])
		if err != nil {
			return nil, mapError(err)
		}
		standings = append(standings, part...)
	}
	return standings, nil
}

// sameness is what of a record decides whether it is somebody's.
type sameness struct {
	id                 int64
	hnKey, idCard      string
	first, last, birth string
	deleted            bool
	hasNumber          bool // an HN or an ID card
}

func samenessOf(p hospital.PatientFields) sameness {
	return sameness{
		hnKey: hospital.HNKey(p.HN), idCard: string(p.IDCard), hasNumber: p.HN != "" || p.IDCard != "",
		first: hospital.SearchKey(p.FirstName), last: hospital.SearchKey(p.LastName), birth: p.BirthDate,
	}
}

// agrees tells whether two records with the same HN can be one person's: by the
// ID card where both have one, else by the name or the birth date (either may
// have been corrected since).
func (s sameness) agrees(o sameness) bool {
	if s.idCard != "" && o.idCard != "" {
		return s.idCard == o.idCard
	}
	return s.birth == o.birth || s.first == o.first && s.last == o.last
}

// standingsOf looks for at most importBatch records.
func (db *DB) standingsOf(ctx context.Context, q querier, list []hospital.PatientFields) ([]Standing, error) {
	d := db.dialect
	wanted := make([]sameness, len(list))
	var hns, cards, names []any
	for i, p := range list {
		w := samenessOf(p)
		wanted[i] = w
		if p.HN != "" {
			hns = append(hns, w.hnKey)
		}
		if w.idCard != "" {
			cards = append(cards, w.idCard)
		}
		if !w.hasNumber {
			names = append(names, w.first, w.last, w.birth)
		}
	}
	byHN, byCard, byName := map[string]sameness{}, map[string]sameness{}, map[[3]string]bool{}
	// Indexes patients_hn, patients_id_card, patients_first.
	err := errors.Join(
		d.eachSame(ctx, q, `p.hn_key = v.column1`, 1, hns, func(s sameness) { byHN[s.hnKey] = s }),
		d.eachSame(ctx, q, `p.id_card <> '' AND p.id_card = v.column1`+living, 1, cards, func(s sameness) { byCard[s.idCard] = s }),
		d.eachSame(ctx, q, `p.first_search = v.column1 AND p.last_search = v.column2 AND p.birth_date = v.column3`+living, 3, names,
			func(s sameness) { byName[[3]string{s.first, s.last, s.birth}] = true }),
	)
	if err != nil {
		return nil, err
	}
	erased, err := db.erasedHNs(ctx, q, hns)
	if err != nil {
		return nil, err
	}
	standings := make([]Standing, len(list))
	for i, w := range wanted {
		holder, hnTaken := byHN[w.hnKey]
		owner, cardTaken := byCard[w.idCard]
		switch {
		case list[i].HN != "" && (hnTaken && holder.deleted || erased[w.hnKey]):
			standings[i] = StandingDeleted
		case list[i].HN != "" && hnTaken && (!holder.agrees(w) || cardTaken && w.idCard != "" && owner.id != holder.id):
			standings[i] = StandingOtherPerson
		case list[i].HN != "" && hnTaken, w.idCard != "" && cardTaken, !w.hasNumber && byName[[3]string{w.first, w.last, w.birth}]:
			standings[i] = StandingKnown
		}
	}
	return standings, nil
}

// eachSame calls fn for a record that meets the condition with v, for every v
// of the values, width of them at a time. Each is looked for by itself: in a
// table that is just being filled PostgreSQL knows too little to join well, and
// would read all of it for every batch.
func (d dialect) eachSame(ctx context.Context, q querier, condition string, width int, values []any, fn func(sameness)) error {
	if len(values) == 0 {
		return nil
	}
	rows, err := q.QueryContext(ctx, `SELECT (SELECT p.id FROM patients p WHERE `+condition+` LIMIT 1) FROM (VALUES `+d.placeholders(len(values)/width, width)+`) AS v`, values...)
	found, err := scanAll(rows, err, func(id *sql.NullInt64) []any { return []any{id} })
	if err != nil {
		return err
	}
	var ids []any
	for _, id := range found {
		if id.Valid {
			ids = append(ids, id.Int64)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err = q.QueryContext(ctx, `SELECT p.id, p.hn_key, p.id_card, p.first_search, p.last_search, p.birth_date, p.deleted_at IS NOT NULL
		FROM patients p WHERE p.id IN (`+d.placeholders(len(ids), 1)+`)`, ids...)
	list, err := scanAll(rows, err, func(s *sameness) []any {
		return []any{&s.id, &s.hnKey, &s.idCard, &s.first, &s.last, &s.birth, &s.deleted}
	})
	for _, s := range list {
		fn(s)
	}
	return err
}

// placeholders writes "($1, $2), ($3, $4), …". To SQLite $1 is a name, which it
// looks for among all the others each time; of many it wants a plain ?, each
// used once, in order.
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

// ImportPatients writes every record of the file, or none: one transaction, one
// entry in the audit log. Records that came to be known since they were looked
// for are left out and counted. It returns how many were written and how many
// were known. Refused: a record that is wrong (VALIDATION_FAILED), and one that
// somebody else registers at this very moment (DUPLICATE).
func (db *DB) ImportPatients(ctx context.Context, in PatientImport) (written, known int, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return 0, 0, err
	}
	err = db.change(ctx, func(tx *Tx) error {
		written, known = 0, in.Known
		format := hospital.NumberFormat(setting.HNFormat)
		if err := tx.passHNs(format, in.HNs); err != nil {
			return err
		}
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
		tx.noteEntry(hospital.AuditEntry{Action: "patient.import", Entity: "patient", Subject: in.File, Changes: map[string]hospital.Change{
			"new": {After: written}, "known": {After: known}, "wrong": {After: in.Wrong},
		}})
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
	standings, err := tx.db.standingsOf(tx.ctx, tx.tx, batch)
	if err != nil {
		return 0, fmt.Errorf("look for patients: %w", err)
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
		default: // looked for before, so it changed since
			return 0, hospital.Refuse(hospital.Duplicate).On("hn", "HN นี้ถูกใช้แล้ว", "This HN was given before.")
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

// insertPatients writes records and what is searched in them, each with one
// statement.
func (tx *Tx) insertPatients(list []hospital.PatientFields) error {
	var args []any
	docs := make(map[string]string, len(list))
	for _, p := range list {
		args = append(args, ms(tx.now), ms(tx.now))
		for _, c := range patientColumns(p) {
			args = append(args, c.value)
		}
		for _, c := range patientKeys(p) {
			args = append(args, c.value)
		}
		docs[hospital.HNKey(p.HN)] = searchDoc(p)
	}
	tx.patients += len(list)
	rows, err := tx.query(importPatientsSQL+tx.db.dialect.placeholders(len(list), len(args)/len(list))+` RETURNING id, hn_key`, args...)
	type written struct {
		id    int64
		hnKey string
	}
	ids, err := scanAll(rows, err, func(w *written) []any { return []any{&w.id, &w.hnKey} })
	if err != nil {
		return fmt.Errorf("insert patients: %w", err)
	}
	args = args[:0]
	for _, w := range ids {
		args = append(args, w.id, docs[w.hnKey])
	}
	if _, err := tx.exec(`INSERT INTO patient_search (rowid, doc) VALUES `+tx.db.dialect.placeholders(len(ids), 2), args...); err != nil {
		return fmt.Errorf("index patients: %w", err)
	}
	return nil
}

var importPatientsSQL = func() string {
	names := []string{"created_at", "updated_at"}
	for _, c := range append(patientColumns(hospital.PatientFields{}), patientKeys(hospital.PatientFields{})...) {
		names = append(names, c.name)
	}
	return `INSERT INTO patients (` + strings.Join(names, ", ") + `) VALUES `
}()

// nextHNs gives the next n hospital numbers that nobody has.
func (tx *Tx) nextHNs(format hospital.NumberFormat, n int) (hns []string, err error) {
	series := "hn " + format.Series(tx.now)
	for len(hns) < n {
		missing := int64(n - len(hns))
		var last int64
		err := tx.queryRow(`INSERT INTO counters (series, value) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET value = counters.value + $2 RETURNING value`, series, missing).Scan(&last)
		if err != nil {
			return nil, fmt.Errorf("next HNs: %w", err)
		}
		var keys []any
		for i := last - missing + 1; i <= last; i++ {
			keys = append(keys, hospital.HNKey(format.Format(tx.now, i)))
		}
		rows, err := tx.query(`SELECT hn_key FROM patients WHERE hn_key IN (`+tx.db.dialect.placeholders(len(keys), 1)+`)`, keys...)
		found, err := scanAll(rows, err, func(key *string) []any { return []any{key} })
		if err != nil {
			return nil, fmt.Errorf("look for HNs: %w", err)
		}
		taken := map[string]bool{}
		for _, key := range found {
			taken[key] = true
		}
		for i := last - missing + 1; i <= last; i++ {
			if hn := format.Format(tx.now, i); !taken[hospital.HNKey(hn)] {
				hns = append(hns, hn)
			}
		}
	}
	return hns, nil
}

// passHNs moves the counter behind the highest of the numbers that look as if
// it had given them. Otherwise it would give numbers out of the gaps, which
// belonged to people who are not in the file, and stumble over the others one
// by one.
func (tx *Tx) passHNs(format hospital.NumberFormat, keys iter.Seq[string]) error {
	if keys == nil {
		return nil
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
	if highest == 0 {
		return nil
	}
	_, err := tx.exec(`INSERT INTO counters (series, value) VALUES ($1, $2)
		ON CONFLICT (series) DO UPDATE SET value = CASE WHEN counters.value < $2 THEN $2 ELSE counters.value END`, "hn "+format.Series(tx.now), highest)
	if err != nil {
		return fmt.Errorf("pass HNs: %w", err)
	}
	return nil
}
