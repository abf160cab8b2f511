package hospital

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func goodPatient() PatientFields {
	return PatientFields{
		Prename: "นาย", FirstName: "สมชาย", LastName: "ใจดี", Sex: Male, BirthDate: "1988-02-09", IDCard: "1111111111119",
	}
}

func TestCleanPatient(t *testing.T) {
	t.Parallel()
	p := PatientFields{
		FirstName: " นายสม\u200bชาย ", LastName: "ใจดี  ", IDCard: "1-1111-11111-11-9", Phone: "๐๘๑-๒๓๔-๕๖๗๘",
		Phone2: "(02) 123 4567", ContactPhone: "ไม่มี",
		HN: " ๐๐๑๒a ", PassportNo: "aa 123456", BirthDate: "1957-08-30", BirthPrecision: BirthYear,
		Address: Address{PostalCode: " ๕๐๐๐๐ "}, RightCode: "ucs",
		Allergies: []Allergy{{Substance: " เพนิซิลลิน "}}, Conditions: []string{" เบาหวาน "},
	}.Clean()
	want := PatientFields{
		Prename: "นาย", FirstName: "สมชาย", LastName: "ใจดี", IDType: IDCitizen, IDCard: "1111111111119", Phone: "0812345678",
		Phone2: "021234567", ContactPhone: "ไม่มี",
		HN: "0012A", PassportNo: "AA123456", BirthDate: "1957-01-01", BirthPrecision: BirthYear,
		Address: Address{PostalCode: "50000"}, RightCode: "UCS",
	}
	if p.Prename != want.Prename || p.FirstName != want.FirstName || p.LastName != want.LastName ||
		p.IDType != want.IDType || p.IDCard != want.IDCard ||
		p.Phone != want.Phone || p.Phone2 != want.Phone2 || p.ContactPhone != want.ContactPhone || p.HN != want.HN ||
		p.PassportNo != want.PassportNo ||
		p.BirthDate != want.BirthDate || p.Address != want.Address || p.RightCode != want.RightCode ||
		p.Allergies[0].Substance != "เพนิซิลลิน" || p.Conditions[0] != "เบาหวาน" {
		t.Errorf("cleaned %+v", p)
	}
	other := PatientFields{Prename: "ดร.", FirstName: "นายสมชาย"}.Clean()
	if other.Prename != "ดร." || other.FirstName != "นายสมชาย" {
		t.Errorf("another prename was overwritten: %+v", other)
	}
	if p := (PatientFields{BirthDate: "1957-08-30", BirthPrecision: BirthMonth}).Clean(); p.BirthDate != "1957-08-01" ||
		p.Allergies == nil || p.Conditions == nil || p.IDType != IDNone {
		t.Errorf("cleaned %+v", p)
	}
}

func TestPatientRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*PatientFields)
		wrong  []string
	}{
		"nothing wrong": {func(*PatientFields) {}, nil},
		"nothing filled in": {
			func(p *PatientFields) { *p = PatientFields{} }, []string{"birthDate", "firstName", "lastName", "prename", "sex"},
		},
		"a wrong check digit": {func(p *PatientFields) { p.IDCard = "1111111111110" }, []string{"idCard"}},
		"a card that says CID without number": {
			func(p *PatientFields) { p.IDCard, p.IDType = "", IDCitizen }, []string{"idCard"},
		},
		"a passport that is needed": {
			func(p *PatientFields) { p.IDCard, p.IDType = "", IDPassport }, []string{"passportNo"},
		},
		"a foreigner without any number":     {func(p *PatientFields) { p.IDCard, p.IDType = "", IDForeign }, nil},
		"born tomorrow":                      {func(p *PatientFields) { p.BirthDate = "2026-11-16" }, []string{"birthDate"}},
		"born today":                         {func(p *PatientFields) { p.BirthDate = "2026-11-15" }, nil},
		"130 years old":                      {func(p *PatientFields) { p.BirthDate = "1896-11-15" }, nil},
		"131 years old":                      {func(p *PatientFields) { p.BirthDate = "1895-11-15" }, []string{"birthDate"}},
		"a Buddhist year where none belongs": {func(p *PatientFields) { p.BirthDate = "2531-02-09" }, []string{"birthDate"}},
		"29 February of no leap year":        {func(p *PatientFields) { p.BirthDate = "2025-02-29" }, []string{"birthDate"}},
		"29 February of a leap year":         {func(p *PatientFields) { p.BirthDate = "2024-02-29" }, nil},
		"phones that are none": {
			func(p *PatientFields) { p.Phone, p.Phone2, p.ContactPhone = "12345678", "1812345678", "08123456789" },
			[]string{"contactPhone", "phone", "phone2"},
		},
		"a land line": {func(p *PatientFields) { p.Phone = "053-123456" }, nil},
		"a postal code of four digits": {
			func(p *PatientFields) { p.Address.PostalCode = "5000" }, []string{"address.postalCode"},
		},
		"an allergy beside none": {
			func(p *PatientFields) { p.NoKnownAllergy, p.Allergies = true, []Allergy{{Substance: "ไข่"}} },
			[]string{"noKnownAllergy"},
		},
		"an allergy to nothing": {
			func(p *PatientFields) { p.Allergies = []Allergy{{Severity: "BAD"}} },
			[]string{"allergies[0].severity", "allergies[0].substance"},
		},
		"a blood group that is none": {
			func(p *PatientFields) { p.BloodGroup, p.RhFactor = "C", "x" }, []string{"bloodGroup", "rhFactor"},
		},
		"names of a thousand letters": {
			func(p *PatientFields) { p.FirstName = strings.Repeat("ก", 1000) }, []string{"firstName"},
		},
		"control characters": {func(p *PatientFields) { p.Note = "a\x07b" }, []string{"note"}},
		"a sex and a precision that are none": {
			func(p *PatientFields) { p.Sex, p.BirthPrecision = "X", "HOUR" }, []string{"birthPrecision", "sex"},
		},
		"an address that is no email":  {func(p *PatientFields) { p.Email = "somchai" }, []string{"email"}},
		"a right that ends on no date": {func(p *PatientFields) { p.RightExpires = "31/12/2569" }, []string{"rightExpires"}},
	} {
		p := goodPatient()
		c.change(&p)
		var e *Error
		err := p.Clean().Validate("2026-11-15")
		var wrong []string
		if errors.As(err, &e) {
			for _, f := range e.Fields {
				wrong = append(wrong, f.Field)
				if f.Message.TH == "" || f.Message.EN == "" {
					t.Errorf("%s: %s has no sentence", name, f.Field)
				}
			}
		}
		if !slices.Equal(wrong, c.wrong) {
			t.Errorf("%s: wrong %v, want %v", name, wrong, c.wrong)
		}
	}
}

func TestCustomerRules(t *testing.T) {
	t.Parallel()
	good := CustomerFields{
		Name: "มานี", Phone: "081-234-5678", Patients: []CustomerPatient{{PatientID: 1, Relation: RelationSelf}},
	}.Clean()
	if err := good.Validate(); err != nil || good.Status != CustomerActive || good.Phone != "0812345678" {
		t.Errorf("%+v, %v", good, err)
	}
	bad := CustomerFields{
		Phone: "1", Email: "x", Status: "GONE",
		Patients: []CustomerPatient{{PatientID: 1, Relation: "COUSIN"}, {PatientID: 1, Relation: RelationChild}},
	}
	var e *Error
	if !errors.As(bad.Clean().Validate(), &e) {
		t.Fatal("accepted")
	}
	var wrong []string
	for _, f := range e.Fields {
		wrong = append(wrong, f.Field)
	}
	if want := []string{
		"email", "name", "patients[0].relation", "patients[1].patientId", "phone", "status",
	}; !slices.Equal(wrong, want) {
		t.Errorf("wrong %v, want %v", wrong, want)
	}
}

func TestMergeMaskedIDCard(t *testing.T) {
	t.Parallel()
	const masked = "1-1111-xxxxx-11-9"
	before := goodPatient().Clean()
	for name, c := range map[string]struct {
		card     IDCard
		idType   IDType
		wantCard IDCard
		wantType IDType
		wrong    bool
	}{
		"unchanged":                        {masked, "", "1111111111119", IDCitizen, false},
		"cleared":                          {"", "", "", IDNone, false},
		"cleared, though it is to be one":  {"", IDCitizen, "", IDCitizen, true},
		"another mask":                     {"1-1112-xxxxx-11-9", "", "1-1112-xxxxx-11-9", IDCitizen, true},
		"a mask of nothing":                {"x-xxxx-xxxxx-xx-x", "", "x-xxxx-xxxxx-xx-x", IDCitizen, true},
		"another number":                   {"1-0000-00000-05-0", "", "1000000000050", IDCitizen, false},
		"a wrong number":                   {"1000000000051", "", "1000000000051", IDCitizen, true},
		"unchanged, of another kind":       {masked, IDForeign, "1111111111119", IDForeign, false},
		"cleared, with another kind given": {"", IDForeign, "", IDForeign, false},
	} {
		sent := before
		sent.IDCard, sent.IDType = c.card, c.idType
		after := sent.MergedWith(before)
		if after.IDCard != c.wantCard || after.IDType != c.wantType {
			t.Errorf("%s: %q %s", name, string(after.IDCard), after.IDType)
		}
		if err := after.Validate("2026-11-15"); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
