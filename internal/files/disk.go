package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"time"
)

// partial is the folder of uploads in progress. No key begins with a dot.
const partial = ".partial"

// Disk stores files in a folder. All access goes through an os.Root, so that no path or symbolic link leads
// out of it.
type Disk struct{ root *os.Root }

// OpenDisk opens a folder and creates it if it does not exist.
func OpenDisk(folder string) (*Disk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("create the file folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the file folder: %w", err)
	}
	d := &Disk{root}
	if err := d.mkdir(partial); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Close closes the folder. Open files stay open.
func (d *Disk) Close() error { return d.root.Close() }

// mkdir creates a folder durably.
func (d *Disk) mkdir(name string) error {
	err := d.root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = d.sync(".")
	}
	if err != nil {
		return fmt.Errorf("create the file folder: %w", err)
	}
	return nil
}

// sync writes the entries of a folder to disk.
func (d *Disk) sync(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Put writes to a temporary file, syncs it and renames it.
func (d *Disk) Put(ctx context.Context, key string, r io.Reader, limit int64) (stored Stored, err error) {
	if err := checkKey(key); err != nil {
		return stored, err
	}
	temporary := path.Join(partial, rand.Text())
	f, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return stored, fmt.Errorf("begin file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(temporary) // Tidy deletes it otherwise
		}
	}()
	in := newMeasure(ctx, r, limit)
	_, err = io.Copy(f, in)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return stored, fmt.Errorf("write file: %w", err)
	}
	if err := d.mkdir(path.Dir(key)); err != nil {
		return stored, err
	}
	if err := d.root.Rename(temporary, key); err != nil {
		return stored, fmt.Errorf("store file: %w", err)
	}
	if err := d.sync(path.Dir(key)); err != nil {
		return stored, fmt.Errorf("store file: %w", err)
	}
	return in.result(), nil
}

// Open opens a file. Symbolic links are not followed.
func (d *Disk) Open(_ context.Context, key string) (*File, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(key)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("find file: %w", err)
	}
	f, err := d.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	return &File{f, Info{key, info.Size(), info.ModTime()}}, nil
}

// Delete deletes a file. It is not an error if the file does not exist.
func (d *Disk) Delete(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := d.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// List yields the files of a kind.
func (d *Disk) List(ctx context.Context, kind Kind) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for info, err := range d.entries(ctx, string(kind)) {
			if err == nil && checkKey(info.Key) != nil {
				continue // not ours
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// entries yields the regular files of a folder, read in batches.
func (d *Disk) entries(ctx context.Context, folder string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		f, err := d.root.Open(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Info{}, fmt.Errorf("list files: %w", err))
			return
		}
		defer f.Close() //nolint:errcheck // only read
		for {
			list, err := f.ReadDir(500)
			for _, e := range list {
				info, err := e.Info()
				if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
					continue // deleted meanwhile, or not ours
				}
				if err = errors.Join(err, ctx.Err()); err != nil {
					yield(Info{}, fmt.Errorf("list files: %w", err))
					return
				}
				if !yield(Info{path.Join(folder, e.Name()), info.Size(), info.ModTime()}, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Info{}, fmt.Errorf("list files: %w", err))
				return
			}
		}
	}
}

// Tidy deletes files that a crash during Put left.
func (d *Disk) Tidy(ctx context.Context, before time.Time) error {
	for info, err := range d.entries(ctx, partial) {
		if err != nil {
			return err
		}
		if info.ModTime.Before(before) {
			if err := d.root.Remove(info.Key); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("tidy files: %w", err)
			}
		}
	}
	return nil
}

// Ready writes a file, because only that shows a full or read-only disk.
func (d *Disk) Ready(context.Context) error {
	name := path.Join(partial, rand.Text())
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write to the file folder: %w", err)
	}
	_, err = f.WriteString("ready")
	return errors.Join(err, f.Close(), d.root.Remove(name))
}
