package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// partSize is how much of an upload is in memory at a time, the minimum of S3.
const partSize = 5 << 20

// s3Timeout is how long the server may take, including retries, before an error is returned. The time of the
// client that sends or receives a file is not counted.
const s3Timeout = 15 * time.Second

// S3 stores files in a bucket, which any number of nodes can share.
type S3 struct {
	client         *minio.Client
	bucket, prefix string // prefix is empty or ends with a slash
	timeout        time.Duration
}

// OpenS3 opens the bucket of an address:
//
//	s3://KEY:SECRET@host[:port]/bucket[/prefix][?region=…&tls=off]
//
// Key and secret must be percent-encoded if they contain : / @ ? # or %. The bucket must exist. Nothing
// outside the prefix is accessed. tls=off is for a server on the same machine or in a private network.
func OpenS3(ctx context.Context, address string) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil { // err may contain the secret
		return nil,
			errors.New("NADMOR_FILES_URL cannot be read as an address: percent-encode special characters in key and secret")
	}
	secret, _ := u.User.Password()
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if u.User.Username() == "" || secret == "" || u.Host == "" || bucket == "" {
		return nil, errors.New("NADMOR_FILES_URL is not complete: s3://KEY:SECRET@host[:port]/bucket")
	}
	if prefix != "" {
		prefix += "/"
	}
	o := minio.Options{Creds: credentials.NewStaticV4(u.User.Username(), secret, ""), Secure: true, MaxRetries: 3}
	for name, values := range u.Query() {
		switch {
		case name == "region":
			o.Region = values[0]
		case name == "tls" && values[0] == "off":
			o.Secure = false
		default:
			return nil, fmt.Errorf("NADMOR_FILES_URL: unknown option %q; the options are region=… and tls=off", name)
		}
	}
	client, err := minio.New(u.Host, &o)
	if err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	s := &S3{client, bucket, prefix, s3Timeout}
	bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := s.Ready(bounded); err != nil {
		return nil, err
	}
	return s, nil
}

// Close implements Store.
func (s *S3) Close() error { return nil }

// Ready reports whether the bucket answers.
func (s *S3) Ready(ctx context.Context) error {
	exists, err := s.client.BucketExists(ctx, s.bucket)
	if err == nil && !exists {
		err = fmt.Errorf("there is no bucket %s", s.bucket)
	}
	if err != nil {
		return fmt.Errorf("reach the file bucket: %w", err)
	}
	return nil
}

// waiting measures how long the server takes, and cancels the request if that is too long.
type waiting struct {
	ctx     context.Context
	end     context.CancelFunc
	timer   *time.Timer
	timeout time.Duration
	late    atomic.Bool
}

// wait starts the timer.
func (s *S3) wait(ctx context.Context) *waiting {
	w := &waiting{timeout: s.timeout}
	w.ctx, w.end = context.WithCancel(ctx)
	w.timer = time.AfterFunc(s.timeout, func() {
		w.late.Store(true)
		w.end()
	})
	return w
}

// pause stops the timer while the client is waited for; goOn restarts it.
func (w *waiting) pause() { w.timer.Stop() }
func (w *waiting) goOn()  { w.timer.Reset(w.timeout) }

// over releases the timer.
func (w *waiting) over() {
	w.pause()
	w.end()
}

// orTimeout replaces the error of a request that the timer cancelled.
func (w *waiting) orTimeout(err error) error {
	if err != nil && w.late.Load() {
		return fmt.Errorf("the file bucket did not answer within %s: %w", w.timeout, os.ErrDeadlineExceeded)
	}
	return err
}

// clientReader reads from the client, whose time is not counted.
type clientReader struct {
	io.Reader
	*waiting
}

// Read implements io.Reader.
func (s clientReader) Read(p []byte) (int, error) {
	s.pause()
	defer s.goOn()
	return s.Reader.Read(p)
}

// Put uploads the file in parts. It exists once the last part is complete.
func (s *S3) Put(ctx context.Context, key string, r io.Reader, limit int64) (Stored, error) {
	if err := checkKey(key); err != nil {
		return Stored{}, err
	}
	w := s.wait(ctx)
	defer w.over()
	in := newMeasure(ctx, r, limit)
	_, err := s.client.PutObject(w.ctx, s.bucket, s.prefix+key, clientReader{in, w}, -1, minio.PutObjectOptions{
		PartSize: partSize, ContentType: "application/octet-stream",
	})
	if in.err != nil {
		err = in.err // the error of the client, not its consequence
	}
	if err != nil {
		return Stored{}, fmt.Errorf("write file: %w", w.orTimeout(err))
	}
	return in.result(), nil
}

// Open opens a file. Its content is fetched as it is read.
func (s *S3) Open(ctx context.Context, key string) (*File, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	w := s.wait(ctx)
	object, err := s.client.GetObject(w.ctx, s.bucket, s.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		w.over()
		return nil, fmt.Errorf("open file: %w", w.orTimeout(err))
	}
	info, err := object.Stat()
	w.pause()
	if err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			err = fs.ErrNotExist
		}
		w.over()
		return nil, errors.Join(fmt.Errorf("find file: %w", w.orTimeout(err)), object.Close())
	}
	return &File{fetched{object, w}, Info{key, info.Size, info.LastModified}}, nil
}

// fetched is a file of the server.
type fetched struct {
	*minio.Object
	*waiting
}

// Read implements io.Reader.
func (f fetched) Read(p []byte) (int, error) {
	f.goOn()
	defer f.pause()
	n, err := f.Object.Read(p)
	return n, f.orTimeout(err)
}

// Close implements io.Closer.
func (f fetched) Close() error {
	defer f.over()
	return f.Object.Close()
}

// Delete deletes a file. It is not an error if the file does not exist.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	w := s.wait(ctx)
	defer w.over()
	err := s.client.RemoveObject(w.ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return fmt.Errorf("delete file: %w", w.orTimeout(err))
	}
	return nil
}

// List yields the files of a kind.
func (s *S3) List(ctx context.Context, kind Kind) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{
			Prefix: s.prefix + string(kind) + "/", Recursive: true,
		}) {
			if o.Err != nil {
				yield(Info{}, fmt.Errorf("list files: %w", o.Err))
				return
			}
			info := Info{strings.TrimPrefix(o.Key, s.prefix), o.Size, o.LastModified}
			if checkKey(info.Key) == nil && !yield(info, nil) {
				return
			}
		}
	}
}

// Tidy aborts uploads that were never completed. Their parts use space but are not listed.
func (s *S3) Tidy(ctx context.Context, before time.Time) error {
	ctx, cancel := context.WithCancel(ctx) // ends the channel below on an early return
	defer cancel()
	for u := range s.client.ListIncompleteUploads(ctx, s.bucket, s.prefix, true) {
		if u.Err != nil {
			return fmt.Errorf("tidy files: %w", u.Err)
		}
		if u.Initiated.Before(before) && checkKey(strings.TrimPrefix(u.Key, s.prefix)) == nil {
			if err := s.client.RemoveIncompleteUpload(ctx, s.bucket, u.Key); err != nil {
				return fmt.Errorf("tidy files: %w", err)
			}
		}
	}
	return ctx.Err()
}
