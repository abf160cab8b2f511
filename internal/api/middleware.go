package api

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
)

// contentPolicy returns the Content-Security-Policy. The app may load from this server only and connect to
// the card reader, if any. Mantine needs inline styles. PDFs are shown in a frame from a blob URL.
func contentPolicy(cardReader string) string {
	return "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
		"font-src 'self'; frame-src 'self' blob:; " +
		strings.TrimSpace("connect-src 'self' "+origin(cardReader)) +
		"; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// origin returns the origin of a URL.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

type requestKey struct{}

// request holds what the log line of a request needs.
type request struct {
	id     string
	userID int64
}

func requestID(ctx context.Context) string {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r.id
	}
	return ""
}

var goodRequestID = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// withRequestLog adds request id, security headers and a log line to every request, and turns a panic into
// INTERNAL.
func (s *Server) withRequestLog(next http.Handler) http.Handler {
	policy := contentPolicy(s.CardReaderURL)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.metrics.inFlight.Inc()
		defer s.metrics.inFlight.Dec()
		req := &request{id: r.Header.Get("X-Request-Id")}
		if !goodRequestID.MatchString(req.id) {
			req.id = rand.Text()[:16]
		}
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, req))
		h := w.Header()
		h.Set("X-Request-Id", req.id)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
		if strings.HasPrefix(s.PublicURL, "https://") {
			// Half a year; without includeSubDomains, because other hosts are not ours.
			h.Set("Strict-Transport-Security", "max-age=15552000")
		}
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=()")
		if strings.HasPrefix(r.URL.Path, "/admin/") {
			h.Set("Cache-Control", "no-store")
		}
		rec := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p)
				}
				s.Log.ErrorContext(r.Context(), "panic", "request_id", req.id, "panic", p, "stack", string(debug.Stack()))
				if rec.status == 0 {
					s.writePlainError(rec, r, hospital.Reject(hospital.Internal))
				}
			}
			// Logs the pattern, not the path, which can contain personal data.
			s.Log.DebugContext(r.Context(), "request", "request_id", req.id, "method", r.Method, "route", r.Pattern,
				"status", rec.status,
				"bytes", rec.bytes, "ms", float64(time.Since(start).Microseconds())/1000, "user_id", req.userID)
			s.metrics.observe(r.Method, r.Pattern, rec.status, time.Since(start))
		}()
		if !isText(r) {
			s.writePlainError(rec, r, hospital.Reject(hospital.BadRequest))
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// isText reports whether the URL of a request is valid UTF-8 without NUL, which every database accepts.
func isText(r *http.Request) bool {
	query, err := url.QueryUnescape(r.URL.RawQuery)
	return err == nil && !slices.ContainsFunc([]string{query, r.URL.Path}, func(s string) bool {
		return strings.Contains(s, "\x00") || !utf8.ValidString(s)
	})
}

// recorder records the status and size of a response.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader records the first status. huma writes a second one if the client disconnected during the
// response.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		r.ResponseWriter.WriteHeader(status)
	}
}

// Write counts the bytes.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection (deadlines, flush).
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// forwardedFor joins all X-Forwarded-For headers in order: a client may send one of its own,
// and a proxy may then add a second header instead of extending the first.
func forwardedFor(ctx huma.Context) string {
	var lines []string
	ctx.EachHeader(func(name, value string) {
		if strings.EqualFold(name, "X-Forwarded-For") {
			lines = append(lines, value)
		}
	})
	return strings.Join(lines, ",")
}

// addrOf returns the caller's address. X-Forwarded-For is used only if the request comes from a trusted
// proxy: the last address that is not a trusted proxy counts, because the caller can forge those before it.
func (s *Server) addrOf(remote, forwarded string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	trusted := func(text string) bool {
		a, err := netip.ParseAddr(text)
		contains := func(p netip.Prefix) bool { return p.Contains(a.Unmap()) }
		return err == nil && slices.ContainsFunc(s.TrustedProxies, contains)
	}
	if forwarded == "" || !trusted(host) {
		return host
	}
	for _, text := range slices.Backward(strings.Split(forwarded, ",")) {
		hop, ok := parseHop(strings.TrimSpace(text))
		if !ok {
			break
		}
		host = hop
		if !trusted(host) {
			break
		}
	}
	return host
}

// parseHop parses one address of X-Forwarded-For, with or without a port.
func parseHop(text string) (string, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().String(), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return a.Unmap().String(), err == nil
}

// enter authenticates the caller and checks token, session, account and permission, in this order. Then it
// starts the time limit of the operation.
func (s *Server) enter(ctx huma.Context, next func(huma.Context)) {
	timed, cancel := context.WithTimeout(ctx.Context(), requestTimeout)
	defer cancel()
	if ctx.Operation().Metadata[accessKey].(hospital.Access).IsDisplay() {
		s.authenticateDisplay(huma.WithContext(ctx, timed), next)
		return
	}
	actor, err := s.admit(huma.WithContext(ctx, timed))
	if err != nil {
		s.writeError(ctx, err)
		return
	}
	limited := timed
	if limit, unusual := ctx.Operation().Metadata[limitKey].(time.Duration); unusual {
		limited = ctx.Context()
		if limit != 0 {
			limited, cancel = context.WithTimeout(limited, limit)
			defer cancel()
			if ctx.Operation().Metadata[largeKey] != nil {
				// An error means that the connection has no write deadline, so there is none to extend.
				_, w := humago.Unwrap(ctx)
				_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + requestTimeout))
			}
		}
	}
	if r, ok := ctx.Context().Value(requestKey{}).(*request); ok {
		r.userID = actor.UserID
	}
	ctx, err = withAttempt(huma.WithContext(ctx, hospital.WithActor(limited, actor)))
	if err != nil {
		s.writeError(ctx, err)
		return
	}
	next(ctx)
}

// authenticateDisplay authenticates a waiting-room screen. Tokens of users are not accepted, and those of displays
// only here.
func (s *Server) authenticateDisplay(ctx huma.Context, next func(huma.Context)) {
	token, ok := bearer(ctx)
	if !ok {
		s.writeError(ctx, hospital.Reject(hospital.Unauthenticated))
		return
	}
	d, err := s.DB.DisplayByToken(ctx.Context(), token)
	if err != nil {
		s.writeError(ctx, err)
		return
	}
	next(huma.WithValue(ctx, displayKey{}, d))
}

func bearer(ctx huma.Context) (token string, ok bool) {
	return strings.CutPrefix(ctx.Header("Authorization"), "Bearer ")
}

func (s *Server) admit(ctx huma.Context) (hospital.Actor, error) {
	op := ctx.Operation()
	access := op.Metadata[accessKey].(hospital.Access)
	anonymous := hospital.Actor{Addr: s.addrOf(ctx.RemoteAddr(), forwardedFor(ctx)), RequestID: requestID(ctx.Context())}
	if access.IsPublic() {
		return anonymous, nil
	}
	token, ok := bearer(ctx)
	if !ok {
		return anonymous, hospital.Reject(hospital.Unauthenticated)
	}
	claims, err := s.Tokens.Parse(token, op.Metadata[audienceKey].(string))
	switch {
	case errors.Is(err, auth.ErrExpired):
		return anonymous, hospital.Reject(hospital.TokenExpired)
	case err != nil:
		return anonymous, hospital.Reject(hospital.Unauthenticated)
	}
	session, err := s.DB.SignedIn(ctx.Context(), claims.SessionID)
	if err != nil {
		return anonymous, err
	}
	actor := session.Actor
	actor.Addr, actor.RequestID = anonymous.Addr, anonymous.RequestID
	if actor.UserID != claims.UserID {
		return anonymous, hospital.Reject(hospital.Unauthenticated)
	}
	if err := session.Status.MaySignIn(); err != nil {
		return anonymous, err
	}
	if session.MustChangePassword && op.Metadata[earlyKey] == nil {
		return anonymous, hospital.Reject(hospital.PasswordChangeRequired)
	}
	if !access.Allows(actor.Permissions) {
		rejected := hospital.Reject(hospital.Forbidden).With("permission", access.Missing(actor.Permissions))
		err := s.DB.Note(hospital.WithActor(ctx.Context(), actor), hospital.AuditEntry{
			Action: "access.refused", Entity: "operation", EntityID: op.OperationID, Subject: op.Summary,
			Outcome: hospital.OutcomeRefused, Reason: access.String(),
		})
		if err != nil {
			return anonymous, err
		}
		return anonymous, rejected
	}
	return actor, nil
}
