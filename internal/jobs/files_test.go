package jobs

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/store/storetest"
)

// The daily clean-up deletes unused images and files of results that were never recorded. Used images, files
// of results including deleted ones, today's files and files of other kinds stay.
func TestUnusedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		p.Clock.Advance(time.Since(p.Clock.Now())) // files have the time of the operating system
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		r, _ := newRunner(t, db, nil)
		keep := func(kind files.Kind) string {
			key := files.NewKey(kind, ".png")
			if _, err := r.Files.Put(ctx, key, strings.NewReader("picture"), 100); err != nil {
				t.Fatal(err)
			}
			return key
		}
		logo, banner, missing, other := keep(files.Media), keep(files.Media), keep(files.Media), keep("other")
		visit := storetest.Book(t, db, ctx, storetest.AddPatient(t, db, "สมชาย"), storetest.AddService(t, db, "GP", 5),
			hospital.AddDays(db.Today(), 7), "10:00")
		record := func(key string) hospital.Result {
			t.Helper()
			got, err := db.AddResult(ctx, hospital.NewResult{
				AppointmentID: visit.ID,
				File: &hospital.StoredFile{
					Key: key, ResultFile: hospital.ResultFile{Name: "ผล.pdf", ContentType: "application/pdf"},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		result, deleted, orphan := keep(files.Results), keep(files.Results), keep(files.Results)
		record(result)
		if err := db.DeleteResult(ctx, record(deleted).ID, "ผิดคน"); err != nil {
			t.Fatal(err)
		}
		show := func(change func(f *hospital.SettingFields)) {
			t.Helper()
			_, err := db.AmendSetting(ctx, func(f *hospital.SettingFields) error { change(f); return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		show(func(f *hospital.SettingFields) {
			// inactive banners count
			f.Logo, f.Banners = "/"+logo, []hospital.Banner{{ID: "a", Image: "/" + banner}}
		})
		checkFiles := func(when string, want map[string]bool) {
			t.Helper()
			drain(t, r)
			for key, want := range want {
				f, err := r.Files.Open(ctx, key)
				if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %s: %v", when, key, err)
				}
				if err == nil {
					_ = f.Close()
				}
			}
		}
		checkFiles("on the same day", map[string]bool{
			logo: true, banner: true, missing: true, other: true, result: true, deleted: true, orphan: true,
		})
		p.Clock.Advance(25 * time.Hour)
		checkFiles("a day later", map[string]bool{
			logo: true, banner: true, missing: false, other: true, result: true, deleted: true, orphan: false,
		})
		show(func(f *hospital.SettingFields) { f.Logo = "" })
		checkFiles("before the next clean-up", map[string]bool{logo: true, banner: true})
		p.Clock.Advance(24 * time.Hour)
		checkFiles("after it", map[string]bool{logo: false, banner: true, other: true, result: true, deleted: true})
	})
}

// The server deletes the files of an erased patient if the command could not, and repeats the erasure for
// data written by concurrent requests.
func TestErasureIsRepeated(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		r, _ := newRunner(t, db, nil)
		key := files.NewKey(files.Results, ".pdf")
		if _, err := r.Files.Put(ctx, key, strings.NewReader("%PDF"), 100); err != nil {
			t.Fatal(err)
		}
		person := storetest.AddPerson(t, db, ctx, &hospital.StoredFile{
			Key: key, ResultFile: hospital.ResultFile{Name: "ผล.pdf", ContentType: "application/pdf"},
		})
		if _, err := privacy.Anonymise(ctx, db, hospital.Erasure{PatientID: person.ID, Reason: "คำขอ"}); err != nil {
			t.Fatal(err)
		}
		if err := db.Note(ctx, hospital.AuditEntry{
			Action: "patient.read", Entity: "patient", EntityID: strconv.FormatInt(person.ID, 10), Subject: person.FullName(),
		}); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(10 * time.Minute)
		drain(t, r)
		if _, err := r.Files.Open(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file is still there: %v", err)
		}
		own, _, err := privacy.AccessLog(ctx, db, person.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range own {
			if e.Entity == "patient" && e.Subject != hospital.ErasedPatient {
				t.Errorf("the log says %+v", e)
			}
		}
		if _, faults, err := db.VerifyAudit(ctx); err != nil || len(faults) > 0 {
			t.Errorf("verify: %v, %v", faults, err)
		}
	})
}
