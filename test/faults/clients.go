package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nadmor/test/product"
)

// cutWithin is the time in which a useless connection is closed.
const cutWithin = 12 * time.Second

// clients sends slow connections, endless bodies and huge numbers of values. Each is closed or rejected as
// expected, in limited memory, while other clients work.
func clients(ctx context.Context, out printer, dir, binary string, short bool) (err error) {
	const patients = 300
	slow, calmFor, rounds := 1000, 15*time.Second, 3
	if short {
		slow, calmFor, rounds = 100, time.Second, 1
	}
	storage := product.Storage{Dir: filepath.Join(dir, "data")}
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", patients),
		"--appointments=2000"); err != nil {
		return err
	}
	if err := importBombs(ctx, storage, binary, dir); err != nil {
		return err
	}
	p, c, k, err := startClinic(ctx, storage.Env(), binary, patients, 50, time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	inCalm := func() observed {
		stop := beside(ctx, c, k, p)
		pause(ctx, calmFor)
		return stop()
	}
	calmed := inCalm()
	out.say("calm: %d calls, p99 %.1f ms, %.0f MB", len(calmed.times), ms(p99(calmed.times)), calmed.memory)

	a := &attacker{
		ctx: ctx, base: strings.TrimPrefix(p.Base, "http://"), token: c.Token, all: hugeRequests(),
		largest: picture(8_000, 5_000),
	}
	attacked := beside(ctx, c, k, p)
	var slowClients sync.WaitGroup
	var answers int
	for range rounds {
		slowClients.Go(func() { a.openSlowConnections(slow) })
		n, err := a.sendAll(c, calmFor/time.Duration(2*len(a.all)))
		answers += n
		if err != nil {
			attacked()
			return err
		}
		slowClients.Wait()
	}
	beset, after := attacked(), inCalm()
	if err := errors.Join(calmed.err, beset.err, after.err, a.failed); err != nil {
		return err
	}
	calmed.times = append(calmed.times, after.times...)
	calmP99, besetP99 := p99(calmed.times), p99(beset.times)
	figures := fmt.Sprintf("%d slow connections cut within %.1f s, %d huge requests refused; the largest took %.1f MB "+
		"of 10 GB; memory %.0f MB above calm; others' p99 %.1f ms, calm %.1f ms (%d and %d calls)",
		a.cut.Load(), time.Duration(a.slowest.Load()).Seconds(), answers, float64(a.taken.Load())/(1<<20),
		beset.memory-calmed.memory, ms(besetP99), ms(calmP99), len(beset.times), len(calmed.times))
	switch {
	case beset.memory-calmed.memory > 600:
		return fmt.Errorf("too much memory: %s", figures)
	case !short && besetP99 > 2*calmP99:
		return fmt.Errorf("others had to wait: %s", figures)
	}
	out.say("clients: %s", figures)
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// observed is what other clients measured.
type observed struct {
	times  []time.Duration
	memory float64 // maximum, in megabytes
	err    error
}

// beside runs some clients until stop is called.
func beside(ctx context.Context, c *product.Client, k product.Clinic, p *product.Process) (stop func() observed) {
	round, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var seen observed
	for client := range 4 {
		r := rand.New(rand.NewPCG(uint64(client), 5)) //nolint:gosec // the same calls every time
		wg.Go(func() {
			for n := 0; round.Err() == nil; n++ {
				began := time.Now()
				var err error
				if n%4 == 3 {
					err = c.Book(ctx, k.Seat(r, "beside", false), nil)
					if product.Taken(err) {
						err = nil
					}
				} else {
					_, err = mustAnswer(ctx, c, 10*time.Second, allReads[n%len(allReads)])
				}
				took := time.Since(began)
				mu.Lock()
				seen.times = append(seen.times, took)
				if err != nil && seen.err == nil {
					seen.err = fmt.Errorf("another client: %w", err)
				}
				mu.Unlock()
				pause(round, 20*time.Millisecond)
			}
		})
	}
	wg.Go(func() {
		for round.Err() == nil {
			_, own := p.Memory()
			mu.Lock()
			seen.memory = max(seen.memory, own)
			mu.Unlock()
			pause(round, 20*time.Millisecond)
		}
	})
	return func() observed {
		cancel()
		wg.Wait()
		return seen
	}
}

// attacker sends raw requests.
type attacker struct {
	ctx         context.Context
	base, token string
	cut, taken  atomic.Int64
	slowest     atomic.Int64
	mu          sync.Mutex
	failed      error
	all         []huge
	largest     []byte // the largest allowed image
}

func (a *attacker) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = err
	}
}

// openSlowConnections opens n connections that send a little every second: in the header, in the body, or
// nothing at all.
func (a *attacker) openSlowConnections(n int) {
	starts := []string{
		"POST " + login + " HTTP/1.1\r\nHost: a\r\n",
		"POST " + login +
			" HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{\"username\":\"",
		"",
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			conn, err := new(net.Dialer).DialContext(a.ctx, "tcp", a.base)
			if err != nil {
				a.fail(fmt.Errorf("connect: %w", err))
				return
			}
			defer conn.Close() //nolint:errcheck // it is cut
			began := time.Now()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = io.Copy(io.Discard, conn) // until it is closed
			}()
			_, _ = io.WriteString(conn, starts[i%len(starts)])
			for tick := time.NewTicker(time.Second); ; {
				select {
				case <-ended:
					a.cut.Add(1)
					for took := int64(time.Since(began)); ; {
						before := a.slowest.Load()
						if took <= before || a.slowest.CompareAndSwap(before, took) {
							return
						}
					}
				case <-tick.C:
					if i%len(starts) != 2 {
						_, _ = io.WriteString(conn, "a") // may be closed already
					}
				}
				if time.Since(began) > cutWithin {
					a.fail(fmt.Errorf("a connection of kind %d is still open after %s", i%len(starts), cutWithin))
					return
				}
			}
		})
	}
	wg.Wait()
}

// The attacked operations.
const (
	login  = "/admin/api/v1.0/auth/login"
	list   = "/admin/api/v1/appointment/list"
	upload = "/admin/api/v1/appointment/result/create/1"
	logo   = "/admin/api/v1/media-file/upload/logo"
)

// huge is a request that is rejected, and how.
type huge struct {
	name     string
	path     string
	kind     string // content type
	body     string
	endless  bool  // followed by an endless sequence of the letter a
	length   int64 // declared length; -1 for chunked
	statuses []int // any of them; 0 for a closed connection
	public   bool
	header   string // additional header line
	at       int    // number of concurrent senders; 0 for one
}

// hugeRequests returns one request of each kind.
func hugeRequests() []huge {
	const tenGB = 10 << 30
	many := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	unknown := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":1,`, i)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	const form, json = "multipart/form-data; boundary=B", "application/json"
	part := func(disposition string) string {
		return "--B\r\nContent-Disposition: form-data; " + disposition + "\r\nContent-Type: application/pdf\r\n\r\n"
	}
	file := part(`name="file"; filename="a.pdf"`)
	complete := func(name, path, kind, body string, statuses ...int) huge {
		return huge{
			name: name, path: path, kind: kind, body: body, length: int64(len(body)), statuses: statuses, public: path == login,
		}
	}
	withHeader := func(h huge, header string) huge {
		h.header = header
		return h
	}
	fromMany := func(h huge) huge {
		h.at = 20
		return h
	}
	return []huge{
		{name: "10 GB, announced", path: upload, kind: form, body: file + "%PDF-1.7\n", endless: true, length: tenGB,
			statuses: []int{413}},
		{name: "10 GB in chunks", path: upload, kind: form, body: file + "%PDF-1.7\n", endless: true, length: -1,
			statuses: []int{413}},
		{name: "10 GB of picture in chunks", path: logo, kind: form, body: file + "\x89PNG\r\n\x1a\n", endless: true,
			length: -1, statuses: []int{413}},
		{name: "10 GB of JSON in chunks", path: login, kind: json, body: `{"username":"`, endless: true, length: -1,
			statuses: []int{413, 0}, public: true},
		{name: "10 GB of JSON, announced", path: list, kind: json, body: `{"q":"`, endless: true, length: tenGB,
			statuses: []int{413, 0}},
		{name: "more than announced", path: login, kind: json,
			body: `{"username":"a","password":"b"}` + strings.Repeat("x", 1<<20), length: 31, statuses: []int{401, 429},
			public: true},
		fromMany(complete("100,000 wrong elements", list, json, `{"statuses":[`+many("1", 100_000)+`]}`, 400)),
		complete("100,000 elements", list, json, `{"statuses":[`+many(`"BOOKED"`, 100_000)+`]}`, 400),
		fromMany(complete("80,000 unknown fields", list, json, unknown(80_000), 400)),
		fromMany(complete("7,000 unknown fields of a stranger", login, json, unknown(7_000), 413, 422)),
		complete("a text of 10 MB", list, json, `{"q":"`+strings.Repeat("ก", 10<<20/3)+`"}`, 413, 0),
		complete("100,000 levels", list, json, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000), 400),
		complete("100,000 levels of objects", list, json, strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000),
			400),
		complete("100,000 parts", upload, form,
			strings.Repeat("--B\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n", 100_000)+"--B--\r\n", 422),
		complete("a part with a header of 5 MB", upload, form, part(`name="`+strings.Repeat("n", 5<<20)+`"`)+"y\r\n--B--\r\n",
			400, 422),
		complete("a picture of 50,000 × 50,000", logo, form,
			file+string(pictureBomb(50_000, 50_000))+"\r\n--B--\r\n", 415, 422),
		complete("a kept picture of 50,000 × 50,000", upload, form, file+string(pictureBomb(50_000, 50_000))+"\r\n--B--\r\n",
			415, 422),
		complete("an archive for a document", upload, form, file+"PK\x03\x04"+strings.Repeat("\x00", 1<<20)+"\r\n--B--\r\n",
			415),
		withHeader(complete("a packed body", list, json, "\x1f\x8b\x08"+strings.Repeat("\x00", 1000), 400),
			"Content-Encoding: gzip"),
		withHeader(complete("headers of 1 MB", list, json, "{}", 431, 0), "X-Long: "+strings.Repeat("x", 1<<20)),
		complete("an address of 1 MB", list+"?q="+strings.Repeat("x", 1<<20), json, "{}", 431, 414, 0),
	}
}

// sendAll sends each request, some concurrently, and finally an image of the maximum size in a small file,
// which is accepted.
func (a *attacker) sendAll(c *product.Client, between time.Duration) (answers int, err error) {
	for _, h := range a.all {
		failed := make([]error, max(1, h.at))
		var wg sync.WaitGroup
		for i := range failed {
			wg.Go(func() { failed[i] = a.send(h) })
		}
		wg.Wait()
		if err := errors.Join(failed...); err != nil {
			return answers, fmt.Errorf("%s: %w", h.name, err)
		}
		answers += len(failed)
		pause(a.ctx, between)
	}
	if err := c.Upload(a.ctx, logo, nil, "logo.png", "image/png", a.largest, nil); err != nil {
		return answers, fmt.Errorf("the largest picture: %w", err)
	}
	return answers, nil
}

// send sends a request as fast as possible and reads the response.
func (a *attacker) send(h huge) error {
	conn, err := new(net.Dialer).DialContext(a.ctx, "tcp", a.base)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer was read
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nConnection: close\r\n", h.path, h.kind)
	if !h.public {
		head += "Authorization: Bearer " + a.token + "\r\n"
	}
	if h.header != "" {
		head += h.header + "\r\n"
	}
	if h.length >= 0 {
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", h.length)
	} else {
		head += "Transfer-Encoding: chunked\r\n\r\n"
	}
	var body io.Reader = strings.NewReader(h.body)
	if h.endless {
		body = io.MultiReader(body, endless{})
	}
	var sent atomic.Int64
	go func() {
		_, err := io.WriteString(conn, head)
		for piece := make([]byte, 64<<10); err == nil; {
			n, end := body.Read(piece)
			out := piece[:n]
			if h.length < 0 {
				out = fmt.Appendf(nil, "%x\r\n%s\r\n", n, piece[:n])
			}
			if _, err = conn.Write(out); err == nil {
				sent.Add(int64(n))
				err = end
			}
		}
	}()
	began := time.Now()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	status, answer := 0, []byte(nil)
	if err == nil {
		status = resp.StatusCode
		answer, _ = io.ReadAll(io.LimitReader(resp.Body, 4<<20))
		_ = resp.Body.Close()
	}
	for before := a.taken.Load(); sent.Load() > before && !a.taken.CompareAndSwap(before, sent.Load()); {
		before = a.taken.Load()
	}
	for _, wanted := range h.statuses {
		if status == wanted {
			if status != 0 && status != 431 && status != 414 && !bytes.Contains(answer, []byte(`"success":false`)) {
				return fmt.Errorf("%d without an envelope: %.200s", status, answer)
			}
			if took := time.Since(began); took > 15*time.Second {
				return fmt.Errorf("%d after %.1f s", status, took.Seconds())
			}
			if len(answer) > 1<<20 {
				return fmt.Errorf("%d with an answer of %d bytes", status, len(answer))
			}
			return nil
		}
	}
	return fmt.Errorf("answered with %d (%w): %.200s", status, err, answer)
}

// endless reads the letter a forever.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// pictureBomb returns a small PNG with a large size in its header.
func pictureBomb(width, height uint32) []byte {
	b := picture(1, 1)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// importBombs imports invalid files.
func importBombs(ctx context.Context, storage product.Storage, binary, dir string) error {
	huge, packed := filepath.Join(dir, "huge.csv"), filepath.Join(dir, "packed.csv")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 10<<30),
		os.WriteFile(packed, []byte("PK\x03\x04\x14\x00"+strings.Repeat("\x00\xff", 100_000)), 0o600)); err != nil {
		return err
	}
	for file, why := range map[string]string{huge: "divide it", packed: "this is a spreadsheet"} {
		began := time.Now()
		err := product.Run(ctx, storage.Env(), binary, "import", "patients", file)
		if took := time.Since(began); err == nil || took > 10*time.Second {
			return errors.Join(fmt.Errorf("%s: not refused within ten seconds, but ended after %s", filepath.Base(file), took),
				err)
		}
		// Running out of memory is an error, too: only status 1 with our own message is a rejection.
		if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.ExitCode() != 1 ||
			!strings.Contains(err.Error(), why) {
			return fmt.Errorf("%s: not refused for what it is: %w", filepath.Base(file), err)
		}
	}
	return os.Remove(huge)
}
