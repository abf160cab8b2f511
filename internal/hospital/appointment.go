package hospital

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// AppointmentStatus is how far an appointment has come.
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
	next  []AppointmentStatus // what anybody who may mark can make of it
	back  []AppointmentStatus // what needs APPOINTMENT.REVERT_STATUS and a reason
	moves bool                // can be moved to another time
}

// AppointmentStatuses lists the statuses in the order of a visit.
var AppointmentStatuses = []AppointmentStatus{Waitlisted, Pending, Booked, Confirmed, CheckedIn, InService, Completed, NoShow, Cancelled}

// statusRules is the status table; one function reads it.
var statusRules = map[AppointmentStatus]statusRule{
	Waitlisted: {Text{"รอคิวว่าง", "Waiting list"}, false, []AppointmentStatus{Booked, Cancelled}, nil, true},
	Pending:    {Text{"รออนุมัติ", "Waiting for approval"}, true, []AppointmentStatus{Booked, Cancelled}, nil, true},
	Booked:     {Text{"นัดแล้ว", "Booked"}, true, []AppointmentStatus{Confirmed, CheckedIn, Cancelled, NoShow}, nil, true},
	Confirmed:  {Text{"ผู้ป่วยยืนยันแล้ว", "Confirmed"}, true, []AppointmentStatus{CheckedIn, Cancelled, NoShow}, nil, true},
	CheckedIn:  {Text{"มาถึงแล้ว", "Checked in"}, true, []AppointmentStatus{InService, Completed, Cancelled}, nil, false},
	InService:  {Text{"กำลังตรวจ", "In service"}, true, []AppointmentStatus{Completed, CheckedIn}, nil, false},
	Completed:  {Text{"เสร็จสิ้น", "Completed"}, true, nil, []AppointmentStatus{InService}, false},
	NoShow:     {Text{"ไม่มาตามนัด", "No show"}, true, []AppointmentStatus{CheckedIn}, nil, false},
	Cancelled:  {Text{"ยกเลิก", "Cancelled"}, false, nil, []AppointmentStatus{Booked}, false},
}

// Name is what people call the status.
func (s AppointmentStatus) Name() Text { return statusRules[s].name }

// HoldsSeat tells whether an appointment with the status takes a seat.
func (s AppointmentStatus) HoldsSeat() bool { return statusRules[s].seat }

// Movable tells whether an appointment with the status can be moved.
func (s AppointmentStatus) Movable() bool { return statusRules[s].moves }

// Came are the statuses of those who are there, or were.
var Came = []AppointmentStatus{CheckedIn, InService, Completed}

// Visited tells whether the patient came.
func (s AppointmentStatus) Visited() bool { return slices.Contains(Came, s) }

// Upcoming are the statuses of those who are still to come.
var Upcoming = []AppointmentStatus{Pending, Booked, Confirmed}

// AllowedStatuses are what somebody may make of an appointment today.
func AllowedStatuses(from AppointmentStatus, date, today string, may PermissionSet) []AppointmentStatus {
	allowed := []AppointmentStatus{}
	if !may[AppointmentMarkStatus] {
		return allowed
	}
	rule := statusRules[from]
	for _, to := range rule.next {
		// A queue number is given for the day itself; going back to waiting keeps the one there is.
		if to != CheckedIn || from == InService || date == today {
			allowed = append(allowed, to)
		}
	}
	if may[AppointmentRevert] {
		allowed = append(allowed, rule.back...)
	}
	return allowed
}

// CheckTransition tells whether somebody may make a status of another: a step
// back without APPOINTMENT.REVERT_STATUS is FORBIDDEN, a step that needs a
// reason VALIDATION_FAILED without one, any step that is not in the table
// INVALID_TRANSITION with those that are.
func CheckTransition(from, to AppointmentStatus, date, today, reason string, may PermissionSet) error {
	back := slices.Contains(statusRules[from].back, to)
	if back && !may[AppointmentRevert] {
		return Refuse(Forbidden).With("permission", AppointmentRevert)
	}
	if !may[AppointmentMarkStatus] {
		return Refuse(Forbidden).With("permission", AppointmentMarkStatus)
	}
	allowed := AllowedStatuses(from, date, today, may)
	if !slices.Contains(allowed, to) {
		e := Refuse(InvalidTransition).With("allowed", allowed)
		if to == CheckedIn && slices.Contains(statusRules[from].next, to) {
			return e.Because(fmt.Sprintf("เปลี่ยนเป็น “มาถึงแล้ว” ได้เฉพาะในวันนัด (%s)", ThaiDate(date)), "Checking in is for the day of the appointment ("+date+").")
		}
		names := make([]string, len(allowed))
		for i, s := range allowed {
			names[i] = s.Name().TH
		}
		if len(names) == 0 {
			return e.Because(fmt.Sprintf("นัดที่ “%s” เปลี่ยนสถานะต่อไม่ได้", from.Name().TH), fmt.Sprintf("%s appointments cannot change.", from.Name().EN))
		}
		return e.Because(fmt.Sprintf("เปลี่ยนจาก “%s” เป็น “%s” ไม่ได้ เปลี่ยนได้เฉพาะ %s", from.Name().TH, to.Name().TH, strings.Join(names, ", ")), fmt.Sprintf("%s cannot become %s.", from.Name().EN, to.Name().EN))
	}
	var c Checker
	c.Lines(reason, "reason", back || to == Cancelled, 300)
	return c.Err()
}

// UndoMinutes is how long whoever marked a status may take it back.
const UndoMinutes = 10

// AppointmentKind is what the visit is.
type AppointmentKind string

// The kinds of appointments.
const (
	KindNew      AppointmentKind = "NEW"
	KindFollowUp AppointmentKind = "FOLLOW_UP"
	KindWalkIn   AppointmentKind = "WALK_IN"
	KindTele     AppointmentKind = "TELE"
	KindRefer    AppointmentKind = "REFER"
)

// AppointmentKinds lists them for documents and checks.
var AppointmentKinds = []AppointmentKind{KindNew, KindFollowUp, KindWalkIn, KindTele, KindRefer}

// Channel is how the appointment was made.
type Channel string

// The channels of booking.
const (
	ChannelStaff  Channel = "STAFF"
	ChannelPhone  Channel = "PHONE"
	ChannelLine   Channel = "LINE"
	ChannelApp    Channel = "APP"
	ChannelWalkIn Channel = "WALK_IN"
)

// Channels lists them for documents and checks.
var Channels = []Channel{ChannelStaff, ChannelPhone, ChannelLine, ChannelApp, ChannelWalkIn}

// Priority is how pressing a visit is.
type Priority string

// The priorities.
const (
	Routine Priority = "ROUTINE"
	Urgent  Priority = "URGENT"
)

// Priorities lists them for documents and checks.
var Priorities = []Priority{Routine, Urgent}

// AppointmentFields is what people write about an appointment.
type AppointmentFields struct {
	ServiceID      int64           `json:"serviceId"`
	Date           string          `json:"date"`
	StartTime      string          `json:"startTime"`
	StaffID        *int64          `json:"staffId"`
	CustomerID     *int64          `json:"customerId"`
	Kind           AppointmentKind `json:"kind"`
	Channel        Channel         `json:"channel"`
	Priority       Priority        `json:"priority"`
	Reason         string          `json:"reason"`
	Note           string          `json:"note"`
	OverbookReason string          `json:"overbookReason"`
}

// WalkIn tells whether the patient stands at the desk.
func (f AppointmentFields) WalkIn() bool { return f.Kind == KindWalkIn || f.Channel == ChannelWalkIn }

// Clean writes the fields as they are kept.
func (f AppointmentFields) Clean() AppointmentFields {
	f.Reason, f.Note, f.OverbookReason = strings.TrimSpace(f.Reason), strings.TrimSpace(f.Note), CleanText(f.OverbookReason)
	if f.Kind == "" {
		f.Kind = KindNew
		if f.Channel == ChannelWalkIn {
			f.Kind = KindWalkIn
		}
	}
	if f.Channel == "" {
		f.Channel = ChannelStaff
		if f.Kind == KindWalkIn {
			f.Channel = ChannelWalkIn
		}
	}
	if f.Priority == "" {
		f.Priority = Routine
	}
	return f
}

// Validate tells every field that is wrong; the fields are expected clean.
func (f AppointmentFields) Validate() error {
	var c Checker
	c.appointment(f)
	return c.Err()
}

func (c *Checker) appointment(f AppointmentFields) {
	c.Require(f.ServiceID > 0, "serviceId", "กรุณาเลือกบริการ", "Choose a service.")
	c.Require(isDate(f.Date), "date", dateTH, dateEN)
	start, ok := ParseClock(f.StartTime)
	c.Require(ok && start < endOfDay, "startTime", clockTH, clockEN)
	c.Require(slices.Contains(AppointmentKinds, f.Kind), "kind", "ประเภทนัดไม่ถูกต้อง", "This is not a kind.")
	c.Require(slices.Contains(Channels, f.Channel), "channel", "ช่องทางไม่ถูกต้อง", "This is not a channel.")
	c.Require(slices.Contains(Priorities, f.Priority), "priority", "ความเร่งด่วนไม่ถูกต้อง", "This is not a priority.")
	c.Lines(f.Reason, "reason", false, 500)
	c.Lines(f.Note, "note", false, 2000)
	c.Lines(f.OverbookReason, "overbookReason", false, 300)
}

// NewAppointment is a booking as it is asked for.
type NewAppointment struct {
	PatientID    int64
	FollowUpOfID *int64
	AppointmentFields
	Waitlist       bool   // wait for a seat when there is none
	IdempotencyKey string // a repeat with the same key books nothing
}

// Validate tells every field that is wrong; the fields are expected clean.
func (n NewAppointment) Validate() error {
	var c Checker
	c.Require(n.PatientID > 0, "patientId", "กรุณาเลือกผู้ป่วย", "Choose a patient.")
	c.appointment(n.AppointmentFields)
	return c.Err()
}

// PatientRef is what an appointment shows of its patient.
type PatientRef struct {
	ID             int64          `json:"id"`
	HN             string         `json:"hn"`
	Prename        string         `json:"prename"`
	FirstName      string         `json:"firstName"`
	LastName       string         `json:"lastName"`
	BirthDate      string         `json:"birthDate"`
	BirthPrecision BirthPrecision `json:"birthPrecision"`
	Sex            Sex            `json:"sex"`
	Phone          string         `json:"phone"`
	RightCode      string         `json:"rightCode"`
}

// FullName is the name as it is called out.
func (p PatientRef) FullName() string {
	return PatientFields{Prename: p.Prename, FirstName: p.FirstName, LastName: p.LastName}.FullName()
}

// StaffRef is what an appointment shows of who sees the patient.
type StaffRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Appointment is one patient's seat in one slot.
type Appointment struct {
	ID        int64  `json:"id"`
	Number    string `json:"number"`
	PatientID int64  `json:"patientId"`
	AppointmentFields
	EndTime      string            `json:"endTime"`
	Status       AppointmentStatus `json:"status"`
	Overbooked   bool              `json:"overbooked"`
	SeriesID     *int64            `json:"seriesId" doc:"The first appointment of the series"`
	FollowUpOfID *int64            `json:"followUpOfId"`
	CancelReason string            `json:"cancelReason"`
	QueueNo      *int              `json:"queueNo"`
	CheckedInAt  *time.Time        `json:"checkedInAt"`
	StartedAt    *time.Time        `json:"startedAt"`
	CompletedAt  *time.Time        `json:"completedAt"`
	Version      int64             `json:"version"`
	CreatedBy    *int64            `json:"createdBy"`
	CreatedAt    time.Time         `json:"createdAt"`
	UpdatedAt    time.Time         `json:"updatedAt"`
	Patient      PatientRef        `json:"patient"`
	Service      ServiceRef        `json:"service"`
	Staff        *StaffRef         `json:"staff"`
	ResultCount  int               `json:"resultCount"`
}

// HistoryAction is what happened to an appointment.
type HistoryAction string

// The actions of the history.
const (
	HistoryCreate     HistoryAction = "CREATE"
	HistoryUpdate     HistoryAction = "UPDATE"
	HistoryReschedule HistoryAction = "RESCHEDULE"
	HistoryStatus     HistoryAction = "STATUS"
	HistoryUndo       HistoryAction = "UNDO"
	HistoryDelete     HistoryAction = "DELETE"
	// A result was recorded or deleted; only those who may see results are told.
	HistoryResult       HistoryAction = "RESULT"
	HistoryResultDelete HistoryAction = "RESULT_DELETE"
)

// HistoryActions lists them for documents.
var HistoryActions = []HistoryAction{HistoryCreate, HistoryUpdate, HistoryReschedule, HistoryStatus, HistoryUndo, HistoryDelete, HistoryResult, HistoryResultDelete}

// AboutResult tells whether it happened to a result, not to the appointment.
func (h HistoryAction) AboutResult() bool { return h == HistoryResult || h == HistoryResultDelete }

// HistoryEntry is one change of an appointment: the fields before and after it.
type HistoryEntry struct {
	ID      int64          `json:"id"`
	Action  HistoryAction  `json:"action"`
	From    map[string]any `json:"from"`
	To      map[string]any `json:"to"`
	Reason  string         `json:"reason"`
	ActorID *int64         `json:"actorId"`
	Actor   string         `json:"actor"`
	At      time.Time      `json:"at"`
}

// LastChange is what happened to the appointment itself last: a result that was
// recorded since changes nothing about it.
func LastChange(history []HistoryEntry) (last HistoryEntry) {
	for _, h := range history {
		if !h.Action.AboutResult() {
			last = h
		}
	}
	return last
}

// AppointmentFilter narrows the list of appointments.
type AppointmentFilter struct {
	Page
	DateFrom   string              `json:"dateFrom,omitempty"`
	DateTo     string              `json:"dateTo,omitempty"`
	ServiceIDs []int64             `json:"serviceIds,omitempty" maxItems:"500"`
	Statuses   []AppointmentStatus `json:"statuses,omitempty" maxItems:"20"`
	StaffID    int64               `json:"staffId,omitempty"`
	PatientID  int64               `json:"patientId,omitempty"`
	Channel    Channel             `json:"channel,omitempty"`
	Kind       AppointmentKind     `json:"kind,omitempty"`
	Q          string              `json:"q,omitempty" maxLength:"100" doc:"Number, HN, name, phone or ID card"`
}

// Validate wants real days in order.
func (f AppointmentFilter) Validate() error {
	var c Checker
	c.Require(f.DateFrom == "" || isDate(f.DateFrom), "dateFrom", dateTH, dateEN)
	c.Require(f.DateTo == "" || isDate(f.DateTo), "dateTo", dateTH, dateEN)
	c.Require(f.DateFrom == "" || f.DateTo == "" || f.DateFrom <= f.DateTo, "dateTo", "ต้องไม่ก่อนวันเริ่มต้น", "Must not be before the first day.")
	return c.Err()
}
