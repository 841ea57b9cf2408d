package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is the byte that is locked, far behind the content, so that other processes can read who holds the lock.
const lockedByte = 1 << 30

// tryLockFile locks an open file and reports whether no other open file has the lock.
func tryLockFile(f *os.File) (bool, error) {
	at := &windows.Overlapped{Offset: lockedByte}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED):
		return false, fmt.Errorf("%w: %w", errNoLocks, err)
	}
	return false, fmt.Errorf("cannot lock %s: %w", f.Name(), err)
}

// removeLockFile keeps the file: Windows does not remove open files, and a closed one may be another's by now.
func removeLockFile(string) {}
