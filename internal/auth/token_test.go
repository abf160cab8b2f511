package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const secretOfTests = "the secret of the installation"

// noon is the time of the tests.
var noon = time.Date(2026, 11, 16, 5, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

var someone = Claims{
	UserID: 7, Name: "กมลชนก ศรีสวัสดิ์", Role: "NURSE", SessionID: "SESSION7", IssuedAt: noon,
	ExpiresAt: noon.Add(12 * time.Hour),
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// sign signs any header and payload with any key, as an attacker might.
func sign(algorithm func() hash.Hash, key []byte, header, payload string) string {
	text := b64([]byte(header)) + "." + b64([]byte(payload))
	mac := hmac.New(algorithm, key)
	mac.Write([]byte(text))
	return text + "." + b64(mac.Sum(nil))
}

const hs256 = `{"alg":"HS256","typ":"JWT"}`

// payload returns a valid payload with some claims replaced, or removed if nil.
func payload(t *testing.T, change map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"sub": "7", "name": "กมลชนก", "role": "NURSE", "sid": "SESSION7", "aud": "admin", "iat": noon.Unix(),
		"exp": noon.Add(time.Hour).Unix(),
	}
	for k, v := range change {
		if v == nil {
			delete(claims, k)
		} else {
			claims[k] = v
		}
	}
	b, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	for _, audience := range []string{AudienceAdmin, AudienceCustomer} {
		signer, reader := NewTokens(secretOfTests, at(noon)), NewTokens(secretOfTests, at(noon.Add(time.Minute)))
		token, err := signer.Sign(someone, audience)
		if err != nil {
			t.Fatal(err)
		}
		got, err := reader.Parse(token, audience)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(someone, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", audience, d)
		}
	}
}

// The claims that clients and other systems read.
func TestTokenFormat(t *testing.T) {
	t.Parallel()
	token, err := NewTokens(secretOfTests, at(noon)).Sign(someone, AudienceCustomer)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token is %s", token)
	}
	var got [2]map[string]any
	for i := range got {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &got[i]); err != nil {
			t.Fatal(err)
		}
	}
	want := [2]map[string]any{
		{"alg": "HS256", "typ": "JWT"},
		{
			"sub": "7", "name": "กมลชนก ศรีสวัสดิ์", "role": "NURSE", "sid": "SESSION7", "aud": "smq",
			"iat": float64(noon.Unix()), "exp": float64(noon.Add(12 * time.Hour).Unix()),
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTokenOfOtherAudienceIsRejected(t *testing.T) {
	t.Parallel()
	tokens := NewTokens(secretOfTests, at(noon))
	for of, at := range map[string]string{AudienceAdmin: AudienceCustomer, AudienceCustomer: AudienceAdmin} {
		token, err := tokens.Sign(someone, of)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := tokens.Parse(token, at); !errors.Is(err, ErrInvalid) || c != (Claims{}) {
			t.Errorf("a token for %s at %s: %v, %v", of, at, c, err)
		}
	}
}

// A token expires without leeway.
func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	token, err := NewTokens(secretOfTests, at(noon)).Sign(someone, AudienceAdmin)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		now  time.Time
		want error
	}{
		"when it was made":          {noon, nil},
		"the moment before its end": {someone.ExpiresAt.Add(-1), nil},
		"at its end":                {someone.ExpiresAt, ErrExpired},
		"a second later":            {someone.ExpiresAt.Add(time.Second), ErrExpired},
		"a minute later":            {someone.ExpiresAt.Add(time.Minute), ErrExpired},
		"a year later":              {someone.ExpiresAt.AddDate(1, 0, 0), ErrExpired},
		"by a node whose clock is half a minute behind": {noon.Add(-30 * time.Second), nil},
		"by a node whose clock is further behind":       {noon.Add(-31 * time.Second), ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := NewTokens(secretOfTests, at(c.now)).Parse(token, AudienceAdmin)
			if !errors.Is(err, c.want) || (err == nil) != (got == someone) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestForgedTokensAreRejected(t *testing.T) {
	t.Parallel()
	tokens := NewTokens(secretOfTests, at(noon))
	key := tokens.key
	good := sign(sha256.New, key, hs256, payload(t, nil))
	if _, err := tokens.Parse(good, AudienceAdmin); err != nil {
		t.Fatalf("the good one, of which the forgeries are made, is refused: %v", err)
	}
	parts := strings.Split(good, ".")
	header, body, signature := parts[0], parts[1], parts[2]
	unsigned := func(alg string) string {
		return b64(fmt.Appendf(nil, `{"alg":%s,"typ":"JWT"}`, alg)) + "." + body + "."
	}
	with := func(change map[string]any) string { return sign(sha256.New, key, hs256, payload(t, change)) }
	raw := func(payload string) string { return sign(sha256.New, key, hs256, payload) }
	wrong := DeriveKey("another secret", "tokens")
	rsaKey, err := rsa.GenerateKey(rand.Reader, 1024) // an attacker's key
	if err != nil {
		t.Fatal(err)
	}
	expired := map[string]any{"exp": noon.Add(-time.Hour).Unix(), "iat": noon.Add(-2 * time.Hour).Unix()}

	forgeries := map[string]string{
		// Without a signature.
		`alg none`:                             unsigned(`"none"`),
		`alg None`:                             unsigned(`"None"`),
		`alg NONE`:                             unsigned(`"NONE"`),
		`alg nOnE`:                             unsigned(`"nOnE"`),
		`alg none with a space`:                unsigned(`"none "`),
		`alg empty`:                            unsigned(`""`),
		`alg null`:                             unsigned(`null`),
		`alg a list`:                           unsigned(`["HS256"]`),
		`alg a number`:                         unsigned(`256`),
		`alg none with the good signature`:     unsigned(`"none"`) + signature,
		`no alg`:                               sign(sha256.New, key, `{"typ":"JWT"}`, payload(t, nil)),
		`the good header without a signature`:  header + "." + body + ".",
		`the good header and no third segment`: header + "." + body,
		`alg none as a second alg`:             sign(sha256.New, key, `{"alg":"HS256","alg":"none"}`, payload(t, nil)),
		`no header`:                            "." + body + "." + signature,
		`no payload`:                           header + ".." + signature,

		// With another algorithm.
		`HS384 with the right key`: sign(sha512.New384, key, `{"alg":"HS384","typ":"JWT"}`,
			payload(t, nil)),
		`HS512 with the right key`: sign(sha512.New, key, `{"alg":"HS512","typ":"JWT"}`, payload(t, nil)),
		`hs256 in lower case`:      sign(sha256.New, key, `{"alg":"hs256","typ":"JWT"}`, payload(t, nil)),
		`HS256 with a space`: sign(sha256.New, key, `{"alg":"HS256 ","typ":"JWT"}`,
			payload(t, nil)),
		`RS256 in the header, HMAC with the right key`: sign(sha256.New, key, `{"alg":"RS256","typ":"JWT"}`, payload(t, nil)),
		`ES256 in the header`:                          sign(sha256.New, key, `{"alg":"ES256","typ":"JWT"}`, payload(t, nil)),
		`EdDSA in the header`:                          sign(sha256.New, key, `{"alg":"EdDSA","typ":"JWT"}`, payload(t, nil)),
		`HMAC with a public key`:                       sign(sha256.New, rsaKey.N.Bytes(), hs256, payload(t, nil)),

		// With another key.
		`a wrong key`:                  sign(sha256.New, wrong, hs256, payload(t, nil)),
		`an empty key`:                 sign(sha256.New, nil, hs256, payload(t, nil)),
		`the secret itself as the key`: sign(sha256.New, []byte(secretOfTests), hs256, payload(t, nil)),
		`the key of the box`:           sign(sha256.New, DeriveKey(secretOfTests, "box"), hs256, payload(t, nil)),
		`a key that the token brings`: sign(sha256.New, wrong,
			fmt.Sprintf(`{"alg":"HS256","jwk":{"kty":"oct","k":%q}}`, b64(wrong)), payload(t, nil)),
		`a key id that is a path`: sign(sha256.New, nil, `{"alg":"HS256","kid":"../../dev/null"}`,
			payload(t, nil)),
		`expired, with a wrong key`:       sign(sha256.New, wrong, hs256, payload(t, expired)),
		`expired, without a signature`:    b64([]byte(`{"alg":"none"}`)) + "." + b64([]byte(payload(t, expired))) + ".",
		`expired, for the wrong audience`: with(map[string]any{"aud": "smq", "exp": noon.Add(-time.Hour).Unix()}),
		`the signature of another token`: header + "." + body + "." +
			strings.Split(with(map[string]any{"sub": "8"}), ".")[2],
		`the signature cut short`:            header + "." + body + "." + signature[:len(signature)-2],
		`the signature with a letter more`:   good + "A",
		`the signature's spare bits changed`: good[:len(good)-1] + spareBits(t, good[len(good)-1]),

		// With changed claims.
		`the payload changed`: header + "." + b64([]byte(payload(t, map[string]any{"sub": "1"}))) + "." +
			signature,
		`the header changed`:               b64([]byte(`{"typ":"JWT","alg":"HS256"}`)) + "." + body + "." + signature,
		`the payload and header exchanged`: body + "." + header + "." + signature,
		`the wrong audience`:               with(map[string]any{"aud": "smq"}),
		`an audience nobody has`:           with(map[string]any{"aud": "ADMIN"}),
		`an audience with a space`:         with(map[string]any{"aud": "admin "}),
		`both audiences`:                   with(map[string]any{"aud": []string{"admin", "smq"}}),
		`a list of the right audience`:     with(map[string]any{"aud": []string{"admin"}}),
		`an empty list of audiences`:       with(map[string]any{"aud": []string{}}),
		`an empty audience`:                with(map[string]any{"aud": ""}),
		`an audience that is true`:         with(map[string]any{"aud": true}),
		`no audience`:                      with(map[string]any{"aud": nil}),
		`no end`:                           with(map[string]any{"exp": nil}),
		`an end as text`:                   with(map[string]any{"exp": fmt.Sprint(noon.Add(time.Hour).Unix())}),
		`an end that is no number`:         with(map[string]any{"exp": "never"}),
		`an end that is null`: raw(strings.Replace(payload(t, map[string]any{"exp": 1}), `"exp":1`,
			`"exp":null`, 1)),
		`an end beyond all time`: raw(strings.Replace(payload(t, map[string]any{"exp": 1}), `"exp":1`,
			`"exp":1e400`, 1)),
		`an end that overflows`: raw(strings.Replace(payload(t, map[string]any{"exp": 1}), `"exp":1`,
			`"exp":9223372036854775808`, 1)),
		`an end of zero`:     with(map[string]any{"exp": 0}),
		`a negative end`:     with(map[string]any{"exp": -1}),
		`made in the future`: with(map[string]any{"iat": noon.Add(31 * time.Second).Unix()}),
		`made a year ahead`: with(map[string]any{
			"iat": noon.AddDate(1, 0, 0).Unix(), "exp": noon.AddDate(2, 0, 0).Unix(),
		}),
		`made at no time`:                   with(map[string]any{"iat": nil}),
		`made at a text`:                    with(map[string]any{"iat": "2026-11-16"}),
		`no session`:                        with(map[string]any{"sid": nil}),
		`an empty session`:                  with(map[string]any{"sid": ""}),
		`a session that is a number`:        with(map[string]any{"sid": 7}),
		`no subject`:                        with(map[string]any{"sub": nil}),
		`a subject that is no number`:       with(map[string]any{"sub": "admin"}),
		`a subject written as a number`:     with(map[string]any{"sub": 7}),
		`a subject of zero`:                 with(map[string]any{"sub": "0"}),
		`a negative subject`:                with(map[string]any{"sub": "-7"}),
		`a subject with a space`:            with(map[string]any{"sub": " 7"}),
		`a subject with a fraction`:         with(map[string]any{"sub": "7.0"}),
		`a subject too big`:                 with(map[string]any{"sub": "9223372036854775808"}),
		`a subject in Thai digits`:          with(map[string]any{"sub": "๗"}),
		`a payload that is no JSON`:         raw(`admin`),
		`a payload that is a list`:          raw(`[]`),
		`a payload that is null`:            raw(`null`),
		`an empty payload`:                  raw(``),
		`an empty object`:                   raw(`{}`),
		`a payload with something after it`: raw(payload(t, nil) + `{}`),
		`a header that is no JSON`:          sign(sha256.New, key, `HS256`, payload(t, nil)),

		// In another encoding.
		`nothing`:                              "",
		`a dot`:                                ".",
		`two dots`:                             "..",
		`three dots`:                           "...",
		`a word`:                               "token",
		`a segment more`:                       good + ".AAAA",
		`an empty segment more`:                good + ".",
		`an empty segment before`:              "." + good,
		`garbage after it`:                     good + "!",
		`a space before it`:                    " " + good,
		`a space after it`:                     good + " ",
		`a tab after it`:                       good + "\t",
		`a line end after it`:                  good + "\n",
		`a line end in the signature`:          good[:len(good)-3] + "\r\n" + good[len(good)-3:],
		`a line end in the payload`:            header + "." + body[:4] + "\n" + body[4:] + "." + signature,
		`a NUL after it`:                       good + "\x00",
		`padding`:                              good + "=",
		`padding in every segment`:             header + "=." + body + "==." + signature + "=",
		`standard base 64`:                     header + "." + body + "." + standardAlphabet(signature),
		`Bearer before it`:                     "Bearer " + good,
		`quoted`:                               `"` + good + `"`,
		`twice, with a comma`:                  good + "," + good,
		`a million letters`:                    strings.Repeat("A", 1_000_000),
		`a million dots`:                       strings.Repeat(".", 1_000_000),
		`a payload of a million letters`:       header + "." + strings.Repeat("A", 1_000_000) + "." + signature,
		`a payload of a hundred thousand open`: raw(strings.Repeat("[", 100_000)),
	}
	if len(forgeries) < 40 {
		t.Errorf("only %d forgeries", len(forgeries))
	}
	for name, token := range forgeries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tokens.Parse(token, AudienceAdmin)
			if err != ErrInvalid { //nolint:errorlint // exact, wrapped or not
				t.Errorf("Parse answers %v, %v", got, err)
			}
			if got != (Claims{}) {
				t.Errorf("it is refused and still says %v", got)
			}
		})
	}
}

// spareBits returns another last letter of a signature that decodes to the same bytes: the last of 43 letters
// has only four significant bits.
func spareBits(t *testing.T, last byte) string {
	t.Helper()
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	i := strings.IndexByte(alphabet, last)
	if i < 0 || i%4 != 0 {
		t.Fatalf("%q is no last letter of a signature", last)
	}
	return alphabet[i+1 : i+2]
}

// standardAlphabet encodes a signature with + and / instead of - and _, always with a + first.
func standardAlphabet(signature string) string {
	return "+" + strings.NewReplacer("-", "+", "_", "/").Replace(signature)[1:]
}

// A genuine expired token is distinguished, so that the app can ask to sign in again.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	tokens := NewTokens(secretOfTests, at(noon))
	for name, exp := range map[string]int64{
		"just now": noon.Unix(), "an hour ago": noon.Add(-time.Hour).Unix(), "long ago": 1,
	} {
		token := sign(sha256.New, tokens.key, hs256, payload(t, map[string]any{"iat": 1, "exp": exp}))
		got, err := tokens.Parse(token, AudienceAdmin)
		if err != ErrExpired || got != (Claims{}) { //nolint:errorlint // exact
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestKeysDependOnSecret(t *testing.T) {
	t.Parallel()
	token, err := NewTokens("the secret of another hospital", at(noon)).Sign(someone, AudienceAdmin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTokens(secretOfTests, at(noon)).Parse(token, AudienceAdmin); !errors.Is(err, ErrInvalid) {
		t.Errorf("a token of another hospital: %v", err)
	}
	seen := map[string]string{}
	for _, secret := range []string{"", "a", "the secret of another hospital", secretOfTests} {
		for _, purpose := range []string{"tokens", "box", "audit"} {
			key := DeriveKey(secret, purpose)
			if len(key) != 32 || !bytes.Equal(key, DeriveKey(secret, purpose)) {
				t.Errorf("the key of %q for %s has %d bytes, or changes", secret, purpose, len(key))
			}
			if other := seen[string(key)]; other != "" {
				t.Errorf("%q for %s has the key of %s", secret, purpose, other)
			}
			seen[string(key)] = secret + " " + purpose
		}
	}
}

func TestNewSecretAndHash(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		s := NewSecret()
		if len(s) != 26 || seen[s] {
			t.Fatalf("the secret %q is short, or was given out before", s)
		}
		seen[s] = true
	}
	const secret = "5TZPQ3VLKX7RAHWM2C4NYEBJ6D"
	sum := HashSecret(secret)
	// SHA-256 in hexadecimal. Another form would invalidate the links and locks of existing databases.
	want := sha256.Sum256([]byte(secret))
	if sum != fmt.Sprintf("%x", want) || sum != HashSecret(secret) {
		t.Errorf("the hash is %s", sum)
	}
	if strings.Contains(strings.ToUpper(sum), secret) || HashSecret(secret+"A") == sum ||
		HashSecret(strings.ToLower(secret)) == sum {
		t.Error("the hash shows the secret, or is that of another one too")
	}
}

// FuzzParseToken mutates genuine tokens. Parse must not panic, and every accepted token must have a valid
// signature.
func FuzzParseToken(f *testing.F) {
	tokens := NewTokens(secretOfTests, at(noon))
	good, err := tokens.Sign(someone, AudienceAdmin)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("")
	f.Add("..")
	f.Add(good + "\n")
	f.Add(good + ".")
	f.Add(b64([]byte(`{"alg":"none"}`)) + "." + strings.Split(good, ".")[1] + ".")
	f.Add(sign(sha512.New, tokens.key, `{"alg":"HS512"}`, `{"sub":"7","sid":"x","aud":"admin","iat":1,"exp":99999999999}`))
	f.Add(sign(sha256.New, tokens.key, hs256, `{"sub":"7","sid":"x","aud":["admin"],"iat":1,"exp":"99999999999"}`))
	f.Fuzz(func(t *testing.T, token string) {
		got, err := tokens.Parse(token, AudienceAdmin)
		if err != nil {
			if err != ErrInvalid && err != ErrExpired || got != (Claims{}) { //nolint:errorlint // exact
				t.Errorf("%q: %v, %v", token, got, err)
			}
			return
		}
		i := strings.LastIndexByte(token, '.')
		mac := hmac.New(sha256.New, tokens.key)
		mac.Write([]byte(token[:max(i, 0)]))
		if i < 0 || token[i+1:] != b64(mac.Sum(nil)) {
			t.Errorf("%q is accepted and not signed", token)
		}
	})
}

func TestTokenFromTheFutureIsRejected(t *testing.T) {
	t.Parallel()
	now := noon
	tokens := NewTokens("the secret of the tests", func() time.Time { return now })
	token, err := tokens.Sign(Claims{
		UserID: 7, Name: "ก", Role: "NURSE", SessionID: "s", IssuedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}, AudienceAdmin)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		at   time.Duration
		want error
	}{
		{0, nil}, {-31 * time.Second, ErrInvalid}, {-24 * time.Hour, ErrInvalid}, {-29 * time.Second, nil},
		{59 * time.Minute, nil}, {time.Hour, ErrExpired},
	} {
		now = noon.Add(step.at)
		if _, err := tokens.Parse(token, AudienceAdmin); !errors.Is(err, step.want) {
			t.Errorf("%s from when it was made: %v, want %v", step.at, err, step.want)
		}
	}
}
