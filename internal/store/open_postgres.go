package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// openPostgres opens one pool. A URL with several hosts and
// target_session_attrs=read-write follows the primary. Statements are described
// once per connection and not prepared by name, so that it also works behind
// PgBouncer in transaction mode.
func (db *DB) openPostgres(ctx context.Context, url string) error {
	db.dialect = dialect{name: "postgres", lanes: 16, skipLocked: " FOR UPDATE SKIP LOCKED", rowLocks: true}
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read NADMOR_DATABASE_URL: %w", err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 5 * time.Second
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "nadmor"
	}
	db.listenConfig = cfg.Copy()
	pool := stdlib.OpenDB(*cfg)
	conns := max(16, 8*runtime.NumCPU())
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db.read, db.write = pool, pool

	if err := checkThaiReady(ctx, pool); err != nil {
		return err
	}
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(500*time.Millisecond, 240), lock.WithTableUnlockTimeout(500*time.Millisecond, 20))
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	return migrate(ctx, goose.DialectPostgres, pool, "migrations/postgres", goose.WithLocker(locker))
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
