package hospital

import "time"

// Setting is what the hospital decided for the whole product.
type Setting struct {
	Name     string `json:"name"`
	NameEn   string `json:"nameEn"`
	Logo     string `json:"logo" doc:"Address of the logo image; empty for none"`
	Hospcode string `json:"hospcode" doc:"Five digits of the Ministry of Public Health; empty for none"`
	Address  string `json:"address"`
	Phone    string `json:"phone"`
	Timezone string `json:"timezone"`

	BookingWindowDays   int    `json:"bookingWindowDays" doc:"How many days ahead may be booked"`
	LeadMinutes         int    `json:"leadMinutes" doc:"How long before a slot booking ends"`
	CancelCutoffMinutes int    `json:"cancelCutoffMinutes" doc:"How long before a slot customers may still cancel"`
	MaxActivePerPatient int    `json:"maxActivePerPatient" doc:"How many coming appointments one patient may have; 0 for any number"`
	NoShowTime          string `json:"noShowTime" doc:"When those who did not come become no-shows; empty for never"`

	HNFormat                string `json:"hnFormat" doc:"How hospital numbers are made"`
	AppointmentNumberFormat string `json:"appointmentNumberFormat" doc:"How appointment numbers are made"`

	UploadMaxMb  int    `json:"uploadMaxMb"`
	SessionHours int    `json:"sessionHours"`
	SlipFooter   string `json:"slipFooter"`

	Reminders []Reminder `json:"reminders"`
	Banners   []Banner   `json:"banners" doc:"In the order they are shown"`

	Version   int64     `json:"version"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// ReminderChannel is how a patient is reminded.
type ReminderChannel string

// The channels of reminders.
const (
	RemindByEmail ReminderChannel = "EMAIL"
	RemindBySMS   ReminderChannel = "SMS"
	RemindByLine  ReminderChannel = "LINE"
)

// ReminderChannels lists them for documents and checks.
var ReminderChannels = []ReminderChannel{RemindByEmail, RemindBySMS, RemindByLine}

// Reminder is a message before an appointment.
type Reminder struct {
	OffsetHours int             `json:"offsetHours" doc:"How long before the appointment"`
	Channel     ReminderChannel `json:"channel"`
	Template    string          `json:"template"`
}

// Banner is a picture for the waiting room and the app.
type Banner struct {
	ID       string     `json:"id"`
	Image    string     `json:"image" doc:"Address of the picture"`
	Alt      string     `json:"alt"`
	Link     string     `json:"link"`
	StartsAt *time.Time `json:"startsAt"`
	EndsAt   *time.Time `json:"endsAt"`
	Active   bool       `json:"active"`
}

// DefaultSetting is what an empty database starts with.
var DefaultSetting = Setting{
	Name: "นัดหมอ", NameEn: "Nadmor", Timezone: "Asia/Bangkok",
	BookingWindowDays: 180, NoShowTime: "18:00",
	HNFormat: "{SEQ:7}", AppointmentNumberFormat: "A{YY}{MM}-{SEQ:5}",
	UploadMaxMb: 20, SessionHours: 12,
	Reminders: []Reminder{}, Banners: []Banner{},
}

// Zone is the hospital's time zone.
func (s Setting) Zone() *time.Location {
	if s.Timezone != DefaultSetting.Timezone {
		if zone, err := time.LoadLocation(s.Timezone); err == nil {
			return zone
		}
	}
	return Bangkok
}

// Booking is what the hospital allows where a service says nothing else.
func (s Setting) Booking() BookingRules {
	return BookingRules{WindowDays: s.BookingWindowDays, Lead: s.LeadMinutes}
}

// Identity is what anybody may know of the hospital before signing in.
type Identity struct {
	Name   string `json:"name"`
	NameEn string `json:"nameEn"`
	Logo   string `json:"logo"`
}
