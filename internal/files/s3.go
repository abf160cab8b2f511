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
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// partSize is how much of an upload is in memory at a time, the least that S3
// takes.
const partSize = 5 << 20

// S3 keeps files in a bucket, so that any number of nodes share them.
type S3 struct {
	client         *minio.Client
	bucket, prefix string // prefix is empty or ends with a slash
}

// OpenS3 opens the bucket of an address:
//
//	s3://KEY:SECRET@host[:port]/bucket[/prefix][?region=…&tls=off]
//
// Key and secret are percent-encoded where they hold : / @ ? # or %. The bucket
// must exist; nothing is read or written outside of the prefix. tls=off is for
// a server on the same machine or in a closed network.
func OpenS3(ctx context.Context, address string) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil { // its text would repeat the secret
		return nil, errors.New("NADMOR_FILES_URL cannot be read as an address: percent-encode special characters in key and secret")
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
			return nil, fmt.Errorf("NADMOR_FILES_URL: %q is not understood; there are region=… and tls=off", name)
		}
	}
	client, err := minio.New(u.Host, &o)
	if err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	s := &S3{client, bucket, prefix}
	bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := s.Ready(bounded); err != nil {
		return nil, err
	}
	return s, nil
}

// Close has nothing to give back.
func (s *S3) Close() error { return nil }

// Ready tells whether the bucket answers.
func (s *S3) Ready(ctx context.Context) error {
	there, err := s.client.BucketExists(ctx, s.bucket)
	if err == nil && !there {
		err = fmt.Errorf("there is no bucket %s", s.bucket)
	}
	if err != nil {
		return fmt.Errorf("reach the bucket of files: %w", err)
	}
	return nil
}

// Put sends the file in parts. It is there once the last one is complete.
func (s *S3) Put(ctx context.Context, key string, r io.Reader, limit int64) (Stored, error) {
	if err := checkKey(key); err != nil {
		return Stored{}, err
	}
	in := newMeasure(ctx, r, limit)
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+key, in, -1, minio.PutObjectOptions{PartSize: partSize, ContentType: "application/octet-stream"})
	if in.err != nil {
		err = in.err // what the sender did, not what became of it on the way
	}
	if err != nil {
		return Stored{}, fmt.Errorf("write file: %w", err)
	}
	return in.result(), nil
}

// Open opens a file. Its parts are fetched as they are read.
func (s *S3) Open(ctx context.Context, key string) (*File, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	object, err := s.client.GetObject(ctx, s.bucket, s.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	info, err := object.Stat()
	if err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			err = fs.ErrNotExist
		}
		return nil, errors.Join(fmt.Errorf("find file: %w", err), object.Close())
	}
	return &File{object, Info{key, info.Size, info.LastModified}}, nil
}

// Delete removes a file.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := s.client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// List goes through the files of a kind.
func (s *S3) List(ctx context.Context, kind Kind) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + string(kind) + "/", Recursive: true}) {
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

// Tidy gives up uploads that were never completed; their parts take room that
// no list shows.
func (s *S3) Tidy(ctx context.Context, before time.Time) error {
	ctx, cancel := context.WithCancel(ctx) // ends the channel below when we leave early
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
