package deploy

import (
	"bufio"
	"context"
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

	"nadmor/internal/command/commandtest"
)

// The nginx configuration is valid, and works with HTTP/2, client addresses, events and the product's own
// limits.
func TestBehindNginx(t *testing.T) {
	t.Parallel()
	long(t)
	nginx, pair, dir := need(t, "nginx"), newPair(t), t.TempDir()
	addr, _ := serve(t, "NADMOR_TRUSTED_PROXIES=127.0.0.1/32", "NADMOR_PUBLIC_URL=https://nadmor.hospital.go.th")
	plain, secure := freeAddress(t), freeAddress(t)
	site := text(t, "deploy/nginx/nadmor.conf")
	for old, changed := range map[string]string{
		"server 127.0.0.1:8080;": "server " + addr + ";", "listen 80;": "listen " + plain + ";", "listen [::]:80;": "",
		"listen 443 ssl http2;": "listen " + secure + " ssl http2;", "listen [::]:443 ssl http2;": "",
		"/etc/letsencrypt/live/nadmor.hospital.go.th/fullchain.pem": pair.cert,
		"/etc/letsencrypt/live/nadmor.hospital.go.th/privkey.pem":   pair.key,
	} {
		if strings.Count(site, old) != 1 {
			t.Fatalf("%q is not there once", old)
		}
		site = strings.Replace(site, old, changed, 1)
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + dir + "/" + kind + ";\n"
	}
	put(t, filepath.Join(dir, "site.conf"), site)
	config := put(t, filepath.Join(dir, "nginx.conf"),
		user+"pid "+dir+"/pid;\nerror_log stderr;\nevents {}\nhttp {\n"+temporary+"access_log off;\ninclude site.conf;\n}\n")
	if out := run(t, nginx, "-t", "-q", "-p", dir, "-e", "stderr", "-c", config); out != "" {
		t.Errorf("nginx -t says\n%s", out)
	}
	cmd := exec.CommandContext(t.Context(), nginx, "-p", dir, "-e", "stderr", "-c", config, "-g", "daemon off;")
	var log commandtest.Output
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // ends its workers as well
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})

	client, base := pair.client("127.0.0.2"), "https://"+secure
	if !until(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", secure)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}) {
		t.Fatalf("nginx does not listen\n%s", log.String())
	}
	if res := send(t, client, http.MethodGet, "http://"+plain+"/docs", "",
		""); res.StatusCode != http.StatusMovedPermanently || !strings.HasPrefix(res.Header.Get("Location"), "https://") {
		t.Errorf("HTTP is answered with %s to %q", res.Status, res.Header.Get("Location"))
	}
	token := signIn(t, client, base, "admin")

	// The client address is the one nginx saw, not a forged one.
	res := send(t, client, http.MethodGet, base+"/admin/api/v1.0/auth/sessions", token, "")
	sessions, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(sessions), `"127.0.0.2"`) ||
		strings.Contains(string(sessions), "203.0.113.9") {
		t.Errorf("the session is %s, %v", sessions, err)
	}
	if res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s, Strict-Transport-Security %q", res.Proto, res.Header.Get("Strict-Transport-Security"))
	}

	// A body that is too large is rejected by the product.
	res = send(t, client, http.MethodPost, base+"/admin/api/v1/patients/search", token,
		`{"q":"`+strings.Repeat("a", 2<<20)+`"}`)
	if b, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(b), "FILE_TOO_LARGE") {
		t.Errorf("%s: %.200s, %v", res.Status, b, err)
	}

	// An event arrives while the stream is open.
	ctx, leave := context.WithTimeout(t.Context(), 30*time.Second)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/admin/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	live, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Body.Close() // does not end by itself
	lines := bufio.NewReader(live.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, "id: ") {
		t.Fatalf("the stream begins with %q, %v", first, err)
	}
	if res := send(t, client, http.MethodPost, base+"/admin/api/v1/service-config/create", token,
		`{"code":"PROXY","name":"คลินิกทดสอบ","slotMinutes":15,"defaultCapacity":1,"bookingWindowDays":30,`+
			`"leadMinutes":0,"color":"#0f766e","active":true,"schedule":[]}`); res.StatusCode != http.StatusOK {
		t.Fatalf("no change was made: %s", res.Status)
	}
	for line := ""; !strings.HasPrefix(line, "data: "); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("the change was not told: %v\n%s", err, log.String())
		}
	}
}

func TestCaddyfile(t *testing.T) {
	t.Parallel()
	long(t)
	caddy, dir := need(t, "caddy"), t.TempDir()
	file := put(t, filepath.Join(dir, "Caddyfile"), text(t, "deploy/caddy/Caddyfile"))
	cmd := exec.CommandContext(t.Context(), caddy, "validate", "--adapter", "caddyfile", "--config", file)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Valid configuration") ||
		regexp.MustCompile(`"level":"(warn|error)"`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}
