package files_test

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

const (
	gatewayKey    = "nadmor"
	gatewaySecret = "secretOfTheTests"
)

// gateway is a real S3 server (versitygw, built once by scripts/need) that runs
// on this machine for as long as the tests.
type gateway struct {
	host   string
	client *minio.Client
	stop   func()
}

// stopGateway ends it, if it was started.
var stopGateway = func() {}

var startGateway = sync.OnceValues(func() (g *gateway, err error) {
	out, err := exec.Command("../../scripts/need", "versitygw").Output()
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
	// Nothing can tell that a port is free and still will be a moment later, so a
	// gateway that ends at once is tried again on another.
	for range 5 {
		if g, err = tryGateway(strings.TrimSpace(string(out)), dir); err == nil {
			stopGateway = g.stop
			return g, nil
		}
	}
	return nil, err
})

func tryGateway(program, dir string) (*gateway, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gateway{host: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--port", g.host, "--quiet", "posix", "--sidecar", filepath.Join(dir, "metadata"), filepath.Join(dir, "buckets"))
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+gatewayKey, "ROOT_SECRET_KEY="+gatewaySecret)
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
	g.client, err = minio.New(g.host, &minio.Options{Creds: credentials.NewStaticV4(gatewayKey, gatewaySecret, ""), MaxRetries: 1})
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

// bucket makes an empty bucket and returns its address.
func bucket(t *testing.T) string {
	t.Helper()
	g, err := startGateway()
	if err != nil {
		t.Fatal(err) // never skipped: a bucket that nobody tested does not work
	}
	name := strings.ToLower(rand.Text())
	if err := g.client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return "s3://" + gatewayKey + ":" + gatewaySecret + "@" + g.host + "/" + name + "?tls=off"
}

func TestMain(m *testing.M) {
	code := m.Run()
	stopGateway()
	os.Exit(code)
}
