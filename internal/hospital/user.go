package hospital

import (
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// UserStatus is whether an account may sign in.
type UserStatus string

// The three states of an account. PENDING registered itself and waits for a
// role; SUSPENDED may not sign in.
const (
	UserPending   UserStatus = "PENDING"
	UserActive    UserStatus = "ACTIVE"
	UserSuspended UserStatus = "SUSPENDED"
)

// MaySignIn returns ACCOUNT_PENDING or ACCOUNT_SUSPENDED unless the account is active.
func (s UserStatus) MaySignIn() error {
	switch s {
	case UserActive:
		return nil
	case UserPending:
		return Refuse(AccountPending)
	default:
		return Refuse(AccountSuspended)
	}
}

// UserStatuses lists the states for documents and checks.
var UserStatuses = []UserStatus{UserPending, UserActive, UserSuspended}

// User is a member of staff who signs in. Username and email are unique
// whatever their case or Unicode form.
type User struct {
	ID                 int64      `json:"id"`
	Username           string     `json:"username"`
	Email              string     `json:"email"`
	Name               string     `json:"name"`
	Phone              string     `json:"phone"`
	Position           string     `json:"position"`
	LicenseNo          string     `json:"licenseNo"`
	RoleID             *int64     `json:"roleId" nullable:"true"`
	Role               *RoleRef   `json:"role"`
	ServiceIDs         []int64    `json:"serviceIds"`
	Status             UserStatus `json:"status"`
	MustChangePassword bool       `json:"mustChangePassword"`
	TOTPEnabled        bool       `json:"totpEnabled"`
	ResetRequestedAt   *time.Time `json:"resetRequestedAt" nullable:"true" doc:"When the person asked for a new password that could not be mailed"`
	LastLoginAt        *time.Time `json:"lastLoginAt" nullable:"true"`
	Version            int64      `json:"version"`
	CreatedAt          time.Time  `json:"createdAt"`
	UpdatedAt          time.Time  `json:"updatedAt"`
}

// UserRef is a user as lists to choose from show it.
type UserRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

// AuditPerson is somebody who may have done what the log tells, whether or not
// they still can.
type AuditPerson struct {
	ID      int64      `json:"id"`
	Name    string     `json:"name"`
	Status  UserStatus `json:"status"`
	Deleted bool       `json:"deleted"`
}

// NewUser is an account that an administrator makes. It gets a first password,
// which the person changes at the first sign-in, or an invitation by mail.
type NewUser struct {
	Username   string     `json:"username"`
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Phone      string     `json:"phone,omitempty"`
	Position   string     `json:"position,omitempty"`
	LicenseNo  string     `json:"licenseNo,omitempty"`
	RoleID     int64      `json:"roleId"`
	ServiceIDs []int64    `json:"serviceIds,omitempty" maxItems:"200"`
	Status     UserStatus `json:"status,omitempty"`
	Password   string     `json:"password,omitempty" maxLength:"200" doc:"First password; the person must change it"`
	Invite     bool       `json:"invite,omitempty" doc:"Mail an invitation to choose a password instead"`
}

// Validate tells every field that is wrong.
func (n NewUser) Validate() error {
	var c Checker
	c.Require(IsUsername(n.Username), "username", usernameTH, usernameEN)
	c.Require(IsEmail(n.Email), "email", emailTH, emailEN)
	c.person(n.Name, n.Phone, n.Position, n.LicenseNo)
	c.Require(n.RoleID > 0, "roleId", "กรุณาเลือกบทบาท", "Choose a role.")
	c.status(n.Status, true)
	switch {
	case n.Password == "" && !n.Invite:
		c.Require(false, "password", "กรุณากำหนดรหัสผ่านแรก หรือเลือกส่งคำเชิญทางอีเมล",
			"Set a first password, or send an invitation by email.")
	case n.Password != "" && n.Invite:
		c.Require(false, "password", "กรุณาเลือกกำหนดรหัสผ่านหรือส่งคำเชิญอย่างใดอย่างหนึ่ง",
			"Either set a password or send an invitation, not both.")
	case n.Password != "":
		c.Password(n.Password, "password", n.Username)
	}
	return c.Err()
}

// UserChange is what somebody wants to change about an account; what is absent
// stays as it is.
type UserChange struct {
	ID         int64       `json:"id"`
	Version    int64       `json:"version" minimum:"0"`
	Username   *string     `json:"username,omitempty"`
	Email      *string     `json:"email,omitempty"`
	Name       *string     `json:"name,omitempty"`
	Phone      *string     `json:"phone,omitempty"`
	Position   *string     `json:"position,omitempty"`
	LicenseNo  *string     `json:"licenseNo,omitempty"`
	RoleID     *int64      `json:"roleId,omitempty"`
	ServiceIDs *[]int64    `json:"serviceIds,omitempty" maxItems:"200"`
	Status     *UserStatus `json:"status,omitempty"`
	Password   *string     `json:"password,omitempty" maxLength:"200" doc:"New password; ends the person's sessions and must be changed at the next sign-in"`
}

// Apply returns u with the change made, and every field that is then wrong. An
// account waiting for approval that is given a role becomes ACTIVE unless the
// change says otherwise.
func (ch UserChange) Apply(u User) (User, error) {
	set := func(dst *string, src *string) {
		if src != nil {
			*dst = strings.TrimSpace(*src)
		}
	}
	set(&u.Username, ch.Username)
	set(&u.Email, ch.Email)
	set(&u.Name, ch.Name)
	set(&u.Phone, ch.Phone)
	set(&u.Position, ch.Position)
	set(&u.LicenseNo, ch.LicenseNo)
	if ch.ServiceIDs != nil {
		u.ServiceIDs = slices.Compact(slices.Sorted(slices.Values(*ch.ServiceIDs)))
	}
	if ch.RoleID != nil {
		u.RoleID = ch.RoleID
		if u.Status == UserPending && ch.Status == nil {
			u.Status = UserActive
		}
	}
	if ch.Status != nil {
		u.Status = *ch.Status
	}
	var c Checker
	c.Require(IsUsername(u.Username), "username", usernameTH, usernameEN)
	c.Require(IsEmail(u.Email), "email", emailTH, emailEN)
	c.person(u.Name, u.Phone, u.Position, u.LicenseNo)
	c.status(u.Status, false)
	c.Require(u.RoleID != nil || u.Status != UserActive, "roleId", "กรุณาเลือกบทบาทก่อนเปิดใช้งานบัญชี",
		"Choose a role before activating the account.")
	if ch.Password != nil {
		c.Password(*ch.Password, "password", u.Username)
	}
	return u, c.Err()
}

// Registration is an account somebody asks for themselves.
type Registration struct {
	Username string `json:"username"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Phone    string `json:"phone,omitempty"`
	Password string `json:"password" maxLength:"200"`
}

// Validate tells every field that is wrong.
func (r Registration) Validate() error {
	var c Checker
	c.Require(IsUsername(r.Username), "username", usernameTH, usernameEN)
	c.Require(IsEmail(r.Email), "email", emailTH, emailEN)
	c.person(r.Name, r.Phone, "", "")
	c.Password(r.Password, "password", r.Username)
	return c.Err()
}

const (
	usernameTH = "ใช้ตัวอักษร ตัวเลข จุด ขีด หรือขีดล่าง 3–64 ตัว"
	usernameEN = "3–64 letters, digits, dots, dashes or underscores."
	emailTH    = "รูปแบบอีเมลไม่ถูกต้อง"
	emailEN    = "This is not an email address."
)

func (c *Checker) person(name, phone, position, license string) {
	c.Text(name, "name", true, 120)
	c.Require(phone == "" || IsPhone(phone), "phone", phoneTH, phoneEN)
	c.Text(position, "position", false, 120)
	c.Text(license, "licenseNo", false, 40)
}

func (c *Checker) status(s UserStatus, emptyAllowed bool) {
	c.Require(emptyAllowed && s == "" || slices.Contains(UserStatuses, s), "status", "สถานะไม่ถูกต้อง",
		"This is not a status.")
}

var phone = regexp.MustCompile(`^0[0-9]{8,9}$`)

// isName tells whether s is 3 to 64 letters, digits and marks. (As a regular
// expression that takes more than a megabyte.)
func isName(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 3 && n <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !strings.ContainsRune("._-", r)
	})
}

// IsUsername tells whether s may be a username, as it is written and once
// normalised: nothing invisible in it, or one could be made to look like
// another. "@" is left to email addresses, so that a sign-in name is never both.
func IsUsername(s string) bool {
	return isName(strings.TrimSpace(s)) && isName(NameKey(s))
}

// IsPhone tells whether s is a Thai phone number: 9–10 digits from 0.
func IsPhone(s string) bool { return phone.MatchString(s) }

// IsEmail tells whether s is one plain address (no display name, no comment).
func IsEmail(s string) bool {
	s = strings.TrimSpace(s)
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254 && strings.Contains(s[strings.LastIndex(s, "@"):], ".")
}

var fold = cases.Fold()

// NameKey is the form in which usernames and email addresses are compared and
// kept unique: no outer space, compatibility-composed, case-folded, without
// invisible characters. Applying it twice changes nothing.
func NameKey(s string) string { return settle(s, normalKey) }

func normalKey(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(norm.NFKC.String(strings.Map(capitalCherokee, fold.String(norm.NFKC.String(s)))))
}

// capitalCherokee mends fold, which swaps the two cases of Cherokee instead of
// making them one.
func capitalCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}
