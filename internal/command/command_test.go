package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"nadmor/internal/auth"
	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/internal/demo"
	"nadmor/internal/files/filestest"
	"nadmor/internal/hospital/hospitaltest"
	"nadmor/internal/store/storetest"
)

func TestInvalidConfigurationIsRejected(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		environ, args []string
		says          string // on standard error
		hides         string
	}{
		"a key that is too short": {
			[]string{"NADMOR_SECRET=0123456789abcde"}, nil, "NADMOR_SECRET is too short: at least 16 characters",
			"0123456789abcde",
		},
		"so it is for every command": {
			[]string{"NADMOR_SECRET=short-secret"}, []string{"verify"}, "NADMOR_SECRET is too short", "short-secret",
		},
		"a first password that is too short": {
			[]string{"NADMOR_ADMIN_PASSWORD=pa55word!"}, nil, "NADMOR_ADMIN_PASSWORD: A password has at least 10 characters.",
			"pa55word!",
		},
		"a common first password": {
			[]string{"NADMOR_ADMIN_PASSWORD=1q2w3e4r5t"}, nil, "NADMOR_ADMIN_PASSWORD: This password is too easy to guess.",
			"1q2w3e4r5t",
		},
		"so it is for the sample hospital": {
			[]string{"NADMOR_ADMIN_PASSWORD=1q2w3e4r5t"}, []string{"--demo"},
			"NADMOR_ADMIN_PASSWORD: This password is too easy to guess.", "1q2w3e4r5t",
		},
		"a mail server that is none": {
			[]string{"NADMOR_SMTP_URL=http://user:hunter2@mail"}, nil, "NADMOR_SMTP_URL: it must begin with smtp://", "hunter2",
		},
		"a proxy that is no network": {
			[]string{"NADMOR_TRUSTED_PROXIES=10.0.0.0/8,nginx"}, nil, "NADMOR_TRUSTED_PROXIES", "",
		},
		"a database address that is none": {
			[]string{"NADMOR_DATABASE_URL=postgres://user:hunter2@127.0.0.1:port/x"}, nil, "NADMOR_DATABASE_URL", "hunter2",
		},
		"a database that does not answer": {
			[]string{"NADMOR_DATABASE_URL=postgres://user:hunter2@" + taken.Addr().String() + "/x?connect_timeout=1"}, nil,
			"reach PostgreSQL", "hunter2",
		},
		"a data folder that is a file": {[]string{"NADMOR_DATA=" + file}, nil, "create data folder", ""},
		"an address that is taken": {
			[]string{"NADMOR_ADDR=" + taken.Addr().String()}, nil, "address already in use", "",
		},
		"a metrics address that is taken": {
			[]string{"NADMOR_METRICS_ADDR=" + taken.Addr().String()}, nil, "listen for metrics", "",
		},
		"a log level that does not exist": {[]string{"NADMOR_LOG=loud"}, nil, "--log must be one of", ""},
		"a flag that does not exist":      {nil, []string{"--no-such-flag"}, "unknown flag --no-such-flag", ""},
		"a command that does not exist":   {nil, []string{"no-such-command"}, "unexpected argument no-such-command", ""},
		"no name whose password to reset": {nil, []string{"reset-password"}, `expected "<username>"`, ""},
		"a name that nobody has":          {nil, []string{"reset-password", "nobody"}, "nobody: NOT_FOUND", ""},
		"a new password that is the username": {
			nil, []string{"reset-password", "administrator", "--password", "Administrator"},
			"The password must not be the username.", "Administrator\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environ := append([]string{"NADMOR_ADDR=127.0.0.1:0"}, inFolder(t.TempDir())...)
			r := run(t, append(environ, c.environ...), c.args...)
			if r.code == 0 {
				t.Error("it exits with 0")
			}
			if !strings.Contains(r.errors, c.says) {
				t.Errorf("it says\n%s", r.errors)
			}
			if c.hides != "" && strings.Contains(r.out+r.errors, c.hides) {
				t.Errorf("it shows %s:\n%s%s", c.hides, r.out, r.errors)
			}
		})
	}
}

func TestUnknownFlagShowsUsage(t *testing.T) {
	t.Parallel()
	r := run(t, nil, "--no-such-flag")
	if r.code == 0 || !strings.Contains(r.out+r.errors, "Usage: nadmor") {
		t.Errorf("exit code %d:\n%s%s", r.code, r.out, r.errors)
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	if out := mustRun(t, nil, "--version"); out != "v1-test\n" {
		t.Errorf("--version prints %q", out)
	}
	help := mustRun(t, nil, "--help")
	for _, word := range []string{"serve", "migrate", "demo", "health", "verify", "reset-password", "openapi"} {
		if !strings.Contains(help, word) {
			t.Errorf("--help does not mention %s:\n%s", word, help)
		}
	}
	help = mustRun(t, nil, "serve", "--help")
	for _, name := range []string{
		"NADMOR_ADDR", "NADMOR_DATA", "NADMOR_DATABASE_URL", "NADMOR_SECRET", "NADMOR_LOG", "NADMOR_PUBLIC_URL",
		"NADMOR_ADMIN_PASSWORD", "NADMOR_SMTP_URL",
		"NADMOR_METRICS_ADDR", "NADMOR_TRUSTED_PROXIES", "NADMOR_DEMO", "NADMOR_TLS_CERT", "NADMOR_TLS_KEY",
	} {
		if !strings.Contains(help, "$"+name) {
			t.Errorf("serve --help does not mention %s", name)
		}
	}
}

// The developer's shell may configure an installation. Not parallel: it changes the process environment.
func TestProcessEnvironmentIsIgnored(t *testing.T) {
	other := filepath.Join(t.TempDir(), "elsewhere")
	t.Setenv("NADMOR_DATA", other)
	t.Setenv("NADMOR_SECRET", "too short")
	t.Setenv("NADMOR_LOG", "loud")
	t.Setenv("NADMOR_DATABASE_URL", "postgres://127.0.0.1:1/production")
	folder := filepath.Join(t.TempDir(), "here")
	mustRun(t, inFolder(folder), "migrate")
	if _, err := os.Stat(filepath.Join(folder, "nadmor.db")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("the folder of the process's environment was used: %v", err)
	}
}

func TestFlagsOverrideEnvironment(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	environ := inFolder(filepath.Join(folder, "from-environment"), "NADMOR_SECRET=short", "NADMOR_LOG=loud")
	mustRun(t, environ, "migrate", "--data", filepath.Join(folder, "from-flag"), "--secret", secret, "--log", "warn")
	if _, err := os.Stat(filepath.Join(folder, "from-flag", "nadmor.db")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "from-environment")); !os.IsNotExist(err) {
		t.Errorf("the folder of the environment was used: %v", err)
	}
}

// An empty variable counts as unset, as in compose files.
func TestEmptyVariableIsIgnored(t *testing.T) {
	t.Parallel()
	mustRun(t, inFolder(t.TempDir(), "NADMOR_SECRET=", "NADMOR_DATABASE_URL=", "NADMOR_LOG="), "migrate")
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	postgres := storetest.EmptyPostgres(t)
	folder := t.TempDir()
	for name, c := range map[string]struct {
		environ  []string
		database storetest.Database
	}{
		"sqlite":   {inFolder(folder), sqliteIn(folder)},
		"postgres": {inFolder(t.TempDir(), "NADMOR_DATABASE_URL="+postgres.Options.URL), postgres},
	} {
		for range 2 { // the second time is a no-op
			if out := mustRun(t, c.environ, "migrate"); out != "The schema is up to date ("+name+").\n" {
				t.Errorf("it prints %q", out)
			}
		}
		if n := count(t, c.database, `SELECT count(*) FROM users`); n != 0 {
			t.Errorf("%s: %d people were made", name, n)
		}
	}
}

func TestDemoNeedsEmptyDatabase(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	if !strings.Contains(sample.made.out, demo.Password) {
		t.Errorf("it does not say how to sign in:\n%s", sample.made.out)
	}
	people := count(t, sqliteIn(folder), `SELECT count(*) FROM users`)
	r := run(t, inFolder(folder), "demo")
	if r.code != 1 || !strings.Contains(r.errors, "there is data already") {
		t.Errorf("the second time it exits with %d\n%s", r.code, r.errors)
	}
	if again := count(t, sqliteIn(folder), `SELECT count(*) FROM users`); people < 10 || again != people {
		t.Errorf("%d people became %d", people, again)
	}
	n := serve(t, inFolder(folder))
	if n.out.String() != "" {
		t.Errorf("the server makes another first administrator:\n%s", n.out)
	}
	n.login(t, "admin", demo.Password)
}

func TestDemoReportsProgress(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	ticking := func() time.Time { clock.Advance(6 * time.Second); return clock.Now() } // reports every step
	var out, errs commandtest.Output
	environ := inFolder(t.TempDir())
	code := command.Run(t.Context(), command.Env{
		Args: []string{"demo", "--patients=5500", "--appointments=7000"}, Environ: environ, Stdout: &out, Stderr: &errs,
		Hasher: hasher, Now: ticking,
	})
	if code != 0 {
		t.Fatalf("it exits with %d\n%s", code, errs.String())
	}
	lines := regexp.MustCompile(`^(?s)appointments: 71 %, 5000 of 7000, [0-9]+/s, [0-9a-z]+ left\n` +
		`appointments: 100 %, 7000 of 7000, [0-9]+/s, 0s left\nappointments: 7000 in [0-9a-z]+\n` +
		`patients: 91 %, 5000 of 5500, .*\npatients: 5500 in [0-9a-z]+\nindexes: 0 %, 0 of ([0-9]+), 0/s\n` +
		`.*indexes: ([0-9]+) in [0-9a-z]+\n$`)
	if parts := lines.FindStringSubmatch(errs.String()); len(parts) != 3 || parts[1] != parts[2] {
		t.Errorf("it prints\n%s", errs.String())
	}
	mustRun(t, environ, "verify")
}

func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	if out := mustRun(t, inFolder(folder),
		"verify"); !regexp.MustCompile(`^[0-9]{2,} audit entries read, 0 faults\nseats of every slot counted, 0 faults\n` +
		`appointments of every day counted, 0 faults\n240 patients, counted as 240\n` +
		`results of every appointment counted, 0 faults\n[1-9][0-9]* files of results read, 0 faults\n$`).MatchString(out) {
		t.Fatalf("it prints %q", out)
	}
	last := count(t, sqliteIn(folder), `SELECT max(seq) FROM audit_entries`)
	cases := map[string]struct {
		edits []string
		says  string
	}{
		"an entry that was edited": {
			[]string{`UPDATE audit_entries SET subject = 'another' WHERE seq = 3`},
			`audit chain 0, entry 3: entry 3 \(user\.\w+ user [0-9]+\) was edited or moved`,
		},
		"an entry that was removed": {
			[]string{`DELETE FROM audit_entries WHERE seq = 2`}, `audit chain 0, entry 2: the entry was removed`,
		},
		"an end that was cut off": {
			[]string{fmt.Sprintf(`DELETE FROM audit_entries WHERE seq = %d`, last)},
			fmt.Sprintf(`audit chain 0, entry %d: the entry was cut off the end`, last),
		},
		"an end that was cut off with its mark": {[]string{
			fmt.Sprintf(`DELETE FROM audit_entries WHERE seq = %d`, last),
			fmt.Sprintf(`UPDATE audit_lanes SET seq = %d, hash = (SELECT hash FROM audit_entries WHERE seq = %d)`, last-1,
				last-1),
		}, fmt.Sprintf(`audit chain 0, entry %d: the end of the chain was edited`, last-1)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := copyOf(t, folder)
			db := sqliteIn(folder).SQL(t)
			for _, q := range c.edits {
				if strings.Contains(q, "audit_entries SET") || strings.HasPrefix(q, "DELETE") {
					if _, err := db.ExecContext(t.Context(), q); err == nil {
						t.Errorf("the database allows this: %s", q)
					}
				}
			}
			for _, q := range append([]string{`DROP TRIGGER audit_entries_no_update`, `DROP TRIGGER audit_entries_no_delete`},
				c.edits...) {
				if _, err := db.ExecContext(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			r := run(t, inFolder(folder), "verify")
			if r.code != 1 || !regexp.MustCompile(`(?m)^`+c.says+`$`).MatchString(r.out) {
				t.Errorf("it exits with %d and prints\n%s%s", r.code, r.out, r.errors)
			}
			if !strings.Contains(r.errors, "the audit log is not as it was written") {
				t.Errorf("it says\n%s", r.errors)
			}
		})
	}
	t.Run("a log that was written with another key", func(t *testing.T) {
		t.Parallel()
		r := run(t, inFolder(copyOf(t, folder), "NADMOR_SECRET="+secret), "verify")
		if r.code != 1 || !strings.Contains(r.errors, "NADMOR_SECRET is not the one it was written with") {
			t.Errorf("it exits with %d\n%s", r.code, r.errors)
		}
	})
}

func TestVerifyFindsWrongTotals(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		environ := inFolder(p.Options.DataDir, "NADMOR_SECRET="+secret)
		if p.Engine == "postgres" {
			environ = inFolder(t.TempDir(), "NADMOR_SECRET="+secret, "NADMOR_DATABASE_URL="+p.Options.URL)
		}
		p.Options.AuditKey = auth.DeriveKey(secret, "audit")
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		service := storetest.AddService(t, db, "GP", 5)
		for i, start := range []string{"10:00", "10:00", "10:30"} {
			storetest.Book(t, db, ctx, storetest.AddPatient(t, db, fmt.Sprint("คนที่", i)), service, "2026-11-17", start)
		}
		if out := mustRun(t, environ, "verify"); !strings.Contains(out,
			"seats of every slot counted, 0 faults\nappointments of every day counted, 0 faults\n3 patients, counted as 3\n") {
			t.Fatalf("it prints\n%s", out)
		}
		for _, edit := range []string{
			`UPDATE slots SET booked = 4 WHERE start_time = '10:00'`, `DELETE FROM slots WHERE start_time = '10:30'`,
			`UPDATE day_totals SET booked = 2, completed = 1`, `UPDATE patient_total SET n = 7`,
		} {
			if _, err := p.SQL(t).ExecContext(t.Context(), edit); err != nil {
				t.Fatal(err)
			}
		}
		r := run(t, environ, "verify")
		want := fmt.Sprintf("service %[1]d, 2026-11-17 10:00: counts 4 seats, 2 are held\nservice %[1]d, 2026-11-17 10:30: "+
			"counts 0 seats, 1 are held\nseats of every slot counted, 2 faults\n"+
			"service %[1]d, 2026-11-17: counts 2 appointments BOOKED, there are 3\nservice %[1]d, 2026-11-17: counts 1 "+
			"appointments COMPLETED, there are 0\nappointments of every day counted, 2 faults\n3 patients, counted as 7\n",
			service.ID)
		if r.code != 1 || !strings.Contains(r.out, want) ||
			!strings.Contains(r.errors, "the count of a slot is not the number of seats held in it") ||
			!strings.Contains(r.errors, "the totals of a day are not the number of its appointments") ||
			!strings.Contains(r.errors, "the count of patients is not their number") {
			t.Errorf("it exits with %d and prints\n%s%s", r.code, r.out, r.errors)
		}
	})
}

func TestVerifyFindsDamagedFiles(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	list, err := filepath.Glob(filepath.Join(folder, "files", "results", "*"))
	if err != nil || len(list) < 3 {
		t.Fatalf("%d files of results in the sample, %v", len(list), err)
	}
	body, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 1
	if err := errors.Join(os.WriteFile(list[0], body, 0o600), os.Truncate(list[1], 7), os.Remove(list[2])); err != nil {
		t.Fatal(err)
	}
	if _, err := sqliteIn(folder).SQL(t).ExecContext(t.Context(),
		`UPDATE appointments SET result_count = 9 WHERE id = (SELECT min(appointment_id) FROM results)`); err != nil {
		t.Fatal(err)
	}
	r := run(t, inFolder(folder), "verify")
	for _, says := range []string{
		`result [0-9]+, file results/` + regexp.QuoteMeta(filepath.Base(list[0])) + `: its content is not what was sent`,
		`result [0-9]+, file results/` + regexp.QuoteMeta(filepath.Base(list[1])) + `: it has 7 bytes instead of [0-9]+`,
		`result [0-9]+, file results/` + regexp.QuoteMeta(filepath.Base(list[2])) + `: it is missing`,
		`appointment [0-9]+: counts 9 results, has [0-9]`, fmt.Sprintf(`%d files of results read, 3 faults`, len(list)),
	} {
		if !regexp.MustCompile(`(?m)^` + says + `$`).MatchString(r.out) {
			t.Errorf("it does not say %q but\n%s", says, r.out)
		}
	}
	if r.code != 1 || !strings.Contains(r.errors, "the file of a result is missing or not as it was sent") ||
		!strings.Contains(r.errors, "the count of an appointment is not the number of its results") {
		t.Errorf("it exits with %d and says\n%s", r.code, r.errors)
	}
}

// sample is the sample hospital that tests copy.
var sample struct {
	once   sync.Once
	folder string
	made   result
}

// sampleHospital returns a new data folder with the sample hospital.
func sampleHospital(t *testing.T) string {
	t.Helper()
	sample.once.Do(func() {
		var err error
		if sample.folder, err = os.MkdirTemp("", "nadmor-sample"); err != nil {
			t.Fatal(err)
		}
		sample.made = run(t, inFolder(sample.folder), "demo", "--patients=240", "--appointments=3000")
	})
	if sample.made.code != 0 || sample.folder == "" {
		t.Fatalf("nadmor demo exits with %d\n%s", sample.made.code, sample.made.errors)
	}
	return copyOf(t, sample.folder)
}

func TestMain(m *testing.M) {
	code := m.Run()
	filestest.Stop()
	if sample.folder != "" {
		_ = os.RemoveAll(sample.folder)
	}
	os.Exit(code)
}

// copyOf returns a copy of a data folder that is not in use.
func copyOf(t *testing.T, folder string) string {
	t.Helper()
	other := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(other, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return other
}

func TestResetPasswordUnlocks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	environ := inFolder(folder, "NADMOR_ADMIN_PASSWORD="+adminPassword)
	n := serve(t, environ)
	old := n.login(t, "admin", adminPassword).AccessToken
	for range 5 {
		if a := n.tryLogin(t, "admin", "not the password"); a.code != "INVALID_CREDENTIALS" {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
	}
	if a := n.tryLogin(t, "admin", adminPassword); a.code != "TOO_MANY_ATTEMPTS" {
		t.Fatalf("the account is not locked: %s", a.body)
	}

	// The server keeps running during the command.
	out := mustRun(t, environ, "reset-password", "Admin", "--password", "a password of the command line")
	if strings.Contains(out, "a password of the command line") {
		t.Errorf("the password is shown:\n%s", out)
	}
	s := n.login(t, "admin", "a password of the command line")
	if !s.MustChangePassword {
		t.Error("it need not be changed")
	}
	if a := n.call(t, http.MethodGet, "/admin/api/v1.0/auth/me", old, ""); a.code != "UNAUTHENTICATED" {
		t.Errorf("an old session is still valid: %s", a.body)
	}
	if a := n.tryLogin(t, "admin", adminPassword); a.code != "INVALID_CREDENTIALS" {
		t.Errorf("the old password still works: %s", a.body)
	}
}

func TestResetPasswordPrintsRandomPassword(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	out := mustRun(t, inFolder(folder), "reset-password", "nurse")
	shown := regexp.MustCompile(`(?m)^New password of nurse: ([A-Z2-7]{26})$`).FindStringSubmatch(out)
	if shown == nil {
		t.Fatalf("it prints\n%s", out)
	}
	// A password for an unknown account is not printed.
	if r := run(t, inFolder(folder), "reset-password", "nobody"); r.code != 1 || strings.Contains(r.out, "New password") {
		t.Errorf("for nobody it exits with %d and prints\n%s", r.code, r.out)
	}
	n := serve(t, inFolder(folder))
	if s := n.login(t, "nurse", shown[1]); !s.MustChangePassword {
		t.Error("it need not be changed")
	}
	n.login(t, "doctor", demo.Password) // other accounts are unchanged
}

// A user who lost their authenticator cannot sign in with a new password alone; --totp removes the one-time
// codes.
func TestResetPasswordRemovesTOTP(t *testing.T) {
	t.Parallel()
	environ := inFolder(t.TempDir(), "NADMOR_ADMIN_PASSWORD="+adminPassword)
	n := serve(t, environ)
	token := n.login(t, "admin", adminPassword).AccessToken
	var created struct{ Secret string }
	n.call(t, http.MethodPost, "/admin/api/v1.0/auth/totp/setup", token,
		fmt.Sprintf(`{"password":%q}`, adminPassword)).into(t, &created)
	code, err := totp.GenerateCode(created.Secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if a := n.call(t, http.MethodPost, "/admin/api/v1.0/auth/totp/enable", token,
		fmt.Sprintf(`{"otp":%q}`, code)); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	for _, c := range []struct {
		args []string
		want string
	}{{nil, "OTP_REQUIRED"}, {[]string{"--totp"}, ""}, {[]string{"--totp"}, ""}} {
		mustRun(t, environ,
			append([]string{"reset-password", "admin", "--password", "a password of the command line"}, c.args...)...)
		if a := n.tryLogin(t, "admin", "a password of the command line"); a.code != c.want {
			t.Errorf("%v: %s", c.args, a.body)
		}
	}
	if n := count(t, sqliteIn(valueOf(environ, "NADMOR_DATA")),
		`SELECT count(*) FROM audit_entries WHERE action = 'auth.totp-disable' AND entity = 'user'`); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
}

func TestResetPasswordRejectsWeakPassword(t *testing.T) {
	t.Parallel()
	folder := sampleHospital(t)
	for _, weak := range []string{"short", "1234567890", "executive"} {
		r := run(t, inFolder(folder, "NADMOR_NEW_PASSWORD="+weak), "reset-password", "executive")
		if r.code != 1 || !strings.Contains(r.errors, "the new password: ") {
			t.Errorf("%s: exits with %d\n%s", weak, r.code, r.errors)
		}
	}
	n := serve(t, inFolder(folder))
	if s := n.login(t, "executive", demo.Password); s.MustChangePassword {
		t.Error("the password must be changed now")
	}
}

func TestOpenAPIDocumentHasPermissions(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	text := mustRun(t, inFolder(folder), "openapi")
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") || doc.Info.Title != "Nadmor" || doc.Info.Version != "v1-test" {
		t.Errorf("it is OpenAPI %s of %+v", doc.OpenAPI, doc.Info)
	}
	operations, ids := 0, map[string]string{}
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			var op struct {
				Permission  string `json:"x-permission"`
				OperationID string
				Security    []map[string][]string
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			operations++
			access, err := hospitaltest.Access(op.Permission)
			if err != nil {
				t.Errorf("%s %s: x-permission is %q: %v", method, path, op.Permission, err)
			}
			if access.IsPublic() != (len(op.Security) == 0) {
				t.Errorf("%s %s is %s, and its security is %v", method, path, op.Permission, op.Security)
			}
			if other := ids[op.OperationID]; op.OperationID == "" || other != "" {
				t.Errorf("%s %s has the id %q, as has %s", method, path, op.OperationID, other)
			}
			ids[op.OperationID] = method + " " + path
		}
	}
	if operations < 30 {
		t.Errorf("only %d operations", operations)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("a data folder was made to print a document: %v", err)
	}
	if again := mustRun(t, nil, "openapi"); again != text {
		t.Error("it is another document every time")
	}
}

// The command prints the document that the server serves.
func TestServerServesOpenAPIDocument(t *testing.T) {
	t.Parallel()
	n := serve(t, inFolder(t.TempDir()))
	if a := n.call(t, http.MethodGet, "/openapi.json", "",
		""); strings.TrimSpace(a.body) != strings.TrimSpace(mustRun(t, nil, "openapi")) {
		t.Error("they differ")
	}
}
