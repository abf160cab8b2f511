package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"nadmor/internal/hospital"
)

const (
	// spoolMemory is how much of a spool is held in memory; the rest is in a file.
	spoolMemory = 1 << 20
	// spoolPattern is the file name until the file is unlinked.
	spoolPattern = ".download-*"
)

// spoolQuota limits the disk space of all spools. The disk is usually that of the database, which must always
// have space for a booking.
type spoolQuota struct {
	dir   string // empty for the system's
	most  int64  // of one spool
	total int64  // of all spools
	spare uint64 // left free on the disk
	step  int64  // reserved at a time

	mu    sync.Mutex
	taken int64
}

func newSpoolQuota(dir string) *spoolQuota {
	return &spoolQuota{dir: dir, most: 2 << 30, total: 4 << 30, spare: 512 << 20, step: 8 << 20}
}

// clear deletes the files of a process that was killed.
func (r *spoolQuota) clear() error {
	if r.dir == "" {
		return nil // the system clears its temporary folder
	}
	left, err := filepath.Glob(filepath.Join(r.dir, spoolPattern))
	for _, name := range left {
		if failed := os.Remove(name); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// take reserves space for another step of a spool that has already reserved some.
func (r *spoolQuota) take(already int64) error {
	if already+r.step > r.most {
		return hospital.Reject(hospital.TooLarge).Because(
			fmt.Sprintf("ไฟล์จะมีขนาดเกิน %d กิกะไบต์ กรุณาเลือกช่วงวันที่ให้สั้นลง หรือกรองรายการให้น้อยลง", r.most>>30),
			fmt.Sprintf("The file would be larger than %d GB. Choose a shorter period, or filter the list further.", r.most>>30),
		).With("maxBytes", r.most)
	}
	if err := r.checkDisk(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken+r.step > r.total {
		return tooManyExports()
	}
	r.taken += r.step
	return nil
}

// checkDisk returns an error if a step would leave less than spare.
func (r *spoolQuota) checkDisk() error {
	dir := r.dir
	if dir == "" {
		dir = os.TempDir()
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return filesError(fmt.Errorf("read the free space for downloads: %w", err))
	}
	if disk.Bavail*uint64(disk.Bsize) >= r.spare+uint64(r.step) {
		return nil
	}
	return hospital.StorageFull().Because(
		"พื้นที่จัดเก็บข้อมูลของระบบเหลือน้อย จึงเตรียมไฟล์ขนาดใหญ่ไม่ได้ กรุณาแจ้งผู้ดูแลระบบให้เพิ่มพื้นที่ "+
			"หรือเลือกช่วงวันที่ให้สั้นลง",
		"There is too little disk space to prepare a large file. Ask an administrator to free some space, or choose "+
			"a shorter period.")
}

func (r *spoolQuota) release(taken int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= taken
}

// spool buffers a response until it is sent. Its file is unlinked, so that nothing remains when the process
// ends.
type spool struct {
	quota  *spoolQuota
	size   int64
	taken  int64 // reserved disk space
	memory bytes.Buffer
	file   *os.File // nil while everything is in memory
}

// Write appends to the spool. It returns FILE_TOO_LARGE if the spool is too large, and UNAVAILABLE if there
// is no space.
func (s *spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.file == nil && s.size <= spoolMemory {
		return s.memory.Write(p)
	}
	for s.taken < s.size {
		if err := s.quota.take(s.taken); err != nil {
			return 0, err
		}
		s.taken += s.quota.step
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

// createFile moves the content to a file.
func (s *spool) createFile() (err error) {
	if s.file, err = os.CreateTemp(s.quota.dir, spoolPattern); err != nil {
		return fmt.Errorf("create file for download: %w", err)
	}
	if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// close deletes the spool and releases its space.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	s.quota.release(s.taken)
}
