package store

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const roleSelect = `SELECT id, name, label, system, version, created_at, updated_at,
	(SELECT count(*) FROM users WHERE role_id = roles.id AND deleted_at IS NULL) AS user_count
	FROM roles `

func scanRole(scan sqldb.Scan) (hospital.Role, error) {
	r := hospital.Role{Permissions: []hospital.Permission{}}
	var created, updated int64
	err := scan(&r.ID, &r.Name, &r.Label, &r.System, &r.Version, &created, &updated, &r.UserCount)
	r.CreatedAt, r.UpdatedAt = at(created), at(updated)
	return r, err
}

// permissionsByRole returns the permissions of the roles in rows of role_id and permission.
func permissionsByRole(rows sqldb.Rows) (map[int64]hospital.PermissionSet, error) {
	sets := map[int64]hospital.PermissionSet{}
	err := rows.Each(func(scan sqldb.Scan) error {
		var role int64
		var p hospital.Permission
		if err := scan(&role, &p); err != nil {
			return err
		}
		if sets[role] == nil {
			sets[role] = hospital.PermissionSet{}
		}
		sets[role][p] = true
		return nil
	})
	return sets, err
}

// permissionsOf returns the permissions of a role.
func (tx *Tx) permissionsOf(roleID int64) (hospital.PermissionSet, error) {
	return tx.queryPermissions(roleID)()
}

func (tx *Tx) queryPermissions(roleID int64) func() (hospital.PermissionSet, error) {
	rows := tx.All(`SELECT permission FROM role_permissions WHERE role_id = $1`, roleID)
	return func() (hospital.PermissionSet, error) {
		list, err := sqldb.Column[hospital.Permission](rows)
		return hospital.NewPermissionSet(list...), err
	}
}

// readRole returns a role with its permissions. It returns NOT_FOUND if there is none.
func (tx *Tx) readRole(id int64) (hospital.Role, error) {
	row, permissions := tx.Get(roleSelect+`WHERE id = $1`, id), tx.queryPermissions(id)
	r, err := scanRole(row.Scan)
	if err != nil {
		return r, orNotFound(err)
	}
	set, err := permissions()
	r.Permissions = set.List()
	return r, err
}

// permissions returns the permissions of a role, in the version that a session was read with or a later one.
func (db *DB) permissions(ctx context.Context, roleID, version int64) (hospital.PermissionSet, error) {
	if set, cached := db.roles.get(roleID, version); cached {
		return set, nil
	}
	var set hospital.PermissionSet
	err := db.Read(ctx, func(tx *Tx) (err error) {
		row := tx.Get(`SELECT version FROM roles WHERE id = $1`, roleID)
		if set, err = tx.permissionsOf(roleID); err != nil {
			return err
		}
		return orNotFound(row.Scan(&version))
	})
	if err == nil {
		db.roles.put(roleID, version, set)
	}
	return set, err
}

// roleCache holds the permissions of roles by the version of the role. The version is read with
// every session, and a change of the role on any node gives it another one, so that an entry of an
// older version is never used.
type roleCache struct {
	mu   sync.RWMutex
	sets map[int64]cachedRole
}

type cachedRole struct {
	version int64
	set     hospital.PermissionSet
}

func (c *roleCache) get(id, version int64) (hospital.PermissionSet, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.sets[id]
	return r.set, ok && r.version == version
}

func (c *roleCache) put(id, version int64, set hospital.PermissionSet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sets == nil {
		c.sets = map[int64]cachedRole{}
	}
	c.sets[id] = cachedRole{version, set}
}

// Role returns one role with its permissions. It returns NOT_FOUND if there is none.
func (db *DB) Role(ctx context.Context, id int64) (r hospital.Role, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		r, err = tx.readRole(id)
		return err
	})
	return r, err
}

var roleSorts = map[string]string{
	"name": "name", "label": "label_key", "userCount": "user_count", "createdAt": "created_at",
}

// ListRoles returns a page of roles with their permissions: by default the built-in ones first.
func (db *DB) ListRoles(
	ctx context.Context, p hospital.Page, q string,
) (page hospital.Paged[hospital.Role], err error) {
	order, err := orderBy(p, roleSorts, "id", "name")
	if err != nil {
		return page, err
	}
	if p.Sort == "" {
		order = "ORDER BY system DESC, id ASC"
	}
	err = db.Read(ctx, func(tx *Tx) error {
		var f filter
		f.contains(q, "lower(name)", "lower(label)")
		count := tx.Get(`SELECT count(*) FROM roles `+f.where(), f.args...)
		limit := f.page(p)
		rows := tx.All(roleSelect+f.where()+" "+order+" "+limit, f.args...)
		permissions := tx.All(`SELECT role_id, permission FROM role_permissions`)
		var total int64
		if err := count.Scan(&total); err != nil {
			return err
		}
		list, err := sqldb.Collect(rows, scanRole)
		if err != nil {
			return err
		}
		sets, err := permissionsByRole(permissions)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Permissions = sets[list[i].ID].List()
		}
		page = hospital.NewPaged(p, list, total)
		return nil
	})
	return page, err
}

// RoleRefs returns all roles to choose from.
func (db *DB) RoleRefs(ctx context.Context) (list []hospital.RoleRef, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		list, err = sqldb.Collect(tx.All(`SELECT id, name, label FROM roles ORDER BY system DESC, id`),
			func(scan sqldb.Scan) (r hospital.RoleRef, err error) {
				err = scan(&r.ID, &r.Name, &r.Label)
				return r, err
			})
		return err
	})
	return list, err
}

// CreateRole adds a role. It returns FORBIDDEN for a permission that the actor does not have, and
// DUPLICATE on name for a code that exists.
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
		if role, err = tx.readRole(id); err != nil {
			return err
		}
		tx.Note("role.create", "role", id, role.Label, diff(nil, role))
		return nil
	})
	return role, err
}

func (tx *Tx) insertRole(d hospital.RoleDraft, system bool) (id int64, err error) {
	err = tx.Get(`INSERT INTO roles (name, label, label_key, system, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`,
		d.Name, d.Label, sortKey(d.Label), system, ms(tx.now)).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("insert role: %w", err)
	}
	tx.setPermissions(id, d.Permissions)
	return id, nil
}

func (tx *Tx) setPermissions(roleID int64, ps []hospital.Permission) {
	tx.Exec(`DELETE FROM role_permissions WHERE role_id = $1`, roleID)
	for p := range hospital.NewPermissionSet(ps...) {
		tx.Exec(`INSERT INTO role_permissions (role_id, permission) VALUES ($1, $2)`, roleID, string(p))
	}
}

// UpdateRole changes a role. Its users have the new permissions on their next call. It returns
// CONFLICT_VERSION for a stale version, VALIDATION_FAILED for another code of a built-in role,
// FORBIDDEN for permissions that the actor does not have, and LAST_ADMIN if no user with every
// permission would remain.
func (db *DB) UpdateRole(ctx context.Context, id, version int64, d hospital.RoleDraft) (role hospital.Role, err error) {
	if err := d.Validate(); err != nil {
		return role, err
	}
	err = db.changeOnce(ctx, valueOf(&role), func(tx *Tx) error {
		hadAdmin, err := tx.lockAdministrators()
		if err != nil {
			return err
		}
		before, err := tx.readRole(id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Reject(hospital.ConflictVersion).With("current", before)
		}
		if before.System && d.Name != before.Name {
			return hospital.Reject(hospital.ValidationFailed).
				On("name", "เปลี่ยนรหัสของบทบาทของระบบไม่ได้", "The code of a built-in role cannot be changed.")
		}
		held := hospital.NewPermissionSet(before.Permissions...)
		added := slices.DeleteFunc(slices.Clone(d.Permissions), func(p hospital.Permission) bool { return held[p] })
		if err := hospital.MayGrant(tx.actor.Permissions, added); err != nil {
			return err
		}
		// To take permissions from a role with more than the actor has is to manage its users.
		if err := hospital.MayManage(tx.actor.Permissions, before.Permissions); err != nil {
			return err
		}
		tx.Exec(`UPDATE roles SET name = $2, label = $3, label_key = $4, version = version + 1, updated_at = $5
			WHERE id = $1`, id, d.Name, d.Label, sortKey(d.Label), ms(tx.now))
		tx.setPermissions(id, d.Permissions)
		if err := tx.requireAdministrator(hadAdmin); err != nil {
			return err
		}
		if role, err = tx.readRole(id); err != nil {
			return err
		}
		tx.Publish(hospital.Event{Kind: hospital.EventAccess})
		tx.Note("role.update", "role", id, role.Label, diff(before, role))
		return nil
	})
	return role, err
}

// DeleteRole deletes a role without users. It returns FORBIDDEN for a built-in role and for one with
// more permissions than the actor's, and IN_USE with their number for one with users.
func (db *DB) DeleteRole(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		if _, err := tx.lockAdministrators(); err != nil {
			return err
		}
		role, err := tx.readRole(id)
		if err != nil {
			return err
		}
		if role.System {
			return hospital.Reject(hospital.Forbidden).
				Because("ลบบทบาทของระบบไม่ได้", "A built-in role cannot be deleted.")
		}
		if role.UserCount > 0 {
			return hospital.Reject(hospital.InUse).
				Because(fmt.Sprintf("ยังมีผู้ใช้งาน %d คนอยู่ในบทบาทนี้ กรุณาย้ายผู้ใช้งานไปบทบาทอื่นก่อน", role.UserCount),
					fmt.Sprintf("%d users still have this role. Give them another one first.", role.UserCount)).
				With("count", role.UserCount)
		}
		if err := hospital.MayManage(tx.actor.Permissions, role.Permissions); err != nil {
			return err
		}
		// Deleted accounts still refer to the role.
		tx.Exec(`UPDATE users SET role_id = NULL, status = 'SUSPENDED'
			WHERE role_id = $1 AND deleted_at IS NOT NULL`, id)
		tx.Exec(`DELETE FROM roles WHERE id = $1`, id)
		tx.Note("role.delete", "role", id, role.Label, diff(role, nil))
		return nil
	})
}
