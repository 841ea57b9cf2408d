package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"repro/results/printed"
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

// A Live is the last line of a terminal while something goes on. It says how far that is, and notes appear above it. Where there is
// no terminal, it is a line from time to time.
type Live struct {
	t     *Terminal
	mu    sync.Mutex
	line  string
	every time.Duration // between two times that the line is printed
	last  time.Time
}

// Live begins a line, through which all notes go until Close.
func (t *Terminal) Live() *Live {
	l := &Live{t: t, every: 100 * time.Millisecond}
	if !t.Interactive() {
		l.every, l.last = 10*time.Second, time.Now()
	}
	t.Say = l.note
	return l
}

// Set says how far it is.
func (l *Live) Set(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = printed.Visible(line)
	if now := time.Now(); now.Sub(l.last) >= l.every {
		l.last = now
		l.print("")
	}
}

// print prints whole lines, which end in a line break, and the last line again. It is called with the lock held.
func (l *Live) print(above string) {
	switch {
	case l.t.Interactive():
		fmt.Fprintf(l.t.Screen, "\r\x1b[K%s%s", above, text.Snip(l.line, l.t.Stderr.Width-1, "…"))
	case above == "":
		fmt.Fprintln(l.t.Stderr, l.line)
	default:
		fmt.Fprint(l.t.Stderr, above)
	}
}

func (l *Live) note(line string) { l.Show(printed.Visible(Wrapped(line, l.t.Stderr.Width))) }

// Show prints lines that Paint returned above the last line. It may be called from any goroutine.
func (l *Live) Show(painted string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print(painted + "\n")
}

// Close removes the line.
func (l *Live) Close() {
	l.t.Say, l.line = nil, ""
	if l.t.Interactive() {
		l.print("")
	}
}
