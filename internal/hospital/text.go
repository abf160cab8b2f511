// Package hospital is the language of the front desk: the things a hospital
// talks about (patients, seats, staff, permissions), the rules that need no
// database, and the errors people read. It imports none of our packages.
package hospital

// Lang is a language a screen or an error can be shown in.
type Lang string

// The two languages of the product. Thai is the default everywhere.
const (
	Thai    Lang = "th"
	English Lang = "en"
)

// Text is one sentence in both languages, so that neither can be forgotten.
type Text struct{ TH, EN string }

// In returns the sentence in the given language, Thai when it is not English.
func (t Text) In(l Lang) string {
	if l == English {
		return t.EN
	}
	return t.TH
}
