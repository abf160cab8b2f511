package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// NeedsSetup reports whether the database has no users.
func (db *DB) NeedsSetup(ctx context.Context) (needed bool, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		needed, err = tx.needsSetup()
		return err
	})
	return needed, err
}

func (tx *Tx) needsSetup() (bool, error) {
	var n int64
	err := tx.Get(`SELECT count(*) FROM users`).Scan(&n)
	return n == 0, err
}

// SetUp writes the built-in roles and the first administrator into an empty database. If there are
// users already, perhaps because another node started at the same time, it does nothing and returns
// false.
func (db *DB) SetUp(ctx context.Context, passwordHash string, mustChange bool) (done bool, err error) {
	ctx = hospital.WithActor(ctx, hospital.System)
	err = db.Change(ctx, func(tx *Tx) error {
		done = false
		if _, err := tx.lockAdministrators(); err != nil {
			return err
		}
		if needed, err := tx.needsSetup(); err != nil || !needed {
			return err
		}
		var adminRole int64
		for _, r := range hospital.SystemRoles {
			id, err := tx.insertRole(hospital.RoleDraft{Name: r.Name, Label: r.Label, Permissions: r.Permissions}, true)
			if err != nil {
				return err
			}
			if r.Name == hospital.AdminRole {
				adminRole = id
			}
		}
		admin := hospital.User{
			Username: "admin", Email: "admin@localhost.localdomain", Name: "ผู้ดูแลระบบ", RoleID: &adminRole,
			Status: hospital.UserActive, MustChangePassword: mustChange,
		}
		id, err := tx.insertUser(admin, passwordHash)
		if err != nil {
			return fmt.Errorf("first administrator: %w", err)
		}
		tx.Note("user.create", "user", id, admin.Name, diff(nil, admin))
		done = true
		return nil
	})
	return done, err
}

// SetPasswordByCommand sets the password of an account from the command line, unlocks it and ends its
// sessions. withoutTOTP also disables one-time codes; otherwise they are still needed to sign in. It
// returns NOT_FOUND if there is no such account.
func (db *DB) SetPasswordByCommand(ctx context.Context, username, hash string, withoutTOTP bool) error {
	ctx = hospital.WithActor(ctx, hospital.System)
	return db.Change(ctx, func(tx *Tx) error {
		var id int64
		var totp bool
		err := tx.Get(`SELECT id, totp_enabled FROM users WHERE username_key = $1 AND deleted_at IS NULL`,
			hospital.NameKey(username)).Scan(&id, &totp)
		if err != nil {
			return orNotFound(err)
		}
		tx.setPassword(id, hash, true)
		tx.Exec(`DELETE FROM login_attempts WHERE login_hash = $1`, loginKey(username))
		tx.endSessions(id, "")
		tx.Note("user.reset-password", "user", id, username, nil)
		if totp && withoutTOTP {
			tx.Exec(`UPDATE users SET totp_secret = '', totp_enabled = $2, totp_used = 0 WHERE id = $1`, id, false)
			tx.Note("auth.totp-disable", "user", id, username, nil)
		}
		return nil
	})
}
