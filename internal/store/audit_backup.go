package store

import (
	"context"
	"errors"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// AuditChains returns the number of chains of the audit log on an engine. They are numbered from 0.
func AuditChains(engine string) int {
	if engine == "postgres" {
		return postgresAuditChains
	}
	return sqliteAuditChains
}

// AuditKeyMatches reports whether the audit log was written with the audit key. It returns true for an
// empty log.
func (db *DB) AuditKeyMatches(ctx context.Context) (matches bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		var chain int
		var seq int64
		var hash, sealed string
		err := tx.Get(`SELECT lane, seq, hash, seal FROM audit_lanes WHERE seq > 0 ORDER BY lane LIMIT 1`).
			Scan(&chain, &seq, &hash, &sealed)
		if errors.Is(err, sqldb.ErrNoRows) {
			matches = true
			return nil
		}
		matches = err == nil && sealed == seal(db.auditKey, chain, seq, hash)
		return err
	})
	return matches, err
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
// chains that the log has since: a log from PostgreSQL has more chains than SQLite uses.
func (db *DB) NoteRestore(ctx context.Context, made time.Time, engine string) error {
	return db.Change(hospital.WithActor(ctx, hospital.System), func(tx *Tx) error {
		var chains int
		if err := tx.Get(`SELECT count(*) FROM audit_lanes`).Scan(&chains); err != nil {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{Action: backupRestored, Entity: "backup", Changes: map[string]hospital.Change{
			"madeAt": {After: made.UTC().Format(time.RFC3339)}, "engine": {After: engine}, "lanes": {After: chains},
		}})
		return nil
	})
}

// expectedChains returns the number of chains that the audit log must have: that of the engine, or the
// number in the entry of a restore, which is in chain 0 on SQLite.
func (tx *Tx) expectedChains() (int, error) {
	list, err := sqldb.Collect(tx.All(auditSelect+`WHERE action = $1 AND lane = 0`, backupRestored), scanAudit)
	chains := tx.db.dialect.auditChains
	for _, r := range list {
		if n, ok := r.Changes["lanes"].After.(float64); ok {
			chains = max(chains, int(n))
		}
	}
	return chains, err
}
