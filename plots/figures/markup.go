package figures

import (
	"strings"
	"unicode"
)

// Superscripts and subscripts, in units of the text's size.
const (
	scriptScale = 0.70
	supShift    = 0.36
	subShift    = -0.16
)

// Minus is the sign of a negative number.
const Minus = "−"

// A span is a part of a line with one baseline.
type span struct {
	Text  string
	Shift float64 // of the baseline, in units of the text's size
	Scale float64
}

// Spans splits a line into its superscripts ^{...}, its subscripts _{...} and the text between them. They do not nest. A
// caret or an underscore without a brace stands for itself.
func Spans(line string) []span {
	var out []span
	add := func(s string, shift, scale float64) {
		if s != "" {
			out = append(out, span{minusSigns(s), shift, scale})
		}
	}
	for line != "" {
		at := nextScript(line)
		if at < 0 {
			break
		}
		end := strings.IndexByte(line[at:], '}')
		if end < 0 {
			break
		}
		add(line[:at], 0, 1)
		shift := supShift
		if line[at] == '_' {
			shift = subShift
		}
		add(line[at+2:at+end], shift, scriptScale)
		line = line[at+end+1:]
	}
	add(line, 0, 1)
	return out
}

// nextScript returns where the next ^{ or _{ begins, or -1.
func nextScript(s string) int {
	sup, sub := strings.Index(s, "^{"), strings.Index(s, "_{")
	if sup < 0 || (sub >= 0 && sub < sup) {
		return sub
	}
	return sup
}

// minusSigns replaces the hyphen of every negative number by a minus sign. It does not change other hyphens.
func minusSigns(s string) string {
	if !strings.Contains(s, "-") {
		return s
	}
	runes := []rune(s)
	for i, r := range runes {
		if r != '-' || i+1 == len(runes) || !(unicode.IsDigit(runes[i+1]) || runes[i+1] == '.') {
			continue
		}
		if i == 0 || !(unicode.IsLetter(runes[i-1]) || unicode.IsDigit(runes[i-1])) {
			runes[i] = []rune(Minus)[0]
		}
	}
	return string(runes)
}

// PlainText returns a text without the braces of superscripts and subscripts, for places that cannot show them.
func PlainText(s string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(s, "\n") {
		for _, p := range Spans(line) {
			if p.Shift > 0 {
				b.WriteByte('^')
			}
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
