package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"repro/results/records"
)

// A Form is a law of which log y is a line, against x on its scale.
type Form struct {
	at, back func(x float64) float64 // to the scale of x, and back
	middle   func(w [2]float64) float64
	shifts   func(w [2]float64) (later, earlier func(x float64) float64) // by which Sensitivity moves the ends of a window
	rounding float64                                                     // the share of its largest value so far down to which a curve is followed; 0 for all of it
}

var (
	// PowerLaw is y = c·x^a: a line against log x, whose slope is the exponent.
	PowerLaw = &Form{
		at: math.Log, back: math.Exp,
		middle: func(w [2]float64) float64 { return math.Sqrt(w[0] * w[1]) },
		shifts: func([2]float64) (later, earlier func(float64) float64) {
			return func(x float64) float64 { return 2 * x }, func(x float64) float64 { return x / 2 }
		},
	}
	// Exponential is y = c·ρ^x: a line against x, whose slope is log ρ.
	Exponential = &Form{
		at: identity, back: identity,
		middle: func(w [2]float64) float64 { return w[0] + (w[1]-w[0])/2 },
		shifts: func(w [2]float64) (later, earlier func(float64) float64) {
			quarter := (w[1] - w[0]) / 4
			return func(x float64) float64 { return x + quarter }, func(x float64) float64 { return x - quarter }
		},
		rounding: Rounding,
	}
)

// Rounding is the share of the largest value of a curve so far below which rounding errors may decide its values: that of a double,
// times the 2¹³ that a solver loses to a condition number of thousands.
const Rounding = 0x1p-40

func identity(x float64) float64 { return x }

// slope returns the slope of log y against x on the form's scale, as LogSlope.
func (f *Form) slope(x, y []float64) float64 {
	slope, _ := f.line(x, y)
	return slope
}

// line returns the slope, and the share of the variance of log y that the line leaves.
func (f *Form) line(x, y []float64) (slope, lack float64) {
	at, w := f.weights(x)
	logs := logsOf(y)
	origin, slope := stat.LinearRegression(at, logs, w, false)
	return slope, 1 - stat.RSquared(at, logs, w, origin, slope)
}

// weights returns x on the form's scale and the weights of LogSlope.
func (f *Form) weights(x []float64) (at, w []float64) {
	at, w = make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if at[i] = f.at(x[i]); i > 0 {
			half := (at[i] - at[i-1]) / 2
			w[i-1] += half
			w[i] += half
		}
	}
	return at, w
}

// FitFactor fits the factor ρ by which a metric, positive and finite in the window, shrinks in every unit of x: log metric is a
// line against x with the slope log ρ. The estimate, and those of Sensitivity and Halves, are of ρ: the geometric mean of one
// factor for each seed or, with a statistic, that of FitStatistic.
//
// Windows are those of FitRate, on the scale of x: the lower end leaves out the first quarter, and those of Sensitivity move
// ends by a quarter. A curve ends where it first is below Rounding of its largest value so far.
func FitFactor(recs []*records.Record, metric, x string, window [2]float64, statistic string) (Rate, error) {
	if statistic != "" {
		rate, err := Exponential.fitStatistic(recs, metric, x, window, statistic)
		return rate.exp(), err
	}
	rate, err := Exponential.fit(recs, metric, x, window, func(w [2]float64) (Rate, error) { return Exponential.fitWindow(recs, metric, x, w) })
	return rate.exp(), err
}

// FitSpeed fits how many times as fast log metric falls as factors of the records say, which lie between 0 and 1: log ρ/log factor,
// by the arithmetic mean over seeds. It is FitFactor else.
func FitSpeed(recs []*records.Record, metric, x string, window [2]float64, factors []float64) (Rate, error) {
	for i, v := range factors {
		if !(v > 0 && v < 1) {
			return Rate{}, fmt.Errorf("seed %d: the bound is %v, and the factor of what converges lies between 0 and 1", recs[i].Header.Seed, v)
		}
	}
	return Exponential.fit(recs, metric, x, window, func(w [2]float64) (Rate, error) {
		rate, err := Exponential.fitWindow(recs, metric, x, w)
		if err != nil {
			return rate, err
		}
		for i := range rate.Values {
			rate.Values[i] /= math.Log(factors[i])
		}
		rate.Estimate = MeanInterval(rate.Values)
		return rate, nil
	})
}

// exp returns the rate of factors exp(slope). Those of other windows are at most the largest number, so that they can be written.
func (r Rate) exp() Rate {
	r.Log, r.Mean, r.Low, r.High = true, math.Exp(r.Mean), math.Exp(r.Low), math.Exp(r.High)
	for i, v := range r.Values {
		r.Values[i] = math.Exp(v)
	}
	factor := func(slope float64) float64 { return min(math.Exp(slope), math.MaxFloat64) }
	for _, list := range [][]Sensitivity{r.Sensitivity, r.Halves} {
		for i, s := range list {
			list[i] = Sensitivity{Window: s.Window, Slope: factor(s.Slope), Low: factor(s.Low), High: factor(s.High)}
		}
	}
	return r
}
