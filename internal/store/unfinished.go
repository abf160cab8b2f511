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
		return errors.New("this database is being filled, or was and that was broken off: it is not whole; " +
			"unless that still goes on, start again with an empty one")
	case restoring > 0:
		return errors.New("a backup is being restored into this database, or was and that was broken off: " +
			"it is not whole; unless that still goes on, restore it again")
	}
	return nil
}
