package hospital

import "strings"

// IsCitizenID tells whether s is thirteen digits whose last one checks the
// others. The first digit is not judged: 0, 6, 7 and 8 are real registrants.
func IsCitizenID(s string) bool {
	if len(s) != 13 || DigitsOf(s) != s {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += int(s[i]-'0') * (13 - i)
	}
	return (11-sum%11)%10 == int(s[12]-'0')
}

// MaskCitizenID shows who it is without saying it: 1-1111-xxxxx-11-9.
func MaskCitizenID(s string) string {
	if len(s) != 13 {
		return ""
	}
	return s[:1] + "-" + s[1:5] + "-xxxxx-" + s[10:12] + "-" + s[12:]
}

// IsMaskedCitizenID tells whether s is a number as MaskCitizenID shows it: what
// comes back from a screen that never knew the whole.
func IsMaskedCitizenID(s string) bool {
	return len(s) == 17 && s[1] == '-' && strings.Contains(s, "-xxxxx-")
}
