package store

import (
	"context"
	"errors"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// AuditLanes returns the number of lanes of the audit log on an engine.
func AuditLanes(engine string) int {
	if engine == "postgres" {
		return postgresLanes
	}
	return sqliteLanes
}

// KeyFits reports whether the audit log was written with the audit key. It returns true for an empty
// log.
func (db *DB) KeyFits(ctx context.Context) (fits bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		var lane int
		var seq int64
		var hash, sealed string
		err := tx.Get(`SELECT lane, seq, hash, seal FROM audit_lanes WHERE seq > 0 ORDER BY lane LIMIT 1`).
			Scan(&lane, &seq, &hash, &sealed)
		if errors.Is(err, sqldb.ErrNoRows) {
			fits = true
			return nil
		}
		fits = err == nil && sealed == seal(db.auditKey, lane, seq, hash)
		return err
	})
	return fits, err
}

// The audit actions of backups.
const (
	backupMade     = "backup.create"
	backupRestored = "backup.restore"
)

// NoteBackup records in the audit log that a backup is made.
func (db *DB) NoteBackup(ctx context.Context) error {
	return db.Note(hospital.WithActor(ctx, hospital.System), hospital.AuditEntry{Action: backupMade, Entity: "backup"})
}

// NoteRestore records in the audit log that the database was restored from a backup, and the number of
// lanes of the log since: a log of PostgreSQL has more lanes than SQLite uses.
func (db *DB) NoteRestore(ctx context.Context, made time.Time, engine string) error {
	return db.Change(hospital.WithActor(ctx, hospital.System), func(tx *Tx) error {
		var lanes int
		if err := tx.Get(`SELECT count(*) FROM audit_lanes`).Scan(&lanes); err != nil {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{Action: backupRestored, Entity: "backup", Changes: map[string]hospital.Change{
			"madeAt": {After: made.UTC().Format(time.RFC3339)}, "engine": {After: engine}, "lanes": {After: lanes},
		}})
		return nil
	})
}

// expectedLanes returns the number of lanes that the audit log must have: those of the engine, or as
// many as the entry of a restoration contains, which is in lane 0 of SQLite.
func (tx *Tx) expectedLanes() (int, error) {
	list, err := sqldb.Collect(tx.All(auditSelect+`WHERE action = $1 AND lane = 0`, backupRestored), scanAudit)
	lanes := tx.db.dialect.lanes
	for _, r := range list {
		if n, ok := r.Changes["lanes"].After.(float64); ok {
			lanes = max(lanes, int(n))
		}
	}
	return lanes, err
}
