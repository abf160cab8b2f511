package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
)

// Box keeps small secrets that must be read again (one-time-code secrets) out
// of reach of whoever reads only the database.
type Box struct{ aead cipher.AEAD }

// NewBox derives the box's key from the installation's secret.
func NewBox(secret string) Box {
	block, err := aes.NewCipher(DeriveKey(secret, "box"))
	if err != nil {
		panic(err) // the key has the right length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES always has the right block size
	}
	return Box{aead}
}

// Seal locks plain up for one owner: opened for another it fails.
func (b Box) Seal(plain, owner string) string {
	sealed := b.aead.Seal(nil, nil, []byte(plain), []byte(owner)) //nolint:gosec // this AEAD makes its own random nonce
	return base64.RawStdEncoding.EncodeToString(sealed)
}

// Open returns what was sealed for the owner.
func (b Box) Open(sealed, owner string) (string, error) {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return "", errors.New("not a sealed secret")
	}
	plain, err := b.aead.Open(nil, nil, raw, []byte(owner))
	if err != nil {
		return "", errors.New("the secret cannot be opened: NADMOR_SECRET is another one, or it was edited")
	}
	return string(plain), nil
}
