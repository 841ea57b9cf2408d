package results

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every interval in verdicts and tables.
const Level = 0.95

// An Estimate is a mean over seeds with its interval. One value has no interval: then Low and High
// are NaN and Bounded reports false.
type Estimate struct {
	Mean, Low, High float64
	N               int // values
}

// Bounded reports whether the estimate has an interval.
func (e Estimate) Bounded() bool { return e.N > 1 }

// Exp returns the estimate of exp(mean), for means taken of logarithms.
func (e Estimate) Exp() Estimate {
	return Estimate{Mean: math.Exp(e.Mean), Low: math.Exp(e.Low), High: math.Exp(e.High), N: e.N}
}

// MeanInterval returns the mean of values, finite and at least one, with Student's t interval of
// the given level: mean ± t·s/√n with n−1 degrees of freedom. It holds exactly for normal values;
// for others it is the usual approximation.
func MeanInterval(values []float64, level float64) Estimate {
	n := len(values)
	if n == 0 {
		panic("results: interval of no values")
	}
	mean, sd := stat.MeanStdDev(values, nil)
	if n == 1 {
		return Estimate{Mean: mean, Low: math.NaN(), High: math.NaN(), N: 1}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
	half := t * sd / math.Sqrt(float64(n))
	return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: n}
}

// NextInterval returns the bounds between which one more value lies with the given probability, of normal values
// as the n ≥ 2 given: mean ± t·s·√(1+1/n) with n-1 degrees of freedom.
func NextInterval(values []float64, level float64) (low, high float64) {
	e := MeanInterval(values, level)
	half := (e.High - e.Mean) * math.Sqrt(float64(e.N+1))
	return e.Mean - half, e.Mean + half
}

// Quantile returns the q-quantile of values, at least one, by linear interpolation between order
// statistics (type 7 of Hyndman and Fan 1996, the default of R and NumPy). +Inf is a value like
// any other, so that seeds that diverged count as worse than all that did not.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		panic("results: quantile of no values")
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

// quartileSeeds is the fewest values whose quartiles are drawn; fewer show their whole range.
const quartileSeeds = 4

// Band returns the bounds that a band or a table shows around the median: the quartiles of four
// values or more, else the range.
func Band(values []float64) (low, high float64) { return band(values, len(values)) }

// band returns the bounds around the median of values that belong to a curve of n seeds.
func band(values []float64, n int) (low, high float64) {
	if n < quartileSeeds {
		return Quantile(values, 0), Quantile(values, 1)
	}
	return Quantile(values, 0.25), Quantile(values, 0.75)
}

// BandName says in words what Band gives for n seeds.
func BandName(n int) string {
	switch {
	case n == 0:
		return "no seeds"
	case n == 1:
		return "one seed"
	case n < quartileSeeds:
		return fmt.Sprintf("range of %d seeds", n)
	}
	return fmt.Sprintf("quartiles of %d seeds", n)
}

// LogSlope returns the slope of log y against log x, all positive, x increasing. It is a least
// squares fit in which a point weighs the stretch of log x it stands for, half way to either
// neighbour, so that the result does not depend on how densely the curve was sampled where. Points
// evenly spaced in log x weigh the same, apart from the two ends.
func LogSlope(x, y []float64) float64 {
	lx, ly, w := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	for i := 1; i < len(x); i++ {
		half := (lx[i] - lx[i-1]) / 2
		w[i-1] += half
		w[i] += half
	}
	_, slope := stat.LinearRegression(lx, ly, w, false)
	return slope
}
