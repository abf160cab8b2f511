package store

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes every page of a commit into its log with two calls to the
// operating system, a header of 24 bytes and the page: more than forty for a
// booking, a sixth of the time of one. Here they are gathered and written with
// one call, at the latest before the log is synced. Nothing else changes: a
// commit is still in the file and synced before anybody, here or in another
// process, is told of it, and a write that fails fails the commit. That holds with
// synchronous=FULL only: with less SQLite shows a commit without syncing the log,
// and others would look for pages that are not in the file yet.
//
// framesVFS is what the writing connection opens its files with: SQLite's own way,
// but for the log.
const framesVFS = "nadmor-frames"

// framesRoom is how much is gathered, framesAtOnce how much is written with one
// call: SQLite counts what it writes at once with seventeen bits.
const framesRoom, framesAtOnce = 512 << 10, 1<<17 - 1

// frames is a log with what was not written yet.
type frames struct {
	plain  *sqlite3.Tsqlite3_io_methods
	memory []byte // outside of Go's heap
	start  int64  // where in the file it goes
	used   int
}

var (
	framesKnown = sync.OnceValue(registerFrames)
	plainVFS    uintptr

	logs struct {
		sync.RWMutex
		open    map[uintptr]*frames // by SQLite's file
		plain   uintptr             // the methods that are taken the place of
		methods uintptr             // ours
	}
)

// The shapes of functions as SQLite calls them.
type (
	openFunc  func(tls *libc.TLS, vfs, path, file uintptr, flags int32, out uintptr) int32
	moveFunc  func(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 // read or write
	cutFunc   func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc  func(tls *libc.TLS, file uintptr, flags int32) int32
	sizeFunc  func(tls *libc.TLS, file, size uintptr) int32
	tellFunc  func(tls *libc.TLS, file uintptr, op int32, arg uintptr) int32
	closeFunc func(tls *libc.TLS, file uintptr) int32
)

// pointer is a function as SQLite keeps it; function the reverse.
func pointer[F any](f F) uintptr  { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // a function is a pointer to what it is
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }       //nolint:gosec // see pointer

// in is memory of SQLite.
func in[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) } //nolint:gosec // it is not Go's, so it does not move

// registerFrames makes the VFS known to SQLite, once for the process. What SQLite
// is given pointers to lies outside of Go's memory.
func registerFrames() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if plainVFS = sqlite3.Xsqlite3_vfs_find(tls, 0); plainVFS == 0 {
		return errors.New("SQLite has no VFS")
	}
	const vfs, methods, name = 0, 1024, 2048
	memory, err := offHeap(4096)
	if err != nil {
		return err
	}
	copy(memory[name:], framesVFS)
	logs.open, logs.methods = map[uintptr]*frames{}, address(memory[methods:])
	our := in[sqlite3.Tsqlite3_vfs](address(memory[vfs:]))
	*our = *in[sqlite3.Tsqlite3_vfs](plainVFS)
	our.FzName = address(memory[name:])
	our.FxOpen = pointer[openFunc](openFrames)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, address(memory[vfs:]), 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("register the VFS of the log: SQLite says %d", rc)
	}
	return nil
}

func openFrames(tls *libc.TLS, _, path, file uintptr, flags int32, out uintptr) int32 {
	rc := function[openFunc](in[sqlite3.Tsqlite3_vfs](plainVFS).FxOpen)(tls, plainVFS, path, file, flags, out)
	if rc != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_WAL == 0 {
		return rc
	}
	memory, err := offHeap(framesRoom)
	if err != nil {
		return rc // as it was
	}
	f := in[sqlite3.Tsqlite3_file](file)
	logs.Lock()
	defer logs.Unlock()
	plain := in[sqlite3.Tsqlite3_io_methods](f.FpMethods)
	if logs.plain == 0 {
		logs.plain = f.FpMethods
		our := in[sqlite3.Tsqlite3_io_methods](logs.methods)
		*our = *plain
		our.FxClose = pointer[closeFunc](closeLog)
		our.FxRead = pointer[moveFunc](readLog)
		our.FxWrite = pointer[moveFunc](writeLog)
		our.FxTruncate = pointer[cutFunc](truncateLog)
		our.FxSync = pointer[syncFunc](syncLog)
		our.FxFileSize = pointer[sizeFunc](sizeLog)
		our.FxFileControl = pointer[tellFunc](controlLog)
	}
	if logs.plain != f.FpMethods { // another kind of file: as it was
		_ = syscall.Munmap(memory)
		return rc
	}
	logs.open[file] = &frames{plain: plain, memory: memory}
	f.FpMethods = logs.methods
	return rc
}

func framesOf(file uintptr) *frames {
	logs.RLock()
	defer logs.RUnlock()
	return logs.open[file]
}

// flush writes what was gathered. What could not be written is told once and
// given up: SQLite takes the commit back.
func (f *frames) flush(tls *libc.TLS, file uintptr) int32 {
	if f.used == 0 {
		return sqlite3.SQLITE_OK
	}
	all, offset := f.memory[:f.used], f.start
	f.used = 0
	for len(all) > 0 {
		part := all[:min(len(all), framesAtOnce)]
		if rc := function[moveFunc](f.plain.FxWrite)(tls, file, address(part), int32(len(part)), offset); rc != sqlite3.SQLITE_OK {
			return rc
		}
		all, offset = all[len(part):], offset+int64(len(part))
	}
	return sqlite3.SQLITE_OK
}

// flushed does something with the file that has to see all of it.
func flushed(tls *libc.TLS, file uintptr, then func(*sqlite3.Tsqlite3_io_methods) int32) int32 {
	f := framesOf(file)
	if rc := f.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return then(f.plain)
}

func writeLog(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 {
	f := framesOf(file)
	if f.used > 0 && (offset != f.start+int64(f.used) || f.used+int(amount) > len(f.memory)) {
		if rc := f.flush(tls, file); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	if int(amount) > len(f.memory) {
		return function[moveFunc](f.plain.FxWrite)(tls, file, buffer, amount, offset)
	}
	if f.used == 0 {
		f.start = offset
	}
	f.used += copy(f.memory[f.used:], unsafe.Slice(in[byte](buffer), amount)) //nolint:gosec // SQLite says how long it is
	return sqlite3.SQLITE_OK
}

func readLog(tls *libc.TLS, file, buffer uintptr, amount int32, offset int64) int32 {
	return flushed(tls, file, func(m *sqlite3.Tsqlite3_io_methods) int32 {
		return function[moveFunc](m.FxRead)(tls, file, buffer, amount, offset)
	})
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	return flushed(tls, file, func(m *sqlite3.Tsqlite3_io_methods) int32 { return function[cutFunc](m.FxTruncate)(tls, file, size) })
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	return flushed(tls, file, func(m *sqlite3.Tsqlite3_io_methods) int32 { return function[syncFunc](m.FxSync)(tls, file, flags) })
}

func sizeLog(tls *libc.TLS, file, size uintptr) int32 {
	return flushed(tls, file, func(m *sqlite3.Tsqlite3_io_methods) int32 { return function[sizeFunc](m.FxFileSize)(tls, file, size) })
}

func controlLog(tls *libc.TLS, file uintptr, op int32, arg uintptr) int32 {
	return flushed(tls, file, func(m *sqlite3.Tsqlite3_io_methods) int32 {
		return function[tellFunc](m.FxFileControl)(tls, file, op, arg)
	})
}

func closeLog(tls *libc.TLS, file uintptr) int32 {
	f := framesOf(file)
	rc := f.flush(tls, file)
	logs.Lock()
	delete(logs.open, file)
	logs.Unlock()
	_ = syscall.Munmap(f.memory) // nobody knows it any more
	if closed := function[closeFunc](f.plain.FxClose)(tls, file); closed != sqlite3.SQLITE_OK {
		return closed
	}
	return rc
}
