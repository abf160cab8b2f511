package hospital

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestIsUsername(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"abc": true, "somchai.k": true, "Somchai-K_2": true, "สมชาย": true, "พยาบาล.๑": true, "123": true, "ｆｕｌｌ": true,
		"  abc  ": true, "éric": true,
		strings.Repeat("a", 64): true, strings.Repeat("ก", 64): true,
		"": false, "ab": false, "a\u200bb": false, strings.Repeat("a", 65): false, "som chai": false, "som@chai": false,
		"som＠chai": false, "a/b": false,
		`a\b`: false, "a\x00b": false, "a\nb": false, "<b>x</b>": false, "a'b": false, "a;b": false, "😀😀😀": false,
		"\xff\xff\xff": false,
	} {
		if got := IsUsername(text); got != want {
			t.Errorf("IsUsername(%q) is %v", text, got)
		}
	}
}

func TestIsEmail(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 60)
	for text, want := range map[string]bool{
		"a@b.co": true, "somchai.k+nadmor@hospital.go.th": true, "ADMIN@Hospital.GO.TH": true,
		" padded@hospital.go.th ": true, "สมชาย@โรงพยาบาล.ไทย": true,
		// 64+1+182+3 = 250 above; another label makes more than 254.
		strings.Repeat("a", 64) + "@" + label + "." + label + "." + label + ".th": false,
		"": false, "a": false, "@": false, "a@": false, "@b.co": false, "a@b": false, "a@localhost": false, "a@@b.co": false,
		"a b@c.co": false,
		"a@b .co":  false, "a@b..co": false, "a@.co": false, ".a@b.co": false, "a..b@c.co": false, "a@b.co, c@d.co": false,
		"a@b.co; c@d.co":   false,
		"Somchai <a@b.co>": false, "<a@b.co>": false, "a@b.co (comment)": false, `"a b"@c.co`: false,
		"a@b.co\r\nBcc: c@d.co": false,
		"a\r\nBcc: c@d.co":      false, "a@b.co\x00": false, "a.b@c": false,
		strings.Repeat("a", 250) + "@b.co": false,
	} {
		if strings.HasPrefix(text, strings.Repeat("a", 64)+"@") {
			want = utf8.RuneCountInString(text) <= 254
		}
		if got := IsEmail(text); got != want {
			t.Errorf("IsEmail(%q) is %v", text, got)
		}
	}
}

func TestIsPhone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"021234567": true, "0812345678": true, "000000000": true,
		"": false, "02123456": false, "08123456789": false, "812345678": false, "+66812345678": false, "081-234-5678": false,
		"081 234 5678": false,
		"๐๘๑๒๓๔๕๖๗๘":   false, "０８１２３４５６７８": false, "0812345678\n": false, " 0812345678": false, "08123x5678": false,
	} {
		if got := IsPhone(text); got != want {
			t.Errorf("IsPhone(%q) is %v", text, got)
		}
	}
}

func TestPhoneText(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0812345678": "081-234-5678", "021234567": "02-123-4567", "053-123456": "053-123-456", "๐๘๑๒๓๔๕๖๗๘": "081-234-5678",
		"1669": "1669", "053-123456 ต่อ 12": "053-123456 ต่อ 12", "": "",
	} {
		if got := PhoneText(number); got != want {
			t.Errorf("%q reads %q, want %q", number, got, want)
		}
	}
}

// Two spellings that look the same are the same name: they sign in to the same account, and the second cannot
// be registered.
func TestNameKeyOfLookalikes(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"whatever the case":                         {"Somchai.K", "sOMCHAI.k"},
		"with or without space around it":           {"somchai", " \t\u00a0somchai\r\n"},
		"composed or not (NFC, NFD)":                {"\u00e9ric", "e\u0301ric"},
		"full-width or not":                         {"admin01", "ａｄｍｉｎ０１"},
		"with a zero-width space in it":             {"admin", "ad\u200bmin"},
		"with a zero-width joiner in it":            {"admin", "ad\u200dmin"},
		"with a byte order mark before it":          {"admin", "\ufeffadmin"},
		"with a soft hyphen in it":                  {"admin", "ad\u00admin"},
		"with the direction of writing turned":      {"admin", "\u202eadmin\u202c"},
		"with sara am as one character or two":      {"คำนวณ", "ค\u0e4d\u0e32นวณ"},
		"with sara am after a tone mark":            {"น้ำ", "น\u0e49\u0e4d\u0e32"},
		"with tone and vowel typed the other way":   {"ดู\u0e48", "ด\u0e48ู"},
		"with a sharp s or two":                     {"strasse", "STRAßE"},
		"with a ligature":                           {"office", "oﬃce"},
		"with a final sigma":                        {"ΟΔΟΣ", "οδος"},
		"when the invisible hides a space":          {"admin", "admin \u200b"},
		"when bytes that are no text are put in it": {"admin", "ad\xffmin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a, b := NameKey(pair[0]), NameKey(pair[1]); a != b {
				t.Errorf("%q is %q and %q is %q", pair[0], a, pair[1], b)
			}
		})
	}
}

func TestNameKeyOfDifferentNames(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"admin", "admim"}, {"somchai k", "somchaik"}, {"somchai-k", "somchai_k"}, {"มา", "ม้า"}, {"กา", "กำ"}, {"นก", "นัก"},
		{"eric", "éric"}, {"user1", "user2"},
	} {
		if NameKey(pair[0]) == NameKey(pair[1]) {
			t.Errorf("%q and %q are the same name", pair[0], pair[1])
		}
	}
}

// Covers every letter with two cases, so that no script allows two accounts with the same name.
func TestNameKeyIgnoresCase(t *testing.T) {
	t.Parallel()
	n := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		other := unicode.SimpleFold(r)
		if other == r {
			continue
		}
		n++
		if a, b := NameKey(string(r)), NameKey(string(other)); a != b {
			t.Errorf("%q is %q and %q is %q", r, a, other, b)
		}
	}
	if n < 2500 {
		t.Errorf("only %d letters have two cases", n)
	}
}

func FuzzNameKey(f *testing.F) {
	for _, seed := range []string{
		"", "Admin", " a ", "e\u0301", "ａ", "ad\u200bmin", "คำ", "ค\u0e4d\u0e32", "ﬃ", "ß", "ẞ", "İ", "ΐ", "\u1fd3", "\u13a0",
		"\uab70", "\u0345", "\u03b1\u0345\u0313",
		"\xff", "a\u200b \u200bb", "\u00a0\u200b\u00a0", "\u3000", "㎏", "\u1e9e\u0323\u0307", "\u0e4d\u0e48\u0e32",
		"\u1100\u1161\u11a8", "\U0001d400",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := NameKey(text)
		if again := NameKey(key); again != key {
			t.Errorf("the key of %q is %q, the key of that %q", text, key, again)
		}
		if !utf8.ValidString(key) {
			t.Errorf("the key of %q is not text: %q", text, key)
		}
		if key != strings.TrimSpace(key) {
			t.Errorf("the key of %q has space around it: %q", text, key)
		}
		if got := NameKey("\u200b " + text + " "); got != key {
			t.Errorf("with space around it %q is %q instead of %q", text, got, key)
		}
	})
}

func TestNewUserValidate(t *testing.T) {
	t.Parallel()
	good := NewUser{
		Username: "somchai.k", Email: "somchai@hospital.go.th", Name: "สมชาย เกียรติขจร", Phone: "0812345678", RoleID: 2,
		Password: "k7#mWq!z2x",
	}
	cases := map[string]struct {
		change func(*NewUser)
		wrong  []string
	}{
		"a good one is accepted":                          {func(*NewUser) {}, nil},
		"an invitation instead of a password is accepted": {func(u *NewUser) { u.Password, u.Invite = "", true }, nil},
		"a phone number is not needed":                    {func(u *NewUser) { u.Phone = "" }, nil},
		"it may be suspended from the start":              {func(u *NewUser) { u.Status = UserSuspended }, nil},
		"neither password nor invitation is refused":      {func(u *NewUser) { u.Password = "" }, []string{"password"}},
		"both password and invitation are refused":        {func(u *NewUser) { u.Invite = true }, []string{"password"}},
		"a weak password is refused": {
			func(u *NewUser) { u.Password = "1234567890" }, []string{"password"},
		},
		"a password that is the username is refused": {
			func(u *NewUser) { u.Username, u.Password = "somchai.jaidee", "Somchai.Jaidee" }, []string{"password"},
		},
		"no role is refused":                      {func(u *NewUser) { u.RoleID = 0 }, []string{"roleId"}},
		"a negative role is refused":              {func(u *NewUser) { u.RoleID = -1 }, []string{"roleId"}},
		"a status that does not exist is refused": {func(u *NewUser) { u.Status = "active" }, []string{"status"}},
		"a username with an at sign is refused":   {func(u *NewUser) { u.Username = "a@b.co" }, []string{"username"}},
		"a long name is refused": {
			func(u *NewUser) { u.Name = strings.Repeat("ก", 121) }, []string{"name"},
		},
		"a long position is refused": {
			func(u *NewUser) { u.Position = strings.Repeat("ก", 121) }, []string{"position"},
		},
		"a long license number is refused": {
			func(u *NewUser) { u.LicenseNo = strings.Repeat("1", 41) }, []string{"licenseNo"},
		},
		"a control character in the position is refused": {func(u *NewUser) { u.Position = "a\x00" }, []string{"position"}},
		"all missing fields are reported at once": {
			func(u *NewUser) { *u = NewUser{} }, []string{"email", "name", "password", "roleId", "username"},
		},
		"all invalid fields are reported at once, in both languages": {func(u *NewUser) {
			*u = NewUser{"a", "b", "\x01", "c", "\x02", "\x03", 0, nil, "D", "short", false}
		}, []string{"email", "licenseNo", "name", "password", "phone", "position", "roleId", "status", "username"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := good
			c.change(&u)
			wantFields(t, u.Validate(), c.wrong)
		})
	}
}

func TestRegistrationValidate(t *testing.T) {
	t.Parallel()
	good := Registration{
		Username: "thida.b", Email: "thida@hospital.go.th", Name: "ธิดา บุญเรือง", Phone: "0812345678",
		Password: "k7#mWq!z2x",
	}
	cases := map[string]struct {
		change func(*Registration)
		wrong  []string
	}{
		"a good one is accepted":       {func(*Registration) {}, nil},
		"a phone number is not needed": {func(r *Registration) { r.Phone = "" }, nil},
		"a password that is the username is refused": {
			func(r *Registration) { r.Username, r.Password = "thida.boonrueang", "THIDA.BOONRUEANG" }, []string{"password"},
		},
		"all missing fields are reported at once": {
			func(r *Registration) { *r = Registration{} }, []string{"email", "name", "password", "username"},
		},
		"all invalid fields are reported at once": {
			func(r *Registration) { *r = Registration{"a", "b", "\x01", "c", "d"} },
			[]string{"email", "name", "password", "phone", "username"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := good
			c.change(&r)
			wantFields(t, r.Validate(), c.wrong)
		})
	}
}

func TestUserChangeApply(t *testing.T) {
	t.Parallel()
	nurse, seen := int64(3), time.Date(2026, 11, 15, 2, 0, 0, 0, time.UTC)
	active := User{
		ID: 7, Username: "anong.s", Email: "anong@hospital.go.th", Name: "อนงค์", Phone: "0812345678", Position: "พยาบาล",
		LicenseNo: "45112", RoleID: &nurse,
		Role: &RoleRef{3, "NURSE", "พยาบาล"}, ServiceIDs: []int64{1, 2}, Status: UserActive, TOTPEnabled: true,
		LastLoginAt: &seen, Version: 4,
	}
	pending := active
	pending.RoleID, pending.Role, pending.Status = nil, nil, UserPending
	with := func(u User, change func(*User)) User {
		change(&u)
		return u
	}
	cases := map[string]struct {
		before User
		change UserChange
		want   User
		wrong  []string
	}{
		"what is absent stays as it is": {active, UserChange{}, active, nil},
		"what is given is set, without space around it": {
			active, UserChange{
				Username: new(" anong.sai "), Email: new(" sai@hospital.go.th "), Name: new(" อนงค์ สายสุวรรณ "),
				Phone: new(" 021234567 "), Position: new(" หัวหน้า "), LicenseNo: new(" 1 "),
			},
			with(active, func(u *User) {
				u.Username, u.Email, u.Name, u.Phone, u.Position, u.LicenseNo = "anong.sai", "sai@hospital.go.th",
					"อนงค์ สายสุวรรณ", "021234567", "หัวหน้า", "1"
			}), nil,
		},
		"an empty text empties what may be empty": {
			active, UserChange{Phone: new(""), Position: new(""), LicenseNo: new("")},
			with(active, func(u *User) { u.Phone, u.Position, u.LicenseNo = "", "", "" }), nil,
		},
		"services are kept in order and once": {
			active, UserChange{ServiceIDs: &[]int64{5, 1, 5, 3}},
			with(active, func(u *User) { u.ServiceIDs = []int64{1, 3, 5} }), nil,
		},
		"no services is not the same as services left alone": {
			active, UserChange{ServiceIDs: &[]int64{}}, with(active, func(u *User) { u.ServiceIDs = nil }), nil,
		},
		"another role leaves the status alone": {
			active, UserChange{RoleID: new(int64(2))}, with(active, func(u *User) { u.RoleID = new(int64(2)) }), nil,
		},
		"a role approves who waits for it": {
			pending, UserChange{RoleID: new(int64(2))},
			with(pending, func(u *User) { u.RoleID, u.Status = new(int64(2)), UserActive }), nil,
		},
		"unless the change says otherwise": {
			pending, UserChange{RoleID: new(int64(2)), Status: new(UserSuspended)},
			with(pending, func(u *User) { u.RoleID, u.Status = new(int64(2)), UserSuspended }), nil,
		},
		"a suspended one is not activated by a role": {
			with(active, func(u *User) { u.Status = UserSuspended }), UserChange{RoleID: new(int64(2))},
			with(active, func(u *User) { u.Status, u.RoleID = UserSuspended, new(int64(2)) }), nil,
		},
		"who waits may be turned away without a role": {
			pending, UserChange{Status: new(UserSuspended)}, with(pending, func(u *User) { u.Status = UserSuspended }), nil,
		},
		"who waits cannot be activated without a role": {
			pending, UserChange{Status: new(UserActive)}, with(pending, func(u *User) { u.Status = UserActive }),
			[]string{"roleId"},
		},
		"a status that does not exist is refused": {
			active, UserChange{Status: new(UserStatus("GONE"))}, with(active, func(u *User) { u.Status = "GONE" }),
			[]string{"status"},
		},
		"a status cannot be emptied": {
			active, UserChange{Status: new(UserStatus(""))}, with(active, func(u *User) { u.Status = "" }), []string{"status"},
		},
		"a good password is accepted and not kept in the record": {
			active, UserChange{Password: new("k7#mWq!z2x")}, active, nil,
		},
		"an empty password is refused, not ignored": {active, UserChange{Password: new("")}, active, []string{"password"}},
		"a password is compared with the username that will be": {
			active, UserChange{Username: new("anong.saisuwan"), Password: new("Anong.Saisuwan")},
			with(active, func(u *User) { u.Username = "anong.saisuwan" }), []string{"password"},
		},
		"all invalid fields are reported at once": {
			active, UserChange{
				Username: new("a"), Email: new("b"), Name: new(" "), Phone: new("c"), Position: new("\x00"), LicenseNo: new("\x01"),
				Status: new(UserStatus("X")), Password: new("short"),
			},
			with(active, func(u *User) {
				u.Username, u.Email, u.Name, u.Phone, u.Position, u.LicenseNo, u.Status = "a", "b", "", "c", "\x00", "\x01", "X"
			}),
			[]string{"email", "licenseNo", "name", "password", "phone", "position", "status", "username"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.change.Apply(c.before)
			wantFields(t, err, c.wrong)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("after the change (-want +got):\n%s", d)
			}
		})
	}
	if active.Username != "anong.s" || len(active.ServiceIDs) != 2 {
		t.Error("the record before was changed too")
	}
}
