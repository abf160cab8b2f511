package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// openPostgres opens the pools. A URL with several hosts and
// target_session_attrs=read-write follows the primary (see primary). Statements
// are prepared once per connection, unless a pooler like PgBouncer hands every
// transaction another one: then they are only described. default_query_exec_mode
// in the URL decides otherwise.
func (db *DB) openPostgres(ctx context.Context, url string, migration int64) error {
	db.dialect = dialect{name: "postgres", ready: `SELECT 1 WHERE NOT pg_is_in_recovery()`, lanes: postgresLanes, skipLocked: " FOR UPDATE SKIP LOCKED", rowLocks: true, matchesWhole: true, nextAppointment: `SELECT nextval('appointments_id_seq')`}
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read NADMOR_DATABASE_URL: %w", err)
	}
	var primary primary
	primary.follow(cfg)
	cfg.OnNotice = heedNotice
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "nadmor"
	}
	pooled := false
	if !strings.Contains(url, "default_query_exec_mode") {
		if pooled, err = behindPooler(ctx, cfg); err != nil {
			return fmt.Errorf("reach PostgreSQL: %w", err)
		}
		if pooled {
			cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
	}
	db.listen = func(ctx context.Context) (*pgx.Conn, error) { return primary.connect(ctx, cfg) }
	settings := forgetTheLost
	if pooled { // it would hand them to others
		settings = ""
	}
	open := func(conns int, settings string) *pool {
		p := newPool(sql.OpenDB(primary.connector(cfg, settings)), false, db.observe)
		p.SetMaxOpenConns(conns)
		p.SetMaxIdleConns(conns)
		p.SetConnMaxIdleTime(5 * time.Minute)
		return p
	}
	db.write = open(max(16, 8*runtime.NumCPU()), settings)
	db.read, db.search = db.write, db.write
	if !pooled {
		// A search goes by the same indexes whatever is looked for. The planner
		// does not believe it and would plan each one, for longer than it runs.
		db.search = open(max(8, 4*runtime.NumCPU()), settings+`; SET plan_cache_mode = force_generic_plan`)
	}

	if err := checkThaiReady(ctx, db.write.DB); err != nil {
		return err
	}
	return db.migratePostgres(ctx, migration)
}

// forgetTheLost has the server let go of a node that vanished in the middle of a
// transaction. Whoever wants the same seats would otherwise wait until the server
// notices by itself, for hours. Between two statements of ours there is hardly any
// time; commands that take some say so in their transaction.
const forgetTheLost = `SET idle_in_transaction_session_timeout = '5s'; SET tcp_user_timeout = '20s'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`

// postgresLanes are the audit lanes that the migration made.
const postgresLanes = 16

func (db *DB) migratePostgres(ctx context.Context, migration int64) error {
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(500*time.Millisecond, 240), lock.WithTableUnlockTimeout(500*time.Millisecond, 20))
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	return migrate(ctx, goose.DialectPostgres, db.write.DB, "migrations/postgres", migration, goose.WithLocker(locker))
}

// behindPooler tells whether the server that answers is another process than the
// one that was connected to.
func behindPooler(ctx context.Context, cfg *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was written
	var pid uint32
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

// checkThaiReady refuses a database that would sort and search Thai wrongly,
// with a sentence that says how to make a right one.
func checkThaiReady(ctx context.Context, pool *sql.DB) error {
	var encoding, ctype string
	err := pool.QueryRowContext(ctx, `SELECT pg_encoding_to_char(encoding), datctype FROM pg_database WHERE datname = current_database()`).Scan(&encoding, &ctype)
	if err != nil {
		return fmt.Errorf("reach PostgreSQL: %w", err)
	}
	if encoding != "UTF8" || ctype == "C" || ctype == "POSIX" {
		return fmt.Errorf("the database has encoding %s and LC_CTYPE %s; Thai needs UTF8 and a UTF-8 LC_CTYPE: CREATE DATABASE nadmor ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0", encoding, ctype)
	}
	return nil
}
