// Package files stores uploaded files in a folder or an S3 bucket, and validates uploads. It knows keys and
// bytes; the database knows which record a file belongs to.
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

// Kind is the purpose of a file. It is the first part of every key, so that a route for one kind cannot
// access another.
type Kind string

// Media are the hospital's public images: logo and banners. They never contain patient data.
const Media Kind = "media"

// Kinds are all kinds. A backup contains no others.
var Kinds = []Kind{Media, Results}

// Store stores files. Keys are made by NewKey; others are rejected with fs.ErrInvalid before any access.
// Files are never changed, so they can be cached forever.
type Store interface {
	// Put stores all of r under the key, or nothing. Memory use does not depend on the size. It returns
	// FILE_TOO_LARGE with details.maxBytes if r has more than limit bytes.
	Put(ctx context.Context, key string, r io.Reader, limit int64) (Stored, error)
	// Open opens a file for random access. It returns fs.ErrNotExist if there is none.
	Open(ctx context.Context, key string) (*File, error)
	// Delete deletes a file. It is not an error if the file does not exist.
	Delete(ctx context.Context, key string) error
	// List yields all files of a kind, unordered. It ends after the first error.
	List(ctx context.Context, kind Kind) iter.Seq2[Info, error]
	// Tidy deletes what uploads interrupted before a time have left.
	Tidy(ctx context.Context, before time.Time) error
	// Ready reports whether files can be written and read now.
	Ready(ctx context.Context) error
	// Close releases the resources of the store.
	Close() error
}

// Stored describes the content that Put stored.
type Stored struct {
	Size   int64
	SHA256 string // hexadecimal
}

// Info describes a file in a list.
type Info struct {
	Key     string
	Size    int64
	ModTime time.Time
}

// File is an open file with random access. Its modification time is that of Put.
type File struct {
	io.ReadSeekCloser
	Info
}

// Open opens a store: s3://KEY:SECRET@host[:port]/bucket (see OpenS3), or the folder "files" in the data
// folder if the address is empty.
func Open(ctx context.Context, address, dataDir string) (Store, error) {
	switch {
	case address == "":
		return OpenDisk(filepath.Join(dataDir, "files"))
	case strings.HasPrefix(address, "s3://"):
		return OpenS3(ctx, address)
	default: // not repeated, because it may contain a password
		return nil,
			errors.New("NADMOR_FILES_URL is invalid: expected s3://KEY:SECRET@host/bucket, or empty for the data folder")
	}
}

// NewKey returns the key of a new file: a random name with the extension of its content type (".png").
func NewKey(kind Kind, ending string) string {
	return string(kind) + "/" + strings.ToLower(rand.Text()) + ending
}

// One folder and one name, without special meaning to shells, file systems and web servers.
var goodKey = regexp.MustCompile(`^[a-z]{1,20}/[a-z0-9]{20,40}(\.[a-z0-9]{1,5})?$`)

func checkKey(key string) error {
	if !goodKey.MatchString(key) {
		return fmt.Errorf("key of a file: %w", fs.ErrInvalid)
	}
	return nil
}

// measure counts and hashes what Put reads, up to a limit and until ctx ends.
type measure struct {
	ctx    context.Context
	r      io.Reader
	limit  int64
	stored Stored
	sum    hash.Hash
	err    error // why it stopped
}

func newMeasure(ctx context.Context, r io.Reader, limit int64) *measure {
	return &measure{ctx: ctx, r: r, limit: limit, sum: sha256.New()}
}

// Read implements io.Reader.
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

// Check reads a file and returns what is wrong with it, or an empty string. An error means that it could not
// be read now.
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

// TooLarge returns FILE_TOO_LARGE with the limit in details.maxBytes.
func TooLarge(limit int64) *hospital.Error {
	size := fmt.Sprintf("%d ไบต์", limit)
	sizeEN := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		size, sizeEN = fmt.Sprintf("%d MB", limit>>20), fmt.Sprintf("%d MB", limit>>20)
	}
	return hospital.Reject(hospital.TooLarge).Because("ไฟล์ใหญ่เกินไป กรุณาใช้ไฟล์ไม่เกิน "+size,
		"The file is too large: at most "+sizeEN+".").With("maxBytes", limit)
}
