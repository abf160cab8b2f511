package deploy

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

var shell = regexp.MustCompile("(?s)\n```sh\n(.*?\n)```\n")

// The examples of the API run in their order against the sample hospital.
func TestAPIExamples(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	need(t, "jq")
	script := "set -euo pipefail\n"
	blocks := shell.FindAllStringSubmatch(text(t, "docs/api-examples.md"), -1)
	for _, block := range blocks {
		script += block[1]
	}
	if len(blocks) < 8 {
		t.Fatalf("%d examples", len(blocks))
	}
	addr, _ := serve(t)
	cmd := exec.CommandContext(t.Context(), "bash", "-x", "-c", script)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "NADMOR=http://"+addr)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
