package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"nadmor/internal/command/commandtest"
)

// The compose file matches its specification, uses only variables of the example environment, starts services
// in the right order, and uses the S3 server of the tests.
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
		if name != "nadmor" &&
			(len(s.Healthcheck.Test) == 0 || parsed.Services["nadmor"].DependsOn[name].Condition != "service_healthy") {
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

// The S3 server of the compose file starts with its command line and reports that it is healthy.
func TestComposeS3Server(t *testing.T) {
	t.Parallel()
	long(t)
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
	script := strings.NewReplacer("/files/", dir+"/", ":7070", addr, "exec versitygw",
		"exec "+program).Replace(s3.Command[0])
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", script)
	cmd.Env = os.Environ()
	for name, value := range s3.Environment {
		cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(value, "${S3_PASSWORD:?}", "secretOfTheTests"))
	}
	var log commandtest.Output
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	check := s3.Healthcheck.Test[len(s3.Healthcheck.Test)-1]
	waitFor(t, &log, strings.Replace(check, "127.0.0.1:7070", addr, 1))
	// The product opens the bucket with the URL of the compose file.
	serve(t, "NADMOR_FILES_URL=s3://nadmor:secretOfTheTests@"+addr+"/nadmor?tls=off")
	if _, err := os.Stat(filepath.Join(dir, "buckets", "nadmor")); err != nil {
		t.Error(err)
	}
}
