//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows || js)

package files

import "os"

// tryLockFile says that this system has no locks.
func tryLockFile(*os.File) (bool, error) { return false, errNoLocks }

// removeLockFile removes the file that could not be locked.
func removeLockFile(path string) { os.Remove(path) }
