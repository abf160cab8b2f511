package files

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"regexp"

	"nadmor/internal/hospital"
)

// Results are the files of results. They are patient data: access needs a permission and is recorded in the
// audit log.
const Results Kind = "results"

const (
	// Limits of the size of an image, which is not decoded here. Phone cameras have up to a hundred megapixels.
	maxStoredSide = 20_000
	maxKeptPixels = 120_000_000
	// tailBytes is how much of the end of a file is checked: a ZIP archive ends with a directory record of 22
	// bytes and a comment of up to 64 kB.
	tailBytes = 64<<10 + 22
)

// documentForm is a file format that is stored unchanged. read validates the whole file.
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

// Document is an uploaded PDF, PNG, JPEG or WebP that is validated while it is read. Read returns io.EOF only
// if the file is valid and nothing follows it, and FILE_TYPE_NOT_ALLOWED otherwise. Memory use does not
// depend on the size.
type Document struct {
	ContentType string
	Ending      string // extension of the key: ".pdf"
	p           *parser
	next        func() ([]byte, bool)
	stop        func()
	rest        []byte // validated but not read yet
	wrong       error
}

// OpenDocument starts reading a file, whose type is detected by its content. It returns FILE_TYPE_NOT_ALLOWED
// for other types. Close releases its resources.
func OpenDocument(r io.Reader) (*Document, error) {
	head := make([]byte, 64)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	// A failed read looks like a short file here; the next Read returns the error.
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

// Read returns validated bytes.
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

// Close ends reading.
func (d *Document) Close() { d.stop() }

// SourceErr returns the error of the source that ended the file early, or nil.
func (d *Document) SourceErr() error { return d.p.failed }

func refusedType(th, en string) error {
	return hospital.Reject(hospital.FileTypeNotAllowed).Because(th, en)
}

func damaged() error {
	return refusedType("อ่านไฟล์นี้ไม่ได้ ไฟล์อาจเสียหายหรือไม่ครบ กรุณาใช้ไฟล์อื่น",
		"The file cannot be read. It may be damaged or cut off.")
}

func somethingElse() error {
	return refusedType("มีข้อมูลอื่นต่อท้ายหรือแฝงอยู่ในไฟล์นี้ จึงรับไม่ได้ กรุณาบันทึกเป็นไฟล์ใหม่แล้วส่งอีกครั้ง",
		"Something else is hidden in or behind this file. Save it as a new file and send that.")
}
