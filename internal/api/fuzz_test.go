package api

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
)

// Any form is read to its end or rejected with our own error: texts are within their limits, there is one
// file, and no unknown fields.
func FuzzForm(f *testing.F) {
	const boundary = "b"
	form := func(parts ...string) []byte {
		return []byte("--b\r\n" + strings.Join(parts, "\r\n--b\r\n") + "\r\n--b--\r\n")
	}
	text := func(name, value string) string {
		return "Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value
	}
	const file = "Content-Disposition: form-data; name=\"file\"; filename=\"ผล.pdf\"\r\nContent-Type: " +
		"application/pdf\r\n\r\n%PDF-1.7"
	for _, seed := range [][]byte{
		form(file), form(text("diagnosis", "ไข้"), file), form(file, file),
		form(text("diagnosis", "a"), text("diagnosis", "b"), file), form(text("unknown", "x"), file), form(text("", "x")),
		form(text("diagnosis", strings.Repeat("ก", maxFormText))), form("Content-Disposition: attachment\r\n\r\nx"),
		form("Content-Disposition: form-data; name=file; filename*=UTF-8''..%2f..%2fetc\r\n\r\nx"),
		form("Content-Disposition: form-data; name=\"file\r\n\r\nx"),
		form("Content-Transfer-Encoding: quoted-printable\r\nContent-Disposition: form-data; " +
			"name=\"diagnosis\"\r\n\r\n=00=FF"),
		[]byte("--b--\r\n"), []byte("--b\r\n\r\n--b"), []byte("--b\n" + file), nil,
		[]byte("--b\r\n" + strings.Repeat("X: y\r\n", 50) + "\r\nz\r\n--b--"),
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	expected := []hospital.Code{hospital.BadRequest, hospital.ValidationFailed, hospital.TooLarge}
	f.Fuzz(func(t *testing.T, sent []byte, optional bool) {
		const limit = 1 << 10
		var diagnosis string
		files, size := 0, int64(0)
		u := upload{parts: multipart.NewReader(bytes.NewReader(sent), boundary), length: int64(len(sent)), optional: optional}
		err := u.read(limit, map[string]*string{"diagnosis": &diagnosis}, func(_ string, r io.Reader) error {
			files++
			n, err := io.Copy(io.Discard, r)
			size += n
			if err != nil {
				return hospital.Reject(hospital.BadRequest)
			}
			return nil
		})
		if err != nil && !slices.Contains(expected, hospital.CodeOf(err)) {
			t.Errorf("%q: %v", sent, err)
		}
		if len(diagnosis) > maxFormText || files > 1 || size > int64(len(sent)) {
			t.Errorf("%q: a text of %d bytes, %d files of %d bytes", sent, len(diagnosis), files, size)
		}
		if err == nil && (files == 0 && !optional || int64(len(sent)) > limit+formOverhead) {
			t.Errorf("%q is taken for a form with a file", sent)
		}
	})
}

// Any JSON is decoded or rejected, and no decoded text contains U+0000.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"q":"a"}`, `{"q":"\u0000"}`, `{"q":"\\u0000"}`, `{"q":"\\\u0000"}`, `{"q":"\\\\u0000\u0000"}`,
		"{\"q\":\"\x00\"}", `{"\u0000":1}`, `[[[[[[]]]]]]`, `{"a":1,"a":2}`, `1e400`, `"\ud800"`, `nul`,
		`{"dateFrom":"2026-11-01","serviceIds":[1,2],"sort":"-date"}`,
		strings.Repeat("[", 10_000), `{"a":` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat("}", 501), "\xff\xfe",
		"\ufeff{}", "",
	} {
		f.Add([]byte(seed))
	}
	var nul func(v any) bool
	nul = func(v any) bool {
		switch v := v.(type) {
		case string:
			return strings.Contains(v, "\x00")
		case []any:
			return slices.ContainsFunc(v, nul)
		case map[string]any:
			for key, inner := range v {
				if nul(key) || nul(inner) {
					return true
				}
			}
		}
		return false
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		var v any
		err := readJSON(sent, &v)
		if err == nil && (nul(v) || !json.Valid(sent)) {
			t.Errorf("%q becomes %v", sent, v)
		}
	})
}
