package spectree

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// How a table came about says what may still be added to it.
const (
	implied  = iota // by a header of a table below it
	explicit        // by its own header
	dotted          // by a dotted key
	closed          // in braces
)

// A date is a date or a time as written; no key of a spec is one.
type date string

// A builder makes a tree of a text. It stops at the first mistake.
type builder struct {
	file   string
	ends   []int // where the lines of the text end
	parser unstable.Parser
	err    error
}

// A part is a part of a dotted key, with its line.
type part struct {
	key  string
	path string // up to it, as messages name it
	line int
}

// Parse reads a TOML text into a tree whose nodes know their lines.
func Parse(file, text string) (*Node, error) {
	if len(text) > MaxSpecBytes {
		return nil, fmt.Errorf("%s: %d bytes long, more than the %d a spec may have; is it a data file?", file, len(text), MaxSpecBytes)
	}
	b := builder{file: file}
	for i := range len(text) {
		if text[i] == '\n' {
			b.ends = append(b.ends, i)
		}
	}
	b.parser.Reset([]byte(text))
	root := &Node{Place: Place{Line: 1}, Value: NewTable()}
	for in, at := root, (part{}); b.err == nil && b.parser.NextExpression(); {
		switch e := b.parser.Expression(); e.Kind {
		case unstable.KeyValue:
			b.pair(in, e, at, 0)
		default:
			in, at = b.header(root, e)
		}
	}
	var syntax *unstable.ParserError
	if errors.As(b.parser.Error(), &syntax) {
		b.wrong(b.line(b.parser.Range(syntax.Highlight)), "", "%s; not valid TOML, see https://toml.io", syntax.Message)
	}
	return root, b.err
}

func (b *builder) wrong(line int, key, format string, args ...any) {
	if b.err == nil {
		found := Mistakes{File: b.file}
		found.Add(Place{Line: line}, key, format, args...)
		b.err = found.Err()
	}
}

// line returns the line on which a part of the text begins.
func (b *builder) line(r unstable.Range) int { return sort.SearchInts(b.ends, int(r.Offset)) + 1 }

// key returns the parts of the key of a pair or header before the last, and the last. It refuses a key that makes the tree too
// deep.
func (b *builder) key(e *unstable.Node, in part, depth int) (parts []part, last part) {
	for it := e.Key(); it.Next(); depth++ {
		key := string(it.Node().Data)
		in.line = b.line(it.Node().Raw)
		if b.deep(in.line, depth) {
			return nil, in
		}
		in.key, in.path = key, Join(in.path, QuoteKey(key))
		parts = append(parts, in)
	}
	return parts[:len(parts)-1], in
}

// deep refuses what lies too deep.
func (b *builder) deep(line, depth int) bool {
	if depth > maxDepth {
		b.wrong(line, "", "tables and arrays more than %d deep in each other; is it a spec?", maxDepth)
	}
	return depth > maxDepth
}

// twice refuses a part of a key that is there already, as n.
func (b *builder) twice(p part, n *Node) {
	b.wrong(p.line, p.path, "is given already, on line %d; keep one", n.Line)
}

// open returns the table under the first parts of a key, and makes the tables that are not there. made says how.
func (b *builder) open(n *Node, parts []part, made int) *Node {
	for _, p := range parts {
		next := n.Find(p.key)
		if next == nil {
			next = &Node{Place: Place{Line: p.line}, Value: NewTable()}
			next.Table().made = made
			n.Table().Set(p.key, next)
		}
		at := next
		if items := next.Items(); len(items) > 0 && made != dotted {
			at = items[len(items)-1]
		}
		if t := at.Table(); t == nil || t.made == closed || made == dotted && t.made != dotted {
			b.twice(p, next)
			return n
		}
		n = at
	}
	return n
}

// header returns the table that a header opens.
func (b *builder) header(root *Node, e *unstable.Node) (*Node, part) {
	parts, last := b.key(e, part{}, 0)
	in := b.open(root, parts, implied)
	old, fresh := in.Find(last.key), &Node{Place: Place{Line: last.line}, Value: NewTable()}
	fresh.Table().made = explicit
	items := old.Items()
	switch array := e.Kind == unstable.ArrayTable; {
	case old == nil && array:
		in.Table().Set(last.key, &Node{Place: fresh.Place, Value: []*Node{fresh}})
	case old == nil:
		in.Table().Set(last.key, fresh)
	case array && len(items) > 0 && items[0].Table() != nil && items[0].Table().made == explicit:
		old.Value = append(items, fresh)
	case !array && old.Table() != nil && old.Table().made == implied:
		old.Table().made = explicit
		fresh = old
	default:
		b.twice(last, old)
	}
	return fresh, last
}

// pair puts the value of key = value into the table n, which has the path of in.
func (b *builder) pair(n *Node, e *unstable.Node, in part, depth int) {
	parts, last := b.key(e, in, depth)
	n = b.open(n, parts, dotted)
	if old := n.Find(last.key); old != nil {
		b.twice(last, old)
		return
	}
	n.Table().Set(last.key, b.value(e.Value(), last, depth+len(parts)+1))
}

// value returns the node of a value, which begins on the line of at or below.
func (b *builder) value(v *unstable.Node, at part, depth int) *Node {
	n := &Node{Place: Place{Line: at.line}, Value: string(v.Data)}
	switch v.Kind {
	case unstable.Bool:
		n.Value = string(v.Data) == "true"
	case unstable.Integer, unstable.Float:
		b.number(n, v, at)
	case unstable.Array:
		b.array(n, v, at, depth)
	case unstable.InlineTable:
		n.Value = &Table{Nodes: map[string]*Node{}, made: closed}
		for it := v.Children(); it.Next() && b.err == nil; {
			b.pair(n, it.Node(), at, depth)
		}
	case unstable.String:
	default:
		n.Value = date(v.Data)
	}
	return n
}

// array reads the items of an array. Each has the line on which it or its first item begins.
func (b *builder) array(n *Node, v *unstable.Node, at part, depth int) {
	items := []*Node{}
	for it := v.Children(); it.Next() && !b.deep(at.line, depth+1) && b.err == nil; {
		first := it.Node()
		for first.Kind == unstable.Array && first.Child() != nil {
			first = first.Child()
		}
		if first.Kind != unstable.Array {
			at.line = b.line(first.Raw)
		}
		items = append(items, b.value(it.Node(), at, depth+1))
	}
	n.Value = items
}

// number reads a number. One that is not 0 and that a float64 rounds to 0 is a mistake.
func (b *builder) number(n *Node, v *unstable.Node, at part) {
	written := string(v.Data)
	digits := strings.ReplaceAll(written, "_", "")
	x, err := strconv.ParseFloat(digits, 64)
	if err == nil {
		n.Digits = written
	}
	mantissa, _, _ := bytes.Cut(bytes.ToLower(v.Data), []byte("e"))
	n.Value = x
	if v.Kind == unstable.Integer {
		n.Value, err = strconv.ParseInt(digits, 0, 64)
	} else if x == 0 && bytes.ContainsAny(mantissa, "123456789") {
		b.wrong(at.line, at.path, "%s is nearer to 0 than every other number; write 0, or a larger number", written)
	}
	if err != nil {
		b.wrong(at.line, at.path, "%s is larger than every number there is here; write a smaller one", written)
	}
}

// keyPart is a part of a dotted key, in quotes or bare, up to the dot behind it. Bare it may be a pattern of ids.
var keyPart = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)+"|'[^']+'|[^\s.=\]}{\[,#"']+)\s*(\.|$)`)

// parseKey returns the parts of a dotted key, nil if the text is none.
func parseKey(text string) (parts []string) {
	for {
		m := keyPart.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		part := strings.Trim(m[1], "'")
		if unquoted, err := strconv.Unquote(m[1]); err == nil {
			part = unquoted
		}
		parts, text = append(parts, part), text[len(m[0]):]
		if m[2] == "" {
			return parts
		}
	}
}
