package compute

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/algos/compute/internal/simd"
)

// The tests of this file are statistical with fixed seeds. A right generator fails one of their
// assertions with the probability falseAlarm, so that the file as a whole, about 100 assertions,
// would fail for one choice of seeds in 10000.
const falseAlarm = 1e-6

// deviations is the number of standard deviations that a normal variate exceeds, on either side,
// with probability falseAlarm: 4.9.
var deviations = distuv.UnitNormal.Quantile(1 - falseAlarm/2)

// chiSquared returns Σ (o-e)²/e for equal expectations and its critical value.
func chiSquared(counts []int) (value, critical float64) {
	total := 0
	for _, c := range counts {
		total += c
	}
	e := float64(total) / float64(len(counts))
	for _, c := range counts {
		value += (float64(c) - e) * (float64(c) - e) / e
	}
	return value, distuv.ChiSquared{K: float64(len(counts) - 1)}.Quantile(1 - falseAlarm)
}

// kolmogorov returns √n·sup|F_n - F| and its critical value, the solution of 2exp(-2c²) = falseAlarm.
func kolmogorov(x []float64, cdf func(float64) float64) (value, critical float64) {
	x = slices.Clone(x)
	slices.Sort(x)
	n := float64(len(x))
	for i, v := range x {
		f := cdf(v)
		value = max(value, f-float64(i)/n, float64(i+1)/n-f)
	}
	return value * math.Sqrt(n), math.Sqrt(math.Log(2/falseAlarm) / 2)
}

func uniform(u float64) float64 { return u }

func TestIntNIsUnbiased(t *testing.T) {
	for _, n := range []int{3, 10, 255} {
		s, counts := NewStream(1, "ints", uint64(n)), make([]int, n)
		for range 300 * n {
			counts[s.IntN(n)]++
		}
		value, critical := chiSquared(counts)
		assert.Less(t, value, critical, "IntN(%d)", n)
	}

	// Without rejection, 2⁶⁴ values on 3·2⁶¹ would give the residues modulo 3 the weights 3 : 3 : 2.
	s, counts := NewStream(1, "ints", 0), make([]int, 3)
	for range 30000 {
		counts[s.IntN(3<<61)%3]++
	}
	value, critical := chiSquared(counts)
	assert.Less(t, value, critical, "IntN(3·2⁶¹)")
}

// A sample is n features of a spectrum of scale 1 in three dimensions, drawn in panels.
type sample struct {
	components [3][]float64
	phases     []float64
}

const sampleWidth = 64 // features of a stream: a panel of 48 begins anywhere in one

func drawSample(s Spectrum, n int) sample {
	var x sample
	src := NewSource(1, "spectrum")
	drawn := panel[float64]{data: make([]float64, 4*simd.Width)}
	for first := 0; first < n; first += simd.Width {
		drawPanel(s, src, first, sampleWidth, 3, drawn)
		for l := range x.components {
			x.components[l] = append(x.components[l], drawn.data[l*simd.Width:][:simd.Width]...)
		}
		x.phases = append(x.phases, drawn.data[3*simd.Width:]...)
	}
	return x
}

// spectra are the laws with the distribution of a component and the kernel of the frequencies.
var spectra = []struct {
	name   string
	s      Spectrum
	cdf    func(float64) float64
	kernel func(d [3]float64) float64
}{
	{"normal", Spectrum{Law: Normal, Scale: 1}, distuv.UnitNormal.CDF,
		func(d [3]float64) float64 { return math.Exp(-euclid(d) * euclid(d) / 2) }},
	{"cauchy", Spectrum{Law: Cauchy, Scale: 1}, func(x float64) float64 { return 0.5 + math.Atan(x)/math.Pi },
		func(d [3]float64) float64 { return math.Exp(-math.Abs(d[0]) - math.Abs(d[1]) - math.Abs(d[2])) }},
	{"laplace", Spectrum{Law: Laplace, Scale: 1}, distuv.Laplace{Scale: 1}.CDF,
		func(d [3]float64) float64 { return 1 / ((1 + d[0]*d[0]) * (1 + d[1]*d[1]) * (1 + d[2]*d[2])) }},
	{"sech", Spectrum{Law: Sech, Scale: 1}, func(x float64) float64 { return 2 / math.Pi * math.Atan(math.Exp(math.Pi*x/2)) },
		func(d [3]float64) float64 { return 1 / (math.Cosh(d[0]) * math.Cosh(d[1]) * math.Cosh(d[2])) }},
	{"t1", Spectrum{Law: StudentT, Scale: 1, Freedom: 1}, distuv.StudentsT{Sigma: 1, Nu: 1}.CDF,
		func(d [3]float64) float64 { return math.Exp(-euclid(d)) }},
	{"t3", Spectrum{Law: StudentT, Scale: 1, Freedom: 3}, distuv.StudentsT{Sigma: 1, Nu: 3}.CDF,
		func(d [3]float64) float64 { r := math.Sqrt(3) * euclid(d); return (1 + r) * math.Exp(-r) }},
	{"t5", Spectrum{Law: StudentT, Scale: 1, Freedom: 5}, distuv.StudentsT{Sigma: 1, Nu: 5}.CDF,
		func(d [3]float64) float64 { r := math.Sqrt(5) * euclid(d); return (1 + r + r*r/3) * math.Exp(-r) }},
	{"scaled2", Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 2}, distuv.Laplace{Scale: 1}.CDF,
		func(d [3]float64) float64 { return 1 / (1 + euclid(d)*euclid(d)) }},
	{"scaled4", Spectrum{Law: ScaledNormal, Scale: 1, Freedom: 4}, func(x float64) float64 {
		below := math.Exp(-math.Abs(x)) * (2 + math.Abs(x)) / 4 // -|x|
		if x < 0 {
			return below
		}
		return 1 - below
	}, func(d [3]float64) float64 { return math.Pow(1+euclid(d)*euclid(d), -2) }},
}

func euclid(d [3]float64) float64 { return math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) }

func TestSpectrumDistributions(t *testing.T) {
	const n = 20000
	for _, c := range spectra {
		t.Run(c.name, func(t *testing.T) {
			x := drawSample(c.s, n)
			for l, v := range x.components {
				value, critical := kolmogorov(v, c.cdf)
				assert.Less(t, value, critical, "component %d", l)
			}
			value, critical := kolmogorov(x.phases, uniform)
			assert.Less(t, value, critical, "phases")

			// Counts in the tails are binomial; the allowance of 5 is for small expectations.
			for _, z := range []float64{3, 10, 100, 1000} {
				p, beyond := 2*c.cdf(-z), 0.0
				for _, v := range x.components[0] {
					if math.Abs(v) > z {
						beyond++
					}
				}
				assert.InDelta(t, n*p, beyond, deviations*math.Sqrt(n*p)+5, "beyond ±%v", z)
			}
		})
	}
}

// TestSpectrumKernels checks that the mean of cos(ω·δ) is the kernel of the law. The variance of one
// cosine is (1 + k(2δ))/2 - k(δ)².
func TestSpectrumKernels(t *testing.T) {
	const n = 20000
	for _, c := range spectra {
		x := drawSample(c.s, n)
		for _, d := range [][3]float64{{0.1, 0, 0}, {0, 0.5, 0.5}, {0.4, -0.3, 0.8}, {1, 1, -1}} {
			mean := 0.0
			for f, m := 0, float64(len(x.phases)); f < len(x.phases); f++ {
				mean += math.Cos(d[0]*x.components[0][f]+d[1]*x.components[1][f]+d[2]*x.components[2][f]) / m
			}
			k, double := c.kernel(d), c.kernel([3]float64{2 * d[0], 2 * d[1], 2 * d[2]})
			assert.InDelta(t, k, mean, deviations*math.Sqrt(((1+double)/2-k*k)/n), "%s at %v", c.name, d)
		}
	}
}
