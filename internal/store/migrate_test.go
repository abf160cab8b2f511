package store_test

import (
	"errors"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// An older version of the program does not open a database after an upgrade.
func TestOpenRejectsNewerSchema(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		p.Open(t)
		_, err := p.SQL(t).ExecContext(t.Context(),
			`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
		if err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), p.Options)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("opened: %v", err)
		}
	})
}

// migratedTo replaces the database of a place by one with the schema of a migration. It has the role ADMIN
// without permissions, and settings with another time zone.
func migratedTo(t *testing.T, p storetest.Database, migration int64) storetest.Database {
	t.Helper()
	p.Options.Migration = migration
	if p.Engine == "sqlite" {
		p.Options.DataDir = t.TempDir()
	} else {
		_, err := p.SQL(t).ExecContext(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), p.Options)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p.Options.Migration = 0
	_, role := p.SQL(t).ExecContext(t.Context(), `INSERT INTO roles
		(name, label, label_key, system, created_at, updated_at)
		VALUES ('ADMIN', 'ผู้ดูแลระบบ', $1, true, 0, 0)`, []byte("A"))
	_, setting := p.SQL(t).ExecContext(t.Context(), `INSERT INTO settings (id, body, updated_at)
		VALUES (1, '{"name":"โรงพยาบาล","timezone":"Pacific/Auckland","noShowTime":"17:00"}', 0)`)
	if err := errors.Join(role, setting); err != nil {
		t.Fatal(err)
	}
	return p
}

// After an upgrade the time zone is Asia/Bangkok, the settings can be saved, and ADMIN holds
// every current permission. The test fails if no migration grants a new permission to ADMIN.
func TestUpgradeGrantsAllPermissions(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := migratedTo(t, p, 13).Open(t)
		ctx := hospital.WithActor(t.Context(),
			hospital.Actor{Permissions: hospital.NewPermissionSet(hospital.AllPermissions...)})
		setting := must[hospital.Setting](t)(db.Setting(ctx))
		if setting.Timezone != "Asia/Bangkok" || setting.Name != "โรงพยาบาล" || setting.NoShowTime != "17:00" {
			t.Errorf("%+v", setting)
		}
		must[hospital.Setting](t)(db.SaveSetting(ctx, setting))
		role := must[hospital.Role](t)(db.Role(ctx, storetest.RoleID(t, db, "ADMIN")))
		held := hospital.NewPermissionSet(role.Permissions...)
		if missing := held.Missing(hospital.AllPermissions); len(missing) > 0 {
			t.Errorf("ADMIN lacks %v", missing)
		}
	})
}
