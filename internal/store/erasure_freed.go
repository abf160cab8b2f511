package store

import "context"

// overwriteFreed makes SQLite overwrite everything that is deleted from now on.
func (db *DB) overwriteFreed(ctx context.Context) error {
	if !db.dialect.exclusive {
		return nil
	}
	return MapError(db.sql.Maintain(ctx, "PRAGMA secure_delete = ON"))
}

// forgetFreed removes the remaining copies of deleted data from SQLite. The search index only marks
// a row as deleted and keeps its fragments until its segments are merged, which is done here in small
// steps (the secure-delete option of FTS5 breaks an index without details). The write-ahead log,
// which contains old versions of pages, is truncated; a reader may delay that.
func (db *DB) forgetFreed(ctx context.Context) error {
	if !db.dialect.exclusive {
		return nil
	}
	for step := -mergePages; ; step = mergePages { // a negative number starts a merge of all segments
		var before, after int
		err := db.Change(ctx, func(tx *Tx) error {
			if err := tx.Get(`SELECT total_changes()`).Scan(&before); err != nil {
				return err
			}
			tx.Exec(`INSERT INTO patient_search (patient_search, rank) VALUES ('merge', $1)`, step)
			return tx.Get(`SELECT total_changes()`).Scan(&after)
		})
		if err != nil {
			return err
		}
		if after-before < 2 { // finished, see the documentation of FTS5
			return MapError(db.sql.Maintain(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"))
		}
	}
}

// mergePages bounds the work of one step of the merge, during which nothing else can be written.
const mergePages = 500
