package api_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/hospital/hospitaltest"
	"nadmor/internal/store/storetest"
)

// named matches the inputs that identify a record: ids, keys and tokens. The Idempotency-Key
// of writes is covered by TestWritesAreIdempotent.
var named = regexp.MustCompile(`^(ids?|key|token|Last-Event-ID)$|[a-z]Ids?$`)

// namesIn returns all values of a request that name a record, from the OpenAPI document: "path id", "body
// patients.patientId".
func namesIn(t *testing.T, doc map[string]any, op map[string]any) (list []string) {
	t.Helper()
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		p := p.(map[string]any)
		if name := p["name"].(string); named.MatchString(name) {
			list = append(list, p["in"].(string)+" "+name)
		}
	}
	var walk func(schema map[string]any, path string, depth int)
	walk = func(schema map[string]any, path string, depth int) {
		if ref, ok := schema["$ref"].(string); ok {
			schema = doc["components"].(map[string]any)["schemas"].(map[string]any)[strings.TrimPrefix(ref,
				"#/components/schemas/")].(map[string]any)
		}
		if depth > 6 {
			t.Fatalf("%s does not end", path)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			walk(items, path, depth+1)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			if named.MatchString(name) {
				list = append(list, strings.TrimSpace("body "+path+name))
			}
			walk(p.(map[string]any), path+name+".", depth+1)
		}
	}
	if body, ok := op["requestBody"].(map[string]any); ok {
		for _, content := range body["content"].(map[string]any) {
			walk(content.(map[string]any)["schema"].(map[string]any), "", 0)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Tests every operation with every value that names a record, for every role and for records that exist, are
// deleted, are of another kind or never existed. Callers without permission get the same response for all of
// them, others an error, and nothing is changed. A value without an expectation fails the test.
func TestRecordReferencesAreChecked(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		var doc map[string]any
		if err := json.Unmarshal([]byte(a.get("/openapi.json", "").raw), &doc); err != nil {
			t.Fatal(err)
		}
		tokens, held := map[string]login{}, map[string]hospital.PermissionSet{}
		for _, r := range hospital.SystemRoles {
			held[r.Name], tokens[r.Name] = hospital.NewPermissionSet(r.Permissions...), a.signIn(strings.ToLower(r.Name))
		}
		live, deleted := map[string]int64{}, map[string]int64{}
		for _, kind := range kinds {
			live[kind], deleted[kind] = a.make(kind), a.make(kind)
			a.remove(kind, deleted[kind])
		}
		seen, asked := map[string]bool{}, 0
		for path, methods := range doc["paths"].(map[string]any) {
			for method, op := range methods.(map[string]any) {
				op := op.(map[string]any)
				access, err := hospitaltest.Access(op["x-permission"].(string))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range namesIn(t, doc, op) {
					key := strings.ToUpper(method) + " " + path + " " + name
					e, known := expectations[key]
					if !known {
						t.Errorf("nothing is expected of %s", key)
					}
					seen[key] = true
					if !known || e.none != "" {
						continue
					}
					asked += a.check(key, strings.ToUpper(method), path, access, e, live, deleted, tokens, held)
				}
			}
		}
		for key := range expectations {
			if !seen[key] {
				t.Errorf("%s is expected and not in the document", key)
			}
		}
		t.Logf("%d names of records in the document, %d requests", len(seen), asked)
	})
}

func (a *fixtures) check(key, method, path string, access hospital.Access, e expected, live, deleted map[string]int64,
	tokens map[string]login, held map[string]hospital.PermissionSet) (asked int) {
	t := a.t
	t.Helper()
	other := kinds[(slices.Index(kinds, e.kind)+1)%len(kinds)]
	tries := []struct {
		what string
		id   int64
	}{
		{"one that is there", live[e.kind]}, {"a deleted one", deleted[e.kind]}, {"one of " + other, live[other]},
		{"one that never was", 1 << 40},
	}
	send := func(token string, id int64) answer {
		var request any
		if e.request != nil {
			request = e.request(a, id)
		}
		asked++
		return a.ask(method, strings.ReplaceAll(path, "{id}", itoa(id)), token, request)
	}
	bodies := func(first int) []any {
		list := make([]any, len(tries))
		for i := first; i < len(tries) && e.request != nil; i++ {
			list[i] = e.request(a, tries[i].id) // may create what it needs
		}
		return list
	}
	rejected := bodies(0) // the same for all callers without permission, because nothing is changed
	for role, in := range tokens {
		token := in.AccessToken
		if strings.HasPrefix(path, customerPath) {
			token = in.SmqAccessToken
		}
		first, may := "", access.Allows(held[role]) && (e.needs == "" || held[role][e.needs])
		requests := rejected
		if may {
			requests = bodies(1)
		}
		before := a.state()
		for i, try := range tries {
			if may && (i == 0 || i == 1 && e.findsDeleted) {
				continue // succeeds
			}
			got := a.ask(method, strings.ReplaceAll(path, "{id}", itoa(try.id)), token, requests[i])
			asked++
			want := e.missing
			if !may {
				want = hospital.Forbidden
			}
			if got.err.Code != string(want) {
				t.Errorf("%s as %s with %s: %d %s, want %s: %.300s", key, role, try.what, got.status, got.err.Code, want, got.raw)
				continue
			}
			if want == "" {
				for _, secret := range []string{"คนที่", "ความลับ"} {
					if strings.Contains(got.raw, secret) {
						t.Errorf("%s as %s with %s shows %.300s", key, role, try.what, got.raw)
					}
				}
				continue
			}
			if first == "" {
				first = withoutRequestID(got)
			} else if withoutRequestID(got) != first {
				t.Errorf("%s as %s distinguishes %s: %s and %s", key, role, try.what, first, withoutRequestID(got))
			}
		}
		if now := a.state(); now != before {
			t.Errorf("%s as %s: %s became %s", key, role, before, now)
		}
	}
	token := tokens["ADMIN"].AccessToken
	if strings.HasPrefix(path, customerPath) {
		token = tokens["ADMIN"].SmqAccessToken
	}
	if got := send(token, a.make(e.kind)); got.err.Code != string(e.live) {
		t.Errorf("%s with one that is there: %d %s, want %q: %.300s", key, got.status, got.err.Code, e.live, got.raw)
	}
	return asked
}
