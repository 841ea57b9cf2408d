//go:build unix

package regular

import "syscall"

// Nonblocking opens a pipe without waiting for its other end.
const Nonblocking = syscall.O_NONBLOCK
