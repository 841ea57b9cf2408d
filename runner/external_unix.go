//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// A group is a program with all the processes it starts: a process group of its own, which a Ctrl-C
// on the terminal does not reach either.
type group struct{ cmd *exec.Cmd }

// newGroup sets a command that has not started up to be one.
func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return &group{cmd}, nil
}

// add takes the started program into the group, where it is already.
func (g *group) add() error { return nil }

// kill ends all processes of the group.
func (g *group) kill() error {
	err := syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// close kills what the program left running.
func (g *group) close() {
	if g.cmd.Process != nil {
		_ = g.kill() // there is nothing left, or nothing to be done about it
	}
}
