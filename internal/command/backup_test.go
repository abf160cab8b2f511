package command_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"nadmor/internal/auth"
	"nadmor/internal/command"
	"nadmor/internal/files/filestest"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// emptyPlace is the environment of an installation that has nothing yet.
func emptyPlace(t *testing.T, engine string, more ...string) []string {
	t.Helper()
	environ := inFolder(filepath.Join(t.TempDir(), "data"), more...)
	if engine == "postgres" {
		environ = append(environ, "NADMOR_DATABASE_URL="+storetest.EmptyPostgres(t).Options.URL)
	}
	return environ
}

// valueOf is a variable of an environment.
func valueOf(environ []string, name string) string {
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// openPlace opens the database of an installation beside its server.
func openPlace(t *testing.T, environ []string) *store.DB {
	t.Helper()
	key := valueOf(environ, "NADMOR_SECRET")
	if key == "" {
		b, err := os.ReadFile(filepath.Join(valueOf(environ, "NADMOR_DATA"), "secret"))
		if err != nil {
			t.Fatal(err)
		}
		key = strings.TrimSpace(string(b))
	}
	db, err := store.Open(t.Context(), store.Options{URL: valueOf(environ, "NADMOR_DATABASE_URL"), DataDir: valueOf(environ, "NADMOR_DATA"), AuditKey: auth.DeriveKey(key, "audit")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// backUp makes an archive.
func backUp(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "archive")
	mustRun(t, environ, append([]string{"backup", file}, args...)...)
	return file
}

// member is a member of an archive.
type member struct {
	name string
	body []byte
}

// members takes an archive apart, and archiveOf puts one together.
func members(t *testing.T, file string) (list []member) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	plain, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, member{h.Name, b})
	}
}

func archiveOf(t *testing.T, list []member) string {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, m := range list {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(len(m.body)), Mode: 0o600})
		if err == nil {
			_, err = w.Write(m.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return written(t, out.Bytes())
}

func written(t *testing.T, b []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rowsOf are the rows of each table in an archive, in an order of their own, and
// its files with their checksums.
func rowsOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, m := range members(t, file) {
		folder, rest, _ := strings.Cut(m.name, "/")
		switch folder {
		case "tables":
			table, _, _ := strings.Cut(rest, "/")
			all[table] = append(all[table], strings.Split(strings.TrimSuffix(string(m.body), "\n"), "\n")...)
		case "files":
			sum := sha256.Sum256(m.body)
			all["files"] = append(all["files"], rest+" "+hex.EncodeToString(sum[:]))
		}
	}
	for _, rows := range all {
		slices.Sort(rows)
	}
	return all
}

// A hospital moves from each engine to each, and all that it has is the same
// there: rows, files, the next numbers, the audit log, the passwords.
func TestABackupIsRestoredOnEitherEngine(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"sqlite", "postgres"} {
		t.Run("from "+from, func(t *testing.T) {
			t.Parallel()
			source := inFolder(sampleHospital(t))
			if from == "postgres" { // the sample hospital has moved before
				moved := emptyPlace(t, "postgres")
				mustRun(t, moved, "restore", backUp(t, source))
				source = moved
			}
			db := openPlace(t, source)
			ctx := hospital.WithActor(t.Context(), hospital.System)
			odd, err := db.CreatePatient(ctx, hospital.PatientFields{
				Prename: "นาย", FirstName: "แปลก", LastName: "มาก", Sex: hospital.Male, BirthDate: "1980-05-17", Note: "a\tb\\N\\.\n\\\\x41\r\nค ๆ",
			}, true)
			if err != nil {
				t.Fatal(err)
			}
			last, err := db.CreateCustomer(ctx, hospital.CustomerFields{Name: "คนสุดท้าย", Phone: "0812345678", Status: hospital.CustomerActive})
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
					place := emptyPlace(t, to)
					out := mustRun(t, place, "restore", first)
					if strings.Count(out, " 0 faults") != 5 {
						t.Errorf("restore says\n%s", out)
					}
					mustRun(t, place, "verify")
					got := rowsOf(t, backUp(t, place))
					for _, table := range []string{"audit_entries", "audit_lanes"} { // it was restored, and backed up again
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

					// It goes on where it was.
					n := serve(t, place)
					n.login(t, "admin", "nadmor-demo")
					db := openPlace(t, place)
					if p, err := db.Patient(ctx, odd.ID); err != nil || p.Note != odd.Note {
						t.Errorf("the note is %q, %v", p.Note, err)
					}
					next, err := db.CreateCustomer(ctx, hospital.CustomerFields{Name: "คนต่อไป", Phone: "0812345679", Status: hospital.CustomerActive})
					if err != nil || next.ID != last.ID+1 {
						t.Errorf("the next customer is %d after %d, %v", next.ID, last.ID, err)
					}
					if _, err := db.CreatePatient(ctx, hospital.PatientFields{Prename: "นาย", FirstName: "ต่อ", LastName: "ไป", Sex: hospital.Male, BirthDate: "1980-05-17"}, true); err != nil {
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

// Files come from a folder or a bucket, and go to either.
func TestFilesMoveBetweenFolderAndBucket(t *testing.T) {
	t.Parallel()
	inBucket := emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+filestest.Bucket(t))
	first := backUp(t, inFolder(sampleHospital(t)))
	mustRun(t, inBucket, "restore", first)
	if left := leftFiles(t, inBucket); slices.ContainsFunc(left, func(path string) bool { return strings.Contains(path, "/files/") }) {
		t.Errorf("in the folder there is %v", left)
	}
	second := backUp(t, inBucket)
	if d := cmp.Diff(rowsOf(t, first)["files"], rowsOf(t, second)["files"]); d != "" {
		t.Error(d)
	}
	// Spoilt, it leaves nothing in the bucket either.
	empty := emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+filestest.Bucket(t))
	list := members(t, second)
	if r := run(t, empty, "restore", archiveOf(t, list[:len(list)-1])); r.code != 1 {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	mustRun(t, empty, "restore", second)
	if r := run(t, emptyPlace(t, "sqlite", "NADMOR_FILES_URL="+valueOf(empty, "NADMOR_FILES_URL")), "restore", second); r.code != 1 || !strings.Contains(r.errors, "uploaded files: there is data already") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

// The log of PostgreSQL has more lanes than SQLite writes. They stay under guard
// after the move: one that is taken away, entries and all, is missed.
func TestALaneOfTheAuditLogIsMissedAfterTheMove(t *testing.T) {
	t.Parallel()
	before := emptyPlace(t, "postgres")
	mustRun(t, before, "restore", backUp(t, inFolder(sampleHospital(t))))
	after := emptyPlace(t, "sqlite")
	mustRun(t, after, "restore", backUp(t, before))
	mustRun(t, after, "verify")
	db := sqliteIn(valueOf(after, "NADMOR_DATA")).SQL(t)
	for _, q := range []string{`DROP TRIGGER audit_entries_no_delete`, `DELETE FROM audit_entries WHERE lane = 1`, `DELETE FROM audit_lanes WHERE lane = 1`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if r := run(t, after, "verify"); r.code != 1 || !strings.Contains(r.out, "15 lanes instead of 16") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.errors)
	}
}

// found is how many patients a search finds.
func found(t *testing.T, db *store.DB, text string) int64 {
	t.Helper()
	list, err := db.ListPatients(hospital.WithActor(t.Context(), hospital.System), hospital.PatientFilter{Q: text, Page: hospital.Page{Page: 1, PageSize: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return list.Total
}

// Nothing that a hospital keeps is forgotten: each table is in an archive, or is
// known to be left out.
func TestEveryTableIsSavedOrLeftOutOnPurpose(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		query := `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`
		if p.Engine == "postgres" {
			query = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE 'goose%'`
		}
		rows, err := p.SQL(t).QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close() // Err below tells what matters
		var want []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains([]string{"sessions", "login_attempts", "password_resets"}, name) {
				want = append(want, name)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		snapshot, err := p.Open(t).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close() //nolint:errcheck // only read
		var got []string
		for _, table := range snapshot.Tables {
			got = append(got, table.Name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// Clerks book while the backup is made. All bookings that were acknowledged when
// it began are in it, and it is in order.
func TestABackupWhileClerksBookIsInOrder(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			place := emptyPlace(t, engine, "NADMOR_SECRET="+secret, "NADMOR_ADMIN_PASSWORD="+adminPassword)
			serve(t, place)
			db := openPlace(t, place)
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
							ServiceID: service.ID, Date: date, StartTime: []string{"09:00", "09:30", "10:00", "10:30", "11:00", "13:00", "14:00"}[day/80%7]}})
						if err != nil {
							continue // his own before, or the end
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
			file := backUp(t, place)
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

// inFirst replaces something in the first member that holds it.
func inFirst(list []member, in, old, with string) []member {
	list = slices.Clone(list)
	for i, m := range list {
		if strings.HasPrefix(m.name, in) && bytes.Contains(m.body, []byte(old)) {
			list[i].body = bytes.Replace(m.body, []byte(old), []byte(with), 1)
			return list
		}
	}
	panic("nothing to replace")
}

// forged writes the checksums anew, as somebody would who has changed an archive
// and knows how it is made, but not the key.
func forged(list []member) []member {
	var all []member
	var sums bytes.Buffer
	for _, m := range list {
		switch {
		case strings.HasPrefix(m.name, "checksums/"):
			continue
		case m.name == "manifest.json":
			sum := sha256.Sum256(sums.Bytes())
			all = append(all, member{"checksums/000001.sha256", sums.Bytes()})
			before, rest, _ := bytes.Cut(m.body, []byte(`"checksums": [`))
			_, after, _ := bytes.Cut(rest, []byte("]"))
			m.body = []byte(string(before) + `"checksums": ["` + hex.EncodeToString(sum[:]) + `"]` + string(after))
		default:
			sum := sha256.Sum256(m.body)
			fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), m.name)
		}
		all = append(all, m)
	}
	return all
}

// Whatever was done to an archive, it is refused and nothing of it stays: the
// good one can be restored in the same place right after.
func TestASpoiltBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	source := inFolder(sampleHospital(t))
	good := backUp(t, source)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	list := members(t, good)
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 0x20
		return b
	}
	without := func(prefix string) []member {
		i := slices.IndexFunc(list, func(m member) bool { return strings.HasPrefix(m.name, prefix) })
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	key, err := os.ReadFile(filepath.Join(valueOf(source, "NADMOR_DATA"), "secret"))
	if err != nil {
		t.Fatal(err)
	}
	spoilt := map[string]string{
		"cut in the middle":     written(t, whole[:len(whole)/2]),
		"cut before its end":    written(t, whole[:len(whole)-1]),
		"cut early":             written(t, whole[:2000]),
		"a bit in the middle":   written(t, flip(len(whole)/2)),
		"a bit near the end":    written(t, flip(len(whole)-300)),
		"something behind":      written(t, append(bytes.Clone(whole), whole[:500]...)),
		"another row":           archiveOf(t, inFirst(list, "tables/appointments/", "BOOKED", "CANCELLED")),
		"another file":          archiveOf(t, inFirst(list, "files/results/", "a", "b")),
		"a file less":           archiveOf(t, without("files/results/")),
		"a table less":          archiveOf(t, without("tables/patients/")),
		"no manifest":           archiveOf(t, without("manifest.json")),
		"no checksums":          archiveOf(t, without("checksums/")),
		"a file elsewhere":      archiveOf(t, slices.Insert(slices.Clone(list), 1, member{"files/../../etc/passwd", []byte("x")})),
		"another kind of file":  archiveOf(t, slices.Insert(slices.Clone(list), 1, member{"files/other/aaaaaaaaaaaaaaaaaaaaaaaaaa", []byte("x")})),
		"a session":             archiveOf(t, slices.Insert(slices.Clone(list), 1, member{"tables/sessions/000001.tsv", []byte("x\n")})),
		"another column":        archiveOf(t, inFirst(list, "nadmor.json", `"username"`, `"username) --"`)),
		"a row that is none":    archiveOf(t, inFirst(list, "tables/roles/", "\t", "")),
		"a word for a number":   archiveOf(t, inFirst(list, "tables/roles/", "1\t", "CANCELLED\t")),
		"forged, checksums too": archiveOf(t, forged(inFirst(list, "tables/appointments/", "BOOKED", "CANCELLED"))),
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			place := emptyPlace(t, engine, "NADMOR_SECRET="+strings.TrimSpace(string(key)))
			for name, file := range spoilt {
				r := run(t, place, "restore", file)
				if r.code != 1 || strings.Contains(r.out, "entries read") {
					t.Errorf("%s: exit %d: %s%s", name, r.code, r.out, r.errors)
				}
				for _, said := range []string{"CANCELLED", "panic"} {
					if strings.Contains(r.errors, said) {
						t.Errorf("%s says what is in it: %s", name, r.errors)
					}
				}
				if left := leftFiles(t, place); len(left) > 0 {
					t.Errorf("%s leaves %v", name, left)
				}
			}
			mustRun(t, place, "restore", good)
		})
	}
}

// leftFiles are the files of a data folder, but for locks.
func leftFiles(t *testing.T, environ []string) (list []string) {
	t.Helper()
	root := valueOf(environ, "NADMOR_DATA")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && d.Name() != "migrate.lock" {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRestoreOverwritesNothing(t *testing.T) {
	t.Parallel()
	good := backUp(t, inFolder(sampleHospital(t)))
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			used := emptyPlace(t, engine)
			mustRun(t, used, "restore", good)
			before := backUp(t, used)
			r := run(t, used, "restore", good)
			if r.code != 1 || !strings.Contains(r.errors, "there is data already") {
				t.Errorf("exit %d: %s", r.code, r.errors)
			}
			want, got := rowsOf(t, before), rowsOf(t, backUp(t, used))
			for table := range got {
				if n := len(got[table]) - len(want[table]); n != 0 && !strings.HasPrefix(table, "audit_") {
					t.Errorf("%s has %d rows more", table, n)
				}
			}

			files := emptyPlace(t, engine)
			folder := filepath.Join(valueOf(files, "NADMOR_DATA"), "files", "results")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			theirs := filepath.Join(folder, "aaaaaaaaaaaaaaaaaaaaaaaaaa.pdf")
			if err := os.WriteFile(theirs, []byte("somebody's"), 0o600); err != nil {
				t.Fatal(err)
			}
			r = run(t, files, "restore", good)
			if r.code != 1 || !strings.Contains(r.errors, "uploaded files: there is data already") {
				t.Errorf("exit %d: %s", r.code, r.errors)
			}
			if left := leftFiles(t, files); !slices.Equal(left, []string{theirs}) {
				t.Errorf("there is %v", left)
			}
		})
	}
}

// A restoration that is killed, as by a power cut, leaves nothing that anybody
// would take for a hospital, and can be run again.
func TestAKilledRestoreIsRunAgain(t *testing.T) {
	t.Parallel()
	good := backUp(t, inFolder(sampleHospital(t)))
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			place := emptyPlace(t, engine)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestOwnProcess$")
			cmd.Env = append(append(os.Environ(), place...), "NADMOR_TEST_COMMAND=restore -")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			seen := make(chan struct{})
			var once sync.Once
			cmd.Stderr = &watched{on: func(all string) {
				if strings.Contains(all, "restore: users") { // the last table: files are being written
					once.Do(func() { close(seen) })
				}
			}}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = in.Write(whole[:len(whole)-20]) }() // and the pipe stays open
			select {
			case <-seen:
			case <-time.After(2 * time.Minute):
				t.Error("it does not begin")
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if _, err := os.Stat(filepath.Join(valueOf(place, "NADMOR_DATA"), store.SQLiteFile)); err == nil {
				t.Error("half a database is in its place")
			}
			if len(leftFiles(t, place)) < 2 {
				t.Error("it was killed before it wrote files, which tests nothing")
			}
			mustRun(t, place, "restore", good)
			mustRun(t, place, "verify")
		})
	}
}

// TestOwnProcess is no test: it runs a command in a process that can be killed.
func TestOwnProcess(t *testing.T) {
	args := os.Getenv("NADMOR_TEST_COMMAND")
	if args == "" {
		t.Skip("only for other tests")
	}
	os.Exit(command.Run(context.Background(), command.Env{Args: strings.Fields(args), Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "v1-test", Hasher: hasher}))
}

// watched shows all that was written so far.
type watched struct {
	output
	on func(all string)
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.output.Write(b)
	w.on(w.String())
	return n, err
}

func TestABackupOfAnOlderVersionIsRestoredAndMigrated(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			old := emptyPlace(t, engine, "NADMOR_SECRET="+secret)
			db, err := store.Open(t.Context(), store.Options{
				URL: valueOf(old, "NADMOR_DATABASE_URL"), DataDir: valueOf(old, "NADMOR_DATA"), AuditKey: auth.DeriveKey(secret, "audit"), Migration: 4,
			})
			if err != nil {
				t.Fatal(err)
			}
			storetest.SetUp(t, db)
			somebody := storetest.AddPatient(t, db, "เก่า")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			file := backUp(t, old)
			header := string(members(t, file)[0].body)
			if !strings.Contains(header, `"migration": 4`) {
				t.Fatalf("it says\n%s", header)
			}
			place := emptyPlace(t, engine, "NADMOR_SECRET="+secret)
			mustRun(t, place, "restore", file)
			newest, err := store.NewestMigration()
			if err != nil {
				t.Fatal(err)
			}
			again := string(members(t, backUp(t, place))[0].body)
			if !strings.Contains(again, fmt.Sprintf(`"migration": %d,`, newest)) {
				t.Errorf("it says\n%s", again)
			}
			if p, err := openPlace(t, place).Patient(t.Context(), somebody.ID); err != nil || p.FirstName != "เก่า" {
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

// The key of the data folder comes along, one that was given does not, and
// nothing is restored with another.
func TestTheKeyOfABackup(t *testing.T) {
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
		if r.code != 1 || !strings.Contains(r.errors, "the key is not in the archive") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		other := emptyPlace(t, "sqlite", "NADMOR_SECRET="+secret)
		r = run(t, other, "restore", file)
		if r.code != 1 || !strings.Contains(r.errors, "is not the one the archive was made with") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		mustRun(t, emptyPlace(t, "sqlite", "NADMOR_SECRET="+key), "restore", file)
		// The key is lost: the data is not.
		r = run(t, other, "restore", file, "--other-key")
		if r.code != 1 || !strings.Contains(r.errors, "restored as it was saved, but it was not in order then: the audit log") {
			t.Errorf("%s: exit %d: %s", name, r.code, r.errors)
		}
		serve(t, other).login(t, "admin", "nadmor-demo")
	}
	r := run(t, inFolder(folder, "NADMOR_SECRET="+secret), "backup", filepath.Join(t.TempDir(), "archive"))
	if r.code != 1 || !strings.Contains(r.errors, "the key is not the one this database is written with") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

func TestBackupWritesAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	file := backUp(t, inFolder(folder))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	r := run(t, inFolder(folder), "backup", file)
	if r.code != 1 || !strings.Contains(r.errors, "nothing is overwritten") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
	if left, err := filepath.Glob(filepath.Dir(file) + "/*"); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}

	// Through pipes.
	var out bytes.Buffer
	var errs output
	if code := command.Run(t.Context(), command.Env{Args: []string{"backup", "-"}, Environ: inFolder(folder), Stdout: &out, Stderr: &errs, Version: "v1-test"}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var said output
	code := command.Run(t.Context(), command.Env{Args: []string{"restore", "-"}, Environ: emptyPlace(t, "sqlite"), Stdin: &out, Stdout: &said, Stderr: &errs, Version: "v1-test"})
	if code != 0 || !strings.Contains(said.String(), "0 faults") {
		t.Errorf("exit %d: %s%s", code, said.String(), errs.String())
	}

	// Nothing, and nothing in particular.
	for environ, want := range map[string]string{t.TempDir(): "the key of this installation is not here"} {
		if r := run(t, inFolder(environ), "backup", filepath.Join(t.TempDir(), "archive")); r.code != 1 || !strings.Contains(r.errors, want) {
			t.Errorf("exit %d: %s", r.code, r.errors)
		}
		if left := leftFiles(t, inFolder(environ)); len(left) > 0 {
			t.Errorf("it leaves %v", left)
		}
	}
	if r := run(t, emptyPlace(t, "sqlite"), "restore", written(t, []byte("age-encryption.org/v1\n"))); r.code != 1 || !strings.Contains(r.errors, "this is not a backup that nadmor has made") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}

// A file that is missing does not keep the rest from being saved, and is told of.
func TestABackupTellsOfMissingFiles(t *testing.T) {
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
	if r.code != 1 || !strings.Contains(r.errors, "restored as it was saved, but it was not in order then: the file of a result is missing") {
		t.Errorf("exit %d: %s", r.code, r.errors)
	}
}
