package api

import (
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docs renders the OpenAPI document as a page without scripts or external resources.
func (s *Server) docs(w http.ResponseWriter, _ *http.Request) {
	type operation struct{ Method, Path, Summary, Permission, Request, Response string }
	type group struct {
		Name       string
		Operations []operation
	}
	byTag := map[string][]operation{}
	for path, item := range s.huma.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			o := operation{Method: method, Path: path, Summary: op.Summary, Permission: op.Extensions["x-permission"].(string)}
			if op.RequestBody != nil {
				o.Request = s.schemaText(op.RequestBody.Content)
			}
			if r := op.Responses["200"]; r != nil {
				o.Response = s.schemaText(r.Content)
			}
			byTag[op.Tags[0]] = append(byTag[op.Tags[0]], o)
		}
	}
	var groups []group
	for name, ops := range byTag {
		slices.SortFunc(ops, func(a, b operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
		groups = append(groups, group{name, ops})
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.Name, b.Name) })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = docsPage.Execute(w, map[string]any{"Version": s.Version, "Groups": groups})
}

// schemaText returns the schema of a body with its references resolved.
func (s *Server) schemaText(content map[string]*huma.MediaType) string {
	for _, m := range content {
		if m.Schema == nil {
			continue
		}
		b, err := json.MarshalIndent(s.example(m.Schema, 0), "", "  ")
		if err == nil {
			return string(b)
		}
	}
	return ""
}

// example returns an example value of a schema; the leaves name their types.
func (s *Server) example(schema *huma.Schema, depth int) any {
	if schema.Ref != "" {
		schema = s.huma.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	}
	switch {
	case depth > 8:
		return "…"
	case len(schema.AnyOf) > 0:
		return s.example(schema.AnyOf[0], depth+1)
	case schema.Type == huma.TypeArray:
		return []any{s.example(schema.Items, depth+1)}
	case schema.Type == huma.TypeObject:
		fields := map[string]any{}
		for name, p := range schema.Properties {
			if !slices.Contains(schema.Required, name) {
				name += "?"
			}
			fields[name] = s.example(p, depth+1)
		}
		return fields
	case len(schema.Enum) > 0 && len(schema.Enum) <= 8:
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			b, _ := json.Marshal(v)
			values[i] = strings.Trim(string(b), `"`)
		}
		return strings.Join(values, " | ")
	case schema.Format != "":
		return schema.Type + " (" + schema.Format + ")"
	default:
		return schema.Type
	}
}

var docsPage = template.Must(template.New("docs").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Nadmor API</title>
<style>
body{font:15px/1.55 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2528;background:#fff}
h2{margin-top:2.5rem;border-bottom:1px solid #d5dde0}
details{border:1px solid #d5dde0;border-radius:6px;margin:.4rem 0;padding:.3rem .7rem}
summary{cursor:pointer}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:#f3f6f7;padding:.6rem;border-radius:6px;overflow:auto}
.m{display:inline-block;min-width:3.5em;font-weight:700;color:#0f6259}.p{float:right;color:#4d5a5f;font-size:13px}
@media(prefers-color-scheme:dark){
body{background:#14191b;color:#e6ecee}pre{background:#1d2427}
details,h2{border-color:#374246}.m{color:#5cc8ba}.p{color:#aab8bd}}
</style></head><body>
<h1>Nadmor API {{.Version}}</h1>
<p>Every response is <code>{"success": true, "data": …}</code> or
<code>{"success": false, "error": {code, message, fields, details, requestId}}</code>.
Requests need <code>Authorization: Bearer</code> unless they are PUBLIC.
The machine-readable document is <a href="/openapi.json">/openapi.json</a>.</p>
{{range .Groups}}<h2 id="{{.Name}}">{{.Name}}</h2>
{{range .Operations}}<details>
<summary><span class="m">{{.Method}}</span> <code>{{.Path}}</code> – {{.Summary}}
<span class="p">{{.Permission}}</span></summary>
{{if .Request}}<p>Request</p><pre>{{.Request}}</pre>{{end}}
{{if .Response}}<p>Response</p><pre>{{.Response}}</pre>{{end}}</details>
{{end}}{{end}}</body></html>`))
