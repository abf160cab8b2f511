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

// filter collects the conditions of a list: each condition is text with %s
// where its argument's placeholder goes. first, if any, is the
// condition under which a row stands before all others in the list's own order.
type filter struct {
	conditions []string
	args       []any
	first      string
}

// mark takes an argument and returns its placeholder.
func (f *filter) mark(arg any) string {
	f.args = append(f.args, arg)
	return "$" + strconv.Itoa(len(f.args))
}

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

// contains adds a search for a fragment in any of the expressions: columns that
// hold keys (…_key) are searched by the key of what was typed, others by its
// letters. The wild cards of LIKE are taken out.
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

// withoutWildCards takes out what LIKE would read as more than a letter.
// Escaping instead would switch SQLite's trigram index off.
func withoutWildCards(q string) string {
	return strings.NewReplacer("%", "", "_", "", `\`, "").Replace(q)
}

// in adds a choice between values.
func (f *filter) in(expression string, values []any) {
	f.conditions = append(f.conditions, expression+" IN "+f.list(values))
}

// list takes values and returns the list of their placeholders, for IN.
func (f *filter) list(values []any) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = f.mark(v)
	}
	return "(" + strings.Join(marks, ", ") + ")"
}

// oneOf returns the condition that a column has one of the statuses. The values are literals, so that the text of a
// prepared statement stays the same and the planner knows the statuses.
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

// texts are named values as arguments; numbers are ids.
func texts[T ~string](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = string(v)
	}
	return values
}

func numbers(list []int64) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// byID reads records by their ids, which are in a column, in statements of bounded length.
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

// page is the LIMIT and OFFSET of the page asked for. The size is in the text:
// SQLite would plan a statement whose LIMIT is an argument anew each time.
func (f *filter) page(p hospital.Page) string {
	return f.limit(p.PageSize, p.Offset())
}

func (f *filter) limit(size, skip int) string {
	return fmt.Sprintf("LIMIT %d OFFSET %s", size, f.mark(skip))
}

// order is orderBy for a list with rows that stand first: they do so where nobody
// chose an order. own are the sorts that are no choice, as that of a day by turn.
func (f *filter) order(p hospital.Page, columns map[string]string, id, byDefault string, own ...string) (string, error) {
	keys, err := sortKeys(p, columns, id, byDefault)
	if err != nil {
		return "", err
	}
	if f.first != "" && (p.Sort == "" || slices.Contains(own, p.Sort)) {
		keys = "CASE WHEN " + f.first + " THEN 0 ELSE 1 END, " + keys
	}
	return "ORDER BY " + keys, nil
}

// orderBy turns the wanted sort into SQL.
func orderBy(p hospital.Page, columns map[string]string, id, byDefault string) (string, error) {
	keys, err := sortKeys(p, columns, id, byDefault)
	if err != nil {
		return "", err
	}
	return "ORDER BY " + keys, nil
}

// sortKeys are the columns of the wanted sort. columns maps each field a list may be
// sorted by to its columns; the last key is always the id, so that pages over
// equal values are stable. An unknown field is VALIDATION_FAILED on "sort".
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

// sortKey is the key by which Thai text sorts as in a dictionary, on both
// engines, since bytes compare the same on both (byte order of the text itself
// would put เ แ โ ใ ไ after everything else).
func sortKey(s string) []byte {
	c := collators.Get().(*collate.Collator)
	defer collators.Put(c)
	var buf collate.Buffer
	return append([]byte(nil), c.KeyFromString(&buf, s)...)
}
