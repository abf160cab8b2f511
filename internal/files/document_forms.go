package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// measures returns an error for an image that would use too much memory when displayed.
func measures(width, height int) error {
	switch {
	case width < 1 || height < 1:
		return damaged()
	case width > maxStoredSide || height > maxStoredSide || width*height > maxKeptPixels:
		return refusedType("รูปภาพมีจำนวนพิกเซลมากเกินไป ด้านละไม่เกิน 20,000 พิกเซล และรวมไม่เกิน 120 ล้านพิกเซล",
			"The picture has too many pixels: at most 20,000 a side and 120 million in all.")
	}
	return nil
}

// readPDF requires the startxref and %%EOF at the end of a PDF, with nothing after them.
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

// readPNG reads the chunks and verifies their checksums.
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

// readJPEG reads an image and the data that phones append.
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
		// A second image: the gain map or the depth of the first.
		if c, err = p.byte(); err != nil || c != 0xd8 {
			return somethingElse()
		}
		if err := readJPEGPicture(p); err != nil {
			return err
		}
	}
	return somethingElse()
}

// readJPEGPicture reads from after the first marker to the end of the image.
func readJPEGPicture(p *parser) error {
	measured, pixels := false, false
	marker, err := nextMarker(p)
	for err == nil {
		switch {
		case marker == 0xd9: // end of image
			if !measured || !pixels {
				return damaged()
			}
			return nil
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7: // without a payload
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

// markerAfterPixels skips the pixel data, in which 0xff is followed by 0, a restart marker or another 0xff.
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

// readPhoneTrailer reads the block that Samsung cameras append: short, with a directory at its end, and
// nothing that a browser or archiver would interpret.
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

// readWebP reads the chunks of the file, whose length is in the header.
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
		// Parsed like webpSize does, from the first bytes of each chunk.
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
