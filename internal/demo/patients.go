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

// illness is a set of chronic illnesses, as bits to save memory with millions of patients.
type illness uint8

const (
	diabetes illness = 1 << iota
	hypertension
	lipids
	heartDisease
	asthma
	kidney
	gout
)

// illnesses are the chronic illnesses with their frequency in a thousand by age in steps of twenty years.
var illnesses = []struct {
	illness
	name   string
	shares [5]int
}{
	{diabetes, "เบาหวาน", [5]int{1, 15, 120, 290, 260}},
	{hypertension, "ความดันโลหิตสูง", [5]int{0, 40, 280, 520, 600}},
	{lipids, "ไขมันในเลือดสูง", [5]int{0, 40, 200, 330, 250}},
	{heartDisease, "โรคหัวใจ", [5]int{4, 6, 30, 90, 130}},
	{asthma, "หอบหืด", [5]int{60, 40, 35, 40, 40}},
	{kidney, "โรคไตเรื้อรัง", [5]int{1, 4, 30, 90, 140}},
	{gout, "เก๊าท์", [5]int{0, 10, 50, 60, 40}},
}

// sketch holds what decides where a patient is seen and what is found. It is small, because those of all
// patients are in memory.
type sketch struct {
	year       int16
	month, day uint8
	male       bool
	has        illness
}

// on returns the age on a date.
func (s sketch) on(d day) int {
	years := d.year - int(s.year)
	if d.month < int(s.month) || d.month == int(s.month) && d.day < int(s.day) {
		years--
	}
	return years
}

// day is a date.
type day struct{ year, month, day int }

func dayOf(t time.Time) day {
	year, month, d := t.Date()
	return day{year, int(month), d}
}

// ages are the age ranges of a twentieth of the patients each: more young children and old people than in the
// population.
var ages = [20][2]int{
	{0, 4}, {0, 4}, {5, 14}, {5, 14}, {15, 24}, {20, 34}, {20, 39}, {30, 44}, {30, 44}, {45, 54},
	{45, 54}, {45, 54}, {55, 64}, {55, 64}, {55, 64}, {65, 74}, {65, 74}, {65, 74}, {75, 84}, {75, 93},
}

// person generates a patient. Each has its own random source, so that a sketch can be made without those
// before it.
type person struct {
	sketch
	rng       *rand.Rand
	age       int
	precision hospital.BirthPrecision
}

// draw returns the i-th person. Every twenty include one of each age range, a young woman and a diabetic, so
// that even in the smallest hospital no clinic is without patients.
func draw(i int, seed uint64, now time.Time) person {
	rng := rand.New(rand.NewPCG(seed, uint64(i)<<8|7)) //nolint:gosec // reproducible
	p := person{rng: rng, precision: hospital.BirthDay}
	band := (i%20*7 + i/20*3) % 20
	low, high := ages[band][0], ages[band][1]
	p.age = low + p.rng.IntN(high-low+1)
	born := now.In(hospital.Bangkok).AddDate(-p.age, -p.rng.IntN(12), -1-p.rng.IntN(27))
	if p.age > 70 && p.rng.IntN(4) == 0 { // many old people know only the year
		p.precision = hospital.BirthYear
		born = time.Date(born.Year(), 1, 1, 0, 0, 0, 0, hospital.Bangkok)
	}
	b := dayOf(born)
	p.year, p.month, p.day = int16(b.year), uint8(b.month), uint8(b.day)
	p.age = p.on(dayOf(now.In(hospital.Bangkok)))
	p.male = p.rng.IntN(100) < map[bool]int{true: 52, false: 44}[p.age < 15]
	if band == 5 {
		p.male = false
	}
	for _, ill := range illnesses {
		if p.rng.IntN(1000) < ill.shares[min(p.age/20, 4)] {
			p.has |= ill.illness
		}
	}
	if band == 13 {
		p.has |= diabetes
	}
	return p
}

// sketches returns the sketches of all patients.
func sketches(n int, seed uint64, now time.Time) []sketch {
	list := make([]sketch, n)
	for i := range list {
		list[i] = draw(i, seed, now).sketch
	}
	return list
}

// Patients returns n realistic patients with distinct ID cards, the same for the same seed and day. Ages are
// relative to now, so that children stay children.
func Patients(n int, seed uint64, now time.Time) iter.Seq[hospital.PatientFields] {
	return func(yield func(hospital.PatientFields) bool) {
		for i := range n {
			p := draw(i, seed, now)
			if !yield(p.fields(i, now).Clean()) {
				return
			}
		}
	}
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// fields returns the record: name, prename, health insurance and occupation match sex and age.
func (p *person) fields(i int, now time.Time) hospital.PatientFields {
	rng := p.rng
	f := hospital.PatientFields{
		LastName: lastName(rng), BirthDate: fmt.Sprintf("%04d-%02d-%02d", p.year, p.month, p.day),
		BirthPrecision: p.precision, Nationality: "ไทย", Religion: "พุทธ",
		IDType: hospital.IDCitizen, IDCard: hospital.IDCard(idCardNumber(i, int(p.year))),
		Phone: mobile(rng), Address: pick(rng, homes),
		BloodGroup: pick(rng, []string{"O", "O", "O", "B", "B", "B", "A", "A", "AB", ""}), RightHospital: hospitalName,
	}
	if f.BloodGroup != "" {
		f.RhFactor = "+"
		if rng.IntN(300) == 0 {
			f.RhFactor = "-"
		}
	}
	if rng.IntN(25) == 0 {
		f.Religion = pick(rng, []string{"คริสต์", "คริสต์", "อิสลาม"})
	}
	f.Address.Line, f.Address.Moo = fmt.Sprint(1+rng.IntN(250)), fmt.Sprint(1+rng.IntN(12))
	if rng.IntN(2) == 0 {
		f.Address.Line += fmt.Sprint("/", 1+rng.IntN(20))
	}
	p.name(&f)
	p.work(&f)
	if p.age >= 18 && p.age < 50 && rng.IntN(50) == 0 {
		p.foreigner(&f, i)
	}
	p.health(&f)
	p.contact(&f)
	if rng.IntN(5) > 0 {
		when := now.AddDate(0, 0, -rng.IntN(700))
		f.ConsentAt = &when
	}
	return f
}

func (p *person) name(f *hospital.PatientFields) {
	names := namedIn(int(p.year))
	if p.male {
		f.Sex, f.Prename, f.FirstName = hospital.Male, "นาย", pick(p.rng, names.men)
	} else {
		f.Sex, f.Prename, f.FirstName = hospital.Female, "นางสาว", pick(p.rng, names.women)
		if p.rng.IntN(100) < min(85, (p.age-20)*4) {
			f.Prename = "นาง"
		}
	}
	if p.age < 15 {
		f.Prename = map[hospital.Sex]string{hospital.Male: "เด็กชาย", hospital.Female: "เด็กหญิง"}[f.Sex]
	}
	f.FirstNameEn, f.LastNameEn = romanized[f.FirstName], romanized[f.LastName]
	if f.FirstNameEn == "" || f.LastNameEn == "" {
		f.FirstNameEn, f.LastNameEn = "", ""
	} else if p.age > 14 && p.age < 60 {
		f.Email = fmt.Sprintf("%s.%s%d@example.com", f.FirstNameEn, f.LastNameEn, p.rng.IntN(100))
	}
}

// work sets occupation, marital status and health insurance.
func (p *person) work(f *hospital.PatientFields) {
	rng := p.rng
	f.RightCode = "UCS"
	switch {
	case p.age < 7:
		f.Occupation = "เด็กในความปกครอง"
	case p.age < 22:
		f.Occupation = "นักเรียน/นักศึกษา"
		f.MaritalStatus = "โสด"
	case p.age < 60:
		if f.Occupation = pick(rng, jobs); p.male && f.Occupation == "แม่บ้าน" {
			f.Occupation = "พนักงานรักษาความปลอดภัย"
		}
		f.RightCode = pick(rng, []string{"UCS", "UCS", "UCS", "SSS", "SSS", "SSS", "SELF", "INS"})
		if rng.IntN(8) == 0 {
			f.Occupation, f.RightCode = pick(rng, officeJobs), pick(rng, []string{"OFC", "OFC", "LGO"})
		}
		f.MaritalStatus = pick(rng, []string{"โสด", "สมรส", "สมรส", "สมรส", "หย่า"})
	default:
		f.Occupation = pick(rng, oldJobs)
		if rng.IntN(6) == 0 {
			f.Occupation, f.RightCode = "ข้าราชการบำนาญ", "OFC"
		}
		f.MaritalStatus = pick(rng, []string{"สมรส", "สมรส", "สมรส", "หม้าย", "โสด"})
	}
	if p.age < 22 && p.age >= 7 && rng.IntN(9) == 0 {
		f.RightCode = "OFC" // through a parent
	}
	switch f.Prename {
	case "นาง":
		if f.MaritalStatus == "โสด" {
			f.MaritalStatus = "สมรส"
		}
	case "นางสาว":
		f.MaritalStatus = "โสด"
	}
}

// foreigner turns a person into a migrant worker.
func (p *person) foreigner(f *hospital.PatientFields, i int) {
	f.Nationality, f.IDType, f.IDCard, f.PassportNo = "เมียนมา", hospital.IDPassport, "",
		fmt.Sprintf("MF%06d", i%1_000_000)
	f.FirstName, f.LastName, f.FirstNameEn, f.LastNameEn, f.Email = pick(p.rng, burmeseWomen), pick(p.rng, burmeseSecond),
		"", "", ""
	if p.male {
		f.FirstName = pick(p.rng, burmeseMen)
	}
	f.RightCode, f.Occupation = "FWF", pick(p.rng, []string{"ช่างก่อสร้าง", "รับจ้างทั่วไป", "พนักงานโรงงาน"})
}

func (p *person) health(f *hospital.PatientFields) {
	switch n := p.rng.IntN(100); {
	case n < 7:
		f.Allergies = []hospital.Allergy{pick(p.rng, drugs)}
		if other := pick(p.rng, drugs); n == 0 && other != f.Allergies[0] {
			f.Allergies = append(f.Allergies, other)
		}
	case n < 75:
		f.NoKnownAllergy = true
	}
	for _, ill := range illnesses {
		if p.has&ill.illness != 0 {
			f.Conditions = append(f.Conditions, ill.name)
		}
	}
}

// contact sets the contact person: the mother of a child, a child of an old patient, sometimes the partner of
// others.
func (p *person) contact(f *hospital.PatientFields) {
	switch {
	case p.age < 15:
		f.ContactRelation, f.ContactName = "มารดา", pick(p.rng, namedIn(int(p.year)-18-p.rng.IntN(18)).women)
	case p.age > 65:
		child := namedIn(int(p.year) + 22 + p.rng.IntN(14))
		f.ContactRelation, f.ContactName = "บุตร", pick(p.rng, slices.Concat(child.men, child.women))
	case f.MaritalStatus == "สมรส" && p.rng.IntN(3) > 0:
		spouse := namedIn(int(p.year))
		f.ContactRelation, f.ContactName = "ภรรยา", pick(p.rng, spouse.women)
		if !p.male {
			f.ContactRelation, f.ContactName = "สามี", pick(p.rng, spouse.men)
		}
	default:
		return
	}
	f.ContactName += " " + f.LastName
	f.ContactPhone = mobile(p.rng)
	if p.age < 12 {
		f.Phone = f.ContactPhone
	}
}

func mobile(rng *rand.Rand) string {
	return fmt.Sprintf("0%d%08d", pick(rng, []int{6, 8, 8, 9, 9}), rng.IntN(100_000_000))
}

// lastName returns a common or a random surname. Thai surnames are rarely shared.
func lastName(rng *rand.Rand) string {
	if rng.IntN(3) == 0 {
		return pick(rng, lastNames)
	}
	return pick(rng, firstParts) + pick(rng, secondParts) + pick(rng, thirdParts)
}

// idCardNumber returns the i-th ID card number of the province, scattered over all numbers, with a valid check
// digit. The first digit is 1 for births registered since 2527 (1984), otherwise 3.
func idCardNumber(i, born int) string {
	const prime = 999_999_937
	first := 1
	if born < 1984 {
		first = 3
	}
	base := fmt.Sprintf("%d50%09d", first, (uint64(i)*2654435761+12345)%prime)
	for check := range 10 {
		if id := fmt.Sprint(base, check); hospital.IsIDCard(id) {
			return id
		}
	}
	panic("unreachable: one of ten digits always fits")
}

// customersOf returns the app accounts: patients who book for themselves, mothers who book for children, and
// adults who book for their parents.
func customersOf(n int, seed uint64, now time.Time) (list []hospital.CustomerFields) {
	const most, every = 60, 17
	phones := map[string]bool{}
	for i := 0; i < n && len(list) < most; i += every {
		p := draw(i, seed, now)
		f := p.fields(i, now).Clean()
		link := hospital.CustomerPatient{PatientID: int64(i + 1), Relation: hospital.RelationSelf}
		c := hospital.CustomerFields{
			Name: f.FirstName + " " + f.LastName, Phone: f.Phone, Email: f.Email, ConsentAt: f.ConsentAt,
		}
		switch f.ContactRelation {
		case "มารดา":
			c.Name, c.Phone, link.Relation = f.ContactName, f.ContactPhone, hospital.RelationChild
		case "บุตร":
			c.Name, c.Phone, link.Relation = f.ContactName, f.ContactPhone, hospital.RelationParent
		}
		if phones[c.Phone] {
			continue
		}
		phones[c.Phone] = true
		c.Patients = []hospital.CustomerPatient{link}
		if p.rng.IntN(2) == 0 {
			c.LineUserID = fmt.Sprintf("U%016x%016x", p.rng.Uint64(), p.rng.Uint64())
		}
		if c.ConsentAt == nil {
			c.ConsentAt = &now
		}
		switch len(list) {
		case 3:
			c.Status, c.Note = hospital.CustomerSuspended, "แจ้งหมายเลขโทรศัพท์ผิดหลายครั้ง ติดต่อไม่ได้"
		case 7:
			c.Note = "สะดวกรับสายหลัง 17.00 น."
		case 11:
			c.Status, c.Note = hospital.CustomerSuspended, "จองแล้วไม่มา 4 ครั้งใน 3 เดือน"
		}
		list = append(list, c)
	}
	return list
}

func addCustomers(ctx context.Context, db *store.DB, size Size) error {
	for _, c := range customersOf(size.Patients, size.Seed, db.Now()) {
		if _, err := db.CreateCustomer(ctx, c); err != nil {
			return fmt.Errorf("sample customer: %w", err)
		}
	}
	return nil
}
