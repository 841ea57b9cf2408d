package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"repro/algos/compute"
	"repro/results/files"
	"repro/results/records"
)

// protect calls do. If do panics, the cell fails: protect writes the stack to a file and ends the record. If do panics
// because the run was cancelled and stopped the engines, the error is ctx's.
func (x *cellRun) protect(ctx context.Context, do func() error) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if e, ok := v.(error); ok && errors.Is(e, compute.ErrStopped) {
			err = ctx.Err()
			return
		}
		stack := debug.Stack()
		if x.lock == nil { // the cell's files are not this process's to write
			err = fmt.Errorf("%s %s: panic: %v\n%s", x.cell.Experiment, x.cell.Name, v, stack)
			return
		}
		defer func() {
			if again := recover(); again != nil {
				err = fmt.Errorf("%s %s: panic: %v, and writing that down panics too: %v", x.cell.Experiment, x.cell.Name, v, again)
			}
		}()
		err = x.panicked(v, stack)
	}()
	return do()
}

// panicked ends the cell that panicked with v.
func (x *cellRun) panicked(v any, stack []byte) error {
	var inner *compute.Panic
	if e, ok := v.(error); ok && errors.As(e, &inner) {
		stack = append(append(inner.Stack, "\nwhich was computed for\n\n"...), stack...)
	}
	first, _, _ := strings.Cut(fmt.Sprint(v), "\n")
	command := "run it again"
	if x.Command != nil {
		command = x.Command(x.cell)
	}
	text := fmt.Sprintf("%s %s: panic: %v\n\nTo reproduce it:\n\n    %s\n\nin the build %s", x.cell.Experiment, x.cell.Name, v, command, thisBuild())
	if x.resumed > 0 {
		text += fmt.Sprintf("\n\nThe run had continued from a checkpoint after step %d.", x.resumed)
	}
	if err := files.Keep(x.Out, x.failurePath(), fmt.Appendf(nil, "%s\n\n%s", text, stack)); err != nil {
		return err
	}
	end := ending{records.Failed, fmt.Sprintf("panic: %s; its stack is in failures/%s/%s.txt below the output folder", first, x.cell.Experiment, x.cell.Name), 0}
	if x.record == nil || x.ended {
		if err := x.create(x.header()); err != nil {
			return err
		}
	}
	return x.finish(end)
}

func (x *log) failurePath() string {
	return files.Path(x.Out, "failures", x.cell.Experiment, x.cell.Name+".txt")
}
