package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// writeAtomic writes a file atomically: fn writes to a temporary file that is then renamed. Existing files are
// not overwritten. The name - is standard output.
func (a *app) writeAtomic(name string, fn func(io.Writer) error) (size int64, err error) {
	if name == "-" {
		out := &counted{w: a.Stdout}
		buffered := bufio.NewWriterSize(out, 1<<20)
		err := fn(buffered)
		return out.n, errors.Join(err, buffered.Flush())
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return 0, errors.Join(fmt.Errorf("%s exists already: files are not overwritten, give another name", name), err)
	}
	temporary := name + ".partial"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE, 0o600) //nolint:gosec // beside the file that was asked for
	if err != nil {
		return 0, fmt.Errorf("write the file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, fmt.Errorf("%s is being written by another process", temporary)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary)
		}
	}()
	out := &counted{w: f}
	buffered := bufio.NewWriterSize(out, 1<<20)
	err = errors.Join(f.Chmod(0o600), f.Truncate(0)) // may be left over from a killed process
	if err == nil {
		err = fn(buffered)
	}
	if err == nil {
		err = errors.Join(buffered.Flush(), f.Sync())
	}
	if err != nil {
		return 0, err
	}
	if err := os.Link(temporary, name); err != nil { // unlike rename, link does not overwrite
		if errors.Is(err, fs.ErrExist) {
			return 0, fmt.Errorf("%s was created meanwhile: files are not overwritten", name)
		}
		if err := os.Rename(temporary, name); err != nil { // the file system has no hard links
			return 0, fmt.Errorf("store the file: %w", err)
		}
	} else if err := os.Remove(temporary); err != nil {
		return 0, fmt.Errorf("store the file: %w", err)
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return 0, fmt.Errorf("store the file: %w", err)
	}
	return out.n, errors.Join(folder.Sync(), folder.Close())
}

// counted counts the bytes written.
type counted struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
