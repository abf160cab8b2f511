package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/api"
	"nadmor/internal/store/storetest"
)

// manyVisits is the path of an export with many appointments.
const manyVisits = visitPath + "/list-all?dateFrom=2020-01-01&dateTo=2040-01-01"

// Sixty-four clients of sixteen users request an export and read nothing: as many exports as allowed are
// prepared, and the others rejected. Other requests are answered meanwhile, and no export holds a database
// connection.
func TestStalledClientsHoldNoConnection(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		dir := t.TempDir()
		n := start(t, p, func(o *api.Options) { o.SpoolDir = dir })
		ctx := storetest.SetUp(t, n.db)
		storetest.FillDays(ctx, t, n.db, 6_000, "2026-12-01") // more than the buffers of a connection hold
		const clients, ofUser = 64, 4
		statuses := make([]string, clients)
		var all sync.WaitGroup
		for i := range clients {
			if i%ofUser == 0 {
				storetest.AddUser(t, n.db, fmt.Sprintf("clerk%d", i/ofUser), "NURSE")
			}
			token := n.signIn(fmt.Sprintf("clerk%d", i/ofUser)).AccessToken
			all.Go(func() { statuses[i] = n.requestOnly(manyVisits, token) })
		}
		all.Wait() // the status is sent once the file is complete
		served, rejected := 0, 0
		for _, s := range statuses {
			switch {
			case strings.Contains(s, "200 OK"):
				served++
			case strings.Contains(s, "503 Service Unavailable"):
				rejected++
			}
		}
		if served == 0 || served+rejected != clients {
			t.Errorf("%d served, %d refused of %d: %q", served, rejected, clients, statuses)
		}
		n.post(visitPath+"/list", n.signIn("admin").AccessToken, obj("page", 1)).want(t, "")
		// PostgreSQL connections are released a moment after the response.
		for deadline := time.Now().Add(10 * time.Second); inUse(n) > 0; runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Errorf("%d connections are in use: %+v", inUse(n), n.db.Pools())
				break
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("files with names: %v, %v", left, err)
		}
	})
}

// inUse counts the database connections in use.
func inUse(n *node) (count int) {
	for _, pool := range n.db.Pools() {
		count += pool.InUse
	}
	return count
}

// requestOnly sends a request and reads the status line of the response. The connection stays open until the
// test ends.
func (n *node) requestOnly(path, token string) string {
	n.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(n.t.Context(), "tcp", strings.TrimPrefix(n.url, "http://"))
	if err != nil {
		n.t.Error(err)
		return ""
	}
	n.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n", path,
		token); err != nil {
		n.t.Error(err)
		return ""
	}
	status, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil {
		n.t.Error(err)
	}
	return strings.TrimSpace(status)
}

// BenchmarkExport exports 10,000 and 100,000 appointments and reports the peak heap size, which does not grow
// with the rows.
//
//	scripts/with-postgres go test ./internal/api -run '^$' -bench Export -benchtime 1x
func BenchmarkExport(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		for _, engine := range []struct {
			name  string
			fresh func(testing.TB) storetest.Database
		}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
			n := start(b, engine.fresh(b))
			storetest.FillDays(storetest.SetUp(b, n.db), b, n.db, rows, "2026-12-01")
			token := n.signIn("admin").AccessToken
			for _, format := range []string{"json", "csv", "xlsx"} {
				b.Run(fmt.Sprintf("%s/%s/%d", engine.name, format, rows), func(b *testing.B) {
					for b.Loop() {
						most, size := peakHeap(func() int64 { return n.receive(manyVisits+"&format="+format, token) })
						b.ReportMetric(float64(most)/(1<<20), "peak-heap-MiB")
						b.ReportMetric(float64(size)/(1<<20), "file-MiB")
					}
				})
			}
		}
	}
}

// receive reads a file to its end and returns its size.
func (n *node) receive(path, token string) int64 {
	n.t.Helper()
	req, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, n.url+path, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close() // read to its end below
	size, err := io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		n.t.Fatalf("%d, %v", res.StatusCode, err)
	}
	return size
}

// peakHeap returns the peak heap size while fn runs, and its result.
func peakHeap(fn func() int64) (most uint64, result int64) {
	done, measured := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-tick.C:
			case <-done:
				measured <- most
				return
			}
		}
	}()
	result = fn()
	close(done)
	return <-measured, result
}
