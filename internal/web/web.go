// Package web serves the web app, which is embedded in the binary.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// asset is a file of the app. Only compressed content is held, because the rest is in the binary.
type asset struct {
	open        func() (fs.File, error)
	gzipped     []byte
	contentType string
	etag        string
}

// Handler serves the app. Files with a hash in their name are cached forever. index.html is revalidated every
// time and served for every path that is not a file, because the app does its own routing.
func Handler() http.Handler { return embedded() }

var embedded = sync.OnceValue(func() http.Handler {
	app, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return newHandler(app)
})

func newHandler(app fs.FS) http.Handler {
	files := load(app)
	index, ok := files["index.html"]
	if !ok {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "The app was not built into this binary. Run: make build", http.StatusServiceUnavailable)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		a, found := files[name]
		switch {
		case found && strings.HasPrefix(name, "assets/"):
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		case found && name != "index.html":
			w.Header().Set("Cache-Control", "public, max-age=3600")
		case strings.HasPrefix(name, "assets/"):
			// An old page requests a file of a previous build: not the app.
			http.NotFound(w, r)
			return
		default:
			a = index
			w.Header().Set("Cache-Control", "no-cache")
		}
		a().serve(w, r)
	})
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	// A proxy that compresses sends W/"…", and a browser may send several.
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	zipped := a.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding"))
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	if r.Method != http.MethodGet {
		return
	}
	if zipped {
		_, _ = w.Write(a.gzipped)
		return
	}
	f, err := a.open()
	if err != nil {
		panic(err) // embedded files can be opened
	}
	_, _ = io.Copy(w, f)
}

// acceptsGzip parses Accept-Encoding. "gzip;q=0" means no.
func acceptsGzip(header string) bool {
	for item := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

// load prepares each file on its first request, because compressing all of them takes a while.
func load(root fs.FS) map[string]func() asset {
	files := map[string]func() asset{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name] = sync.OnceValue(func() asset { return newAsset(root, name) })
		return nil
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return files
}

// contentTypes is independent of the operating system, whose list may be wrong.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".ico": "image/x-icon",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf",
}

func newAsset(root fs.FS, name string) asset {
	body, err := fs.ReadFile(root, name)
	if err != nil {
		panic(err) // embedded files can be read
	}
	sum := sha256.Sum256(body)
	a := asset{
		open: func() (fs.File, error) { return root.Open(name) }, contentType: contentTypes[path.Ext(name)],
		etag: `"` + hex.EncodeToString(sum[:8]) + `"`,
	}
	if a.contentType == "" {
		a.contentType = "application/octet-stream"
	}
	if strings.HasPrefix(a.contentType, "text/") || strings.Contains(a.contentType, "javascript") ||
		strings.Contains(a.contentType, "json") || strings.Contains(a.contentType, "svg") {
		var buf bytes.Buffer
		z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
		_, _ = z.Write(body)
		_ = z.Close()
		if buf.Len() < len(body) {
			a.gzipped = bytes.Clone(buf.Bytes())
		}
	}
	return a
}
