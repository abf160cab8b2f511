package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// A backup made while appointments are booked is consistent and contains all bookings that were acknowledged
// before it began.
func TestBackupDuringBookings(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			env := emptyPlace(t, engine, "NADMOR_SECRET="+secret, "NADMOR_ADMIN_PASSWORD="+adminPassword)
			serve(t, env)
			db := openPlace(t, env)
			ctx, stop := context.WithCancel(hospital.WithActor(context.Background(), hospital.System))
			defer stop()
			service := storetest.AddService(t, db, "OPD", 1000)
			var mu sync.Mutex
			var booked []string
			var clerks sync.WaitGroup
			enough := make(chan struct{})
			for i := range 4 {
				p := storetest.AddPatient(t, db, fmt.Sprintf("คนที่%d", i))
				clerks.Go(func() {
					for day := 1; ctx.Err() == nil; day++ {
						date := db.Now().AddDate(0, 0, 1+day%80).Format(time.DateOnly)
						a, err := db.Book(ctx, hospital.NewAppointment{PatientID: p.ID, AppointmentFields: hospital.AppointmentFields{
							ServiceID: service.ID, Date: date,
							StartTime: []string{"09:00", "09:30", "10:00", "10:30", "11:00", "13:00", "14:00"}[day/80%7]}})
						if err != nil {
							continue // booked before, or the end
						}
						mu.Lock()
						if booked = append(booked, a.Number); len(booked) == 40 {
							close(enough)
						}
						mu.Unlock()
					}
				})
			}
			select {
			case <-enough:
			case <-time.After(time.Minute):
				t.Fatal("nobody books")
			}
			mu.Lock()
			before := slices.Clone(booked)
			mu.Unlock()
			file := backUp(t, env)
			stop()
			clerks.Wait()
			restored := emptyPlace(t, "sqlite", "NADMOR_SECRET="+secret)
			mustRun(t, restored, "restore", file)
			in := strings.Join(rowsOf(t, file)["appointments"], "\n")
			for _, number := range before {
				if !strings.Contains(in, "\t"+number+"\t") {
					t.Errorf("appointment %s is not in it", number)
				}
			}
		})
	}
}

// The key of the data folder is included in the archive, a configured one is not, and another key is
// rejected.
func TestBackupKey(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	b, err := os.ReadFile(filepath.Join(folder, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(string(b))
	apart := backUp(t, inFolder(folder), "--without-key")
	given := backUp(t, inFolder(folder, "NADMOR_SECRET="+key))
	for name, file := range map[string]string{"left out": apart, "given": given} {
		if strings.Contains(string(members(t, file)[0].body), key) {
			t.Errorf("%s: the key is in it", name)
		}
		r := run(t, emptyPlace(t, "sqlite"), "restore", file)
		if r.code != 1 || !strings.Contains(r.errors, "the archive does not contain its key") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		other := emptyPlace(t, "sqlite", "NADMOR_SECRET="+secret)
		r = run(t, other, "restore", file)
		if r.code != 1 || !strings.Contains(r.errors, "is not the key of the archive") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		mustRun(t, emptyPlace(t, "sqlite", "NADMOR_SECRET="+key), "restore", file)
		// Without the key the data can still be restored.
		r = run(t, other, "restore", file, "--other-key")
		if r.code != 1 ||
			!strings.Contains(r.errors, "restored as it was saved, but it had faults then: the audit log") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		serve(t, other).login(t, "admin", "nadmor-demo")
	}
	r := run(t, inFolder(folder, "NADMOR_SECRET="+secret), "backup", filepath.Join(t.TempDir(), "archive"))
	if r.code != 1 || !strings.Contains(r.errors, "the key does not match this database") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

func TestBackupDoesNotOverwrite(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	file := backUp(t, inFolder(folder))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	r := run(t, inFolder(folder), "backup", file)
	if r.code != 1 || !strings.Contains(r.errors, "files are not overwritten") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	if left, err := filepath.Glob(filepath.Dir(file) + "/*"); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}

	// Through pipes.
	var out bytes.Buffer
	var errs commandtest.Output
	if code := command.Run(t.Context(), command.Env{
		Args: []string{"backup", "-"}, Environ: inFolder(folder), Stdout: &out, Stderr: &errs, Version: "v1-test",
	}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var output commandtest.Output
	code := command.Run(t.Context(), command.Env{
		Args: []string{"restore", "-"}, Environ: emptyPlace(t, "sqlite"), Stdin: &out, Stdout: &output, Stderr: &errs,
		Version: "v1-test",
	})
	if code != 0 || !strings.Contains(output.String(), "0 faults") {
		t.Errorf("exit %d: %s%s", code, output.String(), errs.String())
	}

	// An empty folder has no key.
	for environ, want := range map[string]string{t.TempDir(): "the key of this installation is missing"} {
		if r := run(t, inFolder(environ), "backup", filepath.Join(t.TempDir(), "archive")); r.code != 1 ||
			!strings.Contains(r.errors, want) {
			t.Errorf("exit %d: %s", r.code, r.errors)
		}
		if left := leftFiles(t, inFolder(environ)); len(left) > 0 {
			t.Errorf("it leaves %v", left)
		}
	}
	if r := run(t, emptyPlace(t, "sqlite"), "restore", written(t, []byte("age-encryption.org/v1\n"))); r.code != 1 ||
		!strings.Contains(r.errors, "this is not a backup that nadmor has made") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

// A missing file does not prevent the backup and is reported.
func TestBackupReportsMissingFiles(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	all, err := filepath.Glob(filepath.Join(folder, "files", "results", "*"))
	if err != nil || len(all) < 2 {
		t.Fatal(all, err)
	}
	if err := errors.Join(os.Remove(all[0]), os.WriteFile(all[1], []byte("damaged"), 0o600)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "archive")
	r := run(t, inFolder(folder), "backup", file)
	if r.code != 1 || !strings.Contains(r.errors, "the archive is written, but 2 files were missing or damaged") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	r = run(t, emptyPlace(t, "sqlite"), "restore", file)
	if r.code != 1 ||
		!strings.Contains(r.errors,
			"restored as it was saved, but it had faults then: the file of a result is missing") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}
