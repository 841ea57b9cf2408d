// Package cli is the command repro: its verbs, flags, output and exit status.
//
// Your own program can offer every verb for your algorithms, data sets, kernels, losses, metrics and specs beside the
// built-in ones: import the packages that register them and call Main.
//
//	package main
//
//	import (
//		"os"
//
//		_ "example.org/mymethods" // registers them
//		"repro/cmd/repro/cli"
//	)
//
//	func main() { os.Exit(cli.Main()) }
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"strings"
	"syscall"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/results/printed"
)

// Main runs the command with the arguments of the process and returns its exit status.
func Main() int {
	info, _ := debug.ReadBuildInfo()
	printed.Program = printed.ProgramName(os.Args[0], info)
	// The first interrupt ends the command cleanly. After it signals have their usual effect, so that the second one kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Stdout, os.Stderr, os.Args[1:])
}

// Run runs the command with the given arguments, without the name of the program, and returns its exit status.
func Run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	t := terminal.New(stdout, stderr)
	root := newRoot(t)
	root.SetArgs(append([]string{}, args...))
	code := status(ctx, t, root.ExecuteContext(ctx))
	if err := t.Stdout.Flush(); err != nil {
		t.Note("%s: the results could not be printed: %v; free some space, or send them elsewhere", path.Base(printed.Program), err)
		code = int(exits.Error)
	}
	if t.Stderr.Flush() != nil && code == 0 {
		code = int(exits.Error)
	}
	return code
}

// status prints the error of a command and returns the exit status for it.
func status(ctx context.Context, t *terminal.Terminal, err error) int {
	if err == nil {
		return 0
	}
	if s := exits.Status(0); errors.As(err, &s) {
		return int(s)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		t.Note("interrupted; run the same command again to continue")
		return int(exits.Interrupted)
	}
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			t.Stderr.Message("%s: %s", path.Base(printed.Program), line)
		}
	}
	return int(exits.Error)
}
