// Command soak simulates the staff of a hospital, all signed in with their own connection and event stream,
// and checks that the product stays stable: no failures, and constant memory, goroutines and open files.
//
//	scripts/with-postgres go -C test run ./soak -staff 200 -for 10m
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

func main() {
	staff := flag.Int("staff", 200, "how many people work")
	length := flag.Duration("for", 10*time.Minute, "how long, on each database")
	think := flag.Duration("think", 2*time.Second, "average pause between two actions")
	patients := flag.Int("patients", 20_000, "patients of the hospital")
	appointments := flag.Int("appointments", 100_000, "appointments of the hospital")
	engine := flag.String("engine", "",
		"sqlite or postgres; when empty both, as far as NADMOR_TEST_POSTGRES names a server")
	flag.Parse()
	// A signal stops the product and removes its folder.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, load{
		staff: *staff, length: *length, think: *think, patients: *patients, appointments: *appointments, engine: *engine,
		say: func(line string) { fmt.Println(line) },
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, l load) error {
	return product.Built(ctx, func(dir, binary string) error { return l.onEach(ctx, dir, binary) })
}

// onEach runs the load on each database.
func (l load) onEach(ctx context.Context, dir, binary string) error {
	storages := []product.Storage{{Dir: filepath.Join(dir, "sqlite")}}
	if server := os.Getenv("NADMOR_TEST_POSTGRES"); server != "" {
		url, err := product.NewDatabase(ctx, server, "nadmor_soak")
		if err != nil {
			return err
		}
		storages = append(storages, product.Storage{Dir: filepath.Join(dir, "postgres"), URL: url})
	}
	if l.engine != "" {
		storages = slices.DeleteFunc(storages, func(p product.Storage) bool { return p.Engine() != l.engine })
	}
	if len(storages) == 0 {
		return fmt.Errorf("-engine %s: there is no such database here (NADMOR_TEST_POSTGRES names the server of postgres)",
			l.engine)
	}
	for _, storage := range storages {
		if err := l.on(ctx, storage, binary); err != nil {
			return fmt.Errorf("%s: %w", storage.Engine(), err)
		}
	}
	return nil
}
