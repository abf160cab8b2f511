package api_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// input is a parameter of an operation or a property of its body, with the path to it
// ("banners[].startsAt").
type input struct {
	Method, Route string
	In            string // "query", "header", "path" or "body"
	Path          string
	Schema        map[string]any
	ForCustomers  bool
}

func (i input) name() string { return i.Path[strings.LastIndex(i.Path, ".")+1:] }

// inputs reads from the OpenAPI document all parameters and JSON body properties of all
// operations.
func inputs(t *testing.T, n *node) (list []input) {
	t.Helper()
	type schema = map[string]any
	var doc struct {
		Paths map[string]map[string]struct {
			Security   []map[string][]string
			Parameters []struct {
				Name, In string
				Schema   schema
			}
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal([]byte(n.get("/openapi.json", "").raw), &doc); err != nil {
		t.Fatal(err)
	}
	for route, methods := range doc.Paths {
		for method, op := range methods {
			found := func(in, path string, s schema) {
				customers := len(op.Security) > 0 && op.Security[0]["smq"] != nil
				list = append(list, input{strings.ToUpper(method), route, in, path, s, customers})
			}
			for _, p := range op.Parameters {
				found(p.In, p.Name, p.Schema)
			}
			var walk func(s schema, path string)
			walk = func(s schema, path string) {
				if ref, ok := s["$ref"].(string); ok {
					s = doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
				}
				if items, ok := s["items"].(schema); ok {
					walk(items, path+"[]")
				}
				properties, _ := s["properties"].(schema)
				for name, p := range properties {
					at := strings.TrimPrefix(path+"."+name, ".")
					found("body", at, p.(schema))
					walk(p.(schema), at)
				}
			}
			walk(op.RequestBody.Content["application/json"].Schema, "")
		}
	}
	slices.SortFunc(list, func(a, b input) int {
		return strings.Compare(a.Method+a.Route+a.In+a.Path, b.Method+b.Route+b.In+b.Path)
	})
	return list
}

// send calls the operation with the value and the properties in rest.
func (i input) send(n *node, user login, rest map[string]any, value any) answer {
	token := user.AccessToken
	if i.ForCustomers {
		token = user.SmqAccessToken
	}
	route := strings.ReplaceAll(i.Route, "{id}", "1")
	if i.In == "query" {
		return n.call(i.Method, route+"?"+i.Path+"="+value.(string), token, nil)
	}
	body := obj()
	maps.Copy(body, rest)
	at, names := body, strings.Split(i.Path, ".")
	for _, name := range names[:len(names)-1] {
		inner, _ := at[name].(map[string]any)
		inner = maps.Clone(inner)
		if inner == nil {
			inner = obj()
		}
		at[name] = inner
		if list, isList := strings.CutSuffix(name, "[]"); isList {
			delete(at, name)
			at[list] = []any{inner}
		}
		at = inner
	}
	at[names[len(names)-1]] = value
	return n.call(i.Method, route, token, body)
}

// field returns the name of the value in a validation error.
func (i input) field() string { return strings.ReplaceAll(i.Path, "[]", "[0]") }

// Negative versions are rejected: -1 used to mean "any version" inside the store, and was
// accepted from clients.
func TestNegativeVersionIsRejected(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin, found := n.signIn("admin"), 0
		version := regexp.MustCompile(`(?i)version$`)
		for _, i := range inputs(t, n) {
			if !version.MatchString(i.name()) {
				continue
			}
			found++
			if minimum, ok := i.Schema["minimum"].(float64); !ok || minimum < 0 {
				t.Errorf("%s %s: %s has minimum %v", i.Method, i.Route, i.Path, i.Schema["minimum"])
			}
			if a := i.send(n, admin, nil, -1).want(t, hospital.ValidationFailed); a.field(i.field()) == "" {
				t.Errorf("%s %s: no field error for %s = -1: %s", i.Method, i.Route, i.Path, a.raw)
			}
		}
		if found < 9 {
			t.Errorf("only %d versions in the OpenAPI document", found)
		}
		n.post(settingPath+"/update", admin.AccessToken, obj("version", -1, "name", "เปลี่ยนโดยไม่ได้อ่าน")).
			want(t, hospital.ValidationFailed)
		if s := n.setting(admin.AccessToken); s.Version != 0 {
			t.Errorf("the settings were changed: %+v", s)
		}
	})
}

// Every date and time input rejects a Buddhist year that is sent as a Christian Era year, and
// suggests the year that was probably meant.
func TestBuddhistYearIsRejected(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a := newArchive(t, p)
		admin := a.signIn("admin")
		// Properties required for the date to be validated. A list has one item, under the key "list[]".
		rest := map[string]map[string]any{
			patientPath + "/update":  obj("id", a.make("patients"), "version", 1),
			customerPath + "/update": obj("id", a.make("customers"), "version", 1),
			visitPath + "/update":    obj("id", a.make("appointments"), "version", 1),
			servicePath + "/create":  obj("schedule[]", obj("weekday", 1, "startTime", "08:00", "endTime", "12:00")),
			servicePath + "/update": obj("id", a.clinic.ID, "version", 1, "schedule[]",
				obj("weekday", 1, "startTime", "08:00", "endTime", "12:00")),
			customerPath + "/create": obj("name", "ผู้ใช้บริการ", "phone", "0812345678"),
			resultPath + "/create":   obj("appointmentId", a.make("appointments"), "diagnosis", "ปกติ"),
			settingPath + "/update":  obj("version", 0, "banners[]", obj("image", "", "active", true)),
		}
		dated, found := regexp.MustCompile(`([dD]ate(From|To)?|Expires|(valid|Valid)(From|To)|At|Until)$`), 0
		for _, i := range inputs(t, a.node) {
			format, _ := i.Schema["format"].(string)
			if !dated.MatchString(i.name()) && !strings.HasPrefix(format, "date") {
				continue
			}
			found++
			value := "2569-01-31"
			if format == "date-time" {
				value += "T08:00:00Z"
			}
			got := i.send(a.node, admin, rest[i.Route], value).want(t, hospital.ValidationFailed)
			if message := got.field(i.field()); !strings.Contains(message, "2569") ||
				!strings.Contains(message, "2026") {
				t.Errorf("%s %s: field error of %s is %q: %s", i.Method, i.Route, i.Path, message, got.raw)
			}
		}
		if found < 50 {
			t.Errorf("only %d dates in the OpenAPI document", found)
		}
	})
}
