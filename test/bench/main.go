// Command bench measures the product over HTTP next to the floor, a minimal server that runs the same
// statements, on both databases in one run, and next to PocketBase if that was built. It checks every
// response. See docs/performance.md for the method.
//
//	scripts/with-postgres --keep DIR .cache/bench/bench            the table
//	scripts/with-postgres --keep DIR .cache/bench/bench -scale …   growth
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

type options struct {
	binary, cache, out string
	pocketBase         string // path of the binary; empty for none
	server             string // of PostgreSQL
	engines            []string
	size               size
	scale              []size
	rounds             int
	round, warmUp      time.Duration
	only               string
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) == 2 && os.Args[1] == "floor" {
		return runFloor(ctx)
	}
	o := options{server: os.Getenv("NADMOR_TEST_POSTGRES")}
	engines := flag.String("engines", sqlite+","+postgres, "databases to measure on")
	scale := flag.String("scale", "", "numbers of appointments for growth, like 10000,200000,10000000")
	flag.StringVar(&o.binary, "binary", "bin/nadmor", "the product")
	flag.StringVar(&o.pocketBase, "pocketbase", "",
		"the program of test/bench/pocketbase; empty to measure without PocketBase")
	flag.StringVar(&o.cache, "cache", ".cache/bench", "where filled hospitals are kept")
	flag.StringVar(&o.out, "out", "docs/benchmarks", "where results are written; empty for nowhere")
	flag.IntVar(&o.size.Appointments, "appointments", 200_000, "appointments of the hospital")
	flag.IntVar(&o.size.Patients, "patients", 100_000, "patients of the hospital")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds of each operation; the median counts")
	flag.DurationVar(&o.round, "round", 3*time.Second, "length of a round")
	flag.DurationVar(&o.warmUp, "warm-up", time.Second, "length of the round before, which does not count")
	flag.StringVar(&o.only, "only", "", "only operations whose name has this in it")
	flag.Parse()
	o.engines = strings.Split(*engines, ",")
	for _, engine := range o.engines {
		if engine != sqlite && engine != postgres {
			return fmt.Errorf("-engines: %s is neither %s nor %s", engine, sqlite, postgres)
		}
	}
	if o.server == "" && slices.Contains(o.engines, postgres) {
		return errors.New("NADMOR_TEST_POSTGRES is not set: run through scripts/with-postgres --keep, with a database that " +
			"survives a power cut")
	}
	for _, path := range []*string{&o.binary, &o.cache, &o.pocketBase} {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.cache, 0o755); err != nil { //nolint:gosec // the database server's user looks into it
		return err
	}
	for n := range strings.FieldsFuncSeq(*scale, func(r rune) bool { return r == ',' || r == ' ' }) {
		appointments, err := strconv.Atoi(n)
		if err != nil {
			return fmt.Errorf("scale: %w", err)
		}
		o.scale = append(o.scale, size{appointments, min(appointments/2, 1_000_000)})
	}
	if len(o.scale) > 0 {
		return o.growth(ctx)
	}
	return o.table(ctx)
}

// wants reports whether an operation is selected.
func (o options) wants(name string) bool { return strings.Contains(name, o.only) }
