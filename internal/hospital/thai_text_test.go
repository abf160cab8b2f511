package hospital

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"nothing to do":                      {"สมชาย ใจดี", "สมชาย ใจดี"},
		"outer and doubled spaces":           {"  สมชาย \t  ใจดี\u00a0 ", "สมชาย ใจดี"},
		"zero-width characters":              {"สม\u200bชาย\ufeff", "สมชาย"},
		"tone mark before the vowel":         {"ท\u0e48\u0e35", "ที่"},
		"a doubled tone mark":                {"ที\u0e48\u0e48", "ที่"},
		"a doubled vowel":                    {"ป\u0e35\u0e35", "ปี"},
		"sara am in two pieces":              {"น\u0e49\u0e4d\u0e32", "น้ำ"},
		"pieces with the tone mark between":  {"น\u0e4d\u0e49\u0e32", "น้ำ"},
		"sara am before its tone mark":       {"น\u0e33\u0e49", "น้ำ"},
		"two sara e for sara ae":             {"เเก้ว", "แก้ว"},
		"silencing mark before the vowel":    {"สิทธ\u0e4c\u0e34", "สิทธิ์"},
		"below vowel after the tone mark":    {"ป\u0e48\u0e39", "ปู่"},
		"two different tone marks both stay": {"ก\u0e48\u0e49", "ก\u0e48\u0e49"},
		"latin letters composed":             {"Rene\u0301", "René"},
		"broken UTF-8":                       {"สม\xffชาย", "สมชาย"},
		"empty":                              {"", ""},
	} {
		if got := CleanText(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// isClean is only true for clean texts: checks all short combinations of significant letters and spaces.
func TestIsClean(t *testing.T) {
	t.Parallel()
	letters := []rune("aก เ แ า ำ ะ ิ ุ ฺ ่ ์ ํ ๎ ๆ๑\u00a0\u200b\n\u0301")
	letters = append(letters, '\uFFFD')
	seen := 0
	var try func(s string, left int)
	try = func(s string, left int) {
		if isClean(s) {
			seen++
			if got := cleanText(s); got != s {
				t.Errorf("%+q is taken for clean and is %+q", s, got)
			}
		}
		if left == 0 || t.Failed() {
			return
		}
		for _, r := range letters {
			try(s+string(r), left-1)
		}
	}
	try("", 4)
	if seen < 1000 {
		t.Errorf("only %d of the texts", seen)
	}
	for _, s := range []string{"สมชาย ใจดี", "น้ำทิพย์ ที่รัก", "99/1 หมู่ 5", "Somchai"} {
		if !isClean(s) {
			t.Errorf("%q is not seen to be clean", s)
		}
	}
}

func FuzzCleanText(f *testing.F) {
	for _, s := range []string{
		"นายสมชาย ใจดี", "น\u0e33\u0e49", "\u0e4d\u0e32", "เเเเ", "\u0e48\u0e48", "a\u0301", "\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := CleanText(s)
		if again := CleanText(once); again != once {
			t.Errorf("%q becomes %q and then %q", s, once, again)
		}
		if long := cleanText(s); long != once {
			t.Errorf("%q becomes %q at once, and %q when all is done", s, once, long)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%q becomes invalid", s)
		}
		if key := SearchKey(s); SearchKey(key) != key || strings.ContainsAny(key, "%_\\") {
			t.Errorf("search key of %q: %q", s, key)
		}
	})
}

func TestSearchKeys(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"น้ำทิพย์", "น\u0e49\u0e4d\u0e32ทิพย์", "นำทิพย์", "น่ำทิพย์", "น้ำทิพย์ "},
		{"Somchai", "SOMCHAI", "somchai", " Som-chai "},
		{"หมู่ ๕", "หมู่ 5", "หมู 5"},
		{"ณ อยุธยา", "ณ  อยุธยา"},
	} {
		for _, s := range same[1:] {
			if SearchKey(s) != SearchKey(same[0]) {
				t.Errorf("%q has key %q, %q has %q", s, SearchKey(s), same[0], SearchKey(same[0]))
			}
		}
	}
	if SearchKey("สมชาย") == SearchKey("สมหญิง") {
		t.Error("different names have one key")
	}
}

func TestSplitPrename(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		prename, rest string
		sure          bool
	}{
		"นายสมชาย":        {"นาย", "สมชาย", true},
		"นางสาว สมศรี":    {"นางสาว", "สมศรี", true},
		"นางสมศรี":        {"นาง", "สมศรี", true},
		"น.ส.สมศรี":       {"น.ส.", "สมศรี", true},
		"ด.ช.เก่ง":        {"ด.ช.", "เก่ง", true},
		"เด็กหญิงแก้วตา":  {"เด็กหญิง", "แก้วตา", true},
		"นายแพทย์สมชาย":   {"นายแพทย์", "สมชาย", true},
		"นายิกา":          {"", "นายิกา", true}, // a given name
		"นาย":             {"", "นาย", true},
		"สมชาย":           {"", "สมชาย", true},
		"นายA":            {"", "นายA", true},
		"พระครูสังฆรักษ์": {"พระ", "ครูสังฆรักษ์", true},
		"นาง ฟ้า":         {"นาง", "ฟ้า", true},
		"นางฟ้า":          {"นาง", "ฟ้า", false},
		"นางฟ้าใส":        {"นาง", "ฟ้าใส", false},
		"นางฟ้า ใจดี":     {"นาง", "ฟ้า ใจดี", false},
		"นางนวล":          {"นาง", "นวล", false},
		"นางนวลจันทร์":    {"นาง", "นวลจันทร์", false},
		"นายกร":           {"นาย", "กร", false},
		"นายก":            {"", "นายก", true},
		"นายดำ":           {"นาย", "ดำ", false},
		"นายดำรง":         {"นาย", "ดำรง", true},
		"นางสาวฟ้า":       {"นางสาว", "ฟ้า", true},
		"ด.ช.ดำ":          {"ด.ช.", "ดำ", true},
		"พระจันทร์":       {"พระ", "จันทร์", false},
		"พระสมชาย":        {"พระ", "สมชาย", true},
		"นวล":             {"", "นวล", true},
		"เด่น":            {"", "เด่น", true},
		"นาวิน":           {"", "นาวิน", true},
		"":                {"", "", true},
	} {
		prename, rest, sure := SplitPrename(in)
		if prename != want.prename || rest != want.rest || sure != want.sure {
			t.Errorf("%q is %q and %q (sure: %v), want %q and %q (%v)", in, prename, rest, sure, want.prename, want.rest,
				want.sure)
		}
	}
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"๐๘๑-๒๓๔ ๕๖๗๘": "0812345678", "1-1111-11111-11-9": "1111111111119", "abc": "", "": "",
	} {
		if got := DigitsOf(in); got != want {
			t.Errorf("DigitsOf(%q) = %q, want %q", in, got, want)
		}
	}
}
