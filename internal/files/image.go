package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"nadmor/internal/hospital"
)

const (
	// MaxImageBytes is the maximum size of an uploaded image.
	MaxImageBytes = 20 << 20
	// maxSide and maxPixels limit what is decoded. They are checked against the header, which can claim an image
	// that fills all memory.
	maxSide   = 12_000
	maxPixels = 40_000_000
)

// Picture is a re-encoded image without any other content of the uploaded file.
type Picture struct {
	Body          []byte
	Ending        string // ".png" or ".jpg"
	Width, Height int
}

// imageTypes maps extensions to the content types of CleanImage.
var imageTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg"}

// ImageType returns the content type of an extension, or an empty string.
func ImageType(ending string) string { return imageTypes[ending] }

// decoding limits decoding to one image at a time, because the largest takes some hundred megabytes.
var decoding = make(chan struct{}, 1)

// CleanImage decodes a PNG, JPEG or WebP, detected by content, rotates it as its EXIF orientation says,
// scales it down to fit width × height, and encodes it again. Metadata and appended data are dropped. It
// returns FILE_TYPE_NOT_ALLOWED for other types and broken files, and VALIDATION_FAILED on "file" for too
// many pixels, before decoding.
func CleanImage(ctx context.Context, data []byte, width, height int) (p Picture, err error) {
	format := formatOf(data)
	if format == nil {
		return p, hospital.Reject(hospital.FileTypeNotAllowed).Because("รองรับเฉพาะรูปภาพ PNG, JPEG และ WebP",
			"Only PNG, JPEG and WebP pictures are allowed.")
	}
	size, err := format.size(data)
	if err != nil || size.X < 1 || size.Y < 1 {
		return p, broken()
	}
	if size.X > maxSide || size.Y > maxSide || size.X*size.Y > maxPixels {
		return p, hospital.Reject(hospital.ValidationFailed).On("file",
			"รูปภาพมีจำนวนพิกเซลมากเกินไป ด้านละไม่เกิน 12,000 พิกเซล และรวมไม่เกิน 40 ล้านพิกเซล",
			"The picture has too many pixels: at most 12,000 a side and 40 million in all.")
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return p, ctx.Err()
	}
	img, err := format.decode(bytes.NewReader(data))
	if err != nil {
		return p, broken()
	}
	turn := orientation(format.exif(data))
	if turn >= 5 { // rotated by 90°
		width, height = height, width
	}
	small := rotate(scaleDown(img, width, height), turn)
	p = Picture{Ending: ".png", Width: small.Rect.Dx(), Height: small.Rect.Dy()}
	var out bytes.Buffer
	if format.lossy && small.Opaque() {
		p.Ending = ".jpg"
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: 88})
	} else {
		err = (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&out, small)
	}
	if err != nil {
		return p, fmt.Errorf("write picture: %w", err)
	}
	p.Body = out.Bytes()
	return p, nil
}

func broken() error {
	return hospital.Reject(hospital.FileTypeNotAllowed).Because("อ่านรูปภาพนี้ไม่ได้ ไฟล์อาจเสียหายหรือไม่ครบ "+
		"กรุณาใช้ไฟล์อื่น", "The picture cannot be read. The file may be damaged or cut off.")
}

// imageFormat is a supported image format.
type imageFormat struct {
	magic  func([]byte) bool
	size   func([]byte) (image.Point, error) // from the header
	decode func(io.Reader) (image.Image, error)
	exif   func([]byte) []byte // EXIF block, or nil
	lossy  bool                // encoded as JPEG, because photographs are huge as PNG
}

var imageFormats = []imageFormat{
	{func(b []byte) bool { return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) }, headerSize(png.DecodeConfig),
		png.Decode, pngEXIF, false},
	{func(b []byte) bool { return bytes.HasPrefix(b, []byte{0xff, 0xd8, 0xff}) }, headerSize(jpeg.DecodeConfig),
		jpeg.Decode, jpegEXIF, true},
	{func(b []byte) bool { return len(b) >= 16 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP" }, webpSize,
		webp.Decode, webpEXIF, true},
}

func formatOf(data []byte) *imageFormat {
	for i := range imageFormats {
		if imageFormats[i].magic(data) {
			return &imageFormats[i]
		}
	}
	return nil
}

func headerSize(read func(io.Reader) (image.Config, error)) func([]byte) (image.Point, error) {
	return func(data []byte) (image.Point, error) {
		c, err := read(bytes.NewReader(data))
		return image.Pt(c.Width, c.Height), err
	}
}

// webpSize returns the largest size of any chunk. Canvas and image each have one; the decoder uses the
// latter, while its DecodeConfig returns the former.
func webpSize(data []byte) (size image.Point, err error) {
	grow := func(w, h uint32) { size = image.Pt(max(size.X, int(w)), max(size.Y, int(h))) }
	for name, body := range riffChunks(data) {
		switch {
		case name == "VP8X" && len(body) >= 10:
			grow(1+(binary.LittleEndian.Uint32(body[4:])&0xffffff), 1+(binary.LittleEndian.Uint32(body[6:])>>8))
		case name == "VP8 " && len(body) >= 10:
			grow(uint32(binary.LittleEndian.Uint16(body[6:])&0x3fff), uint32(binary.LittleEndian.Uint16(body[8:])&0x3fff))
		case name == "VP8L" && len(body) >= 5:
			bits := binary.LittleEndian.Uint32(body[1:])
			grow(1+bits&0x3fff, 1+bits>>14&0x3fff)
		}
	}
	if size == (image.Point{}) {
		err = errors.New("no picture in it")
	}
	return size, err
}

// riffChunks yields the chunks of a WebP file; the last may be truncated.
func riffChunks(data []byte) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for rest := data[12:]; len(rest) >= 8; {
			name, n := string(rest[:4]), uint64(binary.LittleEndian.Uint32(rest[4:]))
			rest = rest[8:]
			body := rest[:min(n, uint64(len(rest)))]
			if !yield(name, body) {
				return
			}
			rest = rest[min(n+n%2, uint64(len(rest))):]
		}
	}
}

func webpEXIF(data []byte) []byte {
	for name, body := range riffChunks(data) {
		if name == "EXIF" {
			return bytes.TrimPrefix(body, []byte("Exif\x00\x00"))
		}
	}
	return nil
}

func pngEXIF(data []byte) []byte {
	for rest := data[8:]; len(rest) >= 12; {
		n := uint64(binary.BigEndian.Uint32(rest))
		if n+12 > uint64(len(rest)) {
			break
		}
		if string(rest[4:8]) == "eXIf" {
			return rest[8 : 8+n]
		}
		rest = rest[n+12:]
	}
	return nil
}

func jpegEXIF(data []byte) []byte {
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != 0xda; { // up to the pixels
		n := int(binary.BigEndian.Uint16(rest[2:])) + 2
		if n < 4 || n > len(rest) {
			break
		}
		if body, ok := bytes.CutPrefix(rest[4:n], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return body
		}
		rest = rest[n:]
	}
	return nil
}

// orientation returns the EXIF orientation, from 1 (normal) to 8.
func orientation(block []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(block) < 8:
		return 1
	case bytes.HasPrefix(block, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(block, []byte("II*\x00")):
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	for i := range uint64(order.Uint16(block[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > uint64(len(block)) {
			break
		}
		const tag = 0x0112
		if v := order.Uint16(block[entry+8:]); order.Uint16(block[entry:]) == tag && v >= 1 && v <= 8 {
			return int(v)
		}
	}
	return 1
}

// scaleDown scales an image down to fit, never up. It averages by a whole factor first, because the better
// method needs memory for every source line.
func scaleDown(src image.Image, width, height int) *image.NRGBA {
	b := src.Bounds()
	scale := math.Min(1, math.Min(float64(width)/float64(b.Dx()), float64(height)/float64(b.Dy())))
	w, h := max(1, int(math.Round(float64(b.Dx())*scale))), max(1, int(math.Round(float64(b.Dy())*scale)))
	if n := min(b.Dx()/w, b.Dy()/h); n > 1 {
		src = averageDown(src, n)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if src.Bounds().Size() == out.Rect.Size() {
		draw.Draw(out, out.Rect, src, src.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(out, out.Rect, src, src.Bounds(), draw.Src, nil)
	}
	return out
}

// averageDown averages n × n pixels each. An incomplete right or bottom edge is dropped.
func averageDown(src image.Image, n int) *image.RGBA {
	b := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()/n))
	band := image.NewRGBA(image.Rect(0, 0, out.Rect.Dx()*n, n))
	for y := range out.Rect.Dy() {
		draw.Draw(band, band.Rect, src, image.Pt(b.Min.X, b.Min.Y+y*n), draw.Src)
		line := out.Pix[y*out.Stride : (y+1)*out.Stride]
		for i := range line {
			x, channel, sum := i/4, i%4, 0
			for dy := range n {
				from := band.Pix[dy*band.Stride+x*n*4+channel:]
				for dx := range n {
					sum += int(from[dx*4])
				}
			}
			line[i] = uint8((sum + n*n/2) / (n * n))
		}
	}
	return out
}

// rotate applies an EXIF orientation.
func rotate(src *image.NRGBA, orientation int) *image.NRGBA {
	if orientation == 1 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewNRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			to := image.Pt(x, y)
			switch orientation {
			case 2:
				to = image.Pt(w-1-x, y)
			case 3:
				to = image.Pt(w-1-x, h-1-y)
			case 4:
				to = image.Pt(x, h-1-y)
			case 5:
				to = image.Pt(y, x)
			case 6:
				to = image.Pt(h-1-y, x)
			case 7:
				to = image.Pt(h-1-y, w-1-x)
			case 8:
				to = image.Pt(y, w-1-x)
			}
			copy(out.Pix[out.PixOffset(to.X, to.Y):][:4], src.Pix[src.PixOffset(x, y):][:4])
		}
	}
	return out
}
