// Package hospital is the domain of Nadmor: its types, the rules that need no database, and the errors shown
// to users. It imports no other package of this module.
package hospital

// Lang is a language of the user interface.
type Lang string

// The languages. Thai is the default.
const (
	Thai    Lang = "th"
	English Lang = "en"
)

// Text is a text in both languages.
type Text struct{ TH, EN string }

// In returns the text in the given language. The default is Thai.
func (t Text) In(l Lang) string {
	if l == English {
		return t.EN
	}
	return t.TH
}
