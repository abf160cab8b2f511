package hospital

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Thai marks that stand over or under a letter, in the order in which they are
// stored: vowels first, then a tone mark, then the silencing mark. Keyboards
// let them be typed in any order, and twice; on the screen it looks the same.
const (
	saraAm    = '\u0e33'
	nikhahit  = '\u0e4d'
	saraAa    = '\u0e32'
	firstTone = '\u0e48'
	lastTone  = '\u0e4b'
)

// markRank orders the marks of one letter; 0 is no mark.
func markRank(r rune) int {
	switch {
	case r == 0x0e38 || r == 0x0e39 || r == 0x0e3a: // below: ุ ู ฺ
		return 1
	case r == 0x0e31 || r >= 0x0e34 && r <= 0x0e37 || r == 0x0e47 || r == nikhahit: // above: ั ิ ี ึ ื ็ ํ
		return 2
	case r >= firstTone && r <= lastTone: // ่ ้ ๊ ๋
		return 3
	case r == 0x0e4c || r == 0x0e4e: // ์ ๎
		return 4
	default:
		return 0
	}
}

// CleanText makes what people type the same where it looks the same: no
// invisible characters, single spaces, Thai marks in order and once, เเ as แ,
// the two halves of ำ as one. Applying it twice changes nothing.
func CleanText(s string) string {
	if isClean(s) {
		return s
	}
	return cleanText(s)
}

// isClean tells of most texts that are clean that they are, which takes a
// fraction of the time to make them so: ASCII and Thai letters with their marks
// in order, and single spaces between words.
func isClean(s string) bool {
	before := ' '
	for _, r := range s {
		switch mark := markRank(r) > 0; {
		case r == ' ':
			if before == ' ' {
				return false
			}
		case r > ' ' && r < 0x7f, r >= 'ก' && r <= 'ฺ' && !mark && r != saraAm, r >= 'เ' && r <= '๛' && !mark:
			if r == 'เ' && before == 'เ' {
				return false
			}
		case mark && r != nikhahit:
			if before == ' ' || before == saraAm || markRank(before) >= markRank(r) {
				return false
			}
		case r == saraAm:
			if before == ' ' || before == saraAm {
				return false
			}
		default:
			return false
		}
		before = r
	}
	return s == "" || before != ' '
}

func cleanText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(norm.NFC.String(s)), " ")
	s = strings.ReplaceAll(s, "เเ", "แ")
	in, out := []rune(s), make([]rune, 0, len(s))
	for i := 0; i < len(in); {
		if markRank(in[i]) == 0 && in[i] != saraAm {
			out = append(out, in[i])
			i++
			continue
		}
		// All marks on one letter, with a ำ or ํ…า among them.
		j, am := i, false
		var marks []rune
		for ; j < len(in) && (markRank(in[j]) > 0 || in[j] == saraAm); j++ {
			if in[j] == saraAm {
				am = true
			} else if !slices.Contains(marks, in[j]) {
				marks = append(marks, in[j])
			}
		}
		if k := slices.Index(marks, nikhahit); k >= 0 && (am || j < len(in) && in[j] == saraAa) {
			marks = slices.Delete(marks, k, k+1)
			if !am {
				am = true
				j++
			}
		}
		slices.SortStableFunc(marks, func(a, b rune) int { return markRank(a) - markRank(b) })
		out = append(out, marks...)
		if am {
			out = append(out, saraAm)
		}
		i = j
	}
	return string(out)
}

// ArabicDigits writes Thai digits as Arabic ones.
func ArabicDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '๐' && r <= '๙' {
			return r - '๐' + '0'
		}
		return r
	}, s)
}

// DigitsOf keeps the digits of a number that people write with dashes, spaces
// or Thai digits.
func DigitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, ArabicDigits(s))
}

// SearchKey is the form in which names are searched and compared: clean, lower
// case, without tone marks (the mark most often typed wrongly) and without
// punctuation.
func SearchKey(s string) string { return settle(s, searchKey) }

func searchKey(s string) string {
	return CleanText(strings.Map(func(r rune) rune {
		switch {
		case r >= firstTone && r <= lastTone:
			return -1
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return ' '
		default:
			return -1
		}
	}, ArabicDigits(CleanText(s))))
}

// settle applies fn until nothing changes any more: one step can make way for
// another (folding a letter undoes its composition, a mark that is gone lets
// two vowels meet).
func settle(s string, fn func(string) string) string {
	for range 8 {
		next := fn(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// prenames are what is written before a name, the longer before the shorter it
// begins with.
var prenames = []string{
	"เด็กชาย", "เด็กหญิง", "ด.ช.", "ด.ญ.", "นางสาว", "น.ส.", "นาย", "นาง",
	"พระภิกษุ", "พระ", "สามเณร", "แม่ชี", "ว่าที่ร้อยตรี", "ว่าที่ ร.ต.", "นายแพทย์", "แพทย์หญิง", "ดร.",
}

// shortPrenames also begin names and words.
var shortPrenames = []string{"นาย", "นาง", "พระ"}

// likePrenames are names, and beginnings of names, that begin with one of the
// short prenames.
var likePrenames = []string{
	"นางฟ้า", "นางนวล", "นางแย้ม", "นางรอง", "นางพญา", "นางไม้", "นางแก้ว", "นายก", "พระพาย", "พระพร", "พระแพง",
	"พระเพลิง", "พระจันทร์", "พระอาทิตย์", "พระนาย", "พระนาง",
}

// SplitPrename takes a prename off a name it is glued to: "นายสมชาย" is "นาย"
// and "สมชาย". A name that only begins with the same letters stays whole:
// after a prename comes a letter, not a vowel or a mark ("นายิกา"), and at
// least two of them. sure is false where it may be a name all the same, which
// only the person can tell: นางฟ้า, or a short prename before a short name
// (นายดำ).
func SplitPrename(name string) (prename, rest string, sure bool) {
	name = CleanText(name)
	longest := slices.SortedFunc(slices.Values(prenames), func(a, b string) int { return len(b) - len(a) })
	for _, p := range longest {
		after, ok := strings.CutPrefix(name, p)
		if !ok {
			continue
		}
		first := strings.TrimSpace(after)
		letters := []rune(first)
		if len(letters) < 2 || !startsAWord(letters[0]) {
			continue
		}
		given, _, _ := strings.Cut(first, " ")
		sure = first != after || !slices.Contains(shortPrenames, p) ||
			utf8.RuneCountInString(given) > 3 &&
				!slices.ContainsFunc(likePrenames, func(like string) bool { return strings.HasPrefix(name, like) })
		return p, first, sure
	}
	return "", name, true
}

// startsAWord tells whether a Thai word can begin with r: a consonant or one of
// the vowels written before it.
func startsAWord(r rune) bool {
	return r >= 'ก' && r <= 'ฮ' || r >= 'เ' && r <= 'ไ' || unicode.IsLetter(r) && r < 0x0e00
}
