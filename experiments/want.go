package experiments

import (
	"fmt"
	"slices"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/params"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// vocabularies lists the names that a word in a want tag stands for.
var vocabularies = map[string]func() []string{
	"abscissa":  func() []string { return records.AbscissaNames() },
	"algorithm": algos.Names,
	"curve":     curveNames,
	"dataset":   datasets.Names,
	"figure":    figures.Kinds,
	"kernel":    kernels.Names,
	"kind":      claims.Kinds,
	"loss":      losses.Names,
	"metric":    metrics.Names,
	"statistic": func() []string { return stats.Statistics },
	"schedule":  schedules.Names,
}

// A constraint is a parsed want tag: a bound on a number, or the words a string may be.
type constraint struct {
	op    string // ">", ">=", "=" or empty
	bound float64
	most  ceiling  // of a number; without a limit if the key is of another type
	noun  string   // what the words are: "loss", or empty for a plain enumeration
	words []string // nil if any string will do
	empty bool     // the string may be left empty

	digits bool // a number stands for its digits
}

// parseWant reads a want tag, whose words may be names of vocabularies. It panics if it is none; params.CheckTags refuses such
// a tag where something is registered.
func parseWant(tag string) constraint {
	want, err := params.ParseWant(tag)
	if err != nil {
		panic("experiments: " + err.Error())
	}
	c := constraint{op: want.Op, bound: want.Bound}
	for _, w := range want.Words {
		switch names, ok := vocabularies[w]; {
		case w == "":
			c.empty = true
		case w == "digits":
			c.digits = true
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
	if wrong := c.most.check(x); wrong != "" {
		return wrong
	}
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

// number says which numbers are valid.
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
	return fmt.Sprintf("unknown %s %s; %s", c.word(), printed.Quote(s), printed.Suggest(s, c.words))
}

// word is what a message calls one of the words.
func (c constraint) word() string {
	switch c.noun {
	case "":
		return "value"
	case "dataset":
		return "data set"
	case "curve":
		return "metric"
	case "figure":
		return "kind"
	}
	return c.noun
}
