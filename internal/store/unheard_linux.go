package store

import (
	"errors"
	"syscall"
	"time"
)

// unheardTime is how long the network may take to bring across what was sent.
const unheardTime = 20 * time.Second

// giveUpUnheard ends a connection over which nothing comes across any more. By
// itself the system tries for a quarter of an hour.
func giveUpUnheard(_, _ string, raw syscall.RawConn) error {
	const userTimeout = 0x12 // TCP_USER_TIMEOUT, which package syscall does not name
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(unheardTime.Milliseconds()))
	})
	if errors.Is(failed, syscall.EOPNOTSUPP) || errors.Is(failed, syscall.ENOPROTOOPT) {
		failed = nil // a socket in a folder
	}
	return errors.Join(err, failed)
}
