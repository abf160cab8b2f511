package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"nadmor/test/product"
)

// replica simulates the loss of a machine: Litestream replicates the SQLite database while sixteen clients
// write, both are killed, and only the copy is left, with the files and the key, which are stored elsewhere.
// The copy is consistent, lacks only the last seconds, and is usable.
func replica(ctx context.Context, out printer, dir, binary string, writing time.Duration) error {
	const clients, patients, allowed = 16, 500, 5 * time.Second
	litestream, err := needed(ctx, "litestream")
	if err != nil {
		return err
	}
	storage, copied := product.Storage{Dir: filepath.Join(dir, "lost")}, filepath.Join(dir, "replica")
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", patients),
		"--appointments=2000"); err != nil {
		return err
	}
	p, c, k, err := startClinic(ctx, storage.Env(), binary, patients, seats, clientTimeout)
	if err != nil {
		return err
	}
	stop, err := replicate(ctx, litestream, filepath.Join(storage.Dir, "nadmor.db"), copied)
	if err != nil {
		return errors.Join(err, p.Stop())
	}
	writes := newLedger()
	rest := writes.hold(ctx, 0, clients, 7, k, c)
	pause(ctx, writing+time.Duration(rand.IntN(1000))*time.Millisecond) //nolint:gosec // anywhere between two copies
	failed := stop()
	p.Kill()
	lost := time.Now()
	rest()
	if failed != nil {
		return fmt.Errorf("litestream: %w", failed)
	}

	// On another machine.
	again := product.Storage{Dir: filepath.Join(dir, "again")}
	if err := os.MkdirAll(again.Dir, 0o700); err != nil {
		return err
	}
	//nolint:gosec // from scripts/need
	restore := exec.CommandContext(ctx, litestream, "restore", "-o",
		filepath.Join(again.Dir, "nadmor.db"), "file://"+copied)
	if text, err := restore.CombinedOutput(); err != nil {
		return fmt.Errorf("litestream restore: %w: %s", err, text)
	}
	took := time.Since(lost)
	key, err := os.ReadFile(filepath.Join(storage.Dir, "secret"))
	if err != nil {
		return err
	}
	//nolint:gosec // folders of ours
	if err := errors.Join(os.WriteFile(filepath.Join(again.Dir, "secret"), key, 0o600),
		os.CopyFS(filepath.Join(again.Dir, "files"), os.DirFS(filepath.Join(storage.Dir, "files")))); err != nil {
		return err
	}
	if err := product.Run(ctx, again.Env(), binary, "verify"); err != nil {
		return err
	}
	gone, missing, err := writes.lostIn(ctx, again, lost)
	if err != nil {
		return err
	}
	if len(writes.booked) < 100 || len(writes.booked) == missing {
		return fmt.Errorf("%d bookings, %d missing: nothing was tried", len(writes.booked), missing)
	}
	if gone > allowed {
		return fmt.Errorf("the last %.1f s are lost, %d of %d bookings", gone.Seconds(), missing, len(writes.booked))
	}
	p, err = product.Start(ctx, again.Env(), binary, "serve")
	if err != nil {
		return err
	}
	c = product.NewClient(p.Base, clientTimeout)
	if err := errors.Join(c.SignIn(ctx, "admin", "nadmor-demo"), p.Stop()); err != nil {
		return err
	}
	out.say("sqlite with Litestream, machine lost under %d writers: %d bookings acknowledged, the last %.1f s (%d of "+
		"them) lost, the rest in order; restored in %.1f s",
		clients, len(writes.booked), gone.Seconds(), missing, took.Seconds())
	return nil
}

// lostIn returns how many acknowledged writes are missing, and the age of the last booking that is not.
func (l *ledger) lostIn(ctx context.Context, storage product.Storage,
	end time.Time) (gone time.Duration, missing int, err error) {
	ids, err := storage.Ints(ctx, `SELECT id FROM appointments WHERE reason LIKE 'fault-%'`)
	if err != nil {
		return 0, 0, err
	}
	last, err := storage.Ints(ctx, `SELECT coalesce(max(created_at), 0) FROM appointments WHERE reason LIKE 'fault-%'`)
	if err != nil {
		return 0, 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) > 0 {
		return 0, 0, fmt.Errorf("answers that should not be: %v", l.failures)
	}
	slices.Sort(ids)
	for key, id := range l.booked {
		if _, found := slices.BinarySearch(ids, id); !found {
			missing++
			if len(ids) > 0 && id < ids[len(ids)-1] { // a single writer: ids are in the order of commits
				return 0, 0, fmt.Errorf("booking %s is missing, and later ones are there", key)
			}
		}
	}
	return end.Sub(time.UnixMilli(last[0])), missing, nil
}

// replicate starts Litestream and waits for the first copy. stop kills it.
func replicate(ctx context.Context, litestream, database, copied string) (stop func() error, err error) {
	config := filepath.Join(filepath.Dir(copied), "litestream.yml")
	text := fmt.Sprintf("dbs:\n  - path: %s\n    replica:\n      type: file\n      path: %s\n      sync-interval: 1s\n",
		database, copied)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, litestream, "replicate", "-config", config) //nolint:gosec // from scripts/need
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	stop = func() error {
		select {
		case err := <-exited:
			return fmt.Errorf("it ended: %w: %s", err, log.String())
		default:
		}
		_ = cmd.Process.Kill() // may have ended
		<-exited
		return nil
	}
	for range 600 {
		if found, _ := filepath.Glob(filepath.Join(copied, "ltx", "*", "*.ltx")); len(found) > 0 {
			return stop, nil
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil, errors.Join(errors.New("litestream copies nothing"), stop())
}
