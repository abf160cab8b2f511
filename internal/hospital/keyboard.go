package hospital

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The keys of a US keyboard and the characters that the same keys have on a Thai Kedmanee keyboard, row by row, first
// without and then with Shift.
const (
	usKeys = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./" +
		"~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?"
	thaiKeys = "_ๅ/-ภถุึคตจขช" + "ๆ" + "ไำพะัีรนยบลฃฟหกดเ้่าสวงผปแอิืทมใฝ" +
		"%+๑๒๓๔ู฿๕๖๗๘๙๐\"ฎฑธํ๊ณฯญฐ,ฅฤฆฏโฌ็๋ษศซ.()ฉฮฺ์?ฒฬฦ"
)

var thaiOfKey, keyOfThai = func() (thai, us map[rune]rune) {
	thai, us = map[rune]rune{}, map[rune]rune{}
	characters := []rune(thaiKeys)
	for i, key := range []rune(usKeys) {
		thai[key], us[characters[i]] = characters[i], key
	}
	return thai, us
}()

// OtherKeyboard returns what the same keys would have typed on the other keyboard: Thai for English and English for
// Thai. It returns "" if the result cannot be words of that language.
func OtherKeyboard(text string) string {
	thai, latin := strings.ContainsFunc(text, isThaiLetter), strings.ContainsFunc(text, isLatinLetter)
	if thai == latin {
		return ""
	}
	keys, isWord := thaiOfKey, isThaiWord
	if thai {
		keys, isWord = keyOfThai, isLatinWord
	}
	other := strings.Map(func(r rune) rune {
		if k, ok := keys[r]; ok {
			return k
		}
		return r
	}, text)
	for word := range strings.FieldsSeq(other) {
		if !isWord(word) {
			return ""
		}
	}
	return CleanText(other)
}

// isThaiWord reports whether a text consists of Thai letters and marks and does not start with a mark.
func isThaiWord(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return startsAWord(first) && !strings.ContainsFunc(s, func(r rune) bool { return !isThaiLetter(r) && r != '.' })
}

func isLatinWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isLatinLetter(r) && !unicode.IsDigit(r) && r != '-' })
}

func isThaiLetter(r rune) bool { return r >= 'ก' && r <= '๎' }

func isLatinLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
