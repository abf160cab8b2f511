package command_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nadmor/internal/certtest"
)

// pair holds the file names of a certificate.
type pair struct{ cert, key string }

func newPair(t *testing.T, serial int64) pair {
	t.Helper()
	dir := t.TempDir()
	p := pair{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	cert, key := certtest.Issue(t, serial)
	put(t, p.cert, cert)
	put(t, p.key, key)
	return p
}

// put replaces a file atomically as certbot does.
func put(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

func (p pair) environ(t *testing.T, more ...string) []string {
	t.Helper()
	return inFolder(t.TempDir(),
		append(more, "NADMOR_TLS_CERT="+p.cert, "NADMOR_TLS_KEY="+p.key, "NADMOR_ADMIN_PASSWORD="+adminPassword)...)
}

// trusting returns a client that trusts only the given certificates.
func trusting(t *testing.T, cert []byte) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(cert) {
		t.Fatal("no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// send sends a request and returns the response with its unread body.
func send(t *testing.T, c *http.Client, method, url, token, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

var accessToken = regexp.MustCompile(`"accessToken":"([^"]+)"`)

// HTTPS works without a proxy: HTTP/2, events, links and HSTS.
func TestServeHTTPS(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	n := serve(t, p.environ(t))
	cert, _ := os.ReadFile(p.cert)
	client, base := trusting(t, cert), "https://"+n.addr
	if !strings.Contains(n.log.String(), "address="+base) {
		t.Errorf("the log says\n%s", n.log)
	}

	res := send(t, client, http.MethodPost, base+"/admin/api/v1.0/auth/login", "",
		`{"username":"admin","password":"`+adminPassword+`"}`)
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v: %s", err, text)
	}
	if res.ProtoMajor != 2 || res.TLS.Version != tls.VersionTLS13 {
		t.Errorf("%s over TLS %x", res.Proto, res.TLS.Version)
	}
	if got := res.Header.Get("Strict-Transport-Security"); got == "" {
		t.Error("browsers are not told to stay with HTTPS")
	}
	token := accessToken.FindStringSubmatch(string(text))[1]

	live := bufio.NewReader(send(t, client, http.MethodGet, base+"/admin/api/v1/events", token, "").Body)
	if first, err := live.ReadString('\n'); err != nil || !strings.HasPrefix(first, "id: ") {
		t.Fatalf("the stream begins with %q, %v", first, err)
	}
	res = send(t, client, http.MethodPost, base+"/admin/api/v1.0/user-admin/create", token,
		`{"username":"malee","email":"malee@hospital.example","name":"มาลี","roleId":1,"invite":true}`)
	if text, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(text), base+"/reset-password#token=") {
		t.Errorf("the link does not begin with %s: %v %s", base, err, text)
	}
	res = send(t, client, http.MethodPost, base+"/admin/api/v1/service-config/create", token,
		`{"code":"TLS","name":"คลินิกทดสอบ","slotMinutes":15,"defaultCapacity":1,"bookingWindowDays":30,"leadMinutes":0,`+
			`"color":"#0f766e","active":true,"schedule":[]}`)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("no change was made: %s", res.Status)
	}
	for {
		line, err := live.ReadString('\n')
		if err != nil {
			t.Fatalf("the change was not told: %v", err)
		}
		if strings.HasPrefix(line, "data: ") {
			break
		}
	}

	old := &tls.Dialer{
		Config: &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, InsecureSkipVerify: true},
	}
	if conn, err := old.DialContext(t.Context(), "tcp", n.addr); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
	if a := n.call(t, http.MethodGet, "/healthz", "", ""); a.status != http.StatusBadRequest {
		t.Errorf("HTTP is answered with %d", a.status)
	}
	if code := n.stop(); code != 0 {
		t.Errorf("it exits with %d\n%s", code, n.log)
	}
}

// served returns the certificate of a new connection.
func served(t *testing.T, n *node) *x509.Certificate {
	t.Helper()
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	conn, err := dialer.DialContext(t.Context(), "tcp", n.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0]
}

func TestRenewedCertificate(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	n := serve(t, p.environ(t, "NADMOR_METRICS_ADDR=127.0.0.1:0"))
	expect := func(when string, serial int64) {
		t.Helper()
		if got := served(t, n).SerialNumber.Int64(); got != serial {
			t.Errorf("%s: certificate %d, want %d\n%s", when, got, serial, n.log)
		}
	}
	expect("at first", 1)
	cert, key := certtest.Issue(t, 2)
	put(t, p.cert, cert)
	expect("while the key is still the old one", 1)
	expect("while the key is still the old one", 1)
	put(t, p.key, key)
	expect("when both are there", 2)
	put(t, p.cert, []byte("not a certificate\n"))
	expect("after a damaged one", 2)
	if err := os.Remove(p.cert); err != nil {
		t.Fatal(err)
	}
	expect("without the file", 2)
	cert, key = certtest.Issue(t, 3)
	put(t, p.cert, cert)
	put(t, p.key, key)
	expect("after all", 3)
	if got := strings.Count(n.log.String(), "the certificate cannot be read"); got != 3 {
		t.Errorf("%d warnings, want one for each fault:\n%s", got, n.log)
	}
	metrics := &node{addr: metricsAddress.FindStringSubmatch(n.log.String())[1]}
	if a := metrics.call(t, http.MethodGet, "/metrics", "", ""); !strings.Contains(a.body,
		"nadmor_tls_certificate_expiry_seconds 4.102444803e+09") {
		t.Error("the metrics do not tell when the certificate ends")
	}
}

func TestInvalidCertificate(t *testing.T) {
	t.Parallel()
	one, other := newPair(t, 1), newPair(t, 2)
	for name, c := range map[string]struct {
		pair
		says string
	}{
		"only a certificate":   {pair{cert: one.cert}, "belong together"},
		"only a key":           {pair{key: one.key}, "belong together"},
		"no such file":         {pair{one.cert + ".gone", one.key}, "read the certificate"},
		"the key of another":   {pair{one.cert, other.key}, "private key does not match"},
		"the files in reverse": {pair{one.key, one.cert}, "read the certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil, c.environ(t))
			if n.addr != "" || n.stop() != 1 || !strings.Contains(n.log.String(), c.says) {
				t.Errorf("it listens at %q, exits with %d and says\n%s", n.addr, n.code, n.log)
			}
		})
	}
}

func TestHealthCommand(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	for name, environ := range map[string][]string{"HTTP": inFolder(t.TempDir()), "HTTPS": p.environ(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := serve(t, environ)
			_, port, _ := net.SplitHostPort(n.addr)
			for _, addr := range []string{n.addr, "0.0.0.0:" + port, ":" + port} {
				for _, args := range [][]string{{"health"}, {"health", "--ready"}} {
					if out := mustRun(t, append(environ, "NADMOR_ADDR="+addr), args...); out != "ok\n" {
						t.Errorf("%v at %s prints %q", args, addr, out)
					}
				}
			}
			n.stop()
			if r := run(t, append(environ, "NADMOR_ADDR="+n.addr), "health"); r.code != 1 {
				t.Errorf("after it stopped: exit code %d, %s", r.code, r.out)
			}
		})
	}
}
