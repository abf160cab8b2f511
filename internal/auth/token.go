package auth

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The audiences. A token for one is not valid for the other.
const (
	AudienceAdmin    = "admin"
	AudienceCustomer = "smq"
)

// Claims is the content of a token. The role is for display; the server checks session, status and
// permissions on every request.
type Claims struct {
	UserID    int64
	Name      string
	Role      string
	SessionID string
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// ErrExpired means a genuine token that has expired, ErrInvalid any other token that is not accepted.
var (
	ErrExpired = errors.New("token expired")
	ErrInvalid = errors.New("token invalid")
)

// Tokens signs and verifies tokens with one key.
type Tokens struct {
	key     []byte
	now     func() time.Time
	checked *checkedTokens
}

// NewTokens derives the signing key from the installation's secret.
func NewTokens(secret string, now func() time.Time) Tokens {
	return Tokens{key: DeriveKey(secret, "tokens"), now: now, checked: &checkedTokens{}}
}

// DeriveKey derives an independent key for a purpose from the installation's secret.
func DeriveKey(secret, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "nadmor "+purpose, 32)
	if err != nil {
		panic(err) // only for excessive lengths
	}
	return key
}

// wireClaims is the encoded content of a token: one audience, whole seconds. Other forms are invalid.
type wireClaims struct {
	Subject              string     `json:"sub"`
	Name                 string     `json:"name"`
	Role                 string     `json:"role"`
	SID                  string     `json:"sid"`
	Audience             string     `json:"aud"`
	IssuedAt             int64      `json:"iat"`
	ExpiresAt            int64      `json:"exp"`
	jwt.RegisteredClaims `json:"-"` // for the methods required by the library
}

// Sign returns a token of a session for an audience.
func (t Tokens) Sign(c Claims, audience string) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, wireClaims{
		Subject: strconv.FormatInt(c.UserID, 10), Name: c.Name, Role: c.Role, SID: c.SessionID, Audience: audience,
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(),
	}).SignedString(t.key)
}

// clockSkew is the maximum clock difference between nodes. Tokens issued later than that are invalid, because
// they would live longer after a clock was set back.
const clockSkew = 30 * time.Second

// Parse verifies signature, algorithm, audience and times. It returns no errors other than ErrExpired and
// ErrInvalid, so that they reveal nothing.
func (t Tokens) Parse(token, audience string) (Claims, error) {
	c, known := t.checked.get(token, audience)
	if !known {
		var err error
		if c, err = t.check(token, audience); err != nil {
			return Claims{}, err
		}
		t.checked.put(token, audience, c)
	}
	now := t.now()
	if c.IssuedAt.After(now.Add(clockSkew)) { // also if the clock was set back
		return Claims{}, ErrInvalid
	}
	if !now.Before(c.ExpiresAt) {
		return Claims{}, ErrExpired
	}
	return c, nil
}

func (t Tokens) check(token, audience string) (Claims, error) {
	// The library's decoder ignores line breaks, so that a token would have several forms.
	if strings.ContainsAny(token, "\r\n") {
		return Claims{}, ErrInvalid
	}
	var w wireClaims
	_, err := jwt.ParseWithClaims(token, &w, func(*jwt.Token) (any, error) { return t.key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	if err != nil {
		return Claims{}, ErrInvalid
	}
	id, err := strconv.ParseInt(w.Subject, 10, 64)
	c := Claims{id, w.Name, w.Role, w.SID, time.Unix(w.IssuedAt, 0).UTC(), time.Unix(w.ExpiresAt, 0).UTC()}
	if err != nil || id <= 0 || w.SID == "" || w.Audience != audience || audience == "" || w.IssuedAt <= 0 ||
		w.ExpiresAt <= 0 {
		return Claims{}, ErrInvalid
	}
	return c, nil
}

// maxChecked is the maximum number of cached tokens.
const maxChecked = 4096

// checkedTokens caches the claims of verified tokens, because clients send the same token with every request.
// Only the times are checked again.
type checkedTokens struct {
	mu     sync.RWMutex
	cached map[checkedToken]Claims
}

type checkedToken struct{ token, audience string }

func (k *checkedTokens) get(token, audience string) (Claims, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	c, ok := k.cached[checkedToken{token, audience}]
	return c, ok
}

func (k *checkedTokens) put(token, audience string, c Claims) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cached == nil || len(k.cached) >= maxChecked {
		k.cached = map[checkedToken]Claims{}
	}
	k.cached[checkedToken{strings.Clone(token), audience}] = c
}

// NewSecret returns 26 random letters and digits, for session ids, reset links and initial passwords.
func NewSecret() string { return rand.Text() }

// HashSecret returns the form in which an issued secret is stored. It needs no salt, because the secret is
// random.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
