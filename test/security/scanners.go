package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"nadmor/test/product"
)

// scanners runs two common scanners with the administrator's session: sqlmap on every parameter and field of
// the reading operations, and wapiti on what it finds from the start page and the documentation.
type scanners struct {
	dir, base   string
	sqlmap      string
	wapiti      string
	level, risk string
	say         func(string)
}

// accepted are the accepted findings of wapiti with their reasons.
var accepted = map[string]string{
	"X-XSS-Protection is not set": "browsers have given it up; the content policy forbids inline scripts",
}

// forged are plausible values of filters, so that requests pass validation and reach the database.
var forged = map[string]any{
	"q": "som", "sort": "createdAt", "date": "2026-11-16", "dateFrom": "2026-11-01", "dateTo": "2026-11-30",
	"startTime": "09:00", "idCard": "1101", "entity": "patient", "entityId": "1",
	"action": "patient", "page": 1, "pageSize": 20, "limit": 10, "role": "NURSE", "size": "a5", "province": "ขอนแก่น",
	"rightCode": "UCS", "username": "nurse", "password": "not it", "email": "nurse@sinakhon.example",
	"token": "NOSUCHTOKEN", "key": "logo.png", "reason": "ทดสอบ",
}

// reads matches operations that only read.
var reads = regexp.MustCompile(`(?i)^GET |list|search|calendar|check|details|waitlist|affected|report/|login$|` +
	`forgot-password$|reset-password$`)

func (s *scanners) run(ctx context.Context) error {
	admin := product.NewClient(s.base, maxResponseTime)
	if err := admin.SignIn(ctx, "admin", "nadmor-demo"); err != nil {
		return err
	}
	var customer struct{ SmqAccessToken string }
	if err := admin.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth/login",
		map[string]string{"username": "admin", "password": "nadmor-demo"}, &customer); err != nil {
		return err
	}
	calls, err := readDocument(ctx, s.base)
	if err != nil {
		return err
	}
	calls = slices.DeleteFunc(calls, func(c call) bool {
		return !reads.MatchString(c.method+" "+c.path) || strings.HasSuffix(c.path, "/events") ||
			strings.HasSuffix(c.path, "/display/board")
	})
	jobs := make(chan call)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var faults []error
	scanned, tried := 0, 0
	for range 2 {
		wg.Go(func() {
			for c := range jobs {
				token := admin.Token
				if strings.Contains(c.path, "/customers/") {
					token = customer.SmqAccessToken
				}
				n, err := s.inject(ctx, c, token)
				mu.Lock()
				if n > 0 {
					scanned, tried = scanned+1, tried+n
				}
				if err != nil {
					faults = append(faults, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, c := range calls {
		jobs <- c
	}
	close(jobs)
	wg.Wait()
	pages, err := s.crawl(ctx, calls, admin.Token)
	if err := errors.Join(append(faults, err)...); err != nil {
		return err
	}
	if scanned < 25 || tried < 100 {
		return fmt.Errorf("sqlmap tried only %d fields of %d operations", tried, scanned)
	}
	s.say(fmt.Sprintf("sqlmap (level %s, risk %s) in %d fields of %d operations, wapiti on %d addresses: no finding (%d "+
		"accepted with a reason)", s.level, s.risk, tried, scanned, pages, len(accepted)))
	return nil
}

// value returns a value for a field.
func value(name string, schema *openapi3.Schema) any {
	if v, known := forged[name]; known {
		return v
	}
	switch {
	case schema == nil || schema.Type == nil:
		return nil
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type.Includes("integer") || schema.Type.Includes("number"):
		return 1
	case schema.Type.Includes("boolean"):
		return true
	case schema.Type.Includes("array"):
		if v := value("", schema.Items.Value); v != nil {
			return []any{v}
		}
	}
	return nil
}

var verdict = regexp.MustCompile(`(?m)parameter '.*' does not seem to be injectable`)

// inject runs sqlmap on every parameter and field of an operation and returns their number.
func (s *scanners) inject(ctx context.Context, c call, token string) (tried int, err error) {
	path, query := c.path, url.Values{}
	marked := false
	for _, p := range c.op.Parameters {
		v := value(p.Value.Name, p.Value.Schema.Value)
		if v == nil {
			continue
		}
		switch p.Value.In {
		case "path":
			path, marked = strings.ReplaceAll(path, "{"+p.Value.Name+"}", fmt.Sprint(v)+"*"), true // sqlmap's injection marker
		case "query":
			query.Set(p.Value.Name, fmt.Sprint(v))
		}
	}
	body := ""
	if c.op.RequestBody != nil && c.op.RequestBody.Value.Content["application/json"] != nil {
		fields := map[string]any{}
		schema := c.op.RequestBody.Value.Content["application/json"].Schema.Value
		for name, p := range schema.Properties {
			if v := value(name, p.Value); v != nil &&
				(forged[name] != nil || slices.Contains(schema.Required, name) || strings.HasSuffix(strings.ToLower(name), "id") ||
					strings.HasSuffix(name, "Ids")) {
				fields[name] = v
			}
		}
		if len(fields) > 0 {
			text, err := json.Marshal(fields)
			if err != nil {
				return 0, err
			}
			body = string(text)
		}
	}
	if len(query) == 0 && body == "" && !marked {
		return 0, nil
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	name := filepath.Join(s.dir, strings.NewReplacer("/", "-", "{", "", "}", "").Replace(c.method+c.path))
	request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\n\r\n%s", c.method, path, strings.TrimPrefix(s.base, "http://"), token, body)
	if err := os.WriteFile(name+".txt", []byte(request), 0o600); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	//nolint:gosec // from scripts/need
	out, err := exec.CommandContext(ctx, s.sqlmap, "-r", name+".txt", "--ignore-stdin", "--batch",
		"--disable-coloring", "--flush-session", "--ignore-code=*", "--tamper=xforwardedfor",
		"--skip=Host,Authorization,Content-Type,User-Agent,Referer,Cookie", "--level="+s.level,
		"--risk="+s.risk, "--output-dir="+name).CombinedOutput()
	text := string(out)
	tried = len(verdict.FindAllString(text, -1))
	if _, found, ok := strings.Cut(text, "sqlmap identified the following injection point"); ok {
		return tried, fmt.Errorf("sqlmap: %s %s: %s", c.method, c.path, found)
	}
	if !strings.Contains(text, "do not appear to be injectable") {
		return tried, errors.Join(fmt.Errorf("sqlmap said nothing of %s %s: %s", c.method, c.path,
			text[max(0, len(text)-2000):]), err)
	}
	return tried, nil
}

// crawl runs wapiti on the start page, the documentation and all GET operations. It returns the number of
// start URLs.
func (s *scanners) crawl(ctx context.Context, calls []call, token string) (pages int, err error) {
	report := filepath.Join(s.dir, "wapiti.json")
	args := []string{
		"-u", s.base + "/", "--scope", "domain", "-H", "Authorization: Bearer " + token, "-f", "json", "-o", report,
		"--flush-session", "--store-session", filepath.Join(s.dir, "wapiti"), "--no-bugreport",
		// Without modules that need an external server (ssrf, xxe), external lists (nikto, wapp) or brute force.
		"-m",
		"backup,blindsql,cookieflags,crlf,csp,csrf,exec,file,htaccess,http_headers,methods,permanentxss,redirect," +
			"shellshock,sql,xss",
	}
	starts := []string{
		"/login", "/docs", "/openapi.json", "/register", "/forgot-password", "/reset-password", "/app/dashboard",
		"/login?redirect=/app/dashboard",
	}
	for _, c := range calls {
		// customer operations take another token and are covered by sqlmap
		if c.method != http.MethodGet || strings.Contains(c.path, "/customers/") {
			continue
		}
		path, query := c.path, url.Values{}
		for _, p := range c.op.Parameters {
			v := fmt.Sprint(value(p.Value.Name, p.Value.Schema.Value))
			switch p.Value.In {
			case "path":
				path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", v)
			case "query":
				query.Set(p.Value.Name, v)
			}
		}
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		starts = append(starts, path)
	}
	for _, path := range starts {
		args = append(args, "-s", s.base+path)
	}
	out, err := exec.CommandContext(ctx, s.wapiti, args...).CombinedOutput() //nolint:gosec // from scripts/need
	if err != nil {
		return 0, fmt.Errorf("wapiti: %w: %s", err, out)
	}
	text, err := os.ReadFile(report) //nolint:gosec // our own folder
	if err != nil {
		return 0, err
	}
	type finding struct{ Method, Path, Info, Parameter string }
	var found struct{ Vulnerabilities, Anomalies map[string][]finding }
	if err := json.Unmarshal(text, &found); err != nil {
		return 0, err
	}
	var faults []string
	for _, group := range []map[string][]finding{found.Vulnerabilities, found.Anomalies} {
		for kind, list := range group {
			for _, f := range list {
				if accepted[f.Info] == "" {
					faults = append(faults, fmt.Sprintf("%s: %s %s %s %s", kind, f.Method, f.Path, f.Parameter, f.Info))
				}
			}
		}
	}
	if len(faults) > 0 {
		slices.Sort(faults)
		return len(starts), fmt.Errorf("wapiti found:\n%s", strings.Join(faults, "\n"))
	}
	return len(starts) + 1, nil
}
