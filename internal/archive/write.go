package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/klauspost/compress/zstd"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Source is the content of an archive.
type Source struct {
	DB      *store.DB
	Files   files.Store
	Secret  string // the installation's key
	WithKey bool   // whether the archive contains it
	Product string // version of the program
}

// Write writes an archive of a snapshot of the database, which it opens first, and of the files that the
// snapshot refers to.
func Write(ctx context.Context, out io.Writer, from Source, progress Progress) (h Header, m Manifest, err error) {
	rows, err := openSnapshot(ctx, from.DB)
	if err != nil {
		return h, m, err
	}
	defer func() { err = errors.Join(err, rows.close()) }()
	h = Header{
		Format: format, FormatVersion: formatVersion, Product: from.Product, Engine: from.DB.Engine(),
		Migration: rows.migration, MadeAt: from.DB.Now(), Tables: rows.tables, KeyID: KeyID(from.Secret),
	}
	if from.WithKey {
		h.Key = from.Secret
	}
	compressed, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	if err != nil {
		return h, m, fmt.Errorf("compress: %w", err)
	}
	w := &writer{ctx: ctx, tar: tar.NewWriter(compressed), from: from, rows: rows, at: h.MadeAt, progress: progress}
	err = w.all(h)
	if err == nil {
		err = w.tar.Close()
	}
	return h, w.manifest, errors.Join(err, compressed.Close())
}

type writer struct {
	ctx      context.Context
	tar      *tar.Writer
	from     Source
	rows     *snapshot
	at       time.Time
	progress Progress
	manifest Manifest
	sums     bytes.Buffer // of the members since the last flush
}

func (w *writer) all(h Header) (err error) {
	if err := w.writeMember(headerName, asJSON(h)); err != nil {
		return err
	}
	for _, t := range h.Tables {
		if err := w.table(t); err != nil {
			return fmt.Errorf("back up %s: %w", t.Name, err)
		}
	}
	if w.manifest.LastIDs, err = w.rows.lastIDs(w.ctx); err != nil {
		return fmt.Errorf("back up numbers: %w", err)
	}
	if err := w.rows.eachFile(w.ctx, w.file); err != nil {
		return err
	}
	w.progress("files", w.manifest.Files, w.manifest.FileBytes)
	if err := w.flushSums(); err != nil {
		return err
	}
	w.manifest.Seal = w.manifest.seal(w.from.Secret)
	manifest := asJSON(w.manifest)
	return w.member(manifestName, bytes.NewReader(manifest), int64(len(manifest)), io.Discard)
}

// member writes a member, and copies its content to also.
func (w *writer) member(name string, r io.Reader, size int64, also io.Writer) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at}
	if err := w.tar.WriteHeader(h); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	n, err := io.Copy(io.MultiWriter(w.tar, also), io.LimitReader(r, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF // the file was truncated meanwhile
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, w.ctx.Err()))
	}
	return nil
}

// summed writes a member, adds its checksum to the next member of checksums, and returns it.
func (w *writer) summed(name string, r io.Reader, size int64) (string, error) {
	sum := sha256.New()
	if err := w.member(name, r, size, sum); err != nil {
		return "", err
	}
	text := hex.EncodeToString(sum.Sum(nil))
	fmt.Fprintf(&w.sums, "%s  %s\n", text, name)
	if w.sums.Len() < sumsSize {
		return text, nil
	}
	return text, w.flushSums()
}

func (w *writer) writeMember(name string, b []byte) error {
	_, err := w.summed(name, bytes.NewReader(b), int64(len(b)))
	return err
}

func (w *writer) flushSums() error {
	if w.sums.Len() == 0 {
		return nil
	}
	sum := sha256.Sum256(w.sums.Bytes())
	w.manifest.Checksums = append(w.manifest.Checksums, hex.EncodeToString(sum[:]))
	name := sumName(len(w.manifest.Checksums))
	err := w.member(name, bytes.NewReader(w.sums.Bytes()), int64(w.sums.Len()), io.Discard)
	w.sums.Reset()
	return err
}

// table writes the rows of a table in parts that fit into memory.
func (w *writer) table(t Table) error {
	p := &parts{w: w, sum: TableSum{Name: t.Name}}
	if err := w.rows.writeRows(w.ctx, t, p); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	w.manifest.Tables = append(w.manifest.Tables, p.sum)
	return nil
}

// parts collects rows and writes them as members.
type parts struct {
	w   *writer
	buf bytes.Buffer
	n   int
	sum TableSum
}

// Write adds a row.
func (p *parts) Write(row []byte) (int, error) {
	if err := p.w.ctx.Err(); err != nil {
		return 0, err
	}
	p.buf.Write(row)
	p.sum.Rows++
	p.sum.Bytes += int64(len(row))
	if p.buf.Len() >= partSize {
		return len(row), p.flush()
	}
	return len(row), nil
}

func (p *parts) flush() error {
	p.w.progress(p.sum.Name, p.sum.Rows, p.sum.Bytes)
	if p.buf.Len() == 0 {
		return nil
	}
	p.n++
	err := p.w.writeMember(partName(p.sum.Name, p.n), p.buf.Bytes())
	p.buf.Reset()
	return err
}

// file adds a file. One that is missing or damaged does not stop the backup: it is listed in the
// manifest.
func (w *writer) file(f hospital.StoredFile) error {
	in, err := w.from.Files.Open(w.ctx, f.Key)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		w.lacks(f.Key)
		return nil
	}
	if err != nil {
		return fmt.Errorf("file %s: %w", f.Key, err)
	}
	defer in.Close() //nolint:errcheck // only read
	sum, err := w.summed(fileFolder+f.Key, in, in.Size)
	if err != nil {
		return err
	}
	if f.SHA256 != "" && f.SHA256 != sum {
		w.lacks(f.Key)
	}
	w.manifest.Files++
	w.manifest.FileBytes += in.Size
	w.progress("files", w.manifest.Files, w.manifest.FileBytes)
	return nil
}

func (w *writer) lacks(key string) {
	if w.manifest.Lacking++; len(w.manifest.LackingFirst) < 20 {
		w.manifest.LackingFirst = append(w.manifest.LackingFirst, key)
	}
}
