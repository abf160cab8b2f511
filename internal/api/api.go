// Package api serves the HTTP API: authentication, permissions, decoding and responses. The rules are in
// package hospital, the transactions in package store.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// huma configures errors with package variables. They are the same for every Server.
func init() {
	huma.NewError = func(status int, _ string, _ ...error) huma.StatusError { return &failure{status: status} }
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return serverOf(ctx).newError(ctx, status, msg, errs...)
	}
}

// Options configures a Server.
type Options struct {
	DB             *store.DB
	Files          files.Store // uploaded files
	Hasher         *auth.Hasher
	Tokens         auth.Tokens
	Box            auth.Box // encrypts one-time-code secrets
	Log            *slog.Logger
	Metrics        *prometheus.Registry
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted
	PublicURL      string         // base URL of links; empty for that of the request
	CanMail        bool           // whether mail is configured
	CardReaderURL  string         // card reader on the user's machine; empty for none
	SpoolDir       string         // for large downloads until they are sent; empty for the system's temporary folder
	Version        string
	App            http.Handler // the web app, for all other paths
}

// Server is the HTTP server of the API and the web app. It checks the permission of every operation, and
// wraps every response below /admin in the envelope.
type Server struct {
	Options
	mux      *http.ServeMux
	huma     huma.API
	metrics  *metrics
	document func() []byte
	problems []error
	exports  *exports
	quota    *spoolQuota
}

// New returns a Server. It fails if an operation does not declare its access.
func New(o Options) (*Server, error) {
	s := &Server{
		Options: o, mux: http.NewServeMux(), metrics: newMetrics(o), exports: newExports(), quota: newSpoolQuota(o.SpoolDir),
	}
	if err := s.quota.clear(); err != nil {
		return nil, fmt.Errorf("delete what is left of downloads: %w", err)
	}
	cfg := huma.DefaultConfig("Nadmor", o.Version)
	cfg.Info.Description = "Appointments and patients of a hospital. Every response is an envelope; every " +
		"operation names " +
		"the permission it needs as x-permission."
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil // no $schema in responses
	cfg.RejectUnknownQueryParameters = true
	format := huma.DefaultJSONFormat
	format.Marshal, format.Unmarshal = writeJSON, readJSON
	cfg.Formats = map[string]huma.Format{"application/json": format}
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		auth.AudienceAdmin: {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "accessToken of login"},
		displayScheme: {
			Type: "http", Scheme: "bearer", Description: "token of a waiting-room screen, for its board only",
		},
		auth.AudienceCustomer: {
			Type: "http", Scheme: "bearer", BearerFormat: "JWT",
			Description: "smqAccessToken of login, for customers operations only",
		},
	}
	registerEnums(cfg.Components.Schemas)
	s.huma = humago.New(s.mux, cfg)
	s.huma.UseMiddleware(s.enter)
	s.routes()
	documentNulls(cfg.Components.Schemas)
	if err := s.undeclared(); err != nil {
		return nil, err
	}
	s.document = sync.OnceValue(func() []byte { // rarely requested
		document, err := json.MarshalIndent(s.huma.OpenAPI(), "", "  ")
		if err != nil {
			panic(fmt.Sprintf("the OpenAPI document cannot be written: %v", err)) // cannot happen with our own types
		}
		return document
	})
	s.pages()
	return s, nil
}

// undeclared returns an error naming the operations that do not declare their access.
func (s *Server) undeclared() error { return errors.Join(s.problems...) }

// Document returns the OpenAPI document.
func (s *Server) Document() []byte { return s.document() }

// Handler returns the handler of the whole server: operations, events, files, the app and health checks.
func (s *Server) Handler() http.Handler { return s.withRequestLog(s.mux) }

// pages registers the routes that are not operations.
func (s *Server) pages() {
	s.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.document())
	})
	s.mux.HandleFunc("GET /docs", s.docs)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	s.mux.HandleFunc("GET /readyz", s.ready)
	s.mux.HandleFunc("/admin/", func(w http.ResponseWriter, r *http.Request) {
		s.writePlainError(w, r,
			hospital.Reject(hospital.NotFound).Because("ไม่มีคำสั่งนี้ในระบบ", "There is no such operation."))
	})
	s.mux.Handle("/", s.App)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// part is a dependency that a node cannot work without.
type part struct {
	name  string
	ready func(context.Context) error
}

func (o *Options) parts() []part { return []part{{"database", o.DB.Ready}, {"files", o.Files.Ready}} }

// ready is the readiness check for load balancers.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	for _, part := range s.parts() {
		if err := part.ready(ctx); err != nil {
			s.Log.WarnContext(ctx, "not ready", "error", err.Error())
			plain(w, http.StatusServiceUnavailable, part.name+": not reachable")
			return
		}
	}
	plain(w, http.StatusOK, "ok")
}

// writePlainError writes an error envelope outside of huma.
func (s *Server) writePlainError(w http.ResponseWriter, r *http.Request, err error) {
	f := s.fail(r.Context(), langOf(r.Header.Get("Accept-Language")), err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(f)
}

// option configures an operation.
type option func(*huma.Operation)

// forCustomers declares an operation that takes the customer token.
func forCustomers(op *huma.Operation) { op.Metadata[audienceKey] = auth.AudienceCustomer }

// allowedBeforePasswordChange declares an operation that is available to users who must change their password
// first.
func allowedBeforePasswordChange(op *huma.Operation) { op.Metadata[earlyKey] = true }

// streaming raises the time limit of an operation that streams its body or response, whose chunks have their
// own limits.
func streaming(op *huma.Operation) { op.Metadata[limitKey] = longTime }

// large raises the body and time limits of an operation that changes thousands of
// records in one transaction.
func large(op *huma.Operation) {
	op.MaxBodyBytes = largeBody
	op.Metadata[limitKey], op.Metadata[largeKey] = largeTime, true
}

// Limits of operations declared large.
const (
	largeBody   = 8 << 20
	largeValues = 100_000
	largeTime   = 2 * time.Minute
)

// noTimeLimit removes the time limit of an operation.
func noTimeLimit(op *huma.Operation) { op.Metadata[limitKey] = time.Duration(0) }

const (
	// requestTimeout is the time limit of an operation. The caller gets an error if the database does not answer in
	// time.
	requestTimeout = 15 * time.Second
	longTime       = 10 * time.Minute
)

const (
	accessKey   = "access"
	audienceKey = "audience"
	earlyKey    = "early"
	limitKey    = "limit"
	largeKey    = "large"
	readOnlyKey = "read-only"
	secretKey   = "secret"
	serverKey   = "server"

	displayScheme = "display" // name in the OpenAPI document
)

// maxPublicBody is the maximum body size of unauthenticated operations. A thousand slow ones at once must fit
// into memory.
const maxPublicBody = 64 << 10

// declare returns the description of an operation. New fails if its access is not declared.
func (s *Server) declare(method, path string, access hospital.Access, summary string, opts []option) huma.Operation {
	if !access.Declared() {
		s.problems = append(s.problems, fmt.Errorf("%s %s does not declare who may call it", method, path))
	}
	op := huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary, Tags: []string{tagOf(path)},
		Metadata:   map[string]any{accessKey: access, audienceKey: auth.AudienceAdmin, serverKey: s},
		Extensions: map[string]any{"x-permission": access.String()},
	}
	if access.IsPublic() {
		op.MaxBodyBytes = maxPublicBody
	}
	for _, o := range opts {
		o(&op)
	}
	if isWrite(&op) {
		documentKey(&op)
	}
	if access.IsDisplay() {
		op.Security = []map[string][]string{{displayScheme: {}}}
	} else if !access.IsPublic() {
		op.Security = []map[string][]string{{op.Metadata[audienceKey].(string): {}}}
	}
	return op
}

// handle registers an operation. Its result is wrapped in the envelope.
func handle[I, O any](s *Server, method, path string, access hospital.Access, summary string,
	fn func(context.Context, *I) (O, error), opts ...option) {
	op, api := s.declare(method, path, access, summary, opts), s.huma
	if op.Metadata[largeKey] != nil {
		api = largeAPI{api}
	}
	huma.Register(api, op, once(s, op, fn))
}

func get[I, O any](s *Server, path string, access hospital.Access, summary string,
	fn func(context.Context, *I) (O, error), opts ...option) {
	handle(s, http.MethodGet, path, access, summary, fn, opts...)
}

func post[I, O any](s *Server, path string, access hospital.Access, summary string,
	fn func(context.Context, *I) (O, error), opts ...option) {
	handle(s, http.MethodPost, path, access, summary, fn, opts...)
}

// operationID returns the id of an operation, made from its path: "post-user-admin-list".
func operationID(method, path string) string {
	words := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/{}", r) })
	used := words[:0]
	for _, w := range words {
		if w != "admin" && w != "api" && w != "v1" && w != "v1.0" {
			used = append(used, w)
		}
	}
	return strings.ToLower(method + "-" + strings.Join(used, "-"))
}

// tagOf returns the tag of an operation, the first part of its path: "user-admin".
func tagOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) > 3 {
		return parts[3]
	}
	return parts[len(parts)-1]
}

func serverOf(ctx huma.Context) *Server { return ctx.Operation().Metadata[serverKey].(*Server) }

// nothing adapts an error to a handler without a result.
func nothing(err error) (null, error) { return null{}, err }

// byID is the input of an operation on one record.
type byID struct {
	ID int64 `path:"id" minimum:"1"`
}

// idBody is the input of a deletion.
type idBody struct {
	ID int64 `json:"id" minimum:"1"`
}
