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

// UserStatus is the status of an account.
type UserStatus string

// The user statuses. PENDING accounts registered themselves and have no role yet.
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
		return Reject(AccountPending)
	default:
		return Reject(AccountSuspended)
	}
}

// UserStatuses lists the valid values.
var UserStatuses = []UserStatus{UserPending, UserActive, UserSuspended}

// User is a staff account. Username and email are unique under NameKey.
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
	ResetRequestedAt   *time.Time `json:"resetRequestedAt" nullable:"true" doc:"When the user requested a reset link that was not mailed"`
	LastLoginAt        *time.Time `json:"lastLoginAt" nullable:"true"`
	Version            int64      `json:"version"`
	CreatedAt          time.Time  `json:"createdAt"`
	UpdatedAt          time.Time  `json:"updatedAt"`
}

// UserRef is a user in a list of choices.
type UserRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

// AuditPerson is a user in the filter of the audit log, including deleted ones.
type AuditPerson struct {
	ID      int64      `json:"id"`
	Name    string     `json:"name"`
	Status  UserStatus `json:"status"`
	Deleted bool       `json:"deleted"`
}

// NewUser is a request of an administrator to create an account. It has either an initial password, which
// must be changed at the first login, or an invitation is mailed.
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
	Password   string     `json:"password,omitempty" maxLength:"200" doc:"Initial password; must be changed at the first login"`
	Invite     bool       `json:"invite,omitempty" doc:"Mail an invitation to set a password instead"`
}

// Validate returns VALIDATION_FAILED with every invalid field.
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

// UserChange is a request to change an account. Absent fields stay unchanged.
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
	Password   *string     `json:"password,omitempty" maxLength:"200" doc:"New password; ends all sessions and must be changed at the next login"`
}

// Apply returns u with the change applied, and VALIDATION_FAILED if the result is invalid. A PENDING account
// that is given a role becomes ACTIVE unless the change sets another status.
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

// Registration is a request to register an own account.
type Registration struct {
	Username string `json:"username"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Phone    string `json:"phone,omitempty"`
	Password string `json:"password" maxLength:"200"`
}

// Validate returns VALIDATION_FAILED with every invalid field.
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

// isName reports whether s has 3 to 64 letters, digits and marks. A regular expression for this takes more
// than a megabyte of memory.
func isName(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 3 && n <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !strings.ContainsRune("._-", r)
	})
}

// IsUsername reports whether s is a valid username, both as written and normalized: without invisible
// characters, so that no username looks like another, and without "@", so that it is never an email address.
func IsUsername(s string) bool {
	return isName(strings.TrimSpace(s)) && isName(NameKey(s))
}

// IsPhone reports whether s is a Thai phone number: 9 or 10 digits starting with 0.
func IsPhone(s string) bool { return phone.MatchString(s) }

// IsEmail reports whether s is a plain address without display name or comment.
func IsEmail(s string) bool {
	s = strings.TrimSpace(s)
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254 && strings.Contains(s[strings.LastIndex(s, "@"):], ".")
}

var fold = cases.Fold()

// NameKey returns the form in which usernames and email addresses are compared: trimmed, NFKC-composed,
// case-folded, without invisible characters. It is idempotent.
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

// capitalCherokee corrects fold, which swaps the two cases of Cherokee letters.
func capitalCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}
