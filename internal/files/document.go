package files

import (
	"bytes"
	"errors"
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
			d := &Document{
				ContentType: form.contentType, Ending: form.ending, p: &parser{source: io.MultiReader(bytes.NewReader(head), r)},
			}
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
	return refusedType("อ่านไฟล์นี้ไม่ได้ ไฟล์อาจเสียหายหรือไม่ครบ กรุณาใช้ไฟล์อื่น",
		"The file cannot be read. It may be damaged or cut off.")
}

func somethingElse() error {
	return refusedType("มีข้อมูลอื่นต่อท้ายหรือแฝงอยู่ในไฟล์นี้ จึงรับไม่ได้ กรุณาบันทึกเป็นไฟล์ใหม่แล้วส่งอีกครั้ง",
		"Something else is hidden in or behind this file. Save it as a new file and send that.")
}
