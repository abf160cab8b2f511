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
	"nadmor/internal/sqldb"
)

const userSelect = `SELECT u.id, u.username, u.email, u.name, u.phone, u.position, u.license_no,
	u.role_id, r.name, r.label, u.service_ids, u.status, u.must_change_password, u.totp_enabled,
	u.reset_requested_at, u.last_login_at, u.version, u.created_at, u.updated_at
	FROM users u LEFT JOIN roles r ON r.id = u.role_id `

func scanUser(scan sqldb.Scan) (hospital.User, error) {
	var u hospital.User
	var reset, login sql.NullInt64
	var roleName, roleLabel sql.NullString
	var services string
	var created, updated int64
	err := scan(&u.ID, &u.Username, &u.Email, &u.Name, &u.Phone, &u.Position, &u.LicenseNo,
		&u.RoleID, &roleName, &roleLabel, &services, &u.Status, &u.MustChangePassword, &u.TOTPEnabled,
		&reset, &login, &u.Version, &created, &updated)
	if err != nil {
		return u, err
	}
	if u.RoleID != nil {
		u.Role = &hospital.RoleRef{ID: *u.RoleID, Name: roleName.String, Label: roleLabel.String}
	}
	u.ServiceIDs = []int64{}
	if err := json.Unmarshal([]byte(services), &u.ServiceIDs); err != nil {
		return u, fmt.Errorf("read services of user %d: %w", u.ID, err)
	}
	u.ResetRequestedAt, u.LastLoginAt = atOrNil(reset), atOrNil(login)
	u.CreatedAt, u.UpdatedAt = at(created), at(updated)
	return u, nil
}

// readUser returns an account that is not deleted. It returns NOT_FOUND if there is none.
func (tx *Tx) readUser(id int64) (hospital.User, error) {
	u, err := scanUser(tx.Get(userSelect+`WHERE u.id = $1 AND u.deleted_at IS NULL`, id).Scan)
	return u, orNotFound(err)
}

// User returns an account. It returns NOT_FOUND if there is none.
func (db *DB) User(ctx context.Context, id int64) (u hospital.User, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		u, err = tx.readUser(id)
		return err
	})
	return u, err
}

// UserFilter narrows the list of accounts.
type UserFilter struct {
	hospital.Page
	Q      string
	RoleID int64
	Status hospital.UserStatus
}

var userSorts = map[string]string{
	"name": "u.name_key", "username": "u.username_key", "email": "u.email_key", "status": "u.status",
	"role": "r.label_key", "lastLoginAt": "coalesce(u.last_login_at, 0)", "createdAt": "u.created_at",
}

// ListUsers returns a page of accounts.
func (db *DB) ListUsers(ctx context.Context, in UserFilter) (page hospital.Paged[hospital.User], err error) {
	order, err := orderBy(in.Page, userSorts, "u.id", "name")
	if err != nil {
		return page, err
	}
	err = db.Read(ctx, func(tx *Tx) error {
		var f filter
		f.add("u.deleted_at IS NULL")
		f.contains(in.Q, "u.username_key", "u.email_key", "lower(u.name)", "u.phone")
		if in.RoleID != 0 {
			f.add("u.role_id = %s", in.RoleID)
		}
		if in.Status != "" {
			f.add("u.status = %s", string(in.Status))
		}
		count := tx.Get(`SELECT count(*) FROM users u `+f.where(), f.args...)
		limit := f.page(in.Page)
		list, err := sqldb.Collect(tx.All(userSelect+f.where()+" "+order+" "+limit, f.args...), scanUser)
		if err != nil {
			return err
		}
		var total int64
		if err := count.Scan(&total); err != nil {
			return err
		}
		page = hospital.NewPaged(in.Page, list, total)
		return nil
	})
	return page, err
}

// UserRefs returns the active accounts to choose from, in Thai order.
func (db *DB) UserRefs(ctx context.Context) (list []hospital.UserRef, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		list, err = sqldb.Collect(tx.All(`SELECT u.id, u.name, r.name FROM users u JOIN roles r ON r.id = u.role_id
			WHERE u.status = 'ACTIVE' AND u.deleted_at IS NULL ORDER BY u.name_key, u.id`),
			func(scan sqldb.Scan) (r hospital.UserRef, err error) {
				err = scan(&r.ID, &r.Name, &r.Role)
				return r, err
			})
		return err
	})
	return list, err
}

// AuditPeople returns all accounts in Thai order, including deleted ones, whose actions are still
// in the audit log.
func (db *DB) AuditPeople(ctx context.Context) (list []hospital.AuditPerson, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		list, err = sqldb.Collect(
			tx.All(`SELECT id, name, status, deleted_at IS NOT NULL FROM users ORDER BY name_key, id`),
			func(scan sqldb.Scan) (p hospital.AuditPerson, err error) {
				err = scan(&p.ID, &p.Name, &p.Status, &p.Deleted)
				return p, err
			})
		return err
	})
	return list, err
}

// CreateUser adds an account with a password hash, or without one for a user who is invited. It
// returns VALIDATION_FAILED for invalid fields and an unknown role or service, FORBIDDEN for a role
// with more permissions than the actor's, and DUPLICATE for a username or email that is taken.
func (db *DB) CreateUser(
	ctx context.Context, in hospital.NewUser, passwordHash string,
) (user hospital.User, err error) {
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
	if err := errors.Join(tx.mayGiveRole(in.RoleID), tx.rejectUnknownServices(in.ServiceIDs)); err != nil {
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
	if user, err = tx.readUser(id); err != nil {
		return user, err
	}
	tx.Note("user.create", "user", id, user.Name, diff(nil, user))
	return user, nil
}

// Register adds an account without a role that needs approval. hash hashes the password; it is expensive
// and called outside of any transaction, after the attempt was counted and allowed. Register returns
// DUPLICATE for a username or email that is taken, and TOO_MANY_ATTEMPTS for too many registrations
// from one address, so that a caller cannot find out which names are taken.
func (db *DB) Register(
	ctx context.Context, in hospital.Registration, hash func(context.Context, string) (string, error),
) error {
	if err := in.Validate(); err != nil {
		return err
	}
	if _, err := db.countAttempt(ctx, auth.HashSecret("register"), hospital.MaxRegistrations); err != nil {
		return err
	}
	passwordHash, err := hash(ctx, in.Password)
	if err != nil {
		return err
	}
	return db.Change(ctx, func(tx *Tx) error {
		user := hospital.User{
			Username: strings.TrimSpace(in.Username), Email: strings.TrimSpace(in.Email),
			Name: strings.TrimSpace(in.Name), Phone: in.Phone, Status: hospital.UserPending,
		}
		id, err := tx.insertUser(user, passwordHash)
		if err != nil {
			return err
		}
		tx.NoteEntry(hospital.AuditEntry{
			Action: "user.register", Entity: "user", EntityID: fmt.Sprint(id),
			Subject: user.Name, ActorName: user.Name, Changes: diff(nil, user),
		})
		return nil
	})
}

// checkNames returns DUPLICATE with the fields, username and email, that another account has. The unique
// indexes reject names that are written at the same time.
func (tx *Tx) checkNames(u hospital.User) error {
	found, err := sqldb.Collect(tx.All(`SELECT username_key = $1, email_key = $2 FROM users
		WHERE deleted_at IS NULL AND id <> $3 AND (username_key = $1 OR email_key = $2)`,
		hospital.NameKey(u.Username), hospital.NameKey(u.Email), u.ID),
		func(scan sqldb.Scan) (same [2]bool, err error) {
			err = scan(&same[0], &same[1])
			return same, err
		})
	if err != nil || len(found) == 0 {
		return err
	}
	rejected := hospital.Reject(hospital.Duplicate)
	for i, index := range []string{"users_username", "users_email"} {
		if slices.ContainsFunc(found, func(same [2]bool) bool { return same[i] }) {
			f := duplicateFields[index]
			rejected = rejected.On(f.Field, f.Message.TH, f.Message.EN)
		}
	}
	return rejected
}

func (tx *Tx) insertUser(u hospital.User, passwordHash string) (id int64, err error) {
	if err := tx.checkNames(u); err != nil {
		return 0, err
	}
	if u.ServiceIDs == nil {
		u.ServiceIDs = []int64{}
	}
	err = tx.Get(`INSERT INTO users (username, username_key, email, email_key, name, name_key, phone, position,
		license_no, role_id, service_ids, status, password_hash, must_change_password, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15) RETURNING id`,
		u.Username, hospital.NameKey(u.Username), u.Email, hospital.NameKey(u.Email), u.Name, sortKey(u.Name),
		u.Phone, u.Position, u.LicenseNo, u.RoleID, toJSON(u.ServiceIDs), string(u.Status), passwordHash,
		u.MustChangePassword, ms(tx.now)).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("insert user: %w", err)
	}
	return id, nil
}

// UpdateUser changes an account; passwordHash is the hash of in.Password if that is set. A new role,
// status or password ends the user's sessions. It returns CONFLICT_VERSION for a stale version,
// FORBIDDEN for an account or a role with more permissions than the actor's and for the actor's own
// password, LAST_ADMIN if no administrator would remain, DUPLICATE for a username or email that is
// taken, and VALIDATION_FAILED for invalid fields and an unknown service.
func (db *DB) UpdateUser(
	ctx context.Context, in hospital.UserChange, passwordHash string,
) (user hospital.User, err error) {
	err = db.changeOnce(ctx, valueOf(&user), func(tx *Tx) error {
		hadAdmin, err := tx.lockAdministrators()
		if err != nil {
			return err
		}
		before, err := tx.readUser(in.ID)
		if err != nil {
			return err
		}
		if before.Version != in.Version {
			return hospital.Reject(hospital.ConflictVersion).With("current", before)
		}
		if err := tx.mayManage(before); err != nil {
			return err
		}
		after, err := in.Apply(before)
		if err != nil {
			return err
		}
		// A service that the account had before may have been deleted since.
		added := slices.DeleteFunc(slices.Clone(after.ServiceIDs), func(id int64) bool {
			return slices.Contains(before.ServiceIDs, id)
		})
		if err := tx.rejectUnknownServices(added); err != nil {
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
			tx.setPassword(in.ID, passwordHash, true)
			changes["password"] = hospital.Change{After: "•••"}
		}
		if roleChanged || after.Status != before.Status || in.Password != nil {
			tx.endSessions(in.ID, "")
		}
		if err := tx.requireAdministrator(hadAdmin); err != nil {
			return err
		}
		if user, err = tx.readUser(in.ID); err != nil {
			return err
		}
		maps.Copy(changes, diff(before, user))
		tx.Note("user.update", "user", user.ID, user.Name, changes)
		return nil
	})
	return user, err
}

func (tx *Tx) saveUser(u hospital.User) error {
	if err := tx.checkNames(u); err != nil {
		return err
	}
	tx.Exec(`UPDATE users SET username = $2, username_key = $3, email = $4, email_key = $5, name = $6, name_key = $7,
		phone = $8, position = $9, license_no = $10, role_id = $11, service_ids = $12, status = $13,
		version = version + 1, updated_at = $14 WHERE id = $1`,
		u.ID, u.Username, hospital.NameKey(u.Username), u.Email, hospital.NameKey(u.Email), u.Name, sortKey(u.Name),
		u.Phone, u.Position, u.LicenseNo, u.RoleID, toJSON(u.ServiceIDs), string(u.Status), ms(tx.now))
	return nil
}

// setPassword stores a new hash and deletes the links to choose a password.
func (tx *Tx) setPassword(userID int64, hash string, mustChange bool) {
	tx.Exec(`UPDATE users SET password_hash = $2, must_change_password = $3, reset_requested_at = NULL, updated_at = $4
		WHERE id = $1`, userID, hash, mustChange, ms(tx.now))
	tx.Exec(`DELETE FROM password_resets WHERE user_id = $1`, userID)
}

// DeleteUser deletes an account; its actions stay in the history. It returns FORBIDDEN for the
// actor's own account and for one with more permissions, and LAST_ADMIN for the last administrator.
func (db *DB) DeleteUser(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		hadAdmin, err := tx.lockAdministrators()
		if err != nil {
			return err
		}
		user, err := tx.readUser(id)
		if err != nil {
			return err
		}
		if err := tx.mayManage(user); err != nil {
			return err
		}
		tx.Exec(`UPDATE users SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
			id, ms(tx.now))
		tx.Exec(`DELETE FROM password_resets WHERE user_id = $1`, id)
		tx.endSessions(id, "")
		// Before the check of the actor's own account: the last administrator gets LAST_ADMIN.
		if err := tx.requireAdministrator(hadAdmin); err != nil {
			return err
		}
		if id == tx.actor.UserID {
			return hospital.Reject(hospital.Forbidden).
				Because("ลบบัญชีของตนเองไม่ได้ กรุณาให้ผู้ดูแลระบบคนอื่นเป็นผู้ลบ",
					"You cannot delete your own account. Ask another administrator.")
		}
		tx.Note("user.delete", "user", id, user.Name, diff(user, nil))
		return nil
	})
}
