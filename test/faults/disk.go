package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"nadmor/test/product"
)

// errNoMount means that no file system can be mounted on this machine.
var errNoMount = errors.New("a small disk cannot be mounted here (root is needed)")

// disk fills the disk while clients write, on each database: writes are rejected with instructions, reads
// continue unless they need an audit entry, and everything recovers when there is space again.
func disk(ctx context.Context, out printer, dir, binary string, short bool) error {
	lite, err := newVolume(filepath.Join(dir, "disk-sqlite"), 48)
	if err != nil {
		return err
	}
	defer lite.unmount()
	if err := fullDisk(ctx, out, lite, product.Storage{Dir: filepath.Join(lite.dir, "data")}, binary, short); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	if err := fullStart(ctx, out, lite, binary, "data", "nadmor-demo"); err != nil {
		return fmt.Errorf("a hospital on a full disk: %w", err)
	}
	if err := fullStart(ctx, out, lite, binary, "new", "a password of ours"); err != nil {
		return fmt.Errorf("a new one on a full disk: %w", err)
	}
	if short {
		return nil // its own server takes too long for the tests
	}
	server, err := newVolume(filepath.Join(dir, "disk-postgres"), 256)
	if err != nil {
		return err
	}
	defer server.unmount()
	url, stop, err := ownPostgres(ctx, server.dir, filepath.Join(dir, "wal"))
	if err != nil {
		return err
	}
	defer stop()
	if url, err = product.NewDatabase(ctx, url, "nadmor"); err != nil {
		return err
	}
	if err := fullDisk(ctx, out, server, product.Storage{Dir: filepath.Join(server.dir, "data"), URL: url}, binary,
		short); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}

func fullDisk(ctx context.Context, out printer, vol *volume, storage product.Storage, binary string,
	short bool) (err error) {
	const writers, patients = 8, 300
	working := 3 * time.Second
	if short {
		working = time.Second
	}
	if err := product.Run(ctx, storage.Env(), binary, "demo", fmt.Sprint("--patients=", patients),
		"--appointments=500"); err != nil {
		return err
	}
	p, c, k, err := startClinic(ctx, storage.Env(), binary, patients, seats, clientTimeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	idle := product.NewClient(p.Base, clientTimeout)
	if err := idle.SignIn(ctx, "admin", "nadmor-demo"); err != nil {
		return err
	}
	// Their last request was a while ago, so the next one would update the session.
	db, err := storage.SQL()
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE sessions SET last_seen_at = last_seen_at - 600000`)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}

	writes := newLedger()
	stop := writes.hold(ctx, 0, writers, 0, k, c)
	defer stop()
	pause(ctx, working)
	rejected, reads, err := whileFull(ctx, vol, storage, c, idle, k)
	if err != nil {
		return err
	}
	out.say("%s: full; %d writes in a row refused, %d reads answered", storage.Engine(), rejected, reads)

	// There is space again, and nothing is restarted.
	if err := vol.free(); err != nil {
		return err
	}
	freed, r := time.Now(), rand.New(rand.NewPCG(3, 3)) //nolint:gosec // any seat
	var again time.Duration
	for again == 0 {
		err := c.Book(ctx, k.Seat(r, "after", false), nil)
		if err == nil {
			again = time.Since(freed)
		} else if time.Since(freed) > 10*time.Second {
			return fmt.Errorf("ten seconds after there is space again: %w", err)
		}
		pause(ctx, 20*time.Millisecond)
	}
	if _, err := mustAnswer(ctx, c, 5*time.Second, patientRead); err != nil {
		return err
	}
	pause(ctx, working)
	stop()
	if err := writes.check(ctx, c, storage); err != nil {
		return err
	}
	if err := product.Run(ctx, storage.Env(), binary, "verify"); err != nil {
		return err
	}
	if len(writes.booked) < 20 {
		return fmt.Errorf("only %d bookings: nothing was tried", len(writes.booked))
	}
	out.say("%s on a full disk: %d writes refused with what to do, %d reads answered, patients' records refused as they "+
		"cannot be noted; again %.2f s after there is space; %d bookings and %d files, 0 lost",
		storage.Engine(), rejected, reads, again.Seconds(), len(writes.booked), len(writes.uploads))
	return nil
}

// fullStart starts the product on a full disk, with and without data: it stops at once with a message, and
// starts when there is space, without repairs.
func fullStart(ctx context.Context, out printer, vol *volume, binary, folder, password string) error {
	storage := product.Storage{Dir: filepath.Join(vol.dir, folder)}
	env := append(storage.Env(), "NADMOR_ADMIN_PASSWORD="+password)
	for range 2 { // the first must not affect the second
		if err := vol.fill(); err != nil {
			return err
		}
		p, err := product.Start(ctx, env, binary, "serve")
		if err == nil {
			return errors.Join(errors.New("it starts"), p.Stop())
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 ||
			!strings.Contains(err.Error(), "The disk is full.") {
			return fmt.Errorf("it does not say what is wrong: %w", err)
		}
	}
	if err := vol.free(); err != nil {
		return err
	}
	p, err := product.Start(ctx, env, binary, "serve")
	if err != nil {
		return fmt.Errorf("there is space again: %w", err)
	}
	err = product.NewClient(p.Base, clientTimeout).SignIn(ctx, "admin", password)
	if err := errors.Join(err, p.Stop(), product.Run(ctx, env, binary, "verify")); err != nil {
		return fmt.Errorf("there is space again: %w", err)
	}
	out.say("sqlite, %s: not started on a full disk, with what to do; started when there was space", folder)
	return nil
}

// whileFull fills the disk until nothing can be written, and tries every kind of request.
func whileFull(ctx context.Context, vol *volume, storage product.Storage, c, idle *product.Client,
	k product.Clinic) (rejected, reads int, err error) {
	const inARow = 50
	r := rand.New(rand.NewPCG(2, 2)) //nolint:gosec // any seats
	began := time.Now()
	for row := 0; row < inARow; {
		if err := vol.fill(); err != nil {
			return 0, 0, err
		}
		err := c.Book(ctx, k.Seat(r, "full", false), nil)
		var answer *product.RejectedError
		switch {
		case full(err):
			row++
			rejected++
		case err == nil, errors.As(err, &answer) && answer.Status == http.StatusConflict: // free pages were left
			row = 0
		default:
			return 0, 0, fmt.Errorf("booking on a full disk: %w", err)
		}
		if time.Since(began) > time.Minute {
			return 0, 0, errors.New("the disk is full for a minute, and still something can be written")
		}
	}
	for _, client := range []*product.Client{c, idle} {
		n, err := mustAnswer(ctx, client, 5*time.Second, plainReads...)
		if err != nil {
			return 0, 0, fmt.Errorf("on a full disk: %w", err)
		}
		reads += n
	}
	anonymous := product.NewClient(c.Base, clientTimeout)
	for name, call := range map[string]func() error{
		patientRead.name: func() error { return readAndNoted(ctx, storage, c) },
		"sign-in":        func() error { return anonymous.SignIn(ctx, "admin", "nadmor-demo") },
		"upload": func() error {
			return c.Upload(ctx, "/admin/api/v1/appointment/result/create/1",
				map[string]string{"type": "LAB", "diagnosis": "ผล"}, "a.pdf", "application/pdf", []byte(product.PDF), nil)
		},
		"picture": func() error {
			return c.Upload(ctx, "/admin/api/v1/media-file/upload/logo", nil, "logo.png", "image/png", picture(64, 64), nil)
		},
	} {
		// PostgreSQL may have free space in its pages for a while.
		var err error
		took := time.Duration(0)
		for range 500 {
			began := time.Now()
			err = call()
			took = time.Since(began)
			if err != nil {
				break
			}
		}
		if !full(err) || took > 5*time.Second {
			return 0, 0, fmt.Errorf("%s on a full disk, after %.1f s: %w", name, took.Seconds(),
				errors.Join(err, errors.New("not refused as it should be")))
		}
		rejected++
	}
	return rejected, reads, nil
}

// readAndNoted reads a patient and requires its audit entry.
func readAndNoted(ctx context.Context, storage product.Storage, c *product.Client) error {
	const shown = `SELECT count(*) FROM audit_entries WHERE action = 'patient.read'`
	before, err := storage.Ints(ctx, shown)
	if err != nil {
		return err
	}
	if err := c.Call(ctx, patientRead.method, patientRead.path, nil, nil); err != nil {
		return err
	}
	after, err := storage.Ints(ctx, shown)
	if err == nil && after[0] <= before[0] {
		err = errors.New("a patient's record was shown without a note")
	}
	return err
}

// full reports whether an error is that of a full disk, in Thai.
func full(err error) bool {
	return rejectedAs(err, http.StatusServiceUnavailable, "UNAVAILABLE", "พื้นที่จัดเก็บข้อมูลของระบบเต็ม")
}

// volume is a small file system.
type volume struct {
	dir     string
	ballast *os.File
}

func newVolume(dir string, megabytes int) (*volume, error) {
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // PostgreSQL runs as another user
		return nil, err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0755", megabytes)); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoMount, err)
	}
	return &volume{dir: dir}, nil
}

func (v *volume) unmount() {
	_ = v.free() // removed as a whole
	_ = syscall.Unmount(v.dir, syscall.MNT_DETACH)
}

// fill uses up the free space.
func (v *volume) fill() (err error) {
	if v.ballast == nil {
		if v.ballast, err = os.Create(filepath.Join(v.dir, "ballast")); err != nil {
			return err
		}
	}
	for block := make([]byte, 4096); ; {
		if _, err := v.ballast.Write(block); errors.Is(err, syscall.ENOSPC) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// free releases it.
func (v *volume) free() error {
	if v.ballast == nil {
		return nil
	}
	defer func() { v.ballast = nil }()
	return errors.Join(v.ballast.Close(), os.Remove(v.ballast.Name()))
}

// ownPostgres runs a server with its data in a folder. Its log is elsewhere, because a server that cannot
// write its log stops.
func ownPostgres(ctx context.Context, dir, wal string) (address string, stop func(), err error) {
	bin, err := needed(ctx, "postgresql")
	if err != nil {
		return "", nil, err
	}
	addr, err := product.FreeAddress(ctx)
	if err != nil {
		return "", nil, err
	}
	user, err := credential()
	if err != nil {
		return "", nil, err
	}
	attr, data := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Credential: user}, filepath.Join(dir, "postgres")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Mkdir(wal, 0o700)); err != nil {
		return "", nil, err
	}
	if user != nil {
		for _, folder := range []string{data, wal, filepath.Dir(wal)} {
			if err := os.Chown(folder, int(user.Uid), int(user.Gid)); err != nil {
				return "", nil, err
			}
		}
	}
	var log bytes.Buffer
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...) //nolint:gosec,noctx // from scripts/need; ended by stop
		cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = dir, attr, &log, &log
		return cmd
	}
	if err := command("initdb", "--pgdata", data, "--waldir", wal, "--username", "postgres", "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync").Run(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w: %s", err, log.String())
	}
	_, port, _ := bytes.Cut([]byte(addr), []byte(":"))
	server := command("postgres", "-D", data, "-p", string(port), "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories=", "-c", "shared_buffers=32MB")
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		_ = server.Wait() // its data is removed as well
	}
	address = "postgres://postgres@" + addr + "/postgres?sslmode=disable"
	for range 300 {
		if _, err = (product.Storage{URL: address}).Ints(ctx, `SELECT 1`); err == nil {
			return address, stop, nil
		}
		pause(ctx, 50*time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("PostgreSQL does not start: %w: %s", err, log.String())
}
