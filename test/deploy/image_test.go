package deploy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is an instruction of a Dockerfile, with its lines joined.
type instruction struct{ name, rest string }

func dockerfile(t *testing.T) (list []instruction) {
	t.Helper()
	joined := strings.ReplaceAll(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text(t, "deploy/Dockerfile"), ""),
		"\\\n", " ")
	for line := range strings.Lines(joined) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			list = append(list, instruction{name, strings.Join(strings.Fields(rest), " ")})
		}
	}
	return list
}

// The image is built like the binary in the Makefile, from existing files that are not ignored, with pinned
// versions, and runs as an unprivileged user.
func TestImageBuildMatchesMakefile(t *testing.T) {
	t.Parallel()
	makefile := text(t, "Makefile")
	build := regexp.MustCompile(`(?m)^go_build := (.+)$`).FindStringSubmatch(makefile)[1]
	build = strings.ReplaceAll(build, "$(version)", "${VERSION}")
	want := strings.TrimSpace(regexp.MustCompile(`(?m)^go (.+)$`).FindStringSubmatch(text(t, "go.mod"))[1])
	ignored := readIgnore(t)
	instructions := dockerfile(t)
	known := []string{
		"FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT",
		"CMD",
	}
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
		if part := strings.TrimSuffix(want,
			" -o /image/nadmor ."); !strings.Contains(strings.ReplaceAll(makefile, "$(version)", "${VERSION}"), part) {
			t.Errorf("the Makefile does not do %s", part)
		}
	}
	for name, want := range map[string]string{
		"USER": "65532:65532", "ENTRYPOINT": `["/nadmor"]`, "CMD": `["serve"]`, "VOLUME": `["/var/lib/nadmor"]`,
		"ENV": "NADMOR_ADDR=0.0.0.0:8080 NADMOR_DATA=/var/lib/nadmor",
	} {
		if last[name] != want {
			t.Errorf("the image has %s %s, want %s", name, last[name], want)
		}
	}
	if !strings.HasSuffix(last["HEALTHCHECK"], `CMD ["/nadmor", "health"]`) {
		t.Errorf("HEALTHCHECK %s", last["HEALTHCHECK"])
	}
	for _, secret := range []string{
		"data/nadmor.db", "deploy/.env", ".git/config", "bin/nadmor", ".cache/test/x", "web/node_modules/x",
		"internal/api/api_test.go",
	} {
		if !ignored(secret) {
			t.Errorf("%s would be sent to the Docker daemon", secret)
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

// readIgnore returns a function that reports whether Docker ignores a file: the last matching line wins, for
// the file and its parent folders.
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

// sent returns a folder with the files that a stage of the image gets.
func sent(t *testing.T, stage string) (dir string) {
	t.Helper()
	dir, ignored, here := t.TempDir(), readIgnore(t), ""
	for _, in := range dockerfile(t) {
		words := strings.Fields(in.rest)
		if in.name == "FROM" {
			here = words[len(words)-1]
		}
		if in.name != "COPY" || strings.HasPrefix(words[0], "--from=") || here != stage {
			continue
		}
		for _, name := range words[:len(words)-1] {
			err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
				rel, _ := filepath.Rel(root, path)
				if err == nil && d.IsDir() && ignored(rel) {
					return fs.SkipDir
				}
				if err != nil || d.IsDir() || ignored(rel) {
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
	return dir
}

// The app can be built from the files of its stage and the packages. Its guide is in docs/.
func TestImageHasAppSources(t *testing.T) {
	t.Parallel()
	long(t)
	dir := sent(t, "app")
	packages, err := filepath.Abs(filepath.Join(root, "web", "node_modules"))
	if err == nil {
		err = os.Symlink(packages, filepath.Join(dir, "web", "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "run", "--silent", "build")
	cmd.Dir = filepath.Join(dir, "web")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"index.html", "guide.html", "pictures/calendar.webp"} {
		if _, err := os.Stat(filepath.Join(dir, "internal", "web", "dist", name)); err != nil {
			t.Error(err)
		}
	}
}

// The server can be built from the files of its stage.
func TestImageHasServerSources(t *testing.T) {
	t.Parallel()
	long(t)
	dir := sent(t, "server")
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
