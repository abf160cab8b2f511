package demo

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// names by generation: somebody born before 2500 (1957) is called otherwise
// than a child of today.
var (
	oldMen      = []string{"บุญมี", "ประเสริฐ", "สมบูรณ์", "ทองใบ", "จันทร์", "สุวรรณ", "คำปัน", "บุญส่ง", "แก้ว", "ประยูร", "สนั่น", "อินทร์", "ชาญ", "เสงี่ยม"}
	oldWomen    = []string{"บุญเรือน", "ทองคำ", "สมศรี", "คำแปง", "จันทร์ฟอง", "บัวผัน", "ประนอม", "ละมัย", "สุดใจ", "เกียง", "อุบล", "พิกุล", "แสงหล้า", "มาลี"}
	men         = []string{"สมชาย", "วิชัย", "ประยุทธ", "สุรชัย", "อนุชา", "ธนพล", "กิตติ", "ณรงค์", "พงษ์ศักดิ์", "เอกชัย", "วีระ", "ชัยวัฒน์", "อภิชาติ", "ธีรพงศ์", "ไพโรจน์"}
	women       = []string{"สมหญิง", "วันเพ็ญ", "นงลักษณ์", "ศิริพร", "กาญจนา", "สุภาพร", "รัตนา", "อรทัย", "จินตนา", "พรทิพย์", "น้ำทิพย์", "เพ็ญศรี", "ดวงใจ", "ปราณี", "วิไลวรรณ"}
	boys        = []string{"ธนกร", "ปุณณวิชญ์", "ภูมิพัฒน์", "ณัฐวุฒิ", "กันตพัฒน์", "ศุภกร", "ชยพล", "พีรวิชญ์", "อชิระ", "ปกรณ์", "คุณานนท์", "รชต"}
	girls       = []string{"กัญญาณัฐ", "พิมพ์ชนก", "ณิชา", "ปุณยนุช", "ธัญชนก", "อริสา", "วรัญญา", "ชนัญชิดา", "พรนภัส", "ไอริณ", "กวินตรา", "ญาณิศา"}
	lastNames   = []string{"ใจดี", "แก้วใส", "ทองดี", "ศรีสุข", "บุญมา", "คำแสน", "วงศ์ไชย", "สุขใจ", "อินต๊ะ", "จันทร์แก้ว", "มณีวรรณ", "ปัญญาดี", "ชัยวงค์", "แสงทอง", "เรืองศรี", "พรหมมา", "กันทะวงค์", "ไชยวงศ์", "สายคำ", "เตชะ", "ดวงแก้ว", "ณ เชียงใหม่", "โพธิ์ทอง", "ขันแก้ว", "ยอดคำ", "ต๊ะวงค์"}
	firstParts  = []string{"ศรี", "วงศ์", "ทอง", "แก้ว", "จันทร์", "สุวรรณ", "รัตน", "บุญ", "พงษ์", "ชัย", "เจริญ", "มงคล", "ประเสริฐ", "อินทร", "เทพ", "ธรรม", "พิพัฒน์", "วิริยะ", "กิตติ", "อนันต์"}
	secondParts = []string{"สุข", "ไพศาล", "วัฒนา", "กุล", "ประภา", "มณี", "วรรณ", "โชติ", "รุ่ง", "สกุล", "ธนา", "พร", "รักษ์", "สิริ", "ชาติ", "เดช", "บูรณ์", "ลักษณ์", "จินดา", "อุดม"}
	thirdParts  = []string{"", "", "วงศ์", "กุล", "ชัย", "ศรี", "พันธ์", "รัตน์", "เลิศ", "ดี", "งาม", "สวัสดิ์", "ศิริ", "เวช", "พานิช", "ทรัพย์"}
	romanized   = map[string]string{"สมชาย": "Somchai", "วิชัย": "Wichai", "ศิริพร": "Siriporn", "น้ำทิพย์": "Namthip", "ธนกร": "Thanakorn", "ณิชา": "Nicha", "ใจดี": "Jaidee", "แก้วใส": "Kaewsai", "ทองดี": "Thongdee"}
	conditions  = []string{"เบาหวาน", "ความดันโลหิตสูง", "ไขมันในเลือดสูง", "โรคหัวใจ", "หอบหืด", "โรคไตเรื้อรัง", "เก๊าท์"}
	drugs       = []hospital.Allergy{
		{Substance: "เพนิซิลลิน", Severity: hospital.SeveritySevere, Reaction: "ผื่นลมพิษ หายใจลำบาก"},
		{Substance: "ซัลฟา", Severity: hospital.SeverityModerate, Reaction: "ผื่นแดง"},
		{Substance: "แอสไพริน", Severity: hospital.SeverityMild, Reaction: "ปวดท้อง"},
		{Substance: "อาหารทะเล", Severity: hospital.SeverityModerate, Reaction: "คัน บวม"},
		{Substance: "ไอบูโพรเฟน", Severity: hospital.SeveritySevere, Reaction: "หน้าบวม"},
	}
	homes = []hospital.Address{
		{Subdistrict: "ศรีภูมิ", District: "เมืองเชียงใหม่", Province: "เชียงใหม่", PostalCode: "50200"},
		{Subdistrict: "สุเทพ", District: "เมืองเชียงใหม่", Province: "เชียงใหม่", PostalCode: "50200"},
		{Subdistrict: "หนองหอย", District: "เมืองเชียงใหม่", Province: "เชียงใหม่", PostalCode: "50000"},
		{Subdistrict: "สันทรายหลวง", District: "สันทราย", Province: "เชียงใหม่", PostalCode: "50210"},
		{Subdistrict: "ริมใต้", District: "แม่ริม", Province: "เชียงใหม่", PostalCode: "50180"},
		{Subdistrict: "ในเมือง", District: "เมืองลำพูน", Province: "ลำพูน", PostalCode: "51000"},
		{Subdistrict: "เวียง", District: "เมืองเชียงราย", Province: "เชียงราย", PostalCode: "57000"},
		{Subdistrict: "หัวเวียง", District: "เมืองลำปาง", Province: "ลำปาง", PostalCode: "52000"},
	}
)

// addCustomers registers three, of the first patients.
func addCustomers(ctx context.Context, db *store.DB) error {
	for _, c := range []hospital.CustomerFields{
		{Name: "มานี มีนา", Phone: "0811112233", Email: "manee@example.com", ConsentAt: ago(db, 40), Patients: []hospital.CustomerPatient{{PatientID: 1, Relation: hospital.RelationSelf}, {PatientID: 2, Relation: hospital.RelationParent}}},
		{Name: "ปิติ พากเพียร", Phone: "0822223344", LineUserID: "U4af4980629", ConsentAt: ago(db, 12), Patients: []hospital.CustomerPatient{{PatientID: 3, Relation: hospital.RelationChild}}},
		{Name: "ชูใจ เลิศล้ำ", Phone: "0833334455", Status: hospital.CustomerSuspended, Note: "แจ้งเบอร์ผิดหลายครั้ง"},
	} {
		if _, err := db.CreateCustomer(ctx, c); err != nil {
			return fmt.Errorf("sample customer: %w", err)
		}
	}
	return nil
}

// Patients makes n believable people, the same ones for the same seed and day,
// no two with the same ID card. Ages are counted from now, so that children stay
// children.
func Patients(n int, seed uint64, now time.Time) iter.Seq[hospital.PatientFields] {
	return func(yield func(hospital.PatientFields) bool) {
		rng := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // sample data must be the same every time
		for i := range n {
			if !yield(makePatient(rng, i, now).Clean()) {
				return
			}
		}
	}
}

func ago(db *store.DB, days int) *time.Time {
	t := db.Now().AddDate(0, 0, -days)
	return &t
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// makePatient makes one believable person: name, prename, conditions and right fit
// sex and age.
func makePatient(rng *rand.Rand, i int, now time.Time) hospital.PatientFields {
	// More old people than young ones come to a hospital.
	age := 1 + rng.IntN(90)
	if rng.IntN(3) == 0 {
		age = 55 + rng.IntN(35)
	}
	born := now.In(hospital.Bangkok).AddDate(-age, -rng.IntN(12), -rng.IntN(28))
	p := hospital.PatientFields{
		LastName: lastName(rng), BirthDate: born.Format(time.DateOnly), BirthPrecision: hospital.BirthDay, Nationality: "ไทย", Religion: "พุทธ",
		IDType: hospital.IDCitizen, IDCard: citizenID(i), Phone: fmt.Sprintf("08%d%07d", 1+rng.IntN(9), rng.IntN(10000000)), Address: pick(rng, homes),
		BloodGroup: pick(rng, []string{"O", "O", "B", "B", "A", "AB", ""}), RhFactor: "+",
	}
	p.Address.Line, p.Address.Moo = fmt.Sprintf("%d/%d", 1+rng.IntN(250), 1+rng.IntN(20)), fmt.Sprint(1+rng.IntN(12))
	male := rng.IntN(2) == 0
	switch {
	case male && age < 15:
		p.Prename, p.FirstName, p.Sex = "เด็กชาย", pick(rng, boys), hospital.Male
	case age < 15:
		p.Prename, p.FirstName, p.Sex = "เด็กหญิง", pick(rng, girls), hospital.Female
	case male:
		p.Prename, p.FirstName, p.Sex = "นาย", pick(rng, generation(age, boys, men, oldMen)), hospital.Male
	default:
		p.Prename, p.FirstName, p.Sex = pick(rng, []string{"นางสาว", "นาง"}), pick(rng, generation(age, girls, women, oldWomen)), hospital.Female
		if age < 25 {
			p.Prename = "นางสาว"
		}
	}
	p.FirstNameEn, p.LastNameEn = romanized[p.FirstName], romanized[p.LastName]
	switch {
	case age >= 60 || age < 20:
		p.RightCode = "UCS"
	default:
		p.RightCode = pick(rng, []string{"UCS", "SSS", "SSS", "OFC", "LGO", "SELF"})
	}
	p.RightHospital = "โรงพยาบาลศรีนคร"
	if age > 70 && rng.IntN(4) == 0 {
		p.BirthPrecision = hospital.BirthYear
	}
	switch n := rng.IntN(10); {
	case n == 0:
		p.Allergies = []hospital.Allergy{pick(rng, drugs)}
	case n < 7:
		p.NoKnownAllergy = true
	}
	for range rng.IntN(3) * min(age/40, 1) {
		if c := pick(rng, conditions); !slices.Contains(p.Conditions, c) {
			p.Conditions = append(p.Conditions, c)
		}
	}
	if age < 15 || age > 75 {
		p.ContactName, p.ContactRelation, p.ContactPhone = pick(rng, women)+" "+p.LastName, "ญาติ", fmt.Sprintf("09%d%07d", 1+rng.IntN(9), rng.IntN(10000000))
	}
	if i%5 != 0 {
		when := now.AddDate(0, 0, -rng.IntN(700))
		p.ConsentAt = &when
	}
	return p
}

// lastName is a common one, or one of the many that a family chose for itself:
// Thai family names are seldom shared.
func lastName(rng *rand.Rand) string {
	if rng.IntN(3) == 0 {
		return pick(rng, lastNames)
	}
	return pick(rng, firstParts) + pick(rng, secondParts) + pick(rng, thirdParts)
}

func generation(age int, young, middle, old []string) []string {
	switch {
	case age < 25:
		return young
	case age < 65:
		return middle
	default:
		return old
	}
}

// citizenID makes the i-th number, scattered over all numbers, with the right
// check digit.
func citizenID(i int) string {
	scattered := (uint64(i)*2654435761 + 12345) % 1_000_000_007 % 1_000_000_000
	base := fmt.Sprintf("%d50%09d", 1+i%5, scattered)
	for check := range 10 {
		if id := fmt.Sprint(base, check); hospital.IsCitizenID(id) {
			return id
		}
	}
	panic("unreachable: one of ten digits always fits")
}
