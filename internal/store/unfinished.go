package store

import (
	"context"
	"errors"
)

// The rows of counters that mark a database as unfinished. Open rejects it.
const (
	UnfinishedLoad    = "unfinished load"    // while a hospital is loaded
	UnfinishedRestore = "unfinished restore" // on PostgreSQL, from the commit of the restored rows until the end
)

// rejectUnfinished returns an error for a partially loaded or restored database.
func (db *DB) rejectUnfinished(ctx context.Context) error {
	var loading, restoring int
	err := db.Read(ctx, func(tx *Tx) error {
		const count = `SELECT count(*) FROM counters WHERE series = $1`
		loads, restores := tx.Get(count, UnfinishedLoad), tx.Get(count, UnfinishedRestore)
		return errors.Join(loads.Scan(&loading), restores.Scan(&restoring))
	})
	switch {
	case err != nil:
		return err
	case loading > 0:
		return errors.New("this database is incomplete: a load into it is running or was interrupted; " +
			"if none is running, start again with an empty database")
	case restoring > 0:
		return errors.New("this database is incomplete: a restore into it is running or was interrupted; " +
			"if none is running, restore the backup again")
	}
	return nil
}
