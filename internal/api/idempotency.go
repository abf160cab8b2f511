package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"regexp"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// idempotencyHeader names the key by which a write is told from its repeats.
const idempotencyHeader = "Idempotency-Key"

var goodIdempotencyKey = regexp.MustCompile(`^[\x20-\x7e]{1,200}$`)

// readOnly declares that an operation changes nothing although it is a POST: a
// list, a search, a report. All other POSTs and DELETEs are writes.
func readOnly(op *huma.Operation) { op.Metadata[readOnlyKey] = true }

// secretAnswer declares that the answer holds a secret, so that it is sealed
// where it is stored for repeats.
func secretAnswer(op *huma.Operation) { op.Metadata[secretKey] = true }

// isWrite tells whether an operation honours an idempotency key. A public one
// does not: a key belongs to a user.
func isWrite(op *huma.Operation) bool {
	public := op.Metadata[accessKey].(hospital.Access).IsPublic()
	return op.Method != http.MethodGet && op.Metadata[readOnlyKey] == nil && !public
}

// documentKey adds the header to the document.
func documentKey(op *huma.Operation) {
	least, most := 1, 200
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: idempotencyHeader, In: "header",
		Description: "Made up by the caller for one attempt. For 24 hours a repeat with the same key is answered as the " +
			"first was and changes nothing; the same key with another body is 422.",
		Schema: &huma.Schema{
			Type: huma.TypeString, MinLength: &least, MaxLength: &most, Pattern: goodIdempotencyKey.String(),
		},
	})
}

// attempt is a write that came with an idempotency key, and a hash of what was
// sent: address and body as they are, of a form its parts without what separates
// them.
type attempt struct {
	key    string
	sum    hash.Hash
	unread bool // a form was not read to its end, so the hash is not of all of it
}

type attemptKey struct{}

func attemptFrom(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// withAttempt finds the idempotency key of a write: VALIDATION_FAILED for
// anything but 1 to 200 printable ASCII characters.
func withAttempt(ctx huma.Context) (huma.Context, error) {
	r, _ := humago.Unwrap(ctx)
	keys, sent := r.Header[idempotencyHeader]
	if !sent || !isWrite(ctx.Operation()) {
		return ctx, nil
	}
	if len(keys) != 1 || !goodIdempotencyKey.MatchString(keys[0]) {
		return ctx, hospital.Refuse(hospital.ValidationFailed).
			On(idempotencyHeader, "ต้องเป็นอักษรอังกฤษ ตัวเลข หรือเครื่องหมาย 1–200 ตัว", "This is 1 to 200 printable ASCII characters.")
	}
	a := &attempt{key: keys[0], sum: sha256.New()}
	fmt.Fprintf(a.sum, "%q %q\n", r.URL.Path, r.URL.RawQuery)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == formType {
		a.unread = true
	} else {
		r.Body = hashedBody{io.TeeReader(r.Body, a.sum), r.Body}
	}
	return huma.WithValue(ctx, attemptKey{}, a), nil
}

type hashedBody struct {
	io.Reader
	io.Closer
}

// part adds a part of a form to the hash: its name, and the content as it is
// read.
func (a *attempt) part(name, file string, content io.Reader) io.Reader {
	if a == nil {
		return content
	}
	fmt.Fprintf(a.sum, "\n%q %q\n", name, file)
	return io.TeeReader(content, a.sum)
}

// readToEnd notes that all of a form was read.
func (a *attempt) readToEnd() {
	if a != nil {
		a.unread = false
	}
}

type handler[I, O any] = func(context.Context, *I) (O, error)

// once runs a write. A repeat, whatever it is refused for by now, is answered as
// the first was, unless it is refused for who the caller is.
func once[I, O any](s *Server, op huma.Operation, fn handler[I, O]) handler[I, *reply[O]] {
	return func(ctx context.Context, in *I) (*reply[O], error) {
		a := attemptFrom(ctx)
		if a == nil {
			return answered(fn(ctx, in))
		}
		owner := fmt.Sprintf("answer %s %d %s", op.OperationID, hospital.ActorFrom(ctx).UserID, a.key)
		secret := op.Metadata[secretKey] != nil
		ctx = store.WithRequest(ctx, store.Request{
			Operation: op.OperationID, Key: a.key, Digest: func() []byte { return a.sum.Sum(nil) },
			Encode: func(v any) (string, error) {
				var b bytes.Buffer
				err := huma.DefaultJSONFormat.Marshal(&b, v)
				text := string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
				if secret {
					text = s.Box.Seal(text, owner)
				}
				return text, err
			},
		})
		data, err := fn(ctx, in)
		code := hospital.CodeOf(err)
		if err == nil || a.unread || code == hospital.Forbidden || code == hospital.Unavailable {
			return answered(data, err)
		}
		first, found, failed := s.DB.FirstAnswer(ctx)
		if found && failed == nil && secret {
			first, failed = s.Box.Open(first, owner)
		}
		switch {
		case failed != nil:
			return nil, failed
		case found:
			return &reply[O]{envelope[O]{Success: true, first: first}}, nil
		}
		return nil, err
	}
}

// refuseRepeat refuses a request whose key has an answer, before anything is done
// for it; once returns that answer.
func (s *Server) refuseRepeat(ctx context.Context) error {
	_, repeat, err := s.DB.FirstAnswer(ctx)
	if repeat && err == nil {
		return hospital.Refuse(hospital.ConflictVersion)
	}
	return err
}

func answered[O any](data O, err error) (*reply[O], error) {
	if err != nil {
		return nil, err
	}
	return &reply[O]{envelope[O]{Success: true, Data: data}}, nil
}

// made answers a write with what answer makes of the result of the store, and
// has the same stored for repeats.
func made[T, O any](ctx context.Context, answer func(T) O, write func(context.Context) (T, error)) (O, error) {
	v, err := write(store.WithAnswer(ctx, func(v any) any { return answer(v.(T)) }))
	return answer(v), err
}

// firstAnswer is the answer of the first of several requests with one key, as it
// was stored.
func (e envelope[T]) firstAnswer() string { return e.first }

// writeJSON writes an answer; that of a repeat as it was stored.
func writeJSON(w io.Writer, v any) error {
	if e, ok := v.(interface{ firstAnswer() string }); ok && e.firstAnswer() != "" {
		_, err := fmt.Fprintf(w, "{\"success\":true,\"data\":%s}\n", e.firstAnswer())
		return err
	}
	return huma.DefaultJSONFormat.Marshal(w, v)
}
