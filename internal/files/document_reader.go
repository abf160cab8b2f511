package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

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

// isArchive reports whether a file with this end can be opened as a ZIP archive:
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
