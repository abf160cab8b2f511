package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"nadmor/internal/hospital"
)

// Setting returns the hospital's configuration, the default one where nothing
// was saved yet.
func (db *DB) Setting(ctx context.Context) (hospital.Setting, error) {
	s := hospital.DefaultSetting
	var body string
	var updated int64
	err := db.read.QueryRowContext(ctx, `SELECT body, version, updated_at FROM settings WHERE id = 1`).Scan(&body, &s.Version, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, mapError(err)
	}
	version := s.Version
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		return s, fmt.Errorf("read setting: %w", err)
	}
	s.Version, s.UpdatedAt = version, at(updated)
	return s, nil
}

// SaveSetting replaces the configuration if it is still the version that was
// read: CONFLICT_VERSION with the current one otherwise.
func (db *DB) SaveSetting(ctx context.Context, s hospital.Setting) (hospital.Setting, error) {
	before, err := db.Setting(ctx)
	if err != nil {
		return s, err
	}
	err = db.change(ctx, func(tx *Tx) error {
		s.UpdatedAt = tx.now
		n, err := tx.exec(`INSERT INTO settings (id, body, version, updated_at) VALUES (1, $1, 1, $2)
			ON CONFLICT (id) DO UPDATE SET body = $1, version = settings.version + 1, updated_at = $2 WHERE settings.version = $3`,
			toJSON(s), ms(tx.now), s.Version)
		if err != nil {
			return fmt.Errorf("save setting: %w", err)
		}
		if n == 0 {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		s.Version++
		tx.note("setting.update", "setting", 1, s.Name, diff(before, s))
		return nil
	})
	return s, err
}
