// Package stats computes statistics of records over seeds: means with intervals, quantiles and bands, curves, rates
// and the place where a curve reaches a target. It only reads records; it trains nothing.
package stats

import (
	"math"

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

// Exp returns the estimate of exp(mean), for a mean of logarithms.
func (e Estimate) Exp() Estimate {
	return Estimate{Mean: math.Exp(e.Mean), Low: math.Exp(e.Low), High: math.Exp(e.High), N: e.N}
}

// MeanInterval returns the mean of values, finite and at least one, with Student's t interval of
// the given level: mean ± t·s/√n with n−1 degrees of freedom. It holds exactly for normal values;
// for others it is the usual approximation.
func MeanInterval(values []float64, level float64) Estimate {
	n := len(values)
	if n == 0 {
		panic("stats: interval of no values")
	}
	mean, sd := stat.MeanStdDev(values, nil)
	if n == 1 {
		return Estimate{Mean: mean, Low: math.NaN(), High: math.NaN(), N: 1}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
	half := t * sd / math.Sqrt(float64(n))
	return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: n}
}

// NextInterval returns the prediction interval of one more value at the given level, if it and the n ≥ 2 values are drawn
// from one normal distribution: mean ± t·s·√(1+1/n) with n−1 degrees of freedom.
func NextInterval(values []float64, level float64) (low, high float64) {
	e := MeanInterval(values, level)
	half := (e.High - e.Mean) * math.Sqrt(float64(e.N+1))
	return e.Mean - half, e.Mean + half
}
