package command_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// A damaged archive is rejected and leaves nothing, so that an intact one can be restored in the same place.
func TestDamagedBackupRestoresNothing(t *testing.T) {
	t.Parallel()
	source := inFolder(sampleHospital(t))
	good := backUp(t, source)
	backup, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	list := members(t, good)
	flip := func(at int) []byte {
		b := bytes.Clone(backup)
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
	damaged := map[string]string{
		"cut in the middle":     written(t, backup[:len(backup)/2]),
		"cut before its end":    written(t, backup[:len(backup)-1]),
		"cut early":             written(t, backup[:2000]),
		"a bit in the middle":   written(t, flip(len(backup)/2)),
		"a bit of the last sum": written(t, flip(len(backup)-3)),
		"something behind":      written(t, append(bytes.Clone(backup), backup[:500]...)),
		"another row":           archiveOf(t, inFirst(list, "tables/appointments/", "BOOKED", "CANCELLED")),
		"another file":          archiveOf(t, inFirst(list, "files/results/", "a", "b")),
		"a file less":           archiveOf(t, without("files/results/")),
		"a table less":          archiveOf(t, without("tables/patients/")),
		"no manifest":           archiveOf(t, without("manifest.json")),
		"no checksums":          archiveOf(t, without("checksums/")),
		"a file elsewhere": archiveOf(t,
			slices.Insert(slices.Clone(list), 1, member{"files/../../etc/passwd", []byte("x")})),
		"another kind of file": archiveOf(t,
			slices.Insert(slices.Clone(list), 1, member{"files/other/aaaaaaaaaaaaaaaaaaaaaaaaaa", []byte("x")})),
		"a session": archiveOf(t,
			slices.Insert(slices.Clone(list), 1, member{"tables/sessions/000001.tsv", []byte("x\n")})),
		"another column":        archiveOf(t, inFirst(list, "nadmor.json", `"username"`, `"username) --"`)),
		"a row that is none":    archiveOf(t, inFirst(list, "tables/roles/", "\t", "")),
		"a word for a number":   archiveOf(t, inFirst(list, "tables/roles/", "1\t", "CANCELLED\t")),
		"forged, checksums too": archiveOf(t, forged(inFirst(list, "tables/appointments/", "BOOKED", "CANCELLED"))),
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			env := emptyPlace(t, engine, "NADMOR_SECRET="+strings.TrimSpace(string(key)))
			for name, file := range damaged {
				r := run(t, env, "restore", file)
				if r.code != 1 || strings.Contains(r.out, "entries read") {
					t.Errorf("%s: exit %d: %s%s", name, r.code, r.out, r.errors)
				}
				for _, secret := range []string{"CANCELLED", "panic"} {
					if strings.Contains(r.errors, secret) {
						t.Errorf("%s says what is in it: %s", name, r.errors)
					}
				}
				if left := leftFiles(t, env); len(left) > 0 {
					t.Errorf("%s leaves %v", name, left)
				}
			}
			mustRun(t, env, "restore", good)
		})
	}
}

func TestRestoreDoesNotOverwrite(t *testing.T) {
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
			if err := os.WriteFile(theirs, []byte("another"), 0o600); err != nil {
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

// A restore that is killed leaves no usable database, and can be repeated.
func TestRestoreAfterKill(t *testing.T) {
	t.Parallel()
	good := backUp(t, inFolder(sampleHospital(t)))
	backup, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			env := emptyPlace(t, engine)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestOwnProcess$")
			cmd.Env = append(append(os.Environ(), env...), "NADMOR_TEST_COMMAND=restore -")
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
			go func() { _, _ = in.Write(backup[:len(backup)-20]) }() // the pipe stays open
			select {
			case <-seen:
			case <-time.After(2 * time.Minute):
				t.Error("it does not begin")
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if _, err := os.Stat(filepath.Join(valueOf(env, "NADMOR_DATA"), store.SQLiteFile)); err == nil {
				t.Error("half a database is in its place")
			}
			if len(leftFiles(t, env)) < 2 {
				t.Error("it was killed before it wrote files, which tests nothing")
			}
			mustRun(t, env, "restore", good)
			mustRun(t, env, "verify")
		})
	}
}

// A restore that cannot repeat the erasures since the backup leaves nothing, because the erased patients
// would be back.
func TestRestoreFailsIfErasureFails(t *testing.T) {
	t.Parallel()
	good := backUp(t, inFolder(sampleHospital(t)))
	foreign := written(t, []byte("patient_id,erased_at,mark\n2,2026-11-16T00:00:00Z,00\n"))
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			env := emptyPlace(t, engine)
			for list, why := range map[string]string{
				foreign: "id:2", filepath.Join(t.TempDir(), "nowhere.csv"): "no such file",
			} {
				r := run(t, env, "restore", good, "--erased", list)
				if r.code != 1 || !strings.Contains(r.errors, why) {
					t.Errorf("exit %d: %s", r.code, r.errors)
				}
				if left := leftFiles(t, env); len(left) > 0 {
					t.Errorf("it leaves %v", left)
				}
				if left := leftTables(t, env); len(left) > 0 {
					t.Errorf("it leaves the tables %v", left)
				}
			}
			mustRun(t, env, "restore", good)
			mustRun(t, env, "verify")
		})
	}
}

// leftTables returns the tables of the PostgreSQL database, except that of the migration lock.
func leftTables(t *testing.T, environ []string) (list []string) {
	t.Helper()
	url := valueOf(environ, "NADMOR_DATABASE_URL")
	if url == "" {
		return nil
	}
	rows, err := storetest.Database{
		Engine: "postgres", Options: store.Options{URL: url},
	}.SQL(t).QueryContext(t.Context(),
		`SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'S')
			AND relname <> 'goose_lock'
		UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p WHERE pronamespace = current_schema()::regnamespace
		AND prorettype = 'trigger'::regtype`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() // Err is checked below
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// A restore that is killed in its last step, while it repeats erasures, leaves no database that a server
// would start with, and can be repeated.
func TestRestoreAfterKillAtLastStep(t *testing.T) {
	t.Parallel()
	good := backUp(t, inFolder(sampleHospital(t)))
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			env := emptyPlace(t, engine)
			list := filepath.Join(t.TempDir(), "list") // a pipe that blocks the command
			if err := syscall.Mkfifo(list, 0o600); err != nil {
				t.Fatal(err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestOwnProcess$")
			cmd.Env = append(append(os.Environ(), env...), "NADMOR_TEST_COMMAND=restore "+good+" --erased "+list)
			var output commandtest.Output
			cmd.Stderr = &output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended, reads := make(chan struct{}), make(chan *os.File, 1)
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			go func() {
				if f, err := os.OpenFile(list, os.O_WRONLY, 0); err == nil {
					reads <- f
				}
			}()
			select {
			case f := <-reads:
				defer f.Close() //nolint:errcheck // nothing is written
			case <-ended:
				t.Fatalf("it ended: %s", output.String())
			}
			unusable := func(when string) {
				t.Helper()
				if engine == "sqlite" {
					if _, err := os.Stat(filepath.Join(valueOf(env, "NADMOR_DATA"), store.SQLiteFile)); err == nil {
						t.Errorf("%s a database is in its place", when)
					}
				} else if r := run(t, env, "verify"); r.code != 1 ||
					!strings.Contains(r.errors, "this database is incomplete: a restore into it") {
					t.Errorf("%s it can be opened: exit %d: %s%s", when, r.code, r.out, r.errors)
				}
			}
			unusable("half-way")
			_ = cmd.Process.Kill()
			<-ended
			unusable("after it was killed")
			mustRun(t, env, "restore", good)
			mustRun(t, env, "verify")
		})
	}
}

// TestOwnProcess runs a command in a process that other tests can kill.
func TestOwnProcess(t *testing.T) {
	args := os.Getenv("NADMOR_TEST_COMMAND")
	if args == "" {
		t.Skip("only for other tests")
	}
	os.Exit(command.Run(context.Background(), command.Env{
		Args: strings.Fields(args), Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Version: "v1-test", Hasher: hasher,
	}))
}

// watched is a buffer that can be read while it is written.
type watched struct {
	commandtest.Output
	on func(all string)
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.Output.Write(b)
	w.on(w.String())
	return n, err
}
