package stats

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/results/records"
)

// A Scale is one on which skewed values may be normal: it widens the interval of an Estimate, which then holds for values that
// are normal on their own scale or on this one.
type Scale struct {
	Of   string  `json:"of"`            // LogScale or RootScale
	Top  float64 `json:"top,omitempty"` // of Top − value; if 0, of the value
	Mean float64 `json:"mean"`          // over seeds, of the values on the scale
	SD   float64 `json:"sd"`
}

const (
	LogScale  = "log"
	RootScale = "cube root" // on which gamma values are nearly normal [Wilson & Hilferty 1931]
)

// Guarded returns the estimate of values that are never negative with an interval that holds for skewed ones: that of a mean also
// on the scale of logarithms, that of a geometric mean also, for one more run, on that of cube roots. Values that are at most top
// may be skewed to either side, so that the same scales of top − value count; top is 0 if they have no bound. If they are
// multiples of step, as shares of rows are, zero is half of one on these scales; step is 0 if not. Values of which some are zero
// have no logarithms, and their interval covers Skewed.
func (e Estimate) Guarded(top, step float64) Estimate {
	if e.SD == 0 && step == 0 || !e.Bounded() {
		return e
	}
	e.Covers, e.Scales = Broad, nil
	if e.Log {
		e.Covers = Geometric
	}
	for _, top := range slices.Compact([]float64{0, top}) {
		of := []string{LogScale}
		switch {
		case e.Log && top == 0:
			of = []string{RootScale}
		case e.Log:
			of = append(of, RootScale)
		}
		for _, of := range of {
			if s, ok := scaled(of, top, step, e.Values); ok {
				e.Scales = append(e.Scales, s)
			} else if top == 0 {
				e.Covers = Skewed
			}
		}
	}
	return e.Rounded(step)
}

// scaled returns a scale of values; ok is false if one is not positive there.
func scaled(of string, top, step float64, values []float64) (s Scale, ok bool) {
	on := make([]float64, len(values))
	for i, v := range values {
		if top > 0 {
			v = top - v
		}
		if v = max(v, step/2); v <= 0 {
			return s, false
		}
		if on[i] = math.Log(v); of == RootScale {
			on[i] = math.Cbrt(v)
		}
	}
	mean, sd := meanStdDev(on)
	return Scale{of, top, mean, sd}, true
}

// rounded is Estimate.Rounded on the scale, for values around the one that the mean of the scale is of.
func (s Scale) rounded(step float64) Scale {
	at := 3 * s.Mean * s.Mean // the inverse of the derivative of a cube root
	if s.Of == LogScale {
		at = math.Exp(s.Mean)
	}
	s.SD = math.Hypot(s.SD, step/at/math.Sqrt(12))
	return s
}

// next is Estimate.Next of n values that are normal on the scale; ok is false if the scale has none.
func (s Scale) next(k float64, n int, level float64) (low, high float64, ok bool) {
	half := halfWidth(s.SD, n, k, level)
	switch {
	case s.SD == 0 || s.Of == RootScale && k != 1:
		return 0, 0, false
	case s.Of == RootScale:
		low, high = math.Pow(max(0, s.Mean-half), 3), math.Pow(s.Mean+half, 3)
	case k == 1:
		low, high = math.Exp(s.Mean-half), math.Exp(s.Mean+half)
	default:
		low, high = lognormalMean(s.SD, n, k, level)
		low, high = math.Exp(s.Mean+low), math.Exp(s.Mean+high)
	}
	if s.Top > 0 {
		low, high = s.Top-high, s.Top-low
	}
	return low, high, true
}

// lognormalMean returns the interval at a level of the logarithm of the arithmetic mean of k more lognormal values, +Inf for that of
// their distribution, minus the mean of the logarithms of n values, whose standard deviation is sd.
//
// It is the generalized interval [Krishnamoorthy & Mathew 2003]: given U, which is χ² with n−1 degrees of freedom, the variance of
// the logarithms is S² = sd²(n−1)/U, and their mean is normal with the variance S²/n. The mean of k values is taken as lognormal
// with the right two moments [Fenton 1960]: the variance of its logarithm is T² = log(1 + (exp S² − 1)/k), and the mean is
// (S² − T²)/2 beyond that of the logarithms. The ends are quantiles of
//
//	P(x) = E_U Φ((x − (S² − T²)/2) / √(S²/n + T²)),
//
// which for k = 1 are those of Student's t.
func lognormalMean(sd float64, n int, k, level float64) (low, high float64) {
	var m mixture
	q := chiNodes()
	for i, u := range chi(n-1, q) {
		s2 := sd * sd * float64(n-1) / u
		t2 := math.Log1p(math.Expm1(s2) / k)
		if s2 > 500 { // beyond which its exponential overflows
			t2 = max(0, s2-math.Log(k))
		}
		m.add(q.weight[i], (s2-t2)/2, math.Sqrt(s2/float64(n)+t2))
	}
	return m.interval(sd, level)
}

// A mixture is one of normal distributions.
type mixture struct{ weight, mean, sd []float64 }

func (m *mixture) add(weight, mean, sd float64) {
	m.weight, m.mean, m.sd = append(m.weight, weight), append(m.mean, mean), append(m.sd, sd)
}

func (m mixture) cdf(x float64) float64 {
	sum := 0.0
	for i, w := range m.weight {
		sum += w * distuv.UnitNormal.CDF((x-m.mean[i])/m.sd[i])
	}
	return sum
}

// interval returns the quantiles between which the mixture lies with probability level; size is a guess of their size.
func (m mixture) interval(size, level float64) (low, high float64) {
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	return m.quantile(-z, size), m.quantile(z, size)
}

// quantile returns the quantile at which a standard normal variable is z, by regula falsi on the scale of that variable, of which
// the end that stays counts half each time [Dowell & Jarratt 1971].
func (m mixture) quantile(z, size float64) float64 {
	excess := func(x float64) float64 {
		return min(9, max(-9, distuv.UnitNormal.Quantile(m.cdf(x)))) - z
	}
	low, high := -size, size
	below, above := excess(low), excess(high)
	for ; below > 0; below = excess(low) {
		low, high, above = 2*low, low, below
	}
	for ; above < 0; above = excess(high) {
		low, high, below = high, 2*high, above
	}
	for high-low > quantileError*size {
		x := (low*above - high*below) / (above - below)
		e := excess(x)
		switch {
		case math.Abs(e) < quantileError:
			return x
		case e < 0:
			low, below, above = x, e, above/2
		default:
			high, above, below = x, e, below/2
		}
	}
	return (low + high) / 2
}

// quantileError is that of quantiles, in standard deviations.
const quantileError = 1e-7

// nodes are those of a quadrature over probabilities.
type nodes struct{ at, weight []float64 }

func newNodes(n int) nodes {
	q := nodes{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(q.at, q.weight, 0, 1)
	return q
}

// towards0 returns the nodes of ∫ f(p) dp = ∫ f(q³) 3q² dq, most of which lie near 0, where few draws decide on the tails.
func (n nodes) towards0() nodes {
	for i, q := range n.at {
		n.at[i], n.weight[i] = q*q*q, 3*q*q*n.weight[i]
	}
	return n
}

// Nodes of a distribution function of one variable, and of two.
var (
	chiNodes    = sync.OnceValue(func() nodes { return newNodes(64).towards0() })
	firstNodes  = sync.OnceValue(func() nodes { return newNodes(32) })
	secondNodes = sync.OnceValue(func() nodes { return newNodes(12) })
)

// chi returns the quantiles of χ² with the given degrees of freedom at nodes.
func chi(freedom int, q nodes) []float64 {
	u := make([]float64, len(q.at))
	for i, p := range q.at {
		u[i] = chiQuantile(chiAt{freedom, p})
	}
	return u
}

type chiAt struct {
	freedom int
	p       float64
}

var chiQuantile = cached(func(a chiAt) float64 {
	if a.freedom == 1 { // the square of a normal value, of which Quantile has none where it is tiny
		z := distuv.UnitNormal.Quantile((1 + a.p) / 2)
		return z * z
	}
	return distuv.ChiSquared{K: float64(a.freedom)}.Quantile(a.p)
})

// A Form is a law of which log y is a line, against x on its scale.
type Form struct {
	at, back func(x float64) float64 // to the scale of x, and back
	middle   func(w [2]float64) float64
	shifts   func(w [2]float64) (later, earlier func(x float64) float64) // by which Sensitivity moves the ends of a window
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
	}
)

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
// ends by a quarter.
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
