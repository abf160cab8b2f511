package store_test

import (
	"errors"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Who goes back to an older version after an upgrade is told so, instead of
// writing into tables that mean something else now.
func TestADatabaseOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		p.Open(t)
		if _, err := p.SQL(t).ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), p.Options)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("it is opened: %v", err)
		}
	})
}

// older makes the place one of a version before a migration, with the role ADMIN
// and no permissions of it, and settings with another time zone.
func older(t *testing.T, p storetest.Place, migration int64) storetest.Place {
	t.Helper()
	p.Options.Migration = migration
	if p.Engine == "sqlite" {
		p.Options.DataDir = t.TempDir()
	} else if _, err := p.SQL(t).ExecContext(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), p.Options)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p.Options.Migration = 0
	_, role := p.SQL(t).ExecContext(t.Context(), `INSERT INTO roles (name, label, label_key, system, created_at, updated_at)
		VALUES ('ADMIN', 'ผู้ดูแลระบบ', $1, true, 0, 0)`, []byte("A"))
	_, setting := p.SQL(t).ExecContext(t.Context(), `INSERT INTO settings (id, body, updated_at)
		VALUES (1, '{"name":"โรงพยาบาล","timezone":"Pacific/Auckland","noShowTime":"17:00"}', 0)`)
	if err := errors.Join(role, setting); err != nil {
		t.Fatal(err)
	}
	return p
}

// A hospital of an older version is in Thailand's time after the upgrade and can
// save its settings. Its role ADMIN holds every permission there is now: a new
// one that no migration gives to ADMIN fails here.
func TestAnUpgradeLeavesSomebodyWhoHoldsEveryPermission(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := older(t, p, 13).Open(t)
		ctx := hospital.WithActor(t.Context(), hospital.Actor{Permissions: hospital.NewPermissionSet(hospital.AllPermissions...)})
		setting := must[hospital.Setting](t)(db.Setting(ctx))
		if setting.Timezone != "Asia/Bangkok" || setting.Name != "โรงพยาบาล" || setting.NoShowTime != "17:00" {
			t.Errorf("%+v", setting)
		}
		must[hospital.Setting](t)(db.SaveSetting(ctx, setting))
		role := must[hospital.Role](t)(db.Role(ctx, storetest.RoleID(t, db, "ADMIN")))
		if missing := hospital.NewPermissionSet(role.Permissions...).Missing(hospital.AllPermissions); len(missing) > 0 {
			t.Errorf("ADMIN lacks %v", missing)
		}
	})
}
