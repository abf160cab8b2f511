package hospital

// CitizenID is the number of an ID card: thirteen digits, or empty. Whatever
// writes or prints it (encoding/json, fmt, slog, html/template) gets it masked,
// so that a record never shows the whole number by accident. The conversion
// string(id) is the whole number: for storage, revealing and operators' files.
type CitizenID string

// IsCitizenID tells whether s is thirteen digits whose last one checks the
// others. The first digit is not judged: 0, 6, 7 and 8 are real registrants.
func IsCitizenID(s string) bool {
	if len(s) != citizenIDDigits || DigitsOf(s) != s {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += int(s[i]-'0') * (13 - i)
	}
	return (11-sum%11)%10 == int(s[12]-'0')
}

const (
	citizenIDDigits = 13
	// minCardPrefix is the fewest digits that find somebody by the beginning of
	// the ID card: fewer would list the hospital.
	minCardPrefix = 4
)

// Mask returns the number without its middle digits: 1-1111-xxxxx-11-9. A text
// that does not have thirteen characters shows nothing of itself.
func (id CitizenID) Mask() string {
	switch len(id) {
	case 0:
		return ""
	case citizenIDDigits:
		return string(id[:1] + "-" + id[1:5] + "-xxxxx-" + id[10:12] + "-" + id[12:])
	}
	return "x-xxxx-xxxxx-xx-x"
}

// String returns the masked number.
func (id CitizenID) String() string { return id.Mask() }

// MarshalText returns the masked number.
func (id CitizenID) MarshalText() ([]byte, error) { return []byte(id.Mask()), nil }

// CardDigits returns the digits that a search may compare with ID cards, empty
// if none: all thirteen for every caller, as a card reader sends them; the first
// four or more only with PATIENT.VIEW_CID, since each longer prefix that still
// finds a patient tells one more masked digit.
func CardDigits(digits string, held PermissionSet) string {
	n := len(digits)
	if n == citizenIDDigits || held[PatientViewCID] && n >= minCardPrefix && n < citizenIDDigits {
		return digits
	}
	return ""
}
