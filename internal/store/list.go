package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"nadmor/internal/hospital"
)

// filter collects the conditions of a list and their arguments.
type filter struct {
	conditions []string
	args       []any
	first      string // condition of rows that come first in the default order; may be empty
}

// mark adds an argument and returns its placeholder.
func (f *filter) mark(arg any) string {
	f.args = append(f.args, arg)
	return "$" + strconv.Itoa(len(f.args))
}

// add adds a condition with %s for the placeholder of each argument.
func (f *filter) add(condition string, args ...any) {
	marks := make([]any, len(args))
	for i, a := range args {
		marks[i] = f.mark(a)
	}
	if len(args) > 0 {
		condition = fmt.Sprintf(condition, marks...)
	}
	f.conditions = append(f.conditions, condition)
}

// contains adds a search for a fragment in any of the expressions. Columns with keys (…_key) are
// searched for the key of the text, others for the text in lower case. Wild cards are removed.
func (f *filter) contains(q string, expressions ...string) {
	key, text := withoutWildCards(hospital.NameKey(q)), withoutWildCards(strings.ToLower(hospital.CleanText(q)))
	if key == "" {
		return
	}
	var matches []string
	for _, e := range expressions {
		pattern := text
		if strings.HasSuffix(e, "_key") {
			pattern = key
		}
		matches = append(matches, e+" LIKE "+f.mark("%"+pattern+"%"))
	}
	f.conditions = append(f.conditions, "("+strings.Join(matches, " OR ")+")")
}

// withoutWildCards removes the wild cards of LIKE. SQLite does not use its trigram index if they are
// escaped.
func withoutWildCards(q string) string {
	return strings.NewReplacer("%", "", "_", "", `\`, "").Replace(q)
}

// in adds the condition that an expression has one of the values.
func (f *filter) in(expression string, values []any) {
	f.conditions = append(f.conditions, expression+" IN "+f.list(values))
}

// list adds values as arguments and returns the list of their placeholders, for IN.
func (f *filter) list(values []any) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = f.mark(v)
	}
	return "(" + strings.Join(marks, ", ") + ")"
}

// oneOf returns the condition that a column has one of the statuses. The values are literals, so that the
// text of a prepared statement stays the same and the planner knows the statuses.
func oneOf(column string, statuses ...hospital.AppointmentStatus) string {
	return column + " IN ('" + strings.Join(asStrings(statuses), "', '") + "')"
}

func asStrings[T ~string](list []T) []string {
	values := make([]string, len(list))
	for i, v := range list {
		values[i] = string(v)
	}
	return values
}

// texts returns strings as arguments.
func texts[T ~string](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = string(v)
	}
	return values
}

// numbers returns ids as arguments.
func numbers(list []int64) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// byID reads records by the ids in a column, with statements of bounded length.
func byID[T any](
	column string, ids []int64, read func(where string, args ...any) ([]T, error),
) (list []T, err error) {
	for part := range slices.Chunk(ids, maxIDsPerStatement) {
		var f filter
		f.in(column, numbers(part))
		found, err := read(f.where(), f.args...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(f.conditions, " AND ")
}

// page returns the LIMIT and OFFSET of a page. The size is part of the text, because SQLite plans a
// statement whose LIMIT is an argument again each time.
func (f *filter) page(p hospital.Page) string {
	return f.limit(p.PageSize, p.Offset())
}

func (f *filter) limit(size, skip int) string {
	return fmt.Sprintf("LIMIT %d OFFSET %s", size, f.mark(skip))
}

// order is orderBy for a list in which the rows of f.first come first, if the page has no sort or one of
// the given sorts.
func (f *filter) order(
	p hospital.Page, columns map[string]string, id, byDefault string, sorts ...string,
) (string, error) {
	keys, err := sortKeys(p, columns, id, byDefault)
	if err != nil {
		return "", err
	}
	if f.first != "" && (p.Sort == "" || slices.Contains(sorts, p.Sort)) {
		keys = "CASE WHEN " + f.first + " THEN 0 ELSE 1 END, " + keys
	}
	return "ORDER BY " + keys, nil
}

// orderBy returns the ORDER BY clause of a page, see sortKeys.
func orderBy(p hospital.Page, columns map[string]string, id, byDefault string) (string, error) {
	keys, err := sortKeys(p, columns, id, byDefault)
	if err != nil {
		return "", err
	}
	return "ORDER BY " + keys, nil
}

// sortKeys returns the columns to sort by. columns maps each field by which a list can be sorted to its
// columns. The last key is always the id, so that pages over equal values are stable. It returns
// VALIDATION_FAILED on "sort" for an unknown field.
func sortKeys(p hospital.Page, columns map[string]string, id, byDefault string) (string, error) {
	field := p.Sort
	if field == "" {
		field = byDefault
	}
	direction := " ASC"
	if rest, ok := strings.CutPrefix(field, "-"); ok {
		field, direction = rest, " DESC"
	}
	column, ok := columns[field]
	if !ok {
		var c hospital.Checker
		c.Require(false, "sort", "เรียงลำดับด้วยช่องนี้ไม่ได้", "This list cannot be sorted by that field.")
		return "", c.Err()
	}
	if column == id {
		return id + direction, nil
	}
	return strings.ReplaceAll(column, ",", direction+",") + direction + ", " + id + direction, nil
}

var collators = sync.Pool{New: func() any { return collate.New(language.Thai) }}

// sortKey returns the key by which Thai text sorts as in a dictionary on both engines. The bytes of the
// text itself would sort เ แ โ ใ ไ after all other letters.
func sortKey(s string) []byte {
	c := collators.Get().(*collate.Collator)
	defer collators.Put(c)
	var buf collate.Buffer
	return append([]byte(nil), c.KeyFromString(&buf, s)...)
}
