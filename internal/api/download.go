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

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// attachment is an answer that is a file instead of an envelope, or an envelope
// too long to be put together first.
type attachment struct {
	Name        string // as people read it, in Thai; empty for an answer to read at once
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
	file := &huma.Response{
		Description: "The file", Content: map[string]*huma.MediaType{},
		Headers: map[string]*huma.Param{"Content-Disposition": {Description: "attachment, with the name of the file", Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	for _, t := range contentTypes {
		file.Content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	answers := func(op *huma.Operation) { op.Responses = map[string]*huma.Response{"200": file} }
	op := s.declare(method, path, access, summary, append([]option{answers, unhurried, readOnly}, opts...))
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
	if a.attachment.Name != "" {
		h.Set("Content-Disposition", a.attachment.disposition())
	}
	h.Set("Cache-Control", "no-store")
	a.w.WriteHeader(http.StatusOK)
}

// Write sends the header before the first byte. Every part has a time of its own, so
// that a long file may take long and a receiver who has stopped may not.
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

// exportInput is what is exported, and the language of the caller, which is
// that of the header row.
type exportInput[T any] struct {
	Language string `header:"Accept-Language" hidden:"true"`
	Body     T      // not embedded: huma would not set its defaults
}

// Resolve runs the rules of the filter.
func (in *exportInput[T]) Resolve(ctx huma.Context) []error {
	return (&body[T]{in.Body}).Resolve(ctx)
}

// sheet is what an export looks like.
type sheet struct {
	name    hospital.Text
	columns []sheetColumn
}

type sheetColumn struct {
	title hospital.Text
	width float64
}

func (s sheet) table(lang hospital.Lang) report.Table {
	t := report.Table{Name: s.name.In(lang)}
	for _, c := range s.columns {
		t.Columns = append(t.Columns, report.Column{Title: c.title.In(lang), Width: c.width})
	}
	return t
}

// tableFile is a file that is written row by row, while the rows are being
// read. Its name carries the day.
func (s *Server) tableFile(of sheet, format report.Format, lang hospital.Lang, rows func(report.Add) error) attachment {
	return attachment{
		Name: s.fileName(of.name.TH, string(format)), PlainName: s.fileName(strings.ToLower(of.name.EN), string(format)), ContentType: format.ContentType(),
		Write: func(w io.Writer) error { return report.Write(w, format, of.table(lang), rows) },
	}
}

// fileName is a name with today's date in the Buddhist Era: ผู้ป่วย-2569-11-16.csv.
func (s *Server) fileName(name, ending string) string {
	now := s.DB.Now().In(hospital.Bangkok)
	return fmt.Sprintf("%s-%d-%02d-%02d.%s", name, now.Year()+hospital.BuddhistEra, now.Month(), now.Day(), ending)
}
