//go:build unix

package files

import "syscall"

// nonblocking opens a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK
