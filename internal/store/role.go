package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

const roleSelect = `SELECT id, name, label, system, version, created_at, updated_at,
	(SELECT count(*) FROM users WHERE role_id = roles.id AND deleted_at IS NULL) AS user_count
	FROM roles `

func scanRole(scan func(...any) error) (hospital.Role, error) {
	r := hospital.Role{Permissions: []hospital.Permission{}}
	var created, updated int64
	err := scan(&r.ID, &r.Name, &r.Label, &r.System, &r.Version, &created, &updated, &r.UserCount)
	r.CreatedAt, r.UpdatedAt = at(created), at(updated)
	return r, err
}

// grant is a row of role_permissions.
type grant struct {
	role       int64
	permission hospital.Permission
}

// querier is what a transaction and a pool have in common.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

func permissionsOf(ctx context.Context, q querier, roleID int64) (hospital.PermissionSet, error) {
	rows, err := q.QueryContext(ctx, `SELECT permission FROM role_permissions WHERE role_id = $1`, roleID)
	list, err := scanAll(rows, err, func(p *hospital.Permission) []any { return []any{p} })
	return hospital.NewPermissionSet(list...), err
}

func readRole(ctx context.Context, q querier, id int64) (hospital.Role, error) {
	r, err := scanRole(q.QueryRowContext(ctx, roleSelect+`WHERE id = $1`, id).Scan)
	if err != nil {
		return r, orNotFound(err)
	}
	set, err := permissionsOf(ctx, q, id)
	r.Permissions = set.List()
	return r, err
}

// Role returns one role with its permissions: NOT_FOUND.
func (db *DB) Role(ctx context.Context, id int64) (hospital.Role, error) {
	r, err := readRole(ctx, db.read, id)
	return r, mapError(err)
}

// ListRoles returns a page of roles with their permissions.
func (db *DB) ListRoles(ctx context.Context, p hospital.Page, q string) (hospital.Paged[hospital.Role], error) {
	var f filter
	f.contains(q, "lower(name)", "lower(label)")
	order, err := orderBy(p, map[string]string{"name": "name", "label": "label_key", "userCount": "user_count", "createdAt": "created_at"}, "id", "name")
	if err != nil {
		return hospital.Paged[hospital.Role]{}, err
	}
	if p.Sort == "" {
		// As the hospital thinks of them: those that came with the product
		// first, in their own order.
		order = "ORDER BY system DESC, id ASC"
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM roles `+f.where(), f.args...).Scan(&total); err != nil {
		return hospital.Paged[hospital.Role]{}, mapError(err)
	}
	where, limit := f.where(), f.page(p)
	rows, err := db.read.QueryContext(ctx, roleSelect+where+" "+order+" "+limit, f.args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.Role, error) { return scanRole(rows.Scan) })
	if err != nil {
		return hospital.Paged[hospital.Role]{}, mapError(err)
	}
	// One statement for the permissions of all of them.
	rows, err = db.read.QueryContext(ctx, `SELECT role_id, permission FROM role_permissions`)
	grants, err := scanAll(rows, err, func(g *grant) []any { return []any{&g.role, &g.permission} })
	if err != nil {
		return hospital.Paged[hospital.Role]{}, mapError(err)
	}
	for i := range list {
		set := hospital.PermissionSet{}
		for _, g := range grants {
			if g.role == list[i].ID {
				set[g.permission] = true
			}
		}
		list[i].Permissions = set.List()
	}
	return hospital.Of(p, list, total), nil
}

// RoleRefs returns all roles to choose from.
func (db *DB) RoleRefs(ctx context.Context) ([]hospital.RoleRef, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT id, name, label FROM roles ORDER BY system DESC, id`)
	list, err := scanAll(rows, err, func(r *hospital.RoleRef) []any { return []any{&r.ID, &r.Name, &r.Label} })
	return list, mapError(err)
}

// CreateRole adds a role. Nobody puts a permission into it that they do not
// hold: FORBIDDEN; a code that exists is DUPLICATE on name.
func (db *DB) CreateRole(ctx context.Context, d hospital.RoleDraft) (role hospital.Role, err error) {
	if err := d.Validate(); err != nil {
		return role, err
	}
	err = db.changeOnce(ctx, valueOf(&role), func(tx *Tx) error {
		if err := hospital.MayGrant(tx.actor.Permissions, d.Permissions); err != nil {
			return err
		}
		id, err := tx.insertRole(d, false)
		if err != nil {
			return err
		}
		if role, err = readRole(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.note("role.create", "role", id, role.Label, diff(nil, role))
		return nil
	})
	return role, err
}

func (tx *Tx) insertRole(d hospital.RoleDraft, system bool) (id int64, err error) {
	err = tx.queryRow(`INSERT INTO roles (name, label, label_key, system, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`,
		d.Name, d.Label, sortKey(d.Label), system, ms(tx.now)).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("insert role: %w", err)
	}
	return id, tx.setPermissions(id, d.Permissions)
}

func (tx *Tx) setPermissions(roleID int64, ps []hospital.Permission) error {
	if _, err := tx.exec(`DELETE FROM role_permissions WHERE role_id = $1`, roleID); err != nil {
		return fmt.Errorf("clear permissions: %w", err)
	}
	for p := range hospital.NewPermissionSet(ps...) {
		if _, err := tx.exec(`INSERT INTO role_permissions (role_id, permission) VALUES ($1, $2)`, roleID, string(p)); err != nil {
			return fmt.Errorf("grant %s: %w", p, err)
		}
	}
	return nil
}

// UpdateRole changes a role. Its users have the new permissions on their next
// call. Refused: a stale version (CONFLICT_VERSION), renaming a system role,
// adding what the actor does not hold (FORBIDDEN), and leaving no user who holds every
// permission (LAST_ADMIN).
func (db *DB) UpdateRole(ctx context.Context, id, version int64, d hospital.RoleDraft) (role hospital.Role, err error) {
	if err := d.Validate(); err != nil {
		return role, err
	}
	err = db.changeOnce(ctx, valueOf(&role), func(tx *Tx) error {
		hadAdmin, err := tx.guardAdministrators()
		if err != nil {
			return err
		}
		before, err := readRole(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		if before.System && d.Name != before.Name {
			return hospital.Refuse(hospital.ValidationFailed).On("name", "เปลี่ยนรหัสของบทบาทของระบบไม่ได้", "The code of a built-in role cannot be changed.")
		}
		held := hospital.NewPermissionSet(before.Permissions...)
		added := slices.DeleteFunc(slices.Clone(d.Permissions), func(p hospital.Permission) bool { return held[p] })
		if err := hospital.MayGrant(tx.actor.Permissions, added); err != nil {
			return err
		}
		// Taking rights away from a role that may do more than the actor would
		// be managing somebody with more rights.
		if err := hospital.MayManage(tx.actor.Permissions, before.Permissions); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE roles SET name = $2, label = $3, label_key = $4, version = version + 1, updated_at = $5 WHERE id = $1`,
			id, d.Name, d.Label, sortKey(d.Label), ms(tx.now)); err != nil {
			return fmt.Errorf("update role: %w", err)
		}
		if err := tx.setPermissions(id, d.Permissions); err != nil {
			return err
		}
		if err := tx.keepAnAdministrator(hadAdmin); err != nil {
			return err
		}
		if role, err = readRole(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.publish(hospital.Event{Kind: hospital.EventAccess})
		tx.note("role.update", "role", id, role.Label, diff(before, role))
		return nil
	})
	return role, err
}

// DeleteRole removes a role nobody has. Refused: a system role (FORBIDDEN), one
// with users (IN_USE with how many), one that may do more than the actor.
func (db *DB) DeleteRole(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if _, err := tx.guardAdministrators(); err != nil {
			return err
		}
		role, err := readRole(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if role.System {
			return hospital.Refuse(hospital.Forbidden).Because("ลบบทบาทของระบบไม่ได้", "A built-in role cannot be deleted.")
		}
		if role.UserCount > 0 {
			return hospital.Refuse(hospital.InUse).
				Because(fmt.Sprintf("ยังมีผู้ใช้งาน %d คนอยู่ในบทบาทนี้ กรุณาย้ายผู้ใช้งานไปบทบาทอื่นก่อน", role.UserCount),
					fmt.Sprintf("%d users still have this role. Give them another one first.", role.UserCount)).
				With("count", role.UserCount)
		}
		if err := hospital.MayManage(tx.actor.Permissions, role.Permissions); err != nil {
			return err
		}
		// Accounts that were deleted keep their history, not the role.
		if _, err := tx.exec(`UPDATE users SET role_id = NULL, status = 'SUSPENDED' WHERE role_id = $1 AND deleted_at IS NOT NULL`, id); err != nil {
			return fmt.Errorf("detach deleted users: %w", err)
		}
		if _, err := tx.exec(`DELETE FROM roles WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete role: %w", err)
		}
		tx.note("role.delete", "role", id, role.Label, diff(role, nil))
		return nil
	})
}

// guardAdministrators serializes transactions that could remove the last administrator, and
// reports whether there is one.
func (tx *Tx) guardAdministrators() (hasAdmin bool, err error) {
	if _, err := tx.exec(`UPDATE guards SET n = n + 1 WHERE name = 'administrators'`); err != nil {
		return false, fmt.Errorf("guard administrators: %w", err)
	}
	return tx.hasAdministrator()
}

// keepAnAdministrator returns LAST_ADMIN if the transaction removes the last administrator.
// hadAdmin is the result of guardAdministrators.
func (tx *Tx) keepAnAdministrator(hadAdmin bool) error {
	if hasAdmin, err := tx.hasAdministrator(); err != nil || hasAdmin || !hadAdmin {
		return err
	}
	return hospital.Refuse(hospital.LastAdmin)
}

// hasAdministrator reports whether an active user who can sign in holds every permission. A user
// who must change the password can sign in; an invited user without a password cannot.
func (tx *Tx) hasAdministrator() (bool, error) {
	rows, err := tx.query(`SELECT p.role_id, p.permission FROM role_permissions p
		WHERE p.role_id IN (SELECT role_id FROM users
			WHERE status = 'ACTIVE' AND deleted_at IS NULL AND password_hash <> '')`)
	grants, err := scanAll(rows, err, func(g *grant) []any { return []any{&g.role, &g.permission} })
	if err != nil {
		return false, fmt.Errorf("read administrators: %w", err)
	}
	held := map[int64]hospital.PermissionSet{}
	for _, g := range grants {
		if held[g.role] == nil {
			held[g.role] = hospital.PermissionSet{}
		}
		held[g.role][g.permission] = true
	}
	for _, set := range held {
		if len(set.Missing(hospital.AllPermissions)) == 0 {
			return true, nil
		}
	}
	return false, nil
}
