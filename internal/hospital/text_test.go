package hospital

import (
	"testing"
	"unicode"
)

// isThai reports whether most letters of s are Thai.
func isThai(s string) bool {
	thai, letters := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Thai, r):
			thai, letters = thai+1, letters+1
		case unicode.IsLetter(r):
			letters++
		}
	}
	return thai > 0 && thai*2 > letters
}

// isEnglish reports whether s has letters and none of them is Thai.
func isEnglish(s string) bool {
	letters := false
	for _, r := range s {
		if unicode.Is(unicode.Thai, r) {
			return false
		}
		letters = letters || unicode.IsLetter(r)
	}
	return letters
}

func checkText(t *testing.T, what string, text Text) {
	t.Helper()
	if !isThai(text.TH) {
		t.Errorf("%s: the Thai text is %q", what, text.TH)
	}
	if !isEnglish(text.EN) {
		t.Errorf("%s: the English text is %q", what, text.EN)
	}
}

func TestTextLanguage(t *testing.T) {
	t.Parallel()
	text := Text{TH: "สวัสดี", EN: "Hello"}
	for lang, want := range map[Lang]string{Thai: "สวัสดี", English: "Hello", "": "สวัสดี", "fr": "สวัสดี"} {
		if got := text.In(lang); got != want {
			t.Errorf("in %q it is %q, want %q", lang, got, want)
		}
	}
}
