package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// ReportInput is the input that all reports share.
type ReportInput struct {
	hospital.ReportQuery
	Format string `json:"format,omitempty" enum:"json,csv,xlsx" default:"json" doc:"json returns the report in the envelope, the others a file"`
}

type utilizationAsked struct {
	ReportInput
	GroupBy hospital.GroupBy `json:"groupBy,omitempty" enum:"service,day,month,fiscalYear,weekday,hour" default:"service"`
}

type noShowAsked struct {
	ReportInput
	GroupBy hospital.GroupBy `json:"groupBy,omitempty" enum:"service,weekday,leadTime,month,fiscalYear" default:"service"`
}

type waitingAsked struct {
	ReportInput
	GroupBy hospital.GroupBy `json:"groupBy,omitempty" enum:"service,weekday,hour,month,fiscalYear" default:"service" doc:"Weekday and hour are those of the check-in"`
}

type workloadAsked struct {
	ReportInput
	GroupBy hospital.GroupBy `json:"groupBy,omitempty" enum:"staff" default:"staff"`
}

// utilizationReport returns VALIDATION_FAILED for an unknown service, as every report does.
func (s *Server) utilizationReport(ctx context.Context, in *exportInput[utilizationAsked]) (attachment, error) {
	r, err := s.DB.Utilization(ctx, in.Body.ReportQuery, in.Body.GroupBy)
	t := reportTable{id: "utilization", name: hospital.Text{TH: "การใช้บริการ", EN: "Utilization"}, by: in.Body.GroupBy,
		columns: []hospital.Text{
			{TH: "จองแล้ว (ที่)", EN: "Booked"}, {TH: "รับได้ (ที่)", EN: "Capacity"}, {
				TH: "อัตราการใช้ (%)", EN: "Utilization (%)",
			},
		}}
	for _, row := range r.Rows {
		t.add(&row.ReportGroup, row.Booked, row.Capacity, percent(row.Rate))
	}
	t.add(nil, r.Total.Booked, r.Total.Capacity, percent(r.Total.Rate))
	return reportResponse(ctx, s, in.Body.ReportInput, langOf(in.Language), r, t, err)
}

func (s *Server) noShowReport(ctx context.Context, in *exportInput[noShowAsked]) (attachment, error) {
	r, err := s.DB.NoShows(ctx, in.Body.ReportQuery, in.Body.GroupBy)
	t := reportTable{id: "no-show", name: hospital.Text{TH: "ไม่มาตามนัด", EN: "No-shows"}, by: in.Body.GroupBy,
		columns: []hospital.Text{
			{TH: "ครบกำหนดนัด (ราย)", EN: "Due"}, {TH: "ไม่มาตามนัด (ราย)", EN: "No-shows"}, {
				TH: "อัตราไม่มาตามนัด (%)", EN: "No-show rate (%)",
			},
		}}
	for _, row := range r.Rows {
		t.add(&row.ReportGroup, row.Due, row.NoShow, percent(row.Rate))
	}
	t.add(nil, r.Total.Due, r.Total.NoShow, percent(r.Total.Rate))
	return reportResponse(ctx, s, in.Body.ReportInput, langOf(in.Language), r, t, err)
}

func (s *Server) waitingReport(ctx context.Context, in *exportInput[waitingAsked]) (attachment, error) {
	r, err := s.DB.WaitingTimes(ctx, in.Body.ReportQuery, in.Body.GroupBy)
	t := reportTable{id: "waiting-time", name: hospital.Text{TH: "เวลารอคอย", EN: "Waiting times"}, by: in.Body.GroupBy,
		columns: []hospital.Text{
			{TH: "รอตรวจ (ราย)", EN: "Waited"}, {TH: "รอตรวจ มัธยฐาน (นาที)", EN: "Wait, median (minutes)"}, {
				TH: "รอตรวจ P90 (นาที)", EN: "Wait, P90 (minutes)",
			},
			{TH: "ตรวจ (ราย)", EN: "Seen"}, {TH: "ตรวจ มัธยฐาน (นาที)", EN: "Visit, median (minutes)"}, {
				TH: "ตรวจ P90 (นาที)", EN: "Visit, P90 (minutes)",
			},
		}}
	add := func(of *hospital.ReportGroup, w hospital.Waiting) {
		t.add(of, w.Wait.Count, minutes(w.Wait.Median), minutes(w.Wait.P90), w.Visit.Count, minutes(w.Visit.Median),
			minutes(w.Visit.P90))
	}
	for _, row := range r.Rows {
		add(&row.ReportGroup, row.Waiting)
	}
	add(nil, r.Total)
	return reportResponse(ctx, s, in.Body.ReportInput, langOf(in.Language), r, t, err)
}

func (s *Server) workloadReport(ctx context.Context, in *exportInput[workloadAsked]) (attachment, error) {
	r, err := s.DB.Workload(ctx, in.Body.ReportQuery)
	t := reportTable{id: "workload", name: hospital.Text{TH: "ภาระงาน", EN: "Workload"}, by: in.Body.GroupBy,
		columns: []hospital.Text{
			{TH: "นัดที่ได้รับ", EN: "Assigned"}, {TH: "มารับบริการ", EN: "Came"}, {TH: "เสร็จสิ้น", EN: "Completed"}, {
				TH: "ไม่มาตามนัด", EN: "No-shows",
			},
			{TH: "ผู้ป่วย (คน ไม่ซ้ำ)", EN: "Patients"}, {TH: "เวลาตรวจ (ชั่วโมง)", EN: "Hours of visits"},
			{TH: "วันที่ให้บริการ", EN: "Working days"}, {TH: "เฉลี่ยต่อวัน (ราย)", EN: "Per working day"},
		}}
	add := func(of *hospital.ReportGroup, l hospital.StaffLoad) {
		t.add(of, l.Assigned, l.Came, l.Completed, l.NoShow, l.Patients, oneDecimal(float64(l.VisitSeconds)/3600),
			l.WorkingDays, orEmpty(l.PerDay, 1))
	}
	for _, row := range r.Rows {
		add(&row.ReportGroup, row.StaffLoad)
	}
	add(nil, r.Total)
	return reportResponse(ctx, s, in.Body.ReportInput, langOf(in.Language), r, t, err)
}

// reportResponse returns the report in the envelope or as a file. Files are recorded in the audit log.
func reportResponse[R any](ctx context.Context, s *Server, asked ReportInput, lang hospital.Lang, r R, t reportTable,
	err error) (attachment, error) {
	if err != nil {
		return attachment{}, err
	}
	if asked.Format == "json" {
		write := func(w io.Writer) error { return json.NewEncoder(w).Encode(envelope[R]{Success: true, Data: r}) }
		return attachment{ContentType: "application/json", Write: write}, nil
	}
	if err := s.DB.NoteReport(ctx, t.id, asked.ReportQuery, t.by, asked.Format); err != nil {
		return attachment{}, err
	}
	file := s.tableFile(t.sheet(), report.Format(asked.Format), lang, func(add report.Add) error {
		for _, row := range t.rows {
			if err := add(append([]any{t.title(row.of, lang)}, row.cells...)...); err != nil {
				return err
			}
		}
		return nil
	})
	// The file name contains the period of the report, not today's date.
	period := fmt.Sprintf("%s–%s", buddhist(asked.DateFrom), buddhist(asked.DateTo))
	file.Name = fmt.Sprintf("%s %s.%s", t.name.TH, period, asked.Format)
	file.PlainName = fmt.Sprintf("%s-%s-%s.%s", t.id, buddhist(asked.DateFrom), buddhist(asked.DateTo), asked.Format)
	return file, nil
}

// buddhist formats a date in the Buddhist Era for file names: 2569-11-16.
func buddhist(date string) string {
	year, _ := strconv.Atoi(date[:4])
	return strconv.Itoa(year+hospital.BuddhistEra) + date[4:]
}

// reportTable is a report as a table with the total as last row.
type reportTable struct {
	id      string
	name    hospital.Text
	by      hospital.GroupBy
	columns []hospital.Text
	rows    []reportRow
}

type reportRow struct {
	of    *hospital.ReportGroup // nil for the total
	cells []any
}

func (t *reportTable) add(of *hospital.ReportGroup, cells ...any) {
	t.rows = append(t.rows, reportRow{of, cells})
}

// groupTitles are the titles of the first column.
var groupTitles = map[hospital.GroupBy]hospital.Text{
	hospital.ByService:    {TH: "บริการ", EN: "Service"},
	hospital.ByDay:        {TH: "วันที่ (พ.ศ.)", EN: "Date (B.E.)"},
	hospital.ByMonth:      {TH: "เดือน (พ.ศ.)", EN: "Month (B.E.)"},
	hospital.ByFiscalYear: {TH: "ปีงบประมาณ (พ.ศ.)", EN: "Fiscal year (B.E.)"},
	hospital.ByWeekday:    {TH: "วัน", EN: "Weekday"},
	hospital.ByHour:       {TH: "ช่วงเวลา", EN: "Hour"},
	hospital.ByLeadTime:   {TH: "จองล่วงหน้า", EN: "Booked ahead"},
	hospital.ByStaff:      {TH: "ผู้ให้บริการ", EN: "Staff"},
}

func (t *reportTable) sheet() sheet {
	of := sheet{t.name, []sheetColumn{{groupTitles[t.by], 26}}}
	for _, title := range t.columns {
		of.columns = append(of.columns, sheetColumn{title, 18})
	}
	return of
}

// title returns the first cell of a row.
func (t *reportTable) title(of *hospital.ReportGroup, lang hospital.Lang) any {
	if of == nil {
		return hospital.Text{TH: "รวม", EN: "Total"}.In(lang)
	}
	number, _ := strconv.Atoi(of.Key)
	switch {
	case t.by == hospital.ByDay:
		return report.Day{Date: of.Key}
	case t.by == hospital.ByMonth:
		return report.Day{Date: of.Key + "-01", Precision: hospital.BirthMonth}
	case t.by == hospital.ByFiscalYear:
		return number
	case t.by == hospital.ByWeekday:
		return hospital.WeekdayName(number).In(lang)
	case t.by == hospital.ByHour:
		return fmt.Sprintf("%s:00–%[1]s:59", of.Key)
	case t.by == hospital.ByLeadTime:
		return hospital.LeadTimeName(of.Key).In(lang)
	case of.Key == "":
		return hospital.Text{TH: "ไม่ระบุผู้ให้บริการ", EN: "Nobody assigned"}.In(lang)
	default:
		return of.Name
	}
}

func oneDecimal(v float64) float64 { return math.Round(v*10) / 10 }

// orEmpty returns a number divided by unit with one decimal, or an empty cell for nil.
func orEmpty(v *float64, unit float64) any {
	if v == nil {
		return ""
	}
	return oneDecimal(*v / unit)
}

func percent(rate *float64) any { return orEmpty(rate, 0.01) }

func minutes(seconds *int) any {
	if seconds == nil {
		return ""
	}
	return oneDecimal(float64(*seconds) / 60)
}
