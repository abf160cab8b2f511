package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
)

// serveFile serves one file at /admin/api/v1/test/file and returns its address.
func serveFile(t *testing.T, log io.Writer, fn func(context.Context, io.Writer) error) string {
	t.Helper()
	s, err := New(Options{Log: slog.New(slog.NewTextHandler(log, nil)), App: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	download(s, http.MethodGet, "/admin/api/v1/test/file", hospital.Public, "A file", []string{"text/plain"}, func(ctx context.Context, _ *struct{}) (attachment, error) {
		return attachment{Name: "ใบ นัด.txt", PlainName: "slip.txt", ContentType: "text/plain", Write: func(w io.Writer) error { return fn(ctx, w) }}, nil
	})
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server.URL + "/admin/api/v1/test/file"
}

func fetch(t *testing.T, ctx context.Context, url string) (*http.Response, string, error) { //nolint:revive // t comes first in tests
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() // read to its end
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func TestAFileThatFailsBeforeItsFirstByteIsAnEnvelope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"a refusal":        {hospital.Refuse(hospital.NotFound), http.StatusNotFound, "NOT_FOUND"},
		"an unknown error": {errors.New("disk full of secrets"), http.StatusInternalServerError, "INTERNAL"},
	} {
		var log lines
		res, body, err := fetch(t, t.Context(), serveFile(t, &log, func(context.Context, io.Writer) error { return c.err }))
		if err != nil || res.StatusCode != c.status || !strings.Contains(body, `"code":"`+c.code+`"`) || res.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %v %d %s", name, err, res.StatusCode, body)
		}
		if strings.Contains(body, "secrets") || (c.code == "INTERNAL") != strings.Contains(log.String(), "disk full of secrets") {
			t.Errorf("%s: the cause belongs into the log: %s, log %s", name, body, log.String())
		}
	}
}

func TestAFileThatBreaksOffBreaksTheConnection(t *testing.T) {
	t.Parallel()
	var log lines
	url := serveFile(t, &log, func(_ context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("a row\n", 10_000)); err != nil {
			return err
		}
		return errors.New("the database went away")
	})
	res, body, err := fetch(t, t.Context(), url)
	if err == nil {
		t.Errorf("a file that is not whole was received as one: %d, %d bytes", res.StatusCode, len(body))
	}
	if !strings.Contains(log.String(), "the database went away") {
		t.Errorf("log: %s", log.String())
	}
}

func TestAFileWithNothingInItIsStillAFile(t *testing.T) {
	t.Parallel()
	res, body, err := fetch(t, t.Context(), serveFile(t, io.Discard, func(context.Context, io.Writer) error { return nil }))
	want := `attachment; filename="slip.txt"; filename*=UTF-8''%E0%B9%83%E0%B8%9A%20%E0%B8%99%E0%B8%B1%E0%B8%94.txt`
	if err != nil || res.StatusCode != http.StatusOK || body != "" || res.Header.Get("Content-Disposition") != want || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %d %q %v", err, res.StatusCode, body, res.Header)
	}
}

func TestAReceiverWhoLeavesStopsTheWork(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	url := serveFile(t, io.Discard, func(ctx context.Context, _ io.Writer) error {
		defer close(stopped)
		leave()
		<-ctx.Done() // the test hangs here if nobody notices
		return ctx.Err()
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("an answer came although the receiver had left")
	}
	<-stopped
}

// limited is a writer that remembers its time limits.
type limited struct {
	http.ResponseWriter
	read, write []time.Time
}

func (l *limited) SetReadDeadline(d time.Time) error  { l.read = append(l.read, d); return nil }
func (l *limited) SetWriteDeadline(d time.Time) error { l.write = append(l.write, d); return nil }
func (l *limited) Unwrap() http.ResponseWriter        { return l.ResponseWriter }

func TestEveryPartOfAFileHasItsOwnTime(t *testing.T) {
	t.Parallel()
	l := &limited{ResponseWriter: httptest.NewRecorder()}
	w := &attachmentWriter{w: l, control: http.NewResponseController(&recorder{ResponseWriter: l})}
	w.begin()
	before := time.Now()
	for range 2 {
		if _, err := io.WriteString(w, "a part"); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.read) != 1 || !l.read[0].IsZero() {
		t.Errorf("limits on reading: %v, want none", l.read)
	}
	if len(l.write) != 3 || !l.write[0].IsZero() || l.write[1].Before(before.Add(chunkTime)) || l.write[2].Before(l.write[1]) {
		t.Errorf("limits on writing: %v, want none at first and then a minute each", l.write)
	}
}

// A listener who does not take what is sent is let go; one to whom nothing is sent
// may listen for hours, over HTTP/2 too.
func TestOnlySendingToAListenerHasALimit(t *testing.T) {
	t.Parallel()
	l := &limited{ResponseWriter: httptest.NewRecorder()}
	e := &eventStream{w: l, control: http.NewResponseController(&recorder{ResponseWriter: l})}
	before := time.Now()
	e.begin("place")
	e.write(": still here\n\n")
	if e.err != nil || len(l.read) != 1 || !l.read[0].IsZero() {
		t.Errorf("limits on reading: %v, want none (%v)", l.read, e.err)
	}
	if len(l.write) != 4 || l.write[0].Before(before.Add(eventTime)) || !l.write[1].IsZero() || l.write[2].Before(l.write[0]) || !l.write[3].IsZero() {
		t.Errorf("limits on writing: %v, want one for each write, taken off after it", l.write)
	}
}

// lines keeps what is logged.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestALongEnvelopeIsSentWhileItIsRead(t *testing.T) { // not parallel: it measures the whole process
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const rows = 30_000 // some 20 MB
	before, most, sent := heap(), int64(0), &counter{}
	err := writeEnvelope(sent, func(add func(hospital.Appointment) error) error {
		for i := range rows {
			if err := add(hospital.Appointment{ID: int64(i), Patient: hospital.PatientRef{FirstName: "สมชาย"}}); err != nil {
				return err
			}
			if i%3_000 == 2_999 {
				most = max(most, heap()-before)
			}
			if i == rows/2 && sent.bytes == 0 {
				t.Error("nothing was sent after half of the rows")
			}
		}
		return nil
	})
	if err != nil || most > 8<<20 {
		t.Errorf("%v, heap grew by %d KB for %d MB", err, most>>10, sent.bytes>>20)
	}
}

// counter counts what is written.
type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

func TestAnEnvelopeIsWholeOrNoJSON(t *testing.T) {
	t.Parallel()
	boom := errors.New("the database went away")
	for name, c := range map[string]struct {
		items int
		err   error
		sent  string
	}{
		"none":                        {0, nil, `{"success":true,"data":[]}`},
		"two":                         {2, nil, `{"success":true,"data":["a","a"]}`},
		"nothing before an error":     {0, boom, ""},
		"a few that fit in one chunk": {2, boom, ""},
	} {
		var b strings.Builder
		err := writeEnvelope(&b, func(add func(string) error) error {
			for range c.items {
				if err := add("a"); err != nil {
					return err
				}
			}
			return c.err
		})
		if got := strings.ReplaceAll(b.String(), "\n", ""); !errors.Is(err, c.err) || got != c.sent {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
