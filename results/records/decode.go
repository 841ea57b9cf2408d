package records

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"unicode/utf8"
)

// A plan of many cells has many lines, so headers and points that are as the writer writes them are read without reflection: the keys of
// Header and Point, each once, in the order of the struct. Any other line is left to encoding/json, which decides. The records
// of a folder have most of their tables in common, so these are decoded once and shared.

// A scanner reads a line from its start. bad is set at the first thing that is not as the writer writes it.
type scanner struct {
	text []byte
	bad  bool
}

// after reads what stands literally and reports whether it does. It reads nothing if not.
func (s *scanner) after(literal string) bool {
	if s.bad || len(s.text) < len(literal) || string(s.text[:len(literal)]) != literal {
		return false
	}
	s.text = s.text[len(literal):]
	return true
}

func (s *scanner) must(literal string) {
	if !s.after(literal) {
		s.bad = true
	}
}

// quoted reads a string without escapes, which is its own value.
func (s *scanner) quoted() []byte {
	s.must(`"`)
	for i, c := range s.text {
		switch {
		case s.bad || c < ' ' || c == '\\':
			s.bad = true
			return nil
		case c == '"':
			text := s.text[:i]
			s.text, s.bad = s.text[i+1:], !utf8.Valid(text)
			return text
		}
	}
	s.bad = true
	return nil
}

// number reads a number as JSON writes it.
func (s *scanner) number() []byte {
	n := bytes.IndexFunc(s.text, func(c rune) bool {
		return (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E'
	})
	if s.bad || n <= 0 {
		s.bad = true
		return nil
	}
	text := s.text[:n]
	digits := bytes.TrimPrefix(text, []byte("-"))
	digit := func(i int) bool { return i < len(digits) && digits[i] >= '0' && digits[i] <= '9' }
	point := bytes.IndexByte(digits, '.')
	if !digit(0) || digits[0] == '0' && digit(1) || point > 0 && !digit(point+1) {
		s.bad = true
	}
	s.text = s.text[n:]
	return text
}

func (s *scanner) integer() int64 {
	v, err := strconv.ParseInt(string(s.number()), 10, 64)
	s.bad = s.bad || err != nil
	return v
}

func (s *scanner) float() float64 {
	v, err := strconv.ParseFloat(string(s.number()), 64)
	s.bad = s.bad || err != nil
	return v
}

// value reads an object, a list, a string, a number or a word, which is JSON only if whoever decodes it finds so.
func (s *scanner) value() []byte {
	depth, quoted := 0, false
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > 100 {
				s.bad = true
				return nil
			}
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == '}'):
			text := s.text[:i]
			s.text = s.text[i:]
			return text
		}
	}
	s.bad = true
	return nil
}

// fields reads an object, whose keys differ. field reads the value of a key.
func (s *scanner) fields(field func(key string)) {
	s.must("{")
	for n := 0; !s.bad && !s.after("}"); n++ {
		if n > 0 {
			s.must(",")
		}
		key := names.of(s, s.quoted())
		s.must(":")
		field(key)
	}
}

// end reads the checksum, which the chain has compared, and reports whether the line was as the writer writes it.
func (s *scanner) end(timing func()) bool {
	s.must(`,"timing":`)
	timing()
	s.must(`,"sum":`)
	s.quoted()
	return !s.bad && string(s.text) == "}\n"
}

// A shared holds what texts decode to. Nobody may change that.
type shared[T any] struct {
	mu     sync.RWMutex
	values map[string]T
	bytes  int
}

// sharedText is the longest text that is kept, and sharedBytes all of them together, with sharedEntry for each, before they are forgotten.
const sharedText, sharedBytes, sharedEntry = 1 << 12, 1 << 20, 64

// of returns what a text decodes to, and sets bad if it is not JSON of the type.
func (c *shared[T]) of(s *scanner, text []byte) T {
	c.mu.RLock()
	v, ok := c.values[string(text)]
	c.mu.RUnlock()
	if ok || s.bad {
		return v
	}
	if name, ok := any(&v).(*string); ok {
		*name = string(text)
	} else if json.Unmarshal(text, &v) != nil {
		s.bad = true
		return v
	}
	if len(text) > sharedText {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || c.bytes+len(text)+sharedEntry > sharedBytes {
		c.values, c.bytes = map[string]T{}, 0
	}
	c.values[string(text)], c.bytes = v, c.bytes+len(text)+sharedEntry
	return v
}

// What the records of a folder have in common.
var (
	names       shared[string]
	tables      shared[any]
	resolved    shared[map[string]float64]
	provenances shared[Provenance]
	starts      shared[HeaderTiming]
)

// headerOf returns the header of a line. plain is false for another line, and for one that is not as the writer writes it.
func headerOf(line []byte) (h Header, plain bool) {
	s := &scanner{text: line}
	if !s.after(`{"line":"header","schema":` + strconv.Itoa(Schema) + `,"experiment":`) {
		return h, false
	}
	h.Line, h.Schema, h.Experiment = "header", Schema, names.of(s, s.quoted())
	s.must(`,"cell":`)
	h.Cell = string(s.quoted())
	for _, f := range []struct {
		key  string
		name *string
	}{{`,"method":`, &h.Method}, {`,"label":`, &h.Label}, {`,"algorithm":`, &h.Algorithm}} {
		s.must(f.key)
		*f.name = names.of(s, s.quoted())
	}
	s.must(`,"seed":`)
	seed, err := strconv.ParseUint(string(s.number()), 10, 64)
	s.bad = s.bad || err != nil
	s.must(`,"profile":`)
	h.Seed, h.Profile, h.Settings = seed, names.of(s, s.quoted()), map[string]any{}
	s.must(`,"settings":`)
	n := 0
	s.fields(func(key string) {
		h.Settings[key] = tables.of(s, s.value())
		n++
	})
	s.must(`,"digest":`)
	h.Digest = string(s.quoted())
	if s.after(`,"resolved":`) {
		h.Resolved = resolved.of(s, s.value())
	}
	s.must(`,"provenance":`)
	h.Provenance = provenances.of(s, s.value())
	return h, s.end(func() { h.Timing = starts.of(s, s.value()) }) && n == len(h.Settings)
}

// pointOf is headerOf for a point. values is how many metrics the point before it has.
func pointOf(line []byte, values int) (p Point, plain bool) {
	s := &scanner{text: line}
	if !s.after(`{"line":"point","step":`) {
		return p, false
	}
	p.Line, p.Step = "point", int(s.integer())
	s.must(`,"seen":`)
	p.Seen = s.integer()
	s.must(`,"epoch":`)
	p.Epoch = s.float()
	s.must(`,"counters":{"kernel_evals":`)
	p.Counters.KernelEvals = s.integer()
	s.must(`,"feature_evals":`)
	p.Counters.FeatureEvals = s.integer()
	s.must(`,"flops":`)
	p.Counters.Flops = s.integer()
	s.must(`,"bytes":`)
	p.Counters.Bytes = s.integer()
	s.must(`,"memory":`)
	p.Counters.Memory = s.integer()
	s.must(`},"values":`)
	p.Values = make(map[string]*float64, values)
	all, n := make([]float64, 0, values), 0
	s.fields(func(key string) {
		if n++; s.after("null") {
			p.Values[key] = nil
			return
		}
		all = append(all, s.float())
		p.Values[key] = &all[len(all)-1]
	})
	return p, s.end(func() {
		s.must(`{"setup_seconds":`)
		p.Timing.Setup = s.float()
		s.must(`,"train_seconds":`)
		p.Timing.Train = s.float()
		s.must("}")
	}) && n == len(p.Values)
}
