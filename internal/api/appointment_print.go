package api

import (
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // logos are stored as JPEG or PNG
	_ "image/png"
	"io"
	"io/fs"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

type slipInput struct {
	ID   int64           `path:"id" minimum:"1"`
	Size report.SlipSize `query:"size" enum:"a5,80mm" default:"a5"`
}

// appointmentSlip returns the slip of an appointment as a PDF. It returns NOT_FOUND if there is no such
// appointment.
func (s *Server) appointmentSlip(ctx context.Context, in *slipInput) (attachment, error) {
	a, service, err := s.DB.PrintSlip(ctx, in.ID, string(in.Size))
	if err != nil {
		return attachment{}, err
	}
	setting, head, err := s.letterhead(ctx)
	if err != nil {
		return attachment{}, err
	}
	slip := report.Slip{
		Letterhead: head, Appointment: a, Department: service.Department, Location: service.Location,
		Instructions: service.Instructions,
		Footer:       setting.SlipFooter, PrintedAt: s.DB.Now(),
	}
	return attachment{
		Name: fmt.Sprintf("ใบนัด-%s.pdf", a.Number), PlainName: fmt.Sprintf("slip-%s.pdf", a.Number), ContentType: report.PDF,
		Write: func(w io.Writer) error { return report.WriteSlip(w, in.Size, slip) },
	}, nil
}

type dayListInput struct {
	Date      string `query:"date" required:"true" format:"date"`
	ServiceID int64  `query:"serviceId" minimum:"0" doc:"All services if absent"`
}

// dayList returns the list of a day's appointments as a PDF. It returns NOT_FOUND if there is no such
// service.
func (s *Server) dayList(ctx context.Context, in *dayListInput) (attachment, error) {
	if err := checkDate(in.Date); err != nil {
		return attachment{}, err
	}
	services, of, err := s.DB.PrintDay(ctx, in.Date, in.ServiceID)
	if err != nil {
		return attachment{}, err
	}
	_, head, err := s.letterhead(ctx)
	if err != nil {
		return attachment{}, err
	}
	list := report.DayList{Letterhead: head, Date: in.Date, PrintedAt: s.DB.Now()}
	for _, v := range services {
		list.Services = append(list.Services, report.DayService{Name: v.Name, Location: v.Location, Appointments: of[v.ID]})
	}
	return attachment{
		Name:      fmt.Sprintf("รายชื่อนัด-%s.pdf", hospital.ThaiDate(in.Date)),
		PlainName: fmt.Sprintf("appointments-%s.pdf", in.Date), ContentType: report.PDF,
		Write: func(w io.Writer) error { return report.WriteDayList(w, list) },
	}, nil
}

// letterhead returns the settings and the letterhead. A logo that cannot be read is omitted.
func (s *Server) letterhead(ctx context.Context) (hospital.Setting, report.Letterhead, error) {
	setting, err := s.DB.Setting(ctx)
	head := report.Letterhead{Name: setting.Name, Address: setting.Address, Phone: setting.Phone}
	if err != nil || setting.Logo == "" {
		return setting, head, err
	}
	file, err := s.Files.Open(ctx, mediaKey(setting.Logo))
	if err == nil {
		defer file.Close() //nolint:errcheck // only read
		head.Logo, _, err = image.Decode(io.LimitReader(file, 16<<20))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.WarnContext(ctx, "the logo cannot be printed", "request_id", requestID(ctx), "error", err.Error())
	}
	return setting, head, nil
}
