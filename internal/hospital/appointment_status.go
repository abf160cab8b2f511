package hospital

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// AppointmentStatus is the state of an appointment.
type AppointmentStatus string

// The statuses of an appointment.
const (
	Waitlisted AppointmentStatus = "WAITLISTED"
	Pending    AppointmentStatus = "PENDING"
	Booked     AppointmentStatus = "BOOKED"
	Confirmed  AppointmentStatus = "CONFIRMED"
	CheckedIn  AppointmentStatus = "CHECKED_IN"
	InService  AppointmentStatus = "IN_SERVICE"
	Completed  AppointmentStatus = "COMPLETED"
	NoShow     AppointmentStatus = "NO_SHOW"
	Cancelled  AppointmentStatus = "CANCELLED"
)

// statusRule is one row of the status table.
type statusRule struct {
	name  Text
	seat  bool                // holds a seat
	next  []AppointmentStatus // allowed with APPOINTMENT.MARK_STATUS
	back  []AppointmentStatus // needs APPOINTMENT.REVERT_STATUS and a reason
	moves bool                // can be moved to another slot
}

// AppointmentStatuses lists all statuses in the order of a visit.
var AppointmentStatuses = []AppointmentStatus{
	Waitlisted, Pending, Booked, Confirmed, CheckedIn, InService, Completed, NoShow, Cancelled,
}

// statusRules is the status table. Only the functions and sets of this file read it.
var statusRules = map[AppointmentStatus]statusRule{
	Waitlisted: {Text{"รอคิวว่าง", "Waiting list"}, false, []AppointmentStatus{Booked, Cancelled}, nil, true},
	Pending:    {Text{"รออนุมัติ", "Waiting for approval"}, true, []AppointmentStatus{Booked, Cancelled}, nil, true},
	Booked: {
		Text{"นัดแล้ว", "Booked"}, true,
		[]AppointmentStatus{Confirmed, CheckedIn, Cancelled, NoShow}, nil, true,
	},
	Confirmed: {
		Text{"ผู้ป่วยยืนยันแล้ว", "Confirmed"}, true,
		[]AppointmentStatus{CheckedIn, Cancelled, NoShow}, nil, true,
	},
	CheckedIn: {
		Text{"มาถึงแล้ว", "Checked in"}, true,
		[]AppointmentStatus{InService, Completed, Cancelled}, nil, false,
	},
	InService: {Text{"กำลังตรวจ", "In service"}, true, []AppointmentStatus{Completed, CheckedIn}, nil, false},
	Completed: {Text{"เสร็จสิ้น", "Completed"}, true, nil, []AppointmentStatus{InService}, false},
	NoShow:    {Text{"ไม่มาตามนัด", "No show"}, true, []AppointmentStatus{CheckedIn}, nil, true},
	Cancelled: {Text{"ยกเลิก", "Cancelled"}, false, nil, []AppointmentStatus{Booked}, false},
}

// Name returns the display name of the status.
func (s AppointmentStatus) Name() Text { return statusRules[s].name }

// HoldsSeat reports whether an appointment with the status takes a seat.
func (s AppointmentStatus) HoldsSeat() bool { return statusRules[s].seat }

// Visited reports whether the patient arrived.
func (s AppointmentStatus) Visited() bool { return slices.Contains(Arrived, s) }

// The sets of statuses that queries and counts use.
var (
	// HoldingSeat are the statuses that take a seat.
	HoldingSeat = statusesWhere(AppointmentStatus.HoldsSeat)
	// Expected are the statuses of patients who become NO_SHOW unless they arrive.
	Expected = statusesWhere(func(s AppointmentStatus) bool { return slices.Contains(statusRules[s].next, NoShow) })
	// Upcoming are the statuses of patients with a seat who have not arrived yet.
	Upcoming = append([]AppointmentStatus{Pending}, Expected...)
	// Present are the statuses of patients who are waiting to be seen or being seen.
	Present = []AppointmentStatus{CheckedIn, InService}
	// Arrived are the statuses of patients who arrived.
	Arrived = append(slices.Clone(Present), Completed)
	// Due are the statuses of appointments whose attendance is known: the denominator of the no-show rate.
	// Cancelled, waitlisted and still expected appointments are not counted; walk-ins are.
	Due = append(slices.Clone(Arrived), NoShow)
	// Finished are the statuses of finished visits.
	Finished = []AppointmentStatus{Completed, NoShow, Cancelled}
	// Open are the statuses that are not Over.
	Open = statusesWhere(func(s AppointmentStatus) bool { return !slices.Contains(Finished, s) })
	// Starting are the statuses an appointment is created with.
	Starting = []AppointmentStatus{Waitlisted, Pending, Booked}
)

// StatusGroup names a set of statuses for list filters.
type StatusGroup string

// The status groups of a filter.
const (
	GroupSeated   StatusGroup = "SEATED"
	GroupExpected StatusGroup = "EXPECTED"
	GroupToCome   StatusGroup = "TO_COME"
	GroupOpen     StatusGroup = "OPEN"
)

// StatusGroups lists all groups for the OpenAPI document.
var StatusGroups = []StatusGroup{GroupSeated, GroupExpected, GroupToCome, GroupOpen}

var statusesOf = map[StatusGroup][]AppointmentStatus{
	GroupSeated:   HoldingSeat,
	GroupExpected: Expected,
	GroupToCome:   append([]AppointmentStatus{Waitlisted}, Upcoming...),
	GroupOpen:     Open,
}

func statusesWhere(keep func(AppointmentStatus) bool) []AppointmentStatus {
	return slices.DeleteFunc(slices.Clone(AppointmentStatuses), func(s AppointmentStatus) bool { return !keep(s) })
}

// AppointmentActions are the actions a caller may take on an appointment now. They are computed for each response
// and not stored.
type AppointmentActions struct {
	AllowedStatuses []AppointmentStatus `json:"allowedStatuses" doc:"Statuses the caller may set now"`
	ReasonStatuses  []AppointmentStatus `json:"reasonStatuses" doc:"The allowedStatuses that need a reason"`
	Movable         bool                `json:"movable" doc:"The caller may move it; a no-show only to a later date"`
	HoldsSeat       bool                `json:"holdsSeat" doc:"It takes a seat in its slot"`
}

// SetActions sets the actions available to a caller with the given permissions at a moment.
func (a *Appointment) SetActions(may PermissionSet, now Moment) {
	a.AllowedStatuses = a.allowed(may, now)
	a.ReasonStatuses = []AppointmentStatus{}
	for _, to := range a.AllowedStatuses {
		if needsReason(a.Status, to) {
			a.ReasonStatuses = append(a.ReasonStatuses, to)
		}
	}
	// Depends on the status and on the caller, so that the UI offers a move exactly when update accepts one.
	a.Movable = statusRules[a.Status].moves && may[AppointmentUpdate]
	a.HoldsSeat = a.Status.HoldsSeat()
}

// allowed returns the statuses a caller may set.
func (a *Appointment) allowed(may PermissionSet, now Moment) []AppointmentStatus {
	allowed := []AppointmentStatus{}
	if !may[AppointmentMarkStatus] {
		return allowed
	}
	rule := statusRules[a.Status]
	for _, to := range rule.next {
		if a.allowedAt(to, now) {
			allowed = append(allowed, to)
		}
	}
	if may[AppointmentRevert] {
		allowed = append(allowed, rule.back...)
	}
	return allowed
}

// allowedAt reports whether a transition of the table is allowed at a moment. CHECKED_IN is limited to the day of the
// appointment, because it assigns a queue number of that day; returning to it from IN_SERVICE keeps the number.
// NO_SHOW requires that the slot has started.
func (a *Appointment) allowedAt(to AppointmentStatus, now Moment) bool {
	switch to {
	case CheckedIn:
		return a.Status == InService || a.Date == now.Date
	case NoShow:
		return now.Reached(a.Date, clockOf(a.StartTime))
	default:
		return true
	}
}

// needsReason reports whether a transition needs a reason: cancelling and every step back do.
func needsReason(from, to AppointmentStatus) bool {
	return to == Cancelled || slices.Contains(statusRules[from].back, to)
}

// CheckTransition checks whether a caller may set a status. It returns FORBIDDEN for a step back without
// APPOINTMENT.REVERT_STATUS, VALIDATION_FAILED if a required reason is missing, and INVALID_TRANSITION with the allowed
// statuses for any other transition that is not allowed now.
func (a Appointment) CheckTransition(to AppointmentStatus, reason string, may PermissionSet, now Moment) error {
	rule := statusRules[a.Status]
	if slices.Contains(rule.back, to) && !may[AppointmentRevert] {
		return Reject(Forbidden).With("permission", AppointmentRevert)
	}
	if !may[AppointmentMarkStatus] {
		return Reject(Forbidden).With("permission", AppointmentMarkStatus)
	}
	allowed := a.allowed(may, now)
	if !slices.Contains(allowed, to) {
		th, en := a.notAllowed(to, allowed)
		return Reject(InvalidTransition).With("allowed", allowed).Because(th, en)
	}
	var c Checker
	c.Lines(reason, "reason", needsReason(a.Status, to), 300)
	return c.Err()
}

// notAllowed returns the message of a rejected transition.
func (a Appointment) notAllowed(to AppointmentStatus, allowed []AppointmentStatus) (th, en string) {
	from, inTable := a.Status.Name(), slices.Contains(statusRules[a.Status].next, to)
	switch {
	case to == CheckedIn && inTable:
		return fmt.Sprintf("เปลี่ยนเป็น “มาถึงแล้ว” ได้เฉพาะในวันนัด (%s)", ThaiDate(a.Date)),
			"Checking in is for the day of the appointment (" + a.Date + ")."
	case to == NoShow && inTable:
		return fmt.Sprintf("เปลี่ยนเป็น “ไม่มาตามนัด” ได้เมื่อถึงเวลานัดแล้ว (%s เวลา %s น.)",
				ThaiDate(a.Date), a.StartTime),
			fmt.Sprintf("An appointment is a no-show only once its time has come (%s %s).", a.Date, a.StartTime)
	case a.Status == NoShow:
		return "นัดที่ “ไม่มาตามนัด” เปลี่ยนเป็น “มาถึงแล้ว” ได้เฉพาะในวันนัด " +
				"หากผู้ป่วยจะมาวันอื่น กรุณานัดใหม่โดยเลือกวันหลังวันนัดเดิม",
			"A no-show can be checked in on the day of the appointment. For another day, book again on a later date."
	case len(allowed) == 0:
		return fmt.Sprintf("นัดที่ “%s” เปลี่ยนสถานะต่อไม่ได้", from.TH),
			fmt.Sprintf("%s appointments cannot change.", from.EN)
	}
	names := make([]string, len(allowed))
	for i, s := range allowed {
		names[i] = s.Name().TH
	}
	return fmt.Sprintf("เปลี่ยนจาก “%s” เป็น “%s” ไม่ได้ เปลี่ยนได้เฉพาะ %s",
			from.TH, to.Name().TH, strings.Join(names, ", ")),
		fmt.Sprintf("%s cannot become %s.", from.EN, to.Name().EN)
}

// InitialStatus returns the status of a new booking of the service: PENDING if it requires approval.
func (s Service) InitialStatus() AppointmentStatus {
	if s.RequiresApproval {
		return Pending
	}
	return Booked
}

// StatusAfterMove returns the status of an appointment after a move to a date of a service. In another
// service, and after a no-show, it starts as a new booking there. Within its service an approved appointment
// stays approved, but CONFIRMED becomes BOOKED because the patient confirmed another time. WAITLISTED stays
// as it is. It returns INVALID_TRANSITION if the status does not allow a move, or if a no-show is not moved
// to a later date.
func (a Appointment) StatusAfterMove(s Service, date string) (AppointmentStatus, error) {
	switch {
	case !statusRules[a.Status].moves:
		return "", Reject(InvalidTransition).With("allowed", a.AllowedStatuses).
			Because(fmt.Sprintf("เลื่อนนัดที่ “%s” ไม่ได้ เลื่อนได้เฉพาะนัดที่ผู้ป่วยยังไม่มาถึง", a.Status.Name().TH),
				"Only appointments of patients who have not come yet can be moved.")
	case a.Status == NoShow && date <= a.Date:
		return "", Reject(InvalidTransition).With("allowed", a.AllowedStatuses).
			Because(
				fmt.Sprintf("นัดที่ “ไม่มาตามนัด” นัดใหม่ได้เฉพาะวันหลังวันนัดเดิม (%s) กรุณาเลือกวันอื่น",
					ThaiDate(a.Date)),
				fmt.Sprintf("A no-show can be booked again only after the day of the appointment (%s). "+
					"Choose a later date.", a.Date))
	case a.Status == Waitlisted:
		return Waitlisted, nil
	case a.ServiceID != s.ID || a.Status == NoShow:
		return s.InitialStatus(), nil
	case a.Status == Confirmed:
		return Booked, nil
	default:
		return a.Status, nil
	}
}

// undoPeriod is how long a status change can be undone.
const undoPeriod = 10 * time.Minute

// UndoableUntil reports until when actor may undo the last change of an appointment. ok is false unless that change is
// a status the actor set within undoPeriod, and they may still set statuses.
func UndoableUntil(last HistoryEntry, actor Actor, now time.Time) (until time.Time, ok bool) {
	own := last.ActorID != nil && *last.ActorID == actor.UserID
	until = last.At.Add(undoPeriod)
	return until, last.Action == HistoryStatus && own && actor.Permissions[AppointmentMarkStatus] && now.Before(until)
}
