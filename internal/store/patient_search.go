package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// minFragment is the shortest fragment the trigram index can find; shorter ones are searched at the
// beginning of names and numbers only.
const minFragment = 3

// queryWords returns the words of a search text as they are searched: names by their key, numbers
// without dashes. Wild cards are removed with the punctuation.
func queryWords(q string) []string {
	if digits := numberOf(q); digits != "" {
		return []string{digits}
	}
	return strings.Fields(hospital.SearchKey(q))
}

// numberOf returns the digits of a number written with dashes, spaces or dots; empty for any other
// text.
func numberOf(q string) string {
	q = strings.TrimSpace(hospital.ArabicDigits(q))
	if q == "" || strings.Trim(q, "0123456789-/. ") != "" {
		return ""
	}
	return hospital.DigitsOf(q)
}

// looksLikeHN reports whether a text can be a hospital number or a passport: one word of ASCII letters
// and digits.
func looksLikeHN(q string) bool {
	q = strings.TrimSpace(hospital.ArabicDigits(q))
	other := func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) }
	return hospital.HNKey(q) != "" && !strings.ContainsFunc(q, other)
}

// PatientIDsByNumber returns the patients who have a number as their HN, or else as their ID card or
// passport, in the order of their ids, 20 at most. Deleted ones are returned only if there are no others.
func (tx *Tx) PatientIDsByNumber(number string) ([]int64, error) {
	type condition struct{ where, value string }
	conditions := []condition{{`p.hn_key = $1`, hospital.HNKey(number)}}
	if digits := numberOf(number); len(digits) == 13 {
		conditions = append(conditions, condition{`p.id_card <> '' AND p.id_card = $1`, digits})
	} else if looksLikeHN(number) {
		conditions = append(conditions, condition{`p.passport_no <> '' AND p.passport_no = $1`, strings.ToUpper(number)})
	}
	for _, c := range conditions {
		if c.value == "" {
			continue
		}
		// Only records that are not deleted are in the indexes.
		for _, state := range []string{notDeleted, ` AND p.deleted_at IS NOT NULL`} {
			ids, err := sqldb.Column[int64](tx.All(
				`SELECT p.id FROM patients p WHERE `+c.where+state+` ORDER BY p.id LIMIT 20`, c.value))
			if err != nil || len(ids) > 0 {
				return ids, err
			}
		}
	}
	return nil, nil
}

// maxOwners bounds the patients who have a number: a phone number of more patients identifies none of them.
const maxOwners = 20

var ownersSQL = func() string {
	ways := []string{`SELECT id FROM patients WHERE hn_key = $1 AND deleted_at IS NULL`}
	for _, column := range []string{"phone", "phone2", "passport_no"} {
		ways = append(ways, fmt.Sprintf(
			`SELECT id FROM patients WHERE %[1]s <> '' AND %[1]s = $2 AND deleted_at IS NULL`, column))
	}
	ways = append(ways, `SELECT id FROM patients WHERE id_card <> '' AND id_card = $3 AND deleted_at IS NULL`)
	return fmt.Sprintf(`%s ORDER BY id LIMIT %d`, strings.Join(ways, " UNION "), maxOwners)
}()

// owners returns the patients who have the whole search text as a number of their own: HN with or
// without zeros and dashes, ID card, phone or passport, each by its index. In the default order of
// a list they come first: a user who types an HN wants that patient, not all patients whose phone
// contains these digits. card is the result of cardPrefix.
func (tx *Tx) owners(q, card string) ([]int64, error) {
	whole := numberOf(q)
	if whole == "" {
		if !looksLikeHN(q) || hospital.DigitsOf(q) == "" {
			return nil, nil
		}
		whole = strings.ToUpper(strings.TrimSpace(hospital.ArabicDigits(q)))
	}
	return sqldb.Column[int64](tx.All(ownersSQL, hospital.HNKey(q), whole, card))
}

// cardPrefix returns the digits of a search text that a caller with these permissions may compare
// with ID cards, see hospital.CardDigits. A phone number is not searched as the beginning of an ID
// card.
func cardPrefix(q string, held hospital.PermissionSet) string {
	number := numberOf(q)
	if hospital.IsPhone(number) {
		return ""
	}
	return hospital.CardDigits(number, held)
}

// searchTerms are the parts of a search text: the text itself, its words, the digits to compare with ID
// cards, and the patients who have the whole text as a number of their own.
type searchTerms struct {
	text   string
	words  []string
	card   string
	owners []int64
}

// readSearch runs fn in a read-only transaction with the terms of a search text, in the first of its
// meanings that finds something. The entries, and one for a search by ID card, are added to the audit
// log before.
func (db *DB) readSearch(
	ctx context.Context, q string, fn func(*Tx, searchTerms) error, entries ...hospital.AuditEntry,
) error {
	texts, held := hospital.SearchTexts(q), hospital.ActorFrom(ctx).Permissions
	if i := slices.IndexFunc(texts, func(text string) bool { return cardPrefix(text, held) != "" }); i >= 0 {
		entries = append([]hospital.AuditEntry{cardSearch(cardPrefix(texts[i], held))}, entries...)
	}
	if len(entries) > 0 {
		if err := db.Note(ctx, entries...); err != nil {
			return err
		}
	}
	return db.Read(ctx, func(tx *Tx) error {
		terms, err := tx.searchTerms(texts)
		if err != nil {
			return err
		}
		return fn(tx, terms)
	})
}

// searchTerms returns the terms of the first text that finds a patient or an appointment, or else of the
// first text.
func (tx *Tx) searchTerms(texts []string) (first searchTerms, err error) {
	for i, text := range texts {
		terms := searchTerms{text: text, words: queryWords(text), card: cardPrefix(text, tx.actor.Permissions)}
		if terms.owners, err = tx.owners(text, terms.card); err != nil {
			return first, err
		}
		if i == 0 {
			first = terms
		}
		found := len(texts) == 1 || len(terms.owners) > 0
		if !found {
			if found, err = tx.finds(terms); err != nil {
				return first, err
			}
		}
		if found {
			return terms, nil
		}
	}
	return first, nil
}

// finds reports whether a patient contains all words, or whether an ID card or an appointment number
// begins with the text.
func (tx *Tx) finds(t searchTerms) (bool, error) {
	var f filter
	var ways []string
	if condition := tx.db.dialect.containsAll(&f, t.words); condition != "" {
		ways = append(ways, tx.db.dialect.fragments(condition, 1))
	}
	if t.card != "" {
		ways = append(ways, f.cards(t.card)+" LIMIT 1")
	}
	if number := numberKey(t.text); number != "" {
		ways = append(ways, fmt.Sprintf(`SELECT id FROM appointments WHERE number >= %s AND number < %s LIMIT 1`,
			f.mark(number), f.mark(after(number))))
	}
	if len(ways) == 0 {
		return false, nil
	}
	found := make([]string, len(ways))
	for i, way := range ways {
		found[i] = "EXISTS (" + way + ")"
	}
	var exists bool
	err := tx.Get("SELECT "+strings.Join(found, " OR "), f.args...).Scan(&exists)
	return exists, err
}

// containsAll returns the condition that a document of patient_search contains all words. It is empty if
// no word is long enough for the trigram index.
func (d dialect) containsAll(f *filter, words []string) string {
	long := func(word string) bool { return utf8.RuneCountInString(word) >= minFragment }
	if !slices.ContainsFunc(words, long) {
		return ""
	}
	conditions := make([]string, len(words))
	for i, word := range words {
		conditions[i] = "doc LIKE " + d.likePrefix + f.mark("%"+word+"%")
	}
	return strings.Join(conditions, " AND ")
}

// SearchPatients finds patients by a part of their name in Thai or English, first and last name
// together, HN with or without zeros, phone or passport, and ID card as far as hospital.CardDigits
// allows, in the first meaning of the text that finds a patient, see hospital.SearchTexts. Exact numbers
// come first, then numbers and names that begin with the text, then those that contain it. Each query
// ends at the limit. A search by ID card is recorded in the audit log.
func (db *DB) SearchPatients(ctx context.Context, q string, limit int) (list []hospital.Patient, err error) {
	err = db.searchText(ctx, q, func(tx *Tx) (err error) {
		list, err = tx.searchPatients(q, limit)
		return err
	})
	return list, err
}

// searchText runs fn, which calls tx.searchPatients with q, in db.search, or in db.readNoted if the
// search may add an entry to the audit log.
func (db *DB) searchText(ctx context.Context, q string, fn func(*Tx) error) error {
	held := hospital.ActorFrom(ctx).Permissions
	if !slices.ContainsFunc(hospital.SearchTexts(q), func(text string) bool { return cardPrefix(text, held) != "" }) {
		return db.search(ctx, fn)
	}
	return db.readNoted(ctx, func(tx *Tx) error {
		tx.genericPlans()
		return fn(tx)
	})
}

// searchPatients is SearchPatients in a transaction of searchText.
func (tx *Tx) searchPatients(q string, limit int) ([]hospital.Patient, error) {
	for _, text := range hospital.SearchTexts(q) {
		s := patientSearch{tx: tx, limit: limit, seen: map[int64]bool{}, list: []hospital.Patient{}}
		if s.run(text); s.err != nil || len(s.list) > 0 {
			return s.list, s.err
		}
	}
	return []hospital.Patient{}, nil
}

// run searches for one text.
func (s *patientSearch) run(q string) {
	words := queryWords(q)
	if len(words) == 0 {
		return
	}
	card := cardPrefix(q, s.tx.actor.Permissions)
	if card != "" {
		s.tx.NoteEntry(cardSearch(card))
	}
	s.numbers(q, card)
	number := numberOf(q)
	named := false
	if number == "" {
		named = s.names(words)
		s.beginnings(words)
	}
	// If a whole number or name was found, its fragments are not searched: very many records
	// contain them.
	if !named && (len(number) < wholeNumber || len(s.list) == 0) {
		s.fragments(words)
	}
}

// wholeNumber is the shortest length of a complete number.
const wholeNumber = 8

// patientSearch collects records step by step, each once.
type patientSearch struct {
	tx    *Tx
	limit int
	list  []hospital.Patient
	seen  map[int64]bool
	err   error
}

// way is one way to find records: a condition, and the column of an index in whose order they come.
type way struct{ where, by string }

// steps adds the records that the ways find, in the order of the ways, up to the limit. They are one
// statement with the same arguments; each reads its index up to the limit.
func (s *patientSearch) steps(ways []way, args ...any) {
	parts := make([]string, len(ways))
	for i, w := range ways {
		parts[i] = fmt.Sprintf(`SELECT id, place FROM (SELECT p.id, '%c' || %[2]s AS place FROM patients p
			WHERE %[3]s%[4]s ORDER BY %[2]s LIMIT %[5]d) way`, 'a'+i, w.by, w.where, notDeleted, s.limit)
	}
	s.add(fmt.Sprintf(`JOIN (SELECT id, min(place) AS place FROM (%s) ways
			GROUP BY id ORDER BY min(place), id LIMIT %d) found ON found.id = p.id
		ORDER BY found.place, p.id`, strings.Join(parts, " UNION ALL "), s.limit), args...)
}

// add adds the records that a query finds, each once, up to the limit.
func (s *patientSearch) add(rest string, args ...any) {
	if s.err != nil || len(s.list) >= s.limit {
		return
	}
	list, err := s.tx.patientsWhere(rest, args...)
	s.err = err
	for _, p := range list {
		if len(s.list) < s.limit && !s.seen[p.ID] {
			s.seen[p.ID] = true
			s.list = append(s.list, p)
		}
	}
}

const notDeleted = " AND p.deleted_at IS NULL"

// numbers finds the number itself, then numbers that begin with it: indexes
// patients_hn, patients_id_card, patients_phone, patients_phone2,
// patients_passport. card is the result of cardPrefix.
func (s *patientSearch) numbers(q, card string) {
	hn := hospital.HNKey(q)
	digits := numberOf(q)
	if digits == "" && !looksLikeHN(q) {
		return
	}
	itself := way{`p.hn_key = $1`, `p.hn_key`}
	switch {
	case digits == "":
		s.steps([]way{itself, {`p.passport_no <> '' AND p.passport_no = $1`, `p.passport_no`}}, hn)
		return
	case len(digits) == 13:
		s.steps([]way{itself, {`p.id_card <> '' AND p.id_card = $2`, `p.id_card`}}, hn, digits)
		return
	}
	ways := []way{
		itself, {`p.phone <> '' AND p.phone = $2`, `p.phone`}, {`p.phone2 <> '' AND p.phone2 = $2`, `p.phone2`},
	}
	if len(digits) < 2 {
		s.steps(ways, hn, digits)
		return
	}
	ways = append(ways, way{`p.hn_key >= $1 AND p.hn_key < $3`, `p.hn_key`},
		way{`p.phone <> '' AND p.phone >= $2 AND p.phone < $4`, `p.phone`})
	if card != "" {
		ways = append(ways, way{`p.id_card <> '' AND p.id_card >= $2 AND p.id_card < $4`, `p.id_card`})
	}
	s.steps(ways, hn, digits, after(hn), after(digits))
}

// names finds whole names: a first name with the beginning of the family name, or a family name with
// the beginning of the first. It reports whether there are any. Indexes patients_first,
// patients_last and the English ones.
func (s *patientSearch) names(words []string) bool {
	if len(words) < 2 {
		return false
	}
	before := len(s.list)
	var ways []way
	for _, lang := range []string{"", "_en"} {
		for _, c := range [][2]string{{"first_search", "last_search"}, {"last_search", "first_search"}} {
			where := fmt.Sprintf(`p.%[1]s = $1 AND p.%[2]s >= $2 AND p.%[2]s < $3`, c[0]+lang, c[1]+lang)
			ways = append(ways, way{where + notEmpty(c[0], lang), "p." + c[1] + lang})
		}
	}
	last := strings.Join(words[1:], " ")
	s.steps(ways, words[0], last, after(last))
	return len(s.list) > before
}

// beginnings finds names that begin with the text: indexes patients_first, patients_last and the
// English ones.
func (s *patientSearch) beginnings(words []string) {
	first := words[0]
	var ways []way
	if len(words) > 1 {
		last := strings.Join(words[1:], " ")
		for _, lang := range []string{"", "_en"} {
			where := fmt.Sprintf(`p.first_search%[1]s >= $1 AND p.first_search%[1]s < $2
				AND p.last_search%[1]s >= $3 AND p.last_search%[1]s < $4`, lang)
			ways = append(ways, way{where + notEmpty("first_search", lang), "p.first_search" + lang})
		}
		s.steps(ways, first, after(first), last, after(last))
		return
	}
	for _, lang := range []string{"", "_en"} {
		for _, c := range []string{"first_search", "last_search"} {
			where := fmt.Sprintf(`p.%[1]s >= $1 AND p.%[1]s < $2`, c+lang)
			ways = append(ways, way{where + notEmpty(c, lang), "p." + c + lang})
		}
	}
	s.steps(ways, first, after(first))
}

// notEmpty returns the condition of the partial English indexes.
func notEmpty(column, lang string) string {
	if lang == "" {
		return ""
	}
	return " AND p." + column + lang + " <> ''"
}

// fragments finds records that contain every word anywhere: the trigram index.
func (s *patientSearch) fragments(words []string) {
	var f filter
	condition := s.tx.db.dialect.containsAll(&f, words)
	if condition == "" {
		return
	}
	// The limit inside: of very many matches only as many are read as can be returned, including
	// those that were found before.
	most := s.limit + len(s.list)
	ids := s.tx.db.dialect.fragments(condition, most)
	s.add(fmt.Sprintf(`WHERE p.id IN (%s)%s LIMIT %d`, ids, notDeleted, most), f.args...)
}

// fragments returns a query for at most so many patients that meet a condition. PostgreSQL's
// trigram index finds all matches before it returns the first one, and a fragment of a common name
// has very many. If the first few hundred patients show that a fragment is common, the matches are
// taken from the first few thousand patients instead of the index.
func (d dialect) fragments(condition string, most int) string {
	found := fmt.Sprintf(`SELECT rowid FROM patient_search WHERE %s LIMIT %d`, condition, most)
	if !d.findsAllMatches {
		return found
	}
	// Common: at least two of the first five hundred, and by that share more than five thousand
	// of all.
	const sample, usual, many, readOn = 500, 2, 5000, 6000
	first := func(n int) string {
		return fmt.Sprintf(`(SELECT rowid, doc FROM patient_search ORDER BY rowid LIMIT %d) AS firsts`, n)
	}
	return fmt.Sprintf(`WITH sample AS MATERIALIZED (SELECT count(*) AS n FROM %[1]s WHERE %[2]s),
		common AS MATERIALIZED (SELECT rowid FROM %[3]s
			WHERE %[2]s AND (SELECT s.n >= %[4]d AND s.n * t.n > %[5]d FROM sample s, patient_total t) LIMIT %[6]d)
		SELECT rowid FROM common
		UNION ALL SELECT rowid FROM (%[7]s) AS rare WHERE (SELECT count(*) FROM common) < %[6]d`,
		first(sample), condition, first(readOn), usual, many*sample, most, found)
}

// after returns the first text after all that begin with prefix, in byte order.
func after(prefix string) string { return prefix + "\U0010FFFF" }
