package changes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

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
// margin or more, is a warning. Where there are fresh seeds, a number is only
// worse if they alone say so too, at the level Alpha.
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
		c.Holm, c.ByNumber, c.Moved = &adjusted, "", false
		if c.decide(alpha(*c), len(p)); c.State == records.Same && still[k] <= Alpha && math.Abs(c.estimate.Mean) > c.margin/movedShare {
			c.Moved, c.Reason = true, c.sentence()
		}
		c.settle()
	}
}

// decideExactly sets state and reason of a number of deterministic methods, in which nothing is left to chance. was and is are the ranges of
// orders with which the curves agree, nil of another number.
func (c *Change) decideExactly(was, is *[2]float64) {
	by := math.Abs(c.estimate.Mean)
	defer c.tellScale()
	switch {
	case by <= c.margin && c.unbounded:
		c.State, c.Reason = records.Undecided, c.sentence()+", and one of them is only the end of the curve"
	case *c.Relative <= rounding:
		c.State, c.Reason = records.Same, "bits changed by rounding: the largest relative difference of the result is "+printed.Digits(*c.Relative, 2)
	case by <= c.margin:
		c.State, c.Moved, c.Reason = records.Same, by > c.margin/movedShare, c.sentence()
	case was != nil && is != nil && was[0] <= is[1] && is[0] <= was[1]:
		c.State, c.Moved = records.Same, true
		c.Reason = fmt.Sprintf("%s, and the orders agree with %s to %s, as with %s to %s before", c.sentence(),
			printed.Number(is[0]), printed.Number(is[1]), printed.Number(was[0]), printed.Number(was[1]))
	case c.worse:
		c.State, c.Reason = records.Worse, c.sentence()
	default:
		c.State, c.Reason = records.Better, c.sentence()+"; accept it, so that it is not lost again"
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
	defer c.tellScale()
	switch {
	case !c.unbounded && (c.unchanged || stays):
		c.State = records.Same
		c.Reason = fmt.Sprintf("bits changed, the result %s: largest relative difference of a seed %s", c.kept(), printed.Digits(*c.Relative, 2))
	case !e.Bounded():
		c.State, c.Reason = records.Undecided, "bits changed, and one seed has no interval; check 2 seeds or more, and accept as many"
	case moved && c.worse && c.Fresh != nil && *c.Fresh > Alpha:
		c.State, c.Reason = records.Undecided, c.sentence()+", which the fresh seeds alone do not show"
	case moved && c.worse:
		c.State, c.Reason = records.Worse, c.sentence()
	case moved:
		c.State, c.Reason = records.Better, c.sentence()+"; accept it, so that it is not lost again"
	default:
		c.State, c.Reason = records.Undecided, c.sentence()+", too little to tell whether that is more than the margin"
	}
}

// tellScale says that the scale is not the accepted one: that is a warning, whatever the number did.
func (c *Change) tellScale() {
	if c.rescaled == "" {
		return
	}
	c.Moved = c.State == records.Same
	c.Reason = c.rescaled + "; " + c.Reason
}

// kept says what a number that is the same did.
func (c Change) kept() string {
	if c.unchanged {
		return "did not"
	}
	return "stayed within its margin"
}

// sentence says how the number moved.
func (c Change) sentence() string {
	if c.Exact {
		return fmt.Sprintf("%s moved from %s to %s, margin %s", c.Name(), printed.Number(*c.Accepted), printed.Number(*c.Now), c.MarginText())
	}
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

// Margins of claims without a tolerance, as shares of their number: a step size that is off by 5 to 10 % moves an error as much.
const (
	shareMargin = 0.05
	placeMargin = 0.1 // of a place, which is interpolated between points of a curve or a grid
)

// margin returns the margin of a claim's number: that which its kind takes from the tolerance. Without one it is a share and, of a number with a linear scale, which has no natural unit, the larger of its share of the mean
// and half the standard deviation of a seed.
func margin(c claims.Claim, n Number) float64 {
	if own := fromTolerance(c, n); own > 0 {
		return own
	}
	share := shareMargin
	if of := c.Quantity(); of == claims.PlaceReached || of == claims.PlaceLevel {
		share = placeMargin
	}
	if n.Log || len(n.Values) == 0 {
		return share
	}
	mean, sd := stat.MeanStdDev(n.Values, nil)
	if math.IsNaN(sd) {
		sd = 0
	}
	return max(share*math.Abs(mean), sd/2)
}

// fromTolerance returns the margin that the kind of a claim gives, 0 if there is none. The default is half of the tolerance, as a
// share of the claim's number if changes are shares.
func fromTolerance(c claims.Claim, n Number) float64 {
	kind := claims.KindOf(c.Kind)
	switch {
	case kind.Margin != nil:
		return kind.Margin(c)
	case !n.Log:
		return c.Tolerance / 2
	}
	if number, _, _, err := printed.Parse(c.Number()); err == nil && number != 0 {
		return c.Tolerance / 2 / math.Abs(number)
	}
	return 0
}

// ofValues reports whether the margin of a claim's number follows from its values: that of the accepted ones then counts.
func ofValues(c claims.Claim, n Number) bool { return !n.Log && fromTolerance(c, n) == 0 }

// scaled returns the margin on the scale of differences: of logarithms, if changes are ratios.
func (n Number) scaled() float64 {
	if n.Log {
		return math.Log1p(n.Margin)
	}
	return n.Margin
}

// A direction says which changes of a number are for the worse.
type direction struct {
	worse  int // +1 if larger numbers are worse, -1 if smaller are; 0 if neither is
	target float64
	exact  bool // the claim says that the number is target: the worse is what lies farther away, or beyond it
}

// directionOf returns the direction of a claim's number: that of its bound or its order. It has none if the bound and the
// metric contradict each other, as an upper bound on an accuracy does.
func directionOf(exp claims.Experiment, c claims.Claim) direction {
	accept, err := c.Accepts(c.Quantity())
	d := direction{}
	switch {
	case math.IsInf(accept.Low, -1) || c.AtMost:
		d.worse = 1
	case math.IsInf(accept.High, 1) || c.AtLeast:
		d.worse = -1
	default:
		return direction{target: accept.Exact, exact: err == nil}
	}
	better, of := exp.Metric(c.Metric).Better, c.Quantity()
	ofMetric := of == claims.OfMetric || of == claims.Slope && c.Best == ""
	if ofMetric && (better == "smaller" && d.worse < 0 || better == "larger" && d.worse > 0) {
		d.worse = 0
	}
	return d
}

// ofOrder returns the direction of the order of a deterministic curve that the claim gives exactly: one that falls faster than the
// accepted one is no worse. The side follows from whether the metric gets better along the curve.
func (d direction) ofOrder(c claims.Claim, base Number, all []Series) direction {
	i := slices.IndexFunc(all, Series{Method: c.Method, Metric: c.Metric}.same)
	flat, line := map[claims.Quantity]float64{claims.Slope: 0, claims.Factor: 1}[c.Quantity()]
	if !d.exact || base.Mean == nil || i < 0 || !line || c.Across != "" {
		return d
	}
	row := slices.DeleteFunc(slices.Clone(all[i].of(0)), math.IsNaN)
	switch {
	case len(row) == 0 || row[len(row)-1] >= row[0]:
		return d
	case *base.Mean > flat:
		return direction{worse: -1}
	}
	return direction{worse: 1}
}

// worsened reports whether a number that moved from base to now, both means on the scale of claims, by more than its margin is
// worse. A number that the claim gives exactly is worse if it lies farther from the claim's number than before, or on its
// other side by more than the margin.
func (d direction) worsened(base, now float64, beyond func(from, to float64) bool) bool {
	switch {
	case d.exact:
		crossed := (base < d.target) != (now < d.target)
		return math.Abs(now-d.target) >= math.Abs(base-d.target) || crossed && beyond(d.target, now)
	case d.worse == 0:
		return true
	}
	return (now > base) == (d.worse > 0)
}
