// Package filestest provides buckets on a local S3 server (versitygw, installed by scripts/need) that runs as
// long as the tests.
package filestest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const key = "nadmor"

// Secret is the secret key of the buckets.
const Secret = "secretOfTheTests"

// gateway is the server.
type gateway struct {
	host   string
	client *minio.Client
	stop   func()
}

// Stop stops the server if it was started. TestMain calls it last.
var Stop = func() {}

var startGateway = sync.OnceValues(func() (g *gateway, err error) {
	ctx := context.Background()
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "nadmor").Output()
	if err != nil {
		return nil, fmt.Errorf("go list nadmor: %w", err)
	}
	need := filepath.Join(strings.TrimSpace(string(root)), "scripts", "need")
	out, err := exec.CommandContext(ctx, need, "versitygw").Output() //nolint:gosec // our own script
	if err != nil {
		return nil, fmt.Errorf("scripts/need versitygw: %w", err)
	}
	dir, err := os.MkdirTemp("", "nadmor-s3")
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{"buckets", "metadata"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			return nil, err
		}
	}
	// A free port may be taken before the server listens, so it is tried again on another one.
	for range 5 {
		if g, err = tryGateway(strings.TrimSpace(string(out)), dir); err == nil {
			Stop = g.stop
			return g, nil
		}
	}
	return nil, err
})

func tryGateway(program, dir string) (*gateway, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gateway{host: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	//nolint:gosec // the program that scripts/need names
	cmd := exec.CommandContext(ctx, program, "--port", g.host, "--quiet", "posix",
		"--sidecar", filepath.Join(dir, "metadata"), filepath.Join(dir, "buckets"))
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key, "ROOT_SECRET_KEY="+Secret)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	g.stop = func() {
		cancel()
		<-ended
		_ = os.RemoveAll(dir)
	}
	g.client, err = minio.New(g.host, &minio.Options{Creds: credentials.NewStaticV4(key, Secret, ""), MaxRetries: 1})
	if err != nil {
		return nil, err
	}
	for range 300 {
		if _, err = g.client.ListBuckets(ctx); err == nil {
			return g, nil
		}
		select {
		case <-ended:
			cancel()
			return nil, fmt.Errorf("versitygw ended: %s", log.String())
		case <-time.After(100 * time.Millisecond):
		}
	}
	g.stop()
	return nil, fmt.Errorf("versitygw does not answer: %w", err)
}

// Bucket creates an empty bucket and returns its address.
func Bucket(t testing.TB) string {
	t.Helper()
	host, name, err := NewBucket(t.Context())
	if err != nil {
		t.Fatal(err) // not skipped, because that would hide failures
	}
	return Address(host, name)
}

// NewBucket creates an empty bucket and returns its name and the host of the server.
func NewBucket(ctx context.Context) (host, name string, err error) {
	g, err := startGateway()
	if err != nil {
		return "", "", err
	}
	name = strings.ToLower(rand.Text())
	return g.host, name, g.client.MakeBucket(ctx, name, minio.MakeBucketOptions{})
}

// Address returns the address of a bucket at a host.
func Address(host, name string) string {
	return "s3://" + key + ":" + Secret + "@" + host + "/" + name + "?tls=off"
}
