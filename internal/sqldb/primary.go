package sqldb

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// connectTimeout bounds the attempt to connect to one server, so that time is left for the others.
const connectTimeout = 3 * time.Second

// primary finds the server that accepts changes among the hosts of a URL with
// target_session_attrs=read-write. The host of the last connection is tried first, and a host that
// has failed since is tried last: waiting for it may take as long as a whole request is allowed to.
// primary is a pgx.ConnectTracer to see the result of each attempt.
type primary struct {
	mu    sync.Mutex
	hosts map[string]string // host names by address
	last  string            // host and port of the last connection; empty if it has failed since
	avoid string            // host and port that failed last
}

// follow configures connections to find the primary.
func (p *primary) follow(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	// Callers without a deadline must notice a lost connection too.
	cfg.DialFunc = (&net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         limitUnacknowledged,
	}).DialContext
	p.hosts = map[string]string{}
	lookup := cfg.LookupFunc
	cfg.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
		addresses, err := lookup(ctx, host)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, a := range addresses {
			p.hosts[a] = host
		}
		return addresses, err
	}
	cfg.Tracer = p
}

// order sorts the hosts before a connection is made.
func (p *primary) order(_ context.Context, cfg *pgx.ConnConfig) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := &pgconn.FallbackConfig{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}
	all := append([]*pgconn.FallbackConfig{first}, cfg.Fallbacks...)
	rank := func(f *pgconn.FallbackConfig) int {
		switch net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))) {
		case p.last:
			return 0
		case p.avoid:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b *pgconn.FallbackConfig) int { return rank(a) - rank(b) })
	cfg.Host, cfg.Port, cfg.TLSConfig, cfg.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	return nil
}

// connect opens a connection outside of the pool.
func (p *primary) connect(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.Conn, error) {
	cfg = cfg.Copy()
	if err := p.order(ctx, cfg); err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, cfg)
}

// TraceConnectStart implements pgx.ConnectTracer.
func (p *primary) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd stores the host of a new connection, or that no host accepted one.
func (p *primary) TraceConnectEnd(_ context.Context, data pgx.TraceConnectEndData) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if data.Err != nil {
		if p.last != "" {
			p.last, p.avoid = "", p.last
		}
		return
	}
	address, port, err := net.SplitHostPort(data.Conn.PgConn().Conn().RemoteAddr().String())
	if err != nil {
		return // a Unix socket: there is only one
	}
	if host, known := p.hosts[address]; known {
		p.last, p.avoid = net.JoinHostPort(host, port), ""
	}
}

// TraceQueryStart does nothing. pgx requires it of a tracer.
func (p *primary) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing. pgx requires it of a tracer.
func (p *primary) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
