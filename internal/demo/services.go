package demo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// hours returns schedule rows for several weekdays.
func hours(days []int, slotMinutes, capacity int, spans ...[2]string) (rows []hospital.ScheduleRow) {
	for _, day := range days {
		for _, span := range spans {
			rows = append(rows, hospital.ScheduleRow{
				Weekday: day, StartTime: span[0], EndTime: span[1], SlotMinutes: slotMinutes, Capacity: capacity,
			})
		}
	}
	return rows
}

var (
	workdays  = []int{1, 2, 3, 4, 5}
	morning   = [2]string{"08:30", "12:00"}
	afternoon = [2]string{"13:00", "16:00"}
)

// patientGroup is the group of patients of a clinic.
type patientGroup int

const (
	everyone  patientGroup = iota
	adults                 // from 15 years
	children               // under 15 years
	women                  // adults
	expectant              // women of childbearing age
	diabetics              // with diabetes, or with high blood pressure and kidney disease
	olderMen               // from 40 years
	elders                 // from 60 years
)

// sees reports whether a patient belongs to the group on a date. Nobody does before their birth.
func (w patientGroup) sees(s sketch, d day) bool {
	age := s.on(d)
	switch w {
	case adults:
		return age >= 15
	case children:
		return age >= 0 && age < 15
	case women:
		return age >= 15 && !s.male
	case expectant:
		return age >= 17 && age <= 42 && !s.male
	case diabetics:
		return age >= 20 && (s.has&diabetes != 0 || s.has&hypertension != 0 && s.has&kidney != 0)
	case olderMen:
		return age >= 40 && s.male
	case elders:
		return age >= 60
	case everyone:
	}
	return age >= 0
}

// clinic is a service with its patients and staff, by username.
type clinic struct {
	hospital.ServiceFields
	patientGroup
	staff []string
}

// The emergency clinic is open day and night, so that there are visits at any hour.
var nights = [][2]string{{"00:00", "08:00"}, {"16:00", "24:00"}}

var clinics = []clinic{
	{hospital.ServiceFields{
		Code: "MED", Name: "อายุรกรรมทั่วไป", NameEn: "General medicine", Department: "อายุรกรรม",
		Location: "อาคารผู้ป่วยนอก ชั้น 1 ห้อง 3", Color: "#0f766e",
		Description:  "ตรวจโรคทั่วไปของผู้ใหญ่ เสาร์–อาทิตย์เปิดครึ่งวันเช้า",
		Instructions: "นำยาที่ใช้อยู่มาด้วยทุกชนิด\nผู้ที่ต้องเจาะเลือดงดน้ำและอาหารหลังเที่ยงคืน", SlotMinutes: 30,
		DefaultCapacity: 4, OverbookLimit: 1,
		Schedule: slices.Concat(hours(workdays, 30, 4, morning), hours(workdays, 30, 2, afternoon),
			hours([]int{0, 6}, 30, 2, [2]string{"09:00", "12:00"})),
	}, adults, []string{"doctor", "nurse"}},
	{hospital.ServiceFields{
		Code: "DM", Name: "คลินิกเบาหวานและความดัน", NameEn: "Diabetes and hypertension", Department: "อายุรกรรม",
		Location: "อาคารผู้ป่วยนอก ชั้น 2 ห้อง 5", Color: "#b45309",
		Description:  "คลินิกโรคเรื้อรัง นัดติดตามทุก 1–3 เดือน",
		Instructions: "งดน้ำและอาหารอย่างน้อย 8 ชั่วโมงก่อนเจาะเลือด\nนำสมุดประจำตัวและยาเดิมมาด้วย", SlotMinutes: 30,
		DefaultCapacity: 5, OverbookLimit: 2,
		Schedule: hours([]int{1, 3, 5}, 30, 5, [2]string{"08:00", "12:00"}),
	}, diabetics, []string{"doctor", "anong.s", "pakawat.s"}},
	{hospital.ServiceFields{
		Code: "PED", Name: "กุมารเวชกรรม", NameEn: "Paediatrics", Department: "กุมารเวชกรรม",
		Location: "อาคารผู้ป่วยนอก ชั้น 2 ห้อง 1", Color: "#be185d",
		Description: "เด็กแรกเกิดถึง 14 ปี บ่ายวันพุธเป็นคลินิกเด็กดี", Instructions: "นำสมุดบันทึกสุขภาพแม่และเด็กมาด้วย",
		SlotMinutes: 20, DefaultCapacity: 2, OverbookLimit: 1,
		Schedule: slices.Concat(hours(workdays, 20, 2, [2]string{"09:00", "12:00"}),
			hours([]int{1, 2, 4}, 20, 1, [2]string{"13:00", "15:00"}), hours([]int{3}, 20, 2, [2]string{"13:00", "16:00"})),
	}, children, []string{"natthaya.c", "ratree.w"}},
	{hospital.ServiceFields{
		Code: "DENT", Name: "ทันตกรรม", NameEn: "Dentistry", Department: "ทันตกรรม", Location: "อาคารทันตกรรม ชั้น 1",
		Color: "#1d4ed8", RequiresApproval: true, BookingWindowDays: ptr(90),
		Description:  "ตรวจ อุด ขูดหินปูน ถอนฟัน เจ้าหน้าที่ยืนยันคิวให้ภายใน 1 วันทำการ",
		Instructions: "แปรงฟันก่อนมาพบทันตแพทย์ และแจ้งโรคประจำตัวทุกครั้ง", SlotMinutes: 45, DefaultCapacity: 2,
		OverbookLimit: 0,
		Schedule: slices.Concat(hours(workdays, 45, 2, [2]string{"08:30", "11:30"}, afternoon),
			hours([]int{6}, 45, 1, [2]string{"09:00", "12:00"})),
	}, everyone, []string{"krit.l"}},
	{hospital.ServiceFields{
		Code: "ANC", Name: "ฝากครรภ์", NameEn: "Antenatal care", Department: "สูติ-นรีเวชกรรม",
		Location: "อาคารแม่และเด็ก ชั้น 1", Color: "#a21caf",
		Description:  "ฝากครรภ์และติดตามการตั้งครรภ์ทุก 4 สัปดาห์",
		Instructions: "นำสมุดฝากครรภ์มาด้วยทุกครั้ง และเก็บปัสสาวะตอนเช้า", SlotMinutes: 30, DefaultCapacity: 3,
		OverbookLimit: 1,
		Schedule:      slices.Concat(hours([]int{2, 4}, 30, 3, morning), hours([]int{2}, 30, 2, [2]string{"13:00", "15:00"})),
	}, expectant, []string{"oranuch.m"}},
	{hospital.ServiceFields{
		Code: "SUR", Name: "ศัลยกรรมและทำแผล", NameEn: "Surgery and wound care", Department: "ศัลยกรรม",
		Location: "อาคารอุบัติเหตุ ชั้น 1", Color: "#854d0e", LeadMinutes: ptr(0),
		Description:  "ตรวจศัลยกรรมในเวลาราชการ ทำแผลและฉีดยาต่อเนื่องตลอด 24 ชั่วโมงทุกวัน",
		Instructions: "นอกเวลาราชการให้ติดต่อที่ห้องฉุกเฉิน\nห้ามให้แผลโดนน้ำก่อนมาทำแผล", SlotMinutes: 30,
		DefaultCapacity: 2, OverbookLimit: 2,
		Schedule: slices.Concat(hours(workdays, 30, 2, morning), hours(workdays, 30, 1, afternoon),
			hours([]int{0, 6}, 60, 1, [2]string{"08:00", "16:00"}), hours([]int{0, 1, 2, 3, 4, 5, 6}, 120, 2, nights...)),
	}, everyone, []string{"suphachai.r", "nurse"}},
}

// others are the additional clinics of a large hospital. Their schedule is that of general medicine.
var others = []clinic{
	named("CAR", "คลินิกโรคหัวใจ", "Cardiology", "อายุรกรรม", "#9f1239", adults),
	named("NEP", "คลินิกโรคไต", "Nephrology", "อายุรกรรม", "#155e75", adults),
	named("NEU", "คลินิกระบบประสาท", "Neurology", "อายุรกรรม", "#5b21b6", adults),
	named("PUL", "คลินิกโรคปอดและหอบหืด", "Chest clinic", "อายุรกรรม", "#0369a1", adults),
	named("ORT", "ศัลยกรรมกระดูกและข้อ", "Orthopaedics", "ศัลยกรรมกระดูก", "#9a3412", everyone),
	named("URO", "ศัลยกรรมระบบปัสสาวะ", "Urology", "ศัลยกรรม", "#3f6212", olderMen),
	named("OBS", "นรีเวชกรรม", "Gynaecology", "สูติ-นรีเวชกรรม", "#be123c", women),
	named("EYE", "ตรวจตา", "Eye clinic", "จักษุ", "#6d28d9", adults),
	named("VAC", "ฉีดวัคซีน", "Vaccination", "เวชศาสตร์ป้องกัน", "#4d7c0f", everyone),
	named("ENT", "หู คอ จมูก", "Ear, nose and throat", "โสต ศอ นาสิก", "#4338ca", everyone),
	named("PSY", "จิตเวช", "Psychiatry", "จิตเวช", "#115e59", adults),
	named("GER", "คลินิกผู้สูงอายุ", "Geriatrics", "อายุรกรรม", "#92400e", elders),
	named("PT", "กายภาพบำบัด", "Physiotherapy", "เวชกรรมฟื้นฟู", "#166534", adults),
	named("TTM", "แพทย์แผนไทย", "Thai traditional medicine", "แพทย์แผนไทย", "#4d7c0f", adults),
}

func named(code, name, nameEn, department, color string, group patientGroup) clinic {
	f := clinics[0].ServiceFields
	f.Code, f.Name, f.NameEn, f.Department, f.Color, f.Location, f.Description = code, name, nameEn, department, color,
		"อาคารผู้ป่วยนอก ชั้น 4", ""
	return clinic{f, group, []string{"doctor", "nurse"}}
}

// clinicsOf returns the clinics of a hospital: a large one has more clinics and capacity, enough to see all
// patients within five years.
func clinicsOf(size Size) []clinic {
	const large, years = 50_000, 5
	if size.Appointments < large {
		return clinics
	}
	all := slices.Concat(clinics, others)
	seats := 0
	for _, c := range all {
		for _, row := range c.Schedule {
			day := hospital.Service{ServiceFields: hospital.ServiceFields{Schedule: []hospital.ScheduleRow{row}}}
			seats += day.Capacity(hospital.AddDays("2026-11-15", row.Weekday), nil, nil) // a Sunday
		}
	}
	const filled = 0.7 // of the capacity
	times := max(1, int(math.Ceil(float64(size.Appointments)/(filled*float64(seats*52*years)))))
	for i, c := range all {
		c.DefaultCapacity *= times
		c.Schedule = slices.Clone(c.Schedule)
		for j := range c.Schedule {
			c.Schedule[j].Capacity *= times
		}
		all[i] = c
	}
	return all
}

// addServices creates the clinics.
func addServices(
	ctx context.Context, db *store.DB, size Size, users map[string]int64, now time.Time,
) ([]hospital.Service, error) {
	today := hospital.MomentOf(now).Date
	var list []hospital.Service
	for i, c := range clinicsOf(size) {
		fields := c.ServiceFields
		fields.Active, fields.Sort = true, i
		for _, name := range c.staff {
			fields.StaffIDs = append(fields.StaffIDs, users[name])
		}
		if c.Code == "DENT" { // opens in the evening from the month after next
			from := today[:8] + "01"
			from = hospital.AddDays(from, 70)[:8] + "01"
			evenings := hours([]int{2, 4}, 45, 1, [2]string{"16:30", "19:30"})
			for i := range evenings {
				evenings[i].ValidFrom = &from
			}
			fields.Schedule = slices.Concat(fields.Schedule, evenings)
		}
		s, err := db.CreateService(ctx, fields)
		if err != nil {
			return nil, fmt.Errorf("sample service %s: %w", c.Code, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// closeDays creates closures for the public holidays and some future hours.
func closeDays(ctx context.Context, db *store.DB, list []hospital.Service) error {
	today := db.Today()
	closed := holidays(hospital.AddDays(today, -back), hospital.AddDays(today, 180), today)
	var made []hospital.Closure
	for _, c := range closed {
		made = append(made, hospital.Closure{ClosureFields: c.Clean()})
	}
	closed = append(closed, []hospital.ClosureFields{
		{DateFrom: nextOpen(list[2], made, today, 5), Reason: "แพทย์ประชุมวิชาการ", ServiceIDs: []int64{list[2].ID}},
		{DateFrom: nextOpen(list[3], made, today, 2), StartTime: ptr("13:00"), EndTime: ptr("16:00"),
			Reason: "บำรุงรักษาเก้าอี้ทำฟัน", ServiceIDs: []int64{list[3].ID}},
		{DateFrom: nextOpen(list[0], made, today, 12), StartTime: ptr("13:00"), EndTime: ptr("16:00"),
			Reason: "ประชุมองค์กรแพทย์", ServiceIDs: []int64{list[0].ID, list[4].ID}},
	}...)
	for _, c := range closed {
		if _, _, err := db.CreateClosure(ctx, c); err != nil {
			return fmt.Errorf("sample closure: %w", err)
		}
	}
	return nil
}

// nextOpen returns the first date, at least the given days from now, on which a service is open.
func nextOpen(s hospital.Service, closures []hospital.Closure, today string, days int) string {
	for date := hospital.AddDays(today, days); ; date = hospital.AddDays(date, 1) {
		if weekday := hospital.WeekdayOf(date); weekday != 0 && weekday != 6 && s.Capacity(date, closures, nil) > 0 {
			return date
		}
	}
}

// rearrange makes changes after appointments were booked: a closed day whose appointments have to be moved,
// and more capacity on a full morning.
func rearrange(ctx context.Context, db *store.DB, services []hospital.Service) error {
	today := db.Today()
	closures, err := db.ListClosures(ctx, today, hospital.AddDays(today, 60), 0)
	if err != nil {
		return err
	}
	late := hospital.ClosureFields{
		DateFrom: nextOpen(services[1], closures, today, 8), Reason: "เจ้าหน้าที่อบรมนอกสถานที่",
		ServiceIDs: []int64{services[1].ID},
	}
	if _, _, err := db.CreateClosure(ctx, late); err != nil {
		return fmt.Errorf("sample closure: %w", err)
	}
	busy := nextOpen(services[0], closures, today, 3)
	for _, start := range []string{"08:30", "09:00", "09:30"} {
		more := hospital.CapacityChange{
			ServiceID: services[0].ID, Date: busy, StartTime: &start, Capacity: ptr(services[0].DefaultCapacity + 2),
		}
		if _, err := db.UpdateCapacity(ctx, more); err != nil {
			return fmt.Errorf("sample capacity: %w", err)
		}
	}
	for i, label := range []string{"หน้าห้องตรวจอายุรกรรม", "โถงคลินิกเด็ก"} {
		if _, _, err := db.CreateDisplay(ctx, hospital.NewDisplay{ServiceID: services[i*2].ID, Label: label}); err != nil {
			return fmt.Errorf("sample screen: %w", err)
		}
	}
	return nil
}

func ptr[T any](v T) *T { return &v }
