package spectree

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainly reads a TOML text that has only what most specs have, in one pass. ok is false for any other text, valid or not: Parse then
// reads it by the TOML decoder, whose tree of a plain text is the same. Plain are tables, arrays of tables, dotted keys, inline tables
// on one line, arrays, integers, numbers, truth values, and strings without escapes but \" and \\, or \ at the end of a line.
func plainly(text string) (root *Node, ok bool) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\ufeff' }) {
		return nil, false
	}
	p := &plain{scanner: scanner{text: text, line: 1}, made: map[*Table]origin{}}
	root = &Node{Place: Place{Line: 1}, Value: NewTable()}
	table := root.Table()
	for p.skip(" \t\n"); p.pos < len(text) && !p.not; p.skip(" \t\n") {
		switch {
		case p.accept("[["):
			table = p.header(root.Table(), true)
		case p.accept("["):
			table = p.header(root.Table(), false)
		default:
			p.pair(table)
		}
		p.skip(" \t")
		p.must(p.pos == len(text) || p.text[p.pos] == '\n')
	}
	return root, !p.not
}

// An origin is how a table came to be, on which depends what may be added to it.
type origin int

const (
	implied origin = iota // by the header of a table in it
	stated                // by its own header
	dotted                // by a dotted key
	inline                // in braces
)

// A plain is a scanner of a plain text.
type plain struct {
	scanner
	made  map[*Table]origin
	depth int  // of arrays and inline tables
	not   bool // the text is not plain
}

// plainDepth bounds the parts of a key, and how deep arrays and inline tables lie in each other, in a plain text.
const plainDepth = 8

// must notes that the text is not plain, unless it holds.
func (p *plain) must(holds bool) { p.not = p.not || !holds }

// header reads the rest of a header and returns its table, which it makes.
func (p *plain) header(t *Table, array bool) *Table {
	line, keys := p.line, p.path()
	p.must(len(keys) > 0 && p.accept("]") && (!array || p.accept("]")))
	if p.not {
		return t
	}
	last := len(keys) - 1
	for _, k := range keys[:last] {
		t = p.below(t, k, line, implied)
		if t == nil {
			p.not = true
			return NewTable()
		}
	}
	at, k := Place{Line: line}, keys[last]
	own := NewTable()
	p.made[own] = stated
	old := t.Nodes[k]
	switch {
	case old == nil && array:
		t.Set(k, &Node{at, []*Node{{at, own}}})
	case old == nil:
		t.Set(k, &Node{at, own})
	case array && len(old.Items()) > 0 && p.made[old.Items()[0].Table()] == stated && old.Items()[0].Table() != nil:
		old.Value = append(old.Items(), &Node{at, own})
	default:
		p.not = true
	}
	return own
}

// below returns the table under a key of t that a key with more parts goes through, which it makes if there is none, and nil if it may
// not go there.
func (p *plain) below(t *Table, k string, line int, by origin) *Table {
	n := t.Nodes[k]
	if n == nil {
		own := NewTable()
		p.made[own] = by
		t.Set(k, &Node{Place{Line: line}, own})
		return own
	}
	if items := n.Items(); by == implied && len(items) > 0 {
		n = items[len(items)-1]
	}
	own := n.Table()
	if own == nil || by == dotted && p.made[own] != dotted || by == implied && p.made[own] == inline {
		return nil
	}
	return own
}

// path reads a key and returns its parts, none if it is not plain.
func (p *plain) path() (keys []string) {
	for len(keys) < plainDepth {
		p.skipBlanks()
		start := p.pos
		switch {
		case p.accept(`"`):
			keys = append(keys, p.quoted())
		default:
			for p.pos < len(p.text) && bareKey(p.text[p.pos]) {
				p.pos++
			}
			keys = append(keys, p.text[start:p.pos])
		}
		if p.not || p.pos == start {
			return nil
		}
		p.skipBlanks()
		if !p.accept(".") {
			return keys
		}
	}
	return nil
}

func bareKey(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// skipBlanks skips blanks within a line, and no comment.
func (p *plain) skipBlanks() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

// pair reads "key = value" into a table.
func (p *plain) pair(t *Table) {
	line, keys := p.line, p.path()
	if p.must(len(keys) > 0 && p.accept("=")); p.not {
		return
	}
	last := len(keys) - 1
	for _, k := range keys[:last] {
		if t = p.below(t, k, line, dotted); t == nil {
			p.not = true
			return
		}
	}
	p.must(t.Nodes[keys[last]] == nil)
	n := &Node{Place: Place{Line: line}}
	t.Set(keys[last], n)
	p.skipBlanks()
	p.value(n)
}

// value reads the value of a node.
func (p *plain) value(n *Node) {
	switch p.depth++; {
	case p.depth > plainDepth || p.pos >= len(p.text):
		p.not = true
	case p.accept(`"""`):
		n.Value = p.lines()
	case p.accept(`"`):
		n.Value = p.quoted()
	case p.accept("'"):
		n.Value = p.until("'")
	case p.accept("["):
		n.Value = p.items()
	case p.accept("{"):
		n.Value = p.table()
	default:
		end := strings.IndexAny(p.text[p.pos:], ",]} \t\n#")
		if end < 0 {
			end = len(p.text) - p.pos
		}
		p.bare(n, p.text[p.pos:p.pos+end])
		p.pos += end
	}
	p.depth--
}

// numeral matches the numbers of a plain text; a float has the first or the second group.
var numeral = regexp.MustCompile(`^[+-]?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// bare reads a number or a truth value.
func (p *plain) bare(n *Node, text string) {
	if text == "true" || text == "false" {
		n.Value = text == "true"
		return
	}
	whole, err := strconv.ParseInt(text, 10, 64)
	v, wrong := strconv.ParseFloat(text, 64)
	p.must(numeral.MatchString(text) && wrong == nil && (v != 0 || !strings.ContainsAny(text, "123456789")))
	if n.Value, n.Digits = whole, text; err != nil {
		n.Value = v
		p.must(math.Abs(v) < 1<<53 || strings.ContainsAny(text, ".eE"))
	}
}

// until reads up to the end of a string on one line.
func (p *plain) until(end string) string {
	s, _, closed := strings.Cut(p.text[p.pos:], end)
	p.must(closed && !strings.Contains(s, "\n"))
	p.advance(len(s) + len(end))
	return s
}

// quoted reads the rest of a string in quotes.
func (p *plain) quoted() string {
	start, escaped := p.pos, false
	for ; p.pos < len(p.text) && p.text[p.pos] != '"' && p.text[p.pos] != '\n'; p.pos++ {
		if p.text[p.pos] == '\\' {
			p.pos++
			escaped = true
			p.must(p.pos < len(p.text) && (p.text[p.pos] == '"' || p.text[p.pos] == '\\'))
		}
	}
	p.pos = min(p.pos, len(p.text))
	s := p.text[start:p.pos]
	p.must(p.accept(`"`))
	if escaped {
		s = unescape.Replace(s)
	}
	return s
}

var unescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// lines reads the rest of a string over several lines. It ends at the first three quotes, behind which there is no fourth. Blanks and
// line ends behind a \ at the end of a line are left out.
func (p *plain) lines() string {
	s, after, closed := strings.Cut(p.text[p.pos:], `"""`)
	p.must(closed && strings.Count(s, "\\") == strings.Count(s, "\\\n") && !strings.HasPrefix(after, `"`))
	p.advance(len(s) + 3)
	parts := strings.Split(strings.TrimPrefix(s, "\n"), "\\\n")
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], " \t\n")
	}
	return strings.Join(parts, "")
}

// items reads the rest of an array.
func (p *plain) items() []*Node {
	all := []*Node{}
	for {
		p.skip(" \t\n")
		if p.accept("]") {
			return all
		}
		n := &Node{Place: Place{Line: p.line}}
		p.value(n)
		all = append(all, n)
		p.skip(" \t\n")
		if p.not || !p.accept(",") {
			p.must(p.accept("]"))
			return all
		}
	}
}

// table reads the rest of an inline table.
func (p *plain) table() *Table {
	t := NewTable()
	if p.skipBlanks(); p.accept("}") {
		p.made[t] = inline
		return t
	}
	for more := true; more && !p.not; more = p.accept(",") {
		p.pair(t)
		p.skipBlanks()
	}
	p.made[t] = inline
	p.must(p.accept("}"))
	return t
}
