package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nadmor/test/product"
)

// workspace is a folder for servers that are broken on purpose. They run as an unprivileged user, because
// PostgreSQL does not run as root.
type workspace struct {
	dir        string
	credential *syscall.Credential // nil for the current user
	daemons    []*daemon
}

// newWorkspace creates the folder, end removes it. It is not below TMPDIR, because the path of a socket is
// limited to 107 bytes.
func newWorkspace() (*workspace, error) {
	dir, err := os.MkdirTemp("/tmp", "nadmor-faults-")
	if err != nil {
		return nil, err
	}
	g := &workspace{dir: dir}
	if g.credential, err = credential(); err == nil {
		err = g.own(dir)
	}
	if err != nil {
		return nil, g.end(err)
	}
	return g, nil
}

// credential returns the user of the servers: the current one unless that is root.
func credential() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// own gives a folder to the user of the servers.
func (g *workspace) own(path string) error {
	if g.credential == nil {
		return nil
	}
	return os.Chown(path, int(g.credential.Uid), int(g.credential.Gid))
}

// write writes a file that only the servers can read.
func (g *workspace) write(name, text string) error {
	path := filepath.Join(g.dir, name)
	return errors.Join(os.WriteFile(path, []byte(text), 0o600), g.own(path))
}

func (g *workspace) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // programs that scripts/need names
	cmd.Dir = g.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: g.credential}
	return cmd
}

// daemon is a running server.
type daemon struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// start starts a server that ends with this process. Its output is stored in the folder.
func (g *workspace) start(log string, name string, args ...string) (*daemon, error) {
	path := filepath.Join(g.dir, log+".log")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // our own folder
	if err != nil {
		return nil, err
	}
	defer out.Close()                                     //nolint:errcheck // the server has its own
	cmd := g.command(context.Background(), name, args...) // ended by end
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &daemon{cmd, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(d.exited) }()
	g.daemons = append(g.daemons, d)
	return d, nil
}

func (d *daemon) alive() bool {
	select {
	case <-d.exited:
		return false
	default:
		return true
	}
}

// sendTo sends a signal to a process and its descendants.
func sendTo(pid int, what syscall.Signal) {
	for _, p := range product.Tree(pid) {
		_ = syscall.Kill(p, what) // may have ended
	}
}

// kill kills a server and its descendants.
func (d *daemon) kill() {
	if d.alive() {
		sendTo(d.cmd.Process.Pid, syscall.SIGKILL)
		<-d.exited
	}
}

// end kills all running servers and removes the folder. After a failure the error includes the last lines of
// every log.
func (g *workspace) end(failed error) error {
	for _, d := range g.daemons {
		d.kill()
	}
	var logs strings.Builder
	if failed != nil {
		paths, _ := filepath.Glob(filepath.Join(g.dir, "*.log"))
		for _, path := range paths {
			text, _ := os.ReadFile(path) //nolint:gosec // our own folder
			lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
			fmt.Fprintf(&logs, "\n--- %s\n%s", filepath.Base(path), bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
		}
		failed = fmt.Errorf("%w%s", failed, logs.String())
	}
	return errors.Join(failed, os.RemoveAll(g.dir))
}

// needed returns the path of a tool from scripts/need.
func needed(ctx context.Context, tool string) (string, error) {
	root, err := product.Root(ctx)
	if err != nil {
		return "", err
	}
	get := exec.CommandContext(ctx, filepath.Join(root, "scripts", "need"), tool) //nolint:gosec // our own script
	get.Stderr = os.Stderr
	path, err := get.Output()
	return strings.TrimSpace(string(path)), err
}

// freePorts finds consecutive free ports below the range of outgoing connections, so that a restarted server
// gets the same ones.
func freePorts(ctx context.Context, n int) (first int, err error) {
	var free net.ListenConfig
	for range 50 {
		first = 20000 + rand.IntN(12000-n) //nolint:gosec // any will do
		taken := false
		for port := range n {
			l, err := free.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", first+port))
			if err != nil {
				taken = true
				break
			}
			_ = l.Close()
		}
		if !taken {
			return first, nil
		}
	}
	return 0, errors.New("no free ports")
}

// eventually polls a condition for at most a time.
func eventually(ctx context.Context, what string, atMost time.Duration, holds func() bool) error {
	for began := time.Now(); !holds(); pause(ctx, 50*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(began) > atMost {
			return fmt.Errorf("%s: not within %s", what, atMost)
		}
	}
	return nil
}

// postgres is a PostgreSQL server.
type postgres struct {
	*workspace
	bin      string
	port     int
	settings []string
	server   *daemon
}

// newPostgres creates and starts a server. It survives being killed, but not a power cut.
func newPostgres(ctx context.Context, settings ...string) (*postgres, error) {
	bin, err := needed(ctx, "postgresql")
	if err != nil {
		return nil, err
	}
	g, err := newWorkspace()
	if err != nil {
		return nil, err
	}
	p := &postgres{workspace: g, bin: bin, settings: settings}
	initdb := g.command(ctx, filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(g.dir, "data"), "--username",
		"postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync")
	if output, err := initdb.CombinedOutput(); err != nil {
		return nil, g.end(fmt.Errorf("initdb: %w: %s", err, output))
	}
	if p.port, err = freePorts(ctx, 1); err == nil {
		err = p.run(ctx)
	}
	if err != nil {
		return nil, g.end(err)
	}
	return p, nil
}

// run starts the server and waits until it answers.
func (p *postgres) run(ctx context.Context) (err error) {
	args := []string{
		"-D", filepath.Join(p.dir, "data"), "-p", strconv.Itoa(p.port), "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories=" + p.dir, "-c", "fsync=off", "-c", "max_connections=100",
	}
	for _, s := range p.settings {
		args = append(args, "-c", s)
	}
	p.server = nil
	var failed error
	ready := func() bool {
		// It does not start while a process of the killed one exists.
		if p.server == nil || !p.server.alive() {
			if p.server, failed = p.start("server", filepath.Join(p.bin, "postgres"), args...); failed != nil {
				return true
			}
		}
		return p.exec(ctx, `SELECT 1`) == nil
	}
	return errors.Join(eventually(ctx, "PostgreSQL starts", time.Minute, ready), failed)
}

func (p *postgres) url() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", p.port)
}

// exec runs statements on the server.
func (p *postgres) exec(ctx context.Context, statements ...string) (err error) {
	db, err := sql.Open("pgx", p.url())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
