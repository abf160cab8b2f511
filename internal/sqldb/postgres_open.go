package sqldb

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// dropLostClients makes the server end the transaction of a node that has disappeared. By default
// it would hold its locks for hours. A transaction that is idle between two statements for longer
// must set its own limit.
const dropLostClients = `set idle_in_transaction_session_timeout = '5s'; set tcp_user_timeout = '20s';
	set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`

// OpenPostgres connects to a PostgreSQL server, or to the primary if the URL has several hosts and
// target_session_attrs=read-write. Statements are prepared once per connection. Behind a pooler like
// PgBouncer, which may use another connection for each transaction, they are only described.
// default_query_exec_mode in the URL takes precedence.
func OpenPostgres(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the URL: %w", err)
	}
	primary := &primary{}
	primary.follow(cfg.ConnConfig)
	cfg.ConnConfig.OnNotice = noteReplication
	if o.Name != "" && cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = o.Name
	}
	pooled := false
	if !strings.Contains(url, "default_query_exec_mode") {
		if pooled, err = behindPooler(ctx, primary, cfg.ConnConfig); err != nil {
			return nil, fmt.Errorf("connect: %w", err)
		}
	}
	if pooled {
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	} else {
		cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.PgConn().Exec(ctx, dropLostClients).ReadAll()
			return err
		}
	}
	conns := o.Conns
	if conns == 0 {
		conns = max(16, 8*runtime.NumCPU())
	}
	cfg.MaxConns = int32(min(conns, 10_000))
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.PingTimeout = pingTimeout
	cfg.BeforeConnect = primary.order
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &DB{postgres{pool, cfg.ConnConfig, primary}, o.Observe}, nil
}

// behindPooler reports whether another server process answers than the one that accepted the
// connection.
func behindPooler(ctx context.Context, p *primary, cfg *pgx.ConnConfig) (bool, error) {
	conn, err := p.connect(ctx, cfg)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was written
	var pid uint32
	err = conn.QueryRow(ctx, "select pg_backend_pid()", pgx.QueryExecModeExec).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

// noteReplication handles the notice that the wait for a synchronous standby was cancelled. The
// server has committed and reports success, but a failover would lose the commit. The notice is
// recognized by its routine, because its text depends on the language of the server.
func noteReplication(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[notReplicated] = true
	}
}
