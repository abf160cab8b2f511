package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"nadmor/test/product"
)

// network disturbs the connection of one of two nodes to PostgreSQL while clients book and read through both:
// all requests are answered in time, the other node continues, and this one recovers with the connection. No
// acknowledged write is lost, and nothing is booked twice.
func network(ctx context.Context, out printer, dir, binary string, short bool) (err error) {
	p, err := newPostgres(ctx)
	if err != nil {
		return err
	}
	defer func() { err = p.end(err) }()
	direct, err := product.NewDatabase(ctx, p.url(), "nadmor")
	if err != nil {
		return err
	}
	zerolog.SetGlobalLevel(zerolog.Disabled)
	line := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "line",
		"127.0.0.1:0", fmt.Sprintf("127.0.0.1:%d", p.port))
	if err := line.Start(); err != nil {
		return err
	}
	defer line.Stop()
	n, err := startNodes(ctx, binary, product.Storage{Dir: filepath.Join(dir, "network"), URL: direct},
		strings.Replace(direct, fmt.Sprintf("127.0.0.1:%d", p.port), line.Listen, 1), direct)
	if err != nil {
		return err
	}
	defer func() { err = n.stop(err) }()
	var figures []string
	for round, d := range disturbances {
		if short {
			if d.lasts = d.brief; d.lasts == 0 {
				continue
			}
		}
		figure, err := n.disturb(ctx, round, line, d)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, errors.Join(err, n.failures()))
		}
		out.say("%s", figure)
		figures = append(figures, figure)
	}
	if err := n.tried(); err != nil {
		return err
	}
	out.say("line between a node and PostgreSQL, %d clients through 2 nodes: %d bookings and %d files acknowledged, 0 "+
		"lost, 0 twice; the slowest answer after %.1f s; %s",
		nodeClients, len(n.writes.booked), len(n.writes.uploads), n.writes.slowest.Seconds(), strings.Join(figures, "; "))
	return nil
}

// disturbance is a disturbance of a connection.
type disturbance struct {
	name   string
	toxics []string      // of Toxiproxy; none refuses connections
	lasts  time.Duration // longer than a request may take, if it hangs
	brief  time.Duration // in the short form; 0 to skip it
	cuts   bool          // blocks everything
}

const (
	shortest = 7 * time.Second // until a node reports that it is not ready
	recovery = 8 * time.Second // until the node books again
)

var disturbances = []disturbance{
	{"slow", []string{`{"type":"latency","stream":"downstream","attributes":{"latency":200,"jitter":100}}`},
		15 * time.Second, 0, false},
	{"trickle",
		[]string{
			`{"type":"slicer","stream":"downstream","attributes":{"average_size":64,"size_variation":32,"delay":5000}}`,
			`{"type":"bandwidth","stream":"downstream","attributes":{"rate":20}}`,
		}, 15 * time.Second, 0, false},
	{"cut",
		[]string{
			`{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`,
			`{"type":"timeout","stream":"upstream","attributes":{"timeout":0}}`,
		}, 40 * time.Second, shortest, true},
	{"answers lost", []string{`{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`}, 25 * time.Second, 0,
		true},
	{"reset", []string{`{"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`}, shortest, time.Second,
		true},
	{"refused", nil, shortest, 0, true},
}

// strike starts a disturbance. repair ends it.
func (d disturbance) strike(ctx context.Context, line *toxiproxy.Proxy) (repair func() error, err error) {
	if len(d.toxics) == 0 {
		line.Stop()
		return line.Start, nil
	}
	for i, toxic := range d.toxics {
		if _, err := line.Toxics.AddToxicJson(strings.NewReader(strings.Replace(toxic, "{", fmt.Sprintf(`{"name":"%d",`, i),
			1))); err != nil {
			return nil, err
		}
	}
	return func() error { line.Toxics.ResetToxics(ctx); return nil }, nil
}

// disturb disturbs the connection of the first node and checks both.
func (n *nodes) disturb(ctx context.Context, round int, line *toxiproxy.Proxy,
	d disturbance) (figure string, err error) {
	const other = 1
	stop := n.workApart(ctx, round)
	defer stop()
	reads := n.read(ctx)
	defer func() { reads.stop() }()
	if err := eventually(ctx, "bookings before", time.Minute, func() bool {
		return n.writes.bookedSince(time.Now().Add(-time.Second))
	}); err != nil {
		return "", err
	}
	n.writes.begin()
	before := reads.answered[other].Load()
	began := time.Now()
	repair, err := d.strike(ctx, line)
	if err != nil {
		return "", err
	}
	ready := func(node int) bool { return n.ready(ctx, node) }
	if d.cuts {
		err = eventually(ctx, "the node says that it is not ready", shortest, func() bool { return !ready(0) })
	} else {
		err = eventually(ctx, "the node is ready", shortest, func() bool { return ready(0) })
	}
	if err != nil {
		return "", errors.Join(err, repair())
	}
	pause(ctx, d.lasts-time.Since(began))
	if !ready(other) || reads.answered[other].Load() == before {
		return "", errors.Join(errors.New("the other node does not continue"), repair())
	}
	if d.cuts && ready(0) {
		return "", errors.Join(errors.New("the node says that it is ready"), repair())
	}
	_, otherGap := n.writes.gap(n.clients[other].Base)
	if err := repair(); err != nil {
		return "", err
	}
	healed := time.Now()
	if err := eventually(ctx, "bookings go on", recovery, func() bool {
		last, _ := n.writes.gap(n.clients[0].Base)
		return last.After(healed)
	}); err != nil {
		return "", err
	}
	took := time.Since(healed)
	if err := eventually(ctx, "ready again", recovery, func() bool { return ready(0) }); err != nil {
		return "", err
	}
	_, ownGap := n.writes.gap(n.clients[0].Base)
	if !d.cuts && ownGap > machineLost {
		return "", fmt.Errorf("no booking for %s over a line that is only slow", ownGap)
	}
	if otherGap > processLost {
		return "", fmt.Errorf("no booking for %s through the other node", otherGap)
	}
	reads.stop()
	stop()
	figure = fmt.Sprintf("%s for %.0f s: books %.1f s after the line is repaired, the other node without a booking for "+
		"%.1f s at most", d.name, d.lasts.Seconds(), took.Seconds(), otherGap.Seconds())
	if !d.cuts {
		figure = fmt.Sprintf("%s for %.0f s: continues, without a booking for %.1f s at most", d.name, d.lasts.Seconds(),
			ownGap.Seconds())
	}
	return figure, n.check(ctx)
}

// ready reports whether a node is ready, within the time it has to answer.
func (n *nodes) ready(ctx context.Context, node int) bool {
	ctx, cancel := context.WithTimeout(ctx, 6*time.Second)
	defer cancel()
	answer, err := n.clients[node].Send(ctx, http.MethodGet, "/readyz", nil)
	return err == nil && answer.Status == http.StatusOK
}

// readers read through every node until they are stopped.
type readers struct {
	answered []atomic.Int64
	stop     func()
}

func (n *nodes) read(ctx context.Context) *readers {
	ctx, cancel := context.WithCancel(ctx)
	r := &readers{answered: make([]atomic.Int64, len(n.clients))}
	done := make(chan struct{}, len(n.clients))
	for i, c := range n.clients {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				asked := time.Now()
				err := c.Call(ctx, http.MethodPost, "/admin/api/v1/appointment/list", map[string]any{"page": 1, "pageSize": 20},
					nil)
				var rejected *product.RejectedError
				switch {
				case err == nil:
					r.answered[i].Add(1)
				case errors.As(err, &rejected) && rejected.Status == http.StatusServiceUnavailable, ctx.Err() != nil:
				default: // rejected, or not answered
					n.writes.fail("read: " + err.Error())
				}
				if ctx.Err() == nil {
					n.writes.took(time.Since(asked))
				}
				pause(ctx, 50*time.Millisecond)
			}
		}()
	}
	r.stop = func() {
		cancel()
		for range n.clients {
			<-done
		}
		r.stop = func() {}
	}
	return r
}
