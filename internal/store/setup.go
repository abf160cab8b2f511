package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// NeedsSetup tells whether nobody was ever added.
func (db *DB) NeedsSetup(ctx context.Context) (bool, error) {
	var n int64
	err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM users`).Scan(&n)
	return n == 0, mapError(err)
}

// SetUp writes the system roles and the first administrator into an empty
// database. It does nothing, and says so, where somebody (perhaps another node
// that started at the same moment) was first.
func (db *DB) SetUp(ctx context.Context, passwordHash string, mustChange bool) (done bool, err error) {
	ctx = hospital.WithActor(ctx, hospital.System)
	err = db.change(ctx, func(tx *Tx) error {
		done = false
		if _, err := tx.guardAdministrators(); err != nil {
			return err
		}
		var n int64
		if err := tx.queryRow(`SELECT count(*) FROM users`).Scan(&n); err != nil || n > 0 {
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
		tx.note("user.create", "user", id, admin.Name, diff(nil, admin))
		done = true
		return nil
	})
	return done, err
}

// SetPasswordByCommand gives the named account a new password from the command
// line, unlocks it and ends its sessions: NOT_FOUND. withoutTOTP switches one-time
// codes off, too; otherwise the new password is of no use without them.
func (db *DB) SetPasswordByCommand(ctx context.Context, username, hash string, withoutTOTP bool) error {
	ctx = hospital.WithActor(ctx, hospital.System)
	return db.change(ctx, func(tx *Tx) error {
		var id int64
		var totp bool
		err := tx.queryRow(`SELECT id, totp_enabled FROM users WHERE username_key = $1 AND deleted_at IS NULL`, hospital.NameKey(username)).Scan(&id, &totp)
		if err != nil {
			return orNotFound(err)
		}
		if err := tx.setPassword(id, hash, true); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM login_attempts WHERE login_hash = $1`, loginKey(username)); err != nil {
			return fmt.Errorf("unlock: %w", err)
		}
		if _, err := tx.endSessions(id, ""); err != nil {
			return err
		}
		tx.note("user.reset-password", "user", id, username, nil)
		if totp && withoutTOTP {
			if _, err := tx.exec(`UPDATE users SET totp_secret = '', totp_enabled = $2, totp_used = 0 WHERE id = $1`, id, false); err != nil {
				return fmt.Errorf("remove one-time codes: %w", err)
			}
			tx.note("auth.totp-disable", "user", id, username, nil)
		}
		return nil
	})
}
