package deploy

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"nadmor/internal/command"
)

// settings are the variables that the product reads, by its own help.
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

// Whatever is set in a file of deploy/ or named in a document is read by the
// product, and the README names everything that it reads.
func TestEveryVariableExists(t *testing.T) {
	t.Parallel()
	known := settings(t)
	if len(known) < 15 {
		t.Fatalf("the help names only %v", known)
	}
	// Of the build, and of the examples; not of the product.
	ours := []string{"NADMOR_VERSION", "NADMOR_TEST_POSTGRES"}
	files := []string{"README.md"}
	for _, dir := range []string{"deploy", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(root, path); err == nil && !d.IsDir() && filepath.Ext(path) != ".png" {
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
		if !strings.Contains(readme, "`"+name+"`") && name != "NADMOR_NEW_PASSWORD" {
			t.Errorf("README.md does not tell of %s", name)
		}
	}
}

// instruction is one of a Dockerfile, with its lines joined.
type instruction struct{ name, rest string }

func dockerfile(t *testing.T) (list []instruction) {
	t.Helper()
	joined := strings.ReplaceAll(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text(t, "deploy/Dockerfile"), ""), "\\\n", " ")
	for line := range strings.Lines(joined) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			list = append(list, instruction{name, strings.Join(strings.Fields(rest), " ")})
		}
	}
	return list
}

// The image is made as the Makefile makes the binary, from files that exist and
// are sent, with versions that are pinned, and runs as nobody in particular.
func TestTheImageIsMadeLikeTheBinary(t *testing.T) {
	t.Parallel()
	makefile := text(t, "Makefile")
	build := regexp.MustCompile(`(?m)^go_build := (.+)$`).FindStringSubmatch(makefile)[1]
	build = strings.ReplaceAll(build, "$(version)", "${VERSION}")
	want := strings.TrimSpace(regexp.MustCompile(`(?m)^go (.+)$`).FindStringSubmatch(text(t, "go.mod"))[1])
	ignored := readIgnore(t)
	instructions := dockerfile(t)
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
	var runs []string
	last := map[string]string{} // of the last stage
	for _, in := range instructions {
		last[in.name] = in.rest
		switch in.name {
		case "FROM":
			last = map[string]string{}
			image, _, _ := strings.Cut(in.rest, " ")
			if image != "scratch" && !regexp.MustCompile(`^[a-z]+:\d+\.\d+\.\d+-bookworm(-slim)?$`).MatchString(image) {
				t.Errorf("%s is not a pinned version of Debian 12", image)
			}
			if version, isGo := strings.CutPrefix(image, "golang:"); isGo && !atLeast(version, want) {
				t.Errorf("%s is older than the Go %s of go.mod", image, want)
			}
		case "COPY":
			words := strings.Fields(in.rest)
			if strings.HasPrefix(words[0], "--from=") {
				continue
			}
			for _, name := range words[:len(words)-1] {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("COPY %s: %v", name, err)
				}
				if ignored(name) {
					t.Errorf("COPY %s: .dockerignore leaves it out", name)
				}
			}
		case "RUN":
			runs = append(runs, in.rest)
		default:
			if !slices.Contains(known, in.name) {
				t.Errorf("there is no instruction %s", in.name)
			}
		}
	}
	for _, want := range []string{"npm ci --no-audit --no-fund", "npm run --silent build", build + " -o /image/nadmor ."} {
		if !slices.Contains(runs, want) {
			t.Errorf("no RUN %s among\n%s", want, strings.Join(runs, "\n"))
		}
		if part := strings.TrimSuffix(want, " -o /image/nadmor ."); !strings.Contains(strings.ReplaceAll(makefile, "$(version)", "${VERSION}"), part) {
			t.Errorf("the Makefile does not do %s", part)
		}
	}
	for name, want := range map[string]string{
		"USER": "65532:65532", "ENTRYPOINT": `["/nadmor"]`, "CMD": `["serve"]`, "VOLUME": `["/var/lib/nadmor"]`, "ENV": "NADMOR_ADDR=0.0.0.0:8080 NADMOR_DATA=/var/lib/nadmor",
	} {
		if last[name] != want {
			t.Errorf("the image has %s %s, want %s", name, last[name], want)
		}
	}
	if !strings.HasSuffix(last["HEALTHCHECK"], `CMD ["/nadmor", "health"]`) {
		t.Errorf("HEALTHCHECK %s", last["HEALTHCHECK"])
	}
	for _, secret := range []string{"data/nadmor.db", "deploy/.env", ".git/config", "bin/nadmor", ".cache/test/x", "web/node_modules/x", "internal/api/api_test.go"} {
		if !ignored(secret) {
			t.Errorf("%s would be sent to whoever builds the image", secret)
		}
	}
}

// atLeast compares versions like 1.26.8-bookworm.
func atLeast(have, want string) bool {
	numbers := func(version string) (list []int) {
		for part := range strings.SplitSeq(strings.Split(version, "-")[0], ".") {
			n, _ := strconv.Atoi(part)
			list = append(list, n)
		}
		return list
	}
	return slices.Compare(numbers(have), numbers(want)) >= 0
}

// readIgnore tells what Docker leaves out: the last line that fits decides, for a
// file and for the folders above it.
func readIgnore(t *testing.T) (ignored func(name string) bool) {
	t.Helper()
	type rule struct {
		fits *regexp.Regexp
		keep bool
	}
	var rules []rule
	for line := range strings.Lines(text(t, "deploy/Dockerfile.dockerignore")) {
		pattern, keep := strings.CutPrefix(strings.TrimSpace(line), "!")
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		pattern = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*`, `[^/]*`).Replace(regexp.QuoteMeta(pattern))
		rules = append(rules, rule{regexp.MustCompile("^" + pattern + "(/.*)?$"), keep})
	}
	return func(name string) bool {
		left := false
		for _, r := range rules {
			if r.fits.MatchString(filepath.ToSlash(name)) {
				left = !r.keep
			}
		}
		return left
	}
}

// The server is built from what is sent for it, and nothing else.
func TestTheImageHasAllThatTheServerIsMadeFrom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles the product")
	}
	dir, ignored := t.TempDir(), readIgnore(t)
	for _, in := range dockerfile(t) {
		words := strings.Fields(in.rest)
		if in.name != "COPY" || strings.HasPrefix(words[0], "--from=") || strings.HasPrefix(words[0], "web") {
			continue
		}
		for _, name := range words[:len(words)-1] {
			err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				rel, err := filepath.Rel(root, path)
				if err != nil || ignored(rel) {
					return err
				}
				b, err := os.ReadFile(path)
				if err == nil {
					put(t, filepath.Join(dir, rel), string(b))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, in := range dockerfile(t) {
		if in.name != "RUN" || !strings.Contains(in.rest, "go build") {
			continue
		}
		command := strings.ReplaceAll(strings.ReplaceAll(in.rest, "/image/", dir+"/"), "${VERSION}", "v1-image")
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", command)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out := run(t, filepath.Join(dir, "nadmor"), "--version"); out != "v1-image\n" {
		t.Errorf("the binary says it is %q", out)
	}
}

// The compose file is one by its specification, gives every variable of the
// product one that exists in the example, and waits for what it needs.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	source := text(t, "deploy/compose.yaml")
	var file any
	if err := yaml.Unmarshal([]byte(source), &file); err != nil {
		t.Fatal(err)
	}
	// github.com/compose-spec/compose-go v2.16.2, schema/compose-spec.json (Apache-2.0).
	described, err := os.Open("testdata/compose-spec.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = described.Close() }()
	document, err := jsonschema.UnmarshalJSON(described)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("compose-spec.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("compose-spec.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(file); err != nil {
		t.Errorf("it is no compose file: %v", err)
	}

	example := text(t, "deploy/env.example")
	for _, found := range regexp.MustCompile(`\$\{([A-Z0-9_]+)`).FindAllStringSubmatch(source, -1) {
		if !strings.Contains(example, "\n"+found[1]+"=") && found[1] != "NADMOR_VERSION" {
			t.Errorf("env.example does not name %s", found[1])
		}
	}
	var parsed struct {
		Services map[string]struct {
			Image, Restart string
			DependsOn      map[string]struct{ Condition string } `yaml:"depends_on"`
			Healthcheck    struct{ Test []string }
			Volumes        []string
			Command        []string
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(source), &parsed); err != nil {
		t.Fatal(err)
	}
	for name, s := range parsed.Services {
		if s.Restart != "unless-stopped" {
			t.Errorf("%s is not started again", name)
		}
		if name != "nadmor" && (len(s.Healthcheck.Test) == 0 || parsed.Services["nadmor"].DependsOn[name].Condition != "service_healthy") {
			t.Errorf("nadmor does not wait until %s is healthy", name)
		}
		for _, v := range s.Volumes {
			if volume, _, _ := strings.Cut(v, ":"); !has(parsed.Volumes, volume) {
				t.Errorf("%s uses the volume %s, which there is not", name, volume)
			}
		}
	}
	version := regexp.MustCompile(`versitygw_version=(\S+)`).FindStringSubmatch(text(t, "scripts/need"))[1]
	if image := parsed.Services["s3"].Image; image != "versity/versitygw:"+version {
		t.Errorf("the image is %s, the tests use %s", image, version)
	}
}

func has(m map[string]any, key string) bool { _, ok := m[key]; return ok }

// The S3 server of the compose file is started with its own command line, and
// says where it is asked that it is healthy.
func TestTheS3ServerOfTheComposeFileStarts(t *testing.T) {
	t.Parallel()
	program := need(t, "versitygw")
	var parsed struct {
		Services map[string]struct {
			Environment map[string]string
			Command     []string
			Healthcheck struct{ Test []string }
		}
	}
	if err := yaml.Unmarshal([]byte(text(t, "deploy/compose.yaml")), &parsed); err != nil {
		t.Fatal(err)
	}
	s3, dir, addr := parsed.Services["s3"], t.TempDir(), freeAddress(t)
	script := strings.NewReplacer("/files/", dir+"/", ":7070", addr, "exec versitygw", "exec "+program).Replace(s3.Command[0])
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", script)
	cmd.Env = os.Environ()
	for name, value := range s3.Environment {
		cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(value, "${S3_PASSWORD:?}", "secretOfTheTests"))
	}
	var log output
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	check := s3.Healthcheck.Test[len(s3.Healthcheck.Test)-1]
	waitFor(t, &log, strings.Replace(check, "127.0.0.1:7070", addr, 1))
	// The product opens the bucket with the address of the compose file.
	serve(t, "NADMOR_FILES_URL=s3://nadmor:secretOfTheTests@"+addr+"/nadmor?tls=off")
	if _, err := os.Stat(filepath.Join(dir, "buckets", "nadmor")); err != nil {
		t.Error(err)
	}
}

var exposure = regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)

// systemd takes the units as they are, and finds little that they expose.
func TestUnits(t *testing.T) {
	t.Parallel()
	analyze, dir := need(t, "systemd-analyze"), t.TempDir()
	self, err := os.Executable() // stands for the program, which is not installed here
	if err != nil {
		t.Fatal(err)
	}
	var units []string
	for _, name := range []string{"nadmor.service", "nadmor-backup.service", "nadmor-backup.timer"} {
		unit := strings.ReplaceAll(text(t, "deploy/systemd/"+name), "/usr/local/bin/nadmor", self)
		units = append(units, put(t, filepath.Join(dir, name), unit))
	}
	if out := run(t, analyze, append([]string{"verify", "--man=no"}, units...)...); out != "" {
		t.Errorf("systemd-analyze verify says\n%s", out)
	}
	for _, unit := range units[:2] {
		found := exposure.FindStringSubmatch(run(t, analyze, "security", "--no-pager", "--offline=true", unit))
		if found == nil {
			t.Fatalf("%s: no exposure level", filepath.Base(unit))
		}
		if level, err := strconv.ParseFloat(found[1], 64); err != nil || level > 1.5 {
			t.Errorf("%s has the exposure level %s", filepath.Base(unit), found[1])
		}
	}
	put(t, filepath.Join(dir, "nadmor.service.d", "port-443.conf"), text(t, "deploy/systemd/port-443.conf"))
	if out := run(t, analyze, "verify", "--man=no", units[0]); out != "" {
		t.Errorf("with port-443.conf: %s", out)
	}
	if drain := regexp.MustCompile(`drainTime = (\d+) \* time.Second`).FindStringSubmatch(text(t, "internal/command/serve.go"))[1]; !strings.Contains(text(t, "deploy/systemd/nadmor.service"), "up to "+drain+" s") {
		t.Errorf("the unit does not know that requests are finished for %s s", drain)
	}
}

// The alert rules are rules, fire when they should and only then, and lead to what
// to do.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool := need(t, "promtool")
	dir := filepath.Join(root, "deploy", "prometheus")
	run(t, promtool, "check", "config", filepath.Join(dir, "prometheus.yml"))
	run(t, promtool, "check", "rules", "--lint-fatal", filepath.Join(dir, "alerts.yml"))
	run(t, promtool, "test", "rules", filepath.Join(dir, "alerts_test.yml"))
	tested, operations := text(t, "deploy/prometheus/alerts_test.yml"), text(t, "docs/operations.md")
	for _, a := range alerts(t) {
		if strings.Count(tested, "alertname: "+a.Alert+"\n") < 2 {
			t.Errorf("%s is not shown firing and staying silent", a.Alert)
		}
		page, anchor, _ := strings.Cut(a.Annotations["runbook_url"], "#")
		if page != "docs/operations.md" || !strings.EqualFold(anchor, a.Alert) || !strings.Contains(operations, "\n#### "+a.Alert+"\n") {
			t.Errorf("%s leads to %s, where nothing is said about it", a.Alert, a.Annotations["runbook_url"])
		}
		if !regexp.MustCompile(`\p{Thai}.* / .*[a-z]`).MatchString(a.Annotations["summary"]) {
			t.Errorf("%s is not told in Thai and English", a.Alert)
		}
	}
}

type alert struct {
	Alert, Expr string
	Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal([]byte(text(t, "deploy/prometheus/alerts.yml")), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 5 {
		t.Fatalf("alerts: %+v", file)
	}
	return file.Groups[0].Rules
}

type panel struct {
	ID      int
	Title   string
	GridPos struct{ X, Y, W, H int }
	Targets []struct{ Expr string }
}

var (
	metricName = regexp.MustCompile(`\b(?:nadmor|process|go)_[a-z0-9_]+\b`)
	typeLine   = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
)

// Every metric of an alert or a panel is served by the product.
func TestEveryMetricExists(t *testing.T) {
	t.Parallel()
	pair := newPair(t)
	addr, address := serve(t, "NADMOR_TLS_CERT="+pair.cert, "NADMOR_TLS_KEY="+pair.key)
	token := signIn(t, pair.client(""), "https://"+addr, "registrar")
	send(t, pair.client(""), http.MethodGet, "https://"+addr+"/admin/api/v1/role/list", token, "") // refused
	waitForMetric(t, address, "nadmor_jobs_total")                                                 // the first job of the day
	served := map[string]bool{}
	for _, line := range typeLine.FindAllStringSubmatch(get(t, http.DefaultClient, address), -1) {
		served[line[1]] = true
		if line[2] == "histogram" {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				served[line[1]+part] = true
			}
		}
	}
	var dashboard struct {
		Title, UID string
		Panels     []panel
	}
	if err := json.Unmarshal([]byte(text(t, "deploy/grafana/nadmor.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	exprs := map[string]string{}
	for _, a := range alerts(t) {
		exprs[a.Alert] = a.Expr
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 || !strings.Contains(p.Title, " / ") {
			t.Errorf("panel %d %q is not whole", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			exprs[p.Title] += " " + target.Expr
		}
	}
	if dashboard.UID != "nadmor" || len(ids) < 10 {
		t.Errorf("the dashboard %q has %d panels", dashboard.Title, len(ids))
	}
	shown := map[string]bool{}
	for where, expr := range exprs {
		for _, name := range metricName.FindAllString(expr, -1) {
			shown[name] = true
			if !served[name] {
				t.Errorf("%s asks for %s, which the product does not tell", where, name)
			}
		}
	}
	for name := range served {
		if base := strings.NewReplacer("_bucket", "", "_count", "", "_sum", "").Replace(name); strings.HasPrefix(name, "nadmor_") && !shown[name] && !shown[base+"_bucket"] {
			t.Errorf("nobody looks at %s", name)
		}
	}
}

var shell = regexp.MustCompile("(?s)\n```sh\n(.*?\n)```\n")

// The examples of the API run, as they stand and in their order, against the
// sample hospital.
func TestExamplesOfTheAPIRun(t *testing.T) {
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
