// Command security attacks a running product. Each attack is a program that
// prints its figure last and fails when it does not hold; the short forms run in
// `make test`.
//
//	go run ./test/security requests -n 1000000 -seed 1
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"nadmor/test/product"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "security:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "requests" {
		return errors.New("usage: security requests [-n N] [-seed S]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	n := flags.Int("n", 1_000_000, "how many requests")
	seed := flags.Uint64("seed", 1, "the same number makes the same requests")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	q := &requests{total: *n, clients: 8, seed: *seed, say: func(line string) { fmt.Println(line) }}
	return product.Built(ctx, func(dir, binary string) error {
		return attack(ctx, product.Place{Dir: filepath.Join(dir, "data")}, binary, q)
	})
}

// attack sends the requests to a small hospital, which verifies afterwards.
func attack(ctx context.Context, place product.Place, binary string, q *requests) error {
	if err := product.Run(ctx, place.Env(), binary, "demo", "--patients=200", "--appointments=1000"); err != nil {
		return err
	}
	p, err := product.Start(ctx, append(place.Env(), "NADMOR_TRUSTED_PROXIES=127.0.0.1/32"), binary, "serve")
	if err != nil {
		return err
	}
	q.base = p.Base
	if q.calls, err = readDocument(ctx, p.Base); err == nil {
		err = q.run(ctx)
	}
	if err = errors.Join(err, p.Stop()); err != nil {
		return fmt.Errorf("%w\n%.2000s", err, p.Log())
	}
	return product.Run(ctx, place.Env(), binary, "verify")
}
