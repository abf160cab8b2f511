package command_test

import (
	"archive/zip"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/auth"
	"nadmor/internal/command"
	"nadmor/internal/command/commandtest"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// registry is an installation with a patient who has data of every kind.
type registry struct {
	environ []string
	clock   *storetest.Clock
	person  storetest.Person
}

const scanned = "%PDF-1.4\n1 0 obj ไฟล์ผลเลือด"

// eachRegistry runs fn on an installation of each engine.
func eachRegistry(t *testing.T, fn func(t *testing.T, r *registry)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			r := &registry{
				environ: append(emptyPlace(t, engine), "NADMOR_SECRET="+secret, "USER=dpo"), clock: storetest.NewClock(),
			}
			db := r.open(t)
			uploads, err := files.OpenDisk(filepath.Join(valueOf(r.environ, "NADMOR_DATA"), "files"))
			if err != nil {
				t.Fatal(err)
			}
			defer uploads.Close() //nolint:errcheck // a test
			key := files.NewKey(files.Results, ".pdf")
			stored, err := uploads.Put(t.Context(), key, strings.NewReader(scanned), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			r.person = storetest.AddPerson(t, db, storetest.SetUp(t, db), &hospital.StoredFile{
				Key: key, ResultFile: hospital.ResultFile{
					Name: "ผลเลือดกัญญา.pdf", ContentType: "application/pdf", Size: stored.Size, SHA256: stored.SHA256,
				},
			})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			fn(t, r)
		})
	}
}

// open opens the database. The caller closes it.
func (r *registry) open(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{
		URL: valueOf(r.environ, "NADMOR_DATABASE_URL"), DataDir: valueOf(r.environ, "NADMOR_DATA"),
		AuditKey: auth.DeriveKey(secret, "audit"), Now: r.clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// run runs a command at the test clock's time with standard input.
func (r *registry) run(t *testing.T, typed string, args ...string) result {
	t.Helper()
	var out, errs commandtest.Output
	code := command.Run(t.Context(), command.Env{
		Args: args, Environ: r.environ, Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &errs, Version: "v1-test",
		Now: r.clock.Now, Hasher: hasher,
	})
	return result{code, out.String(), errs.String()}
}

func (r *registry) mustRun(t *testing.T, args ...string) result {
	t.Helper()
	got := r.run(t, "", args...)
	if got.code != 0 {
		t.Fatalf("nadmor %s exits with %d\n%s%s", strings.Join(args, " "), got.code, got.out, got.errors)
	}
	return got
}

// unzip returns the files of an archive.
func unzip(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close() //nolint:errcheck // only read
	found := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name] = string(b)
	}
	return found
}

// paths collects the field paths of a JSON value, except those of maps with data as keys.
func paths(v any, at string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			path := strings.TrimPrefix(at+"."+k, ".")
			into[path] = true
			if k != "fields" && k != "from" && k != "to" && k != "changes" {
				paths(x, path, into)
			}
		}
	case []any:
		for _, x := range v {
			paths(x, at, into)
		}
	}
}

func TestPDPAExport(t *testing.T) {
	t.Parallel()
	eachRegistry(t, func(t *testing.T, r *registry) {
		file := filepath.Join(t.TempDir(), "dossier.zip")
		got := r.mustRun(t, "pdpa", "export", "88-004217", file)
		if !strings.Contains(got.errors, "4 appointments, 1 files") || strings.Contains(got.out+got.errors, "กัญญาวีร์") {
			t.Errorf("says %q", got.errors)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the archive is %v, %v", info.Mode(), err)
		}
		archive := unzip(t, file)
		names := slices.Sorted(maps.Keys(archive))
		if !slices.Equal(names, []string{"access-log.csv", "data.json", "files/001-ผลเลือดกัญญา.pdf", "record.html"}) ||
			archive[names[2]] != scanned {
			t.Fatalf("the archive has %v", names)
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(archive["data.json"]), &data); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		paths(data, "", found)
		explained := data["fields"].(map[string]any)
		for path := range found {
			if explained[path] == nil {
				t.Errorf("%s is not explained", path)
			}
		}
		// Both files contain all of the patient's data; neither contains storage keys.
		for _, value := range r.person.Values {
			if value == "88004217" || strings.HasPrefix(value, "results/") || value == "1987-03-29" {
				continue
			}
			for _, name := range []string{"data.json", "record.html"} {
				former := value == "เดิมสกุลวงศ์" || value == "0898877665" // only in the audit log
				if !strings.Contains(archive[name], value) && (name == "data.json" || !former) {
					t.Errorf("%s does not have %s", name, value)
				}
			}
		}
		for _, other := range []string{"ธนดลน้อง", "0850000111"} {
			if strings.Contains(archive["data.json"]+archive["record.html"]+archive["access-log.csv"], other) {
				t.Errorf("another patient's data: %s", other)
			}
		}
		for _, text := range []string{
			"29/03/2530", "แม่สายพิณ", "ดูเลขประจำตัวประชาชน", "16 พ.ย. 2569", "ไม่มาตามนัด", "ผลแล็บ", `href="files/001-`,
		} {
			if !strings.Contains(archive["record.html"], text) {
				t.Errorf("the document does not say %s", text)
			}
		}
		if strings.Contains(archive["data.json"], "results/") {
			t.Error("a key of the file store is in the archive")
		}

		// Existing files are not overwritten, and the failed export is not in the audit log.
		if again := r.run(t, "", "pdpa", "export", "88-004217", file); again.code == 0 ||
			!strings.Contains(again.errors, "files are not overwritten") {
			t.Errorf("again: %d %s", again.code, again.errors)
		}
		if nobody := r.run(t, "", "pdpa", "export", "99-1", filepath.Join(t.TempDir(), "x")); nobody.code == 0 ||
			!strings.Contains(nobody.errors, "no patient has this number") {
			t.Errorf("nobody: %d %s", nobody.code, nobody.errors)
		}
		log := r.mustRun(t, "pdpa", "access", "1111111111119").out
		if strings.Count(log, "pdpa.export") != 1 || !strings.Contains(log, "system (dpo)") ||
			!strings.Contains(log, "ผู้ดูแลระบบ") || !strings.Contains(log, "นามสกุล") {
			t.Errorf("the access log is\n%s", log)
		}

		// A missing file is reported, and the rest exported.
		uploads := filepath.Join(valueOf(r.environ, "NADMOR_DATA"), "files", "results")
		entries, err := fs.Glob(os.DirFS(uploads), "*.pdf")
		if err != nil || len(entries) != 1 {
			t.Fatalf("%v, %v", entries, err)
		}
		if err := os.Remove(filepath.Join(uploads, entries[0])); err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(t.TempDir(), "lacking.zip")
		if lacking := r.run(t, "", "pdpa", "export", "88-004217", file); lacking.code == 0 ||
			!strings.Contains(lacking.errors, "1 files were missing") {
			t.Errorf("lacking: %d %s", lacking.code, lacking.errors)
		}
		if archive := unzip(t, file); !strings.Contains(archive["record.html"], "ไม่พบไฟล์ในระบบ") ||
			!strings.Contains(archive["data.json"], `"missing": true`) {
			t.Error("the archive does not say that a file is missing")
		}
	})
}

func TestPDPABreach(t *testing.T) {
	t.Parallel()
	eachRegistry(t, func(t *testing.T, r *registry) {
		got := r.mustRun(t, "pdpa", "breach", "--from", "2569-11-16", "--to", "2569-11-16")
		if !strings.HasPrefix(got.out, "\ufeff") || !strings.Contains(got.out, "88-004217") ||
			!strings.Contains(got.out, "0617788990") || !strings.Contains(got.out, "16/11/2569 09:00") {
			t.Errorf("says %s", got.out)
		}
		if !strings.Contains(got.errors, "4 people by name; 0 exports") {
			t.Errorf("says %s", got.errors)
		}
		if got := r.mustRun(t, "pdpa", "breach", "--from", "2026-11-16T09:01", "--to",
			"2026-11-17"); strings.Contains(got.out, "88-004217") {
			t.Errorf("afterwards: %s", got.out)
		}
		for _, wrong := range [][]string{
			{"--from", "16/11/2569", "--to", "2026-11-17"}, {"--from", "2026-11-16"},
			{"--from", "2026-11-16", "--to", "2026-11-17", "--user", "nobody"},
		} {
			if got := r.run(t, "", append([]string{"pdpa", "breach"}, wrong...)...); got.code == 0 {
				t.Errorf("%v: %s", wrong, got.out)
			}
		}
		if !strings.Contains(r.mustRun(t, "verify").out, "0 faults") {
			t.Error("verify finds faults")
		}
	})
}

// uploads returns the stored result files.
func (r *registry) uploads(t *testing.T) []string {
	t.Helper()
	list, err := fs.Glob(os.DirFS(filepath.Join(valueOf(r.environ, "NADMOR_DATA"), "files", "results")), "*.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// restored restores an archive in another place.
func (r *registry) restored(t *testing.T, archive string, args ...string) (*registry, result) {
	t.Helper()
	engine := "sqlite"
	if valueOf(r.environ, "NADMOR_DATABASE_URL") != "" {
		engine = "postgres"
	}
	other := &registry{environ: append(emptyPlace(t, engine), "NADMOR_SECRET="+secret), clock: r.clock, person: r.person}
	output := other.mustRun(t, append([]string{"restore", archive}, args...)...)
	return other, output
}

// holds reports whether a value is in the rows of an archive.
func holds(t *testing.T, archive, value string) bool {
	t.Helper()
	return slices.ContainsFunc(members(t, archive), func(m member) bool { return strings.Contains(string(m.body), value) })
}

func TestPDPAAnonymise(t *testing.T) {
	t.Parallel()
	eachRegistry(t, func(t *testing.T, r *registry) {
		const reason = "--reason=คำขอเลขที่ 12/2569 พ้นกำหนดเก็บ"
		old := backUp(t, r.environ)
		if !holds(t, old, "กัญญาวีร์") {
			t.Fatal("the backup does not hold the person")
		}
		for name, c := range map[string]struct {
			typed string
			args  []string
			want  string
		}{
			"no reason":  {"88-004217\n", []string{"88-004217"}, "--reason is needed"},
			"nobody":     {"", []string{"99-1", reason}, "no patient has this number"},
			"no patient": {"", []string{reason}, "give a patient"},
			"other HN":   {"88-004218\n", []string{"88-004217", reason}, "that is not the HN"},
			"nothing":    {"", []string{"88-004217", reason}, "that is not the HN"},
			"no list":    {"", []string{"--again", filepath.Join(t.TempDir(), "list")}, "read the list"},
		} {
			if got := r.run(t, c.typed, append([]string{"pdpa", "anonymise"}, c.args...)...); got.code == 0 ||
				!strings.Contains(got.errors, c.want) {
				t.Errorf("%s: %d %s", name, got.code, got.errors)
			}
		}
		if got := r.mustRun(t, "pdpa", "anonymise", "88-004217", "--dry-run"); !strings.Contains(got.errors,
			"texts of 4 appointments") || !strings.Contains(got.errors, "2 results, 1 files") ||
			!strings.Contains(got.errors, "มาตรา 33") || !strings.Contains(got.errors, "last visit 2026-11-16") {
			t.Errorf("dry run: %s", got.errors)
		}
		if len(r.uploads(t)) != 1 {
			t.Fatalf("there are %v", r.uploads(t))
		}
		if got := r.run(t, "88004217\n", "pdpa", "anonymise", "88-004217", reason); got.code != 0 ||
			strings.Contains(got.out+got.errors, "กัญญาวีร์") {
			t.Fatalf("%d %s", got.code, got.errors)
		}
		if left := r.uploads(t); len(left) > 0 {
			t.Errorf("files are left: %v", left)
		}
		r.mustRun(t, "verify")
		for _, whom := range []string{"88-004217", "1111111111119", "ZQ7741852"} {
			if got := r.run(t, "", "pdpa", "export", whom, filepath.Join(t.TempDir(), "x")); got.code == 0 {
				t.Errorf("%s is still found", whom)
			}
		}
		// The erasure can be repeated with the placeholder HN.
		if got := r.mustRun(t, "pdpa", "anonymise", "ERASED-1", reason, "--yes"); !strings.Contains(got.errors,
			"was erased before") {
			t.Errorf("again: %s", got.errors)
		}
		log := r.mustRun(t, "pdpa", "access", "id:1").out
		if !strings.Contains(log, "พ้นกำหนดเก็บ") || !strings.Contains(log, "system (dpo)") {
			t.Errorf("the log does not say who and why:\n%s", log)
		}

		// A new backup contains no data of the patient. An old one restores it unless the list of erased patients
		// is found.
		fresh := backUp(t, r.environ)
		for _, value := range r.person.Values {
			if holds(t, fresh, value) && !strings.HasPrefix(value, "results/") { // in the job that deletes the file
				t.Errorf("the new backup has %s", value)
			}
		}
		again, _ := r.restored(t, fresh)
		again.mustRun(t, "verify")
		list := filepath.Join(t.TempDir(), "erased.csv")
		r.mustRun(t, "pdpa", "erased", list)
		b, err := os.ReadFile(list)
		if err != nil || strings.Count(string(b), "\n") != 2 || strings.Contains(string(b), "4217") {
			t.Errorf("the list is %q, %v", b, err)
		}
		back, output := r.restored(t, old)
		if !strings.Contains(output.errors, "--again LIST") {
			t.Errorf("restore says %s", output.errors)
		}
		back.mustRun(t, "pdpa", "access", "88-004217")
		if got := back.mustRun(t, "pdpa", "anonymise", "--again", list, "--dry-run"); !strings.Contains(got.errors,
			"1 were restored and would be") {
			t.Errorf("again, dry: %s", got.errors)
		}
		if got := back.mustRun(t, "pdpa", "anonymise", "--again", list); !strings.Contains(got.errors,
			"1 were restored and were erased again") {
			t.Errorf("again: %s", got.errors)
		}
		if got := back.run(t, "", "pdpa", "access", "88-004217"); got.code == 0 || len(back.uploads(t)) > 0 {
			t.Errorf("still found: %s, %v", got.out, back.uploads(t))
		}
		back.mustRun(t, "verify")
		at, output := r.restored(t, old, "--erased", list)
		if !strings.Contains(output.errors, "1 were restored and were erased again") ||
			at.run(t, "", "pdpa", "access", "88-004217").code == 0 {
			t.Errorf("restore with the list says %s", output.errors)
		}
		at.mustRun(t, "verify")
		if _, err := os.Stat(filepath.Join(valueOf(at.environ, "NADMOR_DATA"), "erased.csv")); err != nil {
			t.Errorf("the list is not kept: %v", err)
		}
		// The list of another installation matches nobody.
		foreign := filepath.Join(t.TempDir(), "foreign.csv")
		if err := os.WriteFile(foreign, []byte("patient_id,erased_at,mark\n2,2026-11-16T00:00:00Z,00\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := r.run(t, "", "pdpa", "anonymise", "--again", foreign); got.code == 0 ||
			!strings.Contains(got.errors, "id:2") {
			t.Errorf("foreign: %d %s", got.code, got.errors)
		}
	})
}

func TestPDPAAnonymiseCancelsAppointments(t *testing.T) {
	t.Parallel()
	eachRegistry(t, func(t *testing.T, r *registry) {
		db := r.open(t)
		storetest.Book(t, db, hospital.WithActor(t.Context(), hospital.System), r.person.Patient,
			storetest.AddService(t, db, "LATER", 1), "2026-11-25", "10:00")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		args := []string{"pdpa", "anonymise", "88-004217", "--reason=คำขอเลขที่ 13/2569", "--yes"}
		if got := r.run(t, "", args...); got.code == 0 || !strings.Contains(got.errors, "1 future appointments") {
			t.Errorf("%d %s", got.code, got.errors)
		}
		if got := r.mustRun(t, append(args, "--cancel-future")...); !strings.Contains(got.errors,
			"1 future appointments are cancelled") {
			t.Errorf("says %s", got.errors)
		}
		r.mustRun(t, "verify")
	})
}
