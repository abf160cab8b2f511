package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"nadmor/internal/files"
	"nadmor/internal/store"
)

// ErrDamaged says that an archive is not as it was written.
var ErrDamaged = errors.New("the backup is damaged, incomplete or was changed; nothing of it was kept")

func damaged(why string, err error) error {
	if err != nil {
		why += ": " + err.Error()
	}
	return fmt.Errorf("%w (%s)", ErrDamaged, why)
}

// Reader reads an archive once, from its beginning to its end: a pipe will do.
type Reader struct {
	Header Header

	zstd *zstd.Decoder
	tar  *tar.Reader
	sums bytes.Buffer // of the members since the last member of checksums
	seen []string     // checksums of those
}

// Open reads the beginning of an archive. Close gives back what it holds.
func Open(in io.Reader) (*Reader, error) {
	plain, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	r := &Reader{zstd: plain, tar: tar.NewReader(plain)}
	if err := r.header(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close gives back what decompressing takes; the archive itself is the caller's.
func (r *Reader) Close() { r.zstd.Close() }

func (r *Reader) header() error {
	h, err := r.tar.Next()
	if err != nil || h.Name != headerName {
		return errors.New("this is not a backup that nadmor has made (or it is encrypted still)")
	}
	b, err := r.whole(h)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &r.Header); err != nil || r.Header.Format != format {
		return errors.New("this is not a backup that nadmor has made")
	}
	newest, err := store.NewestMigration()
	if err != nil {
		return err
	}
	if r.Header.FormatVersion > formatVersion || r.Header.Migration > newest {
		return fmt.Errorf("the backup was made by a newer version (%s, migration %d; this one knows %d): restore it with that one", r.Header.Product, r.Header.Migration, newest)
	}
	if r.Header.Migration < 1 {
		return damaged("no migration", nil)
	}
	return nil
}

// whole reads a member into memory and notes its checksum.
func (r *Reader) whole(h *tar.Header) ([]byte, error) {
	if h.Size > memberSize {
		return nil, damaged(h.Name+" is too large", nil)
	}
	b := make([]byte, h.Size)
	if _, err := io.ReadFull(r.tar, b); err != nil {
		return nil, damaged(h.Name, err)
	}
	sum := sha256.Sum256(b)
	r.note(sum[:], h.Name)
	return b, nil
}

func (r *Reader) note(sum []byte, name string) {
	fmt.Fprintf(&r.sums, "%s  %s\n", hex.EncodeToString(sum), name)
}

// unfinished is kept among the files while a restoration writes them. So one that
// was killed can be run again, though it left files.
const unfinished = "restore/unfinishedrestoration"

// Target is where an archive is restored to.
type Target struct {
	DB     *store.Restoration
	Files  files.Store
	Secret string // that the manifest must be sealed with; empty where it is not known
}

// Restore writes what the archive holds, and commits it once the archive has
// turned out to be whole; then it brings the schema up to date, lets check look
// at the database, and puts it in its place. After an error, in the archive or of
// check, there are no files of it, and once the caller has abandoned the
// restoration no rows.
func (r *Reader) Restore(ctx context.Context, to Target, progress Progress, check func(*store.DB) error) (m Manifest, err error) {
	if err := noFiles(ctx, to.Files); err != nil {
		return m, err
	}
	if _, err := to.Files.Put(ctx, unfinished, strings.NewReader("restore"), 100); err != nil {
		return m, err
	}
	w := &restoring{Reader: r, ctx: ctx, to: to, progress: progress, tables: map[string]*TableSum{}}
	if m, err = w.all(); err == nil {
		err = to.DB.Finish(ctx, m.Given, func(n int) { progress("indexes", int64(n), 0) })
	}
	if err == nil {
		err = to.DB.Commit(ctx)
	}
	if err == nil {
		err = w.finish(check)
	}
	end := context.WithoutCancel(ctx)
	if !to.DB.Kept() { // files without rows
		for _, key := range w.files {
			err = errors.Join(err, to.Files.Delete(end, key))
		}
	}
	return m, errors.Join(err, to.Files.Delete(end, unfinished))
}

// finish opens the restored database, has it looked at, and puts it in its place.
func (r *restoring) finish(check func(*store.DB) error) error {
	db, err := r.to.DB.Open(r.ctx)
	if err != nil {
		return fmt.Errorf("open the restored database: %w", err)
	}
	err = db.NoteRestore(r.ctx, r.Header.MadeAt, r.Header.Engine)
	if err == nil {
		err = check(db)
	}
	err = errors.Join(err, db.Close())
	if err == nil {
		err = r.to.DB.Keep(r.ctx)
	}
	return err
}

// noFiles is store.ErrNotEmpty where there are files that no broken-off
// restoration has left.
func noFiles(ctx context.Context, place files.Store) error {
	left, err := place.Open(ctx, unfinished)
	if err == nil {
		return left.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, kind := range files.Kinds {
		for _, err := range place.List(ctx, kind) {
			if err != nil {
				return err
			}
			return fmt.Errorf("uploaded files: %w", store.ErrNotEmpty)
		}
	}
	return nil
}

type restoring struct {
	*Reader
	ctx      context.Context
	to       Target
	progress Progress
	tables   map[string]*TableSum
	files    []string
	bytes    int64
}

// all goes through the members until the manifest.
func (r *restoring) all() (Manifest, error) {
	for {
		h, err := r.tar.Next()
		if err == nil {
			err = r.ctx.Err()
		}
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return Manifest{}, err
		case errors.Is(err, io.EOF):
			return Manifest{}, damaged("its end is missing", nil)
		case err != nil:
			return Manifest{}, damaged("it cannot be read on", err)
		case h.Name == manifestName:
			return r.end(h)
		case strings.HasPrefix(h.Name, tableFolder):
			err = r.rows(h)
		case strings.HasPrefix(h.Name, fileFolder):
			err = r.file(h)
		case strings.HasPrefix(h.Name, sumFolder):
			err = r.compare(h)
		default:
			err = damaged("there is something else in it", nil)
		}
		if err != nil {
			return Manifest{}, err
		}
	}
}

func (r *restoring) rows(h *tar.Header) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(h.Name, tableFolder), "/")
	i := slices.IndexFunc(r.Header.Tables, func(t store.Shape) bool { return t.Name == name })
	if i < 0 {
		return damaged("there is a table in it that it does not tell of", nil)
	}
	b, err := r.whole(h)
	if err != nil {
		return err
	}
	n, err := r.to.DB.Rows(r.ctx, r.Header.Tables[i], b)
	if err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	sum := r.tables[name]
	if sum == nil {
		sum = &TableSum{Name: name}
		r.tables[name] = sum
	}
	sum.Rows += n
	sum.Bytes += int64(len(b))
	r.progress(name, sum.Rows, sum.Bytes)
	return nil
}

func (r *restoring) file(h *tar.Header) error {
	key := strings.TrimPrefix(h.Name, fileFolder)
	if kind, _, _ := strings.Cut(key, "/"); !slices.Contains(files.Kinds, files.Kind(kind)) {
		return damaged("there is a file of an unknown kind in it", nil)
	}
	sum := sha256.New()
	// Removed again even if it is not whole, or the answer to it was lost.
	r.files = append(r.files, key)
	stored, err := r.to.Files.Put(r.ctx, key, io.TeeReader(r.tar, sum), math.MaxInt64)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		r.files = r.files[:len(r.files)-1]
		return damaged("a file in it has a name that none of ours has", nil)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zstd.ErrCRCMismatch), err == nil && stored.Size != h.Size:
		return damaged("a file in it is cut off", err)
	case err != nil:
		return fmt.Errorf("restore file %s: %w", key, err)
	}
	r.note(sum.Sum(nil), h.Name)
	r.bytes += stored.Size
	r.progress("files", int64(len(r.files)), r.bytes)
	return nil
}

// compare holds the checksums of the members since the last time against those
// that were written.
func (r *restoring) compare(h *tar.Header) error {
	want := bytes.Clone(r.sums.Bytes())
	r.sums.Reset()
	b, err := r.whole(h)
	if err != nil {
		return err
	}
	r.sums.Reset() // checksums themselves are in the manifest
	if h.Name != sumName(len(r.seen)+1) || !bytes.Equal(b, want) {
		return damaged("a checksum does not fit", nil)
	}
	sum := sha256.Sum256(b)
	r.seen = append(r.seen, hex.EncodeToString(sum[:]))
	return nil
}

// end reads the manifest, and that nothing is behind it.
func (r *restoring) end(h *tar.Header) (m Manifest, err error) {
	unsummed := r.sums.Len() > 0
	b, err := r.whole(h)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, damaged("its manifest", err)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return m, damaged("something is behind its end", nil)
	}
	if n, err := io.Copy(io.Discard, r.zstd); err != nil || n > 0 {
		return m, damaged("something is behind its end", err)
	}
	if unsummed || !slices.Equal(r.seen, m.Checksums) {
		return m, damaged("members are missing or too many", nil)
	}
	for _, t := range m.Tables {
		if got := r.tables[t.Name]; t.Rows > 0 && (got == nil || *got != t) {
			return m, damaged("rows are missing or too many", nil)
		}
	}
	if int64(len(r.files)) != m.Files || r.bytes != m.FileBytes {
		return m, damaged("files are missing or too many", nil)
	}
	if r.to.Secret != "" && !hmac.Equal([]byte(m.Seal), []byte(m.seal(r.to.Secret))) {
		return m, damaged("its seal was not made with the key of this installation", nil)
	}
	return m, nil
}
