package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
)

// upload is the input of an operation with a form and a file. The form is read as it arrives and not
// buffered.
type upload struct {
	parts    *multipart.Reader
	length   int64 // of the form; -1 if unknown
	optional bool  // the file is optional
	attempt  *attempt
}

// Resolve opens the form. It returns BAD_REQUEST for other content types.
func (u *upload) Resolve(ctx huma.Context) []error {
	kind, params, err := mime.ParseMediaType(ctx.Header("Content-Type"))
	if err != nil || kind != formType || params["boundary"] == "" {
		return []error{
			hospital.Reject(hospital.BadRequest).Because("ต้องส่งเป็นแบบฟอร์มที่มีไฟล์ (multipart/form-data)",
				"A form with a file (multipart/form-data) is expected."),
		}
	}
	r, w := humago.Unwrap(ctx)
	u.length, u.attempt = r.ContentLength, attemptFrom(ctx.Context())
	u.parts = multipart.NewReader(&pacedReader{r: r.Body, control: http.NewResponseController(w), began: time.Now()},
		params["boundary"])
	return nil
}

// minUploadRate is the minimum speed of an upload in bytes a second: less than the slowest connection, more than
// a client that only wants to hold the connection.
const minUploadRate = 512

// pacedReader extends the read deadline of an upload while data arrives at the minimum pace. Errors are ignored: a
// connection without deadlines needs no extension.
type pacedReader struct {
	r       io.Reader
	control *http.ResponseController
	began   time.Time
	read    int64
}

// Read implements io.Reader.
func (s *pacedReader) Read(p []byte) (int, error) {
	limit := time.Now().Add(chunkTime)
	if paced := s.began.Add(chunkTime + time.Duration(s.read)*time.Second/minUploadRate); paced.Before(limit) {
		limit = paced
	}
	_, _ = s.control.SetReadDeadline(limit), s.control.SetWriteDeadline(limit.Add(chunkTime))
	n, err := s.r.Read(p)
	s.read += int64(n)
	return n, err
}

const (
	formOverhead = 64 << 10 // maximum size of a form without its file
	maxFormText  = 16 << 10
)

// read reads the text fields and calls file with the file. It returns FILE_TOO_LARGE if the form is longer
// than a file of limit bytes allows, before reading it, and VALIDATION_FAILED for a missing or second file
// and for unknown fields.
func (u *upload) read(limit int64, texts map[string]*string, file func(name string, r io.Reader) error) error {
	if u.length > limit+formOverhead {
		return files.TooLarge(limit)
	}
	wrong := func(field, th, en string) error {
		return hospital.Reject(hospital.ValidationFailed).On(field, th, en)
	}
	seen := map[string]bool{}
	for {
		part, err := u.parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return hospital.Reject(hospital.BadRequest)
		}
		name := part.FormName()
		text, known := texts[name]
		switch {
		case seen[name]:
			return wrong(name, "ส่งซ้ำได้เพียงครั้งเดียว", "This may be there only once.")
		case name == "file":
			if err := file(part.FileName(), u.attempt.part(name, part.FileName(), part)); err != nil {
				return err
			}
		case known:
			b, err := io.ReadAll(io.LimitReader(u.attempt.part(name, "", part), maxFormText+1))
			if len(b) > maxFormText {
				return wrong(name, "ข้อความยาวเกินไป", "The text is too long.")
			}
			if err != nil || !utf8.Valid(b) {
				return hospital.Reject(hospital.BadRequest)
			}
			*text = string(b)
		default:
			return wrong("form", findings["unknown"].TH, findings["unknown"].EN)
		}
		seen[name] = true
	}
	if !seen["file"] && !u.optional {
		return wrong("file", "กรุณาเลือกไฟล์", "Choose a file.")
	}
	u.attempt.readToEnd()
	return nil
}

// form registers an operation with a form that has a file and the given text fields.
func form[I, O any](s *Server, path string, access hospital.Access, summary string, texts []string,
	fn func(context.Context, *I) (O, error), opts ...func(*huma.RequestBody)) {
	post(s, path, access, summary, fn, streaming)
	schema := &huma.Schema{
		Type: huma.TypeObject, Required: []string{"file"},
		Properties: map[string]*huma.Schema{"file": {Type: huma.TypeString, Format: "binary"}},
	}
	for _, name := range texts {
		schema.Properties[name] = &huma.Schema{Type: huma.TypeString}
	}
	body := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{formType: {Schema: schema}}}
	for _, o := range opts {
		o(body)
	}
	s.huma.OpenAPI().Paths[path].Post.RequestBody = body
}

const formType = "multipart/form-data"

// filesError turns an error of the file store into UNAVAILABLE, unless it already has a code.
func filesError(err error) error {
	var ours *hospital.Error
	if err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	return fmt.Errorf("%w: %w", hospital.Reject(hospital.Unavailable), err)
}
