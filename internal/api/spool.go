package api

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much of a spool is in memory; the rest of a larger one is in a file.
const spoolMemory = 1 << 20

// spool stores what is written to it until it is sent. Its file has no name, so that
// nothing of it remains when the process ends.
type spool struct {
	dir    string
	size   int64
	memory bytes.Buffer
	file   *os.File // nil while everything fits into memory
}

// Write appends to the spool.
func (s *spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.file == nil && s.size <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		if err := s.createFile(); err != nil {
			return 0, filesError(err)
		}
	}
	n, err := s.file.Write(p)
	if err != nil {
		return n, filesError(fmt.Errorf("write download: %w", err))
	}
	return n, nil
}

// createFile moves the content into a file.
func (s *spool) createFile() (err error) {
	if s.file, err = os.CreateTemp(s.dir, "download-"); err != nil {
		return fmt.Errorf("create file for download: %w", err)
	}
	if err := os.Remove(s.file.Name()); err != nil {
		return fmt.Errorf("unlink file of download: %w", err)
	}
	_, err = s.memory.WriteTo(s.file)
	s.memory = bytes.Buffer{}
	if err != nil {
		return fmt.Errorf("write download: %w", err)
	}
	return nil
}

// content returns a reader of everything that was written.
func (s *spool) content() (io.Reader, error) {
	if s.file == nil {
		return &s.memory, nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read download: %w", err)
	}
	return s.file, nil
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
