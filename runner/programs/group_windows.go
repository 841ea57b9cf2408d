package programs

import (
	"errors"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a program with all the processes that it starts. It is a job object: closing its handle ends them.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// newGroup prepares a command that has not started to run as a group that a Ctrl-C on the console does not reach.
func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	return &group{cmd, job}, nil
}

// add takes the started program into the group. What it started before that, in its first
// microseconds, is not in the group.
func (g *group) add() error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.cmd.Process.Pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil // it has ended
	}
	if err != nil {
		return err
	}
	err = windows.AssignProcessToJobObject(g.job, p)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		err = nil // it is ending
	}
	return errors.Join(err, windows.CloseHandle(p))
}

// kill ends all processes of the group.
func (g *group) kill() error {
	return errors.Join(windows.TerminateJobObject(g.job, 1), g.cmd.Process.Kill())
}

// close kills what the program left running.
func (g *group) close() { _ = windows.CloseHandle(g.job) }
