package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"iter"
	"regexp"

	"nadmor/internal/hospital"
)

// Results are the files of results. They are patients': nobody sees one without
// the permission to, and every look is written down.
const Results Kind = "results"

const (
	// What a kept picture may measure. It is not decoded here but by whoever looks
	// at it; a telephone's camera makes a hundred million pixels.
	maxKeptSide   = 20_000
	maxKeptPixels = 120_000_000
	// tailBytes is how much of the end of a file is looked at: an archive ends
	// with its directory's end (22 bytes) and a comment of up to 64 kB.
	tailBytes = 64<<10 + 22
)

// documentForm is one kind of file that is kept as it was sent. read goes
// through all of it and returns what is wrong.
type documentForm struct {
	contentType, ending string
	magic               func([]byte) bool
	read                func(*parser) error
}

var pdfMagic = regexp.MustCompile(`^%PDF-[12]\.[0-9][\r\n \t%]`)

var documentForms = []documentForm{
	{"application/pdf", ".pdf", pdfMagic.Match, readPDF},
	{"image/png", ".png", imageFormats[0].magic, readPNG},
	{"image/jpeg", ".jpg", imageFormats[1].magic, readJPEG},
	{"image/webp", ".webp", imageFormats[2].magic, readWebP},
}

// Document is an uploaded PDF, PNG, JPEG or WebP that is let through unchanged
// while it is looked at, from its first byte to its last: the end of the file
// comes only if it was one, and nothing beside. Otherwise Read refuses with
// FILE_TYPE_NOT_ALLOWED, so that nothing of it is kept. It takes the same memory
// for any size.
type Document struct {
	ContentType string
	Ending      string // of its key: ".pdf"
	p           *parser
	next        func() ([]byte, bool)
	stop        func()
	rest        []byte // looked at, but not read yet
	wrong       error
}

// OpenDocument begins to read a file, whose type is told by its content:
// FILE_TYPE_NOT_ALLOWED for all but the four. Close gives back what it holds.
func OpenDocument(r io.Reader) (*Document, error) {
	head := make([]byte, 64)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	// A sender that left tells the same as a short file; the next Read knows.
	head = head[:n]
	for _, form := range documentForms {
		if form.magic(head) {
			d := &Document{ContentType: form.contentType, Ending: form.ending, p: &parser{source: io.MultiReader(bytes.NewReader(head), r)}}
			d.next, d.stop = iter.Pull(func(yield func([]byte) bool) {
				d.p.yield = yield
				if d.wrong = form.read(d.p); d.wrong == nil {
					d.wrong = d.p.finish()
				}
			})
			return d, nil
		}
	}
	return nil, refusedType("รองรับเฉพาะไฟล์ PDF, PNG, JPEG และ WebP", "Only PDF, PNG, JPEG and WebP files are allowed.")
}

// Read hands on what was found to be in order.
func (d *Document) Read(b []byte) (int, error) {
	for len(d.rest) == 0 {
		chunk, ok := d.next()
		if !ok {
			switch {
			case d.p.failed != nil:
				return 0, d.p.failed
			case d.wrong != nil:
				return 0, d.wrong
			}
			return 0, io.EOF
		}
		d.rest = chunk
	}
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Close ends the reading.
func (d *Document) Close() { d.stop() }

// BrokeOff is why the sender's bytes ended before the file did, nil if they did
// not.
func (d *Document) BrokeOff() error { return d.p.failed }

func refusedType(th, en string) error {
	return hospital.Refuse(hospital.FileTypeNotAllowed).Because(th, en)
}

func damaged() error {
	return refusedType("อ่านไฟล์นี้ไม่ได้ ไฟล์อาจเสียหายหรือไม่ครบ", "The file cannot be read. It may be damaged or cut off.")
}

func somethingElse() error {
	return refusedType("มีข้อมูลอื่นต่อท้ายหรือแฝงอยู่ในไฟล์นี้ จึงรับไม่ได้ กรุณาบันทึกเป็นไฟล์ใหม่แล้วส่งอีกครั้ง", "Something else is hidden in or behind this file. Save it as a new file and send that.")
}

// parser goes through a file piece by piece. What it has gone through is handed
// on when it needs the next piece.
type parser struct {
	source io.Reader
	yield  func([]byte) bool
	buffer []byte // the piece in hand
	at     int    // how far it has been gone through
	tail   []byte // the end of what was handed on
	ended  bool
	failed error // what the source failed with
}

// more hands on the piece in hand and takes the next: io.EOF at the end.
func (p *parser) more() error {
	if p.ended {
		return io.EOF
	}
	if p.buffer == nil {
		p.buffer = make([]byte, 0, 32<<10)
	}
	if err := p.handOn(); err != nil {
		return err
	}
	for {
		n, err := p.source.Read(p.buffer[:cap(p.buffer)])
		p.buffer, p.at = p.buffer[:n], 0
		if n > 0 {
			return nil // an error comes again
		}
		if errors.Is(err, io.EOF) {
			p.ended = true
			return io.EOF
		}
		if err != nil {
			p.failed = err
			return err
		}
	}
}

func (p *parser) handOn() error {
	if len(p.buffer) == 0 {
		return nil
	}
	p.tail = append(p.tail, p.buffer...)
	if extra := len(p.tail) - tailBytes; extra > 0 {
		p.tail = p.tail[:copy(p.tail, p.tail[extra:])]
	}
	piece := p.buffer
	p.buffer, p.at = p.buffer[:0], 0
	if !p.yield(piece) {
		p.failed = errors.New("nobody reads on")
		return p.failed
	}
	return nil
}

// finish wants the file to end here, and not to be an archive besides.
func (p *parser) finish() error {
	if _, err := p.byte(); !errors.Is(err, io.EOF) {
		return somethingElse()
	}
	if isArchive(p.tail) {
		return somethingElse()
	}
	return nil
}

// isArchive tells whether a file with this end can be opened as a ZIP archive:
// its directory's end is there, with a comment that reaches to the end.
func isArchive(tail []byte) bool {
	for end := len(tail); ; {
		i := bytes.LastIndex(tail[:end], []byte("PK\x05\x06"))
		if i < 0 {
			return false
		}
		if rest := tail[i:]; len(rest) >= 22 && len(rest) == 22+int(binary.LittleEndian.Uint16(rest[20:])) {
			return true
		}
		end = i
	}
}

func (p *parser) byte() (byte, error) {
	for p.at == len(p.buffer) {
		if err := p.more(); err != nil {
			return 0, err
		}
	}
	p.at++
	return p.buffer[p.at-1], nil
}

// take reads the next bytes into b; a file that ends before is damaged.
func (p *parser) take(b []byte) error {
	for i := range b {
		c, err := p.byte()
		if err != nil {
			return damaged()
		}
		b[i] = c
	}
	return nil
}

// pass goes over n bytes and shows them to see, if it is not nil.
func (p *parser) pass(n int64, see io.Writer) error {
	for n > 0 {
		if p.at == len(p.buffer) {
			if err := p.more(); err != nil {
				return damaged()
			}
		}
		k := int(min(n, int64(len(p.buffer)-p.at)))
		if see != nil {
			_, _ = see.Write(p.buffer[p.at : p.at+k])
		}
		p.at += k
		n -= int64(k)
	}
	return nil
}

// measures refuses a picture that would fill somebody's memory.
func measures(width, height int) error {
	switch {
	case width < 1 || height < 1:
		return damaged()
	case width > maxKeptSide || height > maxKeptSide || width*height > maxKeptPixels:
		return refusedType("รูปภาพมีจำนวนพิกเซลมากเกินไป ด้านละไม่เกิน 20,000 พิกเซล และรวมไม่เกิน 120 ล้านพิกเซล",
			"The picture has too many pixels: at most 20,000 a side and 120 million in all.")
	}
	return nil
}

// readPDF wants the end that every PDF has: where its directory is, and the mark
// behind which nothing follows.
func readPDF(p *parser) error {
	for {
		if err := p.more(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		p.at = len(p.buffer)
	}
	end := bytes.TrimRight(p.tail, "\x00\t\n\f\r ")
	last := bytes.LastIndex(p.tail, []byte("%%EOF"))
	switch {
	case last < 0 || !bytes.Contains(p.tail[max(0, last-2048):last], []byte("startxref")):
		return damaged()
	case !bytes.HasSuffix(end, []byte("%%EOF")):
		return somethingElse()
	}
	return nil
}

// readPNG goes through the chunks and compares the check sum of each.
func readPNG(p *parser) error {
	if err := p.pass(8, nil); err != nil {
		return err
	}
	for first, pixels := true, false; ; first = false {
		var head [8]byte
		if err := p.take(head[:]); err != nil {
			return err
		}
		size, name := binary.BigEndian.Uint32(head[:]), string(head[4:])
		sum := crc32.NewIEEE()
		_, _ = sum.Write(head[4:])
		if size > 1<<31-1 || first != (name == "IHDR") {
			return damaged()
		}
		if first {
			var body [13]byte
			if size != 13 {
				return damaged()
			}
			if err := p.take(body[:]); err != nil {
				return err
			}
			_, _ = sum.Write(body[:])
			if err := measures(int(binary.BigEndian.Uint32(body[:])), int(binary.BigEndian.Uint32(body[4:]))); err != nil {
				return err
			}
		} else if err := p.pass(int64(size), sum); err != nil {
			return err
		}
		var want [4]byte
		if err := p.take(want[:]); err != nil {
			return err
		}
		if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
			return damaged()
		}
		pixels = pixels || name == "IDAT"
		if name == "IEND" {
			if !pixels || size != 0 {
				return damaged()
			}
			return nil
		}
	}
}

// readJPEG goes through a picture and what telephones put behind it.
func readJPEG(p *parser) error {
	if err := p.pass(2, nil); err != nil {
		return err
	}
	if err := readJPEGPicture(p); err != nil {
		return err
	}
	for range 16 {
		c, err := byte(0), error(nil)
		for c == 0 && err == nil { // padding
			c, err = p.byte()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c != 0xff {
			return readPhoneTrailer(p, c)
		}
		// A second picture: the brightness of the first, or its depth.
		if c, err = p.byte(); err != nil || c != 0xd8 {
			return somethingElse()
		}
		if err := readJPEGPicture(p); err != nil {
			return err
		}
	}
	return somethingElse()
}

// readJPEGPicture goes from behind the first marker to the end of the picture.
func readJPEGPicture(p *parser) error {
	measured, pixels := false, false
	marker, err := nextMarker(p)
	for err == nil {
		switch {
		case marker == 0xd9: // the end
			if !measured || !pixels {
				return damaged()
			}
			return nil
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7: // stand alone
			marker, err = nextMarker(p)
			continue
		case marker < 0xc0 || marker == 0xd8:
			return damaged()
		}
		var head [2]byte
		if err := p.take(head[:]); err != nil {
			return err
		}
		size := int64(binary.BigEndian.Uint16(head[:])) - 2
		if size < 0 {
			return damaged()
		}
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			var frame [5]byte
			if size < 6 {
				return damaged()
			}
			if err := p.take(frame[:]); err != nil {
				return err
			}
			if err := measures(int(binary.BigEndian.Uint16(frame[3:])), int(binary.BigEndian.Uint16(frame[1:]))); err != nil {
				return err
			}
			size, measured = size-5, true
		}
		if err := p.pass(size, nil); err != nil {
			return err
		}
		if marker == 0xda {
			pixels = true
			marker, err = markerAfterPixels(p)
		} else {
			marker, err = nextMarker(p)
		}
	}
	return err
}

func nextMarker(p *parser) (byte, error) {
	c, err := p.byte()
	if err != nil || c != 0xff {
		return 0, damaged()
	}
	for c == 0xff {
		if c, err = p.byte(); err != nil {
			return 0, damaged()
		}
	}
	return c, nil
}

// markerAfterPixels passes over the pixels: in them 0xff is followed by 0, by a
// restart mark, or by more of it.
func markerAfterPixels(p *parser) (byte, error) {
	for {
		if i := bytes.IndexByte(p.buffer[p.at:], 0xff); i < 0 {
			p.at = len(p.buffer)
		} else {
			p.at += i
		}
		c, err := p.byte()
		for err == nil && c == 0xff {
			c, err = p.byte()
			if err == nil && c != 0 && c != 0xff && (c < 0xd0 || c > 0xd7) {
				return c, nil
			}
		}
		if err != nil {
			return 0, damaged()
		}
	}
}

// readPhoneTrailer takes what Samsung's cameras write behind every picture (when
// it was taken, with which settings): a short block with a directory at its end,
// and nothing in it that a browser or an archiver would read.
func readPhoneTrailer(p *parser, first byte) error {
	const most = 64 << 10
	block := []byte{first}
	for {
		c, err := p.byte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if block = append(block, c); len(block) > most {
			return somethingElse()
		}
	}
	n := len(block)
	if n < 16 || string(block[n-4:]) != "SEFT" || bytes.ContainsAny(block, "<") || bytes.Contains(block, []byte("PK")) {
		return somethingElse()
	}
	directory := n - 8 - int(min(binary.LittleEndian.Uint32(block[n-8:]), most))
	if directory < 0 || string(block[directory:directory+4]) != "SEFH" {
		return somethingElse()
	}
	return nil
}

// readWebP goes through the parts of the file, which says how long it is.
func readWebP(p *parser) error {
	var head [12]byte
	if err := p.take(head[:]); err != nil {
		return err
	}
	left := int64(binary.LittleEndian.Uint32(head[4:])) - 4
	picture := false
	for left > 0 {
		var part [8]byte
		if err := p.take(part[:]); err != nil {
			return err
		}
		name, size := string(part[:4]), int64(binary.LittleEndian.Uint32(part[4:]))
		padded := size + size%2
		if left -= 8 + padded; left < 0 {
			return damaged()
		}
		// As the picture's own parser reads them, from the first bytes of each part.
		begin := make([]byte, min(size, 16))
		if err := p.take(begin); err != nil {
			return err
		}
		if name == "VP8X" || name == "VP8 " || name == "VP8L" {
			measured, err := webpSize(append(append([]byte("RIFF\x00\x00\x00\x00WEBP"), part[:]...), begin...))
			if err != nil {
				return damaged()
			}
			if err := measures(measured.X, measured.Y); err != nil {
				return err
			}
		}
		picture = picture || name == "VP8 " || name == "VP8L" || name == "ANMF"
		if err := p.pass(padded-int64(len(begin)), nil); err != nil {
			return err
		}
	}
	if left < 0 || !picture {
		return damaged()
	}
	return nil
}
