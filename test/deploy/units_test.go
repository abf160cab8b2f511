package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var exposure = regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)

// The backup runs at night in Bangkok, at the time in the manual.
func TestBackupTimer(t *testing.T) {
	t.Parallel()
	long(t)
	when := regexp.MustCompile(`(?m)^OnCalendar=(.+)$`).FindStringSubmatch(text(t, "deploy/systemd/nadmor-backup.timer"))
	if when == nil {
		t.Fatal("the timer has no time")
	}
	for _, zone := range []string{"UTC", "America/New_York"} {
		cmd := exec.CommandContext(t.Context(), need(t, "systemd-analyze"), "calendar", "--base-time=2026-11-16 12:00:00 UTC",
			when[1])
		cmd.Env = append(os.Environ(), "TZ="+zone)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "2026-11-16 18:30:00 UTC") {
			t.Errorf("on a machine of %s it is not made at 01:30 of Bangkok: %v\n%s", zone, err, out)
		}
	}
	if !strings.Contains(text(t, "docs/operations.md"), "at 01:30 of Bangkok") {
		t.Error("the manual has another time")
	}
}

// The systemd units are valid and have a low exposure.
func TestUnits(t *testing.T) {
	t.Parallel()
	long(t)
	analyze, dir := need(t, "systemd-analyze"), t.TempDir()
	self, err := os.Executable() // stands for the product, which is not installed
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
	if drain := regexp.MustCompile(`drainTime = (\d+) \* time.Second`).FindStringSubmatch(text(t,
		"internal/command/serve.go"))[1]; !strings.Contains(text(t, "deploy/systemd/nadmor.service"), "up to "+drain+" s") {
		t.Errorf("the unit does not know that requests are finished for %s s", drain)
	}
}
