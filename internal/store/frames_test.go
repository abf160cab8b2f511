package store

import (
	"bytes"
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// piece is what was written with one call.
type piece struct {
	offset int64
	text   string
}

// kept are functions that only SQLite's structs point to.
var kept []any

// log is a file of SQLite whose writes are gathered, and what reached it.
func log(t *testing.T) (tls *libc.TLS, file uintptr, put func(offset int64, text string) int32, reached *[]piece, refuse *int32) {
	t.Helper()
	reached, refuse = new([]piece), new(int32)
	tls = libc.NewTLS()
	t.Cleanup(tls.Close)
	write := moveFunc(func(_ *libc.TLS, _, buffer uintptr, amount int32, offset int64) int32 {
		if *refuse == sqlite3.SQLITE_OK {
			*reached = append(*reached, piece{offset, string(unsafe.Slice(in[byte](buffer), amount))})
		}
		return *refuse
	})
	kept = append(kept, write)
	plain := &sqlite3.Tsqlite3_io_methods{
		FxWrite:    pointer(write),
		FxRead:     pointer[moveFunc](func(*libc.TLS, uintptr, uintptr, int32, int64) int32 { return sqlite3.SQLITE_OK }),
		FxSync:     pointer[syncFunc](func(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_OK }),
		FxFileSize: pointer[sizeFunc](func(*libc.TLS, uintptr, uintptr) int32 { return sqlite3.SQLITE_OK }),
		FxTruncate: pointer[cutFunc](func(*libc.TLS, uintptr, int64) int32 { return sqlite3.SQLITE_OK }),
		FxClose:    pointer[closeFunc](func(*libc.TLS, uintptr) int32 { return sqlite3.SQLITE_OK }),
	}
	memory, err := offHeap(framesRoom)
	if err != nil {
		t.Fatal(err)
	}
	if err := framesKnown(); err != nil {
		t.Fatal(err)
	}
	file = uintptr(unsafe.Pointer(plain)) // any number that nobody else has
	logs.Lock()
	logs.open[file] = &frames{plain: plain, memory: memory}
	logs.Unlock()
	t.Cleanup(func() { closeLog(tls, file) })
	text, err := offHeap(2 * framesRoom)
	if err != nil {
		t.Fatal(err)
	}
	put = func(offset int64, s string) int32 {
		return writeLog(tls, file, address(text), int32(copy(text, s)), offset)
	}
	return tls, file, put, reached, refuse
}

func TestFramesThatFollowEachOtherAreOneWrite(t *testing.T) {
	tls, file, put, reached, _ := log(t)
	put(32, "head")
	put(36, "page")
	put(40, "head")
	if len(*reached) != 0 {
		t.Fatalf("written before anybody asked: %v", *reached)
	}
	syncLog(tls, file, 2)
	put(100, "elsewhere")
	put(32, "again") // not after it
	readLog(tls, file, 0, 0, 0)
	put(37, "cut off")
	truncateLog(tls, file, 32)
	put(32, "sized")
	sizeLog(tls, file, 0)
	syncLog(tls, file, 2) // nothing is left
	want := []piece{{32, "headpagehead"}, {100, "elsewhere"}, {32, "again"}, {37, "cut off"}, {32, "sized"}}
	if !slices.Equal(*reached, want) {
		t.Fatalf("written %v, want %v", *reached, want)
	}
}

func TestACommitLargerThanTheRoomIsWrittenWhole(t *testing.T) {
	tls, file, put, reached, _ := log(t)
	var all []byte
	for n := range 300 { // frames of 4,120 bytes: two and a half times the room
		frame := bytes.Repeat([]byte{byte(n)}, 4120)
		if rc := put(32+int64(len(all)), string(frame)); rc != sqlite3.SQLITE_OK {
			t.Fatal(rc)
		}
		all = append(all, frame...)
	}
	huge := bytes.Repeat([]byte("x"), framesRoom+1)
	put(32+int64(len(all)), string(huge))
	syncLog(tls, file, 2)
	var got []byte
	for _, p := range *reached {
		if p.offset != 32+int64(len(got)) {
			t.Fatalf("%d bytes at %d, want them at %d", len(p.text), p.offset, 32+len(got))
		}
		got = append(got, p.text...)
	}
	if !bytes.Equal(got, append(all, huge...)) {
		t.Fatal("other bytes were written")
	}
}

func TestAWriteThatFailsIsToldBeforeTheLogIsSynced(t *testing.T) {
	tls, file, put, reached, refuse := log(t)
	put(32, "page")
	*refuse = sqlite3.SQLITE_FULL
	if rc := syncLog(tls, file, 2); rc != sqlite3.SQLITE_FULL {
		t.Fatalf("the sync says %d", rc)
	}
	*refuse = sqlite3.SQLITE_OK
	put(32, "anew") // SQLite writes from where the last commit ended
	if rc := syncLog(tls, file, 2); rc != sqlite3.SQLITE_OK || !slices.Equal(*reached, []piece{{32, "anew"}}) {
		t.Fatalf("the next sync says %d, written %v", rc, *reached)
	}
}

// A commit is in the file, for whoever opens it in SQLite's own way, before the
// writer is told of it; also one that does not fit into the writer's cache.
func TestACommitIsInTheLogWhenItIsDone(t *testing.T) {
	if err := framesKnown(); err != nil {
		t.Fatal(err)
	}
	path := "file:" + filepath.Join(t.TempDir(), "x.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(20)"
	open := func(source string) *sql.DB {
		db, err := sql.Open("sqlite", source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		db.SetMaxOpenConns(1)
		return db
	}
	writer, reader := open(path+"&vfs="+framesVFS), open(path)
	if _, err := writer.Exec(`CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)`); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		tx, err := writer.BeginTx(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(`WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 99) INSERT INTO t SELECT $1 * 100 + n, hex(randomblob(500 + 100 * (n % 30))) FROM c`, n); err != nil {
			t.Fatal(err)
		}
		if n%5 == 4 { // what spilled into the log is not there
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		var rows, first int
		var state string
		if err := reader.QueryRow(`SELECT count(*), max(n) / 100 FROM t`).Scan(&rows, &first); err != nil {
			t.Fatal(err)
		}
		if err := reader.QueryRow(`PRAGMA quick_check`).Scan(&state); err != nil {
			t.Fatal(err)
		}
		if want := (n + 1 - (n+1)/5) * 100; rows != want || first != n || state != "ok" {
			t.Fatalf("after commit %d: %d rows, want %d; the last is of %d; %s", n, rows, want, first, state)
		}
	}
}
