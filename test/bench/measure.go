package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"nadmor/test/product"
)

// line is the result of an operation on a database.
type line struct {
	Operation string `json:"operation"`
	Engine    string `json:"engine"`
	Product   round  `json:"product"`
	Floor     round  `json:"floor,omitzero"`
	// Share is the product's rate divided by the floor's.
	Share      float64 `json:"share,omitempty"`
	PocketBase round   `json:"pocketbase,omitzero"` // with SQLite only
}

// footprint is the resource use of a server.
type footprint struct {
	Engine      string  `json:"engine"`
	Ready       float64 `json:"readySeconds"` // from start to first response
	Idle        float64 `json:"idleMB"`
	IdleOwn     float64 `json:"idleOwnMB"` // without file pages
	AfterAll    float64 `json:"afterMB"`
	AfterAllOwn float64 `json:"afterOwnMB"`
}

// under is a running server.
type under struct {
	*target
	process *product.Process
}

func serve(ctx context.Context, d database, name string, args ...string) (under, error) {
	p, err := product.Start(ctx, append(d.env(), "BENCH_ENGINE="+d.engine), name, args...)
	if err != nil {
		return under{}, err
	}
	postmaster, err := d.postmaster(ctx)
	if err != nil {
		return under{}, errors.Join(err, p.Stop())
	}
	return under{newTarget(p.Base, func() time.Duration { return product.CPU(p.PID(), postmaster) }), p}, nil
}

func (u under) started(engine string) footprint {
	f := footprint{Engine: engine, Ready: u.process.Ready.Seconds()}
	f.Idle, f.IdleOwn = u.process.Memory()
	return f
}

// table measures every operation on product, floor and PocketBase in alternating rounds, so that other load
// on the machine affects all.
func (o options) table(ctx context.Context) error {
	var lines []line
	var prints []footprint
	for _, engine := range o.engines {
		l, f, err := o.engine(ctx, engine)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		lines, prints = append(lines, l...), append(prints, f...)
	}
	return o.report(lines, prints)
}

func (o options) engine(ctx context.Context, engine string) (lines []line, prints []footprint, err error) {
	c := cache{o.cache, o.binary, o.server}
	filled, err := c.hospital(ctx, engine, o.size)
	if err != nil {
		return nil, nil, err
	}
	home, err := c.copy(ctx, filled, o.size, "product")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.drop(ctx, home)) }()
	theirs, err := c.copy(ctx, filled, o.size, "floor")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.drop(ctx, theirs)) }()
	s, err := sampleOf(ctx, home)
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	before, err := home.visits(ctx)
	if err != nil {
		return nil, nil, err
	}
	var other pocketBaseServer
	beside := engine == sqlite && o.pocketBase != ""
	if beside {
		if other, err = o.startPocketBase(ctx, c, filled, home); err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, other.stop(ctx)) }()
	}
	ours, err := serve(ctx, home, o.binary, "serve")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		stopped := ours.process.Stop()
		if err == nil && stopped == nil {
			err = c.exact(ctx, home, before+ours.booked.Load())
		}
		err = errors.Join(err, stopped)
	}()
	bare, err := serve(ctx, theirs, self, "floor")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, bare.process.Stop()) }()

	prints = []footprint{ours.started(engine)}
	if err := ours.signIn(ctx, s); err != nil {
		return nil, nil, err
	}
	servers, asked := []under{ours, bare}, []calls{s, s}
	if beside {
		servers, asked, prints = append(servers, other.under), append(asked, records{s}), append(prints, other.print)
	}
	// The operations of each server by row.
	targets, ops := make([]*target, len(servers)), make([][]operation, len(servers))
	for i, server := range servers {
		find := asked[i].fragment
		if i == 1 {
			find = s.fullSearch
		}
		targets[i], ops[i] = server.target, append(operations(s, asked[i]), operation{readWhole, 16, find})
		if o.wants(checkIn) {
			rush, err := server.rush(ctx, s, asked[i])
			if err != nil {
				return nil, nil, err
			}
			ops[i] = append(ops[i], rush)
		}
	}
	for n, op := range ops[0] {
		if !o.wants(op.name) {
			continue
		}
		same := make([]operation, len(servers))
		for i := range servers {
			same[i] = ops[i][n]
		}
		rounds, err := o.alternate(ctx, same, targets)
		if err != nil {
			return nil, nil, err
		}
		l := line{
			Operation: op.name, Engine: engine, Product: rounds[0], Floor: rounds[1], Share: rounds[0].Rate / rounds[1].Rate,
		}
		summary := fmt.Sprintf("%-11s %-28s %8.0f/s p95 %6.2f ms   floor %8.0f/s p95 %6.2f ms   %.2f", engine, l.Operation,
			l.Product.Rate, l.Product.P95, l.Floor.Rate, l.Floor.P95, l.Share)
		if len(rounds) > 2 {
			l.PocketBase = rounds[2]
			summary += fmt.Sprintf("   %s %8.0f/s p95 %6.2f ms", pocketBase, l.PocketBase.Rate, l.PocketBase.P95)
		}
		fmt.Fprintln(os.Stderr, summary)
		lines = append(lines, l)
	}
	prints[0].AfterAll, prints[0].AfterAllOwn = ours.process.Memory()
	if beside {
		prints[1].AfterAll, prints[1].AfterAllOwn = other.process.Memory()
	}
	return lines, prints, nil
}

// exact checks the number of bookings and runs nadmor verify, because a fast but wrong response is worthless.
func (c cache) exact(ctx context.Context, d database, want int64) error {
	n, err := d.visits(ctx)
	if err == nil && n != want {
		err = fmt.Errorf("%d appointments are there, %d were acknowledged", n, want)
	}
	if err != nil {
		return err
	}
	return product.Run(ctx, d.env(), c.binary, "verify")
}

// visits returns the number of appointments.
func (d database) visits(ctx context.Context) (int64, error) {
	n, err := d.storage().Ints(ctx, `SELECT count(*) FROM appointments`)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// alternate alternates between servers and returns the median of each.
func (o options) alternate(ctx context.Context, ops []operation, servers []*target) ([]round, error) {
	all := make([][]round, len(servers))
	for n := range o.rounds + 1 {
		for i, t := range servers {
			length := o.round
			if n == 0 {
				length = o.warmUp
			}
			r, err := t.run(ctx, ops[i], length)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				all[i] = append(all[i], r)
			}
		}
	}
	medians := make([]round, len(servers))
	for i := range servers {
		medians[i] = median(all[i])
	}
	return medians, nil
}

// point is the result of an operation at a size.
type point struct {
	Size   size   `json:"size"`
	Engine string `json:"engine"`
	Name   string `json:"operation"`
	round
}

// growth measures the product on hospitals of several sizes.
func (o options) growth(ctx context.Context) error {
	var points []point
	for _, engine := range o.engines {
		for _, s := range o.scale {
			list, err := o.grown(ctx, engine, s)
			if err != nil {
				return fmt.Errorf("%s, %d appointments: %w", engine, s.Appointments, err)
			}
			points = append(points, list...)
		}
	}
	return o.reportGrowth(points)
}

// grown measures in the filled hospital itself, because a copy of ten million rows takes too long and the
// bookings are a thousandth of the data.
func (o options) grown(ctx context.Context, engine string, size size) (points []point, err error) {
	c := cache{o.cache, o.binary, o.server}
	d, err := c.hospital(ctx, engine, size)
	if err != nil {
		return nil, err
	}
	s, err := sampleOf(ctx, d)
	if err != nil {
		return nil, err
	}
	ours, err := serve(ctx, d, o.binary, "serve")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.process.Stop()) }()
	if err := ours.signIn(ctx, s); err != nil {
		return nil, err
	}
	ops := operations(s, s)
	if o.wants(checkIn) {
		rush, err := ours.rush(ctx, s, s)
		if err != nil {
			return nil, err
		}
		ops = append(ops, rush)
	}
	// Idempotency keys of earlier runs are stored for a day.
	ours.sent.Store(time.Now().UnixMilli() * 1000)
	for _, op := range ops {
		if !o.wants(op.name) {
			continue
		}
		medians, err := o.alternate(ctx, []operation{op}, []*target{ours.target})
		if err != nil {
			return nil, err
		}
		r := medians[0]
		fmt.Fprintf(os.Stderr, "%-11s %10d  %-28s %8.0f/s p50 %6.2f p95 %6.2f p99 %6.2f ms\n", engine, size.Appointments,
			op.name, r.Rate, r.P50, r.P95, r.P99)
		points = append(points, point{size, engine, op.name, r})
	}
	return points, nil
}
