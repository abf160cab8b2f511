// Package auth holds what proves who somebody is: password hashes, tokens and
// one-time codes. Pure functions, no database.
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

// Hasher makes and checks Argon2id hashes. A hash costs memory KiB and some
// tens of milliseconds on purpose, so only as many run at once as there are
// processors: fifty people signing in at eight o'clock, or an attacker, cannot
// take the machine's memory.
type Hasher struct {
	memory, time uint32
	running      chan struct{}
	derivations  atomic.Uint64
	decoy        string
}

// NewHasher returns a Hasher with the cost that OWASP recommends for Argon2id
// (19 MiB, two passes).
func NewHasher() *Hasher { return newHasher(19*1024, 2) }

// NewCheapHasher is for tests that sign in often and do not test hashing.
func NewCheapHasher() *Hasher { return newHasher(8, 1) }

func newHasher(memory, time uint32) *Hasher {
	h := &Hasher{memory: memory, time: time, running: make(chan struct{}, runtime.NumCPU())}
	// The decoy is checked when there is no account, so that the answer takes
	// as long as a wrong password does. No password makes it.
	h.decoy = h.phc(random(16), random(32))
	return h
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return b
}

// Hash returns the PHC string of the password. It waits for a free processor
// and fails only when ctx ends first.
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

// Verify reports whether the password makes the hash. An empty hash (no such
// account, or no password chosen yet) takes as long and is always false.
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

var phc = regexp.MustCompile(`^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,2}),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$`)

// parseHash reads a PHC string. What Hash never wrote, whatever its cost was
// then, is an error and not a wrong password.
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

// Derivations counts the hashes worked out so far: what sign-ins cost, of names
// that are known and of those that are not.
func (h *Hasher) Derivations() uint64 { return h.derivations.Load() }

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, memory, time, size uint32) ([]byte, error) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.derivations.Add(1)
	// The same password typed on two keyboards can differ in composition only.
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, time, memory, 1, size), nil
}
