package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// sent is a response writer that records every status.
type sent struct {
	http.ResponseWriter
	statuses []int
}

func (s *sent) WriteHeader(status int) {
	s.statuses = append(s.statuses, status)
	s.ResponseWriter.WriteHeader(status)
}

func TestStatusIsWrittenOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   []int
		status int
	}{
		"one status": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusConflict) }, []int{409}, 409},
		"another one after it": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK); w.WriteHeader(499) }, []int{200}, 200,
		},
		"one after the body has begun": {
			func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")); w.WriteHeader(499) }, nil, 200,
		},
	} {
		conn := &sent{ResponseWriter: httptest.NewRecorder()}
		rec := &recorder{ResponseWriter: conn}
		c.answer(rec)
		if !slices.Equal(conn.statuses, c.want) || rec.status != c.status {
			t.Errorf("%s: sent %v and remembered %d, want %v and %d", name, conn.statuses, rec.status, c.want, c.status)
		}
	}
}
