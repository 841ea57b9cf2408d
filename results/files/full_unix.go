//go:build unix || js

package files

import (
	"errors"
	"syscall"
)

// noSpace reports whether a write failed because the disk or the user's quota is full.
func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
