// Package terminal prints for people: lines that fit the width, colours, tables, and curves drawn with characters. No control
// character of a text reaches the terminal through it.
package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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

// An Output is standard output or standard error as every verb sees it. Control characters, which a title, a label, the
// name of a file or a reason may hold, never reach the terminal through it: it writes them as printed.Visible does. It
// keeps the first error of a write. Writes may come from any goroutine.
type Output struct {
	To     io.Writer
	Width  int  // columns of the terminal, 0 if it is none
	Colour bool // it shows colours

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end is not written yet
	err  error
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.rest, p...)
	whole := len(text) - unfinished(text)
	o.rest = append([]byte(nil), text[whole:]...)
	o.write(text[:whole])
	if o.err != nil {
		return 0, o.err
	}
	return len(p), nil
}

// Flush writes what is left and returns the first error of any write.
func (o *Output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write(o.rest)
	o.rest = nil
	return o.err
}

func (o *Output) write(text []byte) { o.shown(printed.Visible(string(text))) }

// shown writes a text that has gone through Visible or paint.
func (o *Output) shown(text string) {
	if o.err == nil && text != "" {
		_, o.err = io.WriteString(o.To, text)
	}
}

// Painted writes a line of texts that paint returned.
func (o *Output) Painted(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shown(line + "\n")
}

// unfinished returns the length of the character at the end of text that may go on: a carriage return, which may begin the
// end of a line, or the first bytes of a longer character.
func unfinished(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		last := text[len(text)-n:]
		if last[0] == '\r' && n == 1 || utf8.RuneStart(last[0]) && !utf8.FullRune(last) {
			return n
		}
	}
	return 0
}

// A Colour is the code of an SGR escape sequence, 0 for none.
type Colour int

const (
	Bold   Colour = 1
	Dim    Colour = 2
	Red    Colour = 31
	Green  Colour = 32
	Yellow Colour = 33
	Cyan   Colour = 36
)

// Coloured reports whether an output shows colours: a terminal does. CLICOLOR_FORCE asks for them elsewhere, too, and
// NO_COLOR (no-color.org) for none.
func Coloured(w io.Writer) bool {
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return WidthOf(w) > 0 && os.Getenv("TERM") != "dumb"
}

// Paint makes a text visible and, if the output shows colours, coloured.
func (o *Output) Paint(c Colour, s string) string {
	s = printed.Visible(s)
	if !o.Colour || c == 0 || s == "" {
		return s
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", c, s)
}

// Wrapped breaks lines at words so that they fit a width; a width below 1 breaks none. What follows a break is indented like
// its line, and by two more columns. A word that does not fit stays whole, so that paths can be copied.
func Wrapped(s string, width int) string { return Broken(s, width, "  ") }

// Filled breaks the lines of paragraphs, which blank lines separate, anew so that they fit a width; a width below 1 breaks
// none.
func Filled(s string, width int) string {
	if width <= 0 {
		return s
	}
	paragraphs := strings.Split(s, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = Broken(strings.Join(strings.Fields(p), " "), width, "")
	}
	return strings.Join(paragraphs, "\n\n")
}

// Broken is wrapped with an indent of its own for what follows a break.
func Broken(s string, width int, hang string) string {
	if width <= 0 {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		end := line[len(strings.TrimRight(line, "\n")):]
		line = strings.TrimRight(line, "\n")
		if text.StringWidthWithoutEscSequences(line) <= width {
			b.WriteString(line + end)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		used := 0
		for i, word := range strings.Fields(line) {
			w := text.StringWidthWithoutEscSequences(word)
			switch {
			case i == 0:
				b.WriteString(indent)
				used = len(indent)
			case used+1+w > width:
				b.WriteString("\n" + indent + hang)
				used = len(indent) + len(hang)
			default:
				b.WriteString(" ")
				used++
			}
			b.WriteString(word)
			used += w
		}
		b.WriteString(end)
	}
	return b.String()
}

// Paragraph prints a text, broken at words to fit the terminal or, elsewhere, 80 columns.
func (o *Output) Paragraph(format string, args ...any) {
	width := o.Width
	if width == 0 {
		width = 80
	}
	fmt.Fprintln(o, Wrapped(fmt.Sprintf(format, args...), width))
}

// Message prints lines, broken at words to fit the terminal.
func (o *Output) Message(format string, args ...any) {
	fmt.Fprintln(o, Wrapped(fmt.Sprintf(format, args...), o.Width))
}

// PrintJSON writes v as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func OrEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// WidthOf returns the number of columns of the terminal that w is, 0 if w is not a terminal.
func WidthOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}
