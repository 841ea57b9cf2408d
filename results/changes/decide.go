package changes

import (
	"cmp"
	"fmt"
	"math"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Look is a number of seeds at which changes are judged, with the part of Alpha that it spends.
type Look struct {
	Seeds int
	Alpha float64
}

// Alpha bounds the probability that a run of the gate reports a change beyond its margin where there is none.
const Alpha = 0.05

// Looks are the looks at a change, declared before any is made. The first is at the seeds of the profile, however many they
// are. The later ones have more of Alpha, because they decide.
var Looks = []Look{{10, 0.01}, {20, 0.015}, {40, 0.025}}

// Decide judges the changes of a whole gate that statistics decide. A number moved beyond its margin if its p-value,
// adjusted for the number of changed claims as Holm does, is at most alpha, the level of this look. It stayed within if its
// 95 % interval lies inside the margin, a test of equivalence at 2.5 %; one that certainly moved all the same, by a tenth of the
// margin or more, is a warning. Where there are fresh seeds, a worse number is only
// regressed if they alone say so too, at the level Alpha.
func Decide(all []Change, alpha func(Change) float64) {
	var tested []int
	var p, still []float64
	for i, c := range all {
		if c.Tested() {
			tested, p, still = append(tested, i), append(p, *c.P), append(still, c.still())
		}
	}
	still = stats.Holm(still)
	for k, adjusted := range stats.Holm(p) {
		c := &all[tested[k]]
		c.Holm, c.ByNumber = &adjusted, ""
		if c.decide(alpha(*c), len(p)); c.State == Equivalent && still[k] <= Alpha && math.Abs(c.estimate.Mean) > c.margin/movedShare {
			c.State, c.Reason = Moved, c.sentence()
		}
		c.settle()
	}
}

// movedShare is the share of the margin that a number must have moved so that a change within the margin is a warning: pairs show
// far smaller changes, as of another order of summation.
const movedShare = 10

// still returns the p-value that the expectation did not move at all, two-sided.
func (c Change) still() float64 {
	if !c.estimate.Bounded() {
		return 1
	}
	return min(1, 2*stats.Beyond(c.estimate, 0))
}

// Level returns the alpha of Decide that is the same for all changes.
func Level(alpha float64) func(Change) float64 { return func(Change) float64 { return alpha } }

// decide sets state and reason of a change from its statistics, as one of a family.
func (c *Change) decide(alpha float64, family int) {
	e := c.estimate
	if e.Bounded() {
		d := c.margin + stats.Detectable(e.N, alpha/float64(family))*e.SD
		if c.Log {
			d = math.Exp(d)
		}
		c.Detectable = records.Value(d)
	}
	stays := e.Bounded() && e.Low >= -c.margin && e.High <= c.margin
	moved := *c.Holm <= alpha
	switch {
	case !c.unbounded && (c.unchanged || stays):
		c.State = Equivalent
		c.Reason = fmt.Sprintf("bits changed, the result %s: largest relative difference of a seed %s", c.kept(), printed.Digits(*c.Relative, 2))
	case !e.Bounded():
		c.State, c.Reason = Inconclusive, "bits changed, and one seed has no interval; run with --seeds 2 or more, and accept as many"
	case moved && c.worse && c.Fresh != nil && *c.Fresh > Alpha:
		c.State, c.Reason = Inconclusive, c.sentence()+", which the fresh seeds alone do not show"
	case moved && c.worse:
		c.State, c.Reason = Regressed, c.sentence()
	case moved:
		c.State, c.Reason = Improved, c.sentence()+"; accept it, so that it is not lost again"
	default:
		c.State, c.Reason = Inconclusive, c.sentence()+", too little to tell whether that is more than the margin"
	}
}

// kept says what an equivalent number did.
func (c Change) kept() string {
	if c.unchanged {
		return "did not"
	}
	return "stayed within its margin"
}

// sentence says how the number moved.
func (c Change) sentence() string {
	return fmt.Sprintf("%s moved from %s to %s over %s, %s [%s, %s], margin %s", c.Name(), printed.Number(*c.Accepted), printed.Number(*c.Now),
		printed.Count(c.Seeds, "seed"), c.signed(*c.Difference), c.signed(*c.Low), c.signed(*c.High), c.MarginText())
}

// Name returns what the number is, in a few words.
func (c Change) Name() string {
	switch {
	case c.Rival == "":
		return "the " + cmp.Or(claims.KindOf(c.Kind).Called, "value")
	case c.Log:
		return "the ratio to " + c.Rival
	}
	return "the difference from " + c.Rival
}

// signed writes a difference: a factor as ×1.05, another with its sign.
func (c Change) signed(v float64) string {
	if c.Log {
		return "×" + printed.Number(v)
	}
	if v >= 0 {
		return "+" + printed.Number(v)
	}
	return printed.Number(v)
}

// DifferenceText returns the difference with its interval, empty if there is none.
func (c Change) DifferenceText() string {
	switch {
	case c.Difference == nil:
		return ""
	case c.Low == nil || c.High == nil:
		return c.signed(*c.Difference)
	}
	return fmt.Sprintf("%s [%s, %s]", c.signed(*c.Difference), c.signed(*c.Low), c.signed(*c.High))
}

// MarginText returns the margin as differences are written.
func (c Change) MarginText() string {
	if c.Log {
		return "×" + printed.Number(1+c.Margin)
	}
	return "±" + printed.Number(c.Margin)
}

// DetectableText returns the smallest change that would have been found, empty if that is not known.
func (c Change) DetectableText() string {
	switch {
	case c.Detectable == nil:
		return ""
	case c.Log:
		return "×" + printed.Digits(*c.Detectable, 3)
	}
	return "±" + printed.Digits(*c.Detectable, 2)
}
