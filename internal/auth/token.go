package auth

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
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
	key []byte
	now func() time.Time
}

// NewTokens derives the signing key from the installation's secret.
func NewTokens(secret string, now func() time.Time) Tokens {
	return Tokens{key: DeriveKey(secret, "tokens"), now: now}
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

type wireClaims struct {
	Name string `json:"name"`
	Role string `json:"role"`
	SID  string `json:"sid"`
	jwt.RegisteredClaims
}

// Sign makes the token of a session for one audience.
func (t Tokens) Sign(c Claims, audience string) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, wireClaims{c.Name, c.Role, c.SessionID, jwt.RegisteredClaims{
		Subject:   strconv.FormatInt(c.UserID, 10),
		Audience:  jwt.ClaimStrings{audience},
		IssuedAt:  jwt.NewNumericDate(c.IssuedAt),
		ExpiresAt: jwt.NewNumericDate(c.ExpiresAt),
	}}).SignedString(t.key)
}

// Parse checks signature, algorithm, audience and time. It returns ErrExpired
// or ErrInvalid and nothing else: the reasons are of no use to an honest caller.
func (t Tokens) Parse(token, audience string) (Claims, error) {
	var w wireClaims
	_, err := jwt.ParseWithClaims(token, &w, func(*jwt.Token) (any, error) { return t.key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithAudience(audience), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(30*time.Second), jwt.WithTimeFunc(t.now), jwt.WithStrictDecoding())
	// The library allows the leeway after the end as well; the end is the end.
	if err == nil && !t.now().Before(w.ExpiresAt.Time) {
		return Claims{}, ErrExpired
	}
	if errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenInvalidAudience) {
		return Claims{}, ErrExpired
	}
	if err != nil || len(w.Audience) != 1 || w.SID == "" {
		return Claims{}, ErrInvalid
	}
	id, err := strconv.ParseInt(w.Subject, 10, 64)
	if err != nil || id <= 0 || w.IssuedAt == nil {
		return Claims{}, ErrInvalid
	}
	return Claims{id, w.Name, w.Role, w.SID, w.IssuedAt.Time, w.ExpiresAt.Time}, nil
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

// One audience is written as a text, not as a list of one.
func init() { jwt.MarshalSingleStringAsArray = false }
