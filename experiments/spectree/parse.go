package spectree

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
)

// Parse reads a TOML text into a tree whose nodes know their lines.
func Parse(file, text string) (*Node, error) {
	if len(text) > MaxSpecBytes {
		return nil, fmt.Errorf("%s: %d bytes long, more than the %d a spec may have; is it a data file?", file, len(text), MaxSpecBytes)
	}
	if line := tooDeep(text); line > 0 {
		return nil, fmt.Errorf("%s:%d: tables and arrays more than %d deep in each other; is it a spec?", file, line, maxDepth)
	}
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, syntaxError(file, err)
	}
	index := indexLines(text)
	if index.lost != "" {
		return nil, fmt.Errorf("%s:%s is nearer to 0 than every other number; write 0, or a larger number", file, index.lost)
	}
	return annotate(values, "", Place{Line: 1}, index), nil
}

// syntaxError writes a parse error in the form of the other errors of this package.
func syntaxError(file string, err error) error {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", file, err)
	}
	message := strings.TrimSuffix(pe.Message, ".")
	if message == "" {
		message = strings.TrimPrefix(pe.Error(), "toml: ")
	}
	r := []rune(message)
	if len(r) > 1 && unicode.IsLower(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	where := fmt.Sprintf("%s:%d", file, max(1, pe.Position.Line))
	if pe.LastKey != "" {
		where += ": " + pe.LastKey
	}
	return fmt.Errorf("%s: %s; not valid TOML, see https://toml.io", where, string(r))
}

// annotate turns a decoded value into a tree, looking its lines up under path.
func annotate(v any, path keyPath, at Place, index *lineIndex) *Node {
	if line, ok := index.line[path]; ok {
		at.Line = line
	}
	n := &Node{Place: at, Value: v}
	n.Digits = index.digits[path]
	switch v := v.(type) {
	case map[string]any:
		t := NewTable()
		ranks := map[string]int{}
		for k, e := range v {
			own := path.key(k)
			ranks[k] = index.rank(own)
			t.Set(k, annotate(e, own, at, index))
		}
		slices.SortFunc(t.Keys, func(a, b string) int {
			return cmp.Or(ranks[a]-ranks[b], strings.Compare(a, b))
		})
		n.Value = t
	case []map[string]any:
		s := make([]*Node, len(v))
		for i, e := range v {
			s[i] = annotate(e, path.at(i), at, index)
		}
		n.Value = s
	case []any:
		s := make([]*Node, len(v))
		for i, e := range v {
			s[i] = annotate(e, path.at(i), at, index)
		}
		n.Value = s
	}
	return n
}

// rank orders keys by first appearance, those not in the index last.
func (x *lineIndex) rank(p keyPath) int {
	if r, ok := x.order[p]; ok {
		return r
	}
	return len(x.order)
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
