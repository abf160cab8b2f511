// Package auth handles credentials: password hashes, tokens and one-time codes. It has pure functions and no
// database.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Hasher hashes and verifies passwords with Argon2id. A hash takes some megabytes and tens of milliseconds,
// so at most one per CPU runs at a time, which limits memory during many sign-ins or an attack.
type Hasher struct {
	memory, time uint32
	running      chan struct{}
	derivations  atomic.Uint64
	decoy        string
}

// NewHasher returns a Hasher with the cost recommended by OWASP (19 MiB, two passes).
func NewHasher() *Hasher { return newHasher(19*1024, 2) }

// NewCheapHasher returns a Hasher for tests that sign in often.
func NewCheapHasher() *Hasher { return newHasher(8, 1) }

func newHasher(memory, time uint32) *Hasher {
	h := &Hasher{memory: memory, time: time, running: make(chan struct{}, runtime.NumCPU())}
	// The decoy is verified for unknown accounts, so that they take as long as a wrong password. No password
	// matches it.
	h.decoy = h.phc(random(16), random(32))
	return h
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never returns an error
	return b
}

// Hash returns the PHC string of a password. It waits for a free CPU and fails only if ctx ends first.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := random(16)
	sum, err := h.derive(ctx, password, salt, h.memory, h.time, 32)
	if err != nil {
		return "", err
	}
	return h.phc(salt, sum), nil
}

func (h *Hasher) phc(salt, sum []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, h.memory, h.time, b64(salt), b64(sum))
}

// Verify reports whether a password matches a hash. An empty hash, of an unknown account or one without a
// password, takes as long and never matches.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.decoy
	}
	memory, time, salt, want, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	got, err := h.derive(ctx, password, salt, memory, time, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

var phc = regexp.MustCompile(`^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,2}),p=1` +
	`\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$`)

// parseHash parses a PHC string with any cost. A string that Hash did not write is an error.
func parseHash(hash string) (memory, time uint32, salt, sum []byte, err error) {
	m := phc.FindStringSubmatch(hash)
	if m == nil {
		return 0, 0, nil, nil, errors.New("not an argon2id hash")
	}
	kib, err1 := strconv.ParseUint(m[1], 10, 32)
	passes, err2 := strconv.ParseUint(m[2], 10, 32)
	salt, err3 := base64.RawStdEncoding.Strict().DecodeString(m[3])
	sum, err4 := base64.RawStdEncoding.Strict().DecodeString(m[4])
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, 0, nil, nil, fmt.Errorf("unreadable argon2id hash: %w", err)
	}
	if kib < 8 || kib > 1<<20 || passes < 1 || len(salt) < 8 || len(sum) < 16 {
		return 0, 0, nil, nil, errors.New("argon2id hash with impossible parameters")
	}
	return uint32(kib), uint32(passes), salt, sum, nil
}

// Derivations returns the number of hashes computed so far.
func (h *Hasher) Derivations() uint64 { return h.derivations.Load() }

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, memory, time, size uint32) ([]byte, error) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.derivations.Add(1)
	// Keyboards may compose the same password differently.
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, time, memory, 1, size), nil
}
