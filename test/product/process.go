// Package product runs the product for benchmarks, load tests and fault injection.
package product

import (
	"bytes"
	"context"
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

// Process is a running server.
type Process struct {
	Base  string        // http://127.0.0.1:…
	Ready time.Duration // from start to ready

	cmd    *exec.Cmd
	log    bytes.Buffer
	exited chan error
}

// Start runs a server on a free port and waits until it is ready.
func Start(ctx context.Context, env []string, name string, args ...string) (*Process, error) {
	addr, err := FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	//nolint:gosec // the product, or ourselves
	p := &Process{cmd: exec.CommandContext(ctx, name, args...), Base: "http://" + addr, exited: make(chan error, 1)}
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
		if answers(ctx, p.Base+"/readyz") {
			p.Ready = time.Since(began)
			return p, nil
		}
		if time.Since(began) > 2*time.Minute {
			return nil, errors.Join(fmt.Errorf("%s is not ready: %s", name, p.log.String()), p.Stop())
		}
	}
}

// FreeAddress returns a free port of the loopback interface.
func FreeAddress(ctx context.Context) (string, error) {
	var free net.ListenConfig
	l, err := free.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
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

// Stop stops the server with a signal, and kills it if it does not end.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.exited:
		return err
	case <-time.After(20 * time.Second):
		p.Kill()
		return errors.New("did not stop within 20 s")
	}
}

// Kill kills the server.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.exited
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns the output after the process has ended.
func (p *Process) Log() string { return p.log.String() }

// OpenFiles returns the number of open files and connections.
func (p *Process) OpenFiles() int {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID()))
	if err != nil {
		return 0
	}
	return len(list)
}

// Memory returns the resident memory in megabytes: all of it, and without file pages, which the system can
// reclaim.
func (p *Process) Memory() (all, own float64) {
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

// CPU returns the CPU time of a process and of the processes of a database server.
func CPU(pid, postmaster int) time.Duration {
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

// statOf returns the fields of a process from its state on.
func statOf(path string) []string {
	text, err := os.ReadFile(path) //nolint:gosec // below /proc
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may contain spaces
	return strings.Fields(rest)
}

// ticks returns user and system time. A tick is a hundredth of a second on Linux.
func ticks(stat []string) time.Duration {
	if len(stat) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(stat[11], 10, 64)
	system, _ := strconv.ParseInt(stat[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// Parent returns the parent of a process, 0 if the process is not on this machine.
func Parent(pid int) int {
	stat := statOf(fmt.Sprintf("/proc/%d/stat", pid))
	if len(stat) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(stat[1])
	if err != nil {
		return 0
	}
	return parent
}

// Tree returns a process and its descendants.
func Tree(pid int) []int {
	tree := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && Parent(child) == pid {
			tree = append(tree, Tree(child)...)
		}
	}
	return tree
}

// Root returns the root folder of the repository.
func Root(ctx context.Context) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "nadmor").Output()
	return strings.TrimSpace(string(dir)), err
}

// Build builds the binary with the product's own module versions, without the web app unless that was built
// before.
func Build(ctx context.Context, dir string) (binary string, err error) {
	root, err := Root(ctx)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "nadmor")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".") //nolint:gosec // a folder of ours
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, output)
	}
	return binary, nil
}

// Built calls fn with a temporary folder and a binary built into it.
func Built(ctx context.Context, fn func(dir, binary string) error) error {
	dir, err := os.MkdirTemp("", "nadmor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	binary, err := Build(ctx, dir)
	if err != nil {
		return err
	}
	return fn(dir, binary)
}

// Run runs a command of the product.
func Run(ctx context.Context, env []string, binary string, args ...string) error {
	cmd := exec.CommandContext(ctx, binary, args...) //nolint:gosec // the product
	cmd.Env = append(os.Environ(), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nadmor %s: %w: %s", args[0], err, output)
	}
	return nil
}
