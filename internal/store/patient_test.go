package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// idCardNumber returns n as a valid ID card number, with a check digit.
func idCardNumber(n int) hospital.IDCard {
	s := fmt.Sprintf("%012d", n)
	for check := range 10 {
		if id := fmt.Sprintf("%s%d", s, check); hospital.IsIDCard(id) {
			return hospital.IDCard(id)
		}
	}
	panic("no valid check digit")
}

func newPatient(first, last string) hospital.PatientFields {
	return hospital.PatientFields{
		Prename: "นาย", FirstName: first, LastName: last, Sex: hospital.Male, BirthDate: "1980-05-17",
	}
}

// change returns an apply function for UpdatePatient that never fails.
func change(fn func(*hospital.PatientFields)) func(*hospital.PatientFields) error {
	return func(f *hospital.PatientFields) error {
		fn(f)
		return nil
	}
}

func TestPatientLifecycle(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		in := hospital.PatientFields{
			IDCard: "1-1111-11111-11-9", FirstName: "นายสมชาย", LastName: "ใจดี",
			FirstNameEn: "Somchai", LastNameEn: "Jaidee",
			BirthDate: "1957-08-30", BirthPrecision: hospital.BirthYear, Sex: hospital.Male,
			BloodGroup: "AB", RhFactor: "-", Nationality: "ไทย", Phone: "081-234-5678", Email: "s@x.example",
			Address: hospital.Address{
				Line: "12/3", Moo: "5", Subdistrict: "ศรีภูมิ", District: "เมืองเชียงใหม่", Province: "เชียงใหม่",
				PostalCode: "50200",
			},
			RightCode: "UCS", Conditions: []string{"เบาหวาน"},
			Allergies: []hospital.Allergy{{
				Substance: "เพนิซิลลิน", Severity: hospital.SeveritySevere, Reaction: "ผื่น",
			}},
			ConsentAt: new(db.Now()), Note: "ใช้รถเข็น",
		}
		created := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		if created.HN != "0000001" || created.Version != 1 || created.Prename != "นาย" || created.FirstName != "สมชาย" ||
			created.BirthDate != "1957-01-01" || created.IDCard != "1111111111119" {
			t.Errorf("created %+v", created)
		}
		read := must[store.PatientRecord](t)(db.Patient(ctx, created.ID))
		if fmt.Sprintf("%+v", read.Allergies) != fmt.Sprintf("%+v", in.Allergies) || read.Address != in.Address ||
			!read.ConsentAt.Equal(*in.ConsentAt) || read.Conditions[0] != "เบาหวาน" {
			t.Errorf("read %+v", read)
		}
		changed := must[hospital.Patient](t)(db.UpdatePatient(ctx, created.ID, 1, false,
			change(func(f *hospital.PatientFields) { f.Phone, f.LastName = "", "ใจงาม" })))
		if changed.Version != 2 || changed.Phone != "" || changed.LastName != "ใจงาม" || changed.FirstName != "สมชาย" ||
			changed.IDCard != "1111111111119" {
			t.Errorf("changed %+v", changed)
		}
		_, err := db.UpdatePatient(ctx, created.ID, 1, false, change(func(f *hospital.PatientFields) { f.Note = "x" }))
		current := wantDetails(t, err, hospital.ConflictVersion)["current"].(hospital.Patient)
		if current.LastName != "ใจงาม" {
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
		// The ID card of a deleted patient can be used again, the HN cannot.
		again := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		if again.HN == created.HN {
			t.Error("the HN was used twice")
		}
		in.HN, in.IDCard = created.HN, ""
		_, err = db.CreatePatient(ctx, in, true)
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "hn" {
			t.Errorf("fields %+v", e.Fields)
		}
		log := listAudit(ctx, t, db, hospital.AuditFilter{Entity: "patient", EntityID: fmt.Sprint(created.ID)})
		var actions []string
		for _, e := range log.Items {
			actions = append(actions, e.Action)
		}
		want := []string{"patient.delete", "patient.update", "patient.read", "patient.create"} // newest first
		if !slices.Equal(actions, want) {
			t.Errorf("actions %v, want %v", actions, want)
		}
		if strings.Contains(fmt.Sprintf("%+v", log), "1111111111119") {
			t.Error("the audit log contains the whole ID card")
		}
		if log.Items[0].Reason != "ลงทะเบียนซ้ำ" {
			t.Errorf("reason %q", log.Items[0].Reason)
		}
	})
}

func TestUpdateMaskedIDCard(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		admin := storetest.SetUp(t, db)
		storetest.AddUser(t, db, "nurse", "NURSE")
		nurse := storetest.ActAs(t, db, "nurse")
		in := newPatient("สมชาย", "ใจดี")
		in.IDCard = "1111111111119"
		p := must[hospital.Patient](t)(db.CreatePatient(admin, in, false))
		update := func(card hospital.IDCard) (hospital.Patient, error) {
			u, err := db.UpdatePatient(nurse, p.ID, p.Version, false,
				change(func(f *hospital.PatientFields) { f.IDCard = card }))
			if err == nil {
				p = u
			}
			return u, err
		}
		// A client that only knows the mask sends the mask back.
		if u := must[hospital.Patient](t)(update("1-1111-xxxxx-11-9")); u.IDCard != "1111111111119" {
			t.Errorf("the mask is stored as the number: %q", string(u.IDCard))
		}
		for _, wrong := range []hospital.IDCard{
			"1-1112-xxxxx-11-9", "x-xxxx-xxxxx-xx-x", "1-1111-XXXXX-11-9", "1-1111-xxxxx-11-8",
		} {
			_, err := update(wrong)
			if e := wantCode(t, err, hospital.ValidationFailed); e.Fields[0].Field != "idCard" {
				t.Errorf("%q: %+v", string(wrong), e)
			}
		}
		// Both numbers have the same mask; the audit log still contains the change.
		if u := must[hospital.Patient](t)(update("1111100002119")); u.IDCard != "1111100002119" ||
			u.IDCard.Mask() != "1-1111-xxxxx-11-9" {
			t.Errorf("changed to %q", string(u.IDCard))
		}
		if u := must[hospital.Patient](t)(update("")); u.IDCard != "" || u.IDType != hospital.IDNone {
			t.Errorf("cleared: %q %s", string(u.IDCard), u.IDType)
		}
		page := hospital.Page{Page: 1, PageSize: 10}
		log := must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(admin,
			hospital.AuditFilter{Page: page, Action: "patient.update"}))
		for i, want := range []hospital.Change{
			{Before: "1-1111-xxxxx-11-9", After: ""}, {Before: "1-1111-xxxxx-11-9", After: "1-1111-xxxxx-11-9"}, {},
		} {
			if got := log.Items[i].Changes["idCard"]; got != want {
				t.Errorf("audit entry %d has %+v, want %+v", i, got, want)
			}
		}
		must[hospital.Patient](t)(update("1111111111119"))
		if card := must[string](t)(db.RevealIDCard(admin, p.ID, "ตรวจสอบสิทธิ")); card != "1111111111119" {
			t.Errorf("revealed %q", card)
		}
		log = must[hospital.Paged[hospital.AuditEntry]](t)(db.ListAudit(admin,
			hospital.AuditFilter{Page: page, Action: "patient.reveal-id-card"}))
		if log.Total != 1 || log.Items[0].Reason != "ตรวจสอบสิทธิ" {
			t.Errorf("reveals in the log: %+v", log)
		}
	})
}

func TestDuplicatePatient(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		in := newPatient("น้ำทิพย์", "ใจดี")
		in.IDCard = idCardNumber(1)
		first := must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))

		_, err := db.CreatePatient(ctx, in, true) // cannot be confirmed
		if e := wantCode(t, err, hospital.Duplicate); e.Fields[0].Field != "idCard" ||
			e.Details["candidates"].([]hospital.Patient)[0].ID != first.ID {
			t.Errorf("%+v", e)
		}
		same := newPatient("น่ำทิพย์", " ใจดี")
		_, err = db.CreatePatient(ctx, same, false)
		candidates := wantCode(t, err, hospital.PossibleDuplicate).Details["candidates"].([]hospital.Patient)
		if len(candidates) != 1 || candidates[0].ID != first.ID {
			t.Errorf("candidates %+v", candidates)
		}
		second := must[hospital.Patient](t)(db.CreatePatient(ctx, same, true))
		other := same
		other.BirthDate = "1980-05-18"
		third := must[hospital.Patient](t)(db.CreatePatient(ctx, other, false))

		// An update is checked for duplicates if it changes the name or the birth date.
		setBirth := change(func(f *hospital.PatientFields) { f.BirthDate = "1980-05-17" })
		setPhone := change(func(f *hospital.PatientFields) { f.Phone = "0812345678" })
		setCard := change(func(f *hospital.PatientFields) { f.IDCard = in.IDCard })
		_, err = db.UpdatePatient(ctx, third.ID, 1, false, setBirth)
		wantCode(t, err, hospital.PossibleDuplicate)
		must[hospital.Patient](t)(db.UpdatePatient(ctx, third.ID, 1, false, setPhone))
		must[hospital.Patient](t)(db.UpdatePatient(ctx, second.ID, 1, false, setPhone)) // was confirmed before
		_, err = db.UpdatePatient(ctx, second.ID, 2, true, setCard)
		if e := wantCode(t, err, hospital.Duplicate); e.Details["candidates"] == nil {
			t.Errorf("%+v", e)
		}
	})
}

func TestDuplicateIDCardConcurrent(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		for round := range 5 {
			errs := concurrently(8, func(i int) error {
				in := newPatient(fmt.Sprintf("คนที่ %d %d", round, i), "ใจดี") // different names
				in.IDCard = idCardNumber(round)
				_, err := nodes[i%2].CreatePatient(ctx, in, false)
				return err
			})
			if n := countCodes(errs); n[""] != 1 || n[hospital.Duplicate] != 7 {
				t.Fatalf("%v, want one to succeed", n)
			}
			for _, err := range errs {
				if err == nil {
					continue
				}
				e := wantCode(t, err, hospital.Duplicate)
				if e.Details["candidates"] == nil || e.Fields[0].Field != "idCard" {
					t.Errorf("the error does not contain the patient with the ID card: %+v", e)
				}
			}
		}
	})
}

func TestHNsConcurrent(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		// A number that was entered by hand is skipped.
		typed := newPatient("พิมพ์เอง", "ใจดี")
		typed.HN = "5"
		must[hospital.Patient](t)(nodes[0].CreatePatient(ctx, typed, false))
		got := make([]string, 32)
		errs := concurrently(32, func(i int) error {
			p, err := nodes[i%2].CreatePatient(ctx, newPatient(fmt.Sprint("คนที่", i), "ใจดี"), false)
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

func TestVersionConflictConcurrent(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		nodes := []*store.DB{p.Open(t), p.Open(t)}
		ctx := storetest.SetUp(t, nodes[0])
		pat := must[hospital.Patient](t)(nodes[0].CreatePatient(ctx, newPatient("สมชาย", "ใจดี"), false))
		fields := hospital.CustomerFields{Name: "มานี", Phone: "0812345678"}
		cust := must[hospital.Customer](t)(nodes[0].CreateCustomer(ctx, fields))
		errs := concurrently(16, func(i int) error {
			setNote := change(func(f *hospital.PatientFields) { f.Note = fmt.Sprint(i) })
			_, err := nodes[i%2].UpdatePatient(ctx, pat.ID, 1, false, setNote)
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Errorf("patient: %v", n)
		}
		errs = concurrently(16, func(i int) error {
			_, err := nodes[i%2].UpdateCustomer(ctx, cust.ID, 1, func(f *hospital.CustomerFields) error {
				f.Note = fmt.Sprint(i)
				return nil
			})
			return err
		})
		if n := countCodes(errs); n[""] != 1 || n[hospital.ConflictVersion] != 15 {
			t.Errorf("customer: %v", n)
		}
	})
}

// A block of numbers that were entered by hand is skipped in one query.
func TestNextHNSkipsTypedNumbers(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		first := must[hospital.Patient](t)(db.CreatePatient(ctx, newPatient("คนแรก", "ใจดี"), false))
		if first.HN != "0000001" {
			t.Fatalf("the first HN is %s", first.HN)
		}
		// The counter stays at 1, as if each number had been entered by hand.
		copies(t, p.SQL(t), first.ID, "2", "50000", map[string]string{
			"hn": "'typed ' || n", "hn_key": "CAST(n AS TEXT)",
		})
		var got []string
		for i := range 3 {
			in := newPatient(fmt.Sprintf("คนที่ %d", i+2), "ใจดี")
			got = append(got, must[hospital.Patient](t)(db.CreatePatient(ctx, in, false)).HN)
		}
		if want := []string{"0050001", "0050002", "0050003"}; !slices.Equal(got, want) {
			t.Errorf("the next HNs are %v, want %v", got, want)
		}
	})
}

// A caller reads its own committed change, also if there are more readers than connections.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		var all sync.WaitGroup
		for n := range 16 {
			patient := storetest.AddPatient(t, db, fmt.Sprint("คนที่ ", n))
			all.Go(func() {
				for round := range 10 {
					note := fmt.Sprint("ครั้งที่ ", round)
					setNote := change(func(f *hospital.PatientFields) { f.Note = note })
					changed, err := db.UpdatePatient(ctx, patient.ID, patient.Version, true, setNote)
					if err != nil {
						t.Error(err)
						return
					}
					patient = changed
					read, err := db.Patient(ctx, patient.ID)
					if err != nil || read.ID != patient.ID || read.Note != note || read.Version != patient.Version {
						t.Errorf("patient %d, round %d: read %d, version %d, %q, %v",
							patient.ID, round, read.ID, read.Version, read.Note, err)
					}
					found, err := db.SearchPatients(ctx, patient.HN, 20) // the exact number comes first
					if err != nil || len(found) == 0 || found[0].ID != patient.ID ||
						found[0].Version != patient.Version {
						t.Errorf("patient %d, round %d: found %d, %v", patient.ID, round, len(found), err)
					}
				}
			})
		}
		all.Wait()
		if _, err := db.Patient(ctx, 1<<40); hospital.CodeOf(err) != hospital.NotFound {
			t.Errorf("an unknown patient: %v", err)
		}
	})
}
