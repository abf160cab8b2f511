package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
)

const userSelect = `SELECT u.id, u.username, u.email, u.name, u.phone, u.position, u.license_no, u.role_id, r.name, r.label, u.service_ids, u.status,
	u.must_change_password, u.totp_enabled, u.reset_requested_at, u.last_login_at, u.version, u.created_at, u.updated_at
	FROM users u LEFT JOIN roles r ON r.id = u.role_id `

func scanUser(scan func(...any) error) (hospital.User, error) {
	var u hospital.User
	var role, reset, login sql.NullInt64
	var roleName, roleLabel sql.NullString
	var services string
	var created, updated int64
	err := scan(&u.ID, &u.Username, &u.Email, &u.Name, &u.Phone, &u.Position, &u.LicenseNo, &role, &roleName, &roleLabel, &services, &u.Status,
		&u.MustChangePassword, &u.TOTPEnabled, &reset, &login, &u.Version, &created, &updated)
	if err != nil {
		return u, err
	}
	if role.Valid {
		u.RoleID = &role.Int64
		u.Role = &hospital.RoleRef{ID: role.Int64, Name: roleName.String, Label: roleLabel.String}
	}
	u.ServiceIDs = []int64{}
	if err := json.Unmarshal([]byte(services), &u.ServiceIDs); err != nil {
		return u, fmt.Errorf("read services of user %d: %w", u.ID, err)
	}
	u.ResetRequestedAt, u.LastLoginAt = atOrNil(reset), atOrNil(login)
	u.CreatedAt, u.UpdatedAt = at(created), at(updated)
	return u, nil
}

func readUser(ctx context.Context, q querier, id int64) (hospital.User, error) {
	u, err := scanUser(q.QueryRowContext(ctx, userSelect+`WHERE u.id = $1 AND u.deleted_at IS NULL`, id).Scan)
	return u, orNotFound(err)
}

// User returns one account: NOT_FOUND.
func (db *DB) User(ctx context.Context, id int64) (hospital.User, error) {
	u, err := readUser(ctx, db.read, id)
	return u, mapError(err)
}

// UserFilter narrows the list of accounts.
type UserFilter struct {
	hospital.Page
	Q      string
	RoleID int64
	Status hospital.UserStatus
}

// ListUsers returns a page of accounts.
func (db *DB) ListUsers(ctx context.Context, in UserFilter) (hospital.Paged[hospital.User], error) {
	var f filter
	f.add("u.deleted_at IS NULL")
	f.contains(in.Q, "u.username_key", "u.email_key", "lower(u.name)", "u.phone")
	if in.RoleID != 0 {
		f.add("u.role_id = %s", in.RoleID)
	}
	if in.Status != "" {
		f.add("u.status = %s", string(in.Status))
	}
	order, err := orderBy(in.Page, map[string]string{
		"name": "u.name_key", "username": "u.username_key", "email": "u.email_key", "status": "u.status", "role": "r.label_key",
		"lastLoginAt": "coalesce(u.last_login_at, 0)", "createdAt": "u.created_at",
	}, "u.id", "name")
	if err != nil {
		return hospital.Paged[hospital.User]{}, err
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM users u `+f.where(), f.args...).Scan(&total); err != nil {
		return hospital.Paged[hospital.User]{}, mapError(err)
	}
	where, limit := f.where(), f.page(in.Page)
	rows, err := db.read.QueryContext(ctx, userSelect+where+" "+order+" "+limit, f.args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.User, error) { return scanUser(rows.Scan) })
	return hospital.Of(in.Page, list, total), mapError(err)
}

// UserRefs returns the active accounts to choose from, in Thai order.
func (db *DB) UserRefs(ctx context.Context) ([]hospital.UserRef, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT u.id, u.name, r.name FROM users u JOIN roles r ON r.id = u.role_id
		WHERE u.status = 'ACTIVE' AND u.deleted_at IS NULL ORDER BY u.name_key, u.id`)
	list, err := scanAll(rows, err, func(r *hospital.UserRef) []any { return []any{&r.ID, &r.Name, &r.Role} })
	return list, mapError(err)
}

// AuditPeople returns every account there ever was, in Thai order: what
// somebody did is still asked after when they have left.
func (db *DB) AuditPeople(ctx context.Context) ([]hospital.AuditPerson, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT id, name, status, deleted_at IS NOT NULL FROM users ORDER BY name_key, id`)
	list, err := scanAll(rows, err, func(p *hospital.AuditPerson) []any { return []any{&p.ID, &p.Name, &p.Status, &p.Deleted} })
	return list, mapError(err)
}

// CreateUser adds an account with a password hash, or without one for somebody
// who is invited. Refused: a role that may do more than the actor (FORBIDDEN),
// an unknown role, a username or email that is taken (DUPLICATE).
func (db *DB) CreateUser(ctx context.Context, in hospital.NewUser, passwordHash string) (user hospital.User, err error) {
	if err := in.Validate(); err != nil {
		return user, err
	}
	err = db.changeOnce(ctx, func() any { return InvitedUser{User: user} }, func(tx *Tx) (err error) {
		user, err = tx.createUser(in, passwordHash)
		return err
	})
	return user, err
}

// InvitedUser is a new account with the link of its invitation.
type InvitedUser struct {
	User hospital.User
	Link *Link
}

// InviteUser adds an account like CreateUser, together with the link to choose a password (see
// SendLink).
func (db *DB) InviteUser(ctx context.Context, in hospital.NewUser, mail bool) (invited InvitedUser, err error) {
	if err := in.Validate(); err != nil {
		return invited, err
	}
	err = db.changeOnce(ctx, valueOf(&invited), func(tx *Tx) error {
		user, err := tx.createUser(in, "")
		if err != nil {
			return err
		}
		link, err := tx.sendLink(user, JobMailInvite, mail)
		invited = InvitedUser{user, &link}
		return err
	})
	return invited, err
}

func (tx *Tx) createUser(in hospital.NewUser, passwordHash string) (user hospital.User, err error) {
	if err := errors.Join(tx.mayGiveRole(in.RoleID), tx.refuseUnknownServices(in.ServiceIDs)); err != nil {
		return user, err
	}
	status := in.Status
	if status == "" {
		status = hospital.UserActive
	}
	user = hospital.User{
		Username: strings.TrimSpace(in.Username), Email: strings.TrimSpace(in.Email), Name: strings.TrimSpace(in.Name),
		Phone: in.Phone, Position: in.Position, LicenseNo: in.LicenseNo,
		RoleID: &in.RoleID, Status: status, MustChangePassword: in.Password != "",
		ServiceIDs: slices.Compact(slices.Sorted(slices.Values(in.ServiceIDs))),
	}
	id, err := tx.insertUser(user, passwordHash)
	if err != nil {
		return user, err
	}
	if user, err = readUser(tx.ctx, tx.tx, id); err != nil {
		return user, err
	}
	tx.note("user.create", "user", id, user.Name, diff(nil, user))
	return user, nil
}

// Register adds an account that waits for approval, without a role: DUPLICATE.
// A few dozen from one address within the window are TOO_MANY_ATTEMPTS, so that
// nobody can go through all names to see which are taken.
// hash hashes the password. It is expensive and called only after the attempt was
// counted and allowed.
func (db *DB) Register(
	ctx context.Context, in hospital.Registration, hash func(context.Context, string) (string, error),
) error {
	if err := in.Validate(); err != nil {
		return err
	}
	addr := hospital.ActorFrom(ctx).Addr
	if _, err := db.countAttempt(ctx, auth.HashSecret("register"), addr, maxRegistrations); err != nil {
		return err
	}
	passwordHash, err := hash(ctx, in.Password)
	if err != nil {
		return err
	}
	return db.change(ctx, func(tx *Tx) error {
		user := hospital.User{
			Username: strings.TrimSpace(in.Username), Email: strings.TrimSpace(in.Email), Name: strings.TrimSpace(in.Name), Phone: in.Phone,
			Status: hospital.UserPending,
		}
		id, err := tx.insertUser(user, passwordHash)
		if err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: "user.register", Entity: "user", EntityID: fmt.Sprint(id), Subject: user.Name, ActorName: user.Name, Changes: diff(nil, user)})
		return nil
	})
}

// checkNames refuses a username or email that another account has: DUPLICATE
// with each of the two that is taken. The unique indexes hold it against
// whoever writes at the same moment.
func (tx *Tx) checkNames(u hospital.User) error {
	rows, err := tx.query(`SELECT username_key = $1, email_key = $2 FROM users WHERE deleted_at IS NULL AND id <> $3 AND (username_key = $1 OR email_key = $2)`,
		hospital.NameKey(u.Username), hospital.NameKey(u.Email), u.ID)
	found, err := scanAll(rows, err, func(same *[2]bool) []any { return []any{&same[0], &same[1]} })
	if err != nil || len(found) == 0 {
		return err
	}
	refused := hospital.Refuse(hospital.Duplicate)
	for i, index := range []string{"users_username", "users_email"} {
		if slices.ContainsFunc(found, func(same [2]bool) bool { return same[i] }) {
			refused = refused.On(taken[index].Field, taken[index].Message.TH, taken[index].Message.EN)
		}
	}
	return refused
}

func (tx *Tx) insertUser(u hospital.User, passwordHash string) (id int64, err error) {
	if err := tx.checkNames(u); err != nil {
		return 0, err
	}
	if u.ServiceIDs == nil {
		u.ServiceIDs = []int64{}
	}
	err = tx.queryRow(`INSERT INTO users (username, username_key, email, email_key, name, name_key, phone, position, license_no, role_id, service_ids,
		status, password_hash, must_change_password, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15) RETURNING id`,
		u.Username, hospital.NameKey(u.Username), u.Email, hospital.NameKey(u.Email), u.Name, sortKey(u.Name), u.Phone, u.Position, u.LicenseNo,
		u.RoleID, toJSON(u.ServiceIDs), string(u.Status), passwordHash, u.MustChangePassword, ms(tx.now)).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("insert user: %w", err)
	}
	return id, nil
}

// mayGiveRole refuses a role that does not exist (VALIDATION_FAILED on roleId)
// or that may do more than the actor (FORBIDDEN).
func (tx *Tx) mayGiveRole(roleID int64) error {
	role, err := readRole(tx.ctx, tx.tx, roleID)
	if errors.Is(err, hospital.Refuse(hospital.NotFound)) {
		return hospital.Refuse(hospital.ValidationFailed).On("roleId", "ไม่พบบทบาทนี้", "There is no such role.")
	}
	if err != nil {
		return err
	}
	return hospital.MayGrant(tx.actor.Permissions, role.Permissions)
}

// mayManage refuses the actor an account that may do more than they may.
// Everybody may be managed by somebody with the same rights.
func (tx *Tx) mayManage(u hospital.User) error {
	if u.RoleID == nil {
		return nil
	}
	set, err := permissionsOf(tx.ctx, tx.tx, *u.RoleID)
	if err != nil {
		return err
	}
	return hospital.MayManage(tx.actor.Permissions, set.List())
}

// mayGivePassword returns FORBIDDEN if the actor must not set the password of an account or get
// a link to choose one: their own account, or one with more permissions.
func (tx *Tx) mayGivePassword(u hospital.User) error {
	if err := hospital.MayGivePassword(tx.actor, u.ID); err != nil {
		return err
	}
	return tx.mayManage(u)
}

// UpdateUser changes an account; passwordHash is the hash of in.Password where
// that is given. A new role, status or password ends the person's sessions at
// once. Refused: a stale version (CONFLICT_VERSION), an account or a role with
// more rights than the actor's (FORBIDDEN), the actor's own password (FORBIDDEN),
// what would leave no administrator (LAST_ADMIN), a name that is taken
// (DUPLICATE), wrong fields, a service that does not exist.
func (db *DB) UpdateUser(ctx context.Context, in hospital.UserChange, passwordHash string) (user hospital.User, err error) {
	err = db.changeOnce(ctx, valueOf(&user), func(tx *Tx) error {
		hadAdmin, err := tx.guardAdministrators()
		if err != nil {
			return err
		}
		before, err := readUser(ctx, tx.tx, in.ID)
		if err != nil {
			return err
		}
		if before.Version != in.Version {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		if err := tx.mayManage(before); err != nil {
			return err
		}
		after, err := in.Apply(before)
		if err != nil {
			return err
		}
		// One that was there may have been deleted since.
		if err := tx.refuseUnknownServices(slices.DeleteFunc(slices.Clone(after.ServiceIDs), func(id int64) bool { return slices.Contains(before.ServiceIDs, id) })); err != nil {
			return err
		}
		roleChanged := after.RoleID != nil && (before.RoleID == nil || *before.RoleID != *after.RoleID)
		if roleChanged {
			if err := tx.mayGiveRole(*after.RoleID); err != nil {
				return err
			}
		}
		if err := tx.saveUser(after); err != nil {
			return err
		}
		changes := map[string]hospital.Change{}
		if in.Password != nil {
			if err := tx.mayGivePassword(before); err != nil {
				return err
			}
			if err := tx.setPassword(in.ID, passwordHash, true); err != nil {
				return err
			}
			changes["password"] = hospital.Change{After: "•••"}
		}
		if roleChanged || after.Status != before.Status || in.Password != nil {
			if _, err := tx.endSessions(in.ID, ""); err != nil {
				return err
			}
		}
		if err := tx.keepAnAdministrator(hadAdmin); err != nil {
			return err
		}
		if user, err = readUser(ctx, tx.tx, in.ID); err != nil {
			return err
		}
		maps.Copy(changes, diff(before, user))
		tx.note("user.update", "user", user.ID, user.Name, changes)
		return nil
	})
	return user, err
}

func (tx *Tx) saveUser(u hospital.User) error {
	if err := tx.checkNames(u); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE users SET username = $2, username_key = $3, email = $4, email_key = $5, name = $6, name_key = $7, phone = $8, position = $9,
		license_no = $10, role_id = $11, service_ids = $12, status = $13, version = version + 1, updated_at = $14 WHERE id = $1`,
		u.ID, u.Username, hospital.NameKey(u.Username), u.Email, hospital.NameKey(u.Email), u.Name, sortKey(u.Name), u.Phone, u.Position,
		u.LicenseNo, u.RoleID, toJSON(u.ServiceIDs), string(u.Status), ms(tx.now))
	if err != nil {
		return fmt.Errorf("save user %d: %w", u.ID, err)
	}
	return nil
}

// setPassword stores a new hash. Links to choose a password that were handed
// out before are dead from then on.
func (tx *Tx) setPassword(userID int64, hash string, mustChange bool) error {
	if _, err := tx.exec(`UPDATE users SET password_hash = $2, must_change_password = $3, reset_requested_at = NULL, updated_at = $4 WHERE id = $1`,
		userID, hash, mustChange, ms(tx.now)); err != nil {
		return fmt.Errorf("set password of user %d: %w", userID, err)
	}
	if _, err := tx.exec(`DELETE FROM password_resets WHERE user_id = $1`, userID); err != nil {
		return fmt.Errorf("drop reset links of user %d: %w", userID, err)
	}
	return nil
}

// DeleteUser takes an account away; what it did stays in the history. Refused:
// oneself, somebody with more rights (FORBIDDEN), the last administrator.
func (db *DB) DeleteUser(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		hadAdmin, err := tx.guardAdministrators()
		if err != nil {
			return err
		}
		user, err := readUser(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if err := tx.mayManage(user); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE users SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete user %d: %w", id, err)
		}
		if _, err := tx.exec(`DELETE FROM password_resets WHERE user_id = $1`, id); err != nil {
			return fmt.Errorf("drop reset links of user %d: %w", id, err)
		}
		if _, err := tx.endSessions(id, ""); err != nil {
			return err
		}
		// Last, so that deleting oneself as the last administrator says so.
		if err := tx.keepAnAdministrator(hadAdmin); err != nil {
			return err
		}
		if id == tx.actor.UserID {
			return hospital.Refuse(hospital.Forbidden).Because("ลบบัญชีของตนเองไม่ได้ กรุณาให้ผู้ดูแลระบบคนอื่นเป็นผู้ลบ", "You cannot delete your own account. Ask another administrator.")
		}
		tx.note("user.delete", "user", id, user.Name, diff(user, nil))
		return nil
	})
}
