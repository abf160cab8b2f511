package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func findUser(t *testing.T, db *store.DB, username string) hospital.User {
	t.Helper()
	p := must[hospital.Paged[hospital.User]](t)(db.ListUsers(context.Background(), store.UserFilter{
		Page: hospital.Page{Page: 1, PageSize: 1, Sort: "username"}, Q: username,
	}))
	if len(p.Items) != 1 {
		t.Fatalf("no user %s", username)
	}
	return p.Items[0]
}

func newUser(t *testing.T, db *store.DB, username string) hospital.NewUser {
	t.Helper()
	return hospital.NewUser{
		Username: username, Email: username + "@hospital.example", Name: "คุณ" + username,
		RoleID: storetest.RoleID(t, db, "NURSE"), Password: "a good password",
	}
}

func TestDuplicateUsernameOrEmail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		first := newUser(t, db, "Somchai")
		first.Email = "Somchai@Hospital.example"
		must[hospital.User](t)(db.CreateUser(ctx, first, "hash"))
		thai := newUser(t, db, "น้ำใจ")
		thai.Email = "namjai@hospital.example"
		must[hospital.User](t)(db.CreateUser(ctx, thai, "hash"))
		for name, c := range map[string]struct{ username, email, field string }{
			"another case":                 {"sOMCHAI", "x1@hospital.example", "username"},
			"full-width letters":           {"Ｓｏｍｃｈａｉ", "x2@hospital.example", "username"},
			"a zero-width joiner inside":   {"Som\u200dchai", "x3@hospital.example", "username"},
			"sara am in two pieces":        {"น\u0e49\u0e4d\u0e32ใจ", "x4@hospital.example", "username"},
			"an email in another case":     {"other1", "SOMCHAI@hospital.EXAMPLE", "email"},
			"an email with a soft hyphen":  {"other2", "som\u00adchai@hospital.example", "email"},
			"spaces around the same email": {"other3", "  somchai@hospital.example ", "email"},
		} {
			in := newUser(t, db, c.username)
			in.Email = c.email
			_, err := db.CreateUser(ctx, in, "hash")
			if code := hospital.CodeOf(err); code == hospital.ValidationFailed {
				continue // rejected before
			}
			if e := wantCode(t, err, hospital.Duplicate); len(e.Fields) != 1 || e.Fields[0].Field != c.field {
				t.Errorf("%s: fields %+v, want %s", name, e.Fields, c.field)
			}
		}
	})
}

func TestDuplicateUsernameConcurrent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := newUser(t, db, "contested")
		errs := concurrently(16, func(i int) error {
			user := in
			user.Email = fmt.Sprintf("c%d@hospital.example", i)
			_, err := db.CreateUser(ctx, user, "hash")
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.Duplicate] != 15 {
			t.Errorf("got %v, want one success and fifteen DUPLICATE", n)
		}
	})
}

func TestDeleteUserFreesName(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		u := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "again"), "hash"))
		if err := db.DeleteUser(ctx, u.ID); err != nil {
			t.Fatal(err)
		}
		_, err := db.User(ctx, u.ID)
		wantCode(t, err, hospital.NotFound)
		wantCode(t, db.DeleteUser(ctx, u.ID), hospital.NotFound)
		if second := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "again"), "hash")); second.ID == u.ID {
			t.Error("the new account has the old one's id")
		}
		log := listAudit(ctx, t, db, hospital.AuditFilter{Entity: "user", EntityID: fmt.Sprint(u.ID)})
		if log.Total != 2 || log.Items[0].Action != "user.delete" || log.Items[0].Changes["username"].Before != "again" {
			t.Errorf("history of the deleted account: %+v", log.Items)
		}
	})
}

func TestUpdateUserVersionConflict(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		u := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "busy"), "hash"))
		errs := concurrently(16, func(i int) error {
			_, err := db.UpdateUser(ctx, hospital.UserChange{
				ID: u.ID, Version: u.Version, Position: new(fmt.Sprint("ตำแหน่ง ", i)),
			}, "")
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Fatalf("got %v, want one success and fifteen CONFLICT_VERSION", n)
		}
		_, err := db.UpdateUser(ctx, hospital.UserChange{ID: u.ID, Version: u.Version, Name: new("ใหม่")}, "")
		current := wantCode(t, err, hospital.ConflictVersion).Details["current"].(hospital.User)
		if current.Version != u.Version+1 || current.Position == "" || current.Name != u.Name {
			t.Errorf("current is %+v", current)
		}
	})
}

func TestUpdateUserAllOrNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "taken"), "hash"))
		u := must[hospital.User](t)(db.CreateUser(ctx, newUser(t, db, "mover"), "hash"))
		_, err := db.UpdateUser(ctx, hospital.UserChange{
			ID: u.ID, Version: u.Version, Position: new("ใหม่"), Username: new("TAKEN"),
		}, "")
		wantCode(t, err, hospital.Duplicate)
		_, err = db.UpdateUser(ctx, hospital.UserChange{
			ID: u.ID, Version: u.Version, Position: new("ใหม่"), RoleID: new(int64(999)),
		}, "")
		wantCode(t, err, hospital.ValidationFailed)
		_, err = db.UpdateUser(ctx, hospital.UserChange{
			ID: u.ID, Version: u.Version, Email: new("no"), Phone: new("12"), Name: new(""),
		}, "")
		if e := wantCode(t, err, hospital.ValidationFailed); len(e.Fields) != 3 {
			t.Errorf("fields %+v, want email, name and phone", e.Fields)
		}
		if got := must[hospital.User](t)(db.User(ctx, u.ID)); got.Position != "" || got.Version != u.Version {
			t.Errorf("a rejected change was stored: %+v", got)
		}
	})
}

func TestNoPrivilegeEscalation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		// A personnel officer can manage users and roles, and see appointments.
		officer := must[hospital.Role](t)(db.CreateRole(admin, hospital.RoleDraft{
			Name: "OFFICER", Label: "เจ้าหน้าที่บุคคล",
			Permissions: []hospital.Permission{
				hospital.UserShow, hospital.UserCreate, hospital.UserUpdate, hospital.UserDelete,
				hospital.RoleShow, hospital.RoleCreate, hospital.RoleUpdate, hospital.RoleDelete,
				hospital.DashboardShow, hospital.AppointmentShow, hospital.AppointmentMarkStatus, hospital.SlotShow,
				hospital.ServiceConfigShow,
			},
		}))
		storetest.AddUser(t, db, "officer", "OFFICER")
		adminUser := findUser(t, db, "admin")
		queue := storetest.AddUser(t, db, "queuer", "QUEUE")
		doctor := storetest.AddUser(t, db, "doc", "DOCTOR")
		as := storetest.ActAs(t, db, "officer")
		adminRole, queueRole := storetest.RoleID(t, db, "ADMIN"), storetest.RoleID(t, db, "QUEUE")

		in := newUser(t, db, "puppet")
		in.RoleID = adminRole
		for name, try := range map[string]func() error{
			"making a role with a permission they lack": func() error {
				_, err := db.CreateRole(as, hospital.RoleDraft{
					Name: "SNEAKY", Label: "x", Permissions: []hospital.Permission{hospital.PatientViewCID},
				})
				return err
			},
			"adding a permission they lack to their own role": func() error {
				_, err := db.UpdateRole(as, officer.ID, officer.Version, hospital.RoleDraft{
					Name: "OFFICER", Label: "x", Permissions: append(slices.Clone(officer.Permissions), hospital.AuditShow),
				})
				return err
			},
			"taking permissions from a role above them": func() error {
				r, err := db.Role(as, adminRole)
				if err != nil {
					return err
				}
				_, err = db.UpdateRole(as, adminRole, r.Version, hospital.RoleDraft{
					Name: "ADMIN", Label: "x", Permissions: officer.Permissions,
				})
				return err
			},
			"adding a user with a role above them": func() error { _, err := db.CreateUser(as, in, "hash"); return err },
			"giving themselves a role above them": func() error {
				me, err := db.User(as, hospital.ActorFrom(as).UserID)
				if err != nil {
					return err
				}
				_, err = db.UpdateUser(as, hospital.UserChange{ID: me.ID, Version: me.Version, RoleID: &adminRole}, "")
				return err
			},
			"setting the password of an administrator": func() error {
				_, err := db.UpdateUser(as, hospital.UserChange{
					ID: adminUser.ID, Version: adminUser.Version, Password: new("another password"),
				}, "hash")
				return err
			},
			"changing the email of an administrator": func() error {
				_, err := db.UpdateUser(as, hospital.UserChange{
					ID: adminUser.ID, Version: adminUser.Version, Email: new("mine@evil.example"),
				}, "")
				return err
			},
			"suspending a doctor, who may record results": func() error {
				_, err := db.UpdateUser(as, hospital.UserChange{
					ID: doctor.ID, Version: doctor.Version, Status: new(hospital.UserSuspended),
				}, "")
				return err
			},
			"deleting an administrator": func() error { return db.DeleteUser(as, adminUser.ID) },
			"ending the sessions of an administrator": func() error {
				_, err := db.EndSessions(as, adminUser.ID, "")
				return err
			},
			"getting a reset link of an administrator": func() error {
				_, _, err := db.NewResetLink(as, adminUser.ID)
				return err
			},
			"mailing a reset link of an administrator": func() error {
				_, err := db.SendLink(as, adminUser.ID, store.JobMailReset, true)
				return err
			},
			"giving a queue clerk a role above them": func() error {
				_, err := db.UpdateUser(as, hospital.UserChange{ID: queue.ID, Version: queue.Version, RoleID: &adminRole}, "")
				return err
			},
			"deleting a role above them": func() error { return db.DeleteRole(as, storetest.RoleID(t, db, "DOCTOR")) },
		} {
			e := wantCode(t, try(), hospital.Forbidden)
			if e.Details["permission"] == nil && name != "deleting a role above them" {
				t.Errorf("%s: no permission in the details", name)
			}
		}
		// Within their permissions the officer can manage users.
		in.RoleID = queueRole
		must[hospital.User](t)(db.CreateUser(as, in, "hash"))
		must[hospital.User](t)(db.UpdateUser(as, hospital.UserChange{
			ID: queue.ID, Version: queue.Version, Password: new("another password"),
		}, "hash"))
		if read, faults, err := db.VerifyAudit(context.Background()); err != nil || len(faults) > 0 || read == 0 {
			t.Errorf("audit: %d entries, %v, %v", read, faults, err)
		}
	})
}

func TestLastAdministratorConcurrent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		admins := []hospital.User{findUser(t, db, "admin")}
		for i := range 7 {
			admins = append(admins, storetest.AddUser(t, db, fmt.Sprint("admin", i), "ADMIN"))
		}
		nurse, adminRole := storetest.RoleID(t, db, "NURSE"), storetest.RoleID(t, db, "ADMIN")
		sys := hospital.WithActor(context.Background(), hospital.System)
		errs := concurrently(64, func(i int) error {
			u := admins[i%8]
			switch i / 8 % 4 {
			case 0:
				_, err := db.UpdateUser(sys, hospital.UserChange{ID: u.ID, Version: u.Version, RoleID: &nurse}, "")
				return err
			case 1:
				_, err := db.UpdateUser(sys, hospital.UserChange{
					ID: u.ID, Version: u.Version, Status: new(hospital.UserSuspended),
				}, "")
				return err
			case 2:
				return db.DeleteUser(sys, u.ID)
			default:
				role, err := db.Role(sys, adminRole)
				if err != nil {
					return err
				}
				_, err = db.UpdateRole(sys, adminRole, role.Version, hospital.RoleDraft{
					Name: "ADMIN", Label: "x", Permissions: []hospital.Permission{hospital.UserUpdate},
				})
				return err
			}
		})
		n := countCodes(errs)
		if n[hospital.LastAdmin] == 0 {
			t.Errorf("no LAST_ADMIN: %v", n)
		}
		if n[hospital.Internal] > 0 || n[hospital.Unavailable] > 0 {
			t.Errorf("unexpected failures: %v", n)
		}
		left := must[hospital.Paged[hospital.User]](t)(db.ListUsers(ctx, store.UserFilter{
			Page: hospital.Page{Page: 1, PageSize: 50}, RoleID: adminRole, Status: hospital.UserActive,
		}))
		role := must[hospital.Role](t)(db.Role(ctx, adminRole))
		if left.Total != 1 || !slices.Contains(role.Permissions, hospital.RoleUpdate) {
			t.Errorf("%d active administrators with %d permissions left; want one with all of them",
				left.Total, len(role.Permissions))
		}
	})
}

func TestListUsers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		for i, name := range []string{
			"เกศินี ใจดี", "กมล ศรีสุข", "แก้วตา มั่นคง", "ขวัญใจ ดีงาม", "โกวิท แสงทอง", "ไกรสร คงมั่น", "กานดา บุญมี",
		} {
			in := newUser(t, db, fmt.Sprint("user", i))
			in.Name = name
			must[hospital.User](t)(db.CreateUser(ctx, in, "hash"))
		}
		list := func(f store.UserFilter) (names []string, total int64) {
			t.Helper()
			if f.PageSize == 0 {
				f.Page.Page, f.PageSize = 1, 50
			}
			p := must[hospital.Paged[hospital.User]](t)(db.ListUsers(ctx, f))
			for _, u := range p.Items {
				names = append(names, u.Name)
			}
			return names, p.Total
		}
		// As in a Thai dictionary: a leading vowel is sorted after its consonant.
		want := []string{
			"กมล ศรีสุข", "กานดา บุญมี", "เกศินี ใจดี", "แก้วตา มั่นคง", "โกวิท แสงทอง", "ไกรสร คงมั่น", "ขวัญใจ ดีงาม",
			"ผู้ดูแลระบบ",
		}
		if got, _ := list(store.UserFilter{}); !slices.Equal(got, want) {
			t.Errorf("sorted %q\nwant   %q", got, want)
		}
		slices.Reverse(want)
		descending := store.UserFilter{Page: hospital.Page{Page: 1, PageSize: 50, Sort: "-name"}}
		if got, _ := list(descending); !slices.Equal(got, want) {
			t.Errorf("descending %q", got)
		}
		if got, total := list(store.UserFilter{Q: "ใจ"}); len(got) != 2 || total != 2 {
			t.Errorf("search ใจ found %q", got)
		}
		in := newUser(t, db, "amnuay")
		in.Name = "อำนวย คำแก้ว"
		must[hospital.User](t)(db.CreateUser(ctx, in, "hash"))
		if got, _ := list(store.UserFilter{Q: "คำแก้ว"}); len(got) != 1 {
			t.Errorf("search คำแก้ว found %q", got)
		}
		if err := db.DeleteUser(ctx, findUser(t, db, "amnuay").ID); err != nil {
			t.Fatal(err)
		}
		if got, _ := list(store.UserFilter{Q: "100%_"}); len(got) != 0 {
			t.Errorf("search with wild cards found %q", got)
		}
		if got, total := list(store.UserFilter{RoleID: storetest.RoleID(t, db, "ADMIN")}); len(got) != 1 || total != 1 {
			t.Errorf("administrators: %q", got)
		}
		// With equal keys every row is on exactly one page.
		seen := map[string]int{}
		for page := 1; page <= 3; page++ {
			got, total := list(store.UserFilter{Page: hospital.Page{Page: page, PageSize: 3, Sort: "status"}})
			if total != 8 {
				t.Errorf("total %d", total)
			}
			for _, n := range got {
				seen[n]++
			}
		}
		if len(seen) != 8 {
			t.Errorf("pages with equal keys contain %v", seen)
		}
		_, err := db.ListUsers(ctx, store.UserFilter{Page: hospital.Page{Page: 1, PageSize: 5, Sort: "password_hash"}})
		wantCode(t, err, hospital.ValidationFailed)
	})
}

func TestDeleteRole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		role := must[hospital.Role](t)(db.CreateRole(ctx, hospital.RoleDraft{
			Name: "WARD", Label: "ตึก", Permissions: []hospital.Permission{hospital.DashboardShow},
		}))
		u := storetest.AddUser(t, db, "wardclerk", "WARD")
		if e := wantCode(t, db.DeleteRole(ctx, role.ID), hospital.InUse); e.Details["count"] != int64(1) {
			t.Errorf("details %v, want count 1", e.Details)
		}
		if err := db.DeleteUser(ctx, u.ID); err != nil {
			t.Fatal(err)
		}
		if err := db.DeleteRole(ctx, role.ID); err != nil {
			t.Errorf("a role of a deleted account: %v", err)
		}
		nurse := storetest.RoleID(t, db, "NURSE")
		wantCode(t, db.DeleteRole(ctx, nurse), hospital.Forbidden)
		r := must[hospital.Role](t)(db.Role(ctx, nurse))
		_, err := db.UpdateRole(ctx, nurse, r.Version, hospital.RoleDraft{
			Name: "NURSES", Label: r.Label, Permissions: r.Permissions,
		})
		wantCode(t, err, hospital.ValidationFailed)
		_, err = db.CreateRole(ctx, hospital.RoleDraft{Name: "NURSE", Label: "ซ้ำ"})
		wantCode(t, err, hospital.Duplicate)
		changed := must[hospital.Role](t)(db.UpdateRole(ctx, nurse, r.Version, hospital.RoleDraft{
			Name: "NURSE", Label: "พยาบาลวิชาชีพ", Permissions: r.Permissions[:3],
		}))
		if changed.Version != r.Version+1 || !slices.Equal(changed.Permissions, r.Permissions[:3]) {
			t.Errorf("changed to %+v", changed)
		}
		_, err = db.UpdateRole(ctx, nurse, r.Version, hospital.RoleDraft{Name: "NURSE", Label: "x"})
		wantCode(t, err, hospital.ConflictVersion)
	})
}

// AuditPeople contains suspended and deleted accounts.
func TestAuditPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		active := storetest.AddUser(t, db, "active", "NURSE")
		suspended := storetest.AddUser(t, db, "suspended", "NURSE")
		deleted := storetest.AddUser(t, db, "deleted", "NURSE")
		must[hospital.User](t)(db.UpdateUser(ctx, hospital.UserChange{
			ID: suspended.ID, Version: suspended.Version, Status: new(hospital.UserSuspended),
		}, ""))
		if err := db.DeleteUser(ctx, deleted.ID); err != nil {
			t.Fatal(err)
		}
		got := map[int64]hospital.AuditPerson{}
		for _, p := range must[[]hospital.AuditPerson](t)(db.AuditPeople(ctx)) {
			got[p.ID] = p
		}
		for _, want := range []hospital.AuditPerson{
			{ID: active.ID, Name: active.Name, Status: hospital.UserActive},
			{ID: suspended.ID, Name: suspended.Name, Status: hospital.UserSuspended},
			{ID: deleted.ID, Name: deleted.Name, Status: hospital.UserActive, Deleted: true},
		} {
			if got[want.ID] != want {
				t.Errorf("%+v, want %+v", got[want.ID], want)
			}
		}
	})
}
