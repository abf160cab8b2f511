package api_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const exportPath = "/admin/api/v1/patients/export"

// download exports patients.
func (n *node) download(token string, body any, headers ...string) (http.Header, []byte) {
	n.t.Helper()
	return n.fetch(http.MethodPost, exportPath, token, body, headers...)
}

// fetch downloads a file.
func (n *node) fetch(method, path, token string, body any, headers ...string) (http.Header, []byte) {
	n.t.Helper()
	res, file := n.raw(method, path, token, body, headers...)
	if res.StatusCode != http.StatusOK {
		n.t.Fatalf("status %d: %s\n%s", res.StatusCode, file, n.log)
	}
	return res.Header, file
}

func csvRecords(t *testing.T, file []byte) [][]string {
	t.Helper()
	text, ok := bytes.CutPrefix(file, []byte("\ufeff"))
	if !ok {
		t.Error("no byte order mark")
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// threePatients registers an ordinary patient, one with few details, and one whose name is a formula.
func threePatients(t *testing.T, n *node) {
	t.Helper()
	ctx := storetest.ActAs(t, n.db, "admin")
	for _, p := range []hospital.PatientFields{
		{
			HN: "0000007", IDCard: "1111111111119", Prename: "นาย", FirstName: "เกษม", LastName: "ใจดี", FirstNameEn: "Kasem",
			LastNameEn: "Jaidee",
			BirthDate:  "1986-11-16", Sex: hospital.Male, Phone: "081-234-5678", RightCode: "ucs",
			Address: hospital.Address{
				Line: "99/1 ถนนห้วยแก้ว", Moo: "4", Subdistrict: "สุเทพ", District: "เมืองเชียงใหม่", Province: "เชียงใหม่",
				PostalCode: "50200",
			},
			Allergies: []hospital.Allergy{
				{Substance: "เพนิซิลลิน", Severity: hospital.SeveritySevere, Reaction: "ผื่น"}, {Substance: "กุ้ง"},
			},
		},
		{HN: "12", Prename: "นาง", FirstName: "ขวัญ", LastName: "ดี", BirthDate: "1947-01-01",
			BirthPrecision: hospital.BirthYear, Sex: hospital.Female, NoKnownAllergy: true},
		{HN: "13", Prename: "นางสาว", FirstName: "=1+1", LastName: "@ดี", BirthDate: "2000-02-29", Sex: hospital.UnknownSex},
	} {
		if _, err := n.db.CreatePatient(ctx, p, false); err != nil {
			t.Fatal(err)
		}
		n.database.Clock.Advance(time.Minute)
	}
}

func TestExportFilteredPatients(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		threePatients(t, n)
		token := n.signIn("registrar").AccessToken

		header, file := n.download(token, obj("format", "csv", "sort", "hn"))
		want := [][]string{
			{"HN", "เลขประจำตัวประชาชน", "คำนำหน้า", "ชื่อ", "นามสกุล", "ชื่อ (อังกฤษ)", "นามสกุล (อังกฤษ)", "เพศ",
				"วันเกิด (พ.ศ.)", "อายุ (ปี)", "โทรศัพท์", "ที่อยู่", "หมู่", "ตำบล/แขวง", "อำเภอ/เขต", "จังหวัด", "รหัสไปรษณีย์",
				"สิทธิการรักษา", "ประวัติแพ้", "วันที่ลงทะเบียน (พ.ศ.)"},
			{"0000007", "1-1111-xxxxx-11-9", "นาย", "เกษม", "ใจดี", "Kasem", "Jaidee", "ชาย", "16/11/2529", "40",
				"0812345678", "99/1 ถนนห้วยแก้ว", "4", "สุเทพ", "เมืองเชียงใหม่", "เชียงใหม่", "50200", "UCS",
				"เพนิซิลลิน (รุนแรง, ผื่น); กุ้ง", "16/11/2569 09:00"},
			{"12", "", "นาง", "ขวัญ", "ดี", "", "", "หญิง", "2490", "79", "", "", "", "", "", "", "", "", "ไม่มีประวัติแพ้",
				"16/11/2569 09:01"},
			{"13", "", "นางสาว", "'=1+1", "'@ดี", "", "", "ไม่ระบุ", "29/02/2543", "26", "", "", "", "", "", "", "", "", "",
				"16/11/2569 09:02"},
		}
		if diff := cmp.Diff(want, csvRecords(t, file)); diff != "" {
			t.Error(diff)
		}
		for name, value := range map[string]string{
			"Content-Type": "text/csv; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		} {
			if header.Get(name) != value {
				t.Errorf("%s: %q, want %q", name, header.Get(name), value)
			}
		}
		kind, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || params["filename"] != "ผู้ป่วย-2569-11-16.csv" {
			t.Errorf("%s %v %v", kind, params, err)
		}
		if plain := `filename="patients-2569-11-16.csv"`; !strings.Contains(header.Get("Content-Disposition"), plain) {
			t.Errorf("no %s in %s", plain, header.Get("Content-Disposition"))
		}

		header, file = n.download(token, obj("sex", "M"), "Accept-Language", "en")
		if got := header.Get("Content-Type"); got != "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" {
			t.Errorf("Content-Type %q without a format", got)
		}
		book, err := excelize.OpenReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close() //nolint:errcheck // only read
		rows, err := book.GetRows("Patients", excelize.Options{RawCellValue: true})
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v %v", rows, err)
		}
		if rows[0][1] != "ID card" || rows[1][3] != "เกษม" || rows[1][7] != "Male" || rows[1][8] != "31732" ||
			rows[1][9] != "40" || rows[1][18] != "เพนิซิลลิน (severe, ผื่น); กุ้ง" {
			t.Errorf("%v", rows)
		}

		// Every export is recorded in the audit log with its filter but without the search text.
		n.download(token, obj("q", "0812345678", "rightCode", "UCS", "format", "csv"))
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "patient.export")))
		if log.Total != 3 || log.Items[0].Subject != "csv" || log.Items[0].ActorName != "คุณregistrar" ||
			log.Items[0].Changes["rightCode"].After != "UCS" || log.Items[0].Changes["q"].After != nil {
			t.Errorf("%+v", log)
		}
		if strings.Contains(n.log.String(), "เกษม") || strings.Contains(n.log.String(), "1111111111119") {
			t.Error("a patient is in the log")
		}
	})
}

func TestExportMasksIDCards(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		threePatients(t, n)
		_, err := n.db.CreateRole(storetest.ActAs(t, n.db, "admin"), hospital.RoleDraft{
			Name: "STATISTICIAN", Label: "สถิติ",
			Permissions: []hospital.Permission{hospital.PatientShow, hospital.PatientExport},
		})
		if err != nil {
			t.Fatal(err)
		}
		storetest.AddUser(t, n.db, "somsri", "STATISTICIAN")
		_, file := n.download(n.signIn("somsri").AccessToken, obj("format", "csv"))
		if strings.Contains(string(file), "1111111111119") || !strings.Contains(string(file), "1-1111-xxxxx-11-9") {
			t.Errorf("the ID card is not masked: %s", file)
		}
	})
}

func TestRejectedExportIsAnEnvelope(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		threePatients(t, n)
		token := n.signIn("registrar").AccessToken
		for name, c := range map[string]struct {
			body  any
			field string
		}{
			"an unknown format":        {obj("format", "pdf"), "format"},
			"an unknown field":         {obj("formt", "csv"), "formt"},
			"a sort that is not there": {obj("sort", "idCard", "format", "csv"), "sort"},
			"the same for xlsx":        {obj("sort", "idCard", "format", "xlsx"), "sort"},
			"an age nobody has":        {obj("ageFrom", 200), "ageFrom"},
		} {
			a := n.post(exportPath, token, c.body).want(t, hospital.ValidationFailed)
			if a.field(c.field) == "" || a.header.Get("Content-Disposition") != "" ||
				!strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
				t.Errorf("%s: %s %v", name, a.raw, a.header)
			}
		}
		n.post(exportPath, n.signIn("nurse").AccessToken, obj()).want(t, hospital.Forbidden)
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", n.signIn("admin").AccessToken, obj("action", "patient.export")))
		if log.Total != 0 {
			t.Errorf("%d exports in the log, none was made", log.Total)
		}
	})
}

func TestOpenAPIOfExports(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	var doc struct {
		Paths map[string]map[string]struct {
			Permission string `json:"x-permission"`
			Responses  map[string]struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(n.get("/openapi.json", "").raw), &doc); err != nil {
		t.Fatal(err)
	}
	op := doc.Paths[exportPath]["post"]
	if op.Permission != "PATIENT.EXPORT" || len(op.Responses["200"].Content) != 2 ||
		op.Responses["200"].Content["text/csv; charset=utf-8"] == nil ||
		op.Responses["default"].Content["application/json"] == nil {
		t.Errorf("%+v", op)
	}
}
