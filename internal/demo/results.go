package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nadmor/internal/demo/load"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// finding is a typical diagnosis of a clinic.
type finding struct {
	diagnosis string
	codes     []string
	advice    string
	backDays  int     // days to the follow-up, 0 for none
	of        illness // only for patients with one of these, 0 for all
	low, high int     // ages; no limit if high is 0
	sex       hospital.Sex
	office    bool // during office hours only
}

// fits reports whether a patient can have the finding.
func (f finding) fits(s sketch, age int) bool {
	return (f.of == 0 || s.has&f.of != 0) && age >= f.low && (f.high == 0 || age <= f.high) &&
		(f.sex == "" || (f.sex == hospital.Male) == s.male)
}

// findings are the findings by clinic. See pregnancy for antenatal care.
var findings = map[string][]finding{
	"MED": {
		{diagnosis: "ติดเชื้อทางเดินหายใจส่วนบนเฉียบพลัน", codes: []string{"J06.9"},
			advice: "พักผ่อนให้เพียงพอ ดื่มน้ำอุ่น หากมีไข้เกิน 3 วันให้กลับมาพบแพทย์"},
		{diagnosis: "กล้ามเนื้อหลังส่วนล่างอักเสบ", codes: []string{"M54.5"},
			advice: "งดยกของหนัก ประคบอุ่น และบริหารหลังตามแผ่นพับ", backDays: 14, low: 18},
		{diagnosis: "กระเพาะอาหารอักเสบ", codes: []string{"K29.7"}, advice: "รับประทานอาหารตรงเวลา งดอาหารรสจัด ชา กาแฟ",
			backDays: 28},
		{diagnosis: "ปวดศีรษะจากความเครียด", codes: []string{"G44.2"}, advice: "พักสายตา นอนให้พอ หลีกเลี่ยงกาแฟช่วงบ่าย",
			low: 15, high: 60},
		{diagnosis: "กรวยไตอักเสบเฉียบพลัน", codes: []string{"N10"}, advice: "รับประทานยาให้ครบ ดื่มน้ำวันละ 2–3 ลิตร",
			backDays: 7, low: 18, high: 60, sex: hospital.Female},
		{diagnosis: "ต่อมลูกหมากโต", codes: []string{"N40"}, advice: "ลดน้ำและกาแฟก่อนนอน หากปัสสาวะไม่ออกให้มาทันที",
			backDays: 84, low: 55, sex: hospital.Male},
		{diagnosis: "ข้อเข่าเสื่อม", codes: []string{"M17.9"}, advice: "ลดน้ำหนัก งดนั่งพับเพียบและขัดสมาธิ", backDays: 56,
			low: 50},
		{diagnosis: "ความดันโลหิตสูงชนิดไม่ทราบสาเหตุ ควบคุมได้ดี", codes: []string{"I10"},
			advice: "ลดอาหารเค็ม วัดความดันที่บ้านทุกเช้า", backDays: 56, of: hypertension},
		{diagnosis: "ความดันโลหิตสูง ยังควบคุมไม่ได้ ปรับยา", codes: []string{"I10"},
			advice: "รับประทานยาสม่ำเสมอ ลดน้ำปลาและบะหมี่กึ่งสำเร็จรูป", backDays: 28, of: hypertension},
		{diagnosis: "ไขมันในเลือดสูง", codes: []string{"E78.5"},
			advice: "ลดของทอดและเนื้อสัตว์ติดมัน ออกกำลังกายสัปดาห์ละ 150 นาที", backDays: 84, of: lipids},
		{diagnosis: "หัวใจห้องบนเต้นผิดจังหวะ", codes: []string{"I48.9"},
			advice: "รับประทานยาละลายลิ่มเลือดตรงเวลา ระวังการกระแทก", backDays: 28, of: heartDisease, low: 45},
		{diagnosis: "หอบหืด ควบคุมได้บางส่วน", codes: []string{"J45.9"},
			advice: "พ่นยาทุกวันแม้ไม่มีอาการ หลีกเลี่ยงฝุ่นและควัน", backDays: 56, of: asthma},
		{diagnosis: "ไตเรื้อรังระยะที่ 3", codes: []string{"N18.3"}, advice: "ลดอาหารเค็ม หลีกเลี่ยงยาแก้ปวดกลุ่ม NSAIDs",
			backDays: 84, of: kidney},
		{diagnosis: "เก๊าท์", codes: []string{"M10.9"}, advice: "งดเครื่องในสัตว์ สัตว์ปีก และเครื่องดื่มแอลกอฮอล์",
			backDays: 28, of: gout},
	},
	"DM": {
		{diagnosis: "เบาหวานชนิดที่ 2 ยังไม่มีภาวะแทรกซ้อน", codes: []string{"E11.9"},
			advice: "คุมอาหารประเภทแป้งและน้ำตาล ตรวจเท้าทุกวัน", backDays: 56, of: diabetes},
		{diagnosis: "เบาหวานชนิดที่ 2 HbA1c 7.8% ปรับยา", codes: []string{"E11.9"},
			advice: "ลดข้าวเหนียวและผลไม้หวาน เดินเร็ววันละ 30 นาที", backDays: 28, of: diabetes},
		{diagnosis: "ความดันโลหิตสูงร่วมกับไตเรื้อรัง", codes: []string{"I12.9", "N18.3"},
			advice: "ลดอาหารเค็ม หลีกเลี่ยงยาแก้ปวดกลุ่ม NSAIDs", backDays: 56, of: kidney},
		{diagnosis: "ความดันโลหิตสูง ควบคุมได้ดี", codes: []string{"I10"},
			advice: "รับประทานยาตรงเวลา งดน้ำและอาหารก่อนเจาะเลือดครั้งหน้า", backDays: 84, of: hypertension},
	},
	"PED": {
		{diagnosis: "หวัดธรรมดา", codes: []string{"J00"}, advice: "เช็ดตัวลดไข้ ให้ดื่มน้ำบ่อย ๆ"},
		{diagnosis: "อุจจาระร่วงเฉียบพลัน สงสัยติดเชื้อไวรัส", codes: []string{"A09.0"},
			advice: "ให้จิบเกลือแร่ หากซึมหรือปัสสาวะน้อยให้มาโรงพยาบาลทันที"},
		{diagnosis: "ตรวจสุขภาพเด็กดี พัฒนาการสมวัย", codes: []string{"Z00.1"}, advice: "นัดรับวัคซีนตามสมุดบันทึกสุขภาพ",
			backDays: 56, high: 5},
		{diagnosis: "มือ เท้า ปาก", codes: []string{"B08.4"}, advice: "หยุดเรียน 7 วัน แยกของใช้ ล้างมือบ่อย ๆ", high: 6},
		{diagnosis: "คออักเสบเฉียบพลัน", codes: []string{"J02.9"}, advice: "รับประทานยาให้ครบ ดื่มน้ำอุ่น", low: 3},
		{diagnosis: "หอบหืดในเด็ก ควบคุมได้ดี", codes: []string{"J45.9"}, advice: "พ่นยาทุกวัน ล้างปากหลังพ่น", backDays: 56,
			of: asthma},
		{diagnosis: "ไข้หวัดใหญ่", codes: []string{"J11.1"}, advice: "หยุดเรียนจนไข้ลงครบ 24 ชั่วโมง", low: 2},
	},
	"DENT": {
		{diagnosis: "ฟันผุถึงเนื้อฟัน ซี่ 36 อุดฟันแล้ว", codes: []string{"K02.1"}, advice: "งดเคี้ยวอาหารแข็ง 24 ชั่วโมง",
			low: 7},
		{diagnosis: "เหงือกอักเสบเรื้อรัง ขูดหินปูนทั้งปาก", codes: []string{"K05.1", "K03.6"},
			advice: "แปรงฟันวันละ 2 ครั้ง ใช้ไหมขัดฟันทุกวัน", backDays: 168, low: 15},
		{diagnosis: "ฟันคุดซี่ 48 ผ่าออกแล้ว", codes: []string{"K01.1"},
			advice: "กัดผ้าก๊อซ 1 ชั่วโมง ประคบเย็น ตัดไหมใน 7 วัน", backDays: 7, low: 17, high: 45},
		{diagnosis: "ฟันน้ำนมผุ เคลือบฟลูออไรด์", codes: []string{"K02.9"}, advice: "งดน้ำและอาหาร 30 นาที ไม่ให้หลับคาขวดนม",
			backDays: 168, high: 9},
		{diagnosis: "สูญเสียฟันบางส่วน พิมพ์ปากทำฟันเทียม", codes: []string{"K08.1"}, advice: "นัดลองฟันเทียมครั้งต่อไป",
			backDays: 14, low: 50},
	},
	"SUR": {
		{diagnosis: "แผลฉีกขาดที่มือ แผลแห้งดี", codes: []string{"S61.9"}, advice: "ทำแผลวันเว้นวัน ห้ามโดนน้ำ", backDays: 2},
		{diagnosis: "ฝีที่ผิวหนัง กรีดระบายหนอง", codes: []string{"L02.9"}, advice: "ทำแผลทุกวัน รับประทานยาฆ่าเชื้อให้ครบ",
			backDays: 1},
		{diagnosis: "ถูกสุนัขกัด ได้วัคซีนพิษสุนัขบ้า", codes: []string{"W54", "Z24.2"}, advice: "มาฉีดวัคซีนให้ครบตามนัด",
			backDays: 4, low: 3},
		{diagnosis: "แผลที่เท้าจากเบาหวาน", codes: []string{"E11.5", "L97"},
			advice: "ห้ามเดินเท้าเปล่า ทำแผลทุกวัน คุมน้ำตาล", backDays: 1, of: diabetes},
		{diagnosis: "ก้อนไขมันใต้ผิวหนัง ผ่าออกแล้ว", codes: []string{"D17.9"}, advice: "ตัดไหม 7–10 วัน", backDays: 8,
			low: 20, office: true},
		{diagnosis: "ไส้เลื่อนขาหนีบ นัดผ่าตัด", codes: []string{"K40.9"},
			advice: "งดยกของหนัก หากปวดและดันไม่กลับให้มาทันที", backDays: 21, low: 30, sex: hospital.Male, office: true},
		{diagnosis: "ก้อนที่เต้านม ลักษณะไม่ร้าย", codes: []string{"D24"},
			advice: "คลำเต้านมด้วยตนเองทุกเดือน นัดอัลตราซาวด์ซ้ำ", backDays: 168, low: 20, sex: hospital.Female, office: true},
	},
	"EYE": {
		{diagnosis: "ต้อกระจกในผู้สูงอายุ ทั้งสองตา", codes: []string{"H25.9"},
			advice: "สวมแว่นกันแดด หากตามัวลงเร็วให้มาก่อนนัด", backDays: 84, low: 55},
		{diagnosis: "ตาแห้ง", codes: []string{"H04.1"}, advice: "หยอดน้ำตาเทียมวันละ 4 ครั้ง พักสายตาทุก 20 นาที",
			backDays: 28},
	},
	"VAC": {
		{diagnosis: "รับวัคซีนไข้หวัดใหญ่ ไม่มีอาการข้างเคียงหลังสังเกต 30 นาที", codes: []string{"Z25.1"},
			advice: "หากมีไข้ให้รับประทานพาราเซตามอล"},
	},
}

// pregnancy returns the finding of a pregnant woman in a week.
func pregnancy(week int, rng *rand.Rand) finding {
	f := finding{
		diagnosis: fmt.Sprintf("ครรภ์ %d สัปดาห์ ทารกเติบโตตามเกณฑ์", week), codes: []string{"Z34.9"},
		advice: "รับประทานยาบำรุงทุกวัน นับลูกดิ้น หากมีเลือดออกหรือน้ำเดินให้มาทันที", backDays: 28,
	}
	switch {
	case week < 14:
		f.diagnosis, f.advice = fmt.Sprintf("ฝากครรภ์ครั้งแรก อายุครรภ์ %d สัปดาห์", week),
			"รับประทานโฟลิก งดยาที่ไม่ได้สั่งโดยแพทย์ นัดฟังผลเลือด"
	case week >= 36:
		f.backDays = 7
	case week >= 24 && rng.IntN(8) == 0:
		f.diagnosis, f.codes, f.advice, f.backDays = fmt.Sprintf("เบาหวานขณะตั้งครรภ์ อายุครรภ์ %d สัปดาห์", week), []string{
			"O24.4",
		}, "คุมอาหารแป้งและน้ำตาล เจาะน้ำตาลปลายนิ้วตามตาราง", 14
	}
	return f
}

// mostResults is the maximum number of results. In a large hospital only the latest visits have one.
const mostResults = 30_000

// findingsOf collects the results of visits.
type findingsOf struct {
	planner
	rng  *rand.Rand
	list []hospital.Result
	last []visit // completed visits of the last days
}

// write adds a result for most of the completed visits.
func (o *findingsOf) write(v visit) {
	if v.Status != hospital.Completed {
		return
	}
	if o.last = append(o.last, v); len(o.last) > 1000 {
		o.last = slices.Delete(o.last, 0, 500)
	}
	f, ok := o.finding(v)
	if !ok || o.rng.IntN(8) == 0 {
		return
	}
	if len(o.list) >= 2*mostResults {
		o.list = slices.Delete(o.list, 0, mostResults)
	}
	o.list = append(o.list, o.result(v, f))
}

// finding returns a finding for a visit. Chronic illnesses are found as often as others.
func (o *findingsOf) finding(v visit) (finding, bool) {
	s := o.people[v.PatientID]
	if v.patientGroup == expectant {
		return pregnancy(v.weeks, o.rng), true
	}
	date, _ := time.Parse(time.DateOnly, v.Date)
	age := s.on(dayOf(date))
	office := v.StartTime >= morning[0] && v.StartTime < afternoon[1] &&
		slices.Contains(workdays, hospital.WeekdayOf(v.Date))
	var known, possible []finding
	for _, f := range findings[v.Code] {
		if f.fits(s, age) && (office || !f.office) {
			if possible = append(possible, f); f.of != 0 {
				known = append(known, f)
			}
		}
	}
	if len(known) > 0 && o.rng.IntN(2) == 0 {
		possible = known
	}
	if len(possible) == 0 {
		return finding{}, false
	}
	return pick(o.rng, possible), true
}

func (o *findingsOf) result(v visit, f finding) hospital.Result {
	r := hospital.Result{
		AppointmentID: v.ID, PatientID: v.PatientID, CreatedAt: *v.CompletedAt,
		ResultFields: hospital.ResultFields{
			Type: hospital.ResultDiagnosis, Diagnosis: f.diagnosis, ICD10: f.codes, Advice: f.advice,
		},
	}
	for _, id := range v.service.StaffIDs {
		if name, doctor := o.doctors[id]; doctor && (r.CreatedBy == nil || v.StaffID != nil && id == *v.StaffID) {
			r.CreatedBy, r.CreatedByName = &id, name
		}
	}
	if f.backDays > 0 && o.rng.IntN(3) > 0 {
		back := hospital.AddDays(v.Date, f.backDays)
		r.FollowUpDate = &back
	}
	return r
}

// addResults writes the results. Some of the latest have a file.
func addResults(ctx context.Context, db *store.DB, uploads files.Store, found *findingsOf) error {
	const withFile = 12
	list := found.list[max(0, len(found.list)-mostResults):]
	keys := make([]string, len(list))
	for n := range min(withFile, len(found.last)/9) { // of the last days, which are seen first
		r, key, err := found.withFile(ctx, uploads, found.last[len(found.last)-1-n*9], n+1)
		if err != nil {
			return err
		}
		list, keys = append(list, r), append(keys, key)
	}
	if err := load.Results(ctx, db, list, keys); err != nil {
		return fmt.Errorf("sample results: %w", err)
	}
	return nil
}

// withFile stores a blood count or an X-ray of the visit.
func (o *findingsOf) withFile(ctx context.Context, uploads files.Store, v visit,
	n int) (hospital.Result, string, error) {
	r := o.result(v, finding{})
	r.Type, r.ICD10 = hospital.ResultLab, []string{}
	v.Patient.HN = hospital.NumberFormat(hospital.DefaultSetting.HNFormat).Format(o.now, v.PatientID)
	name, contentType, body := "ผลตรวจเลือด CBC "+v.Patient.HN+".pdf", "application/pdf", bloodCount(v.Appointment)
	if n%3 == 0 && v.patientGroup != expectant {
		r.Type = hospital.ResultXRay
		name, contentType, body = "ภาพรังสีทรวงอก "+v.Patient.HN+".png", "image/png", chest()
	}
	key := fmt.Sprintf("%s/sampleresult%012d%s", files.Results, n, name[strings.LastIndexByte(name, '.'):])
	if _, err := uploads.Put(ctx, key, bytes.NewReader(body), files.MaxImageBytes); err != nil {
		return r, key, fmt.Errorf("sample file: %w", err)
	}
	sum := sha256.Sum256(body)
	r.File = &hospital.ResultFile{
		Name: name, ContentType: contentType, Size: int64(len(body)), SHA256: hex.EncodeToString(sum[:]),
	}
	return r, key, nil
}

// bloodCount returns a laboratory report as a PDF with a standard font.
func bloodCount(a hospital.Appointment) []byte {
	var page strings.Builder
	at := 780
	line := func(size int, text string) {
		fmt.Fprintf(&page, "BT /F1 %d Tf 60 %d Td (%s) Tj ET\n", size, at,
			strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text))
		at -= size + 10
	}
	line(18, "Si Nakhon Hospital - Laboratory")
	line(12,
		fmt.Sprintf("HN %s   Visit %s   Date %s/%s/%d", a.Patient.HN, a.Number, a.Date[8:], a.Date[5:7], buddhist(a.Date)))
	line(14, "Complete blood count")
	for i, row := range []struct{ name, unit, normal string }{
		{"Hemoglobin", "g/dL", "12.0-16.0"}, {"Hematocrit", "%", "36-48"}, {"White cells", "x10^3/uL", "4.5-11.0"}, {
			"Platelets", "x10^3/uL", "150-450",
		},
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
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", page.Len(), page.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
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
	return year + hospital.BuddhistEra
}

// chest returns an image like a chest X-ray. It is drawn once.
var chest = sync.OnceValue(func() []byte {
	grey := func(v uint8, alpha uint8, s shape) layer { return layer{s, color.NRGBA{v, v, v, alpha}} }
	layers := []layer{
		grey(95, 255, box(200, 250, 170, 230, 90)), grey(28, 235, box(128, 220, 58, 150, 55)),
		grey(28, 235, box(272, 220, 58, 150, 55)), grey(150, 220, box(200, 250, 16, 230, 8)),
		grey(140, 200, heart(225, 300, 130)),
	}
	for i := range 8 {
		y := 105 + float64(i)*34
		layers = append(layers, grey(190, 70, line(9, 60, y+14, 120, y-6, 190, y)),
			grey(190, 70, line(9, 340, y+14, 280, y-6, 210, y)))
	}
	layers = append(layers, grey(200, 150, line(14, 70, 80, 195, 62)), grey(200, 150, line(14, 330, 82, 205, 62)))
	return paint(400, 500, color.NRGBA{8, 8, 10, 255}, color.NRGBA{16, 16, 20, 255}, nil, layers...)
})
