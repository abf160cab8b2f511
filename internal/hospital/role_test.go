package hospital

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSystemRoles(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range SystemRoles {
		names = append(names, r.Name)
		// Predefined roles must pass the validation of custom roles.
		if err := (RoleDraft{Name: r.Name, Label: r.Label, Permissions: r.Permissions}).Validate(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if !isThai(r.Label) {
			t.Errorf("%s is labelled %q", r.Name, r.Label)
		}
		if len(NewPermissionSet(r.Permissions...)) != len(r.Permissions) {
			t.Errorf("%s holds a permission twice", r.Name)
		}
	}
	if d := cmp.Diff([]string{"ADMIN", "REGISTRAR", "NURSE", "DOCTOR", "QUEUE", "EXECUTIVE"}, names); d != "" {
		t.Errorf("system roles (-want +got):\n%s", d)
	}
}

func systemRole(t *testing.T, name string) PermissionSet {
	t.Helper()
	for _, r := range SystemRoles {
		if r.Name == name {
			return NewPermissionSet(r.Permissions...)
		}
	}
	t.Fatalf("no system role %s", name)
	return nil
}

// The permissions each system role must and must not have.
func TestSystemRolePermissions(t *testing.T) {
	t.Parallel()
	if missing := systemRole(t, AdminRole).Missing(AllPermissions); len(missing) > 0 {
		t.Errorf("ADMIN lacks %v", missing)
	}
	cases := map[string]struct{ holds, lacks []Permission }{
		"REGISTRAR": {
			[]Permission{
				PatientShow, PatientCreate, PatientUpdate, CustomerShow, CustomerCreate, AppointmentShow, AppointmentCreate,
				AppointmentUpdate, SidebarPatients,
			},
			[]Permission{ResultShow, ResultCreate, SlotUpdateCapacity},
		},
		"NURSE": {
			[]Permission{AppointmentShow, AppointmentMarkStatus, ResultShow, ResultCreate, SlotUpdateCapacity},
			[]Permission{PatientDelete, PatientExport, CustomerDelete},
		},
		"DOCTOR": {
			[]Permission{AppointmentShow, AppointmentMarkStatus, ResultShow, ResultCreate, PatientShow},
			[]Permission{PatientCreate, PatientUpdate, PatientDelete, PatientExport},
		},
		"QUEUE": {
			[]Permission{AppointmentShow, AppointmentMarkStatus},
			[]Permission{AppointmentCreate, AppointmentUpdate, AppointmentDelete, PatientShow, ResultShow},
		},
		"EXECUTIVE": {
			[]Permission{DashboardShow, ReportShow},
			[]Permission{PatientShow, AppointmentShow, ResultShow, CustomerShow},
		},
	}
	// Only the administrator manages users, roles and settings.
	administration := []Permission{
		UserShow, UserCreate, UserUpdate, UserDelete, RoleShow, RoleCreate, RoleUpdate, RoleDelete, GlobalSettingUpdate,
		AuditShow, SidebarUsers,
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := systemRole(t, name)
			if missing := set.Missing(c.holds); len(missing) > 0 {
				t.Errorf("it lacks %v", missing)
			}
			for _, p := range slices.Concat(c.lacks, administration) {
				if set[p] {
					t.Errorf("it holds %s", p)
				}
			}
		})
	}
}

func TestRoleDraftValidate(t *testing.T) {
	t.Parallel()
	good := RoleDraft{Name: "WARD_CLERK", Label: "ธุรการหอผู้ป่วย", Permissions: []Permission{PatientShow}}
	cases := map[string]struct {
		change func(*RoleDraft)
		wrong  []string
	}{
		"a good one is accepted":               {func(*RoleDraft) {}, nil},
		"a role may hold nothing":              {func(d *RoleDraft) { d.Permissions = nil }, nil},
		"a code of two characters is accepted": {func(d *RoleDraft) { d.Name = "A1" }, nil},
		"a code of 40 characters is accepted": {
			func(d *RoleDraft) { d.Name = strings.Repeat("A", 40) }, nil,
		},
		"a label of 80 Thai characters is accepted": {
			func(d *RoleDraft) { d.Label = strings.Repeat("ก", 80) }, nil,
		},
		"an empty code is refused":           {func(d *RoleDraft) { d.Name = "" }, []string{"name"}},
		"a code of one character is refused": {func(d *RoleDraft) { d.Name = "A" }, []string{"name"}},
		"a code of 41 characters is refused": {
			func(d *RoleDraft) { d.Name = strings.Repeat("A", 41) }, []string{"name"},
		},
		"a code in lower case is refused":            {func(d *RoleDraft) { d.Name = "ward" }, []string{"name"}},
		"a code that begins with a digit is refused": {func(d *RoleDraft) { d.Name = "1WARD" }, []string{"name"}},
		"a code with a space is refused": {
			func(d *RoleDraft) { d.Name = "WARD CLERK" }, []string{"name"},
		},
		"a code with a line after it is refused": {
			func(d *RoleDraft) { d.Name = "WARD\n" }, []string{"name"},
		},
		"a Thai code is refused": {
			func(d *RoleDraft) { d.Name = "หอผู้ป่วย" }, []string{"name"},
		},
		"an empty label is refused": {func(d *RoleDraft) { d.Label = " \t" }, []string{"label"}},
		"a label of 81 characters is refused": {
			func(d *RoleDraft) { d.Label = strings.Repeat("ก", 81) }, []string{"label"},
		},
		"a label with a control character is refused": {
			func(d *RoleDraft) { d.Label = "ก\x07" }, []string{"label"},
		},
		"each unknown permission is named by its place": {
			func(d *RoleDraft) { d.Permissions = []Permission{"NO.1", PatientShow, "NO.2"} },
			[]string{"permissions[0]", "permissions[2]"},
		},
		"all errors are reported at once, in a stable order": {
			func(d *RoleDraft) { *d = RoleDraft{Permissions: []Permission{""}} }, []string{"label", "name", "permissions[0]"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := good
			c.change(&d)
			wantFields(t, d.Validate(), c.wrong)
		})
	}
}

// wantFields checks that err names exactly the invalid fields, each with a message in both languages.
func wantFields(t *testing.T, err error, wrong []string) {
	t.Helper()
	if len(wrong) == 0 {
		if err != nil {
			t.Errorf("it is refused: %v", err)
		}
		return
	}
	var e *Error
	if e, _ = err.(*Error); e == nil { //nolint:errorlint // Validate returns it bare
		t.Fatalf("got %v, want VALIDATION_FAILED on %v", err, wrong)
	}
	if e.Code != ValidationFailed {
		t.Errorf("the code is %s", e.Code)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Field)
		checkText(t, f.Field, f.Message)
	}
	if d := cmp.Diff(wrong, names); d != "" {
		t.Errorf("wrong fields (-want +got):\n%s", d)
	}
}

func TestMayGrantAndMayManage(t *testing.T) {
	t.Parallel()
	all := NewPermissionSet(AllPermissions...)
	manager := NewPermissionSet(UserShow, UserUpdate, PatientShow)
	cases := map[string]struct {
		held    PermissionSet
		wanted  []Permission
		missing []Permission
	}{
		"what one holds may be granted":         {manager, []Permission{PatientShow, UserShow}, nil},
		"all users may grant nothing":           {nil, nil, nil},
		"an administrator may grant everything": {all, AllPermissions, nil},
		"what one does not hold is refused and named": {
			manager, []Permission{PatientShow, RoleUpdate, UserDelete}, []Permission{RoleUpdate, UserDelete},
		},
		"who holds nothing grants nothing":             {nil, []Permission{DashboardShow}, []Permission{DashboardShow}},
		"a permission that does not exist is not held": {all, []Permission{"ALL"}, []Permission{"ALL"}},
	}
	for verb, rule := range map[string]func(PermissionSet, []Permission) error{"grant": MayGrant, "manage": MayManage} {
		for name, c := range cases {
			t.Run(verb+": "+name, func(t *testing.T) {
				t.Parallel()
				err := rule(c.held, c.wanted)
				if c.missing == nil {
					if err != nil {
						t.Errorf("it is refused: %v", err)
					}
					return
				}
				e, ok := err.(*Error) //nolint:errorlint // the rule returns it bare
				if !ok || e.Code != Forbidden {
					t.Fatalf("got %v, want FORBIDDEN", err)
				}
				checkText(t, verb, e.Message)
				if d := cmp.Diff(map[string]any{"permission": c.missing[0], "missing": c.missing}, e.Details); d != "" {
					t.Errorf("details (-want +got):\n%s", d)
				}
			})
		}
	}
}
