package claims

import (
	"cmp"
	"math"

	"repro/results/printed"
	"repro/results/stats"
)

// A Region is the range of numbers that a claim accepts. An end that is unbounded is ±Inf.
type Region struct {
	Low, High float64
	Open      bool    // High itself is not accepted: of a rounding interval, or of "better than"
	Exact     float64 // between two bounds, the number that the claim gives

	rounding bool        // it holds the numbers that round to the printed one
	digits   *[2]float64 // between which they lie, of a printed number that is no bound
	seen     float64     // by how much another expectation must differ from that number to be seen
	every    bool        // the value of every seed must lie in it
}

// seenShare is the difference from a printed number, as a share of it, that must have been visible before a run like ours may be
// called one that gave the number; the key visible of a claim replaces it.
const seenShare = 0.25

// mustSee returns the difference from a printed number that must have been visible: a share of it or, of a number of few digits such as
// 0.0 or 2, a unit of the last one.
func (c Claim) mustSee(value, low, high float64) float64 {
	return max(cmp.Or(c.Visible, seenShare)*math.Abs(value), high-low)
}

// contains reports whether an interval lies inside the region.
func (a Region) contains(low, high float64) bool {
	return low >= a.Low && (high < a.High || high == a.High && !a.Open)
}

// misses reports whether an interval has no number in common with the region.
func (a Region) misses(low, high float64) bool {
	return high < a.Low || low > a.High || low == a.High && a.Open
}

// runSeeds is the smallest number of seeds from which a printed number is called reproduced because runs like ours may have
// given it. With fewer, almost every number might.
const runSeeds = 3

// place returns the word for an estimate of a number that is a mean of k runs of the paper, with k = +Inf if the number is
// known exactly.
//
// If the prediction interval of the mean of k further runs misses the region, the claim deviates: of faithful
// reproductions, at most 5 % do. A bound, an exact number or one with a tolerance is reproduced if the interval of our mean lies
// inside the region. This is a test of equivalence: if the expectation lies outside, at most 2.5 % are called reproduced. A
// number of runs is reproduced, too, if the prediction interval meets its region, from runSeeds seeds on and if a difference of
// mustSee from the number would have been seen. A tolerance only widens the region, so that with it no claim is harder to meet.
//
// The estimate has the confidence at which the look with its number of seeds decides, stats.LookLevel.
//
// An interval that covers too little decides nothing.
//
// A bound for every run is refuted by one seed beyond it, and reproduced if no seed lies there, from runSeeds seeds on.
func (a Region) place(e stats.Estimate, k float64) Word {
	if a.every {
		return a.placeEvery(e)
	}
	if !e.Bounded() {
		return Inconclusive
	}
	if e.Covers.Poor() {
		return Inconclusive
	}
	low, high := e.Next(k)
	switch {
	case a.misses(low, high):
		return Deviates
	case a.ofRuns(k) && (a.contains(low, high) || e.N >= runSeeds && a.telling(e, k)), !(a.rounding && a.ofRuns(k)) && a.contains(e.Low, e.High):
		return Reproduced
	}
	return Inconclusive
}

// ofRuns reports whether the region is around a printed number of k runs, with which further runs like ours are compared.
func (a Region) ofRuns(k float64) bool { return a.digits != nil && !math.IsInf(k, 1) }

// placeEvery returns the word for a bound that must hold on every seed.
func (a Region) placeEvery(e stats.Estimate) Word {
	switch i := a.worst(e.Values); {
	case i < 0:
		return Inconclusive
	case !a.contains(e.Values[i], e.Values[i]):
		return Deviates
	case e.N >= runSeeds && a.contains(e.Low, e.High):
		return Reproduced
	}
	return Inconclusive
}

// worst returns the index of the value that reaches farthest out of the region, and -1 if there are no values.
func (a Region) worst(values []float64) int {
	worst := -1
	for i, v := range values {
		if worst < 0 || max(v-a.High, a.Low-v) > max(values[worst]-a.High, a.Low-values[worst]) {
			worst = i
		}
	}
	return worst
}

// telling reports whether a difference of mustSee from the printed number would have been seen, whatever the tolerance is.
func (a Region) telling(e stats.Estimate, k float64) bool {
	return Region{Low: a.digits[0], High: a.digits[1]}.visible(e, k)-a.Exact <= a.seen*(1+1e-12)
}

// visible returns how far the expectation of the number that the region is about must lie beyond the region, on either side, so
// that the claim deviates with probability stats.Power; returned is the nearest such number above the region or, if the region has
// no upper end, below it.
func (a Region) visible(e stats.Estimate, k float64) float64 {
	below, above := e.Widths(k)
	d := e.Visible(k)
	edge := a.High
	switch {
	case math.IsInf(edge, 1):
		edge, d = a.Low, -d*above
	case math.IsInf(a.Low, -1):
		d *= below
	default:
		d *= max(below, above)
	}
	if e.Log {
		return edge * math.Exp(d)
	}
	return edge + d
}

// overhang returns how far the estimate reaches out of the region; negative if it lies inside.
func (a Region) overhang(e stats.Estimate) float64 {
	if !e.Bounded() {
		return max(e.Mean-a.High, a.Low-e.Mean)
	}
	return max(e.High-a.High, a.Low-e.Low)
}

func (a Region) String() string {
	low, high := printed.Digits(a.Low, boundDigits), printed.Digits(a.High, boundDigits)
	switch {
	case math.IsInf(a.Low, -1) && a.Open:
		return "below " + high
	case math.IsInf(a.Low, -1):
		return "at most " + high
	case math.IsInf(a.High, 1):
		return "at least " + low
	case a.Open:
		return "[" + low + ", " + high + ")"
	}
	return "[" + low + ", " + high + "]"
}

// boundDigits is the most digits of a bound.
const boundDigits = 10

// relation returns in words how an interval lies to the region.
func (a Region) relation(low, high float64) string {
	bounded := !math.IsInf(a.Low, -1) && !math.IsInf(a.High, 1)
	switch {
	case a.contains(low, high) && bounded:
		return "lies inside " + a.String()
	case a.contains(low, high):
		return "is " + a.String()
	case a.misses(low, high) && bounded:
		return "lies outside " + a.String()
	case a.misses(low, high):
		return "is not " + a.String()
	case bounded && low <= a.Low && high >= a.High:
		return "holds all of " + a.String()
	case bounded:
		return "straddles an end of " + a.String()
	case math.IsInf(a.High, 1):
		return "straddles " + printed.Digits(a.Low, boundDigits)
	}
	return "straddles " + printed.Digits(a.High, boundDigits)
}

// center returns the number that differences are from: the middle of the region or, if it has one end only, that end.
func (a Region) center() float64 {
	switch {
	case math.IsInf(a.Low, -1):
		return a.High
	case math.IsInf(a.High, 1):
		return a.Low
	}
	return (a.Low + a.High) / 2
}

// accepted returns the region of a claim with a published or derived number: the number ± tolerance or, without a tolerance, every
// number that rounds to it. A number of runs accepts the latter with a tolerance, too. With at_most the region is every number up to the
// published one + tolerance, with at_least every number from the published one − tolerance.
func accepted(c Claim) (Region, error) {
	value, low, high, err := printed.Parse(c.Number())
	switch {
	case err != nil:
		return Region{}, err
	case c.AtMost:
		return Region{Low: math.Inf(-1), High: value + c.Tolerance, every: c.Every}, nil
	case c.AtLeast:
		return Region{Low: value - c.Tolerance, High: math.Inf(1), every: c.Every}, nil
	}
	a := Region{Low: low, High: high, Exact: value, Open: true, rounding: true, digits: &[2]float64{low, high}, seen: c.mustSee(value, low, high)}
	if c.Tolerance > 0 {
		a.rounding = false
		if least, most := value-c.Tolerance, value+c.Tolerance; math.IsInf(c.Runs(), 1) || most >= high {
			a.Low, a.High, a.Open = least, most, false
		}
	}
	return a, nil
}
