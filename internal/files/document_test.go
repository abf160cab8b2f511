package files_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
)

func photo(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	rng := rand.New(rand.NewPCG(1, uint64(w*h)))
	for i := range m.Pix {
		m.Pix[i] = uint8(rng.Uint32())
	}
	m.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 255})
	return m
}

func aPNG(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, photo(w, h)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aJPEG(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, photo(w, h), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aPDF(fill int) []byte {
	return []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" +
		strings.Repeat("% filler of the file\n", fill/21) +
		"xref\n0 2\n0000000000 65535 f \n0000000015 00000 n \ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n50\n%%EOF\n")
}

func aZIP(t testing.TB, comment string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("Main.class")
	if err == nil {
		_, err = f.Write([]byte("\xca\xfe\xba\xbe"))
	}
	if err = errors.Join(err, w.SetComment(comment), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming returns a PNG with a wrong size in its header.
func claiming(t testing.TB, w, h uint32) []byte {
	b := aPNG(t, 4, 4)
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return bytes.Join([][]byte{b[:8], pngPart("IHDR", append(head, b[24:29]...)), b[33:]}, nil)
}

func join(parts ...any) []byte {
	var all []byte
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			all = append(all, p...)
		case string:
			all = append(all, p...)
		}
	}
	return all
}

// samsung returns the trailer of a phone camera.
func samsung(inside string) []byte {
	block := join("\x00\x00\x01\x0a\x0e\x00\x00\x00Image_UTC_Data", inside)
	directory := join("SEFH", "\x6b\x00\x00\x00\x01\x00\x00\x00", "\x00\x00\x01\x0a",
		binary.LittleEndian.AppendUint32(nil, uint32(len(block))), binary.LittleEndian.AppendUint32(nil, uint32(len(block))))
	return join(block, directory, binary.LittleEndian.AppendUint32(nil, uint32(len(directory))), "SEFT")
}

// pass reads a file through Document and returns the result.
func pass(r io.Reader) (contentType string, out []byte, err error) {
	d, err := files.OpenDocument(r)
	if err != nil {
		return "", nil, err
	}
	defer d.Close()
	out, err = io.ReadAll(d)
	return d.ContentType, out, err
}

func TestDocumentsPassUnchanged(t *testing.T) {
	t.Parallel()
	small, large := aJPEG(t, 30, 20), aJPEG(t, 700, 500)
	for name, c := range map[string]struct {
		body        []byte
		contentType string
	}{
		"a PDF":                         {aPDF(10), "application/pdf"},
		"a long PDF":                    {aPDF(150_000), "application/pdf"},
		"a PDF with blank lines behind": {join(aPDF(10), "\r\n\r\n\x00"), "application/pdf"},
		"a PDF that was added to": {
			join(aPDF(10), "2 0 obj\n<<>>\nendobj\nxref\n0 0\ntrailer\n<<>>\nstartxref\n99\n%%EOF"), "application/pdf",
		},
		"a PNG":                         {aPNG(t, 40, 30), "image/png"},
		"a large PNG":                   {aPNG(t, 400, 300), "image/png"},
		"a JPEG":                        {small, "image/jpeg"},
		"a large JPEG":                  {large, "image/jpeg"},
		"a JPEG with its brightness":    {join(large, "\x00\x00", small), "image/jpeg"},
		"a JPEG of a Samsung telephone": {join(large, samsung("1789632000000")), "image/jpeg"},
		"a padded JPEG":                 {join(small, make([]byte, 100_000)), "image/jpeg"},
		"a WebP":                        {sample(t, "lossy.webp"), "image/webp"},
		"a WebP without loss":           {sample(t, "lossless.webp"), "image/webp"},
		"a WebP that lets through":      {sample(t, "alpha.webp"), "image/webp"},
	} {
		for way, r := range map[string]io.Reader{
			"": bytes.NewReader(c.body), " byte by byte": iotest.OneByteReader(bytes.NewReader(c.body)),
			" with the end at once": iotest.DataErrReader(bytes.NewReader(c.body)),
		} {
			contentType, out, err := pass(r)
			if err != nil || contentType != c.contentType || !bytes.Equal(out, c.body) {
				t.Errorf("%s%s: %s, %d of %d bytes, %v", name, way, contentType, len(out), len(c.body), err)
			}
		}
	}
}

func TestInvalidDocumentsAreRejected(t *testing.T) {
	t.Parallel()
	goodPNG, goodJPEG, goodPDF := aPNG(t, 40, 30), aJPEG(t, 200, 100), aPDF(50_000)
	jar := aZIP(t, "")
	overlap := join(goodPDF[:len(goodPDF)-len("startxref\n50\n%%EOF\n")], aZIP(t, "startxref\n50\n%%EOF\n"))
	badSum := bytes.Clone(goodPNG)
	badSum[len(badSum)/2] ^= 1
	archive := aZIP(t, strings.Repeat("x", 16)) // its comment is what follows in the image
	inChunk := join(goodPNG[:len(goodPNG)-12], pngPart("tEXt", archive[:len(archive)-16]), goodPNG[len(goodPNG)-12:])
	for name, body := range map[string][]byte{
		"nothing":                               {},
		"one byte":                              []byte("%"),
		"a program":                             join("MZ\x90\x00", make([]byte, 5000)),
		"a page":                                []byte("<!DOCTYPE html><html><script>alert(1)</script></html>"),
		"a drawing":                             []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`),
		"a GIF":                                 []byte("GIF89a" + strings.Repeat("x", 100)),
		"an archive":                            jar,
		"a page before a PDF":                   join("<html>", goodPDF),
		"blanks before a PDF":                   join("\n\n", goodPDF),
		"a PDF in name only":                    []byte("%PDF-1.7\n<html><script>"),
		"a PDF of no version":                   []byte("%PDF-x\n" + strings.Repeat("x", 100)),
		"half a PDF":                            goodPDF[:len(goodPDF)/2],
		"a PDF with a page behind":              join(goodPDF, "<html><script>alert(1)</script>"),
		"a PDF with an archive behind":          join(goodPDF, jar),
		"a PDF that is an archive, too":         overlap,
		"half a PNG":                            goodPNG[:len(goodPNG)/2],
		"a PNG without its end":                 goodPNG[:len(goodPNG)-12],
		"a PNG with a wrong check sum":          badSum,
		"a PNG with an archive behind":          join(goodPNG, jar),
		"a PNG with a page behind":              join(goodPNG, "<html>"),
		"a PNG with one byte behind":            join(goodPNG, "\x00"),
		"a PNG that is an archive, too":         inChunk,
		"a PNG without pixels":                  join(goodPNG[:33], pngPart("IEND", nil)),
		"a PNG that fills all memory":           claiming(t, 100_000, 100_000),
		"a PNG of more pixels than allowed":     claiming(t, 19_000, 7_000),
		"a PNG of no size":                      claiming(t, 0, 5),
		"half a JPEG":                           goodJPEG[:len(goodJPEG)/2],
		"a JPEG without its end":                goodJPEG[:len(goodJPEG)-2],
		"a JPEG with an archive behind":         join(goodJPEG, jar),
		"a JPEG with a page behind":             join(goodJPEG, "<html><script>"),
		"a JPEG with half a picture behind":     join(goodJPEG, goodJPEG[:100]),
		"a JPEG with a page in the trailer":     join(goodJPEG, samsung("<script>")),
		"a JPEG with an archive in the trailer": join(goodJPEG, samsung(string(jar))),
		"a JPEG with a long trailer":            join(goodJPEG, samsung(strings.Repeat("x", 70_000))),
		"a JPEG in name only":                   join("\xff\xd8\xff\xe0", strings.Repeat("x", 100)),
		"half a WebP":                           sample(t, "lossy.webp")[:len(sample(t, "lossy.webp"))/2],
		"a WebP with a page behind":             join(sample(t, "alpha.webp"), "<html>"),
		"a WebP without a picture":              []byte("RIFF\x0c\x00\x00\x00WEBPICCP\x00\x00\x00\x00"),
	} {
		_, out, err := pass(bytes.NewReader(body))
		var e *hospital.Error
		if !errors.As(err, &e) || e.Code != hospital.FileTypeNotAllowed || e.Message.TH == "" ||
			e.Message == hospital.Reject(hospital.FileTypeNotAllowed).Message {
			t.Errorf("%s: %d bytes passed, %v", name, len(out), err)
		}
	}
}

// An interrupted upload is not reported as an invalid file.
func TestInterruptedSource(t *testing.T) {
	t.Parallel()
	closed := errors.New("gone")
	for name, body := range map[string][]byte{"PDF": aPDF(200_000), "JPEG": aJPEG(t, 500, 400), "PNG": aPNG(t, 200, 200)} {
		d, err := files.OpenDocument(io.MultiReader(bytes.NewReader(body[:len(body)/2]), iotest.ErrReader(closed)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(d); !errors.Is(err, closed) || !errors.Is(d.SourceErr(), closed) {
			t.Errorf("%s: %v", name, err)
		}
		d.Close()
	}
}

// A rejected file is not stored. An accepted one is stored unchanged, and Check detects later changes.
func TestDocumentsAreStoredUnchanged(t *testing.T) {
	each(t, func(t *testing.T, s files.Store) {
		good := join(aPDF(300_000))
		for name, body := range map[string][]byte{
			"cut off": good[:len(good)-20], "with a page behind": join(good, "<html>"),
		} {
			d, err := files.OpenDocument(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Put(t.Context(), files.NewKey(files.Results, d.Ending), d, 1<<20)
			if d.Close(); hospital.CodeOf(err) != hospital.FileTypeNotAllowed {
				t.Errorf("%s: %v", name, err)
			}
		}
		if stored := keys(t, s, files.Results); len(stored) != 0 {
			t.Errorf("kept %v", stored)
		}
		d, err := files.OpenDocument(bytes.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		key := files.NewKey(files.Results, d.Ending)
		stored, err := s.Put(t.Context(), key, d, 1<<20)
		if err != nil || !bytes.Equal(read(t, s, key), good) {
			t.Fatalf("kept otherwise: %v", err)
		}
		check := func(want string) {
			t.Helper()
			if fault, err := files.Check(t.Context(), s, key, stored); err != nil || !strings.Contains(fault, want) ||
				(want == "") != (fault == "") {
				t.Errorf("%q, %v, want %q", fault, err, want)
			}
		}
		check("")
		changed := bytes.Clone(good)
		changed[100] ^= 1
		for _, c := range []struct {
			body []byte
			says string
		}{{changed, "not what was sent"}, {good[:50], "50 bytes instead of"}} {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			put(t, s, key, c.body)
			check(c.says)
		}
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		check("missing")
	})
}

// Validating a file of any size uses little memory.
func TestDocumentMemory(t *testing.T) {
	head, end := aPDF(0)[:15], aPDF(0)[15:]
	const size = 256 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := files.OpenDocument(io.MultiReader(bytes.NewReader(head), io.LimitReader(rand.NewChaCha8([32]byte{}), size),
		bytes.NewReader(end)))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n, err := io.Copy(io.Discard, d); err != nil || n != size+int64(len(head)+len(end)) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d kB were allocated for %d MB", taken>>10, size>>20)
	}
}

// No input causes a panic, and accepted files are unchanged.
func FuzzDocument(f *testing.F) {
	f.Add(aPDF(100))
	f.Add(aPNG(f, 5, 5))
	f.Add(aJPEG(f, 5, 5))
	f.Add(join(aJPEG(f, 5, 5), samsung("1")))
	f.Add(sample(f, "alpha.webp"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, out, err := pass(bytes.NewReader(body))
		if err == nil && !bytes.Equal(out, body) || err != nil && hospital.CodeOf(err) != hospital.FileTypeNotAllowed {
			t.Errorf("%d of %d bytes, %v", len(out), len(body), err)
		}
	})
}
