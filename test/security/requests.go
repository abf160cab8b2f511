package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"nadmor/test/product"
)

// call is an operation of the OpenAPI document.
type call struct {
	method, path string
	op           *openapi3.Operation
	answers      map[string]*jsonschema.Schema // by status and media type
}

// requests sends valid and invalid requests generated from the OpenAPI document, as the administrator, a
// nurse and without a session. No response may be a server error, be slow, or differ from the document.
type requests struct {
	base     string
	calls    []call
	total    int
	clients  int
	seed     uint64
	say      func(string)
	signIn   sync.Mutex
	mu       sync.Mutex
	statuses map[int]int
	faults   []string
	slowest  time.Duration
}

// maxResponseTime is the maximum response time.
const maxResponseTime = 15 * time.Second

// readDocument reads the OpenAPI document.
func readDocument(ctx context.Context, base string) ([]call, error) {
	answer, err := product.NewClient(base, maxResponseTime).Send(ctx, http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if err := doc.Validate(ctx); err != nil {
		return nil, fmt.Errorf("the document is not valid: %w", err)
	}
	// kin-openapi would compile the schema for every response.
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("nadmor.json", document); err != nil {
		return nil, err
	}
	var calls []call
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			c := call{method, path, op, map[string]*jsonschema.Schema{}}
			for status, response := range op.Responses.Map() {
				for written, content := range response.Value.Content {
					kind, _, err := mime.ParseMediaType(written)
					if err != nil {
						return nil, fmt.Errorf("%s %s: %w", method, path, err)
					}
					if content.Schema == nil || !strings.HasSuffix(kind, "json") {
						c.answers[status+" "+kind] = nil
						continue
					}
					pointer := strings.Join([]string{
						"", "paths", escape(path), strings.ToLower(method), "responses", status, "content", escape(written), "schema",
					}, "/")
					if c.answers[status+" "+kind], err = compiler.Compile("nadmor.json#" + pointer); err != nil {
						return nil, fmt.Errorf("%s %s: %w", method, path, err)
					}
				}
			}
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return calls, nil
}

// escape escapes a name for a JSON pointer in a URL fragment.
func escape(name string) string {
	return url.PathEscape(strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
}

// run sends all requests. Findings are printed at once and again at the end.
func (q *requests) run(ctx context.Context) error {
	q.statuses = map[int]int{}
	var wg sync.WaitGroup
	each := (q.total + q.clients - 1) / q.clients
	for client := range q.clients {
		wg.Go(func() { q.client(ctx, client, each) })
	}
	wg.Wait()
	if len(q.faults) > 0 {
		slices.Sort(q.faults)
		return fmt.Errorf("%d faults:\n%s", len(q.faults), strings.Join(q.faults, "\n"))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var counts []string
	for status, n := range q.statuses {
		counts = append(counts, fmt.Sprintf("%d: %d", status, n))
	}
	slices.Sort(counts)
	if q.statuses[http.StatusOK] == 0 || q.statuses[http.StatusUnprocessableEntity] == 0 {
		return fmt.Errorf("nothing was tried (%s)", strings.Join(counts, ", "))
	}
	q.say(fmt.Sprintf("%d requests on %d operations with seed %d: no failure, no answer outside the document, slowest "+
		"%.2f s (%s)", q.total, len(q.calls), q.seed, q.slowest.Seconds(), strings.Join(counts, ", ")))
	return nil
}

// person is a sender with its tokens by security scheme.
type person struct {
	*product.Client
	username string // empty for none
	keys     map[string]string
}

// signedIn signs in unless the session is still valid.
func (p *person) signedIn(ctx context.Context) error {
	if p.username == "" || p.keys["admin"] != "" {
		return nil
	}
	var answer struct{ AccessToken, SmqAccessToken string }
	err := p.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth/login",
		map[string]string{"username": p.username, "password": "nadmor-demo"}, &answer)
	p.keys["admin"], p.keys["smq"] = answer.AccessToken, answer.SmqAccessToken
	return err
}

// keyFor returns the token that a call needs, empty if the sender has none.
func (p *person) keyFor(c call) string {
	if c.op.Security != nil {
		for _, kinds := range *c.op.Security {
			for kind := range kinds {
				return p.keys[kind]
			}
		}
	}
	return p.keys["admin"]
}

// updateTokens updates the tokens from a response.
func (p *person) updateTokens(c call, a product.Answer) {
	switch {
	case a.Status == http.StatusUnauthorized && p.Token != "" && p.Token == p.keys["admin"]:
		p.keys["admin"], p.keys["smq"] = "", "" // the session has ended
	case a.Status == http.StatusOK && strings.HasSuffix(c.path, "/displays/create"):
		var created struct{ Data struct{ Token string } }
		if json.Unmarshal(a.Body, &created) == nil {
			p.keys["display"] = created.Data.Token
		}
	}
}

// client sends requests.
func (q *requests) client(ctx context.Context, number, n int) {
	v := values{Rand: rand.New(rand.NewPCG(q.seed, uint64(number)))} //nolint:gosec // the same requests for the same seed
	var people []*person
	for _, username := range []string{"admin", "nurse", ""} {
		people = append(people, &person{product.NewClient(q.base, maxResponseTime), username, map[string]string{}})
	}
	for i := range n {
		user := people[0]
		if roll := v.IntN(20); roll < 2 {
			user = people[1+roll]
		}
		q.signIn.Lock() // one at a time, because of the limit of attempts per address
		err := user.signedIn(ctx)
		q.signIn.Unlock()
		if err != nil {
			q.fault("sign in: " + err.Error())
			return
		}
		v.wrong = []float64{0, 0.02, 0.1, 0.5}[v.IntN(4)]
		q.send(ctx, v, user, q.pick(v))
		if number == 0 && i%5000 == 4999 {
			q.say(fmt.Sprintf("%d of %d …", i*q.clients, q.total))
		}
		if ctx.Err() != nil || q.tooMany() {
			return
		}
	}
}

func (q *requests) tooMany() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.faults) > 30
}

func (q *requests) fault(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	text = fmt.Sprintf("%.1000s", text)
	q.faults = append(q.faults, text)
	q.say(text)
}

// left are the operations that are not called: an endless one, and those that would lock out the test
// accounts.
var left = []string{
	"/admin/api/v1/events", "/admin/api/v1.0/user-admin/update", "/admin/api/v1.0/user-admin/delete",
	// they count wrong passwords
	"/admin/api/v1.0/auth/login", "/admin/api/v1.0/auth/change-password", "/admin/api/v1.0/auth/totp/disable",
}

// rareOperations are operations that are called less often, because all senders have to sign in again after them.
var rareOperations = []string{
	"/admin/api/v1.0/auth/logout", "/admin/api/v1.0/auth/end-sessions", "/admin/api/v1.0/user-admin/{id}/end-sessions",
}

// pick chooses an operation.
func (q *requests) pick(v values) call {
	for {
		call := q.calls[v.IntN(len(q.calls))]
		if !slices.Contains(left, call.path) && (!slices.Contains(rareOperations, call.path) || v.IntN(20) == 0) {
			return call
		}
	}
}

func (q *requests) send(ctx context.Context, v values, user *person, call call) {
	// With random addresses, because of the limit of attempts per address.
	path, headers := call.path, []product.Header{
		{Name: "X-Forwarded-For", Value: fmt.Sprintf("10.%d.%d.%d", v.IntN(256), v.IntN(256), v.IntN(256))},
	}
	query := url.Values{}
	for _, p := range call.op.Parameters {
		value := fmt.Sprint(v.named(p.Value.Name, p.Value.Schema.Value, 0))
		switch p.Value.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", url.PathEscape(value))
		case "query":
			if p.Value.Required || v.IntN(2) == 0 {
				query.Add(p.Value.Name, value)
			}
		case "header":
			if v.IntN(3) == 0 && !strings.ContainsAny(value, "\r\n\x00") {
				headers = append(headers, product.Header{Name: p.Value.Name, Value: value})
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	body, kind := v.body(call.op)
	if kind != "" {
		headers = append(headers, product.Header{Name: "Content-Type", Value: kind})
	}
	if v.IntN(4) == 0 {
		headers = append(headers, product.Header{
			Name: "Accept-Language", Value: []string{"en", "th", "xx;q=9", "*"}[v.IntN(4)],
		})
	}
	began := time.Now()
	user.Token = user.keyFor(call)
	answer, err := user.Send(ctx, call.method, path, bytes.NewReader(body), headers...)
	took := time.Since(began)
	if err != nil {
		if ctx.Err() == nil {
			q.fault(fmt.Sprintf("%s %s: %v; sent %.300q", call.method, path, err, body))
		}
		return
	}
	user.updateTokens(call, answer)
	q.mu.Lock()
	q.statuses[answer.Status]++
	q.slowest = max(q.slowest, took)
	q.mu.Unlock()
	if err := call.check(answer); err != nil {
		q.fault(fmt.Sprintf("%s %s: %d: %v; sent %.300q; answer %.300q", call.method, path, answer.Status, err, body,
			answer.Body))
	}
}

// body returns a body and its media type.
func (v values) body(op *openapi3.Operation) ([]byte, string) {
	if op.RequestBody == nil || v.Float64() < v.wrong/4 {
		return nil, ""
	}
	content := op.RequestBody.Value.Content
	if form := content["multipart/form-data"]; form != nil && (content["application/json"] == nil || v.IntN(2) == 0) {
		return v.form(form.Schema.Value)
	}
	media := content["application/json"]
	if media == nil {
		return nil, ""
	}
	text, err := json.Marshal(v.of(media.Schema.Value, 0))
	if err != nil {
		text = []byte("{")
	}
	if v.Float64() < v.wrong/2 && len(text) > 2 { // truncated, or with a wrong byte
		if v.IntN(2) == 0 {
			text = text[:v.IntN(len(text))]
		} else {
			text[v.IntN(len(text))] = byte(v.IntN(256))
		}
	}
	return text, "application/json"
}

// form returns a form with a file that may be valid.
func (v values) form(s *openapi3.Schema) ([]byte, string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "file" {
			_ = w.WriteField(name, v.text(nil)) // in memory
			continue
		}
		part, err := w.CreateFormFile(name, strings.Map(func(r rune) rune {
			if r < ' ' || r == '"' {
				return '_'
			}
			return r
		}, v.text(nil))+[]string{".pdf", ".png", ".jpg", ".exe", ""}[v.IntN(5)])
		if err == nil {
			_, _ = io.WriteString(part, []string{
				product.PDF,
				"\x89PNG\r\n\x1a\n" + v.text(nil), "\xff\xd8\xff" + v.text(nil), "MZ" + v.text(nil), v.text(nil), "",
			}[v.IntN(6)])
		}
	}
	_ = w.Close() // in memory
	out := b.Bytes()
	if v.Float64() < v.wrong && len(out) > 2 {
		out = out[:v.IntN(len(out))]
	}
	return out, w.FormDataContentType()
}

// check compares a response with the document.
func (c call) check(a product.Answer) error {
	if a.Status == http.StatusRequestHeaderFieldsTooLarge {
		return nil // rejected by the HTTP server
	}
	if a.Status >= http.StatusInternalServerError {
		return errors.New("the server failed")
	}
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("media type %q: %w", a.Header.Get("Content-Type"), err)
	}
	schema, declared := c.answers[strconv.Itoa(a.Status)+" "+kind]
	if !declared {
		schema, declared = c.answers["default "+kind]
	}
	if !declared {
		return fmt.Errorf("%d with %s is not in the document", a.Status, kind)
	}
	if schema == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return schema.Validate(value)
}
