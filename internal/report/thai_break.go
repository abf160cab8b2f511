package report

import (
	"strings"
	"unicode"
)

// Thai has no spaces between words. Line breaks are found without a full dictionary: at spaces, around common
// words of hospital notices, at certain syllable boundaries, and as a last resort between clusters. A
// cluster, a letter with its vowels and marks, is never split.

// The quality of a line break.
const (
	noBreak = iota
	clusterEnd
	syllableEnd
	wordEnd
)

// breakAt returns the quality of a break before rune i. The end of the text is a wordEnd.
func breakAt(text []rune, i int) int {
	if i <= 0 {
		return noBreak
	}
	if i >= len(text) {
		return wordEnd
	}
	before, after := text[i-1], text[i]
	switch {
	case after == ' ':
		return noBreak // belongs to the line before
	case before == ' ':
		return wordEnd
	case isMark(after) || strings.ContainsRune("ะาำๅๆฯ", after) || isLeadingVowel(before):
		return noBreak
	case strings.ContainsRune(")]}”’»,.;:!?%", after) || strings.ContainsRune("([{“‘«", before):
		return noBreak
	case before == '-' || before == '/' || before == '–' || before == 'ๆ' || before == 'ฯ' || before == ',':
		return wordEnd
	}
	if !isThai(before) && !isThai(after) {
		return clusterEnd // a long word or number in another script
	}
	if isThai(before) != isThai(after) {
		return syllableEnd
	}
	if needsNext(text[:i], after) {
		return noBreak
	}
	if isLeadingVowel(after) || before == 'ะ' || before == 'ำ' || knownWord(text, i) {
		return syllableEnd
	}
	if before == '\u0e4c' && !isStranded(text, i) { // ์ silences the last letter of a syllable
		return syllableEnd
	}
	return clusterEnd
}

func isThai(r rune) bool {
	return r >= 0x0e00 && r <= 0x0e7f && unicode.IsOneOf([]*unicode.RangeTable{unicode.L, unicode.M}, r)
}

func isMark(r rune) bool { return unicode.Is(unicode.Mn, r) || r == '\u200d' }

func isLeadingVowel(r rune) bool { return r >= 'เ' && r <= 'ไ' }

func isTone(r rune) bool { return r >= 0x0e48 && r <= 0x0e4b }

// needsNext reports whether the last syllable of text is incomplete without the next letter: กั(น), เป็(น),
// and the vowels เ–ีย, เ–ือ, –ัว.
func needsNext(text []rune, next rune) bool {
	i := len(text) - 1
	for i >= 0 && isTone(text[i]) {
		i--
	}
	if i < 0 {
		return false
	}
	switch text[i] {
	case '\u0e31', '\u0e47', '\u0e36', '\u0e37': // ั ็ ึ ื
		return !isLeadingVowel(next) || text[i] == '\u0e31'
	case '\u0e35': // ี
		return next == 'ย'
	default:
		return false
	}
}

// isStranded reports whether the letter at i would start a line although it belongs to the syllable before
// it: ฟิล์|ม.
func isStranded(text []rune, i int) bool {
	return i+1 >= len(text) || text[i+1] == ' ' || isLeadingVowel(text[i+1]) || !isThai(text[i+1])
}

// commonWords are common words of notices to patients, around which lines can break. Longer words match
// first, so that มาก is not split into มา and ก.
var commonWords = strings.Fields(`กรุณา งด น้ำ อาหาร ยา ก่อน หลัง และ หรือ ที่ ไม่ ให้ ตรวจ เลือด ปัสสาวะ วัน เวลา
	นัด ผู้ป่วย ญาติ ของ มา มาก แล้ว จะ ต้อง ควร ห้าม
	บัตร ประจำตัว ประชาชน ประกัน สังคม สิทธิ์ สิทธิ การ รักษา ชั่วโมง นาที ติดต่อ เจ้าหน้าที่ พยาบาล แพทย์ โรงพยาบาล
	ชั้น อาคาร ห้อง ช่อง ล่วงหน้า เลื่อน ยกเลิก โทร โทรศัพท์ หมายเลข
	หาก ถ้า เพื่อ จาก กับ โดย ได้ เป็น มี ใน นอก ทุก ครั้ง ด้วย พร้อม นำ ถือ แสดง ใบ ผล เอกซเรย์ อัลตราซาวด์ ช่องท้อง
	เจาะ ฉีด วัคซีน ประวัติ แพ้ โรค ความดัน เบาหวาน หัวใจ ตั้งครรภ์ บุตร เด็ก สมุด
	สวม ใส่ เสื้อ ผ้า รองเท้า เครื่องประดับ ของมีค่า ฟัน ปลอม คอนแทคเลนส์ แว่นตา ขับ รถ เอง กลับ บ้าน คน มาด้วย พัก
	ผ่อน นอน หลับ เพียงพอ ดื่ม รับประทาน กิน สูบบุหรี่ สุรา แอลกอฮอล์ เที่ยงคืน เช้า เย็น
	ตาม ถึง ลงทะเบียน คิว จุด บริการ ชำระ เงิน เอกสาร ส่งตัว เดิม ใหม่ หน้า ตัว อย่าง น้อย สอบถาม เพิ่มเติม ขอบคุณ
	ครับ ค่ะ ทำ ความสะอาด ร่างกาย สระผม ล้าง เล็บ แต่ง ทา งดเว้น หยุด ต่อเนื่อง ปรึกษา อาการ ผิดปกติ ทันที ไข้ ปวด
	บวม แดง`)

var wordSet, longestWord = func() (map[string]bool, int) {
	set, longest := map[string]bool{}, 0
	for _, w := range commonWords {
		set[w] = true
		longest = max(longest, len([]rune(w)))
	}
	return set, longest
}()

// knownWord reports whether a word ends before rune i and no longer word spans it.
func knownWord(text []rune, i int) bool {
	ends := false
	for length := min(longestWord, i); length >= 2 && !ends; length-- {
		ends = wordSet[string(text[i-length:i])]
	}
	if !ends {
		for length := min(longestWord, len(text)-i); length >= 3 && !ends; length-- {
			ends = wordSet[string(text[i:i+length])]
		}
	}
	if !ends {
		return false
	}
	for begin := max(0, i-longestWord); begin < i; begin++ {
		for end := i + 1; end <= min(len(text), begin+longestWord); end++ {
			if wordSet[string(text[begin:end])] {
				return false
			}
		}
	}
	return true
}

// printable removes characters without a glyph from a paragraph.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(s, ""))
}
