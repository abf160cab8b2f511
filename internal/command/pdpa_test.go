package command_test

import (
	"archive/zip"
	"bytes"
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
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// registry is an installation with a person about whom everything is kept.
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
			r := &registry{environ: append(emptyPlace(t, engine), "NADMOR_SECRET="+secret, "USER=dpo"), clock: storetest.NewClock()}
			db := r.open(t)
			uploads, err := files.OpenDisk(filepath.Join(valueOf(r.environ, "NADMOR_DATA"), "files"))
			if err != nil {
				t.Fatal(err)
			}
			defer uploads.Close() //nolint:errcheck // a test
			key := files.NewKey(files.Results, ".pdf")
			kept, err := uploads.Put(t.Context(), key, strings.NewReader(scanned), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			r.person = storetest.AddPerson(t, db, storetest.SetUp(t, db), &hospital.StoredFile{
				Key: key, ResultFile: hospital.ResultFile{Name: "ผลเลือดกัญญา.pdf", ContentType: "application/pdf", Size: kept.Size, SHA256: kept.SHA256},
			})
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			fn(t, r)
		})
	}
}

// open opens the database; the caller closes it.
func (r *registry) open(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{
		URL: valueOf(r.environ, "NADMOR_DATABASE_URL"), DataDir: valueOf(r.environ, "NADMOR_DATA"), AuditKey: auth.DeriveKey(secret, "audit"), Now: r.clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// run runs a command on the day of the clock; typed is what somebody types.
func (r *registry) run(t *testing.T, typed string, args ...string) result {
	t.Helper()
	var out, errs output
	code := command.Run(t.Context(), command.Env{
		Args: args, Environ: r.environ, Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &errs, Version: "v1-test", Now: r.clock.Now, Hasher: hasher,
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

// unzip reads an archive.
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

// paths are the fields of a JSON value, by their path; what is in maps whose keys
// are data is not looked into.
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

func TestWhoAsksForTheirDataGetsAllOfIt(t *testing.T) {
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
		if !slices.Equal(names, []string{"access-log.csv", "data.json", "files/001-ผลเลือดกัญญา.pdf", "record.html"}) || archive[names[2]] != scanned {
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
		// What people know of themselves is in both; keys of the file store in none.
		for _, value := range r.person.Values {
			if value == "4217" || strings.HasPrefix(value, "results/") || value == "1987-03-29" {
				continue
			}
			for _, name := range []string{"data.json", "record.html"} {
				former := value == "เดิมสกุลวงศ์" || value == "0898877665" // only the log has them
				if !strings.Contains(archive[name], value) && (name == "data.json" || !former) {
					t.Errorf("%s does not have %s", name, value)
				}
			}
		}
		for _, other := range []string{"ธนดลน้อง", "0850000111"} {
			if strings.Contains(archive["data.json"]+archive["record.html"]+archive["access-log.csv"], other) {
				t.Errorf("somebody else's data: %s", other)
			}
		}
		for _, text := range []string{"29/03/2530", "แม่สายพิณ", "ดูเลขประจำตัวประชาชน", "16 พ.ย. 2569", "ไม่มาตามนัด", "ผลแล็บ", `href="files/001-`} {
			if !strings.Contains(archive["record.html"], text) {
				t.Errorf("the document does not say %s", text)
			}
		}
		if strings.Contains(archive["data.json"], "results/") {
			t.Error("a key of the file store is in the archive")
		}

		// Nothing is overwritten, and the one refused is not in the log.
		if again := r.run(t, "", "pdpa", "export", "88-004217", file); again.code == 0 || !strings.Contains(again.errors, "nothing is overwritten") {
			t.Errorf("again: %d %s", again.code, again.errors)
		}
		if nobody := r.run(t, "", "pdpa", "export", "99-1", filepath.Join(t.TempDir(), "x")); nobody.code == 0 || !strings.Contains(nobody.errors, "nobody has this number") {
			t.Errorf("nobody: %d %s", nobody.code, nobody.errors)
		}
		log := r.mustRun(t, "pdpa", "access", "1111111111119").out
		if strings.Count(log, "pdpa.export") != 1 || !strings.Contains(log, "system (dpo)") || !strings.Contains(log, "ผู้ดูแลระบบ") || !strings.Contains(log, "นามสกุล") {
			t.Errorf("the access log is\n%s", log)
		}

		// A file that is gone is told, and the rest is there.
		uploads := filepath.Join(valueOf(r.environ, "NADMOR_DATA"), "files", "results")
		entries, err := fs.Glob(os.DirFS(uploads), "*.pdf")
		if err != nil || len(entries) != 1 {
			t.Fatalf("%v, %v", entries, err)
		}
		if err := os.Remove(filepath.Join(uploads, entries[0])); err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(t.TempDir(), "lacking.zip")
		if lacking := r.run(t, "", "pdpa", "export", "88-004217", file); lacking.code == 0 || !strings.Contains(lacking.errors, "1 files were missing") {
			t.Errorf("lacking: %d %s", lacking.code, lacking.errors)
		}
		if archive := unzip(t, file); !strings.Contains(archive["record.html"], "ไม่พบแฟ้มในระบบ") || !strings.Contains(archive["data.json"], `"missing": true`) {
			t.Error("the archive does not say that a file is missing")
		}
	})
}

func TestABreachIsReportedFromTheAuditLog(t *testing.T) {
	t.Parallel()
	eachRegistry(t, func(t *testing.T, r *registry) {
		got := r.mustRun(t, "pdpa", "breach", "--from", "2569-11-16", "--to", "2569-11-16")
		if !strings.HasPrefix(got.out, "\ufeff") || !strings.Contains(got.out, "88-004217") || !strings.Contains(got.out, "0617788990") || !strings.Contains(got.out, "16/11/2569 09:00") {
			t.Errorf("says %s", got.out)
		}
		if !strings.Contains(got.errors, "4 people by name; 0 exports") {
			t.Errorf("says %s", got.errors)
		}
		if got := r.mustRun(t, "pdpa", "breach", "--from", "2026-11-16T09:01", "--to", "2026-11-17"); strings.Contains(got.out, "88-004217") {
			t.Errorf("afterwards: %s", got.out)
		}
		for _, wrong := range [][]string{{"--from", "16/11/2569", "--to", "2026-11-17"}, {"--from", "2026-11-16"}, {"--from", "2026-11-16", "--to", "2026-11-17", "--user", "nobody"}} {
			if got := r.run(t, "", append([]string{"pdpa", "breach"}, wrong...)...); got.code == 0 {
				t.Errorf("%v: %s", wrong, got.out)
			}
		}
		if !bytes.Contains([]byte(r.mustRun(t, "verify").out), []byte("0 faults")) {
			t.Error("verify finds faults")
		}
	})
}
