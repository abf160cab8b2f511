package store

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"nadmor/internal/hospital"
)

// What changed is written down three times with every booking (in the history
// what was and what is, in the audit log both), while everybody else waits for
// the writer. It is mostly short texts and numbers, which are written here;
// whatever else there is goes the general way.

// changesText is what changed, as the audit log keeps it.
func changesText(changes map[string]hospital.Change) string {
	return string(appendObject(changes, func(b []byte, c hospital.Change) []byte {
		b = append(b, '{')
		if c.Before != nil {
			b = appendPlain(append(b, `"before":`...), c.Before)
		}
		if c.After != nil {
			if c.Before != nil {
				b = append(b, ',')
			}
			b = appendPlain(append(b, `"after":`...), c.After)
		}
		return append(b, '}')
	}, func(hospital.Change) bool { return true }))
}

// sideText is one side of what changed: the fields that it has, and what is in
// them.
func sideText(changes map[string]hospital.Change, side func(hospital.Change) any) string {
	return string(appendObject(changes, func(b []byte, c hospital.Change) []byte { return appendPlain(b, side(c)) },
		func(c hospital.Change) bool { return side(c) != nil }))
}

// appendObject writes an object, its fields in the order of their names.
func appendObject(changes map[string]hospital.Change, value func([]byte, hospital.Change) []byte, has func(hospital.Change) bool) []byte {
	var room [32]string // more than most records have
	names := room[:0]
	for field, c := range changes {
		if has(c) {
			names = append(names, field)
		}
	}
	slices.Sort(names)
	b := append(make([]byte, 0, 32*len(names)+2), '{')
	for i, field := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = value(append(appendText(b, field), ':'), changes[field])
	}
	return append(b, '}')
}

// appendPlain writes a value as JSON.
func appendPlain(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 {
			return strconv.AppendInt(b, n, 10)
		}
	}
	return append(b, toJSON(v)...)
}

func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			return append(b, toJSON(text)...)
		}
	}
	if !utf8.ValidString(text) {
		return append(b, toJSON(text)...)
	}
	return append(append(append(b, '"'), text...), '"')
}
