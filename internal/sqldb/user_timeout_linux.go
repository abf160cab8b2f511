package sqldb

import (
	"errors"
	"syscall"
	"time"
)

// userTimeout is how long sent data may remain unacknowledged.
const userTimeout = 20 * time.Second

// limitUnacknowledged sets TCP_USER_TIMEOUT. By default Linux retries for a quarter of an hour.
func limitUnacknowledged(_, _ string, raw syscall.RawConn) error {
	const tcpUserTimeout = 0x12 // not defined in package syscall
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(userTimeout.Milliseconds()))
	})
	if errors.Is(failed, syscall.EOPNOTSUPP) || errors.Is(failed, syscall.ENOPROTOOPT) {
		failed = nil // a Unix socket
	}
	return errors.Join(err, failed)
}
