package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// attachment is an answer that is a file instead of an envelope.
type attachment struct {
	Name        string // as people read it, in Thai
	PlainName   string // the same in ASCII, for what cannot read the other
	ContentType string
	// Write sends the content. As long as it has sent nothing it may still
	// refuse, and the refusal is the usual envelope.
	Write func(io.Writer) error
}

// disposition tells a browser to keep the file, and under which name.
func (a attachment) disposition() string {
	return fmt.Sprintf("attachment; filename=%q; filename*=UTF-8''%s", a.PlainName, strings.ReplaceAll(url.QueryEscape(a.Name), "+", "%20"))
}

// download registers an operation that answers with a file of one of the
// content types; in everything else it is as handle.
func download[I any](s *Server, method, path string, access hospital.Access, summary string, contentTypes []string, fn func(context.Context, *I) (attachment, error), opts ...option) {
	if !access.Declared() {
		s.problems = append(s.problems, fmt.Errorf("%s %s does not declare who may call it", method, path))
	}
	file := &huma.Response{
		Description: "The file", Content: map[string]*huma.MediaType{},
		Headers: map[string]*huma.Param{"Content-Disposition": {Description: "attachment, with the name of the file", Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	for _, t := range contentTypes {
		file.Content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	op := huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary, Tags: []string{tagOf(path)},
		Metadata:   map[string]any{accessKey: access, audienceKey: auth.AudienceAdmin, serverKey: s},
		Extensions: map[string]any{"x-permission": access.String()},
		Responses:  map[string]*huma.Response{"200": file},
	}
	for _, o := range opts {
		o(&op)
	}
	if !access.IsPublic() {
		op.Security = []map[string][]string{{op.Metadata[audienceKey].(string): {}}}
	}
	huma.Register(s.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		a, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.send(ctx, a) }}, nil
	})
}

// send sends the file. A file that breaks off in the middle breaks the
// connection, so that nobody takes a part for the whole.
func (s *Server) send(ctx huma.Context, a attachment) {
	_, w := humago.Unwrap(ctx)
	out := &attachmentWriter{w: w, control: http.NewResponseController(w), attachment: a}
	out.begin()
	err := a.Write(out)
	switch {
	case err == nil:
		out.sendHeader() // of an empty file
	case !out.started:
		_ = huma.WriteErr(s.huma, ctx, http.StatusInternalServerError, "", err)
	default:
		_ = s.fail(ctx.Context(), hospital.Thai, fmt.Errorf("send file: %w", err)) // for the log
		panic(http.ErrAbortHandler)
	}
}

// chunkTime is how long the receiver may take for each part of a file; the
// whole may take as long as it keeps coming.
const chunkTime = time.Minute

// attachmentWriter sends the header with the first byte of the content, and
// gives every part its own time.
type attachmentWriter struct {
	w          http.ResponseWriter
	control    *http.ResponseController
	attachment attachment
	started    bool
}

// begin takes off the time limits of an ordinary call. Without the limit on
// reading, a caller who leaves is noticed however long the work takes. Not
// every writer has limits; one that has none needs none taken off.
func (a *attachmentWriter) begin() {
	_ = a.control.SetReadDeadline(time.Time{})
	_ = a.control.SetWriteDeadline(time.Time{})
}

func (a *attachmentWriter) sendHeader() {
	if a.started {
		return
	}
	a.started = true
	h := a.w.Header()
	h.Set("Content-Type", a.attachment.ContentType)
	h.Set("Content-Disposition", a.attachment.disposition())
	h.Set("Cache-Control", "no-store")
	a.w.WriteHeader(http.StatusOK)
}

func (a *attachmentWriter) Write(p []byte) (int, error) {
	_ = a.control.SetWriteDeadline(time.Now().Add(chunkTime))
	a.sendHeader()
	return a.w.Write(p)
}

// tableTypes are the content types a table can be asked for in.
func tableTypes() []string {
	types := make([]string, len(report.Formats))
	for i, f := range report.Formats {
		types[i] = f.ContentType()
	}
	return types
}

// patientExport is the filter of the list with the kind of file. All pages are
// exported, so which page is shown does not matter.
type patientExport struct {
	hospital.PatientFilter
	Format report.Format `json:"format,omitempty" enum:"xlsx,csv" default:"xlsx"`
}

// exportInput also knows the language of the caller, which is that of the
// header row.
type exportInput struct {
	AcceptLanguage string `header:"Accept-Language" hidden:"true"`
	Body           patientExport
}

// exportPatients writes the filtered list to a file, row by row, while it is
// being read: VALIDATION_FAILED on a sort that the list does not know.
func (s *Server) exportPatients(ctx context.Context, in *exportInput) (attachment, error) {
	lang, now, today := langOf(in.AcceptLanguage), s.db.Now().In(hospital.Bangkok), s.db.Today()
	format, filter := in.Body.Format, in.Body.PatientFilter
	day := fmt.Sprintf("%d-%02d-%02d", now.Year()+543, now.Month(), now.Day())
	return attachment{
		Name: fmt.Sprintf("ผู้ป่วย-%s.%s", day, format), PlainName: fmt.Sprintf("patients-%s.%s", day, format), ContentType: format.ContentType(),
		Write: func(w io.Writer) error {
			return report.Write(w, format, patientTable(lang), func(add report.Add) error {
				return s.db.EachPatient(ctx, filter, string(format), func(p hospital.Patient) error {
					return add(patientCells(p, lang, today)...)
				})
			})
		},
	}, nil
}

// patientColumns are the columns of the export, in their order.
var patientColumns = []struct {
	title hospital.Text
	width float64
}{
	{hospital.Text{TH: "HN", EN: "HN"}, 12},
	{hospital.Text{TH: "เลขประจำตัวประชาชน", EN: "ID card"}, 20},
	{hospital.Text{TH: "คำนำหน้า", EN: "Prename"}, 10},
	{hospital.Text{TH: "ชื่อ", EN: "First name"}, 18},
	{hospital.Text{TH: "นามสกุล", EN: "Last name"}, 20},
	{hospital.Text{TH: "ชื่อ (อังกฤษ)", EN: "First name (English)"}, 18},
	{hospital.Text{TH: "นามสกุล (อังกฤษ)", EN: "Last name (English)"}, 20},
	{hospital.Text{TH: "เพศ", EN: "Sex"}, 8},
	{hospital.Text{TH: "วันเกิด (พ.ศ.)", EN: "Birth date (B.E.)"}, 15},
	{hospital.Text{TH: "อายุ (ปี)", EN: "Age (years)"}, 10},
	{hospital.Text{TH: "โทรศัพท์", EN: "Phone"}, 13},
	{hospital.Text{TH: "ที่อยู่", EN: "Address"}, 28},
	{hospital.Text{TH: "หมู่", EN: "Moo"}, 6},
	{hospital.Text{TH: "ตำบล/แขวง", EN: "Subdistrict"}, 16},
	{hospital.Text{TH: "อำเภอ/เขต", EN: "District"}, 16},
	{hospital.Text{TH: "จังหวัด", EN: "Province"}, 16},
	{hospital.Text{TH: "รหัสไปรษณีย์", EN: "Postal code"}, 12},
	{hospital.Text{TH: "สิทธิการรักษา", EN: "Right"}, 12},
	{hospital.Text{TH: "ประวัติแพ้", EN: "Allergies"}, 30},
	{hospital.Text{TH: "วันที่ลงทะเบียน (พ.ศ.)", EN: "Registered (B.E.)"}, 20},
}

func patientTable(lang hospital.Lang) report.Table {
	t := report.Table{Name: hospital.Text{TH: "ผู้ป่วย", EN: "Patients"}.In(lang)}
	for _, c := range patientColumns {
		t.Columns = append(t.Columns, report.Column{Title: c.title.In(lang), Width: c.width})
	}
	return t
}

var sexNames = map[hospital.Sex]hospital.Text{
	hospital.Male:       {TH: "ชาย", EN: "Male"},
	hospital.Female:     {TH: "หญิง", EN: "Female"},
	hospital.UnknownSex: {TH: "ไม่ทราบ", EN: "Unknown"},
}

// patientCells are the cells of one row, as patientColumns says.
func patientCells(p hospital.Patient, lang hospital.Lang, today string) []any {
	var age any = ""
	if a, err := hospital.AgeOn(p.BirthDate, today); err == nil {
		age = a.Years
	}
	return []any{
		p.HN, p.IDCard, p.Prename, p.FirstName, p.LastName, p.FirstNameEn, p.LastNameEn, sexNames[p.Sex].In(lang),
		report.Day{Date: p.BirthDate, Precision: p.BirthPrecision}, age, p.Phone,
		p.Address.Line, p.Address.Moo, p.Address.Subdistrict, p.Address.District, p.Address.Province, p.Address.PostalCode,
		p.RightCode, allergyText(p.PatientFields, lang), p.CreatedAt,
	}
}

var (
	severityNames = map[hospital.Severity]hospital.Text{
		hospital.SeverityMild:            {TH: "เล็กน้อย", EN: "mild"},
		hospital.SeverityModerate:        {TH: "ปานกลาง", EN: "moderate"},
		hospital.SeveritySevere:          {TH: "รุนแรง", EN: "severe"},
		hospital.SeverityLifeThreatening: {TH: "อันตรายถึงชีวิต", EN: "life-threatening"},
	}
	noKnownAllergy = hospital.Text{TH: "ไม่มีประวัติแพ้", EN: "No known allergy"}
)

// allergyText is every allergy in one cell: "Penicillin (รุนแรง, ผื่น); กุ้ง".
func allergyText(p hospital.PatientFields, lang hospital.Lang) string {
	if p.NoKnownAllergy {
		return noKnownAllergy.In(lang)
	}
	texts := make([]string, len(p.Allergies))
	for i, a := range p.Allergies {
		texts[i] = a.Substance
		var more []string
		for _, s := range []string{severityNames[a.Severity].In(lang), a.Reaction} {
			if s != "" {
				more = append(more, s)
			}
		}
		if len(more) > 0 {
			texts[i] += " (" + strings.Join(more, ", ") + ")"
		}
	}
	return strings.Join(texts, "; ")
}
