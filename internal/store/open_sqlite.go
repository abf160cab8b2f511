package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nadmor/internal/sqldb"
)

// SQLiteFile is the name of the database in the data folder.
const SQLiteFile = "nadmor.db"

// sqliteAuditChains is the number of audit chains: there is one writer.
const sqliteAuditChains = 1

// openSQLite opens the file in the data folder. An acknowledged booking survives a power cut.
func (db *DB) openSQLite(ctx context.Context, o Options) error {
	db.dialect = dialect{
		name: "sqlite", exclusive: true, likePrefix: "+", auditChains: sqliteAuditChains,
		jsonObject: "json_group_object",
	}
	unlock, err := LockDataDir(o.DataDir)
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(o.DataDir, SQLiteFile)
	if err := sqldb.MakePrivate(path); err != nil {
		return err
	}
	db.sql, err = sqldb.OpenSQLite(path, sqldb.Options{Observe: o.Observe})
	if err != nil {
		return MapError(err)
	}
	return db.migrate(ctx, o.Migration)
}

// LockDataDir creates the data folder if it does not exist and waits for its exclusive lock, so that two
// processes that start in one folder migrate it one after the other.
func LockDataDir(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	return sqldb.LockFile(filepath.Join(dir, "migrate.lock"))
}
