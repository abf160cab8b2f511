package main

import (
	"context"
	"errors"
	"time"

	"nadmor/test/product"
)

// clientTimeout is the timeout of a client: longer than the product takes to report an error.
const clientTimeout = 20 * time.Second

// startClinic starts the product on a sample hospital, signs in, and opens a clinic of four hundred days with
// the given capacity per slot. waits is the timeout of the client.
func startClinic(ctx context.Context, env []string, binary string, patients int64, capacity int,
	waits time.Duration) (p *product.Process, c *product.Client, k product.Clinic, err error) {
	if p, err = product.Start(ctx, env, binary, "serve"); err != nil {
		return nil, nil, k, err
	}
	c = product.NewClient(p.Base, waits)
	if err = c.SignIn(ctx, "admin", "nadmor-demo"); err == nil {
		k, err = c.OpenClinic(ctx, "FAULTS", patients, 400, capacity)
	}
	if err != nil {
		return nil, nil, k, errors.Join(err, p.Stop())
	}
	return p, c, k, nil
}
