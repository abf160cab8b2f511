package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/command"
	"nadmor/internal/hospital"
	"nadmor/test/product"
)

// clock sets the server's clock forward and back, and over the ends of days and years, on each database. The
// product runs in this process, where its clock can be set.
func clock(ctx context.Context, out printer, dir, _ string, short bool) error {
	storages := []product.Storage{{Dir: filepath.Join(dir, "clock-sqlite")}}
	if server := os.Getenv("NADMOR_TEST_POSTGRES"); server != "" {
		url, err := product.NewDatabase(ctx, server, "nadmor_clock")
		if err != nil {
			return err
		}
		storages = append(storages, product.Storage{Dir: filepath.Join(dir, "clock-postgres"), URL: url})
	} else if !short {
		return errors.New("NADMOR_TEST_POSTGRES is not set: run through scripts/with-postgres")
	}
	var wg sync.WaitGroup
	hospitals, failed := make([]*clockHospital, len(storages)), make([]error, len(storages))
	for i, storage := range storages {
		hospitals[i] = &clockHospital{ctx: ctx, storage: storage, now: time.Date(2026, 11, 16, 9, 0, 0, 0, hospital.Bangkok)}
		wg.Go(func() { failed[i] = hospitals[i].run() })
	}
	wg.Wait()
	for i, h := range hospitals {
		if failed[i] != nil {
			return fmt.Errorf("%s, at %s: %w", h.storage.Engine(), h.Now().In(hospital.Bangkok).Format(time.DateTime), failed[i])
		}
		out.say("clock: %s: %d steps of the clock; %d things looked at, none lived too long, shifted or got stuck",
			h.storage.Engine(), h.steps, h.looks)
	}
	return nil
}

// clockHospital is a hospital with an adjustable clock.
type clockHospital struct {
	ctx          context.Context
	storage      product.Storage
	mu           sync.Mutex
	now          time.Time
	steps, looks int
	base         string
}

// Now returns the time of the clock.
func (h *clockHospital) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// set sets the clock.
func (h *clockHospital) set(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = t
	h.steps++
}

// nadmor runs a command in this process.
func (h *clockHospital) nadmor(ctx context.Context, ready func(string), args ...string) error {
	var output bytes.Buffer
	env := append(h.storage.Env(), "NADMOR_ADDR=127.0.0.1:0", "NADMOR_LOG=error")
	if code := command.Run(ctx, command.Env{
		Args: args, Environ: env, Stdout: &output, Stderr: &output, Version: "faults", Now: h.Now,
		Hasher: auth.NewCheapHasher(), Ready: ready,
	}); code != 0 {
		return fmt.Errorf("nadmor %s ended with %d: %s", args[0], code, output.String())
	}
	return nil
}

func (h *clockHospital) run() (err error) {
	if err := h.nadmor(h.ctx, nil, "demo", "--patients=200", "--appointments=3000"); err != nil {
		return err
	}
	serving, stop := context.WithCancel(h.ctx)
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- h.nadmor(serving, func(addr string) { ready <- addr }, "serve") }()
	defer func() {
		stop()
		if err = errors.Join(err, <-ended); err == nil {
			err = h.nadmor(h.ctx, nil, "verify")
		}
	}()
	select {
	case addr := <-ready:
		h.base = "http://" + addr
	case err := <-ended:
		ended <- nil
		return err
	}
	for _, look := range []struct {
		name string
		fn   func(start time.Time) error
	}{
		{"slots", h.slots}, {"no-shows", h.noShows}, {"sessions", h.sessions}, {"lockouts", h.lockouts},
		{"one-time codes", h.codes}, {"links", h.links},
		{"idempotency keys", h.keys}, {"jobs", h.jobs}, {"midnight", h.midnight}, {"29 February", h.leapDay},
		{"eras", h.eras},
	} {
		if err := look.fn(h.Now()); err != nil {
			return fmt.Errorf("%s: %w", look.name, err)
		}
		h.looks++
		h.set(time.Date(2026, 11, 16, 9, 0, 0, 0, hospital.Bangkok).Add(time.Duration(h.looks) * time.Minute))
	}
	return nil
}

const day = 24 * time.Hour

// in returns a client that has just signed in.
func (h *clockHospital) in(username string) (*product.Client, error) {
	c := product.NewClient(h.base, clientTimeout)
	err := c.SignIn(h.ctx, username, "nadmor-demo")
	return c, err
}

// at sets the clock and reports whether the client's session is valid.
func (h *clockHospital) at(t time.Time, c *product.Client) bool {
	h.set(t)
	return c.Call(h.ctx, http.MethodGet, "/admin/api/v1.0/auth/me", nil, nil) == nil
}
