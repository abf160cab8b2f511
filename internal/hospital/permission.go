package hospital

import (
	"slices"
	"strings"
)

// Permission is a permission that a role can grant. The values are stored and sent; the client's type is
// generated from this list.
type Permission string

// The permissions, in the order of their groups.
const (
	DashboardShow         Permission = "DASHBOARD.SHOW"
	SidebarPatients       Permission = "SIDEBAR.PATIENTS"
	SidebarUsers          Permission = "SIDEBAR.USERS"
	SidebarGlobalConfig   Permission = "SIDEBAR.GLOBAL_CONFIG"
	AppointmentShow       Permission = "APPOINTMENT.SHOW"
	AppointmentCreate     Permission = "APPOINTMENT.CREATE"
	AppointmentUpdate     Permission = "APPOINTMENT.UPDATE"
	AppointmentDelete     Permission = "APPOINTMENT.DELETE"
	AppointmentMarkStatus Permission = "APPOINTMENT.MARK_STATUS"
	AppointmentRevert     Permission = "APPOINTMENT.REVERT_STATUS"
	AppointmentOverbook   Permission = "APPOINTMENT.OVERBOOK"
	AppointmentExport     Permission = "APPOINTMENT.EXPORT"
	ResultShow            Permission = "RESULT.SHOW"
	ResultCreate          Permission = "RESULT.CREATE"
	ResultDelete          Permission = "RESULT.DELETE"
	ServiceScheduleShow   Permission = "SERVICE_SCHEDULE.SHOW"
	ServiceScheduleUpdate Permission = "SERVICE_SCHEDULE.UPDATE"
	SlotShow              Permission = "SLOT.SHOW"
	SlotUpdateCapacity    Permission = "SLOT.UPDATE_CAPACITY"
	PatientShow           Permission = "PATIENT.SHOW"
	PatientCreate         Permission = "PATIENT.CREATE"
	PatientUpdate         Permission = "PATIENT.UPDATE"
	PatientDelete         Permission = "PATIENT.DELETE"
	PatientViewCID        Permission = "PATIENT.VIEW_CID"
	PatientExport         Permission = "PATIENT.EXPORT"
	CustomerShow          Permission = "CUSTOMER.SHOW"
	CustomerCreate        Permission = "CUSTOMER.CREATE"
	CustomerUpdate        Permission = "CUSTOMER.UPDATE"
	CustomerDelete        Permission = "CUSTOMER.DELETE"
	UserShow              Permission = "USER.SHOW"
	UserCreate            Permission = "USER.CREATE"
	UserUpdate            Permission = "USER.UPDATE"
	UserDelete            Permission = "USER.DELETE"
	RoleShow              Permission = "ROLE.SHOW"
	RoleCreate            Permission = "ROLE.CREATE"
	RoleUpdate            Permission = "ROLE.UPDATE"
	RoleDelete            Permission = "ROLE.DELETE"
	ServiceConfigShow     Permission = "SERVICE_CONFIG.SHOW"
	ServiceConfigCreate   Permission = "SERVICE_CONFIG.CREATE"
	ServiceConfigUpdate   Permission = "SERVICE_CONFIG.UPDATE"
	ServiceConfigDelete   Permission = "SERVICE_CONFIG.DELETE"
	GlobalSettingShow     Permission = "GLOBAL_SETTING.SHOW"
	GlobalSettingUpdate   Permission = "GLOBAL_SETTING.UPDATE"
	BannerShow            Permission = "BANNER.SHOW"
	BannerUpdate          Permission = "BANNER.UPDATE"
	ReportShow            Permission = "REPORT.SHOW"
	AuditShow             Permission = "AUDIT.SHOW"
)

// PermissionGroup is a group of the permission matrix.
type PermissionGroup struct {
	Name        string
	Label       Text
	Permissions []PermissionInfo
}

// PermissionInfo is a permission with its display name.
type PermissionInfo struct {
	Name  Permission
	Label Text
}

// PermissionGroups lists every permission once, as shown in the permission matrix.
var PermissionGroups = []PermissionGroup{
	{"MENU", Text{"เมนูและหน้าหลัก", "Menus and dashboard"}, []PermissionInfo{
		{DashboardShow, Text{"ดูภาพรวมประจำวัน", "See the dashboard"}},
		{SidebarPatients, Text{"เห็นเมนูจัดการผู้ป่วย", "See the patient menu"}},
		{SidebarUsers, Text{"เห็นเมนูจัดการผู้ใช้งาน", "See the user menu"}},
		{SidebarGlobalConfig, Text{"เห็นเมนูตั้งค่าระบบ", "See the settings menu"}},
	}},
	{"APPOINTMENT", Text{"นัดหมาย", "Appointments"}, []PermissionInfo{
		{AppointmentShow, Text{"ดูนัดหมาย", "See appointments"}},
		{AppointmentCreate, Text{"เพิ่มนัดหมาย", "Book appointments"}},
		{AppointmentUpdate, Text{"แก้ไขและเลื่อนนัดหมาย", "Change and move appointments"}},
		{AppointmentDelete, Text{"ลบนัดหมาย", "Delete appointments"}},
		{AppointmentMarkStatus, Text{"เปลี่ยนสถานะนัดหมาย", "Change the status"}},
		{AppointmentRevert, Text{"ย้อนสถานะนัดหมาย", "Revert the status"}},
		{AppointmentOverbook, Text{"จองเกินจำนวน", "Overbook a slot"}},
		{AppointmentExport, Text{"ส่งออกรายการนัดหมาย", "Export appointments"}},
	}},
	{"RESULT", Text{"ผลการตรวจ", "Results"}, []PermissionInfo{
		{ResultShow, Text{"ดูผลการตรวจ", "See results"}},
		{ResultCreate, Text{"บันทึกผลการตรวจ", "Record results"}},
		{ResultDelete, Text{"ลบผลการตรวจ", "Delete results"}},
	}},
	{"SCHEDULE", Text{"ตารางให้บริการ", "Service schedule"}, []PermissionInfo{
		{ServiceScheduleShow, Text{"ดูตารางให้บริการ", "See the service schedule"}},
		{ServiceScheduleUpdate, Text{"แก้ไขตารางให้บริการและวันหยุด", "Change hours and closures"}},
		{SlotShow, Text{"ดูช่วงเวลาและจำนวนที่รับ", "See slots and capacity"}},
		{SlotUpdateCapacity, Text{"ปรับจำนวนที่รับ", "Change capacity"}},
	}},
	{"PATIENT", Text{"ผู้ป่วย", "Patients"}, []PermissionInfo{
		{PatientShow, Text{"ดูข้อมูลผู้ป่วย", "See patients"}},
		{PatientCreate, Text{"ลงทะเบียนผู้ป่วย", "Register patients"}},
		{PatientUpdate, Text{"แก้ไขข้อมูลผู้ป่วย", "Change patients"}},
		{PatientDelete, Text{"ลบข้อมูลผู้ป่วย", "Delete patients"}},
		{PatientViewCID, Text{"ดูเลขประจำตัวประชาชนครบทุกหลัก", "See full ID card numbers"}},
		{PatientExport, Text{"ส่งออกข้อมูลผู้ป่วย", "Export patients"}},
	}},
	{"CUSTOMER", Text{"ผู้ใช้บริการ", "Customers"}, []PermissionInfo{
		{CustomerShow, Text{"ดูผู้ใช้บริการ", "See customers"}},
		{CustomerCreate, Text{"เพิ่มผู้ใช้บริการ", "Add customers"}},
		{CustomerUpdate, Text{"แก้ไขผู้ใช้บริการ", "Change customers"}},
		{CustomerDelete, Text{"ลบผู้ใช้บริการ", "Delete customers"}},
	}},
	{"USER", Text{"ผู้ใช้งาน", "Users"}, []PermissionInfo{
		{UserShow, Text{"ดูผู้ใช้งาน", "See users"}},
		{UserCreate, Text{"เพิ่มผู้ใช้งาน", "Add users"}},
		{UserUpdate, Text{"แก้ไข อนุมัติ และระงับผู้ใช้งาน", "Change, approve and suspend users"}},
		{UserDelete, Text{"ลบผู้ใช้งาน", "Delete users"}},
	}},
	{"ROLE", Text{"บทบาท", "Roles"}, []PermissionInfo{
		{RoleShow, Text{"ดูบทบาท", "See roles"}},
		{RoleCreate, Text{"เพิ่มบทบาท", "Add roles"}},
		{RoleUpdate, Text{"แก้ไขสิทธิ์ของบทบาท", "Change what roles may do"}},
		{RoleDelete, Text{"ลบบทบาท", "Delete roles"}},
	}},
	{"SERVICE_CONFIG", Text{"บริการ", "Services"}, []PermissionInfo{
		{ServiceConfigShow, Text{"ดูบริการ", "See services"}},
		{ServiceConfigCreate, Text{"เพิ่มบริการ", "Add services"}},
		{ServiceConfigUpdate, Text{"แก้ไขบริการ", "Change services"}},
		{ServiceConfigDelete, Text{"ลบบริการ", "Delete services"}},
	}},
	{"SETTING", Text{"ตั้งค่าระบบ", "Settings"}, []PermissionInfo{
		{GlobalSettingShow, Text{"ดูการตั้งค่าระบบ", "See the settings"}},
		{GlobalSettingUpdate, Text{"แก้ไขการตั้งค่าระบบ", "Change the settings"}},
		{BannerShow, Text{"ดูแบนเนอร์", "See banners"}},
		{BannerUpdate, Text{"แก้ไขแบนเนอร์", "Change banners"}},
	}},
	{"REPORT", Text{"รายงานและการตรวจสอบ", "Reports and audit"}, []PermissionInfo{
		{ReportShow, Text{"ดูรายงาน", "See reports"}},
		{AuditShow, Text{"ดูบันทึกการใช้งาน", "See the audit log"}},
	}},
}

// AllPermissions lists all permissions in the order of PermissionGroups.
var AllPermissions = func() []Permission {
	var all []Permission
	for _, g := range PermissionGroups {
		for _, p := range g.Permissions {
			all = append(all, p.Name)
		}
	}
	return all
}()

// PermissionSet is a set of permissions.
type PermissionSet map[Permission]bool

// NewPermissionSet returns a set of the given permissions.
func NewPermissionSet(ps ...Permission) PermissionSet {
	set := make(PermissionSet, len(ps))
	for _, p := range ps {
		set[p] = true
	}
	return set
}

// List returns the permissions in the order of AllPermissions, never nil.
func (s PermissionSet) List() []Permission {
	list := make([]Permission, 0, len(s))
	for _, p := range AllPermissions {
		if s[p] {
			list = append(list, p)
		}
	}
	return list
}

// Missing returns the permissions of want that the set lacks, in order.
func (s PermissionSet) Missing(want []Permission) []Permission {
	var missing []Permission
	for _, p := range want {
		if !s[p] {
			missing = append(missing, p)
		}
	}
	return missing
}

// Access is what an operation requires of its caller: nothing (Public), a session (SignedIn),
// any or all of some permissions (Needs, NeedsAll), or the token of a waiting-room screen
// (DisplayToken). The zero value is rejected at startup.
type Access struct {
	kind        accessKind
	permissions []Permission
}

type accessKind byte

const (
	accessUndeclared accessKind = iota
	accessPublic
	accessSignedIn
	accessAny
	accessAll
	accessDisplay
)

// Public needs no session, SignedIn any valid session. DisplayToken needs the token of a waiting-room screen,
// which is accepted nowhere else.
var (
	Public       = Access{kind: accessPublic}
	SignedIn     = Access{kind: accessSignedIn}
	DisplayToken = Access{kind: accessDisplay}
)

// Needs requires at least one of the permissions.
func Needs(ps ...Permission) Access { return Access{kind: accessAny, permissions: ps} }

// NeedsAll requires all of the permissions.
func NeedsAll(ps ...Permission) Access { return Access{kind: accessAll, permissions: ps} }

// Declared reports whether the access is set and names existing permissions only.
func (a Access) Declared() bool {
	if a.kind == accessAny || a.kind == accessAll {
		return len(a.permissions) > 0 &&
			!slices.ContainsFunc(a.permissions, func(p Permission) bool { return !slices.Contains(AllPermissions, p) })
	}
	return a.kind != accessUndeclared
}

// IsPublic reports whether no session is needed.
func (a Access) IsPublic() bool { return a.kind == accessPublic }

// IsDisplay reports whether the operation is for waiting-room screens.
func (a Access) IsDisplay() bool { return a.kind == accessDisplay }

// Permissions returns the permissions of Needs or NeedsAll, none for other kinds.
func (a Access) Permissions() []Permission { return a.permissions }

// Allows reports whether a signed-in user with the given permissions may call the operation.
func (a Access) Allows(held PermissionSet) bool {
	switch a.kind {
	case accessPublic, accessSignedIn:
		return true
	case accessAny:
		return slices.ContainsFunc(a.permissions, func(p Permission) bool { return held[p] })
	case accessAll:
		return len(a.permissions) > 0 && len(held.Missing(a.permissions)) == 0
	default:
		return false
	}
}

// Missing returns the first required permission that is not in held. It must only be called
// if Allows is false for one of the permission kinds.
func (a Access) Missing(held PermissionSet) Permission { return held.Missing(a.permissions)[0] }

// String is the form shown in the OpenAPI document as x-permission: "PUBLIC",
// "SIGNED_IN", "DISPLAY", or the permissions joined by "|" (any of them) or "&"
// (all of them).
func (a Access) String() string {
	switch a.kind {
	case accessPublic:
		return "PUBLIC"
	case accessSignedIn:
		return "SIGNED_IN"
	case accessDisplay:
		return "DISPLAY"
	case accessAny:
		return joinPermissions(a.permissions, "|")
	case accessAll:
		return joinPermissions(a.permissions, "&")
	default:
		return ""
	}
}

func joinPermissions(ps []Permission, separator string) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = string(p)
	}
	return strings.Join(names, separator)
}
