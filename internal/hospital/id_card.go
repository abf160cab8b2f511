package hospital

// IDCard is an ID card number: thirteen digits, or empty. encoding/json, fmt, slog and
// html/template write it masked, so that the full number is not disclosed by accident. Use
// string(id) for the full number: in storage, after an audited reveal and in files for operators.
type IDCard string

// IsIDCard reports whether s has thirteen digits with a valid check digit. Any first digit is accepted: 0,
// 6, 7 and 8 are in use.
func IsIDCard(s string) bool {
	if len(s) != idCardDigits || DigitsOf(s) != s {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += int(s[i]-'0') * (13 - i)
	}
	return (11-sum%11)%10 == int(s[12]-'0')
}

const (
	idCardDigits = 13
	// minCardPrefix is the minimum length of an ID card prefix in a search. Shorter ones
	// would match most patients.
	minCardPrefix = 4
)

// Mask returns the number without its middle digits: 1-1111-xxxxx-11-9. A value that does not
// have thirteen characters is masked completely.
func (id IDCard) Mask() string {
	switch len(id) {
	case 0:
		return ""
	case idCardDigits:
		return string(id[:1] + "-" + id[1:5] + "-xxxxx-" + id[10:12] + "-" + id[12:])
	}
	return "x-xxxx-xxxxx-xx-x"
}

// String returns the masked number.
func (id IDCard) String() string { return id.Mask() }

// MarshalText returns the masked number.
func (id IDCard) MarshalText() ([]byte, error) { return []byte(id.Mask()), nil }

// CardDigits returns the digits that a search may compare with ID cards, or an empty string.
// All thirteen digits, as sent by a card reader, are allowed for every caller. Prefixes need
// PATIENT.VIEW_CID: each longer prefix that still matches reveals one more masked digit.
func CardDigits(digits string, held PermissionSet) string {
	n := len(digits)
	if n == idCardDigits || held[PatientViewCID] && n >= minCardPrefix && n < idCardDigits {
		return digits
	}
	return ""
}
