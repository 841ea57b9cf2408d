package experiments

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/stats"
)

// vocabularies are the names a want tag may stand for, by the word for one of them.
var vocabularies = map[string]func() []string{
	"abscissa":  func() []string { return records.AbscissaNames() },
	"algorithm": algos.Names,
	"curve":     curveNames,
	"dataset":   datasets.Names,
	"kernel":    kernels.Names,
	"kind":      func() []string { return claims.Kinds },
	"loss":      losses.Names,
	"metric":    metrics.Names,
	"statistic": func() []string { return stats.Statistics },
	"schedule":  schedules.Names,
}

// wants holds the constraints on the keys of package results, whose structs carry no want tags.
var wants = map[reflect.Type]map[string]string{
	reflect.TypeFor[claims.Claim](): {
		"kind": "kind", "metric": "curve", "x": "|abscissa", "rows": "> 0",
		"tolerance": ">= 0", "target": ">= 0", "statistic": "|statistic",
	},
	reflect.TypeFor[records.At]():    {"x": "|abscissa", "value": ">= 0"},
	reflect.TypeFor[claims.Figure](): {"kind": "|curves|functions|heatmap", "x": "|abscissa", "y": "|curve", "scale": "|loglog|semilogx|semilogy|linear"},
	reflect.TypeFor[claims.Series](): {"metric": "|curve", "statistic": "|statistic"},
	reflect.TypeFor[claims.Table]():  {"metrics": "curve", "x": "|abscissa", "rows": "> 0"},
}

// required lists the keys a table cannot do without, apart from those whose default breaks their
// own constraint.
var required = map[reflect.Type][]string{
	reflect.TypeFor[Spec]():             {"schema", "paper", "title", "data", "problem", "evaluate", "method"},
	reflect.TypeFor[Problem]():          {"loss", "kernel"},
	reflect.TypeFor[kernels.Config]():   {"name"},
	reflect.TypeFor[losses.Config]():    {"name"},
	reflect.TypeFor[Evaluate]():         {"metrics"},
	reflect.TypeFor[Method]():           {"id", "algorithm"},
	reflect.TypeFor[External]():         {"command"},
	reflect.TypeFor[Command]():          {"train"},
	reflect.TypeFor[claims.Claim]():     {"id", "kind", "statement", "source", "method", "metric"},
	reflect.TypeFor[claims.Figure]():    {"id"},
	reflect.TypeFor[claims.Series]():    {"method"},
	reflect.TypeFor[claims.Guide]():     {"slope"},
	reflect.TypeFor[claims.Table]():     {"id", "metrics"},
	reflect.TypeFor[claims.Ambiguity](): {"item", "chosen", "why"},
}

// A field is one key of a table, bound to a field of a struct.
type field struct {
	key   string
	index []int // for reflect.Value.FieldByIndex
	want  constraint
	doc   string
	typ   reflect.Type
	young bool // settings leave it out at its default: the tag's option "young"
}

// fields lists the keys of a struct by its toml tags, in order.
func fields(t reflect.Type) []field {
	var s []field
	for _, f := range reflect.VisibleFields(t) {
		key, option, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if key == "" || key == "-" {
			continue
		}
		want := f.Tag.Get("want")
		if w, ok := wants[t][key]; ok {
			want = w
		}
		s = append(s, field{key: key, index: f.Index, want: parseWant(want), doc: f.Tag.Get("doc"), typ: f.Type, young: option == "young"})
	}
	return s
}

// A constraint is a parsed want tag: a bound on a number, or the words a string may be.
type constraint struct {
	op    string // ">", ">=", "=" or empty
	bound float64
	noun  string   // what the words are: "loss", or empty for a plain enumeration
	words []string // nil if any string will do
	empty bool     // the string may be left empty
}

// parseWant reads a want tag: "> 0", ">= 0", "= 1", or alternatives a|b|c, one of which may be
// empty or the word for a vocabulary. A tag it cannot read is a programmer's error.
func parseWant(tag string) constraint {
	if tag == "" {
		return constraint{}
	}
	if op, number, ok := strings.Cut(tag, " "); ok && slices.Contains([]string{">", ">=", "="}, op) {
		bound, err := strconv.ParseFloat(number, 64)
		if err != nil {
			panic("experiments: want tag " + strconv.Quote(tag))
		}
		return constraint{op: op, bound: bound}
	}
	var c constraint
	for _, w := range strings.Split(tag, "|") {
		switch names, ok := vocabularies[w]; {
		case w == "":
			c.empty = true
		case ok:
			c.noun = w
			c.words = append(c.words, names()...)
		default:
			c.words = append(c.words, w)
		}
	}
	return c
}

// checkNumber returns what is wrong with x, empty if nothing is.
func (c constraint) checkNumber(x float64) string {
	ok := true
	switch c.op {
	case ">":
		ok = x > c.bound
	case ">=":
		ok = x >= c.bound
	case "=":
		ok = x == c.bound
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("must be %s, got %v", c.number(), x)
}

// number says in words what numbers will do.
func (c constraint) number() string {
	if c.op == "=" {
		return fmt.Sprint(c.bound)
	}
	return fmt.Sprintf("%s %v", c.op, c.bound)
}

// checkString returns what is wrong with s, empty if nothing is.
func (c constraint) checkString(s string) string {
	if c.words == nil || slices.Contains(c.words, s) || s == "" && c.empty {
		return ""
	}
	noun := c.noun
	switch noun {
	case "":
		noun = "value"
	case "dataset":
		noun = "data set"
	case "curve":
		noun = "metric"
	}
	return fmt.Sprintf("unknown %s %s; %s", noun, quote(s), suggest(s, c.words))
}

// maxSuggest is the length in bytes beyond which a word is not compared with others.
const maxSuggest = 100

// suggest says which of names the user may have meant, or lists them.
func suggest(got string, names []string) string {
	best, distance := "", 2+len(got)/4
	for _, n := range names {
		if max(len(got), len(n)) > maxSuggest {
			continue
		}
		if d := editDistance(strings.ToLower(got), strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(names) == 0:
		return "there are none"
	case len(names) == 1:
		return fmt.Sprintf("it can only be %q", names[0])
	default:
		return "choose one of " + strings.Join(names, ", ")
	}
}

// editDistance is the number of insertions, deletions, substitutions and swaps of neighbours that
// turn a into b (Damerau's distance in its restricted form).
func editDistance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
