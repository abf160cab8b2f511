// Nadmor (นัดหมอ) is the back office of a hospital's appointments: one binary
// that serves the API and the app.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"nadmor/internal/command"
)

// version is set when the binary is built.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, command.Env{
		Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version,
	})
	stop()
	os.Exit(code)
}
