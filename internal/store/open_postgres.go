package store

import (
	"context"
	"errors"
	"fmt"

	"nadmor/internal/sqldb"
)

// postgresAuditChains is the number of audit chains that the migration creates.
const postgresAuditChains = 16

func (db *DB) openPostgres(ctx context.Context, o Options) (err error) {
	db.dialect = dialect{
		name: "postgres", auditChains: postgresAuditChains, skipLocked: " FOR UPDATE SKIP LOCKED", rowLocks: true,
		jsonObject: "json_object_agg", findsAllMatches: true,
		nextAppointments: `SELECT nextval('appointments_id_seq') FROM generate_series(1, $1)`,
	}
	db.chains = newAuditChains(postgresAuditChains)
	db.bookings.run, db.notes.run, db.sessionReads.run = db.bookBatch, db.noteBatch, db.readSessionRows
	if db.sql, err = ConnectPostgres(ctx, o); err != nil {
		return err
	}
	return db.migrate(ctx, o.Migration)
}

// ConnectPostgres connects to the database of o.URL without checking its schema. It returns an error for
// a database that would sort and search Thai incorrectly.
func ConnectPostgres(ctx context.Context, o Options) (*sqldb.DB, error) {
	db, err := sqldb.OpenPostgres(ctx, o.URL, sqldb.Options{Name: "nadmor", Observe: o.Observe})
	if err != nil {
		return nil, fmt.Errorf("reach PostgreSQL (NADMOR_DATABASE_URL): %w", err)
	}
	if err := checkLocale(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkLocale rejects a database that would sort and search Thai incorrectly. The error contains the
// statement that creates a suitable one.
func checkLocale(ctx context.Context, db *sqldb.DB) error {
	var encoding, ctype string
	err := db.Read(ctx, func(tx *sqldb.Tx) error {
		return tx.Get(`SELECT pg_encoding_to_char(encoding)::text, datctype::text FROM pg_database
			WHERE datname = current_database()`).Scan(&encoding, &ctype)
	})
	if err != nil {
		return fmt.Errorf("reach PostgreSQL: %w", MapError(err))
	}
	if encoding != "UTF8" || ctype == "C" || ctype == "POSIX" {
		return fmt.Errorf("the database has encoding %s and LC_CTYPE %s; Thai needs UTF8 and a UTF-8 LC_CTYPE: "+
			"CREATE DATABASE nadmor ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0", encoding, ctype)
	}
	return nil
}
