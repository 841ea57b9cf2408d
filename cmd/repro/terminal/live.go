package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"repro/results/printed"
)

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
