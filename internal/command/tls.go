package command

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// keyPair is the certificate that HTTPS is served with. Its files are looked at
// for every new connection and read again when they changed, so that a renewal
// needs no restart.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	files [2]fs.FileInfo // as they were when they were last read
	pair  *tls.Certificate
	fault string // what was last wrong with them; told once
}

// newKeyPair reads a certificate: nil where none is configured. One that cannot
// be used keeps the server from starting.
func newKeyPair(certFile, keyFile string, log *slog.Logger) (*keyPair, error) {
	switch {
	case certFile == "" && keyFile == "":
		return nil, nil
	case certFile == "" || keyFile == "":
		return nil, errors.New("NADMOR_TLS_CERT and NADMOR_TLS_KEY belong together: give both, or none")
	}
	k := &keyPair{certFile: certFile, keyFile: keyFile, log: log}
	if _, err := k.changed(); err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	if err := k.read(); err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return k, nil
}

// changed reports whether a file is another one than when it was last asked. While
// one is away nothing is noted, so that the other's change is not forgotten.
func (k *keyPair) changed() (changed bool, err error) {
	var now [2]fs.FileInfo
	for i, name := range []string{k.certFile, k.keyFile} {
		if now[i], err = os.Stat(name); err != nil {
			return false, err
		}
	}
	for i, before := range k.files {
		if before == nil || !os.SameFile(before, now[i]) || !before.ModTime().Equal(now[i].ModTime()) ||
			before.Size() != now[i].Size() {
			changed = true
		}
	}
	k.files = now
	return changed, nil
}

func (k *keyPair) read() error {
	pair, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil {
		return err
	}
	k.pair = &pair
	return nil
}

// current is the newest certificate that can be used. While a renewal has written
// one of the two files, or a broken one, that is the one before.
func (k *keyPair) current() *tls.Certificate {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed, err := k.changed()
	if err == nil && changed {
		if err = k.read(); err == nil {
			k.fault = ""
			k.log.Info("the certificate was renewed", "until", k.pair.Leaf.NotAfter)
		}
	}
	if err != nil && err.Error() != k.fault {
		k.fault = err.Error()
		k.log.Warn("the certificate cannot be read, the one before is used", "error", k.fault)
	}
	return k.pair
}

// config is how HTTPS is spoken. Go's own choice of ciphers is the current one.
func (k *keyPair) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.current(), nil },
	}
}

// expiry tells when the certificate ends, so that somebody hears of it before.
func (k *keyPair) expiry() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "nadmor_tls_certificate_expiry_seconds", Help: "When the certificate ends, in seconds since 1970.",
	}, func() float64 { return float64(k.current().Leaf.NotAfter.Unix()) })
}
