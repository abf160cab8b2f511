package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
)

// Box encrypts small secrets, such as one-time-code secrets, so that reading the database is not enough.
type Box struct{ aead cipher.AEAD }

// NewBox derives the key from the installation's secret.
func NewBox(secret string) Box {
	block, err := aes.NewCipher(DeriveKey(secret, "box"))
	if err != nil {
		panic(err) // the length is correct
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // the block size is correct
	}
	return Box{aead}
}

// Seal encrypts plain for an owner. It can only be opened for the same owner.
func (b Box) Seal(plain, owner string) string {
	sealed := b.aead.Seal(nil, nil, []byte(plain), []byte(owner)) //nolint:gosec // this AEAD makes its own random nonce
	return base64.RawStdEncoding.EncodeToString(sealed)
}

// Open decrypts a secret that was sealed for the owner.
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
