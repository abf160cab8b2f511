package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/files/filestest"
	"nadmor/internal/hospital"
)

func TestMain(m *testing.M) {
	code := m.Run()
	filestest.Stop()
	os.Exit(code)
}

// each runs fn on an empty folder and on an empty bucket of an S3 server.
func each(t *testing.T, fn func(t *testing.T, s files.Store)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		fn(t, disk(t, t.TempDir()))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, filestest.Bucket(t)))
	})
}

func open(t *testing.T, address string) files.Store {
	t.Helper()
	s, err := files.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func disk(t *testing.T, folder string) *files.Disk {
	t.Helper()
	d, err := files.OpenDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// content returns n pseudo-random bytes.
func content(n int) []byte {
	b := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = rng.Read(b)
	return b
}

func put(t *testing.T, s files.Store, key string, body []byte) {
	t.Helper()
	got, err := s.Put(t.Context(), key, bytes.NewReader(body), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	if want := (files.Stored{Size: int64(len(body)), SHA256: hex.EncodeToString(sum[:])}); got != want {
		t.Errorf("put %+v, want %+v", got, want)
	}
}

func read(t *testing.T, s files.Store, key string) []byte {
	t.Helper()
	f, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keys(t *testing.T, s files.Store, kind files.Kind) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for info, err := range s.List(t.Context(), kind) {
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(info.ModTime).Abs() > time.Hour {
			t.Errorf("%s was written at %v", info.Key, info.ModTime)
		}
		all[info.Key] = info.Size
	}
	return all
}

func missing(t *testing.T, s files.Store, key string) {
	t.Helper()
	if f, err := s.Open(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v %v, want that it does not exist", key, f, err)
	}
}

func TestPutAndReadRanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		// Around the size of a part, and several parts.
		for _, n := range []int{0, 1, 5<<20 - 1, 5 << 20, 5<<20 + 1, 21 << 20} {
			key, body := files.NewKey(files.Results, ".pdf"), content(n)
			put(t, s, key, body)
			if !bytes.Equal(read(t, s, key), body) {
				t.Fatalf("%d bytes came back different", n)
			}
			f, err := s.Open(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if f.Size != int64(n) || f.Key != key || time.Since(f.ModTime).Abs() > time.Hour {
				t.Errorf("opened %+v", f.Info)
			}
			for _, from := range []int{n / 2, n - min(n, 10), 0} {
				if _, err := f.Seek(int64(from), io.SeekStart); err != nil {
					t.Fatal(err)
				}
				part := make([]byte, min(7, n-from))
				if _, err := io.ReadFull(f, part); err != nil || !bytes.Equal(part, body[from:from+len(part)]) {
					t.Errorf("%d bytes at %d of %d are different: %v", len(part), from, n, err)
				}
			}
			if end, err := f.Seek(0, io.SeekEnd); err != nil || end != int64(n) {
				t.Errorf("the end is at %d of %d: %v", end, n, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestListByKind(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		if got := keys(t, s, files.Media); len(got) != 0 {
			t.Fatalf("an empty store lists %v", got)
		}
		logo, scan := files.NewKey(files.Media, ".png"), files.NewKey(files.Results, ".pdf")
		put(t, s, logo, content(3))
		put(t, s, scan, content(4))
		if got := keys(t, s, files.Media); len(got) != 1 || got[logo] != 3 {
			t.Errorf("media are %v", got)
		}
		if got := keys(t, s, files.Results); len(got) != 1 || got[scan] != 4 {
			t.Errorf("results are %v", got)
		}
		for range 3 { // repeated deletion is not an error
			if err := s.Delete(t.Context(), logo); err != nil {
				t.Error(err)
			}
			missing(t, s, logo)
		}
		if got := keys(t, s, files.Media); len(got) != 0 {
			t.Errorf("after deletion media are %v", got)
		}
		read(t, s, scan)
	})
}

func TestInvalidKeysAreRejected(t *testing.T) {
	t.Parallel()
	name := strings.TrimPrefix(files.NewKey(files.Media, ""), "media/")
	each(t, func(t *testing.T, s files.Store) {
		for _, key := range []string{
			"", "media", "media/", "/media/" + name, "media/../" + name, "../media/" + name, "media/" + name + "/..",
			"media//" + name, "./media/" + name,
			"media/" + name + "\x00.png", "media/" + name + ".png\n", "media/" + strings.ToUpper(name), "media/" + name + ".",
			"media/.." + name, "media/." + name,
			"media/" + name + ".tar.gz", "media/ก" + name, `media\` + name, "media/%2e%2e" + name, "/etc/passwd",
			".partial/" + name, "media/short.png",
		} {
			if _, err := s.Put(t.Context(), key, strings.NewReader("x"), 10); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("put %q: %v", key, err)
			}
			if _, err := s.Open(t.Context(), key); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("open %q: %v", key, err)
			}
			if err := s.Delete(t.Context(), key); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("delete %q: %v", key, err)
			}
		}
		missing(t, s, "media/"+name)
	})
}

func TestPutSizeLimit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		for _, limit := range []int{0, 10, 6 << 20} {
			key := files.NewKey(files.Results, ".pdf")
			if _, err := s.Put(t.Context(), key, bytes.NewReader(content(limit)), int64(limit)); err != nil {
				t.Errorf("exactly %d bytes: %v", limit, err)
			}
			key = files.NewKey(files.Results, ".pdf")
			_, err := s.Put(t.Context(), key, io.MultiReader(bytes.NewReader(content(limit)), &endless{t: t, left: 1 << 20}),
				int64(limit))
			var rejected *hospital.Error
			if !errors.As(err, &rejected) || rejected.Code != hospital.TooLarge || rejected.Details["maxBytes"] != int64(limit) {
				t.Errorf("more than %d bytes: %v", limit, err)
			}
			missing(t, s, key)
		}
	})
}

// endless fails the test if too much of it is read.
type endless struct {
	t    *testing.T
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left -= len(p); e.left < 0 && len(p) < 1<<20 {
		e.t.Error("it was read far beyond the limit")
		return 0, io.EOF
	}
	return len(p), nil
}

var errTorn = errors.New("the line is torn")

func TestInterruptedPut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		for _, n := range []int{0, 100, 6 << 20} {
			key := files.NewKey(files.Results, ".pdf")
			if _, err := s.Put(t.Context(), key, io.MultiReader(bytes.NewReader(content(n)), iotest.ErrReader(errTorn)),
				1<<30); !errors.Is(err, errTorn) {
				t.Errorf("after %d bytes: %v", n, err)
			}
			missing(t, s, key)
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.Put(ctx, key,
				io.MultiReader(bytes.NewReader(content(n)), leaving{cancel}, bytes.NewReader(content(n+1))), 1<<30)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("caller gone after %d bytes: %v", n, err)
			}
			missing(t, s, key)
		}
		if got := keys(t, s, files.Results); len(got) != 0 {
			t.Errorf("there is %v", got)
		}
	})
}

// leaving cancels a context when it is read.
type leaving struct{ cancel context.CancelFunc }

func (l leaving) Read([]byte) (int, error) {
	l.cancel()
	return 0, io.EOF
}

func TestConcurrentPuts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() {
				key, body := files.NewKey(files.Results, ".pdf"), content(100_000+i)
				put(t, s, key, body)
				if !bytes.Equal(read(t, s, key), body) {
					t.Errorf("file %d is another's", i)
				}
				if i%3 == 0 {
					if err := s.Delete(t.Context(), key); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if got := keys(t, s, files.Results); len(got) != 16 {
			t.Errorf("%d files, want 16", len(got))
		}
	})
}

// Concurrent writers of one key do not mix: one of them wins.
func TestConcurrentPutsOfOneKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		key := files.NewKey(files.Results, ".pdf")
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { put(t, s, key, bytes.Repeat([]byte{byte('a' + i)}, 200_000)) })
		}
		all.Wait()
		got := read(t, s, key)
		if len(got) != 200_000 || !bytes.Equal(got, bytes.Repeat(got[:1], len(got))) {
			t.Errorf("%d bytes, from %q to %q", len(got), got[0], got[len(got)-1])
		}
	})
}

func TestReady(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		if err := s.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Files of interrupted uploads are deleted, those of running ones are not.
func TestTidy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s files.Store) {
		key := files.NewKey(files.Results, ".pdf")
		put(t, s, key, content(10))
		reading, writing := io.Pipe()
		done := make(chan error)
		slow := files.NewKey(files.Results, ".pdf")
		go func() {
			_, err := s.Put(context.Background(), slow, reading, 1<<30)
			done <- err
		}()
		if _, err := writing.Write(content(6 << 20)); err != nil { // more than a part, so the upload has started
			t.Fatal(err)
		}
		if err := s.Tidy(t.Context(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		_ = writing.Close()
		if err := <-done; err != nil {
			t.Errorf("an upload in progress was tidied away: %v", err)
		}
		read(t, s, key)
		read(t, s, slow)
	})
}

func TestTidyOnDisk(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := disk(t, folder)
	left := filepath.Join(folder, ".partial", "LEFTBYACRASH")
	if err := os.WriteFile(left, content(10), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, d, files.Media); len(got) != 0 {
		t.Errorf("half a file is listed: %v", got)
	}
	if err := d.Tidy(t.Context(), time.Now().Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// Links that were placed in the folder are not followed.
func TestDiskIgnoresSymlinks(t *testing.T) {
	t.Parallel()
	outside, folder := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := disk(t, folder)
	inside := files.NewKey(files.Results, ".pdf")
	put(t, d, inside, []byte("a patient's"))
	put(t, d, files.NewKey(files.Media, ".png"), content(1)) // creates the folder
	for _, target := range []string{secret, "../../secret", "../" + inside, filepath.Join(folder, inside)} {
		key := files.NewKey(files.Media, ".png")
		if err := os.Symlink(target, filepath.Join(folder, key)); err != nil {
			t.Fatal(err)
		}
		missing(t, d, key)
		if _, listed := keys(t, d, files.Media)[key]; listed {
			t.Errorf("a link to %s is listed", target)
		}
	}
	// A link to a folder outside.
	if err := os.Symlink(outside, filepath.Join(folder, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	key := files.NewKey("elsewhere", ".txt")
	if _, err := d.Put(t.Context(), key, strings.NewReader("x"), 10); err == nil {
		t.Error("a file was written outside")
	}
	if list, _ := os.ReadDir(outside); len(list) != 1 {
		t.Errorf("outside are %v", list)
	}
	if list, _ := os.ReadDir(filepath.Join(folder, ".partial")); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

func TestDiskFilePermissions(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data", "files")
	d := disk(t, folder)
	key := files.NewKey(files.Results, ".pdf")
	put(t, d, key, content(10))
	for path, want := range map[string]fs.FileMode{
		folder: 0o700 | fs.ModeDir, filepath.Join(folder, "results"): 0o700 | fs.ModeDir, filepath.Join(folder, key): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
	if os.Getuid() != 0 { // root can write everywhere
		if err := os.Chmod(filepath.Join(folder, ".partial"), 0o500); err != nil {
			t.Fatal(err)
		}
		if err := d.Ready(t.Context()); err == nil {
			t.Error("ready on a disk that cannot be written")
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := d.Ready(t.Context()); err == nil {
		t.Error("ready without a folder")
	}
}

// Storing and reading a file of any size uses little memory.
func TestPutMemory(t *testing.T) {
	each(t, func(t *testing.T, s files.Store) {
		const size = 64 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		key := files.NewKey(files.Results, ".pdf")
		if _, err := s.Put(t.Context(), key, io.LimitReader(rand.NewChaCha8([32]byte{}), size), size); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > size/2 {
			t.Errorf("%d MB were allocated for a file of %d MB", taken>>20, size>>20)
		}
	})
}

func TestS3URLs(t *testing.T) {
	t.Parallel()
	good := filestest.Bucket(t)
	for name, address := range map[string]string{
		"another scheme":   "https://key:hidden@127.0.0.1/bucket",
		"no secret":        "s3://key@127.0.0.1/bucket",
		"no bucket":        "s3://key:hidden@127.0.0.1/?tls=off",
		"no host":          "s3://key:hidden@/bucket",
		"not an address":   "s3://key:hid/den@127.0.0.1/bucket%",
		"unknown option":   good + "&hidden=1",
		"another bucket":   strings.Replace(good, "?", "-not-there?", 1),
		"a wrong secret":   strings.Replace(good, ":"+filestest.Secret+"@", ":hidden@", 1),
		"nobody listening": "s3://key:hidden@127.0.0.1:1/bucket?tls=off",
	} {
		s, err := files.Open(t.Context(), address, t.TempDir())
		if err == nil {
			t.Errorf("%s: opened %T", name, s)
		} else if name != "unknown option" && strings.Contains(err.Error(), "hid") {
			t.Errorf("%s: the secret is in %q", name, err)
		}
	}
	// Two installations in one bucket are separate.
	a, b := open(t, strings.Replace(good, "?", "/hospital/a?", 1)), open(t, strings.Replace(good, "?", "/hospital/b?", 1))
	key := files.NewKey(files.Media, ".png")
	put(t, a, key, content(5))
	missing(t, b, key)
	if got := keys(t, a, files.Media); fmt.Sprint(got) != fmt.Sprint(map[string]int64{key: 5}) {
		t.Errorf("listed %v", got)
	}
	if got := keys(t, b, files.Media); len(got) != 0 {
		t.Errorf("listed %v", got)
	}
}
