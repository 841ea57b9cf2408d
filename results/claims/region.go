package claims

import (
	"fmt"
	"math"

	"repro/results/printed"
	"repro/results/stats"
)

// A region is the range of numbers that a claim accepts. An end that is unbounded is ±Inf.
type region struct {
	low, high float64
	openHigh  bool // high itself is not accepted: of a rounding interval, or of "better than"
	rounding  bool // it holds the numbers that round to the printed one
}

// contains reports whether an interval lies inside the region.
func (a region) contains(low, high float64) bool {
	return low >= a.low && (high < a.high || high == a.high && !a.openHigh)
}

// misses reports whether an interval has no number in common with the region.
func (a region) misses(low, high float64) bool {
	return high < a.low || low > a.high || low == a.high && a.openHigh
}

// runSeeds is the smallest number of seeds from which a printed number is called reproduced because runs like ours may have
// given it. With fewer, almost every number might.
const runSeeds = 3

// place returns the word for an estimate of a number that is a mean of k runs of the paper, with k = +Inf if the number is
// known exactly.
//
// If the prediction interval of the mean of k further runs misses the region, the claim deviates: of faithful
// reproductions, at most 5 % do. A tolerance, a bound or an exact number is reproduced if the interval of our mean lies
// inside the region. This is a test of equivalence: if the expectation lies outside, at most 2.5 % are called reproduced. A
// printed number with no tolerance is reproduced if the prediction interval meets its rounding, from runSeeds seeds on and
// if a difference as large as the number itself would have been seen.
func (a region) place(e stats.Estimate, k float64) Word {
	if !e.Bounded() {
		return Inconclusive
	}
	low, high := e.Next(k)
	ofRuns := a.rounding && !math.IsInf(k, 1)
	switch {
	case a.misses(low, high):
		return Deviates
	case ofRuns && (a.contains(low, high) || e.N >= runSeeds && a.telling(e, k)), !ofRuns && a.contains(e.Low, e.High):
		return Reproduced
	}
	return Inconclusive
}

// telling reports whether a difference as large as the number itself would have been seen.
func (a region) telling(e stats.Estimate, k float64) bool {
	return a.visible(e, k)-a.center() <= math.Abs(a.center())
}

// visible returns how far the expectation of the number that the region is about must lie beyond the region so that the
// claim deviates with probability stats.Power; returned is the nearest such number above the region or, if the region has
// no upper end, below it.
func (a region) visible(e stats.Estimate, k float64) float64 {
	d := stats.Visible(e.N, k) * e.SD
	edge := a.high
	if math.IsInf(edge, 1) {
		edge, d = a.low, -d
	}
	if e.Log {
		return edge * math.Exp(d)
	}
	return edge + d
}

// overhang returns how far the estimate reaches out of the region; negative if it lies inside.
func (a region) overhang(e stats.Estimate) float64 {
	if !e.Bounded() {
		return max(e.Mean-a.high, a.low-e.Mean)
	}
	return max(e.High-a.high, a.low-e.Low)
}

func (a region) String() string {
	low, high := printed.Digits(a.low, boundDigits), printed.Digits(a.high, boundDigits)
	switch {
	case math.IsInf(a.low, -1) && a.openHigh:
		return "below " + high
	case math.IsInf(a.low, -1):
		return "at most " + high
	case math.IsInf(a.high, 1):
		return "at least " + low
	case a.openHigh:
		return "[" + low + ", " + high + ")"
	}
	return "[" + low + ", " + high + "]"
}

// boundDigits is the most digits of a bound.
const boundDigits = 10

// relation returns in words how an interval lies to the region.
func (a region) relation(low, high float64) string {
	bounded := !math.IsInf(a.low, -1) && !math.IsInf(a.high, 1)
	switch {
	case a.contains(low, high) && bounded:
		return "lies inside " + a.String()
	case a.contains(low, high):
		return "is " + a.String()
	case a.misses(low, high) && bounded:
		return "lies outside " + a.String()
	case a.misses(low, high):
		return "is not " + a.String()
	case bounded && low <= a.low && high >= a.high:
		return "holds all of " + a.String()
	case bounded:
		return "straddles an end of " + a.String()
	case math.IsInf(a.high, 1):
		return "straddles " + printed.Digits(a.low, boundDigits)
	}
	return "straddles " + printed.Digits(a.high, boundDigits)
}

// center returns the number that differences are from: the middle of the region or, if it has one end only, that end.
func (a region) center() float64 {
	switch {
	case math.IsInf(a.low, -1):
		return a.high
	case math.IsInf(a.high, 1):
		return a.low
	}
	return (a.low + a.high) / 2
}

// accepted returns the region of a claim with a published or derived number: the number ± tolerance or, without a tolerance, every
// number that rounds to it. With at_most the region is every number up to the published one + tolerance, with at_least
// every number from the published one − tolerance. The
// tolerance of a plateau is a factor.
func accepted(c Claim) (region, error) {
	value, low, high, err := printed.Parse(c.Number())
	if err != nil {
		return region{}, err
	}
	if c.Kind == KindPlateau {
		low, high := value/c.Tolerance, value*c.Tolerance
		switch {
		case !(c.Tolerance >= 1):
			return region{}, fmt.Errorf("tolerance %v is a factor, which must be at least 1", c.Tolerance)
		case c.AtMost:
			low = math.Inf(-1)
		case c.AtLeast:
			high = math.Inf(1)
		}
		return region{low: low, high: high}, nil
	}
	if c.AtMost {
		return region{low: math.Inf(-1), high: value + c.Tolerance}, nil
	}
	if c.AtLeast {
		return region{low: value - c.Tolerance, high: math.Inf(1)}, nil
	}
	if c.Tolerance > 0 {
		return region{low: value - c.Tolerance, high: value + c.Tolerance}, nil
	}
	return region{low: low, high: high, openHigh: true, rounding: true}, nil
}
