package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// connectTime is how long one server may take to let us in. Of several, one
	// that is gone without a word must leave time for the others.
	connectTime = 3 * time.Second
	// pingTime is how long a connection that was not used for a while may take to
	// show that it is alive.
	pingTime = 2 * time.Second
)

// primary finds the one of the servers of a URL that takes changes. It remembers
// which let us in last, and asks there first; and when that one fails, last: to
// wait for a server that is gone without a word costs as much as a request should,
// and the pool makes connections one after the other.
type primary struct {
	mu    sync.Mutex
	hosts map[string]string // by their addresses
	last  string            // host and port that let us in; empty when none did, or it failed since
	avoid string            // the one that failed since
}

// follow has connections of a configuration found with it.
func (p *primary) follow(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTime
	}
	// A machine that vanished is noticed even by those who have all the time.
	cfg.DialFunc = (&net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}, Control: giveUpUnheard,
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
}

// askFirst puts the server that let us in last before the others, and the one that
// failed since behind them.
func (p *primary) askFirst(_ context.Context, cfg *pgx.ConnConfig) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := append([]*pgconn.FallbackConfig{{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}}, cfg.Fallbacks...)
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

// connector makes the connections of a pool, each with some settings.
func (p *primary) connector(cfg *pgx.ConnConfig, settings string) driver.Connector {
	connected := func(ctx context.Context, conn *pgx.Conn) error {
		if settings != "" {
			if _, err := conn.PgConn().Exec(ctx, settings).ReadAll(); err != nil {
				return errors.Join(err, conn.Close(ctx))
			}
		}
		p.found(conn)
		return nil
	}
	return connector{stdlib.GetConnector(*cfg, stdlib.OptionBeforeConnect(p.askFirst), stdlib.OptionAfterConnect(connected), stdlib.OptionShouldPing(isDead)), p}
}

// connector notes when it finds no server.
type connector struct {
	driver.Connector
	primary *primary
}

// Connect makes a connection. One that fails has the others looked at: there may
// be another primary.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		c.primary.failed()
	}
	return conn, err
}

// connect makes one apart from the pool.
func (p *primary) connect(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.Conn, error) {
	cfg = cfg.Copy()
	if err := p.askFirst(ctx, cfg); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		p.failed()
		return nil, err
	}
	p.found(conn)
	return conn, nil
}

// failed notes that no server took us, so neither did the one that was asked first.
func (p *primary) failed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != "" {
		p.last, p.avoid = "", p.last
	}
}

// found remembers where a connection leads.
func (p *primary) found(conn *pgx.Conn) {
	address, port, err := net.SplitHostPort(conn.PgConn().Conn().RemoteAddr().String())
	if err != nil {
		return // a socket in a folder: there is nothing to choose from
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if host, known := p.hosts[address]; known {
		p.last, p.avoid = net.JoinHostPort(host, port), ""
	}
}

// isDead looks, in a bounded time, whether a connection leads nowhere. One that
// does is closed with it, and the pool takes another.
func isDead(ctx context.Context, p stdlib.ShouldPingParams) bool {
	if p.IdleDuration < time.Second {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	return p.Conn.PgConn().Ping(bounded) != nil
}
