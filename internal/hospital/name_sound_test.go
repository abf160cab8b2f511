package hospital

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The examples of the paper's implementation, and what the spellings before it add.
func TestNameSound(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"รัก": "ร1000", "ลัก": "ร1000", "รักษ์": "ร1000", "ปัจจุบัน": "ป3E54",
		"ศิริพร": NameSound("สิริพร"), "วรรณา": NameSound("วันนา"), "ไพศาล": NameSound("ใพสาล"),
		"ชญานิศ": NameSound("ชยานิศ"), "ณัฐวรรณ": NameSound("นัดวัน"), "หล้า": NameSound("ล่า"),
		"": "", "Smith": "", "1234": "", "ะา": "", "เ": "",
	} {
		if got := NameSound(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// readPairs reads lines of fields separated by tabs.
func readPairs(t *testing.T, file string) (pairs [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			pairs = append(pairs, strings.Split(line, "\t"))
		}
	}
	return pairs
}

// sounds returns the codes of the words of a name.
func sounds(name string) (codes []string) {
	for word := range strings.FieldsSeq(name) {
		codes = append(codes, NameSound(word))
	}
	return codes
}

// sameSound reports whether a typed name sounds like a name in one of its meanings, word by word or without spaces.
func sameSound(name, typed string) bool {
	return slices.ContainsFunc(SearchTexts(typed), func(text string) bool {
		joined := NameSound(strings.ReplaceAll(text, " ", "")) == NameSound(strings.ReplaceAll(name, " ", ""))
		return joined || slices.Equal(sounds(text), sounds(name))
	})
}

// Of 1,000 pairs of a name and how it was typed nearly all sound the same; of 300 pairs of different names most do not.
func TestNamePairs(t *testing.T) {
	t.Parallel()
	all, found := map[string]int{}, map[string]int{}
	total := 0
	for _, p := range readPairs(t, "name_pairs.txt") {
		all[p[2]]++
		if sameSound(p[0], p[1]) {
			found[p[2]]++
			total++
		}
	}
	for _, class := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%-10s %d of %d", class, found[class], all[class])
		least := 0.83
		if class == "english" { // foreign names have no fixed spelling
			least = 0.6
		}
		if float64(found[class]) < least*float64(all[class]) {
			t.Errorf("%s: found %d of %d", class, found[class], all[class])
		}
	}
	if total < 930 {
		t.Errorf("found %d of 1,000 pairs", total)
	}
	confused := 0
	for _, p := range readPairs(t, "name_others.txt") {
		if sameSound(p[0], p[1]) {
			confused++
		}
	}
	t.Logf("all: %d; different names with the same sound: %d of 300", total, confused)
	if confused > 90 {
		t.Errorf("%d of 300 different names have the same sound", confused)
	}
}

func TestSearchTexts(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"HN 0004609": "0004609", "HN0004609": "0004609", "hn-4609": "4609", "h.n. 4609": "4609", "HN: ๔๖๐๙": "4609",
		"เลขที่นัด A6911-03632": "A6911-03632", "เลขที่นัดหมาย: A6911-03632": "A6911-03632",
		"+66 81 234 5678": "0812345678", "+66 (0)81-234-5678": "0812345678", "66812345678": "0812345678",
		"โทร. 081-234-5678": "081-234-5678", "tel +6621234567": "021234567",
		"นายสมชาย": "สมชาย", "น.ส.กาญจนา ใจดี": "กาญจนา ใจดี", "จ.ส.อ. อดิศร": "อดิศร", "คุณ วิทยา": "วิทยา",
		"=oyP=bfk": "ชนัญชิดา", "8yo": "คัน", "l,=kp": "สมชาย", "ำะะ": "ett", "ๆไำพะั": "qwerty",
	} {
		if got := SearchTexts(q); got[0] != CleanText(q) || !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", q, got, want)
		}
	}
	for _, q := range []string{"0004609", "สมชาย ใจดี", "081-234-5678", "", "6612345"} {
		if got := SearchTexts(q); len(got) > 2 {
			t.Errorf("%s: got %q", q, got)
		}
	}
}

// A text typed on the wrong keyboard can be converted back.
func TestOtherKeyboard(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ชนัญชิดา", "สมชาย ใจดี", "เฌอปราง", "กฤษฎิ์"} {
		keys := strings.Map(func(r rune) rune {
			if r == ' ' {
				return r
			}
			return keyOfThai[r]
		}, name)
		if got := OtherKeyboard(keys); got != name {
			t.Errorf("%s typed as %s: got %q", name, keys, got)
		}
	}
	if got := OtherKeyboard("ๆไำพะั"); got != "qwerty" {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"", "123", "12/3", "สมชาย Smith", "john", "hello"} {
		if got := OtherKeyboard(text); got != "" {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
