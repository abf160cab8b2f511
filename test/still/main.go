// Command still is the product with a stopped clock and cheap password hashes, for browser tests whose
// screens must not change from day to day. The product itself has no such options.
//
//	NADMOR_STILL=2026-11-16T09:40:00+07:00 .cache/nadmor-still serve --demo
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/command"
)

func main() { os.Exit(run()) }

func run() int {
	now, err := time.Parse(time.RFC3339, os.Getenv("NADMOR_STILL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "still: NADMOR_STILL must say what time it is:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return command.Run(ctx, command.Env{
		Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "still",
		Now: func() time.Time { return now }, Hasher: auth.NewCheapHasher(),
	})
}
