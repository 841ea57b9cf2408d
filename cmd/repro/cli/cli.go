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
	"path/filepath"
	"regexp"
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
	printed.Program = programName(os.Args[0], info)
	// The first interrupt ends the command cleanly. After it signals have their usual effect, so that the second one kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Stdout, os.Stderr, os.Args[1:])
}

// ofGoRun matches the folders in which go run puts a program: one that it removes, or one in the cache of builds.
var ofGoRun = regexp.MustCompile(`/go-build\d+/b\d+/exe$|/[0-9a-f]{64}-d$`)

// programName returns how the user calls the program in a file: by the name of the file, or with go run if go run built it.
func programName(file string, info *debug.BuildInfo) string {
	if ofGoRun.MatchString(filepath.ToSlash(filepath.Dir(file))) && info != nil && strings.Contains(info.Path, "/") {
		return "go run " + info.Path
	}
	return strings.TrimSuffix(filepath.Base(file), ".exe")
}

// Run runs the command with the given arguments, without the name of the program, and returns its exit status.
func Run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	a := &app{Terminal: terminal.New(stdout, stderr)}
	root := newRoot(a)
	root.SetArgs(append([]string{}, args...))
	status := a.status(ctx, root.ExecuteContext(ctx))
	if err := a.Stdout.Flush(); err != nil {
		a.Note("%s: the results could not be printed: %v; free some space, or send them elsewhere", path.Base(printed.Program), err)
		status = int(exits.Error)
	}
	if a.Stderr.Flush() != nil && status == 0 {
		status = int(exits.Error)
	}
	return status
}

// status prints the error of a command and returns the exit status for it.
func (a *app) status(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	if s := exits.Status(0); errors.As(err, &s) {
		return int(s)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		a.Note("interrupted; run the same command again to continue")
		return int(exits.Interrupted)
	}
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			a.Stderr.Message("%s: %s", path.Base(printed.Program), line)
		}
	}
	return int(exits.Error)
}
