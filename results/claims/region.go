package claims

import (
	"math"

	"repro/results/printed"
	"repro/results/stats"
)

// A region is the range of numbers that a claim accepts. An end that is unbounded is ±Inf.
type region struct {
	low, high float64
	openHigh  bool // high itself is not accepted: of a rounding interval, or of "better than"
}

// place returns the verdict on an interval: inside, outside or across an edge of the region.
func (a region) place(e stats.Estimate) Word {
	switch {
	case !e.Bounded():
		return Inconclusive
	case e.Low >= a.low && (e.High < a.high || e.High == a.high && !a.openHigh):
		return Reproduced
	case e.High < a.low || e.Low > a.high || e.Low == a.high && a.openHigh:
		return Deviates
	}
	return Inconclusive
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

// relation returns in words how an interval lies to the region, given what place said of it.
func (a region) relation(word Word) string {
	bounded := !math.IsInf(a.low, -1) && !math.IsInf(a.high, 1)
	switch {
	case word == Inconclusive && bounded:
		return "straddles " + a.String()
	case word == Inconclusive && math.IsInf(a.high, 1):
		return "straddles " + printed.Digits(a.low, boundDigits)
	case word == Inconclusive:
		return "straddles " + printed.Digits(a.high, boundDigits)
	case word == Deviates && bounded:
		return "lies outside " + a.String()
	case word == Deviates:
		return "is not " + a.String()
	case bounded:
		return "lies inside " + a.String()
	}
	return "is " + a.String()
}

// accepted returns the region of a claim with a published or derived number: the number ± tolerance or, without a tolerance, every
// number that rounds to it. With at_most the region is every number up to the published one + tolerance, with at_least
// every number from the published one − tolerance.
func accepted(c Claim) (region, error) {
	value, low, high, err := printed.Parse(c.Number())
	if err != nil {
		return region{}, err
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
	return region{low: low, high: high, openHigh: true}, nil
}
