package hospital

import (
	"slices"
	"strings"
	"time"
)

// AppointmentKind is the kind of a visit.
type AppointmentKind string

// The kinds of appointments.
const (
	KindNew      AppointmentKind = "NEW"
	KindFollowUp AppointmentKind = "FOLLOW_UP"
	KindWalkIn   AppointmentKind = "WALK_IN"
	KindTele     AppointmentKind = "TELE"
	KindRefer    AppointmentKind = "REFER"
)

// AppointmentKinds lists the valid values.
var AppointmentKinds = []AppointmentKind{KindNew, KindFollowUp, KindWalkIn, KindTele, KindRefer}

// Channel is the channel through which an appointment was booked.
type Channel string

// The channels of booking.
const (
	ChannelStaff  Channel = "STAFF"
	ChannelPhone  Channel = "PHONE"
	ChannelLine   Channel = "LINE"
	ChannelApp    Channel = "APP"
	ChannelWalkIn Channel = "WALK_IN"
)

// Channels lists the valid values.
var Channels = []Channel{ChannelStaff, ChannelPhone, ChannelLine, ChannelApp, ChannelWalkIn}

// Priority is the priority of a visit.
type Priority string

// The priorities.
const (
	Routine Priority = "ROUTINE"
	Urgent  Priority = "URGENT"
)

// Priorities lists the valid values.
var Priorities = []Priority{Routine, Urgent}

// AppointmentFields holds the editable fields of an appointment.
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

// WalkIn reports whether the patient came without an appointment.
func (f AppointmentFields) WalkIn() bool { return f.Kind == KindWalkIn || f.Channel == ChannelWalkIn }

// Clean returns the fields normalized for storage.
func (f AppointmentFields) Clean() AppointmentFields {
	f.Reason, f.Note, f.OverbookReason = strings.TrimSpace(f.Reason), strings.TrimSpace(f.Note),
		CleanText(f.OverbookReason)
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

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (f AppointmentFields) Validate() error {
	var c Checker
	c.appointment(f)
	return c.Err()
}

func (c *Checker) appointment(f AppointmentFields) {
	c.Require(f.ServiceID > 0, "serviceId", "กรุณาเลือกบริการ", "Choose a service.")
	c.Date(f.Date, "date")
	start, ok := ParseClock(f.StartTime)
	c.Require(ok && start < endOfDay, "startTime", clockTH, clockEN)
	c.Require(slices.Contains(AppointmentKinds, f.Kind), "kind", "ประเภทนัดไม่ถูกต้อง", "This is not a kind.")
	c.Require(slices.Contains(Channels, f.Channel), "channel", "ช่องทางไม่ถูกต้อง", "This is not a channel.")
	c.Require(slices.Contains(Priorities, f.Priority), "priority", "ความเร่งด่วนไม่ถูกต้อง", "This is not a priority.")
	c.Lines(f.Reason, "reason", false, 500)
	c.Lines(f.Note, "note", false, 2000)
	c.Lines(f.OverbookReason, "overbookReason", false, 300)
}

// NewAppointment is a booking request.
type NewAppointment struct {
	PatientID    int64
	FollowUpOfID *int64
	AppointmentFields
	Waitlist bool // join the waiting list if the slot is full
}

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (n NewAppointment) Validate() error {
	var c Checker
	c.Require(n.PatientID > 0, "patientId", "กรุณาเลือกผู้ป่วย", "Choose a patient.")
	c.appointment(n.AppointmentFields)
	return c.Err()
}

// PatientRef is the patient as embedded in an appointment.
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

// FullName returns prename, first and last name.
func (p PatientRef) FullName() string {
	return PatientFields{Prename: p.Prename, FirstName: p.FirstName, LastName: p.LastName}.FullName()
}

// StaffRef is the staff member as embedded in an appointment.
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
	AppointmentActions
}

// WithoutPatient returns the appointment for a caller without APPOINTMENT.SHOW: without the
// data that identifies the patient and the texts about the visit.
func (a Appointment) WithoutPatient() Appointment {
	a.Patient = PatientRef{ID: a.PatientID}
	a.CustomerID, a.Reason, a.Note, a.OverbookReason, a.CancelReason = nil, "", "", "", ""
	return a
}

// HistoryAction is the kind of a change of an appointment.
type HistoryAction string

// The history actions.
const (
	HistoryCreate     HistoryAction = "CREATE"
	HistoryUpdate     HistoryAction = "UPDATE"
	HistoryReschedule HistoryAction = "RESCHEDULE"
	HistoryStatus     HistoryAction = "STATUS"
	HistoryUndo       HistoryAction = "UNDO"
	HistoryDelete     HistoryAction = "DELETE"
	// A result was recorded or deleted. Shown only to callers with RESULT.SHOW.
	HistoryResult       HistoryAction = "RESULT"
	HistoryResultDelete HistoryAction = "RESULT_DELETE"
)

// HistoryActions lists all values for the OpenAPI document.
var HistoryActions = []HistoryAction{
	HistoryCreate, HistoryUpdate, HistoryReschedule, HistoryStatus, HistoryUndo, HistoryDelete, HistoryResult,
	HistoryResultDelete,
}

// AboutResult reports whether the action concerns a result and not the appointment itself.
func (h HistoryAction) AboutResult() bool { return h == HistoryResult || h == HistoryResultDelete }

// HistoryEntry is one change of an appointment with the changed fields.
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

// LastChange returns the last change of the appointment itself, ignoring those of its results.
func LastChange(history []HistoryEntry) (last HistoryEntry) {
	for _, h := range history {
		if !h.Action.AboutResult() {
			last = h
		}
	}
	return last
}

// AppointmentFilter selects appointments of a list.
type AppointmentFilter struct {
	Page
	DateFrom    string              `json:"dateFrom,omitempty"`
	DateTo      string              `json:"dateTo,omitempty"`
	ServiceIDs  []int64             `json:"serviceIds,omitempty" maxItems:"500"`
	Statuses    []AppointmentStatus `json:"statuses,omitempty" maxItems:"20"`
	StatusGroup StatusGroup         `json:"statusGroup,omitempty" doc:"Named set of statuses, instead of statuses"`
	StaffID     int64               `json:"staffId,omitempty"`
	PatientID   int64               `json:"patientId,omitempty"`
	Channel     Channel             `json:"channel,omitempty"`
	Kind        AppointmentKind     `json:"kind,omitempty"`
	Q           string              `json:"q,omitempty" maxLength:"100" doc:"Number, HN, name, phone or ID card"`
}

// ExpandGroup returns the filter with its status group replaced by the statuses of the group.
func (f AppointmentFilter) ExpandGroup() AppointmentFilter {
	if f.StatusGroup != "" {
		f.Statuses, f.StatusGroup = statusesOf[f.StatusGroup], ""
	}
	return f
}

// Validate requires valid dates in order, and not both statuses and a status group.
func (f AppointmentFilter) Validate() error {
	var c Checker
	c.Require(f.StatusGroup == "" || len(f.Statuses) == 0, "statusGroup",
		"กรุณาระบุสถานะหรือกลุ่มสถานะอย่างใดอย่างหนึ่ง", "Give statuses or a group of them, not both.")
	if f.DateFrom != "" {
		c.Date(f.DateFrom, "dateFrom")
	}
	if f.DateTo != "" {
		c.Date(f.DateTo, "dateTo")
	}
	c.Require(f.DateFrom == "" || f.DateTo == "" || f.DateFrom <= f.DateTo, "dateTo", "ต้องไม่ก่อนวันเริ่มต้น",
		"Must not be before the first day.")
	return c.Err()
}
