//go:build unix

package records

import (
	"errors"
	"syscall"
)

// nonblocking opens a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

// noSpace reports whether a write failed because the disk or the user's quota is full.
func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
