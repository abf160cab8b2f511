package hospital

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// IDType is the kind of a patient's identity document.
type IDType string

// The kinds of identity documents.
const (
	IDCitizen  IDType = "CID"
	IDPassport IDType = "PASSPORT"
	IDForeign  IDType = "FOREIGN"
	IDNone     IDType = "NONE"
)

// IDTypes lists the valid values.
var IDTypes = []IDType{IDCitizen, IDPassport, IDForeign, IDNone}

// Sex is M, F or U for unknown.
type Sex string

// The sexes.
const (
	Male       Sex = "M"
	Female     Sex = "F"
	UnknownSex Sex = "U"
)

// Sexes lists the valid values.
var Sexes = []Sex{Male, Female, UnknownSex}

// Severity is the severity of an allergy, empty if unknown.
type Severity string

// The severities of an allergy.
const (
	SeverityUnknown         Severity = ""
	SeverityMild            Severity = "MILD"
	SeverityModerate        Severity = "MODERATE"
	SeveritySevere          Severity = "SEVERE"
	SeverityLifeThreatening Severity = "LIFE_THREATENING"
)

// Severities lists the valid values.
var Severities = []Severity{SeverityUnknown, SeverityMild, SeverityModerate, SeveritySevere, SeverityLifeThreatening}

// Address is a Thai postal address.
type Address struct {
	Line        string `json:"line" required:"false"`
	Moo         string `json:"moo" required:"false"`
	Subdistrict string `json:"subdistrict" required:"false"`
	District    string `json:"district" required:"false"`
	Province    string `json:"province" required:"false"`
	PostalCode  string `json:"postalCode" required:"false"`
}

// Allergy is a substance a patient is allergic to.
type Allergy struct {
	Substance string   `json:"substance"`
	Severity  Severity `json:"severity" required:"false"`
	Reaction  string   `json:"reaction" required:"false"`
}

// PatientFields holds the editable fields of a patient. The ID card number is unique among records that are
// not deleted; the parts of a birth date beyond its precision are ignored.
type PatientFields struct {
	HN              string         `json:"hn"`
	IDType          IDType         `json:"idType"`
	IDCard          IDCard         `json:"idCard"`
	PassportNo      string         `json:"passportNo"`
	Prename         string         `json:"prename"`
	FirstName       string         `json:"firstName"`
	LastName        string         `json:"lastName"`
	FirstNameEn     string         `json:"firstNameEn"`
	LastNameEn      string         `json:"lastNameEn"`
	BirthDate       string         `json:"birthDate"`
	BirthPrecision  BirthPrecision `json:"birthPrecision"`
	Sex             Sex            `json:"sex"`
	BloodGroup      string         `json:"bloodGroup"`
	RhFactor        string         `json:"rhFactor"`
	Nationality     string         `json:"nationality"`
	Religion        string         `json:"religion"`
	MaritalStatus   string         `json:"maritalStatus"`
	Occupation      string         `json:"occupation"`
	Phone           string         `json:"phone"`
	Phone2          string         `json:"phone2"`
	Email           string         `json:"email"`
	LineUserID      string         `json:"lineUserId"`
	Address         Address        `json:"address"`
	RightCode       string         `json:"rightCode"`
	RightCardNo     string         `json:"rightCardNo"`
	RightHospital   string         `json:"rightHospital"`
	RightExpires    string         `json:"rightExpires"`
	Allergies       []Allergy      `json:"allergies"`
	NoKnownAllergy  bool           `json:"noKnownAllergy"`
	Conditions      []string       `json:"conditions"`
	ContactName     string         `json:"contactName"`
	ContactRelation string         `json:"contactRelation"`
	ContactPhone    string         `json:"contactPhone"`
	ConsentAt       *time.Time     `json:"consentAt"`
	Note            string         `json:"note"`
}

// Patient is a person with a hospital number.
type Patient struct {
	ID int64 `json:"id"`
	PatientFields
	LastVisit *string   `json:"lastVisit"`
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FullName returns prename, first and last name.
func (p PatientFields) FullName() string {
	return strings.TrimSpace(p.Prename + p.FirstName + " " + p.LastName)
}

var (
	postalCode = regexp.MustCompile(`^[0-9]{5}$`)
	passport   = regexp.MustCompile(`^[A-Z0-9]{5,20}$`)
	rightCode  = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)
)

// Clean returns the fields normalized for storage: texts cleaned, numbers without dashes, an unambiguous
// prename split from the first name, and the unknown parts of a birth date set to 1.
func (p PatientFields) Clean() PatientFields {
	for _, s := range []*string{
		&p.Prename, &p.FirstName, &p.LastName, &p.FirstNameEn, &p.LastNameEn, &p.Nationality, &p.Religion, &p.MaritalStatus,
		&p.Occupation,
		&p.Address.Line, &p.Address.Moo, &p.Address.Subdistrict, &p.Address.District, &p.Address.Province, &p.RightHospital,
		&p.ContactName, &p.ContactRelation,
	} {
		*s = CleanText(*s)
	}
	if prename, rest, sure := SplitPrename(p.FirstName); sure && prename != "" &&
		(p.Prename == "" || p.Prename == prename) {
		p.Prename, p.FirstName = prename, rest
	}
	for _, s := range []*string{&p.Phone, &p.Phone2, &p.ContactPhone} {
		*s = phoneDigits(*s)
	}
	if card := string(p.IDCard); strings.Trim(ArabicDigits(card), "0123456789- ") == "" {
		p.IDCard = IDCard(DigitsOf(card))
	}
	p.HN = strings.ToUpper(strings.TrimSpace(ArabicDigits(p.HN)))
	p.PassportNo = strings.ToUpper(strings.Join(strings.Fields(p.PassportNo), ""))
	p.Address.PostalCode = strings.TrimSpace(ArabicDigits(p.Address.PostalCode))
	p.Email, p.RightCode = strings.TrimSpace(p.Email), strings.ToUpper(strings.TrimSpace(p.RightCode))
	if p.IDType == "" {
		p.IDType = IDNone
		if p.IDCard != "" {
			p.IDType = IDCitizen
		} else if p.PassportNo != "" {
			p.IDType = IDPassport
		}
	}
	if p.BirthPrecision == "" {
		p.BirthPrecision = BirthDay
	}
	if len(p.BirthDate) == len(time.DateOnly) {
		switch p.BirthPrecision {
		case BirthYear:
			p.BirthDate = p.BirthDate[:4] + "-01-01"
		case BirthMonth:
			p.BirthDate = p.BirthDate[:7] + "-01"
		case BirthDay:
		}
	}
	p.Allergies, p.Conditions = slices.Clone(p.Allergies), slices.Clone(p.Conditions)
	for i := range p.Allergies {
		p.Allergies[i].Substance, p.Allergies[i].Reaction = CleanText(p.Allergies[i].Substance),
			CleanText(p.Allergies[i].Reaction)
	}
	for i := range p.Conditions {
		p.Conditions[i] = CleanText(p.Conditions[i])
	}
	if p.Allergies == nil {
		p.Allergies = []Allergy{}
	}
	if p.Conditions == nil {
		p.Conditions = []string{}
	}
	return p
}

// MergedWith returns the fields of an update, cleaned, with defaults from the record before it. An
// unchanged masked ID card stands for the stored number. An empty HN or idType keeps the
// stored one, except that the type CID is removed together with the number.
func (p PatientFields) MergedWith(before PatientFields) PatientFields {
	if string(p.IDCard) == before.IDCard.Mask() {
		p.IDCard = before.IDCard
	}
	if p.HN == "" {
		p.HN = before.HN
	}
	if p.IDType == "" && (p.IDCard != "" || before.IDType != IDCitizen) {
		p.IDType = before.IDType
	}
	return p.Clean()
}

// phoneDigits removes dashes and spaces from a phone number. Other characters stay and fail validation.
func phoneDigits(s string) string {
	s = strings.TrimSpace(ArabicDigits(s))
	if strings.Trim(s, "0123456789- ().") == "" {
		return DigitsOf(s)
	}
	return s
}

// PhoneText formats a phone number: 081-234-5678, 02-123-4567, 053-123-456. Other values are returned
// unchanged.
func PhoneText(s string) string {
	digits, area := phoneDigits(s), 3
	if !IsPhone(digits) {
		return strings.TrimSpace(s)
	}
	if len(digits) == 9 && strings.HasPrefix(digits, "02") {
		area = 2
	}
	return digits[:area] + "-" + digits[area:area+3] + "-" + digits[area+3:]
}

// Validate returns VALIDATION_FAILED with every field that is invalid on the given date. The fields must be
// clean.
func (p PatientFields) Validate(today string) error {
	var c Checker
	c.Text(p.Prename, "prename", true, 40)
	c.Text(p.FirstName, "firstName", true, 100)
	c.Text(p.LastName, "lastName", true, 100)
	c.Require(slices.Contains(Sexes, p.Sex), "sex", "กรุณาเลือกเพศ", "Choose the sex.")
	c.identity(p)
	c.birth(p, today)
	for field, text := range map[string]string{
		"firstNameEn": p.FirstNameEn, "lastNameEn": p.LastNameEn, "nationality": p.Nationality, "religion": p.Religion,
		"maritalStatus": p.MaritalStatus,
		"occupation":    p.Occupation, "lineUserId": p.LineUserID, "rightCardNo": p.RightCardNo,
		"rightHospital": p.RightHospital,
		"contactName":   p.ContactName, "contactRelation": p.ContactRelation,
		"address.moo": p.Address.Moo, "address.subdistrict": p.Address.Subdistrict, "address.district": p.Address.District,
		"address.province": p.Address.Province,
	} {
		c.Text(text, field, false, 100)
	}
	c.Text(p.Address.Line, "address.line", false, 300)
	c.Lines(p.Note, "note", false, 2000)
	for field, number := range map[string]string{"phone": p.Phone, "phone2": p.Phone2, "contactPhone": p.ContactPhone} {
		c.Require(number == "" || IsPhone(number), field, phoneTH, phoneEN)
	}
	c.Require(p.Email == "" || IsEmail(p.Email), "email", emailTH, emailEN)
	c.Require(p.Address.PostalCode == "" || postalCode.MatchString(p.Address.PostalCode), "address.postalCode",
		"รหัสไปรษณีย์ต้องเป็นตัวเลข 5 หลัก", "A postal code has five digits.")
	c.Require(slices.Contains([]string{"", "A", "B", "AB", "O"}, p.BloodGroup), "bloodGroup",
		"หมู่เลือดต้องเป็น A, B, AB หรือ O", "A blood group is A, B, AB or O.")
	c.Require(slices.Contains([]string{"", "+", "-"}, p.RhFactor), "rhFactor", "Rh ต้องเป็น + หรือ -",
		"The Rh factor is + or -.")
	c.Require(p.RightCode == "" || rightCode.MatchString(p.RightCode), "rightCode", "รหัสสิทธิการรักษาไม่ถูกต้อง",
		"This is not a code of a coverage.")
	if p.RightExpires != "" {
		c.Date(p.RightExpires, "rightExpires")
	}
	c.instant(p.ConsentAt, "consentAt")
	c.health(p)
	return c.Err()
}

const (
	phoneTH = "หมายเลขโทรศัพท์ต้องเป็นตัวเลข 9–10 หลัก ขึ้นต้นด้วย 0"
	phoneEN = "A phone number has 9–10 digits and begins with 0."
)

func (c *Checker) identity(p PatientFields) {
	c.Require(slices.Contains(IDTypes, p.IDType), "idType", "ประเภทบัตรไม่ถูกต้อง",
		"This is not a kind of identification.")
	c.Require(p.IDCard == "" || IsIDCard(string(p.IDCard)), "idCard",
		"เลขประจำตัวประชาชนไม่ถูกต้อง กรุณาตรวจสอบทั้ง 13 หลัก",
		"The ID card number is not correct. Check all 13 digits.")
	c.Require(p.IDType != IDCitizen || p.IDCard != "", "idCard", "กรุณากรอกเลขประจำตัวประชาชน",
		"Fill in the ID card number.")
	c.Require(p.PassportNo == "" || passport.MatchString(p.PassportNo), "passportNo",
		"เลขหนังสือเดินทางต้องเป็นตัวอักษรอังกฤษและตัวเลข 5–20 ตัว", "A passport number has 5–20 letters and digits.")
	c.Require(p.IDType != IDPassport || p.PassportNo != "", "passportNo", "กรุณากรอกเลขหนังสือเดินทาง",
		"Fill in the passport number.")
	c.Require(utf8.RuneCountInString(p.HN) <= 20 && (p.HN == "" || HNKey(p.HN) != ""), "hn",
		"HN ต้องเป็นตัวอักษรหรือตัวเลข ไม่เกิน 20 ตัว", "An HN has letters and digits, at most 20.")
}

func (c *Checker) birth(p PatientFields, today string) {
	c.Require(slices.Contains(BirthPrecisions, p.BirthPrecision), "birthPrecision", "ความละเอียดของวันเกิดไม่ถูกต้อง",
		"The precision is DAY, MONTH or YEAR.")
	switch {
	case p.BirthDate == "":
		c.Require(false, "birthDate", "กรุณากรอกวันเกิด", "Fill in the birth date.")
	case dateFault(p.BirthDate) != nil:
		c.Date(p.BirthDate, "birthDate")
	case p.BirthDate > today:
		c.Require(false, "birthDate", "วันเกิดต้องไม่เป็นวันในอนาคต", "The birth date lies in the future.")
	default:
		if age, err := AgeOn(p.BirthDate, today); err != nil || age.Years > 130 {
			c.Require(false, "birthDate", "วันเกิดย้อนหลังได้ไม่เกิน 130 ปี กรุณาตรวจสอบว่าเป็น พ.ศ. หรือ ค.ศ.",
				"The birth date is more than 130 years ago. Was the year meant in the Buddhist Era?")
		}
	}
}

func (c *Checker) health(p PatientFields) {
	c.Require(!p.NoKnownAllergy || len(p.Allergies) == 0, "noKnownAllergy",
		"ระบุว่าไม่มีประวัติแพ้ แต่มีรายการแพ้อยู่ กรุณาแก้ไขอย่างใดอย่างหนึ่ง",
		"No known allergy is set, but there are allergies. Correct one of them.")
	c.Require(len(p.Allergies) <= 50, "allergies", "มีได้ไม่เกิน 50 รายการ", "At most 50 items.")
	for i, a := range p.Allergies {
		field := fmt.Sprintf("allergies[%d]", i)
		c.Text(a.Substance, field+".substance", true, 100)
		c.Text(a.Reaction, field+".reaction", false, 200)
		c.Require(slices.Contains(Severities, a.Severity), field+".severity", "ระดับความรุนแรงไม่ถูกต้อง",
			"This is not a severity.")
	}
	c.Require(len(p.Conditions) <= 50, "conditions", "มีได้ไม่เกิน 50 รายการ", "At most 50 items.")
	for i, text := range p.Conditions {
		c.Text(text, fmt.Sprintf("conditions[%d]", i), true, 200)
	}
}

// PatientFilter selects patients of a list. Ages are in whole years today.
type PatientFilter struct {
	Page
	Q         string `json:"q,omitempty" maxLength:"100" doc:"Part of a name, HN or phone, or an ID card"`
	Sex       Sex    `json:"sex,omitempty"`
	RightCode string `json:"rightCode,omitempty" maxLength:"10"`
	Province  string `json:"province,omitempty" maxLength:"100"`
	AgeFrom   *int   `json:"ageFrom,omitempty" minimum:"0" maximum:"130"`
	AgeTo     *int   `json:"ageTo,omitempty" minimum:"0" maximum:"130"`
}

// PatientExportQuery selects the patients of an export. The file contains full ID card numbers
// only on request and for a reason.
type PatientExportQuery struct {
	PatientFilter
	IncludeIDCard bool   `json:"includeIdCard,omitempty" doc:"Full ID cards; needs PATIENT.VIEW_CID and a reason"`
	Reason        string `json:"reason,omitempty" doc:"Required with includeIdCard; recorded in the audit log"`
}

// Validate requires a reason for full ID card numbers.
func (e PatientExportQuery) Validate() error {
	var c Checker
	c.Text(e.Reason, "reason", e.IncludeIDCard, 300)
	return c.Err()
}
