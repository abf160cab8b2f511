package api

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// AppointmentInput is hospital.AppointmentFields with every field optional.
type AppointmentInput struct {
	ServiceID      int64                    `json:"serviceId,omitempty"`
	Date           string                   `json:"date,omitempty"`
	StartTime      string                   `json:"startTime,omitempty"`
	StaffID        *int64                   `json:"staffId,omitempty" nullable:"true"`
	CustomerID     *int64                   `json:"customerId,omitempty" nullable:"true"`
	Kind           hospital.AppointmentKind `json:"kind,omitempty"`
	Channel        hospital.Channel         `json:"channel,omitempty"`
	Priority       hospital.Priority        `json:"priority,omitempty"`
	Reason         string                   `json:"reason,omitempty"`
	Note           string                   `json:"note,omitempty"`
	OverbookReason string                   `json:"overbookReason,omitempty" doc:"Overbook a full slot for this reason"`
}

// BookingInput is the input of a booking.
type BookingInput struct {
	PatientID    int64  `json:"patientId,omitempty"`
	FollowUpOfID *int64 `json:"followUpOfId,omitempty" nullable:"true"`
	AppointmentInput
	Waitlist bool `json:"waitlist,omitempty" doc:"Join the waiting list if the slot is full"`
}

func (b BookingInput) asked() hospital.NewAppointment {
	n := hospital.NewAppointment{
		PatientID: b.PatientID, FollowUpOfID: b.FollowUpOfID,
		AppointmentFields: hospital.AppointmentFields(b.AppointmentInput), Waitlist: b.Waitlist,
	}
	n.AppointmentFields = n.Clean()
	return n
}

// Validate returns VALIDATION_FAILED with every invalid field.
func (b BookingInput) Validate() error { return b.asked().Validate() }

func (s *Server) createAppointment(ctx context.Context, in *body[BookingInput]) (hospital.Appointment, error) {
	return s.DB.Book(ctx, in.Body.asked())
}

type seriesInput struct {
	BookingInput
	EveryDays  int  `json:"everyDays,omitempty" minimum:"0" maximum:"366"`
	EveryWeeks int  `json:"everyWeeks,omitempty" minimum:"0" maximum:"52"`
	Count      int  `json:"count,omitempty" minimum:"1" maximum:"24"`
	Preview    bool `json:"preview,omitempty" doc:"Preview without booking"`
}

func (in seriesInput) asked() hospital.Series {
	return hospital.Series{
		NewAppointment: in.BookingInput.asked(), EveryDays: in.EveryDays, EveryWeeks: in.EveryWeeks, Count: in.Count,
	}
}

// Validate returns VALIDATION_FAILED with every invalid field.
func (in seriesInput) Validate() error { return in.asked().Validate() }

func (s *Server) createSeries(ctx context.Context, in *body[seriesInput]) (store.SeriesBooked, error) {
	items, skipped, err := s.DB.BookSeries(ctx, in.Body.asked(), in.Body.Preview)
	return store.SeriesBooked{Items: items, Skipped: skipped}, err
}

type appointmentChange struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version" minimum:"0"`
	AppointmentInput
}

func (s *Server) updateAppointment(ctx context.Context,
	in *changeInput[appointmentChange]) (hospital.Appointment, error) {
	return s.DB.UpdateAppointment(ctx, in.Body.ID, in.Body.Version, func(f *hospital.AppointmentFields) error {
		f.OverbookReason = "" // applies to the new seat only
		return overlay(in.RawBody, f)
	})
}

type statusMark struct {
	ID      int64                      `json:"id,omitempty" doc:"One appointment, or several as ids"`
	IDs     []int64                    `json:"ids,omitempty" maxItems:"200"`
	Status  hospital.AppointmentStatus `json:"status"`
	Version int64                      `json:"version,omitempty" minimum:"0" doc:"Expected version; any if absent"`
	Reason  string                     `json:"reason,omitempty"`
}

// Validate requires either one or several appointments.
func (m statusMark) Validate() error {
	var c hospital.Checker
	c.Require((m.ID > 0) != (len(m.IDs) > 0), "id", "ระบุ id หรือ ids อย่างใดอย่างหนึ่ง", "Give id or ids, one of them.")
	c.Require(len(m.IDs) == 0 || m.Version == 0, "version", "ใช้กับนัดเดียวเท่านั้น", "Only with a single appointment.")
	c.Text(m.Reason, "reason", false, 300)
	return c.Err()
}

// markAnswer is the marked appointment, or the result for several.
type markAnswer struct {
	one  *hospital.Appointment
	many *bulkMarked
}

type bulkMarked struct {
	Updated int          `json:"updated"`
	Failed  []failedMark `json:"failed"`
}

type failedMark struct {
	ID      int64         `json:"id"`
	Code    hospital.Code `json:"code"`
	Message string        `json:"message"`
}

// MarshalJSON writes the field that is set.
func (m markAnswer) MarshalJSON() ([]byte, error) {
	if m.many != nil {
		return json.Marshal(m.many)
	}
	return json.Marshal(m.one)
}

// Schema documents both alternatives.
func (markAnswer) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[hospital.Appointment](), true, "Appointment"),
		r.Schema(reflect.TypeFor[bulkMarked](), true, "BulkMarked"),
	}}
}

type markRequest struct {
	Language string `header:"Accept-Language" hidden:"true"`
	body[statusMark]
}

// markStatus changes the status of one appointment, or of several independently: an
// appointment that cannot change does not affect the others. A retry of a bulk request
// that was interrupted resumes where it stopped.
func (s *Server) markStatus(ctx context.Context, in *markRequest) (markAnswer, error) {
	mark := in.Body
	if mark.ID != 0 {
		a, err := s.DB.MarkStatus(ctx, mark.ID, mark.Version, mark.Status, mark.Reason)
		return markAnswer{one: &a}, err
	}
	if err := s.rejectRepeat(ctx); err != nil {
		return markAnswer{}, err
	}
	done := bulkMarked{Failed: []failedMark{}}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(mark.IDs))) {
		step, marked := store.WithStep(ctx, id), false
		_, err := s.DB.MarkStatus(step, id, 0, mark.Status, mark.Reason)
		if err != nil { // an interrupted attempt with the same key may have marked it
			var replayErr error
			if _, marked, replayErr = s.DB.FirstAnswer(step); replayErr != nil {
				return markAnswer{}, replayErr
			}
		}
		var rejected *hospital.Error
		switch {
		case err == nil, marked:
			done.Updated++
		case errors.As(err, &rejected) && rejected.Code != hospital.Unavailable:
			message := rejected.Message
			if len(rejected.Fields) > 0 { // the field error is more specific
				message = rejected.Fields[0].Message
			}
			done.Failed = append(done.Failed, failedMark{id, rejected.Code, message.In(langOf(in.Language))})
		default:
			return markAnswer{}, err
		}
	}
	if done.Updated == 0 { // nothing changed, so a retry may run again
		return markAnswer{many: &done}, nil
	}
	return markAnswer{many: &done}, s.DB.StoreAnswer(ctx, done)
}

type versioned struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version,omitempty" minimum:"0"`
}

func (s *Server) undoStatus(ctx context.Context, in *body[versioned]) (hospital.Appointment, error) {
	return s.DB.UndoStatus(ctx, in.Body.ID, in.Body.Version)
}

func (s *Server) deleteAppointment(ctx context.Context, in *byID) (null, error) {
	return nothing(s.DB.DeleteAppointment(ctx, in.ID))
}

type appointmentDetails struct {
	hospital.Appointment
	History   []hospital.HistoryEntry `json:"history"`
	Results   []hospital.Result       `json:"results" doc:"Empty without RESULT.SHOW"`
	UndoUntil *time.Time              `json:"undoUntil" doc:"Until when the caller may undo; null if not at all"`
}

func (s *Server) appointmentDetails(ctx context.Context, in *body[idBody]) (appointmentDetails, error) {
	a, history, err := s.DB.AppointmentDetails(ctx, in.Body.ID)
	if err != nil {
		return appointmentDetails{}, err
	}
	results, err := s.DB.ResultsOf(ctx, a)
	if err != nil {
		return appointmentDetails{}, err
	}
	d := appointmentDetails{Appointment: a, History: history, Results: results}
	if until, ok := hospital.UndoableUntil(hospital.LastChange(history), hospital.ActorFrom(ctx), s.DB.Now()); ok {
		d.UndoUntil = &until
	}
	return d, nil
}

func (s *Server) listAppointments(ctx context.Context,
	in *body[hospital.AppointmentFilter]) (hospital.Paged[hospital.Appointment], error) {
	return s.DB.ListAppointments(ctx, in.Body)
}

type appointmentQuery struct {
	Q     string `json:"q" maxLength:"100" doc:"Number, HN, name, phone or ID card"`
	Limit int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"50"`
}

func (s *Server) searchAppointments(ctx context.Context, in *body[appointmentQuery]) ([]hospital.Appointment, error) {
	return s.DB.SearchAppointments(ctx, in.Body.Q, in.Body.Limit)
}

type calendarQuery struct {
	hospital.DateRange
	ServiceIDs          []int64                      `json:"serviceIds,omitempty" maxItems:"500"`
	Statuses            []hospital.AppointmentStatus `json:"statuses,omitempty" maxItems:"20"`
	IncludeAppointments bool                         `json:"includeAppointments,omitempty" doc:"Needs APPOINTMENT.SHOW"`
	StaffID             int64                        `json:"staffId,omitempty" doc:"Filters the appointments by staff member; does not affect the counts"`
	IncludeSlots        bool                         `json:"includeSlots,omitempty"`
}

// Validate allows at most two months.
func (q calendarQuery) Validate() error { return q.DateRange.Validate(62) }

type calendar struct {
	Days         []store.DayLoad        `json:"days"`
	Appointments []hospital.Appointment `json:"appointments"`
	Slots        []store.ServiceDay     `json:"slots" doc:"Slots of each service and day, if requested"`
}

// calendarList returns the load of each day and, if requested, of each slot. DASHBOARD.SHOW is
// enough for these counts. The appointments name patients and are omitted without
// APPOINTMENT.SHOW.
func (s *Server) calendarList(ctx context.Context, in *body[calendarQuery]) (calendar, error) {
	q := in.Body
	withNames := q.IncludeAppointments && hospital.ActorFrom(ctx).Permissions[hospital.AppointmentShow]
	c := calendar{Appointments: []hospital.Appointment{}, Slots: []store.ServiceDay{}}
	var err error
	if c.Days, err = s.DB.Calendar(ctx, q.DateFrom, q.DateTo, q.ServiceIDs, q.Statuses); err == nil && withNames {
		c.Appointments, err = s.DB.AppointmentsIn(ctx, hospital.AppointmentFilter{
			DateFrom: q.DateFrom, DateTo: q.DateTo, ServiceIDs: q.ServiceIDs, Statuses: q.Statuses, StaffID: q.StaffID,
		})
	}
	if err == nil && q.IncludeSlots {
		c.Slots, err = s.DB.SlotsIn(ctx, q.DateFrom, q.DateTo, q.ServiceIDs)
	}
	return c, err
}

type slotPlace struct {
	ServiceID int64 `json:"serviceId" minimum:"1"`
	hospital.Time
}

// Validate requires a valid date.
func (p slotPlace) Validate() error { return checkDate(p.Date) }

func (s *Server) waitlist(ctx context.Context, in *body[slotPlace]) ([]hospital.Appointment, error) {
	return s.DB.Waitlist(ctx, in.Body.ServiceID, in.Body.Date, in.Body.StartTime)
}

type roleDay struct {
	Role     string `path:"role" maxLength:"40"`
	DateFrom string `query:"dateFrom" doc:"Today if absent"`
	DateTo   string `query:"dateTo"`
}

type roleAppointments struct {
	Staff        []hospital.StaffRef    `json:"staff"`
	Appointments []hospital.Appointment `json:"appointments"`
}

func (s *Server) appointmentsByRole(ctx context.Context, in *roleDay) (roleAppointments, error) {
	r := hospital.DateRange{DateFrom: in.DateFrom, DateTo: in.DateTo}
	if r == (hospital.DateRange{}) {
		r = hospital.DateRange{DateFrom: s.DB.Today(), DateTo: s.DB.Today()}
	}
	if err := r.Validate(366); err != nil {
		return roleAppointments{}, err
	}
	staff, list, err := s.DB.StaffWithRole(ctx, in.Role, r.DateFrom, r.DateTo)
	return roleAppointments{staff, list}, err
}
