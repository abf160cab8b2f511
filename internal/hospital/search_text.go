package hospital

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// searchLabels are what screens and papers print before a number.
	searchLabels = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(h\.? ?n\.?|tel\.?|cid|id|passport)[ :.#-]*`),
		regexp.MustCompile(`^(เลข(ที่)?นัด(หมาย)?|นัดที่|โทร(ศัพท์)?|เบอร์(โทร)?|(เลข(ที่)?)?บัตร(ประชาชน)?|เลขที่)[ :.#-]*`),
	}
	// titles are prenames and ranks with dots (น.ส., จ.ส.อ., พญ.), and those that are typed with a space instead.
	titles = []*regexp.Regexp{
		regexp.MustCompile(`^([ก-ฮ]{1,4}\. *)+`),
		regexp.MustCompile(`^(นส|ดช|ดญ|คุณ) +`),
	}
	// abroad is a Thai phone number with the country code.
	abroad = regexp.MustCompile(`^\+?66[ ()-]*0?((?:[ ()-]*[0-9]){8,9})$`)
)

// SearchTexts returns the texts that a search text can mean, the most likely first: as typed; without a label, like
// "HN 123"; a phone number without the country code; a name without its prename; and what the same keys type on the
// other keyboard, Thai or English.
func SearchTexts(q string) []string {
	q = CleanText(q)
	texts := []string{q}
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	plain := ArabicDigits(q)
	for _, label := range searchLabels {
		if number := label.ReplaceAllString(plain, ""); strings.ContainsAny(number, "0123456789") {
			plain = number
		}
	}
	add(plain)
	if m := abroad.FindStringSubmatch(plain); m != nil {
		add("0" + DigitsOf(m[1]))
	}
	for _, text := range []string{q, OtherKeyboard(q)} {
		add(text)
		add(withoutTitle(text))
	}
	return texts
}

// withoutTitle returns a name without the prename or rank before it.
func withoutTitle(name string) string {
	for _, title := range titles {
		if rest := title.ReplaceAllString(name, ""); rest != "" && rest != name {
			return rest
		}
	}
	_, rest, _ := SplitPrename(name)
	return rest
}
