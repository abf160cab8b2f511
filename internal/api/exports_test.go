package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nadmor/internal/hospital"
)

// pipes is a network without buffers, whose deadlines follow the clock of a synctest bubble.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

func (p *pipes) Close() error {
	p.close()
	return nil
}

// exporting serves an export at /. It returns the server, its log, and a function that sends a request.
func exporting(t *testing.T, o Options,
	write func(context.Context,
		io.Writer) error) (s *Server, log *lines, request func() *exportClient, server *http.Server) {
	t.Helper()
	log = &lines{}
	o.Log, o.App = slog.New(slog.NewTextHandler(log, nil)), http.NotFoundHandler()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	download(s, http.MethodGet, "/admin/api/v1/test/export", hospital.Public, "An export", []string{"text/plain"},
		func(ctx context.Context, _ *struct{}) (attachment, error) {
			return attachment{
				ContentType: "text/plain", Export: true, Write: func(w io.Writer) error { return write(ctx, w) },
			}, nil
		})
	network := newPipes()
	server = &http.Server{
		Handler: s.Handler(), ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
	}
	go func() { _ = server.Serve(network) }()
	t.Cleanup(func() { _ = server.Close() })
	request = func() *exportClient {
		t.Helper()
		clientEnd, serverEnd := net.Pipe()
		t.Cleanup(func() { _ = clientEnd.Close() })
		network.conns <- serverEnd
		if _, err := io.WriteString(clientEnd,
			"GET /admin/api/v1/test/export HTTP/1.1\r\nHost: a\r\nX-Request-Id: the-request\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return &exportClient{t, clientEnd}
	}
	return s, log, request, server
}

// exportClient has sent its request and read nothing yet.
type exportClient struct {
	t    *testing.T
	conn net.Conn
}

// answer reads the whole response.
func (c *exportClient) answer() (*http.Response, string) {
	c.t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close() // read to its end below
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(b)
}

func (c *exportClient) wantTooMany() {
	c.t.Helper()
	res, body := c.answer()
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "30" ||
		!strings.Contains(body, `"code":"UNAVAILABLE"`) || !strings.Contains(body, "TOO_MANY_EXPORTS") ||
		!strings.Contains(body, "กรุณารอให้รายการก่อนหน้าเสร็จ") {
		c.t.Errorf("%d, %v, %s", res.StatusCode, res.Header, body)
	}
}

// nothingHeld fails if the server still counts an export or disk space for one.
func nothingHeld(t *testing.T, s *Server) {
	t.Helper()
	if s.exports.total != 0 || len(s.exports.byUser) != 0 || len(s.exports.reading) != 0 || s.quota.taken != 0 {
		t.Errorf("%d exports, of %v, %d reading, %d bytes are held", s.exports.total, s.exports.byUser,
			len(s.exports.reading), s.quota.taken)
	}
	if left, err := os.ReadDir(s.quota.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// moreThanMemory writes more than a spool holds in memory.
func moreThanMemory(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, strings.Repeat("สมชาย ", spoolMemory/8))
	return err
}

// A client that receives a byte a second is disconnected after a minute, and one that is slightly too slow
// after its first slow minute. A fast enough client receives everything.
func TestSlowClientIsDisconnected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes, every int // seconds
		cut          time.Duration
	}{
		"a byte a second":        {1, 1, time.Minute},
		"nothing":                {0, 1, time.Minute},
		"less than 4 KiB/s":      {4000, 1, time.Minute},
		"a burst now and then":   {80_000, 25, time.Minute},
		"5 KiB/s":                {5 << 10, 1, 0},
		"a large part at a time": {300_000, 59, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s, log, request, _ := exporting(t, Options{SpoolDir: dir}, moreThanMemory)
				client, began := request(), time.Now()
				synctest.Wait()
				if s.exports.total != 1 || s.quota.taken != s.quota.step || len(s.exports.reading) != 0 {
					t.Errorf("while it is sent: %d exports, %d reading, %d bytes", s.exports.total, len(s.exports.reading),
						s.quota.taken)
				}
				var err error
				for received := 0; err == nil && received < spoolMemory &&
					!strings.Contains(log.String(), "download ended early"); received += c.bytes {
					_, err = io.CopyN(io.Discard, client.conn, int64(c.bytes))
					time.Sleep(time.Duration(c.every) * time.Second)
				}
				took := time.Since(began).Truncate(time.Minute)
				synctest.Wait()
				if cut := strings.Contains(log.String(), "download ended early"); cut != (c.cut > 0) || cut && took != c.cut {
					t.Fatalf("cut %v after %s: %v\n%s", cut, took, err, log)
				}
				if c.cut > 0 &&
					(!strings.Contains(log.String(), "request_id=the-request operation=get-test-export sent=") ||
						strings.Contains(log.String(), "สมชาย")) {
					t.Errorf("log: %s", log)
				}
				_, _ = io.Copy(io.Discard, client.conn) // the rest, until the connection ends
				synctest.Wait()
				nothingHeld(t, s)
			})
		})
	}
}

// A file does not use disk space for longer than an hour, however steadily it is received.
func TestDownloadTimeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, log, request, _ := exporting(t, Options{SpoolDir: dir}, func(ctx context.Context, w io.Writer) error {
			for range 16 {
				if err := moreThanMemory(ctx, w); err != nil {
					return err
				}
			}
			return nil
		})
		client, began := request(), time.Now()
		var err error
		for err == nil {
			_, err = io.CopyN(io.Discard, client.conn, 5<<10)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if took := time.Since(began).Truncate(time.Minute); took != sendTime ||
			!strings.Contains(log.String(), "download ended early") {
			t.Errorf("after %s: %v\n%s", took, err, log)
		}
		nothingHeld(t, s)
	})
}

// A user can run four exports at once, and the server has a limit. Each export that ends, for whatever
// reason, frees its place.
func TestConcurrentExportLimit(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*exportClient){
		"received": func(c *exportClient) { c.answer() },
		"left":     func(c *exportClient) { _ = c.conn.Close() },
	} {
		for bound, set := range map[string]func(*exports){
			"of a user": func(*exports) {}, "of the server": func(e *exports) { e.most, e.ofUser = 4, 100 },
		} {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s, _, request, _ := exporting(t, Options{SpoolDir: dir}, moreThanMemory)
				set(s.exports)
				clients := []*exportClient{request(), request(), request(), request()}
				synctest.Wait() // until all are being sent
				request().wantTooMany()
				end(clients[0])
				synctest.Wait()
				if res, _ := request().answer(); res.StatusCode != http.StatusOK {
					t.Errorf("%s, %s: %d", name, bound, res.StatusCode)
				}
				for _, c := range clients[1:] {
					end(c)
				}
				synctest.Wait()
				nothingHeld(t, s)
			})
		}
	}
}

// An export waits for a place at most half a minute, then it is refused; its client may leave before.
func TestExportWaitLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		s, _, request, _ := exporting(t, Options{SpoolDir: dir}, func(ctx context.Context, w io.Writer) error {
			<-finish
			return moreThanMemory(ctx, w)
		})
		s.exports.reading = make(chan struct{}, 2) // on any machine
		readers := []*exportClient{request(), request()}
		synctest.Wait()
		leaves, waits, began := request(), request(), time.Now()
		synctest.Wait()
		_ = leaves.conn.Close()
		synctest.Wait()
		s.exports.mu.Lock()
		total := s.exports.total
		s.exports.mu.Unlock()
		if total != 3 {
			t.Errorf("%d exports after one of four left", total)
		}
		waits.wantTooMany()
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("it waited for %s", took)
		}
		next := request()
		synctest.Wait()
		close(finish)
		for _, c := range append(readers, next) {
			if res, _ := c.answer(); res.StatusCode != http.StatusOK {
				t.Errorf("%d", res.StatusCode)
			}
		}
		synctest.Wait()
		nothingHeld(t, s)
	})
}

func TestFailedExportReleasesItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail   func() error
		status int
	}{
		"an error": {func() error { return errors.New("the database went away") }, http.StatusInternalServerError},
		"a panic":  {func() error { panic("a mistake") }, http.StatusInternalServerError},
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s, _, request, _ := exporting(t, Options{SpoolDir: dir}, func(ctx context.Context, w io.Writer) error {
				return errors.Join(moreThanMemory(ctx, w), c.fail())
			})
			if res, body := request().answer(); res.StatusCode != c.status || strings.Contains(body, "สมชาย") {
				t.Errorf("%s: %d %.100s", name, res.StatusCode, body)
			}
			synctest.Wait()
			nothingHeld(t, s)
		})
	}
}

// A server that stops lets running downloads finish, and disconnects the others when it is closed.
func TestShutdownEndsExports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, _, request, server := exporting(t, Options{SpoolDir: dir}, moreThanMemory)
		receives, waits := request(), request()
		synctest.Wait()
		bounded, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		stopped := make(chan error, 1)
		go func() { stopped <- server.Shutdown(bounded) }()
		if res, body := receives.answer(); res.StatusCode != http.StatusOK || int64(len(body)) != res.ContentLength {
			t.Errorf("%d, %d bytes", res.StatusCode, len(body))
		}
		if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("stopped with an export that is not received: %v", err)
		}
		_ = server.Close()
		_, _ = io.Copy(io.Discard, waits.conn)
		synctest.Wait()
		nothingHeld(t, s)
	})
}

// The size of a file, the total size and the free disk space are limited.
func TestSpoolQuota(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set      func(*spoolQuota)
		status   int
		contains []string
	}{
		"enough": {func(*spoolQuota) {}, http.StatusOK, nil},
		"one too large": {
			func(r *spoolQuota) { r.most, r.step = 1<<20, 1<<20 },
			http.StatusRequestEntityTooLarge, []string{
				`"FILE_TOO_LARGE"`, "กรุณาเลือกช่วงวันที่ให้สั้นลง", `"maxBytes":1048576`,
			},
		},
		"too large together": {
			func(r *spoolQuota) { r.taken = r.total - r.step + 1 },
			http.StatusServiceUnavailable, []string{`"UNAVAILABLE"`, "TOO_MANY_EXPORTS"},
		},
		"a disk that is nearly full": {
			func(r *spoolQuota) { r.spare = 1 << 60 },
			http.StatusServiceUnavailable, []string{`"UNAVAILABLE"`, "STORAGE_FULL", "พื้นที่จัดเก็บข้อมูลของระบบเหลือน้อย"},
		},
	} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s, _, request, _ := exporting(t, Options{SpoolDir: dir}, moreThanMemory)
			c.set(s.quota)
			before := s.quota.taken
			res, body := request().answer()
			if res.StatusCode != c.status ||
				res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %d, %v, %.300s", name, res.StatusCode, res.Header, body)
			}
			for _, part := range c.contains {
				if !strings.Contains(body, part) {
					t.Errorf("%s: %s is not in %.300s", name, part, body)
				}
			}
			synctest.Wait()
			s.quota.taken -= before
			nothingHeld(t, s)
		})
	}
}

// A file left behind by a killed process before it was unlinked is deleted at the next start.
func TestLeftoverSpoolFilesAreDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := os.CreateTemp(dir, spoolPattern)
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	other := filepath.Join(dir, "download-of-another.csv")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{SpoolDir: dir, Log: slog.New(slog.DiscardHandler), App: http.NotFoundHandler()}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != filepath.Base(other) {
		t.Errorf("%v, %v", left, err)
	}
}
