package spectree

import "strings"

// tooDeep returns the line on which a TOML text goes deeper than maxDepth, 0 if none does. Of an invalid text it may
// return a later line than the one on which a decoder would stop.
func tooDeep(text string) int {
	s := &scanner{text: text, line: 1, index: &lineIndex{}}
	brackets, dots := 0, 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case s.accept(`"""`):
			s.multiline(`"""`, true)
			continue
		case s.accept(`'''`):
			s.multiline(`'''`, false)
			continue
		case c == '"' || c == '\'':
			s.quoted(c)
			continue
		case c == '#':
			s.skip("")
			continue
		case c == '.':
			dots++
		case c == '[' || c == '{':
			brackets, dots = brackets+1, 0
		case c == ']' || c == '}':
			brackets, dots = max(brackets-1, 0), 0
		case strings.IndexByte("=,\n", c) >= 0:
			dots = 0
		}
		if brackets+dots > maxDepth {
			return s.line
		}
		s.advance(1)
	}
	return 0
}
