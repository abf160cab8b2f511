package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// attachment is a response that is not built in memory first: a file, or a long envelope.
type attachment struct {
	Name        string // Thai file name; empty for a response to display
	PlainName   string // ASCII file name, for clients that do not support the other
	ContentType string
	Export      bool // has an unlimited number of rows
	// Write writes the content. If it fails, the response is the error.
	Write func(io.Writer) error
}

// disposition returns the Content-Disposition header.
func (a attachment) disposition() string {
	return fmt.Sprintf("attachment; filename=%q; filename*=UTF-8''%s", a.PlainName,
		strings.ReplaceAll(url.QueryEscape(a.Name), "+", "%20"))
}

// download registers an operation that returns a file of one of the content types. Otherwise it is like
// handle.
func download[I any](s *Server, method, path string, access hospital.Access, summary string, contentTypes []string,
	fn func(context.Context, *I) (attachment, error), opts ...option) {
	file := &huma.Response{
		Description: "The file", Content: map[string]*huma.MediaType{},
		Headers: map[string]*huma.Param{
			"Content-Disposition": {
				Description: "attachment with the file name", Schema: &huma.Schema{Type: huma.TypeString},
			},
		},
	}
	for _, t := range contentTypes {
		file.Content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	answers := func(op *huma.Operation) { op.Responses = map[string]*huma.Response{"200": file} }
	op := s.declare(method, path, access, summary, append([]option{answers, streaming, readOnly}, opts...))
	huma.Register(s.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		a, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.send(ctx, a) }}, nil
	})
}

// send sends the file once it is complete, so that an error in the middle of it is still
// an error response and no database connection waits for a slow client.
func (s *Server) send(ctx huma.Context, a attachment) {
	_, w := humago.Unwrap(ctx)
	out := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	// Without the read deadline of an ordinary call, a client who leaves is noticed however
	// long the file takes. Writers without deadlines return an error, which does not matter.
	_, _ = out.control.SetReadDeadline(time.Time{}), out.control.SetWriteDeadline(time.Time{})
	file := &spool{quota: s.quota}
	defer file.close()
	write := func() error { return a.Write(file) }
	if a.Export {
		end, err := s.exports.begin(hospital.ActorFrom(ctx.Context()).UserID)
		if err != nil {
			s.writeError(ctx, err)
			return
		}
		defer end()
		write = func() error { return s.exports.read(ctx.Context(), file, a.Write) }
	}
	err := write()
	var content io.Reader
	if err == nil {
		content, err = file.content()
	}
	if err != nil {
		_ = out.control.SetWriteDeadline(time.Now().Add(chunkTime))
		s.writeError(ctx, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.ContentType)
	h.Set("Content-Length", strconv.FormatInt(file.size, 10))
	if a.Name != "" {
		h.Set("Content-Disposition", a.disposition())
	}
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, _ = io.Copy(out, struct{ io.Reader }{content}) // hiding the other methods of content makes io.Copy send chunks
	s.sent(ctx, out, file.size)
}

// sent logs a download that ended early, and breaks the connection: the client must not
// take a part for the whole.
func (s *Server) sent(ctx huma.Context, out *pacedWriter, size int64) {
	if out.err == nil {
		return
	}
	s.Log.WarnContext(ctx.Context(), "download ended early", "request_id", requestID(ctx.Context()),
		"operation", ctx.Operation().OperationID, "sent", out.sent, "size", size, "error", out.err.Error())
	panic(http.ErrAbortHandler)
}

const (
	// chunkTime is how long a client may take to send or receive a chunk.
	chunkTime = time.Minute
	// minSendRate is how many bytes a second a client must receive over each chunkTime: less than the slowest
	// connection, more than a client that only wants to hold the file.
	minSendRate = 4 << 10
	// sendTime is how long a client may take to receive a file, which uses disk space meanwhile.
	sendTime = time.Hour
)

// pacedWriter sends a file to a client that is fast enough.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	began   time.Time
	next    int64 // bytes sent when the deadline moves next
	sent    int64
	err     error
}

// Write sends a chunk.
func (s *pacedWriter) Write(p []byte) (n int, err error) {
	if s.sent >= s.next {
		now := time.Now()
		if s.began.IsZero() {
			s.began = now
		}
		deadline := now.Add(chunkTime)
		if end := s.began.Add(sendTime); end.Before(deadline) {
			deadline = end
		}
		_ = s.control.SetWriteDeadline(deadline)
		s.next = s.sent + minSendRate*int64(chunkTime/time.Second)
	}
	n, err = s.ResponseWriter.Write(p)
	s.sent += int64(n)
	s.err = err
	return n, err
}

// tableTypes returns the content types of tables.
func tableTypes() []string {
	types := make([]string, len(report.Formats))
	for i, f := range report.Formats {
		types[i] = f.ContentType()
	}
	return types
}

// exportInput is the input of an export. The caller's language is that of the header row.
type exportInput[T any] struct {
	Language string `header:"Accept-Language" hidden:"true"`
	Body     T      // not embedded: huma would not set its defaults
}

// Resolve validates the filter.
func (in *exportInput[T]) Resolve(ctx huma.Context) []error {
	return (&body[T]{in.Body}).Resolve(ctx)
}

// sheet defines the name and columns of an export.
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

// tableFile returns a file that is written row by row. Its name contains the date.
func (s *Server) tableFile(of sheet, format report.Format, lang hospital.Lang, rows func(report.Add) error) attachment {
	return attachment{
		Name: s.fileName(of.name.TH, string(format)), PlainName: s.fileName(strings.ToLower(of.name.EN), string(format)),
		ContentType: format.ContentType(),
		Write:       func(w io.Writer) error { return report.Write(w, format, of.table(lang), rows) },
	}
}

// exportFile is tableFile with an unlimited number of rows.
func (s *Server) exportFile(of sheet, format report.Format, lang hospital.Lang,
	rows func(report.Add) error) attachment {
	file := s.tableFile(of, format, lang, rows)
	file.Export = true
	return file
}

// fileName returns a name with today's date in the Buddhist Era: ผู้ป่วย-2569-11-16.csv.
func (s *Server) fileName(name, ending string) string {
	now := s.DB.Now().In(hospital.Bangkok)
	return fmt.Sprintf("%s-%d-%02d-%02d.%s", name, now.Year()+hospital.BuddhistEra, now.Month(), now.Day(), ending)
}
