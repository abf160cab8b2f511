package store

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"nadmor/internal/hospital"
)

// minFragment is the shortest fragment the trigram index can find; shorter ones
// are looked for at the beginning of names and numbers only.
const minFragment = 3

// queryWords are the words of what somebody typed, as they are searched: names
// by their key, numbers without dashes. Wild cards are gone with the
// punctuation.
func queryWords(q string) []string {
	if digits := numberOf(q); digits != "" {
		return []string{digits}
	}
	return strings.Fields(hospital.SearchKey(q))
}

// numberOf returns the digits of something that is only a number written with
// dashes, spaces or dots; empty for anything else.
func numberOf(q string) string {
	q = strings.TrimSpace(hospital.ArabicDigits(q))
	if q == "" || strings.Trim(q, "0123456789-/. ") != "" {
		return ""
	}
	return hospital.DigitsOf(q)
}

// looksLikeHN tells whether something can be a hospital number or a passport:
// one word of letters and digits as such numbers have them. A Thai letter makes
// it a name, whatever stands beside it.
func looksLikeHN(q string) bool {
	q = strings.TrimSpace(hospital.ArabicDigits(q))
	return hospital.HNKey(q) != "" && !strings.ContainsFunc(q, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) })
}

// mostOwners bounds those who have a number: a phone that more people have is
// nobody's own.
const mostOwners = 20

var ownersSQL = func() string {
	ways := []string{`SELECT id FROM patients WHERE hn_key = $1 AND deleted_at IS NULL`}
	for _, column := range []string{"phone", "phone2", "passport_no"} {
		ways = append(ways, fmt.Sprintf(`SELECT id FROM patients WHERE %[1]s <> '' AND %[1]s = $2 AND deleted_at IS NULL`, column))
	}
	ways = append(ways, `SELECT id FROM patients WHERE id_card <> '' AND id_card = $3 AND deleted_at IS NULL`)
	return fmt.Sprintf(`%s ORDER BY id LIMIT %d`, strings.Join(ways, " UNION "), mostOwners)
}()

// owners are the patients who have what was typed as a number of their own, whole:
// HN with or without zeros and dashes, ID card, phone or passport, each by its
// index. In the own order of a list they stand first: who types an HN wants that
// patient, not all patients whose phone contains these digits. card is the result
// of cardPrefix.
func (db *DB) owners(ctx context.Context, q, card string) ([]int64, error) {
	whole := numberOf(q)
	if whole == "" {
		if !looksLikeHN(q) || hospital.DigitsOf(q) == "" {
			return nil, nil
		}
		whole = strings.ToUpper(strings.TrimSpace(hospital.ArabicDigits(q)))
	}
	rows, err := db.read.QueryContext(ctx, ownersSQL, hospital.HNKey(q), whole, card)
	return scanAll(rows, err, func(id *int64) []any { return []any{id} })
}

// cardDigits returns the digits that this caller may compare with ID cards (see
// hospital.CardDigits), and records the search in the audit log before it is made. The log
// contains the number of digits only, because the digits may be those of a patient.
func (db *DB) cardDigits(ctx context.Context, number string) (string, error) {
	digits := hospital.CardDigits(number, hospital.ActorFrom(ctx).Permissions)
	if digits == "" {
		return "", nil
	}
	return digits, db.Note(ctx, hospital.AuditEntry{
		Action: "patient.search-id-card", Entity: "patient",
		Changes: map[string]hospital.Change{"digits": {After: len(digits)}},
	})
}

// cardPrefix returns the cardDigits of a search text. A phone number is not searched as the
// beginning of an ID card.
func (db *DB) cardPrefix(ctx context.Context, q string) (string, error) {
	number := numberOf(q)
	if hospital.IsPhone(number) {
		return "", nil
	}
	return db.cardDigits(ctx, number)
}

// searchTerms are the parts of a search text: its words, the digits to compare with ID cards,
// and the patients who have the whole text as a number of their own.
type searchTerms struct {
	words  []string
	card   string
	owners []int64
}

func (db *DB) searchTerms(ctx context.Context, q string) (t searchTerms, err error) {
	t.words = queryWords(q)
	if t.card, err = db.cardPrefix(ctx, q); err == nil {
		t.owners, err = db.owners(ctx, q, t.card)
	}
	return t, mapError(err)
}

// SearchPatients finds what a clerk types into one box: part of a name in Thai
// or English, first and last name together, HN with or without zeros, phone or
// passport, and ID card as far as cardDigits allows. Best match first: the number itself,
// then what begins with it, then what contains it. It hardly reads more than it returns:
// each query ends at the limit.
func (db *DB) SearchPatients(ctx context.Context, q string, limit int) ([]hospital.Patient, error) {
	list, err := db.searchPatients(ctx, db.search, q, limit)
	if err == nil && len(list) == 0 {
		// "นายสมชาย": the prename is not part of the name.
		if _, rest, _ := hospital.SplitPrename(q); rest != hospital.CleanText(q) {
			list, err = db.searchPatients(ctx, db.search, rest, limit)
		}
	}
	return list, mapError(err)
}

func (db *DB) searchPatients(ctx context.Context, read querier, q string, limit int) ([]hospital.Patient, error) {
	words := queryWords(q)
	if len(words) == 0 {
		return []hospital.Patient{}, nil
	}
	card, err := db.cardPrefix(ctx, q)
	if err != nil {
		return nil, err
	}
	search := patientSearch{db: db, ctx: ctx, read: read, limit: limit, seen: map[int64]bool{}, list: []hospital.Patient{}}
	search.numbers(q, card)
	number := numberOf(q)
	named := false
	if number == "" {
		named = search.names(words)
		search.beginnings(words)
	}
	// A whole number or name that was found is all there is to find; pieces of
	// them are in very many records.
	if !named && (len(number) < wholeNumber || len(search.list) == 0) {
		search.fragments(words)
	}
	return search.list, search.err
}

// wholeNumber is the length from which a number is one, and not a part of one.
const wholeNumber = 8

// patientSearch collects records step by step, each once.
type patientSearch struct {
	db    *DB
	ctx   context.Context
	read  querier
	limit int
	list  []hospital.Patient
	seen  map[int64]bool
	err   error
}

func (s *patientSearch) room() int { return s.limit - len(s.list) }

// way is one way to find records: a condition, and the column whose order they
// come in, which an index has.
type way struct{ where, by string }

// steps adds what is found, the first way before the second, while there is
// room. All ways are one statement with the same arguments; each only looks into
// its index, and no further than can be shown.
func (s *patientSearch) steps(ways []way, args ...any) {
	parts := make([]string, len(ways))
	for i, w := range ways {
		parts[i] = fmt.Sprintf(`SELECT id, place FROM (SELECT p.id, '%c' || %[2]s AS place FROM patients p WHERE %[3]s%[4]s ORDER BY %[2]s LIMIT %[5]d) way`, 'a'+i, w.by, w.where, living, s.limit)
	}
	s.add(fmt.Sprintf(`JOIN (SELECT id, min(place) AS place FROM (%s) ways GROUP BY id ORDER BY min(place), id LIMIT %d) found ON found.id = p.id ORDER BY found.place, p.id`,
		strings.Join(parts, " UNION ALL "), s.limit), args...)
}

// add adds the records that a query finds, each once, while there is room.
func (s *patientSearch) add(rest string, args ...any) {
	if s.err != nil || s.room() <= 0 {
		return
	}
	list, err := s.db.patientsWhere(s.ctx, s.read, rest, args...)
	s.err = err
	for _, p := range list {
		if s.room() > 0 && !s.seen[p.ID] {
			s.seen[p.ID] = true
			s.list = append(s.list, p)
		}
	}
}

const living = " AND p.deleted_at IS NULL"

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
	ways := []way{itself, {`p.phone <> '' AND p.phone = $2`, `p.phone`}, {`p.phone2 <> '' AND p.phone2 = $2`, `p.phone2`}}
	if len(digits) < 2 {
		s.steps(ways, hn, digits)
		return
	}
	ways = append(ways, way{`p.hn_key >= $1 AND p.hn_key < $3`, `p.hn_key`}, way{`p.phone <> '' AND p.phone >= $2 AND p.phone < $4`, `p.phone`})
	if card != "" {
		ways = append(ways, way{`p.id_card <> '' AND p.id_card >= $2 AND p.id_card < $4`, `p.id_card`})
	}
	s.steps(ways, hn, digits, after(hn), after(digits))
}

// names finds whole names: a first name with the beginning of the family name,
// or a family name with the beginning of the first. It tells whether there are
// any. Indexes patients_first, patients_last and the English ones.
func (s *patientSearch) names(words []string) bool {
	if len(words) < 2 {
		return false
	}
	before := len(s.list)
	var ways []way
	for _, lang := range []string{"", "_en"} {
		for _, c := range [][2]string{{"first_search", "last_search"}, {"last_search", "first_search"}} {
			ways = append(ways, way{fmt.Sprintf(`p.%[1]s = $1 AND p.%[2]s >= $2 AND p.%[2]s < $3%[3]s`, c[0]+lang, c[1]+lang, notEmpty(c[0], lang)), "p." + c[1] + lang})
		}
	}
	last := strings.Join(words[1:], " ")
	s.steps(ways, words[0], last, after(last))
	return len(s.list) > before
}

// beginnings finds names that begin with what was typed: indexes
// patients_first, patients_last and the English ones.
func (s *patientSearch) beginnings(words []string) {
	first := words[0]
	var ways []way
	if len(words) > 1 {
		last := strings.Join(words[1:], " ")
		for _, lang := range []string{"", "_en"} {
			ways = append(ways, way{fmt.Sprintf(`p.first_search%[1]s >= $1 AND p.first_search%[1]s < $2 AND p.last_search%[1]s >= $3 AND p.last_search%[1]s < $4%[2]s`, lang, notEmpty("first_search", lang)), "p.first_search" + lang})
		}
		s.steps(ways, first, after(first), last, after(last))
		return
	}
	for _, c := range []struct{ column, lang string }{{"first_search", ""}, {"last_search", ""}, {"first_search", "_en"}, {"last_search", "_en"}} {
		ways = append(ways, way{fmt.Sprintf(`p.%[1]s >= $1 AND p.%[1]s < $2%[2]s`, c.column+c.lang, notEmpty(c.column, c.lang)), "p." + c.column + c.lang})
	}
	s.steps(ways, first, after(first))
}

// notEmpty is the condition under which the English indexes hold a row.
func notEmpty(column, lang string) string {
	if lang == "" {
		return ""
	}
	return " AND p." + column + lang + " <> ''"
}

// fragments finds what contains every word, anywhere: the trigram index.
func (s *patientSearch) fragments(words []string) {
	var conditions []string
	var args []any
	long := false
	for _, w := range words {
		long = long || utf8.RuneCountInString(w) >= minFragment
		args = append(args, "%"+w+"%")
		conditions = append(conditions, fmt.Sprintf("doc LIKE %s$%d", s.db.dialect.steady, len(args)))
	}
	if !long {
		return
	}
	// The limit inside: of very many matches only as many are looked at as can
	// be shown, those that were found before among them.
	most := s.limit + len(s.list)
	s.add(fmt.Sprintf(`WHERE p.id IN (%s)%s LIMIT %d`, s.db.dialect.fragments(strings.Join(conditions, " AND "), most), living, most), args...)
}

// fragments are some patients that meet a condition, so many at most.
// PostgreSQL's trigram index hands over all matches before the first can be
// taken, which in a large hospital are very many for a fragment of a usual name.
// Such a one shows among the first few hundred patients already, and enough of it
// stand among the first few thousand: then the index is not asked.
func (d dialect) fragments(condition string, most int) string {
	found := fmt.Sprintf(`SELECT rowid FROM patient_search WHERE %s LIMIT %d`, condition, most)
	if !d.matchesWhole {
		return found
	}
	// Two of the first five hundred, and five thousand of all as far as that tells.
	const sample, usual, many, readOn = 500, 2, 5000, 6000
	first := func(n int) string {
		return fmt.Sprintf(`(SELECT rowid, doc FROM patient_search ORDER BY rowid LIMIT %d) AS firsts`, n)
	}
	return fmt.Sprintf(`WITH sample AS MATERIALIZED (SELECT count(*) AS n FROM %[1]s WHERE %[2]s),
		common AS MATERIALIZED (SELECT rowid FROM %[3]s WHERE %[2]s AND (SELECT s.n >= %[4]d AND s.n * t.n > %[5]d FROM sample s, patient_total t) LIMIT %[6]d)
		SELECT rowid FROM common UNION ALL SELECT rowid FROM (%[7]s) AS rare WHERE (SELECT count(*) FROM common) < %[6]d`,
		first(sample), condition, first(readOn), usual, many*sample, most, found)
}

// after is the first text behind all that begin with prefix, in byte order.
func after(prefix string) string { return prefix + "\U0010FFFF" }

// PatientsByIDCard returns the patient with an ID card or, for a caller with PATIENT.VIEW_CID,
// those whose card begins with at least four digits: index patients_id_card.
func (db *DB) PatientsByIDCard(ctx context.Context, number string) ([]hospital.Patient, error) {
	digits, err := db.cardDigits(ctx, number)
	if err != nil || digits == "" {
		return []hospital.Patient{}, err
	}
	const where = `WHERE p.id_card <> '' AND p.id_card >= $1 AND p.id_card < $2` + living + `
		ORDER BY p.id_card LIMIT 50`
	list, err := db.patientsWhere(ctx, db.read, where, digits, after(digits))
	return list, mapError(err)
}
