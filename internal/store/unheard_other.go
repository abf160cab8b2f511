//go:build !linux

package store

import "syscall"

// giveUpUnheard leaves connections to the system, which tries for long.
func giveUpUnheard(string, string, syscall.RawConn) error { return nil }
