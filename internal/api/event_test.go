package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nadmor/internal/api"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// stream reads Server-Sent Events one at a time.
type stream struct {
	t      testing.TB
	lines  *bufio.Scanner
	status int
	kind   string
}

func (n *node) stream(ctx context.Context, token, last string) *stream {
	n.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url+"/admin/api/v1/events", nil)
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = res.Body.Close() })
	return &stream{n.t, bufio.NewScanner(res.Body), res.StatusCode, res.Header.Get("Content-Type")}
}

// next returns id and data of the next event, empty at the end.
func (s *stream) next() (id, data string) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(line, "data: "); ok {
			return id, v
		}
	}
	return "", ""
}

func TestEventsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		d := newBookingClient(t, n)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		queue, executive := n.stream(ctx, n.signIn("queue").AccessToken, ""),
			n.stream(ctx, n.signIn("executive").AccessToken, "")
		if queue.status != http.StatusOK || queue.kind != "text/event-stream" {
			t.Fatalf("%d %s", queue.status, queue.kind)
		}
		a := decode[hospital.Appointment](t, d.book(d.clinic, tuesday, "09:00"))
		id, data := queue.next()
		if !strings.Contains(data, `"kind":"appointment"`) || !strings.Contains(data, tuesday) ||
			strings.Contains(data, "คนที่") || id == "" {
			t.Errorf("told %s %s", id, data)
		}
		if _, seen := executive.next(); !strings.Contains(seen, `"kind":"appointment"`) {
			t.Errorf("the executive's dashboard received %s", seen)
		}
		// A client that reconnects receives the missed events, even if it had received none before. After too long
		// it has to fetch everything again.
		d.mark(a.ID, hospital.Confirmed, "").want(t, "")
		if _, data := n.stream(ctx, d.token, id).next(); !strings.Contains(data, `"version":2`) {
			t.Errorf("missed %s", data)
		}
		if _, data := n.stream(ctx, d.token, "another-1").next(); data != `{"kind":"refetch"}` {
			t.Errorf("after a restart %s", data)
		}
		// All streams end when the node stops.
		n.db.EndEvents()
		for {
			if _, data := queue.next(); data == "" {
				break
			}
		}
	})
}

// listeners is a number of clients with their own connections.
type listeners struct{ received atomic.Int64 }

// gather connects the clients and waits until all are subscribed.
func (n *node) gather(count int, token string) *listeners {
	n.t.Helper()
	c := &listeners{}
	for range count {
		conn, err := new(net.Dialer).DialContext(n.t.Context(), "tcp", strings.TrimPrefix(n.url, "http://"))
		if err != nil {
			n.t.Fatal(err)
		}
		n.t.Cleanup(func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn,
			"GET /admin/api/v1/events HTTP/1.1\r\nHost: nadmor\r\nAuthorization: Bearer %s\r\n\r\n", token); err != nil {
			n.t.Fatal(err)
		}
		lines := bufio.NewReaderSize(conn, 512)
		for line := ""; !strings.HasPrefix(line, "retry:"); {
			if line, err = lines.ReadString('\n'); err != nil {
				n.t.Fatal(err)
			}
		}
		go func() {
			for {
				line, err := lines.ReadSlice('\n')
				if bytes.HasPrefix(line, []byte(`data: {"kind":"appointment"`)) {
					c.received.Add(1)
				}
				if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
					return
				}
			}
		}()
	}
	return c
}

// wait returns when all clients together have received the number of events.
func (c *listeners) wait(t testing.TB, events int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	timeout := time.After(time.Minute)
	for c.received.Load() < int64(events) {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("%d of %d events were heard", c.received.Load(), events)
		}
	}
}

// memory returns the heap and stack size of the process.
func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// bench is a server on SQLite with a clinic of unlimited capacity.
func bench(t testing.TB) (n *node, token string, book func(i int)) {
	t.Helper()
	n = start(t, storetest.SQLite(t), func(o *api.Options) { o.Log = slog.New(slog.DiscardHandler) })
	storetest.SetUp(t, n.db)
	clinic := storetest.AddService(t, n.db, "GP", 1000)
	var people []hospital.Patient
	for i := range 100 {
		people = append(people, storetest.AddPatient(t, n.db, fmt.Sprint("คนที่", i)))
	}
	token = n.signIn("admin").AccessToken
	return n, token, func(i int) {
		// A patient has one appointment a day.
		date := time.Date(2026, 11, 17, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i/len(people)%60).Format(time.DateOnly)
		n.post(visitPath+"/create", token,
			obj("patientId", people[i%len(people)].ID, "serviceId", clinic.ID, "date", date, "startTime", "10:00")).want(t, "")
	}
}

// Not parallel, because it measures the memory of the process. Both ends of each connection are in this
// process.
func TestThousandListeners(t *testing.T) {
	n, token, book := bench(t)
	before := memory()
	c := n.gather(1000, token)
	used := memory() - before
	t.Logf("%d kB for each listener", used/1000/1000)
	if used > 100<<20 {
		t.Errorf("a thousand listeners hold %d MB", used>>20)
	}
	book(0)
	c.wait(t, 1000)
}

// BenchmarkListeners books over HTTP with no and with a thousand clients connected, at fifty bookings a
// second. Both ends of all connections are in this process.
func BenchmarkListeners(b *testing.B) {
	for _, listeners := range []int{0, 1000} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			n, token, book := bench(b)
			before := memory()
			c := n.gather(listeners, token)
			used := memory() - before
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			i := 0
			for b.Loop() {
				book(i)
				i++
				b.StopTimer()
				<-pace.C
				b.StartTimer()
			}
			c.wait(b, i*listeners)
			published := time.Now()
			book(i)
			c.wait(b, (i+1)*listeners)
			b.ReportMetric(float64(used)/float64(max(listeners, 1)), "B/listener")
			b.ReportMetric(float64(time.Since(published).Milliseconds()), "ms-until-all-heard")
		})
	}
}
