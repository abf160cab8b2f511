package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// Setting returns the hospital's settings, or the default ones if none were saved. They are read by
// primary key and not cached, so that a change takes effect on every node at once.
func (db *DB) Setting(ctx context.Context) (s hospital.Setting, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		s, err = tx.setting()
		return err
	})
	return s, err
}

func (tx *Tx) setting() (hospital.Setting, error) { return tx.querySetting()() }

// querySetting queries the settings. The function it returns reads them.
func (tx *Tx) querySetting() func() (hospital.Setting, error) {
	row := tx.Get(settingSelect)
	return func() (hospital.Setting, error) {
		s, err := scanSetting(row.Scan)
		if errors.Is(err, sqldb.ErrNoRows) {
			return hospital.DefaultSetting.Copy(), nil
		}
		if err == nil {
			tx.db.cacheNumberFormat(s)
		}
		return s, err
	}
}

const settingSelect = `SELECT body, version, updated_at FROM settings WHERE id = 1`

// SettingIn returns the saved settings in the snapshot of a backup, which query reads. They are empty if
// none were saved.
func SettingIn(query Query) (s hospital.Setting, err error) {
	err = query(func(scan sqldb.Scan) (err error) {
		s, err = scanSetting(scan)
		return err
	}, settingSelect)
	return s, err
}

// cacheNumberFormat caches the format of appointment numbers, see numberFormat.
func (db *DB) cacheNumberFormat(s hospital.Setting) {
	format := hospital.NumberFormat(s.AppointmentNumberFormat)
	db.format.Store(&format)
}

// numberFormat returns the format of appointment numbers in the settings that were read last. A booking
// checks whether it has changed, see checkFormat.
func (db *DB) numberFormat() hospital.NumberFormat {
	if format := db.format.Load(); format != nil {
		return *format
	}
	return hospital.NumberFormat(hospital.DefaultSetting.AppointmentNumberFormat)
}

// Today returns the date in the hospital's time zone.
func (db *DB) Today() string { return db.localNow().Date }

// localNow returns the time in the hospital's time zone.
func (db *DB) localNow() hospital.Moment { return hospital.MomentOf(db.Now()) }

// scanSetting reads saved settings. Fields that did not exist when they were saved have their default.
func scanSetting(scan sqldb.Scan) (hospital.Setting, error) {
	var body string
	var version, updated int64
	if err := scan(&body, &version, &updated); err != nil {
		return hospital.Setting{}, err
	}
	s, err := settingTexts.of(body)
	if err != nil {
		return s, fmt.Errorf("read setting: %w", err)
	}
	s.Version, s.UpdatedAt = version, at(updated)
	return s, nil
}

var settingTexts = jsonCache[hospital.Setting]{start: hospital.DefaultSetting, copy: hospital.Setting.Copy}

// lockSetting reads the settings and locks them until the end of the transaction.
func (tx *Tx) lockSetting() (hospital.Setting, error) {
	s, err := scanSetting(tx.Get(`INSERT INTO settings (id, body, version, updated_at) VALUES (1, '{}', 0, $1)
		ON CONFLICT (id) DO UPDATE SET version = settings.version RETURNING body, version, updated_at`, ms(tx.now)).Scan)
	if err != nil {
		return s, fmt.Errorf("lock setting: %w", err)
	}
	return s, nil
}

// UpdateSetting lets apply change the settings. It returns CONFLICT_VERSION with the current settings
// for a stale version, and the errors of AmendSetting.
func (db *DB) UpdateSetting(
	ctx context.Context, version int64, apply func(*hospital.SettingFields) error,
) (hospital.Setting, error) {
	return db.changeSetting(ctx, func(s *hospital.Setting) error {
		if s.Version != version {
			return hospital.Reject(hospital.ConflictVersion).With("current", *s)
		}
		return apply(&s.SettingFields)
	})
}

// AmendSetting lets apply change the settings regardless of their version, for example to add a
// banner or set the logo. The settings are locked while apply runs, so that RemoveMedia waits. It returns
// VALIDATION_FAILED for invalid fields, and FORBIDDEN with details.permission: banners need
// BANNER.UPDATE, everything else GLOBAL_SETTING.UPDATE.
func (db *DB) AmendSetting(ctx context.Context, apply func(*hospital.SettingFields) error) (hospital.Setting, error) {
	return db.changeSetting(ctx, func(s *hospital.Setting) error { return apply(&s.SettingFields) })
}

func (db *DB) changeSetting(ctx context.Context, apply func(*hospital.Setting) error) (s hospital.Setting, err error) {
	err = db.changeOnce(ctx, valueOf(&s), func(tx *Tx) error {
		before, err := tx.lockSetting()
		if err != nil {
			return err
		}
		s = before
		if err := apply(&s); err != nil {
			return err
		}
		s.SettingFields = s.Clean()
		if err := s.Validate(); err != nil {
			return err
		}
		for _, p := range s.Needs(before.SettingFields) {
			if !tx.actor.Permissions[p] {
				return hospital.Reject(hospital.Forbidden).With("permission", p)
			}
		}
		s.Version, s.UpdatedAt = before.Version+1, tx.now
		tx.Exec(`UPDATE settings SET body = $1, version = $2, updated_at = $3 WHERE id = 1`,
			toJSON(s), s.Version, ms(tx.now))
		tx.Publish(hospital.Event{Kind: hospital.EventSetting, Version: s.Version})
		tx.Note("setting.update", "setting", 1, s.Name, diff(before, s))
		return nil
	})
	if err == nil {
		db.cacheNumberFormat(s)
	}
	return s, err
}

// SaveSetting replaces all fields of the settings, see UpdateSetting.
func (db *DB) SaveSetting(ctx context.Context, s hospital.Setting) (hospital.Setting, error) {
	return db.UpdateSetting(ctx, s.Version, func(f *hospital.SettingFields) error {
		*f = s.SettingFields
		return nil
	})
}

// RemoveMedia calls remove for a picture unless the settings refer to it. They are locked while it runs.
func (db *DB) RemoveMedia(ctx context.Context, address string, remove func(context.Context) error) error {
	return db.Change(ctx, func(tx *Tx) error {
		s, err := tx.lockSetting()
		if err != nil || slices.Contains(s.Images(), address) {
			return err
		}
		return remove(ctx)
	})
}
