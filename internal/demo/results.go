package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// finding is what a doctor of a clinic often writes.
type finding struct {
	diagnosis string
	codes     []string
	advice    string
	backDays  int // 0 for nobody asked back
}

var findings = map[string][]finding{
	"MED": {
		{"ติดเชื้อทางเดินหายใจส่วนบนเฉียบพลัน", []string{"J06.9"}, "พักผ่อนให้เพียงพอ ดื่มน้ำอุ่น หากมีไข้เกิน 3 วันให้กลับมาพบแพทย์", 0},
		{"ความดันโลหิตสูงชนิดไม่ทราบสาเหตุ ควบคุมได้ดี", []string{"I10"}, "ลดอาหารเค็ม วัดความดันที่บ้านทุกเช้า", 56},
		{"กล้ามเนื้อหลังส่วนล่างอักเสบ", []string{"M54.5"}, "งดยกของหนัก ประคบอุ่น และบริหารหลังตามแผ่นพับ", 14},
		{"ไขมันในเลือดสูง", []string{"E78.5"}, "ลดของทอดและเนื้อสัตว์ติดมัน ออกกำลังกายสัปดาห์ละ 150 นาที", 84},
		{"กระเพาะอาหารอักเสบ", []string{"K29.7"}, "รับประทานอาหารตรงเวลา งดอาหารรสจัด ชา กาแฟ", 28},
	},
	"DM": {
		{"เบาหวานชนิดที่ 2 ยังไม่มีภาวะแทรกซ้อน", []string{"E11.9"}, "คุมอาหารประเภทแป้งและน้ำตาล ตรวจเท้าทุกวัน", 28},
		{"เบาหวานชนิดที่ 2 ร่วมกับความดันโลหิตสูง", []string{"E11.9", "I10"}, "รับประทานยาตรงเวลา งดน้ำและอาหารก่อนเจาะเลือดครั้งหน้า", 56},
		{"เบาหวานชนิดที่ 2 มีภาวะแทรกซ้อนทางไต", []string{"E11.2", "N18.3"}, "ลดอาหารเค็ม หลีกเลี่ยงยาแก้ปวดกลุ่ม NSAIDs", 28},
	},
	"PED": {
		{"หวัดธรรมดา", []string{"J00"}, "เช็ดตัวลดไข้ ให้ดื่มน้ำบ่อย ๆ", 0},
		{"อุจจาระร่วงเฉียบพลัน สงสัยติดเชื้อไวรัส", []string{"A09.0"}, "ให้จิบเกลือแร่ หากซึมหรือปัสสาวะน้อยให้มาโรงพยาบาลทันที", 0},
		{"ตรวจสุขภาพเด็กดี พัฒนาการสมวัย", []string{"Z00.1"}, "นัดรับวัคซีนตามสมุดบันทึกสุขภาพ", 56},
	},
	"DENT": {
		{"ฟันผุถึงเนื้อฟัน ซี่ 36 อุดฟันแล้ว", []string{"K02.1"}, "งดเคี้ยวอาหารแข็ง 24 ชั่วโมง", 0},
		{"เหงือกอักเสบเรื้อรัง ขูดหินปูนทั้งปาก", []string{"K05.1", "K03.6"}, "แปรงฟันวันละ 2 ครั้ง ใช้ไหมขัดฟันทุกวัน", 84},
	},
	"EYE": {
		{"ต้อกระจกในผู้สูงอายุ ทั้งสองตา", []string{"H25.9"}, "สวมแว่นกันแดด หากตามัวลงเร็วให้มาก่อนนัด", 84},
		{"ตาแห้ง", []string{"H04.1"}, "หยอดน้ำตาเทียมวันละ 4 ครั้ง พักสายตาทุก 20 นาที", 28},
	},
	"VAC": {
		{"รับวัคซีนไข้หวัดใหญ่ ไม่มีอาการข้างเคียงหลังสังเกต 30 นาที", []string{"Z25.1"}, "หากมีไข้ให้รับประทานพาราเซตามอล", 0},
	},
}

// addResults writes down what was found at most of the visits of the past two
// months. Some have a file.
func addResults(ctx context.Context, db *store.DB, uploads files.Store) error {
	const withFile, most = 12, 6000
	var visits []hospital.Appointment
	for days := range back + 1 { // of a large hospital the last ones
		date := hospital.AddDays(db.Today(), -days)
		day, err := db.AppointmentsIn(ctx, hospital.AppointmentFilter{DateFrom: date, DateTo: date, Statuses: []hospital.AppointmentStatus{hospital.Completed}})
		if err != nil {
			return err
		}
		day = slices.DeleteFunc(day, func(a hospital.Appointment) bool { return len(findings[a.Service.Code]) == 0 })
		if visits = slices.Concat(day, visits); len(visits) >= most {
			visits = visits[len(visits)-most:]
			break
		}
	}
	rng := rand.New(rand.NewPCG(2569, 2)) //nolint:gosec // sample data
	var list []hospital.Result
	var keys []string
	for i, a := range visits {
		if rng.IntN(8) == 0 {
			continue
		}
		list, keys = append(list, resultOf(a, pick(rng, findings[a.Service.Code]), rng)), append(keys, "")
		if ahead := len(visits) - i; ahead%9 == 0 && ahead/9 <= withFile { // of the last days, where people look first
			r, key, err := resultWithFile(ctx, uploads, a, ahead/9)
			if err != nil {
				return err
			}
			list, keys = append(list, r), append(keys, key)
		}
	}
	if err := db.LoadResults(ctx, list, keys); err != nil {
		return fmt.Errorf("sample results: %w", err)
	}
	return nil
}

func resultOf(a hospital.Appointment, f finding, rng *rand.Rand) hospital.Result {
	r := hospital.Result{
		AppointmentID: a.ID, PatientID: a.PatientID, CreatedBy: a.StaffID, CreatedByName: "นพ.ธนกฤต วัฒนกุล", CreatedAt: *a.CompletedAt,
		ResultFields: hospital.ResultFields{Type: hospital.ResultDiagnosis, Diagnosis: f.diagnosis, ICD10: f.codes, Advice: f.advice},
	}
	if a.Staff != nil {
		r.CreatedByName = a.Staff.Name
	}
	if f.backDays > 0 && rng.IntN(3) > 0 {
		back := hospital.AddDays(a.Date, f.backDays)
		r.FollowUpDate = &back
	}
	return r
}

// resultWithFile keeps a blood count or an X-ray of the visit.
func resultWithFile(ctx context.Context, uploads files.Store, a hospital.Appointment, n int) (hospital.Result, string, error) {
	r := resultOf(a, finding{}, nil)
	r.Type, r.ICD10, r.FollowUpDate = hospital.ResultLab, []string{}, nil
	name, contentType, body := "ผลตรวจเลือด CBC "+a.Patient.HN+".pdf", "application/pdf", bloodCount(a)
	if n%3 == 0 {
		r.Type = hospital.ResultXRay
		name, contentType, body = "ภาพรังสีทรวงอก "+a.Patient.HN+".png", "image/png", chest(n)
	}
	key := fmt.Sprintf("%s/sampleresult%012d%s", files.Results, n, name[strings.LastIndexByte(name, '.'):])
	if _, err := uploads.Put(ctx, key, bytes.NewReader(body), files.MaxImageBytes); err != nil {
		return r, key, fmt.Errorf("demo file: %w", err)
	}
	sum := sha256.Sum256(body)
	r.File = &hospital.ResultFile{Name: name, ContentType: contentType, Size: int64(len(body)), SHA256: hex.EncodeToString(sum[:])}
	return r, key, nil
}

// bloodCount is a page as a laboratory prints it, in the letters that every PDF
// reader has.
func bloodCount(a hospital.Appointment) []byte {
	var page strings.Builder
	at := 780
	line := func(size int, text string) {
		fmt.Fprintf(&page, "BT /F1 %d Tf 60 %d Td (%s) Tj ET\n", size, at, strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text))
		at -= size + 10
	}
	line(18, "Si Nakhon Hospital - Laboratory")
	line(12, fmt.Sprintf("HN %s   Visit %s   Date %s/%s/%d", a.Patient.HN, a.Number, a.Date[8:], a.Date[5:7], buddhist(a.Date)))
	line(14, "Complete blood count")
	for i, row := range []struct{ name, unit, normal string }{
		{"Hemoglobin", "g/dL", "12.0-16.0"}, {"Hematocrit", "%", "36-48"}, {"White cells", "x10^3/uL", "4.5-11.0"}, {"Platelets", "x10^3/uL", "150-450"},
	} {
		value := []float64{13.1, 39, 7.2, 254}[i] + float64(a.ID%7)/10
		line(12, fmt.Sprintf("%s   %.1f %s   (%s)", row.name, value, row.unit, row.normal))
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := []int{}
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", page.Len(), page.String()), "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}

func buddhist(date string) int {
	year, _ := strconv.Atoi(date[:4])
	return year + 543
}

// chest is something like an X-ray of one.
func chest(n int) []byte {
	grey := func(v uint8, alpha uint8, s shape) layer { return layer{s, color.NRGBA{v, v, v, alpha}} }
	layers := []layer{grey(95, 255, box(200, 250, 170, 230, 90)), grey(28, 235, box(128, 220, 58, 150, 55)), grey(28, 235, box(272, 220, 58, 150, 55)), grey(150, 220, box(200, 250, 16, 230, 8)), grey(140, 200, heart(225, 300, 130))}
	for i := range 8 {
		y := 105 + float64(i)*34
		layers = append(layers, grey(190, 70, line(9, 60, y+14, 120, y-6, 190, y)), grey(190, 70, line(9, 340, y+14, 280, y-6, 210, y)))
	}
	tilt := math.Sin(float64(n)) * 4
	layers = append(layers, grey(200, 150, line(14, 70, 80+tilt, 195, 62)), grey(200, 150, line(14, 330, 80-tilt, 205, 62)))
	return paint(400, 500, color.NRGBA{8, 8, 10, 255}, color.NRGBA{16, 16, 20, 255}, nil, layers...)
}
