package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// A Terminal is what a command prints to and reads from: results go to Stdout, notes to Stderr.
type Terminal struct {
	Stdout, Stderr *Output
	Stdin          io.Reader         // nil if nobody can be asked
	Screen         io.Writer         // stderr as it is, for progress that draws itself again
	Say            func(line string) // prints notes while progress is shown; nil for stderr
}

// New returns the terminal of a process with these outputs.
func New(stdout, stderr io.Writer) *Terminal {
	output := func(w io.Writer) *Output { return &Output{To: w, Width: WidthOf(w), Colour: Coloured(w)} }
	t := &Terminal{Stdout: output(stdout), Stderr: output(stderr), Screen: stderr}
	if t.Interactive() && term.IsTerminal(int(os.Stdin.Fd())) {
		t.Stdin = os.Stdin
	}
	return t
}

// Interactive reports whether notes go to a terminal.
func (t *Terminal) Interactive() bool { return t.Stderr.Width > 0 }

// Note prints a message that is not a result, on stderr.
func (t *Terminal) Note(format string, args ...any) {
	if t.Say != nil {
		t.Say(fmt.Sprintf(format, args...))
		return
	}
	t.Stderr.Message(format, args...)
}

// Notes prints messages, a line each.
func (t *Terminal) Notes(lines []string) {
	for _, line := range lines {
		t.Note("%s", line)
	}
}

// Tell prints a result on stdout, or on stderr if stdout is for JSON.
func (t *Terminal) Tell(json bool, format string, args ...any) {
	if json {
		t.Note(format, args...)
		return
	}
	t.Stdout.Message(format, args...)
}

// Show prints a result: v as JSON, or what text prints for people.
func (t *Terminal) Show(json bool, v any, text func()) error {
	if json {
		return PrintJSON(t.Stdout, v)
	}
	text()
	return nil
}
