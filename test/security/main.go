// Command security attacks a running product. Each attack prints its result last and fails if the product is
// vulnerable. The short forms run in `make test-long`.
//
//	go -C test run ./security requests -n 1000000 -seed 1
//	go -C test run ./security anonymous -samples 300
//	go -C test run ./security scanners (needs sqlmap and wapiti)
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"nadmor/test/product"
)

func main() {
	// A signal stops all processes and prints the findings so far.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "security:", err)
		os.Exit(1)
	}
}

// attack is an attack on the product at a URL.
type attack interface {
	run(ctx context.Context) error
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: security requests|anonymous|scanners [flags]")
	}
	say := func(line string) { fmt.Println(line) }
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	return product.Built(ctx, func(dir, binary string) error {
		storages := []product.Storage{{Dir: filepath.Join(dir, "data")}}
		var of func(base string) (attack, error)
		switch args[0] {
		case "requests":
			n := flags.Int("n", 1_000_000, "how many requests")
			seed := flags.Uint64("seed", 1, "the same number makes the same requests")
			of = func(base string) (attack, error) {
				calls, err := readDocument(ctx, base)
				return &requests{base: base, calls: calls, total: *n, clients: 8, seed: *seed, say: say}, err
			}
		case "anonymous":
			guesses := flags.Int("guesses", 500, "at one account, many at once")
			samples := flags.Int("samples", 300, "of each answer whose time is compared")
			of = func(base string) (attack, error) {
				return &anonymousClients{base: base, guesses: *guesses, samples: *samples, say: say}, nil
			}
		case "scanners":
			level, risk := flags.String("level", "2", "of sqlmap"), flags.String("risk", "2", "of sqlmap")
			sqlmap, err1 := exec.LookPath("sqlmap")
			wapiti, err2 := exec.LookPath("wapiti")
			if err := errors.Join(err1, err2); err != nil {
				return fmt.Errorf("%w (scripts/need sqlmap wapiti installs them)", err)
			}
			of = func(base string) (attack, error) {
				work, err := os.MkdirTemp(dir, "scan")
				return &scanners{dir: work, base: base, sqlmap: sqlmap, wapiti: wapiti, level: *level, risk: *risk, say: say}, err
			}
			// The two databases parse SQL differently.
			if server := os.Getenv("NADMOR_TEST_POSTGRES"); server != "" {
				address, err := product.NewDatabase(ctx, server, "nadmor_scanned")
				if err != nil {
					return err
				}
				storages = append(storages, product.Storage{Dir: filepath.Join(dir, "other"), URL: address})
			}
		default:
			return fmt.Errorf("there is no %q", args[0])
		}
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		for _, storage := range storages {
			if err := against(ctx, storage, binary, of); err != nil {
				return fmt.Errorf("%s: %w", storage.Engine(), err)
			}
		}
		return nil
	})
}

// against attacks a small hospital and verifies it afterwards.
func against(ctx context.Context, storage product.Storage, binary string, of func(base string) (attack, error)) error {
	if err := product.Run(ctx, storage.Env(), binary, "demo", "--patients=200", "--appointments=1000"); err != nil {
		return err
	}
	p, err := product.Start(ctx,
		append(storage.Env(), "NADMOR_TRUSTED_PROXIES=127.0.0.1/32", "NADMOR_PUBLIC_URL=https://nadmor.example"), binary,
		"serve")
	if err != nil {
		return err
	}
	attack, err := of(p.Base)
	if err == nil {
		err = attack.run(ctx)
	}
	if err = errors.Join(err, p.Stop()); err != nil {
		return fmt.Errorf("%w\n%.2000s", err, p.Log())
	}
	return product.Run(ctx, storage.Env(), binary, "verify")
}
