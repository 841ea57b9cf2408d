package datasets

import (
	"fmt"
	"math"

	"repro/algos/compute"
)

// dai2014-synthetic is the regression problem of dai2014 §7.1: x uniform on [-5, 5]²,
// y = cos(0.5π‖x‖)·exp(-0.1π‖x‖) + 0.1 e with e standard normal, 2²⁰ training rows.
//
// With data.inputs = d it is that model in d dimensions: x uniform on [-5, 5]^d, the same wave of ‖x‖.
//
// Row i is the same bits on every platform: it takes additions, multiplications and square roots
// alone, which are exactly rounded, and explicit conversions keep compilers from fusing them.
var _ = register(&Source{
	Name:     "dai2014-synthetic",
	Title:    "two-dimensional synthetic regression: a radial wave with noise of standard deviation 0.1",
	Licence:  "generated, no licence needed",
	Citation: "Dai et al., Scalable Kernel Methods via Doubly Stochastic Gradients, NIPS 2014, Sec. 7.1",
	Task:     taskRegression,
	Dims:     2,
	Rows:     1 << 20,
	TestRows: 4096,
	generate: radialIn(2),
})

// radialIn returns the generator in d dimensions.
func radialIn(d int) *generator {
	domain := make([][2]float64, d)
	for j := range domain {
		domain[j] = [2]float64{-5, 5}
	}
	return &generator{
		description: fmt.Sprintf("dai2014-synthetic version 1: x uniform on [-5,5]^%d, y = cos(0.5 pi |x|) exp(-0.1 pi |x|) + 0.1 e, e ~ N(0,1)", d),
		row:         radialRow,
		truth:       func(x []float64) float64 { return radialWave(euclidean(x)) },
		domain:      domain,
		inAny:       radialIn,
	}
}

func radialRow(s *compute.Stream, x, y []float64) {
	for j := range x {
		x[j] = float64(10*s.Float64()) - 5
	}
	e := s.Normal()
	y[0] = radialWave(euclidean(x)) + float64(0.1*e)
}

// euclidean returns ‖x‖ without fused operations.
func euclidean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return math.Sqrt(sum)
}

// radialWave returns cos(0.5πr)·exp(-0.1πr) for r ≥ 0.
func radialWave(r float64) float64 {
	return float64(cosQuarter(r) * expNegative(float64(0.1*math.Pi*r)))
}

// Taylor coefficients, by Horner's rule: the first omitted terms are below 2⁻⁵⁷ of the sum
// for |z| ≤ π/4 (sine, cosine) and |z| ≤ ln(2)/2 (exponential).
var (
	cosTaylor = [...]float64{1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200, 1. / 20922789888000}
	sinTaylor = [...]float64{1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000}
	expTaylor = [...]float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800}
)

// horner evaluates Σ c[k] uᵏ without fused operations.
func horner(c []float64, u float64) float64 {
	v := c[len(c)-1]
	for k := len(c) - 2; k >= 0; k-- {
		v = float64(v*u) + c[k]
	}
	return v
}

// cosQuarter returns the cosine of r quarter turns, r ≥ 0. The reduction r = q + t is exact.
func cosQuarter(r float64) float64 {
	q := math.RoundToEven(r)
	z := float64((r - q) * (math.Pi / 2))
	u := float64(z * z)
	switch math.Mod(q, 4) {
	case 0:
		return horner(cosTaylor[:], u)
	case 1:
		return -float64(z * horner(sinTaylor[:], u))
	case 2:
		return -horner(cosTaylor[:], u)
	default: // 3, or not a number
		return float64(z * horner(sinTaylor[:], u))
	}
}

// expNegative returns exp(-a) for a ≥ 0.
func expNegative(a float64) float64 {
	if a > 745 { // below half the smallest float64
		return 0
	}
	// ln 2 in two parts, so that k·ln2High is exact for k below 2²¹.
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	k := math.RoundToEven(float64(a * (1 / math.Ln2)))
	z := float64(a-float64(k*ln2High)) - float64(k*ln2Low)
	return math.Ldexp(horner(expTaylor[:], -z), -int(k))
}

// virtual are rows made on demand.
type virtual struct {
	*generator
	seed     uint64
	purpose  string
	first, n int
}

func (v *virtual) Len() int            { return v.n }
func (v *virtual) Dims() (in, out int) { return len(v.domain), max(v.outputs, 1) }

func (v *virtual) Gather(rows []int, x, y compute.Matrix) {
	for k, i := range rows {
		if i < 0 || i >= v.n {
			panic("datasets: row out of range")
		}
		if v.grid != nil {
			v.grid((float64(v.first+i)+0.5)/float64(v.first+v.n), x.Row(k), y.Row(k))
			continue
		}
		v.row(compute.NewStream(v.seed, v.purpose, uint64(v.first+i)), x.Row(k), y.Row(k))
	}
}
