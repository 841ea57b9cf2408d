//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLockFile locks an open file and reports whether no other open file has the lock.
func tryLockFile(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported):
			return false, fmt.Errorf("%w: %w", errNoLocks, err)
		default:
			return false, fmt.Errorf("cannot lock %s: %w", f.Name(), err)
		}
	}
}

// removeLockFile removes the file of a lock that this process holds. Who opened it before sees that it is gone and begins
// again.
func removeLockFile(path string) { os.Remove(path) }
