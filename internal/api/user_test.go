package api_test

import (
	"net/http"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

func TestUsersOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		nurse := storetest.RoleID(t, n.db, "NURSE")
		in := obj("username", "somsri", "email", "somsri@hospital.example", "name", "สมศรี มีสุข", "phone", "0812345678",
			"position", "พยาบาล",
			"licenseNo", "123", "roleId", nurse, "serviceIds", []int{}, "password", "a first password")
		u := decode[hospital.User](t, n.post(userPath+"/create", admin, in))
		if u.ID == 0 || u.Version != 1 || u.Status != hospital.UserActive || u.Role.Name != "NURSE" || !u.MustChangePassword {
			t.Errorf("created %+v", u)
		}
		if a := n.post(userPath+"/create", admin, in).want(t, hospital.Duplicate); a.status != 409 ||
			a.field("username") != "มีผู้ใช้ชื่อนี้แล้ว" {
			t.Errorf("again: %s", a.raw)
		}
		got := n.get(userPath+"/"+itoa(u.ID), admin)
		if strings.Contains(strings.ToLower(got.raw), "hash") || strings.Contains(got.raw, "a first password") {
			t.Errorf("a secret in %s", got.raw)
		}
		refs := decode[[]hospital.UserRef](t, n.get(userPath+"/list", admin))
		if len(refs) != 7 || refs[len(refs)-1].Role == "" {
			t.Errorf("to choose from: %+v", refs)
		}
		changed := decode[hospital.User](t,
			n.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "position", "หัวหน้าพยาบาล")))
		if changed.Position != "หัวหน้าพยาบาล" || changed.Name != u.Name || changed.Version != 2 {
			t.Errorf("changed %+v", changed)
		}
		stale := n.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "position", "x")).want(t,
			hospital.ConflictVersion)
		if current, _ := stale.err.Details["current"].(map[string]any); stale.status != 409 ||
			current["position"] != "หัวหน้าพยาบาล" || current["version"] != 2.0 {
			t.Errorf("stale: %s", stale.raw)
		}
		n.post(userPath+"/delete", admin, obj("id", u.ID)).want(t, "")
		n.get(userPath+"/"+itoa(u.ID), admin).want(t, hospital.NotFound)
		n.post(userPath+"/delete", admin, obj("id", u.ID)).want(t, hospital.NotFound)
		n.post(userPath+"/update", admin, obj("id", u.ID, "version", 2)).want(t, hospital.NotFound)

		me := decode[hospital.User](t, n.get(authPath+"/me", admin))
		n.post(userPath+"/delete", admin, obj("id", me.ID)).want(t, hospital.LastAdmin)
		if a := n.post(userPath+"/update", admin, obj("id", me.ID, "version", me.Version, "roleId", nurse)).want(t,
			hospital.LastAdmin); a.status != 409 {
			t.Errorf("last administrator: %d", a.status)
		}
		storetest.AddUser(t, n.db, "admin2", "ADMIN")
		n.post(userPath+"/delete", admin, obj("id", me.ID)).want(t, hospital.Forbidden)
	})
}

func TestInvitationWithoutMailShowsLink(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		created := decode[struct {
			ID         int64
			Invitation struct {
				Mailed bool
				Link   string
			}
		}](t,
			n.post(userPath+"/create", admin,
				obj("username", "invited", "email", "invited@hospital.example", "name", "ผู้ได้รับเชิญ", "roleId",
					storetest.RoleID(t, n.db, "QUEUE"), "invite", true)))
		_, token, ok := strings.Cut(created.Invitation.Link, "#token=")
		if created.Invitation.Mailed || !ok {
			t.Fatalf("%+v", created)
		}
		n.post(authPath+"/login", "", obj("username", "invited", "password", "")).want(t, hospital.InvalidCredentials)
		n.post(authPath+"/reset-password", "", obj("token", token, "password", "my own password")).want(t, "")
		if in := decode[login](t,
			n.post(authPath+"/login", "", obj("username", "invited", "password", "my own password"))); in.MustChangePassword {
			t.Error("a password that the user chose must be changed")
		}
	})
}

func TestRolesOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		list := decode[hospital.Paged[hospital.Role]](t, n.post(rolePath+"/list", admin, obj()))
		if list.Total != 6 || list.Items[0].Name != "ADMIN" || list.Items[0].UserCount != 1 ||
			len(list.Items[0].Permissions) != len(hospital.AllPermissions) {
			t.Errorf("roles %+v", list)
		}
		if refs := decode[[]map[string]any](t, n.get(rolePath+"/list", admin)); len(refs) != 6 || len(refs[0]) != 3 ||
			refs[1]["label"] != "เวชระเบียน" {
			t.Errorf("to choose from: %v", refs)
		}
		catalogue := decode[[]struct{ Name, Label, Group, GroupLabel string }](t, n.get(rolePath+"/permissions", admin))
		if len(catalogue) != len(hospital.AllPermissions) || catalogue[0].Label == "" || catalogue[0].GroupLabel == "" {
			t.Errorf("catalogue %+v", catalogue[:1])
		}
		role := decode[hospital.Role](t,
			n.post(rolePath+"/create", admin,
				obj("name", "WARD_CLERK", "label", "ธุรการหอผู้ป่วย", "permissions", []string{"PATIENT.SHOW", "DASHBOARD.SHOW"})))
		if role.Version != 1 || role.System ||
			strings.Join([]string{string(role.Permissions[0]), string(role.Permissions[1])},
				" ") != "DASHBOARD.SHOW PATIENT.SHOW" {
			t.Errorf("created %+v", role)
		}
		changed := decode[hospital.Role](t,
			n.post(rolePath+"/update", admin,
				obj("id", role.ID, "version", 1, "name", "WARD_CLERK", "label", "ธุรการ", "permissions", []string{})))
		if len(changed.Permissions) != 0 || changed.Permissions == nil {
			t.Errorf("changed %+v", changed)
		}
		n.post(rolePath+"/update", admin,
			obj("id", role.ID, "version", 1, "name", "WARD_CLERK", "label", "ธุรการ", "permissions", []string{})).want(t,
			hospital.ConflictVersion)
		n.post(rolePath+"/delete", admin, obj("id", storetest.RoleID(t, n.db, "DOCTOR"))).want(t, hospital.Forbidden)
		n.post(rolePath+"/delete", admin, obj("id", role.ID)).want(t, "")
		if a := n.get(rolePath+"/"+itoa(role.ID), admin).want(t, hospital.NotFound); a.status != http.StatusNotFound {
			t.Errorf("%d", a.status)
		}
		// The administrators cannot remove their own permission to manage users.
		r := list.Items[0]
		n.post(rolePath+"/update", admin,
			obj("id", r.ID, "version", r.Version, "name", "ADMIN", "label", r.Label, "permissions",
				[]string{"USER.UPDATE"})).want(t, hospital.LastAdmin)
	})
}

func TestRoleChangeAppliesAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		a, b := start(t, p), start(t, p)
		storetest.SetUp(t, a.db)
		storetest.AddUser(t, a.db, "queue", "QUEUE")
		admin, queue := a.signIn("admin").AccessToken, b.signIn("queue").AccessToken
		b.post(userPath+"/list", queue, obj()).want(t, hospital.Forbidden)
		role := decode[hospital.Role](t, a.get(rolePath+"/"+itoa(storetest.RoleID(t, a.db, "QUEUE")), admin))
		a.post(rolePath+"/update", admin,
			obj("id", role.ID, "version", role.Version, "name", role.Name, "label", role.Label, "permissions",
				[]string{"USER.SHOW"})).want(t, "")
		p.ExpireSessionCache()
		b.post(userPath+"/list", queue, obj()).want(t, "")
		u := decode[hospital.Paged[hospital.User]](t, a.post(userPath+"/list", admin, obj("q", "queue"))).Items[0]
		a.post(userPath+"/update", admin, obj("id", u.ID, "version", u.Version, "status", "SUSPENDED")).want(t, "")
		p.ExpireSessionCache()
		b.post(userPath+"/list", queue, obj()).want(t, hospital.Unauthenticated)
	})
}
