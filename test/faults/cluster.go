package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cluster is a PostgreSQL cluster of three nodes with Patroni and etcd on this machine. Commits wait for a
// standby (strict synchronous mode), so no failover may lose them.
type cluster struct {
	*workspace
	machines [3]*machine
}

type machine struct {
	name                              string
	database, api, decisions, between int // ports: PostgreSQL, Patroni, etcd clients, etcd peers
	etcd, patroni                     *daemon
}

const machineTTL = 20 // seconds until a silent primary is replaced, the minimum of Patroni

// newCluster starts a cluster and waits until it is complete.
func newCluster(ctx context.Context) (c *cluster, err error) {
	tools := map[string]string{}
	for _, tool := range []string{"postgresql", "etcd", "patroni"} {
		if tools[tool], err = needed(ctx, tool); err != nil {
			return nil, err
		}
	}
	g, err := newWorkspace()
	if err != nil {
		return nil, err
	}
	c = &cluster{workspace: g}
	// The servers' user cannot access our folder.
	for _, tool := range []string{"etcd", "patroni"} {
		if err := os.CopyFS(filepath.Join(g.dir, tool), os.DirFS(filepath.Join(tools[tool], "usr"))); err != nil {
			return nil, g.end(err)
		}
	}
	first, err := freePorts(ctx, 12)
	if err != nil {
		return nil, g.end(err)
	}
	for i := range c.machines {
		at := first + 4*i
		c.machines[i] = &machine{name: fmt.Sprint("pg", i+1), database: at, api: at + 1, decisions: at + 2, between: at + 3}
	}
	for _, m := range c.machines {
		if err := c.install(m, tools["postgresql"]); err != nil {
			return nil, c.end(err)
		}
	}
	if err := c.waitComplete(ctx); err != nil {
		return nil, c.end(err)
	}
	return c, nil
}

// install creates the folder and configuration of a node and starts it.
func (c *cluster) install(m *machine, bin string) error {
	dir := filepath.Join(c.dir, m.name)
	if err := errors.Join(os.Mkdir(dir, 0o700), c.own(dir)); err != nil {
		return err
	}
	if err := c.write(m.name+".yml", c.configuration(m, bin)); err != nil {
		return err
	}
	return c.run(m)
}

func (c *cluster) configuration(m *machine, bin string) string {
	return strings.NewReplacer(
		"{name}", m.name, "{dir}", c.dir, "{bin}", bin, "{database}", strconv.Itoa(m.database), "{api}", strconv.Itoa(m.api),
		"{etcd}", c.each(func(m *machine) string { return fmt.Sprintf("127.0.0.1:%d", m.decisions) }),
		"{ttl}", strconv.Itoa(machineTTL),
	).Replace(`scope: nadmor
name: {name}
restapi: {listen: "127.0.0.1:{api}", connect_address: "127.0.0.1:{api}"}
etcd3: {hosts: "{etcd}"}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: 2
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    primary_start_timeout: 0
    postgresql:
      remove_data_directory_on_diverged_timelines: true
      use_slots: true
      parameters: {wal_level: replica, hot_standby: "on", max_connections: 100, wal_keep_size: 128MB,
        wal_log_hints: "on", synchronous_commit: "on", shared_buffers: 64MB, wal_sender_timeout: 5s,
        wal_receiver_timeout: 5s}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums]
postgresql:
  listen: "127.0.0.1:{database}"
  connect_address: "127.0.0.1:{database}"
  data_dir: {dir}/{name}/data
  bin_dir: {bin}
  basebackup: [{checkpoint: fast}]
  pg_hba: ["local all all peer", "host all all 127.0.0.1/32 scram-sha-256",
    "host replication replicator 127.0.0.1/32 scram-sha-256"]
  pgpass: {dir}/{name}/pgpass
  parameters: {unix_socket_directories: "{dir}/{name}"}
  authentication:
    superuser: {username: postgres, password: postgres}
    replication: {username: replicator, password: replicator}
`)
}

// each returns a value of every node, joined by commas.
func (c *cluster) each(of func(*machine) string) string {
	list := make([]string, len(c.machines))
	for i, m := range c.machines {
		list[i] = of(m)
	}
	return strings.Join(list, ",")
}

// url returns the multi-host URL of a database.
func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://postgres:postgres@%s/%s?target_session_attrs=read-write&sslmode=disable",
		c.each(func(m *machine) string { return fmt.Sprintf("127.0.0.1:%d", m.database) }), database)
}

// run starts the stopped processes of a node.
func (c *cluster) run(m *machine) (err error) {
	address := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	if m.etcd == nil || !m.etcd.alive() {
		m.etcd, err = c.start(m.name+"-etcd", filepath.Join(c.dir, "etcd", "bin", "etcd"), "--name", m.name, "--data-dir",
			filepath.Join(c.dir, m.name, "etcd"),
			"--listen-client-urls", address(m.decisions), "--advertise-client-urls", address(m.decisions), "--listen-peer-urls",
			address(m.between), "--initial-advertise-peer-urls", address(m.between),
			"--initial-cluster", c.each(func(m *machine) string { return m.name + "=" + address(m.between) }),
			"--initial-cluster-token", "nadmor", "--initial-cluster-state", "new", "--heartbeat-interval", "100",
			"--election-timeout", "1000")
		if err != nil {
			return err
		}
	}
	if m.patroni == nil || !m.patroni.alive() {
		// Debian's Python, which has the modules.
		m.patroni, err = c.start(m.name+"-patroni", "/usr/bin/env",
			"PYTHONPATH="+filepath.Join(c.dir, "patroni", "lib", "python3", "dist-packages"), "PYTHONDONTWRITEBYTECODE=1",
			"/usr/bin/python3", filepath.Join(c.dir, "patroni", "bin", "patroni"), filepath.Join(c.dir, m.name+".yml"))
	}
	return err
}

// postmaster returns the main process of a node's PostgreSQL, 0 if none runs.
func (c *cluster) postmaster(m *machine) int {
	text, err := os.ReadFile(filepath.Join(c.dir, m.name, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}

// end stops everything.
func (c *cluster) end(failed error) error {
	for _, m := range c.machines {
		if m.patroni != nil {
			m.patroni.kill() // first, so that it does not restart anything
		}
		if pid := c.postmaster(m); pid != 0 {
			sendTo(pid, syscall.SIGKILL)
		}
	}
	return c.workspace.end(failed)
}

type member struct {
	Name, Role, State string
	Timeline          int
}

// members returns the cluster members as reported by any Patroni.
func (c *cluster) members(ctx context.Context) []member {
	for _, m := range c.machines {
		var answer struct{ Members []member }
		if m.patroni.alive() && c.ask(ctx, m, http.MethodGet, "/cluster", nil, &answer) == nil && len(answer.Members) > 0 {
			return answer.Members
		}
	}
	return nil
}

func (c *cluster) ask(ctx context.Context, m *machine, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method,
		fmt.Sprintf("http://127.0.0.1:%d%s", m.api, path), bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // the read error is returned
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("patroni: %s %s: %s", method, path, resp.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// waitComplete waits for a primary with two standbys, one of them synchronous. A node that cannot rejoin is
// reinitialized, as an operator would do.
func (c *cluster) waitComplete(ctx context.Context) error {
	reinitialized, began := map[string]bool{}, time.Now()
	err := eventually(ctx, "the cluster is whole", 3*time.Minute, func() bool {
		roles, timelines := map[string]int{}, map[int]bool{}
		for _, member := range c.members(ctx) {
			if member.Role == "leader" && member.State == "running" || member.State == "streaming" {
				roles[member.Role]++
				timelines[member.Timeline] = true
				continue
			}
			for _, m := range c.machines {
				if m.name == member.Name && time.Since(began) > time.Minute && !reinitialized[m.name] {
					reinitialized[m.name] = c.ask(ctx, m, http.MethodPost, "/reinitialize", map[string]bool{"force": true}, nil) == nil
				}
			}
		}
		return len(timelines) == 1 && roles["leader"] == 1 && roles["sync_standby"] >= 1 &&
			roles["sync_standby"]+roles["replica"] == 2
	})
	if err != nil {
		return fmt.Errorf("%w: %+v", err, c.members(ctx))
	}
	return nil
}

// primary returns the node that is the primary.
func (c *cluster) primary(ctx context.Context) (*machine, error) {
	for _, member := range c.members(ctx) {
		for _, m := range c.machines {
			if member.Role == "leader" && member.Name == m.name {
				return m, nil
			}
		}
	}
	return nil, errors.New("there is no primary")
}

// switchOver makes another node the primary.
func (c *cluster) switchOver(ctx context.Context, from *machine) error {
	return c.ask(ctx, from, http.MethodPost, "/switchover", map[string]string{"leader": from.name}, nil)
}
