// Package deploy checks the files in deploy/ and the documentation for operators against the product and the
// programs they are for.
package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/certtest"
	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/test/product"
)

const root = "../.."

// text returns a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// long marks a test that builds something or needs a program that the product does not need. It runs in `make
// test-long` only.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs with make test-long")
	}
}

// need returns the path of a tool.
func need(t *testing.T, tool string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "need"), tool)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("scripts/need %s: %v\n%s", tool, err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// run runs a program that must succeed and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// put writes a file.
func put(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

var metricsAddress = regexp.MustCompile(`msg="serving metrics" address=(http://[0-9.:]+/metrics)`)

// serve runs the product with the sample hospital until the test ends.
func serve(t *testing.T, environ ...string) (addr, metrics string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done, log := make(chan string, 1), make(chan int, 1), new(commandtest.Output)
	go func() {
		done <- command.Run(ctx, command.Env{
			Args: []string{"serve", "--demo"}, Stdout: io.Discard, Stderr: log, Version: "v1-test",
			Hasher: auth.NewCheapHasher(), Ready: func(a string) { ready <- a },
			Environ: append([]string{"NADMOR_ADDR=127.0.0.1:0", "NADMOR_METRICS_ADDR=127.0.0.1:0", "NADMOR_DATA=" + t.TempDir()},
				environ...),
		})
	}()
	select {
	case addr = <-ready:
	case code := <-done:
		cancel()
		t.Fatalf("the server ended with %d\n%s", code, log)
	}
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return addr, metricsAddress.FindStringSubmatch(log.String())[1]
}

// get returns the body of a URL.
func get(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	res := send(t, c, http.MethodGet, url, "", "")
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v\n%s", url, res.Status, err, b)
	}
	return string(b)
}

// send sends a request. The response is closed with the test.
func send(t *testing.T, c *http.Client, method, url, token, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "203.0.113.9") // a forged address
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

// pair is a certificate for this machine with its key and a pool that trusts it.
type pair struct {
	cert, key string
	roots     *x509.CertPool
}

func newPair(t *testing.T) pair {
	t.Helper()
	cert, key := certtest.Issue(t, 1)
	dir := t.TempDir()
	p := pair{
		put(t, filepath.Join(dir, "cert.pem"), string(cert)), put(t, filepath.Join(dir, "key.pem"), string(key)),
		x509.NewCertPool(),
	}
	p.roots.AppendCertsFromPEM(cert)
	return p
}

// client returns a client that connects from an address of this machine, any if empty.
func (p pair) client(from string) *http.Client {
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: p.roots, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// signIn returns the token of a user of the sample hospital.
func signIn(t *testing.T, c *http.Client, base, username string) (token string) {
	t.Helper()
	res := send(t, c, http.MethodPost, base+"/admin/api/v1.0/auth/login", "",
		`{"username":"`+username+`","password":"nadmor-demo"}`)
	var answer struct{ Data struct{ AccessToken string } }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Data.AccessToken == "" {
		t.Fatalf("%s cannot sign in: %s, %v", username, res.Status, err)
	}
	return answer.Data.AccessToken
}

// freeAddress returns a free port.
func freeAddress(t *testing.T) string {
	t.Helper()
	addr, err := product.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// until polls a condition for at most half a minute.
func until(t *testing.T, seen func() bool) bool {
	t.Helper()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for !seen() {
		select {
		case <-tick.C:
		case <-late:
			return false
		case <-t.Context().Done():
			return false
		}
	}
	return true
}

// waitFor polls a URL until it returns 200.
func waitFor(t *testing.T, log *commandtest.Output, url string) {
	t.Helper()
	if !until(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}) {
		t.Fatalf("%s does not answer\n%s", url, log)
	}
}

// waitForMetric polls the metrics until one has a value.
func waitForMetric(t *testing.T, address, name string) {
	t.Helper()
	if !until(t, func() bool { return strings.Contains(get(t, http.DefaultClient, address), "\n"+name) }) {
		t.Fatalf("%s is not told", name)
	}
}
