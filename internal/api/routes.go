package api

import (
	. "nadmor/internal/hospital" //nolint:revive,staticcheck // so that a route reads as one line
	"nadmor/internal/report"
)

// routes registers all operations: path, access, summary and handler.
func (s *Server) routes() {
	const (
		login     = "/admin/api/v1.0/auth"
		users     = "/admin/api/v1.0/user-admin"
		roles     = "/admin/api/v1/role"
		patients  = "/admin/api/v1/patients"
		customers = "/admin/api/v1.0/customers"
		services  = "/admin/api/v1/service-config"
		slots     = "/admin/api/v1/appointment-time-slots"
		visits    = "/admin/api/v1/appointment"
		results   = "/admin/api/v1/appointment-results"
		reports   = "/admin/api/v1/report"
		admin     = "/admin/api/v1"
	)
	post(s, login+"/login", Public, "Sign in", s.login)
	post(s, login+"/register", Public, "Ask for an account", s.register)
	post(s, login+"/forgot-password", Public, "Request a password reset link", s.forgotPassword)
	post(s, login+"/reset-password", Public, "Set a new password with a link", s.resetPassword)
	post(s, login+"/logout", SignedIn, "End the session", s.logout, allowedBeforePasswordChange)
	get(s, login+"/permissions", SignedIn, "List the caller's permissions", s.ownPermissions, allowedBeforePasswordChange)
	get(s, login+"/me", SignedIn, "Read the caller's account", s.me, allowedBeforePasswordChange)
	post(s, login+"/change-password", SignedIn, "Change the caller's password", s.changePassword,
		allowedBeforePasswordChange)
	get(s, login+"/sessions", SignedIn, "List the caller's sessions", s.ownSessions)
	post(s, login+"/end-sessions", SignedIn, "End the caller's sessions", s.endOwnSessions)
	post(s, login+"/totp/setup", SignedIn, "Set up one-time codes", s.setUpTOTP, secretAnswer)
	post(s, login+"/totp/enable", SignedIn, "Enable one-time codes", s.enableTOTP)
	post(s, login+"/totp/disable", SignedIn, "Disable one-time codes", s.disableTOTP)

	post(s, users+"/list", Needs(UserShow), "List users", s.listUsers, readOnly)
	get(s, users+"/list", Needs(UserShow, AppointmentShow, AuditShow), "List active users for selection", s.userRefs)
	get(s, users+"/{id}", Needs(UserShow), "Read a user", s.readUser)
	post(s, users+"/create", Needs(UserCreate), "Add a user", s.createUser, secretAnswer)
	post(s, users+"/update", Needs(UserUpdate), "Change a user", s.updateUser)
	post(s, users+"/delete", Needs(UserDelete), "Delete a user", s.deleteUser)
	get(s, users+"/{id}/sessions", Needs(UserShow), "List a user's sessions", s.userSessions)
	post(s, users+"/{id}/end-sessions", Needs(UserUpdate), "End a user's sessions", s.endUserSessions)
	post(s, users+"/{id}/reset-link", Needs(UserUpdate), "Send a user a password reset link",
		s.sendResetLink, secretAnswer)

	post(s, roles+"/list", Needs(RoleShow), "List roles", s.listRoles, readOnly)
	get(s, roles+"/list", Needs(RoleShow, UserShow), "List roles for selection", s.roleRefs)
	get(s, roles+"/permissions", SignedIn, "List all permissions", s.permissionCatalogue)
	get(s, roles+"/{id}", Needs(RoleShow), "Read a role", s.readRole)
	post(s, roles+"/create", Needs(RoleCreate), "Add a role", s.createRole)
	post(s, roles+"/update", Needs(RoleUpdate), "Change a role", s.updateRole)
	post(s, roles+"/delete", Needs(RoleDelete), "Delete a role", s.deleteRole)

	post(s, patients+"/list", Needs(PatientShow), "List patients", s.listPatients, readOnly)
	post(s, patients+"/search", Needs(PatientShow), "Search patients, best match first", s.searchPatients, readOnly)
	post(s, patients+"/list-id-card", Needs(PatientShow), "Find patients by ID card", s.patientsByIDCard, readOnly)
	get(s, patients+"/{id}", Needs(PatientShow), "Read a patient", s.readPatient)
	post(s, patients+"/create", Needs(PatientCreate), "Register a patient", s.createPatient)
	post(s, patients+"/update", Needs(PatientUpdate), "Change a patient", s.updatePatient)
	post(s, patients+"/delete", Needs(PatientDelete), "Delete a patient", s.deletePatient)
	post(s, patients+"/reveal-id-card", Needs(PatientViewCID), "Reveal a patient's full ID card number",
		s.revealIDCard, readOnly)
	download(s, "POST", patients+"/export", Needs(PatientExport), "Export patients to a file", tableTypes(),
		s.exportPatients)

	post(s, customers+"/list", Needs(CustomerShow), "List customers", s.listCustomers, forCustomers, readOnly)
	get(s, customers+"/{id}", Needs(CustomerShow), "Read a customer", s.readCustomer, forCustomers)
	post(s, customers+"/create", Needs(CustomerCreate), "Add a customer", s.createCustomer, forCustomers)
	post(s, customers+"/update", Needs(CustomerUpdate), "Change a customer", s.updateCustomer, forCustomers)
	post(s, customers+"/delete", Needs(CustomerDelete), "Delete a customer", s.deleteCustomer, forCustomers)

	get(s, services+"/list",
		Needs(ServiceConfigShow, ServiceScheduleShow, SlotShow, AppointmentShow, DashboardShow, ReportShow), "List services",
		s.listServices)
	get(s, services+"/{id}", Needs(ServiceConfigShow, ServiceScheduleShow), "Read a service", s.readService)
	post(s, services+"/create", Needs(ServiceConfigCreate), "Add a service", s.createService)
	post(s, services+"/update", Needs(ServiceConfigUpdate, ServiceScheduleUpdate), "Change a service or its schedule",
		s.updateService)
	post(s, services+"/delete", Needs(ServiceConfigDelete), "Delete a service", s.deleteService)
	post(s, services+"/closures/list", Needs(ServiceScheduleShow, ServiceConfigShow, SlotShow, AppointmentShow),
		"List closures", s.listClosures, readOnly)
	post(s, services+"/closures/create", Needs(ServiceScheduleUpdate), "Add a closure", s.createClosure)
	post(s, services+"/closures/affected", NeedsAll(ServiceScheduleUpdate, AppointmentShow),
		"List the appointments in a closure", s.affectedByClosure, readOnly)
	post(s, services+"/closures/move", NeedsAll(ServiceScheduleUpdate, AppointmentUpdate),
		"Reschedule the appointments in a closure", s.moveClosed, large)
	post(s, services+"/closures/delete", Needs(ServiceScheduleUpdate), "Delete a closure", s.deleteClosure)
	post(s, services+"/displays/list", Needs(ServiceConfigUpdate), "List a service's waiting-room screens",
		s.listDisplays, readOnly)
	post(s, services+"/displays/create", Needs(ServiceConfigUpdate), "Add a waiting-room screen",
		s.createDisplay, secretAnswer)
	post(s, services+"/displays/delete", Needs(ServiceConfigUpdate), "Remove a waiting-room screen", s.deleteDisplay)

	post(s, slots+"/check-time-slots", Needs(SlotShow, ServiceScheduleShow, AppointmentShow),
		"List the slots of a service", s.checkSlots, readOnly)
	post(s, slots+"/update-capacity", Needs(SlotUpdateCapacity), "Change the capacity of slots", s.updateCapacity)

	post(s, visits+"/create", Needs(AppointmentCreate), "Book an appointment", s.createAppointment)
	post(s, visits+"/create-series", Needs(AppointmentCreate), "Book a series of appointments", s.createSeries)
	post(s, visits+"/update", Needs(AppointmentUpdate), "Change or move an appointment", s.updateAppointment)
	post(s, visits+"/mark-status", Needs(AppointmentMarkStatus), "Change the status of one or several appointments",
		s.markStatus)
	post(s, visits+"/undo-status", Needs(AppointmentMarkStatus), "Undo the last status change", s.undoStatus)
	handle(s, "DELETE", visits+"/delete/{id}", Needs(AppointmentDelete), "Delete an appointment", s.deleteAppointment)
	post(s, visits+"/details", Needs(AppointmentShow), "Read an appointment with its history",
		s.appointmentDetails, readOnly)
	post(s, visits+"/list", Needs(AppointmentShow), "List appointments", s.listAppointments, readOnly)
	post(s, visits+"/search", Needs(AppointmentShow), "Search appointments, best match first",
		s.searchAppointments, readOnly)
	post(s, visits+"/calendar-list", Needs(AppointmentShow, DashboardShow), "List the load of each day",
		s.calendarList, readOnly)
	post(s, visits+"/waitlist", Needs(AppointmentShow), "Read the waiting list of a slot", s.waitlist, readOnly)
	download(s, "GET", visits+"/list-all", Needs(AppointmentShow), "List all appointments of a period", tableTypes(),
		s.allAppointments, inEnvelope[[]Appointment](s))
	download(s, "POST", visits+"/export", Needs(AppointmentExport), "Export appointments to a file", tableTypes(),
		s.exportAppointments)
	download(s, "GET", visits+"/slip/{id}", Needs(AppointmentShow), "Print an appointment slip", []string{report.PDF},
		s.appointmentSlip)
	download(s, "GET", visits+"/day-list", Needs(AppointmentShow), "Print the appointments of a day", []string{report.PDF},
		s.dayList)
	get(s, visits+"/listAllByRole/{role}", Needs(AppointmentShow), "List staff of a role with their appointments",
		s.appointmentsByRole)
	post(s, visits+"/list-results", Needs(ResultShow), "List appointments with their results",
		s.listAppointmentResults, readOnly)
	form(s, visits+"/result/create/{id}", Needs(ResultCreate), "Record a result with a file", resultTexts, s.addResultTo)

	form(s, results+"/create", Needs(ResultCreate), "Record a result", append([]string{"appointmentId"}, resultTexts...),
		s.addResult, orJSON[ResultInput](s))
	get(s, results+"/read/{id}", Needs(ResultShow), "Read a result", s.readResult)
	s.resultFile(results+"/file/{id}", Needs(ResultShow), "Download the file of a result")
	post(s, results+"/list", Needs(ResultShow), "List results", s.listResults, readOnly)
	handle(s, "DELETE", results+"/delete/{id}", Needs(ResultDelete), "Delete a result", s.deleteResult)

	download(s, "POST", reports+"/utilization", Needs(ReportShow), "Report the utilization of services", tableTypes(),
		s.utilizationReport, inEnvelope[UtilizationReport](s))
	download(s, "POST", reports+"/no-show", Needs(ReportShow), "Report no-shows", tableTypes(), s.noShowReport,
		inEnvelope[NoShowReport](s))
	download(s, "POST", reports+"/waiting-time", Needs(ReportShow), "Report waiting and visit times", tableTypes(),
		s.waitingReport, inEnvelope[WaitingReport](s))
	download(s, "POST", reports+"/workload", Needs(ReportShow), "Report the workload of staff", tableTypes(),
		s.workloadReport, inEnvelope[WorkloadReport](s))

	get(s, admin+"/dashboard/summary", Needs(DashboardShow), "Read the dashboard of a day", s.dashboard)
	get(s, admin+"/display/board", DisplayToken, "Read the queue board of a waiting-room screen", s.queueBoard)
	s.listen(admin+"/events", SignedIn, "Stream changes as Server-Sent Events")
	get(s, admin+"/hospital", Public, "Read the hospital's name, logo and current banners", s.identity)
	get(s, admin+"/global-setting/read", Needs(GlobalSettingShow, BannerShow), "Read the settings", s.readSetting)
	post(s, admin+"/global-setting/update", Needs(GlobalSettingUpdate, BannerUpdate), "Change the settings",
		s.updateSetting)
	form(s, admin+"/media-file/upload/banner", Needs(BannerUpdate), "Add a banner", []string{"alt", "link"},
		s.uploadBanner)
	form(s, admin+"/media-file/upload/logo", Needs(GlobalSettingUpdate), "Replace the logo", nil, s.uploadLogo)
	s.media("/media/{key}", Public, "Download a public image")

	post(s, admin+"/audit/list", Needs(AuditShow), "List the audit log", s.listAudit, readOnly)
	get(s, admin+"/audit/people", Needs(AuditShow), "List users for the audit filter", s.auditPeople)
}
