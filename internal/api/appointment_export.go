package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// appointmentExport is the filter of the list with a file format. All pages are exported.
type appointmentExport struct {
	hospital.AppointmentFilter
	Format report.Format `json:"format,omitempty" enum:"xlsx,csv" default:"xlsx"`
}

// exportAppointments exports the filtered list. It returns VALIDATION_FAILED for an unknown sort key.
func (s *Server) exportAppointments(ctx context.Context, in *exportInput[appointmentExport]) (attachment, error) {
	return s.appointmentFile(ctx, in.Body.AppointmentFilter, in.Body.Format, langOf(in.Language)), nil
}

func (s *Server) appointmentFile(ctx context.Context, filter hospital.AppointmentFilter, format report.Format,
	lang hospital.Lang) attachment {
	return s.exportFile(appointmentSheet, format, lang, func(add report.Add) error {
		return s.DB.EachAppointment(ctx, filter, string(format), func(a hospital.Appointment) error {
			return add(appointmentCells(a, lang)...)
		})
	})
}

type wholePeriod struct {
	Language string `header:"Accept-Language" hidden:"true"`
	DateFrom string `query:"dateFrom" doc:"First day of the current month if both are absent"`
	DateTo   string `query:"dateTo" doc:"Last day of the current month if both are absent"`
	Format   string `query:"format" enum:"json,csv,xlsx" default:"json" doc:"csv and xlsx also need APPOINTMENT.EXPORT"`
}

// allAppointments streams all appointments of a period, so memory use does not depend on their number. It
// returns VALIDATION_FAILED for an invalid period, and FORBIDDEN for a file without APPOINTMENT.EXPORT.
func (s *Server) allAppointments(ctx context.Context, in *wholePeriod) (attachment, error) {
	filter := hospital.AppointmentFilter{DateFrom: in.DateFrom, DateTo: in.DateTo}
	if in.DateFrom == "" && in.DateTo == "" {
		filter.DateFrom, filter.DateTo = hospital.MonthOf(s.DB.Today())
	}
	if err := filter.Validate(); err != nil {
		return attachment{}, err
	}
	if in.Format != "json" {
		if err := s.requirePermission(ctx, hospital.AppointmentExport, "get-appointment-list-all"); err != nil {
			return attachment{}, err
		}
		return s.appointmentFile(ctx, filter, report.Format(in.Format), langOf(in.Language)), nil
	}
	return attachment{ContentType: "application/json", Export: true, Write: func(w io.Writer) error {
		return writeEnvelope(w, func(add func(hospital.Appointment) error) error {
			return s.DB.EachAppointment(ctx, filter, in.Format, add)
		})
	}}, nil
}

// requirePermission checks a permission that only a part of an operation needs. It returns FORBIDDEN and records it
// in the audit log, as admit does.
func (s *Server) requirePermission(ctx context.Context, p hospital.Permission, operation string) error {
	if hospital.ActorFrom(ctx).Permissions[p] {
		return nil
	}
	return s.noteForbidden(ctx, hospital.Reject(hospital.Forbidden).With("permission", p), operation)
}

// noteForbidden returns err after recording it in the audit log if it is FORBIDDEN, as
// admit does for its own.
func (s *Server) noteForbidden(ctx context.Context, err error, operation string) error {
	var e *hospital.Error
	if !errors.As(err, &e) || e.Code != hospital.Forbidden {
		return err
	}
	return errors.Join(err, s.DB.Note(ctx, hospital.AuditEntry{
		Action: "access.refused", Entity: "operation", EntityID: operation, Outcome: hospital.OutcomeRefused,
		Reason: fmt.Sprint(e.Details["permission"]),
	}))
}

// writeEnvelope writes the envelope of a list item by item. If it fails midway, the connection is closed, and
// the client has received invalid JSON.
func writeEnvelope[T any](w io.Writer, each func(add func(T) error) error) error {
	out := bufio.NewWriterSize(w, 64<<10)
	items, before := json.NewEncoder(out), `{"success":true,"data":[`
	err := each(func(item T) error {
		_, _ = out.WriteString(before) // bufio returns the error with the next write
		before = ","
		return items.Encode(item)
	})
	if err != nil {
		return err
	}
	if before != "," {
		_, _ = out.WriteString(before)
	}
	_, _ = out.WriteString("]}\n")
	return out.Flush()
}

// inEnvelope documents that an operation can also return data in the envelope.
func inEnvelope[T any](s *Server) option {
	return func(op *huma.Operation) {
		schema := s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope[T]](), true, op.OperationID+"-response")
		op.Responses["200"].Content["application/json"] = &huma.MediaType{Schema: schema}
	}
}

// appointmentSheet defines the columns of the export.
var appointmentSheet = sheet{hospital.Text{TH: "นัดหมาย", EN: "Appointments"}, []sheetColumn{
	{hospital.Text{TH: "เลขที่นัด", EN: "Number"}, 14},
	{hospital.Text{TH: "วันที่นัด (พ.ศ.)", EN: "Date (B.E.)"}, 15},
	{hospital.Text{TH: "เวลา", EN: "Time"}, 8},
	{hospital.Text{TH: "ถึง", EN: "Until"}, 8},
	{hospital.Text{TH: "รหัสบริการ", EN: "Service code"}, 12},
	{hospital.Text{TH: "บริการ", EN: "Service"}, 24},
	{hospital.Text{TH: "HN", EN: "HN"}, 12},
	{hospital.Text{TH: "คำนำหน้า", EN: "Title"}, 10},
	{hospital.Text{TH: "ชื่อ", EN: "First name"}, 18},
	{hospital.Text{TH: "นามสกุล", EN: "Last name"}, 20},
	{hospital.Text{TH: "เพศ", EN: "Sex"}, 8},
	{hospital.Text{TH: "อายุ ณ วันนัด (ปี)", EN: "Age on the day (years)"}, 12},
	{hospital.Text{TH: "โทรศัพท์", EN: "Phone"}, 13},
	{hospital.Text{TH: "สิทธิการรักษา", EN: "Coverage"}, 12},
	{hospital.Text{TH: "ผู้ให้บริการ", EN: "Staff"}, 22},
	{hospital.Text{TH: "ประเภทนัด", EN: "Kind"}, 12},
	{hospital.Text{TH: "ช่องทาง", EN: "Channel"}, 12},
	{hospital.Text{TH: "ความเร่งด่วน", EN: "Priority"}, 12},
	{hospital.Text{TH: "สถานะ", EN: "Status"}, 16},
	{hospital.Text{TH: "คิว", EN: "Queue"}, 7},
	{hospital.Text{TH: "อาการหรือเหตุผลที่นัด", EN: "Complaint or reason"}, 28},
	{hospital.Text{TH: "หมายเหตุ", EN: "Note"}, 28},
	{hospital.Text{TH: "เหตุผลที่ยกเลิก", EN: "Reason for cancelling"}, 24},
	{hospital.Text{TH: "มาถึงเมื่อ", EN: "Checked in"}, 20},
	{hospital.Text{TH: "เสร็จสิ้นเมื่อ", EN: "Completed"}, 20},
	{hospital.Text{TH: "จองเมื่อ", EN: "Booked at"}, 20},
}}

// appointmentCells returns the cells of a row in the order of appointmentSheet.
func appointmentCells(a hospital.Appointment, lang hospital.Lang) []any {
	var age, queue, checkedIn, completed any = "", "", "", ""
	if years, err := hospital.AgeOn(a.Patient.BirthDate, a.Date); err == nil {
		age = years.Years
	}
	if a.QueueNo != nil {
		queue = *a.QueueNo
	}
	if a.CheckedInAt != nil {
		checkedIn = *a.CheckedInAt
	}
	if a.CompletedAt != nil {
		completed = *a.CompletedAt
	}
	staff := ""
	if a.Staff != nil {
		staff = a.Staff.Name
	}
	return []any{
		a.Number, report.Day{Date: a.Date}, a.StartTime, a.EndTime, a.Service.Code, a.Service.Name,
		a.Patient.HN, a.Patient.Prename, a.Patient.FirstName, a.Patient.LastName, sexNames[a.Patient.Sex].In(lang), age,
		a.Patient.Phone, a.Patient.RightCode,
		staff, a.Kind.Name().In(lang), a.Channel.Name().In(lang), a.Priority.Name().In(lang), a.Status.Name().In(lang), queue,
		a.Reason, a.Note, a.CancelReason, checkedIn, completed, a.CreatedAt,
	}
}
