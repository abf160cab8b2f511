package storetest

import (
	"context"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Person is a patient with a value in every field and record that can contain personal data.
type Person struct {
	hospital.Patient
	Visits  []hospital.Appointment // completed, no-show, cancelled, deleted
	Result  hospital.Result        // with a file
	Self    hospital.Customer      // the person's own app account
	Mother  hospital.Customer      // books for the person and for Sibling
	Sibling hospital.Patient
	Values  []string // personal data of the person, with former values
	Others  []string // personal data of other people
}

// AddPerson adds a Person without upcoming appointments. file, the file of the result, must be stored before.
//
//nolint:revive // t comes first in tests
func AddPerson(t testing.TB, db *store.DB, ctx context.Context, file *hospital.StoredFile) (p Person) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	consent := db.Now().Add(-time.Hour)
	fields := hospital.PatientFields{
		HN: "88-004217", IDType: hospital.IDCitizen, IDCard: "1111111111119", PassportNo: "ZQ7741852",
		Prename: "นางสาว", FirstName: "กัญญาวีร์", LastName: "เดิมสกุลวงศ์",
		FirstNameEn: "Kanyawee", LastNameEn: "Doemsakul",
		BirthDate: "1987-03-29", Sex: hospital.Female, BloodGroup: "AB",
		Nationality: "ไทย", Religion: "พุทธนิกายเฉพาะ", MaritalStatus: "โสดสนิท", Occupation: "ช่างทองหลวง",
		Phone: "0898877665", Phone2: "025551234", Email: "kanyawee@person.example", LineUserID: "U-kanyawee-line",
		Address: hospital.Address{
			Line: "77/41 ซอยพิกุลทอง", Moo: "9", Subdistrict: "บางกะเจ้าน้อย", District: "พระประแดงใน",
			Province: "สมุทรปราการ", PostalCode: "10139",
		},
		RightCode: "UCS", RightCardNo: "R5566778899", RightHospital: "รพ.สิทธิเดิมของเธอ",
		Allergies:   []hospital.Allergy{{Substance: "เพนิซิลลินพิเศษ", Reaction: "ผื่นลมพิษทั้งตัว"}},
		Conditions:  []string{"หอบหืดแต่กำเนิด"},
		ContactName: "ยายบุญมาเพื่อนบ้าน", ContactRelation: "เพื่อนบ้านข้างเคียง", ContactPhone: "0811122233",
		ConsentAt: &consent, Note: "แพ้เสียงดัง ห้ามโทรเช้า",
	}
	var err error
	p.Patient, err = db.CreatePatient(ctx, fields, false)
	must(err)
	p.Patient, err = db.UpdatePatient(ctx, p.ID, p.Version, true, func(f *hospital.PatientFields) error {
		f.LastName, f.Phone = "ใหม่สกุลชัย", "0617788990"
		return nil
	})
	must(err)
	_, err = db.Patient(ctx, p.ID)
	must(err)
	_, err = db.RevealIDCard(ctx, p.ID, "ตรวจบัตรของกัญญาวีร์ที่เคาน์เตอร์")
	must(err)
	p.Sibling = AddPatient(t, db, "ธนดลน้อง")
	p.Self, err = db.CreateCustomer(ctx, hospital.CustomerFields{
		Name: "บัญชีกัญญาวีร์", Phone: "0829911882", Email: "app-kanyawee@person.example", Note: "ขอใบเสร็จทุกครั้งนะ",
		Patients: []hospital.CustomerPatient{{PatientID: p.ID, Relation: hospital.RelationSelf}},
	})
	must(err)
	p.Mother, err = db.CreateCustomer(ctx, hospital.CustomerFields{
		Name: "แม่สายพิณ", Phone: "0850000111",
		Patients: []hospital.CustomerPatient{
			{PatientID: p.ID, Relation: hospital.RelationChild},
			{PatientID: p.Sibling.ID, Relation: hospital.RelationChild},
		},
	})
	must(err)

	s := AddService(t, db, "PDPA", 1)
	s, err = db.UpdateService(ctx, s.ID, s.Version, func(f *hospital.ServiceFields) error {
		f.OverbookLimit = 1
		return nil
	})
	must(err)
	book := func(date, start string, more func(*hospital.NewAppointment)) hospital.Appointment {
		in := hospital.NewAppointment{PatientID: p.ID, AppointmentFields: hospital.AppointmentFields{
			ServiceID: s.ID, Date: date, StartTime: start, CustomerID: &p.Self.ID,
			Reason: "ปวดท้องน้อยด้านขวา", Note: "ขอพบแพทย์หญิงเท่านั้น",
		}}
		if more != nil {
			more(&in)
		}
		a, err := db.Book(Keyed(ctx, "person "+date+start, ""), in)
		must(err)
		return a
	}
	Book(t, db, ctx, p.Sibling, s, "2026-11-16", "10:00")
	came := book("2026-11-16", "10:00", func(in *hospital.NewAppointment) {
		in.OverbookReason = "ญาติหมอฝากมาเป็นพิเศษ"
	})
	absent := book("2026-11-16", "09:00", nil) // a slot that has started
	cancelled := book("2026-11-18", "10:00", nil)
	deleted := book("2026-11-19", "10:00", nil)
	for _, step := range []hospital.AppointmentStatus{hospital.CheckedIn, hospital.InService, hospital.Completed} {
		came, err = db.MarkStatus(ctx, came.ID, 0, step, "")
		must(err)
	}
	absent, err = db.MarkStatus(ctx, absent.ID, 0, hospital.NoShow, "")
	must(err)
	cancelled, err = db.MarkStatus(ctx, cancelled.ID, 0, hospital.Cancelled, "ย้ายไปอยู่กับสามีที่เชียงราย")
	must(err)
	must(db.DeleteAppointment(ctx, deleted.ID))
	p.Visits = []hospital.Appointment{came, absent, cancelled, deleted}
	p.Result, err = db.AddResult(Keyed(ctx, "person result", ""), hospital.NewResult{
		AppointmentID: came.ID, File: file,
		ResultFields: hospital.ResultFields{
			Type: hospital.ResultLab, Diagnosis: "ไส้ติ่งอักเสบระยะต้น", ICD10: []string{"K35.8"},
			Advice: "งดอาหารรสจัดสองสัปดาห์",
		},
	})
	must(err)
	wrong, err := db.AddResult(ctx, hospital.NewResult{
		AppointmentID: came.ID, ResultFields: hospital.ResultFields{Diagnosis: "สงสัยตั้งครรภ์นอกมดลูก"},
	})
	must(err)
	must(db.DeleteResult(ctx, wrong.ID, "บันทึกผิดคน ไม่ใช่ของกัญญาวีร์"))
	_, _, err = db.Result(ctx, p.Result.ID)
	must(err)
	if file != nil {
		_, err = db.ResultFile(ctx, p.Result.ID)
		must(err)
	}
	_, err = db.ResultsOf(ctx, came)
	must(err)

	p.Values = []string{
		"88-004217", "88004217", "1111111111119", "ZQ7741852", "กัญญาวีร์", "เดิมสกุลวงศ์", "ใหม่สกุลชัย",
		"Kanyawee", "Doemsakul", "1987-03-29", "พุทธนิกายเฉพาะ", "โสดสนิท", "ช่างทองหลวง",
		"0898877665", "0617788990", "025551234", "kanyawee@person", "U-kanyawee-line",
		"พิกุลทอง", "บางกะเจ้าน้อย", "พระประแดงใน", "สมุทรปราการ", "R5566778899", "สิทธิเดิมของเธอ",
		"เพนิซิลลินพิเศษ", "ผื่นลมพิษ", "หอบหืด", "ยายบุญมา", "เพื่อนบ้านข้างเคียง", "0811122233", "แพ้เสียงดัง",
		"บัญชีกัญญาวีร์", "0829911882", "ขอใบเสร็จ", "ปวดท้องน้อย", "ขอพบแพทย์หญิง", "ญาติหมอฝาก", "เชียงราย",
		"ไส้ติ่งอักเสบ", "K35.8", "รสจัด", "ตั้งครรภ์", "บันทึกผิดคน",
	}
	if file != nil {
		p.Values = append(p.Values, file.Name, file.Key)
	}
	p.Others = []string{"ธนดลน้อง", "แม่สายพิณ", "0850000111"}
	return p
}
