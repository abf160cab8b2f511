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

// upload is the input of an operation that takes a form with a file. The form
// is read as it arrives; nothing of it is kept before somebody asks for it.
type upload struct {
	parts    *multipart.Reader
	length   int64 // of the whole form; -1 when the sender did not say
	optional bool  // it may come without a file
	attempt  *attempt
}

// Resolve finds the form: BAD_REQUEST when something else was sent.
func (u *upload) Resolve(ctx huma.Context) []error {
	kind, params, err := mime.ParseMediaType(ctx.Header("Content-Type"))
	if err != nil || kind != formType || params["boundary"] == "" {
		return []error{
			hospital.Refuse(hospital.BadRequest).Because("ต้องส่งเป็นแบบฟอร์มที่มีไฟล์ (multipart/form-data)",
				"A form with a file (multipart/form-data) is expected."),
		}
	}
	r, w := humago.Unwrap(ctx)
	u.length, u.attempt = r.ContentLength, attemptFrom(ctx.Context())
	u.parts = multipart.NewReader(&steady{r: r.Body, control: http.NewResponseController(w), began: time.Now()},
		params["boundary"])
	return nil
}

// leastPace is how many bytes a second an upload has to come with: less than the
// slowest line, more than somebody who only wants to keep the connection.
const leastPace = 512

// steady gives every part of an upload its own time: the whole may take as long
// as it keeps coming, at a pace. Not every connection has time limits; one that
// has none needs none moved.
type steady struct {
	r       io.Reader
	control *http.ResponseController
	began   time.Time
	read    int64
}

// Read reads on.
func (s *steady) Read(p []byte) (int, error) {
	limit := time.Now().Add(chunkTime)
	if paced := s.began.Add(chunkTime + time.Duration(s.read)*time.Second/leastPace); paced.Before(limit) {
		limit = paced
	}
	_, _ = s.control.SetReadDeadline(limit), s.control.SetWriteDeadline(limit.Add(chunkTime))
	n, err := s.r.Read(p)
	s.read += int64(n)
	return n, err
}

const (
	formOverhead = 64 << 10 // what a form may hold beside its file
	maxFormText  = 16 << 10
)

// read goes through the form: the texts that it may hold, and the file, which
// file reads. Refused: a form that is longer than a file of limit bytes can make
// it (FILE_TOO_LARGE, before anything is read), no file, two files, and fields
// that are not known (VALIDATION_FAILED).
func (u *upload) read(limit int64, texts map[string]*string, file func(name string, r io.Reader) error) error {
	if u.length > limit+formOverhead {
		return files.TooLarge(limit)
	}
	wrong := func(field, th, en string) error {
		return hospital.Refuse(hospital.ValidationFailed).On(field, th, en)
	}
	seen := map[string]bool{}
	for {
		part, err := u.parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return hospital.Refuse(hospital.BadRequest)
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
				return hospital.Refuse(hospital.BadRequest)
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

// form registers an operation that takes a form with a file and the named texts.
func form[I, O any](s *Server, path string, access hospital.Access, summary string, texts []string,
	fn func(context.Context, *I) (O, error), opts ...func(*huma.RequestBody)) {
	post(s, path, access, summary, fn, unhurried)
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

// filesError tells people that files cannot be reached now, unless there is
// something better to tell.
func filesError(err error) error {
	var ours *hospital.Error
	if err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	return fmt.Errorf("%w: %w", hospital.Refuse(hospital.Unavailable), err)
}
