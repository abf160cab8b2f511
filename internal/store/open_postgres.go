package store

import (
	"context"
	"errors"
	"fmt"

	"nadmor/internal/sqldb"
)

// postgresLanes is the number of audit chains that the migration made.
const postgresLanes = 16

func (db *DB) openPostgres(ctx context.Context, o Options) (err error) {
	db.dialect = dialect{
		name: "postgres", lanes: postgresLanes, skipLocked: " FOR UPDATE SKIP LOCKED", rowLocks: true,
		jsonObject:   "json_object_agg",
		matchesWhole: true, nextAppointments: `SELECT nextval('appointments_id_seq') FROM generate_series(1, $1)`,
	}
	db.chains = newAuditChains(postgresLanes)
	db.bookings.run, db.notes.run, db.sessionReads.run = db.bookBatch, db.noteBatch, db.readSessionRows
	if db.sql, err = ConnectPostgres(ctx, o); err != nil {
		return err
	}
	return db.migrate(ctx, o.Migration)
}

// ConnectPostgres connects to the database of o.URL and does not look at its schema. It returns an error
// for a database that would sort and search Thai wrongly.
func ConnectPostgres(ctx context.Context, o Options) (*sqldb.DB, error) {
	db, err := sqldb.OpenPostgres(ctx, o.URL, sqldb.Options{Name: "nadmor", Observe: o.Observe})
	if err != nil {
		return nil, fmt.Errorf("reach PostgreSQL (NADMOR_DATABASE_URL): %w", err)
	}
	if err := checkThaiReady(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkThaiReady rejects a database that would sort and search Thai wrongly, with an error that says
// how to make a right one.
func checkThaiReady(ctx context.Context, db *sqldb.DB) error {
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
