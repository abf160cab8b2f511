package demo

import (
	"context"
	"errors"
	"io"
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

func fill(t *testing.T, db *store.DB, adminPassword string) {
	t.Helper()
	if err := Fill(t.Context(), db, folder(t), storetest.Hasher, adminPassword, Usual, nil); err != nil {
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
	for engine, fresh := range map[string]func(testing.TB) storetest.Place{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p, other := fresh(t), fresh(t).Open(t)
			db := p.Open(t)
			pictures := folder(t)
			if err := Fill(t.Context(), db, pictures, storetest.Hasher, "", Usual, nil); err != nil {
				t.Fatal(err)
			}
			seen := look(t, db)
			t.Run("its pictures are there, as uploaded ones would be", func(t *testing.T) { holdPictures(t, pictures, seen.Setting) })

			t.Run("every filter has somebody to show", func(t *testing.T) { holdLists(t, seen) })
			t.Run("there is something to see in every status", func(t *testing.T) { holdVisits(t, db) })
			t.Run("most visits that are over have a result", func(t *testing.T) { holdResults(t, db, pictures) })
			t.Run("its reports have something to tell", func(t *testing.T) { holdReports(t, db) })
			t.Run("its history is as whole as a real one's", func(t *testing.T) {
				if n, faults, err := db.VerifyAudit(t.Context()); err != nil || n < int64(len(staff)) || len(faults) > 0 {
					t.Errorf("%d audit entries, %v, %v", n, faults, err)
				}
			})
			t.Run("it is the same every time, whatever the administrator's password", func(t *testing.T) {
				fill(t, other, "a password of my own")
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
				p.Clock.Advance(24 * time.Hour)
				fill(t, db, "another password")
				if d := cmp.Diff(seen, look(t, db)); d != "" {
					t.Errorf("the second time something changed:\n%s", d)
				}
				if !opens(t, db, "admin", Password) {
					t.Error("the administrator's password was changed")
				}
			})
			t.Run("every system role has a sign-in", func(t *testing.T) { holdSignIns(t, db) })
			t.Run("one can go on booking", func(t *testing.T) { bookNext(t, db) })
		})
	}
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
	if with < len(over)*3/4 || with == len(over) {
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
	if seen.Patients[0].Total != int64(Usual.Patients) || len(seen.Patients[1].Items) != Usual.Patients-200 || seen.Customers.Total == 0 {
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

// A hospital with real people in it is left alone.
// Whoever loads records does not clean them: lists that are null stop a screen.
func TestSamplePatientsAreClean(t *testing.T) {
	t.Parallel()
	for p := range Patients(500, 1, storetest.NewClock().Now()) {
		if p.Allergies == nil || p.Conditions == nil || !cmp.Equal(p, p.Clean()) {
			t.Fatalf("%+v", p)
		}
	}
}

func TestFillLeavesARealHospitalAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		storetest.SetUp(t, db)
		before := look(t, db)
		fill(t, db, "")
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
		if err := Fill(ctx, db, folder(t), storetest.Hasher, "", Usual, nil); err == nil {
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
	q := hospital.ReportQuery{DateFrom: hospital.AddDays(db.Today(), -60), DateTo: hospital.AddDays(db.Today(), -1)}
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

func TestALargeHospitalHasTwentyClinics(t *testing.T) {
	t.Parallel()
	const n = 60_000
	var services []hospital.Service
	for i, c := range clinicsOf(Size{Appointments: n}) {
		services = append(services, hospital.Service{ID: int64(i + 1), ServiceFields: c.ServiceFields})
	}
	if len(services) != 20 {
		t.Errorf("%d clinics", len(services))
	}
	p := planner{services: services, today: "2026-11-16", seed: 1}
	dates, skip, err := p.daysFor(n, "2026-12-07")
	if err != nil {
		t.Fatal(err)
	}
	patients := make([]int64, 2000)
	for i := range patients {
		patients[i] = int64(i + 1)
	}
	now := time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC)
	made, seats, often := 0, map[hospital.SlotRow]int{}, 0
	for a := range p.visits(dates, patients, now) {
		made++
		if a.Status.HoldsSeat() {
			seats[hospital.SlotRow{ServiceID: a.ServiceID, Date: a.Date, StartTime: a.StartTime}]++
		}
		if a.PatientID%10 == 1 {
			often++
		}
	}
	if made-skip != n {
		t.Errorf("%d visits, %d too many, want %d", made, skip, n)
	}
	if share := float64(often) / float64(made); share < 0.3 || share > 0.5 {
		t.Errorf("a tenth of the people make %.2f of the visits", share)
	}
	for slot, booked := range seats {
		capacity := 0
		for _, w := range services[slot.ServiceID-1].Day(slot.Date, nil, nil, hospital.Moment{}).Slots {
			if w.StartTime == slot.StartTime {
				capacity = w.Capacity
			}
		}
		if booked > capacity {
			t.Fatalf("%+v has %d of %d", slot, booked, capacity)
		}
	}
}
