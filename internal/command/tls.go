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

// keyPair is the certificate of the HTTPS server. Its files are checked for each new connection and read
// again when they change, so that a renewal needs no restart.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	files [2]fs.FileInfo // when they were last read
	pair  *tls.Certificate
	fault string // last error, logged once
}

// newKeyPair reads a certificate. It returns nil if none is configured, and an error if it cannot be used.
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

// changed reports whether a file has changed since the last call. If one is missing nothing is recorded, so
// that the change of the other is not lost.
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

// current returns the newest usable certificate: the previous one while only one file is renewed or a file is
// invalid.
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
		k.log.Warn("the certificate cannot be read, the previous one is used", "error", k.fault)
	}
	return k.pair
}

// config returns the TLS configuration with Go's default ciphers.
func (k *keyPair) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.current(), nil },
	}
}

// expiry returns a metric with the expiry time of the certificate.
func (k *keyPair) expiry() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "nadmor_tls_certificate_expiry_seconds", Help: "Expiry of the certificate as Unix time.",
	}, func() float64 { return float64(k.current().Leaf.NotAfter.Unix()) })
}
