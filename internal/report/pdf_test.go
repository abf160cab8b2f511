package report

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/boombuler/barcode/qr"

	"nadmor/internal/hospital"
)

// readPDF is a parsed PDF.
type readPDF struct {
	sizes    [][2]float64 // of the pages, in millimetres
	texts    []string     // lines in drawing order
	contents []string     // of the pages
	images   int
}

var (
	objectPattern = regexp.MustCompile(`(?s)^(\d+) 0 obj\n(.*?)\nendobj\n`)
	streamPattern = regexp.MustCompile(`(?s)^<<(.*) /Filter /FlateDecode /Length (\d+)>>\nstream\n(.*)\nendstream$`)
	boxPattern    = regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\].*/Contents (\d+) 0 R`)
	spanPattern   = regexp.MustCompile(`/ActualText <feff([0-9a-f]*)>`)
	placePattern  = regexp.MustCompile(`1 0 0 -1 (\S+) (\S+) Tm <([0-9a-f]{4})> Tj`)
)

// read parses a PDF. It fails if the object table is wrong or something is drawn outside of the pages.
func read(t *testing.T, file []byte) (r readPDF) {
	t.Helper()
	start := bytes.LastIndex(file, []byte("startxref\n"))
	at, err := strconv.Atoi(strings.Fields(string(file[start+10:]))[0])
	if err != nil || !bytes.HasPrefix(file, []byte("%PDF-1.7\n")) || !bytes.HasSuffix(file, []byte("%%EOF\n")) ||
		!bytes.HasPrefix(file[at:], []byte("xref\n")) {
		t.Fatalf("not a PDF: %q…", file[:min(len(file), 40)])
	}
	streams, pages := map[string]string{}, [][]string{}
	for i, entry := range regexp.MustCompile(`(\d{10}) 00000 n `).FindAllSubmatch(file[at:], -1) {
		offset, _ := strconv.Atoi(string(entry[1]))
		object := objectPattern.FindSubmatch(file[offset:])
		if len(object) < 3 || string(object[1]) != fmt.Sprint(i+1) {
			t.Fatalf("object %d is not at %d", i+1, offset)
		}
		if s := streamPattern.FindSubmatch(object[2]); s != nil {
			if length, _ := strconv.Atoi(string(s[2])); length != len(s[3]) {
				t.Errorf("object %d: %d bytes, it says %s", i+1, len(s[3]), s[2])
			}
			z, err := zlib.NewReader(bytes.NewReader(s[3]))
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			streams[string(object[1])] = string(content)
			if bytes.Contains(s[1], []byte("/Subtype /Image")) {
				r.images++
			}
		} else if page := boxPattern.FindStringSubmatch(string(object[2])); page != nil {
			pages = append(pages, page)
		}
	}
	for _, page := range pages {
		width, _ := strconv.ParseFloat(page[1], 64)
		height, _ := strconv.ParseFloat(page[2], 64)
		size := [2]float64{width / millimetre, height / millimetre}
		content := streams[page[3]]
		r.sizes, r.contents = append(r.sizes, size), append(r.contents, content)
		for _, span := range spanPattern.FindAllStringSubmatch(content, -1) {
			b, _ := hex.DecodeString(span[1])
			var units []uint16
			for i := 0; i+1 < len(b); i += 2 {
				units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
			}
			r.texts = append(r.texts, string(utf16.Decode(units)))
		}
		for _, positions := range placePattern.FindAllStringSubmatch(content, -1) {
			x, _ := strconv.ParseFloat(positions[1], 64)
			y, _ := strconv.ParseFloat(positions[2], 64)
			if positions[3] == "0000" {
				t.Error("a letter has no glyph")
			}
			if x < 3 || x > size[0]-3 || y < 3 || y > size[1]-3 {
				t.Errorf("a letter at %.1f, %.1f on a page of %.1f × %.1f", x, y, size[0], size[1])
			}
		}
	}
	return r
}

func (r readPDF) has(text string) bool { return strings.Contains(strings.Join(r.texts, ""), text) }

func logo() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	img.Set(3, 3, color.NRGBA{R: 200, A: 128})
	return img
}

func fullSlip() Slip {
	s := Slip{
		Letterhead: Letterhead{
			Name: "โรงพยาบาลศรีนคร", Address: "99/1 ถนนห้วยแก้ว เชียงใหม่", Phone: "053-123456", Logo: logo(),
		},
		Department: "กลุ่มงานอายุรกรรม", Location: "อาคารผู้ป่วยนอก ชั้น 2", Instructions: notice,
		Footer:    "หากมีอาการผิดปกติให้มาก่อนวันนัด",
		PrintedAt: time.Date(2026, 11, 15, 7, 5, 0, 0, time.UTC),
	}
	s.Number, s.Date, s.StartTime, s.EndTime, s.Status = "A6911-00012", "2026-11-16", "09:30", "10:00", hospital.Booked
	s.Patient = hospital.PatientRef{
		HN: "0012345", Prename: "นาย", FirstName: "ประเสริฐ", LastName: "เจริญกุล", BirthDate: "1961-05-17",
		BirthPrecision: hospital.BirthDay, RightCode: "UCS",
	}
	s.Service, s.Staff = hospital.ServiceRef{Name: "คลินิกเบาหวาน"}, &hospital.StaffRef{Name: "นพ.ธนกฤต วัฒนกุล"}
	return s
}

func slip(t *testing.T, size SlipSize, s Slip) readPDF {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSlip(&b, size, s); err != nil {
		t.Fatal(err)
	}
	return read(t, b.Bytes())
}

func near(a, b float64) bool { return a-b < 0.1 && b-a < 0.1 }

func TestSlipContents(t *testing.T) {
	t.Parallel()
	for _, size := range []SlipSize{SlipA5, SlipRoll} {
		r := slip(t, size, fullSlip())
		for _, text := range []string{
			"โรงพยาบาลศรีนคร", "99/1 ถนนห้วยแก้ว เชียงใหม่ โทร. 053-123-456", "ใบนัด", "วันจันทร์ที่ 16 พฤศจิกายน 2569",
			"เวลา 09:30–10:00 น.", "คลินิกเบาหวาน", "A6911-00012",
			"นายประเสริฐ เจริญกุล", "HN", "0012345", "65 ปี", "บัตรทอง (หลักประกันสุขภาพ)", "กลุ่มงานอายุรกรรม",
			"อาคารผู้ป่วยนอก ชั้น 2", "นพ.ธนกฤต วัฒนกุล",
			"การเตรียมตัว", "งดน้ำและอาหาร", "หากมีอาการผิดปกติให้มาก่อนวันนัด", "พิมพ์เมื่อ 15 พ.ย. 2569 14:05 น.",
		} {
			if !r.has(text) {
				t.Errorf("%s: no %q in %q", size, text, r.texts)
			}
		}
		if r.images != 1 || len(r.sizes) != 1 {
			t.Errorf("%s: %d pictures on %d pages", size, r.images, len(r.sizes))
		}
		code, err := qr.Encode("A6911-00012", qr.M, qr.Auto)
		if err != nil {
			t.Fatal(err)
		}
		if modules := codeModules(r.contents[0]); modules != darkModules(code) {
			t.Errorf("%s: the code has %d dark modules, want %d", size, modules, darkModules(code))
		}
	}
}

// codeModules returns the number of dark modules of the QR code on a page.
func codeModules(content string) int {
	sum := 0.0
	for _, rect := range regexp.MustCompile(`(?m)^\S+ \S+ (\S+) (\S+) re$`).FindAllStringSubmatch(content, -1) {
		width, _ := strconv.ParseFloat(rect[1], 64)
		module, _ := strconv.ParseFloat(rect[2], 64)
		sum += width / module
	}
	return int(sum + 0.5)
}

func darkModules(code image.Image) (n int) {
	for y := range code.Bounds().Dy() {
		for x := range code.Bounds().Dx() {
			if dark(code, x, y) {
				n++
			}
		}
	}
	return n
}

func TestSlipFitsPaper(t *testing.T) {
	t.Parallel()
	long := fullSlip()
	long.Instructions = strings.Repeat(notice, 6)
	long.Name = strings.Repeat("โรงพยาบาลส่งเสริมสุขภาพ", 5)
	long.Patient.FirstName = strings.Repeat("ประเสริฐ", 10)
	long.Service.Name = strings.Repeat("คลินิก", 20)
	short, roll := slip(t, SlipA5, fullSlip()), slip(t, SlipRoll, fullSlip())
	if !near(short.sizes[0][0], 148) || !near(short.sizes[0][1], 210) {
		t.Errorf("A5 is %v", short.sizes)
	}
	if !near(roll.sizes[0][0], 80) || roll.sizes[0][1] < 100 || roll.sizes[0][1] > 260 {
		t.Errorf("the roll is %v", roll.sizes)
	}
	more := slip(t, SlipA5, long)
	if len(more.sizes) < 2 || !near(more.sizes[1][1], 210) || !more.has("ใบนัด A6911-00012 (ต่อ)") {
		t.Errorf("a long slip has pages %v", more.sizes)
	}
	if longer := slip(t, SlipRoll, long); len(longer.sizes) != 1 || longer.sizes[0][1] < roll.sizes[0][1]+100 {
		t.Errorf("a long roll is %v", longer.sizes)
	}
	if err := WriteSlip(io.Discard, "a3", long); err == nil {
		t.Error("a slip of A3 was written")
	}
}

func TestSlipOmitsEmptyFields(t *testing.T) {
	t.Parallel()
	s := Slip{Letterhead: Letterhead{Name: "นัดหมอ"}, PrintedAt: time.UnixMilli(0)}
	s.Number, s.Date, s.StartTime, s.EndTime, s.Status, s.Patient = "A1", "2026-11-16", "09:30", "10:00", hospital.Booked,
		hospital.PatientRef{HN: "1", FirstName: "ขวัญ"}
	for _, size := range []SlipSize{SlipA5, SlipRoll} {
		r := slip(t, size, s)
		for _, label := range []string{
			"อายุ", "สิทธิการรักษา", "หน่วยงาน", "สถานที่", "ผู้ให้บริการ", "การเตรียมตัว", "โทร.",
		} {
			if r.has(label) {
				t.Errorf("%s: %s of nothing in %q", size, label, r.texts)
			}
		}
		if r.images != 0 || !r.has("ขวัญ") {
			t.Errorf("%s: %q", size, r.texts)
		}
	}
}

func TestSlipOfInactiveAppointment(t *testing.T) {
	t.Parallel()
	for status, mark := range map[hospital.AppointmentStatus]string{
		hospital.Cancelled: "ยกเลิกนัดแล้ว", hospital.Pending: "รออนุมัติ", hospital.Waitlisted: "รอคิวว่าง",
		hospital.Booked: "", hospital.Confirmed: "", hospital.CheckedIn: "", hospital.Completed: "",
	} {
		s := fullSlip()
		s.Status, s.CancelReason = status, "ติดธุระ"
		for _, size := range []SlipSize{SlipA5, SlipRoll} {
			r := slip(t, size, s)
			for _, other := range []string{"ยกเลิก", "รออนุมัติ", "รอคิวว่าง"} {
				if r.has(other) != strings.HasPrefix(mark, other) {
					t.Errorf("%s on %s: %q", status, size, r.texts)
				}
			}
			cancelled := status == hospital.Cancelled
			if r.has("เหตุผล: ติดธุระ") != cancelled || strings.Contains(r.contents[0], "1.000 g\n") != cancelled {
				t.Errorf("%s on %s: not white on black, or without its reason", status, size)
			}
		}
	}
}

func dayVisit(start, name string, status hospital.AppointmentStatus) hospital.Appointment {
	a := hospital.Appointment{
		Number: "A6911-00012", Status: status,
		Patient: hospital.PatientRef{
			HN: "0012345", Prename: "นาย", FirstName: name, LastName: "ใจดี", BirthDate: "1961-05-17", Phone: "0812345678",
			RightCode: "SSS",
		},
	}
	a.Date, a.StartTime, a.Kind = "2026-11-16", start, hospital.KindFollowUp
	return a
}

func TestDayList(t *testing.T) {
	t.Parallel()
	queue := 7
	first := dayVisit("09:00", "ประเสริฐ", hospital.CheckedIn)
	first.QueueNo, first.Staff = &queue, &hospital.StaffRef{Name: "นพ.ธนกฤต วัฒนกุล"}
	l := DayList{
		Letterhead: Letterhead{Name: "โรงพยาบาลศรีนคร", Logo: logo()}, Date: "2026-11-16",
		PrintedAt: time.Date(2026, 11, 15, 7, 5, 0, 0, time.UTC),
		Services: []DayService{
			{"คลินิกเบาหวาน", "ชั้น 2", []hospital.Appointment{first, dayVisit("09:30", "ยกเลิกแล้ว", hospital.Cancelled)}},
			{"ทันตกรรม", "", nil},
		},
	}
	for range 60 {
		l.Services[1].Appointments = append(l.Services[1].Appointments,
			dayVisit("10:00", strings.Repeat("สมชาย", 3), hospital.Booked))
	}
	l.Services = append(l.Services, DayService{Name: "คลินิกตา"})
	var b bytes.Buffer
	if err := WriteDayList(&b, l); err != nil {
		t.Fatal(err)
	}
	r := read(t, b.Bytes())
	for _, text := range []string{
		"โรงพยาบาลศรีนคร", "วันจันทร์ที่ 16 พฤศจิกายน 2569", "คลินิกเบาหวาน · ชั้น 2", "1 ราย (ยกเลิก 1)", "09:00", "คิว 7",
		"A6911-00012", "0012345", "นายประเสริฐ ใจดี", "65 ปี", "081-234-5678", "SSS",
		"นัดติดตาม", "มาถึงแล้ว", "นพ.ธนกฤต", "วัฒนกุล", "ลงชื่อ / หมายเหตุ", "60 ราย", "ทันตกรรม (ต่อ)", "คลินิกตา",
		"ไม่มีนัด", "พิมพ์เมื่อ 15 พ.ย. 2569 14:05 น.",
	} {
		if !r.has(text) {
			t.Errorf("no %q", text)
		}
	}
	if r.has("ยกเลิกแล้ว") {
		t.Error("who cancelled is listed")
	}
	n := len(r.sizes)
	if n < 3 || n > 5 || !near(r.sizes[0][0], 210) || !near(r.sizes[0][1], 297) || r.images != n {
		t.Errorf("pages %v, %d pictures", r.sizes, r.images)
	}
	for i := range r.sizes {
		if !r.has(fmt.Sprintf("หน้า %d/%d", i+1, n)) {
			t.Errorf("page %d has no number", i+1)
		}
	}
	if b.Len() > 200<<10 {
		t.Errorf("%d KB", b.Len()>>10)
	}
	b.Reset()
	l.Services = nil
	if err := WriteDayList(&b, l); err != nil || !read(t, b.Bytes()).has("ไม่มีนัดในวันนี้") {
		t.Errorf("an empty day: %v", err)
	}
}
