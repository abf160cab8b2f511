package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server that was started for the bench.
type process struct {
	cmd    *exec.Cmd
	base   string
	log    bytes.Buffer
	ready  time.Duration // from its start until it answered
	exited chan error
}

// start runs a server on a free port and waits until it is ready.
func start(ctx context.Context, env []string, name string, args ...string) (*process, error) {
	var free net.ListenConfig
	l, err := free.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	//nolint:gosec // the product, or ourselves
	p := &process{cmd: exec.CommandContext(ctx, name, args...), base: "http://" + addr, exited: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), "NADMOR_ADDR="+addr, "NADMOR_LOG=error"), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() { p.exited <- p.cmd.Wait() }()
	for {
		select {
		case err := <-p.exited:
			return nil, fmt.Errorf("%s stopped: %w: %s", name, err, p.log.String())
		case <-time.After(2 * time.Millisecond):
		}
		if answers(ctx, p.base+"/readyz") {
			p.ready = time.Since(began)
			return p, nil
		}
		if time.Since(began) > 2*time.Minute {
			return nil, errors.Join(fmt.Errorf("%s is not ready: %s", name, p.log.String()), p.stop())
		}
	}
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop ends the server as an operator would.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.exited:
		return err
	case <-time.After(20 * time.Second):
		return errors.Join(errors.New("did not stop within 20 s"), p.cmd.Process.Kill())
	}
}

// memory is what the process holds now, in megabytes: all of it, and without
// the pages of files, which the system takes back when it wants them.
func (p *process) memory() (all, own float64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kB, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmRSS:":
			all = kB / 1024
		case "RssAnon:":
			own = kB / 1024
		}
	}
	return all, own
}

// cpuOf is the processor time that a process, and the processes of a database
// server, have used.
func cpuOf(pid, postmaster int) time.Duration {
	sum := ticksOf(pid)
	if postmaster > 0 {
		children, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, path := range children {
			if stat := statOf(path); len(stat) > 14 && stat[1] == strconv.Itoa(postmaster) {
				sum += ticks(stat)
			}
		}
	}
	return sum
}

func ticksOf(pid int) time.Duration { return ticks(statOf(fmt.Sprintf("/proc/%d/stat", pid))) }

// statOf are the fields of a process from its state on.
func statOf(path string) []string {
	text, err := os.ReadFile(path) //nolint:gosec // below /proc
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may have blanks
	return strings.Fields(rest)
}

// ticks adds user and system time, in hundredths of a second on every Linux.
func ticks(stat []string) time.Duration {
	if len(stat) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(stat[11], 10, 64)
	system, _ := strconv.ParseInt(stat[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// signIn gets a token for the administrator of the sample hospital.
func (t *target) signIn(ctx context.Context) error {
	var buf bytes.Buffer
	if err := t.call(ctx, post("/admin/api/v1.0/auth/login", map[string]any{"username": "admin", "password": "nadmor-demo"}, nil), &buf); err != nil {
		return err
	}
	var answer struct{ Data struct{ AccessToken string } }
	if err := json.Unmarshal(buf.Bytes(), &answer); err != nil {
		return err
	}
	t.token = answer.Data.AccessToken
	return nil
}
