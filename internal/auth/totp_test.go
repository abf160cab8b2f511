package auth

import (
	"net/url"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// rfcSecret is the secret of the test vectors of RFC 6238, in base 32.
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// Appendix B of RFC 6238, SHA-1. The RFC has eight digits, of which these are the last six.
func TestCheckTOTPVectors(t *testing.T) {
	t.Parallel()
	for second, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		period, ok := CheckTOTP(rfcSecret, code, time.Unix(second, 0), 0)
		if !ok || period != second/30 {
			t.Errorf("at %d the code %s gives period %d, %v", second, code, period, ok)
		}
	}
}

func TestCheckTOTP(t *testing.T) {
	t.Parallel()
	const current = 1234567890 / 30
	now := time.Unix(current*30, 0)
	code := func(period int64) string {
		c, err := totp.GenerateCode(rfcSecret, time.Unix(period*30, 0))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	cases := map[string]struct {
		code   string
		at     time.Time
		used   int64
		period int64 // 0 for an invalid code
	}{
		"the code of now is accepted": {code(current), now, 0, current},
		"to the last moment of its period": {
			code(current), now.Add(30*time.Second - 1), 0, current,
		},
		"the one before is accepted, for slow typing":          {code(current - 1), now, 0, current - 1},
		"the one after is accepted, for a phone that is ahead": {code(current + 1), now, 0, current + 1},
		"two before is refused":                                {code(current - 2), now, 0, 0},
		"two after is refused":                                 {code(current + 2), now, 0, 0},
		"a code that was used is refused":                      {code(current), now, current, 0},
		"and still is in the next period": {
			code(current), now.Add(30 * time.Second), current, 0,
		},
		"an earlier one that was not used is refused after a later one": {code(current - 1), now, current, 0},
		"a later one is accepted":                              {code(current + 1), now, current, current + 1},
		"after the one ahead was used, that of now is refused": {code(current), now, current + 1, 0},
		"nothing is refused":                                   {"", now, 0, 0},
		"five digits are refused":                              {code(current)[:5], now, 0, 0},
		"five digits without the leading zero are refused":     {"5924", time.Unix(1234567890, 0), 0, 0},
		"seven digits are refused":                             {code(current) + "0", now, 0, 0},
		"spaces around it are refused":                         {" " + code(current), now, 0, 0},
		"Thai digits are refused":                              {"๐๐๕๙๒๔", time.Unix(1234567890, 0), 0, 0},
		"letters are refused":                                  {"abcdef", now, 0, 0},
		"another code is refused":                              {"000000", now, 0, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			period, ok := CheckTOTP(rfcSecret, c.code, c.at, c.used)
			if period != c.period || ok != (c.period != 0) {
				t.Errorf("got period %d, %v, want %d", period, ok, c.period)
			}
		})
	}
}

func TestCheckTOTPInvalidSecret(t *testing.T) {
	t.Parallel()
	now := time.Unix(1234567890, 0)
	for _, secret := range []string{"", "not base 32 !!!", "1"} {
		for _, code := range []string{"", "000000", "005924"} {
			if secret == "" && code != "" {
				continue // an empty key has valid codes
			}
			if _, ok := CheckTOTP(secret, code, now, 0); ok {
				t.Errorf("secret %q accepts %q", secret, code)
			}
		}
	}
}

func TestNewTOTPURI(t *testing.T) {
	t.Parallel()
	secret, uri, err := NewTOTP("Nadmor โรงพยาบาลศรีนคร", "somchai.k")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Nadmor โรงพยาบาลศรีนคร:somchai.k" ||
		q.Get("secret") != secret ||
		q.Get("issuer") != "Nadmor โรงพยาบาลศรีนคร" || q.Get("period") != "30" || q.Get("digits") != "6" ||
		q.Get("algorithm") != "SHA1" {
		t.Errorf("the address is %s", uri)
	}
	if len(secret) < 32 { // 160 bits, as RFC 4226 recommends
		t.Errorf("the secret has only %d letters", len(secret))
	}
	other, _, err := NewTOTP("Nadmor", "somchai.k")
	if err != nil || other == secret {
		t.Errorf("two secrets are the same: %s, %v", other, err)
	}
	now := time.Unix(1234567890, 0)
	code, err := totp.GenerateCode(secret, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := CheckTOTP(secret, code, now, 0); !ok {
		t.Error("its own code is refused")
	}
}
