package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

//go:embed migrations
var migrations embed.FS

// Migrations are the files that make the schema, in a folder for each engine.
func Migrations() fs.FS { return migrations }

// migrationFiles returns the migrations of an engine.
func migrationFiles(engine string) fs.FS {
	files, err := fs.Sub(migrations, "migrations/"+engine)
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// migrate brings the schema to a migration, see Options.
func (db *DB) migrate(ctx context.Context, upTo int64) error {
	return explainMigration(db.sql.Migrate(ctx, migrationFiles(db.sql.Engine()), upTo))
}

// migrateHandle does the same for a database/sql handle.
func migrateHandle(ctx context.Context, dialect goose.Dialect, handle *sql.DB, upTo int64) error {
	engine := "postgres"
	if dialect == goose.DialectSQLite3 {
		engine = "sqlite"
	}
	return explainMigration(sqldb.MigrateHandle(ctx, engine, handle, migrationFiles(engine), upTo))
}

// explainMigration adds what to do to the error of a migration.
func explainMigration(err error) error {
	var newer sqldb.NewerSchemaError
	switch {
	case errors.As(err, &newer):
		return fmt.Errorf("the database belongs to a newer version of Nadmor (schema %d, this one knows %d): start that one, or restore the backup from before the upgrade",
			newer.Schema, newer.Known)
	case sqldb.IsFull(err):
		return fmt.Errorf("%w: %w", hospital.StorageFull(), err)
	}
	return err
}
