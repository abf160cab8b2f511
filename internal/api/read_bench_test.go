package api_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nadmor/internal/api"
	"nadmor/internal/demo"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// BenchmarkReads measures the most frequent read requests over HTTP with sixteen keep-alive clients:
// NADMOR_BENCH_PATIENTS patients (default 20,000) with twice as many appointments of twenty services. It
// reports requests per second and CPU time per request, including the clients'. "nothing" is an empty
// request, the cost of HTTP and the clients.
//
//	scripts/with-postgres go test ./internal/api -run '^$' -bench Reads
func BenchmarkReads(b *testing.B) {
	people, err := strconv.Atoi(os.Getenv("NADMOR_BENCH_PATIENTS"))
	if err != nil {
		people = 20000
	}
	for _, engine := range []struct {
		name  string
		fresh func(testing.TB) storetest.Database
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		b.Run(engine.name, func(b *testing.B) {
			p := engine.fresh(b)
			n := start(b, p, func(o *api.Options) {
				o.Log, o.Metrics = slog.New(slog.DiscardHandler), prometheus.NewRegistry()
			})
			ctx := storetest.SetUp(b, n.db)
			var cards []string
			storetest.Fill(ctx, b, n.db, people, 2*people, func(yield func(hospital.PatientFields) bool) {
				for f := range demo.Patients(people, 1, n.db.Now()) {
					if f.IDCard != "" {
						cards = append(cards, string(f.IDCard))
					}
					if !yield(f) {
						return
					}
				}
			})
			if p.Engine == "postgres" { // autovacuum would do it later
				if _, err := p.SQL(b).Exec(`VACUUM ANALYZE`); err != nil {
					b.Fatal(err)
				}
			}
			readBenchmarks(b, n, cards)
		})
	}
}

func readBenchmarks(b *testing.B, n *node, cards []string) {
	token := n.signIn("admin").AccessToken
	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: nadmor\r\nAuthorization: Bearer " + token + "\r\n\r\n"
	}
	post := func(path, body string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: nadmor\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s", path, token, len(body), body)
	}
	month := func(i int) (string, string) {
		return hospital.MonthOf(hospital.AddDays("2025-12-01", 28*(i%13)))
	}
	fragments := []string{"ชาย", "วงศ์", "สุข", "มณี", "พร", "รัตน", "ศรี", "กุล"}
	const api = "/admin/api/v1/"
	for _, c := range []struct {
		name    string
		request func(i int) string
	}{
		{"nothing", func(int) string { return get("/healthz") }},
		{"signed in", func(int) string { return get("/admin/api/v1.0/auth/permissions") }},
		{"patient", func(i int) string { return get(api + "patients/" + strconv.Itoa(1+i*7919%len(cards))) }},
		{"ID card", func(i int) string {
			return post(api+"patients/list-id-card", `{"idCard":"`+cards[i*7919%len(cards)]+`"}`)
		}},
		{"fragment", func(i int) string {
			return post(api+"patients/search", `{"q":"`+fragments[i%len(fragments)]+`","limit":20}`)
		}},
		{"patients", func(i int) string {
			return post(api+"patients/list", fmt.Sprintf(`{"page":%d,"pageSize":50}`, 1+i%20))
		}},
		{"appointments", func(i int) string {
			from, to := month(i)
			return post(api+"appointment/list",
				fmt.Sprintf(`{"page":%d,"pageSize":50,"dateFrom":%q,"dateTo":%q}`, 1+i%5, from, to))
		}},
		{"month", func(i int) string {
			from, to := month(i)
			return post(api+"appointment/calendar-list", fmt.Sprintf(`{"dateFrom":%q,"dateTo":%q}`, from, to))
		}},
		{"dashboard", func(int) string { return get(api + "dashboard/summary") }},
		{"audit", func(i int) string { return post(api+"audit/list", fmt.Sprintf(`{"page":%d,"pageSize":50}`, 1+i%5)) }},
	} {
		b.Run(c.name, func(b *testing.B) { manyClients(b, strings.TrimPrefix(n.url, "http://"), c.request) })
	}
}

// manyClients sends b.N requests over sixteen connections. The clients only write and read bytes, to use
// little CPU themselves.
func manyClients(b *testing.B, address string, request func(i int) string) {
	b.ReportAllocs()
	var next atomic.Int64
	var wg sync.WaitGroup
	took := make([][]time.Duration, 16)
	before := processorTime()
	began := time.Now()
	b.ResetTimer()
	for client := range took {
		wg.Go(func() {
			conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close() //nolint:errcheck // nothing is lost with it
			in := bufio.NewReaderSize(conn, 64<<10)
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				sent := time.Now()
				if _, err := io.WriteString(conn, request(int(i))); err != nil {
					b.Error(err)
					return
				}
				if status, err := readAnswer(in); err != nil || status != http.StatusOK {
					b.Errorf("status %d, %v", status, err)
					return
				}
				took[client] = append(took[client], time.Since(sent))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Concat(took...)
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	b.ReportMetric(float64(len(all))/time.Since(began).Seconds(), "calls/s")
	b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(len(all)), "cpu-µs/op")
	b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "p95-ms")
}

// readAnswer reads a response to its end and returns its status.
func readAnswer(in *bufio.Reader) (status int, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, fmt.Errorf("status line: %w", err)
	}
	status, _ = strconv.Atoi(string(line[9:12]))
	length := -1
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return status, err
		}
		if len(line) <= 2 {
			break
		}
		if after, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(after))
		}
	}
	if length >= 0 {
		_, err = in.Discard(length)
		return status, err
	}
	for { // chunks
		if line, err = in.ReadSlice('\n'); err != nil {
			return status, err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 64)
		if err != nil {
			return status, err
		}
		if _, err := in.Discard(int(n) + 2); err != nil || n == 0 {
			return status, err
		}
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
