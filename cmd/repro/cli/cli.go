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

	"golang.org/x/term"

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
	results := &terminal.Output{To: stdout, Width: terminal.WidthOf(stdout), Colour: terminal.Coloured(stdout)}
	notes := &terminal.Output{To: stderr, Width: terminal.WidthOf(stderr), Colour: terminal.Coloured(stderr)}
	a := &app{stdout: results, stderr: notes, screen: stderr}
	if f, ok := stderr.(*os.File); ok && terminal.WidthOf(f) > 0 && term.IsTerminal(int(os.Stdin.Fd())) {
		a.stdin = os.Stdin
	}
	root := newRoot(a)
	root.SetArgs(append([]string{}, args...))
	status := a.status(ctx, root.ExecuteContext(ctx))
	if err := results.Flush(); err != nil {
		a.note("%s: the results could not be printed: %v; free some space, or send them elsewhere", path.Base(printed.Program), err)
		status = statusError
	}
	if notes.Flush() != nil && status == 0 {
		status = statusError
	}
	return status
}

// status prints the error of a command and returns the exit status for it.
func (a *app) status(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	if e := (exit{}); errors.As(err, &e) {
		return e.status
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		a.note("interrupted; run the same command again to continue")
		return statusInterrupted
	}
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			a.stderr.Message("%s: %s", path.Base(printed.Program), line)
		}
	}
	return statusError
}
