package command_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// backUp makes an archive and returns its path.
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

// members reads the members of an archive; archiveOf writes them.
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

// rowsOf returns the sorted rows of each table in an archive, and its files with their checksums.
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

// inFirst replaces a text in the first member that contains it.
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

// forged updates the checksums like an attacker who knows the format but not the key.
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
