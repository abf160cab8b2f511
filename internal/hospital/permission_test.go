package hospital

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The expected permissions. Other systems of the hospital already use the spelling of the first four.
var specified = strings.Fields(`
	SERVICE_SCHEDULE.SHOW SIDEBAR.PATIENTS SIDEBAR.USERS SIDEBAR.GLOBAL_CONFIG
	SERVICE_SCHEDULE.UPDATE DASHBOARD.SHOW
	APPOINTMENT.SHOW APPOINTMENT.CREATE APPOINTMENT.UPDATE APPOINTMENT.DELETE APPOINTMENT.MARK_STATUS
	APPOINTMENT.REVERT_STATUS
	APPOINTMENT.OVERBOOK APPOINTMENT.EXPORT
	RESULT.SHOW RESULT.CREATE RESULT.DELETE SLOT.SHOW SLOT.UPDATE_CAPACITY
	PATIENT.SHOW PATIENT.CREATE PATIENT.UPDATE PATIENT.DELETE PATIENT.VIEW_CID PATIENT.EXPORT
	CUSTOMER.SHOW CUSTOMER.CREATE CUSTOMER.UPDATE CUSTOMER.DELETE
	USER.SHOW USER.CREATE USER.UPDATE USER.DELETE ROLE.SHOW ROLE.CREATE ROLE.UPDATE ROLE.DELETE
	SERVICE_CONFIG.SHOW SERVICE_CONFIG.CREATE SERVICE_CONFIG.UPDATE SERVICE_CONFIG.DELETE
	GLOBAL_SETTING.SHOW GLOBAL_SETTING.UPDATE BANNER.SHOW BANNER.UPDATE REPORT.SHOW AUDIT.SHOW`)

// A permission missing from the catalogue could be required but never granted; a duplicate would be shown
// twice.
func TestPermissionCatalogue(t *testing.T) {
	t.Parallel()
	declared := slices.Sorted(slices.Values(constantsOf(t, "permission.go", "Permission")))
	var listed []string
	for _, p := range AllPermissions {
		listed = append(listed, string(p))
	}
	slices.Sort(listed)
	if d := cmp.Diff(declared, listed); d != "" {
		t.Errorf("constants (-) and catalogue (+) differ:\n%s", d)
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(specified)), listed); d != "" {
		t.Errorf("specification (-) and catalogue (+) differ:\n%s", d)
	}
}

func TestPermissionCatalogueLabels(t *testing.T) {
	t.Parallel()
	groups, labels := map[string]bool{}, map[Text]Permission{}
	for _, g := range PermissionGroups {
		checkText(t, "group "+g.Name, g.Label)
		if g.Name == "" || groups[g.Name] {
			t.Errorf("group name %q is empty or used twice", g.Name)
		}
		groups[g.Name] = true
		if len(g.Permissions) == 0 {
			t.Errorf("group %s has no permission", g.Name)
		}
		for _, p := range g.Permissions {
			checkText(t, string(p.Name), p.Label)
			for seen, name := range labels {
				if seen.TH == p.Label.TH || seen.EN == p.Label.EN {
					t.Errorf("%s and %s have the same label", name, p.Name)
				}
			}
			labels[p.Label] = p.Name
		}
	}
}

func TestPermissionSetList(t *testing.T) {
	t.Parallel()
	set := NewPermissionSet(AuditShow, DashboardShow, UserShow, UserShow, "NOT.ONE")
	if d := cmp.Diff([]Permission{DashboardShow, UserShow, AuditShow}, set.List()); d != "" {
		t.Error(d)
	}
	if list := PermissionSet(nil).List(); list == nil || len(list) != 0 {
		t.Errorf("an empty set lists %#v, want an empty list that is not nil", list)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	nobody, clerk := NewPermissionSet(), NewPermissionSet(PatientShow)
	cases := map[string]struct {
		access        Access
		declared      bool
		public        bool
		text          string
		nobody, clerk bool
	}{
		"an operation that says nothing is undeclared and lets nobody in": {Access{}, false, false, "", false, false},
		"a public one allows all callers":                                 {Public, true, true, "PUBLIC", true, true},
		"SignedIn allows users without permissions": {
			SignedIn, true, false, "SIGNED_IN", true, true,
		},
		"one for screens lets no person in":                {DisplayToken, true, false, "DISPLAY", false, false},
		"one that needs a permission lets in who holds it": {Needs(PatientShow), true, false, "PATIENT.SHOW", false, true},
		"one of several permissions is enough": {
			Needs(UserShow, PatientShow), true, false, "USER.SHOW|PATIENT.SHOW", false, true,
		},
		"another permission is not enough": {Needs(UserShow), true, false, "USER.SHOW", false, false},
		"all of them are, for one that needs all": {
			NeedsAll(PatientShow), true, false, "PATIENT.SHOW", false, true,
		},
		"one of several is not enough for one that needs all": {
			NeedsAll(UserShow, PatientShow), true, false, "USER.SHOW&PATIENT.SHOW", false, false,
		},
		"all of nothing is undeclared and lets nobody in":                {NeedsAll(), false, false, "", false, false},
		"needing nothing in particular is undeclared and lets nobody in": {Needs(), false, false, "", false, false},
		"a permission that does not exist is undeclared": {
			Needs("PATIENT.SHOWN"), false, false, "PATIENT.SHOWN", false, false,
		},
		"so it is among ones that do": {
			Needs(PatientShow, "patient.show"), false, false, "PATIENT.SHOW|patient.show", false, true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.access.Declared(); got != c.declared {
				t.Errorf("Declared is %v", got)
			}
			if got := c.access.IsPublic(); got != c.public {
				t.Errorf("IsPublic is %v", got)
			}
			if got := c.access.String(); got != c.text {
				t.Errorf("String is %q, want %q", got, c.text)
			}
			if got := c.access.Allows(nobody); got != c.nobody {
				t.Errorf("Allows(nobody) is %v", got)
			}
			if got := c.access.Allows(nil); got != c.nobody {
				t.Errorf("Allows(nil) is %v", got)
			}
			if got := c.access.Allows(clerk); got != c.clerk {
				t.Errorf("Allows(clerk) is %v", got)
			}
		})
	}
}

func TestAccessMissing(t *testing.T) {
	t.Parallel()
	clerk := NewPermissionSet(PatientShow)
	for access, want := range map[*Access]Permission{
		new(Needs(UserShow, RoleShow)): UserShow, new(NeedsAll(PatientShow, UserShow)): UserShow,
		new(NeedsAll(UserShow, PatientShow)): UserShow,
	} {
		if got := access.Missing(clerk); got != want {
			t.Errorf("%s names %s, want %s", access, got, want)
		}
	}
}
