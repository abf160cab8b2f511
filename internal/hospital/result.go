package hospital

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ResultType is what a result tells of.
type ResultType string

// The types of results.
const (
	ResultDiagnosis ResultType = "DIAGNOSIS"
	ResultLab       ResultType = "LAB"
	ResultXRay      ResultType = "XRAY"
	ResultDocument  ResultType = "DOCUMENT"
)

// ResultTypes lists them for documents and checks.
var ResultTypes = []ResultType{ResultDiagnosis, ResultLab, ResultXRay, ResultDocument}

var resultNames = map[ResultType]Text{
	ResultDiagnosis: {"คำวินิจฉัย", "Diagnosis"}, ResultLab: {"ผลแล็บ", "Laboratory"}, ResultXRay: {"ภาพรังสี", "X-ray"},
	ResultDocument: {"เอกสาร", "Document"},
}

// Name is what people call the type.
func (t ResultType) Name() Text { return resultNames[t] }

// maxCodes is how many ICD-10 codes one result carries.
const maxCodes = 20

// ResultFields is what people write about a result.
type ResultFields struct {
	Type         ResultType `json:"type"`
	Diagnosis    string     `json:"diagnosis"`
	ICD10        []string   `json:"icd10"`
	Advice       string     `json:"advice"`
	FollowUpDate *string    `json:"followUpDate"`
}

// ResultFile is the file of a result, as it was sent: no byte of it is changed.
type ResultFile struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256" doc:"Of the content, hexadecimal"`
}

// StoredFile is a file with the key under which it is kept. The key never
// leaves the server.
type StoredFile struct {
	Key string
	ResultFile
}

// NewResult is a result as it is recorded.
type NewResult struct {
	AppointmentID int64
	ResultFields
	File *StoredFile
}

// Result is a diagnosis, a file, or both, recorded against an appointment.
type Result struct {
	ID            int64 `json:"id"`
	AppointmentID int64 `json:"appointmentId"`
	ResultFields
	File              *ResultFile `json:"file"`
	PatientID         int64       `json:"patientId"`
	AppointmentNumber string      `json:"appointmentNumber"`
	Date              string      `json:"date" doc:"Of the appointment"`
	Service           ServiceRef  `json:"service"`
	CreatedBy         *int64      `json:"createdBy"`
	CreatedByName     string      `json:"createdByName"`
	CreatedAt         time.Time   `json:"createdAt"`
}

// Clean writes the fields as they are kept: codes in capitals with their dot,
// none twice.
func (f ResultFields) Clean() ResultFields {
	f.Diagnosis, f.Advice = strings.TrimSpace(f.Diagnosis), strings.TrimSpace(f.Advice)
	if f.Type == "" {
		f.Type = ResultDiagnosis
	}
	codes := []string{}
	for _, c := range f.ICD10 {
		if c = CleanICD10(c); c != "" && !slices.Contains(codes, c) {
			codes = append(codes, c)
		}
	}
	f.ICD10 = codes
	if f.FollowUpDate != nil && *f.FollowUpDate == "" {
		f.FollowUpDate = nil
	}
	return f
}

// Validate tells every field that is wrong; the fields are expected clean. A
// result without a file needs a diagnosis.
func (f ResultFields) Validate(hasFile bool) error {
	var c Checker
	c.Require(slices.Contains(ResultTypes, f.Type), "type", "ประเภทผลการตรวจไม่ถูกต้อง", "This is not a type of result.")
	if f.Diagnosis == "" && !hasFile {
		c.Require(false, "diagnosis", "กรุณากรอกคำวินิจฉัย หรือแนบไฟล์", "Write a diagnosis, or attach a file.")
	}
	c.Lines(f.Diagnosis, "diagnosis", false, 4000)
	c.Lines(f.Advice, "advice", false, 4000)
	c.Require(len(f.ICD10) <= maxCodes, "icd10", fmt.Sprintf("ระบุได้ไม่เกิน %d รหัส", maxCodes),
		fmt.Sprintf("At most %d codes.", maxCodes))
	for i, code := range f.ICD10 {
		c.Require(IsICD10(code), fmt.Sprintf("icd10[%d]", i), "รหัส ICD-10 ไม่ถูกต้อง กรุณาพิมพ์ใหม่ เช่น E11.9",
			"This is not an ICD-10 code. One is E11.9.")
	}
	if f.FollowUpDate != nil {
		c.Date(*f.FollowUpDate, "followUpDate")
	}
	return c.Err()
}

// TakesResult tells whether a result can be recorded against an appointment:
// not where the patient did not come (INVALID_TRANSITION with the statuses that
// are possible), and none that asks the patient back before the visit
// (VALIDATION_FAILED).
func (a Appointment) TakesResult(f ResultFields) error {
	if a.Status == Cancelled || a.Status == NoShow {
		return Refuse(InvalidTransition).With("allowed", a.AllowedStatuses).
			Because(fmt.Sprintf("นัดที่ “%s” บันทึกผลการตรวจไม่ได้", a.Status.Name().TH),
				fmt.Sprintf("%s appointments take no results.", a.Status.Name().EN))
	}
	var c Checker
	c.Require(f.FollowUpDate == nil || *f.FollowUpDate >= a.Date, "followUpDate", "ต้องไม่ก่อนวันนัด",
		"Must not be before the appointment.")
	return c.Err()
}

// A letter, a digit, a digit or letter; then up to four characters behind a
// dot, as the Thai modification writes them.
var icd10 = regexp.MustCompile(`^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$`)

// IsICD10 tells whether a text has the form of a code. Whether the code exists
// is not known here: the Thai modification changes every year.
func IsICD10(code string) bool { return icd10.MatchString(code) }

// CleanICD10 writes a code as it is kept: "e119" is E11.9.
func CleanICD10(code string) string {
	code = strings.ToUpper(strings.Join(strings.Fields(ArabicDigits(code)), ""))
	category, rest, dotted := strings.Cut(code, ".")
	if !dotted && len(code) > 3 {
		category, rest = code[:3], code[3:]
	}
	if rest == "" {
		return category
	}
	return category + "." + rest
}

// fileEndings are the endings a file's name may have, by its content type; the
// first is given to a name that has none of them.
var fileEndings = map[string][]string{
	"application/pdf": {".pdf"}, "image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg", ".jpe", ".jfif"},
	"image/webp": {".webp"},
}

// FileName is what somebody called a file, made fit to be shown and to be the
// name of a download: one line, no folders, and the ending of what it is.
func FileName(name, contentType string) string {
	name = path.Base(strings.ReplaceAll(CleanText(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)), `\`, "/"))
	endings := fileEndings[contentType]
	if name == "." || name == "/" || name == ".." {
		name = ""
	}
	stem, ending := name, ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 && slices.Contains(endings, strings.ToLower(name[i:])) {
		stem, ending = name[:i], name[i:]
	} else if len(endings) > 0 {
		ending = endings[0]
	}
	const longest = 120
	if runes := []rune(stem); len(runes) > longest {
		stem = string(runes[:longest])
	}
	if strings.Trim(stem, ". ") == "" {
		stem = "ผลการตรวจ"
	}
	return stem + ending
}

// ResultFilter narrows the list of results. Dates are those of the visit.
type ResultFilter struct {
	Page
	AppointmentID int64      `json:"appointmentId,omitempty"`
	PatientID     int64      `json:"patientId,omitempty"`
	Type          ResultType `json:"type,omitempty"`
	DateFrom      string     `json:"dateFrom,omitempty"`
	DateTo        string     `json:"dateTo,omitempty"`
	Q             string     `json:"q,omitempty" maxLength:"100" doc:"Part of the diagnosis, of a code or of the name of the file"`
}

// Validate wants real days in order.
func (f ResultFilter) Validate() error {
	return AppointmentFilter{DateFrom: f.DateFrom, DateTo: f.DateTo}.Validate()
}
