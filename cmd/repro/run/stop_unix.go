//go:build unix

package run

import (
	"os"
	"os/signal"
	"syscall"
)

// onStopSignal calls do when a scheduler sends SIGUSR1. The function that it returns ends that; SIGUSR1 is then ignored, because
// otherwise a second one would kill the process while it saves its cells.
func onStopSignal(do func()) (forget func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	done := make(chan struct{})
	go func() {
		select {
		case <-c:
			do()
		case <-done:
		}
	}()
	return func() {
		signal.Ignore(syscall.SIGUSR1)
		close(done)
	}
}
