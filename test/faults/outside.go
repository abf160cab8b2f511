package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"nadmor/internal/files/filestest"
	"nadmor/test/product"
)

// answerWithin is the maximum response time if a server does not answer.
const answerWithin = 20 * time.Second

// outside blocks the servers that the product uses, S3 and SMTP, in different ways: requests that need them
// fail in time, others are not affected, and everything recovers by itself, with every mail sent once.
func outside(ctx context.Context, out printer, dir, binary string, short bool) (err error) {
	const patients = 300
	host, bucket, err := filestest.NewBucket(ctx)
	if err != nil {
		return err
	}
	defer func() { filestest.Stop() }()
	store, err := newGate(ctx, host)
	if err != nil {
		return err
	}
	defer store.close() //nolint:errcheck // nothing is lost
	mail, err := newPost(ctx)
	if err != nil {
		return err
	}
	defer mail.stop()

	storage := product.Storage{Dir: filepath.Join(dir, "data")}
	env := append(storage.Env(), "NADMOR_FILES_URL="+filestest.Address(store.addr, bucket),
		"NADMOR_SMTP_URL=smtp://"+mail.gate.addr+"?from=nadmor@hospital.example")
	if err := product.Run(ctx, env, binary, "demo", fmt.Sprint("--patients=", patients),
		"--appointments=500"); err != nil {
		return err
	}
	p, c, k, err := startClinic(ctx, env, binary, patients, seats, time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	w := &bucketTest{ctx: ctx, c: c, k: k, writes: newLedger()}
	if err := w.keepFile(); err != nil {
		return fmt.Errorf("before anything happened: %w", err)
	}

	modes := map[string]int{"down": gateShut}
	if !short {
		modes["silent"] = gateSilent
	}
	for name, mode := range modes {
		slowest, work, err := w.without(store, mode)
		if err != nil {
			return fmt.Errorf("S3 server %s: %w", name, err)
		}
		out.say("S3 server %s: 503 within %.1f s, %d bookings and reads meanwhile, p99 %d ms; files again %.2f s "+
			"after it is back", name, slowest.Seconds(), work.calls, work.p99.Milliseconds(), work.again.Seconds())
	}
	if !short {
		store.set(gateSlow)
		if err := w.keepFile(); err != nil {
			return fmt.Errorf("S3 server slow: %w", err)
		}
		store.set(gateOpen)
		out.say("S3 server slow: files are kept all the same")
	}
	if err := mailLater(ctx, out, storage, c, mail, short); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := w.writes.check(ctx, c, storage); err != nil {
		return err
	}
	if err := product.Run(ctx, env, binary, "verify"); err != nil {
		return err
	}
	out.say("outside: S3 and SMTP down%s and back: %d bookings, %d files, 0 lost; %d mails, each once",
		map[bool]string{false: ", silent and slow"}[short], len(w.writes.booked), len(w.writes.uploads), mail.count())
	return nil
}

// bucketTest holds the clients at work.
type bucketTest struct {
	ctx    context.Context
	c      *product.Client
	k      product.Clinic
	writes *ledger
}

// keepFile books a visit and adds a file, which must succeed.
func (w *bucketTest) keepFile() error {
	r := rand.New(rand.NewPCG(uint64(len(w.writes.booked)), 9)) //nolint:gosec // any seat
	var visit struct{ ID int64 }
	for {
		err := w.c.Book(w.ctx, w.k.Seat(r, "file", false), &visit)
		if err == nil {
			break
		}
		if !product.Taken(err) {
			return err
		}
	}
	before := len(w.writes.uploads)
	w.writes.upload(w.ctx, w.c, visit.ID, r)
	if len(w.writes.uploads) == before {
		return errors.New("a file was not kept")
	}
	return nil
}

// worked is the work of other clients meanwhile.
type meanwhile struct {
	calls int
	p99   time.Duration
	again time.Duration // until files could be stored again
}

// without blocks the bucket and restores it.
func (w *bucketTest) without(store *gate, mode int) (slowest time.Duration, done meanwhile, err error) {
	var visit struct {
		Items []struct{ ID int64 }
	}
	if err := w.c.Call(w.ctx, http.MethodPost, "/admin/api/v1/appointment/list", map[string]any{"pageSize": 1},
		&visit); err != nil {
		return 0, done, err
	}
	store.set(mode)
	defer store.set(gateOpen)
	round, cancel := context.WithCancel(w.ctx)
	var others, needing sync.WaitGroup
	var mu sync.Mutex
	var times []time.Duration
	var failed error
	for client := range 4 {
		r := rand.New(rand.NewPCG(uint64(client), uint64(mode))) //nolint:gosec // the same calls every time
		others.Go(func() {
			for n := 0; round.Err() == nil; n++ {
				began := time.Now()
				_, err := mustAnswer(w.ctx, w.c, 5*time.Second, allReads[n%len(allReads)])
				if b := w.k.Seat(r, fmt.Sprintf("fault-%d-%d-%d", mode, client, n), false); err == nil && n%4 == 0 {
					var created struct{ ID int64 }
					booked := w.c.Book(w.ctx, b, &created)
					w.writes.note(client, b, created.ID, booked)
				}
				mu.Lock()
				failed = errors.Join(failed, err)
				times = append(times, time.Since(began))
				mu.Unlock()
			}
		})
	}
	var resultID int64
	for id := range w.writes.uploads {
		resultID = id
	}
	for name, call := range map[string]func() error{
		"upload": func() error {
			return w.c.Upload(w.ctx, fmt.Sprintf("/admin/api/v1/appointment/result/create/%d", visit.Items[0].ID),
				map[string]string{"type": "LAB", "diagnosis": "ผล"}, "a.pdf", "application/pdf", []byte(product.PDF), nil)
		},
		"a file that is there": func() error {
			return w.c.Call(w.ctx, http.MethodGet, fmt.Sprintf("/admin/api/v1/appointment-results/file/%d", resultID), nil, nil)
		},
		"logo": func() error {
			return w.c.Upload(w.ctx, "/admin/api/v1/media-file/upload/logo", nil, "logo.png", "image/png", picture(64, 64), nil)
		},
	} {
		needing.Go(func() {
			began := time.Now()
			err := call()
			took := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, took)
			if !rejectedAs(err, http.StatusServiceUnavailable, "UNAVAILABLE", "") || took > answerWithin {
				failed = errors.Join(failed,
					fmt.Errorf("%s, after %.1f s: %w", name, took.Seconds(),
						errors.Join(err, errors.New("not refused as it should be"))))
			}
		})
	}
	needing.Wait()
	cancel()
	others.Wait()
	if failed != nil {
		return 0, done, failed
	}
	done.calls, done.p99 = len(times), p99(times)
	store.set(gateOpen)
	back := time.Now()
	for err = w.keepFile(); err != nil && time.Since(back) < 10*time.Second; err = w.keepFile() {
		pause(w.ctx, 100*time.Millisecond)
	}
	done.again = time.Since(back)
	return slowest, done, err
}

// mailLater requests mails while the mail server is blocked, and checks that each is sent once afterwards,
// and that no other job waited for it.
func mailLater(
	ctx context.Context, out printer, storage product.Storage, c *product.Client, mail *mailServer, short bool,
) error {
	var users struct{ Items []struct{ Email string } }
	if err := c.Call(ctx, http.MethodPost, "/admin/api/v1.0/user-admin/list", map[string]any{"pageSize": 50},
		&users); err != nil {
		return err
	}
	modes := []int{gateShut, gateSilent}
	if short {
		modes = modes[:1]
	}
	anonymous := product.NewClient(c.Base, answerWithin)
	for i, mode := range modes {
		asked := users.Items[3*i : 3*i+3]
		mail.gate.set(mode)
		for _, u := range asked {
			began := time.Now()
			if err := anonymous.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth/forgot-password",
				map[string]string{"email": u.Email}, nil); err != nil || time.Since(began) > 5*time.Second {
				return fmt.Errorf("asking for a link, %.1f s: %w", time.Since(began).Seconds(), err)
			}
		}
		pause(ctx, 1500*time.Millisecond) // one of them is being tried
		if err := otherJob(ctx, storage); err != nil {
			return err
		}
		if mode == gateSilent {
			pause(ctx, 50*time.Second) // until the first attempt has failed
		}
		mail.slow(mode == gateSilent)
		mail.gate.set(gateOpen)
		back := time.Now()
		for _, u := range asked {
			for mail.to(u.Email) == 0 {
				if time.Since(back) > 4*time.Minute {
					return fmt.Errorf("four minutes after the mail server is back a mail has not come")
				}
				pause(ctx, 50*time.Millisecond)
			}
		}
		came := time.Since(back)
		pause(ctx, 3*time.Second) // for a duplicate
		for _, u := range asked {
			if n := mail.to(u.Email); n != 1 {
				return fmt.Errorf("%d mails to one who asked once", n)
			}
		}
		out.say("mail server %s: links are promised at once, other jobs go on, all mails %.1f s after it is back, each once",
			map[int]string{gateShut: "down", gateSilent: "silent, then slow"}[mode], came.Seconds())
	}
	return nil
}

// otherJob enqueues a job of another kind and waits until it is done.
func otherJob(ctx context.Context, storage product.Storage) (err error) {
	db, err := storage.SQL()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	now := time.Now().UnixMilli()
	if _, err := db.ExecContext(ctx, `INSERT INTO jobs (kind, payload, run_at, created_at)
		VALUES ('clean-up', '{}', $1, $1)`, now); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < 10*time.Second; pause(ctx, 50*time.Millisecond) {
		var open int
		if err := db.QueryRowContext(ctx,
			`SELECT count(*) FROM jobs WHERE kind = 'clean-up' AND done_at IS NULL`).Scan(&open); err != nil || open == 0 {
			return err
		}
	}
	return errors.New("a job that is no mail waits for the mail server")
}

// post is a mail server behind a gate.
type mailServer struct {
	gate   *gate
	stop   func()
	mu     sync.Mutex
	came   map[string]int
	paused time.Duration // delay before a mail is accepted
}

func newPost(ctx context.Context) (*mailServer, error) {
	p := &mailServer{came: map[string]int{}}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &smtpSession{server: p}, nil
	}))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if p.gate, err = newGate(ctx, listener.Addr().String()); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() { _ = server.Serve(listener) }()
	p.stop = func() { _ = errors.Join(p.gate.close(), server.Close()) } // all mails were counted
	return p, nil
}

func (p *mailServer) slow(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = 0
	if yes {
		p.paused = 25 * time.Second
	}
}

func (p *mailServer) to(address string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came[address]
}

func (p *mailServer) count() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, came := range p.came {
		n += came
	}
	return n
}

// smtpSession is an SMTP session.
type smtpSession struct {
	server *mailServer
	to     string
}

// Mail implements smtp.Session.
func (l *smtpSession) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt implements smtp.Session.
func (l *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	l.to = to
	return nil
}

// Data implements smtp.Session.
func (l *smtpSession) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	l.server.mu.Lock()
	l.server.came[l.to]++
	paused := l.server.paused
	l.server.mu.Unlock()
	time.Sleep(paused)
	return nil
}

// Reset implements smtp.Session.
func (l *smtpSession) Reset() { l.to = "" }

// Logout implements smtp.Session.
func (l *smtpSession) Logout() error { return nil }
