package deploy

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The alert rules are valid, fire only when they should, and link to instructions.
func TestAlerts(t *testing.T) {
	t.Parallel()
	long(t)
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
		if page != "docs/operations.md" || !strings.EqualFold(anchor, a.Alert) ||
			!strings.Contains(operations, "\n#### "+a.Alert+"\n") {
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
	send(t, pair.client(""), http.MethodGet, "https://"+addr+"/admin/api/v1/role/list", token, "") // rejected
	// the alert needs the initial value to see an increase
	waitForMetric(t, address, `nadmor_jobs_total{kind="mail.reset",result="given-up"} 0`)
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
		if base := strings.NewReplacer("_bucket", "", "_count", "", "_sum", "").Replace(name); strings.HasPrefix(name,
			"nadmor_") && !shown[name] && !shown[base+"_bucket"] {
			t.Errorf("nobody looks at %s", name)
		}
	}
}

// Prometheus scrapes the address that the other files configure, which differs from its own: both may run on
// one machine.
func TestPrometheusScrapesMetricsAddress(t *testing.T) {
	t.Parallel()
	asked := regexp.MustCompile(`targets: \["127\.0\.0\.1:(\d+)"\]`).FindStringSubmatch(text(t,
		"deploy/prometheus/prometheus.yml"))
	if len(asked) != 2 || asked[1] == "9090" {
		t.Fatalf("Prometheus asks at %v", asked)
	}
	for name, address := range map[string]string{
		"deploy/systemd/nadmor.env": "NADMOR_METRICS_ADDR=127.0.0.1:" + asked[1] + "\n",
		"deploy/compose.yaml":       "NADMOR_METRICS_ADDR: 0.0.0.0:" + asked[1] + "\n",
		"docs/operations.md":        "in our files on port " + asked[1],
		"README.md":                 "`127.0.0.1:" + asked[1] + "`",
	} {
		if !strings.Contains(text(t, name), address) {
			t.Errorf("%s has them told elsewhere than on port %s", name, asked[1])
		}
	}
	if port := "127.0.0.1:" + asked[1] + ":" + asked[1]; !strings.Contains(text(t, "deploy/compose.yaml"), port) {
		t.Errorf("the compose file does not publish %s", port)
	}
}
