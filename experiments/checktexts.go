package experiments

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"repro/algos/metrics"
	"repro/experiments/spectree"
	"repro/plots/figures"
	"repro/results/printed"
)

// glyphs checks that the figures can show their texts and the words for their metrics. Every text of a figure counts but its
// caption, which is on the page beside it, and of a metric all but the column that holds it in somebody's file.
func (s *Spec) glyphs(tree *spectree.Node, found *spectree.Mistakes) {
	drawn := tree.Find("figure").Items()
	if len(drawn) == 0 {
		return
	}
	for i, n := range tree.Find("method").Items() {
		drawable(n.Find("label"), spectree.Join(spectree.Entry("method", n, i), "label"), found)
	}
	for i, n := range drawn {
		path := spectree.Entry("figure", n, i)
		if n.Find("title") == nil {
			drawable(tree.Find("title"), "title", found)
		}
		drawableBut("caption", n, path, found)
	}
	for i, n := range tree.Find("metric").Items() {
		drawableBut("column", n, spectree.Entry("metric", n, i), found)
	}
	for _, name := range s.Evaluate.Names() {
		if m := metrics.Lookup(name); m != nil {
			if err := figures.Drawable(m.Words + m.Unit); err != nil {
				found.Add(spectree.At(tree, "evaluate", "metrics"), "evaluate.metrics", "the words for %s cannot be drawn: %v where it is registered", name, err)
			}
		}
	}
}

// drawable checks the texts of a key of the spec, with those below it.
func drawable(n *spectree.Node, path string, found *spectree.Mistakes) {
	if err := figures.Drawable(n.Text()); err != nil {
		found.Add(n.Place, path, "%v", err)
	}
	for i, e := range n.Items() {
		drawable(e, spectree.Entry(path, e, i), found)
	}
	drawableBut("", n, path, found)
}

// drawableBut checks the texts of the keys of a table, but for the one that is not drawn.
func drawableBut(but string, n *spectree.Node, path string, found *spectree.Mistakes) {
	if t := n.Table(); t != nil {
		for _, key := range t.Keys {
			if key != but {
				drawable(t.Nodes[key], spectree.Join(path, key), found)
			}
		}
	}
}

// An altered is a setting of a method, or of a grid, to which a profile gives other values than profile paper.
type altered struct {
	method, key string
	there, here []float64 // at profile paper and at this one, without those that it has at both
}

// altered lists the settings of s that are not those of the spec at profile paper.
func (s *Spec) altered(original *Spec) (all []altered) {
	type setting struct{ method, key string }
	collect := func(s *Spec) map[setting][]float64 {
		values := map[setting][]float64{}
		for _, m := range s.speaksOf(nil) {
			for key, v := range m.numbers {
				values[setting{m.name, key}] = append(values[setting{m.name, key}], v)
			}
		}
		return values
	}
	here, there := collect(s), collect(original)
	for k, values := range there {
		c := altered{method: k.method, key: k.key}
		c.there = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return slices.Contains(here[k], v) })
		c.here = slices.DeleteFunc(slices.Clone(here[k]), func(v float64) bool { return slices.Contains(values, v) })
		if len(here[k]) > 0 && len(c.there)+len(c.here) > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b altered) int { return strings.Compare(a.key+a.method, b.key+b.method) })
	return all
}

// literals notes numbers in texts that are those of settings which the profile of s changes, and so not true of its runs, or
// not of those of profile paper. A number counts if it is 100 or more, if the letter of the setting and an equals sign stand
// before it, or the word for the setting at most two words behind it. Not counted are per cent, numbers of names (CIFAR-10,
// λ_{161}), those in braces, and those that the text's claim or table has.
func (s *Spec) literals(profile string, original *Spec, found *spectree.Mistakes) {
	var all []altered
	for _, t := range s.texts {
		for _, l := range literalsOf(t.written) {
			if slices.ContainsFunc(t.own, l.is) {
				continue
			}
			if all == nil {
				all = s.altered(original)
			}
			if c, ok := t.stale(l, all); ok {
				name := shortName(c.key)
				if !t.of(c.method) {
					name = c.method + "." + name
				}
				found.Add(t.Place, t.path, "writes %s, which is %s of %s, and profile %s changes that; write {%s}, or {%s} if it is the paper's number or no setting",
					l.written, c.key, c.method, profile, name, l.written)
			}
		}
	}
}

// stale returns the altered setting that a number of the text is, best one of the methods of which the text speaks, and of
// which the number has the word.
func (t text) stale(l numeral, all []altered) (found altered, ok bool) {
	best := 0
	for _, c := range all {
		values := c.there
		if t.Origin != "" {
			values = c.here
		}
		named := l.names(c.key)
		if !named && l.value < 100 || !slices.ContainsFunc(values, l.is) {
			continue
		}
		rank := 1
		if t.of(c.method) {
			rank += 2
		}
		if named {
			rank++
		}
		if rank > best {
			best, found, ok = rank, c, true
		}
	}
	return found, ok
}

// of reports whether the text speaks of a method or grid.
func (t text) of(method string) bool {
	return len(t.methods) == 0 || slices.ContainsFunc(t.methods, func(m string) bool { return m == method || strings.HasPrefix(m, method+",") })
}

// A numeral is a number that a text writes out.
type numeral struct {
	written string
	value   float64
	letter  string   // before the equals sign before it
	next    []string // the two words behind it
}

func (l numeral) is(v float64) bool { return math.Abs(l.value-v) <= 1e-9*math.Abs(v) }

// names reports whether the number stands with the letter or the word for the setting under a key.
func (l numeral) names(key string) bool {
	name := key[strings.LastIndexByte(key, '.')+1:]
	for _, word := range append([]string{strings.TrimSuffix(name, "s")}, wordsOf[name]...) {
		if word == l.letter || len(word) > 1 && slices.ContainsFunc(l.next, func(w string) bool { return strings.HasPrefix(strings.ToLower(w), word) }) {
			return true
		}
	}
	return false
}

// wordsOf lists the letters of settings in the papers, and how words for them begin, beside their keys.
var wordsOf = map[string][]string{
	"train":      {"n", "row", "example", "point", "sample", "digit", "image"},
	"inputs":     {"d"},
	"outputs":    {"m"},
	"epochs":     {"pass"},
	"steps":      {"t", "T", "iteration"},
	"batch":      {"b"},
	"features":   {"M"},
	"directions": {"k", "eigenvector"},
	"nu":         {"ν"},
	"gamma0":     {"γ"},
}

// literalsOf lists the numbers that a text writes out.
func literalsOf(s string) (all []numeral) {
	s = spectree.ReplaceBraces(s, func(string) string { return "…" })
	for _, at := range printed.Numerals(s) {
		before, after := s[:at[0]], s[at[1]:]
		if partOfName(before, after) || strings.HasPrefix(strings.TrimLeft(after, " \u00a0"), "%") {
			continue
		}
		if v, ok := printed.Numeral(s[at[0]:at[1]]); ok {
			l := numeral{written: s[at[0]:at[1]], value: v}
			if symbol, ok := strings.CutSuffix(strings.TrimRight(before, " "), "="); ok {
				words := strings.FieldsFunc(symbol, func(r rune) bool { return !unicode.IsLetter(r) })
				l.letter = append([]string{""}, words...)[len(words)]
			}
			next := strings.Fields(after)
			l.next = next[:min(2, len(next))]
			all = append(all, l)
		}
	}
	return all
}

// partOfName reports whether a number between two texts belongs to a name, an index or a fraction, as in CIFAR-10, λ_{161}, 10k and 1/n.
func partOfName(before, after string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	if b == '-' {
		b, _ = utf8.DecodeLastRuneInString(before[:len(before)-1])
	}
	return unicode.IsLetter(b) || unicode.IsDigit(b) || strings.ContainsRune("_^.{/", b) || a == '/' || unicode.IsLetter(a)
}
