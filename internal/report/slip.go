package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// Slip is an appointment slip: time, place and preparations. Empty fields are omitted.
type Slip struct {
	Letterhead
	hospital.Appointment
	Department, Location string
	Instructions         string
	Footer               string
	PrintedAt            time.Time
}

// SlipSize is the paper size of a slip.
type SlipSize string

// A5, and the roll of a receipt printer.
const (
	SlipA5   SlipSize = "a5"
	SlipRoll SlipSize = "80mm"
)

var papers = map[SlipSize]paper{
	SlipA5:   {width: 148, height: 210, margin: 11, small: 9.5, body: 12, big: 15, huge: 17, code: 31},
	SlipRoll: {width: 80, margin: 4, small: 8.5, body: 10.5, big: 13, huge: 15, code: 32, centred: true},
}

// WriteSlip writes an appointment slip as a PDF.
func WriteSlip(w io.Writer, size SlipSize, s Slip) error {
	p, ok := papers[size]
	if !ok {
		return fmt.Errorf("no such size: %q", size)
	}
	d := newDocument("ใบนัด " + s.Number)
	f := &flow{doc: d, paper: p, more: fmt.Sprintf("ใบนัด %s (ต่อ)", s.Number)}
	f.addPage()
	if err := f.slip(s); err != nil {
		return err
	}
	if p.height == 0 {
		f.page.height = f.y + p.margin
	}
	return d.writeTo(w)
}

func (f *flow) slip(s Slip) error {
	f.letterhead(s)
	f.band(s)
	if err := f.when(s); err != nil {
		return err
	}
	f.rule()
	for _, row := range s.rows() {
		f.row(row[0], row[1])
	}
	if s.Instructions != "" {
		f.rule()
		f.put(f.bold("การเตรียมตัว", f.body), f.margin)
		f.put(f.regular(s.Instructions, f.body), f.margin)
	}
	f.rule()
	if s.Footer != "" {
		footer := f.regular(s.Footer, f.small)
		if f.centred {
			f.centre(footer)
		} else {
			f.put(footer, f.margin)
		}
	}
	printed := f.regular("พิมพ์เมื่อ "+hospital.ThaiDateTime(s.PrintedAt), f.small)
	if f.centred {
		f.centre(printed)
	} else {
		f.put(printed, f.margin)
	}
	return nil
}

// rows returns the rows of the table without empty values.
func (s Slip) rows() [][2]string {
	staff, age := "", ""
	if s.Staff != nil {
		staff = s.Staff.Name
	}
	if a, err := hospital.AgeOn(s.Patient.BirthDate, s.Date); err == nil {
		age = ageOnPaper(a, s.Patient.BirthPrecision)
	}
	right := ""
	if s.Patient.RightCode != "" {
		right = hospital.RightName(s.Patient.RightCode).TH
	}
	rows := [][2]string{}
	for _, r := range [][2]string{
		{"ชื่อ-นามสกุล", s.Patient.FullName()}, {"HN", s.Patient.HN}, {"อายุ", age}, {"สิทธิการรักษา", right},
		{"หน่วยงาน", s.Department}, {"สถานที่", s.Location}, {"ผู้ให้บริการ", staff},
	} {
		if strings.TrimSpace(r[1]) != "" {
			rows = append(rows, r)
		}
	}
	return rows
}

func (f *flow) letterhead(s Slip) {
	const logo = 15.0
	if f.centred {
		if s.Logo != nil {
			w, h := fit(s.Logo, logo)
			f.page.picture(s.Logo, (f.width-w)/2, f.y, w, h)
			f.y += h + 1
		}
		f.centre(f.bold(s.Name, f.big))
		f.centre(f.contact(s.Letterhead, f.width-2*f.margin))
		f.centre(f.bold("ใบนัด", f.huge))
	} else {
		left, top := f.margin, f.y
		if s.Logo != nil {
			w, h := fit(s.Logo, logo)
			f.page.picture(s.Logo, left, top, w, h)
			left += w + 4
		}
		title := f.doc.fonts[1].shape("ใบนัด", f.huge+4)
		f.page.text(f.width-f.margin-title.width, top+baseline(f.huge+4), title)
		width := f.width - f.margin - left - title.width - 4
		f.put(f.doc.fonts[1].lines(s.Name, f.big, width), left)
		f.put(f.contact(s.Letterhead, width), left)
		if s.Logo != nil {
			f.y = max(f.y, top+logo+1)
		}
	}
	f.rule()
}

func (f *flow) contact(l Letterhead, width float64) []line {
	text := l.Address
	if l.Phone != "" {
		text = strings.TrimSpace(text + " โทร. " + hospital.PhoneText(l.Phone))
	}
	if text == "" {
		return nil
	}
	return f.doc.fonts[0].lines(text, f.small, width)
}

// band draws a banner if the patient should not come: white on black for a cancelled appointment, framed for
// one without a seat.
func (f *flow) band(s Slip) {
	var text, reason string
	switch s.Status { //nolint:exhaustive // no banner for the others
	case hospital.Cancelled:
		text, reason = "ยกเลิกนัดแล้ว", s.CancelReason
	case hospital.Waitlisted:
		text = "รอคิวว่าง – ยังไม่ได้นัด"
	case hospital.Pending:
		text = "รออนุมัติ – ยังไม่ได้นัด"
	default:
		return
	}
	width := f.width - 2*f.margin
	lines := f.doc.fonts[1].lines(text, f.huge, width-4)
	if reason != "" {
		lines = append(lines, f.doc.fonts[0].lines("เหตุผล: "+reason, f.body, width-4)...)
	}
	height := 2.0
	for _, l := range lines {
		height += leading(l.size * millimetre)
	}
	f.ensureSpace(height)
	draw := func() {
		f.y++
		f.centre(lines)
		f.y++
	}
	if s.Status == hospital.Cancelled {
		f.page.fill(f.margin, f.y, width, height, 0)
		f.page.white(draw)
	} else {
		f.page.frame(f.margin, f.y, width, height, 0.5)
		draw()
	}
	f.y += 2
}

// when draws date, time, number and QR code.
func (f *flow) when(s Slip) error {
	code, err := slipQR(s)
	if err != nil {
		return fmt.Errorf("write slip: %w", err)
	}
	times := fmt.Sprintf("เวลา %s–%s น.", s.StartTime, s.EndTime)
	if s.EndTime == "" {
		times = fmt.Sprintf("เวลา %s น.", s.StartTime)
	}
	width := f.width - 2*f.margin
	if !f.centred {
		width -= f.code + 4
	}
	bold := f.doc.fonts[1]
	lines := append(bold.lines(hospital.ThaiLongDate(s.Date), f.huge, width), bold.lines(times, f.huge, width)...)
	service := bold.lines(s.Service.Name, f.big, width)
	number := bold.shape(s.Number, f.body)
	top := f.y
	put := func(lines []line) {
		if f.centred {
			f.centre(lines)
		} else {
			f.put(lines, f.margin)
		}
	}
	for _, l := range lines {
		at := f.y
		put([]line{l})
		if s.Status == hospital.Cancelled { // struck out, so that it cannot be missed
			x := f.margin
			if f.centred {
				x = (f.width - l.width) / 2
			}
			middle := at + baseline(l.size*millimetre) - l.size*0.28
			f.page.rule(x, middle, x+l.width, middle, 0.4)
		}
	}
	put(service)
	if f.centred {
		f.y++
		f.qr(code, (f.width-f.code)/2, f.y)
		f.y += f.code
		f.centre([]line{number})
		return nil
	}
	x := f.width - f.margin - f.code
	f.qr(code, x, top)
	f.page.text(x+(f.code-number.width)/2, top+f.code+baseline(f.body), number)
	f.y = max(f.y, top+f.code+leading(f.body))
	return nil
}

// row draws a label and its value.
func (f *flow) row(label, value string) {
	indent := f.doc.fonts[0].shape("สิทธิการรักษา", f.body).width + 4
	name := f.doc.fonts[0].shape(label, f.body)
	for i, l := range f.doc.fonts[1].lines(value, f.body, f.width-2*f.margin-indent) {
		f.ensureSpace(leading(f.body))
		if i == 0 {
			f.page.text(f.margin, f.y+baseline(f.body), name)
		}
		f.put([]line{l}, f.margin+indent)
	}
}
