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

// everything is the visible data of the sample hospital.
type everything struct {
	Setting   hospital.Setting
	Users     hospital.Paged[hospital.User]
	Roles     hospital.Paged[hospital.Role]
	Patients  [2]hospital.Paged[hospital.Patient] // the first two pages
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

// folder returns an empty file store.
func folder(t *testing.T) files.Store {
	t.Helper()
	d, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// small is a hospital that is written quickly.
var small = Size{Patients: 240, Appointments: 3000, Seed: 2569}

func mustFill(t *testing.T, p storetest.Database, adminPassword string, size Size) {
	t.Helper()
	if err := Fill(t.Context(), p.Options, folder(t), storetest.Hasher, adminPassword, size, nil); err != nil {
		t.Fatal(err)
	}
}

// passwordWorks reports whether a password is accepted.
func passwordWorks(t *testing.T, db *store.DB, username, password string) bool {
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

// The read-only tests share a hospital, because writing it takes a while.
func TestSampleHospital(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db, pictures := p.Open(t), folder(t)
		if err := Fill(t.Context(), p.Options, pictures, storetest.Hasher, "", DefaultSize, nil); err != nil {
			t.Fatal(err)
		}
		seen := look(t, db)
		t.Run("its pictures are there, as uploaded ones would be", func(t *testing.T) {
			holdPictures(t, pictures, seen.Setting)
		})
		t.Run("every filter has results", func(t *testing.T) { holdLists(t, seen) })
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

func TestSampleIsDeterministic(t *testing.T) {
	t.Parallel()
	database, otherPlace := storetest.SQLite(t), storetest.Postgres(t)
	db, other := database.Open(t), otherPlace.Open(t)
	mustFill(t, database, "", small)
	seen := look(t, db)
	t.Run("on the other database too, whatever the administrator's password", func(t *testing.T) {
		mustFill(t, otherPlace, "a password of my own", small)
		if d := cmp.Diff(seen, look(t, other)); d != "" {
			t.Errorf("two fresh hospitals differ:\n%s", d)
		}
		if !passwordWorks(t, other, "admin", "a password of my own") || passwordWorks(t, other, "admin", Password) {
			t.Error("the administrator has another password than was asked for")
		}
		if !passwordWorks(t, other, "nurse", Password) {
			t.Error("the others do not have the demo password")
		}
	})
	t.Run("to fill it twice does nothing", func(t *testing.T) {
		database.Clock.Advance(24 * time.Hour)
		mustFill(t, database, "another password", small)
		if d := cmp.Diff(seen, look(t, db)); d != "" {
			t.Errorf("the second time something changed:\n%s", d)
		}
		if !passwordWorks(t, db, "admin", Password) {
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
	if seen.Patients[0].Total != int64(DefaultSize.Patients) || seen.Customers.Total < 50 || seen.Audit.Total < 100 {
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

// A hospital with data is not changed.
func TestFillRejectsExistingData(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		storetest.SetUp(t, db)
		before := look(t, db)
		mustFill(t, p, "", small)
		if d := cmp.Diff(before, look(t, db)); d != "" {
			t.Errorf("the demo was written into it:\n%s", d)
		}
	})
}

func TestFillStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Fill(ctx, p.Options, folder(t), storetest.Hasher, "", small, nil); err == nil {
			t.Error("it went on")
		}
		if empty, err := p.Open(t).NeedsSetup(t.Context()); err != nil || !empty {
			t.Errorf("a patient was written: %v, %v", empty, err)
		}
	})
}

func TestSampleSizes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		ctx, db := t.Context(), p.Open(t)
		reported := map[string]int{}
		size := Size{Patients: 400, Appointments: 3000, Seed: 7}
		progress := func(kind string, n, _ int) { reported[kind] = n }
		if err := Fill(ctx, p.Options, folder(t), storetest.Hasher, "", size, progress); err != nil {
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
		if reported["patients"] != 400 || reported["appointments"] != 3000 {
			t.Errorf("it told %v", reported)
		}
		for name, verify := range map[string]func() (int, error){
			"seats":  func() (int, error) { f, err := db.VerifySlots(ctx); return len(f), err },
			"totals": func() (int, error) { f, err := db.VerifyTotals(ctx); return len(f), err },
			"people": func() (int, error) { counted, found, err := db.VerifyPatientTotal(ctx); return counted - found, err },
		} {
			if faults, err := verify(); err != nil || faults != 0 {
				t.Errorf("%s: %d faults, %v", name, faults, err)
			}
		}
	})
}
