package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// everything is what a visitor of the demo hospital can see.
type everything struct {
	Setting   hospital.Setting
	Users     hospital.Paged[hospital.User]
	Roles     hospital.Paged[hospital.Role]
	Patients  [2]hospital.Paged[hospital.Patient] // the first page and the next
	Customers hospital.Paged[hospital.Customer]
	Audit     hospital.Paged[hospital.AuditEntry]
	Visits    hospital.Paged[hospital.Appointment]
}

func look(t *testing.T, db *store.DB) (e everything) {
	t.Helper()
	ctx, all := hospital.WithActor(t.Context(), hospital.System), hospital.Page{Page: 1, PageSize: 200}
	var errs [8]error
	e.Setting, errs[0] = db.Setting(ctx)
	e.Users, errs[1] = db.ListUsers(ctx, store.UserFilter{Page: all})
	e.Roles, errs[2] = db.ListRoles(ctx, all, "")
	e.Patients[0], errs[3] = db.ListPatients(ctx, hospital.PatientFilter{Page: all})
	e.Patients[1], errs[4] = db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 2, PageSize: 200}})
	e.Customers, errs[5] = db.ListCustomers(ctx, hospital.CustomerFilter{Page: all})
	e.Audit, errs[6] = db.ListAudit(ctx, hospital.AuditFilter{Page: all})
	e.Visits, errs[7] = db.ListAppointments(ctx, hospital.AppointmentFilter{Page: all})
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return e
}

// folder is an empty place for pictures.
func folder(t *testing.T) files.Store {
	t.Helper()
	d, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// small is a hospital that takes no time.
var small = Size{Patients: 240, Appointments: 3000, Seed: 2569}

func fill(t *testing.T, db *store.DB, adminPassword string, size Size) {
	t.Helper()
	if err := Fill(t.Context(), db, folder(t), storetest.Hasher, adminPassword, size, nil); err != nil {
		t.Fatal(err)
	}
}

// opens tells whether somebody signs in with the password.
func opens(t *testing.T, db *store.DB, username, password string) bool {
	t.Helper()
	c, err := db.BeginLogin(t.Context(), username, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	ok, err := storetest.Hasher.Verify(t.Context(), c.PasswordHash, password)
	if err != nil {
		t.Fatal(err)
	}
	return ok && c.Status == hospital.UserActive && !c.MustChange
}

// One hospital for all that only look at it: to write it takes a while.
func TestSampleHospital(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		pictures := folder(t)
		if err := Fill(t.Context(), db, pictures, storetest.Hasher, "", Usual, nil); err != nil {
			t.Fatal(err)
		}
		seen := look(t, db)
		t.Run("its pictures are there, as uploaded ones would be", func(t *testing.T) { holdPictures(t, pictures, seen.Setting) })
		t.Run("every filter has somebody to show", func(t *testing.T) { holdLists(t, seen) })
		t.Run("most were here this morning", func(t *testing.T) { holdComings(t, db, seen.Users.Items) })
		t.Run("there is something to see in every status", func(t *testing.T) { holdVisits(t, db) })
		t.Run("nobody is where they do not belong", func(t *testing.T) { holdBelonging(t, db) })
		t.Run("most visits that are over have a result", func(t *testing.T) { holdResults(t, db, pictures) })
		t.Run("its reports have something to tell", func(t *testing.T) { holdReports(t, db) })
		t.Run("its history is as whole as a real one's", func(t *testing.T) {
			if n, faults, err := db.VerifyAudit(t.Context()); err != nil || n < int64(len(staff)) || len(faults) > 0 {
				t.Errorf("%d audit entries, %v, %v", n, faults, err)
			}
		})
		t.Run("every system role has a sign-in", func(t *testing.T) { holdSignIns(t, db) })
		t.Run("one can go on booking", func(t *testing.T) { bookNext(t, db) })
	})
}

func TestItIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	place, other := storetest.SQLite(t), storetest.Postgres(t).Open(t)
	db := place.Open(t)
	fill(t, db, "", small)
	seen := look(t, db)
	t.Run("on the other database too, whatever the administrator's password", func(t *testing.T) {
		fill(t, other, "a password of my own", small)
		if d := cmp.Diff(seen, look(t, other)); d != "" {
			t.Errorf("two fresh hospitals differ:\n%s", d)
		}
		if !opens(t, other, "admin", "a password of my own") || opens(t, other, "admin", Password) {
			t.Error("the administrator has another password than was asked for")
		}
		if !opens(t, other, "nurse", Password) {
			t.Error("the others do not have the demo password")
		}
	})
	t.Run("to fill it twice does nothing", func(t *testing.T) {
		place.Clock.Advance(24 * time.Hour)
		fill(t, db, "another password", small)
		if d := cmp.Diff(seen, look(t, db)); d != "" {
			t.Errorf("the second time something changed:\n%s", d)
		}
		if !opens(t, db, "admin", Password) {
			t.Error("the administrator's password was changed")
		}
	})
}

func holdPictures(t *testing.T, pictures files.Store, s hospital.Setting) {
	t.Helper()
	if s.Logo == "" || len(s.Banners) != 3 || len(s.Reminders) == 0 || s.Phone == "" || s.Address == "" {
		t.Errorf("the hospital is %+v", s)
	}
	for _, address := range s.Images() {
		f, err := pictures.Open(t.Context(), strings.TrimPrefix(address, "/"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if p, err := files.CleanImage(t.Context(), body, 2400, 2400); err != nil || p.Ending != ".png" || p.Width < 256 {
			t.Errorf("%s is %d × %d: %v", address, p.Width, p.Height, err)
		}
	}
}

// holdResults looks for results of every kind the demo shows, with files that
// anybody could have uploaded.
func holdResults(t *testing.T, db *store.DB, uploads files.Store) {
	t.Helper()
	ctx := hospital.WithActor(t.Context(), hospital.System)
	over, err := db.AppointmentsIn(ctx, hospital.AppointmentFilter{Statuses: []hospital.AppointmentStatus{hospital.Completed}})
	if err != nil {
		t.Fatal(err)
	}
	with, kinds := 0, map[string]int{}
	for _, a := range over {
		if a.ResultCount > 0 {
			with++
		}
	}
	if with < len(over)*3/4 || with == len(over) || len(over) < 20_000 {
		t.Errorf("%d of %d visits have a result", with, len(over))
	}
	err = db.EachResultFile(ctx, func(_ int64, f hospital.StoredFile) error {
		kinds[f.ContentType]++
		if fault, err := files.Check(ctx, uploads, f.Key, files.Stored{Size: f.Size, SHA256: f.SHA256}); err != nil || fault != "" {
			t.Errorf("%s: %s %v", f.Name, fault, err)
		}
		file, err := uploads.Open(ctx, f.Key)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // only read
		doc, err := files.OpenDocument(file)
		if err != nil {
			return err
		}
		defer doc.Close()
		_, err = io.Copy(io.Discard, doc)
		return err
	})
	if err != nil || kinds["application/pdf"] == 0 || kinds["image/png"] == 0 {
		t.Errorf("files %v, %v", kinds, err)
	}
	if faults, err := db.VerifyResultCounts(ctx); err != nil || len(faults) > 0 {
		t.Errorf("results that do not add up: %v, %v", faults, err)
	}
	for _, list := range findings {
		for _, f := range list {
			fields := hospital.ResultFields{Type: hospital.ResultDiagnosis, Diagnosis: f.diagnosis, ICD10: f.codes, Advice: f.advice}
			if err := fields.Validate(false); err != nil {
				t.Errorf("%s: %v", f.diagnosis, err)
			}
		}
	}
}

func holdLists(t *testing.T, seen everything) {
	t.Helper()
	count := map[hospital.UserStatus]int{}
	for _, u := range seen.Users.Items {
		count[u.Status]++
		if !strings.ContainsFunc(u.Name, func(r rune) bool { return unicode.Is(unicode.Thai, r) }) {
			t.Errorf("%s is called %q", u.Username, u.Name)
		}
		if (u.Status == hospital.UserPending) != (u.Role == nil) {
			t.Errorf("%s is %s and has the role %v", u.Username, u.Status, u.Role)
		}
	}
	for _, status := range hospital.UserStatuses {
		if count[status] == 0 {
			t.Errorf("nobody is %s", status)
		}
	}
	if int(seen.Users.Total) != len(staff)+1 {
		t.Errorf("%d people, want %d and the administrator", seen.Users.Total, len(staff))
	}
	if seen.Setting.Name != "โรงพยาบาลศรีนคร" {
		t.Errorf("the hospital is called %q", seen.Setting.Name)
	}
	if active := count[hospital.UserActive] + count[hospital.UserSuspended]; active != 18 {
		t.Errorf("%d people in roles", active)
	}
	if seen.Patients[0].Total != int64(Usual.Patients) || seen.Customers.Total < 50 || seen.Audit.Total < 100 {
		t.Errorf("%d patients and %d customers", seen.Patients[0].Total, seen.Customers.Total)
	}
	sexes := map[hospital.Sex]int{}
	for _, p := range seen.Patients[0].Items {
		sexes[p.Sex]++
	}
	if sexes[hospital.Male] == 0 || sexes[hospital.Female] == 0 {
		t.Errorf("the patients are %v", sexes)
	}
}

func holdSignIns(t *testing.T, db *store.DB) {
	t.Helper()
	var want, roles []string
	for _, r := range hospital.SystemRoles {
		want = append(want, r.Name)
	}
	for _, s := range SignIns {
		roles = append(roles, s.Role)
		if !opens(t, db, s.Username, Password) {
			t.Errorf("%s cannot sign in at once with the demo password", s.Username)
		}
		if a := hospital.ActorFrom(storetest.ActAs(t, db, s.Username)); a.Role != s.Role || a.Name != s.Name {
			t.Errorf("%s is %s %s, the list says %s %s", s.Username, a.Role, a.Name, s.Role, s.Name)
		}
	}
	if d := cmp.Diff(want, roles); d != "" {
		t.Errorf("system roles (-) and sign-ins (+) differ:\n%s", d)
	}
	for _, username := range []string{"benjawan.p", "thida.b"} {
		if opens(t, db, username, Password) {
			t.Errorf("%s, suspended or pending, can sign in", username)
		}
	}
}

// Whoever loads records does not clean them: lists that are null stop a screen.
func TestSamplePatientsAreClean(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock().Now()
	for p := range Patients(500, 1, now) {
		if err := p.Validate(hospital.MomentOf(now, hospital.Bangkok).Date); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if p.Allergies == nil || p.Conditions == nil || !cmp.Equal(p, p.Clean()) {
			t.Fatalf("%+v", p)
		}
	}
}

// A hospital with real people in it is left alone.
func TestFillLeavesARealHospitalAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		before := look(t, db)
		fill(t, db, "", small)
		if d := cmp.Diff(before, look(t, db)); d != "" {
			t.Errorf("the demo was written into it:\n%s", d)
		}
	})
}

// The people are held to the rules that real people are held to.
func TestStaffPassTheRules(t *testing.T) {
	t.Parallel()
	var c hospital.Checker
	for _, p := range staff {
		c.Password(Password, "password", p.username)
		if !hospital.IsUsername(p.username) || !hospital.IsPhone(p.phone) {
			t.Errorf("%s has a wrong username or phone number", p.username)
		}
	}
	if err := c.Err(); err != nil {
		t.Errorf("the demo password is refused: %v", err)
	}
}

func TestFillStopsWhenAskedTo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Fill(ctx, db, folder(t), storetest.Hasher, "", small, nil); err == nil {
			t.Error("it went on")
		}
		if empty, err := db.NeedsSetup(t.Context()); err != nil || !empty {
			t.Errorf("somebody was written: %v, %v", empty, err)
		}
	})
}

// holdVisits looks for appointments in every status that does not need the
// clinics to be open right now, and for seats that add up.
func holdVisits(t *testing.T, db *store.DB) {
	ctx := t.Context()
	for _, status := range []hospital.AppointmentStatus{hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Confirmed, hospital.Completed, hospital.NoShow, hospital.Cancelled} {
		page, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}, Statuses: []hospital.AppointmentStatus{status}})
		if err != nil || page.Total == 0 {
			t.Errorf("%d appointments are %s, %v", page.Total, status, err)
		}
	}
	if faults, err := db.VerifySlots(ctx); err != nil || len(faults) > 0 {
		t.Errorf("seats that do not add up: %v, %v", faults, err)
	}
	if faults, err := db.VerifyTotals(ctx); err != nil || len(faults) > 0 {
		t.Errorf("totals that do not add up: %v, %v", faults, err)
	}
	services, err := db.ListServices(ctx, false)
	if err != nil || len(services) != len(clinics) {
		t.Fatalf("%d services, %v", len(services), err)
	}
	for _, s := range services {
		for _, f := range []hospital.AppointmentFilter{{DateTo: hospital.AddDays(db.Today(), -1)}, {DateFrom: hospital.AddDays(db.Today(), 1)}} {
			f.Page, f.ServiceIDs = hospital.Page{Page: 1, PageSize: 1}, []int64{s.ID}
			if page, err := db.ListAppointments(ctx, f); err != nil || page.Total == 0 {
				t.Errorf("%s has nothing %s–%s, %v", s.Name, f.DateFrom, f.DateTo, err)
			}
		}
	}
}

// holdReports looks for what a hospital knows of itself: mornings are full, who
// booked long ago forgets, one waits longest before noon, doctors are busy.
func holdReports(t *testing.T, db *store.DB) {
	ctx := t.Context()
	q := hospital.ReportQuery{DateFrom: hospital.AddDays(db.Today(), -364), DateTo: hospital.AddDays(db.Today(), -1)}
	used, err := db.Utilization(ctx, q, hospital.ByService)
	if err != nil || len(used.Rows) != len(clinics) || *used.Total.Rate < 0.5 || *used.Total.Rate > 0.9 {
		t.Errorf("%+v %v", used, err)
	}
	missed, err := db.NoShows(ctx, q, hospital.ByLeadTime)
	if err != nil || len(missed.Rows) != 5 || *missed.Rows[0].Rate > 0.05 || *missed.Rows[4].Rate < *missed.Rows[1].Rate || *missed.Total.Rate < 0.05 || *missed.Total.Rate > 0.15 {
		t.Errorf("%+v %v", missed, err)
	}
	waited, err := db.WaitingTimes(ctx, q, hospital.ByService)
	if err != nil || len(waited.Rows) != len(clinics) || *waited.Total.Wait.Median < 15*60 || *waited.Total.Wait.P90 > 80*60 || *waited.Total.Visit.Median < 8*60 {
		t.Errorf("%+v %v", waited, err)
	}
	worked, err := db.Workload(ctx, q)
	if err != nil || len(worked.Rows) < 6 || worked.Rows[0].Patients == 0 || worked.Rows[0].VisitSeconds < 3600 || *worked.Rows[0].PerDay < 2 {
		t.Errorf("%+v %v", worked, err)
	}
}

// bookNext books after the sample: the next number follows its numbers.
func bookNext(t *testing.T, db *store.DB) {
	ctx := hospital.WithActor(t.Context(), hospital.System)
	services, err := db.ListServices(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := db.CreatePatient(ctx, hospital.PatientFields{Prename: "นาย", FirstName: "ใหม่", LastName: "มาก", Sex: hospital.Male, BirthDate: "1990-01-01"}, true)
	if err != nil {
		t.Fatal(err)
	}
	days, err := db.CheckSlots(ctx, hospital.SlotQuery{ServiceID: services[0].ID, DateRange: hospital.DateRange{DateFrom: db.Today(), DateTo: hospital.AddDays(db.Today(), 20)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range days {
		for _, slot := range day.Slots {
			if slot.Available > 0 {
				_, err := db.Book(ctx, hospital.NewAppointment{PatientID: p.ID, AppointmentFields: hospital.AppointmentFields{ServiceID: services[0].ID, Date: day.Date, StartTime: slot.StartTime}})
				if err != nil {
					t.Errorf("booking after the sample: %v", err)
				}
				return
			}
		}
	}
	t.Error("no seat is free in three weeks")
}

func TestAHospitalOfAnySize(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		told := map[string]int{}
		size := Size{Patients: 400, Appointments: 3000, Seed: 7}
		if err := Fill(ctx, db, folder(t), storetest.Hasher, "", size, func(kind string, n, _ int) { told[kind] = n }); err != nil {
			t.Fatal(err)
		}
		patients, err := db.ListPatients(ctx, hospital.PatientFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil || patients.Total != 400 {
			t.Errorf("%d patients, %v", patients.Total, err)
		}
		visits, err := db.ListAppointments(ctx, hospital.AppointmentFilter{Page: hospital.Page{Page: 1, PageSize: 1}})
		if err != nil || visits.Total != 3000 {
			t.Errorf("%d appointments, %v", visits.Total, err)
		}
		if told["patients"] != 400 || told["appointments"] != 3000 {
			t.Errorf("it told %v", told)
		}
		for name, verify := range map[string]func() (int, error){
			"seats":  func() (int, error) { f, err := db.VerifySlots(ctx); return len(f), err },
			"totals": func() (int, error) { f, err := db.VerifyTotals(ctx); return len(f), err },
			"people": func() (int, error) { counted, there, err := db.VerifyPatientTotal(ctx); return counted - there, err },
		} {
			if faults, err := verify(); err != nil || faults != 0 {
				t.Errorf("%s: %d faults, %v", name, faults, err)
			}
		}
	})
}

// services are those of a hospital, without a database.
func services(size Size) (list []hospital.Service) {
	for i, c := range clinicsOf(size) {
		c.Active, c.ServiceFields = true, c.Clean()
		list = append(list, hospital.Service{ID: int64(i + 1), ServiceFields: c.ServiceFields})
	}
	return list
}

func TestALargeHospitalHasTwentyClinics(t *testing.T) {
	t.Parallel()
	size := Size{Patients: 20_000, Appointments: 60_000, Seed: 1}
	list := services(size)
	if len(list) != 20 {
		t.Errorf("%d clinics", len(list))
	}
	p := planOf(size, list, nil, time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC))
	dates, skip, err := p.daysFor(size.Appointments, "2026-12-07")
	if err != nil {
		t.Fatal(err)
	}
	made, seats, visits := 0, map[hospital.SlotRow]int{}, map[int64]int{}
	for a := range p.visits(dates) {
		made++
		if a.Status.HoldsSeat() {
			seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime}]++
		}
		visits[a.PatientID]++
		if date, _ := time.Parse(time.DateOnly, a.Date); !a.sees(p.people[a.PatientID], dayOf(date)) {
			t.Fatalf("%+v is seen in %s on %s", p.people[a.PatientID], a.Name, a.Date)
		}
	}
	if made-skip != size.Appointments {
		t.Errorf("%d visits, %d too many, want %d", made, skip, size.Appointments)
	}
	often := slices.Sorted(maps.Values(visits))
	tenth := 0
	for _, n := range often[len(often)*9/10:] {
		tenth += n
	}
	if share := float64(tenth) / float64(made); share < 0.24 || share > 0.5 {
		t.Errorf("a tenth of the people make %.2f of the visits", share)
	}
	for slot, booked := range seats {
		capacity := 0
		for _, w := range list[slot.ServiceID-1].Day(slot.Date, nil, nil, hospital.Moment{}).Slots {
			if w.StartTime == slot.StartTime {
				capacity = w.Capacity
			}
		}
		if booked > capacity {
			t.Fatalf("%+v has %d of %d", slot, booked, capacity)
		}
	}
}

// holdBelonging looks at every visit with its patient: nobody is seen in a
// clinic that is not theirs, before they are born, while it is closed, outside its
// hours, or by more than it has seats.
func holdBelonging(t *testing.T, db *store.DB) {
	t.Helper()
	ctx := hospital.WithActor(t.Context(), hospital.System)
	all, err := db.AppointmentsIn(ctx, hospital.AppointmentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := db.ListServices(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	closures, err := db.ListClosures(ctx, "2000-01-01", "2100-01-01", 0)
	if err != nil {
		t.Fatal(err)
	}
	// The day that was closed after people were booked.
	closures = slices.DeleteFunc(closures, func(c hospital.Closure) bool {
		return c.Reason == "เจ้าหน้าที่อบรมนอกสถานที่"
	})
	if len(closures) < 20 {
		t.Errorf("%d closures", len(closures))
	}
	ofAge := map[string][2]int{"PED": {0, 14}, "ANC": {15, 45}, "MED": {15, 130}, "DM": {20, 130}, "DENT": {0, 130}, "SUR": {0, 130}}
	seats, missed, came := map[hospital.SlotRow]int{}, 0, 0
	mornings, afternoons := 0, 0
	twice, daily := 0, map[string]bool{}
	for _, a := range all {
		age, err := hospital.AgeOn(a.Patient.BirthDate, a.Date)
		if err != nil || a.Patient.BirthDate > a.Date {
			t.Fatalf("%s, born %s, has a visit on %s", a.Patient.FullName(), a.Patient.BirthDate, a.Date)
		}
		if bound := ofAge[a.Service.Code]; age.Years < bound[0] || age.Years > bound[1] {
			t.Errorf("%s is %d years old and seen in %s", a.Patient.FullName(), age.Years, a.Service.Name)
		}
		if a.Service.Code == "ANC" && a.Patient.Sex != hospital.Female {
			t.Errorf("%s is seen in %s", a.Patient.FullName(), a.Service.Name)
		}
		switch {
		case a.Status == hospital.NoShow:
			missed++
		case a.Status.Visited():
			came++
		}
		switch {
		case a.StartTime >= "08:00" && a.StartTime < "12:00":
			mornings++
		case a.StartTime >= "12:00" && a.StartTime < "16:00":
			afternoons++
		}
		if once := fmt.Sprint(a.PatientID, a.Date); daily[once] {
			twice++
		} else {
			daily[once] = true
		}
		if a.Status.HoldsSeat() {
			seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime, EndTime: a.EndTime}]++
		}
	}
	if share := float64(missed) / float64(missed+came); share < 0.05 || share > 0.15 {
		t.Errorf("%.3f did not come", share)
	}
	if twice > 0 {
		t.Errorf("%d times somebody has two appointments on a day", twice)
	}
	if mornings < 2*afternoons {
		t.Errorf("%d come in the morning, %d in the afternoon", mornings, afternoons)
	}
	for row, booked := range seats {
		s := list[slices.IndexFunc(list, func(s hospital.Service) bool { return s.ID == row.ServiceID })]
		day := s.Day(row.Date, closures, nil, hospital.Moment{})
		i := slices.IndexFunc(day.Slots, func(slot hospital.Slot) bool { return slot.StartTime == row.StartTime && slot.EndTime == row.EndTime })
		if i < 0 || booked > day.Slots[i].Capacity {
			t.Errorf("%s on %s at %s has %d, slots are %v", s.Name, row.Date, row.StartTime, booked, day.Slots)
		}
	}
	diagnoses := 0
	people := map[int64]hospital.PatientRef{}
	for _, a := range all {
		people[a.PatientID] = a.Patient
	}
	for page := 1; ; page++ {
		results, err := db.ListResults(ctx, hospital.ResultFilter{Page: hospital.Page{Page: page, PageSize: 200}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results.Items {
			diagnoses++
			p := people[r.PatientID]
			for _, code := range r.ICD10 {
				if slices.Contains([]string{"Z34.9", "O24.4", "D24", "N10"}, code) && p.Sex != hospital.Female || slices.Contains([]string{"N40", "K40.9"}, code) && p.Sex != hospital.Male {
					t.Errorf("%s, %s, has %s", p.FullName(), p.Sex, r.Diagnosis)
				}
				if age, _ := hospital.AgeOn(p.BirthDate, r.Date); strings.HasPrefix(code, "E11") && age.Years < 20 || code == "N40" && age.Years < 55 || code == "Z00.1" && age.Years > 5 {
					t.Errorf("%s, %d years old, has %s", p.FullName(), age.Years, r.Diagnosis)
				}
			}
		}
		if len(results.Items) < 200 || page == 20 { // newest first: a look is enough
			break
		}
	}
	if diagnoses < 2000 {
		t.Errorf("%d results", diagnoses)
	}
}

// Titles, names, cards and addresses are those of their age and place.
func TestPatientsAreBelievable(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock().Now()
	today := hospital.MomentOf(now, hospital.Bangkok).Date
	cards, old, young, chronic := map[string]bool{}, 0, 0, 0
	for p := range Patients(Usual.Patients, Usual.Seed, now) {
		age, err := hospital.AgeOn(p.BirthDate, today)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Validate(today); err != nil {
			t.Errorf("%s: %v", p.FullName(), err)
		}
		want := map[hospital.Sex][]string{hospital.Male: {"นาย"}, hospital.Female: {"นาง", "นางสาว"}}[p.Sex]
		if age.Years < 15 {
			want = map[hospital.Sex][]string{hospital.Male: {"เด็กชาย"}, hospital.Female: {"เด็กหญิง"}}[p.Sex]
		}
		if !slices.Contains(want, p.Prename) || p.Prename == "นาง" && age.Years < 20 {
			t.Errorf("%s is %d years old and %s", p.FullName(), age.Years, p.Sex)
		}
		names := namedIn(yearOf(p.BirthDate))
		if list := map[hospital.Sex][]string{hospital.Male: names.men, hospital.Female: names.women}[p.Sex]; p.Nationality == "ไทย" && !slices.Contains(list, p.FirstName) {
			t.Errorf("%s, born %s, has the name of another generation", p.FullName(), p.BirthDate)
		}
		if p.IDCard != "" && cards[p.IDCard] {
			t.Errorf("two have the card %s", p.IDCard)
		}
		cards[p.IDCard] = true
		if age.Years >= 60 {
			old++
		}
		if age.Years < 15 {
			young++
		}
		if slices.Contains(p.Conditions, "เบาหวาน") {
			chronic++
		}
	}
	for what, share := range map[string]int{"are old": old, "are children": young, "have diabetes": chronic} {
		if share < Usual.Patients/12 || share > Usual.Patients/2 {
			t.Errorf("%d %s", share, what)
		}
	}
}

func yearOf(date string) (year int) {
	t, _ := time.Parse(time.DateOnly, date)
	return t.Year()
}

// Every home is a place of the address data that the app completes addresses
// from, with its postal code.
func TestHomesAreRealPlaces(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("../../web/src/data/addresses.json")
	if err != nil {
		t.Fatal(err)
	}
	var provinces [][2]json.RawMessage
	if err := json.Unmarshal(body, &provinces); err != nil {
		t.Fatal(err)
	}
	read := func(raw json.RawMessage, into any) {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	known := map[hospital.Address]bool{}
	for _, p := range provinces {
		var a hospital.Address
		var districts [][2]json.RawMessage
		read(p[0], &a.Province)
		read(p[1], &districts)
		for _, d := range districts {
			var groups [][2]string
			read(d[0], &a.District)
			read(d[1], &groups)
			for _, g := range groups {
				a.PostalCode, _, _ = strings.Cut(g[0], ",")
				for name := range strings.SplitSeq(g[1], "|") {
					a.Subdistrict = name
					known[a] = true
				}
			}
		}
	}
	for _, home := range homes {
		if !known[home] {
			t.Errorf("there is no %+v", home)
		}
	}
}

// At ten on a weekday there is somebody in every status; at any hour of any day,
// in the night and at the weekend too, somebody is there.
func TestTodayIsInFullSwing(t *testing.T) {
	t.Parallel()
	size := Size{Patients: 1000, Seed: Usual.Seed}
	list := services(size)
	for hour := range 7 * 24 {
		now := time.Date(2026, 11, 15, hour, 5, 0, 0, hospital.Bangkok)
		p := planOf(size, list, nil, now)
		count := map[hospital.AppointmentStatus]int{}
		for v := range p.visits([]string{p.today}) {
			count[v.Status]++
			for _, at := range []*time.Time{v.CheckedInAt, v.StartedAt, v.CompletedAt, &v.CreatedAt} {
				if at != nil && at.After(now) {
					t.Errorf("at %s something happened at %s", now, at)
				}
			}
		}
		if count[hospital.CheckedIn]+count[hospital.InService] == 0 {
			t.Errorf("at %s nobody is there: %v", now, count)
		}
		if weekday := now.Weekday(); now.Hour() != 10 || weekday == 0 || weekday == 6 {
			continue
		}
		for _, status := range hospital.AppointmentStatuses {
			if count[status] == 0 {
				t.Errorf("at %s nobody is %s: %v", now, status, count)
			}
		}
		if count[hospital.Completed] < 10 || count[hospital.Booked]+count[hospital.Confirmed] < 20 {
			t.Errorf("at %s: %v", now, count)
		}
	}
}

func TestHolidays(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range holidays("2026-04-01", "2026-08-01", "2026-05-04") {
		got = append(got, c.DateFrom+" "+c.Reason)
	}
	want := []string{
		"2026-04-06 วันจักรี", "2026-04-13 วันสงกรานต์", "2026-04-14 วันสงกรานต์", "2026-04-15 วันสงกรานต์", "2026-05-31 วันวิสาขบูชา", "2026-06-01 วันหยุดชดเชยวันวิสาขบูชา",
		"2026-06-03 วันเฉลิมพระชนมพรรษาสมเด็จพระนางเจ้าฯ พระบรมราชินี", "2026-07-28 วันเฉลิมพระชนมพรรษาพระบาทสมเด็จพระเจ้าอยู่หัว", "2026-07-29 วันอาสาฬหบูชา", "2026-07-30 วันเข้าพรรษา",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
