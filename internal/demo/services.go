package demo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// hours are openings on several weekdays.
func hours(days []int, slotMinutes, capacity int, spans ...[2]string) (rows []hospital.ScheduleRow) {
	for _, day := range days {
		for _, span := range spans {
			rows = append(rows, hospital.ScheduleRow{Weekday: day, StartTime: span[0], EndTime: span[1], SlotMinutes: slotMinutes, Capacity: capacity})
		}
	}
	return rows
}

var (
	workdays  = []int{1, 2, 3, 4, 5}
	morning   = [2]string{"08:30", "12:00"}
	afternoon = [2]string{"13:00", "16:00"}
)

// clinic is a service with who works for it, by username.
type clinic struct {
	hospital.ServiceFields
	staff []string
}

var clinics = []clinic{
	{hospital.ServiceFields{
		Code: "MED", Name: "อายุรกรรมทั่วไป", NameEn: "General medicine", Department: "อายุรกรรม", Location: "อาคารผู้ป่วยนอก ชั้น 1 ห้อง 3", Color: "#0f766e",
		Instructions: "นำยาที่ใช้อยู่มาด้วยทุกชนิด\nผู้ที่ต้องเจาะเลือดงดน้ำและอาหารหลังเที่ยงคืน", SlotMinutes: 30, DefaultCapacity: 4, OverbookLimit: 1,
		Schedule: append(hours(workdays, 30, 4, morning, afternoon), hours([]int{0, 6}, 30, 2, [2]string{"09:00", "12:00"})...),
	}, []string{"doctor", "nurse"}},
	{hospital.ServiceFields{
		Code: "DM", Name: "คลินิกเบาหวานและความดัน", NameEn: "Diabetes and hypertension", Department: "อายุรกรรม", Location: "อาคารผู้ป่วยนอก ชั้น 2 ห้อง 5", Color: "#b45309",
		Instructions: "งดน้ำและอาหารอย่างน้อย 8 ชั่วโมงก่อนเจาะเลือด\nนำสมุดประจำตัวและยาเดิมมาด้วย", SlotMinutes: 30, DefaultCapacity: 6, OverbookLimit: 2,
		Schedule: hours([]int{1, 3, 5}, 30, 6, [2]string{"08:00", "12:00"}),
	}, []string{"doctor", "anong.s"}},
	{hospital.ServiceFields{
		Code: "PED", Name: "กุมารเวชกรรม", NameEn: "Paediatrics", Department: "กุมารเวชกรรม", Location: "อาคารผู้ป่วยนอก ชั้น 2 ห้อง 1", Color: "#be185d",
		Instructions: "นำสมุดบันทึกสุขภาพแม่และเด็กมาด้วย", SlotMinutes: 20, DefaultCapacity: 2, OverbookLimit: 1,
		Schedule: hours(workdays, 20, 2, morning, [2]string{"13:00", "15:00"}),
	}, []string{"natthaya.c", "ratree.w"}},
	{hospital.ServiceFields{
		Code: "DENT", Name: "ทันตกรรม", NameEn: "Dentistry", Department: "ทันตกรรม", Location: "อาคารทันตกรรม ชั้น 1", Color: "#1d4ed8",
		Instructions: "แปรงฟันก่อนมาพบทันตแพทย์ และแจ้งโรคประจำตัวทุกครั้ง", SlotMinutes: 45, DefaultCapacity: 2, OverbookLimit: 0,
		Schedule: append(hours(workdays, 45, 2, [2]string{"08:30", "11:30"}, [2]string{"13:00", "16:00"}), hours([]int{6}, 45, 1, [2]string{"09:00", "12:00"})...),
	}, []string{"krit.l"}},
	{hospital.ServiceFields{
		Code: "EYE", Name: "ตรวจตา", NameEn: "Eye clinic", Department: "จักษุ", Location: "อาคารผู้ป่วยนอก ชั้น 3 ห้อง 2", Color: "#6d28d9",
		Instructions: "อาจต้องหยอดยาขยายม่านตา ไม่ควรขับรถมาเอง", SlotMinutes: 30, DefaultCapacity: 3, OverbookLimit: 1, RequiresApproval: true,
		Schedule: hours([]int{2, 4}, 30, 3, morning, afternoon),
	}, []string{"oranuch.m"}},
	{hospital.ServiceFields{
		Code: "VAC", Name: "ฉีดวัคซีน", NameEn: "Vaccination", Department: "เวชศาสตร์ป้องกัน", Location: "จุดบริการวัคซีน หน้าอาคารผู้ป่วยนอก", Color: "#4d7c0f",
		Instructions: "นำบัตรประชาชนมาด้วย และรอสังเกตอาการหลังฉีด 30 นาที", SlotMinutes: 15, DefaultCapacity: 3, OverbookLimit: 0,
		Schedule: append(hours(workdays, 15, 3, [2]string{"09:00", "11:30"}, [2]string{"13:30", "15:30"}), hours([]int{0, 6}, 30, 3, [2]string{"09:00", "12:00"})...),
	}, nil},
}

// others are the clinics that a large hospital has beside those above. Their
// hours are those of general medicine.
var others = []clinic{
	named("CAR", "คลินิกโรคหัวใจ", "Cardiology", "อายุรกรรม", "#9f1239"),
	named("NEP", "คลินิกโรคไต", "Nephrology", "อายุรกรรม", "#155e75"),
	named("NEU", "คลินิกระบบประสาท", "Neurology", "อายุรกรรม", "#5b21b6"),
	named("PUL", "คลินิกโรคปอดและหอบหืด", "Chest clinic", "อายุรกรรม", "#0369a1"),
	named("SUR", "ศัลยกรรมทั่วไป", "General surgery", "ศัลยกรรม", "#854d0e"),
	named("ORT", "ศัลยกรรมกระดูกและข้อ", "Orthopaedics", "ศัลยกรรมกระดูก", "#9a3412"),
	named("URO", "ศัลยกรรมระบบปัสสาวะ", "Urology", "ศัลยกรรม", "#3f6212"),
	named("OBS", "สูตินรีเวชกรรม", "Obstetrics and gynaecology", "สูตินรีเวช", "#a21caf"),
	named("ANC", "คลินิกฝากครรภ์", "Antenatal care", "สูตินรีเวช", "#be123c"),
	named("ENT", "หู คอ จมูก", "Ear, nose and throat", "โสต ศอ นาสิก", "#4338ca"),
	named("PSY", "จิตเวช", "Psychiatry", "จิตเวช", "#115e59"),
	named("SKIN", "ผิวหนัง", "Dermatology", "อายุรกรรม", "#92400e"),
	named("PT", "กายภาพบำบัด", "Physiotherapy", "เวชกรรมฟื้นฟู", "#166534"),
	named("TTM", "แพทย์แผนไทย", "Thai traditional medicine", "แพทย์แผนไทย", "#4d7c0f"),
}

func named(code, name, nameEn, department, color string) clinic {
	f := clinics[0].ServiceFields
	f.Code, f.Name, f.NameEn, f.Department, f.Color, f.Location = code, name, nameEn, department, color, "อาคารผู้ป่วยนอก ชั้น 4"
	return clinic{f, []string{"doctor", "nurse"}}
}

// clinicsOf are the clinics of a hospital of a size: a large one has more of
// them, with as many more seats as it needs to see everybody within five years.
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
	const filled = 0.7 // of the seats, over a day
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

// addServices opens the clinics of the sample hospital and closes some days.
func addServices(ctx context.Context, db *store.DB, size Size) ([]hospital.Service, error) {
	users, err := db.UserRefs(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]int64{}
	for _, u := range users {
		byName[u.Name] = u.ID
	}
	idOf := map[string]int64{}
	for _, p := range staff {
		idOf[p.username] = byName[p.name]
	}
	var list []hospital.Service
	for i, c := range clinicsOf(size) {
		fields := c.ServiceFields
		fields.Active, fields.Sort = true, i
		for _, name := range c.staff {
			fields.StaffIDs = append(fields.StaffIDs, idOf[name])
		}
		s, err := db.CreateService(ctx, fields)
		if err != nil {
			return nil, fmt.Errorf("sample service %s: %w", c.Code, err)
		}
		list = append(list, s)
	}
	today := db.Today()
	holiday := hospital.AddDays(today, 9)
	for _, c := range []hospital.ClosureFields{
		{DateFrom: holiday, Reason: "วันหยุดชดเชย", Kind: hospital.ClosureHoliday},
		{DateFrom: hospital.AddDays(today, 5), Reason: "แพทย์ประชุมวิชาการ", ServiceIDs: []int64{list[2].ID}},
		{DateFrom: hospital.AddDays(today, 2), StartTime: ptr("13:00"), EndTime: ptr("16:00"), Reason: "บำรุงรักษาเก้าอี้ทำฟัน", ServiceIDs: []int64{list[3].ID}},
	} {
		if _, _, err := db.CreateClosure(ctx, c); err != nil {
			return nil, fmt.Errorf("sample closure: %w", err)
		}
	}
	return list, nil
}

func ptr[T any](v T) *T { return &v }
