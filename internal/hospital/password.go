package hospital

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	minPassword = 10
	maxPassword = 200
)

//go:embed common_passwords.txt
var commonPasswords string

var isCommon = func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		set[strings.TrimSpace(line)] = true
	}
	return set
}()

// Password validates a new password: at least ten characters, not the username, not easy to guess.
func (c *Checker) Password(password, field, username string) {
	key := NameKey(password)
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		c.Require(false, field, fmt.Sprintf("รหัสผ่านต้องมีอย่างน้อย %d ตัวอักษร", minPassword),
			fmt.Sprintf("A password has at least %d characters.", minPassword))
	case n > maxPassword:
		c.Require(false, field, fmt.Sprintf("รหัสผ่านยาวได้ไม่เกิน %d ตัวอักษร", maxPassword),
			fmt.Sprintf("A password has at most %d characters.", maxPassword))
	case username != "" && key == NameKey(username):
		c.Require(false, field, "รหัสผ่านต้องไม่เหมือนชื่อผู้ใช้", "The password must not be the username.")
	case isCommon[key] || repeats(key) || counts(key):
		c.Require(false, field, "รหัสผ่านนี้เดาง่ายเกินไป กรุณาเลือกรหัสผ่านอื่น",
			"This password is too easy to guess. Choose another.")
	}
}

// repeats reports whether s repeats a short pattern: 1111111111, ababababab, abc1abc1abc1, กขกขกขกขกข.
func repeats(s string) bool {
	chars := []rune(s)
	for n := 1; n <= 4 && n*2 <= len(chars); n++ {
		same := true
		for i := n; i < len(chars) && same; i++ {
			same = chars[i] == chars[i-n]
		}
		if same {
			return true
		}
	}
	return false
}

// counts reports whether s only counts up or down: 0123456789, 9876543210, abcdefghij, กขฃคฅฆงจฉช.
func counts(s string) bool {
	chars := []rune(s)
	for _, step := range []rune{1, -1} {
		ok := true
		for i := 1; i < len(chars) && ok; i++ {
			from, to := chars[i-1], chars[i]
			wrapped := from == '9' && to == '0' && step == 1 || from == '0' && to == '9' && step == -1
			ok = to == from+step || wrapped
		}
		if ok {
			return true
		}
	}
	return false
}

// PasswordChange is a user's request to change their own password.
type PasswordChange struct {
	CurrentPassword string `json:"currentPassword" maxLength:"200"`
	NewPassword     string `json:"newPassword" maxLength:"200"`
}

// Check returns VALIDATION_FAILED if the new password is not acceptable.
func (p PasswordChange) Check(username string) error {
	var c Checker
	c.Password(p.NewPassword, "newPassword", username)
	c.Require(p.NewPassword == "" || p.NewPassword != p.CurrentPassword, "newPassword",
		"รหัสผ่านใหม่ต้องไม่เหมือนรหัสผ่านเดิม", "The new password must differ from the current one.")
	return c.Err()
}
