package spectree

import (
	"fmt"
	"strconv"
	"strings"
)

// A keyPath is a path of keys and array positions, each ended by a zero byte.
type keyPath string

func (p keyPath) key(k string) keyPath { return p + keyPath(k) + "\x00" }
func (p keyPath) at(i int) keyPath     { return p.key("#" + strconv.Itoa(i)) }

// A lineIndex holds the line of a TOML text on which each key first appears.
type lineIndex struct {
	line   map[keyPath]int
	order  map[keyPath]int    // rank of first appearance
	digits map[keyPath]string // of numbers, as written
	lost   string             // line and key of the first number that a float64 rounds to 0, with the number; empty if there is none
}

func (x *lineIndex) mark(p keyPath, line int) {
	if _, seen := x.line[p]; !seen {
		x.line[p] = line
		x.order[p] = len(x.order)
	}
}

// indexLines finds the line of every key path of a TOML text. It understands everything a valid
// text may hold: tables, arrays of tables, dotted and quoted keys, inline tables, strings and arrays over
// several lines. On an invalid text it returns some index; it never fails.
func indexLines(text string) *lineIndex {
	s := &scanner{
		text:   text,
		line:   1,
		index:  &lineIndex{line: map[keyPath]int{}, order: map[keyPath]int{}, digits: map[keyPath]string{}},
		tables: map[keyPath]int{},
	}
	s.document()
	return s.index
}

// A scanner walks a TOML text once.
type scanner struct {
	text   string
	pos    int
	line   int
	index  *lineIndex
	tables map[keyPath]int // number of [[headers]] seen of an array of tables
}

func (s *scanner) document() {
	table := keyPath("")
	for s.skip(" \t\r\n"); s.pos < len(s.text); s.skip(" \t\r\n") {
		start := s.pos
		switch {
		case s.accept("[["):
			table = s.header(true)
		case s.accept("["):
			table = s.header(false)
		default:
			s.pair(table)
		}
		if s.pos == start {
			s.advance(1)
		}
	}
}

// header reads the key of a table header and returns the path of the table it opens.
func (s *scanner) header(array bool) keyPath {
	line := s.line
	parts := s.key()
	p := keyPath("")
	for i, k := range parts {
		p = p.key(k)
		s.index.mark(p, line)
		switch n := s.tables[p]; {
		case array && i == len(parts)-1:
			s.tables[p] = n + 1
			p = p.at(n)
			s.index.mark(p, line)
		case n > 0:
			p = p.at(n - 1)
		}
	}
	for s.accept("]") {
	}
	return p
}

// pair reads "key = value" into the table at p.
func (s *scanner) pair(p keyPath) {
	line := s.line
	for _, k := range s.key() {
		p = p.key(k)
		s.index.mark(p, line)
	}
	s.skip(" \t")
	if s.accept("=") {
		s.value(p)
	}
}

// key reads a dotted key.
func (s *scanner) key() (parts []string) {
	for {
		s.skip(" \t")
		if s.pos >= len(s.text) {
			return parts
		}
		switch c := s.text[s.pos]; c {
		case '"', '\'':
			parts = append(parts, s.quoted(c))
		default:
			n := strings.IndexAny(s.text[s.pos:], " \t\r\n.=]}{[,#\"'")
			if n < 0 {
				n = len(s.text) - s.pos
			}
			parts = append(parts, s.text[s.pos:s.pos+n])
			s.advance(n)
		}
		s.skip(" \t")
		if !s.accept(".") {
			return parts
		}
	}
}

// quoted reads a string on one line and returns its value.
func (s *scanner) quoted(quote byte) string {
	start := s.pos
	s.advance(1)
	for s.pos < len(s.text) && s.text[s.pos] != quote && s.text[s.pos] != '\n' {
		if quote == '"' && s.text[s.pos] == '\\' {
			s.advance(1)
		}
		s.advance(1)
	}
	s.advance(1)
	raw := s.text[start:s.pos]
	if quote == '"' {
		if v, err := strconv.Unquote(raw); err == nil {
			return v
		}
	}
	return strings.Trim(raw, string(quote))
}

// value reads any value, marking the keys inside it.
func (s *scanner) value(p keyPath) {
	s.skip(" \t\r\n")
	if s.pos >= len(s.text) {
		return
	}
	switch {
	case s.accept(`"""`):
		s.multiline(`"""`, true)
	case s.accept(`'''`):
		s.multiline(`'''`, false)
	case s.text[s.pos] == '"', s.text[s.pos] == '\'':
		s.quoted(s.text[s.pos])
	case s.accept("["):
		s.items(']', func(i int) {
			q := p.at(i)
			s.index.mark(q, s.line)
			s.value(q)
		})
	case s.accept("{"):
		s.items('}', func(int) { s.pair(p) })
	default:
		n := strings.IndexAny(s.text[s.pos:], ",]}\r\n#")
		if n < 0 {
			n = len(s.text) - s.pos
		}
		s.bare(p, strings.TrimSpace(s.text[s.pos:s.pos+n]))
		s.advance(n)
	}
}

// bare notes the digits of a number, and one that is not 0 and that a float64 rounds to 0.
func (s *scanner) bare(p keyPath, text string) {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err == nil {
		s.index.digits[p] = text
	}
	if err == nil && v == 0 && s.index.lost == "" && strings.ContainsAny(mantissa, "123456789") && !strings.HasPrefix(strings.TrimLeft(mantissa, "+-"), "0x") {
		s.index.lost = fmt.Sprintf("%d: %s: %s", s.line, strings.ReplaceAll(strings.TrimSuffix(string(p), "\x00"), "\x00", "."), text)
	}
}

// items reads the items of an array or inline table up to its closing bracket.
func (s *scanner) items(end byte, item func(i int)) {
	for i := 0; ; i++ {
		s.skip(" \t\r\n,")
		if s.pos >= len(s.text) {
			return
		}
		if s.text[s.pos] == end {
			s.advance(1)
			return
		}
		start := s.pos
		item(i)
		if s.pos == start {
			s.advance(1)
		}
	}
}

// multiline reads to the end of a string over several lines, which may hold one or two quotes
// before its closing three.
func (s *scanner) multiline(end string, escapes bool) {
	for s.pos < len(s.text) {
		switch {
		case escapes && s.text[s.pos] == '\\':
			s.advance(2)
		case s.accept(end):
			for s.accept(end[:1]) {
			}
			return
		default:
			s.advance(1)
		}
	}
}

// skip advances over the characters of set and over comments.
func (s *scanner) skip(set string) {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case strings.IndexByte(set, c) >= 0:
			s.advance(1)
		case c == '#':
			n := strings.IndexByte(s.text[s.pos:], '\n')
			if n < 0 {
				n = len(s.text) - s.pos
			}
			s.advance(n)
		default:
			return
		}
	}
}

func (s *scanner) accept(prefix string) bool {
	if !strings.HasPrefix(s.text[s.pos:], prefix) {
		return false
	}
	s.advance(len(prefix))
	return true
}

// advance moves n bytes on, counting lines.
func (s *scanner) advance(n int) {
	n = min(n, len(s.text)-s.pos)
	if n == 1 && s.text[s.pos] != '\n' { // most calls
		s.pos++
		return
	}
	s.line += strings.Count(s.text[s.pos:s.pos+n], "\n")
	s.pos += n
}
