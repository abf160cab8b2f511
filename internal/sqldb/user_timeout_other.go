//go:build !linux

package sqldb

import "syscall"

// limitUnacknowledged does nothing: the limits of the system apply.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
