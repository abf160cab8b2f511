package command

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
	"nadmor/internal/store"
)

type importCmd struct {
	Patients importPatientsCmd `cmd:"" help:"Read patients from a CSV file; nothing is written if a row is wrong."`
}

type importPatientsCmd struct {
	File     string `arg:"" help:"The CSV file." type:"path"`
	DryRun   bool   `help:"Only look, and say what would be written."`
	SkipBad  bool   `help:"Write the rows that are right although others are wrong."`
	Report   string `help:"Write every problem to this CSV file." type:"path"`
	Encoding string `help:"How the file is written: auto, utf8 or tis620." default:"auto" enum:"auto,utf8,tis620"`
}

// shownFaults is how many problems are shown when there is no report.
const shownFaults = 20

// Run looks at the whole file first and writes afterwards, all of it in one
// transaction.
func (c *importPatientsCmd) Run(ctx context.Context, a *app) (err error) {
	raw, err := os.ReadFile(c.File) // the file that was asked for
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	text, err := decode(raw, c.Encoding)
	if err != nil {
		return err
	}
	file, err := openPatientFile(text)
	if err != nil {
		return err
	}
	if len(file.unread) > 0 {
		fmt.Fprintf(a.Stdout, "Columns that are not read: %s\n", strings.Join(file.unread, ", "))
	}
	db, _, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	look := &patientCheck{file: file, db: db, progress: newProgress(a, "checking"), seen: map[sameAs]int{}, hns: map[string]bool{}, out: a.Stdout, show: c.Report == ""}
	if err := c.report(func(w io.Writer) error {
		return report.Write(w, report.CSV, faultTable, func(add report.Add) error { return look.run(ctx, add) })
	}); err != nil {
		return interrupted(ctx, err)
	}
	look.progress.end()
	fmt.Fprintf(a.Stdout, "%s: %d new, %d already there, %d wrong\n", filepath.Base(c.File), look.fresh, look.known, look.wrong)
	switch {
	case look.wrong > 0 && !c.SkipBad:
		return fmt.Errorf("nothing was written: %d rows are wrong (--skip-bad writes the others)", look.wrong)
	case c.DryRun:
		fmt.Fprintln(a.Stdout, "Nothing was written: this was a dry run.")
		return nil
	}
	return c.write(ctx, a, db, look)
}

// write writes the rows that were found new.
func (c *importPatientsCmd) write(ctx context.Context, a *app, db *store.DB, look *patientCheck) error {
	writing := newProgress(a, "writing")
	written, known, err := db.ImportPatients(hospital.WithActor(ctx, a.commandLine()), store.PatientImport{
		File: filepath.Base(c.File), Rows: look.freshRows(), HNs: maps.Keys(look.hns), Known: look.known, Wrong: look.wrong,
		Progress: func(n int) { writing.show(n, float64(n)/float64(max(look.fresh, 1))) },
	})
	switch {
	case hospital.CodeOf(err) == hospital.Duplicate:
		return fmt.Errorf("nothing was written: somebody else registered one of them, or used one of their HNs, at the same moment; run it again: %w", err)
	case err != nil:
		return interrupted(ctx, err)
	}
	writing.end()
	fmt.Fprintf(a.Stdout, "Done: %d patients were written, %d were there already, %d rows were left out.\n", written, known, look.wrong)
	return nil
}

// interrupted says in words what ended by a signal.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: nothing was written: %w", err)
	}
	return err
}

// commandLine is who acts: the system, at the hands of whoever is signed in to
// the machine.
func (a *app) commandLine() hospital.Actor {
	actor := hospital.System
	for _, name := range []string{"USER=", "SUDO_USER="} { // the last one counts
		for _, kv := range a.Environ {
			if user, ok := strings.CutPrefix(kv, name); ok && user != "" {
				actor.Name = "system (" + user + ")"
			}
		}
	}
	return actor
}

// report gives fn the file that was asked for, or nowhere to write to.
func (c *importPatientsCmd) report(fn func(io.Writer) error) (err error) {
	if c.Report == "" {
		return fn(io.Discard)
	}
	if from, err := os.Stat(c.File); err == nil {
		if to, err := os.Stat(c.Report); err == nil && os.SameFile(from, to) {
			return errors.New("the report would overwrite the file that is read")
		}
	}
	f, err := os.OpenFile(c.Report, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // the file that was asked for
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return fn(f)
}

var faultTable = report.Table{Name: "ข้อผิดพลาด", Columns: []report.Column{{Title: "แถว", Width: 8}, {Title: "คอลัมน์", Width: 24}, {Title: "ข้อผิดพลาด", Width: 60}}}

// patientCheck goes through the file once and remembers what is to be written.
type patientCheck struct {
	file     *patientFile
	db       *store.DB
	progress *progress
	out      io.Writer
	show     bool // problems on the screen, since there is no report
	shown    int

	seen                map[sameAs]int  // by which row
	hns                 map[string]bool // every HN of the file
	new                 []bool          // by position in the file
	fresh, known, wrong int
}

// sameAs is what must not be in a file twice: an HN, an ID card, or a name with
// a birth date, the two last in one text.
type sameAs struct{ kind, value string }

const (
	byHN       = "hn"
	byCard     = "idCard"
	byName     = "name"      // of anybody
	byNameOnly = "name only" // of somebody without HN and ID card
)

// checkBatch is how many rows are looked for in the database at a time.
const checkBatch = 250

func (c *patientCheck) run(ctx context.Context, add report.Add) error {
	batch := make([]patientRow, 0, checkBatch)
	flush := func() error {
		err := c.batch(ctx, batch, add)
		if len(batch) > 0 {
			c.progress.show(len(c.new), batch[len(batch)-1].done)
		}
		batch = batch[:0]
		return errors.Join(err, ctx.Err())
	}
	for row := range c.file.rows() {
		if batch = append(batch, row); len(batch) == checkBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (c *patientCheck) batch(ctx context.Context, batch []patientRow, add report.Add) error {
	var right []hospital.PatientFields
	var at []int
	for i := range batch {
		row := &batch[i]
		if len(row.faults) == 0 {
			c.file.validate(row, c.db.Today())
		}
		if len(row.faults) == 0 {
			c.duplicates(row)
		}
		if len(row.faults) == 0 {
			right, at = append(right, row.patient), append(at, i)
		}
	}
	standings, err := c.db.PatientStandings(ctx, right)
	if err != nil {
		return err
	}
	begin := len(c.new)
	c.new = append(c.new, make([]bool, len(batch))...)
	for k, i := range at {
		switch standings[k] {
		case store.StandingNew:
			c.new[begin+i] = true
			c.fresh++
		case store.StandingKnown:
			c.known++
		case store.StandingOtherPerson:
			c.file.fault(&batch[i], "hn", "HN นี้เป็นของผู้ป่วยคนอื่นในระบบ กรุณาตรวจสอบ")
		case store.StandingDeleted:
			c.file.fault(&batch[i], "hn", "HN นี้เป็นของผู้ป่วยที่ถูกลบไปแล้ว จึงใช้ซ้ำไม่ได้")
		}
	}
	for _, row := range batch {
		if len(row.faults) > 0 {
			c.wrong++
		}
		for _, f := range row.faults {
			if err := add(row.number, f.column, f.message); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
			c.tell(row.number, f)
		}
	}
	return nil
}

// tell shows the first problems where there is no report. It says which cell,
// never what is in it.
func (c *patientCheck) tell(row int, f fault) {
	if !c.show || c.shown > shownFaults {
		return
	}
	if c.shown++; c.shown > shownFaults {
		fmt.Fprintln(c.out, "… --report FILE writes all of them")
		return
	}
	fmt.Fprintf(c.out, "row %d, %s: %s\n", row, f.column, f.message)
}

// duplicates finds rows that are about somebody of an earlier row: the same HN,
// the same ID card, or the same name and birth date where one of the two has
// no number that could tell them apart.
func (c *patientCheck) duplicates(row *patientRow) {
	p := row.patient
	name := strings.Join([]string{hospital.SearchKey(p.FirstName), hospital.SearchKey(p.LastName), p.BirthDate}, "\n")
	hn, numbered := hospital.HNKey(p.HN), p.HN != "" || p.IDCard != ""
	refuse := func(key sameAs, field, message string) {
		if first, there := c.seen[key]; there && key.value != "" {
			c.file.fault(row, field, fmt.Sprintf(message, first))
		}
	}
	refuse(sameAs{byHN, hn}, "hn", "HN ซ้ำกับแถวที่ %d")
	refuse(sameAs{byCard, p.IDCard}, "idCard", "เลขประจำตัวประชาชนซ้ำกับแถวที่ %d")
	if numbered {
		refuse(sameAs{byNameOnly, name}, "firstName", "ชื่อและวันเกิดซ้ำกับแถวที่ %d")
	} else {
		refuse(sameAs{byName, name}, "firstName", "ชื่อและวันเกิดซ้ำกับแถวที่ %d")
	}
	if len(row.faults) > 0 {
		return
	}
	keys := []sameAs{{byHN, hn}, {byCard, p.IDCard}, {byName, name}}
	if !numbered {
		keys = append(keys, sameAs{byNameOnly, name})
	}
	for _, k := range keys {
		if _, there := c.seen[k]; !there {
			c.seen[k] = row.number
		}
	}
	if hn != "" {
		c.hns[hn] = true
	}
}

// freshRows reads the file again and gives what was found new.
func (c *patientCheck) freshRows() iter.Seq2[hospital.PatientFields, error] {
	return func(yield func(hospital.PatientFields, error) bool) {
		i := 0
		for row := range c.file.rows() {
			if c.new[i] && !yield(row.patient, nil) {
				return
			}
			i++
		}
	}
}

// decode makes text of the bytes of a file.
func decode(raw []byte, encoding string) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		return "", errors.New("this is a spreadsheet, not a CSV file: save it as “CSV UTF-8” first")
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return "", errors.New("this file is UTF-16 (“Unicode text”): save it as “CSV UTF-8” instead")
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if utf8.Valid(raw) && encoding != "tis620" {
		return string(raw), nil
	}
	if encoding == "utf8" || encoding == "auto" && mostlyUTF8(raw) {
		return "", fmt.Errorf("line %d is not UTF-8: the file is damaged, or --encoding is wrong", 1+bytes.Count(raw[:firstInvalid(raw)], []byte("\n")))
	}
	text, err := charmap.Windows874.NewDecoder().Bytes(raw)
	if err != nil {
		return "", fmt.Errorf("read TIS-620: %w", err)
	}
	return string(text), nil
}

// mostlyUTF8 tells whether a file with wrong bytes is UTF-8 all the same: read
// as TIS-620 it would give Thai letters that mean nothing.
func mostlyUTF8(raw []byte) bool {
	right, wrong := 0, 0
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case r == utf8.RuneError && size == 1:
			wrong++
		case size > 1:
			right += size
		}
		raw = raw[size:]
	}
	return right > wrong
}

func firstInvalid(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

// importColumn is a column that is understood: the field it fills, the names it
// may have, and how its text is read. A text that cannot be read gives the
// sentence that says why.
type importColumn struct {
	field string
	names []string
	set   func(p *hospital.PatientFields, text string) (wrong string)
}

// into makes a column that is kept as it is written.
func into(field string, to func(*hospital.PatientFields) *string, names ...string) importColumn {
	return importColumn{field, names, func(p *hospital.PatientFields, text string) string {
		*to(p) = text
		return ""
	}}
}

const fullName = "fullName"

var importColumns = []importColumn{
	into("hn", func(p *hospital.PatientFields) *string { return &p.HN }, "เลขที่โรงพยาบาล", "hospital number"),
	into("idCard", func(p *hospital.PatientFields) *string { return &p.IDCard }, "เลขประจำตัวประชาชน", "เลขบัตรประชาชน", "เลขประชาชน", "cid", "citizen id"),
	into("passportNo", func(p *hospital.PatientFields) *string { return &p.PassportNo }, "เลขหนังสือเดินทาง", "หนังสือเดินทาง", "passport"),
	into("prename", func(p *hospital.PatientFields) *string { return &p.Prename }, "คำนำหน้า", "คำนำหน้าชื่อ", "title"),
	{fullName, []string{"ชื่อ-สกุล", "ชื่อ-นามสกุล", "ชื่อนามสกุล", "name"}, setFullName},
	into("firstName", func(p *hospital.PatientFields) *string { return &p.FirstName }, "ชื่อ", "fname"),
	into("lastName", func(p *hospital.PatientFields) *string { return &p.LastName }, "นามสกุล", "สกุล", "lname", "surname"),
	into("firstNameEn", func(p *hospital.PatientFields) *string { return &p.FirstNameEn }, "ชื่อ (อังกฤษ)", "ชื่อภาษาอังกฤษ", "first name (english)"),
	into("lastNameEn", func(p *hospital.PatientFields) *string { return &p.LastNameEn }, "นามสกุล (อังกฤษ)", "นามสกุลภาษาอังกฤษ", "last name (english)"),
	{"sex", []string{"เพศ", "gender"}, setSex},
	{"birthDate", []string{"วันเกิด", "วันเดือนปีเกิด", "วันเกิด (พ.ศ.)", "birth date (b.e.)", "dob", "birthday"}, setBirthDate},
	into("bloodGroup", func(p *hospital.PatientFields) *string { return &p.BloodGroup }, "หมู่เลือด", "กรุ๊ปเลือด", "blood"),
	into("rhFactor", func(p *hospital.PatientFields) *string { return &p.RhFactor }, "rh"),
	into("nationality", func(p *hospital.PatientFields) *string { return &p.Nationality }, "สัญชาติ"),
	into("religion", func(p *hospital.PatientFields) *string { return &p.Religion }, "ศาสนา"),
	into("maritalStatus", func(p *hospital.PatientFields) *string { return &p.MaritalStatus }, "สถานภาพ", "สถานภาพสมรส"),
	into("occupation", func(p *hospital.PatientFields) *string { return &p.Occupation }, "อาชีพ"),
	into("phone", func(p *hospital.PatientFields) *string { return &p.Phone }, "โทรศัพท์", "เบอร์โทร", "เบอร์โทรศัพท์", "โทร", "มือถือ", "tel", "mobile"),
	into("phone2", func(p *hospital.PatientFields) *string { return &p.Phone2 }, "โทรศัพท์ 2", "โทรศัพท์สำรอง"),
	into("email", func(p *hospital.PatientFields) *string { return &p.Email }, "อีเมล"),
	into("address.line", func(p *hospital.PatientFields) *string { return &p.Address.Line }, "ที่อยู่", "บ้านเลขที่", "address", "line"),
	into("address.moo", func(p *hospital.PatientFields) *string { return &p.Address.Moo }, "หมู่", "หมู่ที่", "moo"),
	into("address.subdistrict", func(p *hospital.PatientFields) *string { return &p.Address.Subdistrict }, "ตำบล", "แขวง", "ตำบล/แขวง", "subdistrict", "tambon"),
	into("address.district", func(p *hospital.PatientFields) *string { return &p.Address.District }, "อำเภอ", "เขต", "อำเภอ/เขต", "district", "amphoe"),
	into("address.province", func(p *hospital.PatientFields) *string { return &p.Address.Province }, "จังหวัด", "province", "changwat"),
	into("address.postalCode", func(p *hospital.PatientFields) *string { return &p.Address.PostalCode }, "รหัสไปรษณีย์", "postal code", "zip"),
	{"rightCode", []string{"สิทธิ", "สิทธิการรักษา", "รหัสสิทธิ", "right"}, setRight},
	into("rightCardNo", func(p *hospital.PatientFields) *string { return &p.RightCardNo }, "เลขที่สิทธิ", "เลขที่บัตรสิทธิ"),
	into("rightHospital", func(p *hospital.PatientFields) *string { return &p.RightHospital }, "สถานพยาบาลหลัก", "โรงพยาบาลตามสิทธิ"),
	{"rightExpires", []string{"วันหมดสิทธิ", "สิทธิหมดอายุ"}, setRightExpires},
	{"allergies", []string{"แพ้ยา", "ประวัติแพ้", "ประวัติแพ้ยา", "การแพ้", "allergy"}, setAllergies},
	{"conditions", []string{"โรคประจำตัว", "condition"}, setConditions},
	into("contactName", func(p *hospital.PatientFields) *string { return &p.ContactName }, "ผู้ติดต่อ", "ผู้ติดต่อฉุกเฉิน"),
	into("contactRelation", func(p *hospital.PatientFields) *string { return &p.ContactRelation }, "ความสัมพันธ์", "ความสัมพันธ์ผู้ติดต่อ"),
	into("contactPhone", func(p *hospital.PatientFields) *string { return &p.ContactPhone }, "โทรศัพท์ผู้ติดต่อ", "เบอร์ผู้ติดต่อ"),
	into("note", func(p *hospital.PatientFields) *string { return &p.Note }, "หมายเหตุ", "บันทึก", "remark"),
}

// importColumnOf finds a column by any of its names.
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

// headerKey is the form in which names of columns are compared: "ID_Card",
// "idCard" and "id card" are one.
func headerKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, hospital.ArabicDigits(hospital.CleanText(name)))
}

func setFullName(p *hospital.PatientFields, text string) string {
	prename, rest := hospital.SplitPrename(text)
	if p.Prename == "" {
		p.Prename = prename
	}
	p.FirstName, p.LastName, _ = strings.Cut(rest, " ")
	return ""
}

var sexes = map[string]hospital.Sex{
	"ชาย": hospital.Male, "ช": hospital.Male, "m": hospital.Male, "male": hospital.Male, "1": hospital.Male,
	"หญิง": hospital.Female, "ญ": hospital.Female, "f": hospital.Female, "female": hospital.Female, "2": hospital.Female,
	"ไม่ทราบ": hospital.UnknownSex, "ไม่ระบุ": hospital.UnknownSex, "u": hospital.UnknownSex, "unknown": hospital.UnknownSex,
}

func setSex(p *hospital.PatientFields, text string) string {
	var ok bool
	if p.Sex, ok = sexes[headerKey(text)]; !ok {
		return "เพศต้องเป็น ชาย หญิง หรือ ไม่ทราบ (M, F, U, 1, 2)"
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

// rights are the names people write instead of a code.
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

// noAllergy is what people write who were asked and know of none.
var noAllergy = []string{"ไม่มี", "ไม่แพ้", "ไม่แพ้ยา", "ไม่มีประวัติแพ้", "ไม่มีประวัติแพ้ยา", "ปฏิเสธ", "ปฏิเสธการแพ้", "ปฏิเสธการแพ้ยา", "none", "no", "nka", "nkda", "noknownallergy"}

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

// items are the parts of a cell that holds several things.
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
		"มกราคม มกรา มค january jan", "กุมภาพันธ์ กุมภา กพ february feb", "มีนาคม มีนา มีค march mar", "เมษายน เมษา เมย april apr",
		"พฤษภาคม พฤษภา พค may", "มิถุนายน มิถุนา มิย june jun", "กรกฎาคม กรกฎา กค july jul", "สิงหาคม สิงหา สค august aug",
		"กันยายน กันยา กย september sep sept", "ตุลาคม ตุลา ตค october oct", "พฤศจิกายน พฤศจิกา พย november nov", "ธันวาคม ธันวา ธค december dec",
	} {
		for name := range strings.FieldsSeq(names) {
			monthOf[name] = i + 1
		}
	}
}

// readDate reads a date as people write it: day first or year first, with
// numbers or the name of the month, in Thai or Arabic digits, eight digits
// without anything between, or only the month or year that is known. A year
// from 2400 on is of the Buddhist Era. What could mean two things means
// nothing: a year of two digits is refused.
func readDate(text string) (date string, precision hospital.BirthPrecision, wrong string) {
	text = strings.ToLower(hospital.ArabicDigits(hospital.CleanText(text)))
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

// dateOf decides which number is what.
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
		n, _ := strconv.Atoi(s) // digits only, at most four; nothing is 0
		return n
	}
	if month == 0 {
		month = number(monthNumber)
	}
	return known(number(day), month, number(year), precision, era)
}

// eightDigits are day, month and year, or year, month and day. They cannot be
// both: no year that somebody was born in begins with a month.
func eightDigits(s, era string) (string, hospital.BirthPrecision, string) {
	n, _ := strconv.Atoi(s) // eight digits
	if date, precision, wrong := known(n/1000000, n/10000%100, n%10000, hospital.BirthDay, era); wrong == "" {
		return date, precision, wrong
	}
	return known(n%100, n/100%100, n/10000, hospital.BirthDay, era)
}

// known writes a date of which parts may be unknown: a day, or a day and a
// month, of 0.
func known(day, month, year int, precision hospital.BirthPrecision, era string) (string, hospital.BirthPrecision, string) {
	if era == "พศ" || era != "คศ" && year >= 2400 {
		year -= 543
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

// patientFile is a CSV file whose header is understood.
type patientFile struct {
	text    string // without what stands before the header
	comma   rune
	columns []*importColumn // nil for one that is not read
	titles  []string
	column  map[string]string // the title of the column that fills a field
	unread  []string
	skipped int // lines before the header
}

// fault is what is wrong with one cell.
type fault struct{ column, message string }

// patientRow is one row of the file: its number as a spreadsheet shows it, what
// it says, and what is wrong with it.
type patientRow struct {
	number  int
	done    float64 // how much of the file is read
	patient hospital.PatientFields
	faults  []fault
}

// openPatientFile reads the header.
func openPatientFile(text string) (*patientFile, error) {
	f := &patientFile{text: text, column: map[string]string{}}
	if hint, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(strings.ToLower(hint), "sep=") { // for Excel
		f.text, f.skipped = rest, 1
	}
	f.comma = separatorOf(f.text)
	header, err := f.reader().Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("the header cannot be read: %w", err)
	}
	f.titles = slices.Clone(header)
	f.columns = make([]*importColumn, len(header))
	for i, title := range f.titles {
		title = strings.TrimSpace(report.Unguard(title))
		f.titles[i] = title
		c := importColumnOf[headerKey(title)]
		switch {
		case c == nil && title != "":
			f.unread = append(f.unread, title)
		case c == nil:
		case f.column[c.field] != "":
			return nil, fmt.Errorf("the columns %q and %q both say %s", f.column[c.field], title, c.field)
		default:
			f.columns[i], f.column[c.field] = c, title
		}
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	return f, nil
}

// complete tells which columns are missing that every patient needs.
func (f *patientFile) complete() error {
	var missing []string
	needed := []string{"firstName", "lastName", "sex", "birthDate"}
	if whole := f.column[fullName]; whole != "" {
		if f.column["firstName"] != "" || f.column["lastName"] != "" {
			return fmt.Errorf("the name is there twice: in %q and in parts", whole)
		}
		f.column["firstName"], f.column["lastName"] = whole, whole
	}
	for _, field := range needed {
		if f.column[field] == "" {
			missing = append(missing, field+" ("+importColumnOf[headerKey(field)].names[0]+")")
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("columns are missing: %s", strings.Join(missing, ", "))
	}
	return nil
}

// separatorOf finds what stands between the names in the header.
func separatorOf(text string) rune {
	best, most := ',', 0
	for _, comma := range []rune{',', ';', '\t'} {
		n, quoted := 0, false
		for _, r := range text {
			if !quoted && r == '\n' {
				break
			}
			if r == '"' {
				quoted = !quoted
			}
			if !quoted && r == comma {
				n++
			}
		}
		if n > most {
			best, most = comma, n
		}
	}
	return best
}

func (f *patientFile) reader() *csv.Reader {
	r := csv.NewReader(strings.NewReader(f.text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = f.comma, -1, true
	return r
}

// rows reads every row, the same each time. Rows without anything in them are
// left out.
func (f *patientFile) rows() iter.Seq[patientRow] {
	return func(yield func(patientRow) bool) {
		r := f.reader()
		inside := 0 // line breaks inside cells, which a spreadsheet does not count
		for first := true; ; first = false {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			row := patientRow{done: float64(r.InputOffset()) / float64(max(len(f.text), 1))}
			var broken *csv.ParseError
			if errors.As(err, &broken) {
				row.number = broken.StartLine + f.skipped - inside
				row.faults = []fault{{"", "เครื่องหมายคำพูด (\") ไม่ครบคู่"}}
			} else {
				line, _ := r.FieldPos(0)
				row.number = line + f.skipped - inside
				for _, cell := range record {
					inside += strings.Count(cell, "\n")
				}
				if first || !slices.ContainsFunc(record, func(s string) bool { return strings.TrimSpace(s) != "" }) {
					continue
				}
				f.read(&row, record)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// read fills the row from its cells.
func (f *patientFile) read(row *patientRow, record []string) {
	if len(record) != len(f.columns) {
		row.faults = append(row.faults, fault{"", fmt.Sprintf("มี %d ช่อง แต่หัวตารางมี %d ช่อง", len(record), len(f.columns))})
		return
	}
	for i, c := range f.columns {
		text := strings.TrimSpace(report.Unguard(record[i]))
		if c == nil || text == "" || text == "-" && c.field != "rhFactor" || text == "NULL" || text == `\N` {
			continue
		}
		if strings.ContainsRune(text, 0) {
			f.fault(row, c.field, "มีอักขระที่ไม่อนุญาต")
			continue
		}
		if wrong := c.set(&row.patient, text); wrong != "" {
			f.fault(row, c.field, wrong)
		}
	}
	row.patient = row.patient.Clean()
}

// validate notes everything the hospital's rules say against the row.
func (f *patientFile) validate(row *patientRow, today string) {
	var e *hospital.Error
	if errors.As(row.patient.Validate(today), &e) {
		for _, fe := range e.Fields {
			f.fault(row, fe.Field, fe.Message.TH)
		}
	}
}

// fault notes what is wrong with a field under the title of its column, or its
// own name where the file has no such column.
func (f *patientFile) fault(row *patientRow, field, message string) {
	whole, _, _ := strings.Cut(field, "[")
	column := f.column[whole]
	if column == "" && whole == "prename" && f.column[fullName] != "" {
		column = f.column[fullName]
	}
	if column == "" {
		column = whole
	}
	row.faults = append(row.faults, fault{column, message})
}

// progress tells on stderr how far the work is: often on a terminal, every few
// seconds elsewhere.
type progress struct {
	app         *app
	what        string
	start, last time.Time
	every       time.Duration
	terminal    bool
}

func newProgress(a *app, what string) *progress {
	p := &progress{app: a, what: what, every: 5 * time.Second}
	if f, ok := a.Stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal, p.every = true, 200*time.Millisecond
		}
	}
	p.start = a.Now()
	p.last = p.start
	return p
}

func (p *progress) show(rows int, done float64) {
	now := p.app.Now()
	if now.Sub(p.last) < p.every {
		return
	}
	p.last = now
	before, after := "", "\n"
	if p.terminal {
		before, after = "\r", "   "
	}
	fmt.Fprintf(p.app.Stderr, "%s%s: %.0f %%, %d rows, %.0f rows/s%s", before, p.what, done*100, rows, float64(rows)/now.Sub(p.start).Seconds(), after)
}

func (p *progress) end() {
	if p.terminal && p.last != p.start {
		fmt.Fprintln(p.app.Stderr)
	}
}
