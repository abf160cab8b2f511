package command

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestImportDateFormats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"15/11/2529":   "1986-11-15 DAY",
		"15/11/1986":   "1986-11-15 DAY",
		"5-1-2529":     "1986-01-05 DAY",
		"05.01.2529":   "1986-01-05 DAY",
		"1986-11-15":   "1986-11-15 DAY",
		"2529-11-15":   "1986-11-15 DAY",
		"2529/11/15":   "1986-11-15 DAY",
		"15112529":     "1986-11-15 DAY",
		"15111986":     "1986-11-15 DAY",
		"19861115":     "1986-11-15 DAY",
		"25291115":     "1986-11-15 DAY",
		"๑๕/๑๑/๒๕๒๙":   "1986-11-15 DAY",
		"15 พ.ย. 2529": "1986-11-15 DAY",
		"15 พย 2529":   "1986-11-15 DAY",
		"๑๕ พฤศจิกายน พ.ศ. ๒๕๒๙":             "1986-11-15 DAY",
		"วันที่ 15 เดือนพฤศจิกายน พ.ศ. 2529": "1986-11-15 DAY",
		"15 พ.ค. ค.ศ. 1986":        "1986-05-15 DAY",
		"15-ก.พ.-2529":             "1986-02-15 DAY",
		"15 Nov 1986":              "1986-11-15 DAY",
		"November 15, 1986":        "1986-11-15 DAY",
		"1986-11-15 00:00:00":      "1986-11-15 DAY",
		"1986-11-15T00:00:00.000Z": "1986-11-15 DAY",
		"1986-11-14T17:00:00.000Z": "1986-11-15 DAY",
		"2529-11-14T17:00:00Z":     "1986-11-15 DAY",
		"15/11/2529 0:00":          "1986-11-15 DAY",
		"29/02/2543":               "2000-02-29 DAY",
		" 15/11/2529 ":             "1986-11-15 DAY",
		"2490":                     "1947-01-01 YEAR",
		"พ.ศ. 2490":                "1947-01-01 YEAR",
		"ปี ๒๔๙๐":                  "1947-01-01 YEAR",
		"1947":                     "1947-01-01 YEAR",
		"00/00/2490":               "1947-01-01 YEAR",
		"2490-00-00":               "1947-01-01 YEAR",
		"11/2490":                  "1947-11-01 MONTH",
		"2490-11":                  "1947-11-01 MONTH",
		"พ.ย. 2490":                "1947-11-01 MONTH",
		"00/11/2490":               "1947-11-01 MONTH",
		"พ.ศ. 2390":                "1847-01-01 YEAR",

		"15/11/29":                 yearWrong,
		"29-11-15":                 yearWrong,
		"15 พ.ย. 29":               yearWrong,
		"29":                       yearWrong,
		"":                         dateWrong,
		"ไม่ทราบ":                  dateWrong,
		"31/02/2529":               dateWrong,
		"29/02/2530":               dateWrong,
		"11/15/2529":               dateWrong, // US order
		"15/00/2529":               dateWrong,
		"151129":                   dateWrong,
		"31732":                    dateWrong, // a spreadsheet's serial number
		"-2490":                    dateWrong,
		"15//11/2529":              dateWrong,
		"15 พ.ย. ต.ค. 2529":        dateWrong,
		"15/11/2529 ก่อน":          dateWrong,
		"12/3456":                  dateWrong,
		"99999999999999999999/1/1": dateWrong,
	} {
		date, precision, wrong := readDate(text)
		if got := strings.TrimSpace(fmt.Sprintf("%s %s%s", date, precision, wrong)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzBirthDate(f *testing.F) {
	for _, s := range []string{
		"15/11/2529", "๑๕ พ.ย. ๒๕๒๙", "2490", "00/00/2490", "19861115", "พ.ศ. 2490", "1986-11-15T00:00:00Z", "1/1/1", "\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		date, precision, wrong := readDate(s)
		if wrong != "" {
			if date != "" || precision != "" {
				t.Errorf("%q is refused and is %s %s", s, date, precision)
			}
			return
		}
		d, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatalf("%q is %q: %v", s, date, err)
		}
		if precision == hospital.BirthYear && d.YearDay() != 1 || precision == hospital.BirthMonth && d.Day() != 1 ||
			d.Year() < 1800 || d.Year() > 2200 {
			t.Errorf("%q is %s %s", s, date, precision)
		}
	})
}

func FuzzImportCSV(f *testing.F) {
	f.Add([]byte(thaiFile))
	f.Add([]byte("sep=;\nชื่อ-สกุล;เพศ;วันเกิด\n\"นายเอก\nดี\";1;2490\n;;\nx\n\"y\n"))
	f.Add([]byte("firstName,lastName,sex,birthDate\n\xaa\xe0,b,c,d\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, err := decode(raw, "auto")
		if err != nil {
			return
		}
		file, err := openPatientFile(text)
		if err != nil {
			return
		}
		// The file is read twice and must give the same rows.
		var first []patientRow
		for row := range file.rows() {
			if row.number < 1 || row.done < 0 || row.done > 1 {
				t.Errorf("row %d at %f", row.number, row.done)
			}
			file.validate(&row, "2026-11-16")
			first = append(first, row)
		}
		i := 0
		for row := range file.rows() {
			if i >= len(first) || first[i].number != row.number || !cmp.Equal(first[i].patient, row.patient) {
				t.Fatalf("row %d is another the second time", i)
			}
			if len(first[i].faults) == 0 && !cmp.Equal(row.patient, row.patient.Clean()) {
				t.Errorf("row %d is not clean", row.number)
			}
			i++
		}
	})
}

// installation is a new installation on one of the engines.
type installation struct {
	t *testing.T
	storetest.Database
	folder string
}

func eachInstallation(t *testing.T, fn func(t *testing.T, p *installation)) {
	t.Helper()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) { fn(t, &installation{t, p, t.TempDir()}) })
}

type shout struct {
	mu sync.Mutex
	b  bytes.Buffer
	on func(text string)
}

func (s *shout) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on != nil {
		s.on(string(p))
	}
	return s.b.Write(p)
}

// importFile imports a file with the given content.
func (p *installation) importFile(content string, args ...string) (code int, out, errs string) {
	p.t.Helper()
	return p.importWith(p.t.Context(), p.Clock.Now, &shout{}, content, args...)
}

func (p *installation) importWith(ctx context.Context, now func() time.Time, stderr *shout, content string,
	args ...string) (code int, out, errs string) {
	p.t.Helper()
	path := filepath.Join(p.folder, "ผู้ป่วย.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	var stdout bytes.Buffer
	code = Run(ctx, Env{
		Args: append([]string{"import", "patients", path}, args...), Stdout: &stdout, Stderr: stderr, Now: now,
		Hasher: auth.NewCheapHasher(), Environ: environOf(p.Options),
	})
	return code, stdout.String(), stderr.b.String()
}

// patients returns all patients by first name.
func (p *installation) patients() map[string]hospital.PatientFields {
	p.t.Helper()
	db := p.Open(p.t)
	got := map[string]hospital.PatientFields{}
	ctx := hospital.WithActor(p.t.Context(), hospital.System)
	if err := db.EachPatient(ctx, hospital.PatientExportQuery{}, "test", func(p hospital.Patient) error {
		got[p.FirstName] = p.PatientFields
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return got
}

const thaiFile = `HN,เลขประจำตัวประชาชน,คำนำหน้า,ชื่อ,นามสกุล,เพศ,วันเกิด,โทรศัพท์,ที่อยู่,หมู่,ตำบล,อำเภอ,จังหวัด,` +
	`รหัสไปรษณีย์,สิทธิ,แพ้ยา,โรคประจำตัว
๐๐๐๐๐๗,1-1111-11111-11-9,,นายเกษม,ใจดี,ชาย,15/11/2529,081-234-5678,"99/1 ถนน ""ห้วยแก้ว"", ซอย 2",4,สุเทพ,` +
	`เมืองเชียงใหม่,เชียงใหม่,๕๐๒๐๐,บัตรทอง,เพนิซิลลิน; กุ้ง,เบาหวาน|ความดัน
,,นาง,ขวัญ,ณ เชียงใหม่,2,2490,-,,,,,,,ucs,ไม่มี,
`

var thaiPatients = map[string]hospital.PatientFields{
	"เกษม": {
		HN: "000007", IDType: hospital.IDCitizen, IDCard: "1111111111119", Prename: "นาย", FirstName: "เกษม",
		LastName: "ใจดี", Sex: hospital.Male,
		BirthDate: "1986-11-15", BirthPrecision: hospital.BirthDay, Phone: "0812345678", RightCode: "UCS",
		Address: hospital.Address{
			Line: `99/1 ถนน "ห้วยแก้ว", ซอย 2`, Moo: "4", Subdistrict: "สุเทพ", District: "เมืองเชียงใหม่",
			Province: "เชียงใหม่", PostalCode: "50200",
		},
		Allergies: []hospital.Allergy{{Substance: "เพนิซิลลิน"}, {Substance: "กุ้ง"}}, Conditions: []string{
			"เบาหวาน", "ความดัน",
		},
	},
	"ขวัญ": {
		HN: "0000008", IDType: hospital.IDNone, Prename: "นาง", FirstName: "ขวัญ", LastName: "ณ เชียงใหม่",
		Sex:       hospital.Female,
		BirthDate: "1947-01-01", BirthPrecision: hospital.BirthYear, RightCode: "UCS", NoKnownAllergy: true,
		Allergies: []hospital.Allergy{}, Conditions: []string{},
	},
}

func TestImportEncodings(t *testing.T) {
	t.Parallel()
	tis, err := charmap.Windows874.NewEncoder().String(thaiFile)
	if err != nil {
		t.Fatal(err)
	}
	tabs := func(comma rune) string {
		records, err := csv.NewReader(strings.NewReader(thaiFile)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = comma
		if err := w.WriteAll(records); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		content string
		args    []string
	}{
		"UTF-8":                        {thaiFile, nil},
		"UTF-8 with a byte order mark": {"\ufeff" + thaiFile, nil},
		"UTF-8, as told":               {thaiFile, []string{"--encoding=utf8"}},
		"TIS-620":                      {tis, nil},
		"TIS-620, as told":             {tis, []string{"--encoding=tis620"}},
		"tabs":                         {tabs('\t'), nil},
		"semicolons":                   {tabs(';'), nil},
		"with a hint for Excel":        {"sep=,\r\n" + thaiFile, nil},
		"lines as Windows ends them":   {strings.ReplaceAll(thaiFile, "\n", "\r\n"), nil},
		"empty lines and rows":         {strings.ReplaceAll(thaiFile, "\n", "\n\n"+strings.Repeat(",", 16)+"\n"), nil},
		"English names": {strings.Replace(thaiFile, "HN,เลขประจำตัวประชาชน,คำนำหน้า,ชื่อ,นามสกุล,เพศ,วันเกิด,"+
			"โทรศัพท์,ที่อยู่,หมู่,ตำบล,อำเภอ,จังหวัด,รหัสไปรษณีย์,สิทธิ,แพ้ยา,โรคประจำตัว",
			"hn,CID,PRENAME,First_Name,lastName,SEX,birthDate,phone,address.line,moo,subdistrict,"+
				"district,province,postalCode,right code,Allergies,conditions", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &installation{t, storetest.SQLite(t), t.TempDir()}
			code, out, errs := p.importFile(c.content, c.args...)
			if code != 0 || !strings.Contains(out, "2 new, 0 already there, 0 wrong") {
				t.Fatalf("exit %d: %s%s", code, out, errs)
			}
			if diff := cmp.Diff(thaiPatients, p.patients()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImportSplitsFullName(t *testing.T) {
	t.Parallel()
	p := &installation{t, storetest.SQLite(t), t.TempDir()}
	code, out, errs := p.importFile("ชื่อ-สกุล,เพศ,วันเกิด\nนางสาวนายิกา ณ เชียงใหม่,หญิง,1990-01-01\nด.ช.เอก " +
		"ดี,ช,1/1/2560\n")
	got := p.patients()
	if code != 0 || got["นายิกา"].Prename != "นางสาว" || got["นายิกา"].LastName != "ณ เชียงใหม่" ||
		got["เอก"].Prename != "ด.ช." || got["เอก"].Sex != hospital.Male {
		t.Errorf("exit %d: %s%s %+v", code, out, errs, got)
	}
	// With a prename column, the prename is not split from the name; without one, it is.
	code, out, errs = p.importFile("ชื่อ-สกุล,คำนำหน้า,เพศ,วันเกิด\nนางฟ้า ใจดี,น.ส.,หญิง,1990-01-01\n")
	if got = p.patients(); code != 0 || got["นางฟ้า"].Prename != "น.ส." {
		t.Errorf("exit %d: %s%s %+v", code, out, errs, got)
	}
	code, out, errs = p.importFile("ชื่อ-สกุล,เพศ,วันเกิด\nนายดำ ใจดี,ชาย,1990-01-01\n")
	if got = p.patients(); code != 0 || got["ดำ"].Prename != "นาย" {
		t.Errorf("exit %d: %s%s %+v", code, out, errs, got)
	}
	code, out, _ = p.importFile("ชื่อ-สกุล,เพศ,วันเกิด\nสมชาย,ชาย,2530\n")
	if code != 1 || !strings.Contains(out, "row 2, ชื่อ-สกุล: กรุณากรอกข้อมูล") {
		t.Errorf("a name without prename and last name: exit %d: %s", code, out)
	}
}

// Files may have "-" in every empty cell, which must not become Rh negative without a blood group.
func TestImportRhFactorDash(t *testing.T) {
	t.Parallel()
	p := &installation{t, storetest.SQLite(t), t.TempDir()}
	code, out, errs := p.importFile("ชื่อ-สกุล,เพศ,วันเกิด,หมู่เลือด,Rh\nนายดำ ใจดี,ชาย,1990-01-01,A,-\nนายขาว " +
		"ใจดี,ชาย,1990-01-02,-,-\nนายแดง ใจดี,ชาย,1990-01-03,,-\nนายม่วง ใจดี,ชาย,1990-01-04,O,+\n")
	got := p.patients()
	for name, want := range map[string]string{"ดำ": "A -", "ขาว": " ", "แดง": " ", "ม่วง": "O +"} {
		if have := got[name].BloodGroup + " " + got[name].RhFactor; code != 0 || have != want {
			t.Errorf("%s: blood %q, want %q (exit %d: %s%s)", name, have, want, code, out, errs)
		}
	}
}

// oddFile has valid rows and rows with every kind of error.
const oddFile = `hn,cid,prename,ชื่อ,นามสกุล,เพศ,วันเกิด,โทรศัพท์,รหัสไปรษณีย์,note
1,,นาย,เอก,ดี,ชาย,1/1/2530,,,
2,1111111111110,นาย,โท,ดี,ชาย,1/1/2530,,,
3,,นาย,ตรี,ดี,อื่น,1/1/30,812345678,5020,"สอง
บรรทัด"
4,,นาย,จัตวา,ดี,ชาย,1/1/2600,,,
,,นาย,เบญจ,ดี,ชาย,1/1/2530,,,

1,,นาย,ฉ,ดี,ชาย,1/1/2530,,,
6,1111111111119,นาย,สัตต,ดี,ชาย,1/1/2530,,,
7,1111111111119,นาย,อัฏฐ,ดี,ชาย,1/1/2530,,,
,,นาย,เอก,ดี,ชาย,1/1/2530,,,
8,,นาย,เบญจ,ดี,ชาย,1/1/2530,,,
9,,นาย,นพ,ดี,ชาย
10,,,,,,,,,
11,,นาย,"ทศ,ดี,ชาย,1/1/2530,,,
`

var oddFaults = [][]string{
	{"แถว", "คอลัมน์", "ข้อผิดพลาด"},
	{"3", "cid", "เลขประจำตัวประชาชนไม่ถูกต้อง กรุณาตรวจสอบทั้ง 13 หลัก"},
	{"4", "เพศ", "เพศต้องเป็น ชาย หญิง หรือ ไม่ระบุ (M, F, U, 1, 2)"},
	{"4", "วันเกิด", yearWrong},
	{"5", "วันเกิด", "วันเกิดต้องไม่เป็นวันในอนาคต"},
	{"8", "hn", "HN ซ้ำกับแถวที่ 2"},
	{"10", "cid", "เลขประจำตัวประชาชนซ้ำกับแถวที่ 9"},
	{"11", "ชื่อ", "ชื่อและวันเกิดซ้ำกับแถวที่ 2"},
	{"12", "ชื่อ", "ชื่อและวันเกิดซ้ำกับแถวที่ 6"},
	{"13", "", "มี 6 ช่อง แต่หัวตารางมี 10 ช่อง"},
	{"14", "วันเกิด", "กรุณากรอกวันเกิด"},
	{"14", "ชื่อ", "กรุณากรอกข้อมูล"},
	{"14", "นามสกุล", "กรุณากรอกข้อมูล"},
	{"14", "prename", "กรุณากรอกข้อมูล"},
	{"14", "เพศ", "กรุณาเลือกเพศ"},
	{"15", "", "เครื่องหมายคำพูด (\") ไม่ครบคู่"},
}

func TestImportInvalidRowRejectsFile(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, p *installation) {
		list := filepath.Join(p.folder, "faults.csv")
		for _, args := range [][]string{{"--report", list}, {"--report", list, "--dry-run"}} {
			code, out, errs := p.importFile(oddFile, args...)
			if code != 1 || !strings.Contains(out, "3 new, 0 already there, 10 wrong") ||
				!strings.Contains(errs, "nothing was written: 10 rows are wrong") {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
			if strings.Contains(out+errs, "จัตวา") || strings.Contains(out+errs, "1111111111119") ||
				strings.Contains(out+errs, "row ") {
				t.Errorf("what a row says was shown: %s%s", out, errs)
			}
		}
		content, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(content), "\ufeff"))).ReadAll()
		if diff := cmp.Diff(oddFaults, records); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		if info, err := os.Stat(list); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if got := p.patients(); len(got) != 0 {
			t.Errorf("%d were written", len(got))
		}
		// Without a report the first problems are printed.
		_, out, _ := p.importFile(oddFile)
		if !strings.Contains(out, "row 5, วันเกิด: วันเกิดต้องไม่เป็นวันในอนาคต") {
			t.Error(out)
		}
		_, out, _ = p.importFile("ชื่อ,นามสกุล,เพศ,วันเกิด\n" + strings.Repeat("ก,ข,ค,ง\n", 100))
		if strings.Count(out, "row ") != shownFaults || strings.Count(out, "--report") != 1 {
			t.Error(out)
		}
	})
}

func TestImportSkipsInvalidRows(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, p *installation) {
		code, out, _ := p.importFile(oddFile, "--skip-bad", "--dry-run")
		if code != 0 || !strings.Contains(out, "Nothing was written: this was a dry run.") || len(p.patients()) != 0 {
			t.Errorf("exit %d: %s", code, out)
		}
		code, out, errs := p.importFile(oddFile, "--skip-bad")
		if code != 0 ||
			!strings.Contains(out, "Done: 3 patients were written, 0 were there already, 10 rows were left out.") {
			t.Errorf("exit %d: %s%s", code, out, errs)
		}
		got := p.patients()
		if len(got) != 3 || got["เอก"].HN != "1" || got["สัตต"].HN != "6" || got["เบญจ"].HN != "0000007" {
			t.Errorf("%+v", got)
		}
		// A repeated import adds nobody twice.
		code, out, errs = p.importFile(oddFile, "--skip-bad")
		if code != 0 || !strings.Contains(out, "0 new, 3 already there, 10 wrong") || len(p.patients()) != 3 {
			t.Errorf("exit %d: %s%s", code, out, errs)
		}
		log, err := p.Open(t).ListAudit(t.Context(), hospital.AuditFilter{
			Page: hospital.Page{Page: 1, PageSize: 10}, Action: "patient.import",
		})
		if err != nil || log.Total != 2 {
			t.Fatalf("%+v %v", log, err)
		}
		e := log.Items[1]
		if e.ActorName != "system (somsak)" || e.Subject != "ผู้ป่วย.csv" || e.Changes["new"].After != 3.0 ||
			e.Changes["known"].After != 0.0 || e.Changes["wrong"].After != 10.0 {
			t.Errorf("%+v", e)
		}
	})
}

func TestImportRejectsTakenHN(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, p *installation) {
		const header = "hn,คำนำหน้า,ชื่อ,นามสกุล,เพศ,วันเกิด\n"
		if code, out, errs := p.importFile(header + "1,นาย,เอก,ดี,ชาย,2530\n"); code != 0 {
			t.Fatal(out, errs)
		}
		code, out, _ := p.importFile(header+"0001,นาย,เอก,ดี,ชาย,2530\n01,นาย,อื่น,ใคร,ชาย,2540\n", "--dry-run")
		if code != 1 || !strings.Contains(out, "row 3, hn: HN ซ้ำกับแถวที่ 2") {
			t.Error(code, out)
		}
		code, out, _ = p.importFile(header+"01,นาย,อื่น,ใคร,ชาย,2540\n", "--dry-run")
		if code != 1 || !strings.Contains(out, "row 2, hn: HN นี้เป็นของผู้ป่วยคนอื่นในระบบ") {
			t.Error(code, out)
		}
	})
}

func TestImportRejectsUnreadableFile(t *testing.T) {
	t.Parallel()
	p := &installation{t, storetest.SQLite(t), t.TempDir()}
	for name, c := range map[string]struct{ content, says string }{
		"empty": {"", "the file is empty"},
		"no header": {
			"นาย,เอก,ดี\n", "columns are missing: firstName (ชื่อ), lastName (นามสกุล), sex (เพศ), birthDate (วันเกิด)",
		},
		"a column twice": {
			"ชื่อ,firstName,นามสกุล,เพศ,วันเกิด\n", `the columns "ชื่อ" and "firstName" both say firstName`,
		},
		"the name twice":             {"ชื่อ-สกุล,ชื่อ,นามสกุล,เพศ,วันเกิด\n", "the name is there twice"},
		"a spreadsheet":              {"PK\x03\x04xxxx", "this is a spreadsheet"},
		"UTF-16":                     {"\xff\xfeh\x00n\x00", "UTF-16"},
		"UTF-8 with a damaged line":  {strings.Replace(thaiFile, "เกษม", "เก\xe0\xb8", 1), "line 2 is not UTF-8"},
		"a header that does not end": {`"ชื่อ,นามสกุล`, "the header cannot be read"},
	} {
		code, out, errs := p.importFile(c.content)
		if code != 1 || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
	}
	if code, _, errs := p.importFile(thaiFile, "--report", filepath.Join(p.folder, "ผู้ป่วย.csv")); code != 1 ||
		!strings.Contains(errs, "would overwrite") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if _, out, _ := p.importFile(strings.Replace(thaiFile, "โรคประจำตัว", "โรคประจำตว", 1),
		"--dry-run"); !strings.Contains(out, "Ignored columns: โรคประจำตว") {
		t.Errorf("an ignored column is not reported: %s", out)
	}
	huge := filepath.Join(p.folder, "huge.csv")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 2<<30)); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := Run(t.Context(), Env{
		Args: []string{"import", "patients", huge}, Environ: []string{"NADMOR_DATA=" + p.folder}, Stdout: &errs,
		Stderr: &errs,
	}); code != 1 || !strings.Contains(errs.String(), "more than 1024 MB") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	errs.Reset()
	if code := Run(t.Context(), Env{
		Args:    []string{"import", "patients", filepath.Join(p.folder, "nothing.csv")},
		Environ: []string{"NADMOR_DATA=" + p.folder}, Stdout: &errs, Stderr: &errs,
	}); code != 1 || !strings.Contains(errs.String(), "no such file") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("คำนำหน้า,ชื่อ,นามสกุล,เพศ,วันเกิด,โทรศัพท์,จังหวัด,สิทธิ\n")
	for i := range n {
		fmt.Fprintf(&b, "นาย,สมชาย%d,ใจดี%d,ชาย,%d/%d/%d,08%08d,เชียงใหม่,บัตรทอง\n", i%997, i, 1+i%28, 1+i%12, 2480+i%80, i)
	}
	return b.String()
}

func TestImportThousandRows(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, p *installation) {
		code, out, errs := p.importFile(manyRows(1_000))
		if code != 0 || !strings.Contains(out, "Done: 1000 patients were written") {
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
		db := p.Open(t)
		found, err := db.SearchPatients(t.Context(), "0800000999", 10)
		if err != nil || len(found) != 1 || found[0].HN != "0001000" {
			t.Errorf("%v %v", found, err)
		}
		page, err := db.ListPatients(t.Context(), hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil || page.Total != 1_000 {
			t.Errorf("%d %v", page.Total, err)
		}
		next, err := db.CreatePatient(hospital.WithActor(t.Context(), hospital.System),
			hospital.PatientFields{
				Prename: "นาย", FirstName: "ใหม่", LastName: "มา", Sex: hospital.Male, BirthDate: "1990-01-01",
			}, false)
		if err != nil || next.HN != "0001001" {
			t.Errorf("the next HN is %s, %v", next.HN, err)
		}
	})
}

// An interrupt comes as a context that ends, here at the first sign of progress
// of either pass.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, p *installation) {
		for _, pass := range []string{"checking:", "writing:"} {
			ctx, cancel := context.WithCancel(t.Context())
			stderr := &shout{on: func(text string) {
				if strings.Contains(text, pass) {
					cancel()
				}
			}}
			// A clock that advances with each call shows every step.
			ticking := func() time.Time { p.Clock.Advance(6 * time.Second); return p.Clock.Now() }
			code, out, errs := p.importWith(ctx, ticking, stderr, manyRows(2_000))
			if code != 1 || !strings.Contains(errs, "interrupted: nothing was written") || strings.Contains(out, "Done") {
				t.Errorf("%s exit %d: %s%s", pass, code, out, errs)
			}
			if !strings.Contains(errs, pass) || !strings.Contains(errs, "rows/s") {
				t.Errorf("no progress was shown: %s", errs)
			}
			cancel()
		}
		if got := p.patients(); len(got) != 0 {
			t.Errorf("%d were written", len(got))
		}
		if code, out, errs := p.importFile(manyRows(300)); code != 0 || !strings.Contains(out, "Done: 300") {
			t.Errorf("afterwards: exit %d: %s%s", code, out, errs)
		}
	})
}

func TestImportColumnNamesAreUnique(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, c := range importColumns {
		for _, name := range append([]string{c.field}, c.names...) {
			if other := names[headerKey(name)]; other != "" && other != c.field {
				t.Errorf("%q is %s and %s", name, other, c.field)
			}
			names[headerKey(name)] = c.field
		}
	}
}

// BenchmarkImportPatients reads and writes a file of 100,000 rows.
func BenchmarkImportPatients(b *testing.B) {
	content := manyRows(100_000)
	for engine, fresh := range map[string]func(testing.TB) storetest.Database{
		"sqlite": storetest.SQLite, "postgres": storetest.Postgres,
	} {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				database := fresh(b)
				path := filepath.Join(b.TempDir(), "many.csv")
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					b.Fatal(err)
				}
				var out bytes.Buffer
				code := Run(b.Context(), Env{
					Args: []string{"import", "patients", path}, Stdout: &out, Stderr: &out, Hasher: auth.NewCheapHasher(),
					Environ: environOf(database.Options),
				})
				if code != 0 {
					b.Fatal(out.String())
				}
			}
			b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func environOf(o store.Options) []string {
	return []string{
		"NADMOR_DATA=" + o.DataDir, "NADMOR_DATABASE_URL=" + o.URL, "NADMOR_SECRET=a secret of the tests", "USER=somsak",
	}
}
