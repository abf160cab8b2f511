package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// citizenID makes a valid ID card number out of any number.
func citizenID(n int) string {
	s := fmt.Sprintf("%012d", n)
	for check := range 10 {
		if id := fmt.Sprintf("%s%d", s, check); hospital.IsCitizenID(id) {
			return id
		}
	}
	panic("no check digit fits")
}

func somebody(first, last string) hospital.PatientFields {
	return hospital.PatientFields{Prename: "นาย", FirstName: first, LastName: last, Sex: hospital.Male, BirthDate: "1980-05-17"}
}

// change makes an apply function that sets fields.
func change(fn func(*hospital.PatientFields)) func(*hospital.PatientFields) error {
	return func(f *hospital.PatientFields) error {
		fn(f)
		return nil
	}
}

func TestTheLifeOfAPatient(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		in := hospital.PatientFields{
			IDCard: "1-1111-11111-11-9", FirstName: "นายสมชาย", LastName: "ใจดี", FirstNameEn: "Somchai", LastNameEn: "Jaidee", BirthDate: "1957-08-30", BirthPrecision: hospital.BirthYear,
			Sex: hospital.Male, BloodGroup: "AB", RhFactor: "-", Nationality: "ไทย", Phone: "081-234-5678", Email: "s@x.example",
			Address:   hospital.Address{Line: "12/3", Moo: "5", Subdistrict: "ศรีภูมิ", District: "เมืองเชียงใหม่", Province: "เชียงใหม่", PostalCode: "50200"},
			RightCode: "UCS", Allergies: []hospital.Allergy{{Substance: "เพนิซิลลิน", Severity: hospital.SeveritySevere, Reaction: "ผื่น"}}, Conditions: []string{"เบาหวาน"},
			ConsentAt: new(db.Now()), Note: "ใช้รถเข็น",
		}
		created := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		if created.HN != "0000001" || created.Version != 1 || created.Prename != "นาย" || created.FirstName != "สมชาย" || created.BirthDate != "1957-01-01" || created.IDCard != "1111111111119" {
			t.Errorf("created %+v", created)
		}
		read := must[store.PatientRecord](t)(db.Patient(ctx, created.ID))
		if fmt.Sprintf("%+v", read.Allergies) != fmt.Sprintf("%+v", in.Allergies) || read.Address != in.Address || !read.ConsentAt.Equal(*in.ConsentAt) || read.Conditions[0] != "เบาหวาน" {
			t.Errorf("read %+v", read)
		}
		changed := must[hospital.Patient](t)(db.UpdatePatient(ctx, created.ID, 1, false, change(func(f *hospital.PatientFields) { f.Phone, f.LastName = "", "ใจงาม" })))
		if changed.Version != 2 || changed.Phone != "" || changed.LastName != "ใจงาม" || changed.FirstName != "สมชาย" || changed.IDCard != "1111111111119" {
			t.Errorf("changed %+v", changed)
		}
		_, err := db.UpdatePatient(ctx, created.ID, 1, false, change(func(f *hospital.PatientFields) { f.Note = "x" }))
		if current := wantCode(t, err, hospital.ConflictVersion).Details["current"].(hospital.Patient); current.LastName != "ใจงาม" {
			t.Errorf("current %+v", current)
		}
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "ใจดี", 10)); len(found) != 0 {
			t.Error("found under the old name")
		}
		if err := db.DeletePatient(ctx, created.ID, "ลงทะเบียนซ้ำ"); err != nil {
			t.Fatal(err)
		}
		_, err = db.Patient(ctx, created.ID)
		wantCode(t, err, hospital.NotFound)
		wantCode(t, db.DeletePatient(ctx, created.ID, "อีกครั้ง"), hospital.NotFound)
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "สมชาย", 10)); len(found) != 0 {
			t.Error("a deleted patient is found")
		}
		// The card is free again, the HN is not.
		again := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		if again.HN == created.HN {
			t.Error("the HN was given twice")
		}
		in.HN, in.IDCard = created.HN, ""
		_, err = db.CreatePatient(ctx, in, true)
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "hn" {
			t.Errorf("fields %+v", e.Fields)
		}
		log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(ctx, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 20, Sort: "at"}, Entity: "patient", EntityID: fmt.Sprint(created.ID)}))
		var actions []string
		for _, e := range log.Items {
			actions = append(actions, e.Action)
		}
		if want := []string{"patient.create", "patient.read", "patient.update", "patient.delete"}; !slices.Equal(actions, want) {
			t.Errorf("actions %v, want %v", actions, want)
		}
		if strings.Contains(fmt.Sprintf("%+v", log), "1111111111119") {
			t.Error("the whole ID card is in the log")
		}
		if log.Items[3].Reason != "ลงทะเบียนซ้ำ" {
			t.Errorf("reason %q", log.Items[3].Reason)
		}
	})
}

func TestIDCardsAreShownOnlyToWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "nurse", "NURSE")
		nurse := storetest.ActAs(t, db, "nurse")
		in := somebody("สมชาย", "ใจดี")
		in.IDCard = "1111111111119"
		p := must[hospital.Patient](t)(db.CreatePatient(admin, in, false))
		const masked = "1-1111-xxxxx-11-9"
		seen := map[string]string{
			"read by who may":     must[store.PatientRecord](t)(db.Patient(admin, p.ID)).IDCard,
			"read by who may not": must[store.PatientRecord](t)(db.Patient(nurse, p.ID)).IDCard,
			"list":                must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(admin, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 5}})).Items[0].IDCard,
			"search":              must[[]hospital.Patient](t)(db.SearchPatients(admin, "1111111111119", 5))[0].IDCard,
			"by card":             must[[]hospital.Patient](t)(db.PatientsByIDCard(admin, "1111"))[0].IDCard,
		}
		want := map[string]string{"read by who may": "1111111111119", "read by who may not": masked, "list": masked, "search": masked, "by card": masked}
		for k := range want {
			if seen[k] != want[k] {
				t.Errorf("%s: %q, want %q", k, seen[k], want[k])
			}
		}
		// A screen that only knew the mask sends the mask back.
		updated := must[hospital.Patient](t)(db.UpdatePatient(nurse, p.ID, p.Version, false, change(func(f *hospital.PatientFields) { f.IDCard, f.Phone = masked, "0812345678" })))
		if updated.IDCard != masked || updated.Phone != "0812345678" {
			t.Errorf("updated %+v", updated)
		}
		if card := must[string](t)(db.RevealIDCard(admin, p.ID, "ตรวจสอบสิทธิ")); card != "1111111111119" {
			t.Errorf("revealed %q", card)
		}
		log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(admin, hospital.AuditFilter{Page: hospital.Page{Page: 1, PageSize: 5}, Action: "patient.reveal-id-card"}))
		if log.Total != 1 || log.Items[0].Reason != "ตรวจสอบสิทธิ" {
			t.Errorf("reveals in the log: %+v", log)
		}
	})
}

func TestTheSamePersonIsNotRegisteredTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := somebody("น้ำทิพย์", "ใจดี")
		in.IDCard = citizenID(1)
		first := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))

		_, err := db.CreatePatient(ctx, in, true) // no confirmation helps
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "idCard" || e.Details["candidates"].([]hospital.Patient)[0].ID != first.ID {
			t.Errorf("%+v", e)
		}
		same := somebody("น่ำทิพย์", " ใจดี")
		_, err = db.CreatePatient(ctx, same, false)
		candidates := wantCode(t, err, hospital.PossibleDuplicate).Details["candidates"].([]hospital.Patient)
		if len(candidates) != 1 || candidates[0].ID != first.ID || candidates[0].IDCard == in.IDCard {
			t.Errorf("candidates %+v", candidates)
		}
		second := must[hospital.Patient](t)(db.CreatePatient(ctx, same, true))
		other := same
		other.BirthDate = "1980-05-18"
		third := must[hospital.Patient](t)(db.CreatePatient(ctx, other, false))

		// Becoming somebody else by an update is the same question.
		_, err = db.UpdatePatient(ctx, third.ID, 1, false, change(func(f *hospital.PatientFields) { f.BirthDate = "1980-05-17" }))
		wantCode(t, err, hospital.PossibleDuplicate)
		must[hospital.Patient](t)(db.UpdatePatient(ctx, third.ID, 1, false, change(func(f *hospital.PatientFields) { f.Phone = "0812345678" })))
		// Who was confirmed to be another person is not asked about again.
		must[hospital.Patient](t)(db.UpdatePatient(ctx, second.ID, 1, false, change(func(f *hospital.PatientFields) { f.Phone = "0812345678" })))
		_, err = db.UpdatePatient(ctx, second.ID, 2, true, change(func(f *hospital.PatientFields) { f.IDCard = in.IDCard }))
		if e := wantCode(t, err, hospital.Duplicate); e.Details["candidates"] == nil {
			t.Errorf("%+v", e)
		}
	})
}

func TestTwoClerksRegisterTheSameCardAtTheSameInstant(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		for round := range 5 {
			errs := together(8, func(i int) error {
				in := somebody(fmt.Sprintf("คนที่ %d %d", round, i), "ใจดี") // not even the name is the same
				in.IDCard = citizenID(round)
				_, err := nodes[i%2].CreatePatient(ctx, in, false)
				return err
			})
			if n := countCodes(errs); n[""] != 1 || n[hospital.Duplicate] != 7 {
				t.Fatalf("%v, want one to win", n)
			}
			for _, err := range errs {
				if err == nil {
					continue
				}
				if e := wantCode(t, err, hospital.Duplicate); e.Details["candidates"] == nil || e.Fields[0].Field != "idCard" {
					t.Errorf("a loser does not learn who has the card: %+v", e)
				}
			}
		}
	})
}

func TestHospitalNumbersAreUniqueUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		// One that was typed stands in the way of the running numbers.
		typed := somebody("พิมพ์เอง", "ใจดี")
		typed.HN = "5"
		must[hospital.Patient](t)(nodes[0].CreatePatient(ctx, typed, false))
		got := make([]string, 32)
		errs := together(32, func(i int) error {
			p, err := nodes[i%2].CreatePatient(ctx, somebody(fmt.Sprint("คนที่", i), "ใจดี"), false)
			got[i] = p.HN
			return err
		})
		if n := countCodes(errs); n[""] != 32 {
			t.Fatalf("%v", n)
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != 32 || slices.Contains(got, "0000005") || got[0] != "0000001" || got[31] != "0000033" {
			t.Errorf("numbers %v", got)
		}
	})
}

func TestVersionsHoldUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		pat := must[hospital.Patient](t)(nodes[0].CreatePatient(ctx, somebody("สมชาย", "ใจดี"), false))
		cust := must[hospital.Customer](t)(nodes[0].CreateCustomer(ctx, hospital.CustomerFields{Name: "มานี", Phone: "0812345678"}))
		errs := together(16, func(i int) error {
			_, err := nodes[i%2].UpdatePatient(ctx, pat.ID, 1, false, change(func(f *hospital.PatientFields) { f.Note = fmt.Sprint(i) }))
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Errorf("patient: %v", n)
		}
		errs = together(16, func(i int) error {
			_, err := nodes[i%2].UpdateCustomer(ctx, cust.ID, 1, func(f *hospital.CustomerFields) error { f.Note = fmt.Sprint(i); return nil })
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Errorf("customer: %v", n)
		}
	})
}

func TestOneBoxFindsWhatAClerkTypes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		add := func(hn, first, last, firstEn, lastEn, phone, card string) {
			t.Helper()
			in := somebody(first, last)
			in.HN, in.FirstNameEn, in.LastNameEn, in.Phone, in.IDCard = hn, firstEn, lastEn, phone, card
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, true))
		}
		add("0000101", "สมชาย", "ใจดี", "Somchai", "Jaidee", "0812345678", "1111111111119")
		add("0000102", "สมหญิง", "สมชายสกุล", "Somying", "Somchaisakul", "0898765432", citizenID(2))
		add("0000103", "น้ำทิพย์", "แก้วใส", "Namthip", "Kaewsai", "053123456", citizenID(3))
		add("0000104", "วิสมชายา", "ทองดี", "", "", "", "")
		add("0001010", "ประเสริฐ", "เจริญกุล", "Prasert", "", "", "")
		add("0000105", "นายิกา", "ดีงาม", "", "", "", "")
		add("0009999", "นางฟ้า", "งามตา", "", "", "", "")
		for name, c := range map[string]struct {
			q    string
			want []string // HNs, best first
		}{
			"part of a Thai name":               {"ทิพย์", []string{"0000103"}},
			"beginning before middle":           {"สมชาย", []string{"0000101", "0000102", "0000104"}},
			"first and last name in one string": {"สมชาย ใจดี", []string{"0000101"}},
			"parts of both":                     {"สมช ใจ", []string{"0000101"}},
			"last name first":                   {"ใจดี สมชาย", []string{"0000101"}},
			"English, any case":                 {"SOMCHAI", []string{"0000101", "0000102"}},
			"English first and last":            {"somchai jai", []string{"0000101"}},
			"the wrong tone mark":               {"น่ำทิพย์", []string{"0000103"}},
			"no tone mark":                      {"นำทิพย์", []string{"0000103"}},
			"sara am in two pieces":             {"น\u0e49\u0e4d\u0e32ทิพย์", []string{"0000103"}},
			"a prename glued to the name":       {"นายสมชาย", []string{"0000101", "0000102", "0000104"}},
			"a name that begins like a prename": {"นายิกา", []string{"0000105"}},
			"a name that a prename begins":      {"นางฟ้า", []string{"0009999"}},
			"a name with an HN behind it":       {"ใจดี9999", nil},
			"HN":                                {"0000101", []string{"0000101", "0001010"}},
			"HN without zeros":                  {"101", []string{"0000101", "0001010"}},
			"HN in Thai digits":                 {"๑๐๓", []string{"0000103"}},
			"phone":                             {"0812345678", []string{"0000101"}},
			"phone with dashes":                 {"081-234-5678", []string{"0000101"}},
			"the end of a phone":                {"5432", []string{"0000102"}},
			"ID card":                           {"1111111111119", []string{"0000101"}},
			"ID card with dashes":               {"1-1111-11111-11-9", []string{"0000101"}},
			"the beginning of an ID card":       {"11111111", []string{"0000101"}},
			"two letters begin a name":          {"สม", []string{"0000101", "0000102"}},
			"one letter":                        {"ป", []string{"0001010"}},
			"nobody":                            {"ไม่มีใครชื่อนี้", nil},
			"wild cards are not wild":           {"%%%", nil},
			"an underscore":                     {"ส_ชาย", []string{}},
			"nothing":                           {"   ", nil},
			"a quote":                           {"'; DROP TABLE patients; --", nil},
		} {
			found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, c.q, 10))
			var got []string
			for _, p := range found {
				got = append(got, p.HN)
			}
			if strings.Join(got, " ") != strings.Join(c.want, " ") {
				t.Errorf("%s (%q): %v, want %v", name, c.q, got, c.want)
			}
		}
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "สม", 1)); len(found) != 1 {
			t.Errorf("limit 1 gives %d", len(found))
		}
	})
}

func TestPatientListFiltersSortsAndPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		for i, name := range []string{"เกศินี", "กมล", "แก้วตา", "ขวัญใจ", "โกวิท", "ไกรสร", "กานดา"} {
			in := somebody(name, "ใจดี")
			in.BirthDate, in.RightCode = fmt.Sprintf("%d-11-16", 2026-10*i), "UCS"
			if i%2 == 0 {
				in.Sex, in.Address.Province = hospital.Female, "เชียงใหม่"
			}
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		}
		list := func(f hospital.PatientFilter) (names []string) {
			t.Helper()
			if f.PageSize == 0 {
				f.Page.Page, f.PageSize = 1, 50
			}
			page := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, f))
			for _, p := range page.Items {
				names = append(names, p.FirstName)
			}
			if f.Page.Page == 1 && f.PageSize == 50 && int(page.Total) != len(names) {
				t.Errorf("total %d of %d", page.Total, len(names))
			}
			return names
		}
		for name, c := range map[string]struct {
			f    hospital.PatientFilter
			want string
		}{
			"Thai order":                     {hospital.PatientFilter{}, "กมล กานดา เกศินี แก้วตา โกวิท ไกรสร ขวัญใจ"},
			"descending":                     {hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 50, Sort: "-firstName"}}, "ขวัญใจ ไกรสร โกวิท แก้วตา เกศินี กานดา กมล"},
			"by HN":                          {hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 50, Sort: "hn"}}, "เกศินี กมล แก้วตา ขวัญใจ โกวิท ไกรสร กานดา"},
			"by birth":                       {hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 50, Sort: "birthDate"}}, "กานดา ไกรสร โกวิท ขวัญใจ แก้วตา กมล เกศินี"},
			"women":                          {hospital.PatientFilter{Sex: hospital.Female}, "กานดา เกศินี แก้วตา โกวิท"},
			"a province":                     {hospital.PatientFilter{Province: " เชียงใหม่ "}, "กานดา เกศินี แก้วตา โกวิท"},
			"a right":                        {hospital.PatientFilter{RightCode: "SSS"}, ""},
			"twenty on their birthday":       {hospital.PatientFilter{AgeFrom: new(20), AgeTo: new(20)}, "แก้วตา"},
			"from forty":                     {hospital.PatientFilter{AgeFrom: new(40)}, "กานดา โกวิท ไกรสร"},
			"to nineteen":                    {hospital.PatientFilter{AgeTo: new(19)}, "กมล เกศินี"},
			"by text":                        {hospital.PatientFilter{Q: "แก้ว"}, "แก้วตา"},
			"by text and sex":                {hospital.PatientFilter{Q: "ใจดี", Sex: hospital.Male}, "กมล ไกรสร ขวัญใจ"},
			"the second page":                {hospital.PatientFilter{Page: hospital.Page{Page: 2, PageSize: 3}}, "แก้วตา โกวิท ไกรสร"},
			"a page beyond the end":          {hospital.PatientFilter{Page: hospital.Page{Page: 9, PageSize: 3}}, ""},
			"equal keys, one of three pages": {hospital.PatientFilter{Page: hospital.Page{Page: 2, PageSize: 3, Sort: "createdAt"}}, "ขวัญใจ โกวิท ไกรสร"},
		} {
			if got := strings.Join(list(c.f), " "); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		_, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 5, Sort: "id_card"}})
		wantCode(t, err, hospital.ValidationFailed)
	})
}

// Who types a number wants the patient that it is of, not all who have its digits
// somewhere in another one.
func TestWhoseNumberWasTypedStandsFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		add := func(hn, first, phone, card, passport string) {
			t.Helper()
			in := somebody(first, "ใจดี")
			in.HN, in.Phone, in.IDCard, in.PassportNo = hn, phone, card, passport
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, true))
		}
		add("0005064", "อรุณ", "0811111111", "", "")
		add("69-00123", "ฮาน่า", "", "", "AB1234567")
		for i, first := range []string{"กมล", "ขวัญ", "คมสัน", "จันทร์"} {
			add(fmt.Sprintf("900%d", i), first, fmt.Sprintf("085506400%d", i), "", "")
		}
		add("9010", "ชัย", "0811111111", "", "")    // of one family
		add("9011", "ดาว", "", "1111111111119", "") // her card has the phone's ones in it, too
		for name, c := range map[string]struct {
			f    hospital.PatientFilter
			want string
		}{
			"an HN":                             {hospital.PatientFilter{Q: "5064"}, "อรุณ กมล ขวัญ คมสัน จันทร์"},
			"an HN with zeros":                  {hospital.PatientFilter{Q: "0005064"}, "อรุณ"},
			"an HN with too many zeros":         {hospital.PatientFilter{Q: "00000005064"}, "อรุณ"},
			"an HN in Thai digits":              {hospital.PatientFilter{Q: "๕๐๖๔"}, "อรุณ กมล ขวัญ คมสัน จันทร์"},
			"digits that are nobody's number":   {hospital.PatientFilter{Q: "064"}, "กมล ขวัญ คมสัน จันทร์ อรุณ"},
			"an HN with its dash":               {hospital.PatientFilter{Q: "69-00123"}, "ฮาน่า"},
			"an HN without its dash":            {hospital.PatientFilter{Q: "6900123"}, "ฮาน่า"},
			"the same, sorted":                  {hospital.PatientFilter{Q: "6900123", Page: hospital.Page{Page: 1, PageSize: 50, Sort: "hn"}}, "ฮาน่า"},
			"a phone, of two":                   {hospital.PatientFilter{Q: "081-111-1111"}, "ชัย อรุณ"},
			"an ID card":                        {hospital.PatientFilter{Q: "1-1111-11111-11-9"}, "ดาว"},
			"a passport":                        {hospital.PatientFilter{Q: "ab1234567"}, "ฮาน่า"},
			"a sort that was asked for":         {hospital.PatientFilter{Q: "5064", Page: hospital.Page{Page: 1, PageSize: 50, Sort: "-firstName"}}, "อรุณ จันทร์ คมสัน ขวัญ กมล"},
			"the default, asked for":            {hospital.PatientFilter{Q: "5064", Page: hospital.Page{Page: 1, PageSize: 50, Sort: "firstName"}}, "กมล ขวัญ คมสัน จันทร์ อรุณ"},
			"an HN of somebody who is left out": {hospital.PatientFilter{Q: "5064", AgeFrom: new(120)}, ""},
			"the first page":                    {hospital.PatientFilter{Q: "5064", Page: hospital.Page{Page: 1, PageSize: 2}}, "อรุณ กมล"},
			"the second page":                   {hospital.PatientFilter{Q: "5064", Page: hospital.Page{Page: 2, PageSize: 2}}, "ขวัญ คมสัน"},
			"the last page":                     {hospital.PatientFilter{Q: "5064", Page: hospital.Page{Page: 3, PageSize: 2}}, "จันทร์"},
			"a page of one":                     {hospital.PatientFilter{Q: "0811111111", Page: hospital.Page{Page: 2, PageSize: 1}}, "อรุณ"},
		} {
			if c.f.PageSize == 0 {
				c.f.Page.Page, c.f.PageSize = 1, 50
			}
			page := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, c.f))
			if got := names(page.Items); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
			var exported []hospital.Patient
			if err := db.EachPatient(ctx, c.f, "csv", func(p hospital.Patient) error { exported = append(exported, p); return nil }); err != nil {
				t.Fatal(err)
			}
			from := min(c.f.Offset(), len(exported))
			if got := names(exported[from:min(from+c.f.PageSize, len(exported))]); got != c.want || int(page.Total) != len(exported) {
				t.Errorf("%s: exported %s, want %s; a total of %d for %d", name, got, c.want, page.Total, len(exported))
			}
		}
	})
}

// names are the first names of a list, in its order.
func names(list []hospital.Patient) string {
	var names []string
	for _, p := range list {
		names = append(names, p.FirstName)
	}
	return strings.Join(names, " ")
}

func TestCustomers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		a := must[hospital.Patient](t)(db.CreatePatient(ctx, somebody("สมชาย", "ใจดี"), false))
		b := must[hospital.Patient](t)(db.CreatePatient(ctx, somebody("เด็กชายเก่ง", "ใจดี"), false))
		in := hospital.CustomerFields{Name: "สมชาย ใจดี", Phone: "081-234-5678", Email: "Somchai@x.example", Patients: []hospital.CustomerPatient{{PatientID: a.ID, Relation: hospital.RelationSelf}, {PatientID: b.ID, Relation: hospital.RelationChild}}}
		c := must[hospital.Customer](t)(db.CreateCustomer(ctx, in))
		if c.Status != hospital.CustomerActive || len(c.Patients) != 2 || c.Patients[1].Relation != hospital.RelationChild || c.Patients[0].HN != a.HN || c.Patients[0].Name != "นายสมชาย ใจดี" {
			t.Errorf("created %+v", c)
		}
		_, err := db.CreateCustomer(ctx, hospital.CustomerFields{Name: "คนอื่น", Phone: "0812345678"})
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "phone" {
			t.Errorf("%+v", e)
		}
		_, err = db.CreateCustomer(ctx, hospital.CustomerFields{Name: "คนอื่น", Phone: "0899999999", Patients: []hospital.CustomerPatient{{PatientID: 999, Relation: hospital.RelationSelf}}})
		if e := wantCode(t, err, hospital.ValidationFailed); e.Fields[0].Field != "patients[0].patientId" {
			t.Errorf("%+v", e)
		}
		changed := must[hospital.Customer](t)(db.UpdateCustomer(ctx, c.ID, 1, func(f *hospital.CustomerFields) error {
			f.Status, f.Patients = hospital.CustomerSuspended, f.Patients[:1]
			return nil
		}))
		if changed.Version != 2 || changed.Status != hospital.CustomerSuspended || len(changed.Patients) != 1 || changed.Phone != "0812345678" {
			t.Errorf("changed %+v", changed)
		}
		for q, want := range map[string]int64{"ใจดี": 1, "081-234": 1, "somchai@x": 1, "ไม่มี": 0, "": 1} {
			if got := must[hospital.Paged[hospital.Customer]](t)(db.ListCustomers(ctx, hospital.CustomerFilter{Page: hospital.Page{Page: 1, PageSize: 5}, Q: q})); got.Total != want || int64(len(got.Items)) != want {
				t.Errorf("search %q: %d, want %d", q, got.Total, want)
			}
		}
		if got := must[hospital.Paged[hospital.Customer]](t)(db.ListCustomers(ctx, hospital.CustomerFilter{Page: hospital.Page{Page: 1, PageSize: 5}, Status: hospital.CustomerActive})); got.Total != 0 {
			t.Errorf("active: %+v", got)
		}
		// A patient who is deleted is not linked any more.
		if err := db.DeletePatient(ctx, a.ID, "ซ้ำ"); err != nil {
			t.Fatal(err)
		}
		if got := must[hospital.Customer](t)(db.Customer(ctx, c.ID)); len(got.Patients) != 0 {
			t.Errorf("patients %+v", got.Patients)
		}
		if err := db.DeleteCustomer(ctx, c.ID); err != nil {
			t.Fatal(err)
		}
		_, err = db.Customer(ctx, c.ID)
		wantCode(t, err, hospital.NotFound)
		must[hospital.Customer](t)(db.CreateCustomer(ctx, hospital.CustomerFields{Name: "เบอร์เดิม", Phone: "0812345678"}))
	})
}

// A block of numbers that somebody typed, or brought along, is passed at once.
func TestNextHNPassesWhatWasTyped(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		first := must[hospital.Patient](t)(db.CreatePatient(ctx, somebody("คนแรก", "ใจดี"), false))
		if first.HN != "0000001" {
			t.Fatalf("the first HN is %s", first.HN)
		}
		// As if each had been typed: the counter has not moved.
		copies(t, p.SQL(t), first.ID, "2", "50000", map[string]string{"hn": "'typed ' || n", "hn_key": "CAST(n AS TEXT)"})
		var got []string
		for i := range 3 {
			got = append(got, must[hospital.Patient](t)(db.CreatePatient(ctx, somebody(fmt.Sprintf("คนที่ %d", i+2), "ใจดี"), false)).HN)
		}
		if want := []string{"0050001", "0050002", "0050003"}; !slices.Equal(got, want) {
			t.Errorf("the next HNs are %v, want %v", got, want)
		}
	})
}

// copies writes a record many times over behind the store's back, with numbers
// from…to in place of n in the columns that are to be their own.
func copies(t *testing.T, raw *sql.DB, id int64, from, to string, own map[string]string) {
	t.Helper()
	columns, err := raw.Query(`SELECT * FROM patients WHERE id = 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer columns.Close() // nothing is read
	if err := columns.Err(); err != nil {
		t.Fatal(err)
	}
	var names, values []string
	for _, name := range must[[]string](t)(columns.Columns()) {
		value, ok := own[name]
		if !ok {
			value = "p." + name
		}
		if name != "id" {
			names, values = append(names, name), append(values, value)
		}
	}
	must[sql.Result](t)(raw.Exec(`INSERT INTO patients (`+strings.Join(names, ", ")+`)
		WITH RECURSIVE number (n) AS (SELECT `+from+` UNION ALL SELECT n + 1 FROM number WHERE n < `+to+`)
		SELECT `+strings.Join(values, ", ")+` FROM number, patients p WHERE p.id = $1`, id))
}

// Whatever is typed, no statement of the search reads the whole table: each goes
// by an index.
func TestEverySearchGoesByAnIndex(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		// Enough of them for reading all to be the wrong way.
		one, raw := must[hospital.Patient](t)(db.CreatePatient(ctx, somebody("สมชาย", "ใจดี"), false)), p.SQL(t)
		copies(t, raw, one.ID, "1000002", "1020000", map[string]string{
			"hn": "CAST(n AS TEXT)", "hn_key": "CAST(n AS TEXT)", "id_card": "'123456' || n", "passport_no": "'AB' || n", "phone": "'081' || n", "phone2": "'082' || n",
			"first_search": "'ชื่อ' || n", "last_search": "'สกุล' || n", "first_search_en": "'first' || n", "last_search_en": "'last' || n",
		})
		must[sql.Result](t)(raw.Exec(`INSERT INTO patient_search (rowid, doc) SELECT id, first_search || ' ' || last_search || ' ' || phone FROM patients WHERE id <> $1`, one.ID))
		must[sql.Result](t)(raw.Exec(`ANALYZE`))
		whole := regexp.MustCompile(`Seq Scan|SCAN (p|patients)\b|VIRTUAL TABLE INDEX \d+:($|\n)`)
		index := regexp.MustCompile(`Index (Only )?Scan|Bitmap Index Scan|USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|VIRTUAL TABLE INDEX`)
		few := regexp.MustCompile(`Limit [^\n]*\n +->  Index Scan using patient_search_pkey[^\n]*`)
		statements := map[string]bool{}
		for _, q := range []string{
			"ท", "ทอ", "ทองดี", "องด", "ทอง ดี", "ทองดี มีสุข", "ดี ทองดี มีสุข", "ก่อง", // Thai names, their pieces, both
			"s", "so", "somch", "omch", "som cha", // English ones
			"9", "99", "999", "99999", "0000099", "AB123456", "HN69-000123", // numbers of patients and passports
			"081", "0812345678", "081-234-5678", "5678", "053123456", // phones
			"1111", "111111111", "1111111111119", "1-1111-11111-11-9", // ID cards
		} {
			for where, plan := range must[map[string]string](t)(db.SearchPlans(ctx, q, 20)) {
				statements[where] = true
				// The first few thousand are looked at by the index, and no more.
				plan = strings.ReplaceAll(few.ReplaceAllString(plan, ""), "Seq Scan on patient_total", "") // one row
				// An index without a condition is read from end to end, too.
				unbounded := strings.Contains(plan, "cost=") && len(index.FindAllString(plan, -1)) != strings.Count(plan, "Index Cond:")
				if whole.MatchString(plan) || !index.MatchString(plan) || unbounded {
					t.Errorf("%q reads everything in\n%s\n%s", q, where, plan)
				}
			}
		}
		if len(statements) < 10 {
			t.Errorf("only %d statements were looked at: %v", len(statements), slices.Collect(maps.Keys(statements)))
		}
	})
}

// In a large hospital a fragment of a usual name is looked for among the first
// patients, and a rare one still among all.
func TestAUsualFragmentIsFoundInALargeHospitalToo(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		for i := range 60 {
			name := []string{"สมทองใบ", "วิทองใบ", "มานะ"}[i%3]
			if i == 59 {
				name = "ปิยะพงษ์"
			}
			must[hospital.Patient](t)(db.CreatePatient(ctx, somebody(name, fmt.Sprintf("นามสกุล%d", i)), true))
		}
		for _, large := range []bool{false, true} {
			if large {
				must[sql.Result](t)(p.SQL(t).Exec(`UPDATE patient_total SET n = 70000000`))
			}
			for q, want := range map[string]int{"องใบ": 20, "ิยะพ": 1, "องใบ นามสกุล4": 8, "ไม่มีใคร": 0} {
				list := must[[]hospital.Patient](t)(db.SearchPatients(ctx, q, 20))
				found := map[int64]bool{}
				for _, p := range list {
					found[p.ID] = true
					if first, _, _ := strings.Cut(q, " "); !strings.Contains(p.FirstName, first) {
						t.Errorf("%q found %s", q, p.FirstName)
					}
				}
				if len(list) != want || len(found) != want {
					t.Errorf("large %v: %q found %d, want %d", large, q, len(list), want)
				}
			}
		}
	})
}
