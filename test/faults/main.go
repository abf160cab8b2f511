// Command faults injects faults into the product and checks the result. Each fault prints its measurement
// last and fails if it exceeds its limit. The short forms run in `make test-long`.
//
//	scripts/with-postgres go -C test run ./faults crash -times 100
//	go -C test run ./faults replica -seconds 30
//	go -C test run ./faults disk
//	scripts/with-postgres go -C test run ./faults clock
//	go -C test run ./faults clients
//	go -C test run ./faults outside
//	go -C test run ./faults failover
//	go -C test run ./faults network
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"nadmor/test/product"
)

// printer prints the progress of a fault.
type printer func(string)

func (p printer) say(format string, args ...any) { p(fmt.Sprintf(format, args...)) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // also ends the servers
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && hostile[args[0]] != nil {
		return runHostile(ctx, args[0], args[1:])
	}
	if len(args) == 0 || !slices.Contains([]string{"crash", "replica", "failover", "network"}, args[0]) {
		return fmt.Errorf("usage: faults crash [-times N] | replica [-seconds N] | failover | network | disk | clock | " +
			"clients | outside [-short]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	times := flags.Int("times", 100, "how often the product is killed")
	seconds := flags.Int("seconds", 30, "how long is written before the machine is lost")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	out := printer(func(line string) { fmt.Println(line) })
	return product.Built(ctx, func(dir, binary string) error {
		switch args[0] {
		case "replica":
			return replica(ctx, out, dir, binary, time.Duration(*seconds)*time.Second)
		case "failover":
			return failover(ctx, out, dir, binary)
		case "network":
			return network(ctx, out, dir, binary, false)
		}
		return crashOnEach(ctx, out, dir, binary, *times)
	})
}

// crashOnEach crashes the product on each database.
func crashOnEach(ctx context.Context, out printer, dir, binary string, times int) error {
	if err := crash(ctx, out, product.Storage{Dir: filepath.Join(dir, "sqlite")}, binary, times); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	server := os.Getenv("NADMOR_TEST_POSTGRES")
	if server == "" {
		return fmt.Errorf("NADMOR_TEST_POSTGRES is not set: run through scripts/with-postgres")
	}
	url, err := product.NewDatabase(ctx, server, "nadmor_faults")
	if err != nil {
		return err
	}
	if err := crash(ctx, out, product.Storage{Dir: filepath.Join(dir, "postgres"), URL: url}, binary, times); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}
