package hospital

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var numberToken = regexp.MustCompile(`\{[^{}]*\}`)

// NumberFormat is the pattern of hospital and appointment numbers: "HN{YY}{SEQ:6}" gives HN69000001. {YYYY}
// and {YY} are the Buddhist year, {MM} and {DD} month and day, {SEQ:n} the sequence number with n digits. The
// sequence restarts whenever the rest of the number changes: daily with {DD}, monthly with {MM}, yearly with
// {YY} or {YYYY}, otherwise never.
type NumberFormat string

// Check reports whether the format is valid, and if not why.
func (f NumberFormat) Check() (Text, bool) {
	sequences := 0
	for _, token := range numberToken.FindAllString(string(f), -1) {
		switch {
		case token == "{YYYY}", token == "{YY}", token == "{MM}", token == "{DD}":
		case seqWidth(token) > 0:
			sequences++
		default:
			return Text{"ไม่รู้จัก " + token, token + " is not known."}, false
		}
	}
	rest := numberToken.ReplaceAllString(string(f), "")
	if strings.ContainsAny(rest, "{}") || !regexp.MustCompile(`^[A-Za-z0-9/_-]*$`).MatchString(rest) || len(f) > 40 {
		return Text{
			"ใช้ได้เฉพาะตัวอักษรอังกฤษ ตัวเลข / - _ และ {YYYY} {YY} {MM} {DD} {SEQ:n}",
			"Only letters, digits, / - _ and {YYYY} {YY} {MM} {DD} {SEQ:n}.",
		}, false
	}
	if sequences != 1 {
		return Text{"ต้องมี {SEQ:n} หนึ่งแห่ง", "There must be exactly one {SEQ:n}."}, false
	}
	return Text{}, true
}

func seqWidth(token string) int {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(token, "}"), "{SEQ:")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > 12 {
		return 0
	}
	return n
}

// Series returns the key of the sequence that a day belongs to.
func (f NumberFormat) Series(day time.Time) string { return f.render(day, "#") }

// Format returns the n-th number of a day's series.
func (f NumberFormat) Format(day time.Time, n int64) string {
	return f.render(day, strconv.FormatInt(n, 10))
}

func (f NumberFormat) render(day time.Time, seq string) string {
	day = day.In(Bangkok)
	return numberToken.ReplaceAllStringFunc(string(f), func(token string) string {
		switch token {
		case "{YYYY}":
			return strconv.Itoa(day.Year() + BuddhistEra)
		case "{YY}":
			return fmt.Sprintf("%02d", (day.Year()+BuddhistEra)%100)
		case "{MM}":
			return fmt.Sprintf("%02d", int(day.Month()))
		case "{DD}":
			return fmt.Sprintf("%02d", day.Day())
		default:
			if width := seqWidth(token); seq != "#" && len(seq) < width {
				return strings.Repeat("0", width-len(seq)) + seq
			}
			return seq
		}
	})
}

// Parts returns the parts of the numbers of a day's series: the sequence number, zero-padded
// to width, stands between before and after.
func (f NumberFormat) Parts(day time.Time) (before string, width int, after string) {
	before, after, _ = strings.Cut(f.Series(day), "#")
	width = 1
	for _, token := range numberToken.FindAllString(string(f), -1) {
		width = max(width, seqWidth(token))
	}
	return before, width, after
}

// KeyOf returns the parts of the HNKey of the numbers of a day's series, like Parts for the
// numbers themselves.
func (f NumberFormat) KeyOf(day time.Time) (before string, width int, after string) {
	before, width, after = f.Parts(day)
	before, after = strings.TrimLeft(HNKey(before), "0"), strings.TrimPrefix(HNKey("X"+after), "X")
	if before == "" { // HNKey drops leading zeros
		width = 1
	}
	return before, width, after
}

// HNKey returns the form in which hospital numbers are compared, because users omit leading zeros and dashes.
func HNKey(hn string) string {
	key := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, ArabicDigits(hn))
	if trimmed := strings.TrimLeft(key, "0"); trimmed != "" {
		return trimmed
	}
	return key
}
