package learn

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/results/printed"
)

// A lessonScreen shows a lesson on an output and reads answers from a terminal.
type lessonScreen struct {
	*terminal.Output
	ctx   context.Context
	lines *bufio.Scanner // nil if nobody can be asked
	below bool           // a heading was the last that was shown
}

// columns is the width that text is broken at: that of the terminal, but at most 100, and 80 elsewhere.
func (s *lessonScreen) columns() int {
	if s.Width > 0 {
		return min(s.Width, 100)
	}
	return 80
}

func (s *lessonScreen) Heading(text string) {
	s.Painted("\n" + s.Paint(terminal.Bold, terminal.Broken(text, s.columns(), "")))
	s.below = true
}

func (s *lessonScreen) Line(text string) { s.show(terminal.Broken(text, s.columns(), "")) }

func (s *lessonScreen) show(text string) {
	s.Painted(printed.Visible(text))
	s.below = false
}

// gap prints an empty line, unless a heading is above.
func (s *lessonScreen) gap() {
	if !s.below {
		s.Painted("")
	}
}

func (s *lessonScreen) Text(markdown string) {
	for _, b := range lessons.Plain(markdown) {
		if b.Kind != lessons.Bullet {
			s.gap()
		}
		switch b.Kind {
		case lessons.Title:
			s.Painted(s.Paint(terminal.Bold, b.Text))
			s.below = true
		case lessons.Verbatim, lessons.Table:
			s.show(strings.TrimRight(b.Text, "\n"))
		case lessons.Quote:
			s.show(terminal.Broken("    "+b.Text, s.columns(), ""))
		case lessons.Bullet:
			s.show(terminal.Broken(b.Text, s.columns(), "  "))
		default:
			s.Line(b.Text)
		}
	}
}

func (s *lessonScreen) Chart(c lessons.Chart) {
	if text := s.Plot(c.Title, &c.Curves); text != "" {
		s.gap()
		s.Painted(text)
		s.below = false
	}
}

func (s *lessonScreen) Ask(prompt string) (string, bool) {
	if s.lines == nil {
		return "", false
	}
	fmt.Fprint(s, "\n"+prompt)
	s.below = false
	typed := make(chan bool, 1)
	go func() { typed <- s.lines.Scan() }() // ends with the process if the learner interrupts
	select {
	case ok := <-typed:
		if !ok {
			s.Painted("") // below the prompt
		}
		return s.lines.Text(), ok
	case <-s.ctx.Done():
		s.Painted("")
		return "", false
	}
}
