// Command soak has a hospital's staff work for a while, all signed in, each with
// its own connection and live updates, and looks whether the product stays as it
// was: no failure, memory, goroutines and open files flat.
//
//	scripts/with-postgres go run ./test/soak -staff 200 -for 10m
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"nadmor/test/product"
)

func main() {
	staff := flag.Int("staff", 200, "how many people work")
	length := flag.Duration("for", 10*time.Minute, "how long, on each database")
	think := flag.Duration("think", 2*time.Second, "what somebody waits between two things, on average")
	patients := flag.Int("patients", 20_000, "patients of the hospital")
	appointments := flag.Int("appointments", 100_000, "appointments of the hospital")
	engine := flag.String("engine", "", "sqlite or postgres; both when empty")
	flag.Parse()
	if err := run(context.Background(), load{staff: *staff, length: *length, think: *think, patients: *patients, appointments: *appointments, engine: *engine, say: func(line string) { fmt.Println(line) }}); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, l load) error {
	return product.Built(ctx, func(dir, binary string) error { return l.onEach(ctx, dir, binary) })
}

// onEach has the staff work on each database.
func (l load) onEach(ctx context.Context, dir, binary string) error {
	places := []product.Place{{Dir: filepath.Join(dir, "sqlite")}}
	if server := os.Getenv("NADMOR_TEST_POSTGRES"); server != "" {
		url, err := product.NewDatabase(ctx, server, "nadmor_soak")
		if err != nil {
			return err
		}
		places = append(places, product.Place{Dir: filepath.Join(dir, "postgres"), URL: url})
	}
	for _, place := range places {
		if l.engine != "" && place.Engine() != l.engine {
			continue
		}
		if err := l.on(ctx, place, binary); err != nil {
			return fmt.Errorf("%s: %w", place.Engine(), err)
		}
	}
	return nil
}
