package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// NoMigration is the migration that leaves the schema unchanged.
const NoMigration = -1

// NewerSchemaError means that the schema was created by a newer version of the program.
type NewerSchemaError struct{ Schema, Known int64 }

// Error implements error.
func (e NewerSchemaError) Error() string {
	return fmt.Sprintf("the database has schema %d, this program knows %d", e.Schema, e.Known)
}

// Migrate applies the missing migrations in files, up to a number or all of them (0). A schema that
// is up to date is not locked. On PostgreSQL several nodes may call it at once; on SQLite the
// caller must prevent that.
func (db *DB) Migrate(ctx context.Context, files fs.FS, upTo int64) (err error) {
	handle, err := db.Handle()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, handle.Close()) }()
	return MigrateHandle(ctx, db.Engine(), handle, files, upTo)
}

// MigrateHandle is Migrate for a database/sql handle.
func MigrateHandle(ctx context.Context, engine string, handle *sql.DB, files fs.FS, upTo int64) error {
	if upTo == NoMigration {
		return nil
	}
	provider, err := newProvider(engine, handle, files)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if upTo > 0 {
		if _, err := provider.UpTo(ctx, upTo); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return nil
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if pending {
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		return nil
	}
	schema, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if schema > known {
		return NewerSchemaError{schema, known}
	}
	return nil
}

func newProvider(engine string, handle *sql.DB, files fs.FS) (*goose.Provider, error) {
	if engine == "sqlite" {
		return goose.NewProvider(goose.DialectSQLite3, handle, files)
	}
	locker, err := lock.NewPostgresTableLocker(
		lock.WithTableLockTimeout(500*time.Millisecond, 240), lock.WithTableUnlockTimeout(500*time.Millisecond, 20))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, handle, files, goose.WithLocker(locker))
}
