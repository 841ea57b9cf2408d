package programs

import (
	"errors"
	"os/exec"
)

// A group is a program with all the processes that it starts. A page starts none.
type group struct{}

// newGroup says why no program starts.
func newGroup(*exec.Cmd) (*group, error) { return nil, errors.New("a page runs no programs") }

func (*group) add() error  { return errors.ErrUnsupported }
func (*group) kill() error { return errors.ErrUnsupported }
func (*group) close()      {}
