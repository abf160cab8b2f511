package command

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthCmd struct {
	Addr    string `help:"Address the server listens on." default:"127.0.0.1:8080" env:"NADMOR_ADDR"`
	TLSCert string `name:"tls-cert" help:"Set if the server uses HTTPS." env:"NADMOR_TLS_CERT" type:"path"`
	Ready   bool   `help:"Check readiness (/readyz) instead of liveness (/healthz)."`
}

// Run requests the health of the server on this machine, for containers without a shell or curl.
func (c *healthCmd) Run(ctx context.Context, a *app) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("read NADMOR_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme, path := "http", "/healthz"
	if c.TLSCert != "" {
		scheme = "https"
	}
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return err
	}
	// The certificate is for the public address, and the request contains no secret.
	unverified := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // see above
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: unverified}}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", path, res.Status)
	}
	fmt.Fprintln(a.Stdout, "ok")
	return nil
}
