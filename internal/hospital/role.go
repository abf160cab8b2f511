package hospital

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Role is a named set of permissions. Every user has one. Name is the code used in tokens, Label the display
// name. A system role can be given other permissions, but not be deleted or renamed.
type Role struct {
	ID          int64        `json:"id"`
	Name        string       `json:"name"`
	Label       string       `json:"label"`
	Permissions []Permission `json:"permissions"`
	System      bool         `json:"system"`
	UserCount   int64        `json:"userCount"`
	Version     int64        `json:"version"`
	CreatedAt   time.Time    `json:"createdAt"`
	UpdatedAt   time.Time    `json:"updatedAt"`
}

// RoleRef is a role as embedded in other records.
type RoleRef struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
}

// RoleDraft holds the editable fields of a role.
type RoleDraft struct {
	Name        string       `json:"name" doc:"Unique code, for example WARD_CLERK"`
	Label       string       `json:"label" doc:"Display name"`
	Permissions []Permission `json:"permissions"`
}

var roleName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,39}$`)

// Validate returns VALIDATION_FAILED with every invalid field.
func (d RoleDraft) Validate() error {
	var c Checker
	c.Require(roleName.MatchString(d.Name), "name",
		"ใช้ตัวอักษรอังกฤษพิมพ์ใหญ่ ตัวเลข และ _ 2–40 ตัว ขึ้นต้นด้วยตัวอักษร",
		"2–40 capital letters, digits and _, beginning with a letter.")
	c.Text(d.Label, "label", true, 80)
	for i, p := range d.Permissions {
		c.Require(slices.Contains(AllPermissions, p), fmt.Sprintf("permissions[%d]", i), "ไม่มีสิทธิ์นี้ในระบบ",
			"There is no such permission.")
	}
	return c.Err()
}

// SystemRole is a predefined role.
type SystemRole struct {
	Name        string
	Label       string
	Permissions []Permission
}

// AdminRole is the name of the first account's role.
const AdminRole = "ADMIN"

// SystemRoles are created in an empty database.
var SystemRoles = []SystemRole{
	{AdminRole, "ผู้ดูแลระบบ", AllPermissions},
	{"REGISTRAR", "เวชระเบียน", []Permission{
		DashboardShow, SidebarPatients,
		AppointmentShow, AppointmentCreate, AppointmentUpdate, AppointmentDelete, AppointmentMarkStatus, AppointmentExport,
		ServiceScheduleShow, SlotShow, ServiceConfigShow,
		PatientShow, PatientCreate, PatientUpdate, PatientDelete, PatientViewCID, PatientExport,
		CustomerShow, CustomerCreate, CustomerUpdate, CustomerDelete,
	}},
	{"NURSE", "พยาบาล", []Permission{
		DashboardShow, SidebarPatients,
		AppointmentShow, AppointmentCreate, AppointmentUpdate, AppointmentMarkStatus, AppointmentRevert, AppointmentOverbook,
		ResultShow, ResultCreate,
		ServiceScheduleShow, ServiceScheduleUpdate, SlotShow, SlotUpdateCapacity, ServiceConfigShow,
		PatientShow, PatientUpdate, CustomerShow,
	}},
	{"DOCTOR", "แพทย์", []Permission{
		DashboardShow, SidebarPatients,
		AppointmentShow, AppointmentCreate, AppointmentUpdate, AppointmentMarkStatus, AppointmentRevert, AppointmentOverbook,
		ResultShow, ResultCreate, ResultDelete,
		ServiceScheduleShow, SlotShow, ServiceConfigShow,
		PatientShow,
	}},
	{"QUEUE", "จุดบริการคิว", []Permission{
		DashboardShow,
		AppointmentShow, AppointmentMarkStatus, SlotShow, ServiceConfigShow,
	}},
	{"EXECUTIVE", "ผู้บริหาร", []Permission{
		DashboardShow, ReportShow,
	}},
}

// MayGrant returns FORBIDDEN with the missing permissions if wanted contains a permission that the caller
// does not hold.
func MayGrant(held PermissionSet, wanted []Permission) error {
	missing := held.Missing(wanted)
	if len(missing) == 0 {
		return nil
	}
	return Reject(Forbidden).
		Because("ให้สิทธิ์ที่ท่านไม่มีแก่ผู้อื่นไม่ได้", "You cannot grant a permission that you do not hold yourself.").
		With("permission", missing[0]).With("missing", missing)
}

// MaySetPassword returns FORBIDDEN if the actor sets their own password the way an
// administrator sets another user's, without the current one. Otherwise an open browser would
// be enough to lock its owner out.
func MaySetPassword(a Actor, userID int64) error {
	if a.UserID != userID {
		return nil
	}
	return Reject(Forbidden).
		Because("เปลี่ยนรหัสผ่านของตนเองที่นี่ไม่ได้ กรุณาเปลี่ยนที่หน้า “ข้อมูลของฉัน” โดยกรอกรหัสผ่านปัจจุบัน",
			"You cannot set your own password here. Change it in your profile, with the current one.")
}

// MayManage returns FORBIDDEN if the other user holds permissions the caller does not: setting their password
// would give the caller those permissions.
func MayManage(held PermissionSet, theirs []Permission) error {
	missing := held.Missing(theirs)
	if len(missing) == 0 {
		return nil
	}
	return Reject(Forbidden).
		Because("จัดการบัญชีของผู้ที่มีสิทธิ์มากกว่าท่านไม่ได้",
			"You cannot manage an account with more permissions than your own.").
		With("permission", missing[0]).With("missing", missing)
}
