package hospital

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// constantsOf returns the values of all constants of a string type that a file of this package declares, so
// that tests do not depend on another hand-written list.
func constantsOf(t *testing.T, file, typeName string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != typeName {
			return true
		}
		for _, v := range spec.Values {
			lit, ok := v.(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s: a constant of %s is not a literal", file, typeName)
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, text)
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s declares no constant of type %s", file, typeName)
	}
	return values
}
