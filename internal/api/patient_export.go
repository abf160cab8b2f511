package api

import (
	"context"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// patientExport is the filter of the list with a file format. All pages are exported.
type patientExport struct {
	hospital.PatientExportQuery
	Format report.Format `json:"format,omitempty" enum:"xlsx,csv" default:"xlsx"`
}

// exportPatients exports the filtered list. It returns VALIDATION_FAILED for an unknown sort key, and
// FORBIDDEN for full ID card numbers without PATIENT.VIEW_CID.
func (s *Server) exportPatients(ctx context.Context, in *exportInput[patientExport]) (attachment, error) {
	lang, today, format := langOf(in.Language), s.DB.Today(), in.Body.Format
	card := hospital.IDCard.Mask
	if in.Body.IncludeIDCard {
		if err := s.requirePermission(ctx, hospital.PatientViewCID, "post-patients-export"); err != nil {
			return attachment{}, err
		}
		card = func(id hospital.IDCard) string { return string(id) }
	}
	return s.exportFile(patientSheet, format, lang, func(add report.Add) error {
		return s.DB.EachPatient(ctx, in.Body.PatientExportQuery, string(format), func(p hospital.Patient) error {
			return add(patientCells(p, card(p.IDCard), lang, today)...)
		})
	}), nil
}

// patientSheet defines the columns of the export.
var patientSheet = sheet{hospital.Text{TH: "ผู้ป่วย", EN: "Patients"}, []sheetColumn{
	{hospital.Text{TH: "HN", EN: "HN"}, 12},
	{hospital.Text{TH: "เลขประจำตัวประชาชน", EN: "ID card"}, 20},
	{hospital.Text{TH: "คำนำหน้า", EN: "Title"}, 10},
	{hospital.Text{TH: "ชื่อ", EN: "First name"}, 18},
	{hospital.Text{TH: "นามสกุล", EN: "Last name"}, 20},
	{hospital.Text{TH: "ชื่อ (อังกฤษ)", EN: "First name (English)"}, 18},
	{hospital.Text{TH: "นามสกุล (อังกฤษ)", EN: "Last name (English)"}, 20},
	{hospital.Text{TH: "เพศ", EN: "Sex"}, 8},
	{hospital.Text{TH: "วันเกิด (พ.ศ.)", EN: "Birth date (B.E.)"}, 15},
	{hospital.Text{TH: "อายุ (ปี)", EN: "Age (years)"}, 10},
	{hospital.Text{TH: "โทรศัพท์", EN: "Phone"}, 13},
	{hospital.Text{TH: "ที่อยู่", EN: "Address"}, 28},
	{hospital.Text{TH: "หมู่", EN: "Moo"}, 6},
	{hospital.Text{TH: "ตำบล/แขวง", EN: "Subdistrict"}, 16},
	{hospital.Text{TH: "อำเภอ/เขต", EN: "District"}, 16},
	{hospital.Text{TH: "จังหวัด", EN: "Province"}, 16},
	{hospital.Text{TH: "รหัสไปรษณีย์", EN: "Postal code"}, 12},
	{hospital.Text{TH: "สิทธิการรักษา", EN: "Coverage"}, 12},
	{hospital.Text{TH: "ประวัติแพ้", EN: "Allergies"}, 30},
	{hospital.Text{TH: "วันที่ลงทะเบียน (พ.ศ.)", EN: "Registered (B.E.)"}, 20},
}}

var sexNames = map[hospital.Sex]hospital.Text{
	hospital.Male:       {TH: "ชาย", EN: "Male"},
	hospital.Female:     {TH: "หญิง", EN: "Female"},
	hospital.UnknownSex: {TH: "ไม่ระบุ", EN: "Not stated"},
}

// patientCells returns the cells of a row in the order of patientSheet.
func patientCells(p hospital.Patient, card string, lang hospital.Lang, today string) []any {
	var age any = ""
	if a, err := hospital.AgeOn(p.BirthDate, today); err == nil {
		age = a.Years
	}
	return []any{
		p.HN, card, p.Prename, p.FirstName, p.LastName, p.FirstNameEn, p.LastNameEn, sexNames[p.Sex].In(lang),
		report.Day{Date: p.BirthDate, Precision: p.BirthPrecision}, age, p.Phone,
		p.Address.Line, p.Address.Moo, p.Address.Subdistrict, p.Address.District, p.Address.Province, p.Address.PostalCode,
		p.RightCode, allergyText(p.PatientFields, lang), p.CreatedAt,
	}
}

var (
	severityNames = map[hospital.Severity]hospital.Text{
		hospital.SeverityMild:            {TH: "เล็กน้อย", EN: "mild"},
		hospital.SeverityModerate:        {TH: "ปานกลาง", EN: "moderate"},
		hospital.SeveritySevere:          {TH: "รุนแรง", EN: "severe"},
		hospital.SeverityLifeThreatening: {TH: "อันตรายถึงชีวิต", EN: "life-threatening"},
	}
	noKnownAllergy = hospital.Text{TH: "ไม่มีประวัติแพ้", EN: "No known allergy"}
)

// allergyText returns all allergies as one text: "Penicillin (รุนแรง, ผื่น); กุ้ง".
func allergyText(p hospital.PatientFields, lang hospital.Lang) string {
	if p.NoKnownAllergy {
		return noKnownAllergy.In(lang)
	}
	texts := make([]string, len(p.Allergies))
	for i, a := range p.Allergies {
		texts[i] = a.Substance
		var more []string
		for _, s := range []string{severityNames[a.Severity].In(lang), a.Reaction} {
			if s != "" {
				more = append(more, s)
			}
		}
		if len(more) > 0 {
			texts[i] += " (" + strings.Join(more, ", ") + ")"
		}
	}
	return strings.Join(texts, "; ")
}
