package archive

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

// ErrDamaged means that an archive is not as it was written.
var ErrDamaged = errors.New("the backup is damaged, incomplete or was changed; nothing was restored")

func damaged(why string, err error) error {
	if err != nil {
		why += ": " + err.Error()
	}
	return fmt.Errorf("%w (%s)", ErrDamaged, why)
}

// Reader reads an archive once, from its beginning to its end. It does not seek.
type Reader struct {
	Header Header

	inPlace bool // what was restored is in its place, or may be

	zstd *zstd.Decoder
	tar  *tar.Reader
	sums bytes.Buffer // of the members since the last member of checksums
	seen []string     // checksums of those
}

// Open reads the header of an archive. The caller closes the reader.
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

// Close releases the decompressor. It does not close the archive.
func (r *Reader) Close() { r.zstd.Close() }

func (r *Reader) header() error {
	h, err := r.tar.Next()
	if err != nil || h.Name != headerName {
		return errors.New("this is not a backup that nadmor has made (or it is encrypted still)")
	}
	b, err := r.readMember(h)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &r.Header); err != nil || r.Header.Format != format {
		return errors.New("this is not a backup that nadmor has made")
	}
	newest, err := NewestMigration()
	if err != nil {
		return err
	}
	if r.Header.FormatVersion > formatVersion || r.Header.Migration > newest {
		return fmt.Errorf("the backup was made by a newer version (%s, migration %d; this one knows %d): "+
			"restore it with that one", r.Header.Product, r.Header.Migration, newest)
	}
	if r.Header.Migration < 1 {
		return damaged("no migration", nil)
	}
	return nil
}

// readMember reads a member into memory and adds its checksum.
func (r *Reader) readMember(h *tar.Header) ([]byte, error) {
	if h.Size > memberSize {
		return nil, damaged(h.Name+" is too large", nil)
	}
	b := make([]byte, h.Size)
	if _, err := io.ReadFull(r.tar, b); err != nil {
		return nil, damaged(h.Name, err)
	}
	sum := sha256.Sum256(b)
	r.addSum(sum[:], h.Name)
	return b, nil
}

func (r *Reader) addSum(sum []byte, name string) {
	fmt.Fprintf(&r.sums, "%s  %s\n", hex.EncodeToString(sum), name)
}

// unfinished is a file that exists while a restoration writes files, so that a restoration that was
// killed can be run again although it left files.
const unfinished = "restore/unfinishedrestoration"

// Target is where an archive is restored to.
type Target struct {
	Store  store.Options
	Files  files.Store
	Secret string // the key that the manifest must be sealed with; empty if it is lost
}

// Restore restores the archive into an empty database and store of files. It returns ErrNotEmpty if there
// is data. When the whole archive has been read and is not damaged, it commits the rows, brings the schema
// up to date, calls check with the database, and puts it in its place. After an error, of check too,
// nothing of the archive is left, see InPlace.
func (r *Reader) Restore(
	ctx context.Context, to Target, progress Progress, check func(*store.DB) error,
) (m Manifest, err error) {
	db, err := beginRestore(ctx, to.Store, r.Header.Migration)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.abandon()) }()
	if err := noFiles(ctx, to.Files); err != nil {
		return m, err
	}
	if _, err := to.Files.Put(ctx, unfinished, strings.NewReader("restore"), 100); err != nil {
		return m, err
	}
	w := &restoring{Reader: r, ctx: ctx, to: to, db: db, progress: progress, tables: map[string]*TableSum{}}
	if m, err = w.all(); err == nil {
		err = db.finish(ctx, m.LastIDs, func(n int) { progress("indexes", int64(n), 0) })
	}
	if err == nil {
		err = db.commit(ctx)
	}
	if err == nil {
		err = w.finish(check)
	}
	end := context.WithoutCancel(ctx)
	if r.inPlace = db.inPlace; !r.inPlace { // otherwise the files have no rows
		for _, key := range w.files {
			err = errors.Join(err, to.Files.Delete(end, key))
		}
	}
	return m, errors.Join(err, to.Files.Delete(end, unfinished))
}

// InPlace reports whether Restore has put the database in its place; after an error, whether it may be
// there.
func (r *Reader) InPlace() bool { return r.inPlace }

// finish opens the restored database, calls check, and puts it in its place.
func (r *restoring) finish(check func(*store.DB) error) error {
	db, err := r.db.open(r.ctx)
	if err != nil {
		return fmt.Errorf("open the restored database: %w", err)
	}
	err = db.NoteRestore(r.ctx, r.Header.MadeAt, r.Header.Engine)
	if err == nil {
		err = check(db)
	}
	err = errors.Join(err, db.Close())
	if err == nil {
		err = r.db.keep(r.ctx)
	}
	return err
}

// noFiles returns ErrNotEmpty if there are files, except those of a restoration that was killed.
func noFiles(ctx context.Context, store files.Store) error {
	left, err := store.Open(ctx, unfinished)
	if err == nil {
		return left.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, kind := range files.Kinds {
		for _, err := range store.List(ctx, kind) {
			if err != nil {
				return err
			}
			return fmt.Errorf("uploaded files: %w", ErrNotEmpty)
		}
	}
	return nil
}

// restoring is the state of Restore.
type restoring struct {
	*Reader
	ctx      context.Context
	to       Target
	db       *restoration
	progress Progress
	tables   map[string]*TableSum
	files    []string
	bytes    int64
}

// all reads the members until the manifest.
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
	i := slices.IndexFunc(r.Header.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return damaged("it contains a table that its header does not list", nil)
	}
	b, err := r.readMember(h)
	if err != nil {
		return err
	}
	n, err := r.db.insertRows(r.ctx, r.Header.Tables[i], b)
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
	// Before it is stored: it must be deleted even if Put fails.
	r.files = append(r.files, key)
	stored, err := r.to.Files.Put(r.ctx, key, io.TeeReader(r.tar, sum), math.MaxInt64)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		r.files = r.files[:len(r.files)-1]
		return damaged("a file in it has a name that none of ours has", nil)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zstd.ErrCRCMismatch),
		err == nil && stored.Size != h.Size:
		return damaged("a file in it is cut off", err)
	case err != nil:
		return fmt.Errorf("restore file %s: %w", key, err)
	}
	r.addSum(sum.Sum(nil), h.Name)
	r.bytes += stored.Size
	r.progress("files", int64(len(r.files)), r.bytes)
	return nil
}

// compare compares a member of checksums with those of the members before it.
func (r *restoring) compare(h *tar.Header) error {
	want := bytes.Clone(r.sums.Bytes())
	r.sums.Reset()
	b, err := r.readMember(h)
	if err != nil {
		return err
	}
	r.sums.Reset() // the checksum of this member is in the manifest
	if h.Name != sumName(len(r.seen)+1) || !bytes.Equal(b, want) {
		return damaged("a checksum does not fit", nil)
	}
	sum := sha256.Sum256(b)
	r.seen = append(r.seen, hex.EncodeToString(sum[:]))
	return nil
}

// end reads the manifest and compares it with what was read. Nothing may follow it.
func (r *restoring) end(h *tar.Header) (m Manifest, err error) {
	unsummed := r.sums.Len() > 0
	b, err := r.readMember(h)
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
