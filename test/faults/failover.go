package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"nadmor/test/product"
)

const (
	processLost = 8 * time.Second  // until bookings continue after the loss of a process
	machineLost = 30 * time.Second // after the loss of a node
)

// failover breaks the primary of a cluster in different ways while clients book through two nodes: no
// acknowledged write is lost, nothing is booked twice, and the nodes recover by themselves.
func failover(ctx context.Context, out printer, dir, binary string) (err error) {
	c, err := newCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = c.end(err) }()
	url, err := product.NewDatabase(ctx, c.url("postgres"), "nadmor")
	if err != nil {
		return err
	}
	storage := product.Storage{Dir: filepath.Join(dir, "failover"), URL: url}
	// A standby rejects connections until it has replicated the new database.
	if err := eventually(ctx, "the database is everywhere", time.Minute, func() bool {
		_, err := storage.Ints(ctx, `SELECT 1`)
		return err == nil
	}); err != nil {
		return err
	}
	n, err := startNodes(ctx, binary, storage, url, url)
	if err != nil {
		return err
	}
	defer func() { err = n.stop(err) }()
	none := func() error { return nil }
	var figures []string
	for round, fault := range []struct {
		name    string
		allowed time.Duration
		strike  func(*machine) (repair func() error, err error)
	}{
		{"process killed", processLost, func(m *machine) (func() error, error) {
			sendTo(c.postmaster(m), syscall.SIGKILL)
			return none, nil
		}},
		{"machine killed", machineLost, func(m *machine) (func() error, error) {
			postmaster := c.postmaster(m)
			m.patroni.kill()
			sendTo(postmaster, syscall.SIGKILL)
			m.etcd.kill()
			return func() error { return c.run(m) }, nil
		}},
		{"machine frozen", machineLost, func(m *machine) (func() error, error) {
			postmaster := c.postmaster(m)
			frozen := []int{m.patroni.cmd.Process.Pid, postmaster}
			for _, pid := range frozen {
				sendTo(pid, syscall.SIGSTOP)
			}
			return func() error {
				for _, pid := range frozen {
					sendTo(pid, syscall.SIGCONT)
				}
				return nil
			}, nil
		}},
		{"switchover", processLost, func(m *machine) (func() error, error) { return none, c.switchOver(ctx, m) }},
	} {
		m, err := c.primary(ctx)
		if err != nil {
			return err
		}
		gap, err := n.strike(ctx, round, func() (func() error, error) { return fault.strike(m) }, c.waitComplete)
		if err != nil {
			return fmt.Errorf("%s: %w", fault.name, err)
		}
		after, err := c.primary(ctx)
		if err != nil {
			return err
		}
		out.say("%s: %s was the primary, now %s; %d bookings acknowledged; nothing for %.1f s", fault.name, m.name,
			after.name, len(n.writes.booked), gap.Seconds())
		if gap > fault.allowed {
			return fmt.Errorf("%s: no booking for %s, %s are allowed", fault.name, gap, fault.allowed)
		}
		if after == m {
			return fmt.Errorf("%s: %s is still the primary, so nothing was tried", fault.name, m.name)
		}
		figures = append(figures, fmt.Sprintf("%s %.1f s", fault.name, gap.Seconds()))
	}
	if err := n.tried(); err != nil {
		return err
	}
	out.say("cluster of three, %d clients through 2 nodes: %d bookings and %d files acknowledged, 0 lost, 0 twice; %d "+
		"times told to come back, the slowest answer after %.1f s; longest without a booking: %s",
		nodeClients, len(n.writes.booked), len(n.writes.uploads), n.writes.later, n.writes.slowest.Seconds(),
		strings.Join(figures, ", "))
	return nil
}

// strike runs clients, breaks something, waits until every node books again, repairs it, waits for the
// original state, and checks. It returns the longest time without an acknowledged booking on any node.
func (n *nodes) strike(ctx context.Context, round int, strike func() (repair func() error, err error),
	complete func(context.Context) error) (gap time.Duration, err error) {
	const back = 90 * time.Second
	stop := n.work(ctx, round)
	defer stop()
	began := time.Now()
	booking := func(since time.Time) func() bool { return func() bool { return n.writes.bookedSince(since) } }
	if err := eventually(ctx, "bookings before", back, booking(began.Add(2*time.Second))); err != nil {
		return 0, err
	}
	n.writes.begin()
	repair, err := strike()
	if err != nil {
		return 0, err
	}
	// Responses that were on their way do not count.
	if err := eventually(ctx, "bookings go on", back, booking(time.Now().Add(time.Second))); err != nil {
		return 0, errors.Join(err, n.failures())
	}
	if err := repair(); err != nil {
		return 0, err
	}
	if err := complete(ctx); err != nil {
		return 0, err
	}
	if err := eventually(ctx, "bookings afterwards", back, booking(time.Now().Add(2*time.Second))); err != nil {
		return 0, errors.Join(err, n.failures())
	}
	gap = n.writes.longest()
	stop()
	return gap, n.check(ctx)
}

// restart kills and restarts a single PostgreSQL repeatedly while clients book through two nodes: the nodes
// recover by themselves.
func restart(ctx context.Context, out printer, dir, binary string, times int) (err error) {
	p, err := newPostgres(ctx)
	if err != nil {
		return err
	}
	defer func() { err = p.end(err) }()
	url, err := product.NewDatabase(ctx, p.url(), "nadmor")
	if err != nil {
		return err
	}
	n, err := startNodes(ctx, binary, product.Storage{Dir: filepath.Join(dir, "restart"), URL: url}, url, url)
	if err != nil {
		return err
	}
	defer func() { err = n.stop(err) }()
	var longest time.Duration
	for round := range times {
		var away time.Duration // until PostgreSQL answers again, which does not depend on the product
		gap, err := n.strike(ctx, round, func() (func() error, error) {
			killed := time.Now()
			p.server.kill()
			err := p.run(ctx)
			away = time.Since(killed)
			return func() error { return nil }, err
		}, func(context.Context) error { return nil })
		if err != nil {
			return err
		}
		if longest = max(longest, gap); gap > away+processLost {
			return fmt.Errorf("no booking for %s, %s after PostgreSQL is back are allowed, and it was away for %s", gap,
				processLost, away)
		}
	}
	if err := n.tried(); err != nil {
		return err
	}
	out.say("PostgreSQL killed %d times under %d clients through 2 nodes: %d bookings and %d files acknowledged, 0 "+
		"lost, 0 twice; longest without a booking %.1f s", times, nodeClients, len(n.writes.booked), len(n.writes.uploads),
		longest.Seconds())
	return nil
}
