package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// ResultInput is a result without a file.
type ResultInput struct {
	AppointmentID int64               `json:"appointmentId" minimum:"1"`
	Type          hospital.ResultType `json:"type,omitempty" doc:"DIAGNOSIS if absent"`
	Diagnosis     string              `json:"diagnosis,omitempty"`
	ICD10         []string            `json:"icd10,omitempty" maxItems:"20"`
	Advice        string              `json:"advice,omitempty"`
	FollowUpDate  *string             `json:"followUpDate,omitempty" nullable:"true"`
}

// resultTexts are the text fields of a result form. Codes are separated by commas or spaces.
var resultTexts = []string{"type", "diagnosis", "icd10", "advice", "followUpDate"}

type resultFormTo struct {
	ID   int64 `path:"id" minimum:"1" doc:"Appointment ID"`
	form upload
}

// Resolve opens the form.
func (in *resultFormTo) Resolve(ctx huma.Context) []error { return in.form.Resolve(ctx) }

// addResultTo records a result with a file.
func (s *Server) addResultTo(ctx context.Context, in *resultFormTo) (hospital.Result, error) {
	return s.addResultForm(ctx, &in.form, hospital.NewResult{AppointmentID: in.ID})
}

// resultInput is a form or JSON.
type resultInput struct {
	form upload
	json *ResultInput // set if JSON was sent instead of a form
}

// Resolve opens the form or decodes the JSON body.
func (in *resultInput) Resolve(ctx huma.Context) []error {
	kind, _, _ := mime.ParseMediaType(ctx.Header("Content-Type"))
	if kind != "application/json" {
		in.form.optional = true
		return in.form.Resolve(ctx)
	}
	const most = 256 << 10
	sent, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), most+1))
	var plain any
	switch {
	case len(sent) > most:
		return []error{hospital.Reject(hospital.TooLarge).With("maxBytes", most)}
	case err != nil || readJSON(sent, &plain) != nil:
		return []error{hospital.Reject(hospital.BadRequest)}
	}
	registry, found := serverOf(ctx).huma.OpenAPI().Components.Schemas, huma.ValidateResult{}
	at := huma.NewPathBuffer(nil, 0)
	at.Push("body")
	huma.Validate(registry, registry.Schema(reflect.TypeFor[ResultInput](), true, ""), at, huma.ModeWriteToServer, plain,
		&found)
	if len(found.Errors) > 0 {
		return found.Errors
	}
	if err := json.Unmarshal(sent, &in.json); err != nil || in.json == nil {
		return []error{hospital.Reject(hospital.BadRequest)}
	}
	return nil
}

// addResult records a result, with or without a file.
func (s *Server) addResult(ctx context.Context, in *resultInput) (hospital.Result, error) {
	var n hospital.NewResult
	if in.json == nil {
		return s.addResultForm(ctx, &in.form, n)
	}
	b := in.json
	n.AppointmentID = b.AppointmentID
	n.ResultFields = hospital.ResultFields{
		Type: b.Type, Diagnosis: b.Diagnosis, ICD10: b.ICD10, Advice: b.Advice, FollowUpDate: b.FollowUpDate,
	}
	return s.storeResult(ctx, n)
}

// addResultForm reads the form and records the result. The file is stored before the result, so that no
// result lacks its file, and deleted if recording fails.
func (s *Server) addResultForm(ctx context.Context, form *upload, n hospital.NewResult) (r hospital.Result, err error) {
	setting, err := s.DB.Setting(ctx)
	if err != nil {
		return r, err
	}
	var appointment, kind, codes, followUp string
	texts := map[string]*string{
		"type": &kind, "diagnosis": &n.Diagnosis, "icd10": &codes, "advice": &n.Advice, "followUpDate": &followUp,
	}
	if n.AppointmentID == 0 {
		texts["appointmentId"] = &appointment
	} else if err := s.DB.CheckTakesResult(ctx, n.AppointmentID); err != nil {
		return r, err
	}
	limit := int64(setting.UploadMaxMb) << 20
	err = form.read(limit, texts, func(name string, part io.Reader) error {
		if id, err := strconv.ParseInt(appointment, 10, 64); err == nil { // set by the URL otherwise
			if err := s.DB.CheckTakesResult(ctx, id); err != nil {
				return err
			}
		}
		n.File, err = s.storeDocument(ctx, name, part, limit)
		return err
	})
	if err == nil && n.AppointmentID == 0 {
		if n.AppointmentID, err = strconv.ParseInt(appointment, 10, 64); err != nil || n.AppointmentID < 1 {
			err = hospital.Reject(hospital.ValidationFailed).On("appointmentId", findings["required"].TH,
				findings["required"].EN)
		}
	}
	if err != nil {
		return r, s.forget(ctx, n.File, err)
	}
	n.Type, n.FollowUpDate = hospital.ResultType(kind), &followUp
	n.ICD10 = strings.FieldsFunc(codes, func(c rune) bool { return strings.ContainsRune(",; \t\r\n", c) })
	return s.storeResult(ctx, n)
}

// storeResult records the result. Its file is deleted if that fails or the request is a retry. If the outcome
// is unknown, the file stays, and the daily clean-up decides.
func (s *Server) storeResult(ctx context.Context, n hospital.NewResult) (hospital.Result, error) {
	r, err := s.DB.AddResult(ctx, n)
	code := hospital.CodeOf(err)
	unknown := code == hospital.Internal || code == hospital.Unavailable // whether it was recorded
	if err != nil && (!unknown || hospital.IsStorageFull(err)) {
		err = s.forget(ctx, n.File, err)
	}
	return r, err
}

func (s *Server) forget(ctx context.Context, f *hospital.StoredFile, err error) error {
	if f == nil {
		return err
	}
	if failed := s.Files.Delete(context.WithoutCancel(ctx), f.Key); failed != nil { // the clean-up will try again
		s.Log.WarnContext(ctx, "file of a rejected result was not deleted", "request_id", requestID(ctx),
			"error", failed.Error())
	}
	return err
}

// storeDocument stores a file unchanged. It returns FILE_TOO_LARGE and the errors of files.Document.
func (s *Server) storeDocument(ctx context.Context, name string, part io.Reader,
	limit int64) (*hospital.StoredFile, error) {
	doc, err := files.OpenDocument(part)
	if err != nil {
		var ours *hospital.Error
		if errors.As(err, &ours) {
			return nil, err
		}
		return nil, hospital.Reject(hospital.BadRequest)
	}
	defer doc.Close()
	key := files.NewKey(files.Results, doc.Ending)
	stored, err := s.Files.Put(ctx, key, doc, limit)
	switch {
	case err == nil:
		return &hospital.StoredFile{Key: key, ResultFile: hospital.ResultFile{
			Name: hospital.FileName(name, doc.ContentType), ContentType: doc.ContentType, Size: stored.Size,
			SHA256: stored.SHA256,
		}}, nil
	case doc.SourceErr() != nil && hospital.CodeOf(err) != hospital.TooLarge:
		return nil, hospital.Reject(hospital.BadRequest)
	default:
		return nil, filesError(err)
	}
}

// orJSON documents that an operation with a form also takes JSON, and that the form needs no file.
func orJSON[T any](s *Server) func(*huma.RequestBody) {
	return func(b *huma.RequestBody) {
		b.Content[formType].Schema.Required = nil
		b.Content["application/json"] = &huma.MediaType{
			Schema: s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, ""),
		}
	}
}

// resultRecord is a result with its appointment.
type resultRecord struct {
	hospital.Result
	Appointment hospital.Appointment `json:"appointment"`
}

// readResult includes the appointment, so it also needs APPOINTMENT.SHOW.
func (s *Server) readResult(ctx context.Context, in *byID) (resultRecord, error) {
	if err := s.requirePermission(ctx, hospital.AppointmentShow, "get-appointment-results-read-id"); err != nil {
		return resultRecord{}, err
	}
	r, a, err := s.DB.Result(ctx, in.ID)
	return resultRecord{r, a}, err
}

func (s *Server) listResults(ctx context.Context,
	in *body[hospital.ResultFilter]) (hospital.Paged[hospital.Result], error) {
	return s.DB.ListResults(ctx, in.Body)
}

type appointmentResultFilter struct {
	hospital.AppointmentFilter
	HasResult *bool `json:"hasResult,omitempty" doc:"Only appointments with, or without, a result"`
}

// listAppointmentResults includes appointments, so it also needs APPOINTMENT.SHOW.
func (s *Server) listAppointmentResults(ctx context.Context,
	in *body[appointmentResultFilter]) (page hospital.Paged[store.AppointmentResults], err error) {
	if err := s.requirePermission(ctx, hospital.AppointmentShow, "post-appointment-list-results"); err != nil {
		return page, err
	}
	return s.DB.ListAppointmentResults(ctx, in.Body.AppointmentFilter, in.Body.HasResult)
}

type resultDeletion struct {
	ID     int64  `path:"id" minimum:"1"`
	Reason string `query:"reason" doc:"Recorded in the audit log"`
}

func (s *Server) deleteResult(ctx context.Context, in *resultDeletion) (null, error) {
	return nothing(s.DB.DeleteResult(ctx, in.ID, in.Reason))
}

// resultFile registers the download of result files. Each access is recorded in the audit log before the
// first byte is sent. Files are always sent as attachments, so that the browser does not render them on our
// origin.
func (s *Server) resultFile(route string, access hospital.Access, summary string) {
	full := &huma.Response{Description: "The file", Content: map[string]*huma.MediaType{},
		Headers: map[string]*huma.Param{
			"Content-Disposition": {
				Description: "attachment with the file name", Schema: &huma.Schema{Type: huma.TypeString},
			},
			"ETag": {Description: "SHA-256 of the content", Schema: &huma.Schema{Type: huma.TypeString}},
		}}
	for _, t := range []string{"application/pdf", "image/png", "image/jpeg", "image/webp"} {
		full.Content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	op := s.declare(http.MethodGet, route, access, summary, []option{streaming})
	plain := map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}
	rejected := s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[failure](), true, "Failure")
	op.Responses = map[string]*huma.Response{
		"200": full, "206": {Description: "The requested range", Content: full.Content}, "416": {
			Description: "The range is not satisfiable", Content: plain,
		},
		"default": {Description: "Error", Content: map[string]*huma.MediaType{"application/json": {Schema: rejected}}},
	}
	huma.Register(s.huma, op, func(ctx context.Context, in *byID) (*huma.StreamResponse, error) {
		stored, err := s.DB.ResultFile(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		f, err := s.Files.Open(ctx, stored.Key)
		if err != nil {
			return nil, filesError(fmt.Errorf("file of result %d: %w", in.ID, err))
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer f.Close() //nolint:errcheck // only read
			r, w := humago.Unwrap(ctx)
			h := w.Header()
			h.Set("Content-Type", stored.ContentType)
			h.Set("Content-Disposition",
				attachment{Name: stored.Name, PlainName: fmt.Sprintf("result-%d%s", in.ID, path.Ext(stored.Key))}.disposition())
			h.Set("Cache-Control", "no-store")
			h.Set("ETag", `"`+stored.SHA256+`"`)
			h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
			out := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
			http.ServeContent(out, r, "", time.Time{}, f)
			s.sent(ctx, out, stored.Size)
		}}, nil
	})
}
