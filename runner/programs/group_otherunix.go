//go:build unix && !linux

package programs

import "syscall"

// Where the kernel cannot kill it with repro, a served program notices that its input has closed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
