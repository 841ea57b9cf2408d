package lessons

import (
	"fmt"
	"strings"
)

// A piece is a part of a text: words, or the number of an expression.
type piece struct {
	text  string
	value *expression // nil for words
}

// cut takes a text with placeholders {{ expression }} apart. compiled compiles an expression of a number.
func cut(text string, compiled func(string) (*expression, error)) ([]piece, error) {
	var all []piece
	for {
		before, rest, ok := strings.Cut(text, "{{")
		if before != "" {
			all = append(all, piece{text: before})
		}
		if !ok {
			return all, nil
		}
		inside, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return nil, fmt.Errorf("{{ has no }}; close the placeholder")
		}
		e, err := compiled(strings.TrimSpace(inside))
		if err != nil {
			return nil, fmt.Errorf("{{%s}}: %w", inside, err)
		}
		all = append(all, piece{value: e})
		text = after
	}
}

// fill writes the text with the numbers of the records.
func fill(pieces []piece, runs Runs) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.value == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.value.number(runs)
		if err != nil {
			v = missing(err)
		}
		b.WriteString(v.String())
	}
	return b.String()
}

// Filled returns the Markdown with its placeholders replaced by the numbers of the records.
func (p *Prose) Filled(runs Runs) string { return fill(p.pieces, runs) }

// Filled returns the Markdown with its placeholders replaced by the numbers of the records.
func (n *Notes) Filled(runs Runs) string { return fill(n.pieces, runs) }
