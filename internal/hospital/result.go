package hospital

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ResultType is the type of a result.
type ResultType string

// The types of results.
const (
	ResultDiagnosis ResultType = "DIAGNOSIS"
	ResultLab       ResultType = "LAB"
	ResultXRay      ResultType = "XRAY"
	ResultDocument  ResultType = "DOCUMENT"
)

// ResultTypes lists the valid values.
var ResultTypes = []ResultType{ResultDiagnosis, ResultLab, ResultXRay, ResultDocument}

var resultNames = map[ResultType]Text{
	ResultDiagnosis: {"คำวินิจฉัย", "Diagnosis"}, ResultLab: {"ผลแล็บ", "Laboratory"}, ResultXRay: {"ภาพรังสี", "X-ray"},
	ResultDocument: {"เอกสาร", "Document"},
}

// Name returns the display name of the type.
func (t ResultType) Name() Text { return resultNames[t] }

// maxCodes is the maximum number of ICD-10 codes of a result.
const maxCodes = 20

// ResultFields holds the editable fields of a result.
type ResultFields struct {
	Type         ResultType `json:"type"`
	Diagnosis    string     `json:"diagnosis"`
	ICD10        []string   `json:"icd10"`
	Advice       string     `json:"advice"`
	FollowUpDate *string    `json:"followUpDate"`
}

// ResultFile is the uploaded file of a result. Its content is stored unchanged.
type ResultFile struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256" doc:"SHA-256 of the content, hexadecimal"`
}

// StoredFile is a file with its storage key, which is never sent to clients.
type StoredFile struct {
	Key string
	ResultFile
}

// NewResult is a request to record a result.
type NewResult struct {
	AppointmentID int64
	ResultFields
	File *StoredFile
}

// Result is a diagnosis, a file, or both, of an appointment.
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

// Clean returns the fields normalized for storage: codes in upper case with a dot, without duplicates.
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

// Validate returns VALIDATION_FAILED with every invalid field. A result without a file needs a diagnosis. The
// fields must be clean.
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

// CheckNewResult checks whether a result can be recorded for an appointment. It returns INVALID_TRANSITION if
// the patient did not come, and VALIDATION_FAILED for a follow-up date before the visit.
func (a Appointment) CheckNewResult(f ResultFields) error {
	if a.Status == Cancelled || a.Status == NoShow {
		return Reject(InvalidTransition).With("allowed", a.AllowedStatuses).
			Because(fmt.Sprintf("นัดที่ “%s” บันทึกผลการตรวจไม่ได้", a.Status.Name().TH),
				fmt.Sprintf("%s appointments take no results.", a.Status.Name().EN))
	}
	var c Checker
	c.Require(f.FollowUpDate == nil || *f.FollowUpDate >= a.Date, "followUpDate", "ต้องไม่ก่อนวันนัด",
		"Must not be before the appointment.")
	return c.Err()
}

// A letter, a digit, a digit or letter, and up to four characters after a dot, as in ICD-10-TM.
var icd10 = regexp.MustCompile(`^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$`)

// IsICD10 reports whether a text has the form of an ICD-10 code. It does not check that the code exists,
// because ICD-10-TM changes every year.
func IsICD10(code string) bool { return icd10.MatchString(code) }

// CleanICD10 normalizes a code: "e119" becomes E11.9.
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

// fileEndings are the valid file extensions of each content type. The first is the default.
var fileEndings = map[string][]string{
	"application/pdf": {".pdf"}, "image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg", ".jpe", ".jfif"},
	"image/webp": {".webp"},
}

// FileName returns a file name that is safe to display and to download: one line, no path, and an extension
// that matches the content type.
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

// ResultFilter selects results of a list. Dates are those of the visit.
type ResultFilter struct {
	Page
	AppointmentID int64      `json:"appointmentId,omitempty"`
	PatientID     int64      `json:"patientId,omitempty"`
	Type          ResultType `json:"type,omitempty"`
	DateFrom      string     `json:"dateFrom,omitempty"`
	DateTo        string     `json:"dateTo,omitempty"`
	Q             string     `json:"q,omitempty" maxLength:"100" doc:"Part of the diagnosis, a code or the file name"`
}

// Validate requires valid dates in order.
func (f ResultFilter) Validate() error {
	return AppointmentFilter{DateFrom: f.DateFrom, DateTo: f.DateTo}.Validate()
}
