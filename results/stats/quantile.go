package stats

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the q-quantile of values, at least one, by linear interpolation between order
// statistics (type 7 of Hyndman and Fan 1996, the default of R and NumPy). +Inf is allowed:
// seeds that diverged count as worse than all others.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		panic("stats: quantile of no values")
	}
	s := slices.Sorted(slices.Values(values))
	h := q * float64(len(s)-1)
	i := int(h)
	f := h - float64(i)
	if f == 0 {
		return s[i]
	}
	if math.IsInf(s[i+1], 1) {
		return math.Inf(1)
	}
	return s[i] + f*(s[i+1]-s[i])
}

// Median returns the median of values, at least one.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// QuartileSeeds is the smallest number of values for which Band gives quartiles; for fewer it gives the range.
const QuartileSeeds = 4

// Band returns the bounds that a band or a table shows around the median: the quartiles of four
// values or more, else the range.
func Band(values []float64) (low, high float64) { return band(values, len(values)) }

// band returns the bounds around the median of values that belong to a curve of n seeds.
func band(values []float64, n int) (low, high float64) {
	if n < QuartileSeeds {
		return Quantile(values, 0), Quantile(values, 1)
	}
	return Quantile(values, 0.25), Quantile(values, 0.75)
}

// BandName returns in words what Band gives for n seeds.
func BandName(n int) string {
	switch {
	case n == 0:
		return "no seeds"
	case n == 1:
		return "one seed"
	case n < QuartileSeeds:
		return fmt.Sprintf("range of %d seeds", n)
	}
	return fmt.Sprintf("quartiles of %d seeds", n)
}
