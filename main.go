// Nadmor (นัดหมอ) is an appointment system for hospitals: one binary that serves the API and the web app.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"nadmor/internal/command"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, command.Env{
		Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version,
	})
	stop()
	os.Exit(code)
}
