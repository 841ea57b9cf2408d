package files

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noSpace reports whether a write failed because the disk or the user's quota is full.
func noSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
