package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"nadmor/test/product"
)

// seats is small, so that the clients contend.
const seats = 5

// crash kills the product repeatedly while sixteen clients write, and restarts it: no acknowledged write is
// lost, nothing is booked twice, and it is ready within three seconds.
func crash(ctx context.Context, out printer, storage product.Storage, binary string, times int) error {
	const clients, patients = 16, 500
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", patients),
		"--appointments=2000"); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, uint64(times))) //nolint:gosec // the same faults every time
	writes := newLedger()
	var k product.Clinic
	var slowest time.Duration
	for n := range times + 1 {
		p, err := product.Start(ctx, storage.Env(), binary, "serve")
		if err != nil {
			return fmt.Errorf("start after %d kills: %w", n, err)
		}
		if n > 0 {
			slowest = max(slowest, p.Ready)
		}
		c := product.NewClient(p.Base, clientTimeout)
		err = c.SignIn(ctx, "admin", "nadmor-demo")
		if err == nil && n == 0 {
			k, err = c.OpenClinic(ctx, "FAULTS", patients, 2*times, seats)
		}
		if err == nil && n == times {
			err = writes.check(ctx, c, storage)
		}
		if err != nil || n == times {
			if err = errors.Join(err, p.Stop()); err != nil {
				return fmt.Errorf("after %d kills: %w", n, err)
			}
			break
		}
		stop := writes.hold(ctx, 0, clients, n, k, c)
		pause(ctx, time.Duration(100+r.IntN(400))*time.Millisecond)
		p.Kill()
		stop()
		if n%10 == 9 {
			out.say("%s: %d kills, %d bookings and %d files acknowledged", storage.Engine(), n+1, len(writes.booked),
				len(writes.uploads))
		}
	}
	if err := product.Run(ctx, storage.Env(), binary, "verify"); err != nil {
		return err
	}
	if len(writes.booked) < times {
		return fmt.Errorf("only %d bookings in %d rounds: nothing was tried", len(writes.booked), times)
	}
	if writes.rejected == 0 {
		return errors.New("no slot was full: the clients did not contend")
	}
	if slowest > clientTimeout { // the printed time shows how fast it is on an idle machine
		return fmt.Errorf("ready again only after %s", slowest)
	}
	out.say("%s: %d kills under %d writers: %d bookings, %d files and their audit entries, 0 lost, 0 twice; %d full "+
		"slots refused; ready again within %.2f s",
		storage.Engine(), times, clients, len(writes.booked), len(writes.uploads), writes.rejected, slowest.Seconds())
	return nil
}
