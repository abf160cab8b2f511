package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nadmor/internal/hospital"
)

// importColumn is a known column: its field, its titles, and its parser, which returns an error message for a
// value that it cannot parse.
type importColumn struct {
	field string
	names []string
	set   func(p *hospital.PatientFields, text string) (wrong string)
}

// into returns a column whose text is stored unchanged.
func into[T ~string](field string, to func(*hospital.PatientFields) *T, names ...string) importColumn {
	return importColumn{field, names, func(p *hospital.PatientFields, text string) string {
		*to(p) = T(text)
		return ""
	}}
}

const fullName = "fullName"

var importColumns = []importColumn{
	into("hn", func(p *hospital.PatientFields) *string { return &p.HN }, "เลขที่โรงพยาบาล", "hospital number"),
	into("idCard", func(p *hospital.PatientFields) *hospital.IDCard { return &p.IDCard },
		"เลขประจำตัวประชาชน", "เลขบัตรประชาชน", "เลขประชาชน", "cid", "citizen id"),
	into("passportNo", func(p *hospital.PatientFields) *string { return &p.PassportNo }, "เลขหนังสือเดินทาง",
		"หนังสือเดินทาง", "passport"),
	into("prename", func(p *hospital.PatientFields) *string { return &p.Prename }, "คำนำหน้า", "คำนำหน้าชื่อ", "title"),
	{fullName, []string{"ชื่อ-สกุล", "ชื่อ-นามสกุล", "ชื่อนามสกุล", "name"}, setFullName},
	into("firstName", func(p *hospital.PatientFields) *string { return &p.FirstName }, "ชื่อ", "fname"),
	into("lastName", func(p *hospital.PatientFields) *string { return &p.LastName }, "นามสกุล", "สกุล", "lname",
		"surname"),
	into("firstNameEn", func(p *hospital.PatientFields) *string { return &p.FirstNameEn }, "ชื่อ (อังกฤษ)",
		"ชื่อภาษาอังกฤษ", "first name (english)"),
	into("lastNameEn", func(p *hospital.PatientFields) *string { return &p.LastNameEn }, "นามสกุล (อังกฤษ)",
		"นามสกุลภาษาอังกฤษ", "last name (english)"),
	{"sex", []string{"เพศ", "gender"}, setSex},
	{"birthDate", []string{"วันเกิด", "วันเดือนปีเกิด", "วันเกิด (พ.ศ.)", "birth date (b.e.)", "dob", "birthday"},
		setBirthDate},
	into("bloodGroup", func(p *hospital.PatientFields) *string { return &p.BloodGroup }, "หมู่เลือด", "กรุ๊ปเลือด",
		"blood"),
	into("rhFactor", func(p *hospital.PatientFields) *string { return &p.RhFactor }, "rh"),
	into("nationality", func(p *hospital.PatientFields) *string { return &p.Nationality }, "สัญชาติ"),
	into("religion", func(p *hospital.PatientFields) *string { return &p.Religion }, "ศาสนา"),
	into("maritalStatus", func(p *hospital.PatientFields) *string { return &p.MaritalStatus }, "สถานภาพ", "สถานภาพสมรส"),
	into("occupation", func(p *hospital.PatientFields) *string { return &p.Occupation }, "อาชีพ"),
	into("phone", func(p *hospital.PatientFields) *string { return &p.Phone }, "โทรศัพท์", "เบอร์โทร", "เบอร์โทรศัพท์",
		"โทร", "มือถือ", "tel", "mobile"),
	into("phone2", func(p *hospital.PatientFields) *string { return &p.Phone2 }, "โทรศัพท์ 2", "โทรศัพท์สำรอง"),
	into("email", func(p *hospital.PatientFields) *string { return &p.Email }, "อีเมล"),
	into("address.line", func(p *hospital.PatientFields) *string { return &p.Address.Line }, "ที่อยู่", "บ้านเลขที่",
		"address", "line"),
	into("address.moo", func(p *hospital.PatientFields) *string { return &p.Address.Moo }, "หมู่", "หมู่ที่", "moo"),
	into("address.subdistrict", func(p *hospital.PatientFields) *string { return &p.Address.Subdistrict }, "ตำบล", "แขวง",
		"ตำบล/แขวง", "subdistrict", "tambon"),
	into("address.district", func(p *hospital.PatientFields) *string { return &p.Address.District }, "อำเภอ", "เขต",
		"อำเภอ/เขต", "district", "amphoe"),
	into("address.province", func(p *hospital.PatientFields) *string { return &p.Address.Province }, "จังหวัด", "province",
		"changwat"),
	into("address.postalCode", func(p *hospital.PatientFields) *string { return &p.Address.PostalCode }, "รหัสไปรษณีย์",
		"postal code", "zip"),
	{"rightCode", []string{"สิทธิ", "สิทธิการรักษา", "รหัสสิทธิ", "right", "coverage"}, setRight},
	into("rightCardNo", func(p *hospital.PatientFields) *string { return &p.RightCardNo }, "เลขที่สิทธิ",
		"เลขที่บัตรสิทธิ"),
	into("rightHospital", func(p *hospital.PatientFields) *string { return &p.RightHospital }, "สถานพยาบาลหลัก",
		"โรงพยาบาลตามสิทธิ"),
	{"rightExpires", []string{"วันหมดสิทธิ", "สิทธิหมดอายุ"}, setRightExpires},
	{"allergies", []string{"แพ้ยา", "ประวัติแพ้", "ประวัติแพ้ยา", "การแพ้", "allergy"}, setAllergies},
	{"conditions", []string{"โรคประจำตัว", "condition"}, setConditions},
	into("contactName", func(p *hospital.PatientFields) *string { return &p.ContactName }, "ผู้ติดต่อ",
		"ผู้ติดต่อฉุกเฉิน"),
	into("contactRelation", func(p *hospital.PatientFields) *string { return &p.ContactRelation }, "ความสัมพันธ์",
		"ความสัมพันธ์ผู้ติดต่อ"),
	into("contactPhone", func(p *hospital.PatientFields) *string { return &p.ContactPhone }, "โทรศัพท์ผู้ติดต่อ",
		"เบอร์ผู้ติดต่อ"),
	into("note", func(p *hospital.PatientFields) *string { return &p.Note }, "หมายเหตุ", "บันทึก", "remark"),
}

// importColumnOf maps titles to columns.
var importColumnOf = func() map[string]*importColumn {
	byName := map[string]*importColumn{}
	for i := range importColumns {
		c := &importColumns[i]
		for _, name := range append([]string{c.field}, c.names...) {
			byName[headerKey(name)] = c
		}
	}
	return byName
}()

// headerKey returns the form in which titles are compared: "ID_Card", "idCard" and "id card" are equal.
func headerKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, hospital.ArabicDigits(hospital.CleanText(name)))
}

func setFullName(p *hospital.PatientFields, text string) string {
	prename, rest, sure := hospital.SplitPrename(text)
	if !sure { // decided with the other columns
		prename, rest = "", text
	}
	if p.Prename == "" {
		p.Prename = prename
	}
	p.FirstName, p.LastName, _ = strings.Cut(rest, " ")
	return ""
}

var sexes = map[string]hospital.Sex{
	"ชาย": hospital.Male, "ช": hospital.Male, "m": hospital.Male, "male": hospital.Male, "1": hospital.Male,
	"หญิง": hospital.Female, "ญ": hospital.Female, "f": hospital.Female, "female": hospital.Female, "2": hospital.Female,
	"ไม่ทราบ": hospital.UnknownSex, "ไม่ระบุ": hospital.UnknownSex, "u": hospital.UnknownSex,
	"unknown": hospital.UnknownSex,
}

func setSex(p *hospital.PatientFields, text string) string {
	var ok bool
	if p.Sex, ok = sexes[headerKey(text)]; !ok {
		return "เพศต้องเป็น ชาย หญิง หรือ ไม่ระบุ (M, F, U, 1, 2)"
	}
	return ""
}

func setBirthDate(p *hospital.PatientFields, text string) (wrong string) {
	p.BirthDate, p.BirthPrecision, wrong = readDate(text)
	return wrong
}

func setRightExpires(p *hospital.PatientFields, text string) string {
	date, precision, wrong := readDate(text)
	if wrong == "" && precision != hospital.BirthDay {
		return "วันหมดสิทธิต้องมีวัน เดือน และปี"
	}
	p.RightExpires = date
	return wrong
}

// rights maps names of health insurance rights to their codes.
var rights = map[string]string{
	"บัตรทอง": "UCS", "หลักประกันสุขภาพ": "UCS", "หลักประกันสุขภาพถ้วนหน้า": "UCS", "uc": "UCS",
	"ประกันสังคม": "SSS", "ข้าราชการ": "OFC", "จ่ายตรง": "OFC", "กรมบัญชีกลาง": "OFC",
	"อปท": "LGO", "องค์กรปกครองส่วนท้องถิ่น": "LGO",
}

func setRight(p *hospital.PatientFields, text string) string {
	if p.RightCode = text; rights[headerKey(text)] != "" {
		p.RightCode = rights[headerKey(text)]
	}
	return ""
}

// noAllergy are the texts for "no known allergy".
var noAllergy = []string{
	"ไม่มี", "ไม่แพ้", "ไม่แพ้ยา", "ไม่มีประวัติแพ้", "ไม่มีประวัติแพ้ยา", "ปฏิเสธ", "ปฏิเสธการแพ้", "ปฏิเสธการแพ้ยา",
	"none", "no", "nka", "nkda", "noknownallergy",
}

func setAllergies(p *hospital.PatientFields, text string) string {
	if slices.Contains(noAllergy, headerKey(text)) {
		p.NoKnownAllergy = true
		return ""
	}
	for _, s := range items(text) {
		p.Allergies = append(p.Allergies, hospital.Allergy{Substance: s})
	}
	return ""
}

func setConditions(p *hospital.PatientFields, text string) string {
	p.Conditions = items(text)
	return ""
}

// items splits a cell that holds a list.
func items(text string) (list []string) {
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";|\n", r) }) {
		if s = strings.TrimSpace(s); s != "" && s != "-" {
			list = append(list, s)
		}
	}
	return list
}

const (
	dateWrong = "วันที่ไม่ถูกต้อง เช่น 15/11/2529, 1986-11-15, 15 พ.ย. 2529 หรือปี พ.ศ. อย่างเดียว"
	yearWrong = "ปีต้องมี 4 หลัก เพราะบอกไม่ได้ว่าเป็นปีใด"
)

var (
	timeOfDay = regexp.MustCompile(`[ t][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?z?$`)
	dateParts = regexp.MustCompile(`[0-9]+|[^0-9]+`)
	monthOf   = map[string]int{}
)

func init() {
	for i, names := range []string{
		"มกราคม มกรา มค january jan", "กุมภาพันธ์ กุมภา กพ february feb", "มีนาคม มีนา มีค march mar",
		"เมษายน เมษา เมย april apr",
		"พฤษภาคม พฤษภา พค may", "มิถุนายน มิถุนา มิย june jun", "กรกฎาคม กรกฎา กค july jul", "สิงหาคม สิงหา สค august aug",
		"กันยายน กันยา กย september sep sept", "ตุลาคม ตุลา ตค october oct", "พฤศจิกายน พฤศจิกา พย november nov",
		"ธันวาคม ธันวา ธค december dec",
	} {
		for name := range strings.FieldsSeq(names) {
			monthOf[name] = i + 1
		}
	}
}

// readDate parses a date in the usual Thai and international formats: day or year first, month as number or
// name, Thai or Arabic digits, eight digits without separators, or only month and year or the year. Years
// from 2400 on are of the Buddhist Era. Ambiguous values such as two-digit years are rejected.
func readDate(text string) (date string, precision hospital.BirthPrecision, wrong string) {
	text = strings.ToLower(hospital.ArabicDigits(hospital.CleanText(text)))
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(text)); err == nil {
		// an instant written by a program: midnight in Bangkok is 17:00 UTC of the day before
		text = at.In(hospital.Bangkok).Format(time.DateOnly)
	}
	text = timeOfDay.ReplaceAllString(text, "")
	var numbers []string
	month, era := 0, ""
	for i, part := range dateParts.FindAllString(text, -1) {
		if part[0] >= '0' && part[0] <= '9' {
			numbers = append(numbers, part)
			continue
		}
		word := headerKey(part)
		if word == "" && (i == 0 || !slices.Contains([]string{"/", "-", ".", ",", ""}, strings.TrimSpace(part))) {
			return "", "", dateWrong
		}
		for _, filler := range []string{"วันที่", "เดือน"} {
			word = strings.TrimPrefix(word, filler)
		}
		for _, e := range []string{"พศ", "คศ", "ปี"} {
			if rest, ok := strings.CutSuffix(word, e); ok {
				word, era = rest, e
			}
		}
		if word == "" {
			continue
		}
		if month != 0 || monthOf[word] == 0 {
			return "", "", dateWrong
		}
		month = monthOf[word]
	}
	return dateOf(numbers, month, era)
}

// dateOf decides which number is day, month and year.
func dateOf(numbers []string, month int, era string) (string, hospital.BirthPrecision, string) {
	short := func(s string) bool { return len(s) <= 2 }
	long := func(s string) bool { return len(s) == 4 }
	var day, monthNumber, year string
	precision := hospital.BirthDay
	switch n := numbers; {
	case len(n) == 1 && len(n[0]) == 8 && month == 0:
		return eightDigits(n[0], era)
	case len(n) == 1 && long(n[0]) && month == 0:
		year, precision = n[0], hospital.BirthYear
	case len(n) == 1 && long(n[0]):
		year, precision = n[0], hospital.BirthMonth
	case len(n) == 2 && month != 0 && short(n[0]) && long(n[1]):
		day, year = n[0], n[1]
	case len(n) == 2 && month == 0 && short(n[0]) && long(n[1]):
		monthNumber, year, precision = n[0], n[1], hospital.BirthMonth
	case len(n) == 2 && month == 0 && long(n[0]) && short(n[1]):
		year, monthNumber, precision = n[0], n[1], hospital.BirthMonth
	case len(n) == 3 && month == 0 && short(n[0]) && short(n[1]) && long(n[2]):
		day, monthNumber, year = n[0], n[1], n[2]
	case len(n) == 3 && month == 0 && long(n[0]) && short(n[1]) && short(n[2]):
		year, monthNumber, day = n[0], n[1], n[2]
	case len(n) > 0 && len(n) <= 3 && !slices.ContainsFunc(n, func(s string) bool { return len(s) > 2 }):
		return "", "", yearWrong
	default:
		return "", "", dateWrong
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // up to four digits; empty is 0
		return n
	}
	if month == 0 {
		month = number(monthNumber)
	}
	return known(number(day), month, number(year), precision, era)
}

// eightDigits parses ddmmyyyy or yyyymmdd. At most one of the two is valid, because no birth year starts with
// a month.
func eightDigits(s, era string) (string, hospital.BirthPrecision, string) {
	n, _ := strconv.Atoi(s) // eight digits
	if date, precision, wrong := known(n/1000000, n/10000%100, n%10000, hospital.BirthDay, era); wrong == "" {
		return date, precision, wrong
	}
	return known(n%100, n/100%100, n/10000, hospital.BirthDay, era)
}

// known returns a date whose day, or day and month, may be 0 for unknown.
func known(day, month, year int, precision hospital.BirthPrecision,
	era string) (string, hospital.BirthPrecision, string) {
	if era == "พศ" || era != "คศ" && year >= 2400 {
		year -= hospital.BuddhistEra
	}
	if precision == hospital.BirthDay && day == 0 {
		precision, day = hospital.BirthMonth, 1
	}
	if precision == hospital.BirthMonth && month == 0 && day <= 1 {
		precision = hospital.BirthYear
	}
	switch precision {
	case hospital.BirthYear:
		day, month = 1, 1
	case hospital.BirthMonth:
		day = 1
	case hospital.BirthDay:
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Year() != year || int(t.Month()) != month || t.Day() != day || year < 1800 || year > 2200 {
		return "", "", dateWrong
	}
	return t.Format(time.DateOnly), precision, ""
}
