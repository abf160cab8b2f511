package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the files that make the schema of an engine.
func Migrations(engine string) fs.FS {
	files, err := fs.Sub(migrations, "migrations/"+engine)
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// migrate brings the schema to a migration, see Options.
func (db *DB) migrate(ctx context.Context, upTo int64) error {
	return explainMigration(db.sql.Migrate(ctx, Migrations(db.sql.Engine()), upTo))
}

// Migrate brings the schema of a database/sql handle of an engine to a migration, see Options.
func Migrate(ctx context.Context, engine string, handle *sql.DB, upTo int64) error {
	return explainMigration(sqldb.MigrateHandle(ctx, engine, handle, Migrations(engine), upTo))
}

// explainMigration adds what to do to the error of a migration.
func explainMigration(err error) error {
	var newer sqldb.NewerSchemaError
	switch {
	case errors.As(err, &newer):
		return fmt.Errorf("the database belongs to a newer version of Nadmor (schema %d, this one knows %d): "+
			"start that one, or restore the backup from before the upgrade",
			newer.Schema, newer.Known)
	case sqldb.IsFull(err):
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	return err
}
