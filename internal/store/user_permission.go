package store

import (
	"errors"
	"fmt"

	"nadmor/internal/hospital"
)

// mayGiveRole returns VALIDATION_FAILED on roleId for a role that does not exist, and FORBIDDEN for a
// role with more permissions than the actor has.
func (tx *Tx) mayGiveRole(roleID int64) error {
	role, err := tx.readRole(roleID)
	if errors.Is(err, hospital.Reject(hospital.NotFound)) {
		return hospital.Reject(hospital.ValidationFailed).On("roleId", "ไม่พบบทบาทนี้", "There is no such role.")
	}
	if err != nil {
		return err
	}
	return hospital.MayGrant(tx.actor.Permissions, role.Permissions)
}

// mayManage returns FORBIDDEN for an account with more permissions than the actor has.
func (tx *Tx) mayManage(u hospital.User) error {
	if u.RoleID == nil {
		return nil
	}
	set, err := tx.permissionsOf(*u.RoleID)
	if err != nil {
		return err
	}
	return hospital.MayManage(tx.actor.Permissions, set.List())
}

// mayGivePassword returns FORBIDDEN if the actor must not set the password of an account, or get a link
// to choose one: the actor's own account, or one with more permissions.
func (tx *Tx) mayGivePassword(u hospital.User) error {
	if err := hospital.MaySetPassword(tx.actor, u.ID); err != nil {
		return err
	}
	return tx.mayManage(u)
}

// lockAdministrators serializes transactions that could remove the last administrator, and
// reports whether there is one.
func (tx *Tx) lockAdministrators() (hasAdmin bool, err error) {
	tx.Exec(`UPDATE guards SET n = n + 1 WHERE name = 'administrators'`)
	return tx.hasAdministrator()
}

// requireAdministrator returns LAST_ADMIN if the transaction removes the last administrator.
// hadAdmin is the result of lockAdministrators.
func (tx *Tx) requireAdministrator(hadAdmin bool) error {
	if hasAdmin, err := tx.hasAdministrator(); err != nil || hasAdmin || !hadAdmin {
		return err
	}
	return hospital.Reject(hospital.LastAdmin)
}

// hasAdministrator reports whether an active user who can sign in holds every permission. A user
// who must change the password can sign in; an invited user without a password cannot.
func (tx *Tx) hasAdministrator() (bool, error) {
	sets, err := permissionsByRole(tx.All(`SELECT p.role_id, p.permission FROM role_permissions p
		WHERE p.role_id IN (SELECT role_id FROM users
			WHERE status = 'ACTIVE' AND deleted_at IS NULL AND password_hash <> '')`))
	if err != nil {
		return false, fmt.Errorf("read administrators: %w", err)
	}
	for _, set := range sets {
		if len(set.Missing(hospital.AllPermissions)) == 0 {
			return true, nil
		}
	}
	return false, nil
}
