package command

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nadmor/internal/api"
	"nadmor/internal/auth"
	"nadmor/internal/demo"
	"nadmor/internal/files"
	"nadmor/internal/jobs"
	"nadmor/internal/privacy"
	"nadmor/internal/store"
	"nadmor/internal/web"
)

type serveCmd struct {
	Addr           string   `help:"Address to listen on." default:"127.0.0.1:8080" env:"NADMOR_ADDR"`
	PublicURL      string   `help:"Public URL for links in mail (default: http://ADDR, or https://ADDR)." env:"NADMOR_PUBLIC_URL"`
	TLSCert        string   `name:"tls-cert" help:"Certificate chain (PEM) for HTTPS; reloaded when the file changes (default: HTTP, for use behind a proxy)." env:"NADMOR_TLS_CERT" type:"path"`
	TLSKey         string   `name:"tls-key" help:"Key of the certificate (PEM)." env:"NADMOR_TLS_KEY" type:"path"`
	AdminPassword  string   `help:"Password of the first admin on an empty database (default: random, printed once)." env:"NADMOR_ADMIN_PASSWORD"`
	SMTPURL        string   `name:"smtp-url" help:"Mail server (smtp://user:password@host:587?from=…)." env:"NADMOR_SMTP_URL"`
	MetricsAddr    string   `help:"Address to serve /metrics on (default: none)." env:"NADMOR_METRICS_ADDR"`
	CardReaderURL  string   `help:"URL of the smart-card agent on the users' machines, for example http://127.0.0.1:8189/card (default: none)." env:"NADMOR_CARD_READER_URL"`
	TrustedProxies []string `help:"Networks of trusted proxies, whose X-Forwarded-For is used (10.0.0.0/8,…)." env:"NADMOR_TRUSTED_PROXIES"`
	Demo           bool     `help:"Fill an empty database with a sample hospital and print its accounts." env:"NADMOR_DEMO"`
}

// drainTime is how long running requests may take after a stop signal.
const drainTime = 8 * time.Second

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, a *app) (err error) {
	// The Go heap is only a few megabytes, because SQLite's memory is not part of it. With the default GOGC it
	// would be collected dozens of times a second under load.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	pair, err := newKeyPair(c.TLSCert, c.TLSKey, a.log)
	if err != nil {
		return err
	}
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	if err := c.setUp(ctx, a, db, uploads); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer func() { _ = listener.Close() }() // closed before, unless the start fails
	address := "http://" + listener.Addr().String()
	if pair != nil {
		address = "https://" + listener.Addr().String()
	}
	if c.PublicURL == "" {
		c.PublicURL = address
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	server, runner, err := c.parts(a, db, uploads, registry)
	if err != nil {
		return err
	}

	// Requests and background work end before the database is closed.
	var background sync.WaitGroup
	defer background.Wait()
	workCtx, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	background.Go(func() { runner.Run(workCtx) })
	background.Go(func() { db.RunEvents(workCtx, a.log) })
	if c.MetricsAddr != "" {
		stop, err := serveMetrics(ctx, a.log, c.MetricsAddr, registry)
		if err != nil {
			return err
		}
		defer stop()
	}

	httpServer := &http.Server{
		Handler: server.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	httpServer.RegisterOnShutdown(db.EndEvents) // event streams do not end by themselves
	failed := make(chan error, 1)
	if pair != nil {
		registry.MustRegister(pair.expiry())
		httpServer.TLSConfig = pair.config()
		go func() { failed <- httpServer.ServeTLS(listener, "", "") }()
	} else {
		go func() { failed <- httpServer.Serve(listener) }()
	}
	a.log.Info("serving", "address", address, "database", db.Engine(), "version", a.Version)
	c.printAccounts(a, address)
	debug.FreeOSMemory() // memory needed for the start only
	if a.Ready != nil {
		a.Ready(listener.Addr().String())
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping: finishing running requests")
	stopWork()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := httpServer.Shutdown(bounded); err != nil {
		a.log.Warn("some requests did not finish in time", "error", err.Error())
		_ = httpServer.Close()
	}
	return nil
}

// parts returns the HTTP server and the background jobs.
func (c *serveCmd) parts(a *app, db *store.DB, uploads files.Store,
	registry *prometheus.Registry) (*api.Server, *jobs.Runner, error) {
	secret, err := a.secret()
	if err != nil {
		return nil, nil, err
	}
	proxies := make([]netip.Prefix, len(c.TrustedProxies))
	for i, text := range c.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, nil, fmt.Errorf("read NADMOR_TRUSTED_PROXIES: %w", err)
		}
		proxies[i] = p
	}
	var mailer *jobs.Mailer
	if c.SMTPURL != "" {
		if mailer, err = jobs.NewMailer(c.SMTPURL); err != nil {
			return nil, nil, err
		}
	}
	server, err := api.New(api.Options{
		DB: db, Files: uploads, Hasher: a.Hasher, Tokens: auth.NewTokens(secret, a.Now), Box: auth.NewBox(secret), Log: a.log,
		Metrics:        registry,
		TrustedProxies: proxies, PublicURL: c.PublicURL, CanMail: mailer != nil, CardReaderURL: c.CardReaderURL,
		SpoolDir: a.Data, Version: a.Version, App: web.Handler(),
	})
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "nadmor_jobs_total",
		Help: "Attempts at background jobs by result: done, failed (retried later), given-up (abandoned).",
	}, []string{"kind", "result"})
	registry.MustRegister(attempts)
	// Initialized with 0, so that the first abandoned job is visible as an increase.
	for _, kind := range []string{
		store.JobMailReset, store.JobMailInvite, store.JobCleanUp, store.JobDayClose, privacy.JobErase,
	} {
		attempts.WithLabelValues(kind, "given-up")
	}
	runner := &jobs.Runner{
		DB: db, Files: uploads, Log: a.log, Mailer: mailer, Link: func(token string) string {
			return api.ResetURL(c.PublicURL, token)
		},
		Count: func(kind, result string) { attempts.WithLabelValues(kind, result).Inc() },
	}
	return server, runner, err
}

// setUp creates the first administrator, or the sample hospital, in an empty database.
func (c *serveCmd) setUp(ctx context.Context, a *app, db *store.DB, uploads files.Store) error {
	empty, err := db.NeedsSetup(ctx)
	if err != nil || !empty {
		return err
	}
	if c.AdminPassword != "" {
		if err := checkPassword(c.AdminPassword, "NADMOR_ADMIN_PASSWORD", "admin"); err != nil {
			return err
		}
	}
	if c.Demo {
		secret, err := a.secret()
		if err != nil {
			return err
		}
		return demo.Fill(ctx, a.storeOptions(secret), uploads, a.Hasher, c.AdminPassword, demo.DefaultSize, a.logFilling())
	}
	password, random := c.AdminPassword, c.AdminPassword == ""
	if random {
		password = auth.NewSecret()
	}
	hash, err := a.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	done, err := db.SetUp(ctx, hash, random)
	if err == nil && done && random {
		fmt.Fprintf(a.Stdout, "First sign-in (shown once): username admin, password %s\n", password)
	}
	return err
}

// logFilling logs the progress of the sample data every two seconds.
func (a *app) logFilling() demo.Progress {
	const every = 2 * time.Second
	next := a.Now().Add(every)
	return func(kind string, n, _ int) {
		if now := a.Now(); now.After(next) {
			a.log.Info("filling the sample hospital", "what", kind, "written", n)
			next = now.Add(every)
		}
	}
}

// printAccounts prints the address of the app and the accounts of the sample hospital.
func (c *serveCmd) printAccounts(a *app, address string) {
	if !c.Demo {
		return
	}
	fmt.Fprintf(a.Stdout, "\nนัดหมอ พร้อมใช้งานที่ / Nadmor is ready at  %s\n\n", address)
	for _, s := range demo.Accounts {
		password := demo.Password
		if s.Username == "admin" && c.AdminPassword != "" {
			password = "(NADMOR_ADMIN_PASSWORD)"
		}
		fmt.Fprintf(a.Stdout, "  %-10s  %-12s  %-10s %s\n", s.Username, password, s.Role, s.Name)
	}
	fmt.Fprintln(a.Stdout)
}

// serveMetrics serves /metrics on its own address.
func serveMetrics(ctx context.Context, log *slog.Logger, addr string,
	registry *prometheus.Registry) (stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Info("serving metrics", "address", "http://"+listener.Addr().String()+"/metrics")
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}
