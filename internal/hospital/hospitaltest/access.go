// Package hospitaltest provides helpers for tests of other packages.
package hospitaltest

import (
	"fmt"
	"strings"

	"nadmor/internal/hospital"
)

// Access parses the x-permission of an operation in the OpenAPI document. It is an error if a permission does
// not exist.
func Access(text string) (hospital.Access, error) {
	for _, a := range []hospital.Access{hospital.Public, hospital.SignedIn, hospital.DisplayToken} {
		if text == a.String() {
			return a, nil
		}
	}
	needs, separator := hospital.Needs, "|"
	if strings.Contains(text, "&") {
		needs, separator = hospital.NeedsAll, "&"
	}
	var needed []hospital.Permission
	for name := range strings.SplitSeq(text, separator) {
		needed = append(needed, hospital.Permission(name))
	}
	a := needs(needed...)
	if !a.Declared() {
		return hospital.Access{}, fmt.Errorf("unknown permission in %q", text)
	}
	return a, nil
}
