package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"nadmor/internal/hospital"
)

//go:embed migrations
var migrations embed.FS

// Migrations are the files that make the schema, in a folder for each engine.
func Migrations() fs.FS { return migrations }

// migrate applies what is missing, up to a migration or to the newest (0). A
// schema that is already up to date takes no lock; one of a newer version is
// refused. A full disk is told as such.
func migrate(ctx context.Context, d goose.Dialect, db *sql.DB, dir string, upTo int64, opts ...goose.ProviderOption) (err error) {
	if upTo == AsIs {
		return nil
	}
	defer func() {
		if isFull(err) {
			err = fmt.Errorf("%w: %w", hospital.StorageFull(), err)
		}
	}()
	files, err := fs.Sub(migrations, dir)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(d, db, files, opts...)
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
	if !pending {
		// Nobody knows what a later version means by its columns.
		if now, known, err := provider.GetVersions(ctx); err != nil {
			return fmt.Errorf("read schema version: %w", err)
		} else if now > known {
			return fmt.Errorf("the database belongs to a newer version of Nadmor (schema %d, this one knows %d): start that one, or restore the backup from before the upgrade", now, known)
		}
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
