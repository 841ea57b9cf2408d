//go:build unix

package programs

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// A group is a program with all the processes that it starts. It is a process group of its own, so a Ctrl-C on the
// terminal does not reach it.
type group struct{ cmd *exec.Cmd }

// newGroup prepares a command that has not started to run as a group.
func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = attributes()
	return &group{cmd}, nil
}

// add adds the started program to the group. Here it is in the group from its start.
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
		_ = g.kill() // no process is left, or it cannot be killed
	}
}
