package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"repro/results/claims"
	"repro/results/printed"
)

// A colour is the code of an SGR escape sequence, 0 for none.
type colour int

const (
	bold   colour = 1
	dim    colour = 2
	red    colour = 31
	green  colour = 32
	yellow colour = 33
	cyan   colour = 36
)

// colourOf returns the colour of a verdict.
func colourOf(w claims.Word) colour {
	switch w {
	case claims.Reproduced:
		return green
	case claims.Deviates, claims.Failed:
		return red
	case claims.Inconclusive:
		return yellow
	case claims.NotComparable:
		return cyan
	}
	return dim
}

// coloured reports whether an output shows colours: a terminal does. CLICOLOR_FORCE asks for them elsewhere, too, and
// NO_COLOR (no-color.org) for none.
func coloured(w io.Writer) bool {
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return widthOf(w) > 0 && os.Getenv("TERM") != "dumb"
}

// paint makes a text visible and, if the output shows colours, coloured.
func (o *output) paint(c colour, s string) string {
	s = printed.Visible(s)
	if !o.colour || c == 0 || s == "" {
		return s
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", c, s)
}

// wrapped breaks lines at words so that they fit a width, 0 for none. What follows a break is indented like its line, and
// by two more columns. A word that does not fit stays whole, so that paths can be copied.
func wrapped(s string, width int) string {
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
				b.WriteString("\n" + indent + "  ")
				used = len(indent) + 2
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

// paragraph prints a text, broken at words to fit the terminal or, elsewhere, 80 columns.
func (o *output) paragraph(format string, args ...any) {
	width := o.width
	if width == 0 {
		width = 80
	}
	fmt.Fprintln(o, wrapped(fmt.Sprintf(format, args...), width))
}

// message prints lines, broken at words to fit the terminal.
func (o *output) message(format string, args ...any) {
	fmt.Fprintln(o, wrapped(fmt.Sprintf(format, args...), o.width))
}
