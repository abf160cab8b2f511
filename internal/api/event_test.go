package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

// stream reads Server-Sent Events as text, one event at a time.
type stream struct {
	t      *testing.T
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

// next is the id and the data of the next event; empty at the end.
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
		d := openDesk(t, n)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		queue, executive := n.stream(ctx, n.signIn("queue").AccessToken, ""), n.stream(ctx, n.signIn("executive").AccessToken, "")
		if queue.status != http.StatusOK || queue.kind != "text/event-stream" {
			t.Fatalf("%d %s", queue.status, queue.kind)
		}
		a := decode[hospital.Appointment](t, d.book(d.clinic, tuesday, "09:00"))
		id, data := queue.next()
		if !strings.Contains(data, `"kind":"appointment"`) || !strings.Contains(data, tuesday) || strings.Contains(data, "คนที่") || id == "" {
			t.Errorf("told %s %s", id, data)
		}
		if _, seen := executive.next(); !strings.Contains(seen, `"kind":"appointment"`) {
			t.Errorf("the executive's dashboard is told %s", seen)
		}
		// Somebody who comes back hears what came meanwhile; somebody who was away too long fetches.
		d.mark(a.ID, hospital.Confirmed, "").want(t, "")
		if _, data := n.stream(ctx, d.token, id).next(); !strings.Contains(data, `"version":2`) {
			t.Errorf("missed %s", data)
		}
		if _, data := n.stream(ctx, d.token, "another-1").next(); data != `{"kind":"refetch"}` {
			t.Errorf("after a restart %s", data)
		}
		// The node stops: every stream ends.
		n.db.EndEvents()
		for {
			if _, data := queue.next(); data == "" {
				break
			}
		}
	})
}
