package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nadmor/test/product"
)

// nodes are the nodes of an installation, as behind a load balancer, and the clients that book through them.
type nodes struct {
	storage   product.Storage
	binary    string
	processes []*product.Process
	clients   []*product.Client
	clinic    product.Clinic
	writes    *ledger
}

// nodeClients is the number of clients of all nodes.
const nodeClients = 16

// startNodes fills a database and starts a node for each of its URLs. The nodes share a folder with key and
// files.
func startNodes(ctx context.Context, binary string, storage product.Storage, urls ...string) (n *nodes, err error) {
	const people = 200
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", people),
		"--appointments=200"); err != nil {
		return nil, err
	}
	n = &nodes{storage: storage, binary: binary, writes: newLedger()}
	n.writes.answers, n.writes.breather = true, 100*time.Millisecond
	for _, url := range urls {
		p, err := product.Start(ctx, product.Storage{Dir: storage.Dir, URL: url}.Env(), binary, "serve")
		if err != nil {
			return nil, n.stop(err)
		}
		c := product.NewClient(p.Base, clientTimeout)
		n.processes, n.clients = append(n.processes, p), append(n.clients, c)
		n.writes.stretch[c.Base] = stretches{}
	}
	if err := n.clients[0].SignIn(ctx, "admin", "nadmor-demo"); err != nil {
		return nil, n.stop(err)
	}
	for _, c := range n.clients { // a session is valid on all nodes
		c.Token = n.clients[0].Token
	}
	if n.clinic, err = n.clients[0].OpenClinic(ctx, "FAULTS", people, 500, seats); err != nil {
		return nil, n.stop(err)
	}
	return n, nil
}

// stop stops the nodes. It is an error if one had stopped before. After a failure the error includes their
// last output.
func (n *nodes) stop(failed error) error {
	errs := []error{failed}
	for _, p := range n.processes {
		errs = append(errs, p.Stop())
		if failed != nil {
			lines := strings.Split(strings.TrimSpace(p.Log()), "\n")
			errs = append(errs, fmt.Errorf("--- %s\n%s", p.Base, strings.Join(lines[max(0, len(lines)-15):], "\n")))
		}
	}
	n.processes = nil
	return errors.Join(errs...)
}

// work runs the clients, each through all nodes.
func (n *nodes) work(ctx context.Context, round int) (stop func()) {
	return n.writes.hold(ctx, 0, nodeClients, round, n.clinic, n.clients...)
}

// workApart runs the clients, each through one of the nodes.
func (n *nodes) workApart(ctx context.Context, round int) (stop func()) {
	each := nodeClients / len(n.clients)
	stops := make([]func(), len(n.clients))
	for i, c := range n.clients {
		stops[i] = n.writes.hold(ctx, i*each, (i+1)*each, round, n.clinic, c)
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// check checks that every acknowledged write exists once, and verifies the database.
func (n *nodes) check(ctx context.Context) error {
	if err := n.writes.check(ctx, n.clients[0], n.storage); err != nil {
		return err
	}
	return product.Run(ctx, n.storage.Env(), n.binary, "verify")
}

// failures returns the unexpected responses as an error.
func (n *nodes) failures() error {
	n.writes.mu.Lock()
	defer n.writes.mu.Unlock()
	if len(n.writes.failures) == 0 {
		return nil
	}
	return fmt.Errorf("answers that should not be: %v", n.writes.failures)
}

// tried checks that the clients met what they were meant to meet.
func (n *nodes) tried() error {
	switch {
	case len(n.writes.booked) < 100:
		return fmt.Errorf("only %d bookings: nothing was tried", len(n.writes.booked))
	case n.writes.rejected == 0:
		return errors.New("no slot was full: the clients did not contend")
	case n.writes.slowest > clientTimeout-2*time.Second:
		return fmt.Errorf("an answer took %s", n.writes.slowest)
	}
	return nil
}
