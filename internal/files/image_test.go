package files_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"runtime"
	"slices"
	"testing"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
)

var (
	red  = color.NRGBA{R: 255, A: 255}
	blue = color.NRGBA{B: 255, A: 255}
)

// halves returns an image with a red left and a blue right half.
func halves(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, red)
			if x >= w/2 {
				m.SetNRGBA(x, y, blue)
			}
		}
	}
	return m
}

func encoded(t testing.TB, format string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 95})
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// exif returns an EXIF block with an orientation and a location.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	head := []byte("II*\x00")
	if order.String() == "BigEndian" {
		head = []byte("MM\x00*")
	}
	b := order.AppendUint32(head, 8)
	b = order.AppendUint16(b, 2)
	// maker, then orientation
	b = order.AppendUint16(append(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 0x010f), 2), 4),
		"GPS\x00"...), 0x0112)
	b = order.AppendUint16(order.AppendUint16(order.AppendUint32(order.AppendUint16(b, 3), 1), orientation), 0)
	return order.AppendUint32(b, 0)
}

// withJPEGPart inserts a segment at the beginning.
func withJPEGPart(file []byte, marker byte, body []byte) []byte {
	part := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return slices.Concat(file[:2], part, body, file[2:])
}

// withPNGPart inserts a chunk after the header.
func withPNGPart(file []byte, name string, body []byte) []byte {
	return slices.Concat(file[:33], pngPart(name, body), file[33:])
}

// pngPart returns a chunk with its checksum.
func pngPart(name string, body []byte) []byte {
	part := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	part = append(append(part, name...), body...)
	return binary.BigEndian.AppendUint32(part, crc32.ChecksumIEEE(part[4:]))
}

// pngHeader returns a PNG with only a header.
func pngHeader(w, h uint32) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngPart("IHDR", append(body, 8, 6, 0, 0, 0))...)
}

func jpegHeader(w, h uint16) []byte {
	body := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, h), w)
	pixels := []byte{0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0}
	return withJPEGPart(pixels, 0xc0, append(body, 1, 1, 0x11, 0))
}

func webpFile(parts ...string) []byte {
	var body []byte
	for i := 0; i < len(parts); i += 2 {
		body = binary.LittleEndian.AppendUint32(append(body, parts[i]...), uint32(len(parts[i+1])))
		body = append(body, parts[i+1]...)
		if len(parts[i+1])%2 == 1 {
			body = append(body, 0)
		}
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4)),
		append([]byte("WEBP"), body...)...)
}

func TestImagesAreReencoded(t *testing.T) {
	t.Parallel()
	empty := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	deep := image.NewNRGBA64(image.Rect(0, 0, 40, 20))
	cmyk := image.NewGray(image.Rect(0, 0, 40, 20))
	for name, c := range map[string]struct {
		file          []byte
		ending        string
		width, height int
	}{
		"a PNG":                       {encoded(t, "png", halves(40, 20)), ".png", 40, 20},
		"a transparent PNG":           {encoded(t, "png", empty), ".png", 40, 20},
		"a PNG of 16 bits":            {encoded(t, "png", deep), ".png", 40, 20},
		"a JPEG":                      {encoded(t, "jpeg", halves(40, 20)), ".jpg", 40, 20},
		"a grey JPEG":                 {encoded(t, "jpeg", cmyk), ".jpg", 40, 20},
		"a lossy WebP":                {sample(t, "lossy.webp"), ".jpg", 16, 8},
		"a WebP with transparency":    {sample(t, "alpha.webp"), ".png", 16, 8},
		"a lossless WebP":             {sample(t, "lossless.webp"), ".png", 16, 8},
		"too wide":                    {encoded(t, "png", halves(1000, 100)), ".png", 200, 20},
		"too high":                    {encoded(t, "jpeg", halves(100, 1000)), ".jpg", 10, 100},
		"a little too wide":           {encoded(t, "png", halves(250, 100)), ".png", 200, 80},
		"a line":                      {encoded(t, "png", halves(12_000, 1)), ".png", 200, 1},
		"a photograph of 36 megas":    {encoded(t, "jpeg", image.NewGray(image.Rect(0, 0, 6000, 6000))), ".jpg", 100, 100},
		"exactly as large as allowed": {encoded(t, "png", halves(200, 100)), ".png", 200, 100},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := files.CleanImage(t.Context(), c.file, 200, 100)
			if err != nil {
				t.Fatal(err)
			}
			m, format, err := image.Decode(bytes.NewReader(p.Body))
			if err != nil || files.ImageType(p.Ending) != "image/"+format {
				t.Fatalf("%s and %s: %v", p.Ending, format, err)
			}
			if size := m.Bounds().Size(); p.Ending != c.ending || size != image.Pt(c.width, c.height) ||
				size != image.Pt(p.Width, p.Height) {
				t.Errorf("%s of %v, told as %d × %d; want %s of %d × %d", p.Ending, size, p.Width, p.Height, c.ending, c.width,
					c.height)
			}
		})
	}
}

func near(a color.Color, b color.NRGBA) bool {
	r, g, bl, _ := a.RGBA()
	far := func(x uint32, y uint8) bool { d := int(x>>8) - int(y); return d < -40 || d > 40 }
	return !far(r, b.R) && !far(g, b.G) && !far(bl, b.B)
}

// The position of the red half shows how the image was rotated.
func TestImageOrientation(t *testing.T) {
	t.Parallel()
	plain := map[string][]byte{
		"png": encoded(t, "png", halves(64, 32)), "jpeg": encoded(t, "jpeg", halves(64, 32)), "webp": sample(t, "lossy.webp"),
	}
	for orientation, c := range map[uint16]struct {
		sideways bool
		atStart  color.NRGBA // colour of the left half, or of the upper one if rotated by 90°
	}{
		0: {false, red}, 1: {false, red}, 2: {false, blue}, 3: {false, blue}, 4: {false, red}, 5: {true, red}, 6: {true, red},
		7: {true, blue}, 8: {true, blue}, 9: {false, red},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			block := exif(order, orientation)
			for format, file := range map[string][]byte{
				"png":  withPNGPart(plain["png"], "eXIf", block),
				"jpeg": withJPEGPart(plain["jpeg"], 0xe1, append([]byte("Exif\x00\x00"), block...)),
				"webp": append(slices.Clone(plain["webp"]), webpFile("EXIF", string(block))[12:]...),
			} {
				p, err := files.CleanImage(t.Context(), file, 64, 64)
				if err != nil {
					t.Fatalf("%s %d: %v", format, orientation, err)
				}
				m, _, err := image.Decode(bytes.NewReader(p.Body))
				if err != nil {
					t.Fatal(err)
				}
				if sideways := p.Height > p.Width; sideways != c.sideways {
					t.Errorf("%s rotated as %d is %d × %d", format, orientation, p.Width, p.Height)
				}
				end := m.At(p.Width-1, p.Height/2)
				other := color.NRGBA{R: 255 - c.atStart.R, B: 255 - c.atStart.B}
				start := m.At(0, p.Height/2)
				if c.sideways {
					start, end = m.At(p.Width/2, 0), m.At(p.Width/2, p.Height-1)
				}
				if !near(start, c.atStart) || !near(end, other) {
					t.Errorf("%s rotated as %d: from %v to %v, want from %v", format, orientation, start, end, c.atStart)
				}
				if bytes.Contains(p.Body, []byte("GPS")) {
					t.Errorf("%s: what the camera wrote is still in it", format)
				}
			}
		}
	}
}

// Scaling keeps colours, with and without averaging.
func TestShrunkImages(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1000, 399, 200, 100} {
		p, err := files.CleanImage(t.Context(), encoded(t, "png", halves(1000, 500)), width, width)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(p.Body))
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range map[int]color.NRGBA{
			0: red, width / 4: red, width/2 - 4: red, width/2 + 4: blue, width - 1: blue,
		} {
			if got := m.At(x, p.Height/2); !near(got, want) {
				t.Errorf("%d wide: %v at %d, want %v", width, got, x, want)
			}
		}
	}
}

func TestImageMetadataIsRemoved(t *testing.T) {
	t.Parallel()
	const script = `<script>alert(1)</script>`
	for name, file := range map[string][]byte{
		"behind a PNG":        append(encoded(t, "png", halves(8, 8)), script...),
		"in a text of a PNG":  withPNGPart(encoded(t, "png", halves(8, 8)), "tEXt", []byte("Comment\x00"+script)),
		"behind a JPEG":       append(encoded(t, "jpeg", halves(8, 8)), "PK\x03\x04"+script...),
		"in a JPEG's comment": withJPEGPart(encoded(t, "jpeg", halves(8, 8)), 0xfe, []byte(script)),
		"in a JPEG's metadata": withJPEGPart(encoded(t, "jpeg", halves(8, 8)), 0xe1,
			[]byte("http://ns.adobe.com/xap/1.0/\x00"+script)),
		"behind a WebP": append(sample(t, "lossy.webp"), webpFile("XMP ", script)[12:]...),
	} {
		p, err := files.CleanImage(t.Context(), file, 100, 100)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(p.Body, []byte("script")) || bytes.Contains(p.Body, []byte("PK\x03\x04")) {
			t.Errorf("%s: it is still there", name)
		}
	}
}

// Not parallel, because it measures memory.
func TestInvalidImagesAreRejected(t *testing.T) {
	images := map[string][]byte{
		"png": encoded(t, "png", halves(200, 200)), "jpeg": encoded(t, "jpeg", halves(200, 200)),
		"webp": sample(t, "lossy.webp"),
	}
	canvas := "\x00\x00\x00\x00" + "\x0f\x00\x00" + "\x07\x00\x00" // 16 × 8
	huge := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16([]byte("\x90\x01\x00\x9d\x01\x2a"), 16_383),
		16_383)
	hugeLossless := binary.LittleEndian.AppendUint32([]byte{0x2f}, 16_383|16_383<<14)
	for name, c := range map[string]struct {
		file []byte
		code hospital.Code
	}{
		"nothing":  {nil, hospital.FileTypeNotAllowed},
		"one byte": {[]byte{0x89}, hospital.FileTypeNotAllowed},
		"text":     {[]byte("สวัสดี"), hospital.FileTypeNotAllowed},
		"a page":   {[]byte("<!doctype html><script>alert(1)</script>"), hospital.FileTypeNotAllowed},
		"an SVG": {
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), hospital.FileTypeNotAllowed,
		},
		"an SVG with a declaration": {
			[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`), hospital.FileTypeNotAllowed,
		},
		"a program":                 {append([]byte("MZ\x90\x00"), images["png"]...), hospital.FileTypeNotAllowed},
		"a program for Linux":       {[]byte("\x7fELF\x02\x01\x01"), hospital.FileTypeNotAllowed},
		"a PDF":                     {[]byte("%PDF-1.7\n"), hospital.FileTypeNotAllowed},
		"a GIF":                     {encoded(t, "gif", halves(8, 8)), hospital.FileTypeNotAllowed},
		"a page that ends as a PNG": {append([]byte("<html>"), images["png"]...), hospital.FileTypeNotAllowed},
		"half a PNG":                {images["png"][:len(images["png"])/2], hospital.FileTypeNotAllowed},
		"half a JPEG":               {images["jpeg"][:len(images["jpeg"])/2], hospital.FileTypeNotAllowed},
		"half a WebP":               {images["webp"][:len(images["webp"])-20], hospital.FileTypeNotAllowed},
		"the beginning of a PNG":    {images["png"][:10], hospital.FileTypeNotAllowed},
		"the beginning of a JPEG":   {images["jpeg"][:3], hospital.FileTypeNotAllowed},
		"the beginning of a WebP":   {images["webp"][:16], hospital.FileTypeNotAllowed},
		"a WebP without a picture":  {webpFile("VP8X", canvas), hospital.FileTypeNotAllowed},
		"a PNG with a wrong sum": {
			slices.Concat(images["png"][:40], []byte{^images["png"][40]}, images["png"][41:]), hospital.FileTypeNotAllowed,
		},
		"a PNG of no size":             {pngHeader(0, 100), hospital.FileTypeNotAllowed},
		"a PNG of 100,000 × 100,000":   {pngHeader(100_000, 100_000), hospital.ValidationFailed},
		"a PNG as wide as can be":      {pngHeader(1<<31-1, 1), hospital.ValidationFailed},
		"a PNG of 12,001 × 1":          {pngHeader(12_001, 1), hospital.ValidationFailed},
		"a PNG of 41 megapixels":       {pngHeader(8200, 5000), hospital.ValidationFailed},
		"a JPEG of 65,535 × 65,535":    {jpegHeader(65_535, 65_535), hospital.ValidationFailed},
		"a WebP of 16,384 × 16,384":    {webpFile("VP8L", string(hugeLossless)), hospital.ValidationFailed},
		"a WebP larger than its sheet": {webpFile("VP8X", canvas, "VP8 ", string(huge)), hospital.ValidationFailed},
		"the same without loss":        {webpFile("VP8X", canvas, "VP8L", string(hugeLossless)), hospital.ValidationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := files.CleanImage(t.Context(), c.file, 100, 100)
			runtime.ReadMemStats(&after)
			var rejected *hospital.Error
			if !errors.As(err, &rejected) || rejected.Code != c.code || rejected.Message.TH == "" {
				t.Errorf("%v, want %s", err, c.code)
			}
			if c.code == hospital.ValidationFailed && (len(rejected.Fields) != 1 || rejected.Fields[0].Field != "file") {
				t.Errorf("fields %v", rejected.Fields)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; c.code == hospital.ValidationFailed && taken > 32<<20 {
				t.Errorf("the refusal took %d MB", taken>>20)
			}
		})
	}
}

// Any input gives a readable image or an error.
func FuzzCleanImage(f *testing.F) {
	f.Add(encoded(f, "png", halves(8, 8)))
	f.Add(withJPEGPart(encoded(f, "jpeg", halves(8, 8)), 0xe1,
		append([]byte("Exif\x00\x00"), exif(binary.BigEndian, 6)...)))
	for _, name := range []string{"lossy.webp", "alpha.webp", "lossless.webp"} {
		f.Add(sample(f, name))
	}
	f.Add(withPNGPart(encoded(f, "png", halves(8, 8)), "eXIf", exif(binary.LittleEndian, 8)))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := files.CleanImage(t.Context(), file, 16, 16)
		var rejected *hospital.Error
		if errors.As(err, &rejected) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, format, err := image.Decode(bytes.NewReader(p.Body)); err != nil || format != "png" && format != "jpeg" {
			t.Fatal(fmt.Sprint(format, err))
		}
	})
}
