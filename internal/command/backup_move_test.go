package command_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nadmor/internal/archive"
	"nadmor/internal/auth"
	"nadmor/internal/files/filestest"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// An installation can be moved between the engines in every combination: rows, files, number sequences, audit
// log and passwords are the same.
func TestRestoreOnEitherEngine(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"sqlite", "postgres"} {
		t.Run("from "+from, func(t *testing.T) {
			t.Parallel()
			source := inFolder(sampleHospital(t))
			if from == "postgres" { // the sample hospital was moved before
				moved := emptyPlace(t, "postgres")
				mustRun(t, moved, "restore", backUp(t, source))
				source = moved
			}
			db := openPlace(t, source)
			ctx := hospital.WithActor(t.Context(), hospital.System)
			odd, err := db.CreatePatient(ctx, hospital.PatientFields{
				Prename: "นาย", FirstName: "แปลก", LastName: "มาก", Sex: hospital.Male, BirthDate: "1980-05-17",
				Note: "a\tb\\N\\.\n\\\\x41\r\nค ๆ",
			}, true)
			if err != nil {
				t.Fatal(err)
			}
			last, err := db.CreateCustomer(ctx, hospital.CustomerFields{
				Name: "คนสุดท้าย", Phone: "0812345678", Status: hospital.CustomerActive,
			})
			if err != nil {
				t.Fatal(err)
			}
			first := backUp(t, source)
			want := rowsOf(t, first)
			if len(want["files"]) == 0 || len(want["appointments"]) == 0 {
				t.Fatalf("the sample has %d files and %d appointments", len(want["files"]), len(want["appointments"]))
			}
			for _, to := range []string{"sqlite", "postgres"} {
				t.Run("to "+to, func(t *testing.T) {
					t.Parallel()
					env := emptyPlace(t, to)
					out := mustRun(t, env, "restore", first)
					if strings.Count(out, " 0 faults") != 5 {
						t.Errorf("restore says\n%s", out)
					}
					mustRun(t, env, "verify")
					got := rowsOf(t, backUp(t, env))
					// The audit log differs, because it was restored and backed up again.
					for _, table := range []string{"audit_entries", "audit_lanes"} {
						for _, row := range want[table] {
							if table == "audit_entries" && !slices.Contains(got[table], row) {
								t.Errorf("an audit entry is not there: %s", row)
							}
						}
						delete(got, table)
					}
					same := map[string][]string{}
					for table, rows := range want {
						if !strings.HasPrefix(table, "audit_") {
							same[table] = rows
						}
					}
					if d := cmp.Diff(same, got); d != "" {
						t.Errorf("other rows:\n%.3000s", d)
					}

					// The server continues with the restored data.
					n := serve(t, env)
					n.login(t, "admin", "nadmor-demo")
					db := openPlace(t, env)
					if p, err := db.Patient(ctx, odd.ID); err != nil || p.Note != odd.Note {
						t.Errorf("the note is %q, %v", p.Note, err)
					}
					next, err := db.CreateCustomer(ctx, hospital.CustomerFields{
						Name: "คนต่อไป", Phone: "0812345679", Status: hospital.CustomerActive,
					})
					if err != nil || next.ID != last.ID+1 {
						t.Errorf("the next customer is %d after %d, %v", next.ID, last.ID, err)
					}
					if _, err := db.CreatePatient(ctx,
						hospital.PatientFields{
							Prename: "นาย", FirstName: "ต่อ", LastName: "ไป", Sex: hospital.Male, BirthDate: "1980-05-17",
						}, true); err != nil {
						t.Error(err)
					}
					if found := found(t, db, "แปลก"); found != 1 {
						t.Errorf("%d are found by their name", found)
					}
				})
			}
		})
	}
}

// Files can be moved between a folder and a bucket.
func TestRestoreFilesBetweenFolderAndBucket(t *testing.T) {
	t.Parallel()
	inBucket := emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+filestest.Bucket(t))
	first := backUp(t, inFolder(sampleHospital(t)))
	mustRun(t, inBucket, "restore", first)
	if left := leftFiles(t, inBucket); slices.ContainsFunc(left, func(path string) bool {
		return strings.Contains(path, "/files/")
	}) {
		t.Errorf("in the folder there is %v", left)
	}
	second := backUp(t, inBucket)
	if d := cmp.Diff(rowsOf(t, first)["files"], rowsOf(t, second)["files"]); d != "" {
		t.Error(d)
	}
	// A damaged archive leaves nothing in the bucket.
	empty := emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+filestest.Bucket(t))
	list := members(t, second)
	if r := run(t, empty, "restore", archiveOf(t, list[:len(list)-1])); r.code != 1 {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	mustRun(t, empty, "restore", second)
	if r := run(t, emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+valueOf(empty, "NADMOR_FILES_URL")), "restore",
		second); r.code != 1 || !strings.Contains(r.errors, "uploaded files: there is data already") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

// PostgreSQL writes more audit chains than SQLite. They are still verified after the move: a removed chain is
// detected.
func TestVerifyFindsMissingChainAfterRestore(t *testing.T) {
	t.Parallel()
	before := emptyPlace(t, "postgres")
	mustRun(t, before, "restore", backUp(t, inFolder(sampleHospital(t))))
	after := emptyPlace(t, "sqlite")
	mustRun(t, after, "restore", backUp(t, before))
	mustRun(t, after, "verify")
	db := sqliteIn(valueOf(after, "NADMOR_DATA")).SQL(t)
	for _, q := range []string{
		`DROP TRIGGER audit_entries_no_delete`, `DELETE FROM audit_entries WHERE lane = 1`,
		`DELETE FROM audit_lanes WHERE lane = 1`,
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if r := run(t, after, "verify"); r.code != 1 || !strings.Contains(r.out, "15 chains instead of 16") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.errors)
	}
}

// found returns the number of patients that match a search.
func found(t *testing.T, db *store.DB, text string) int64 {
	t.Helper()
	list, err := db.ListPatients(hospital.WithActor(t.Context(), hospital.System), hospital.PatientFilter{
		Q: text, Page: hospital.Page{Page: 1, PageSize: 10},
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.Total
}

func TestRestoreMigratesOlderBackup(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			old := emptyPlace(t, engine, "NADMOR_SECRET="+secret)
			db, err := store.Open(t.Context(), store.Options{
				URL: valueOf(old, "NADMOR_DATABASE_URL"), DataDir: valueOf(old, "NADMOR_DATA"),
				AuditKey: auth.DeriveKey(secret, "audit"), Migration: 4,
			})
			if err != nil {
				t.Fatal(err)
			}
			storetest.SetUp(t, db)
			patient := storetest.AddPatient(t, db, "เก่า")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			file := backUp(t, old)
			header := string(members(t, file)[0].body)
			if !strings.Contains(header, `"migration": 4`) {
				t.Fatalf("it says\n%s", header)
			}
			env := emptyPlace(t, engine, "NADMOR_SECRET="+secret)
			mustRun(t, env, "restore", file)
			newest, err := archive.NewestMigration()
			if err != nil {
				t.Fatal(err)
			}
			again := string(members(t, backUp(t, env))[0].body)
			if !strings.Contains(again, fmt.Sprintf(`"migration": %d,`, newest)) {
				t.Errorf("it says\n%s", again)
			}
			if p, err := openPlace(t, env).Patient(t.Context(), patient.ID); err != nil || p.FirstName != "เก่า" {
				t.Errorf("%+v, %v", p, err)
			}

			newer := archiveOf(t, inFirst(members(t, file), "nadmor.json", `"migration": 4`, `"migration": 99`))
			r := run(t, emptyPlace(t, engine, "NADMOR_SECRET="+secret), "restore", newer)
			if r.code != 1 || !strings.Contains(r.errors, "made by a newer version (v1-test, migration 99") {
				t.Errorf("exit %d: %s", r.code, r.errors)
			}
		})
	}
}
