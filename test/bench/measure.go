package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"nadmor/test/product"
)

// line is one operation on one database.
type line struct {
	Operation string `json:"operation"`
	Engine    string `json:"engine"`
	Product   round  `json:"product"`
	Floor     round  `json:"floor,omitzero"`
	// Share is the product's rate as a part of the floor's.
	Share float64 `json:"share,omitempty"`
}

// footprint is what a server took beside time.
type footprint struct {
	Engine      string  `json:"engine"`
	Ready       float64 `json:"readySeconds"` // from its start until it answered
	Idle        float64 `json:"idleMB"`
	IdleOwn     float64 `json:"idleOwnMB"` // without the pages of files
	AfterAll    float64 `json:"afterMB"`
	AfterAllOwn float64 `json:"afterOwnMB"`
}

// under is a server that runs.
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

// table measures every operation on product and floor, a round of one after a
// round of the other, so that what else happens on the machine meets both.
func (o options) table(ctx context.Context) error {
	var lines []line
	var prints []footprint
	for _, engine := range o.engines {
		l, f, err := o.engine(ctx, engine)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		lines, prints = append(lines, l...), append(prints, f)
	}
	return o.report(lines, prints)
}

func (o options) engine(ctx context.Context, engine string) (lines []line, f footprint, err error) {
	c := cache{o.cache, o.binary, o.server}
	filled, err := c.hospital(ctx, engine, o.size)
	if err != nil {
		return nil, f, err
	}
	home, err := c.copy(ctx, filled, o.size, "product")
	if err != nil {
		return nil, f, err
	}
	defer func() { err = errors.Join(err, c.drop(ctx, home)) }()
	theirs, err := c.copy(ctx, filled, o.size, "floor")
	if err != nil {
		return nil, f, err
	}
	defer func() { err = errors.Join(err, c.drop(ctx, theirs)) }()
	s, err := sampleOf(ctx, home)
	if err != nil {
		return nil, f, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, f, err
	}
	before, err := home.visits(ctx)
	if err != nil {
		return nil, f, err
	}
	ours, err := serve(ctx, home, o.binary, "serve")
	if err != nil {
		return nil, f, err
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
		return nil, f, err
	}
	defer func() { err = errors.Join(err, bare.process.Stop()) }()

	f = footprint{Engine: engine, Ready: ours.process.Ready.Seconds()}
	f.Idle, f.IdleOwn = ours.process.Memory()
	if err := ours.signIn(ctx); err != nil {
		return nil, f, err
	}
	ops := operations(s)
	both := make([][2]operation, len(ops))
	for i, op := range ops {
		both[i] = [2]operation{op, op}
	}
	if o.wants(checkIn) {
		a, err := ours.rush(ctx, s)
		if err != nil {
			return nil, f, err
		}
		b, err := bare.rush(ctx, s)
		if err != nil {
			return nil, f, err
		}
		both = append(both, [2]operation{a, b})
	}
	for _, pair := range both {
		if !o.wants(pair[0].name) {
			continue
		}
		rounds, err := o.rounds2(ctx, pair, ours.target, bare.target)
		if err != nil {
			return nil, f, err
		}
		l := line{Operation: pair[0].name, Engine: engine, Product: rounds[0], Floor: rounds[1], Share: rounds[0].Rate / rounds[1].Rate}
		fmt.Fprintf(os.Stderr, "%-11s %-28s %8.0f/s p95 %6.2f ms   floor %8.0f/s p95 %6.2f ms   %.2f\n", engine, l.Operation, l.Product.Rate, l.Product.P95, l.Floor.Rate, l.Floor.P95, l.Share)
		lines = append(lines, l)
	}
	f.AfterAll, f.AfterAllOwn = ours.process.Memory()
	return lines, f, nil
}

// exact counts what was booked, and has the product verify itself: a fast
// answer that is not true counts for nothing.
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

// visits counts the appointments.
func (d database) visits(ctx context.Context) (int64, error) {
	n, err := d.place().Ints(ctx, `SELECT count(*) FROM appointments`)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// rounds2 takes turns between two servers and returns the median of each.
func (o options) rounds2(ctx context.Context, ops [2]operation, targets ...*target) (medians [2]round, err error) {
	var all [2][]round
	for n := range o.rounds + 1 {
		for i, t := range targets {
			length := o.round
			if n == 0 {
				length = o.warmUp
			}
			r, err := t.run(ctx, ops[i], length)
			if err != nil {
				return medians, err
			}
			if n > 0 {
				all[i] = append(all[i], r)
			}
		}
	}
	for i := range targets {
		medians[i] = median(all[i])
	}
	return medians, nil
}

// point is one operation at one size.
type point struct {
	Size   size   `json:"size"`
	Engine string `json:"engine"`
	Name   string `json:"operation"`
	round
}

// growth measures the product alone on hospitals of several sizes.
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

// grown measures in the filled hospital itself: a copy of ten million is not
// worth its time, and what is booked is a thousandth of what is there.
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
	if err := ours.signIn(ctx); err != nil {
		return nil, err
	}
	ops := operations(s)
	if o.wants(checkIn) {
		rush, err := ours.rush(ctx, s)
		if err != nil {
			return nil, err
		}
		ops = append(ops, rush)
	}
	// Keys of earlier runs are kept for a day.
	ours.sent.Store(time.Now().UnixMilli() * 1000)
	for _, op := range ops {
		if !o.wants(op.name) {
			continue
		}
		medians, err := o.rounds2(ctx, [2]operation{op}, ours.target)
		if err != nil {
			return nil, err
		}
		r := medians[0]
		fmt.Fprintf(os.Stderr, "%-11s %10d  %-28s %8.0f/s p50 %6.2f p95 %6.2f p99 %6.2f ms\n", engine, size.Appointments, op.name, r.Rate, r.P50, r.P95, r.P99)
		points = append(points, point{size, engine, op.name, r})
	}
	return points, nil
}
