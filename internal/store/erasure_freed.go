package store

import (
	"context"
	"fmt"
)

// overwriteFreed has SQLite overwrite what is deleted from now on.
func (db *DB) overwriteFreed(context.Context) error {
	if db.writer == nil {
		return nil
	}
	return db.writer.alone("PRAGMA secure_delete = ON")
}

// forgetFreed has SQLite forget the rest. The search only knows that a row is
// gone, and keeps its fragments until its parts are merged, which is done here a
// little at a time (its own secure-delete breaks an index without details). The
// write-ahead log, in which the pages are as they were before, is emptied; while
// somebody reads, that happens a little later.
func (db *DB) forgetFreed(ctx context.Context) error {
	if db.writer == nil {
		return nil
	}
	for step := -mergePages; ; step = mergePages { // the first begins with all parts
		merged := 0
		err := db.change(ctx, func(tx *Tx) error {
			var before int
			if err := tx.queryRow(`SELECT total_changes()`).Scan(&before); err != nil {
				return err
			}
			if _, err := tx.exec(`INSERT INTO patient_search (patient_search, rank) VALUES ('merge', $1)`, step); err != nil {
				return fmt.Errorf("merge search: %w", err)
			}
			err := tx.queryRow(`SELECT total_changes()`).Scan(&merged)
			merged -= before
			return err
		})
		if err != nil {
			return err
		}
		if merged < 2 { // as the manual of FTS5 says
			return db.writer.alone("PRAGMA wal_checkpoint(TRUNCATE)")
		}
	}
}

// mergePages is how much of the search is merged while nobody else can write.
const mergePages = 500
