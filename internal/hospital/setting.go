package hospital

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// SettingFields holds the editable settings of the hospital.
type SettingFields struct {
	Name     string `json:"name"`
	NameEn   string `json:"nameEn"`
	Logo     string `json:"logo" doc:"URL of the logo as returned by the upload; empty for none"`
	Hospcode string `json:"hospcode" doc:"Ministry of Public Health code, five or nine characters; empty for none"`
	Address  string `json:"address"`
	Phone    string `json:"phone"`
	Timezone string `json:"timezone" doc:"Always Asia/Bangkok"`

	BookingWindowDays   int    `json:"bookingWindowDays" doc:"How many days ahead can be booked"`
	LeadMinutes         int    `json:"leadMinutes" doc:"How long before a slot bookings are accepted"`
	CancelCutoffMinutes int    `json:"cancelCutoffMinutes" doc:"How long before a slot customers may cancel; for the customers' app, staff may cancel at any time"`
	MaxActivePerPatient int    `json:"maxActivePerPatient" doc:"Maximum number of upcoming appointments per patient; 0 for no limit"`
	NoShowTime          string `json:"noShowTime" doc:"When no-shows in ended slots are set (HH:MM); empty for never"`

	HNFormat                string `json:"hnFormat" doc:"Format of hospital numbers: {YYYY} {YY} (Buddhist year) {MM} {DD} {SEQ:n}"`
	AppointmentNumberFormat string `json:"appointmentNumberFormat" doc:"Format of appointment numbers; {SEQ:n} restarts when the rest changes"`

	UploadMaxMb  int    `json:"uploadMaxMb" doc:"Maximum size of an uploaded file"`
	SessionHours int    `json:"sessionHours" doc:"Duration of a session"`
	SlipFooter   string `json:"slipFooter"`

	Reminders []Reminder `json:"reminders"`
	Banners   []Banner   `json:"banners" doc:"In display order"`
}

// Setting is the single, versioned settings record.
type Setting struct {
	SettingFields
	Version   int64     `json:"version"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Copy returns a deep copy.
func (s Setting) Copy() Setting {
	s.Reminders, s.Banners = slices.Clone(s.Reminders), slices.Clone(s.Banners)
	for i := range s.Banners {
		b := &s.Banners[i]
		b.StartsAt, b.EndsAt = copied(b.StartsAt), copied(b.EndsAt)
	}
	return s
}

// ReminderChannel is the channel of a reminder.
type ReminderChannel string

// The reminder channels.
const (
	RemindByEmail ReminderChannel = "EMAIL"
	RemindBySMS   ReminderChannel = "SMS"
	RemindByLine  ReminderChannel = "LINE"
)

// ReminderChannels lists the valid values.
var ReminderChannels = []ReminderChannel{RemindByEmail, RemindBySMS, RemindByLine}

// Reminder is the configuration of a message before an appointment. Nadmor does not send reminders itself; an
// external system reads them.
type Reminder struct {
	OffsetHours int             `json:"offsetHours" doc:"How long before the appointment"`
	Channel     ReminderChannel `json:"channel"`
	Template    string          `json:"template" doc:"Placeholders: {patient} {date} {time} {service} {place} {hospital} {number} {phone}"`
}

// Banner is an image for the waiting room and the app.
type Banner struct {
	ID       string     `json:"id"`
	Image    string     `json:"image" doc:"URL of the image as returned by the upload"`
	Alt      string     `json:"alt" doc:"Alternative text of the image"`
	Link     string     `json:"link" doc:"Link target (https://…); empty for none"`
	StartsAt *time.Time `json:"startsAt" nullable:"true" doc:"Start of display; null for immediately"`
	EndsAt   *time.Time `json:"endsAt" nullable:"true" doc:"End of display; null for never"`
	Active   bool       `json:"active"`
}

// ShownAt reports whether the banner is shown at an instant.
func (b Banner) ShownAt(t time.Time) bool {
	return b.Active && (b.StartsAt == nil || !t.Before(*b.StartsAt)) && (b.EndsAt == nil || t.Before(*b.EndsAt))
}

// DefaultSetting holds the settings of a new database. It has no reminders.
var DefaultSetting = Setting{SettingFields: SettingFields{
	Name: "นัดหมอ", NameEn: "Nadmor", Timezone: Bangkok.String(),
	BookingWindowDays: 180, NoShowTime: "18:00",
	HNFormat: "{SEQ:7}", AppointmentNumberFormat: "A{YY}{MM}-{SEQ:5}",
	UploadMaxMb: 20, SessionHours: 12,
	Reminders: []Reminder{}, Banners: []Banner{},
}}

// Images returns the URLs of all images in the settings.
func (f SettingFields) Images() []string {
	var list []string
	if f.Logo != "" {
		list = append(list, f.Logo)
	}
	for _, b := range f.Banners {
		list = append(list, b.Image)
	}
	return list
}

// Needs returns the permissions required to change before to f. Banners have their own.
func (f SettingFields) Needs(before SettingFields) []Permission {
	var list []Permission
	rest, restBefore := f, before
	rest.Banners, restBefore.Banners = nil, nil
	if !reflect.DeepEqual(rest, restBefore) {
		list = append(list, GlobalSettingUpdate)
	}
	if !slices.EqualFunc(f.Banners, before.Banners, Banner.equal) {
		list = append(list, BannerUpdate)
	}
	return list
}

func (b Banner) equal(o Banner) bool {
	same := func(a, b *time.Time) bool { return a == nil && b == nil || a != nil && b != nil && a.Equal(*b) }
	ends := same(b.StartsAt, o.StartsAt) && same(b.EndsAt, o.EndsAt)
	b.StartsAt, b.EndsAt, o.StartsAt, o.EndsAt = nil, nil, nil, nil
	return ends && b == o
}

// Clean returns the fields normalized for storage. A banner without an id gets one.
func (f SettingFields) Clean() SettingFields {
	for _, s := range []*string{&f.Name, &f.NameEn, &f.Phone, &f.Timezone} {
		*s = CleanText(*s)
	}
	for _, s := range []*string{
		&f.Logo, &f.Address, &f.NoShowTime, &f.HNFormat, &f.AppointmentNumberFormat, &f.SlipFooter,
	} {
		*s = strings.TrimSpace(*s)
	}
	f.Hospcode = strings.ToUpper(strings.TrimSpace(ArabicDigits(f.Hospcode)))
	f.Reminders = append([]Reminder{}, f.Reminders...)
	for i := range f.Reminders {
		f.Reminders[i].Template = strings.TrimSpace(f.Reminders[i].Template)
	}
	f.Banners = append([]Banner{}, f.Banners...)
	for i := range f.Banners {
		b := &f.Banners[i]
		b.Alt, b.Link, b.Image = CleanText(b.Alt), strings.TrimSpace(b.Link), strings.TrimSpace(b.Image)
		if b.ID == "" {
			b.ID = NewBannerID()
		}
	}
	return f
}

// NewBannerID returns a random banner id.
func NewBannerID() string { return strings.ToLower(rand.Text()[:12]) }

var (
	hospcode = regexp.MustCompile(`^([0-9A-Z]{5}|[0-9A-Z]{9})?$`)
	bannerID = regexp.MustCompile(`^[a-z0-9]{1,40}$`)
)

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (f SettingFields) Validate() error {
	var c Checker
	c.Text(f.Name, "name", true, 120)
	c.Text(f.NameEn, "nameEn", false, 120)
	c.Require(hospcode.MatchString(f.Hospcode), "hospcode", "รหัสสถานพยาบาลมี 5 หรือ 9 หลัก",
		"A hospital code has five or nine characters.")
	c.Lines(f.Address, "address", false, 300)
	c.Text(f.Phone, "phone", false, 60)
	c.Require(f.Timezone == Bangkok.String(), "timezone",
		"ระบบใช้เวลาประเทศไทยเท่านั้น (Asia/Bangkok)", "The hospital's time is Thailand's: Asia/Bangkok.")
	c.between(f.BookingWindowDays, "bookingWindowDays", 1, 730)
	c.between(f.LeadMinutes, "leadMinutes", 0, 30*24*60)
	c.between(f.CancelCutoffMinutes, "cancelCutoffMinutes", 0, 30*24*60)
	c.between(f.MaxActivePerPatient, "maxActivePerPatient", 0, 100)
	clock, isClock := ParseClock(f.NoShowTime)
	c.Require(f.NoShowTime == "" || isClock && clock < endOfDay, "noShowTime", clockTH, clockEN)
	c.numberFormat(f.HNFormat, "hnFormat")
	c.numberFormat(f.AppointmentNumberFormat, "appointmentNumberFormat")
	c.between(f.UploadMaxMb, "uploadMaxMb", 1, 200)
	c.between(f.SessionHours, "sessionHours", 1, 168)
	c.Lines(f.SlipFooter, "slipFooter", false, 1000)
	c.reminders(f.Reminders)
	c.banners(f.Banners)
	return c.Err()
}

func (c *Checker) numberFormat(format, field string) {
	wrong, ok := NumberFormat(format).Check()
	c.Require(ok, field, wrong.TH, wrong.EN)
}

func (c *Checker) reminders(list []Reminder) {
	c.Require(len(list) <= 10, "reminders", "มีได้ไม่เกิน 10 รายการ", "At most 10 items.")
	type moment struct {
		hours   int
		channel ReminderChannel
	}
	seen := map[moment]bool{}
	for i, r := range list {
		field := fmt.Sprintf("reminders[%d]", i)
		c.between(r.OffsetHours, field+".offsetHours", 1, 30*24)
		c.Require(slices.Contains(ReminderChannels, r.Channel), field+".channel", "กรุณาเลือกช่องทาง", "Choose the channel.")
		c.Require(!seen[moment{r.OffsetHours, r.Channel}], field+".offsetHours", "มีการแจ้งเตือนช่องทางนี้ในเวลาเดียวกันแล้ว",
			"There is one by this channel at the same time.")
		seen[moment{r.OffsetHours, r.Channel}] = true
		c.Lines(r.Template, field+".template", true, 1000)
		if unknown := unknownPlaceholder(r.Template); unknown != "" {
			c.Require(false, field+".template", "ไม่รู้จัก "+unknown+" ใช้ได้เฉพาะ "+strings.Join(Placeholders, " "),
				unknown+" is not known. There are "+strings.Join(Placeholders, " ")+".")
		}
	}
}

// Placeholders are the placeholders of a reminder template.
var Placeholders = []string{
	"{patient}", "{date}", "{time}", "{service}", "{place}", "{hospital}", "{phone}", "{number}",
}

// unknownPlaceholder returns the first unknown placeholder or unbalanced brace of a template, or an empty
// string.
func unknownPlaceholder(template string) string {
	for _, token := range numberToken.FindAllString(template, -1) {
		if !slices.Contains(Placeholders, token) {
			return token
		}
	}
	if i := strings.IndexAny(numberToken.ReplaceAllString(template, ""), "{}"); i >= 0 {
		return numberToken.ReplaceAllString(template, "")[i : i+1]
	}
	return ""
}

func (c *Checker) banners(list []Banner) {
	c.Require(len(list) <= 30, "banners", "มีได้ไม่เกิน 30 รายการ", "At most 30 items.")
	seen := map[string]bool{}
	for i, b := range list {
		field := fmt.Sprintf("banners[%d]", i)
		c.Require(bannerID.MatchString(b.ID) && !seen[b.ID], field+".id", "รหัสแบนเนอร์ไม่ถูกต้องหรือซ้ำกัน",
			"The id is not one, or is there twice.")
		seen[b.ID] = true
		c.Require(b.Image != "", field+".image", "กรุณาเลือกรูปภาพ", "Choose a picture.")
		c.bannerTexts(b, field+".")
		c.instant(b.StartsAt, field+".startsAt")
		c.instant(b.EndsAt, field+".endsAt")
		c.Require(b.StartsAt == nil || b.EndsAt == nil || b.StartsAt.Before(*b.EndsAt), field+".endsAt",
			"ต้องอยู่หลังเวลาเริ่มแสดง", "Must be after the beginning.")
	}
}

// ValidateTexts returns VALIDATION_FAILED if the banner's texts are invalid.
func (b Banner) ValidateTexts() error {
	var c Checker
	c.bannerTexts(b, "")
	return c.Err()
}

func (c *Checker) bannerTexts(b Banner, prefix string) {
	c.Text(b.Alt, prefix+"alt", false, 200)
	c.Require(b.Link == "" || isLink(b.Link), prefix+"link", linkTH, linkEN)
}

const (
	linkTH = "ลิงก์ต้องขึ้นต้นด้วย https:// หรือ http:// และยาวไม่เกิน 500 ตัวอักษร"
	linkEN = "A link begins with https:// or http:// and has at most 500 characters."
)

// isLink reports whether s is an absolute http or https URL without credentials.
func isLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		len(s) <= 500 && !hasControl(s)
}

// Booking returns the default booking terms for a caller now. A service may override them.
func (s Setting) Booking(now Moment, walkIn bool) BookingTerms {
	return BookingTerms{Now: now, WindowDays: s.BookingWindowDays, LeadMinutes: s.LeadMinutes, WalkIn: walkIn}
}

// Identity is the public part of the settings, readable without a session.
type Identity struct {
	Name    string         `json:"name"`
	NameEn  string         `json:"nameEn"`
	Logo    string         `json:"logo"`
	Banners []PublicBanner `json:"banners" doc:"Banners to show now, in order"`
	// Lets the client reject a large file before it is sent.
	UploadMaxMb int `json:"uploadMaxMb" doc:"Maximum size of an uploaded file"`
}

// PublicBanner is the public part of a banner.
type PublicBanner struct {
	ID    string `json:"id"`
	Image string `json:"image"`
	Alt   string `json:"alt"`
	Link  string `json:"link"`
}

// IdentityAt returns the public part of the settings at an instant.
func (s Setting) IdentityAt(t time.Time) Identity {
	id := Identity{Name: s.Name, NameEn: s.NameEn, Logo: s.Logo, Banners: []PublicBanner{}, UploadMaxMb: s.UploadMaxMb}
	for _, b := range s.Banners {
		if b.ShownAt(t) {
			id.Banners = append(id.Banners, PublicBanner{b.ID, b.Image, b.Alt, b.Link})
		}
	}
	return id
}
