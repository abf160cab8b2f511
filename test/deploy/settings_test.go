package deploy

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/command"
)

// settings returns the variables in the help of the product.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, args := range [][]string{{"serve", "--help"}, {"reset-password", "--help"}, {"health", "--help"}} {
		var help bytes.Buffer
		if code := command.Run(t.Context(), command.Env{Args: args, Stdout: &help, Stderr: &help}); code != 0 {
			t.Fatalf("%v exits with %d", args, code)
		}
		for _, name := range variable.FindAllString(help.String(), -1) {
			known[name] = true
		}
	}
	return known
}

var variable = regexp.MustCompile(`NADMOR_[A-Z0-9_]+`)

// The product reads every variable in deploy/ and in the documentation, and the README lists all that it
// reads.
func TestEveryVariableExists(t *testing.T) {
	t.Parallel()
	known := settings(t)
	if len(known) < 15 {
		t.Fatalf("the help names only %v", known)
	}
	// Variables of the build and the tests.
	ours := []string{"NADMOR_VERSION", "NADMOR_TEST_POSTGRES"}
	files := []string{"README.md"}
	for _, dir := range []string{"deploy", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(root, path); err == nil && !d.IsDir() && filepath.Ext(path) != ".webp" {
				files = append(files, rel)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range files {
		for _, found := range variable.FindAllString(text(t, name), -1) {
			if !known[found] && !slices.Contains(ours, found) {
				t.Errorf("%s names %s, which the product does not read", name, found)
			}
		}
	}
	readme := text(t, "README.md")
	for name := range known {
		if !strings.Contains(readme, "`"+name+"`") {
			t.Errorf("README.md does not mention %s", name)
		}
	}
}
