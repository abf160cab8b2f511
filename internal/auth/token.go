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

// The two audiences. A token for one is refused by the calls of the other.
const (
	AudienceAdmin    = "admin"
	AudienceCustomer = "smq"
)

// Claims is what a token says. The role is there for the browser to show; the
// server looks up session, status and permissions on every call.
type Claims struct {
	UserID    int64
	Name      string
	Role      string
	SessionID string
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// ErrExpired is an honest token whose time is over; ErrInvalid is any other
// token that is not accepted.
var (
	ErrExpired = errors.New("token expired")
	ErrInvalid = errors.New("token invalid")
)

// Tokens signs and checks tokens with one key.
type Tokens struct {
	key     []byte
	now     func() time.Time
	checked *checkedTokens
}

// NewTokens derives the signing key from the installation's secret.
func NewTokens(secret string, now func() time.Time) Tokens {
	return Tokens{key: DeriveKey(secret, "tokens"), now: now, checked: &checkedTokens{}}
}

// DeriveKey makes an independent key for one purpose from the installation's
// secret, so that knowing one key tells nothing about another.
func DeriveKey(secret, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "nadmor "+purpose, 32)
	if err != nil {
		panic(err) // only for absurd lengths
	}
	return key
}

// wireClaims is a token's content as it is written: one audience, whole
// seconds. A token in any other form is not one of ours.
type wireClaims struct {
	Subject              string     `json:"sub"`
	Name                 string     `json:"name"`
	Role                 string     `json:"role"`
	SID                  string     `json:"sid"`
	Audience             string     `json:"aud"`
	IssuedAt             int64      `json:"iat"`
	ExpiresAt            int64      `json:"exp"`
	jwt.RegisteredClaims `json:"-"` // for the methods that the library wants
}

// Sign makes the token of a session for one audience.
func (t Tokens) Sign(c Claims, audience string) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, wireClaims{
		Subject: strconv.FormatInt(c.UserID, 10), Name: c.Name, Role: c.Role, SID: c.SessionID, Audience: audience,
		IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ExpiresAt.Unix(),
	}).SignedString(t.key)
}

// clockSkew is how far ahead the clock of the node that signed may be. A token
// from later than that is refused: a clock that was put back would otherwise let
// it live as much longer.
const clockSkew = 30 * time.Second

// Parse checks signature, algorithm, audience and time. It returns ErrExpired
// or ErrInvalid and nothing else: the reasons are of no use to an honest caller.
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
	if c.IssuedAt.After(now.Add(clockSkew)) { // also when the clock was put back since
		return Claims{}, ErrInvalid
	}
	if !now.Before(c.ExpiresAt) {
		return Claims{}, ErrExpired
	}
	return c, nil
}

func (t Tokens) check(token, audience string) (Claims, error) {
	// The library's decoder skips line ends, so that one token could be written
	// in several ways.
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

// maxChecked bounds how many tokens are remembered.
const maxChecked = 4096

// checkedTokens remembers what honest tokens say: a browser sends the same one
// with every call, and its signature is good once and for all. Only the time is
// looked at again.
type checkedTokens struct {
	mu   sync.RWMutex
	kept map[checkedToken]Claims
}

type checkedToken struct{ token, audience string }

func (k *checkedTokens) get(token, audience string) (Claims, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	c, ok := k.kept[checkedToken{token, audience}]
	return c, ok
}

func (k *checkedTokens) put(token, audience string, c Claims) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= maxChecked {
		k.kept = map[checkedToken]Claims{}
	}
	k.kept[checkedToken{strings.Clone(token), audience}] = c
}

// NewSecret returns an unguessable text of 26 letters and digits, for session
// ids, reset links and first passwords.
func NewSecret() string { return rand.Text() }

// HashSecret is how a secret that was handed out is kept: who reads the
// database cannot use it. It needs no salt, since the secret is random.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
