package hospital

import (
	"regexp"
	"strings"
)

// NameSound returns the code of a Thai name that names with the same sound share: ศิริพร and สิริพร, วรรณา and
// วันนา. It is empty for a text without Thai consonants.
//
// The code is LK82 (V. Lorchirachoonkul: A Thai soundex system. Information Processing & Management 18(5), 1982),
// preceded by soundSpellings. Of the pairs in testdata/name_pairs.txt LK82 alone finds 875 of 1,000, with
// soundSpellings 943; Udom83 finds 747 and MetaSound fewer. The spellings were chosen with these pairs, so names that
// are not among them may be found less often.
func NameSound(name string) string {
	text := notThai.ReplaceAllString(SearchKey(name), "")
	for _, s := range soundSpellings {
		text = s.pattern.ReplaceAllString(text, s.replacement)
	}
	return lk82([]rune(lk82Silent.Replace(text)))
}

var notThai = regexp.MustCompile(`[^\x{0e01}-\x{0e4e}]+`)

// soundSpellings write a sound that has several spellings in one way, in this order.
var soundSpellings = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	// Silenced letters, some of which silence the letter before as well: จันทร์, โรจน์, ลักษณ์, ราษฎร์.
	{regexp.MustCompile(`ษฎร์|จน์|มณ์|ณฑ์|ทร์|ตร์|ษณ์|ดร์|[ก-ฮ][ะ-ู]?์`), ""},
	{regexp.MustCompile(`^ทร`), "ซ"},
	{regexp.MustCompile(`[ลฬ]`), "ร"},
	{regexp.MustCompile(`ญ([าะิีึืุูัเแโ])`), "ย$1"},
	// รร is a short vowel before a final consonant (ธรรม), and the vowel with น otherwise (วรรณา).
	{regexp.MustCompile(`รร([ก-ฮ])([ก-ฮเ-ไ]|$)`), "ั$1$2"},
	{regexp.MustCompile(`รร`), "ัน"},
	{regexp.MustCompile(`ัย`), "ย"},
	{regexp.MustCompile(`[ไใ]([ก-ฮ])ย?`), "${1}ย"},
	{regexp.MustCompile(`ำ`), "ม"},
	{regexp.MustCompile(`ห([งญณนมยรว])`), "$1"},
}

// lk82Silent removes the signs without a sound of their own: ฯ ฺ ๆ ็ ํ.
var lk82Silent = strings.NewReplacer("ฯ", "", "ฺ", "", "ๆ", "", "็", "", "ํ", "")

// lk82First are the codes of a first consonant, lk82Rest those of all other letters.
var (
	lk82First = runeTable("กขฃคฅฆงจฉชฌซศษสญยฎดฏตณนฐฑฒถทธบปผพภฝฟมรลฬฤฦวหฮอ",
		"กกกกกกงจชชชซซซซยยดดตตนนททททททบปพพพฟฟมรรรรรวหหอ")
	lk82Rest = runeTable("กขฃคฅฆงจฉชซฌฎฏฐฑฒดตถทธศษสญณนรลฬฤฦบปพฟภผฝมำยวไใหฮาๅึืเแโุูอ",
		"1111112333333333333333333444444445555555667777889AAABCDEEF")
)

// lk82Length is the length of a code. Shorter ones are filled with zeros.
const lk82Length = 5

func runeTable(from, to string) map[rune]string {
	table, codes := map[rune]string{}, []rune(to)
	for i, r := range []rune(from) {
		table[r] = string(codes[i])
	}
	return table
}

// lk82 returns the LK82 code of a text without tone marks, silent letters and signs.
func lk82(text []rune) string {
	if len(text) == 0 {
		return ""
	}
	// The first consonant, before the vowel that is written before it.
	codes, rest := []string{lk82First[text[0]]}, text[1:]
	if codes[0] == "" {
		if len(text) < 2 || lk82First[text[1]] == "" {
			return ""
		}
		codes, rest = []string{lk82First[text[1]], lk82Rest[text[0]]}, text[2:]
	}
	vowel := -2 // index of the last vowel
	for i, r := range rest {
		next := rune(0)
		if i+1 < len(rest) {
			next = rest[i+1]
		}
		code := lk82Rest[r]
		switch {
		case strings.ContainsRune("ะัิี", r):
			vowel, code = i, ""
		case strings.ContainsRune("าึืูๅ", r):
			vowel = i
		case r == 'ุ':
			vowel = i
			if i > 0 && (rest[i-1] == 'ต' || rest[i-1] == 'ธ') {
				code = ""
			}
		case r == 'ห' || r == 'อ':
			if !strings.ContainsRune("ึืุู", next) {
				continue
			}
		case strings.ContainsRune("ยรฤฦว", r):
			if vowel != i-1 && !strings.ContainsRune("ึืุู", next) {
				continue
			}
		}
		codes = append(codes, code)
	}
	var b strings.Builder
	for i, code := range codes {
		if i == 0 || code != codes[i-1] {
			b.WriteString(code)
		}
	}
	code := []rune(b.String() + strings.Repeat("0", lk82Length))
	return string(code[:lk82Length])
}
