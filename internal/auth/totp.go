package auth

import (
	"crypto/subtle"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

const totpPeriod = 30

// NewTOTP returns a secret for an authenticator app and its URI for a QR code.
func NewTOTP(issuer, account string) (secret, uri string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: account, Period: totpPeriod})
	if err != nil {
		return "", "", err
	}
	return key.Secret(), key.URL(), nil
}

// CheckTOTP accepts the code of the current, the previous and the next period, because clocks differ, but
// only of a period after used, so that a code is valid once. It returns the period of the code.
func CheckTOTP(secret, code string, now time.Time, used int64) (period int64, ok bool) {
	current := now.Unix() / totpPeriod
	for _, p := range []int64{current, current - 1, current + 1} {
		if p <= used {
			continue
		}
		want, err := hotp.GenerateCodeCustom(secret, uint64(p), hotp.ValidateOpts{
			Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
		})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return p, true
		}
	}
	return 0, false
}
