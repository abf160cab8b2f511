package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// parser reads a file in pieces. A piece is passed on when the next one is needed.
type parser struct {
	source io.Reader
	yield  func([]byte) bool
	buffer []byte // current piece
	at     int    // position in the piece
	tail   []byte // end of what was passed on
	ended  bool
	failed error // error of the source
}

// more passes on the current piece and reads the next. It returns io.EOF at the end.
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
			return nil // an error is returned again
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
		p.failed = errors.New("reader closed")
		return p.failed
	}
	return nil
}

// finish requires the end of the file, and that the file is not also an archive.
func (p *parser) finish() error {
	if _, err := p.byte(); !errors.Is(err, io.EOF) {
		return somethingElse()
	}
	if isArchive(p.tail) {
		return somethingElse()
	}
	return nil
}

// isArchive reports whether a file with this end can be opened as a ZIP archive: it contains an
// end-of-directory record whose comment reaches to the end.
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

// take reads len(b) bytes. It returns an error if the file ends before.
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

// pass skips n bytes and writes them to see, unless that is nil.
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
