package programs

import "syscall"

// The kernel kills the program when repro dies, also by SIGKILL. It does so when the thread that started it ends; threads of Go
// last as long as the process unless a goroutine is locked to them, and none is. What the program started itself notices that its
// input has closed, or does not.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
