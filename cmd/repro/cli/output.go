package cli

import (
	"io"
	"sync"
	"unicode/utf8"

	"repro/results/printed"
)

// An output is standard output or standard error as every verb sees it. Control characters, which a title, a label, the
// name of a file or a reason may hold, never reach the terminal through it: it writes them as printed.Visible does. It
// keeps the first error of a write. Writes may come from any goroutine.
type output struct {
	to     io.Writer
	width  int  // columns of the terminal, 0 if it is none
	colour bool // it shows colours

	mu   sync.Mutex
	rest []byte // the beginning of a character whose end is not written yet
	err  error
}

func (o *output) Write(p []byte) (int, error) {
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

// flush writes what is left and returns the first error of any write.
func (o *output) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write(o.rest)
	o.rest = nil
	return o.err
}

func (o *output) write(text []byte) { o.shown(printed.Visible(string(text))) }

// shown writes a text that has gone through Visible or paint.
func (o *output) shown(text string) {
	if o.err == nil && text != "" {
		_, o.err = io.WriteString(o.to, text)
	}
}

// painted writes a line of texts that paint returned.
func (o *output) painted(line string) {
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
