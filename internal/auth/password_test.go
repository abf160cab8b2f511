package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/argon2"
)

func mustHash(t *testing.T, h *Hasher, password string) string {
	t.Helper()
	hash, err := h.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestVerify(t *testing.T) {
	t.Parallel()
	h := NewCheapHasher()
	hash := mustHash(t, h, "รหัสผ่าน caf\u00e9")
	cases := map[string]struct {
		hash, password string
		want           bool
	}{
		"the password makes its hash":                        {hash, "รหัสผ่าน caf\u00e9", true},
		"the same password typed on another keyboard (NFD)":  {hash, "รหัสผ่าน cafe\u0301", true},
		"another password does not":                          {hash, "รหัสผ่าน cafe", false},
		"another case is another password":                   {hash, "รหัสผ่าน CAF\u00c9", false},
		"a space more is another password":                   {hash, "รหัสผ่าน caf\u00e9 ", false},
		"an empty password does not":                         {hash, "", false},
		"nothing makes the hash of no account":               {"", "รหัสผ่าน caf\u00e9", false},
		"an empty password is not that of an empty hash":     {"", "", false},
		"an empty password can be hashed and is then itself": {mustHash(t, h, ""), "", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := h.Verify(t.Context(), c.hash, c.password)
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestHashesOfOnePasswordDiffer(t *testing.T) {
	t.Parallel()
	h := NewCheapHasher()
	if a, b := mustHash(t, h, "correct horse"), mustHash(t, h, "correct horse"); a == b {
		t.Errorf("two accounts with one password have the same hash: %s", a)
	}
	if hash := mustHash(t, h, "correct horse"); strings.Contains(hash, "correct") {
		t.Errorf("the hash shows the password: %s", hash)
	}
}

// The response time does not reveal unknown accounts: every check takes one derivation of the same cost.
func TestVerifyUnknownAccountDuration(t *testing.T) {
	t.Parallel()
	h := NewCheapHasher()
	hash := mustHash(t, h, "correct horse")
	for name, stored := range map[string]string{"known": hash, "unknown": ""} {
		before := h.Derivations()
		if _, err := h.Verify(t.Context(), stored, "wrong battery"); err != nil {
			t.Fatal(err)
		}
		if n := h.Derivations() - before; n != 1 {
			t.Errorf("a check of an %s account takes %d derivations", name, n)
		}
	}
	m1, t1, _, _, err1 := parseHash(hash)
	m2, t2, _, _, err2 := parseHash(h.decoy)
	if err := errors.Join(err1, err2); err != nil || m1 != m2 || t1 != t2 {
		t.Errorf("known accounts cost m=%d,t=%d and unknown ones m=%d,t=%d (%v)", m1, t1, m2, t2, err)
	}
}

// Starting a server computes no hash.
func TestDecoyIsHashedLazily(t *testing.T) {
	t.Parallel()
	if n := NewHasher().Derivations(); n != 0 {
		t.Errorf("%d hashes", n)
	}
}

// The decoy matches no password, even if it is known how it was made.
func TestDecoyMatchesNoPassword(t *testing.T) {
	t.Parallel()
	h := NewCheapHasher()
	h.decoy = mustHash(t, h, "correct horse")
	if ok, err := h.Verify(t.Context(), "", "correct horse"); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

// The only test with the real cost.
func TestHashCost(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	hash := mustHash(t, h, "correct horse")
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	_, _, salt, sum, err := parseHash(hash)
	if err != nil || len(salt) != 16 || len(sum) != 32 {
		t.Errorf("salt of %d bytes, sum of %d bytes, %v", len(salt), len(sum), err)
	}
	if ok, err := h.Verify(t.Context(), hash, "correct horse"); !ok || err != nil {
		t.Errorf("it is not its own: %v, %v", ok, err)
	}
}

// Hashes with another cost stay valid when the cost changes.
func TestVerifyOtherCost(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]*Hasher{
		"cheaper": newHasher(16, 1), "more passes": newHasher(8, 3), "the same": newHasher(8, 1),
	} {
		hash := mustHash(t, old, "correct horse")
		h := NewCheapHasher()
		if ok, err := h.Verify(t.Context(), hash, "correct horse"); !ok || err != nil {
			t.Errorf("%s: the right password is refused: %v, %v", name, ok, err)
		}
		if ok, err := h.Verify(t.Context(), hash, "wrong battery"); ok || err != nil {
			t.Errorf("%s: a wrong password: %v, %v", name, ok, err)
		}
	}
}

// A hash of the reference implementation is verified.
func TestVerifyForeignHash(t *testing.T) {
	t.Parallel()
	// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32 -e
	const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := NewCheapHasher()
	if ok, err := h.Verify(t.Context(), reference, "password"); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	if ok, err := h.Verify(t.Context(), reference, "passwort"); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

// A damaged hash is an error, not a wrong password, and never matches.
func TestVerifyInvalidHash(t *testing.T) {
	t.Parallel()
	b64 := base64.RawStdEncoding.EncodeToString
	salt, sum := b64([]byte("0123456789abcdef")), b64(argon2.IDKey([]byte("x"), []byte("0123456789abcdef"), 1, 8, 1, 32))
	good := "$argon2id$v=19$m=8,t=1,p=1$" + salt + "$" + sum
	h := NewCheapHasher()
	if ok, err := h.Verify(t.Context(), good, "x"); !ok || err != nil {
		t.Fatalf("the good one is refused: %v, %v", ok, err)
	}
	for name, hash := range map[string]string{
		"plain text":                        "x",
		"a bcrypt hash":                     "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"argon2i":                           strings.Replace(good, "argon2id", "argon2i", 1),
		"another version":                   strings.Replace(good, "v=19", "v=16", 1),
		"no version":                        strings.Replace(good, "v=19$", "", 1),
		"more threads":                      strings.Replace(good, "p=1", "p=2", 1),
		"many more threads":                 strings.Replace(good, "p=1", "p=16", 1),
		"no passes":                         strings.Replace(good, "t=1", "t=0", 1),
		"negative passes":                   strings.Replace(good, "t=1", "t=-1", 1),
		"no memory":                         strings.Replace(good, "m=8", "m=0", 1),
		"memory for a month":                strings.Replace(good, "m=8", "m=4294967295", 1),
		"memory beyond any machine":         strings.Replace(good, "m=8", "m=9999999", 1),
		"parameters that are no numbers":    strings.Replace(good, "m=8", "m=x", 1),
		"no salt":                           strings.Replace(good, salt, "", 1),
		"a salt that is no base64":          strings.Replace(good, salt, "!!!!", 1),
		"a salt of one byte":                strings.Replace(good, salt, "AA", 1),
		"no sum, which everything would be": strings.TrimSuffix(good, sum),
		"a sum of one byte":                 strings.TrimSuffix(good, sum) + "AA",
		"a sum that is no base64":           strings.TrimSuffix(good, sum) + "*" + sum[1:],
		"something before it":               "x" + good,
		"something after it":                good + "$x",
		"a line end after it":               good + "\n",
		"only dollar signs":                 "$$$$$",
		"a space":                           " ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ok, err := h.Verify(t.Context(), hash, "x"); ok || err == nil {
				t.Errorf("%q answers %v, %v", hash, ok, err)
			} else if strings.Contains(err.Error(), salt) || strings.Contains(err.Error(), sum) {
				t.Errorf("the error shows the hash: %v", err)
			}
		})
	}
}

// Memory is limited by the number of CPUs, however many users sign in at once.
func TestConcurrentHashLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewCheapHasher()
		for range runtime.NumCPU() {
			select {
			case h.running <- struct{}{}: // occupied by other hashes
			default:
				t.Fatal("fewer may run than there are processors")
			}
		}
		before := h.Derivations()
		done := make(chan error, 3)
		for range cap(done) {
			go func() {
				_, err := h.Hash(t.Context(), "correct horse")
				done <- err
			}()
		}
		synctest.Wait()
		if n := h.Derivations() - before; n != 0 || len(done) != 0 {
			t.Errorf("%d more hashes ran while every processor was taken", n)
		}
		<-h.running // frees one
		synctest.Wait()
		if n := h.Derivations() - before; n != 3 || len(done) != 3 {
			t.Errorf("%d of the 3 that waited went on", n)
		}
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := len(h.running); n != runtime.NumCPU()-1 {
			t.Errorf("%d places are taken afterwards", n)
		}
	})
}

func TestCancelledHashIsNotComputed(t *testing.T) {
	t.Parallel()
	h := NewCheapHasher()
	hash := mustHash(t, h, "correct horse")
	for range cap(h.running) {
		h.running <- struct{}{}
	}
	before := h.Derivations()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the client disconnected
	if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash answers %v", err)
	}
	for name, stored := range map[string]string{"known": hash, "unknown": ""} {
		if ok, err := h.Verify(ctx, stored, "correct horse"); ok || !errors.Is(err, context.Canceled) {
			t.Errorf("Verify of an %s account answers %v, %v", name, ok, err)
		}
	}
	if n := h.Derivations() - before; n != 0 {
		t.Errorf("%d hashes were worked out for nobody", n)
	}
}
