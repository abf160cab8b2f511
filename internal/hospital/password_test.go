package hospital

import (
	"strings"
	"testing"
)

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		password string
		ok       bool
	}{
		"nine characters are too few":                          {"k7#mWq!z2", false},
		"ten are enough":                                       {"k7#mWq!z2x", true},
		"nothing is too little":                                {"", false},
		"nine Thai characters are too few though 27 bytes":     {"ดอกไม้แดง"[:27], false},
		"ten Thai characters are enough":                       {"ดอกไม้สีแด", true},
		"a sentence is welcome":                                {"หมอนัดวันพุธตอนบ่าย", true},
		"spaces inside count":                                  {"a b c d e f", true},
		"200 characters are accepted":                          {strings.Repeat("k7#mWq!z2x", 20), true},
		"200 Thai characters are accepted":                     {strings.Repeat("ดอกไม้สีแด", 20), true},
		"201 are refused":                                      {strings.Repeat("k7#mWq!z2x", 20) + "!", false},
		"the username is refused":                              {"somchai.jaidee", false},
		"in capitals too":                                      {"SOMCHAI.Jaidee", false},
		"full-width too":                                       {"ｓｏｍｃｈａｉ.jaidee", false},
		"with spaces around it too":                            {" somchai.jaidee ", false},
		"with something invisible in it too":                   {"somchai\u200b.jaidee", false},
		"the username with something added is another word":    {"somchai.jaidee-5", true},
		"a common password is rejected":                        {"1q2w3e4r5t", false},
		"in capitals too ":                                     {"1Q2W3E4R5T", false},
		"and in full-width":                                    {"１ｑ２ｗ３ｅ４ｒ５ｔ", false},
		"a common word with a number is refused":               {"password123", false},
		"one character repeated is refused":                    {"aaaaaaaaaa", false},
		"whatever its case":                                    {"aAaAaAaAaA", false},
		"two characters repeated are refused":                  {"xyxyxyxyxyx", false},
		"three are":                                            {"xy7xy7xy7xy", false},
		"four are":                                             {"abc1abc1abc1", false},
		"five repeated are not":                                {"abc1!abc1!", true},
		"a Thai character repeated is refused":                 {"กกกกกกกกกก", false},
		"two Thai characters repeated are refused":             {"กขกขกขกขกข", false},
		"four Thai characters repeated are refused":            {"หมอกหมอกหมอก", false},
		"counting up is refused":                               {"0123456789", false},
		"from anywhere":                                        {"3456789012", false},
		"counting down is refused":                             {"9876543210", false},
		"down past zero":                                       {"3210987654", false},
		"the alphabet is refused":                              {"abcdefghijk", false},
		"in mixed case":                                        {"aBcDeFgHiJk", false},
		"backwards":                                            {"kjihgfedcba", false},
		"the Thai alphabet is refused":                         {"กขฃคฅฆงจฉช", false},
		"one step beside the count is not counting":            {"0123456798", true},
		"ten spaces are refused":                               {"          ", false},
		"ten invisible characters are refused":                 {strings.Repeat("\u200b", 10), false},
		"one letter behind invisible characters is refused":    {"a" + strings.Repeat("\u200b", 12), false},
		"a random text of 26 letters, as we make, is accepted": {"5TZPQ3VLKX7RAHWM2C4NYEBJ6D", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var check Checker
			check.Password(c.password, "newPassword", "Somchai.Jaidee")
			wrong := []string{"newPassword"}
			if c.ok {
				wrong = nil
			}
			wantFields(t, check.Err(), wrong)
		})
	}
}

func TestPasswordRulesWithoutUsername(t *testing.T) {
	t.Parallel()
	var check Checker
	check.Password("k7#mWq!z2x", "password", "")
	check.Password(strings.Repeat("\u200b", 3)+"1234567890", "password", "")
	wantFields(t, check.Err(), []string{"password"})
}

// The list is compared in normalized form, so a line in another form would never match.
func TestCommonPasswordsAreRejected(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(commonPasswords) {
		word := strings.TrimSpace(line)
		n++
		if word != NameKey(word) {
			t.Errorf("%q is not in normalised form", word)
		}
		if len([]rune(word)) < minPassword {
			t.Errorf("%q is refused for its length anyway", word)
		}
		var check Checker
		check.Password(strings.ToUpper(word), "password", "")
		if check.Err() == nil {
			t.Errorf("%q is accepted in capitals", word)
		}
	}
	if n < 1000 {
		t.Errorf("the list has only %d words", n)
	}
}

func TestOwnPasswordChange(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change PasswordChange
		wrong  []string
	}{
		"a new good one is accepted":         {PasswordChange{"old one 12345", "k7#mWq!z2x"}, nil},
		"the same again is refused":          {PasswordChange{"k7#mWq!z2x", "k7#mWq!z2x"}, []string{"newPassword"}},
		"an empty one is refused once":       {PasswordChange{"", ""}, []string{"newPassword"}},
		"the person's username is refused":   {PasswordChange{"old one 12345", "somchai.jaidee"}, []string{"newPassword"}},
		"the current one is not judged here": {PasswordChange{"short", "k7#mWq!z2x"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFields(t, c.change.Check("somchai.jaidee"), c.wrong)
		})
	}
}
