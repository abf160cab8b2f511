package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// DayList is the printed list of a day's appointments.
type DayList struct {
	Letterhead
	Date      string
	Services  []DayService
	PrintedAt time.Time
}

// DayService is a service with its appointments in the order of their times. Cancelled ones are counted but
// not listed.
type DayService struct {
	Name, Location string
	Appointments   []hospital.Appointment
}

// dayColumn is a column of the list, with two values below one another in each row.
type dayColumn struct {
	title string
	width float64
	cell  func(a hospital.Appointment) (bold bool, first, second string)
}

var dayColumns = []dayColumn{
	{"เวลา / คิว", 17, func(a hospital.Appointment) (bool, string, string) {
		queue := ""
		if a.QueueNo != nil {
			queue = fmt.Sprintf("คิว %d", *a.QueueNo)
		}
		return true, a.StartTime, queue
	}},
	{"เลขที่นัด / HN", 25, func(a hospital.Appointment) (bool, string, string) { return false, a.Number, a.Patient.HN }},
	{"ชื่อ-นามสกุล / อายุ", 46, func(a hospital.Appointment) (bool, string, string) {
		age := ""
		if years, err := hospital.AgeOn(a.Patient.BirthDate, a.Date); err == nil {
			age = ageOnPaper(years, a.Patient.BirthPrecision)
		}
		return true, a.Patient.FullName(), age
	}},
	{"โทรศัพท์ / สิทธิ", 24, func(a hospital.Appointment) (bool, string, string) {
		return false, hospital.PhoneText(a.Patient.Phone), a.Patient.RightCode
	}},
	{"ประเภท / สถานะ", 26, func(a hospital.Appointment) (bool, string, string) {
		return false, a.Kind.Name().TH, a.Status.Name().TH
	}},
	{"ผู้ให้บริการ", 25, func(a hospital.Appointment) (bool, string, string) {
		if a.Staff == nil {
			return false, "", ""
		}
		return false, a.Staff.Name, ""
	}},
	{"ลงชื่อ / หมายเหตุ", 27, func(hospital.Appointment) (bool, string, string) { return false, "", "" }},
}

// A4, with font sizes in points.
var dayPaper = paper{width: 210, height: 297, margin: 10, small: 8.5, body: 9.5, big: 13, huge: 15}

// WriteDayList writes the list as a PDF of A4 pages.
func WriteDayList(w io.Writer, l DayList) error {
	d := newDocument("รายชื่อผู้ป่วยนัด " + hospital.ThaiDate(l.Date))
	f := &dayFlow{flow{doc: d, paper: dayPaper}, l}
	f.addPage()
	for _, s := range l.Services {
		f.service(s)
	}
	if len(l.Services) == 0 {
		f.put(f.regular("ไม่มีนัดในวันนี้", f.body), f.margin)
	}
	for i, p := range d.pages {
		number := d.fonts[0].shape(fmt.Sprintf("หน้า %d/%d", i+1, len(d.pages)), f.small)
		p.text(f.width-f.margin-number.width, f.height-5, number)
		p.text(f.margin, f.height-5, d.fonts[0].shape("พิมพ์เมื่อ "+hospital.ThaiDateTime(l.PrintedAt), f.small))
	}
	return d.writeTo(w)
}

// dayFlow lays out the rows. Each page starts with the page header, and with the column titles if a service
// continues.
type dayFlow struct {
	flow
	list DayList
}

func (f *dayFlow) addPage() {
	f.flow.addPage()
	left := f.margin
	top := f.y
	if f.list.Logo != nil {
		w, h := fit(f.list.Logo, 13)
		f.page.picture(f.list.Logo, left, top, w, h)
		left += w + 3
	}
	f.put(f.doc.fonts[1].lines(f.list.Name, f.big, f.width-f.margin-left), left)
	f.put(f.doc.fonts[0].lines("รายชื่อผู้ป่วยนัด "+hospital.ThaiLongDate(f.list.Date), f.body+1.5, f.width-f.margin-left),
		left)
	if f.list.Logo != nil {
		f.y = max(f.y, top+14)
	}
	f.rule()
}

func (f *dayFlow) fits(height float64) bool { return f.y+height <= f.height-f.margin-4 }

func (f *dayFlow) service(s DayService) {
	listed, cancelled := []hospital.Appointment{}, 0
	for _, a := range s.Appointments {
		if a.Status == hospital.Cancelled {
			cancelled++
		} else {
			listed = append(listed, a)
		}
	}
	title := s.Name
	if s.Location != "" {
		title += " · " + s.Location
	}
	count := fmt.Sprintf("%d ราย", len(listed))
	if cancelled > 0 {
		count += fmt.Sprintf(" (ยกเลิก %d)", cancelled)
	}
	if !f.fits(34) { // less than two rows would fit below the title
		f.addPage()
	}
	total := f.doc.fonts[0].shape(count, f.body)
	f.y += 2
	f.page.text(f.width-f.margin-total.width, f.y+baseline(f.body+2), total)
	f.put(f.doc.fonts[1].lines(title, f.body+2, f.width-2*f.margin-total.width-4), f.margin)
	f.titles()
	for _, a := range listed {
		f.appointment(s.Name, a)
	}
	if len(listed) == 0 {
		f.put(f.regular("ไม่มีนัด", f.body), f.margin+1)
	}
}

func (f *dayFlow) titles() {
	height := leading(f.small) + 1
	f.page.fill(f.margin, f.y, f.width-2*f.margin, height, 0.9)
	x := f.margin
	for _, c := range dayColumns {
		f.page.text(x+1, f.y+0.5+baseline(f.small), f.doc.fonts[1].shape(c.title, f.small))
		x += c.width
	}
	f.y += height
}

func (f *dayFlow) appointment(service string, a hospital.Appointment) {
	cells := make([][]line, len(dayColumns))
	rows := 2
	for i, c := range dayColumns {
		bold, first, second := c.cell(a)
		face := f.doc.fonts[0]
		if bold {
			face = f.doc.fonts[1]
		}
		if face.shape(first, f.body).width > c.width-2 { // the surname goes on the second line
			first = strings.Replace(first, " ", "\n", 1)
		}
		cells[i] = face.lines(first, f.body, c.width-2)
		if second != "" {
			cells[i] = append(cells[i], f.doc.fonts[0].lines(second, f.body, c.width-2)...)
		}
		rows = max(rows, len(cells[i]))
	}
	height := float64(rows)*leading(f.body) + 1
	if !f.fits(height) {
		f.addPage()
		f.put(f.bold(service+" (ต่อ)", f.body), f.margin)
		f.titles()
	}
	if a.Priority == hospital.Urgent { // a bar at the edge, visible while leafing through
		f.page.fill(f.margin-1.5, f.y, 1, height, 0)
	}
	x := f.margin
	for i, c := range dayColumns {
		for j, l := range cells[i] {
			f.page.text(x+1, f.y+0.5+float64(j)*leading(f.body)+baseline(f.body), l)
		}
		if i > 0 {
			f.page.rule(x, f.y, x, f.y+height, 0.1)
		}
		x += c.width
	}
	f.y += height
	f.page.rule(f.margin, f.y, f.width-f.margin, f.y, 0.15)
}
