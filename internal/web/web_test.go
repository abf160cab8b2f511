package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	page   = "<!doctype html><title>นัดหมอ</title>" + strings.Repeat("<p>หน้าแรก</p>", 50)
	script = strings.Repeat("console.log('นัดหมอ');\n", 50)
)

func app() http.Handler {
	return newHandler(fstest.MapFS{
		"index.html":               {Data: []byte(page)},
		"favicon.svg":              {Data: []byte("<svg/>")},
		"assets/index-B7f3a1.js":   {Data: []byte(script)},
		"assets/sarabun-C9e2.woff": {Data: []byte(strings.Repeat("font", 500))},
	})
}

func get(t *testing.T, method, target string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "/", http.NoBody)
	r.URL.Path = target // decoded but not cleaned, as by a router
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	app().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPathsAndCaching(t *testing.T) {
	t.Parallel()
	const (
		forever = "public, max-age=31536000, immutable"
		always  = "no-cache"
		hour    = "public, max-age=3600"
		html    = "text/html; charset=utf-8"
	)
	cases := map[string]struct {
		path         string
		status       int
		cache, ctype string
		want         string
	}{
		"the front page is asked for every time":            {"/", 200, always, html, page},
		"so it is by its name":                              {"/index.html", 200, always, html, page},
		"a page of the app's own routing is the front page": {"/users/7/edit", 200, always, html, page},
		"so is one with a dot in it":                        {"/patients/HN.123", 200, always, html, page},
		"so is one with a slash at its end":                 {"/users/", 200, always, html, page},
		"a file with a hash in its name is cached forever": {
			"/assets/index-B7f3a1.js", 200, forever, "text/javascript; charset=utf-8", script,
		},
		"a file without one is kept for a while": {"/favicon.svg", 200, hour, "image/svg+xml", "<svg/>"},
		"a font is a font on every machine": {
			"/assets/sarabun-C9e2.woff", 200, forever, "font/woff", strings.Repeat("font", 500),
		},
		"a missing asset is missing, not the front page": {
			"/assets/index-old.js", 404, "", "text/plain; charset=utf-8", "404 page not found\n",
		},
		"the folder of assets is not listed":        {"/assets/", 200, always, html, page},
		"climbing out of the app is the front page": {"/../../../etc/passwd", 200, always, html, page},
		"climbing out of the assets is too":         {"/assets/../../web.go", 200, always, html, page},
		"climbing from the assets to a file of the app is fine": {
			"/assets/../favicon.svg", 200, hour, "image/svg+xml", "<svg/>",
		},
		"backslashes climb nowhere":                                {`/..\..\etc\passwd`, 200, always, html, page},
		"an absolute path in the path is the front page":           {"//etc/passwd", 200, always, html, page},
		"a path without a slash at its beginning is a path, too":   {"favicon.svg", 200, hour, "image/svg+xml", "<svg/>"},
		"no path at all is the front page":                         {"", 200, always, html, page},
		"a NUL in the path is the front page, not a broken answer": {"/index.html\x00", 200, always, html, page},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := get(t, http.MethodGet, c.path, nil)
			if res.StatusCode != c.status {
				t.Errorf("status %d, want %d", res.StatusCode, c.status)
			}
			if got := res.Header.Get("Cache-Control"); got != c.cache {
				t.Errorf("Cache-Control is %q, want %q", got, c.cache)
			}
			if got := res.Header.Get("Content-Type"); got != c.ctype {
				t.Errorf("Content-Type is %q, want %q", got, c.ctype)
			}
			if got := body(t, res); got != c.want {
				t.Errorf("the body is %.80q", got)
			}
			if enc := res.Header.Get("Content-Encoding"); enc != "" {
				t.Errorf("it is encoded as %s though nobody asked", enc)
			}
		})
	}
}

func TestTextIsCompressed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		path, accept string
		gzipped      bool
	}{
		"a browser's header":               {"/assets/index-B7f3a1.js", "gzip, deflate, br, zstd", true},
		"gzip last":                        {"/", "br,gzip", true},
		"with a weight":                    {"/", "gzip;q=0.8", true},
		"with a small weight and space":    {"/", "br;q=1.0, gzip ; q=0.001", true},
		"nothing":                          {"/", "", false},
		"other encodings":                  {"/", "br, deflate", false},
		"not wanted":                       {"/", "gzip;q=0", false},
		"not wanted, written in full":      {"/", "identity, gzip;q=0.000", false},
		"something that only has the word": {"/", "x-gzip-like", false},
		"a font, compressed already":       {"/assets/sarabun-C9e2.woff", "gzip", false},
		"a file that would grow":           {"/favicon.svg", "gzip", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := get(t, http.MethodGet, c.path, map[string]string{"Accept-Encoding": c.accept})
			if got := res.Header.Get("Content-Encoding") == "gzip"; got != c.gzipped {
				t.Fatalf("gzip is %v", got)
			}
			if res.Header.Get("Vary") != "Accept-Encoding" {
				t.Error("a cache could give the wrong one to the next")
			}
			if !c.gzipped {
				return
			}
			z, err := gzip.NewReader(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if want := body(t, get(t, http.MethodGet, c.path, nil)); err != nil || string(plain) != want {
				t.Errorf("unpacked it is %.60q, %v", plain, err)
			}
		})
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/assets/index-B7f3a1.js", "/favicon.svg"} {
		first := get(t, http.MethodGet, path, nil)
		etag := first.Header.Get("ETag")
		if len(etag) < 10 || etag[0] != '"' || etag[len(etag)-1] != '"' {
			t.Fatalf("%s has the ETag %s", path, etag)
		}
		for known, status := range map[string]int{
			etag: 304, "W/" + etag: 304, `"other", ` + etag: 304, `"other"`: 200, "": 200, strings.Trim(etag, `"`): 200,
		} {
			res := get(t, http.MethodGet, path, map[string]string{"If-None-Match": known})
			if res.StatusCode != status {
				t.Errorf("%s for who knows %s: status %d, want %d", path, known, res.StatusCode, status)
			}
			if got := body(t, res); (status == 304) != (got == "") {
				t.Errorf("%s for who knows %s: a body of %d bytes", path, known, len(got))
			}
			if res.Header.Get("Cache-Control") != first.Header.Get("Cache-Control") || res.Header.Get("ETag") != etag {
				t.Errorf("%s with %s: different caching: %v", path, known, res.Header)
			}
		}
	}
}

func TestETagOfChangedPage(t *testing.T) {
	t.Parallel()
	app := fstest.MapFS{"a/index.html": {Data: []byte("a")}, "b/index.html": {Data: []byte("b")}}
	if newAsset(app, "a/index.html").etag == newAsset(app, "b/index.html").etag {
		t.Error("a browser would keep the old page")
	}
}

func TestOnlyGetAndHead(t *testing.T) {
	t.Parallel()
	for _, method := range []string{
		http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "TRACE", "BREW",
	} {
		for _, path := range []string{"/", "/assets/index-B7f3a1.js"} {
			res := get(t, method, path, nil)
			if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: status %d, Allow %q", method, path, res.StatusCode, res.Header.Get("Allow"))
			}
			if strings.Contains(body(t, res), "นัดหมอ") {
				t.Errorf("%s %s sends the file", method, path)
			}
		}
	}
	res := get(t, http.MethodHead, "/", nil)
	if res.StatusCode != http.StatusOK || body(t, res) != "" || res.Header.Get("ETag") == "" {
		t.Errorf("HEAD: status %d, %v", res.StatusCode, res.Header)
	}
}

// A binary built without the app says so.
func TestBinaryWithoutApp(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	newHandler(fstest.MapFS{".gitkeep": {}}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/users", http.NoBody))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// The embedded folder is served, built or not.
func TestEmbeddedApp(t *testing.T) {
	t.Parallel()
	_, built := dist.ReadFile("dist/index.html")
	want := http.StatusOK
	if built != nil {
		want = http.StatusServiceUnavailable
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if w.Code != want {
		t.Errorf("status %d, want %d", w.Code, want)
	}
}
