package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
)

// serveFile serves a file at /admin/api/v1/test/file and returns its URL.
func serveFile(t *testing.T, log io.Writer, fn func(context.Context, io.Writer) error) string {
	t.Helper()
	return serveFileFrom(t, Options{}, log, fn)
}

func serveFileFrom(t *testing.T, o Options, log io.Writer, fn func(context.Context, io.Writer) error) string {
	t.Helper()
	o.Log, o.App = slog.New(slog.NewTextHandler(log, nil)), http.NotFoundHandler()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	download(s, http.MethodGet, "/admin/api/v1/test/file", hospital.Public, "A file", []string{"text/plain"},
		func(ctx context.Context, _ *struct{}) (attachment, error) {
			return attachment{
				Name: "ใบ นัด.txt", PlainName: "slip.txt", ContentType: "text/plain",
				Write: func(w io.Writer) error { return fn(ctx, w) },
			}, nil
		})
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server.URL + "/admin/api/v1/test/file"
}

//nolint:revive // t comes first in tests
func fetch(t *testing.T, ctx context.Context, url string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() // read to its end below
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func TestDownloadErrorBeforeFirstByte(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"a refusal":        {hospital.Reject(hospital.NotFound), http.StatusNotFound, "NOT_FOUND"},
		"an unknown error": {errors.New("disk full of secrets"), http.StatusInternalServerError, "INTERNAL"},
	} {
		var log lines
		res, body, err := fetch(t, t.Context(), serveFile(t, &log, func(context.Context, io.Writer) error { return c.err }))
		if err != nil || res.StatusCode != c.status || !strings.Contains(body, `"code":"`+c.code+`"`) ||
			res.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %v %d %s", name, err, res.StatusCode, body)
		}
		if strings.Contains(body, "secrets") ||
			(c.code == "INTERNAL") != strings.Contains(log.String(), "disk full of secrets") {
			t.Errorf("%s: the cause belongs into the log: %s, log %s", name, body, log.String())
		}
	}
}

func TestDownloadErrorInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{10, spoolMemory} {
		var log lines
		url := serveFile(t, &log, func(_ context.Context, w io.Writer) error {
			if _, err := io.WriteString(w, strings.Repeat("a row\n", rows)); err != nil {
				return err
			}
			return errors.New("the database went away")
		})
		res, body, err := fetch(t, t.Context(), url)
		if err != nil || res.StatusCode != http.StatusInternalServerError || strings.Contains(body, "a row") {
			t.Errorf("%d rows: %v, %d, %.100s", rows, err, res.StatusCode, body)
		}
		if !strings.Contains(log.String(), "the database went away") {
			t.Errorf("log: %s", log.String())
		}
	}
}

// A file of any size is sent whole with its length, and leaves no temporary files.
func TestDownloadSizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, size := range []int{1, spoolMemory, spoolMemory + 1, 10 * spoolMemory} {
		content := strings.Repeat("x", size)
		url := serveFileFrom(t, Options{SpoolDir: dir}, io.Discard, func(_ context.Context, w io.Writer) error {
			for part := range slices.Chunk([]byte(content), 100_000) {
				if _, err := w.Write(part); err != nil {
					return err
				}
			}
			return nil
		})
		res, body, err := fetch(t, t.Context(), url)
		if err != nil || body != content || res.ContentLength != int64(size) {
			t.Errorf("%d bytes: %v, %d received of %d", size, err, len(body), res.ContentLength)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Clients that do not read do not block the generation of their files or its database connection.
func TestDownloadToStalledClient(t *testing.T) {
	t.Parallel()
	const clients = 8
	var done sync.WaitGroup
	done.Add(clients)
	address := serveFile(t, io.Discard, func(_ context.Context, w io.Writer) error {
		defer done.Done()
		row := bytes.Repeat([]byte("x"), 1<<20)
		for range 16 { // more than the buffers of a connection hold
			if _, err := w.Write(row); err != nil {
				return err
			}
		}
		return nil
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for range clients {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, "GET "+u.Path+" HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	done.Wait() // hangs if one of them waits for its client
}

// Without disk space for the file, the response is an error.
func TestSpoolError(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	url := serveFileFrom(t, Options{SpoolDir: missing}, io.Discard, func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", spoolMemory+1))
		return err
	})
	res, body, err := fetch(t, t.Context(), url)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "UNAVAILABLE") {
		t.Errorf("%v, %d, %.100s", err, res.StatusCode, body)
	}
}

func TestDownloadEmptyFile(t *testing.T) {
	t.Parallel()
	res, body, err := fetch(t, t.Context(),
		serveFile(t, io.Discard, func(context.Context, io.Writer) error { return nil }))
	want := `attachment; filename="slip.txt"; filename*=UTF-8''%E0%B9%83%E0%B8%9A%20%E0%B8%99%E0%B8%B1%E0%B8%94.txt`
	if err != nil || res.StatusCode != http.StatusOK || body != "" || res.Header.Get("Content-Disposition") != want ||
		res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v %d %q %v", err, res.StatusCode, body, res.Header)
	}
}

func TestDisconnectStopsDownload(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	url := serveFile(t, io.Discard, func(ctx context.Context, _ io.Writer) error {
		defer close(stopped)
		leave()
		<-ctx.Done() // hangs if the disconnect is not noticed
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

// limited is a writer that records its deadlines.
type limited struct {
	http.ResponseWriter
	read, write []time.Time
}

func (l *limited) SetReadDeadline(d time.Time) error  { l.read = append(l.read, d); return nil }
func (l *limited) SetWriteDeadline(d time.Time) error { l.write = append(l.write, d); return nil }
func (l *limited) Unwrap() http.ResponseWriter        { return l.ResponseWriter }

// A client that does not receive events is disconnected; one without events may stay connected for hours,
// also over HTTP/2.
func TestWriteDeadlineOfEvents(t *testing.T) {
	t.Parallel()
	l := &limited{ResponseWriter: httptest.NewRecorder()}
	e := &eventStream{w: l, control: http.NewResponseController(&recorder{ResponseWriter: l})}
	before := time.Now()
	e.begin("place")
	e.write(": still here\n\n")
	if e.err != nil || len(l.read) != 1 || !l.read[0].IsZero() {
		t.Errorf("limits on reading: %v, want none (%v)", l.read, e.err)
	}
	if len(l.write) != 4 || l.write[0].Before(before.Add(eventTime)) || !l.write[1].IsZero() ||
		l.write[2].Before(l.write[0]) || !l.write[3].IsZero() {
		t.Errorf("limits on writing: %v, want one for each write, taken off after it", l.write)
	}
}

// lines collects log output.
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

func TestLongEnvelopeIsStreamed(t *testing.T) { // not parallel: measures the memory of the process
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const rows = 30_000 // about 20 MB
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

// counter counts the bytes written.
type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

func TestBrokenEnvelopeIsInvalidJSON(t *testing.T) {
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
