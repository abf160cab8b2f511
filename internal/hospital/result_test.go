package hospital

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestICD10(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"E11.9": "E11.9", "e119": "E11.9", " e11.9 ": "E11.9", "I10": "I10", "i10.": "I10", "E๑๑.๙": "E11.9",
		"m54 5": "M54.5", "J06.9": "J06.9", "U07.1": "U07.1",
		"S7200": "S72.00", "M17.10": "M17.10", "Z3A.01": "Z3A.01", "c7a": "C7A", "O80": "O80", "T14.9012": "T14.9012",
	} {
		if got := CleanICD10(typed); got != want || !IsICD10(got) {
			t.Errorf("%q is %q (a code: %v), want %q", typed, got, IsICD10(got), want)
		}
		if again := CleanICD10(CleanICD10(typed)); again != want {
			t.Errorf("%q cleaned twice is %q", typed, again)
		}
	}
	for _, typed := range []string{
		"", "E", "E1", "11.9", "EE1.9", "E11.", "E1.19", "E11.9.1", "E11.12345", "เบาหวาน", "E11-9", "<b>", "E11.9'", "é11.9",
		"E11.9\u0000",
	} {
		if got := CleanICD10(typed); IsICD10(got) && typed != "E11." {
			t.Errorf("%q is taken for the code %q", typed, got)
		}
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ก", 300)
	for _, c := range []struct{ name, contentType, want string }{
		{"ผลเลือด 15 พ.ย. 2569.pdf", "application/pdf", "ผลเลือด 15 พ.ย. 2569.pdf"},
		{"Scan.PDF", "application/pdf", "Scan.PDF"},
		{"photo.jpeg", "image/jpeg", "photo.jpeg"},
		{"photo.JPG", "image/jpeg", "photo.JPG"},
		{"report.exe", "application/pdf", "report.exe.pdf"},
		{"x.png", "image/jpeg", "x.png.jpg"},
		{"../../etc/passwd", "image/png", "passwd.png"},
		{`C:\Users\พยาบาล\ผล.webp`, "image/webp", "ผล.webp"},
		{"a\r\nSet-Cookie: x.pdf", "application/pdf", "aSet-Cookie: x.pdf"},
		{"ผล\u202efdp.exe", "application/pdf", "ผลfdp.exe.pdf"},
		{"", "application/pdf", "ผลการตรวจ.pdf"},
		{"..", "image/png", "ผลการตรวจ.png"},
		{".pdf", "application/pdf", "ผลการตรวจ.pdf"},
		{"   ", "image/png", "ผลการตรวจ.png"},
		{long + ".pdf", "application/pdf", strings.Repeat("ก", 120) + ".pdf"},
	} {
		if got := FileName(c.name, c.contentType); got != c.want {
			t.Errorf("%q (%s) is called %q, want %q", c.name, c.contentType, got, c.want)
		}
	}
}

func fieldsOf(err error) (names []string) {
	var e *Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			names = append(names, f.Field)
		}
	}
	return names
}

func TestResultRules(t *testing.T) {
	t.Parallel()
	day, never := "2026-12-14", "2026-02-30"
	many := make([]string, 21)
	for i := range many {
		many[i] = "A0" + string(rune('A'+i))
	}
	for name, c := range map[string]struct {
		fields  ResultFields
		hasFile bool
		want    []string
	}{
		"a diagnosis": {
			ResultFields{Diagnosis: "หวัด", ICD10: []string{"j00", "J00"}, FollowUpDate: &day}, false, nil,
		},
		"a file alone":           {ResultFields{Type: ResultLab}, true, nil},
		"neither":                {ResultFields{Type: ResultLab, Diagnosis: " \n "}, false, []string{"diagnosis"}},
		"codes are no diagnosis": {ResultFields{ICD10: []string{"J00"}}, false, []string{"diagnosis"}},
		"another type":           {ResultFields{Type: "NOTE", Diagnosis: "x"}, false, []string{"type"}},
		"wrong codes, each by name": {
			ResultFields{Diagnosis: "x", ICD10: []string{"J00", "หวัด", "9"}}, false, []string{"icd10[1]", "icd10[2]"},
		},
		"too many codes": {ResultFields{Diagnosis: "x", ICD10: many}, false, []string{"icd10"}},
		"too long": {
			ResultFields{Diagnosis: strings.Repeat("ก", 4001), Advice: strings.Repeat("ก", 4001)}, false,
			[]string{"advice", "diagnosis"},
		},
		"no such day":         {ResultFields{Diagnosis: "x", FollowUpDate: &never}, false, []string{"followUpDate"}},
		"what nobody can see": {ResultFields{Diagnosis: "x\u0000"}, false, []string{"diagnosis"}},
	} {
		if got := fieldsOf(c.fields.Clean().Validate(c.hasFile)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := (ResultFields{
		Diagnosis: " หวัด ", ICD10: []string{"j00", "", "J00", "i10"}, FollowUpDate: new(string),
	}).Clean(); got.Type != ResultDiagnosis || got.Diagnosis != "หวัด" ||
		!slices.Equal(got.ICD10, []string{"J00", "I10"}) || got.FollowUpDate != nil {
		t.Errorf("cleaned to %+v", got)
	}
}

func TestCheckNewResult(t *testing.T) {
	t.Parallel()
	for _, status := range AppointmentStatuses {
		a := Appointment{Status: status, AppointmentFields: AppointmentFields{Date: "2026-11-16"}}
		err := a.CheckNewResult(ResultFields{})
		if rejected := status == Cancelled || status == NoShow; rejected != (CodeOf(err) == InvalidTransition) ||
			!rejected && err != nil {
			t.Errorf("%s: %v", status, err)
		}
	}
	before, same := "2026-11-15", "2026-11-16"
	visit := Appointment{Status: InService, AppointmentFields: AppointmentFields{Date: "2026-11-16"}}
	got := fieldsOf(visit.CheckNewResult(ResultFields{FollowUpDate: &before}))
	if !slices.Equal(got, []string{"followUpDate"}) {
		t.Errorf("back before the visit: %v", got)
	}
	if err := visit.CheckNewResult(ResultFields{FollowUpDate: &same}); err != nil {
		t.Errorf("back on the day: %v", err)
	}
}
