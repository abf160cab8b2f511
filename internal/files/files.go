// Package files keeps what people upload, in a folder or in an S3 bucket, and
// makes uploaded pictures harmless. Which file belongs to what is known to the
// database; this package knows keys and bytes.
package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// Kind is what a file is for. It is the first part of every key, so that a door
// that opens one kind can never reach a file of another.
type Kind string

// Media are the hospital's public pictures: logo and banners. Anybody may see
// them; nothing that is a patient's is ever kept under this kind.
const Media Kind = "media"

// Kinds are all there are: a backup holds files of no other.
var Kinds = []Kind{Media, Results}

// Store keeps files. A key is made by NewKey; any other text is refused with
// fs.ErrInvalid before it reaches a disk or a network. What was put is never
// changed, so a file can be cached for ever.
type Store interface {
	// Put keeps all of r under the key: whole, or not at all, whatever happens on
	// the way. It takes the same memory for any size. More than limit bytes are
	// refused with FILE_TOO_LARGE and details.maxBytes.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (Stored, error)
	// Open opens a file to read any part of it. One that is not there is
	// fs.ErrNotExist.
	Open(ctx context.Context, key string) (*File, error)
	// Delete removes a file. One that is not there (any more) is no mistake.
	Delete(ctx context.Context, key string) error
	// List goes through all files of a kind, in no order. It ends with the first
	// error.
	List(ctx context.Context, kind Kind) iter.Seq2[Info, error]
	// Tidy removes what uploads that broke off before the instant have left.
	Tidy(ctx context.Context, before time.Time) error
	// Ready reports whether files can be written and read now.
	Ready(ctx context.Context) error
	// Close gives back what the store holds open.
	Close() error
}

// Stored is what Put learnt about the content on its way.
type Stored struct {
	Size   int64
	SHA256 string // hexadecimal
}

// Info is a file as a list shows it.
type Info struct {
	Key     string
	Size    int64
	ModTime time.Time
}

// File is an open file, of which any part can be read. Its modification time is when
// it was put, as it never changes.
type File struct {
	io.ReadSeekCloser
	Info
}

// Open opens the store that the address names: s3://KEY:SECRET@host[:port]/bucket
// (see OpenS3), or the folder "files" in the data folder when it is empty.
func Open(ctx context.Context, address, dataDir string) (Store, error) {
	switch {
	case address == "":
		return OpenDisk(filepath.Join(dataDir, "files"))
	case strings.HasPrefix(address, "s3://"):
		return OpenS3(ctx, address)
	default: // not repeated: it may hold a password
		return nil,
			errors.New("NADMOR_FILES_URL is not understood: s3://KEY:SECRET@host/bucket, or empty for the data folder")
	}
}

// NewKey makes the key of a new file: a name nobody can guess, with the ending
// of its content type (".png").
func NewKey(kind Kind, ending string) string {
	return string(kind) + "/" + strings.ToLower(rand.Text()) + ending
}

// One folder, one name; neither can be "." or "..", begin with a dot, or mean
// anything to a shell, a disk or a web server.
var goodKey = regexp.MustCompile(`^[a-z]{1,20}/[a-z0-9]{20,40}(\.[a-z0-9]{1,5})?$`)

func checkKey(key string) error {
	if !goodKey.MatchString(key) {
		return fmt.Errorf("key of a file: %w", fs.ErrInvalid)
	}
	return nil
}

// measure reads r for Put: it counts and hashes what comes through, and stops
// at the limit and when ctx ends.
type measure struct {
	ctx    context.Context
	r      io.Reader
	limit  int64
	stored Stored
	sum    hash.Hash
	err    error // what stopped it
}

func newMeasure(ctx context.Context, r io.Reader, limit int64) *measure {
	return &measure{ctx: ctx, r: r, limit: limit, sum: sha256.New()}
}

// Read reads on.
func (m *measure) Read(p []byte) (int, error) {
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.stored.Size += int64(n)
	if m.stored.Size > m.limit {
		m.err = TooLarge(m.limit)
		return 0, m.err
	}
	m.sum.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

func (m *measure) result() Stored {
	m.stored.SHA256 = hex.EncodeToString(m.sum.Sum(nil))
	return m.stored
}

// Check reads a file and tells what is wrong with it, nothing if it is as it was
// put. An error says that it could not be read now.
func Check(ctx context.Context, s Store, key string, want Stored) (fault string, err error) {
	f, err := s.Open(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return "it is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	in := newMeasure(ctx, f, math.MaxInt64)
	if _, err := io.Copy(io.Discard, in); err != nil {
		return "", fmt.Errorf("read file: %w", err)
	}
	switch got := in.result(); {
	case got.Size != want.Size:
		return fmt.Sprintf("it has %d bytes instead of %d", got.Size, want.Size), nil
	case got.SHA256 != want.SHA256:
		return "its content is not what was sent", nil
	}
	return "", nil
}

// TooLarge is the refusal of a file with more bytes than allowed: FILE_TOO_LARGE,
// with the limit in details.maxBytes.
func TooLarge(limit int64) *hospital.Error {
	size := fmt.Sprintf("%d ไบต์", limit)
	sizeEN := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		size, sizeEN = fmt.Sprintf("%d MB", limit>>20), fmt.Sprintf("%d MB", limit>>20)
	}
	return hospital.Refuse(hospital.TooLarge).Because("ไฟล์ใหญ่เกินไป กรุณาใช้ไฟล์ไม่เกิน "+size,
		"The file is too large: at most "+sizeEN+".").With("maxBytes", limit)
}
